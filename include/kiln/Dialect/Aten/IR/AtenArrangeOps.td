//===- AtenArrangeOps.td - Rearranged copies --------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_UnsafeViewOp : Aten_MappedOp<
    "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", "view"> {
  let summary = "The same elements in another shape";
  let isView = 0;
  let isSilentView = 1;
  let decomposition = Decompose<[(view_like $self, $result)]>;
}

def Aten_CatOp : Aten_PureOp<
    "aten::cat(Tensor[] tensors, int dim=0) -> Tensor"> {
  let summary = "Join along a dimension";
  let aliases = ["concat", "concatenate"];
  let description = [{
    A one-dimensional tensor of size 0 is left out, whatever the other shapes.
  }];
  let shape = "cat";
  let promotion = PromoteNoOpmath;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerCat">;
  let isCore = 1;
}

def Aten_StackOp : Aten_PureOp<
    "aten::stack(Tensor[] tensors, int dim=0) -> Tensor"> {
  let summary = "Join along a new dimension";
  let shape = "stack";
  let promotion = PromoteNoOpmath;
  let decomposition = DecomposeBy<"decomposeStack">;
}

def Aten_RepeatOp : Aten_PureOp<
    "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor"> {
  let summary = "Repeat along dimensions";
  let shape = "repeat";
  let promotion = PromoteView;
  let decomposition = DecomposeBy<"decomposeRepeat">;
  let isCore = 1;
}

def Aten_FlipOp : Aten_PureOp<"aten::flip(Tensor self, int[] dims) -> Tensor"> {
  let summary = "Reverse along dimensions";
  let shape = "flip";
  let promotion = PromoteView;
  let lowering = LowerBy<"lowerFlip">;
  let isCore = 1;
}

def Aten_RollOp : Aten_PureOp<
    "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor"> {
  let summary = "Rotate along dimensions";
  let shape = "roll";
  let promotion = PromoteView;
  let decomposition = DecomposeBy<"decomposeRoll">;
  let isCore = 1;
}

def Aten_ConstantPadNdOp : Aten_PureOp<
    "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> "
    "Tensor"> {
  let summary = "Pad with a number";
  let description = [{
    Pairs of widths, the last dimension first; a negative width crops.
  }];
  let shape = "pad";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerPad">;
  let isCore = 1;
}

def Aten_PadOp : Aten_PureOp<
    "aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? "
    "value=None) "
    "-> Tensor"> {
  let summary = "Pad in a mode";
  let modes = (ins Aten_Words<["constant", "reflect", "replicate", "circular"]>:$mode);
  let shape = "pad";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposePad">;
}

def Aten_SelectScatterOp : Aten_PureOp<
    "aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> "
    "Tensor"> {
  let summary = "Replace one index of a dimension";
  let shape = "selectScatter";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSelectScatter">;
  let takesSmallFloats = 1;
  let isCore = 1;
}

def Aten_SliceScatterOp : Aten_PureOp<
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? "
    "start=None, SymInt? end=None, SymInt step=1) -> Tensor"> {
  let summary = "Replace a range of a dimension";
  let shape = "sliceScatter";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSliceScatter">;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerSliceScatter">;
  let isCore = 1;
}

def Aten_SelectBackwardOp : Aten_PureOp<
    "aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, "
    "SymInt index) -> Tensor"> {
  let summary = "Zeros with the gradient at one index";
  let shape = "selectBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSelectBackward">;
}

def Aten_SliceBackwardOp : Aten_PureOp<
    "aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, "
    "SymInt start, SymInt end, SymInt step) -> Tensor"> {
  let summary = "Zeros with the gradient in a range";
  let shape = "sliceBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSliceBackward">;
}

def Aten_AsStridedScatterOp : Aten_PureOp<
    "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] "
    "stride, SymInt? storage_offset=None) -> Tensor"> {
  let summary = "Write elements at given strides";
  let shape = "stridedScatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[
      (scatter_strided $self, $src, $size, $stride, $storage_offset)]>;
}

def Aten_DiagonalBackwardOp : Aten_PureOp<
    "aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int "
    "offset, int dim1, int dim2) -> Tensor"> {
  let summary = "Gradient of diagonal";
  let shape = "diagonalBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (replace_diagonal (zeros_of $grad_output, $input_sizes), $grad_output,
                        $offset, $dim1, $dim2)]>;
}

def Aten_DiagonalScatterOp : Aten_PureOp<
    "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, "
    "int dim2=1) -> Tensor"> {
  let summary = "Write diagonals of matrices";
  let shape = "diagonalScatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[
      (replace_diagonal $self, $src, $offset, $dim1, $dim2)]>;
}

def Aten_DiagEmbedOp : Aten_PureOp<
    "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> "
    "Tensor"> {
  let summary = "Matrices of given diagonals";
  let shape = "diagEmbed";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (embed_diagonal $self, $result, $offset, $dim1, $dim2)]>;
}

def Aten_ExpandCopyOp : Aten_MappedOp<
    "aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> "
    "Tensor", "expand"> {
  let summary = "Copy expanded to sizes";
  let isView = 0;
}

def Aten_PermuteCopyOp : Aten_MappedOp<
    "aten::permute_copy(Tensor self, int[] dims) -> Tensor", "permute"> {
  let summary = "Copy with permuted dimensions";
  let isView = 0;
}

def Aten_SelectCopyIntOp : Aten_MappedOp<
    "aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor",
    "select"> {
  let summary = "Copy of one index of a dimension";
  let isView = 0;
}

def Aten_SliceCopyTensorOp : Aten_MappedOp<
    "aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, "
    "SymInt? end=None, SymInt step=1) -> Tensor", "slice"> {
  let summary = "Copy of a range of a dimension";
  let isView = 0;
}

def Aten_ViewCopyOp : Aten_MappedOp<
    "aten::view_copy(Tensor self, SymInt[] size) -> Tensor", "view"> {
  let summary = "Copy in another shape";
  let isView = 0;
}

def Aten_UnsqueezeCopyOp : Aten_MappedOp<
    "aten::unsqueeze_copy(Tensor self, int dim) -> Tensor", "unsqueeze"> {
  let summary = "Copy with a dimension of size one added";
  let isView = 0;
}

def Aten_TransposeCopyIntOp : Aten_MappedOp<
    "aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
    "transpose"> {
  let summary = "Copy with two dimensions exchanged";
  let isView = 0;
}

def Aten_SqueezeCopyOp : Aten_MappedOp<
    "aten::squeeze_copy(Tensor self) -> Tensor", "squeeze"> {
  let summary = "Copy without dimensions of size one";
  let isView = 0;
}

def Aten_SqueezeCopyDimOp : Aten_MappedOp<
    "aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor", "squeeze"> {
  let summary = "Copy without a dimension if its size is one";
  let isView = 0;
}

def Aten_SqueezeCopyDimsOp : Aten_MappedOp<
    "aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor", "squeeze"> {
  let summary = "Copy without those of some dimensions whose size is one";
  let isView = 0;
}

def Aten_TCopyOp : Aten_MappedOp<"aten::t_copy(Tensor self) -> Tensor", "t"> {
  let summary = "Copy of a matrix, transposed";
  let isView = 0;
}

def Aten_UnfoldCopyOp : Aten_MappedOp<
    "aten::unfold_copy(Tensor self, int dimension, int size, int step) -> "
    "Tensor", "unfold"> {
  let summary = "Copy of the windows along a dimension";
  let isView = 0;
  let decomposition = NotDecomposed;
}

def Aten_DiagonalCopyOp : Aten_MappedOp<
    "aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> "
    "Tensor", "diagonal"> {
  let summary = "Copy of diagonals of matrices";
  let isView = 0;
  let decomposition = NotDecomposed;
}

def Aten_AsStridedCopyOp : Aten_MappedOp<
    "aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, "
    "SymInt? storage_offset=None) -> Tensor", "asStrided"> {
  let summary = "Copy of elements at given strides";
  let isView = 0;
  let decomposition = NotDecomposed;
}

def Aten_UnfoldBackwardOp : Aten_PureOp<
    "aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int "
    "size, int step) -> Tensor"> {
  let summary = "Gradient of unfold";
  let shape = "unfoldBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (fold_windows $grad_in, $input_sizes, $dim, $size, $step)]>;
}

def Aten_CartesianProdOp : Aten_PureOp<
    "aten::cartesian_prod(Tensor[] tensors) -> Tensor"> {
  let summary = "All combinations of elements";
  let shape = "cartesianProd";
  let promotion = PromoteSameDType;
  let decomposition = Decompose<[(cartesian $tensors)]>;
}

def Aten_HstackOp : Aten_PureOp<"aten::hstack(Tensor[] tensors) -> Tensor"> {
  let summary = "Concatenate along dimension 1, vectors along 0";
  let shape = "hstack";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[(join $tensors, 1)]>;
}

def Aten_VstackOp : Aten_PureOp<"aten::vstack(Tensor[] tensors) -> Tensor"> {
  let summary = "Concatenate as rows";
  let aliases = ["row_stack"];
  let shape = "vstack";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[(join $tensors, 2)]>;
}

def Aten_TileOp : Aten_PureOp<
    "aten::tile(Tensor self, SymInt[] dims) -> Tensor"> {
  let summary = "Repeat along dimensions";
  let shape = "tile";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(tile $self, $dims)]>;
}

def Aten_RepeatInterleaveSelfIntOp : Aten_PureOp<
    "aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? "
    "dim=None, *, SymInt? output_size=None) -> Tensor"> {
  let summary = "Repeat each element";
  let shape = "repeatInterleave";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(repeat_each $self, $repeats, $dim)]>;
}

def Aten_Rot90Op : Aten_PureOp<
    "aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor"> {
  let summary = "Rotate by quarter turns";
  let shape = "rot90";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(rotate $self, $k, $dims)]>;
}

def Aten_DiffOp : Aten_PureOp<
    "aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, "
    "Tensor? append=None) -> Tensor"> {
  let summary = "Differences of neighbours";
  let shape = "diff";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = Decompose<[
      (differences $self, $n, $dim, $prepend, $append)]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD
