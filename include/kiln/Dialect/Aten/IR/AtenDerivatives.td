//===- AtenDerivatives.td - Derivatives of ATen ops as data ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record per rule; `kiln-tblgen --gen-aten-derivatives` writes the C++.
//
//   def : VJP<Aten_MulTensorOp, [Grad<"self",  (mul $grad, $other)>,
//                                Grad<"other", (mul $grad, $self)>]>;
//
// A dag's operators are methods of AtenBuilder (`floor_div` is `floorDiv`), or
// of VjpState for those declared as `GradientHelper`. Its leaves are:
//
//   $grad, $grad_1    gradient of the first, second result
//   $result           the result itself
//   $other, $dim      operands and attributes of the op, by their ODS name
//   2                 a number
//   "1.5"             C++ text
//
// Whatever an expression's shape and type are, the gradient is brought to the
// operand's: dimensions that were broadcast are summed, and the element type is
// converted. So a rule does not speak of broadcasting.
//
// A rule that does not fit a line names a C++ function (`VJPFunction`) of
// lib/Dialect/Aten/Derivatives. `StopGradient` lists ops that no gradient flows
// through, with the reason. An op that is in none of the three, and has a
// floating-point result, can not be differentiated: that is an error, not zero.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENDERIVATIVES_TD
#define KILN_DIALECT_ATEN_IR_ATENDERIVATIVES_TD

include "kiln/Dialect/Aten/IR/AtenOps.td"

/// The gradient of one operand.
class Grad<string name, dag expression> {
  string operand = name;
  dag value = expression;
}

/// The gradients of an op's operands; those not named are zero.
class VJP<Op rule, list<Grad> gradients> {
  Op op = rule;
  list<Grad> grads = gradients;
}

/// Gradients by a C++ function `LogicalResult f(OpTy op, VjpState &state)`.
class VJPFunction<string name, list<Op> list_> {
  string function = name;
  list<Op> ops = list_;
}

/// Ops that no gradient flows through; the reason is a clause.
class StopGradient<string why, list<Op> list_> {
  string reason = why;
  list<Op> ops = list_;
}

/// A dag operator that is a method of VjpState.
class GradientHelper;
/// A dag operator that is a method of AtenBuilder.
class BuilderMethod;

def identity : GradientHelper;      // its operand
def scale : GradientHelper;         // by an optional number; absent is 1
def keep_where : GradientHelper;    // the gradient where true, else 0
def drop_where : GradientHelper;    // 0 where true, else the gradient
def unreduce : GradientHelper;      // undo a reduction's loss of dimensions
def like : GradientHelper;          // reshape to the shape of a value
def mean_of : GradientHelper;       // divide by elements per result element
def transpose_last : GradientHelper; // exchange the last two dimensions

def mm : BuilderMethod;
def bmm : BuilderMethod;
def square : BuilderMethod;

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

def : VJP<Aten_AddTensorOp, [Grad<"self", (identity $grad)>,
                             Grad<"other", (scale $grad, $alpha)>]>;
def : VJP<Aten_AddScalarOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_SubTensorOp, [Grad<"self", (identity $grad)>,
                             Grad<"other", (neg (scale $grad, $alpha))>]>;
def : VJP<Aten_SubScalarOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_RsubScalarOp, [Grad<"self", (neg (scale $grad, $alpha))>]>;
def : VJP<Aten_MulTensorOp, [Grad<"self", (mul $grad, $other)>,
                             Grad<"other", (mul $grad, $self)>]>;
def : VJP<Aten_MulScalarOp, [Grad<"self", (mul $grad, $other)>]>;
def : VJP<Aten_DivTensorOp, [
    Grad<"self", (div $grad, $other)>,
    Grad<"other", (mul (neg $grad), (div (div $self, $other), $other))>]>;
def : VJP<Aten_DivScalarOp, [Grad<"self", (div $grad, $other)>]>;
def : VJPFunction<"vjpDivMode", [Aten_DivTensorModeOp]>;

def : VJP<Aten_NegOp, [Grad<"self", (neg $grad)>]>;
def : VJP<Aten_ExpOp, [Grad<"self", (mul $grad, $result)>]>;
def : VJP<Aten_Expm1Op, [Grad<"self", (mul $grad, (add $result, 1))>]>;
def : VJP<Aten_LogOp, [Grad<"self", (div $grad, $self)>]>;
def : VJP<Aten_Log1pOp, [Grad<"self", (div $grad, (add $self, 1))>]>;
def : VJP<Aten_Log2Op, [
    Grad<"self", (div $grad, (mul $self, "0.6931471805599453"))>]>;
def : VJP<Aten_SinOp, [Grad<"self", (mul $grad, (cos $self))>]>;
def : VJP<Aten_CosOp, [Grad<"self", (mul $grad, (neg (sin $self)))>]>;
def : VJP<Aten_TanOp, [Grad<"self", (mul $grad, (add (square $result), 1))>]>;
def : VJP<Aten_AsinOp, [
    Grad<"self", (mul $grad, (rsqrt (sub 1, (square $self))))>]>;
def : VJP<Aten_AcosOp, [
    Grad<"self", (mul $grad, (neg (rsqrt (sub 1, (square $self)))))>]>;
def : VJP<Aten_AtanOp, [Grad<"self", (div $grad, (add (square $self), 1))>]>;
def : VJP<Aten_SinhOp, [Grad<"self", (mul $grad, (cosh $self))>]>;
def : VJP<Aten_CoshOp, [Grad<"self", (mul $grad, (sinh $self))>]>;
def : VJP<Aten_SqrtOp, [Grad<"self", (div $grad, (mul $result, 2))>]>;
def : VJP<Aten_RsqrtOp, [
    Grad<"self", (mul (mul $grad, "-0.5"), (mul (square $result), $result))>]>;
def : VJP<Aten_ReciprocalOp, [
    Grad<"self", (mul (neg $grad), (square $result))>]>;
def : VJP<Aten_AbsOp, [Grad<"self", (mul $grad, (sign $self))>]>;
def : VJP<Aten_ErfOp, [
    Grad<"self", (mul (mul (exp (neg (square $self))), "1.1283791670955126"),
                      $grad)>]>;
def tanh_backward : BuilderMethod;
def : VJP<Aten_TanhOp, [Grad<"self", (tanh_backward $grad, $result)>]>;
def sigmoid_backward : BuilderMethod;
def : VJP<Aten_SigmoidOp, [Grad<"self", (sigmoid_backward $grad, $result)>]>;
def threshold_backward : BuilderMethod;
def : VJP<Aten_ReluOp, [Grad<"self", (threshold_backward $grad, $result, 0)>]>;
def gelu_backward : BuilderMethod;
def : VJP<Aten_GeluOp, [
    Grad<"self", (gelu_backward $grad, $self, $approximate)>]>;
def silu_grad : GradientHelper;
def : VJP<Aten_SiluOp, [Grad<"self", (silu_grad $grad, $self)>]>;
def leaky_slope : GradientHelper; // an optional number, absent is 0.01
def : VJP<Aten_LeakyReluOp, [
    Grad<"self", (where (gt $self, 0), $grad,
                        (mul $grad, (leaky_slope $negative_slope)))>]>;
def : VJPFunction<"vjpHardtanh", [Aten_HardtanhOp]>;
def : VJP<Aten_ThresholdBackwardOp, [
    Grad<"grad_output", (threshold_backward $grad, $self, $threshold)>]>;

def : VJPFunction<"vjpPow", [Aten_PowTensorScalarOp]>;
def : VJPFunction<"vjpPowTensor", [Aten_PowTensorTensorOp]>;
def : VJPFunction<"vjpPowScalar", [Aten_PowScalarOp]>;
def : VJP<Aten_Atan2Op, [
    Grad<"self", (mul $grad, (div $other, (add (square $self),
                                               (square $other))))>,
    Grad<"other", (mul $grad, (div (neg $self), (add (square $self),
                                                     (square $other))))>]>;
def : VJP<Aten_FmodScalarOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_RemainderScalarOp, [Grad<"self", (identity $grad)>]>;

def : VJP<Aten_WhereSelfOp, [
    Grad<"self", (keep_where $grad, $condition)>,
    Grad<"other", (drop_where $grad, $condition)>]>;
def : VJPFunction<"vjpClamp", [Aten_ClampOp]>;
def : VJP<Aten_ClampMinOp, [
    Grad<"self", (keep_where $grad, (ge $self, $min))>]>;
def : VJP<Aten_ClampMaxOp, [
    Grad<"self", (keep_where $grad, (le $self, $max))>]>;
// At a tie each side gets half, as in PyTorch.
def : VJP<Aten_MaximumOp, [
    Grad<"self", (drop_where (where (eq $self, $other), (div $grad, 2), $grad),
                             (lt $self, $other))>,
    Grad<"other", (drop_where (where (eq $self, $other), (div $grad, 2), $grad),
                              (gt $self, $other))>]>;
def : VJP<Aten_MinimumOp, [
    Grad<"self", (drop_where (where (eq $self, $other), (div $grad, 2), $grad),
                             (gt $self, $other))>,
    Grad<"other", (drop_where (where (eq $self, $other), (div $grad, 2), $grad),
                              (lt $self, $other))>]>;
def : VJP<Aten_MaskedFillScalarOp, [Grad<"self", (drop_where $grad, $mask)>]>;
def : VJP<Aten_MaskedFillTensorOp, [
    Grad<"self", (drop_where $grad, $mask)>,
    Grad<"value", (keep_where $grad, $mask)>]>;
def : VJP<Aten_AddcmulOp, [
    Grad<"self", (identity $grad)>,
    Grad<"tensor1", (mul (scale $grad, $value), $tensor2)>,
    Grad<"tensor2", (mul (scale $grad, $value), $tensor1)>]>;
def : VJP<Aten_AddcdivOp, [
    Grad<"self", (identity $grad)>,
    Grad<"tensor1", (div (scale $grad, $value), $tensor2)>,
    Grad<"tensor2", (neg (mul (scale $grad, $value),
                              (div $tensor1, (square $tensor2))))>]>;
def : VJP<Aten_LerpScalarOp, [
    Grad<"self", (sub $grad, (mul $grad, $weight))>,
    Grad<"end", (mul $grad, $weight)>]>;

// Copies; the conversion to the operand's type is automatic.
def : VJP<Aten_CloneOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_ContiguousOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_AliasOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_ToCopyOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_ToDtypeOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_LiftFreshCopyOp, [Grad<"self", (identity $grad)>]>;
def : VJP<Aten_CopyOp, [Grad<"src", (identity $grad)>]>;
def tril : BuilderMethod;
def triu : BuilderMethod;
def : VJP<Aten_TrilOp, [Grad<"self", (tril $grad, $diagonal)>]>;
def : VJP<Aten_TriuOp, [Grad<"self", (triu $grad, $diagonal)>]>;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def : VJP<Aten_SumOp, [Grad<"self", (unreduce $grad, $self)>]>;
def : VJP<Aten_SumDimIntListOp, [
    Grad<"self", (unreduce $grad, $self, $dim, $keepdim)>]>;
def : VJP<Aten_MeanOp, [
    Grad<"self", (mean_of (unreduce $grad, $self), $self, $result)>]>;
def : VJP<Aten_MeanDimOp, [
    Grad<"self", (mean_of (unreduce $grad, $self, $dim, $keepdim), $self,
                          $result)>]>;
// The gradient is shared among all elements that are the extremum.
def share : GradientHelper;
def : VJP<Aten_AmaxOp, [
    Grad<"self", (share $grad, $self, $result, $dim, $keepdim)>]>;
def : VJP<Aten_AminOp, [
    Grad<"self", (share $grad, $self, $result, $dim, $keepdim)>]>;
def : VJP<Aten_MaxOp, [Grad<"self", (share $grad, $self, $result)>]>;
def : VJP<Aten_MinOp, [Grad<"self", (share $grad, $self, $result)>]>;
def at_index : GradientHelper;
def : VJP<Aten_MaxDimOp, [
    Grad<"self", (at_index $grad, $self, $result_1, $dim, $keepdim)>]>;
def : VJP<Aten_MinDimOp, [
    Grad<"self", (at_index $grad, $self, $result_1, $dim, $keepdim)>]>;
def reverse_cumsum : GradientHelper;
def : VJP<Aten_CumsumOp, [Grad<"self", (reverse_cumsum $grad, $dim)>]>;
def var_grad : GradientHelper;
def : VJP<Aten_VarCorrectionOp, [
    Grad<"self", (var_grad $grad, $self, $dim, $keepdim, $correction)>]>;
def var_grad_unbiased : GradientHelper;
def : VJP<Aten_VarDimOp, [
    Grad<"self", (var_grad_unbiased $grad, $self, $dim, $keepdim,
                                    $unbiased)>]>;
def std_grad : GradientHelper; // the gradient of the variance under a root
def : VJP<Aten_StdCorrectionOp, [
    Grad<"self", (var_grad (std_grad $grad, $result), $self, $dim, $keepdim,
                           $correction)>]>;
def : VJPFunction<"vjpVarMean", [Aten_VarMeanCorrectionOp]>;
def : VJPFunction<"vjpVectorNorm", [Aten_LinalgVectorNormOp]>;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def : VJP<Aten_ViewOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_UnsafeViewOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_ReshapeOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_FlattenUsingIntsOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_SqueezeOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_SqueezeDimOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_SqueezeDimsOp, [Grad<"self", (like $grad, $self)>]>;
def : VJP<Aten_UnsqueezeOp, [Grad<"self", (like $grad, $self)>]>;
// What was repeated is summed, because that is how gradients are brought to the
// shape of their operand.
def : VJP<Aten_ExpandOp, [Grad<"self", (identity $grad)>]>;
def unpermute : GradientHelper;
def : VJP<Aten_PermuteOp, [Grad<"self", (unpermute $grad, $dims)>]>;
def transpose : BuilderMethod;
def : VJP<Aten_TransposeIntOp, [Grad<"self", (transpose $grad, $dim0, $dim1)>]>;
def reverse_dims : GradientHelper;
def : VJP<Aten_TOp, [Grad<"self", (reverse_dims $grad)>]>;
def : VJP<Aten_NumpyTOp, [Grad<"self", (reverse_dims $grad)>]>;
def unselect : GradientHelper;
def : VJP<Aten_SelectIntOp, [
    Grad<"self", (unselect $grad, $self, $dim, $index)>]>;
def unslice : GradientHelper;
def : VJP<Aten_SliceTensorOp, [
    Grad<"self", (unslice $grad, $self, $dim, $start, $end, $step)>]>;
def : VJPFunction<"vjpSplit", [Aten_SplitTensorOp, Aten_SplitWithSizesOp,
                               Aten_ChunkOp]>;
def : VJPFunction<"vjpUnbind", [Aten_UnbindIntOp]>;
def : VJPFunction<"vjpCat", [Aten_CatOp]>;
def : VJPFunction<"vjpStack", [Aten_StackOp]>;
def : VJPFunction<"vjpRepeat", [Aten_RepeatOp]>;
def flip : BuilderMethod;
def : VJP<Aten_FlipOp, [Grad<"self", (flip $grad, $dims)>]>;
def : VJPFunction<"vjpRoll", [Aten_RollOp]>;
def : VJPFunction<"vjpPad", [Aten_ConstantPadNdOp]>;
def : VJPFunction<"vjpSelectScatter", [Aten_SelectScatterOp]>;
def : VJPFunction<"vjpSliceScatter", [Aten_SliceScatterOp]>;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

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

// The forward keeps the op; the backward differentiates what it stands for.
def : VJPFunction<"vjpByDecomposition", [
    Aten_MatmulOp, Aten_LinearOp, Aten_EinsumOp, Aten_CrossEntropyLossOp,
    Aten_ScaledDotProductAttentionOp, Aten_LayerNormOp, Aten_PadOp,
    Aten_DropoutOp]>;

//===----------------------------------------------------------------------===//
// Normalizations and losses
//===----------------------------------------------------------------------===//

def softmax_backward_data : BuilderMethod;
def log_softmax_backward_data : BuilderMethod;
def element_type : BuilderMethod;
def : VJP<Aten_SoftmaxOp, [
    Grad<"self", (softmax_backward_data $grad, $result, $dim,
                                        (element_type $self))>]>;
def : VJP<Aten_LogSoftmaxOp, [
    Grad<"self", (log_softmax_backward_data $grad, $result, $dim,
                                            (element_type $self))>]>;
def : VJP<Aten_SoftmaxIntOp, [
    Grad<"self", (softmax_backward_data $grad, $result, $dim,
                                        (element_type $result))>]>;
def : VJP<Aten_LogSoftmaxIntOp, [
    Grad<"self", (log_softmax_backward_data $grad, $result, $dim,
                                            (element_type $result))>]>;
def : VJPFunction<"vjpLayerNorm", [Aten_NativeLayerNormOp]>;
def : VJPFunction<"vjpNativeDropout", [Aten_NativeDropoutOp]>;
def : VJPFunction<"vjpNllLoss", [Aten_NllLossForwardOp]>;

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

def embedding_dense_backward : BuilderMethod;
def size : BuilderMethod;
def : VJP<Aten_EmbeddingOp, [
    Grad<"weight", (embedding_dense_backward $grad, $indices,
                       (size $weight, 0), $padding_idx,
                       $scale_grad_by_freq)>]>;
def scatter_add : BuilderMethod;
def zeros_like : BuilderMethod;
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
def : VJPFunction<"vjpIndex", [Aten_IndexTensorOp]>;
def : VJPFunction<"vjpIndexPut", [Aten_IndexPutOp]>;
def : VJPFunction<"vjpIndexSelect", [Aten_IndexSelectOp]>;

//===----------------------------------------------------------------------===//
// Where gradients are zero: the input has one, as in PyTorch
//===----------------------------------------------------------------------===//

def : VJP<Aten_FloorOp, [Grad<"self", (zeros_like $self)>]>;
def : VJP<Aten_CeilOp, [Grad<"self", (zeros_like $self)>]>;
def : VJP<Aten_RoundOp, [Grad<"self", (zeros_like $self)>]>;
def : VJP<Aten_TruncOp, [Grad<"self", (zeros_like $self)>]>;
def : VJP<Aten_SignOp, [Grad<"self", (zeros_like $self)>]>;
def : VJP<Aten_FillScalarOp, [Grad<"self", (zeros_like $self)>]>;

//===----------------------------------------------------------------------===//
// Where gradients stop
//===----------------------------------------------------------------------===//

def : StopGradient<"its result is detached", [Aten_DetachOp]>;
def : StopGradient<"its result is boolean", [
    Aten_EqScalarOp, Aten_EqTensorOp, Aten_NeScalarOp, Aten_NeTensorOp,
    Aten_LtScalarOp, Aten_LtTensorOp, Aten_LeScalarOp, Aten_LeTensorOp,
    Aten_GtScalarOp, Aten_GtTensorOp, Aten_GeScalarOp, Aten_GeTensorOp,
    Aten_LogicalNotOp, Aten_LogicalAndOp, Aten_LogicalOrOp, Aten_IsinfOp,
    Aten_IsnanOp, Aten_AnyOp, Aten_AnyDimOp, Aten_AllOp, Aten_AllDimOp]>;
def : StopGradient<"its result is an integer", [
    Aten_ArgmaxOp, Aten_ArgminOp, Aten_BitwiseNotOp, Aten_BitwiseAndTensorOp,
    Aten_BitwiseOrTensorOp, Aten_BitwiseXorTensorOp]>;
def : StopGradient<"its derivative is zero wherever it exists",
    [Aten_FloorDivideOp]>;
def : StopGradient<"its result does not depend on the elements", [
    Aten_ZerosOp, Aten_OnesOp, Aten_EmptyMemoryFormatOp,
    Aten_EmptyPermutedOp, Aten_RandOp, Aten_RandnOp, Aten_FullOp,
    Aten_ZerosLikeOp, Aten_OnesLikeOp, Aten_EmptyLikeOp, Aten_FullLikeOp,
    Aten_RandLikeOp, Aten_RandnLikeOp, Aten_NewZerosOp, Aten_NewOnesOp,
    Aten_NewFullOp, Aten_ScalarTensorOp, Aten_ArangeOp, Aten_ArangeStartOp,
    Aten_ArangeStartStepOp, Aten_LinspaceOp, Aten_EyeOp,
    Aten_AssertTensorMetadataOp]>;
def : StopGradient<"a number carries no gradient", [Aten_ItemOp]>;

#endif // KILN_DIALECT_ATEN_IR_ATENDERIVATIVES_TD
