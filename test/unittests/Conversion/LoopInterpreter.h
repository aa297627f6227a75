//===- LoopInterpreter.h - What loop nests mean, one scalar at a time -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the loop dialect with doubles and 64-bit integers. It shares nothing
// with the lowerings it judges: no vectors, no addresses, no simplification.
// Float reductions are summed in double without rounding, so that a lowering's
// order of summation shows only as its own rounding error.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_LOOPINTERPRETER_H
#define KILN_TEST_UNITTESTS_CONVERSION_LOOPINTERPRETER_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::loop {

/// A number of a body: floats in `real`, integers and indices in `integer`
/// (sign-extended from their width; `i1` is 0 or 1).
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

/// A tensor in row-major order.
struct Array {
  std::vector<int64_t> sizes;
  std::vector<Scalar> elements;

  int64_t count() const;
  /// The element at `index`; an index out of bounds fails the test.
  Scalar &at(llvm::ArrayRef<int64_t> index);
};

using SymbolValues = std::map<std::string, int64_t>;

/// The value of an expression over symbols.
int64_t evaluateExpr(guard::ExprAttr expr, const SymbolValues &symbols);
/// The sizes of a tensor.
std::vector<int64_t> evaluateSizes(mlir::RankedTensorType type,
                                   const SymbolValues &symbols);

/// The nearest number of type `type`; integers wrap.
Scalar roundTo(mlir::Type type, Scalar value);

/// Runs `function`, a block of nests and kernels, on its arguments.
std::vector<Array> interpret(mlir::func::FuncOp function,
                             llvm::ArrayRef<Array> arguments,
                             const SymbolValues &symbols);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_LOOPINTERPRETER_H
