//===- AtenDecompositions.td - Decompositions of ATen ops as data ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record for an op that simpler ones say in a line; `kiln-tblgen
// --gen-aten-decompositions` writes the C++.
//
//   def : DecomposeWide<Aten_DotOp, [(sum_all (mul $self, $tensor))]>;
//
// There is a dag for each result. Its operators are methods of Composer
// (`sum_all` is `sumAll`), or functions of Decompose/Formulas.h for those
// declared as `Formula`. `(call "overload", ...)` is any other op, with its
// arguments in schema order. Leaves are:
//
//   $self, $dim   operands and attributes of the op, by their ODS name
//   $result       its first result, for its sizes and type
//   2             a number
//   "1.5"         C++ text
//
// The values are converted to the results' element types. Operands of a
// `DecomposeWide` come in the type that elements of the first result are
// computed in, f32 for 16 bits, so that the result is rounded once.
//
// What does not fit a line is a function in lib/Dialect/Aten/Transforms/
// Decompose.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_ATENDECOMPOSITIONS_TD
#define KILN_DIALECT_ATEN_TRANSFORMS_ATENDECOMPOSITIONS_TD

include "kiln/Dialect/Aten/IR/AtenOps.td"

class Decompose<Op rule, list<dag> formulas> {
  Op op = rule;
  list<dag> values = formulas;
  bit isWide = 0;
}

class DecomposeWide<Op rule, list<dag> formulas> : Decompose<rule, formulas> {
  let isWide = 1;
}

/// A dag operator that is a function of Formulas.h.
class Formula;
/// A dag operator that is a method of Composer.
class ComposerMethod;

/// An op by its overload, with arguments in schema order.
def call : ComposerMethod;
def mm : ComposerMethod;
def permute : ComposerMethod;
def square : ComposerMethod;
def sum_all : ComposerMethod;
def unsqueeze : ComposerMethod;
def zeros_like : ComposerMethod;

//===----------------------------------------------------------------------===//
// Views and copies of views
//===----------------------------------------------------------------------===//

def copy_of_view : Formula;    // a view, copied if it is the operand itself
def narrow : Formula;          // a range by start and length
def move_dim : Formula;        // a dimension moved to another place
def convert_like : Formula;    // in the element type of another, maybe copied
def uninitialized : Formula;   // of any contents, like another
def view_like : Formula;       // in the sizes of another
def expand_like : Formula;     // expanded to the sizes of another

def fill_like : Formula;       // one number in the sizes of another

def : Decompose<Aten_FillTensorOp, [(fill_like $self, $value)]>;
def : Decompose<Aten_ReshapeAsOp, [(view_like $self, $result)]>;
def : Decompose<Aten_ViewAsOp, [(view_like $self, $result)]>;
def : Decompose<Aten_UnflattenIntOp, [(view_like $self, $result)]>;
def : Decompose<Aten_ExpandAsOp, [(expand_like $self, $result)]>;
def : Decompose<Aten_NarrowOp, [(narrow $self, $dim, $start, $length)]>;
def : Decompose<Aten_MovedimIntOp, [(move_dim $self, $source, $destination)]>;
def : Decompose<Aten_SwapaxesOp, [
    (call "transpose.int", $self, $axis0, $axis1)]>;
def : Decompose<Aten_ViewCopyOp, [
    (copy_of_view (view_like $self, $result), $self)]>;
def : Decompose<Aten_ExpandCopyOp, [
    (copy_of_view (expand_like $self, $result), $self)]>;
def : Decompose<Aten_PermuteCopyOp, [
    (copy_of_view (permute $self, $dims), $self)]>;
def : Decompose<Aten_SelectCopyIntOp, [
    (call "select.int", $self, $dim, $index)]>;
def : Decompose<Aten_SliceCopyTensorOp, [
    (copy_of_view (call "slice.Tensor", $self, $dim, $start, $end, $step),
                  $self)]>;
def : Decompose<Aten_ToDeviceOp, [(convert_like $self, $result, $copy)]>;
def : Decompose<Aten_ToDtypeLayoutOp, [(convert_like $self, $result, $copy)]>;
def : Decompose<Aten_NewEmptyOp, [(uninitialized $result)]>;
def : Decompose<Aten_NewEmptyStridedOp, [(uninitialized $result)]>;
def : Decompose<Aten_EmptyStridedOp, [(uninitialized $result)]>;

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

def tile : Formula;
def repeat_each : Formula;       // every element along a dimension
def rotate : Formula;            // by quarter turns
def differences : Formula;       // of neighbours, n times
def take_along : Formula;        // elements at positions that wrap around
def join : Formula;              // cat of tensors of at least a rank
def cartesian : Formula;         // all combinations of elements
def embed_diagonal : Formula;    // matrices of given diagonals
def replace_diagonal : Formula;  // matrices with other diagonals
def zeros_of : Formula;          // of given sizes, typed as a tensor
def scatter_strided : Formula;   // to positions by strides
def fold_windows : Formula;      // sums of overlapping windows

def : Decompose<Aten_TileOp, [(tile $self, $dims)]>;
def : Decompose<Aten_RepeatInterleaveSelfIntOp, [
    (repeat_each $self, $repeats, $dim)]>;
def : Decompose<Aten_Rot90Op, [(rotate $self, $k, $dims)]>;
def : Decompose<Aten_DiffOp, [
    (differences $self, $n, $dim, $prepend, $append)]>;
def : Decompose<Aten_TakeAlongDimOp, [(take_along $self, $indices, $dim)]>;
def : Decompose<Aten_HstackOp, [(join $tensors, 1)]>;
def : Decompose<Aten_VstackOp, [(join $tensors, 2)]>;
def : Decompose<Aten_CartesianProdOp, [(cartesian $tensors)]>;
def : Decompose<Aten_DiagEmbedOp, [
    (embed_diagonal $self, $result, $offset, $dim1, $dim2)]>;
def : Decompose<Aten_DiagonalScatterOp, [
    (replace_diagonal $self, $src, $offset, $dim1, $dim2)]>;
def : Decompose<Aten_DiagonalBackwardOp, [
    (replace_diagonal (zeros_of $grad_output, $input_sizes), $grad_output,
                      $offset, $dim1, $dim2)]>;
def : Decompose<Aten_AsStridedScatterOp, [
    (scatter_strided $self, $src, $size, $stride, $storage_offset)]>;
def : Decompose<Aten_UnfoldBackwardOp, [
    (fold_windows $grad_in, $input_sizes, $dim, $size, $step)]>;

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

def log_sigmoid : Formula;
def log_sigmoid_slope : Formula; // by the buffer, if there is one
def replace_specials : Formula;  // NaN and infinities, of floats
def channel_weight : Formula;    // a weight for each channel
def half : Formula;              // the first or second of a dimension
def pair : Formula;              // two halves, joined
def cross_product : Formula;

def : DecomposeWide<Aten_LogSigmoidForwardOp, [
    (log_sigmoid $self), (zeros_like $self)]>;
def : DecomposeWide<Aten_LogSigmoidBackwardOp, [
    (mul $grad_output, (log_sigmoid_slope $self, $buffer))]>;
def : Decompose<Aten_NanToNumOp, [
    (replace_specials $self, $nan, $posinf, $neginf)]>;
def : Decompose<Aten_PreluOp, [
    (call "_prelu_kernel", $self, (channel_weight $self, $weight))]>;
def : DecomposeWide<Aten_PreluKernelBackwardOp, [
    (where (gt $self, 0), $grad_output, (mul $grad_output, $weight)),
    (where (gt $self, 0), "0.0", (mul $grad_output, $self))]>;
def : DecomposeWide<Aten_GluOp, [
    (mul (half $self, $dim, 0), (sigmoid (half $self, $dim, 1)))]>;
def : DecomposeWide<Aten_GluBackwardOp, [
    (pair (mul $grad_output, (sigmoid (half $self, $dim, 1))),
          (mul (mul $grad_output, (half $self, $dim, 0)),
               (mul (sigmoid (half $self, $dim, 1)),
                    (sub 1, (sigmoid (half $self, $dim, 1))))),
          $dim)]>;
def : DecomposeWide<Aten_CrossOp, [
    (cross_product $self, $other, $dim, $result)]>;
def : DecomposeWide<Aten_LinalgCrossOp, [
    (cross_product $self, $other, $dim, $result)]>;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def as_column : Formula;        // a vector, or a number, as a column
def batch_in_columns : Formula; // [b, n, m] as [n, b m]
def batch_in_rows : Formula;    // [b, n, m] as [b n, m]

def : Decompose<Aten_OuterOp, [
    (mul (unsqueeze $self, 1), (unsqueeze $vec2, 0))]>;
def : Decompose<Aten_MvOp, [
    (view_like (mm $self, (unsqueeze $vec, 1)), $result)]>;
def : Decompose<Aten_AddmvOp, [
    (view_like (call "addmm", (as_column $self), $mat, (as_column $vec), $beta,
                     $alpha), $result)]>;
def : Decompose<Aten_AddbmmOp, [
    (call "addmm", $self, (batch_in_columns $batch1), (batch_in_rows $batch2),
          $beta, $alpha)]>;
def : DecomposeWide<Aten_DotOp, [(sum_all (mul $self, $tensor))]>;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def trace : Formula;
def correction : Formula;        // as a number
def vector_norm : Formula;       // by an optional order
def log_sum_exp : Formula;
def extremum : Formula;          // over an optional dimension
def count_nonzero : Formula;
def without_nan : Formula;       // zeros for NaN
def cosine_similarity : Formula;
def pairwise_distance : Formula;
def limit_norms : Formula;

def : Decompose<Aten_TraceOp, [(trace $self)]>;
def : Decompose<Aten_VarOp, [
    (call "var.correction", $self, "nullptr", (correction $unbiased),
          "c.boolean(false)")]>;
def : Decompose<Aten_StdOp, [
    (call "std.correction", $self, "nullptr", (correction $unbiased),
          "c.boolean(false)")]>;
def : Decompose<Aten_StdDimOp, [
    (call "std.correction", $self, $dim, (correction $unbiased), $keepdim)]>;
def : Decompose<Aten_NormScalarOp, [
    (vector_norm $self, $p, "{}", "false")]>;
def : Decompose<Aten_NormScalarOptDimOp, [
    (vector_norm $self, $p, $dim, $keepdim)]>;
def : Decompose<Aten_LogsumexpOp, [(log_sum_exp $self, $dim, $keepdim)]>;
def : Decompose<Aten_AllDimsOp, [
    (logical_not (call "any.dims", (logical_not $self), $dim, $keepdim))]>;
def : Decompose<Aten_AminmaxOp, [
    (extremum "\"amin\"", $self, $dim, $keepdim),
    (extremum "\"amax\"", $self, $dim, $keepdim)]>;
def : Decompose<Aten_CountNonzeroOp, [(count_nonzero $self, $dim)]>;
def : Decompose<Aten_NansumOp, [
    (call "sum.dim_IntList", (without_nan $self), $dim, $keepdim, $dtype)]>;
def : Decompose<Aten_CosineSimilarityOp, [
    (cosine_similarity $x1, $x2, $dim, $eps)]>;
def : Decompose<Aten_PairwiseDistanceOp, [
    (pairwise_distance $x1, $x2, $p, $eps, $keepdim)]>;
def : DecomposeWide<Aten_RenormOp, [(limit_norms $self, $p, $dim, $maxnorm)]>;

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

def reduced : Formula;        // 0 none, 1 mean, 2 sum
def shared : Formula;         // a gradient, divided by elements for a mean
def times_given : Formula;    // by an optional factor
def bce : Formula;            // cross entropy of probabilities
def bce_slope : Formula;
def bce_with_logits : Formula;
def huber : Formula;
def huber_slope : Formula;
def smooth_l1 : Formula;
def smooth_l1_slope : Formula;
def divergence : Formula;

def : DecomposeWide<Aten_MseLossOp, [
    (reduced (square (sub $self, $target)), $reduction)]>;
def : DecomposeWide<Aten_MseLossBackwardOp, [
    (mul (mul (shared 2, $self, $reduction), (sub $self, $target)),
         $grad_output)]>;
def : DecomposeWide<Aten_L1LossOp, [
    (reduced (abs (sub $self, $target)), $reduction)]>;
def : DecomposeWide<Aten_SmoothL1LossOp, [
    (reduced (smooth_l1 (sub $self, $target), $beta), $reduction)]>;
def : DecomposeWide<Aten_SmoothL1LossBackwardOp, [
    (mul (mul (shared 1, $self, $reduction), $grad_output),
         (smooth_l1_slope (sub $self, $target), $beta))]>;
def : DecomposeWide<Aten_HuberLossOp, [
    (reduced (huber (sub $self, $target), $delta), $reduction)]>;
def : DecomposeWide<Aten_HuberLossBackwardOp, [
    (mul (mul (shared 1, $self, $reduction), $grad_output),
         (huber_slope (sub $self, $target), $delta))]>;
def : DecomposeWide<Aten_SoftMarginLossOp, [
    (reduced (log1p (exp (mul (neg $self), $target))), $reduction)]>;
def : DecomposeWide<Aten_KlDivOp, [
    (reduced (divergence $self, $target, $log_target), $reduction)]>;
def : DecomposeWide<Aten_BinaryCrossEntropyOp, [
    (reduced (times_given (bce $self, $target), $weight), $reduction)]>;
def : DecomposeWide<Aten_BinaryCrossEntropyBackwardOp, [
    (mul (times_given (mul (shared 1, $self, $reduction), $grad_output),
                      $weight), (bce_slope $self, $target))]>;
def : DecomposeWide<Aten_BinaryCrossEntropyWithLogitsOp, [
    (reduced (times_given (bce_with_logits $self, $target, $pos_weight),
                          $weight), $reduction)]>;

#endif // KILN_DIALECT_ATEN_TRANSFORMS_ATENDECOMPOSITIONS_TD
