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

/// Elements that a thread copies as one vector of the widest kind: rows must be long
/// enough, and their elements neighbours.
static int64_t getLanes(const Buffer &from, const Buffer &to,
                        ArrayRef<ExprAttr> extents) {
  constexpr int64_t vectorBits = 128;
  Type element = to.elementType;
  if (extents.empty() || !element.isIntOrFloat() ||
      !from.strides.back().isConstant(1) || !to.strides.back().isConstant(1))
    return 1;
  int64_t bits = std::max(element.getIntOrFloatBitWidth(), 8u);
  auto row = extents.back().getConstant();
  return row && *row >= vectorBits / bits ? vectorBits / bits : 1;
}

LogicalResult GridCopyEmitter::emitThread() {
  ScatterOp op = getScatter(kernel);
  Buffer init = buffers.lookup(op.getInit());
  Buffer target = buffers.lookup(op.getResult());
  if (!init.pointer || !target.pointer)
    return op.emitOpError(
        "must start from an input of its kernel and leave it");
  SmallVector<ExprAttr> extents =
      *guard::getDims(cast<RankedTensorType>(op.getResult().getType()));
  SmallVector<ExprAttr> identity = getIdentityMap(context, extents.size());
  auto copy = [&](const Position &at) {
    Value value = load(init, linearAddress(init, identity), at, {}, {}, {});
    store(target, linearAddress(target, identity), at, value);
    return success();
  };
  return emitIf(isElsewhere(target, init), [&] {
    return emitForVectors(extents, getLanes(init, target, extents), copy);
  });
}

/// True where an element that a point is written to is this thread's: null
/// where all are. Positions that are indices of its own do not tell elements of
/// a thread apart.
Value GridScatterEmitter::isOwned(ScatterOp op, ArrayRef<ExprAttr> indices,
                                  const Position &position) {
  if (!owner)
    return {};
  SmallVector<ExprAttr> extents =
      *guard::getDims(cast<RankedTensorType>(op.getResult().getType()));
  Value place = constantIndex(0);
  for (auto [index, extent] : llvm::zip_equal(indices, extents))
    if (!(index.isDim() && llvm::is_contained(ownDims, index.getPosition())))
      place = add(mulExpr(place, extent), emitIndex(index, position));
  place =
      arith::AndIOp::create(b, place, constantIndex(schedule.getOwners() - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, owner);
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
  if (Value owned = isOwned(op, indices, at))
    condition = condition
                    ? arith::AndIOp::create(b, condition, owned).getResult()
                    : owned;
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
  SmallVector<ExprAttr> extents = op.getDomain().all();
  // Owners first: neighbours are neighbours in memory.
  SmallVector<ExprAttr> items = {
      guard::getConstant(context, schedule.getOwners())};
  SmallVector<unsigned> rest;
  ownDims = getOwnDims(op);
  if (schedule.getAtomic())
    ownDims = llvm::to_vector(llvm::seq<unsigned>(extents.size()));
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (llvm::is_contained(ownDims, dim))
      items.push_back(extents[dim]);
    else
      rest.push_back(dim);
  Buffer target = buffers.lookup(op.getResult());
  if (BlockArgument written = op.getWritten())
    buffers[written] = target;
  return emitForItem(guard::product(context, items), [&] {
    Position position;
    position.extents = extents;
    position.dims.resize(extents.size());
    SmallVector<Value> indices = delinearize(item, items);
    if (schedule.getOwners() > 1)
      owner = indices.front();
    for (auto [dim, index] :
         llvm::zip_equal(ownDims, ArrayRef(indices).drop_front()))
      position.dims[dim] = index;
    return emitLoops(position, rest, 1, [&](const Position &at) {
      return emitPoint(op, target, at);
    });
  });
}
