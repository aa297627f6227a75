//===- ExprTable.h - Symbols and expressions of one program ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_PROGRAM_EXPRTABLE_H
#define KILN_LIB_TARGET_PROGRAM_EXPRTABLE_H

#include "kiln/Base/Result.h"
#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Package/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::target {

/// Numbers expressions: equal ones once.
class ExprTable {
public:
  explicit ExprTable(package::Program &program);

  /// The id of an expression; an error names a symbol nothing defines.
  Result<package::ExprId> get(guard::ExprAttr expr);
  Result<std::vector<package::ExprId>> get(ArrayRef<guard::ExprAttr> exprs);

private:
  package::Program &program;
  llvm::StringMap<uint32_t> symbols;
  llvm::DenseMap<guard::ExprAttr, package::ExprId> ids;
};

} // namespace kiln::target

#endif // KILN_LIB_TARGET_PROGRAM_EXPRTABLE_H
