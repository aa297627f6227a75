//===- GridScatterEmitter.cpp - Writing at computed positions -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

static ScatterOp getScatter(KernelOp kernel) {
  return *kernel.getBody().getOps<ScatterOp>().begin();
}

LogicalResult GridCopyEmitter::emitThread() {
  ScatterOp op = getScatter(kernel);
  Buffer init = buffers.lookup(op.getInit());
  Buffer target = buffers.lookup(op.getResult());
  if (!init.pointer || !target.pointer)
    return op.emitOpError(
        "must start from an input of its kernel and leave it");
  Position position;
  position.extents =
      *guard::getDims(cast<RankedTensorType>(op.getResult().getType()));
  SmallVector<ExprAttr> identity =
      getIdentityMap(context, position.extents.size());
  return emitIf(isElsewhere(target, init), [&] {
    return emitForItem(guard::product(context, position.extents), [&] {
      position.dims = delinearize(item, position.extents);
      Value value =
          load(init, linearAddress(init, identity), position, {}, {}, {});
      store(target, linearAddress(target, identity), position, value);
      return success();
    });
  });
}

/// Dimensions whose points each write to elements of their own, so that they are visited
/// in any order: the position is the index itself somewhere. Of a scatter that reads what
/// it has written, only those that are said to be independent.
static SmallVector<unsigned> getOwnDims(ScatterOp op) {
  if (op.getWritten())
    return llvm::to_vector(llvm::seq<unsigned>(op.getIndependent()));
  Block &block = op.getBody().front();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  SmallVector<unsigned> own;
  for (unsigned dim = 0; dim < op.getDomain().rank(); ++dim)
    if (llvm::is_contained(yield.getPosition(), block.getArgument(dim)))
      own.push_back(dim);
  return own;
}

/// One point of the domain.
LogicalResult GridScatterEmitter::emitPoint(ScatterOp op, const Buffer &target,
                                            const Position &position) {
  BodyEmitter body(*this, position);
  Block &block = op.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  SmallVector<ExprAttr> indices;
  for (Value index : yield.getPosition())
    indices.push_back(body.getExpr(index));
  Value value = body.get(yield.getValue());
  Value condition =
      yield.getCondition() ? body.get(yield.getCondition()) : Value();
  const Position &at = body.getPosition();
  ExprAttr address = linearAddress(target, indices);
  return emitIf(condition, [&] {
    if (schedule.getAtomic()) {
      Value summand = toMemory(value, target.elementType);
      LLVM::AtomicRMWOp::create(
          b,
          isa<FloatType>(summand.getType()) ? LLVM::AtomicBinOp::fadd
                                            : LLVM::AtomicBinOp::add,
          elementPointer(target, address, at), summand,
          LLVM::AtomicOrdering::monotonic, "device");
      return success();
    }
    Value result = value;
    if (op.getKind() != ScatterKind::Set)
      result = combineScattered(b, op.getKind(),
                                load(target, address, at, {}, {}, {}), result,
                                target.elementType);
    store(target, address, at, result);
    return success();
  });
}

LogicalResult GridScatterEmitter::emitThread() {
  ScatterOp op = getScatter(kernel);
  SmallVector<ExprAttr> extents = op.getDomain().all(), items;
  SmallVector<unsigned> own, rest;
  SmallVector<unsigned> inAnyOrder = getOwnDims(op);
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    bool isOwn = schedule.getAtomic() || llvm::is_contained(inAnyOrder, dim);
    (isOwn ? own : rest).push_back(dim);
    if (isOwn)
      items.push_back(extents[dim]);
  }
  Buffer target = buffers.lookup(op.getResult());
  if (BlockArgument written = op.getWritten())
    buffers[written] = target;
  return emitForItem(guard::product(context, items), [&] {
    Position position;
    position.extents = extents;
    position.dims.resize(extents.size());
    for (auto [dim, index] : llvm::zip_equal(own, delinearize(item, items)))
      position.dims[dim] = index;
    return emitLoops(position, rest, 1, [&](const Position &at) {
      return emitPoint(op, target, at);
    });
  });
}
