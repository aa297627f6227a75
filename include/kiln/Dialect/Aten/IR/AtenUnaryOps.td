//===- AtenUnaryOps.td - One tensor, element by element ----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENUNARYOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENUNARYOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_AbsOp : Aten_UnaryOp<"abs", PromoteComplexToFloat,
    (abs $self)> {
  let summary = "Magnitude";
  let aliases = ["absolute"];
  let isCore = 1;
}

def Aten_AcosOp : Aten_UnaryOp<"acos", PromoteIntToFloat,
    (acos $self)> {
  let summary = "Arc cosine";
  let aliases = ["arccos"];
  let isCore = 1;
}

def Aten_AsinOp : Aten_UnaryOp<"asin", PromoteIntToFloat,
    (asin $self)> {
  let summary = "Arc sine";
  let aliases = ["arcsin"];
  let isCore = 1;
}

def Aten_AtanOp : Aten_UnaryOp<"atan", PromoteIntToFloat,
    (atan $self)> {
  let summary = "Arc tangent";
  let aliases = ["arctan"];
  let isCore = 1;
}

def Aten_BitwiseNotOp : Aten_UnaryOp<"bitwise_not", PromoteDefault,
    (bit_not $self)> {
  let summary = "Bitwise complement; logical not of bool";
  let isCore = 1;
}

def Aten_CeilOp : Aten_UnaryOp<"ceil", PromoteDefault,
    (ceil $self)> {
  let summary = "Round up";
  let isCore = 1;
}

def Aten_CosOp : Aten_UnaryOp<"cos", PromoteIntToFloat,
    (cos $self)> {
  let summary = "Cosine";
  let isCore = 1;
}

def Aten_CoshOp : Aten_UnaryOp<"cosh", PromoteIntToFloat,
    (cosh $self)> {
  let summary = "Hyperbolic cosine";
  let isCore = 1;
}

def Aten_ErfOp : Aten_UnaryOp<"erf", PromoteIntToFloat,
    (erf $self)> {
  let summary = "Error function";
  let aliases = ["special_erf"];
  let isCore = 1;
}

def Aten_ExpOp : Aten_UnaryOp<"exp", PromoteIntToFloat,
    (exp $self)> {
  let summary = "e to the power of each element";
  let isCore = 1;
}

def Aten_Expm1Op : Aten_UnaryOp<"expm1", PromoteIntToFloat,
    (expm1 $self)> {
  let summary = "exp(x) - 1, exact near zero";
  let aliases = ["special_expm1"];
  let isCore = 1;
}

def Aten_FloorOp : Aten_UnaryOp<"floor", PromoteDefault,
    (floor $self)> {
  let summary = "Round down";
  let isCore = 1;
}

def Aten_IsinfOp : Aten_UnaryOp<"isinf", PromoteAlwaysBool,
    (is_inf $self)> {
  let summary = "True where infinite";
  let takesSmallFloats = 1;
  let isCore = 1;
}

def Aten_IsnanOp : Aten_UnaryOp<"isnan", PromoteAlwaysBool,
    (is_nan $self)> {
  let summary = "True where not a number";
  let takesSmallFloats = 1;
  let isCore = 1;
}

def Aten_LogOp : Aten_UnaryOp<"log", PromoteIntToFloat,
    (log $self)> {
  let summary = "Natural logarithm";
  let isCore = 1;
}

def Aten_Log1pOp : Aten_UnaryOp<"log1p", PromoteIntToFloat,
    (log1p $self)> {
  let summary = "log(1 + x), exact near zero";
  let aliases = ["special_log1p"];
  let isCore = 1;
}

def Aten_Log2Op : Aten_UnaryOp<"log2", PromoteIntToFloat,
    (log2 $self)> {
  let summary = "Logarithm to base 2";
  let isCore = 1;
}

def Aten_LogicalNotOp : Aten_UnaryOp<"logical_not", PromoteAlwaysBool,
    (logical_not $self)> {
  let summary = "True where zero";
  let isCore = 1;
}

def Aten_NegOp : Aten_UnaryOp<"neg", PromoteDefault,
    (neg $self)> {
  let summary = "Negate";
  let aliases = ["negative"];
  let isCore = 1;
}

def Aten_ReciprocalOp : Aten_UnaryOp<"reciprocal", PromoteIntToFloat,
    (recip $self)> {
  let summary = "One over each element";
  let isCore = 1;
}

def Aten_ReluOp : Aten_UnaryOp<"relu", PromoteKeepFirst,
    (max $self, (number "0"))> {
  let summary = "The positive part";
  let isCore = 1;
}

def Aten_RoundOp : Aten_UnaryOp<"round", PromoteDefault,
    (round $self)> {
  let summary = "Round half to even";
  let isCore = 1;
}

def Aten_RsqrtOp : Aten_UnaryOp<"rsqrt", PromoteIntToFloat,
    (rsqrt $self)> {
  let summary = "One over the square root";
  let isCore = 1;
}

def Aten_SigmoidOp : Aten_UnaryOp<"sigmoid", PromoteIntToFloat,
    (sigmoid $self)> {
  let summary = "Logistic function";
  let aliases = ["special_expit"];
  let isCore = 1;
}

def Aten_SignOp : Aten_UnaryOp<"sign", PromoteDefault,
    (sign $self)> {
  let summary = "-1, 0 or 1";
  let isCore = 1;
}

def Aten_SiluOp : Aten_UnaryOp<"silu", PromoteDefault,
    (mul $self, (sigmoid $self))> {
  let summary = "x * sigmoid(x)";
  let decomposition = DecomposeBy<"decomposeSilu">;
}

def Aten_SinOp : Aten_UnaryOp<"sin", PromoteIntToFloat,
    (sin $self)> {
  let summary = "Sine";
  let isCore = 1;
}

def Aten_SinhOp : Aten_UnaryOp<"sinh", PromoteIntToFloat,
    (sinh $self)> {
  let summary = "Hyperbolic sine";
  let isCore = 1;
}

def Aten_SqrtOp : Aten_UnaryOp<"sqrt", PromoteIntToFloat,
    (sqrt $self)> {
  let summary = "Square root";
  let isCore = 1;
}

def Aten_TanOp : Aten_UnaryOp<"tan", PromoteIntToFloat,
    (tan $self)> {
  let summary = "Tangent";
  let isCore = 1;
}

def Aten_TanhOp : Aten_UnaryOp<"tanh", PromoteIntToFloat,
    (tanh $self)> {
  let summary = "Hyperbolic tangent";
  let isCore = 1;
}

def Aten_TruncOp : Aten_UnaryOp<"trunc", PromoteDefault,
    (trunc $self)> {
  let summary = "Round toward zero";
  let aliases = ["fix"];
  let isCore = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENUNARYOPS_TD
