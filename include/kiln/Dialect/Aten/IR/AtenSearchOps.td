//===- AtenSearchOps.td - Sorting, searching, counting -----*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENSEARCHOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENSEARCHOPS_TD

include "kiln/Dialect/Aten/IR/AtenBase.td"

def Aten_ArgsortOp : Aten_PureOp<
    "aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor"> {
  let summary = "Indices that sort";
  let shape = "sameWithDim";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerRows<"lowerArgsort">;
}

def Aten_ArgsortStableOp : Aten_PureOp<
    "aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool "
    "descending=False) -> Tensor"> {
  let summary = "Indices that sort, equal elements in order";
  let shape = "sameWithDim";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerRows<"lowerArgsort">;
}

def Aten_SortOp : Aten_PureOp<
    "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor "
    "values, Tensor indices)"> {
  let summary = "Sorted elements, and where they were";
  let shape = "scanWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerSort">;
}

def Aten_SortStableOp : Aten_PureOp<
    "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool "
    "descending=False) -> (Tensor values, Tensor indices)"> {
  let summary = "Sorted elements, equal ones in order, and where they were";
  let shape = "scanWithIndex";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerSort">;
}

def Aten_TopkOp : Aten_PureOp<
    "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool "
    "sorted=True) -> (Tensor values, Tensor indices)"> {
  let summary = "Greatest or least elements, and where they were";
  let shape = "topk";
  let promotion = PromoteNoOpmath;
  let lowering = LowerRows<"lowerTopk">;
}

def Aten_BucketizeTensorOp : Aten_PureOp<
    "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool "
    "out_int32=False, bool right=False) -> Tensor"> {
  let summary = "Index of the bucket of each element";
  let shape = "bucketize";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerBy<"lowerBucketize">;
}

def Aten_SearchsortedTensorOp : Aten_PureOp<
    "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool "
    "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) "
    "-> Tensor"> {
  let summary = "Index at which each element would be inserted";
  let modes = (ins Aten_Words<["left", "right"]>:$side);
  let shape = "bucketize";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerBy<"lowerSearchSorted">;
}

def Aten_HistcOp : Aten_PureOp<
    "aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> "
    "Tensor"> {
  let summary = "Histogram";
  let shape = "histc";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerHistogram">;
}

def Aten_BincountOp : Aten_CountingOp<
    "aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> "
    "Tensor"> {
  let summary = "Number of occurrences";
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "bincount";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerBincount">;
}

def Aten_NonzeroOp : Aten_CountingOp<"aten::nonzero(Tensor self) -> Tensor"> {
  let summary = "Indices of elements that are not zero";
  let aliases = ["argwhere"];
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "nonzero";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerBy<"lowerNonzero">;
}

def Aten_NonzeroStaticOp : Aten_PureOp<
    "aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> "
    "Tensor"> {
  let summary = "Indices of elements that are not zero, to a fixed number";
  let shape = "nonzeroStatic";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerBy<"lowerNonzeroStatic">;
}

def Aten_MaskedSelectOp : Aten_CountingOp<
    "aten::masked_select(Tensor self, Tensor mask) -> Tensor"> {
  let summary = "Elements where a mask is true";
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "maskedSelect";
  let promotion = PromoteKeepFirst;
  let takesSmallFloats = 1;
  let lowering = LowerBy<"lowerMaskedSelect">;
}

def Aten_WhereOp : Aten_CountingOp<
    "aten::where(Tensor condition) -> Tensor[]"> {
  let summary = "Indices of true elements by dimension";
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "nonzeroPerDim";
  let promotion = PromoteAlwaysI64;
  let lowering = LowerBy<"lowerWhere">;
}

def Aten_Unique2Op : Aten_CountingOp<
    "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, "
    "bool return_counts=False) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Distinct elements";
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "unique";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerUnique", [], UniqueFamily>;
}

def Aten_UniqueConsecutiveOp : Aten_CountingOp<
    "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool "
    "return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)"> {
  let summary = "Elements that differ from the one before";
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "unique";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerUniqueConsecutive", [], UniqueFamily>;
}

def Aten_UniqueDimOp : Aten_CountingOp<
    "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool "
    "return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, "
    "Tensor)"> {
  let summary = "Distinct slices";
  let description = [{
    Values decide about the number: it is what the program has recorded.
  }];
  let shape = "uniqueSlices";
  let promotion = PromoteKeepFirst;
  let lowering = LowerBy<"lowerUniqueDim", [], UniqueFamily>;
}

#endif // KILN_DIALECT_ATEN_IR_ATENSEARCHOPS_TD
