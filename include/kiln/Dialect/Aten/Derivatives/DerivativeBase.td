//===- DerivativeBase.td - How derivatives are written -----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record per rule; `kiln-tblgen --gen-aten-derivatives` writes the C++.
//
//   def : VJP<Aten_MulTensorOp, [Grad<"self",  (mul $grad, $other)>,
//                                Grad<"other", (mul $grad, $self)>]>;
//
// A dag's operators are methods of FormulaBuilder (`threshold_backward` is
// `thresholdBackward`), or of VjpState for those declared as `GradientHelper`;
// `(call "glu_backward", ...)` is any other op. Its leaves are:
//
//   $grad, $grad_1    gradient of the first, second result
//   $result           the result itself
//   $other, $dim      operands and attributes of the op, by their name in C++
//   2                 a number
//   "1.5"             C++ text
//
// Whatever an expression's shape and type are, the gradient is brought to the
// operand's: dimensions that were broadcast are summed, and the element type is
// converted. So a rule does not speak of broadcasting.
//
// A rule that does not fit a line names a C++ function (`VJPFunction`) of
// lib/Dialect/Aten/Derivatives. `StopGradient` lists ops that no gradient flows
// through, with the reason; `NoDerivative` those that have none although one
// might expect it. An op in none of these is differentiated as what it
// decomposes into; if it has no decomposition either, and a floating-point
// result, a gradient that reaches it is an error, not zero.
//
// A gradient of complex numbers is PyTorch's: of a real loss L at x + iy it is
// dL/dx + i dL/dy. So a holomorphic op multiplies by the conjugate of its slope;
// `conjugate` says where, and is nothing of reals. A real operand among complex ones
// gets the real part, by itself. `ComplexVJP` and `ComplexVJPFunction` are rules
// of complex numbers too.
//
// The formulas are PyTorch's (tools/autograd/derivatives.yaml), the order of
// factors included, since that is the order in which bf16 and f16 are rounded.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_DERIVATIVEBASE_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_DERIVATIVEBASE_TD

include "kiln/Dialect/Aten/IR/AtenOps.td"

/// The gradient of one operand.
class Grad<string name, dag expression> {
  string operand = name;
  dag value = expression;
}

/// A rule is refused where a tensor is complex, unless it is a `Complex` one.
class Rule {
  bit isComplex = 0;
}

/// The gradients of an op's operands; those not named are zero.
class VJP<Aten_OverloadOp rule, list<Grad> gradients> : Rule {
  Aten_OverloadOp op = rule;
  list<Grad> grads = gradients;
}

/// Gradients by a C++ function `LogicalResult f(OpTy op, VjpState &state)`.
class VJPFunction<string name, list<Aten_OverloadOp> list_> : Rule {
  string function = name;
  list<Aten_OverloadOp> ops = list_;
}

/// Rules of complex numbers too.
class ComplexVJP<Aten_OverloadOp rule, list<Grad> gradients>
    : VJP<rule, gradients> {
  let isComplex = 1;
}
class ComplexVJPFunction<string name, list<Aten_OverloadOp> list_>
    : VJPFunction<name, list_> {
  let isComplex = 1;
}

/// Ops that no gradient flows through; the reason is a clause.
class StopGradient<string why, list<Aten_OverloadOp> list_> {
  string reason = why;
  list<Aten_OverloadOp> ops = list_;
}

/// Ops that refuse a gradient; the reason is a clause after the op's name.
class NoDerivative<string why, list<Aten_OverloadOp> list_> {
  string reason = why;
  list<Aten_OverloadOp> ops = list_;
}

/// A dag operator that is a method of VjpState.
class GradientHelper;
def identity : GradientHelper;       // its operand
def scale : GradientHelper;          // by an optional number; absent is 1
def number_or : GradientHelper;      // an optional number and its default
def keep_where : GradientHelper;     // the gradient where true, else 0
def drop_where : GradientHelper;     // 0 where true, else the gradient
def unreduce : GradientHelper;       // undo a reduction's loss of dimensions
def keep_dims : GradientHelper;      // the same, with dimensions of size one
def like : GradientHelper;           // reshape to the shape of a value
def cast_like : GradientHelper;      // convert to the type of a value
def mean_of : GradientHelper;        // divide by elements per result element
def adjoint : GradientHelper;        // the same, and the conjugate
def row_major : GradientHelper;      // a copy with the strides of its sizes
def sizes_of : GradientHelper;       // the sizes as an argument

def sgn : BuilderMethod;
def bmm : BuilderMethod;
def reciprocal : BuilderMethod;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_DERIVATIVEBASE_TD
