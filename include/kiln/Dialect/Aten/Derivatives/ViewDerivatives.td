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

// Of ops that show elements of their operand the map says it (ViewRules.cpp).

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

def flip : BuilderMethod;
def : ComplexVJP<Aten_FlipOp, [Grad<"self", (flip $grad, $dims)>]>;
def : ComplexVJP<Aten_Rot90Op, [
    Grad<"self", (call "rot90", $grad, "-int64_t(rule.getK())",
         $dims)>]>;
def : ComplexVJPFunction<"vjpRoll", [Aten_RollOp]>;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

def : ComplexVJP<Aten_DiagEmbedOp, [
    Grad<"self", (call "diagonal", $grad, $offset, $dim1, $dim2)>]>;
def : ComplexVJP<Aten_DiagonalScatterOp, [
    Grad<"self", (call "diagonal_scatter", $grad, (filled $src, 0), $offset,
         $dim1, $dim2)>,
    Grad<"src", (call "diagonal", $grad, $offset, $dim1, $dim2)>]>;
def : ComplexVJPFunction<"vjpSelectScatter", [Aten_SelectScatterOp]>;
def : ComplexVJPFunction<"vjpSliceScatter", [Aten_SliceScatterOp]>;
// PyTorch gives what is overwritten the gradient, and the rest none.
def : ComplexVJP<Aten_AsStridedScatterOp, [
    Grad<"self", (call "as_strided_scatter", (filled $self, 0),
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
