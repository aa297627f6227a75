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

def Aten_ViewOp : Aten_PureOp<"view",
    "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_SymInts:$size),
    (outs Aten_Tensor:$result)> {
  let summary = "The same elements in another shape";
  let shape = "view";
  let promotion = PromoteView;
  let lowering = LowerView<"Reshape">;
  let isCore = 1;
  let isView = 1;
}

def Aten_ReshapeOp : Aten_PureOp<"reshape",
    "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_SymInts:$shape),
    (outs Aten_Tensor:$result)> {
  let summary = "The same elements in another shape";
  let shape = "view";
  let promotion = PromoteView;
  let mayCopy = 1;
  let lowering = LowerView<"Reshape">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeReshape">;
}

def Aten_FlattenUsingIntsOp : Aten_PureOp<"flatten.using_ints",
    "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int "
    "end_dim=-1) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$start_dim, Aten_Int:$end_dim),
    (outs Aten_Tensor:$result)> {
  let summary = "Merge a range of dimensions";
  let shape = "flatten";
  let promotion = PromoteView;
  let mayCopy = 1;
  let lowering = LowerView<"Reshape">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeFlatten">;
}

def Aten_ExpandOp : Aten_PureOp<"expand",
    "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> "
    "Tensor(a)",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_Bool:$implicit),
    (outs Aten_Tensor:$result)> {
  let summary = "Repeat dimensions of size one";
  let shape = "expand";
  let promotion = PromoteView;
  let lowering = LowerView<"Expand">;
  let isCore = 1;
  let isView = 1;
}

def Aten_PermuteOp : Aten_PureOp<"permute",
    "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Ints:$dims),
    (outs Aten_Tensor:$result)> {
  let summary = "Reorder dimensions";
  let shape = "permute";
  let promotion = PromoteView;
  let lowering = LowerView<"Permute">;
  let isCore = 1;
  let isView = 1;
}

def Aten_TransposeIntOp : Aten_PureOp<"transpose.int",
    "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim0, Aten_Int:$dim1),
    (outs Aten_Tensor:$result)> {
  let summary = "Exchange two dimensions";
  let shape = "transpose";
  let promotion = PromoteView;
  let lowering = LowerView<"Transpose">;
  let writers = ["transpose_"];
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeTransposeInt">;
}

def Aten_TOp : Aten_PureOp<"t",
    "aten::t(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Exchange the dimensions of a matrix";
  let shape = "t";
  let promotion = PromoteView;
  let lowering = LowerView<"T">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeT">;
}

def Aten_NumpyTOp : Aten_PureOp<"numpy_T",
    "aten::numpy_T(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Reverse the dimensions";
  let shape = "reverseDims";
  let promotion = PromoteView;
  let lowering = LowerView<"Reverse">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeNumpyT">;
}

def Aten_SelectIntOp : Aten_PureOp<"select.int",
    "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInt:$index),
    (outs Aten_Tensor:$result)> {
  let summary = "One index of a dimension, which goes";
  let shape = "select";
  let promotion = PromoteView;
  let lowering = LowerView<"Select">;
  let isCore = 1;
  let isView = 1;
}

def Aten_SliceTensorOp : Aten_PureOp<"slice.Tensor",
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, "
    "SymInt? end=None, SymInt step=1) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim, OptionalAttr<Aten_SymInt>:$start,
         OptionalAttr<Aten_SymInt>:$end, Aten_SymInt:$step),
    (outs Aten_Tensor:$result)> {
  let summary = "A range of a dimension";
  let shape = "slice";
  let promotion = PromoteView;
  let lowering = LowerView<"Slice">;
  let isCore = 1;
  let isView = 1;
}

def Aten_SqueezeOp : Aten_PureOp<"squeeze",
    "aten::squeeze(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Drop all dimensions of size one";
  let shape = "squeeze";
  let promotion = PromoteView;
  let lowering = LowerView<"SqueezeAll">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeSqueeze">;
}

def Aten_SqueezeDimOp : Aten_PureOp<"squeeze.dim",
    "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim),
    (outs Aten_Tensor:$result)> {
  let summary = "Drop a dimension if its size is one";
  let shape = "squeezeDim";
  let promotion = PromoteView;
  let lowering = LowerView<"Squeeze">;
  let isCore = 1;
  let isView = 1;
}

def Aten_SqueezeDimsOp : Aten_PureOp<"squeeze.dims",
    "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Ints:$dim),
    (outs Aten_Tensor:$result)> {
  let summary = "Drop those dimensions whose size is one";
  let shape = "squeezeDims";
  let promotion = PromoteView;
  let lowering = LowerView<"Squeeze">;
  let isCore = 1;
  let isView = 1;
}

def Aten_UnsqueezeOp : Aten_PureOp<"unsqueeze",
    "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim),
    (outs Aten_Tensor:$result)> {
  let summary = "Add a dimension of size one";
  let shape = "unsqueeze";
  let promotion = PromoteView;
  let lowering = LowerView<"Unsqueeze">;
  let isCore = 1;
  let isView = 1;
}

def Aten_SplitTensorOp : Aten_PureOp<"split.Tensor",
    "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) ->"
    " Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_SymInt:$split_size, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of equal size along a dimension";
  let shape = "split";
  let promotion = PromoteView;
  let lowering = LowerView<"Split">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeSplit">;
}

def Aten_SplitWithSizesOp : Aten_PureOp<"split_with_sizes",
    "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int "
    "dim=0) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_SymInts:$split_sizes, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of given sizes along a dimension";
  let shape = "splitWithSizes";
  let promotion = PromoteView;
  let decomposition = DecomposeBy<"decomposeSplitWithSizes">;
  let lowering = LowerView<"Split">;
  let isCore = 1;
  let isView = 1;
}

def Aten_ChunkOp : Aten_PureOp<"chunk",
    "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Int:$chunks, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "So many parts along a dimension";
  let shape = "chunk";
  let promotion = PromoteView;
  let lowering = LowerView<"Split">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeChunk">;
}

def Aten_UnbindIntOp : Aten_PureOp<"unbind.int",
    "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "All indices of a dimension";
  let shape = "unbind";
  let promotion = PromoteView;
  let lowering = LowerView<"Unbind">;
  let isView = 1;
  let decomposition = DecomposeBy<"decomposeUnbind">;
}

def Aten_UnfoldOp : Aten_PureOp<"unfold",
    "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> "
    "Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dimension, Aten_Int:$size,
         Aten_Int:$step),
    (outs Aten_Tensor:$result)> {
  let summary = "Sliding windows along a dimension";
  let shape = "unfold";
  let promotion = PromoteView;
  let lowering = LowerView<"Unfold">;
  let isCore = 1;
  let isView = 1;
}

def Aten_AsStridedOp : Aten_PureOp<"as_strided",
    "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, "
    "SymInt? storage_offset=None) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_SymInts:$size, Aten_SymInts:$stride,
         OptionalAttr<Aten_SymInt>:$storage_offset),
    (outs Aten_Tensor:$result)> {
  let summary = "Elements at given strides";
  let shape = "fromSize";
  let promotion = PromoteKeepFirst;
  let lowering = LowerView<"AsStrided">;
  let isView = 1;
}

def Aten_DiagonalOp : Aten_PureOp<"diagonal",
    "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) "
    "-> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$offset, Aten_Int:$dim1, Aten_Int:$dim2),
    (outs Aten_Tensor:$result)> {
  let summary = "Diagonals of matrices";
  let shape = "diagonal";
  let promotion = PromoteKeepFirst;
  let lowering = LowerView<"Diagonal">;
  let isView = 1;
}

def Aten_ExpandAsOp : Aten_PureOp<"expand_as",
    "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Expand to the shape of other";
  let shape = "sizesOfOther";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[(expand_like $self, $result)]>;
  let isView = 1;
}

def Aten_ReshapeAsOp : Aten_PureOp<"reshape_as",
    "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "Reshape to the shape of other";
  let shape = "sizesOfOther";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[(view_like $self, $result)]>;
  let mayCopy = 1;
  let isView = 1;
}

def Aten_ViewAsOp : Aten_PureOp<"view_as",
    "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Tensor:$other),
    (outs Aten_Tensor:$result)> {
  let summary = "View in the shape of other";
  let shape = "sizesOfOther";
  let promotion = PromoteKeepFirst;
  let promotes = ["self"];
  let decomposition = Decompose<[(view_like $self, $result)]>;
  let isView = 1;
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

def Aten_RealOp : Aten_PureOp<"real",
    "aten::real(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Real part";
  let shape = "realParts";
  let promotion = PromoteComplexToFloat;
  let lowering = LowerView<"Same">;
  let isView = 1;
}

def Aten_MovedimIntOp : Aten_PureOp<"movedim.int",
    "aten::movedim.int(Tensor(a) self, int source, int destination) -> "
    "Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$source, Aten_Int:$destination),
    (outs Aten_Tensor:$result)> {
  let summary = "Move a dimension";
  let shape = "movedim";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(move_dim $self, $source, $destination)]>;
  let isView = 1;
}

def Aten_NarrowOp : Aten_PureOp<"narrow",
    "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> "
    "Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInt:$start,
         Aten_SymInt:$length),
    (outs Aten_Tensor:$result)> {
  let summary = "Range of a dimension by start and length";
  let shape = "narrow";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(narrow $self, $dim, $start, $length)]>;
  let isView = 1;
}

def Aten_SwapaxesOp : Aten_PureOp<"swapaxes",
    "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$axis0, Aten_Int:$axis1),
    (outs Aten_Tensor:$result)> {
  let summary = "Swap two dimensions";
  let shape = "transpose";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[
      (call "transpose.int", $self, $axis0, $axis1)]>;
  let isView = 1;
}

def Aten_UnflattenIntOp : Aten_PureOp<"unflatten.int",
    "aten::unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> "
    "Tensor(a)",
    (ins Aten_Tensor:$self, Aten_Int:$dim, Aten_SymInts:$sizes),
    (outs Aten_Tensor:$result)> {
  let summary = "Split a dimension into several";
  let shape = "unflatten";
  let promotion = PromoteKeepFirst;
  let decomposition = Decompose<[(view_like $self, $result)]>;
  let isView = 1;
}

def Aten_TensorSplitIndicesOp : Aten_PureOp<"tensor_split.indices",
    "aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int "
    "dim=0) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_SymInts:$indices, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of a dimension between indices";
  let shape = "tensorSplit";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeTensorSplitIndices">;
  let isView = 1;
}

def Aten_TensorSplitSectionsOp : Aten_PureOp<"tensor_split.sections",
    "aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int "
    "dim=0) -> Tensor(a)[]",
    (ins Aten_Tensor:$self, Aten_SymInt:$sections, Aten_Int:$dim),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Parts of a dimension of about equal size";
  let shape = "tensorSplit";
  let promotion = PromoteKeepFirst;
  let decomposition = DecomposeBy<"decomposeTensorSplit">;
  let isView = 1;
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
  let isView = 1;
}

def Aten_ViewAsComplexOp : Aten_PureOp<"view_as_complex",
    "aten::view_as_complex(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Pairs of reals as complex numbers";
  let shape = "viewAsComplex";
  let promotion = PromoteNone;
  let isView = 1;
}

def Aten_ViewAsRealOp : Aten_PureOp<"view_as_real",
    "aten::view_as_real(Tensor(a) self) -> Tensor(a)",
    (ins Aten_Tensor:$self),
    (outs Aten_Tensor:$result)> {
  let summary = "Complex numbers as pairs of reals";
  let shape = "viewAsReal";
  let promotion = PromoteNone;
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

def Aten_BroadcastTensorsOp : Aten_PureOp<"broadcast_tensors",
    "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Tensors expanded to one shape";
  let shape = "broadcastTensors";
  let promotion = PromoteNone;
  let decomposition = DecomposeBy<"decomposeBroadcastTensors">;
  let isView = 1;
}

def Aten_MeshgridOp : Aten_PureOp<"meshgrid",
    "aten::meshgrid(Tensor[] tensors) -> Tensor[]",
    (ins Variadic<Aten_Tensor>:$tensors),
    (outs Variadic<Aten_Tensor>:$result)> {
  let summary = "Coordinates of a grid";
  let shape = "meshgrid";
  let promotion = PromoteNone;
  let decomposition = DecomposeBy<"decomposeMeshgrid">;
  let isView = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENVIEWOPS_TD
