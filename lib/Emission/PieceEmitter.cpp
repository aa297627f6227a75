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
// and [64, ...), reads one, without masks.
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Pieces of a row at most, and operations that their code may have: it is as
/// many times that of a point.
static constexpr size_t kMaxPieces = 64, kMaxOperations = 8192;

namespace {
/// A comparison that is `above` at indices from `cut` on, and the other before.
struct Comparison {
  Operation *op;
  int64_t cut;
  bool above;
};
} // namespace

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

LogicalResult KernelEmitter::emitPieces(
    unsigned dim, Value low, Value high, int64_t lanes,
    llvm::function_ref<LogicalResult(Value from, Value to, bool isWhole)>
        body) {
  SmallVector<Comparison> comparisons;
  size_t operations = 0;
  for (NestOpInterface nest : kernel.getNests())
    nest->walk([&](Operation *op) {
      ++operations;
      if (auto compare = dyn_cast<arith::CmpIOp>(op))
        if (auto found = getComparison(compare, nest, dim))
          comparisons.push_back(*found);
    });
  SmallVector<int64_t> cuts;
  auto extent = sharedExtents[dim].getConstant();
  for (const Comparison &comparison : comparisons)
    if (comparison.cut > 0 && (!extent || comparison.cut < *extent))
      cuts.push_back(comparison.cut);
  llvm::sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  if (cuts.empty() || cuts.size() >= kMaxPieces ||
      operations * (cuts.size() + 1) > kMaxOperations)
    return body(low, high, extent && *extent % lanes == 0);

  for (size_t k = 0; k <= cuts.size(); ++k) {
    int64_t first = k == 0 ? 0 : cuts[k - 1];
    Value from = low, to = high;
    bool isWhole = first % lanes == 0;
    if (k > 0)
      from = b.createOrFold<arith::MaxSIOp>(low, constantIndex(first));
    if (k < cuts.size()) {
      to = b.createOrFold<arith::MinSIOp>(high, constantIndex(cuts[k]));
      isWhole &= cuts[k] % lanes == 0;
    } else {
      isWhole &= extent && *extent % lanes == 0;
    }
    to = b.createOrFold<arith::MaxSIOp>(from, to);
    for (const Comparison &comparison : comparisons)
      decided[comparison.op] = comparison.above == (first >= comparison.cut);
    if (failed(body(from, to, isWhole)))
      return failure();
    decided.clear();
  }
  return success();
}
