//===- LoopBodyOpInterface.cpp - Ops that work element by element ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/LoopBodyOpInterface.h"

#include "kiln/Interfaces/LoopBodyOpInterface.cpp.inc"
