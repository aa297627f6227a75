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
def dim_of : BuilderMethod;
def : VJP<Aten_EmbeddingOp, [
    Grad<"weight", (embedding_dense_backward $grad, $indices,
                       (dim_of $weight, 0), $padding_idx,
                       $scale_grad_by_freq)>]>;
def : VJPFunction<"vjpEmbeddingBag", [Aten_EmbeddingBagOp,
                                      Aten_EmbeddingBagForwardOnlyOp]>;
def gather_back : GradientHelper; // into zeros of a value's sizes
def : ComplexVJP<Aten_GatherOp, [
    Grad<"self", (gather_back $grad, $self, $dim, $index)>]>;
def gather : BuilderMethod;
def scatter_value : BuilderMethod;
def : ComplexVJP<Aten_ScatterValueOp, [
    Grad<"self", (scatter_value $grad, $dim, $index, 0)>]>;
def : ComplexVJP<Aten_ScatterSrcOp, [
    Grad<"self", (scatter_value $grad, $dim, $index, 0)>,
    Grad<"src", (gather $grad, $dim, $index)>]>;
def : ComplexVJP<Aten_ScatterAddOp, [
    Grad<"self", (identity $grad)>,
    Grad<"src", (gather $grad, $dim, $index)>]>;
def : VJPFunction<"vjpScatterReduce", [Aten_ScatterReduceTwoOp]>;
def : ComplexVJPFunction<"vjpIndex", [
    Aten_IndexTensorOp, Aten_UnsafeIndexTensorOp]>;
def : ComplexVJPFunction<"vjpIndexPut", [
    Aten_IndexPutOp, Aten_UnsafeIndexPutOp]>;
def index_add_back : GradientHelper; // into zeros of a value's sizes
def : ComplexVJP<Aten_IndexSelectOp, [
    Grad<"self", (index_add_back $grad, $self, $dim, $index)>]>;
def select_rows : GradientHelper; // by an index, in the shape of a source
def fill_rows : GradientHelper;   // with zeros, by an index
def : ComplexVJP<Aten_IndexAddOp, [
    Grad<"self", (identity $grad)>,
    Grad<"source", (scale (select_rows $grad, $dim, $index, $source),
                          (conjugate $alpha))>]>;
def : ComplexVJP<Aten_IndexCopyOp, [
    Grad<"self", (fill_rows $grad, $dim, $index)>,
    Grad<"source", (select_rows $grad, $dim, $index, $source)>]>;
def : ComplexVJP<Aten_IndexFillIntScalarOp, [
    Grad<"self", (fill_rows $grad, $dim, $index)>]>;
def : VJPFunction<"vjpIndexReduce", [Aten_IndexReduceOp]>;
def : ComplexVJPFunction<"vjpMaskedScatter", [Aten_MaskedScatterOp]>;
def : ComplexVJPFunction<"vjpMaskedSelect", [Aten_MaskedSelectOp]>;
def : ComplexVJP<Aten_TakeOp, [
    Grad<"self", (call "put", (filled $self, 0), $index, $grad,
                         "true")>]>;
def : ComplexVJPFunction<"vjpPut", [Aten_PutOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_INDEXINGDERIVATIVES_TD
