//===- ContractionKernels.h - Compiled matrix products for tests ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_TARGET_CONTRACTIONKERNELS_H
#define KILN_TEST_UNITTESTS_TARGET_CONTRACTIONKERNELS_H

#include "kiln/Target/CPU/CPUTarget.h"

#include "../../../lib/Conversion/LoopToScf/ContractionEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::target {

/// One product with row-major operands, A and B possibly transposed.
struct ProductShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposeA = false, transposeB = false, transposeC = false;
  /// Sizes and strides are runtime values rather than constants.
  bool dynamic = false;
};

/// Builds kernel @k: ptr[0] A, ptr[1] B, ptr[2] C; sym batch, m, n, k.
/// `adjust` may change the specification before code is emitted.
inline mlir::OwningOpRef<mlir::ModuleOp> buildProduct(
    mlir::MLIRContext &context, const ProductShape &shape, mlir::Type type,
    mlir::Type sumType, const CPUTarget &target, loop::ContractionPlan &plan,
    const std::function<void(mlir::OpBuilder &, loop::ContractionSpec &,
                             mlir::Value pointers)> &adjust = {}) {
  using namespace mlir;
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  Type ptr = LLVM::LLVMPointerType::get(&context);
  Type i64 = b.getI64Type();
  auto function = func::FuncOp::create(
      b, loc, "k", b.getFunctionType({ptr, ptr, i64, i64, ptr}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  Value pointers = entry->getArgument(0), symbols = entry->getArgument(1);
  auto pointer = [&](int32_t i) -> Value {
    Value at = LLVM::GEPOp::create(b, loc, ptr, ptr, pointers,
                                   ArrayRef<LLVM::GEPArg>{i});
    return LLVM::LoadOp::create(b, loc, ptr, at);
  };
  auto size = [&](int32_t i, int64_t number) -> loop::Extent {
    if (!shape.dynamic)
      return number;
    Value at = LLVM::GEPOp::create(b, loc, ptr, i64, symbols,
                                   ArrayRef<LLVM::GEPArg>{i});
    return Value(LLVM::LoadOp::create(b, loc, i64, at));
  };
  loop::ContractionSpec spec;
  spec.sumType = sumType;
  spec.batch = size(0, shape.batch);
  spec.m = size(1, shape.m);
  spec.n = size(2, shape.n);
  spec.k = size(3, shape.k);
  auto product = [&](loop::Extent x, loop::Extent y) -> loop::Extent {
    if (x.constant && y.constant)
      return *x.constant * *y.constant;
    return Value(LLVM::MulOp::create(b, loc, x.value, y.value));
  };
  auto matrix = [&](int32_t i, loop::Extent rows, loop::Extent columns,
                    bool transposed) {
    loop::ContractionOperand operand;
    operand.base = pointer(i);
    operand.type = type;
    operand.batchStride = product(rows, columns);
    operand.rowStride = transposed ? loop::Extent(1) : columns;
    operand.columnStride = transposed ? rows : loop::Extent(1);
    return operand;
  };
  spec.a = matrix(0, spec.m, spec.k, shape.transposeA);
  spec.b = matrix(1, spec.k, spec.n, shape.transposeB);
  spec.c = matrix(2, spec.m, spec.n, shape.transposeC);
  if (adjust)
    adjust(b, spec, pointers);
  plan = loop::planContraction(
      spec, {target.vectorBits, target.vectorRegisters, target.l2Bytes});
  loop::emitContraction(b, loc, spec, plan, entry->getArgument(2),
                        entry->getArgument(3), entry->getArgument(4));
  func::ReturnOp::create(b, loc);
  return module;
}

} // namespace kiln::target

#endif // KILN_TEST_UNITTESTS_TARGET_CONTRACTIONKERNELS_H
