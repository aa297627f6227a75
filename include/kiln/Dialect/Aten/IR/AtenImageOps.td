//===- AtenImageOps.td - Resizing, padding, sampling -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENIMAGEOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENIMAGEOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def ShuffleFamily : OpFamily<"ShuffleArgs", "Channels, shuffled by groups.",
    ["self", "groups"]>;
def PixelFamily : OpFamily<"PixelArgs", "Channels as pixels, or the other way.",
    ["self", "upscale_factor", "downscale_factor"]>;

def Aten_UpsampleBilinear2dAaVecOp : Aten_PureOp<
    "aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, "
    "bool align_corners, float[]? scale_factors) -> Tensor"> {
  let summary = "Resize images bilinearly, with a filter as wide as the step";
  let shape = "upsample(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"LinearWide", 2>;
}

def Aten_UpsampleNearestExact2dVecOp : Aten_PureOp<
    "aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, "
    "float[]? scale_factors) -> Tensor"> {
  let summary = "Resize images by the nearest pixel's center";
  let shape = "upsample(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"NearestExact", 2>;
}

def Aten_UpsampleBicubic2dVecOp : Aten_PureOp<
    "aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool "
    "align_corners, float[]? scale_factors) -> Tensor"> {
  let summary = "Resize images by cubic interpolation";
  let shape = "upsample(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Cubic", 2>;
}

def Aten_UpsampleBilinear2dOp : Aten_PureOp<
    "aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool "
    "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Resize images bilinearly";
  let shape = "upsampleTo";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 2>;
}

def Aten_UpsampleBilinear2dVecOp : Aten_PureOp<
    "aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool "
    "align_corners, float[]? scale_factors) -> Tensor"> {
  let summary = "Resize images bilinearly";
  let shape = "upsample(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 2>;
}

def Aten_UpsampleBilinear2dBackwardOp : Aten_PureOp<
    "aten::upsample_bilinear2d_backward(Tensor grad_output, SymInt[2] "
    "output_size, SymInt[4] input_size, bool align_corners, float? "
    "scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Gradient of bilinear resizing";
  let shape = "upsampleBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 2>;
}

def Aten_UpsampleLinear1dVecOp : Aten_PureOp<
    "aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool "
    "align_corners, float[]? scale_factors) -> Tensor"> {
  let summary = "Resize signals linearly";
  let shape = "upsample(1)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 1>;
}

def Aten_UpsampleNearest1dVecOp : Aten_PureOp<
    "aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, "
    "float[]? scale_factors) -> Tensor"> {
  let summary = "Resize signals by the nearest element";
  let shape = "upsample(1)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Nearest", 1>;
}

def Aten_UpsampleNearest2dOp : Aten_PureOp<
    "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? "
    "scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Resize images by the nearest pixel";
  let shape = "upsampleTo";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Nearest", 2>;
}

def Aten_UpsampleNearest2dBackwardOp : Aten_PureOp<
    "aten::upsample_nearest2d_backward(Tensor grad_output, SymInt[2] "
    "output_size, SymInt[4] input_size, float? scales_h=None, float? "
    "scales_w=None) -> Tensor"> {
  let summary = "Gradient of nearest resizing";
  let shape = "upsampleBackward";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Nearest", 2>;
}

def Aten_UpsampleNearest3dVecOp : Aten_PureOp<
    "aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, "
    "float[]? scale_factors) -> Tensor"> {
  let summary = "Resize volumes by the nearest element";
  let shape = "upsample(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Nearest", 3>;
}

def Aten_UpsampleTrilinear3dVecOp : Aten_PureOp<
    "aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool "
    "align_corners, float[]? scale_factors) -> Tensor"> {
  let summary = "Resize volumes linearly";
  let shape = "upsample(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 3>;
}

def Aten_UpsampleNearest1dBackwardOp : Aten_PureOp<
    "aten::upsample_nearest1d_backward(Tensor grad_output, SymInt[1] "
    "output_size, SymInt[3] input_size, float? scales=None) -> Tensor"> {
  let summary = "Gradient of nearest resizing";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Nearest", 1>;
}

def Aten_UpsampleNearest3dBackwardOp : Aten_PureOp<
    "aten::upsample_nearest3d_backward(Tensor grad_output, SymInt[3] "
    "output_size, SymInt[5] input_size, float? scales_d=None, float? "
    "scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Gradient of nearest resizing";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Nearest", 3>;
}

def Aten_UpsampleNearestExact2dBackwardOp : Aten_PureOp<
    "aten::_upsample_nearest_exact2d_backward(Tensor grad_output, SymInt[2] "
    "output_size, SymInt[4] input_size, float? scales_h=None, float? "
    "scales_w=None) -> Tensor"> {
  let summary = "Gradient of resizing by the nearest center";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"NearestExact", 2>;
}

def Aten_UpsampleLinear1dBackwardOp : Aten_PureOp<
    "aten::upsample_linear1d_backward(Tensor grad_output, SymInt[1] "
    "output_size, SymInt[3] input_size, bool align_corners, float? "
    "scales=None) -> Tensor"> {
  let summary = "Gradient of linear resizing";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 1>;
}

def Aten_UpsampleTrilinear3dBackwardOp : Aten_PureOp<
    "aten::upsample_trilinear3d_backward(Tensor grad_output, SymInt[3] "
    "output_size, SymInt[5] input_size, bool align_corners, float? "
    "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Gradient of linear resizing";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Linear", 3>;
}

def Aten_UpsampleBicubic2dBackwardOp : Aten_PureOp<
    "aten::upsample_bicubic2d_backward(Tensor grad_output, SymInt[2] "
    "output_size, SymInt[4] input_size, bool align_corners, float? "
    "scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Gradient of cubic resizing";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"Cubic", 2>;
}

def Aten_UpsampleBilinear2dAaBackwardOp : Aten_PureOp<
    "aten::_upsample_bilinear2d_aa_backward(Tensor grad_output, SymInt[2] "
    "output_size, SymInt[4] input_size, bool align_corners, float? "
    "scales_h=None, float? scales_w=None) -> Tensor"> {
  let summary = "Gradient of bilinear resizing with a wide filter";
  let shape = "inputSizes";
  let promotion = PromoteKeepFirst;
  let lowering = LowerResampling<"LinearWide", 2>;
}

def Aten_PadCircularOp : Aten_PureOp<
    "aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor"> {
  let summary = "Pad by repeating periodically";
  let shape = "pad";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Circular">;
}

def Aten_ReflectionPad1dOp : Aten_PureOp<
    "aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor"> {
  let summary = "Pad by reflection";
  let shape = "reflectionPad(1)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Reflect">;
}

def Aten_ReflectionPad1dBackwardOp : Aten_PureOp<
    "aten::reflection_pad1d_backward(Tensor grad_output, Tensor self, "
    "SymInt[2] padding) -> Tensor"> {
  let summary = "Gradient of padding by reflection";
  let shape = "reflectionPadBackward(1)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePadBackward<"Reflect">;
}

def Aten_ReflectionPad2dOp : Aten_PureOp<
    "aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor"> {
  let summary = "Pad by reflection";
  let shape = "reflectionPad(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Reflect">;
}

def Aten_ReflectionPad2dBackwardOp : Aten_PureOp<
    "aten::reflection_pad2d_backward(Tensor grad_output, Tensor self, "
    "SymInt[4] padding) -> Tensor"> {
  let summary = "Gradient of padding by reflection";
  let shape = "reflectionPadBackward(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePadBackward<"Reflect">;
}

def Aten_ReflectionPad3dOp : Aten_PureOp<
    "aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor"> {
  let summary = "Pad by reflection";
  let shape = "reflectionPad(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Reflect">;
}

def Aten_ReflectionPad3dBackwardOp : Aten_PureOp<
    "aten::reflection_pad3d_backward(Tensor grad_output, Tensor self, "
    "SymInt[6] padding) -> Tensor"> {
  let summary = "Gradient of padding by reflection";
  let shape = "reflectionPadBackward(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePadBackward<"Reflect">;
}

def Aten_ReplicationPad1dOp : Aten_PureOp<
    "aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor"> {
  let summary = "Pad by repeating the border";
  let shape = "replicationPad(1)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Replicate">;
}

def Aten_ReplicationPad1dBackwardOp : Aten_PureOp<
    "aten::replication_pad1d_backward(Tensor grad_output, Tensor self, "
    "SymInt[2] padding) -> Tensor"> {
  let summary = "Gradient of padding by the border";
  let shape = "replicationPadBackward(1)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePadBackward<"Replicate">;
}

def Aten_ReplicationPad2dOp : Aten_PureOp<
    "aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor"> {
  let summary = "Pad by repeating the border";
  let shape = "replicationPad(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Replicate">;
}

def Aten_ReplicationPad2dBackwardOp : Aten_PureOp<
    "aten::replication_pad2d_backward(Tensor grad_output, Tensor self, "
    "SymInt[4] padding) -> Tensor"> {
  let summary = "Gradient of padding by the border";
  let shape = "replicationPadBackward(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePadBackward<"Replicate">;
}

def Aten_ReplicationPad3dOp : Aten_PureOp<
    "aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor"> {
  let summary = "Pad by repeating the border";
  let shape = "replicationPad(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePad<"Replicate">;
}

def Aten_ReplicationPad3dBackwardOp : Aten_PureOp<
    "aten::replication_pad3d_backward(Tensor grad_output, Tensor self, "
    "SymInt[6] padding) -> Tensor"> {
  let summary = "Gradient of padding by the border";
  let shape = "replicationPadBackward(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerEdgePadBackward<"Replicate">;
}

def Aten_Im2colOp : Aten_PureOp<
    "aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] "
    "padding, int[2] stride) -> Tensor"> {
  let summary = "Windows of images as columns";
  let shape = "im2col";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerImageToColumns">;
}

def Aten_Col2imOp : Aten_PureOp<
    "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, "
    "int[2] dilation, int[2] padding, int[2] stride) -> Tensor"> {
  let summary = "Sum of columns into images";
  let shape = "col2im";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerColumnsToImage">;
}

def Aten_GridSampler2dOp : Aten_PureOp<
    "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, "
    "int padding_mode, bool align_corners) -> Tensor"> {
  let summary = "Pixels at the places of a grid";
  let modes = (ins Aten_Interpolation:$interpolation_mode,
                   Aten_GridPadding:$padding_mode);
  let shape = "gridSampler(2)";
  let promotion = PromoteSameDType;
  let lowering = LowerBy<"lowerGridSampler", [], GridFamily>;
}

def Aten_GridSampler2dBackwardOp : Aten_PureOp<
    "aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor "
    "grid, int interpolation_mode, int padding_mode, bool align_corners, "
    "bool[2] output_mask) -> (Tensor, Tensor)"> {
  let summary = "Gradients of sampling at a grid";
  let modes = (ins Aten_Interpolation:$interpolation_mode,
                   Aten_GridPadding:$padding_mode);
  let shape = "gridSamplerBackward(2)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerGridSamplerBackward", [], GridFamily>;
}

def Aten_GridSampler3dOp : Aten_PureOp<
    "aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, "
    "int padding_mode, bool align_corners) -> Tensor"> {
  let summary = "Elements of volumes at the places of a grid";
  let modes = (ins Aten_Interpolation:$interpolation_mode,
                   Aten_GridPadding:$padding_mode);
  let shape = "gridSampler(3)";
  let promotion = PromoteSameDType;
  let lowering = LowerBy<"lowerGridSampler", [], GridFamily>;
}

def Aten_GridSampler3dBackwardOp : Aten_PureOp<
    "aten::grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor "
    "grid, int interpolation_mode, int padding_mode, bool align_corners, "
    "bool[2] output_mask) -> (Tensor, Tensor)"> {
  let summary = "Gradients of sampling at a grid";
  let modes = (ins Aten_Interpolation:$interpolation_mode,
                   Aten_GridPadding:$padding_mode);
  let shape = "gridSamplerBackward(3)";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerGridSamplerBackward", [], GridFamily>;
}

def Aten_AffineGridGeneratorOp : Aten_PureOp<
    "aten::affine_grid_generator(Tensor theta, SymInt[] size, bool "
    "align_corners) -> Tensor"> {
  let summary = "Grids of affine maps";
  let shape = "affineGrid";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerAffineGrid">;
}

def Aten_ChannelShuffleOp : Aten_PureOp<
    "aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor"> {
  let summary = "Interleave groups of channels";
  let shape = "channelShuffle";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeChannelShuffle", [], ShuffleFamily>;
}

def Aten_NativeChannelShuffleOp : Aten_PureOp<
    "aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor"> {
  let summary = "Interleave groups of channels";
  let shape = "channelShuffle";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeChannelShuffle", [], ShuffleFamily>;
}

def Aten_PixelShuffleOp : Aten_PureOp<
    "aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor"> {
  let summary = "Channels as pixels";
  let shape = "pixelShuffle";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposePixelShuffle", ["true"], PixelFamily>;
}

def Aten_PixelUnshuffleOp : Aten_PureOp<
    "aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor"> {
  let summary = "Pixels as channels";
  let shape = "pixelShuffle";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposePixelShuffle", ["false"], PixelFamily>;
}

def Aten_UpsampleNearest2dVecOp : Aten_PureOp<
    "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, "
    "float[]? scale_factors) -> Tensor"> {
  let summary = "Enlarge an image by nearest neighbours";
  let shape = "upsample(2)";
  let promotion = PromoteDefault;
  let lowering = LowerResampling<"Nearest", 2>;
  let isCore = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENIMAGEOPS_TD
