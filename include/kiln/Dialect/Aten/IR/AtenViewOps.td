//===- AtenViewOps.td - Views ------------------------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENVIEWOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENVIEWOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_ViewOp : Aten_MappedOp<
    "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", "view"> {
  let summary = "The same elements in another shape";
  let isCore = 1;
}

def Aten_ReshapeOp : Aten_MappedOp<
    "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", "view"> {
  let summary = "The same elements in another shape";
  let mayCopy = 1;
}

def Aten_FlattenUsingIntsOp : Aten_MappedOp<
    "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) "
    "-> Tensor(a)", "flatten"> {
  let summary = "Merge a range of dimensions";
  let mayCopy = 1;
}

def Aten_ExpandOp : Aten_MappedOp<
    "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> "
    "Tensor(a)", "expand"> {
  let summary = "Repeat dimensions of size one";
  let aliases = ["broadcast_to"];
  let isCore = 1;
}

def Aten_PermuteOp : Aten_MappedOp<
    "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", "permute"> {
  let summary = "Reorder dimensions";
  let isCore = 1;
}

def Aten_TransposeIntOp : Aten_MappedOp<
    "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    "transpose"> {
  let summary = "Exchange two dimensions";
  let aliases = ["swapdims"];
  let writers = ["transpose_"];
}

def Aten_TOp : Aten_MappedOp<"aten::t(Tensor(a) self) -> Tensor(a)", "t"> {
  let summary = "Exchange the dimensions of a matrix";
}

def Aten_NumpyTOp : Aten_MappedOp<
    "aten::numpy_T(Tensor(a) self) -> Tensor(a)", "reverseDims"> {
  let summary = "Reverse the dimensions";
}

def Aten_SelectIntOp : Aten_MappedOp<
    "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    "select"> {
  let summary = "One index of a dimension, which goes";
  let isCore = 1;
}

def Aten_SliceTensorOp : Aten_MappedOp<
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? "
    "end=None, SymInt step=1) -> Tensor(a)", "slice"> {
  let summary = "A range of a dimension";
  let isCore = 1;
}

def Aten_SqueezeOp : Aten_MappedOp<
    "aten::squeeze(Tensor(a) self) -> Tensor(a)", "squeeze"> {
  let summary = "Drop all dimensions of size one";
}

def Aten_SqueezeDimOp : Aten_MappedOp<
    "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", "squeeze"> {
  let summary = "Drop a dimension if its size is one";
  let isCore = 1;
}

def Aten_SqueezeDimsOp : Aten_MappedOp<
    "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", "squeeze"> {
  let summary = "Drop those dimensions whose size is one";
  let isCore = 1;
}

def Aten_UnsqueezeOp : Aten_MappedOp<
    "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", "unsqueeze"> {
  let summary = "Add a dimension of size one";
  let isCore = 1;
}

def Aten_SplitTensorOp : Aten_MappedOp<
    "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> "
    "Tensor(a)[]", "split"> {
  let summary = "Parts of equal size along a dimension";
}

def Aten_SplitWithSizesOp : Aten_MappedOp<
    "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int "
    "dim=0) -> Tensor(a)[]", "splitWithSizes"> {
  let summary = "Parts of given sizes along a dimension";
  let decomposition = DecomposeView;
  let isCore = 1;
}

def Aten_ChunkOp : Aten_MappedOp<
    "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    "chunk"> {
  let summary = "So many parts along a dimension";
}

def Aten_UnbindIntOp : Aten_MappedOp<
    "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
    "unbind"> {
  let summary = "All indices of a dimension";
}

def Aten_UnfoldOp : Aten_MappedOp<
    "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> "
    "Tensor(a)", "unfold"> {
  let summary = "Sliding windows along a dimension";
  let isCore = 1;
}

def Aten_AsStridedOp : Aten_MappedOp<
    "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
    "storage_offset=None) -> Tensor(a)", "asStrided"> {
  let summary = "Elements at given strides";
  let decomposition = NotDecomposed;
}

def Aten_DiagonalOp : Aten_MappedOp<
    "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> "
    "Tensor(a)", "diagonal"> {
  let summary = "Diagonals of matrices";
  let decomposition = NotDecomposed;
}

def Aten_ExpandAsOp : Aten_MappedOp<
    "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", "expand"> {
  let summary = "Expand to the shape of other";
  let promotes = ["self"];
}

def Aten_ReshapeAsOp : Aten_MappedOp<
    "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", "view"> {
  let summary = "Reshape to the shape of other";
  let promotes = ["self"];
  let mayCopy = 1;
}

def Aten_ViewAsOp : Aten_MappedOp<
    "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", "view"> {
  let summary = "View in the shape of other";
  let promotes = ["self"];
}

def Aten_ImagOp : Aten_MappedOp<
    "aten::imag(Tensor(a) self) -> Tensor(a)", "imag"> {
  let summary = "Imaginary part";
  let promotion = PromoteComplexToFloat;
  let decomposition = NotDecomposed;
}

def Aten_RealOp : Aten_MappedOp<
    "aten::real(Tensor(a) self) -> Tensor(a)", "real"> {
  let summary = "Real part";
  let promotion = PromoteComplexToFloat;
  let decomposition = NotDecomposed;
}

def Aten_MovedimIntOp : Aten_MappedOp<
    "aten::movedim.int(Tensor(a) self, int source, int destination) -> "
    "Tensor(a)", "movedim"> {
  let summary = "Move a dimension";
  let aliases = ["moveaxis.int"];
}

def Aten_MovedimIntlistOp : Aten_MappedOp<
    "aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> "
    "Tensor(a)", "movedim"> {
  let summary = "Move dimensions";
  let aliases = ["moveaxis.intlist"];
}

def Aten_NarrowOp : Aten_MappedOp<
    "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> "
    "Tensor(a)", "narrow"> {
  let summary = "Range of a dimension by start and length";
}

def Aten_SwapaxesOp : Aten_MappedOp<
    "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
    "transpose"> {
  let summary = "Swap two dimensions";
}

def Aten_UnflattenIntOp : Aten_MappedOp<
    "aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
    "unflatten"> {
  let summary = "Split a dimension into several";
}

def Aten_TensorSplitIndicesOp : Aten_MappedOp<
    "aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int "
    "dim=0) -> Tensor(a)[]", "tensorSplitAt"> {
  let summary = "Parts of a dimension between indices";
}

def Aten_TensorSplitSectionsOp : Aten_MappedOp<
    "aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int "
    "dim=0) -> Tensor(a)[]", "tensorSplit"> {
  let summary = "Parts of a dimension of about equal size";
}

def Aten_ViewDtypeOp : Aten_MappedOp<
    "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
    "viewDtype"> {
  let summary = "The same bytes as another element type";
  let decomposition = NotDecomposed;
}

def Aten_ViewAsComplexOp : Aten_MappedOp<
    "aten::view_as_complex(Tensor(a) self) -> Tensor(a)", "viewAsComplex"> {
  let summary = "Pairs of reals as complex numbers";
  let promotion = PromoteFloatToComplex;
  let decomposition = NotDecomposed;
}

def Aten_ViewAsRealOp : Aten_MappedOp<
    "aten::view_as_real(Tensor(a) self) -> Tensor(a)", "viewAsReal"> {
  let summary = "Complex numbers as pairs of reals";
  let promotion = PromoteComplexToFloat;
  let decomposition = NotDecomposed;
}

def Aten_ToDeviceOp : Aten_PureOp<
    "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool "
    "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
    "Tensor(a)"> {
  let summary = "Convert to a device and an element type";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let decomposition = Decompose<[(convert_like $self, $result, $copy)]>;
  let mayCopy = 1;
  let isView = 1;
}

def Aten_ToDtypeLayoutOp : Aten_PureOp<
    "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None, bool "
    "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
    "Tensor(a)"> {
  let summary = "Convert to an element type";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let decomposition = Decompose<[(convert_like $self, $result, $copy)]>;
  let mayCopy = 1;
  let isView = 1;
}

def Aten_BroadcastTensorsOp : Aten_MappedOp<
    "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]",
    "broadcastTensors"> {
  let summary = "Tensors expanded to one shape";
}

def Aten_MeshgridOp : Aten_MappedOp<
    "aten::meshgrid(Tensor[] tensors) -> Tensor[]", "meshgrid"> {
  let summary = "Coordinates of a grid";
}

#endif // KILN_DIALECT_ATEN_IR_ATENVIEWOPS_TD
