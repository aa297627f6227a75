//===- RowMemory.h - Columns of numbers that a sort has in memory -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_ROWMEMORY_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_ROWMEMORY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <algorithm>

namespace kiln::loop {

/// Numbers of one type each, from an aligned address on.
class RowMemory {
public:
  static constexpr int64_t kAligned = 16; ///< bytes

  RowMemory(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Type> types)
      : b(b), types(types.begin(), types.end()) {}

  /// The next one, `offset` bytes behind `base`.
  void addColumn(mlir::Value base, mlir::Value offset) {
    mlir::Value bytes =
        mlir::arith::IndexCastOp::create(b, b.getI64Type(), offset);
    addColumn(mlir::LLVM::GEPOp::create(
        b, base.getType(), b.getI8Type(), base,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes}));
  }
  void addColumn(mlir::Value address) { columns.push_back(address); }

  mlir::Type getType(unsigned column) const { return types[column]; }
  /// A number of a column.
  mlir::Value constant(unsigned column, int64_t value) {
    return mlir::arith::ConstantOp::create(
        b, b.getIntegerAttr(types[column], value));
  }

  /// Numbers from `at` on: one, or the lanes of a vector.
  mlir::Value load(unsigned column, mlir::Value at, int64_t lanes) {
    mlir::Type type = types[column];
    int64_t bytes = type.getIntOrFloatBitWidth() / 8 * lanes;
    if (lanes > 1)
      type = mlir::VectorType::get({lanes}, type);
    return mlir::LLVM::LoadOp::create(b, type, address(column, at),
                                      std::min(bytes, kAligned));
  }
  void store(unsigned column, mlir::Value at, mlir::Value value) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
    int64_t bytes = types[column].getIntOrFloatBitWidth() / 8 *
                    (vector ? vector.getNumElements() : 1);
    mlir::LLVM::StoreOp::create(b, value, address(column, at),
                                std::min(bytes, kAligned));
  }

  mlir::Value address(unsigned column, mlir::Value at) {
    mlir::Value offset =
        mlir::arith::IndexCastOp::create(b, b.getI64Type(), at);
    mlir::Value base = columns[column];
    return mlir::LLVM::GEPOp::create(
        b, base.getType(), types[column], base,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{offset});
  }

private:
  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> columns;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_ROWMEMORY_H
