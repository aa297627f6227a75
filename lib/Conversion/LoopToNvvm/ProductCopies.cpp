//===- ProductCopies.cpp - Operands of a product into shared memory ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::DimGroup;
using guard::ExprAttr;

/// Bytes of the largest copy of a thread, and of the smallest without registers.
static constexpr int64_t kCopy = 16, kLeastAsync = 4;

/// True if a tile never ends within `extent`.
static bool isWhole(ExprAttr extent, int64_t tile) {
  auto constant = extent.getConstant();
  return constant && *constant % tile == 0;
}

//===----------------------------------------------------------------------===//
// How an operand is copied
//===----------------------------------------------------------------------===//

/// The neighbours in memory along one of its axes that can be read together: each chunk
/// of so many begins at a multiple of its size, in one run, and is masked as a whole.
int64_t GridProductEmitter::getLanesAlong(const Operand &operand,
                                          bool alongSum) {
  const DimGroup &group = alongSum ? shape.sum : *operand.across;
  ExprAttr address = shape.addresses[operand.number];
  // Members begin anywhere.
  bool areMembers = op.isGrouped() && llvm::is_contained(group.dims, op.getMemberDim());
  if (group.dims.empty() || areMembers ||
      !guard::getCoefficient(address, guard::getDim(context, group.dims.back()))
           ->isConstant(1))
    return 1;
  const DimGroup::Run &run = group.runs.back();
  auto inRun = [&](unsigned dim) { return llvm::is_contained(run.dims, dim); };
  for (unsigned dim : run.dims)
    if (operand.mask &&
        guard::contains(operand.mask, guard::getDim(context, dim)))
      return 1;
  int64_t width = bytesOf(getBodyType(operand.memory.elementType));
  int64_t lanes = kCopy / width;
  // Whole chunks in each row of a tile.
  while ((alongSum ? schedule.getSum() : operand.extent) % lanes != 0)
    lanes /= 2;
  // What only registers can finish is not read in parts.
  bool needsWhole = group.runs.size() > 1 || !operand.isAsync;
  auto divides = [&](ExprAttr expr) {
    auto constant = expr.getConstant();
    return constant && *constant % lanes == 0;
  };
  unsigned rank = op.getDomain().all().size();
  ExprAttr rest = guard::substitute(address, [&](ExprAttr leaf) {
    return leaf.isDim() ? guard::getConstant(context, 0) : leaf;
  });
  for (; lanes > 1; lanes /= 2) {
    bool fits = divides(rest) && (!needsWhole || divides(run.extent));
    for (unsigned dim = 0; dim < rank; ++dim)
      if (!inRun(dim))
        fits &= divides(*guard::getCoefficient(address,
                                               guard::getDim(context, dim)));
    if (fits)
      return lanes;
  }
  return 1;
}

LogicalResult GridProductEmitter::describe(Operand &operand) {
  bool isLeft = (operand.number == 0) != shape.exchanged;
  Value tensor = isLeft ? op.getLhs() : op.getRhs();
  operand.memory = buffers.lookup(tensor);
  if (!operand.memory.pointer)
    return op.emitOpError("reads a tensor that its kernel does not have");
  operand.mask = shape.masks[operand.number];
  operand.prologue = isLeft ? &op.getLhsPrologue() : &op.getRhsPrologue();
  operand.across = operand.number == 0 ? &shape.rows : &shape.columns;
  operand.extent =
      operand.number == 0 ? schedule.getRows() : schedule.getColumns();
  bool isFma = schedule.getUnit() == ProductUnit::Fma;
  Type element = getBodyType(operand.memory.elementType), made = element;
  if (!operand.prologue->empty())
    made = operand.prologue->front().getTerminator()->getOperand(0).getType();
  operand.type = isFma ? sumType : made;
  int64_t width = bytesOf(operand.type), k = schedule.getSum();
  if (!isFma && k * width % kMmaSumBytes != 0)
    return refuse(schedule) << "whose unit takes " << kMmaSumBytes / width
                            << " elements of " << made << " at a time";

  operand.isAsync =
      copiesAhead() && operand.prologue->empty() && element == operand.type;
  int64_t alongSum = getLanesAlong(operand, true);
  int64_t alongAcross = getLanesAlong(operand, false);
  ExprAttr step = shape.sum.dims.empty()
                      ? ExprAttr()
                      : shape.sum.runs.back().steps[operand.number];
  operand.walksSum = alongSum > alongAcross ||
                     (alongSum == alongAcross && step && step.isConstant(1));
  operand.lanes = operand.walksSum ? alongSum : alongAcross;
  // Nothing puts bytes of four rows together when they are read.
  operand.keepsSum = !isFma && (operand.walksSum || width == 1);
  if (operand.isAsync &&
      (operand.walksSum != operand.keepsSum ||
       operand.lanes * bytesOf(element) < kLeastAsync)) {
    // By way of registers, from where each goes to a row of its own; single ones of some
    // size need none.
    operand.isAsync = false;
    operand.lanes = getLanesAlong(operand, operand.walksSum);
    operand.isAsync = operand.lanes == 1 && bytesOf(element) >= kLeastAsync;
  }

  operand.pitch = (operand.keepsSum ? k : operand.extent) + kCopy / width;
  // What a warp reads of four neighbours in the sum are rows of eight banks each then.
  if (!isFma && !operand.keepsSum && width == 4)
    operand.pitch = operand.extent + 8;
  operand.place = stageBytes;
  stageBytes += llvm::alignTo((operand.keepsSum ? operand.extent : k) *
                                  operand.pitch * width,
                              128);
  return success();
}

SmallVector<Value> GridProductBase::splitRuns(const DimGroup &group,
                                                 Value index) {
  if (group.runs.size() <= 1)
    return {index};
  SmallVector<ExprAttr> extents;
  for (const DimGroup::Run &run : group.runs)
    extents.push_back(run.extent);
  return delinearize(index, extents);
}

Value GridProductBase::getOffset(const DimGroup &group, unsigned number,
                                    Value index, ArrayRef<Value> runs) {
  if (group.dims.empty())
    return constantIndex(0);
  if (ExprAttr step = group.steps[number])
    return mulExpr(index, step);
  Value offset;
  for (auto [run, at] : llvm::zip_equal(group.runs, runs)) {
    Value moved = mulExpr(at, run.steps[number]);
    offset = offset ? add(offset, moved) : moved;
  }
  return offset;
}

/// What this thread copies in each step, and where to: neighbouring threads have
/// neighbouring chunks.
void GridProductEmitter::makeChunks(Operand &operand) {
  int64_t k = schedule.getSum(), lanes = operand.lanes;
  int64_t perRow = (operand.walksSum ? k : operand.extent) / lanes;
  int64_t total = k * operand.extent / lanes;
  Value first = operand.number == 0 ? tile.firstRow : tile.firstColumn;
  ExprAttr extent = operand.across->extent;
  for (int64_t done = 0; done < total; done += threads) {
    Value number = add(thread, constantIndex(done));
    if (done + threads > total)
      operand.hasLast = isLess(number, constantIndex(total));
    Value slow = arith::DivUIOp::create(b, number, constantIndex(perRow));
    Value fast =
        mul(arith::RemUIOp::create(b, number, constantIndex(perRow)), lanes);
    Chunk chunk;
    Value across = operand.walksSum ? slow : fast;
    chunk.sum = operand.walksSum ? fast : slow;
    chunk.across = add(first, across);
    chunk.runs = splitRuns(*operand.across, chunk.across);
    chunk.offset =
        add(operand.base, getOffset(*operand.across, operand.number,
                                    chunk.across, chunk.runs));
    // Tiles of rows in groups begin anywhere.
    bool isGrouped = op.isGrouped() && op.hasGroupedRows() && operand.number == 0;
    if (isGrouped || !isWhole(extent, operand.extent))
      chunk.inside = isLess(chunk.across, getArgument(extent));
    Value row = operand.keepsSum ? across : chunk.sum;
    Value column = operand.keepsSum ? chunk.sum : across;
    chunk.place = add(mul(add(mul(row, operand.pitch), column),
                          bytesOf(operand.type)),
                      constantIndex(operand.place));
    operand.chunks.push_back(chunk);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

GridProductEmitter::Source
GridProductEmitter::getSource(const Operand &operand, const Chunk &chunk,
                              Value start) {
  Source source;
  source.sum = add(start, chunk.sum);
  SmallVector<Value> runs = splitRuns(shape.sum, source.sum);
  Value offset = add(chunk.offset, getOffset(shape.sum, operand.number,
                                             source.sum, runs));
  Value wide = arith::IndexCastOp::create(b, b.getI64Type(), offset);
  source.pointer = LLVM::GEPOp::create(
      b, operand.memory.pointer.getType(),
      getBodyType(operand.memory.elementType), operand.memory.pointer,
      ArrayRef<LLVM::GEPArg>{wide});
  source.inside = chunk.inside;
  bool isWholeSum = isWhole(shape.sum.extent, schedule.getSum()) &&
                    !(op.isGrouped() && !op.hasGroupedRows());
  if (!isWholeSum || !operand.isAsync) {
    Value less = isLess(source.sum, tile.sumEnd);
    source.inside =
        source.inside
            ? arith::AndIOp::create(b, source.inside, less).getResult()
            : less;
  }
  if (!operand.mask)
    return source;
  Position position = tile.matrix;
  auto assign = [&](const DimGroup &group, ArrayRef<Value> indices) {
    if (!group.dims.empty())
      for (auto [run, index] : llvm::zip_equal(group.runs, indices))
        // A mask depends on runs of one dimension only.
        if (run.dims.size() == 1)
          position.dims[run.dims.front()] = index;
  };
  assign(*operand.across, chunk.runs);
  assign(shape.sum, runs);
  source.unmasked = emitCondition(operand.mask, position);
  return source;
}

void GridProductEmitter::forEachChunk(
    const Operand &operand, llvm::function_ref<void(const Chunk &)> body) {
  for (const Chunk &chunk : operand.chunks)
    (void)emitIf(&chunk == &operand.chunks.back() ? operand.hasLast : Value(),
                 [&] {
                   body(chunk);
                   return success();
                 });
}

/// Copies that are under way when this returns. What lies outside becomes 0.
void GridProductEmitter::copyAsync(const Operand &operand, Value stage,
                                   Value start) {
  int64_t width = bytesOf(operand.type), bytes = operand.lanes * width;
  ExprAttr along = operand.walksSum ? shape.sum.extent : operand.across->extent;
  bool hasPieces = operand.lanes > 1 && !isWhole(along, operand.lanes);
  forEachChunk(operand, [&](const Chunk &chunk) {
    Source source = getSource(operand, chunk, start);
    Value count;
    if (source.inside || source.unmasked)
      count = arith::ConstantIntOp::create(b, bytes, 32);
    Value zero = arith::ConstantIntOp::create(b, 0, 32);
    if (hasPieces) {
      Value left = operand.walksSum
                       ? arith::SubIOp::create(b, tile.sumEnd, source.sum)
                       : arith::SubIOp::create(b, getArgument(along),
                                               chunk.across);
      left = arith::MinSIOp::create(b, left, constantIndex(operand.lanes));
      count = toWord(mul(left, width));
    }
    for (Value condition : {source.inside, source.unmasked})
      if (condition)
        count = arith::SelectOp::create(b, condition, count, zero);
    NVVM::CpAsyncOp::create(
        b, getShared(add(stage, chunk.place)), source.pointer,
        b.getI32IntegerAttr(bytes),
        NVVM::LoadCacheModifierKindAttr::get(
            context, bytes == kCopy ? NVVM::LoadCacheModifierKind::CG
                                    : NVVM::LoadCacheModifierKind::CA),
        count);
  });
}

/// Reads a step's elements into registers, and maps them.
FailureOr<SmallVector<Value>>
GridProductEmitter::loadChunks(const Operand &operand, Value start) {
  Type element = getBodyType(operand.memory.elementType);
  Type type = operand.lanes == 1
                  ? element
                  : Type(VectorType::get({operand.lanes}, element));
  auto getZero = [&](Type type) -> Value {
    return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
  };
  SmallVector<Value> values;
  for (const Chunk &chunk : operand.chunks) {
    Source source = getSource(operand, chunk, start);
    Value condition = source.inside;
    Value isThere =
        &chunk == &operand.chunks.back() ? operand.hasLast : Value();
    for (Value also : {source.unmasked, isThere})
      if (also)
        condition = arith::AndIOp::create(b, condition, also);
    auto branch = scf::IfOp::create(b, TypeRange{type}, condition,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value loaded = LLVM::LoadOp::create(
          b, type, source.pointer, operand.lanes * bytesOf(element),
          /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
      scf::YieldOp::create(b, loaded);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, getZero(type));
    }
    Value value = branch.getResult(0);
    if (!operand.prologue->empty()) {
      Position position;
      position.lanes = operand.lanes;
      BodyEmitter body(*this, position);
      Block &block = operand.prologue->front();
      if (failed(body.emit(block, {value})))
        return failure();
      value = body.getWide(block.getTerminator()->getOperand(0));
      // What a zero becomes counts where there is an element that is masked.
      value = arith::SelectOp::create(b, source.inside, value,
                                      getZero(value.getType()));
    }
    values.push_back(toMemory(value, operand.type));
  }
  return values;
}

void GridProductEmitter::storeChunks(const Operand &operand, Value stage,
                                     ArrayRef<Value> values) {
  int64_t width = bytesOf(operand.type);
  unsigned number = 0;
  forEachChunk(operand, [&](const Chunk &chunk) {
    Value value = values[number++], place = add(stage, chunk.place);
    if (operand.lanes == 1 || operand.walksSum == operand.keepsSum) {
      LLVM::StoreOp::create(b, value, getShared(place),
                            std::min(operand.lanes * width, kCopy));
      return;
    }
    for (int64_t k = 0; k < operand.lanes; ++k)
      LLVM::StoreOp::create(
          b, vector::ExtractOp::create(b, value, ArrayRef<int64_t>{k}),
          getShared(place, k * operand.pitch * width), width);
  });
}

LogicalResult GridProductEmitter::copy(Value stage, Value start) {
  for (const Operand &operand : operands) {
    if (operand.isAsync) {
      copyAsync(operand, stage, start);
      continue;
    }
    auto values = loadChunks(operand, start);
    if (failed(values))
      return failure();
    storeChunks(operand, stage, *values);
  }
  return success();
}
