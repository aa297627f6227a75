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

def : VJP<Aten_MmOp, [
    Grad<"self", (mm $grad, (transpose_last $mat2))>,
    Grad<"mat2", (mm (transpose_last $self), $grad)>]>;
def : VJP<Aten_BmmOp, [
    Grad<"self", (bmm $grad, (transpose_last $mat2))>,
    Grad<"mat2", (bmm (transpose_last $self), $grad)>]>;
def : VJP<Aten_AddmmOp, [
    Grad<"self", (scale $grad, $beta)>,
    Grad<"mat1", (scale (mm $grad, (transpose_last $mat2)), $alpha)>,
    Grad<"mat2", (scale (mm (transpose_last $mat1), $grad), $alpha)>]>;
def : VJP<Aten_BaddbmmOp, [
    Grad<"self", (scale $grad, $beta)>,
    Grad<"batch1", (scale (bmm $grad, (transpose_last $batch2)), $alpha)>,
    Grad<"batch2", (scale (bmm (transpose_last $batch1), $grad), $alpha)>]>;
def expand_batch : GradientHelper; // a matrix for each of a batch
def : VJP<Aten_AddbmmOp, [
    Grad<"self", (scale $grad, $beta)>,
    Grad<"batch1", (scale (bmm (expand_batch $grad, $batch1),
                               (transpose_last $batch2)), $alpha)>,
    Grad<"batch2", (scale (bmm (transpose_last $batch1),
                               (expand_batch $grad, $batch1)), $alpha)>]>;
def : VJP<Aten_MvOp, [
    Grad<"self", (call "outer", $grad, $vec)>,
    Grad<"vec", (call "mv", (transpose_last $self), $grad)>]>;
def : VJP<Aten_AddmvOp, [
    Grad<"self", (scale $grad, $beta)>,
    Grad<"mat", (scale (call "outer", $grad, $vec), $alpha)>,
    Grad<"vec", (scale (call "mv", (transpose_last $mat), $grad), $alpha)>]>;
def : VJP<Aten_DotOp, [Grad<"self", (mul $grad, $tensor)>,
                       Grad<"tensor", (mul $grad, $self)>]>;
def : VJP<Aten_OuterOp, [
    Grad<"self", (call "mv", $grad, $vec2)>,
    Grad<"vec2", (call "mv", (transpose_last $grad), $self)>]>;
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

def : VJP<Aten_LinalgCrossOp, [
    Grad<"self", (call "linalg_cross", $other, $grad, $dim)>,
    Grad<"other", (call "linalg_cross", $grad, $self, $dim)>]>;
def : VJPFunction<"vjpCross", [Aten_CrossOp]>;
def : VJPFunction<"vjpCholesky", [Aten_LinalgCholeskyExOp]>;
def : VJPFunction<"vjpQr", [Aten_LinalgQrOp]>;
def : VJPFunction<"vjpSolveTriangular", [Aten_LinalgSolveTriangularOp]>;
def : VJPFunction<"vjpTriangularSolve", [Aten_TriangularSolveOp]>;
def : VJP<Aten_CdistForwardOp, [
    Grad<"x1", (call "_cdist_backward", (row_major $grad), $x1, $x2, $p,
         $result)>,
    Grad<"x2", (call "_cdist_backward", (row_major (transpose_last $grad)), $x2,
         $x1, $p, (row_major (transpose_last $result)))>]>;
def : VJP<Aten_PdistForwardOp, [
    Grad<"self", (call "_pdist_backward", $grad, $self, $p, $result)>]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_CONTRACTIONDERIVATIVES_TD
