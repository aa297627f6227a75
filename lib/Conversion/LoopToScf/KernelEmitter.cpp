//===- KernelEmitter.cpp - Work items of one fused kernel -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

KernelEmitter::KernelEmitter(KernelOp kernel,
                             const analysis::KernelStrides &inputStrides)
    : kernel(kernel),
      layout(analysis::getLayout(kernel, inputStrides)), context(kernel.getContext()), b(kernel.getLoc(), kernel.getContext()) {}

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

LogicalResult KernelEmitter::emitNestsAt(const Position &shared, bool across) {
  for (Operation &op : kernel.getBody().front()) {
    // Lanes within a nest depend on this nest alone.
    llvm::SaveAndRestore masks(
        masksTails,
        across ? masksTails : masksWanted && !analysis::mayTrap(&op));
    if (auto pointwise = dyn_cast<PointwiseOp>(op)) {
      if (failed(emitPointwise(pointwise, shared, across)))
        return failure();
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (failed(emitReduce(reduce, shared, across)))
        return failure();
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      if (failed(emitScan(scan, shared)))
        return failure();
    } else if (auto sort = dyn_cast<SortOp>(op)) {
      if (failed(emitSort(sort, shared)))
        return failure();
    }
  }
  perPoint.clear();
  return success();
}

/// Lanes across the last shared dimension. A work item is a chunk of it at one
/// point of the outer dimensions.
LogicalResult KernelEmitter::emitAcross(AcrossScheduleAttr schedule) {
  ExprAttr last = sharedExtents.back();
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents).drop_back();
  int64_t lanes = schedule.getLanes(), chunk = schedule.getChunk();
  sumBlock = schedule.getSumBlock();
  masksTails = schedule.getMasked() && !analysis::mayTrap(kernel);
  bool hasOuter = !llvm::all_of(
      outer, [](ExprAttr extent) { return extent.isConstant(1); });
  ExprAttr chunks = guard::ceilDiv(last, chunk);
  ExprAttr items = guard::product(context, llvm::to_vector(outer));
  work = items * chunks;

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value item = loop.getInductionVar();
  Value low = constantIndex(0);
  if (!chunks.isConstant(1)) {
    Value number = item;
    if (hasOuter) {
      Value count = getArgument(chunks);
      number = arith::RemUIOp::create(b, item, count);
      item = arith::DivUIOp::create(b, item, count);
    } else {
      item = constantIndex(0);
    }
    low = arith::MulIOp::create(b, number, constantIndex(chunk));
  }
  Position position;
  position.dims = delinearize(item, outer);
  position.dims.push_back({});
  position.extents = sharedExtents;

  Value extent = getArgument(last);
  Value high = extent;
  if (!chunks.isConstant(1)) {
    Value limit = arith::AddIOp::create(b, low, constantIndex(chunk));
    high = arith::MinSIOp::create(b, limit, extent);
  }
  auto emitFor = [&](Value from, Value to, int64_t width,
                     bool masked = false) -> LogicalResult {
    auto columns = scf::ForOp::create(b, from, to, constantIndex(width));
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(columns.getBody()->getTerminator());
    Position at = position;
    at.dims.back() = columns.getInductionVar();
    at.lanes = width;
    at.vectorDim = width > 1 ? int(at.dims.size()) - 1 : -1;
    if (masked)
      at.mask = firstLanes(
          arith::SubIOp::create(b, to, columns.getInductionVar()), width);
    return emitNestsAt(at, /*across=*/true);
  };
  if (lanes == 1)
    return emitFor(low, high, 1);
  Value length = arith::SubIOp::create(b, high, low);
  Value rest = arith::RemUIOp::create(b, length, constantIndex(lanes));
  Value split = arith::SubIOp::create(b, high, rest);
  if (failed(emitFor(low, split, lanes)))
    return failure();
  auto constant = last.getConstant();
  if (constant && *constant % lanes == 0 && chunk % lanes == 0)
    return success();
  return masksTails ? emitFor(split, high, lanes, /*masked=*/true)
                    : emitFor(split, high, 1);
}

/// Lanes within each nest. A work item is one point of the shared domain.
LogicalResult KernelEmitter::emitWithin(WithinScheduleAttr schedule) {
  work = guard::product(context, sharedExtents);
  sumBlock = schedule.getSumBlock();
  masksWanted = schedule.getMasked();
  // The epilogue of an expanded contraction, which the schedule does not name,
  // has one value per point.
  auto lanes = llvm::zip(schedule.getAlong(), schedule.getBeside());
  auto next = lanes.begin();
  for (Operation &op : kernel.getBody().front())
    if (isNest(&op) && next != lanes.end()) {
      auto [along, beside] = *next;
      nestLanes[&op] = {along, beside};
      ++next;
    }

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Position position;
  position.dims = delinearize(loop.getInductionVar(), sharedExtents);
  position.extents = sharedExtents;
  return emitNestsAt(position, /*across=*/false);
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

LogicalResult KernelEmitter::emitScheduled() {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  if (auto scatter = dyn_cast<ScatterScheduleAttr>(schedule))
    return emitScatter(*kernel.getBody().getOps<ScatterOp>().begin(), scatter);
  auto contracts = kernel.getBody().getOps<ContractOp>();
  if (!contracts.empty())
    return emitContract(*contracts.begin(), schedule);
  sharedExtents = analysis::collapseShared(kernel, layout);
  if (auto transpose = dyn_cast<TransposeScheduleAttr>(schedule))
    return emitTransposed(transpose);
  if (auto across = dyn_cast<AcrossScheduleAttr>(schedule))
    return emitAcross(across);
  return emitWithin(cast<WithinScheduleAttr>(schedule));
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
    if (!isNest(&op)) {
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

  if (failed(emitScheduled()))
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
