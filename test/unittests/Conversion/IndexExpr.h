//===- IndexExpr.h - Expressions that are evaluated often -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_INDEXEXPR_H
#define KILN_TEST_UNITTESTS_CONVERSION_INDEXEXPR_H

#include "LoopInterpreter.h"

#include "kiln/Package/ExprEvaluator.h"

namespace kiln::loop {

/// An expression over loop indices with numbers in place of symbols, decoded once: the
/// functions behind their operands, as the runtime's evaluator has them.
class IndexExpr {
public:
  IndexExpr(guard::ExprAttr expr, const SymbolValues &symbols);

  /// The value at a point; one that has none fails the test and is 0.
  int64_t evaluate(llvm::ArrayRef<int64_t> dims);

private:
  /// A number, the loop index of a number, or a function.
  struct Step {
    guard::ExprKind kind;
    uint8_t opcode = 0, operands = 0;
    package::Cell value;
  };
  void append(guard::ExprAttr expr, const SymbolValues &symbols);

  guard::ExprAttr expr;
  std::vector<Step> steps;
  std::vector<package::Cell> stack; ///< while it is evaluated
};

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_INDEXEXPR_H
