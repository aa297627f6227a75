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

def CholeskyFamily : OpFamily<"CholeskyArgs", "Matrices to factor.", ["self", "upper"]>;
def MatrixFamily : OpFamily<"MatrixArgs", "Matrices, by one name or the other.",
    ["self", "A"]>;
class DecomposeMatrix<string name> : DecomposeBy<name, [], MatrixFamily>;
def NormFamily : OpFamily<"NormArgs", "A norm by an order, all without `dim`.",
    ["self", "p", "dim?", "keepdim", "dtype"]>;
def ChainFamily : OpFamily<"ChainArgs", "A product of many, by one name or the other.",
    ["matrices", "tensors"]>;
def DecomposeChain : DecomposeBy<"decomposeChain", [], ChainFamily>;

def Aten_TensordotOp : Aten_CompositeOp<
    "aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] "
    "dims_other) -> Tensor"> {
  let summary = "Sums of products over dimensions of two tensors";
  let decomposition = Decompose<[(tensor_dot $self, $other, $dims_self, $dims_other)]>;
}

def Aten_InnerOp : Aten_CompositeOp<
    "aten::inner(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Sums of products over the last dimensions";
  let decomposition = Decompose<[(inner $self, $other)]>;
}

def Aten_KronOp : Aten_CompositeOp<
    "aten::kron(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Every element of one times all of another";
  let decomposition = Decompose<[(kronecker $self, $other)]>;
}

def Aten_VdotOp : Aten_CompositeOp<
    "aten::vdot(Tensor self, Tensor other) -> Tensor"> {
  let summary = "Dot product with the conjugate";
  let decomposition = Decompose<[(call "dot", (conjugate $self), $other)]>;
}

def Aten_LinalgVecdotOp : Aten_CompositeOp<
    "aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
    "decomposeLinalgVecdot"> {
  let summary = "Dot products along a dimension";
}

def Aten_AddrOp : Aten_CompositeOp<
    "aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, "
    "Scalar alpha=1) -> Tensor", "decomposeAddr"> {
  let summary = "beta * self + alpha * vec1 outer vec2";
}

def Aten_ChainMatmulOp : Aten_CompositeOp<
    "aten::chain_matmul(Tensor[] matrices) -> Tensor"> {
  let summary = "Product of matrices";
  let decomposition = DecomposeChain;
}

def Aten_LinalgMultiDotOp : Aten_CompositeOp<
    "aten::linalg_multi_dot(Tensor[] tensors) -> Tensor"> {
  let summary = "Product of matrices";
  let decomposition = DecomposeChain;
}

def Aten_LinalgMatrixPowerOp : Aten_CompositeOp<
    "aten::linalg_matrix_power(Tensor self, int n) -> Tensor",
    "decomposeLinalgMatrixPower"> {
  let summary = "Power of square matrices";
  let aliases = ["matrix_power"];
}

def Aten_FrobeniusNormDimOp : Aten_CompositeOp<
    "aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> "
    "Tensor"> {
  let summary = "Root of the sum of squares over dimensions";
  let decomposition = Decompose<[(call "linalg_vector_norm", $self, "2.0", $dim, $keepdim)]>;
  let writers = ["frobenius_norm.out"];
}

def Aten_NormScalarOptDimDtypeOp : Aten_CompositeOp<
    "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool "
    "keepdim, *, ScalarType dtype) -> Tensor"> {
  let summary = "Norm over dimensions, in an element type";
  let decomposition = DecomposeBy<"decomposeNorm", [], NormFamily>;
  let writers = ["norm.dtype_out"];
}

def Aten_NormScalarOptDtypeOp : Aten_CompositeOp<
    "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) "
    "-> Tensor"> {
  let summary = "Norm of all elements, in an element type";
  let decomposition = DecomposeBy<"decomposeNorm", [], NormFamily>;
}

def Aten_LinalgNormOp : Aten_CompositeOp<
    "aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool "
    "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    "decomposeLinalgNorm"> {
  let summary = "Norm of vectors or matrices";
}

def Aten_LinalgNormOrdStrOp : Aten_CompositeOp<
    "aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool "
    "keepdim=False, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Norm of matrices by name";
  let decomposition = Decompose<[(named_norm $self, $ord, $dim, $keepdim, $dtype)]>;
}

def Aten_LinalgMatrixNormOp : Aten_CompositeOp<
    "aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], "
    "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Norm of matrices";
  let decomposition = Decompose<[(matrix_norm $self, $ord, $dim, $keepdim, $dtype)]>;
}

def Aten_LinalgMatrixNormStrOrdOp : Aten_CompositeOp<
    "aten::linalg_matrix_norm.str_ord(Tensor self, str ord=\"fro\", int[] "
    "dim=[-2, "
    "-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"> {
  let summary = "Norm of matrices by name";
  let decomposition = Decompose<[(named_norm $self, $ord, $dim, $keepdim, $dtype)]>;
}

def Aten_NormExceptDimOp : Aten_CompositeOp<
    "aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
    "decomposeNormExceptDim"> {
  let summary = "Norms of the slices along a dimension";
}

def Aten_LinalgCholeskyOp : Aten_CompositeOp<
    "aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor"> {
  let summary = "Lower triangle whose square is the matrix";
  let decomposition = DecomposeBy<"decomposeCholesky", [], CholeskyFamily>;
}

def Aten_CholeskyOp : Aten_CompositeOp<
    "aten::cholesky(Tensor self, bool upper=False) -> Tensor"> {
  let summary = "Triangle whose square is the matrix";
  let decomposition = DecomposeBy<"decomposeCholesky", [], CholeskyFamily>;
}

def Aten_CholeskySolveOp : Aten_CompositeOp<
    "aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> "
    "Tensor"> {
  let summary = "Solve a system by a Cholesky factor";
  let decomposition = Decompose<[(cholesky_solve $self, $input2, $upper)]>;
}

def Aten_CholeskyInverseOp : Aten_CompositeOp<
    "aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor"> {
  let summary = "Inverse by a Cholesky factor";
  let decomposition = Decompose<[(cholesky_solve (unit_like $self), $self, $upper)]>;
}

def Aten_InverseOp : Aten_CompositeOp<
    "aten::inverse(Tensor self) -> Tensor"> {
  let summary = "Inverse of matrices";
  let decomposition = Decompose<[(invert $self)]>;
}

def Aten_LinalgInvOp : Aten_CompositeOp<
    "aten::linalg_inv(Tensor A) -> Tensor"> {
  let summary = "Inverse of matrices";
  let decomposition = Decompose<[(invert $A)]>;
}

def Aten_LinalgInvExOp : Aten_CompositeOp<
    "aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor "
    "inverse, Tensor info)"> {
  let summary = "Inverse of matrices, and where there is none";
  let decomposition = Decompose<[(invert $A), (no_info $A)]>;
}

def Aten_LinalgSolveOp : Aten_CompositeOp<
    "aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
    "decomposeLinalgSolve"> {
  let summary = "Solve linear systems";
}

def Aten_LinalgSolveExOp : Aten_CompositeOp<
    "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
    "check_errors=False) -> (Tensor result, Tensor info)",
    "decomposeLinalgSolveEx"> {
  let summary = "Solve linear systems, and where that fails";
}

def Aten_DetOp : Aten_CompositeOp<
    "aten::det(Tensor self) -> Tensor"> {
  let summary = "Determinant";
  let decomposition = Decompose<[(determinant $self)]>;
}

def Aten_LinalgDetOp : Aten_CompositeOp<
    "aten::linalg_det(Tensor A) -> Tensor"> {
  let summary = "Determinant";
  let decomposition = Decompose<[(determinant $A)]>;
}

def Aten_LinalgDetFactorsOp : Aten_CompositeOp<
    "aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
    "decomposeLinalgDetFactors"> {
  let summary = "Determinant, and factors that nobody may read";
}

def Aten_SlogdetOp : Aten_CompositeOp<
    "aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)"> {
  let summary = "Sign and logarithm of the determinant";
  let decomposition = DecomposeMatrix<"decomposeSlogdet">;
}

def Aten_LinalgSlogdetOp : Aten_CompositeOp<
    "aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)"> {
  let summary = "Sign and logarithm of the determinant";
  let decomposition = DecomposeMatrix<"decomposeSlogdet">;
}

def Aten_LinalgSlogdetFactorsOp : Aten_CompositeOp<
    "aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor "
    "LU, Tensor pivots)", "decomposeLinalgSlogdetFactors"> {
  let summary = "Sign and logarithm of the determinant, and factors that nobody may read";
}

def Aten_LogdetOp : Aten_CompositeOp<
    "aten::logdet(Tensor self) -> Tensor", "decomposeLogdet"> {
  let summary = "Logarithm of the determinant";
}

def Aten_LinalgSolveFactorsOp : Aten_CompositeOp<
    "aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
    "check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor "
    "info)", "decomposeLinalgSolveFactors"> {
  let summary = "Solve linear systems; factors that nobody may read";
}

def Aten_LinalgCheckErrorsOp : Aten_ActingCompositeOp<
    "aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) "
    "-> ()", "decomposeLinalgCheckErrors"> {
  let summary = "End with an error where a factorization failed";
}

def Aten_VanderOp : Aten_CompositeOp<
    "aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
    "decomposeVander"> {
  let summary = "Powers of elements in columns";
}

def Aten_LinalgVanderOp : Aten_CompositeOp<
    "aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor",
    "decomposeLinalgVander"> {
  let summary = "Powers of elements in columns, rising";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITELINALGOPS_TD
