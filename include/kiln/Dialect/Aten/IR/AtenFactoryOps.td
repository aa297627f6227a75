//===- AtenFactoryOps.td - Tensors made from nothing -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENFACTORYOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENFACTORYOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def TriangleFamily : OpFamily<"TriangleArgs", "The elements of a triangle.",
    ["row", "col", "offset"]>;

def Aten_ZerosOp : Aten_PureOp<
    "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "All zeros";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeFilled", ["0"], AnyOp>;
}

def Aten_OnesOp : Aten_PureOp<
    "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "All ones";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeFilled", ["1"], AnyOp>;
}

def Aten_EmptyMemoryFormatOp : Aten_PureOp<
    "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
    "MemoryFormat? memory_format=None) -> Tensor"> {
  let summary = "Uninitialized";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let lowering = LowerBy<"lowerEmpty", [], AnyOp>;
  let writers = ["empty.out"];
  let isCore = 1;
}

def Aten_EmptyPermutedOp : Aten_PureOp<
    "aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Uninitialized, in a layout";
  let shape = "emptyPermuted";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeEmpty", [], AnyOp>;
}

def Aten_RandOp : Aten_RandomOp<
    "aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Uniform random numbers in [0, 1)";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let lowering = LowerDraw<"lowerRand">;
  let isCore = 1;
}

def Aten_RandnOp : Aten_RandomOp<
    "aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Normal random numbers";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let lowering = LowerDraw<"lowerRandn">;
  let isCore = 1;
}

def Aten_FullOp : Aten_PureOp<
    "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "All elements one number";
  let shape = "fromSize";
  let promotion = PromoteFromScalar;
  let promotes = ["fill_value"];
  let lowering = LowerBy<"lowerFull">;
  let isCore = 1;
}

def Aten_ZerosLikeOp : Aten_PureOp<
    "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
    "memory_format=None) -> Tensor"> {
  let summary = "All zeros, in the shape of a tensor";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeFilled", ["0"], AnyOp>;
}

def Aten_OnesLikeOp : Aten_PureOp<
    "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
    "memory_format=None) -> Tensor"> {
  let summary = "All ones, in the shape of a tensor";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeFilled", ["1"], AnyOp>;
}

def Aten_EmptyLikeOp : Aten_PureOp<
    "aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
    "memory_format=None) -> Tensor"> {
  let summary = "Uninitialized, in the shape of a tensor";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeEmpty", [], AnyOp>;
}

def Aten_FullLikeOp : Aten_PureOp<
    "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"> {
  let summary = "All elements one number, in the shape of a tensor";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let body = (copy_of $fill_value);
  let isCore = 1;
}

def Aten_RandLikeOp : Aten_RandomOp<
    "aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
    "memory_format=None) -> Tensor"> {
  let summary = "Uniform random numbers, in the shape of a tensor";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeRandLike">;
}

def Aten_RandnLikeOp : Aten_RandomOp<
    "aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
    "memory_format=None) -> Tensor"> {
  let summary = "Normal random numbers, in the shape of a tensor";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeRandnLike">;
}

def Aten_NewZerosOp : Aten_PureOp<
    "aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "All zeros, in the type of a tensor";
  let shape = "fromSize";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeFilled", ["0"], AnyOp>;
}

def Aten_NewOnesOp : Aten_PureOp<
    "aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "All ones, in the type of a tensor";
  let shape = "fromSize";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeFilled", ["1"], AnyOp>;
}

def Aten_NewFullOp : Aten_PureOp<
    "aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "All elements one number, in the type of a tensor";
  let shape = "fromSize";
  let promotion = PromoteLike;
  let decomposition = DecomposeBy<"decomposeNewFull">;
}

def Aten_ScalarTensorOp : Aten_PureOp<
    "aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "A tensor without dimensions of a number";
  let shape = "scalarTensor";
  let promotion = PromoteDefaultFloat;
  let lowering = LowerBy<"lowerScalarTensor">;
  let isCore = 1;
}

def Aten_ArangeOp : Aten_PureOp<
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Numbers from 0";
  let shape = "arange";
  let promotion = PromoteFromScalarI64;
  let promotes = ["end"];
  let decomposition = DecomposeBy<"decomposeArange">;
}

def Aten_ArangeStartOp : Aten_PureOp<
    "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "Numbers from a start";
  let shape = "arange";
  let promotion = PromoteFromScalarI64;
  let promotes = ["start", "end"];
  let decomposition = DecomposeBy<"decomposeArangeStart">;
}

def Aten_ArangeStartStepOp : Aten_PureOp<
    "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Numbers from a start with a step";
  let shape = "arange";
  let promotion = PromoteFromScalarI64;
  let promotes = ["start", "end", "step"];
  let lowering = LowerBy<"lowerArange">;
  let writers = ["arange.start_out"];
  let isCore = 1;
}

def Aten_LinspaceOp : Aten_PureOp<
    "aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Evenly spaced numbers";
  let shape = "linspace";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeLinspace">;
}

def Aten_EyeOp : Aten_PureOp<
    "aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "The identity matrix";
  let shape = "eye";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeEye">;
  let isCore = 1;
}

def Aten_EmptyStridedOp : Aten_PureOp<
    "aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Tensor of any contents with given strides";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let decomposition = Decompose<[(uninitialized $result)]>;
}

def Aten_NewEmptyOp : Aten_PureOp<
    "aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
    "Tensor"> {
  let summary = "Tensor of any contents of the type of self";
  let shape = "fromSize";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let decomposition = Decompose<[(uninitialized $result)]>;
}

def Aten_NewEmptyStridedOp : Aten_PureOp<
    "aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Tensor of any contents with given strides, typed as self";
  let shape = "fromSize";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let decomposition = Decompose<[(uninitialized $result)]>;
}

def Aten_LogspaceOp : Aten_PureOp<
    "aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, "
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor"> {
  let summary = "Powers of a base at equal steps";
  let shape = "linspace";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeLogspace">;
}

def Aten_RandintOp : Aten_RandomOp<
    "aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Random whole numbers below high";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let lowering = LowerDraw<"lowerRandint">;
}

def Aten_RandintLowOp : Aten_RandomOp<
    "aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? "
    "dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
    "-> Tensor"> {
  let summary = "Random whole numbers from low up to high";
  let shape = "fromSize";
  let promotion = PromoteDefaultFloat;
  let lowering = LowerDraw<"lowerRandint">;
}

def Aten_RandintLikeOp : Aten_RandomOp<
    "aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
    "MemoryFormat? memory_format=None) -> Tensor"> {
  let summary = "Random whole numbers in the shape of self";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let lowering = LowerDraw<"lowerRandint">;
}

def Aten_RandpermOp : Aten_RandomOp<
    "aten::randperm(SymInt n, *, ScalarType? dtype=4, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor"> {
  let summary = "Random permutation";
  let shape = "randperm";
  let promotion = PromoteDefaultFloat;
  let recompute = RecomputeHeavy;
  let lowering = LowerBy<"lowerRandperm">;
}

def Aten_TrilIndicesOp : Aten_PureOp<
    "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? "
    "dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
    "-> Tensor"> {
  let summary = "Indices of the lower triangle";
  let shape = "lowerIndices";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeTriangleIndices", ["false"], TriangleFamily>;
}

def Aten_TriuIndicesOp : Aten_PureOp<
    "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? "
    "dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
    "-> Tensor"> {
  let summary = "Indices of the upper triangle";
  let shape = "upperIndices";
  let promotion = PromoteDefaultFloat;
  let decomposition = DecomposeBy<"decomposeTriangleIndices", ["true"], TriangleFamily>;
}

def Aten_BernoulliOp : Aten_RandomOp<
    "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor"> {
  let summary = "Random zeros and ones by probabilities";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let lowering = LowerDraw<"lowerBernoulli">;
}

def Aten_BernoulliPOp : Aten_RandomOp<
    "aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> "
    "Tensor"> {
  let summary = "Random zeros and ones by one probability";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let lowering = LowerDraw<"lowerBernoulliNumber">;
  let writers = ["bernoulli.float_out", "bernoulli_.float"];
}

def Aten_BernoulliTensorOp : Aten_RandomOp<
    "aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? "
    "generator=None) -> Tensor"> {
  let summary = "Random zeros and ones by a tensor of probabilities";
  let shape = "expandsToFirst";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerBernoulliTensor">;
}

def Aten_ExponentialOp : Aten_RandomOp<
    "aten::exponential(Tensor self, float lambd=1., *, Generator? "
    "generator=None) -> Tensor"> {
  let summary = "Exponential random numbers in the shape of self";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let lowering = LowerDraw<"lowerExponential">;
}

def Aten_MultinomialOp : Aten_RandomOp<
    "aten::multinomial(Tensor self, SymInt num_samples, bool "
    "replacement=False, *, Generator? generator=None) -> Tensor"> {
  let summary = "Random indices by weights";
  let shape = "multinomial";
  let promotion = PromoteAlwaysI64;
  let recompute = RecomputeHeavy;
  let lowering = LowerBy<"lowerMultinomial">;
}

def Aten_NormalFunctionalOp : Aten_RandomOp<
    "aten::normal_functional(Tensor self, float mean=0., float std=1., *, "
    "Generator? generator=None) -> Tensor"> {
  let summary = "Normal random numbers in the shape of self";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let lowering = LowerDraw<"lowerNormal">;
  let writers = ["normal.out", "normal_"];
}

def Aten_UniformOp : Aten_RandomOp<
    "aten::uniform(Tensor self, float from=0., float to=1., *, Generator? "
    "generator=None) -> Tensor"> {
  let summary = "Uniform random numbers in the shape of self";
  let shape = "sameAsFirst";
  let promotion = PromoteKeepFirst;
  let lowering = LowerDraw<"lowerUniform">;
}

#endif // KILN_DIALECT_ATEN_IR_ATENFACTORYOPS_TD
