//===- AtenCompositeLinalgOps.td - Composite linear algebra -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITELINALGOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITELINALGOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_TensordotOp : Aten_CompositeOp<"tensordot",
    "aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] "
    "dims_other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other, Aten_Ints:$dims_self,
         Aten_Ints:$dims_other),
    (outs Aten_Tensor:$result), "decomposeTensordot"> {
  let summary = "Sums of products over dimensions of two tensors";
}

def Aten_InnerOp : Aten_CompositeOp<"inner",
    "aten::inner(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeInner"> {
  let summary = "Sums of products over the last dimensions";
}

def Aten_KronOp : Aten_CompositeOp<"kron",
    "aten::kron(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeKron"> {
  let summary = "Every element of one times all of another";
}

def Aten_VdotOp : Aten_CompositeOp<"vdot",
    "aten::vdot(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeVdot"> {
  let summary = "Dot product with the conjugate";
}

def Aten_LinalgVecdotOp : Aten_CompositeOp<"linalg_vecdot",
    "aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
    (ins Aten_Tensor:$x, Aten_Tensor:$y, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeLinalgVecdot"> {
  let summary = "Dot products along a dimension";
}

def Aten_AddrOp : Aten_CompositeOp<"addr",
    "aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, "
    "Scalar alpha=1) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$vec1, Aten_Tensor:$vec2,
         Optional<Aten_Number>:$beta, Optional<Aten_Number>:$alpha),
    (outs Aten_Tensor:$result), "decomposeAddr"> {
  let summary = "beta * self + alpha * vec1 outer vec2";
}

def Aten_ChainMatmulOp : Aten_CompositeOp<"chain_matmul",
    "aten::chain_matmul(Tensor[] matrices) -> Tensor",
    (ins Variadic<Aten_Tensor>:$matrices),
    (outs Aten_Tensor:$result), "decomposeChainMatmul"> {
  let summary = "Product of matrices";
}

def Aten_LinalgMultiDotOp : Aten_CompositeOp<"linalg_multi_dot",
    "aten::linalg_multi_dot(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result), "decomposeLinalgMultiDot"> {
  let summary = "Product of matrices";
}

def Aten_LinalgMatrixPowerOp : Aten_CompositeOp<"linalg_matrix_power",
    "aten::linalg_matrix_power(Tensor self, int n) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$n),
    (outs Aten_Tensor:$result), "decomposeLinalgMatrixPower"> {
  let summary = "Power of square matrices";
}

def Aten_FrobeniusNormDimOp : Aten_CompositeOp<"frobenius_norm.dim",
    "aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$dim, Aten_Bool:$keepdim),
    (outs Aten_Tensor:$result), "decomposeFrobeniusNormDim"> {
  let summary = "Root of the sum of squares over dimensions";
  let writers = ["frobenius_norm.out"];
}

def Aten_NormScalarOptDimDtypeOp : Aten_CompositeOp<"norm.ScalarOpt_dim_dtype",
    "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool "
    "keepdim, *, ScalarType dtype) -> Tensor",
    (ins Aten_Tensor:$self, Optional<Aten_Number>:$p, Aten_Ints:$dim,
         Aten_Bool:$keepdim, Aten_DType:$dtype),
    (outs Aten_Tensor:$result), "decomposeNormScalarOptDimDtype"> {
  let summary = "Norm over dimensions, in an element type";
  let writers = ["norm.dtype_out"];
}

def Aten_NormScalarOptDtypeOp : Aten_CompositeOp<"norm.ScalarOpt_dtype",
    "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) "
    "-> Tensor",
    (ins Aten_Tensor:$self, Optional<Aten_Number>:$p, Aten_DType:$dtype),
    (outs Aten_Tensor:$result), "decomposeNormScalarOptDtype"> {
  let summary = "Norm of all elements, in an element type";
}

def Aten_LinalgNormOp : Aten_CompositeOp<"linalg_norm",
    "aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool "
    "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    (ins Aten_Tensor:$self, Optional<Aten_Number>:$ord,
         OptionalAttr<Aten_Ints>:$dim, Aten_Bool:$keepdim,
         OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result), "decomposeLinalgNorm"> {
  let summary = "Norm of vectors or matrices";
}

def Aten_LinalgNormOrdStrOp : Aten_CompositeOp<"linalg_norm.ord_str",
    "aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool "
    "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Str:$ord, OptionalAttr<Aten_Ints>:$dim,
         Aten_Bool:$keepdim, OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result), "decomposeLinalgNormOrdStr"> {
  let summary = "Norm of matrices by name";
}

def Aten_LinalgMatrixNormOp : Aten_CompositeOp<"linalg_matrix_norm",
    "aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], "
    "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Number:$ord, Aten_Ints:$dim,
         Aten_Bool:$keepdim, OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result), "decomposeLinalgMatrixNorm"> {
  let summary = "Norm of matrices";
}

def Aten_LinalgMatrixNormStrOrdOp
    : Aten_CompositeOp<"linalg_matrix_norm.str_ord",
    "aten::linalg_matrix_norm.str_ord(Tensor self, str ord=\"fro\", int[] "
    "dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Str:$ord, Aten_Ints:$dim, Aten_Bool:$keepdim,
         OptionalAttr<Aten_DType>:$dtype),
    (outs Aten_Tensor:$result), "decomposeLinalgMatrixNormStrOrd"> {
  let summary = "Norm of matrices by name";
}

def Aten_NormExceptDimOp : Aten_CompositeOp<"norm_except_dim",
    "aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
    (ins Aten_Tensor:$v, Aten_Int:$pow, Aten_Int:$dim),
    (outs Aten_Tensor:$result), "decomposeNormExceptDim"> {
  let summary = "Norms of the slices along a dimension";
}

def Aten_LinalgCholeskyOp : Aten_CompositeOp<"linalg_cholesky",
    "aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Bool:$upper),
    (outs Aten_Tensor:$result), "decomposeLinalgCholesky"> {
  let summary = "Lower triangle whose square is the matrix";
}

def Aten_CholeskyOp : Aten_CompositeOp<"cholesky",
    "aten::cholesky(Tensor self, bool upper=False) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Bool:$upper),
    (outs Aten_Tensor:$result), "decomposeCholesky"> {
  let summary = "Triangle whose square is the matrix";
}

def Aten_CholeskySolveOp : Aten_CompositeOp<"cholesky_solve",
    "aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$input2, Aten_Bool:$upper),
    (outs Aten_Tensor:$result), "decomposeCholeskySolve"> {
  let summary = "Solve a system by a Cholesky factor";
}

def Aten_CholeskyInverseOp : Aten_CompositeOp<"cholesky_inverse",
    "aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Bool:$upper),
    (outs Aten_Tensor:$result), "decomposeCholeskyInverse"> {
  let summary = "Inverse by a Cholesky factor";
}

def Aten_InverseOp : Aten_CompositeOp<"inverse",
    "aten::inverse(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeInverse"> {
  let summary = "Inverse of matrices";
}

def Aten_LinalgInvOp : Aten_CompositeOp<"linalg_inv",
    "aten::linalg_inv(Tensor A) -> Tensor",
    (ins Aten_Tensor:$A),
    (outs Aten_Tensor:$result), "decomposeLinalgInv"> {
  let summary = "Inverse of matrices";
}

def Aten_LinalgInvExOp : Aten_CompositeOp<"linalg_inv_ex",
    "aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor "
    "inverse, Tensor info)",
    (ins Aten_Tensor:$A, Aten_Bool:$check_errors),
    (outs Aten_Tensor:$inverse, Aten_Tensor:$result1), "decomposeLinalgInvEx"> {
  let summary = "Inverse of matrices, and where there is none";
}

def Aten_LinalgSolveOp : Aten_CompositeOp<"linalg_solve",
    "aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
    (ins Aten_Tensor:$A, Aten_Tensor:$B, Aten_Bool:$left),
    (outs Aten_Tensor:$result), "decomposeLinalgSolve"> {
  let summary = "Solve linear systems";
}

def Aten_LinalgSolveExOp : Aten_CompositeOp<"linalg_solve_ex",
    "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
    "check_errors=False) -> (Tensor result, Tensor info)",
    (ins Aten_Tensor:$A, Aten_Tensor:$B, Aten_Bool:$left,
         Aten_Bool:$check_errors),
    (outs Aten_Tensor:$result, Aten_Tensor:$result1),
    "decomposeLinalgSolveEx"> {
  let summary = "Solve linear systems, and where that fails";
}

def Aten_DetOp : Aten_CompositeOp<"det",
    "aten::det(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeDet"> {
  let summary = "Determinant";
}

def Aten_LinalgDetOp : Aten_CompositeOp<"linalg_det",
    "aten::linalg_det(Tensor A) -> Tensor",
    (ins Aten_Tensor:$A),
    (outs Aten_Tensor:$result), "decomposeLinalgDet"> {
  let summary = "Determinant";
}

def Aten_LinalgDetFactorsOp : Aten_CompositeOp<"_linalg_det",
    "aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
    (ins Aten_Tensor:$A),
    (outs Aten_Tensor:$result, Aten_Tensor:$LU, Aten_Tensor:$pivots),
    "decomposeLinalgDetFactors"> {
  let summary = "Determinant, and factors that nobody may read";
}

def Aten_SlogdetOp : Aten_CompositeOp<"slogdet",
    "aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$sign, Aten_Tensor:$logabsdet), "decomposeSlogdet"> {
  let summary = "Sign and logarithm of the determinant";
}

def Aten_LinalgSlogdetOp : Aten_CompositeOp<"linalg_slogdet",
    "aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
    (ins Aten_Tensor:$A),
    (outs Aten_Tensor:$sign, Aten_Tensor:$logabsdet),
    "decomposeLinalgSlogdet"> {
  let summary = "Sign and logarithm of the determinant";
}

def Aten_LinalgSlogdetFactorsOp : Aten_CompositeOp<"_linalg_slogdet",
    "aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, "
    "Tensor LU, Tensor pivots)",
    (ins Aten_Tensor:$A),
    (outs Aten_Tensor:$sign, Aten_Tensor:$logabsdet, Aten_Tensor:$LU,
          Aten_Tensor:$pivots), "decomposeLinalgSlogdetFactors"> {
  let summary = "Sign and logarithm of the determinant, and factors that nobody may read";
}

def Aten_LogdetOp : Aten_CompositeOp<"logdet",
    "aten::logdet(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeLogdet"> {
  let summary = "Logarithm of the determinant";
}

def Aten_LinalgSolveFactorsOp : Aten_CompositeOp<"_linalg_solve_ex",
    "aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
    "check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor "
    "info)",
    (ins Aten_Tensor:$A, Aten_Tensor:$B, Aten_Bool:$left,
         Aten_Bool:$check_errors),
    (outs Aten_Tensor:$result, Aten_Tensor:$LU, Aten_Tensor:$pivots,
          Aten_Tensor:$result3), "decomposeLinalgSolveFactors"> {
  let summary = "Solve linear systems; factors that nobody may read";
}

def Aten_LinalgCheckErrorsOp : Aten_ActingCompositeOp<"_linalg_check_errors",
    "aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) "
    "-> ()",
    (ins Aten_Tensor:$info_, Aten_Str:$api_name, Aten_Bool:$is_matrix),
    (outs), "decomposeLinalgCheckErrors"> {
  let summary = "End with an error where a factorization failed";
}

def Aten_VanderOp : Aten_CompositeOp<"vander",
    "aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
    (ins Aten_Tensor:$x, OptionalAttr<Aten_Int>:$N, Aten_Bool:$increasing),
    (outs Aten_Tensor:$result), "decomposeVander"> {
  let summary = "Powers of elements in columns";
}

def Aten_LinalgVanderOp : Aten_CompositeOp<"linalg_vander",
    "aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor",
    (ins Aten_Tensor:$x, OptionalAttr<Aten_SymInt>:$N),
    (outs Aten_Tensor:$result), "decomposeLinalgVander"> {
  let summary = "Powers of elements in columns, rising";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITELINALGOPS_TD
