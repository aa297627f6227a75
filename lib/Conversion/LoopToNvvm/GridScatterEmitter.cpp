//===- GridScatterEmitter.cpp - Writing at computed positions -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// Adds several floats to memory in one instruction, which gives nothing back: words
/// of one f32, or of two floats of 16 bits. MLIR and LLVM have no operation for it.
static void addVector(ImplicitLocOpBuilder &b, Value pointer,
                      ArrayRef<Value> values) {
  Type element = values.front().getType();
  bool isWord = element.isF32();
  SmallVector<Value> operands = {
      LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer)};
  if (isWord)
    llvm::append_range(operands, values);
  else
    for (size_t k = 0; k < values.size(); k += 2) {
      Value pair = vector::FromElementsOp::create(
          b, VectorType::get({2}, element), values.slice(k, 2));
      operands.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), pair));
    }
  size_t words = operands.size() - 1;
  std::string text = "red.relaxed.gpu.global.add", list, constraints = "l";
  if (!isWord)
    text += ".noftz";
  if (words > 1)
    text += ".v" + std::to_string(words);
  text += isWord ? ".f32" : element.isF16() ? ".f16x2" : ".bf16x2";
  for (size_t k = 1; k <= words; ++k) {
    list += (k == 1 ? "$" : ", $") + std::to_string(k);
    constraints += isWord ? ",f" : ",r";
  }
  text += words > 1 ? " [$0], {" + list + "};" : " [$0], " + list + ";";
  LLVM::InlineAsmOp::create(
      b, TypeRange(), operands, text, constraints + ",~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

/// Adds the lanes of `value`, as many at a time as the chip adds at once and the address
/// of the first of them is aligned for.
void GridScatterEmitter::addAtomically(const Buffer &target, ExprAttr address,
                                       const Position &position, Value value) {
  int64_t lanes = position.lanes;
  Value summands = toMemory(broadcast(value, lanes), target.elementType);
  Type element = getElementTypeOrSelf(summands.getType());
  int64_t together = 1;
  if (lanes > 1)
    together = std::min<int64_t>(
        {lanes, getAtomicLanes(getGPUTarget(function), element),
         getAlignment(target, address, position) /
             (element.getIntOrFloatBitWidth() / 8)});
  Value first = elementPointer(target, address, position);
  for (int64_t k = 0; k < lanes; k += together) {
    Value pointer = first;
    if (k != 0)
      pointer = LLVM::GEPOp::create(b, first.getType(), element, first,
                                    ArrayRef<LLVM::GEPArg>{int32_t(k)});
    SmallVector<Value> values;
    for (int64_t lane = k; lane < k + together; ++lane)
      values.push_back(lanes == 1 ? summands
                                  : vector::ExtractOp::create(
                                        b, summands, ArrayRef<int64_t>{lane})
                                        .getResult());
    if (together > 1) {
      addVector(b, pointer, values);
      continue;
    }
    LLVM::AtomicRMWOp::create(b,
                              isa<FloatType>(element) ? LLVM::AtomicBinOp::fadd
                                                      : LLVM::AtomicBinOp::add,
                              pointer, values.front(),
                              LLVM::AtomicOrdering::monotonic, "device");
  }
}

/// One point of the domain, or neighbours in its last dimension.
FailureOr<GridScatterEmitter::Point>
GridScatterEmitter::evaluatePoint(ScatterOp op, const Buffer &target,
                                  const Position &position) {
  BodyEmitter body(*this, position);
  Block &block = op.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  Point point;
  for (Value index : yield.getPosition())
    point.indices.push_back(body.getExpr(index));
  point.value = body.get(yield.getValue());
  if (yield.getCondition())
    point.condition = body.get(yield.getCondition());
  // Numbers made of indices are emitted for all lanes, which agree here.
  if (point.condition && isa<VectorType>(point.condition.getType()))
    point.condition =
        vector::ExtractOp::create(b, point.condition, ArrayRef<int64_t>{0});
  point.position = body.getPosition();
  point.address = linearAddress(target, point.indices);
  return point;
}

LogicalResult GridScatterEmitter::emitPoint(ScatterOp op, const Buffer &target,
                                            const Position &position) {
  auto point = evaluatePoint(op, target, position);
  if (failed(point))
    return failure();
  Value value = point->value, condition = point->condition;
  const Position &at = point->position;
  ExprAttr address = point->address;
  if (Value owned = isOwned(op, point->indices, at))
    condition = condition
                    ? arith::AndIOp::create(b, condition, owned).getResult()
                    : owned;
  return emitIf(condition, [&] {
    if (schedule.getAtomic()) {
      addAtomically(target, address, at, value);
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
  if (op.getGrouped() && !schedule.getAtomic()) {
    Buffer target = buffers.lookup(op.getResult());
    // Steps double beyond the last point at most.
    reached.push_back(extents.front() * 2 + 2);
    return emitForVectors(extents, schedule.getLanes(),
                          [&](const Position &at) {
                            return emitGroup(op, target, at);
                          });
  }
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
  if (schedule.getLanes() > 1)
    return emitForVectors(extents, schedule.getLanes(),
                          [&](const Position &at) {
                            return emitPoint(op, target, at);
                          });
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
