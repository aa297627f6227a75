//===- NumberKinds.h - What kind of number a program gives ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an interface says of the numbers of a program before a call gives them.
//
//   kindOf(program, output)        of x.item() with x of f32: Float
//   kindOf(expr, program.symbols)  of s0 > 4: Bool, of s0 / 2: Float
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_NUMBERKINDS_H
#define KILN_PACKAGE_NUMBERKINDS_H

#include "kiln/Package/Program.h"

namespace kiln::package {

/// None: no number; a text, or nothing.
enum class NumberKind : uint8_t { None, Bool, Int, Float, Complex };

NumberKind kindOf(const Constant &constant);
/// Of a number that a tensor of this element type holds.
NumberKind kindOf(DType dtype);
/// Of an expression that `checkExpr` accepted. A choice between an integer and a
/// float counts as Float.
NumberKind kindOf(const Expr &expr, const std::vector<Symbol> &symbols);
/// Of an output that is no tensor; None also if only a call shows it, as of a
/// number that a custom operator gives.
NumberKind kindOf(const Program &program, const Output &output);
/// Of a slot that is no tensor: its constant, or the symbol that it gives a value.
NumberKind kindOf(const Program &program, uint32_t slot);

} // namespace kiln::package

#endif // KILN_PACKAGE_NUMBERKINDS_H
