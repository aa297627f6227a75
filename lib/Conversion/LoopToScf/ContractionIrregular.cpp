//===- ContractionIrregular.cpp - Packing through index expressions -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An irregular operand's elements lie at the sum of an offset by row and one by
// column. Lanes run along one of its axes. The offsets and indices of a few
// vectors of that axis are counted into a table,
//
//   [offset | index in dimension 0 | index in dimension 1 | ...][lane]
//
// and serve every index along the other axis. Vectors whose offsets are
// neighbours, or every second element, are read as such; others are gathered.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln::loop;
using namespace mlir;

int64_t kiln::loop::irregularTableBytes(const ContractionSpec &spec,
                                        int64_t nr) {
  size_t dims = 0;
  if (spec.a.irregular)
    dims = std::max<size_t>({dims, spec.sum.size(), 1});
  if (spec.b.irregular)
    dims = std::max<size_t>({dims, spec.columns.size(), 1});
  return dims ? static_cast<int64_t>(1 + dims) * nr * 8 : 0;
}

namespace {

/// The table of `length` lanes along one axis.
class LaneTable {
public:
  LaneTable(ContractionBuilder &c, Value memory, int64_t length,
            const ContractionAxis &axis, ArrayRef<Extent> steps)
      : c(c), memory(memory), length(length), axis(axis), steps(steps) {}

  /// Fills it from index `first` on; beyond `last` it repeats that.
  void fill(Value first, Value last);

  struct Lanes {
    Value offsets;
    SmallVector<Value> indices;
    Value first;    ///< offset of the first lane
    Value straight; ///< offsets are `step` apart
    int64_t step = 1;
  };
  /// The vector that begins at `lane`.
  Lanes get(Value lane);

private:
  Value at(Value lane, int64_t row) {
    return c.address(memory, c.add(lane, row * length), c.b.getI64Type());
  }

  ContractionBuilder &c;
  Value memory;
  int64_t length;
  const ContractionAxis &axis;
  ArrayRef<Extent> steps;
};

} // namespace

void LaneTable::fill(Value first, Value last) {
  c.forEach(c.constant(0), c.constant(length), 1, c.split(axis, first),
            [&](Value lane, ValueRange indices) {
              c.store(c.offset(indices, steps), at(lane, 0), 8);
              for (auto [k, index] : llvm::enumerate(indices))
                c.store(index, at(lane, k + 1), 8);
              Value more = c.less(c.add(first, lane), last);
              SmallVector<Value> moved = c.next(axis, indices);
              for (auto [to, from] : llvm::zip_equal(moved, indices))
                to = c.select(more, to, from);
              return moved;
            });
}

LaneTable::Lanes LaneTable::get(Value lane) {
  Type i64 = c.b.getI64Type();
  Lanes lanes;
  lanes.offsets = c.load(c.vectorOf(i64), at(lane, 0), 8);
  for (size_t k = 0; k < steps.size(); ++k)
    lanes.indices.push_back(c.load(c.vectorOf(i64), at(lane, k + 1), 8));
  lanes.first = c.load(i64, at(lane, 0), 8);
  // Windows that move by two have every second element.
  if (steps.back().is(2) && c.masked)
    lanes.step = 2;
  SmallVector<int64_t> numbers;
  for (int64_t k = 0; k < c.lanes; ++k)
    numbers.push_back(k * lanes.step);
  Value apart = arith::ConstantOp::create(
      c.b, c.loc,
      DenseElementsAttr::get(c.vectorOf(i64), ArrayRef<int64_t>(numbers)));
  Value distances =
      arith::SubIOp::create(c.b, c.loc, lanes.offsets, c.splat(lanes.first));
  lanes.straight = vector::ReductionOp::create(
      c.b, c.loc, vector::CombiningKind::AND, c.equal(distances, apart));
  return lanes;
}

static Value both(ContractionBuilder &c, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(c.b, c.loc, x, y);
}

/// `then` with straight lanes, `otherwise` with others.
static void choose(ContractionBuilder &c, Value straight,
                   llvm::function_ref<void()> then,
                   llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(c.b, c.loc, straight, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(branch.thenBlock());
  then();
  c.b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void kiln::loop::packIrregularRows(ContractionBuilder &c,
                                   const IrregularBlock &block, Value first,
                                   Value m1, Value tiles, Value panels) {
  const ContractionOperand &a = c.spec.a;
  int64_t mr = block.schedule.getTileRows();
  unsigned alignment = static_cast<unsigned>(c.lanes * c.sumBytes);
  Value base = c.address(a.base, c.mul(block.batch, c.get(a.batchStride)),
                         a.type);
  Value lastRow = c.sub(m1, c.constant(1));
  Value lastK = c.sub(c.add(block.k0, block.kc), c.constant(1));
  LaneTable table(c, block.table, c.lanes, c.spec.sum, a.columnSteps);
  c.forEach(c.constant(0), block.kPadded, c.lanes, [&](Value q) {
    table.fill(c.add(block.k0, q), lastK);
    LaneTable::Lanes lanes = table.get(c.constant(0));
    Value inside = c.firstLanes(c.sub(block.kc, q));
    Value to = c.address(panels, c.mul(q, mr), c.spec.sumType);
    c.forEach(c.constant(0), c.mul(tiles, mr), 1, [&](Value r) {
      SmallVector<Value> row =
          c.split(c.spec.rows, c.min(c.add(first, r), lastRow));
      Value offset = c.offset(row, a.rowSteps);
      Value mask = inside;
      if (a.mask)
        mask = both(c, mask, a.mask(c.b, c.loc, row, lanes.indices));
      Value tile = c.div(r, c.constant(mr));
      Value place = c.address(
          to,
          c.add(c.mul(c.mul(tile, block.kPadded), mr),
                c.mul(c.rem(r, c.constant(mr)), c.lanes)),
          c.spec.sumType);
      auto copy = [&](bool straight) {
        Value from = straight ? c.add(offset, lanes.first) : offset;
        Value value = c.loadLanes(a, c.address(base, from, a.type),
                                  straight ? Value() : lanes.offsets, mask,
                                  lanes.step);
        // A map need not give 0 for what lies beyond the last k.
        if (a.map)
          value = c.select(inside, value, c.zero(c.sums));
        c.store(value, place, alignment);
      };
      choose(c, lanes.straight, [&] { copy(true); }, [&] { copy(false); });
    });
  });
}

void kiln::loop::packIrregularColumns(ContractionBuilder &c,
                                      const IrregularBlock &block,
                                      Value column, Value n1, Value panel) {
  const ContractionOperand &operand = c.spec.b;
  const ContractionAxis &sum = c.spec.sum;
  int64_t nr = block.schedule.getTileColumns();
  unsigned alignment = static_cast<unsigned>(c.lanes * c.sumBytes);
  LaneTable table(c, block.table, nr, c.spec.columns, operand.columnSteps);
  table.fill(column, c.sub(n1, c.constant(1)));
  Value base = c.address(operand.base,
                         c.mul(block.batch, c.get(operand.batchStride)),
                         operand.type);

  // k is walked with its outermost dimension inside, for which the mask holds
  // if it is the same for all of it.
  bool outerInside = c.spec.freeSum;
  ContractionAxis inner(sum);
  Value period = c.constant(1), outerStep = c.constant(0);
  if (outerInside) {
    if (!inner.empty())
      inner.erase(inner.begin());
    for (const Extent &extent : inner)
      period = c.mul(period, c.get(extent));
    outerStep = c.get(operand.rowSteps.front());
  }
  auto copy = [&](const LaneTable::Lanes &lanes, Value lane, bool straight) {
    c.forEach(outerInside ? c.constant(0) : block.k0,
              outerInside ? period : c.add(block.k0, block.kc), 1,
              [&](Value q) {
      SmallVector<Value> indices = c.split(inner, q);
      if (outerInside) {
        if (inner.empty())
          indices.clear();
        indices.insert(indices.begin(), c.constant(0));
      }
      Value mask;
      if (operand.mask)
        mask = operand.mask(c.b, c.loc, indices, lanes.indices);
      Value start = c.offset(indices, operand.rowSteps);
      if (straight)
        start = c.add(start, lanes.first);
      auto place = [&](Value from, Value k) {
        Value value = c.loadLanes(operand, c.address(base, from, operand.type),
                                  straight ? Value() : lanes.offsets, mask,
                                  lanes.step);
        Value to = c.add(c.mul(c.sub(k, block.k0), nr), lane);
        c.store(value, c.address(panel, to, c.spec.sumType), alignment);
      };
      if (!outerInside)
        return place(start, q);
      // The outer indices whose k lies in the block.
      Value round = c.sub(c.sub(period, c.constant(1)), q);
      Value low = c.div(c.add(block.k0, round), period);
      Value high =
          c.div(c.add(c.add(block.k0, block.kc), round), period);
      c.forEach(low, high, 1, [&](Value outer) {
        place(c.add(start, c.mul(outer, outerStep)),
              c.add(c.mul(outer, period), q));
      });
    });
  };
  c.forEach(c.constant(0), c.constant(nr), c.lanes, [&](Value lane) {
    LaneTable::Lanes lanes = table.get(lane);
    choose(
        c, lanes.straight, [&] { copy(lanes, lane, true); },
        [&] { copy(lanes, lane, false); });
  });
  Value zero = c.zero(c.sums);
  c.forEach(c.mul(block.kc, nr), c.mul(block.kPadded, nr), c.lanes,
            [&](Value at) {
              c.store(zero, c.address(panel, at, c.spec.sumType), alignment);
            });
}
