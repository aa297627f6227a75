//===- SymbolicShapes.h - SymPy expressions as #guard.expr ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the expressions of an archive to attributes, replacing symbols that
// a compilation is specialized to by their values.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_SYMBOLICSHAPES_H
#define KILN_LIB_IMPORT_PT2_SYMBOLICSHAPES_H

#include "kiln/Archive/Graph.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include <map>

namespace kiln::pt2 {

class SymbolicShapes {
public:
  /// Gives the expression of a leaf that names an input (`InputSize`, ...), or
  /// null for one it does not know.
  using InputLeaf = std::function<guard::ExprAttr(const archive::SymExpr &)>;

  SymbolicShapes(MLIRContext *context,
                 const std::map<std::string, int64_t> &specialization)
      : context(context), specialization(specialization) {}

  Result<guard::ExprAttr> convert(const archive::SymExpr &expr,
                                  const InputLeaf &inputLeaf = {}) const;
  Result<guard::ExprAttr> convert(const archive::SymInt &value) const;
  Result<guard::ExprAttr> convert(const archive::SymFloat &value) const;
  Result<guard::ExprAttr> convert(const archive::SymBool &value) const;
  Result<SmallVector<guard::ExprAttr>>
  convert(const std::vector<archive::SymInt> &values) const;

  /// True if a symbol stands for 0 or 1 now.
  bool hasSmallSizes() const {
    return llvm::any_of(specialization, [](const auto &entry) {
      return entry.second < 2;
    });
  }

private:
  Result<guard::ExprAttr> convertPiecewise(const archive::SymExpr &expr,
                                           const InputLeaf &inputLeaf) const;

  MLIRContext *context;
  const std::map<std::string, int64_t> &specialization;
};

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_SYMBOLICSHAPES_H
