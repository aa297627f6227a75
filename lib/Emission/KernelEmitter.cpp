//===- KernelEmitter.cpp - The frame of a kernel --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Value KernelEmitter::allocateScratch(ExprAttr bytes) {
  if (!scratchBytes)
    scratchBytes = guard::getConstant(context, 0);
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(),
                                            getArgument(scratchBytes));
  scratchBytes = scratchBytes + guard::ceilDiv(bytes, 64) * 64;
  return LLVM::GEPOp::create(b, LLVM::LLVMPointerType::get(context),
                             b.getI8Type(), scratchPointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

FailureOr<EmittedKernel> KernelEmitter::emit(OpBuilder &builder,
                                             StringRef name) {
  auto pointerType = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = builder.getFunctionType(
      {pointerType, pointerType, i64, i64, pointerType}, {});
  b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  function = mlir::func::FuncOp::create(b, name, type);
  entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto terminator = mlir::func::ReturnOp::create(b);
  b.setInsertionPoint(terminator);

  // Arguments are loaded before these casts, hence before every use.
  auto indexType = b.getIndexType();
  begin = arith::IndexCastOp::create(b, indexType, entry->getArgument(2));
  end = arith::IndexCastOp::create(b, indexType, entry->getArgument(3));
  Value pointerArray = entry->getArgument(0);
  symbolArray = entry->getArgument(1);
  scratchPointer = entry->getArgument(4);
  auto loadPointer = [&](unsigned k) -> Value {
    Value slot = LLVM::GEPOp::create(b, pointerType, pointerType, pointerArray,
                                     ArrayRef<LLVM::GEPArg>{int32_t(k)});
    return LLVM::LoadOp::create(b, pointerType, slot);
  };

  Block &body = kernel.getBody().front();
  unsigned slot = 0;
  for (BlockArgument argument : body.getArguments()) {
    auto tensor = cast<RankedTensorType>(argument.getType());
    buffers[argument] = {loadPointer(slot++), layout.lookup(argument),
                         tensor.getElementType()};
  }
  for (Value result : body.getTerminator()->getOperands()) {
    auto tensor = cast<RankedTensorType>(result.getType());
    Value pointer = loadPointer(slot++);
    if (buffers.count(result)) {
      kernel.emitOpError("returns a tensor twice or one of its inputs");
      return failure();
    }
    buffers[result] = {pointer, layout.lookup(result),
                       tensor.getElementType()};
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
      auto tensor = cast<RankedTensorType>(result.getType());
      if (buffers.count(result) || !layout.count(result))
        continue;
      SmallVector<ExprAttr> dims = *guard::getDims(tensor);
      SmallVector<ExprAttr> own(dims.begin() + sharedExtents.size(),
                                dims.end());
      int64_t width =
          (getBodyType(tensor.getElementType()).getIntOrFloatBitWidth() + 7) /
          8;
      buffers[result] = {
          allocateScratch(guard::getNumElements(context, own) * width),
          layout.lookup(result), tensor.getElementType()};
    }
  }

  if (failed(emitItems()))
    return failure();
  if (unsupported) {
    kernel.emitOpError() << "computes '" << unsupported.str()
                         << "' from its indices, expected integer arithmetic "
                            "without powers";
    return failure();
  }

  EmittedKernel result;
  result.function = function;
  for (auto &[expr, value] : arguments)
    result.symbols.push_back(expr);
  result.work = work;
  result.scratch = scratchBytes;
  return result;
}
