//===- ViewDerivatives.td - Views and parts ----------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_VIEWDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_VIEWDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

foreach rule = [Aten_ViewOp, Aten_UnsafeViewOp, Aten_ReshapeOp,
                Aten_FlattenUsingIntsOp, Aten_SqueezeOp, Aten_SqueezeDimOp,
                Aten_SqueezeDimsOp, Aten_UnsqueezeOp, Aten_ViewCopyOp,
                Aten_ReshapeAsOp, Aten_ViewAsOp, Aten_UnflattenIntOp,
                Aten_RealOp] in
  def : ComplexVJP<rule, [Grad<"self", (like $grad, $self)>]>;
// What was repeated is summed, because that is how gradients are brought to the
// shape of their operand.
foreach rule = [Aten_ExpandOp, Aten_ExpandAsOp, Aten_ExpandCopyOp] in
  def : ComplexVJP<rule, [Grad<"self", (identity $grad)>]>;
def : ComplexVJPFunction<"vjpBroadcastTensors", [Aten_BroadcastTensorsOp]>;
def : ComplexVJPFunction<"vjpMeshgrid", [Aten_MeshgridOp]>;

//===----------------------------------------------------------------------===//
// Orders of dimensions
//===----------------------------------------------------------------------===//

def unpermute : GradientHelper;
foreach rule = [Aten_PermuteOp, Aten_PermuteCopyOp] in
  def : ComplexVJP<rule, [Grad<"self", (unpermute $grad, $dims)>]>;
def transpose : ComposerMethod;
def : ComplexVJP<Aten_TransposeIntOp, [
    Grad<"self", (transpose $grad, $dim0, $dim1)>]>;
def : ComplexVJP<Aten_SwapaxesOp, [
    Grad<"self", (transpose $grad, $axis0, $axis1)>]>;
def : ComplexVJP<Aten_MovedimIntOp, [
    Grad<"self", (call "movedim.int", $grad, $destination, $source)>]>;
def reverse_dims : GradientHelper;
foreach rule = [Aten_TOp, Aten_NumpyTOp] in
  def : ComplexVJP<rule, [Grad<"self", (reverse_dims $grad)>]>;
def flip : ComposerMethod;
def : ComplexVJP<Aten_FlipOp, [Grad<"self", (flip $grad, $dims)>]>;
def : ComplexVJP<Aten_Rot90Op, [
    Grad<"self", (call "rot90", $grad, "-int64_t(rule.getK())",
         $dims)>]>;
def : ComplexVJPFunction<"vjpRoll", [Aten_RollOp]>;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

def unselect : GradientHelper;
foreach rule = [Aten_SelectIntOp, Aten_SelectCopyIntOp] in
  def : ComplexVJP<rule, [Grad<"self", (unselect $grad, $self, $dim, $index)>]>;
def unslice : GradientHelper;
foreach rule = [Aten_SliceTensorOp, Aten_SliceCopyTensorOp] in
  def : ComplexVJP<rule, [
      Grad<"self", (unslice $grad, $self, $dim, $start, $end, $step)>]>;
def unnarrow : GradientHelper;
def : ComplexVJP<Aten_NarrowOp, [
    Grad<"self", (unnarrow $grad, $self, $dim, $start, $length)>]>;
def : ComplexVJPFunction<"vjpSplit", [
    Aten_SplitTensorOp, Aten_SplitWithSizesOp, Aten_ChunkOp,
    Aten_TensorSplitSectionsOp]>;
def : ComplexVJPFunction<"vjpUnbind", [Aten_UnbindIntOp]>;
def : ComplexVJP<Aten_UnfoldOp, [
    Grad<"self", (call "unfold_backward", $grad, (sizes_of $self), $dimension,
         $size, $step)>]>;
def : ComplexVJP<Aten_DiagonalOp, [
    Grad<"self", (call "diagonal_backward", $grad, (sizes_of $self), $offset,
         $dim1, $dim2)>]>;
def : ComplexVJP<Aten_DiagEmbedOp, [
    Grad<"self", (call "diagonal", $grad, $offset, $dim1, $dim2)>]>;
def : ComplexVJP<Aten_DiagonalScatterOp, [
    Grad<"self", (call "diagonal_scatter", $grad, (zeros_like $src), $offset,
         $dim1, $dim2)>,
    Grad<"src", (call "diagonal", $grad, $offset, $dim1, $dim2)>]>;
def : ComplexVJPFunction<"vjpSelectScatter", [Aten_SelectScatterOp]>;
def : ComplexVJPFunction<"vjpSliceScatter", [Aten_SliceScatterOp]>;
def : ComplexVJPFunction<"vjpAsStrided", [Aten_AsStridedOp]>;
// PyTorch gives what is overwritten the gradient, and the rest none.
def : ComplexVJP<Aten_AsStridedScatterOp, [
    Grad<"self", (call "as_strided_scatter", (zeros_like $self),
                       (call "as_strided", (row_major $grad), $size, $stride,
                                           $storage_offset),
                       $size, $stride, $storage_offset)>,
    Grad<"src", (call "as_strided", (row_major $grad), $size, $stride,
                               $storage_offset)>]>;

//===----------------------------------------------------------------------===//
// Putting together
//===----------------------------------------------------------------------===//

def : ComplexVJPFunction<"vjpCat", [Aten_CatOp]>;
def : ComplexVJPFunction<"vjpStack", [Aten_StackOp]>;
def : ComplexVJPFunction<"vjpRepeat", [Aten_RepeatOp]>;
def : ComplexVJPFunction<"vjpTile", [Aten_TileOp]>;
def : ComplexVJPFunction<"vjpRepeatInterleave", [
    Aten_RepeatInterleaveSelfIntOp]>;
def : ComplexVJPFunction<"vjpPad", [Aten_ConstantPadNdOp]>;
def channel_shuffle_back : GradientHelper;
foreach rule = [Aten_ChannelShuffleOp, Aten_NativeChannelShuffleOp] in
  def : VJP<rule, [Grad<"self", (channel_shuffle_back $grad, $groups)>]>;
def : VJP<Aten_PixelShuffleOp, [
    Grad<"self", (call "pixel_unshuffle", $grad, $upscale_factor)>]>;
def : VJP<Aten_PixelUnshuffleOp, [
    Grad<"self", (call "pixel_shuffle", $grad, $downscale_factor)>]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_VIEWDERIVATIVES_TD
