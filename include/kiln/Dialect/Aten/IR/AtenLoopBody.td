//===- AtenLoopBody.td - How ops become loop nests --------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that convert-aten-to-loop makes loop nests of has a `body` in its record
// if it is pointwise, otherwise the name of a function as its `lowering`. Of both
// the function counts: it may look at arguments before it takes the body.
//
// The body of a pointwise operator is a dag over these functions:
//
//   (add $self, (mul $other, $alpha))
//
// `$name` is an argument of the operator: the element of a tensor at the loop's
// index, or a number. An absent optional argument stands for its default. All
// arguments are converted to the computation type before the body runs, unless
// the body says `(raw $x)`; the value is converted to the result type after.
// The promotion kind of the operator gives both types: bf16 and f16 compute in
// f32, comparisons and logic compute in the promoted type and give bool.
// Numbers are written as `(number "0.5")`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENLOOPBODY_TD
#define KILN_DIALECT_ATEN_IR_ATENLOOPBODY_TD

include "kiln/Dialect/Aten/IR/AtenFunctions.td"

/// How an op becomes loop nests that are more than a body.
class Aten_Lowering;

/// It does not: it has a body, is decomposed, or becomes a call.
def NotLowered : Aten_Lowering;

/// By a function of lib/Conversion/AtenToLoop,
/// `LogicalResult name(LoopBuilder &loops, FooOp op, ...)`, declared by kiln-tblgen;
/// see AtenFunctions.td.
class LowerBy<string name, list<string> args = [],
              Aten_Parameter parameter = OwnOp>
    : Aten_Lowering, Aten_Function<name, args, parameter> {
  /// It looks at no elements, so that they may be of any type.
  bit takesAnyElements = 0;
}

/// There is no kernel, and the function tells the reason.
class RefuseBy<string name, Aten_Parameter parameter = OwnOp>
    : LowerBy<name, [], parameter>;

/// Reads through the view that the op's map says.
def LowerView : LowerBy<"lowerView", [], AnyOp> {
  let takesAnyElements = 1;
}

// Families: a record of a known one is a line.

def ReductionFamily : OpFamily<"ReductionArgs", "What is reduced, all without `dim`.",
    ["self", "dim"]>;
/// A reduction over dimensions; `kind` is one of Reduced in Lowerings.h.
class LowerReduction<string kind>
    : LowerBy<"lowerReduction", ["Reduced::" # kind], ReductionFamily>;

def PoolingFamily : OpFamily<"PoolingArgs",
    "A pooling or its gradient; without `kernel_size` it is adaptive.",
    ["self", "grad_output", "indices", "kernel_size", "stride", "padding",
     "dilation", "count_include_pad", "divisor_override"]>;
class LowerMaxPool<int rank>
    : LowerBy<"lowerMaxPool", [!cast<string>(rank)], PoolingFamily>;
class LowerAveragePool<int rank>
    : LowerBy<"lowerAveragePool", [!cast<string>(rank)], PoolingFamily>;

def ResamplingFamily : OpFamily<"ResamplingArgs",
    "An upsampling or its gradient; those that take a list of sizes or of factors "
    "call their operand `input`.",
    ["self", "input", "grad_output", "align_corners", "output_size",
     "scale_factors", "scales", "scales_d", "scales_h", "scales_w"]>;
/// `filter` is one of Filter in Lowerings.h.
class LowerResampling<string filter, int rank>
    : LowerBy<"lowerResampling", ["Filter::" # filter, !cast<string>(rank)],
              ResamplingFamily>;

def PaddingFamily : OpFamily<"PaddingArgs", "A padding or its gradient.",
    ["self", "grad_output", "padding", "pad"]>;
/// `edge` is one of Edge in Lowerings.h.
class LowerEdgePad<string edge>
    : LowerBy<"lowerEdgePad", ["Edge::" # edge], PaddingFamily>;
class LowerEdgePadBackward<string edge>
    : LowerBy<"lowerEdgePadBackward", ["Edge::" # edge], PaddingFamily>;

def GridFamily : OpFamily<"GridArgs",
    "A sampling of an image at the points of a grid, or its gradients.",
    ["input", "grid", "grad_output", "interpolation_mode", "padding_mode",
     "align_corners", "output_mask"]>;

def RowFamily : OpFamily<"RowArgs", "An operator along one dimension.",
    ["self", "dim", "k", "largest", "descending"]>;
class LowerRows<string name, list<string> args = []>
    : LowerBy<name, args, RowFamily>;

def ScatterFamily : OpFamily<"ScatterArgs",
    "Elements, slices or one number that go to computed places of a tensor.",
    ["self", "dim", "index", "src", "source", "value", "alpha", "reduce",
     "include_self"]>;
class LowerScatter<string name, list<string> args = []>
    : LowerBy<name, args, ScatterFamily>;

def IndexFamily : OpFamily<"IndexArgs",
    "A tensor indexed by a list, and what is put there.",
    ["self", "indices", "values", "accumulate"]>;

def ProductFamily : OpFamily<"ProductArgs", "A product of matrices, or of batches of them.",
    ["self", "mat2"]>;

def UniqueFamily : OpFamily<"UniqueArgs",
    "Of which elements or slices each is kept once.",
    ["self", "dim", "return_inverse", "return_counts"]>;

def SystemFamily : OpFamily<"SystemArgs", "A triangular system.",
    ["self", "A", "B", "upper", "transpose", "left", "unitriangular"]>;

def BagFamily : OpFamily<"BagArgs",
    "Rows of a table that are joined by bags.",
    ["weight", "indices", "offsets", "offset2bag", "grad", "mode",
     "per_sample_weights", "include_last_offset", "padding_idx"]>;

def DrawFamily : OpFamily<"DrawArgs",
    "A random operator, and the numbers that it is given to draw.",
    ["self", "draws", "draw", "low", "high", "p", "mean", "std", "from", "to",
     "lambd"]>;
class LowerDraw<string name> : LowerBy<name, [], DrawFamily>;

def DivisionFamily : OpFamily<"DivisionArgs", "A division that rounds.",
    ["rounding_mode"]>;

/// A function of scalars. `arity` operands; -1 for any number.
class Aten_ScalarFunction<int count, string text> {
  int arity = count;
  string description = text;
}

// Leaves.
def number : Aten_ScalarFunction<1, "the literal in its string, in the computation type">;
def raw : Aten_ScalarFunction<1, "an argument in its own type, not converted">;
def copy_of : Aten_ScalarFunction<1, "a itself, converted to the result type">;
def or_else : Aten_ScalarFunction<2, "a, or b if a is an absent argument">;
def if_given : Aten_ScalarFunction<3, "b if a is a given argument, else c">;
def to_bool : Aten_ScalarFunction<1, "true for any value but zero; NaN is true">;

// Arithmetic. Integers wrap.
def add : Aten_ScalarFunction<2, "a + b; on bool it is or">;
def sub : Aten_ScalarFunction<2, "a - b">;
def mul : Aten_ScalarFunction<2, "a * b; on bool it is and">;
def div : Aten_ScalarFunction<2, "a / b of floats">;
def floor_div : Aten_ScalarFunction<2, "the quotient rounded toward minus infinity, as PyTorch's floor mode">;
def trunc_div : Aten_ScalarFunction<2, "the quotient rounded toward zero">;
def remainder : Aten_ScalarFunction<2, "the remainder with the divisor's sign">;
def fmod : Aten_ScalarFunction<2, "the remainder with the dividend's sign">;
def neg : Aten_ScalarFunction<1, "-a">;
def abs : Aten_ScalarFunction<1, "the magnitude; the lowest integer stays">;
def recip : Aten_ScalarFunction<1, "1 / a">;
def sign : Aten_ScalarFunction<1, "-1, 0 or 1; 0 for NaN">;
def copy_sign : Aten_ScalarFunction<2, "the magnitude of a with the sign of b">;
def sign_bit : Aten_ScalarFunction<1, "true for a minus sign, also of zero">;
def next_after : Aten_ScalarFunction<2, "the next float of the result's type toward b">;
def gcd : Aten_ScalarFunction<2, "the greatest common divisor of integers">;
def pow : Aten_ScalarFunction<2, "a to the power b">;

// Order. NaN in either operand gives NaN.
def min : Aten_ScalarFunction<2, "the lesser; NaN wins">;
def max : Aten_ScalarFunction<2, "the greater; NaN wins">;
def clamp_low : Aten_ScalarFunction<2, "max(a, b), or a if b is absent">;
def clamp_high : Aten_ScalarFunction<2, "min(a, b), or a if b is absent">;
def clamp_first : Aten_ScalarFunction<3, "b if a is less, else c if a is greater, else a">;

// Functions of floats, within 2 units in the last place.
def exp : Aten_ScalarFunction<1, "e to the power a">;
def expm1 : Aten_ScalarFunction<1, "exp(a) - 1, exact near 0">;
def log : Aten_ScalarFunction<1, "natural logarithm">;
def log2 : Aten_ScalarFunction<1, "logarithm to base 2">;
def log10 : Aten_ScalarFunction<1, "logarithm to base 10">;
def log1p : Aten_ScalarFunction<1, "log(1 + a), exact near 0">;
def sqrt : Aten_ScalarFunction<1, "square root">;
def rsqrt : Aten_ScalarFunction<1, "1 / sqrt(a)">;
def sin : Aten_ScalarFunction<1, "sine">;
def cos : Aten_ScalarFunction<1, "cosine">;
def tan : Aten_ScalarFunction<1, "tangent">;
def asin : Aten_ScalarFunction<1, "arc sine">;
def acos : Aten_ScalarFunction<1, "arc cosine">;
def atan : Aten_ScalarFunction<1, "arc tangent">;
def atan2 : Aten_ScalarFunction<2, "angle of the point (b, a)">;
def sinh : Aten_ScalarFunction<1, "hyperbolic sine">;
def cosh : Aten_ScalarFunction<1, "hyperbolic cosine">;
def tanh : Aten_ScalarFunction<1, "hyperbolic tangent">;
def erf : Aten_ScalarFunction<1, "error function">;
def erfc : Aten_ScalarFunction<1, "1 - erf(a), exact where erf is nearly 1">;
def erfinv : Aten_ScalarFunction<1, "what erf maps to a">;
def lgamma : Aten_ScalarFunction<1, "logarithm of the magnitude of gamma(a)">;
def digamma : Aten_ScalarFunction<1, "derivative of the logarithm of gamma(a)">;
def hypot : Aten_ScalarFunction<2, "sqrt(a^2 + b^2) without overflow">;
def sigmoid : Aten_ScalarFunction<1, "1 / (1 + exp(-a))">;
def floor : Aten_ScalarFunction<1, "rounded down; integers stay">;
def ceil : Aten_ScalarFunction<1, "rounded up; integers stay">;
def trunc : Aten_ScalarFunction<1, "rounded toward zero; integers stay">;
def round : Aten_ScalarFunction<1, "rounded half to even; integers stay">;
def is_nan : Aten_ScalarFunction<1, "true for NaN">;
// PyTorch's loop over vectors stops a gradient at NaN where the one over the
// elements that fill no vectors passes it on. The former sees all but the last
// elements of a long tensor. Of a short one, a few dozen elements, it sees those
// of 32 and 64 bits, and those of 64 where its vectors have 512 bits.
def is_wide_nan : Aten_ScalarFunction<1, "true for NaN if the result has 32 bits or more">;
def is_widest_nan : Aten_ScalarFunction<1, "true for NaN if the result has 64 bits">;
def is_inf : Aten_ScalarFunction<1, "true for plus and minus infinity">;

// Comparisons give bool; with NaN all but ne are false.
def eq : Aten_ScalarFunction<2, "a equals b">;
def ne : Aten_ScalarFunction<2, "a differs from b">;
def lt : Aten_ScalarFunction<2, "a is less than b">;
def le : Aten_ScalarFunction<2, "a is at most b">;
def gt : Aten_ScalarFunction<2, "a is greater than b">;
def ge : Aten_ScalarFunction<2, "a is at least b">;

// Bool.
def logical_and : Aten_ScalarFunction<2, "both are not zero">;
def logical_or : Aten_ScalarFunction<2, "one is not zero">;
def logical_xor : Aten_ScalarFunction<2, "exactly one is not zero">;
def logical_not : Aten_ScalarFunction<1, "is zero">;
def where : Aten_ScalarFunction<3, "b if a is true, else c">;

// Bits of integers and bool.
def bit_and : Aten_ScalarFunction<2, "bitwise and">;
def bit_or : Aten_ScalarFunction<2, "bitwise or">;
def bit_xor : Aten_ScalarFunction<2, "bitwise exclusive or">;
def bit_not : Aten_ScalarFunction<1, "bitwise complement; not on bool">;
def shl : Aten_ScalarFunction<2, "shift left; counts beyond the width give 0">;
def shr : Aten_ScalarFunction<2, "arithmetic shift right">;

#endif // KILN_DIALECT_ATEN_IR_ATENLOOPBODY_TD
