//===- KernelEmitter.cpp - The tensors of a kernel ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

KernelEmitter::KernelEmitter(KernelOp kernel,
                             const analysis::KernelStrides &inputStrides)
    : kernel(kernel), layout(analysis::getLayout(kernel, inputStrides)),
      context(kernel.getContext()),
      b(kernel.getLoc(), kernel.getContext()) {}

InFlightDiagnostic KernelEmitter::refuse(Attribute schedule) {
  return kernel.emitOpError() << "cannot be emitted as '" << schedule << "', ";
}

LogicalResult KernelEmitter::emitAssertion(AssertOp op, Value) {
  return op.emitOpError("stands in a kernel that cannot fail, expected one for a GPU");
}

Value KernelEmitter::firstLanes(Value count, int64_t lanes) {
  Value numbers = vector::StepOp::create(
      b, VectorType::get({lanes}, b.getIndexType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, numbers,
                               broadcast(count, lanes));
}

SmallVector<Value> KernelEmitter::delinearize(Value item,
                                              ArrayRef<ExprAttr> extents) {
  SmallVector<Value> indices(extents.size());
  // The outermost extent other than 1 needs no remainder.
  unsigned first = 0;
  while (first < extents.size() && extents[first].isConstant(1))
    indices[first++] = constantIndex(0);
  for (unsigned k = extents.size(); k-- > first;) {
    if (k == first) {
      indices[k] = item;
      break;
    }
    if (extents[k].isConstant(1)) {
      indices[k] = constantIndex(0);
      continue;
    }
    Value extent = getArgument(extents[k]);
    indices[k] = arith::RemUIOp::create(b, item, extent);
    item = arith::DivUIOp::create(b, item, extent);
  }
  return indices;
}

void KernelEmitter::bindRow(Value result) {
  auto tensor = cast<RankedTensorType>(result.getType());
  SmallVector<ExprAttr> dims = *guard::getDims(tensor);
  SmallVector<ExprAttr> own(dims.begin() + sharedExtents.size(), dims.end());
  int64_t width =
      (getBodyType(tensor.getElementType()).getIntOrFloatBitWidth() + 7) / 8;
  buffers[result] = {
      allocateScratch(guard::getNumElements(context, own) * width),
      layout.lookup(result), tensor.getElementType()};
}

/// Elements that lie one behind the other from the first one of a tensor on, as is known
/// where the kernel has a point.
static int64_t countFirst(KernelOp kernel, RankedTensorType type,
                          ArrayRef<ExprAttr> strides) {
  auto dims = guard::getDims(type);
  if (!dims || dims->size() != strides.size())
    return 0;
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared());
  int64_t first = 1;
  for (auto [extent, stride] : llvm::zip_equal(*dims, strides)) {
    auto constant = extent.getConstant();
    if (constant ? *constant < 1 : !llvm::is_contained(shared, extent))
      return 0;
    if (constant && stride.isConstant(1))
      first = std::max(first, *constant);
  }
  return first;
}

/// Elements from the first to the last one of a tensor, 0 where sizes are not known.
static int64_t countSpan(RankedTensorType type, ArrayRef<ExprAttr> strides) {
  auto dims = guard::getDims(type);
  if (!dims || dims->size() != strides.size())
    return 0;
  uint64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(*dims, strides)) {
    auto count = extent.getConstant(), step = stride.getConstant();
    if (!count || !step || *count < 1 || *step < 0)
      return 0;
    last = llvm::SaturatingMultiplyAdd<uint64_t>(*count - 1, *step, last);
  }
  return std::min<uint64_t>(last, INT64_MAX - 1) + 1;
}

LogicalResult KernelEmitter::bindTensors(ValueRange pointers,
                                         int64_t alignment) {
  Block &body = kernel.getBody().front();
  unsigned slot = 0;
  auto bind = [&](Value value) {
    auto tensor = cast<RankedTensorType>(value.getType());
    SmallVector<ExprAttr> strides = layout.lookup(value);
    int64_t first = countFirst(kernel, tensor, strides);
    int64_t span = countSpan(tensor, strides);
    buffers[value] = {pointers[slot++], std::move(strides),
                      tensor.getElementType(), alignment,
                      /*isConstant=*/false, first, span};
  };
  for (BlockArgument argument : body.getArguments())
    bind(argument);
  for (Value result : body.getTerminator()->getOperands()) {
    if (buffers.count(result))
      return kernel.emitOpError("returns a tensor twice or one of its inputs");
    bind(result);
  }

  sharedExtents = getExprs(kernel.getShared());
  // What stays inside and is more than one value per point is a row of
  // scratch; it is addressed by the nest's own dims.
  for (Operation &op : body) {
    if (auto number = dyn_cast<guard::ValueOp>(op)) {
      captured[number.getResult()] = emitNumber(number);
      continue;
    }
    if (!isa<NestOpInterface>(op)) {
      if (op.hasTrait<OpTrait::IsTerminator>())
        continue;
      Operation *clone = b.clone(op);
      captured[op.getResult(0)] = clone->getResult(0);
      continue;
    }
    for (Value result : op.getResults()) {
      if (!buffers.count(result) && layout.count(result))
        bindRow(result);
    }
  }
  return success();
}

LogicalResult KernelEmitter::checkIndices() {
  if (!unsupported)
    return success();
  return kernel.emitOpError()
         << "computes '" << unsupported.str()
         << "' from its indices, expected integer arithmetic without powers";
}
