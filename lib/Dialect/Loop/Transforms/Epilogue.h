//===- Epilogue.h - Pointwise nests inside of contractions ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_EPILOGUE_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_EPILOGUE_H

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::loop {

/// Moves pointwise nests that read a contraction element by element into its
/// epilogue, until none is left. A contraction that is read through a reshape
/// or a transposition is rewritten to the reader's domain. Remarks of
/// `loop-fuse` tell which moved, and why others did not.
void fuseEpilogues(mlir::func::FuncOp function,
                   const analysis::SizeHints &hints);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_EPILOGUE_H
