//===- ImageDerivatives.td - Pooling, resizing, padding ----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_IMAGEDERIVATIVES_TD
#define KILN_DIALECT_ATEN_DERIVATIVES_IMAGEDERIVATIVES_TD

include "kiln/Dialect/Aten/Derivatives/DerivativeBase.td"

foreach rule = [Aten_AdaptiveAvgPool2dOp, Aten_PlainAdaptiveAvgPool2dOp] in
  def : VJP<rule, [
      Grad<"self", (call "_adaptive_avg_pool2d_backward", $grad, $self)>]>;
foreach rule = [Aten_AdaptiveAvgPool3dOp, Aten_PlainAdaptiveAvgPool3dOp] in
  def : VJP<rule, [
      Grad<"self", (call "_adaptive_avg_pool3d_backward", $grad, $self)>]>;
def insert_row : GradientHelper; // a dimension of size one before the last
def : VJP<Aten_AdaptiveAvgPool1dOp, [
    Grad<"self", (like (call "_adaptive_avg_pool2d_backward",
                             (insert_row $grad), (insert_row $self)),
                       $self)>]>;
def : VJPFunction<"vjpAvgPool1d", [Aten_AvgPool1dOp]>;
def : VJP<Aten_AvgPool2dOp, [
    Grad<"self", (call "avg_pool2d_backward", $grad, $self, $kernel_size,
         $stride, $padding, $ceil_mode, $count_include_pad,
         $divisor_override)>]>;
def : VJP<Aten_AvgPool3dOp, [
    Grad<"self", (call "avg_pool3d_backward", $grad, $self, $kernel_size,
         $stride, $padding, $ceil_mode, $count_include_pad,
         $divisor_override)>]>;
def : VJP<Aten_MaxPool2dWithIndicesOp, [
    Grad<"self", (call "max_pool2d_with_indices_backward", $grad, $self,
         $kernel_size, $stride, $padding, $dilation, $ceil_mode, $result_1)>]>;
def : VJP<Aten_MaxPool3dWithIndicesOp, [
    Grad<"self", (call "max_pool3d_with_indices_backward", $grad, $self,
         $kernel_size, $stride, $padding, $dilation, $ceil_mode, $result_1)>]>;
def at_positions : GradientHelper; // in images, by flat positions
def : VJP<Aten_AdaptiveMaxPool2dOp, [
    Grad<"self", (at_positions $grad, $self, $result_1)>]>;
def : VJP<Aten_AdaptiveMaxPool3dOp, [
    Grad<"self", (call "adaptive_max_pool3d_backward", $grad, $self,
         $result_1)>]>;

//===----------------------------------------------------------------------===//
// Resizing and sampling
//===----------------------------------------------------------------------===//

def : VJP<Aten_UpsampleNearest2dOp, [
    Grad<"self", (call "upsample_nearest2d_backward", $grad, $output_size,
                     (sizes_of $self), $scales_h, $scales_w)>]>;
def : VJP<Aten_UpsampleBilinear2dOp, [
    Grad<"self", (call "upsample_bilinear2d_backward", $grad, $output_size,
                     (sizes_of $self), $align_corners, $scales_h, $scales_w)>]>;
def spatial_sizes : GradientHelper; // all but batch and channels
def factor : GradientHelper;        // of a dimension, if there are any
def : VJP<Aten_UpsampleNearest1dVecOp, [
    Grad<"input", (call "upsample_nearest1d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input),
         (factor $scale_factors, 0))>]>;
def : VJP<Aten_UpsampleNearest2dVecOp, [
    Grad<"input", (call "upsample_nearest2d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input),
         (factor $scale_factors, 0), (factor $scale_factors, 1))>]>;
def : VJP<Aten_UpsampleNearest3dVecOp, [
    Grad<"input", (call "upsample_nearest3d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input),
         (factor $scale_factors, 0), (factor $scale_factors, 1), (factor $scale_factors, 2))>]>;
def : VJP<Aten_UpsampleNearestExact2dVecOp, [
    Grad<"input", (call "_upsample_nearest_exact2d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input),
         (factor $scale_factors, 0), (factor $scale_factors, 1))>]>;
def : VJP<Aten_UpsampleLinear1dVecOp, [
    Grad<"input", (call "upsample_linear1d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input), $align_corners,
         (factor $scale_factors, 0))>]>;
def : VJP<Aten_UpsampleBilinear2dVecOp, [
    Grad<"input", (call "upsample_bilinear2d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input), $align_corners,
         (factor $scale_factors, 0), (factor $scale_factors, 1))>]>;
def : VJP<Aten_UpsampleTrilinear3dVecOp, [
    Grad<"input", (call "upsample_trilinear3d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input), $align_corners,
         (factor $scale_factors, 0), (factor $scale_factors, 1), (factor $scale_factors, 2))>]>;
def : VJP<Aten_UpsampleBicubic2dVecOp, [
    Grad<"input", (call "upsample_bicubic2d_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input), $align_corners,
         (factor $scale_factors, 0), (factor $scale_factors, 1))>]>;
def : VJP<Aten_UpsampleBilinear2dAaVecOp, [
    Grad<"input", (call "_upsample_bilinear2d_aa_backward", $grad,
         (spatial_sizes $grad), (sizes_of $input), $align_corners,
         (factor $scale_factors, 0), (factor $scale_factors, 1))>]>;
def : VJPFunction<"vjpGridSampler", [Aten_GridSampler2dOp,
                                     Aten_GridSampler3dOp]>;
def : VJPFunction<"vjpAffineGrid", [Aten_AffineGridGeneratorOp]>;
def image_sizes : GradientHelper; // the last two, as an argument
def : VJP<Aten_Im2colOp, [
    Grad<"self", (call "col2im", $grad, (image_sizes $self), $kernel_size,
                            $dilation, $padding, $stride)>]>;
def : VJP<Aten_Col2imOp, [
    Grad<"self", (call "im2col", $grad, $kernel_size, $dilation, $padding,
                            $stride)>]>;

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

def : VJP<Aten_ReflectionPad1dOp, [
    Grad<"self", (call "reflection_pad1d_backward", $grad, $self, $padding)>]>;
def : VJP<Aten_ReflectionPad2dOp, [
    Grad<"self", (call "reflection_pad2d_backward", $grad, $self, $padding)>]>;
def : VJP<Aten_ReflectionPad3dOp, [
    Grad<"self", (call "reflection_pad3d_backward", $grad, $self, $padding)>]>;
def : VJP<Aten_ReplicationPad1dOp, [
    Grad<"self", (call "replication_pad1d_backward", $grad, $self, $padding)>]>;
def : VJP<Aten_ReplicationPad2dOp, [
    Grad<"self", (call "replication_pad2d_backward", $grad, $self, $padding)>]>;
def : VJP<Aten_ReplicationPad3dOp, [
    Grad<"self", (call "replication_pad3d_backward", $grad, $self, $padding)>]>;
def : VJPFunction<"vjpPadCircular", [Aten_PadCircularOp]>;

#endif // KILN_DIALECT_ATEN_DERIVATIVES_IMAGEDERIVATIVES_TD
