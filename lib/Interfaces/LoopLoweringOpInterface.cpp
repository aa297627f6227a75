//===- LoopLoweringOpInterface.cpp - Ops that make loop nests -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/LoopLoweringOpInterface.h"

#include "kiln/Interfaces/LoopLoweringOpInterface.cpp.inc"
