//===- GridProductEmitter.cpp - Tiles of a product, step by step ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Threads of a multiprocessor that multiply without matrix units: fewer do not keep it
/// busy, and each has 128 registers.
static constexpr int64_t kFmaThreads = 512;

/// The address of byte `bytes + more` of shared memory.
Value GridProductEmitter::getShared(Value bytes, int64_t more) {
  if (more)
    bytes = add(bytes, constantIndex(more));
  return LLVM::GEPOp::create(b, sharedBase.getType(), b.getI8Type(), sharedBase,
                             ArrayRef<LLVM::GEPArg>{toWord(bytes)});
}

int64_t GridProductEmitter::getSumPitch() const {
  return schedule.getColumns() + 8;
}

bool GridProductEmitter::copiesAhead() {
  GPUTargetAttr target = getGPUTarget(function);
  return !target || target.getCapability() >= kGPUCopiesAhead;
}

/// All steps of the sum, several of them copied ahead of the one that is multiplied.
LogicalResult GridProductEmitter::emitSteps() {
  int64_t stages = schedule.getStages();
  Value zero = constantIndex(0), one = constantIndex(1);
  for (int64_t k = 0; k + 1 < stages; ++k) {
    if (failed(emitIf(isLess(constantIndex(k), tile.steps), [&] {
          return copy(constantIndex(k * stageBytes),
                      add(tile.sumBegin, constantIndex(k * schedule.getSum())));
        })))
      return failure();
    if (copiesAhead())
      NVVM::CpAsyncCommitGroupOp::create(b);
  }
  SmallVector<Value> carried = {zero, constantIndex((stages - 1) * stageBytes)};
  llvm::append_range(carried, getZeros());
  auto loop = scf::ForOp::create(b, zero, tile.steps, one, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value read = loop.getRegionIterArg(0), write = loop.getRegionIterArg(1);
    // After this, everybody's copies for this step are there, and nobody reads what
    // was multiplied last, which is overwritten next.
    if (copiesAhead())
      NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
    NVVM::Barrier0Op::create(b);
    Value ahead = add(loop.getInductionVar(), constantIndex(stages - 1));
    Value start = add(tile.sumBegin, mul(ahead, schedule.getSum()));
    SmallVector<Value> loaded[2];
    for (auto [k, operand] : llvm::enumerate(operands)) {
      if (operand.isAsync) {
        (void)emitIf(isLess(ahead, tile.steps), [&, &operand = operand] {
          copyAsync(operand, write, start);
          return success();
        });
        continue;
      }
      auto values = loadChunks(operand, start);
      if (failed(values))
        return failure();
      loaded[k] = std::move(*values);
    }
    if (copiesAhead())
      NVVM::CpAsyncCommitGroupOp::create(b);
    SmallVector<Value> sums =
        multiply(read, loop.getRegionIterArgs().drop_front(2));
    for (auto [k, operand] : llvm::enumerate(operands))
      if (!operand.isAsync)
        storeChunks(operand, write, loaded[k]);
    Value end = constantIndex(stages * stageBytes);
    SmallVector<Value> next;
    for (Value place : {read, write}) {
      Value moved = add(place, constantIndex(stageBytes));
      Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, moved, end);
      next.push_back(arith::SelectOp::create(b, isEnd, zero, moved));
    }
    llvm::append_range(next, sums);
    scf::YieldOp::create(b, next);
  }
  // The stages become the memory of the sums.
  NVVM::Barrier0Op::create(b);
  storeSums(loop.getResults().drop_front(2));
  return success();
}

/// Neighbours of the result by thread: from shared memory through the epilogue, or
/// into the memory of the parts.
LogicalResult GridProductEmitter::emitFinish() {
  NVVM::Barrier0Op::create(b);
  int64_t lanes = schedule.getLanes(), columns = schedule.getColumns();
  int64_t width = sumType.getIntOrFloatBitWidth() / 8;
  Type type = lanes == 1 ? sumType : VectorType::get({lanes}, sumType);
  unsigned alignment = std::min<int64_t>(lanes * width, 16);
  Value end = constantIndex(schedule.getRows() * columns / lanes);
  auto loop = scf::ForOp::create(b, thread, end, constantIndex(threads));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value perRow = constantIndex(columns / lanes);
    Value row = arith::DivUIOp::create(b, loop.getInductionVar(), perRow);
    Value column =
        mul(arith::RemUIOp::create(b, loop.getInductionVar(), perRow), lanes);
    Value place = mul(add(mul(row, getSumPitch()), column), width);
    LogicalResult finished =
        finishInside(tile, row, column, [&]() -> Value {
          Value from = getShared(place);
          if (!tileSums.empty())
            keptPlace = from;
          return LLVM::LoadOp::create(b, type, from, alignment);
        });
    keptPlace = {};
    if (failed(finished))
      return failure();
  }
  return tileSums.empty() ? success() : emitTileSums();
}

LogicalResult GridProductEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  for (unsigned k = 0; k < 2; ++k) {
    operands[k].number = k;
    if (failed(describe(operands[k])))
      return failure();
  }
  int64_t sums = schedule.getRows() * getSumPitch() *
                 (sumType.getIntOrFloatBitWidth() / 8);
  sharedBytes = std::max(schedule.getStages() * stageBytes, sums);
  sharedBase = getSharedMemory();
  blocks = countTiles();
  if (schedule.getUnit() == ProductUnit::Fma && sumType.isF32())
    // Otherwise steps loaded ahead take the registers of a second block.
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(
                          std::max<int64_t>(kFmaThreads / threads, 1)));
  tile = enterTile(block);
  for (Operand &operand : operands) {
    operand.base = emitIndex(shape.addresses[operand.number], tile.matrix);
    makeChunks(operand);
  }
  return failure(failed(emitSteps()) || failed(emitFinish()));
}
