//===- GuardBytecode.h - Expressions for the runtime ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#guard.expr` as the postfix code of kiln/ABI/GuardABI.h, the language in
// which a package states guards, sizes and launch extents, and back.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDBYTECODE_H
#define KILN_DIALECT_GUARD_IR_GUARDBYTECODE_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include <vector>

namespace kiln::guard {

/// The instruction of a function, a `kiln_expr_opcode`.
uint8_t getOpcode(ExprKind kind);

/// Appends the code of `expr` to `code`. `symbolIndex` gives the index of a
/// symbol in the program's table, nothing if it has none. Fails, naming the
/// leaf in `error`, on an unknown symbol or a loop index; `code` is then as it
/// was before.
///
///   std::vector<uint8_t> code;
///   std::string error;
///   if (failed(encodeExpr(expr, lookUp, code, error)))
///     return op->emitError(error);
LogicalResult
encodeExpr(ExprAttr expr,
           function_ref<std::optional<uint32_t>(StringRef)> symbolIndex,
           std::vector<uint8_t> &code, std::string &error);

/// The inverse: the expression that `code` computes, in canonical form. `symbols`
/// are those of the program's table. The bytes may come from anywhere; what is no
/// code, or more than text may say either (10000 nodes, 256 levels), is Malformed.
///
///   auto expr = decodeExpr(context, code, symbols);
///   if (!expr)
///     return expr.takeError();
Result<ExprAttr> decodeExpr(MLIRContext *context, ArrayRef<uint8_t> code,
                            ArrayRef<ExprAttr> symbols);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_GUARDBYTECODE_H
