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

def TensorFamily : OpFamily<"TensorArgs", "One tensor.", ["self"]>;
def TensorsFamily : OpFamily<"TensorsArgs", "Tensors.", ["tensors"]>;
class DecomposeAtLeast<int rank, Aten_Parameter family>
    : DecomposeBy<"decomposeAtLeast", [!cast<string>(rank)], family>;

def SplitFamily : OpFamily<"SplitArgs", "Copies of parts of equal size.",
    ["self", "split_size", "dim"]>;
def SplitSizesFamily : OpFamily<"SplitSizesArgs", "Copies of parts of given sizes.",
    ["self", "split_sizes", "dim"]>;
def SplitAlongFamily : OpFamily<"SplitAlongArgs",
    "A number of parts, or parts cut at indices.", ["self", "sections", "indices"]>;
class DecomposeSplitAlong<int dim>
    : DecomposeBy<"decomposeSplitAlong", [!cast<string>(dim)], SplitAlongFamily>;

def RepetitionFamily : OpFamily<"RepetitionArgs",
    "Slices, or without a tensor their numbers, each as often as a tensor says.",
    ["self", "repeats", "dim"]>;

def Aten_MTOp : Aten_CompositeOp<"aten::mT(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Matrices with their dimensions exchanged";
  let decomposition = Decompose<[(transpose_last $self)]>;
}

def Aten_MHOp : Aten_CompositeOp<
    "aten::mH(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Conjugated matrices with their dimensions exchanged";
  let decomposition = DecomposeBy<"decomposeAdjoint", [], TensorFamily>;
}

def Aten_AdjointOp : Aten_CompositeOp<
    "aten::adjoint(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Conjugated matrices with their dimensions exchanged";
  let decomposition = DecomposeBy<"decomposeAdjoint", [], TensorFamily>;
}

def Aten_MatrixHOp : Aten_CompositeOp<
    "aten::matrix_H(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Conjugated matrix with its dimensions exchanged";
  let decomposition = DecomposeBy<"decomposeAdjoint", [], TensorFamily>;
}

def Aten_PositiveOp : Aten_CompositeOp<
    "aten::positive(Tensor(a) self) -> Tensor(a)"> {
  let summary = "The tensor itself";
  let decomposition = Decompose<[(itself $self)]>;
}

def Aten_LiftOp : Aten_CompositeOp<"aten::lift(Tensor(a) self) -> Tensor(a)"> {
  let summary = "The tensor itself";
  let decomposition = Decompose<[(itself $self)]>;
}

def Aten_LiftFreshOp : Aten_CompositeOp<
    "aten::lift_fresh(Tensor(a) self) -> Tensor(a)"> {
  let summary = "The tensor itself";
  let decomposition = Decompose<[(itself $self)]>;
}

def Aten_ResolveConjOp : Aten_CompositeOp<
    "aten::resolve_conj(Tensor(a) self) -> Tensor(a)"> {
  let summary = "The tensor itself, with no conjugation pending";
  let decomposition = Decompose<[(itself $self)]>;
}

def Aten_ResolveNegOp : Aten_CompositeOp<
    "aten::resolve_neg(Tensor(a) self) -> Tensor(a)"> {
  let summary = "The tensor itself, with no negation pending";
  let decomposition = Decompose<[(itself $self)]>;
}

def Aten_PlainConjOp : Aten_CompositeOp<
    "aten::conj(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Complex conjugate; reals stay";
  let decomposition = Decompose<[(conjugate $self)]>;
}

def Aten_ConjPhysicalOp : Aten_CompositeOp<
    "aten::conj_physical(Tensor(a) self) -> Tensor(a)"> {
  let summary = "Complex conjugate, written out";
  let decomposition = Decompose<[(conjugate $self)]>;
  let aliases = ["_conj_physical"];
}

def Aten_PinMemoryOp : Aten_CompositeOp<
    "aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)"> {
  let summary = "The tensor itself, in memory that a device reads";
  let decomposition = Decompose<[(itself $self)]>;
}

def Aten_RavelOp : Aten_CompositeOp<
    "aten::ravel(Tensor(a) self) -> Tensor(a)"> {
  let summary = "All elements in a row";
  let decomposition = Decompose<[(row $self)]>;
}

def Aten_LinalgDiagonalOp : Aten_CompositeOp<
    "aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int "
    "dim2=-1) -> Tensor(a)"> {
  let summary = "Diagonals of matrices, as a view";
  let decomposition = Decompose<[(call "diagonal", $A, $offset, $dim1, $dim2)]>;
}

def Aten_TypeAsOp : Aten_CompositeOp<
    "aten::type_as(Tensor self, Tensor other) -> Tensor", "decomposeTypeAs"> {
  let summary = "In the element type of another";
}

def Aten_ToOtherOp : Aten_CompositeOp<
    "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, "
    "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    "decomposeToOther"> {
  let summary = "In the element type of another, a copy if asked";
}

def Aten_SumToSizeOp : Aten_CompositeOp<
    "aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor",
    "decomposeSumToSize"> {
  let summary = "Sum what a broadcast to these sizes repeated";
}

def Aten_Atleast1dOp : Aten_CompositeOp<
    "aten::atleast_1d(Tensor self) -> Tensor"> {
  let summary = "With at least one dimension";
  let decomposition = DecomposeAtLeast<1, TensorFamily>;
}

def Aten_Atleast2dOp : Aten_CompositeOp<
    "aten::atleast_2d(Tensor self) -> Tensor"> {
  let summary = "With at least two dimensions";
  let decomposition = DecomposeAtLeast<2, TensorFamily>;
}

def Aten_Atleast3dOp : Aten_CompositeOp<
    "aten::atleast_3d(Tensor self) -> Tensor"> {
  let summary = "With at least three dimensions";
  let decomposition = DecomposeAtLeast<3, TensorFamily>;
}

def Aten_Atleast1dSequenceOp : Aten_CompositeOp<
    "aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]"> {
  let summary = "Each with at least one dimension";
  let decomposition = DecomposeAtLeast<1, TensorsFamily>;
}

def Aten_Atleast2dSequenceOp : Aten_CompositeOp<
    "aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]"> {
  let summary = "Each with at least two dimensions";
  let decomposition = DecomposeAtLeast<2, TensorsFamily>;
}

def Aten_Atleast3dSequenceOp : Aten_CompositeOp<
    "aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]"> {
  let summary = "Each with at least three dimensions";
  let decomposition = DecomposeAtLeast<3, TensorsFamily>;
}

def Aten_SplitSizesOp : Aten_CompositeOp<
    "aten::split.sizes(Tensor(a) self, SymInt[] split_size, int dim=0) -> "
    "Tensor(a)[]", "decomposeSplitSizes"> {
  let summary = "Parts of given sizes";
}

def Aten_UnsafeSplitTensorOp : Aten_CompositeOp<
    "aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> "
    "Tensor[]"> {
  let summary = "Copies of parts of equal size";
  let decomposition = DecomposeBy<"decomposeSplitCopies", [], SplitFamily>;
}

def Aten_SplitCopyTensorOp : Aten_CompositeOp<
    "aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> "
    "Tensor[]"> {
  let summary = "Copies of parts of equal size";
  let decomposition = DecomposeBy<"decomposeSplitCopies", [], SplitFamily>;
}

def Aten_UnsafeSplitWithSizesOp : Aten_CompositeOp<
    "aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int "
    "dim=0) -> Tensor[]"> {
  let summary = "Copies of parts of given sizes";
  let decomposition = DecomposeBy<"decomposeSplitCopies", [], SplitSizesFamily>;
}

def Aten_SplitWithSizesCopyOp : Aten_CompositeOp<
    "aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) "
    "-> Tensor[]"> {
  let summary = "Copies of parts of given sizes";
  let decomposition = DecomposeBy<"decomposeSplitCopies", [], SplitSizesFamily>;
}

def Aten_UnsafeChunkOp : Aten_CompositeOp<
    "aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
    "decomposeUnsafeChunk"> {
  let summary = "Copies of a number of parts";
}

def Aten_HsplitIntOp : Aten_CompositeOp<
    "aten::hsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]"> {
  let summary = "A number of parts along the columns";
  let decomposition = DecomposeSplitAlong<1>;
}

def Aten_HsplitArrayOp : Aten_CompositeOp<
    "aten::hsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]"> {
  let summary = "Parts along the columns, cut at indices";
  let decomposition = DecomposeSplitAlong<1>;
}

def Aten_VsplitIntOp : Aten_CompositeOp<
    "aten::vsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]"> {
  let summary = "A number of parts along the rows";
  let decomposition = DecomposeSplitAlong<0>;
}

def Aten_VsplitArrayOp : Aten_CompositeOp<
    "aten::vsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]"> {
  let summary = "Parts along the rows, cut at indices";
  let decomposition = DecomposeSplitAlong<0>;
}

def Aten_DsplitIntOp : Aten_CompositeOp<
    "aten::dsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]"> {
  let summary = "A number of parts along the third dimension";
  let decomposition = DecomposeSplitAlong<2>;
}

def Aten_DsplitArrayOp : Aten_CompositeOp<
    "aten::dsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]"> {
  let summary = "Parts along the third dimension, cut at indices";
  let decomposition = DecomposeSplitAlong<2>;
}

def Aten_ColumnStackOp : Aten_CompositeOp<
    "aten::column_stack(Tensor[] tensors) -> Tensor", "decomposeColumnStack"> {
  let summary = "Join as columns";
}

def Aten_DstackOp : Aten_CompositeOp<
    "aten::dstack(Tensor[] tensors) -> Tensor", "decomposeDstack"> {
  let summary = "Join along the third dimension";
}

def Aten_BlockDiagOp : Aten_CompositeOp<
    "aten::block_diag(Tensor[] tensors) -> Tensor", "decomposeBlockDiag"> {
  let summary = "Blocks along the diagonal";
}

def Aten_PadSequenceOp : Aten_CompositeOp<
    "aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float "
    "padding_value=0., str padding_side=\"right\") -> Tensor",
    "decomposePadSequence"> {
  let summary = "Sequences side by side, filled up to the longest";
}

def Aten_DiagOp : Aten_CompositeOp<
    "aten::diag(Tensor self, int diagonal=0) -> Tensor", "decomposeDiag"> {
  let summary = "The diagonal of a matrix, or a matrix of it";
}

def Aten_DiagflatOp : Aten_CompositeOp<
    "aten::diagflat(Tensor self, int offset=0) -> Tensor",
    "decomposeDiagflat"> {
  let summary = "A matrix with all elements on a diagonal";
}

def Aten_FliplrOp : Aten_CompositeOp<"aten::fliplr(Tensor self) -> Tensor"> {
  let summary = "Reverse the columns";
  let decomposition = Decompose<[(call "flip", $self, "{1}")]>;
}

def Aten_FlipudOp : Aten_CompositeOp<"aten::flipud(Tensor self) -> Tensor"> {
  let summary = "Reverse the rows";
  let decomposition = Decompose<[(call "flip", $self, "{0}")]>;
}

def Aten_MsortOp : Aten_CompositeOp<"aten::msort(Tensor self) -> Tensor"> {
  let summary = "Sort along the first dimension";
  let decomposition = Decompose<[(call "sort", $self, 0)]>;
}

def Aten_MeshgridIndexingOp : Aten_CompositeOp<
    "aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
    "decomposeMeshgridIndexing"> {
  let summary = "Tensors spread over a common grid";
}

def Aten_IndexFillIntTensorOp : Aten_CompositeOp<
    "aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor "
    "value) -> Tensor", "decomposeIndexFillIntTensor"> {
  let summary = "Write one element at indices along a dimension";
}

def Aten_ScatterValueReduceOp : Aten_CompositeOp<
    "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar "
    "value, *, str reduce) -> Tensor", "decomposeScatterValueReduce"> {
  let summary = "Combine a number with elements at indices";
}

def Aten_EyeMOp : Aten_CompositeOp<
    "aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "decomposeEyeM"> {
  let summary = "Matrix with ones on the diagonal";
}

def Aten_CombinationsOp : Aten_CompositeOp<
    "aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> "
    "Tensor", "decomposeCombinations"> {
  let summary = "All pairs of elements";
}

def Aten_RepeatInterleaveSelfTensorOp : Aten_CountingCompositeOp<
    "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? "
    "dim=None, *, SymInt? output_size=None) -> Tensor"> {
  let summary = "Repeat each slice as often as a tensor says";
  let decomposition = DecomposeBy<"decomposeRepetitions", [], RepetitionFamily>;
  let shape = "repeatedSlices";
}

def Aten_RepeatInterleaveTensorOp : Aten_CountingCompositeOp<
    "aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? "
    "output_size=None) -> Tensor"> {
  let summary = "Numbers of slices, each as often as a tensor says";
  let decomposition = DecomposeBy<"decomposeRepetitions", [], RepetitionFamily>;
  let shape = "repeatedSlices";
}

def Aten_ReshapeAliasOp : Aten_CompositeOp<
    "aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> "
    "Tensor(a)", "decomposeReshapeAlias"> {
  let summary = "The same elements in another shape";
}

def Aten_ReshapeCopyOp : Aten_CompositeOp<
    "aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor",
    "decomposeReshapeCopy"> {
  let summary = "Copy in another shape";
}

def Aten_ZeroOp : Aten_CompositeOp<"aten::zero(Tensor self) -> Tensor"> {
  let summary = "Zeros in the shape of a tensor";
  let decomposition = Decompose<[(filled $self, 0)]>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENCOMPOSITEVIEWSOPS_TD
