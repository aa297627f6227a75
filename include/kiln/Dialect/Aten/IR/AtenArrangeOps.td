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

def Aten_UnsafeViewOp : Aten_MappedOp<"_unsafe_view",
    "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", "view",
    (ins Aten_Tensor:$self, Aten_SymInts:$size)> {
  let summary = "The same elements in another shape";
  let isView = 0;
  let hasOwnKernel = 1; // that of `view`
  let decomposition = Decompose<[(view_like $self, $result)]>;
}

def Aten_CatOp : Aten_PureOp<"cat",
    "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors, Aten_Int:$dim),
    (outs Aten_Tensor:$result)> {
  let summary = "Join along a dimension";
  let description = [{
    A one-dimensional tensor of size 0 is left out, whatever the other shapes.
  }];
  let shape = "cat";
  let promotion = PromoteNoOpmath;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"Converter::lowerCat">;
  let isCore = 1;
}

def Aten_StackOp : Aten_PureOp<"stack",
    "aten::stack(Tensor[] tensors, int dim=0) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors, Aten_Int:$dim),
    (outs Aten_Tensor:$result)> {
  let summary = "Join along a new dimension";
  let shape = "stack";
  let promotion = PromoteNoOpmath;
  let decomposition = DecomposeBy<"decomposeStack">;
}

def Aten_RepeatOp : Aten_PureOp<"repeat",
    "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$repeats),
    (outs Aten_Tensor:$result)> {
  let summary = "Repeat along dimensions";
  let shape = "repeat";
  let promotion = PromoteView;
  let decomposition = DecomposeBy<"decomposeRepeat">;
  let lowering = LowerBy<"Converter::lowerRepeat">;
  let isCore = 1;
}

def Aten_FlipOp : Aten_PureOp<"flip",
    "aten::flip(Tensor self, int[] dims) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Ints:$dims),
    (outs Aten_Tensor:$result)> {
  let summary = "Reverse along dimensions";
  let shape = "flip";
  let promotion = PromoteView;
  let lowering = LowerBy<"Converter::lowerFlip">;
  let isCore = 1;
}

def Aten_RollOp : Aten_PureOp<"roll",
    "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$shifts, Aten_Ints:$dims),
    (outs Aten_Tensor:$result)> {
  let summary = "Rotate along dimensions";
  let shape = "roll";
  let promotion = PromoteView;
  let decomposition = DecomposeBy<"decomposeRoll">;
  let lowering = LowerBy<"Converter::lowerRoll">;
  let isCore = 1;
}

def Aten_ConstantPadNdOp : Aten_PureOp<"constant_pad_nd",
    "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$pad, Optional<Aten_Number>:$value),
    (outs Aten_Tensor:$result)> {
  let summary = "Pad with a number";
  let description = [{
    Pairs of widths, the last dimension first; a negative width crops.
  }];
  let shape = "pad";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"Converter::lowerPad">;
  let isCore = 1;
}

def Aten_PadOp : Aten_PureOp<"pad",
    "aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? "
    "value=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$pad, Aten_Word<["constant", "reflect", "replicate", "circular"]>:$mode,
         OptionalAttr<Aten_Float>:$value),
    (outs Aten_Tensor:$result)> {
  let summary = "Pad in a mode";
  let shape = "pad";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposePad">;
}

def Aten_SelectScatterOp : Aten_PureOp<"select_scatter",
    "aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$src, Aten_Int:$dim,
         Aten_SymInt:$index),
    (outs Aten_Tensor:$result)> {
  let summary = "Replace one index of a dimension";
  let shape = "selectScatter";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSelectScatter">;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"Converter::lowerSelectScatter">;
  let isCore = 1;
}

def Aten_SliceScatterOp : Aten_PureOp<"slice_scatter",
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? "
    "start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$src, Aten_Int:$dim,
         OptionalAttr<Aten_SymInt>:$start, OptionalAttr<Aten_SymInt>:$end,
         Aten_SymInt:$step),
    (outs Aten_Tensor:$result)> {
  let summary = "Replace a range of a dimension";
  let shape = "sliceScatter";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSliceScatter">;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"Converter::lowerSliceScatter">;
  let isCore = 1;
}

def Aten_SelectBackwardOp : Aten_PureOp<"select_backward",
    "aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim,"
    " SymInt index) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_SymInts:$input_sizes, Aten_Int:$dim,
         Aten_SymInt:$index),
    (outs Aten_Tensor:$result)> {
  let summary = "Zeros with the gradient at one index";
  let shape = "selectBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSelectBackward">;
}

def Aten_SliceBackwardOp : Aten_PureOp<"slice_backward",
    "aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, "
    "SymInt start, SymInt end, SymInt step) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_SymInts:$input_sizes, Aten_Int:$dim,
         Aten_SymInt:$start, Aten_SymInt:$end, Aten_SymInt:$step),
    (outs Aten_Tensor:$result)> {
  let summary = "Zeros with the gradient in a range";
  let shape = "sliceBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeSliceBackward">;
}

def Aten_AsStridedScatterOp : Aten_PureOp<"as_strided_scatter",
    "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, "
    "SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$src, Aten_SymInts:$size,
         Aten_SymInts:$stride, OptionalAttr<Aten_SymInt>:$storage_offset),
    (outs Aten_Tensor:$result)> {
  let summary = "Write elements at given strides";
  let shape = "stridedScatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[
      (scatter_strided $self, $src, $size, $stride, $storage_offset)]>;
}

def Aten_DiagonalBackwardOp : Aten_PureOp<"diagonal_backward",
    "aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int "
    "offset, int dim1, int dim2) -> Tensor",
    (ins Aten_Tensor:$grad_output, Aten_SymInts:$input_sizes, Aten_Int:$offset,
         Aten_Int:$dim1, Aten_Int:$dim2),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of diagonal";
  let shape = "diagonalBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (replace_diagonal (zeros_of $grad_output, $input_sizes), $grad_output,
                        $offset, $dim1, $dim2)]>;
}

def Aten_DiagonalScatterOp : Aten_PureOp<"diagonal_scatter",
    "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int "
    "dim1=0, int dim2=1) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$src, Aten_Int:$offset, Aten_Int:$dim1,
         Aten_Int:$dim2),
    (outs Aten_Tensor:$result)> {
  let summary = "Write diagonals of matrices";
  let shape = "diagonalScatter";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[
      (replace_diagonal $self, $src, $offset, $dim1, $dim2)]>;
}

def Aten_DiagEmbedOp : Aten_PureOp<"diag_embed",
    "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) "
    "-> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$offset, Aten_Int:$dim1, Aten_Int:$dim2),
    (outs Aten_Tensor:$result)> {
  let summary = "Matrices of given diagonals";
  let shape = "diagEmbed";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (embed_diagonal $self, $result, $offset, $dim1, $dim2)]>;
}

def Aten_ExpandCopyOp : Aten_MappedOp<"expand_copy",
    "aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) "
    "-> Tensor", "expand",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_Bool:$implicit)> {
  let summary = "Copy expanded to sizes";
  let isView = 0;
}

def Aten_PermuteCopyOp : Aten_MappedOp<"permute_copy",
    "aten::permute_copy(Tensor self, int[] dims) -> Tensor", "permute",
    (ins Aten_Tensor:$self, Aten_Ints:$dims)> {
  let summary = "Copy with permuted dimensions";
  let isView = 0;
}

def Aten_SelectCopyIntOp : Aten_MappedOp<"select_copy.int",
    "aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor",
    "select",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInt:$index)> {
  let summary = "Copy of one index of a dimension";
  let isView = 0;
}

def Aten_SliceCopyTensorOp : Aten_MappedOp<"slice_copy.Tensor",
    "aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, "
    "SymInt? end=None, SymInt step=1) -> Tensor", "slice",
    (ins Aten_Tensor:$self, Aten_Int:$dim, OptionalAttr<Aten_SymInt>:$start,
         OptionalAttr<Aten_SymInt>:$end, Aten_SymInt:$step)> {
  let summary = "Copy of a range of a dimension";
  let isView = 0;
}

def Aten_ViewCopyOp : Aten_MappedOp<"view_copy",
    "aten::view_copy(Tensor self, SymInt[] size) -> Tensor", "view",
    (ins Aten_Tensor:$self, Aten_SymInts:$size)> {
  let summary = "Copy in another shape";
  let isView = 0;
}

def Aten_UnsqueezeCopyOp : Aten_MappedOp<"unsqueeze_copy",
    "aten::unsqueeze_copy(Tensor self, int dim) -> Tensor", "unsqueeze",
    (ins Aten_Tensor:$self, Aten_Int:$dim)> {
  let summary = "Copy with a dimension of size one added";
  let isView = 0;
}

def Aten_TransposeCopyIntOp : Aten_MappedOp<"transpose_copy.int",
    "aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
    "transpose",
    (ins Aten_Tensor:$self, Aten_Int:$dim0, Aten_Int:$dim1)> {
  let summary = "Copy with two dimensions exchanged";
  let isView = 0;
}

def Aten_DiagonalCopyOp : Aten_MappedOp<"diagonal_copy",
    "aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) "
    "-> Tensor", "diagonal",
    (ins Aten_Tensor:$self, Aten_Int:$offset, Aten_Int:$dim1, Aten_Int:$dim2)> {
  let summary = "Copy of diagonals of matrices";
  let isView = 0;
  let decomposition = NotDecomposed;
}

def Aten_AsStridedCopyOp : Aten_MappedOp<"as_strided_copy",
    "aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? "
    "storage_offset=None) -> Tensor", "asStrided",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_SymInts:$stride,
         OptionalAttr<Aten_SymInt>:$storage_offset)> {
  let summary = "Copy of elements at given strides";
  let isView = 0;
  let decomposition = NotDecomposed;
}

def Aten_UnfoldBackwardOp : Aten_PureOp<"unfold_backward",
    "aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, "
    "int size, int step) -> Tensor",
    (ins Aten_Tensor:$grad_in, Aten_SymInts:$input_sizes, Aten_Int:$dim,
         Aten_Int:$size, Aten_Int:$step),
    (outs Aten_Tensor:$result)> {
  let summary = "Gradient of unfold";
  let shape = "unfoldBackward";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (fold_windows $grad_in, $input_sizes, $dim, $size, $step)]>;
  let lowering = LowerBy<"lowerUnfoldBackward">;
}

def Aten_CartesianProdOp : Aten_PureOp<"cartesian_prod",
    "aten::cartesian_prod(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result)> {
  let summary = "All combinations of elements";
  let shape = "cartesianProd";
  let promotion = PromoteSameDType;
  let decomposition = Decompose<[(cartesian $tensors)]>;
}

def Aten_HstackOp : Aten_PureOp<"hstack",
    "aten::hstack(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result)> {
  let summary = "Concatenate along dimension 1, vectors along 0";
  let shape = "hstack";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[(join $tensors, 1)]>;
}

def Aten_VstackOp : Aten_PureOp<"vstack",
    "aten::vstack(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result)> {
  let summary = "Concatenate as rows";
  let shape = "vstack";
  let promotion = PromoteDefault;
  let decomposition = Decompose<[(join $tensors, 2)]>;
}

def Aten_TileOp : Aten_PureOp<"tile",
    "aten::tile(Tensor self, SymInt[] dims) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$dims),
    (outs Aten_Tensor:$result)> {
  let summary = "Repeat along dimensions";
  let shape = "tile";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(tile $self, $dims)]>;
}

def Aten_RepeatInterleaveSelfIntOp : Aten_PureOp<"repeat_interleave.self_int",
    "aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? "
    "dim=None, *, SymInt? output_size=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInt:$repeats, OptionalAttr<Aten_Int>:$dim,
         OptionalAttr<Aten_SymInt>:$output_size),
    (outs Aten_Tensor:$result)> {
  let summary = "Repeat each element";
  let shape = "repeatInterleave";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(repeat_each $self, $repeats, $dim)]>;
}

def Aten_Rot90Op : Aten_PureOp<"rot90",
    "aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$k, Aten_Ints:$dims),
    (outs Aten_Tensor:$result)> {
  let summary = "Rotate by quarter turns";
  let shape = "rot90";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(rotate $self, $k, $dims)]>;
}

def Aten_DiffOp : Aten_PureOp<"diff",
    "aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, "
    "Tensor? append=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$n, Aten_Int:$dim,
         Optional<Aten_Tensor>:$prepend, Optional<Aten_Tensor>:$append),
    (outs Aten_Tensor:$result)> {
  let summary = "Differences of neighbours";
  let shape = "diff";
  let promotion = PromoteDefault;
  let promotes = ["self"];
  let decomposition = Decompose<[
      (differences $self, $n, $dim, $prepend, $append)]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD
