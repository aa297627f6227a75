//===- FormulaBuilder.h - A method for each overload ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds any op of the dialect by a method of its own, which kiln-tblgen makes
// of the op's schema: parameters, their kinds and defaults. A misspelt op, or
// an argument of another kind, does not compile.
//
//   FormulaBuilder b(builder, loc);
//   Value y = b.addTensor(x, b.sumDimIntList(x, {-1}, /*keepdim=*/true), 2);
//   OpResults norm = b.nativeLayerNorm(y, {size}, weight, bias, 1e-5);
//   return norm[0];
//
// Null for an argument that is required gives null; what does not fit the rules
// of the op gives null after a diagnostic. AtenBuilder adds what is shorter to
// write, Composer numbers on either side.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_FORMULABUILDER_H
#define KILN_DIALECT_ATEN_IR_FORMULABUILDER_H

#include "kiln/Dialect/Aten/IR/FormulaArgs.h"

#include "mlir/IR/Builders.h"

namespace kiln::aten {

class FormulaBuilder {
public:
  FormulaBuilder(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }
  MLIRContext *getContext() { return builder.getContext(); }

#include "kiln/Dialect/Aten/IR/AtenFormulas.h.inc"

protected:
  OpBuilder &builder;
  Location loc;

private:
  /// The op of a record by its place in `getAllOverloads()`; null if a required
  /// argument is null, or after a diagnostic.
  Operation *build(unsigned record, ArrayRef<ArgValue> args);
  static Value first(Operation *op);

  ArgValue get(Value value) { return value; }
  ArgValue get(const Operand &arg);
  ArgValue get(const IntArg &arg);
  ArgValue get(const BoolArg &arg);
  ArgValue get(const FloatArg &arg);
  ArgValue get(const TextArg &arg);
  ArgValue get(const TypeArg &arg);
  ArgValue get(const SizeArg &arg);
  ArgValue get(const IntsArg &arg);
  ArgValue get(const BoolsArg &arg);
  ArgValue get(const FloatsArg &arg);
  ArgValue get(const SizesArg &arg);
  ArgValue get(const TensorsArg &arg);
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_FORMULABUILDER_H
