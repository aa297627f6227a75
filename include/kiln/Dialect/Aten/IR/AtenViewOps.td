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

def Aten_ViewOp : Aten_MappedOp<"view",
    "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", "view",
    (ins Aten_Tensor:$self, Aten_SymInts:$size)> {
  let summary = "The same elements in another shape";
  let isCore = 1;
}

def Aten_ReshapeOp : Aten_MappedOp<"reshape",
    "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", "view",
    (ins Aten_Tensor:$self, Aten_SymInts:$shape)> {
  let summary = "The same elements in another shape";
  let mayCopy = 1;
}

def Aten_FlattenUsingIntsOp : Aten_MappedOp<"flatten.using_ints",
    "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int "
    "end_dim=-1) -> Tensor(a)", "flatten",
    (ins Aten_Tensor:$self, Aten_Int:$start_dim, Aten_Int:$end_dim)> {
  let summary = "Merge a range of dimensions";
  let mayCopy = 1;
}

def Aten_ExpandOp : Aten_MappedOp<"expand",
    "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> "
    "Tensor(a)", "expand",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_Bool:$implicit)> {
  let summary = "Repeat dimensions of size one";
  let isCore = 1;
}

def Aten_PermuteOp : Aten_MappedOp<"permute",
    "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", "permute",
    (ins Aten_Tensor:$self, Aten_Ints:$dims)> {
  let summary = "Reorder dimensions";
  let isCore = 1;
}

def Aten_TransposeIntOp : Aten_MappedOp<"transpose.int",
    "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    "transpose",
    (ins Aten_Tensor:$self, Aten_Int:$dim0, Aten_Int:$dim1)> {
  let summary = "Exchange two dimensions";
  let writers = ["transpose_"];
}

def Aten_TOp : Aten_MappedOp<"t",
    "aten::t(Tensor(a) self) -> Tensor(a)", "t",
    (ins Aten_Tensor:$self)> {
  let summary = "Exchange the dimensions of a matrix";
}

def Aten_NumpyTOp : Aten_MappedOp<"numpy_T",
    "aten::numpy_T(Tensor(a) self) -> Tensor(a)", "reverseDims",
    (ins Aten_Tensor:$self)> {
  let summary = "Reverse the dimensions";
}

def Aten_SelectIntOp : Aten_MappedOp<"select.int",
    "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    "select",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInt:$index)> {
  let summary = "One index of a dimension, which goes";
  let isCore = 1;
}

def Aten_SliceTensorOp : Aten_MappedOp<"slice.Tensor",
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, "
    "SymInt? end=None, SymInt step=1) -> Tensor(a)", "slice",
    (ins Aten_Tensor:$self, Aten_Int:$dim, OptionalAttr<Aten_SymInt>:$start,
         OptionalAttr<Aten_SymInt>:$end, Aten_SymInt:$step)> {
  let summary = "A range of a dimension";
  let isCore = 1;
}

def Aten_SqueezeOp : Aten_MappedOp<"squeeze",
    "aten::squeeze(Tensor(a) self) -> Tensor(a)", "squeeze",
    (ins Aten_Tensor:$self)> {
  let summary = "Drop all dimensions of size one";
}

def Aten_SqueezeDimOp : Aten_MappedOp<"squeeze.dim",
    "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", "squeeze",
    (ins Aten_Tensor:$self, Aten_Int:$dim)> {
  let summary = "Drop a dimension if its size is one";
  let isCore = 1;
}

def Aten_SqueezeDimsOp : Aten_MappedOp<"squeeze.dims",
    "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", "squeeze",
    (ins Aten_Tensor:$self, Aten_Ints:$dim)> {
  let summary = "Drop those dimensions whose size is one";
  let isCore = 1;
}

def Aten_UnsqueezeOp : Aten_MappedOp<"unsqueeze",
    "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", "unsqueeze",
    (ins Aten_Tensor:$self, Aten_Int:$dim)> {
  let summary = "Add a dimension of size one";
  let isCore = 1;
}

def Aten_SplitTensorOp : Aten_MappedOp<"split.Tensor",
    "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) ->"
    " Tensor(a)[]", "split",
    (ins Aten_Tensor:$self, Aten_SymInt:$split_size, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of equal size along a dimension";
}

def Aten_SplitWithSizesOp : Aten_MappedOp<"split_with_sizes",
    "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int "
    "dim=0) -> Tensor(a)[]", "splitWithSizes",
    (ins Aten_Tensor:$self, Aten_SymInts:$split_sizes, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of given sizes along a dimension";
  let decomposition = DecomposeView;
  let isCore = 1;
}

def Aten_ChunkOp : Aten_MappedOp<"chunk",
    "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    "chunk",
    (ins Aten_Tensor:$self, Aten_Int:$chunks, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "So many parts along a dimension";
}

def Aten_UnbindIntOp : Aten_MappedOp<"unbind.int",
    "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", "unbind",
    (ins Aten_Tensor:$self, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "All indices of a dimension";
}

def Aten_UnfoldOp : Aten_MappedOp<"unfold",
    "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> "
    "Tensor(a)", "unfold",
    (ins Aten_Tensor:$self, Aten_Int:$dimension, Aten_Int:$size,
         Aten_Int:$step)> {
  let summary = "Sliding windows along a dimension";
  let isCore = 1;
}

def Aten_AsStridedOp : Aten_MappedOp<"as_strided",
    "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, "
    "SymInt? storage_offset=None) -> Tensor(a)", "asStrided",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_SymInts:$stride,
         OptionalAttr<Aten_SymInt>:$storage_offset)> {
  let summary = "Elements at given strides";
  let decomposition = NotDecomposed;
}

def Aten_DiagonalOp : Aten_MappedOp<"diagonal",
    "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) "
    "-> Tensor(a)", "diagonal",
    (ins Aten_Tensor:$self, Aten_Int:$offset, Aten_Int:$dim1, Aten_Int:$dim2)> {
  let summary = "Diagonals of matrices";
  let decomposition = NotDecomposed;
}

def Aten_ExpandAsOp : Aten_MappedOp<"expand_as",
    "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", "expand",
    (ins Aten_Tensor:$self, Aten_Tensor:$other)> {
  let summary = "Expand to the shape of other";
  let promotes = ["self"];
}

def Aten_ReshapeAsOp : Aten_MappedOp<"reshape_as",
    "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", "view",
    (ins Aten_Tensor:$self, Aten_Tensor:$other)> {
  let summary = "Reshape to the shape of other";
  let promotes = ["self"];
  let mayCopy = 1;
}

def Aten_ViewAsOp : Aten_MappedOp<"view_as",
    "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", "view",
    (ins Aten_Tensor:$self, Aten_Tensor:$other)> {
  let summary = "View in the shape of other";
  let promotes = ["self"];
}

def Aten_ImagOp : Aten_PureOp<"imag",
    "aten::imag(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Imaginary part";
  let shape = "realParts";
  let promotion = PromoteComplexToFloat;
  let isView = 1;
}

def Aten_RealOp : Aten_MappedOp<"real",
    "aten::real(Tensor(a) self) -> Tensor(a)", "same",
    (ins Aten_Tensor:$self)> {
  let summary = "Real part";
  let promotion = PromoteComplexToFloat;
  let decomposition = NotDecomposed;
  let hasOwnKernel = 1; // of complex numbers
}

def Aten_MovedimIntOp : Aten_MappedOp<"movedim.int",
    "aten::movedim.int(Tensor(a) self, int source, int destination) -> "
    "Tensor(a)", "movedim",
    (ins Aten_Tensor:$self, Aten_Int:$source, Aten_Int:$destination)> {
  let summary = "Move a dimension";
}

def Aten_NarrowOp : Aten_MappedOp<"narrow",
    "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> "
    "Tensor(a)", "narrow",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInt:$start,
         Aten_SymInt:$length)> {
  let summary = "Range of a dimension by start and length";
}

def Aten_SwapaxesOp : Aten_MappedOp<"swapaxes",
    "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
    "transpose",
    (ins Aten_Tensor:$self, Aten_Int:$axis0, Aten_Int:$axis1)> {
  let summary = "Swap two dimensions";
}

def Aten_UnflattenIntOp : Aten_MappedOp<"unflatten.int",
    "aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> "
    "Tensor(a)", "unflatten",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInts:$sizes)> {
  let summary = "Split a dimension into several";
}

def Aten_TensorSplitIndicesOp : Aten_MappedOp<"tensor_split.indices",
    "aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int "
    "dim=0) -> Tensor(a)[]", "tensorSplitAt",
    (ins Aten_Tensor:$self, Aten_SymInts:$indices, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of a dimension between indices";
}

def Aten_TensorSplitSectionsOp : Aten_MappedOp<"tensor_split.sections",
    "aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int "
    "dim=0) -> Tensor(a)[]", "tensorSplit",
    (ins Aten_Tensor:$self, Aten_SymInt:$sections, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of a dimension of about equal size";
}

def Aten_ViewDtypeOp : Aten_PureOp<"view.dtype",
    "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_DType:$dtype),
    (outs Aten_Tensor:$result)> {
  let summary = "The same bytes as another element type";
  let shape = "viewDtype";
  let promotion = PromoteNone;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"Converter::lowerReinterpret">;
  let inverse = "view.dtype";
  let isView = 1;
}

def Aten_ViewAsComplexOp : Aten_PureOp<"view_as_complex",
    "aten::view_as_complex(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Pairs of reals as complex numbers";
  let shape = "viewAsComplex";
  let promotion = PromoteNone;
  let inverse = "view_as_real";
  let isView = 1;
}

def Aten_ViewAsRealOp : Aten_PureOp<"view_as_real",
    "aten::view_as_real(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Complex numbers as pairs of reals";
  let shape = "viewAsReal";
  let promotion = PromoteNone;
  let inverse = "view_as_complex";
  let isView = 1;
}

def Aten_ToDeviceOp : Aten_PureOp<"to.device",
    "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool "
    "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) "
    "-> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Device:$device, Aten_DType:$dtype,
         Aten_Bool:$non_blocking, Aten_Bool:$copy,
         OptionalAttr<Aten_MemoryFormat>:$memory_format),
    (outs Aten_Tensor:$result)> {
  let summary = "Convert to a device and an element type";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let decomposition = Decompose<[(convert_like $self, $result, $copy)]>;
  let mayCopy = 1;
  let isView = 1;
}

def Aten_ToDtypeLayoutOp : Aten_PureOp<"to.dtype_layout",
    "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
    "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) "
    "-> Tensor(a)",
    (ins Aten_Tensor:$self, OptionalAttr<Aten_DType>:$dtype,
         OptionalAttr<Aten_Layout>:$layout, OptionalAttr<Aten_Device>:$device,
         OptionalAttr<Aten_Bool>:$pin_memory, Aten_Bool:$non_blocking,
         Aten_Bool:$copy, OptionalAttr<Aten_MemoryFormat>:$memory_format),
    (outs Aten_Tensor:$result)> {
  let summary = "Convert to an element type";
  let shape = "sameAsFirst";
  let promotion = PromoteLike;
  let promotes = ["self"];
  let decomposition = Decompose<[(convert_like $self, $result, $copy)]>;
  let mayCopy = 1;
  let isView = 1;
}

def Aten_BroadcastTensorsOp : Aten_MappedOp<"broadcast_tensors",
    "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", "broadcastTensors",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Tensors expanded to one shape";
}

def Aten_MeshgridOp : Aten_MappedOp<"meshgrid",
    "aten::meshgrid(Tensor[] tensors) -> Tensor[]", "meshgrid",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Coordinates of a grid";
}

#endif // KILN_DIALECT_ATEN_IR_ATENVIEWOPS_TD
