//===- ExprBuilder.h - Write expression bytecode -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Appends instructions of GuardABI.h in postfix order. Example: s0 * 4 + 1 is
//
//   Expr e = ExprBuilder().symbol(0).integer(4).op(KILN_EXPR_MUL)
//                .integer(1).op(KILN_EXPR_ADD).build();
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_EXPRBUILDER_H
#define KILN_PACKAGE_EXPRBUILDER_H

#include "kiln/ABI/GuardABI.h"
#include "kiln/Base/Bytes.h"
#include "kiln/Package/Program.h"

namespace kiln::package {

class ExprBuilder {
public:
  ExprBuilder &integer(int64_t value) {
    ByteWriter writer(expr_.code);
    writer.u8(KILN_EXPR_PUSH_INT);
    writer.i64(value);
    return *this;
  }
  ExprBuilder &real(double value) {
    ByteWriter writer(expr_.code);
    writer.u8(KILN_EXPR_PUSH_FLOAT);
    writer.f64(value);
    return *this;
  }
  /// Pushes the value of symbol `index` of the program.
  ExprBuilder &symbol(uint32_t index) {
    ByteWriter writer(expr_.code);
    writer.u8(KILN_EXPR_PUSH_SYMBOL);
    writer.u32(index);
    return *this;
  }
  ExprBuilder &op(kiln_expr_opcode opcode) {
    expr_.code.push_back(static_cast<uint8_t>(opcode));
    return *this;
  }
  Expr build() { return std::move(expr_); }

private:
  Expr expr_;
};

} // namespace kiln::package

#endif // KILN_PACKAGE_EXPRBUILDER_H
