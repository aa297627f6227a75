//===- AtenLinalgOps.td - Distances, factors, transforms ---*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENLINALGOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENLINALGOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_CdistForwardOp : Aten_PureOp<
    "aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> "
    "Tensor"> {
  let summary = "Distances of all pairs of rows";
  let modes = (ins Aten_Words<["use_mm_for_euclid_dist_if_necessary",
                               "use_mm_for_euclid_dist",
                               "donot_use_mm_for_euclid_dist"]>:$compute_mode);
  let shape = "cdist";
  let promotion = PromoteSameDType;
  let lowering = LowerBy<"lowerCdist">;
}

def Aten_CdistBackwardOp : Aten_PureOp<
    "aten::_cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, "
    "Tensor cdist) -> Tensor"> {
  let summary = "Gradient of the distances of all pairs of rows";
  let shape = "cdistBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerCdistBackward">;
}

def Aten_PdistForwardOp : Aten_PureOp<
    "aten::_pdist_forward(Tensor self, float p=2.) -> Tensor"> {
  let summary = "Distances of pairs of rows of one matrix";
  let shape = "pdist";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerPdist">;
}

def Aten_PdistBackwardOp : Aten_PureOp<
    "aten::_pdist_backward(Tensor grad_output, Tensor self, float p, Tensor "
    "pdist) -> Tensor"> {
  let summary = "Gradient of the distances of pairs of rows";
  let shape = "pdistBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerPdistBackward">;
}

def Aten_CosineSimilarityOp : Aten_PureOp<
    "aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) "
    "-> Tensor"> {
  let summary = "Cosine of the angle along a dimension";
  let shape = "pairwise";
  let promotion = PromoteIntToFloat;
  let recompute = RecomputeReduction;
  let decomposition = Decompose<[(cosine_similarity $x1, $x2, $dim, $eps)]>;
}

def Aten_PairwiseDistanceOp : Aten_PureOp<
    "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float "
    "eps=9.9999999999999995e-07, bool keepdim=False) -> Tensor"> {
  let summary = "Distance along the last dimension";
  let shape = "pairwise";
  let promotion = PromoteIntToFloat;
  let decomposition = Decompose<[
      (pairwise_distance $x1, $x2, $p, $eps, $keepdim)]>;
}

def Aten_CrossOp : Aten_PureOp<
    "aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor"> {
  let summary = "Cross product";
  let shape = "cross";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[
      (cross_product $self, $other, $dim, $result)]>;
}

def Aten_LinalgCrossOp : Aten_PureOp<
    "aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor"> {
  let summary = "Cross product";
  let shape = "cross";
  let promotion = PromoteDefault;
  let decomposition = DecomposeWide<[
      (cross_product $self, $other, $dim, $result)]>;
}

def Aten_LinalgCholeskyExOp : Aten_PureOp<
    "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool "
    "check_errors=False) -> (Tensor L, Tensor info)"> {
  let summary = "Cholesky factor, and whether it exists";
  let shape = "cholesky";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerCholesky">;
}

def Aten_LinalgQrOp : Aten_PureOp<
    "aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)"> {
  let summary = "Orthogonal and triangular factor";
  let modes = (ins Aten_Words<["reduced", "complete", "r"]>:$mode);
  let shape = "qr";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerQr">;
}

def Aten_LinalgSolveTriangularOp : Aten_PureOp<
    "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool "
    "left=True, bool unitriangular=False) -> Tensor"> {
  let summary = "Solution of triangular systems";
  let shape = "solveTriangular";
  let promotion = PromoteSameDType;
  let lowering = LowerBy<"lowerSolveTriangular", [], SystemFamily>;
}

def Aten_TriangularSolveOp : Aten_PureOp<
    "aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool "
    "transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor "
    "cloned_coefficient)"> {
  let summary = "Solution of triangular systems, and the matrices";
  let shape = "triangularSolve";
  let promotion = PromoteSameDType;
  let lowering = LowerBy<"lowerTriangularSolve", [], SystemFamily>;
}

def Aten_FftC2cOp : Aten_PureOp<
    "aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool "
    "forward) -> Tensor"> {
  let summary = "Discrete Fourier transform of complex numbers";
  let shape = "fft(Spectrum::OfComplex)";
  let promotion = PromoteNone;
}

def Aten_FftC2rOp : Aten_PureOp<
    "aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt "
    "last_dim_size) -> Tensor"> {
  let summary = "Inverse Fourier transform to reals";
  let shape = "fft(Spectrum::ToReals)";
  let promotion = PromoteNone;
}

def Aten_FftR2cOp : Aten_PureOp<
    "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) "
    "-> Tensor"> {
  let summary = "Discrete Fourier transform of reals";
  let shape = "fft(Spectrum::OfReals)";
  let promotion = PromoteNone;
}

#endif // KILN_DIALECT_ATEN_IR_ATENLINALGOPS_TD
