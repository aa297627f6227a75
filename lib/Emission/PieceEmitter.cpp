//===- PieceEmitter.cpp - Rows whose pieces are known apart ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reads a concatenation compares its index with where pieces begin,
//
//   %0 = arith.cmpi slt, %i, %c64
//   %1 = loop.load %a[%i] mask %0, %zero
//   %2 = arith.cmpi sge, %i, %c64
//   %3 = loop.load %b[%i - 64] mask %2, %zero
//   %4 = arith.select %2, %3, %1
//
// so that each lane would look at all pieces. A loop for each piece, [0, 64)
// and [64, ...), reads one, without masks. Pieces that are read alike are
// walked by one loop over them (PieceRuns.h). What is concatenated along a
// dimension around rows is walked in pieces where some are read alike.
//
// An index that is a minimum, a maximum or a choice, as min(max(%i - 3, 0), 99),
// would be computed for each lane, and what it reads gathered. Where the longest
// part of a row has it as one of its operands, that part has a loop of its own.
//
//===----------------------------------------------------------------------===//

#include "PieceRuns.h"

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/SaveAndRestore.h"

#include <limits>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Pieces of a row at most that are compared with each other, that have code of
/// their own, and operations of that code: it is as many times that of a point.
static constexpr size_t kMaxPieces = 512, kMaxRuns = 64, kMaxOperations = 8192;

static std::optional<Comparison>
getComparison(arith::CmpIOp op, NestOpInterface nest, unsigned dim) {
  auto withoutCast = [](Value value) {
    auto cast = value.getDefiningOp<arith::IndexCastOp>();
    return cast && value.getType().isInteger(64) ? cast.getIn() : value;
  };
  auto index = dyn_cast<BlockArgument>(withoutCast(op.getLhs()));
  APInt number;
  if (!index || nest.getDimensionOf(index) != dim ||
      !matchPattern(op.getRhs(), m_ConstantInt(&number)) ||
      number.getSignificantBits() >= 32)
    return std::nullopt;
  int64_t cut = number.getSExtValue();
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return Comparison{op, cut, false};
  case arith::CmpIPredicate::sge:
    return Comparison{op, cut, true};
  case arith::CmpIPredicate::sle:
    return Comparison{op, cut + 1, false};
  case arith::CmpIPredicate::sgt:
    return Comparison{op, cut + 1, true};
  default:
    return std::nullopt;
  }
}

/// Puts [from, to), which lies in a row, into [low, high).
static std::pair<Value, Value> clip(ImplicitLocOpBuilder &b, Value from,
                                    Value to, Value low, Value high,
                                    std::optional<int64_t> extent) {
  bool isBegun = matchPattern(low, m_Zero());
  APInt end;
  bool isEnded = extent && matchPattern(high, m_ConstantInt(&end)) &&
                 end.getSExtValue() == *extent;
  if (!isBegun)
    from = b.createOrFold<arith::MaxSIOp>(low, from);
  if (!isEnded)
    to = b.createOrFold<arith::MinSIOp>(high, to);
  if (!isBegun || !isEnded)
    to = b.createOrFold<arith::MaxSIOp>(from, to);
  return {from, to};
}

/// Gives tensors of the first piece of a run those of piece `number` of it,
/// seen so that their elements are where that of the first piece are.
void KernelEmitter::enterPiece(const PieceRun &run, Value number) {
  for (const PieceRun::Input &input : run.inputs) {
    auto argument = cast<BlockArgument>(input.tensor);
    Value slot = arith::AddIOp::create(
        b, constantIndex(argument.getArgNumber()),
        arith::MulIOp::create(b, number, constantIndex(input.step)));
    Value moved = arith::MulIOp::create(
        b, number, constantIndex(-run.width * input.stride));
    Buffer &buffer = buffers[input.tensor];
    buffer.pointer = findInput(buffer, slot, moved);
  }
}

LogicalResult KernelEmitter::emitPieceRun(
    const PieceRun &run, int64_t first, Value low, Value high, bool isWhole,
    std::optional<int64_t> extent,
    llvm::function_ref<LogicalResult(Value, Value, bool)> body) {
  auto loop = scf::ForOp::create(b, constantIndex(0), constantIndex(run.count),
                                 constantIndex(1));
  llvm::DenseMap<Value, Buffer> before = buffers;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar(), width = constantIndex(run.width);
  Value begin = arith::AddIOp::create(b, constantIndex(first),
                                      arith::MulIOp::create(b, number, width));
  auto [from, to] =
      clip(b, begin, arith::AddIOp::create(b, begin, width), low, high, extent);
  enterPiece(run, number);
  LogicalResult emitted = body(from, to, isWhole);
  buffers = std::move(before);
  return emitted;
}

LogicalResult KernelEmitter::emitPieces(
    unsigned dim, Value low, Value high, int64_t lanes,
    llvm::function_ref<LogicalResult(Value from, Value to, bool isWhole)> body,
    bool onlyRuns) {
  SmallVector<Comparison> comparisons;
  size_t operations = 0;
  for (NestOpInterface nest : kernel.getNests())
    nest->walk([&](Operation *op) {
      ++operations;
      if (auto compare = dyn_cast<arith::CmpIOp>(op))
        if (auto found = getComparison(compare, nest, dim))
          comparisons.push_back(*found);
    });
  auto extent = sharedExtents[dim].getConstant();
  SmallVector<int64_t> bounds = {0};
  for (const Comparison &comparison : comparisons)
    if (comparison.cut > 0 && (!extent || comparison.cut < *extent))
      bounds.push_back(comparison.cut);
  llvm::sort(bounds);
  bounds.erase(llvm::unique(bounds), bounds.end());
  auto asOne = [&] { return body(low, high, extent && *extent % lanes == 0); };
  if (bounds.size() == 1 || bounds.size() > kMaxPieces ||
      operations > kMaxOperations)
    return asOne();
  // A last piece that ends elsewhere is like no other.
  bounds.push_back(extent ? *extent : std::numeric_limits<int64_t>::max());
  SmallVector<PieceRun> runs;
  if (inputPointers)
    runs = findPieceRuns(kernel, dim, bounds, comparisons, buffers);
  else
    for (size_t k = 0; k + 1 < bounds.size(); ++k)
      runs.push_back({k, 1, 0, {}});
  bool hasRuns =
      llvm::any_of(runs, [](const PieceRun &run) { return run.count > 1; });
  if (runs.size() > kMaxRuns ||
      operations * pieceCopies * runs.size() > kMaxOperations ||
      (onlyRuns && !hasRuns))
    return asOne();

  // Pieces of other dimensions stay as they are.
  auto outside = decided;
  llvm::SaveAndRestore<size_t> copies(pieceCopies, pieceCopies * runs.size());
  for (const PieceRun &run : runs) {
    int64_t first = bounds[run.first], end = bounds[run.first + run.count];
    bool isLast = run.first + run.count + 1 == bounds.size();
    bool isWhole = first % lanes == 0 && (!isLast || extent) &&
                   end % lanes == 0 && run.width % lanes == 0;
    for (const Comparison &comparison : comparisons)
      decided[comparison.op] = comparison.isTrueFrom(first);
    LogicalResult emitted = success();
    if (run.count > 1) {
      emitted = emitPieceRun(run, first, low, high, isWhole, extent, body);
    } else {
      Value from = low, to = high;
      if (run.first > 0)
        from = b.createOrFold<arith::MaxSIOp>(low, constantIndex(first));
      if (!isLast)
        to = b.createOrFold<arith::MinSIOp>(high, constantIndex(end));
      to = b.createOrFold<arith::MaxSIOp>(from, to);
      emitted = body(from, to, isWhole);
    }
    if (failed(emitted))
      return failure();
    decided = outside;
  }
  return success();
}

unsigned KernelEmitter::countChoices(unsigned dim, guard::Interval bounds) {
  guard::ExprAttr index = guard::getDim(context, dim);
  unsigned count = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    guard::Assumptions assumptions = assumptionsOf(getWithin(nest, dim, bounds));
    for (const analysis::Access &read : analysis::getReads(nest))
      for (guard::ExprAttr expr : read.map)
        guard::walk(guard::simplify(expr, assumptions), [&](guard::ExprAttr part) {
          bool chooses = part.getKind() == guard::ExprKind::Min ||
                         part.getKind() == guard::ExprKind::Max ||
                         part.getKind() == guard::ExprKind::Select;
          count += chooses && guard::contains(part, index);
        });
  }
  return count;
}

LogicalResult KernelEmitter::emitStraightPart(
    unsigned dim, Value low, Value high, int64_t lanes,
    llvm::function_ref<LogicalResult(Value, Value, guard::Interval)> body) {
  constexpr size_t kParts = 3;
  size_t operations = 0;
  for (NestOpInterface nest : kernel.getNests())
    nest->walk([&](Operation *) { ++operations; });
  int64_t extent = sharedExtents[dim].getConstant().value_or(0);
  int64_t middle = extent / 2;
  auto isReadStraight = [&](guard::Interval bounds) {
    return countChoices(dim, bounds) == 0;
  };
  if (extent < lanes || operations * pieceCopies * kParts > kMaxOperations ||
      isReadStraight({0, extent - 1}) ||
      !isReadStraight({middle, middle}))
    return body(low, high, Position().bounds);
  // What is known within bounds is known within narrower ones.
  auto findEnd = [&](int64_t known, int64_t unknown,
                     llvm::function_ref<bool(int64_t)> isKnown) {
    while (std::abs(known - unknown) > 1) {
      int64_t between = (known + unknown) / 2;
      (isKnown(between) ? known : unknown) = between;
    }
    return known;
  };
  int64_t first = findEnd(middle, -1, [&](int64_t from) {
    return isReadStraight({from, middle});
  });
  int64_t last = findEnd(middle, extent, [&](int64_t to) {
    return isReadStraight({first, to});
  });
  if (last - first + 1 < lanes)
    return body(low, high, Position().bounds);
  llvm::SaveAndRestore<size_t> copies(pieceCopies, pieceCopies * kParts);
  int64_t bounds[] = {0, first, last + 1, extent};
  for (size_t k = 0; k < kParts; ++k) {
    if (bounds[k] == bounds[k + 1])
      continue;
    auto [from, to] = clip(b, constantIndex(bounds[k]),
                           constantIndex(bounds[k + 1]), low, high, extent);
    if (failed(body(from, to, {bounds[k], bounds[k + 1] - 1})))
      return failure();
  }
  return success();
}
