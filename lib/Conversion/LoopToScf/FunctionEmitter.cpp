//===- FunctionEmitter.cpp - The function of a kernel ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Arguments are loaded once, at the top of the function.
Value FunctionEmitter::emitArgument(unsigned number) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(begin.getDefiningOp());
  Value pointer = LLVM::GEPOp::create(
      b, LLVM::LLVMPointerType::get(context), b.getI64Type(), symbolArray,
      ArrayRef<LLVM::GEPArg>{int32_t(number)});
  return LLVM::LoadOp::create(b, b.getI64Type(), pointer);
}

Value FunctionEmitter::allocateScratch(ExprAttr bytes) {
  if (!scratchBytes)
    scratchBytes = guard::getConstant(context, 0);
  Value offset = getWord(scratchBytes);
  scratchBytes = scratchBytes + guard::ceilDiv(bytes, 64) * 64;
  return LLVM::GEPOp::create(b, LLVM::LLVMPointerType::get(context),
                             b.getI8Type(), scratchPointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

unsigned FunctionEmitter::getPointerCount() {
  return kernel.getInputs().size() + kernel.getNumResults();
}

void FunctionEmitter::setStreamed(ArrayRef<int64_t> numbers) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  for (int64_t number : numbers)
    streamed.insert(terminator->getOperand(number));
}

/// Where inputs are found by their numbers, kernels differ in how many there are: the
/// numbers of others are constants, too, which `loop-share-kernels` may hand in.
void FunctionEmitter::numberPointers(ArrayRef<Value> pointers) {
  OpBuilder::InsertionGuard guard(b);
  for (auto [k, pointer] : llvm::enumerate(pointers)) {
    auto load = pointer.getDefiningOp<LLVM::LoadOp>();
    auto slot = load.getAddr().getDefiningOp<LLVM::GEPOp>();
    b.setInsertionPoint(slot);
    Value number = arith::ConstantIntOp::create(b, int64_t(k), 64);
    load.getAddrMutable().assign(
        LLVM::GEPOp::create(b, slot.getType(), slot.getElemType(),
                            slot.getBase(), ArrayRef<LLVM::GEPArg>{number}));
    slot.erase();
  }
}

/// Indices and constants that a body turned out not to use would only be lowered, and
/// tell kernels apart that are alike.
static void eraseUnused(mlir::func::FuncOp function) {
  SmallVector<Operation *> operations;
  function.walk([&](Operation *op) {
    if (op->getNumRegions() == 0)
      operations.push_back(op);
  });
  for (Operation *op : llvm::reverse(operations))
    if (isOpTriviallyDead(op))
      op->erase();
}

FailureOr<EmittedKernel> FunctionEmitter::emit(OpBuilder &builder,
                                               StringRef name) {
  gathersIn32 = true;
  auto pointerType = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = builder.getFunctionType(
      {pointerType, pointerType, i64, i64, pointerType}, {});
  b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  EmittedKernel result;
  result.function = mlir::func::FuncOp::create(b, name, type);
  Block *entry = result.function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto terminator = mlir::func::ReturnOp::create(b);
  b.setInsertionPoint(terminator);

  // Arguments are loaded before these casts, hence before every use.
  auto indexType = b.getIndexType();
  begin = arith::IndexCastOp::create(b, indexType, entry->getArgument(2));
  end = arith::IndexCastOp::create(b, indexType, entry->getArgument(3));
  Value pointerArray = inputPointers = entry->getArgument(0);
  symbolArray = entry->getArgument(1);
  scratchPointer = entry->getArgument(4);
  unsigned count = getPointerCount();
  SmallVector<Value> pointers;
  for (unsigned k = 0; k < count; ++k) {
    Value slot = LLVM::GEPOp::create(b, pointerType, pointerType, pointerArray,
                                     ArrayRef<LLVM::GEPArg>{int32_t(k)});
    pointers.push_back(LLVM::LoadOp::create(b, pointerType, slot));
  }
  if (failed(bindPointers(pointers)) || failed(emitItems()) ||
      failed(checkIndices()))
    return failure();
  if (findsInputs)
    numberPointers(pointers);
  // Others see what went past the caches before what follows.
  if (!streamed.empty())
    LLVM::CallIntrinsicOp::create(
        b, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());

  eraseUnused(result.function);
  for (auto &[expr, value] : arguments)
    result.symbols.push_back(expr);
  result.work = work;
  result.scratch = scratchBytes;
  return result;
}
