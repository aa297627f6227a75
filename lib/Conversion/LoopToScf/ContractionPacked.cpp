//===- ContractionPacked.cpp - Packed, register-tiled products ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where B has several panels the next one is fetched into the second cache
// while one is multiplied: a part of it by each tile of rows, a line or a few
// before each iteration over k. Many at a time would keep what fetches lines
// from loading the panel at hand; among the multiply-adds themselves they
// would make the compiler load early, and spill.
//
// The sums of a register tile go through a small buffer rather than straight to
// C. That costs a few cycles per tile, and keeps the code after the last k (an
// epilogue of any size, masks at the edges) a rolled loop.
//
//===----------------------------------------------------------------------===//

#include "PackedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln::loop;
using namespace mlir;

/// Most lines of the next panel that an iteration over k fetches, and their bytes.
constexpr int64_t kMaxFetchLines = 4, kLineBytes = 64;

PackedScratch::PackedScratch(const ContractionSpec &spec,
                             PackedScheduleAttr schedule)
    : onePanel(schedule.getItemRows() <= schedule.getBlockRows()),
      oneBlock(
          (spec.k.constant && *spec.k.constant <= schedule.getBlockDepth()) ||
          (spec.mostK && *spec.mostK <= schedule.getBlockDepth())),
      steps(schedule.getBlockDepth() / getFactorsOfWord(schedule.getUnit())),
      setup(schedule.getUnit() == DotUnit::Tiles ? schedule.getLanes() : 0),
      staged(getStagedElements(spec, schedule)),
      rowPanels(
          schedule.getInPlace()
              ? getRunsInPlace(spec, schedule)->getElements(spec, schedule)
              : steps * llvm::alignTo(schedule.getBlockRows(),
                                      schedule.getTileRows() *
                                          getPanelTiles(spec, schedule))),
      columnPanels(spec.b.packed
                       ? 0
                       : steps * (onePanel ? schedule.getTileColumns()
                                           : schedule.getItemColumns())),
      finished(storesAcross(spec) ? countTilesOfVectors(schedule) : 1),
      sums(oneBlock
               ? finished * schedule.getTileRows() * schedule.getTileColumns()
               : schedule.getItemRows() * schedule.getItemColumns()) {}

int64_t kiln::loop::countTilesOfVectors(PackedScheduleAttr schedule) {
  int64_t rows = schedule.getTileRows(), lanes = schedule.getLanes();
  auto inVectors = [&](int64_t tiles) -> int64_t {
    return llvm::alignTo(tiles * rows, lanes);
  };
  int64_t best = 1;
  for (int64_t tiles = 1; tiles <= lanes; ++tiles) {
    if (tiles * inVectors(best) > best * inVectors(tiles))
      best = tiles;
    if (8 * best * rows > 7 * inVectors(best))
      break;
  }
  return best;
}

bool kiln::loop::storesAcross(const ContractionSpec &spec) {
  return !spec.c.columnStride.is(1) && !spec.c.rowRun.is(1);
}

/// The micro-kernel: sums (+)= rows * columns over the current block of k, for the
/// first `count` rows of the tile.
void PackedTile::multiply(Value rows, Value columns, Value sums,
                          Value firstBlock, int64_t count) {
  if (schedule.getUnit() == DotUnit::Tiles)
    return multiplyTiles(c, schedule, steps, rows, columns, sums, firstBlock,
                         count);
  SmallVector<Value> totals =
      schedule.getInPlace()
          ? multiplyInPlace(c, currentBlock(), rows, firstRow, columns, count,
                            [&](Value iteration) { fetch(iteration); })
          : multiplyPacked(rows, columns, count);
  auto place = [&](int64_t i) {
    return sumAddress(sums, c.constant(i * c.lanes));
  };
  c.when(
      firstBlock,
      [&] {
        for (auto [i, total] : llvm::enumerate(totals))
          c.store(total, place(i), vectorAlignment());
      },
      [&] {
        for (auto [i, total] : llvm::enumerate(totals)) {
          Value before = c.load(c.sums, place(i), vectorAlignment());
          c.store(c.addSums(before, total), place(i), vectorAlignment());
        }
      });
}

/// Sums of the first `count` rows of a packed tile.
SmallVector<Value> PackedTile::multiplyPacked(Value rows, Value columns,
                                              int64_t count) {
  int64_t vectors = nr / c.lanes;
  int64_t unroll = schedule.getUnroll();
  SmallVector<Value> zeros(count * vectors, c.zero(c.sums));
  return c.forEach(
      c.constant(0), steps, unroll, zeros, [&](Value k, ValueRange sofar) {
        SmallVector<Value> sum(sofar);
        fetch(c.div(k, c.constant(unroll)));
        Value lane = across ? c.constant(0) : c.rem(k, c.constant(c.lanes));
        Value aStart = sumAddress(
            rows, c.add(c.mul(c.sub(k, lane), across ? panelRows : mr), lane));
        auto inRows = [&](int64_t i, int64_t u) {
          return c.constant(across ? u * panelRows + i : i * c.lanes + u);
        };
        Value bStart = sumAddress(columns, c.mul(k, nr));
        for (int64_t u = 0; u < unroll; ++u) {
          SmallVector<Value> bVectors;
          for (int64_t v = 0; v < vectors; ++v)
            bVectors.push_back(c.load(
                c.sums,
                sumAddress(bStart, c.constant(u * nr + v * c.lanes)),
                vectorAlignment()));
          for (int64_t i = 0; i < count; ++i) {
            Value a = c.splat(
                c.load(spec.sumType, sumAddress(aStart, inRows(i, u)),
                       c.sumBytes));
            for (int64_t v = 0; v < vectors; ++v)
              sum[i * vectors + v] =
                  together > 1
                      ? addProducts(c, a, bVectors[v], sum[i * vectors + v])
                      : c.fma(a, bVectors[v], sum[i * vectors + v]);
          }
        }
        return sum;
      });
}

/// How much of the next panel each tile of a block of rows fetches. Tiles that
/// are too few would do little else.
void PackedTile::planFetches(const PackedScratch &parts) {
  bool staysInCache = parts.oneBlock && spec.n.constant && *spec.n.constant <= nr;
  if (schedule.getUnit() == DotUnit::Tiles || staysInCache ||
      (parts.onePanel && !spec.b.packed))
    return;
  int64_t iterations = schedule.getInPlace()
                           ? getRunsInPlace(spec, schedule)->iterations
                           : parts.steps / schedule.getUnroll();
  if (iterations == 0)
    return;
  int64_t tiles = schedule.getBlockRows() / mr;
  panelLines = llvm::divideCeil(parts.steps * nr * c.sumBytes, kLineBytes);
  int64_t lines = llvm::divideCeil(panelLines, tiles * iterations);
  if (lines > kMaxFetchLines)
    return;
  fetchLines = lines;
  tileLines = std::min(lines * iterations, panelLines);
}

/// Has tile number `tile` of the block of rows fetch its part of a panel; those
/// that are more than its parts the last one.
void PackedTile::setFetched(Value panel, Value tile) {
  Value line = c.min(c.mul(tile, tileLines), panelLines - tileLines);
  fetched = sumAddress(panel, c.mul(line, kLineBytes / c.sumBytes));
}

/// Fetches what belongs to an iteration over k.
void PackedTile::fetch(Value iteration) {
  if (fetchLines == 0)
    return;
  int64_t line = kLineBytes / c.sumBytes;
  Value from = sumAddress(fetched, c.mul(iteration, fetchLines * line));
  for (int64_t i = 0; i < fetchLines; ++i)
    c.prefetch(sumAddress(from, c.constant(i * line)));
}

/// Multiplies the tile that begins at `row`. Where the number of rows is not known,
/// the last tile may have few, for which there is a kernel of its own.
void PackedTile::multiplyTile(Value row, Value rows, Value columns, Value sums,
                              Value firstBlock) {
  int64_t few = schedule.getUnit() == DotUnit::Tiles ? mr / 32 * 16 : mr / 3;
  if (spec.m.constant || few == 0)
    return multiply(rows, columns, sums, firstBlock, mr);
  c.when(
      c.less(c.sub(m1, row), c.constant(few + 1)),
      [&] { multiply(rows, columns, sums, firstBlock, few); },
      [&] { multiply(rows, columns, sums, firstBlock, mr); });
}

void PackedTile::finishRows(Value row, Value column, Value sums, bool masked) {
  Value rows = c.min(c.sub(m1, row), mr);
  c.forEach(c.constant(0), rows, 1, [&](Value i) {
    c.forEach(c.constant(0), c.constant(nr), c.lanes, [&](Value v) {
      Value n = c.add(column, v);
      Value from = sumAddress(sums, c.add(c.mul(i, nr), v));
      Value mask = masked ? c.firstLanes(c.sub(n1, n)) : Value();
      c.storeVector(c.load(c.sums, from, vectorAlignment()),
                    {batch, c.add(row, i), n, false, mask});
    });
  });
}

/// Stores `count` rows column by column. Rows that are neighbours in C are
/// gathered from the sums, those of each run of C by themselves.
void PackedTile::finishColumns(Value row, Value column, Value sums,
                               Value count) {
  Value rows = c.min(c.sub(m1, row), count);
  Value columns = c.min(c.sub(n1, column), nr);
  Value run = c.get(spec.c.rowRun);
  Value firstRun = c.div(row, run);
  Value lastRun = c.div(c.sub(c.add(row, rows), c.constant(1)), run);
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < c.lanes; ++i)
    numbers.push_back(i * nr);
  Value apart = arith::ConstantOp::create(
      c.b, c.loc,
      DenseElementsAttr::get(c.vectorOf(c.b.getI64Type()),
                             ArrayRef<int64_t>(numbers)));
  c.forEach(firstRun, c.add(lastRun, 1), 1, [&](Value number) {
    Value from = c.sub(c.mul(number, run), row);
    Value to = c.min(c.add(from, run), rows);
    c.forEach(c.constant(0), count, c.lanes, [&](Value group) {
      Value start = arith::MaxSIOp::create(c.b, c.loc, from, group);
      Value lane = c.sub(start, group);
      c.when(c.less(start, to), [&] {
        Value mask = arith::XOrIOp::create(c.b, c.loc,
                                           c.firstLanes(c.sub(to, group)),
                                           c.firstLanes(lane));
        c.forEach(c.constant(0), columns, 1, [&](Value j) {
          Value at = sumAddress(sums, c.add(c.mul(group, nr), j));
          c.storeVector(c.gather(at, apart, mask),
                        {batch, c.add(row, start), c.add(column, j), true, mask,
                         lane});
        });
      });
    });
  });
}

/// Stores a tile whose sums are complete.
void PackedTile::finish(Value row, Value column, Value sums) {
  if (spec.c.columnStride.is(1)) {
    c.when(
        isWhole(column),
        [&] { finishRows(row, column, sums, /*masked=*/false); },
        [&] { finishRows(row, column, sums, /*masked=*/true); });
    return;
  }
  Value rows = c.min(c.sub(m1, row), mr);
  Value columns = c.min(c.sub(n1, column), nr);
  c.forEach(c.constant(0), rows, 1, [&](Value i) {
    c.forEach(c.constant(0), columns, 1, [&](Value j) {
      Value from = sumAddress(sums, c.add(c.mul(i, nr), j));
      Value sum = c.load(spec.sumType, from, c.sumBytes);
      c.storeElement(sum, {batch, c.add(row, i), c.add(column, j), false,
                           nullptr});
    });
  });
}

void PackedTile::setBlock(Value block) {
  int64_t depth = schedule.getBlockDepth();
  k0 = c.mul(block, depth);
  kc = c.min(c.sub(all, k0), depth);
  int64_t vector = together * c.lanes;
  // Of so many vectors each block has some; of one that is known all is.
  auto isMultiple = [&](int64_t of) {
    return spec.k.constant && *spec.k.constant % of == 0 && depth % of == 0;
  };
  kPadded = isMultiple(vector) ? kc : c.mul(c.ceilDiv(kc, vector), vector);
  steps = c.div(kPadded, c.constant(together));
  kFull =
      isMultiple(c.lanes) ? kc : c.mul(c.div(kc, c.constant(c.lanes)), c.lanes);
}

/// Whether all columns of the tile that begins at `column` are there.
Value PackedTile::isWhole(Value column) {
  if (hasWholeColumns)
    return c.flag(true);
  return c.less(c.add(column, nr - 1), n1);
}

/// Where the panel of `column` is, of the block at hand. Blocks before it are whole.
Value PackedTile::getPackedAhead(Value panels, Value block, Value column) {
  Value count = c.ceilDiv(c.get(spec.n), nr);
  int64_t whole = schedule.getBlockDepth() / together;
  Value before = c.mul(c.mul(block, whole), count);
  Value inBlock = c.mul(c.div(column, c.constant(nr)), steps);
  Value row = c.add(before, inBlock);
  if (!spec.batch.is(1))
    row = c.add(row, c.mul(batch, c.mul(countPackedSteps(), count)));
  return sumAddress(panels, c.mul(row, nr));
}

/// The steps of a panel of all of k, as `getPackedElements` (Weights.h) has them.
Value PackedTile::countPackedSteps() {
  Value depth = c.constant(schedule.getBlockDepth());
  Value rest = c.ceilDiv(c.rem(all, depth), together * c.lanes);
  return c.add(c.mul(c.div(all, depth),
                     getPackedSteps(schedule, schedule.getBlockDepth())),
               c.mul(rest, c.lanes));
}

/// Where the rows of a tile begin in the panels of A.
Value PackedTile::getPanelRow(Value tile) {
  if (panelRows == mr)
    return c.mul(c.mul(tile, steps), mr);
  Value together = c.constant(panelRows / mr);
  return c.add(c.mul(c.mul(c.div(tile, together), steps), panelRows),
               c.mul(c.rem(tile, together), mr));
}

/// All of k of one panel.
void PackedTile::emitColumns(Value panels) {
  all = c.get(spec.k);
  int64_t table = irregularTableBytes(spec, schedule) / c.sumBytes;
  staged = sumAddress(scratch, c.constant(table));
  Value blocks = c.ceilDiv(all, schedule.getBlockDepth());
  c.forEach(c.constant(0), blocks, 1, [&](Value block) {
    setBlock(block);
    packColumns(n0, getPackedAhead(panels, block, n0));
  });
}

void PackedTile::emit() {
  Value one = c.constant(1);
  Value k = all = c.get(spec.k);
  int64_t depth = schedule.getBlockDepth();
  int64_t blockTiles = schedule.getBlockRows() / mr;
  PackedScratch parts(spec, schedule);
  int64_t panelElements = parts.steps * nr;
  int64_t table = irregularTableBytes(spec, schedule) / c.sumBytes;
  Value setup = sumAddress(scratch, c.constant(table));
  staged = sumAddress(setup, c.constant(parts.setup));
  Value rowPanels = sumAddress(staged, c.constant(parts.staged));
  Value columnPanels = sumAddress(rowPanels, c.constant(parts.rowPanels));
  Value sumTiles = sumAddress(columnPanels, c.constant(parts.columnPanels));

  Value rowTiles = c.ceilDiv(c.sub(m1, m0), mr);
  Value columnTiles = c.ceilDiv(c.sub(n1, n0), nr);
  planFetches(parts);
  // With k = 0 there is one empty block, which stores zeros.
  Value blocks = one;
  if (!parts.oneBlock)
    blocks = arith::MaxSIOp::create(c.b, c.loc, c.ceilDiv(k, depth), one);
  if (schedule.getUnit() == DotUnit::Tiles)
    configureTiles(c, setup);
  c.forEach(c.constant(0), blocks, 1, [&](Value block) {
    setBlock(block);
    Value first = c.equal(block, c.constant(0));
    Value last = c.equal(block, c.sub(blocks, one));
    c.forEach(c.constant(0), rowTiles, blockTiles, [&](Value tile0) {
      Value tiles = c.min(c.sub(rowTiles, tile0), blockTiles);
      Value row0 = c.add(m0, c.mul(tile0, mr));
      packRows(row0, tiles, rowPanels);
      c.forEach(c.constant(0), columnTiles, 1, [&](Value j) {
        Value column = c.add(n0, c.mul(j, nr));
        auto placeOf = [&](Value j, Value block) -> Value {
          if (spec.b.packed)
            return getPackedAhead(spec.b.packed, block,
                                  c.add(n0, c.mul(j, nr)));
          return parts.onePanel
                     ? columnPanels
                     : sumAddress(columnPanels, c.mul(j, panelElements));
        };
        Value panel = placeOf(j, block), next;
        // Just before its first use, so that it is in the cache.
        if (!spec.b.packed && parts.onePanel)
          packColumns(column, panel);
        else if (!spec.b.packed)
          c.when(c.equal(tile0, c.constant(0)),
                 [&] { packColumns(column, panel); });
        // Behind the last panel the next block of rows begins with the first, behind
        // the last block of rows the next block of k.
        if (fetchLines > 0) {
          Value more = c.less(c.add(j, 1), columnTiles);
          Value stays = c.less(c.add(tile0, blockTiles), rowTiles);
          next = placeOf(c.select(more, c.add(j, 1), c.constant(0)),
                         c.select(more, block,
                                  c.select(stays, block, c.add(block, 1))));
        }
        c.forEach(c.constant(0), tiles, 1, [&](Value i) {
          Value rows = rowPanels;
          if (schedule.getInPlace())
            firstRow = c.mul(i, mr);
          else
            rows = sumAddress(rowPanels, getPanelRow(i));
          if (next)
            setFetched(next, i);
          Value tile = c.add(tile0, i);
          // Of a block of k that is the only one sums stay until they are
          // stored.
          Value together = c.rem(i, c.constant(parts.finished));
          auto sumsOf = [&](Value tile, Value inGroup) {
            Value place =
                parts.oneBlock ? inGroup : c.add(c.mul(j, rowTiles), tile);
            return sumAddress(sumTiles, c.mul(place, mr * nr));
          };
          Value row = c.add(m0, c.mul(tile, mr)), sums = sumsOf(tile, together);
          multiplyTile(row, rows, panel, sums, first);
          if (!storesAcross(spec)) {
            c.when(last, [&] { finish(row, column, sums); });
            return;
          }
          Value count = c.add(together, 1);
          Value isFull = arith::OrIOp::create(
              c.b, c.loc, c.equal(count, c.constant(parts.finished)),
              c.equal(c.add(i, 1), tiles));
          c.when(c.both(last, isFull), [&] {
            finishColumns(c.sub(row, c.mul(together, mr)), column,
                          sumsOf(c.sub(tile, together), c.constant(0)),
                          c.mul(count, mr));
          });
        });
      });
    });
  });
  if (schedule.getUnit() == DotUnit::Tiles)
    releaseTiles(c);
}

void kiln::loop::emitPackedTile(ContractionBuilder &c,
                                PackedScheduleAttr schedule, Value batch,
                                Value m0, Value m1, Value n0, Value n1,
                                Value scratch) {
  PackedTile(c, schedule, batch, m0, m1, n0, n1, scratch).emit();
}

int64_t kiln::loop::getPackingScratch(const ContractionSpec &spec,
                                      PackedScheduleAttr schedule) {
  return irregularTableBytes(spec, schedule) +
         getStagedElements(spec, schedule) *
             (spec.sumType.getIntOrFloatBitWidth() / 8);
}

void kiln::loop::emitPackedColumns(OpBuilder &b, Location loc,
                                   const ContractionSpec &spec,
                                   PackedScheduleAttr schedule, Value begin,
                                   Value end, Value panels, Value scratch) {
  ContractionBuilder c(b, loc, spec, schedule.getLanes(), schedule.getMasked());
  Value zero = c.constant(0), n = c.get(spec.n);
  Value count = c.ceilDiv(n, schedule.getTileColumns());
  c.forEach(begin, end, 1, [&](Value panel) {
    Value batch = zero;
    if (!spec.batch.is(1)) {
      batch = c.div(panel, count);
      panel = c.rem(panel, count);
    }
    Value column = c.mul(panel, schedule.getTileColumns());
    PackedTile(c, schedule, batch, zero, zero, column, n, scratch)
        .emitColumns(panels);
  });
}
