//===- ContractionInPlace.cpp - Rows of A, read where they lie ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The depth of a product whose A is an image with its channels last is made of runs: the
// channels of one place in the window, which are neighbours, and which padding leaves out
// together or not at all. So a row of A is an address for each place in the window, and
// the micro-kernel broadcasts from there. Of a block of rows the scratch memory holds
//
//   [offset of the row | index in dimension 0 | ...][row]
//   [address of the run][place in the window][row]
//   zeros, as many as a run has, which stand for one that is left out
//
// Of bf16 two neighbours and of bytes four are the word that is broadcast
// (ContractionWords.cpp).
//
// An image of 64 channels is so read 9 times by a window of 3 x 3 out of the first cache,
// and written nowhere. A run that padding leaves out of all rows of a tile is not multiplied:
// of a window of 3 x 3 over 14 x 14 places that is one in 25, of one whose places lie 24 apart
// all but one.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln::loop;
using namespace mlir;

std::optional<RunsInPlace>
kiln::loop::getRunsInPlace(const ContractionSpec &spec,
                           PackedScheduleAttr schedule) {
  const ContractionOperand &a = spec.a;
  // A matrix is one run, however many dimensions the other operand has there.
  bool hasRuns = a.irregular && !spec.sum.empty();
  const Extent &run = hasRuns ? spec.sum.back() : spec.k;
  const Extent &step = a.irregular ? a.columnSteps.back() : a.columnStride;
  if (!a.isFactors || !spec.freeRuns || !step.is(1) || !spec.k.constant ||
      !run.constant || *spec.k.constant < 1 || *run.constant < 1)
    return std::nullopt;
  RunsInPlace runs;
  int64_t depth = std::min(schedule.getBlockDepth(), *spec.k.constant);
  if (depth % *run.constant == 0)
    runs.length = *run.constant;
  else if (*run.constant % depth == 0)
    runs.length = depth;
  else
    return std::nullopt;
  int64_t together = getFactorsOfWord(schedule.getUnit());
  bool isWord = a.type.getIntOrFloatBitWidth() * together ==
                spec.sumType.getIntOrFloatBitWidth();
  if (!isWord || runs.length % together != 0)
    return std::nullopt;
  runs.steps = runs.length / together;
  runs.places = depth / runs.length;
  runs.iterations = runs.places * (runs.steps / schedule.getUnroll());
  runs.rowDims = a.irregular ? std::max<size_t>(spec.rows.size(), 1) : 1;
  runs.rows = llvm::alignTo(schedule.getBlockRows(), schedule.getLanes());
  return runs;
}

int64_t RunsInPlace::getElements(const ContractionSpec &spec,
                                 PackedScheduleAttr schedule) const {
  int64_t words = (1 + rowDims + places) * rows;
  int64_t zeros = llvm::alignTo(steps, schedule.getLanes());
  return words * (64 / spec.sumType.getIntOrFloatBitWidth()) + zeros;
}

namespace {
/// The addresses of a block of rows.
class RowTable {
public:
  RowTable(ContractionBuilder &c, const RunsInPlace &runs, Value memory)
      : c(c), a(c.spec.a), runs(runs), memory(memory),
        steps(a.irregular ? a.rowSteps : SmallVector<Extent>{a.rowStride}) {
    if (a.irregular)
      axis = c.spec.rows;
  }

  void fillRows(Value first, Value last, Value count);
  void fillRuns(const PanelBlock &block, Value count);

  Value at(int64_t line, Value row) {
    return c.address(memory, c.add(row, line * runs.rows), c.b.getI64Type());
  }
  int64_t firstRun() const { return 1 + runs.rowDims; }

private:
  ContractionBuilder &c;
  const ContractionOperand &a;
  const RunsInPlace &runs;
  Value memory;
  ContractionAxis axis;
  SmallVector<Extent> steps;
};
} // namespace

/// Writes where rows begin, and their indices; beyond `last` it repeats that.
void RowTable::fillRows(Value first, Value last, Value count) {
  c.forEach(c.constant(0), count, 1, c.split(axis, c.min(first, last)),
            [&](Value row, ValueRange indices) {
              c.store(c.offset(indices, steps), at(0, row), 8);
              for (auto [k, index] : llvm::enumerate(indices))
                c.store(index, at(k + 1, row), 8);
              Value more = c.less(c.add(first, row), last);
              SmallVector<Value> moved = c.next(axis, indices);
              for (auto [to, from] : llvm::zip_equal(moved, indices))
                to = c.select(more, to, from);
              return moved;
            });
}

/// Writes the address of each run in the block of k, a vector of rows at a time.
void RowTable::fillRuns(const PanelBlock &block, Value count) {
  Type i64 = c.b.getI64Type();
  VectorType words = c.vectorOf(i64);
  int64_t bytes = a.type.getIntOrFloatBitWidth() / 8;
  auto toNumber = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(c.b, c.loc, i64, pointer);
  };
  Value base = toNumber(c.address(
      a.base, c.mul(block.batch, c.get(a.batchStride)), a.type));
  Value zeros = at(firstRun() + runs.places, c.constant(0));
  Value nowhere = c.splat(toNumber(zeros));
  Value size = c.splat(c.constant(bytes));
  if (a.mask)
    c.clear(zeros, c.constant(0),
            c.constant(llvm::alignTo(runs.steps, c.lanes)), /*whole=*/false);
  Value places = c.div(block.kc, c.constant(runs.length));
  c.forEach(c.constant(0), places, 1, [&](Value place) {
    Value k = c.add(block.k0, c.mul(place, runs.length));
    SmallVector<Value> indices{k};
    Value along = k;
    if (a.irregular) {
      indices = c.split(c.spec.sum, k);
      along = c.offset(indices, a.columnSteps);
    }
    Value start = c.splat(c.add(base, c.mul(along, bytes)));
    Value line = c.add(c.mul(place, runs.rows), firstRun() * runs.rows);
    c.forEach(c.constant(0), count, c.lanes, [&](Value row) {
      Value offsets = c.load(words, at(0, row), 8);
      Value address = arith::AddIOp::create(
          c.b, c.loc, start, arith::MulIOp::create(c.b, c.loc, offsets, size));
      if (a.mask) {
        SmallVector<Value> rows;
        for (int64_t k = 0; k < runs.rowDims; ++k)
          rows.push_back(c.load(words, at(k + 1, row), 8));
        address = c.select(a.mask(c.b, c.loc, rows, indices), address, nowhere);
      }
      c.store(address, c.address(memory, c.add(line, row), i64), 8);
    });
  });
}

void kiln::loop::placeRows(ContractionBuilder &c, const PanelBlock &block,
                           Value first, Value m1, Value tiles, Value table) {
  RunsInPlace runs = *getRunsInPlace(c.spec, block.schedule);
  RowTable rows(c, runs, table);
  Value count = c.mul(c.ceilDiv(c.mul(tiles, block.schedule.getTileRows()),
                                c.lanes),
                      c.lanes);
  rows.fillRows(first, c.sub(m1, c.constant(1)), count);
  rows.fillRuns(block, count);
}

SmallVector<Value> kiln::loop::multiplyInPlace(ContractionBuilder &c,
                                               const PanelBlock &block,
                                               Value table, Value firstRow,
                                               Value columns, int64_t count,
                                               FetchLines fetch) {
  RunsInPlace runs = *getRunsInPlace(c.spec, block.schedule);
  RowTable rows(c, runs, table);
  int64_t nr = block.schedule.getTileColumns(), vectors = nr / c.lanes;
  auto alignment = static_cast<unsigned>(c.lanes * c.sumBytes);
  bool ofWords = runs.steps != runs.length;
  // Bytes of an image begin anywhere, and rows of odd length have words of bf16 at odd elements.
  auto ofFactors = static_cast<unsigned>(ofWords ? 1 : c.sumBytes);
  Value line = c.add(firstRow, rows.firstRun() * runs.rows);

  // One step of the run of each row times one row of the panel.
  auto step = [&](ValueRange starts, Value panel, Value k, int64_t u,
                  SmallVector<Value> &sum) {
    SmallVector<Value> b;
    for (int64_t v = 0; v < vectors; ++v)
      b.push_back(c.load(c.sums,
                         c.address(panel, c.constant(u * nr + v * c.lanes),
                                   c.spec.sumType),
                         alignment));
    for (int64_t i = 0; i < count; ++i) {
      Value from = c.address(starts[i], k, c.spec.sumType);
      Value a = c.splat(c.load(c.spec.sumType,
                               c.address(from, c.constant(u), c.spec.sumType),
                               ofFactors));
      for (int64_t v = 0; v < vectors; ++v) {
        Value &into = sum[i * vectors + v];
        into = ofWords ? addProducts(c, a, b[v], into) : c.fma(a, b[v], into);
      }
    }
  };
  // Whether some row has this run.
  Value nowhere = rows.at(rows.firstRun() + runs.places, c.constant(0));
  auto isThere = [&](ValueRange starts) {
    Value any;
    for (Value start : starts) {
      Value has = LLVM::ICmpOp::create(c.b, c.loc, LLVM::ICmpPredicate::ne,
                                       start, nowhere);
      any = any ? arith::OrIOp::create(c.b, c.loc, any, has) : has;
    }
    return any;
  };
  SmallVector<Value> zeros(count * vectors, c.zero(c.sums));
  Value places = c.div(block.kc, c.constant(runs.length));
  return c.forEach(
      c.constant(0), places, 1, zeros, [&](Value place, ValueRange sofar) {
        SmallVector<Value> starts;
        Value first = c.add(line, c.mul(place, runs.rows));
        for (int64_t i = 0; i < count; ++i)
          starts.push_back(
              c.load(c.spec.a.base.getType(),
                     c.address(table, c.add(first, i), c.b.getI64Type()), 8));
        Value panel = c.address(
            columns, c.mul(c.mul(place, runs.steps), nr), c.spec.sumType);
        int64_t unroll = block.schedule.getUnroll();
        int64_t whole = runs.steps / unroll * unroll;
        SmallVector<Value> sum(sofar);
        Value iterations = c.constant(whole / unroll);
        Value end = c.constant(whole);
        if (c.spec.a.mask)
          end = c.select(isThere(starts), end, c.constant(0));
        if (whole > 0)
          sum = c.forEach(c.constant(0), end, unroll, sum,
                          [&](Value k, ValueRange before) {
                            SmallVector<Value> now(before);
                            fetch(c.add(c.mul(place, iterations),
                                        c.div(k, c.constant(unroll))));
                            Value here = c.address(panel, c.mul(k, nr),
                                                   c.spec.sumType);
                            for (int64_t u = 0; u < unroll; ++u)
                              step(starts, here, k, u, now);
                            return now;
                          });
        Value rest = c.address(panel, c.constant(whole * nr), c.spec.sumType);
        for (int64_t u = 0; u < runs.steps - whole; ++u)
          step(starts, rest, c.constant(whole), u, sum);
        return sum;
      });
}
