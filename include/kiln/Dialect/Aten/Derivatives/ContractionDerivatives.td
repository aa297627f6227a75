//===- ContractionDerivatives.td - Contractions ------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_CONTRACTIONDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_CONTRACTIONDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

def : ComplexVJP<Aten_MmOp, [
    Grad<"self", (mm $grad, (adjoint $mat2))>,
    Grad<"mat2", (mm (adjoint $self), $grad)>]>;
def : ComplexVJP<Aten_BmmOp, [
    Grad<"self", (bmm $grad, (adjoint $mat2))>,
    Grad<"mat2", (bmm (adjoint $self), $grad)>]>;
def : ComplexVJP<Aten_AddmmOp, [
    Grad<"self", (scale $grad, (conjugate $beta))>,
    Grad<"mat1", (scale (mm $grad, (adjoint $mat2)), (conjugate $alpha))>,
    Grad<"mat2", (scale (mm (adjoint $mat1), $grad), (conjugate $alpha))>]>;
def : ComplexVJP<Aten_BaddbmmOp, [
    Grad<"self", (scale $grad, (conjugate $beta))>,
    Grad<"batch1", (scale (bmm $grad, (adjoint $batch2)), (conjugate $alpha))>,
    Grad<"batch2", (scale (bmm (adjoint $batch1), $grad), (conjugate $alpha))>]>;
// The transposed operands have the ranks that put the groups where they belong.
def : VJP<Aten_GroupedMmOp, [
    Grad<"self", (call "_grouped_mm", $grad, (transpose_last $mat2), $offs)>,
    Grad<"mat2", (call "_grouped_mm", (transpose_last $self), $grad, $offs)>]>;
def expand_batch : GradientHelper; // a matrix for each of a batch
def : ComplexVJP<Aten_AddbmmOp, [
    Grad<"self", (scale $grad, (conjugate $beta))>,
    Grad<"batch1", (scale (bmm (expand_batch $grad, $batch1),
                               (adjoint $batch2)), (conjugate $alpha))>,
    Grad<"batch2", (scale (bmm (adjoint $batch1),
                               (expand_batch $grad, $batch1)),
                          (conjugate $alpha))>]>;
def : ComplexVJP<Aten_MvOp, [
    Grad<"self", (call "outer", $grad, (conjugate $vec))>,
    Grad<"vec", (call "mv", (adjoint $self), $grad)>]>;
def : ComplexVJP<Aten_AddmvOp, [
    Grad<"self", (scale $grad, (conjugate $beta))>,
    Grad<"mat", (scale (call "outer", $grad, (conjugate $vec)), (conjugate $alpha))>,
    Grad<"vec", (scale (call "mv", (adjoint $mat), $grad), (conjugate $alpha))>]>;
def : ComplexVJP<Aten_DotOp, [Grad<"self", (mul $grad, (conjugate $tensor))>,
                              Grad<"tensor", (mul $grad, (conjugate $self))>]>;
def : ComplexVJP<Aten_OuterOp, [
    Grad<"self", (call "mv", $grad, (cast_like (conjugate $vec2), $grad))>,
    Grad<"vec2", (call "mv", (transpose_last $grad),
                       (cast_like (conjugate $self), $grad))>]>;
def : VJPFunction<"vjpBilinear", [Aten_BilinearOp]>;

//===----------------------------------------------------------------------===//
// Convolutions, attention
//===----------------------------------------------------------------------===//

def : VJPFunction<"vjpConvolution", [Aten_ConvolutionOp]>;
def : VJPFunction<"vjpConvNd", [Aten_Conv1dOp, Aten_Conv2dOp, Aten_Conv3dOp]>;
def : VJPFunction<"vjpConvTranspose", [Aten_ConvTranspose1dOp,
                                       Aten_ConvTranspose2dInputOp]>;
def : VJPFunction<"vjpFlashAttention",
                  [Aten_ScaledDotProductFlashAttentionForCpuOp]>;

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

def : ComplexVJP<Aten_LinalgCrossOp, [
    Grad<"self", (call "linalg_cross", (conjugate $other), $grad, $dim)>,
    Grad<"other", (call "linalg_cross", $grad, (conjugate $self), $dim)>]>;
def : ComplexVJPFunction<"vjpCross", [Aten_CrossOp]>;
def : ComplexVJPFunction<"vjpCholesky", [Aten_LinalgCholeskyExOp]>;
def : ComplexVJPFunction<"vjpQr", [Aten_LinalgQrOp]>;
def : ComplexVJPFunction<"vjpSolveTriangular", [Aten_LinalgSolveTriangularOp]>;
def : ComplexVJPFunction<"vjpTriangularSolve", [Aten_TriangularSolveOp]>;
def : VJP<Aten_CdistForwardOp, [
    Grad<"x1", (call "_cdist_backward", (row_major $grad), $x1, $x2, $p,
         $result)>,
    Grad<"x2", (call "_cdist_backward", (row_major (transpose_last $grad)), $x2,
         $x1, $p, (row_major (transpose_last $result)))>]>;
def : VJP<Aten_PdistForwardOp, [
    Grad<"self", (call "_pdist_backward", $grad, $self, $p, $result)>]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_CONTRACTIONDERIVATIVES_TD
