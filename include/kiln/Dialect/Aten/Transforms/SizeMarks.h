//===- SizeMarks.h - Sizes of inputs that a user names --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mark := input ':' dimension ('[' min '..' max? ']')?
//
// A dimension below zero counts from the end.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_SIZEMARKS_H
#define KILN_DIALECT_ATEN_TRANSFORMS_SIZEMARKS_H

#include "kiln/Base/Result.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/ShapeEnv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::aten {

/// A size of an input of a captured graph.
struct SizeMark {
  unsigned argument = 0;
  unsigned dim = 0;
  guard::Interval range{2, guard::Interval::kMax};
  bool isUnbacked = false;
};

/// Reads a mark of a size of `main`. Usage errors for inputs and dimensions that
/// it does not have, and for ranges without the size of the example.
Result<SizeMark> parseSizeMark(mlir::func::FuncOp main, llvm::StringRef text);

/// Whether an argument is a tensor that the caller gives.
bool isCallerTensor(mlir::func::FuncOp main, unsigned argument);

/// What the user calls an argument.
std::string nameOfInput(mlir::func::FuncOp main, unsigned argument);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_TRANSFORMS_SIZEMARKS_H
