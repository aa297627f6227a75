//===- kiln-trial.cpp - Calls kernels that may fail, for another process --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nobody calls it by hand: a process that chooses schedules for a GPU by
// measuring starts it, since it cannot share the driver that it uses itself
// with a copy of its own.
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Trials.h"

int main() { kiln::session::serveTrials(); }
