//===- IndexingDerivatives.td - Indexing -------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_INDEXINGDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_INDEXINGDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def embedding_dense_backward : BuilderMethod;
def size : BuilderMethod;
def : VJP<Aten_EmbeddingOp, [
    Grad<"weight", (embedding_dense_backward $grad, $indices,
                       (size $weight, 0), $padding_idx,
                       $scale_grad_by_freq)>]>;
def : VJPFunction<"vjpEmbeddingBag", [Aten_EmbeddingBagOp,
                                      Aten_EmbeddingBagForwardOnlyOp]>;
def scatter_add : BuilderMethod;
def : VJP<Aten_GatherOp, [
    Grad<"self", (scatter_add (zeros_like $self), $dim, $index, $grad)>]>;
def gather : BuilderMethod;
def scatter : BuilderMethod;
def : VJP<Aten_ScatterValueOp, [
    Grad<"self", (scatter $grad, $dim, $index, 0)>]>;
def : VJP<Aten_ScatterSrcOp, [
    Grad<"self", (scatter $grad, $dim, $index, 0)>,
    Grad<"src", (gather $grad, $dim, $index)>]>;
def : VJP<Aten_ScatterAddOp, [
    Grad<"self", (identity $grad)>,
    Grad<"src", (gather $grad, $dim, $index)>]>;
def : VJPFunction<"vjpScatterReduce", [Aten_ScatterReduceTwoOp]>;
def : VJPFunction<"vjpIndex", [Aten_IndexTensorOp, Aten_UnsafeIndexTensorOp]>;
def : VJPFunction<"vjpIndexPut", [Aten_IndexPutOp, Aten_UnsafeIndexPutOp]>;
def index_add_back : GradientHelper; // into zeros of a value's sizes
def : VJP<Aten_IndexSelectOp, [
    Grad<"self", (index_add_back $grad, $self, $dim, $index)>]>;
def select_rows : GradientHelper; // by an index, in the shape of a source
def fill_rows : GradientHelper;   // with zeros, by an index
def : VJP<Aten_IndexAddOp, [
    Grad<"self", (identity $grad)>,
    Grad<"source", (scale (select_rows $grad, $dim, $index, $source),
                          $alpha)>]>;
def : VJP<Aten_IndexCopyOp, [
    Grad<"self", (fill_rows $grad, $dim, $index)>,
    Grad<"source", (select_rows $grad, $dim, $index, $source)>]>;
def : VJP<Aten_IndexFillIntScalarOp, [
    Grad<"self", (fill_rows $grad, $dim, $index)>]>;
def : VJPFunction<"vjpIndexReduce", [Aten_IndexReduceOp]>;
def : VJPFunction<"vjpMaskedScatter", [Aten_MaskedScatterOp]>;
def : VJPFunction<"vjpMaskedSelect", [Aten_MaskedSelectOp]>;
def : VJP<Aten_TakeOp, [
    Grad<"self", (call "put", (zeros_like $self), $index, $grad,
                         "b.boolean(true)")>]>;
def : VJPFunction<"vjpPut", [Aten_PutOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_INDEXINGDERIVATIVES_TD
