//===- KernelMemory.h - Memrefs made of bare pointers -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOLINALG_KERNELMEMORY_H
#define KILN_LIB_CONVERSION_LOOPTOLINALG_KERNELMEMORY_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::loop {

/// On a kernel's function: the expressions of its integer arguments, in order.
inline constexpr llvm::StringLiteral kSymbolsAttrName = "loop.symbols";

/// On the operation that makes a memref: its sizes as expressions.
inline constexpr llvm::StringLiteral kSizesAttrName = "loop.sizes";

/// A memref of type `type` at `pointer`. `sizes` and `strides` give all
/// dimensions as `index` values. `sizeExprs` are the sizes as expressions.
/// It is a cast of a descriptor, which vanishes
/// when memrefs are lowered.
inline Value createMemRef(ImplicitLocOpBuilder &b, mlir::MemRefType type,
                          Value pointer, ArrayRef<Value> sizes,
                          ArrayRef<Value> strides,
                          ArrayRef<guard::ExprAttr> sizeExprs) {
  mlir::Location loc = b.getLoc();
  mlir::LLVMTypeConverter converter(b.getContext());
  auto descriptor =
      mlir::MemRefDescriptor::poison(b, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(b, loc, pointer);
  descriptor.setAlignedPtr(b, loc, pointer);
  descriptor.setConstantOffset(b, loc, 0);
  auto toI64 = [&](Value value) -> Value {
    return mlir::arith::IndexCastOp::create(b, b.getI64Type(), value);
  };
  for (unsigned k = 0; k < sizes.size(); ++k) {
    descriptor.setSize(b, loc, k, toI64(sizes[k]));
    descriptor.setStride(b, loc, k, toI64(strides[k]));
  }
  auto cast = mlir::UnrealizedConversionCastOp::create(
      b, mlir::TypeRange{type}, mlir::ValueRange{descriptor});
  cast->setAttr(kSizesAttrName,
                guard::ShapeAttr::get(b.getContext(), sizeExprs));
  return cast.getResult(0);
}

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOLINALG_KERNELMEMORY_H
