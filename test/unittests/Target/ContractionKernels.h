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

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"

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

/// What a caller of the kernel needs to know.
struct ProductPlan {
  int64_t scratchBytes = 0;
  loop::ContractionItem item;

  int64_t workItems(int64_t batch, int64_t m, int64_t n) const {
    auto divideUp = [](int64_t x, int64_t y) { return (x + y - 1) / y; };
    return batch * divideUp(m, item.rows) * divideUp(n, item.columns);
  }
};

/// The schedule for a product on a processor.
inline loop::ScheduleAttr chooseSchedule(mlir::MLIRContext &context,
                                         const loop::ContractionSpec &spec,
                                         const CPUTarget &target) {
  loop::Machine machine;
  machine.vectorBits = target.vectorBits;
  machine.registers = target.vectorRegisters;
  machine.masks = target.hasFeature(KILN_CPU_AVX512);
  machine.l2Bytes = target.l2Bytes;
  if (target.bf16 != BF16Unit::Fma)
    machine.bf16 = target.bf16 == BF16Unit::Tiles ? loop::DotUnit::Tiles
                                                  : loop::DotUnit::Pairs;
  loop::ProductShape product;
  product.batch = spec.batch.constant;
  product.m = spec.m.constant;
  product.n = spec.n.constant;
  product.k = spec.k.constant;
  product.sumBits = spec.sumType.getIntOrFloatBitWidth();
  product.ofBF16 = spec.ofBF16;
  product.aRows = spec.a.columnStride.is(1);
  product.bRows = spec.b.columnStride.is(1);
  product.bColumns = spec.b.rowStride.is(1);
  product.cRows = spec.c.columnStride.is(1);
  return loop::toAttribute(&context, loop::chooseProduct(product, machine));
}

/// Builds kernel @k: ptr[0] A, ptr[1] B, ptr[2] C; sym batch, m, n, k.
/// `adjust` may change the specification before code is emitted.
inline mlir::OwningOpRef<mlir::ModuleOp> buildProduct(
    mlir::MLIRContext &context, const ProductShape &shape, mlir::Type type,
    mlir::Type sumType, const CPUTarget &target, ProductPlan &plan,
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
  spec.ofBF16 = type.isBF16();
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
  context.loadDialect<loop::LoopDialect>();
  loop::ScheduleAttr schedule = chooseSchedule(context, spec, target);
  plan.scratchBytes = loop::getContractionScratch(spec, schedule);
  plan.item = loop::getContractionItem(spec, schedule);
  loop::emitContraction(b, loc, spec, schedule, entry->getArgument(2),
                        entry->getArgument(3), entry->getArgument(4));
  func::ReturnOp::create(b, loc);
  return module;
}

} // namespace kiln::target

#endif // KILN_TEST_UNITTESTS_TARGET_CONTRACTIONKERNELS_H
