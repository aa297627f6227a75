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
//   [offset | index in dimension 0 | ... | start of run | mask of run][lane]
//
// and serve every index along the other axis. Lanes that are neighbours in memory,
// or every second element, are a run. A vector of few runs, which is what a row of
// an image that ends within it gives, is read run by run with masks; others are
// gathered. Images of 7 columns:
//
//   lanes    0 1 2 3 4 5 6 7 8 9 ..         runs
//   columns  4 5 6 0 1 2 3 4 5 6 0 ..       lanes 0-2, 3-9, 10-15
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln::loop;
using namespace mlir;

/// Of a panel of rows of several tiles at most: a tile reads a part of each
/// line of it, and does so from the first cache.
static constexpr int64_t kPanelBytes = 24 << 10;

/// Elements of a register tile's rows or columns, in whole vectors.
static int64_t roundUp(int64_t x, int64_t lanes) {
  return (x + lanes - 1) / lanes * lanes;
}

int64_t kiln::loop::irregularTableBytes(const ContractionSpec &spec,
                                        PackedScheduleAttr schedule) {
  size_t dims = 0;
  if (spec.a.irregular)
    dims = std::max<size_t>({dims, spec.rows.size(), spec.sum.size(), 1});
  if (spec.b.irregular)
    dims = std::max<size_t>({dims, spec.columns.size(), 1});
  int64_t rows = schedule.getTileRows() * getPanelTiles(spec, schedule);
  int64_t lanes =
      std::max(roundUp(rows, schedule.getLanes()), schedule.getTileColumns());
  return dims ? static_cast<int64_t>(3 + dims) * lanes * 8 : 0;
}

bool kiln::loop::packsAcrossRows(const ContractionSpec &spec) {
  const ContractionOperand &a = spec.a;
  if (!a.irregular)
    return a.rowStride.is(1) && !a.columnStride.is(1);
  const Extent &row = a.rowSteps.back();
  if (!row.is(1) && !row.is(2))
    return false;
  if (!a.columnSteps.back().is(1))
    return true;
  // Neighbours both ways: along the longer one.
  const Extent &sum = spec.sum.empty() ? spec.k : spec.sum.back();
  const Extent &rows = spec.rows.empty() ? spec.m : spec.rows.back();
  return sum.constant && (!rows.constant || *rows.constant > *sum.constant);
}

int64_t kiln::loop::getPanelTiles(const ContractionSpec &spec,
                                  PackedScheduleAttr schedule) {
  if (schedule.getInPlace() || getFactorsOfWord(schedule.getUnit()) > 1 ||
      !packsAcrossRows(spec))
    return 1;
  int64_t tiles = countTilesOfVectors(schedule);
  int64_t bytes = schedule.getBlockDepth() * tiles * schedule.getTileRows() *
                  (spec.sumType.getIntOrFloatBitWidth() / 8);
  return bytes <= kPanelBytes ? tiles : 1;
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
    Value runs; ///< how many; 0 if they are better gathered
    int64_t step = 1;
  };
  /// The vector that begins at `lane`, of which the first `valid` count. It
  /// replaces the runs of the vector before.
  Lanes get(Value lane, Value valid);

  /// `f` for each run of the last vector: its elements lie `step` apart from
  /// where lane 0 would have its own; those of `inside` are its own. What `stored`
  /// says is to be written: all lanes at first, then the run's own.
  void forEachRun(const Lanes &lanes,
                  llvm::function_ref<void(Value start, Value inside, Value stored)> f);

private:
  Value at(Value lane, int64_t row) {
    return c.address(memory, c.add(lane, row * length), c.b.getI64Type());
  }
  Value runAt(Value run, int64_t part) { return at(run, steps.size() + 1 + part); }
  Value findRuns(const Lanes &lanes, Value first, Value valid);

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

static Value both(ContractionBuilder &c, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(c.b, c.loc, x, y);
}

/// Writes the runs of the vector that begins at lane `first`; gives their number.
Value LaneTable::findRuns(const Lanes &lanes, Value first, Value valid) {
  Type i64 = c.b.getI64Type(), flags = c.b.getIntegerType(c.lanes);
  SmallVector<int64_t> numbers;
  for (int64_t k = 0; k < c.lanes; ++k)
    numbers.push_back(k * lanes.step);
  Value apart = arith::ConstantOp::create(
      c.b, c.loc,
      DenseElementsAttr::get(c.vectorOf(i64), ArrayRef<int64_t>(numbers)));
  // Where lane 0 would lie: the same for all lanes of a run.
  Value starts = arith::SubIOp::create(c.b, c.loc, lanes.offsets, apart);
  Value inside = c.firstLanes(valid);
  auto write = [&](Value start, Value run) {
    Value own = both(c, c.equal(starts, c.splat(start)), inside);
    Value bits = LLVM::BitcastOp::create(c.b, c.loc, flags, own);
    c.store(start, runAt(run, 0), 8);
    if (c.lanes < 64)
      bits = arith::ExtUIOp::create(c.b, c.loc, i64, bits);
    c.store(bits, runAt(run, 1), 8);
  };
  Value zero = c.constant(0), start = c.load(i64, at(first, 0), 8);
  write(start, zero);
  SmallVector<Value> last = c.forEach(
      c.constant(1), c.min(valid, c.lanes), 1, {start, zero},
      [&](Value lane, ValueRange before) -> SmallVector<Value> {
        Value here = c.sub(c.load(i64, at(c.add(first, lane), 0), 8),
                           c.mul(lane, lanes.step));
        Value run = c.select(c.equal(here, before[0]), before[1],
                             c.add(before[1], 1));
        write(here, run);
        return {here, run};
      });
  return c.add(last[1], 1);
}

LaneTable::Lanes LaneTable::get(Value lane, Value valid) {
  Type i64 = c.b.getI64Type();
  Lanes lanes;
  lanes.offsets = c.load(c.vectorOf(i64), at(lane, 0), 8);
  for (size_t k = 0; k < steps.size(); ++k)
    lanes.indices.push_back(c.load(c.vectorOf(i64), at(lane, k + 1), 8));
  // Windows that move by two have every second element.
  if (steps.back().is(2) && c.masked)
    lanes.step = 2;
  lanes.runs = findRuns(lanes, lane, valid);
  // A gather takes as long as about four loads and stores with masks; without
  // masks a vector is one run, or gathered.
  Value few = c.less(lanes.runs, c.constant(c.masked ? c.lanes / 4 + 1 : 2));
  lanes.runs = c.select(few, lanes.runs, c.constant(0));
  return lanes;
}

void LaneTable::forEachRun(
    const Lanes &lanes,
    llvm::function_ref<void(Value start, Value inside, Value stored)> f) {
  Type i64 = c.b.getI64Type(), flags = c.b.getIntegerType(c.lanes);
  c.forEach(c.constant(0), c.masked ? lanes.runs : c.constant(1), 1,
            [&](Value run) {
              Value bits = c.load(i64, runAt(run, 1), 8);
              if (c.lanes < 64)
                bits = arith::TruncIOp::create(c.b, c.loc, flags, bits);
              Type mask = c.vectorOf(c.b.getI1Type());
              Value inside = LLVM::BitcastOp::create(c.b, c.loc, mask, bits);
              Value stored;
              if (c.masked) {
                Value all = arith::ConstantOp::create(
                    c.b, c.loc, c.b.getIntegerAttr(flags, -1));
                stored = LLVM::BitcastOp::create(
                    c.b, c.loc, mask,
                    c.select(c.equal(run, c.constant(0)), all, bits));
              }
              f(c.load(i64, runAt(run, 0), 8), inside, stored);
            });
}

/// Copies one vector of an operand into a panel, however its lanes lie: `copy`
/// with the offset of the vector, the offsets of its lanes if they are gathered,
/// the lanes that are read, and those that are stored (null for all).
static void copyLanes(
    ContractionBuilder &c, LaneTable &table, const LaneTable::Lanes &lanes,
    llvm::function_ref<void(Value start, Value offsets, Value inside, Value stored)>
        copy) {
  auto branch = scf::IfOp::create(c.b, c.loc, c.less(c.constant(0), lanes.runs),
                                  /*withElse=*/true);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(branch.thenBlock());
  table.forEachRun(lanes, [&](Value start, Value inside, Value stored) {
    copy(start, Value(), inside, stored);
  });
  c.b.setInsertionPointToStart(branch.elseBlock());
  copy(c.constant(0), lanes.offsets, Value(), Value());
}

void kiln::loop::packIrregularRows(ContractionBuilder &c,
                                   const PanelBlock &block, Value first,
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
    Value inside = c.firstLanes(c.sub(block.kc, q));
    LaneTable::Lanes lanes =
        table.get(c.constant(0), c.sub(block.kc, q));
    Value to = c.address(panels, c.mul(q, mr), c.spec.sumType);
    copyLanes(c, table, lanes, [&](Value start, Value offsets, Value own,
                                   Value stored) {
      c.forEach(c.constant(0), c.mul(tiles, mr), 1, [&](Value r) {
        SmallVector<Value> row =
            c.split(c.spec.rows, c.min(c.add(first, r), lastRow));
        Value from = c.add(c.offset(row, a.rowSteps), start);
        Value mask = own ? own : inside;
        if (a.mask)
          mask = both(c, mask, a.mask(c.b, c.loc, row, lanes.indices));
        Value value = c.loadLanes(a, c.address(base, from, a.type), offsets,
                                  mask, lanes.step);
        // A map need not give 0 for what lies beyond the last k.
        if (a.map)
          value = c.select(inside, value, c.zero(c.sums));
        Value tile = c.div(r, c.constant(mr));
        Value place =
            c.add(c.mul(c.mul(tile, block.kPadded), mr),
                  c.mul(c.rem(r, c.constant(mr)), c.lanes));
        c.store(value, c.address(to, place, c.spec.sumType), alignment, stored);
      });
    });
  });
}

namespace {
/// An operand whose lanes run along its rows or columns, and not along k.
struct AcrossOperand {
  const ContractionOperand &operand;
  const ContractionAxis &axis;
  ArrayRef<Extent> laneSteps, sumSteps;
  bool freeSum;  ///< its mask does not depend on the outermost dimension of k
  int64_t width; ///< lanes of a panel
  bool isRows;

  Value getMask(ContractionBuilder &c, ArrayRef<Value> k,
                ArrayRef<Value> lanes) const {
    if (!operand.mask)
      return {};
    return isRows ? operand.mask(c.b, c.loc, lanes, k)
                  : operand.mask(c.b, c.loc, k, lanes);
  }
};
} // namespace

/// Packs the lanes from `first` on, none beyond `limit`, as [k][width].
static void packAcross(ContractionBuilder &c, const PanelBlock &block,
                       const AcrossOperand &across, Value first, Value limit,
                       Value panel) {
  const ContractionOperand &operand = across.operand;
  const ContractionAxis &sum = c.spec.sum;
  int64_t width = across.width;
  bool isWhole = width % c.lanes == 0;
  auto alignment =
      static_cast<unsigned>(isWhole ? c.lanes * c.sumBytes : c.sumBytes);
  LaneTable table(c, block.table, roundUp(width, c.lanes), across.axis,
                  across.laneSteps);
  table.fill(first, c.sub(limit, c.constant(1)));
  Value base = c.address(operand.base,
                         c.mul(block.batch, c.get(operand.batchStride)),
                         operand.type);

  // k is walked with its outermost dimension inside, for which the mask holds
  // if it is the same for all of it. Without a mask lanes that are gathered are
  // read in order, if neighbours in k are neighbours in memory: what one gather
  // brings to the cache the next ones take.
  auto isInOrder = [&] {
    const Extent &laneStep = across.laneSteps.back();
    return !operand.mask && across.sumSteps.back().is(1) && !laneStep.is(1) &&
           !laneStep.is(2);
  };
  bool outerInside = across.freeSum && !isInOrder();
  ContractionAxis inner(sum);
  Value period = c.constant(1), outerStep = c.constant(0);
  if (outerInside) {
    if (!inner.empty())
      inner.erase(inner.begin());
    for (const Extent &extent : inner)
      period = c.mul(period, c.get(extent));
    outerStep = c.get(across.sumSteps.front());
  }
  auto copy = [&](const LaneTable::Lanes &lanes, Value lane, Value origin,
                  Value offsets, Value own, Value stored) {
    c.forEach(outerInside ? c.constant(0) : block.k0,
              outerInside ? period : c.add(block.k0, block.kc), 1,
              [&](Value q) {
      SmallVector<Value> indices = c.split(inner, q);
      if (outerInside) {
        if (inner.empty())
          indices.clear();
        indices.insert(indices.begin(), c.constant(0));
      }
      Value mask = both(c, own, across.getMask(c, indices, lanes.indices));
      Value start = c.add(c.offset(indices, across.sumSteps), origin);
      auto place = [&](Value from, Value k) {
        Value value = c.loadLanes(operand, c.address(base, from, operand.type),
                                  offsets, mask, lanes.step);
        Value to = c.add(c.mul(c.sub(k, block.k0), width), lane);
        c.store(value, c.address(panel, to, c.spec.sumType), alignment, stored);
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
  c.forEach(c.constant(0), c.constant(width), c.lanes, [&](Value lane) {
    LaneTable::Lanes lanes =
        table.get(lane, c.sub(c.sub(limit, first), lane));
    Value inside;
    if (!isWhole)
      inside = c.firstLanes(c.sub(c.constant(width), lane));
    copyLanes(c, table, lanes, [&](Value start, Value offsets, Value own,
                                   Value stored) {
      copy(lanes, lane, start, offsets, own, both(c, stored, inside));
    });
  });
  if (block.kc != block.kPadded)
    c.clear(panel, c.mul(block.kc, width), c.mul(block.kPadded, width),
            isWhole);
}

void kiln::loop::packIrregularRowsAcross(ContractionBuilder &c,
                                         const PanelBlock &block, Value row,
                                         Value m1, Value panel) {
  const ContractionOperand &a = c.spec.a;
  packAcross(
      c, block,
      {a, c.spec.rows, a.rowSteps, a.columnSteps, c.spec.freeSum[0],
       block.schedule.getTileRows() * getPanelTiles(c.spec, block.schedule),
       /*isRows=*/true},
      row, m1, panel);
}

void kiln::loop::packIrregularColumns(ContractionBuilder &c,
                                      const PanelBlock &block,
                                      Value column, Value n1, Value panel) {
  const ContractionOperand &b = c.spec.b;
  packAcross(c, block,
             {b, c.spec.columns, b.columnSteps, b.rowSteps, c.spec.freeSum[1],
              block.schedule.getTileColumns(), /*isRows=*/false},
             column, n1, panel);
}
