//===- AtenCompositeViewsOps.td - Composite views, joins ---*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCOMPOSITEVIEWSOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCOMPOSITEVIEWSOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_MTOp : Aten_CompositeOp<"mT",
    "aten::mT(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeMT"> {
  let summary = "Matrices with their dimensions exchanged";
}

def Aten_MHOp : Aten_CompositeOp<"mH",
    "aten::mH(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeMH"> {
  let summary = "Conjugated matrices with their dimensions exchanged";
}

def Aten_AdjointOp : Aten_CompositeOp<"adjoint",
    "aten::adjoint(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeAdjoint"> {
  let summary = "Conjugated matrices with their dimensions exchanged";
}

def Aten_MatrixHOp : Aten_CompositeOp<"matrix_H",
    "aten::matrix_H(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeMatrixH"> {
  let summary = "Conjugated matrix with its dimensions exchanged";
}

def Aten_PositiveOp : Aten_CompositeOp<"positive",
    "aten::positive(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposePositive"> {
  let summary = "The tensor itself";
}

def Aten_LiftOp : Aten_CompositeOp<"lift",
    "aten::lift(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeLift"> {
  let summary = "The tensor itself";
}

def Aten_LiftFreshOp : Aten_CompositeOp<"lift_fresh",
    "aten::lift_fresh(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeLiftFresh"> {
  let summary = "The tensor itself";
}

def Aten_ResolveConjOp : Aten_CompositeOp<"resolve_conj",
    "aten::resolve_conj(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeResolveConj"> {
  let summary = "The tensor itself, with no conjugation pending";
}

def Aten_ResolveNegOp : Aten_CompositeOp<"resolve_neg",
    "aten::resolve_neg(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeResolveNeg"> {
  let summary = "The tensor itself, with no negation pending";
}

def Aten_PlainConjOp : Aten_CompositeOp<"conj",
    "aten::conj(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposePlainConj"> {
  let summary = "Complex conjugate; reals stay";
}

def Aten_ConjPhysicalOp : Aten_CompositeOp<"conj_physical",
    "aten::conj_physical(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeConjPhysical"> {
  let summary = "Complex conjugate, written out";
}

def Aten_PinMemoryOp : Aten_CompositeOp<"pin_memory",
    "aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_Device>:$device),
    (outs Aten_Tensor:$result), "decomposePinMemory"> {
  let summary = "The tensor itself, in memory that a device reads";
}

def Aten_RavelOp : Aten_CompositeOp<"ravel",
    "aten::ravel(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeRavel"> {
  let summary = "All elements in a row";
}

def Aten_MovedimIntlistOp : Aten_CompositeOp<"movedim.intlist",
    "aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) "
    "-> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Ints:$source, Aten_Ints:$destination),
    (outs Aten_Tensor:$result), "decomposeMovedimIntlist"> {
  let summary = "Move several dimensions to other places";
}

def Aten_LinalgDiagonalOp : Aten_CompositeOp<"linalg_diagonal",
    "aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int "
    "dim2=-1) -> Tensor(a)",
    (ins Aten_Tensor:$A, Aten_Int:$offset, Aten_Int:$dim1, Aten_Int:$dim2),
    (outs Aten_Tensor:$result), "decomposeLinalgDiagonal"> {
  let summary = "Diagonals of matrices, as a view";
}

def Aten_TypeAsOp : Aten_CompositeOp<"type_as",
    "aten::type_as(Tensor self, Tensor other) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result), "decomposeTypeAs"> {
  let summary = "In the element type of another";
}

def Aten_ToOtherOp : Aten_CompositeOp<"to.other",
    "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, "
    "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Tensor:$other, Aten_Bool:$non_blocking,
         Aten_Bool:$copy, OptionalAttr<Aten_MemoryFormat>:$memory_format),
    (outs Aten_Tensor:$result), "decomposeToOther"> {
  let summary = "In the element type of another, a copy if asked";
}

def Aten_SumToSizeOp : Aten_CompositeOp<"sum_to_size",
    "aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$size),
    (outs Aten_Tensor:$result), "decomposeSumToSize"> {
  let summary = "Sum what a broadcast to these sizes repeated";
}

def Aten_Atleast1dOp : Aten_CompositeOp<"atleast_1d",
    "aten::atleast_1d(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeAtleast1d"> {
  let summary = "With at least one dimension";
}

def Aten_Atleast2dOp : Aten_CompositeOp<"atleast_2d",
    "aten::atleast_2d(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeAtleast2d"> {
  let summary = "With at least two dimensions";
}

def Aten_Atleast3dOp : Aten_CompositeOp<"atleast_3d",
    "aten::atleast_3d(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeAtleast3d"> {
  let summary = "With at least three dimensions";
}

def Aten_Atleast1dSequenceOp : Aten_CompositeOp<"atleast_1d.Sequence",
    "aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result), "decomposeAtleast1dSequence"> {
  let summary = "Each with at least one dimension";
}

def Aten_Atleast2dSequenceOp : Aten_CompositeOp<"atleast_2d.Sequence",
    "aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result), "decomposeAtleast2dSequence"> {
  let summary = "Each with at least two dimensions";
}

def Aten_Atleast3dSequenceOp : Aten_CompositeOp<"atleast_3d.Sequence",
    "aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result), "decomposeAtleast3dSequence"> {
  let summary = "Each with at least three dimensions";
}

def Aten_SplitSizesOp : Aten_CompositeOp<"split.sizes",
    "aten::split.sizes(Tensor(a) self, SymInt[] split_size, int dim=0) -> "
    "Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_SymInts:$split_size, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result), "decomposeSplitSizes"> {
  let summary = "Parts of given sizes";
}

def Aten_UnsafeSplitTensorOp : Aten_CompositeOp<"unsafe_split.Tensor",
    "aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> "
    "Tensor[]",
    (ins Aten_Tensor:$self, Aten_SymInt:$split_size, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result), "decomposeUnsafeSplitTensor"> {
  let summary = "Copies of parts of equal size";
}

def Aten_SplitCopyTensorOp : Aten_CompositeOp<"split_copy.Tensor",
    "aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> "
    "Tensor[]",
    (ins Aten_Tensor:$self, Aten_SymInt:$split_size, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result), "decomposeSplitCopyTensor"> {
  let summary = "Copies of parts of equal size";
}

def Aten_UnsafeSplitWithSizesOp : Aten_CompositeOp<"unsafe_split_with_sizes",
    "aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int "
    "dim=0) -> Tensor[]",
    (ins Aten_Tensor:$self, Aten_SymInts:$split_sizes, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result), "decomposeUnsafeSplitWithSizes"> {
  let summary = "Copies of parts of given sizes";
}

def Aten_SplitWithSizesCopyOp : Aten_CompositeOp<"split_with_sizes_copy",
    "aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int "
    "dim=0) -> Tensor[]",
    (ins Aten_Tensor:$self, Aten_SymInts:$split_sizes, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result), "decomposeSplitWithSizesCopy"> {
  let summary = "Copies of parts of given sizes";
}

def Aten_UnsafeChunkOp : Aten_CompositeOp<"unsafe_chunk",
    "aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
    (ins Aten_Tensor:$self, Aten_Int:$chunks, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result), "decomposeUnsafeChunk"> {
  let summary = "Copies of a number of parts";
}

def Aten_HsplitIntOp : Aten_CompositeOp<"hsplit.int",
    "aten::hsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Int:$sections),
    (outs Variadic<Aten_Tensor>:$result), "decomposeHsplitInt"> {
  let summary = "A number of parts along the columns";
}

def Aten_HsplitArrayOp : Aten_CompositeOp<"hsplit.array",
    "aten::hsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Ints:$indices),
    (outs Variadic<Aten_Tensor>:$result), "decomposeHsplitArray"> {
  let summary = "Parts along the columns, cut at indices";
}

def Aten_VsplitIntOp : Aten_CompositeOp<"vsplit.int",
    "aten::vsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Int:$sections),
    (outs Variadic<Aten_Tensor>:$result), "decomposeVsplitInt"> {
  let summary = "A number of parts along the rows";
}

def Aten_VsplitArrayOp : Aten_CompositeOp<"vsplit.array",
    "aten::vsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Ints:$indices),
    (outs Variadic<Aten_Tensor>:$result), "decomposeVsplitArray"> {
  let summary = "Parts along the rows, cut at indices";
}

def Aten_DsplitIntOp : Aten_CompositeOp<"dsplit.int",
    "aten::dsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Int:$sections),
    (outs Variadic<Aten_Tensor>:$result), "decomposeDsplitInt"> {
  let summary = "A number of parts along the third dimension";
}

def Aten_DsplitArrayOp : Aten_CompositeOp<"dsplit.array",
    "aten::dsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Ints:$indices),
    (outs Variadic<Aten_Tensor>:$result), "decomposeDsplitArray"> {
  let summary = "Parts along the third dimension, cut at indices";
}

def Aten_ColumnStackOp : Aten_CompositeOp<"column_stack",
    "aten::column_stack(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result), "decomposeColumnStack"> {
  let summary = "Join as columns";
}

def Aten_DstackOp : Aten_CompositeOp<"dstack",
    "aten::dstack(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result), "decomposeDstack"> {
  let summary = "Join along the third dimension";
}

def Aten_BlockDiagOp : Aten_CompositeOp<"block_diag",
    "aten::block_diag(Tensor[] tensors) -> Tensor",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Aten_Tensor:$result), "decomposeBlockDiag"> {
  let summary = "Blocks along the diagonal";
}

def Aten_PadSequenceOp : Aten_CompositeOp<"pad_sequence",
    "aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float "
    "padding_value=0., str padding_side=\"right\") -> Tensor",
    (ins Variadic<Aten_Tensor>:$sequences, Aten_Bool:$batch_first,
         Aten_Float:$padding_value, Aten_Str:$padding_side),
    (outs Aten_Tensor:$result), "decomposePadSequence"> {
  let summary = "Sequences side by side, filled up to the longest";
}

def Aten_DiagOp : Aten_CompositeOp<"diag",
    "aten::diag(Tensor self, int diagonal=0) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$diagonal),
    (outs Aten_Tensor:$result), "decomposeDiag"> {
  let summary = "The diagonal of a matrix, or a matrix of it";
}

def Aten_DiagflatOp : Aten_CompositeOp<"diagflat",
    "aten::diagflat(Tensor self, int offset=0) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$offset),
    (outs Aten_Tensor:$result), "decomposeDiagflat"> {
  let summary = "A matrix with all elements on a diagonal";
}

def Aten_FliplrOp : Aten_CompositeOp<"fliplr",
    "aten::fliplr(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeFliplr"> {
  let summary = "Reverse the columns";
}

def Aten_FlipudOp : Aten_CompositeOp<"flipud",
    "aten::flipud(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeFlipud"> {
  let summary = "Reverse the rows";
}

def Aten_MsortOp : Aten_CompositeOp<"msort",
    "aten::msort(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeMsort"> {
  let summary = "Sort along the first dimension";
}

def Aten_MeshgridIndexingOp : Aten_CompositeOp<"meshgrid.indexing",
    "aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
    (ins Variadic<Aten_Tensor>:$tensors, Aten_Str:$indexing),
    (outs Variadic<Aten_Tensor>:$result), "decomposeMeshgridIndexing"> {
  let summary = "Tensors spread over a common grid";
}

def Aten_IndexFillIntTensorOp : Aten_CompositeOp<"index_fill.int_Tensor",
    "aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor "
    "value) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_Tensor:$index,
         Aten_Tensor:$value),
    (outs Aten_Tensor:$result), "decomposeIndexFillIntTensor"> {
  let summary = "Write one element at indices along a dimension";
}

def Aten_ScatterValueReduceOp : Aten_CompositeOp<"scatter.value_reduce",
    "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar "
    "value, *, str reduce) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_Tensor:$index,
         Aten_Number:$value, Aten_Str:$reduce),
    (outs Aten_Tensor:$result), "decomposeScatterValueReduce"> {
  let summary = "Combine a number with elements at indices";
}

def Aten_EyeMOp : Aten_CompositeOp<"eye.m",
    "aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    (ins Aten_SymInt:$n, Aten_SymInt:$m, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory),
    (outs Aten_Tensor:$result), "decomposeEyeM"> {
  let summary = "Matrix with ones on the diagonal";
}

def Aten_CombinationsOp : Aten_CompositeOp<"combinations",
    "aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> "
    "Tensor",
    (ins Aten_Tensor:$self, Aten_Int:$r, Aten_Bool:$with_replacement),
    (outs Aten_Tensor:$result), "decomposeCombinations"> {
  let summary = "All pairs of elements";
}

def Aten_RepeatInterleaveSelfTensorOp
    : Aten_CountingCompositeOp<"repeat_interleave.self_Tensor",
    "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? "
    "dim=None, *, SymInt? output_size=None) -> Tensor",
    (ins Aten_Tensor:$self, Aten_Tensor:$repeats, OptionalAttr<Aten_Int>:$dim,
         OptionalAttr<Aten_SymInt>:$output_size),
    (outs Aten_Tensor:$result), "decomposeRepeatInterleaveSelfTensor"> {
  let summary = "Repeat each slice as often as a tensor says";
  let shape = "repeatedSlices";
}

def Aten_RepeatInterleaveTensorOp
    : Aten_CountingCompositeOp<"repeat_interleave.Tensor",
    "aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? "
    "output_size=None) -> Tensor",
    (ins Aten_Tensor:$repeats, OptionalAttr<Aten_SymInt>:$output_size),
    (outs Aten_Tensor:$result), "decomposeRepeatInterleaveTensor"> {
  let summary = "Numbers of slices, each as often as a tensor says";
  let shape = "repeatedSlices";
}

def Aten_ReshapeAliasOp : Aten_CompositeOp<"_reshape_alias",
    "aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> "
    "Tensor(a)",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_SymInts:$stride),
    (outs Aten_Tensor:$result), "decomposeReshapeAlias"> {
  let summary = "The same elements in another shape";
}

def Aten_ReshapeCopyOp : Aten_CompositeOp<"_reshape_copy",
    "aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor",
    (ins Aten_Tensor:$self, Aten_SymInts:$size),
    (outs Aten_Tensor:$result), "decomposeReshapeCopy"> {
  let summary = "Copy in another shape";
}

def Aten_ZeroOp : Aten_CompositeOp<"zero",
    "aten::zero(Tensor self) -> Tensor",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result), "decomposeZero"> {
  let summary = "Zeros in the shape of a tensor";
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITEVIEWSOPS_TD
