//===- PackedCopy.h - Elements of a tensor, laid out anew -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   makePackedCopy(kernel, "k_left", {%x, [d1, d0], [64, 112], 100, f32},
//   op.getLoc())
//
// is a kernel before `kernel` that makes a tensor<64x112xf32>: %x[d1, d0] where
// d1 is less than 100, and zeros behind that.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_PACKEDCOPY_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_PACKEDCOPY_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

struct PackedCopy {
  Value tensor;
  SmallVector<guard::ExprAttr> map; ///< of the tensor, at a point of the copy
  SmallVector<guard::ExprAttr> extents; ///< of the copy
  /// Elements along the last extent, a constant where that is more.
  guard::ExprAttr last;
  Type element; ///< of the copy

  RankedTensorType getType() const {
    return guard::makeTensorType(element, extents);
  }
  bool operator==(const PackedCopy &other) const {
    return tensor == other.tensor && map == other.map &&
           extents == other.extents && last == other.last &&
           element == other.element;
  }
};

/// A kernel of that name before `reader` that copies so. An element is what
/// `change` makes of it, if there is one.
KernelOp makePackedCopy(
    KernelOp reader, const llvm::Twine &name, const PackedCopy &copy,
    mlir::Location location, mlir::ArrayAttr origins,
    llvm::function_ref<Value(mlir::OpBuilder &, Value)> change = nullptr);

/// Lets a contraction of `kernel` read the left or the right operand from
/// `made`, at `map`.
void readOperandFrom(KernelOp kernel, ContractOp op, bool isLeft, Value made,
                     ArrayRef<guard::ExprAttr> map);

/// Drops inputs that are not read any more.
void dropUnreadInputs(KernelOp kernel);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_PACKEDCOPY_H
