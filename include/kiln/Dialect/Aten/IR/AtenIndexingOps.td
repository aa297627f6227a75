//===- AtenIndexingOps.td - Gather and scatter -------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENINDEXINGOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENINDEXINGOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_EmbeddingOp : Aten_PureOp<
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, "
    "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor"> {
  let summary = "Rows of a table";
  let shape = "embedding";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerEmbedding">;
  let isCore = 1;
}

def Aten_EmbeddingDenseBackwardOp : Aten_PureOp<
    "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt "
    "num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor"> {
  let summary = "Gradient of the table of an embedding";
  let shape = "embeddingBackward";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeHeavy;
  let lowering = LowerBy<"lowerEmbeddingBackward">;
  let isCore = 1;
}

def Aten_GatherOp : Aten_PureOp<
    "aten::gather(Tensor self, int dim, Tensor index, *, bool "
    "sparse_grad=False) -> Tensor"> {
  let summary = "Elements at indices along a dimension";
  let shape = "gather";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerGather">;
  let isCore = 1;
}

def Aten_IndexTensorOp : Aten_CountingOp<
    "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"> {
  let summary = "Elements at indices of several dimensions";
  let description = [{
    An absent index keeps its dimension. Index tensors broadcast; their
    dimensions stand where the first of them stands if they are neighbours, else
    in front. The size of a
    result by a mask of bool depends on data: its type is given.
  }];
  let shape = "index";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerIndexTensor", [], IndexFamily>;
  let isCore = 1;
}

def Aten_IndexPutOp : Aten_PureOp<
    "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
    "accumulate=False) -> Tensor"> {
  let summary = "Replace or add at indices of several dimensions";
  let shape = "indexPut";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeHeavy;
  let lowering = LowerBy<"lowerIndexPut", [], IndexFamily>;
  let writers = ["_index_put_impl_"];
  let isCore = 1;
}

def Aten_IndexSelectOp : Aten_PureOp<
    "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor"> {
  let summary = "Indices of one dimension";
  let shape = "indexSelect";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerIndexSelect">;
  let isCore = 1;
}

def Aten_ScatterValueOp : Aten_PureOp<
    "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> "
    "Tensor"> {
  let summary = "Write a number at indices along a dimension";
  let shape = "scatter";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeHeavy;
  let lowering = LowerScatter<"lowerScatter">;
  let isCore = 1;
}

def Aten_ScatterSrcOp : Aten_PureOp<
    "aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> "
    "Tensor"> {
  let summary = "Write elements at indices along a dimension";
  let shape = "scatter";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeHeavy;
  let lowering = LowerScatter<"lowerScatter">;
  let isCore = 1;
}

def Aten_ScatterAddOp : Aten_PureOp<
    "aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> "
    "Tensor"> {
  let summary = "Add elements at indices along a dimension";
  let shape = "scatter";
  let promotion = PromoteKeepFirst;
  let recompute = RecomputeHeavy;
  let lowering = LowerScatter<"lowerScatterAdd">;
  let isCore = 1;
}

def Aten_EmbeddingBagOp : Aten_CountingOp<
    "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
    "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
    "per_sample_weights=None, bool include_last_offset=False, int "
    "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"> {
  let summary = "Sums of rows by bags";
  let description = [{
    The shapes of results 1 to 3, which the gradient needs, are what the program
    has recorded.
  }];
  let modes = (ins Aten_BagMode:$mode);
  let shape = "embeddingBag";
  let promotion = PromoteKeepFirst;
  let promotes = ["weight"];
  let lowering = LowerBy<"lowerEmbeddingBag", [], BagFamily>;
}

def Aten_EmbeddingBagForwardOnlyOp : Aten_CountingOp<
    "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor "
    "offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
    "Tensor? per_sample_weights=None, bool include_last_offset=False, int "
    "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"> {
  let summary = "Sums of rows by bags";
  let description = [{
    The shapes of results 1 to 3, which the gradient needs, are what the program
    has recorded.
  }];
  let modes = (ins Aten_BagMode:$mode);
  let shape = "embeddingBag";
  let promotion = PromoteKeepFirst;
  let promotes = ["weight"];
  let lowering = LowerBy<"lowerEmbeddingBagForwardOnly", [], BagFamily>;
}

def Aten_EmbeddingBagPerSampleWeightsBackwardOp : Aten_PureOp<
    "aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor "
    "weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, int "
    "padding_idx=-1) -> Tensor"> {
  let summary = "Gradient of the weights of an embedding bag";
  let modes = (ins Aten_BagMode:$mode);
  let shape = "bagWeightsBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerEmbeddingBagWeightsBackward", [], BagFamily>;
}

def Aten_UnsafeIndexTensorOp : Aten_CountingOp<
    "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"> {
  let summary = "Elements at indices that need no check";
  let shape = "index";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerBy<"lowerUnsafeIndex", [], IndexFamily>;
}

def Aten_UnsafeIndexPutOp : Aten_PureOp<
    "aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, "
    "bool accumulate=False) -> Tensor"> {
  let summary = "Write elements at indices that need no check";
  let shape = "indexPut";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerBy<"lowerIndexPut", [], IndexFamily>;
}

def Aten_IndexAddOp : Aten_PureOp<
    "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, "
    "Scalar alpha=1) -> Tensor"> {
  let summary = "Add slices at indices";
  let shape = "indexWrite";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerScatter<"lowerIndexAdd">;
}

def Aten_IndexCopyOp : Aten_PureOp<
    "aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> "
    "Tensor"> {
  let summary = "Write slices at indices";
  let shape = "indexWrite";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerScatter<"lowerIndexCopy">;
}

def Aten_IndexFillIntScalarOp : Aten_PureOp<
    "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar "
    "value) -> Tensor"> {
  let summary = "Write a number to slices at indices";
  let shape = "indexFill";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerScatter<"lowerIndexFill">;
}

def Aten_IndexReduceOp : Aten_PureOp<
    "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str "
    "reduce, *, bool include_self=True) -> Tensor"> {
  let summary = "Combine slices at indices";
  let modes = (ins Aten_Words<["prod", "mean", "amax", "amin"]>:$reduce);
  let shape = "indexWrite";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerScatter<"lowerIndexReduce">;
}

def Aten_MaskedScatterOp : Aten_PureOp<
    "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor"> {
  let summary = "Write elements where a mask is true";
  let shape = "maskedScatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerBy<"lowerMaskedScatter">;
}

def Aten_PutOp : Aten_PureOp<
    "aten::put(Tensor self, Tensor index, Tensor source, bool "
    "accumulate=False) -> Tensor"> {
  let summary = "Write elements at flat indices";
  let shape = "put";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerBy<"lowerPut">;
}

def Aten_ScatterReduceOp : Aten_PureOp<
    "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, "
    "str reduce) -> Tensor"> {
  let summary = "Combine elements at indices along a dimension";
  let modes = (ins Aten_Words<["add", "multiply"]>:$reduce);
  let shape = "scatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerScatter<"lowerScatterReduce">;
}

def Aten_ScatterReduceTwoOp : Aten_PureOp<
    "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, "
    "str reduce, *, bool include_self=True) -> Tensor"> {
  let summary = "Combine elements at indices along a dimension";
  let modes = (ins Aten_Words<["sum", "prod", "mean", "amax", "amin"]>:$reduce);
  let shape = "scatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerScatter<"lowerScatterReduce">;
}

def Aten_TakeOp : Aten_PureOp<
    "aten::take(Tensor self, Tensor index) -> Tensor"> {
  let summary = "Elements at flat indices";
  let shape = "take";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let lowering = LowerBy<"lowerTake">;
}

def Aten_TakeAlongDimOp : Aten_PureOp<
    "aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> "
    "Tensor"> {
  let summary = "Elements at indices along a dimension, with broadcasting";
  let shape = "takeAlongDim";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[(take_along $self, $indices, $dim)]>;
}

def Aten_OneHotOp : Aten_CountingOp<
    "aten::one_hot(Tensor self, int num_classes=-1) -> Tensor"> {
  let summary = "Indices as vectors with one 1";
  let shape = "oneHot";
  let promotion = PromoteAlwaysI64;
  let decomposition = DecomposeBy<"decomposeOneHot">;
  let lowering = LowerBy<"lowerOneHot">;
}

#endif // KILN_DIALECT_ATEN_IR_ATENINDEXINGOPS_TD
