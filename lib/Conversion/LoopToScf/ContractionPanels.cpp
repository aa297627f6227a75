//===- ContractionPanels.cpp - Panels of rows and columns of a product ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedTile.h"

using namespace kiln::loop;
using namespace mlir;

/// Panels of rows that are packed together: their lines have places in the
/// first cache even if they are a power of two apart.
static constexpr int64_t kPanelsTogether = 4;

/// f(q) for each whole vector of the current k, then f(q) with a mask for the
/// rest.
static void forEachVectorOfK(ContractionBuilder &c, Value kc, Value kFull,
                             llvm::function_ref<void(Value, Value)> f) {
  c.forEach(c.constant(0), kFull, c.lanes, [&](Value q) { f(q, nullptr); });
  c.when(c.less(kFull, kc), [&] { f(kFull, c.firstLanes(c.sub(kc, kFull))); });
}

void PackedTile::packRowsAlongK(Value first, Value tiles, Value panels) {
  Value rows = c.mul(tiles, mr);
  c.forEach(c.constant(0), rows, 1, [&](Value r) {
    Value row = inside(c.add(first, r), m1);
    Value tile = c.div(r, c.constant(mr));
    Value inTile = c.rem(r, c.constant(mr));
    Value to = c.add(c.mul(c.mul(tile, kPadded), mr), c.mul(inTile, c.lanes));
    Value start = sumAddress(panels, to);
    forEachVectorOfK(c, kc, kFull, [&](Value q, Value mask) {
      Value v = c.loadVector(spec.a, {batch, row, c.add(k0, q), false, mask});
      c.store(v, sumAddress(start, c.mul(q, mr)), vectorAlignment());
    });
  });
}

/// Packs panels of rows from `row` on: a piece of a row of memory for each,
/// before the next row, which lies far away.
void PackedTile::packPanelsAcross(Value row, Value count, Value panels) {
  auto panelAt = [&](Value number) {
    return sumAddress(panels, c.mul(c.mul(number, kPadded), panelRows));
  };
  // Of rows that all exist the masks are constants, and the panels are
  // unrolled: what is moved is a few elements, so that an instruction more
  // would show.
  auto pack = [&](Value k, Value number, Value group, bool whole) {
    Value first = c.add(c.add(row, c.mul(number, panelRows)), group);
    Value mine = c.firstLanes(c.sub(c.constant(panelRows), group));
    Value inside = whole ? mine : c.firstLanes(c.sub(m1, first));
    Value v = c.loadVector(spec.a, {batch, first, c.add(k0, k), true, inside});
    Value to = c.add(c.mul(k, panelRows), group);
    c.store(v, sumAddress(panelAt(number), to), c.sumBytes, mine);
  };
  Value areWhole =
      c.both(c.equal(count, c.constant(kPanelsTogether)),
             c.less(c.add(row, kPanelsTogether * panelRows - 1), m1));
  c.when(
      areWhole,
      [&] {
        c.forEach(c.constant(0), kc, 1, [&](Value k) {
          for (int64_t number = 0; number < kPanelsTogether; ++number)
            for (int64_t group = 0; group < panelRows; group += c.lanes)
              pack(k, c.constant(number), c.constant(group), /*whole=*/true);
        });
      },
      [&] {
        c.forEach(c.constant(0), kc, 1, [&](Value k) {
          c.forEach(c.constant(0), count, 1, [&](Value number) {
            c.forEach(c.constant(0), c.constant(panelRows), c.lanes,
                      [&](Value group) { pack(k, number, group, false); });
          });
        });
      });
  if (kc == kPadded)
    return;
  c.forEach(c.constant(0), count, 1, [&](Value number) {
    c.clear(panelAt(number), c.mul(kc, panelRows), c.mul(kPadded, panelRows),
            /*whole=*/false);
  });
}

void PackedTile::packRowsAcross(Value first, Value tiles, Value panels) {
  Value count = c.ceilDiv(tiles, panelRows / mr);
  int64_t together = spec.a.irregular ? 1 : kPanelsTogether;
  c.forEach(c.constant(0), count, together, [&](Value number) {
    Value row = c.add(first, c.mul(number, panelRows));
    Value panel = sumAddress(panels, c.mul(c.mul(number, kPadded), panelRows));
    if (spec.a.irregular)
      return packIrregularRowsAcross(
          c, {schedule, batch, k0, kc, kPadded, scratch}, row, m1, panel);
    packPanelsAcross(row, c.min(c.sub(count, number), together), panel);
  });
}

void PackedTile::packRowsByElement(Value first, Value tiles, Value panels) {
  Value zero = c.zero(spec.sumType);
  c.forEach(c.constant(0), c.mul(tiles, mr), 1, [&](Value r) {
    Value row = inside(c.add(first, r), m1);
    Value tile = c.div(r, c.constant(mr));
    Value inTile = c.rem(r, c.constant(mr));
    Value to = c.add(c.mul(c.mul(tile, kPadded), mr), c.mul(inTile, c.lanes));
    auto place = [&](Value k) {
      Value lane = c.rem(k, c.constant(c.lanes));
      Value block = c.mul(c.sub(k, lane), mr);
      return sumAddress(panels, c.add(to, c.add(block, lane)));
    };
    c.forEach(c.constant(0), kc, 1, [&](Value k) {
      Value v = c.loadElement(spec.a, batch, row, c.add(k0, k));
      c.store(v, place(k), c.sumBytes);
    });
    c.forEach(kc, kPadded, 1,
              [&](Value k) { c.store(zero, place(k), c.sumBytes); });
  });
}

/// Tile by tile, by way of f32 where no words lie in memory.
void PackedTile::packRowsAsWords(Value first, Value tiles, Value panels) {
  PanelBlock block{schedule, batch, k0, kc, kPadded, scratch};
  if (hasRowWords(spec))
    return packRowWords(c, block, first, m1, tiles, panels);
  c.forEach(c.constant(0), tiles, 1, [&](Value tile) {
    packRowsOfSums(c.add(first, c.mul(tile, mr)), c.constant(1), staged);
    foldRows(c, block, staged,
             sumAddress(panels, c.mul(c.mul(tile, steps), mr)));
  });
}

void PackedTile::packRows(Value first, Value tiles, Value panels) {
  if (schedule.getInPlace())
    placeRows(c, currentBlock(), first, m1, tiles, panels);
  else if (together > 1)
    packRowsAsWords(first, tiles, panels);
  else
    packRowsOfSums(first, tiles, panels);
}

/// Packs rows as elements of the type of the sum.
void PackedTile::packRowsOfSums(Value first, Value tiles, Value panels) {
  if (packsAcrossRows(spec))
    return packRowsAcross(first, tiles, panels);
  if (spec.a.irregular)
    return packIrregularRows(c, {schedule, batch, k0, kc, kPadded, scratch},
                             first, m1, tiles, panels);
  if (spec.a.columnStride.is(1))
    return packRowsAlongK(first, tiles, panels);
  packRowsByElement(first, tiles, panels);
}

void PackedTile::packColumnsAlongN(Value column, Value panel) {
  auto copy = [&](bool masked) {
    c.forEach(c.constant(0), kc, 1, [&](Value k) {
      for (int64_t v = 0; v < nr; v += c.lanes) {
        Value n = c.add(column, v);
        Value mask = masked ? c.firstLanes(c.sub(n1, n)) : Value();
        Value value =
            c.loadVector(spec.b, {batch, c.add(k0, k), n, false, mask});
        c.store(value, sumAddress(panel, c.add(c.mul(k, nr), v)),
                vectorAlignment());
      }
    });
  };
  c.when(
      isWhole(column), [&] { copy(false); }, [&] { copy(true); });
  Value zero = c.zero(c.sums);
  c.forEach(kc, kPadded, 1, [&](Value k) {
    for (int64_t v = 0; v < nr; v += c.lanes)
      c.store(zero, sumAddress(panel, c.add(c.mul(k, nr), v)),
              vectorAlignment());
  });
}

void PackedTile::packColumnsAlongK(Value column, Value panel) {
  c.forEach(c.constant(0), c.constant(nr), c.lanes, [&](Value v) {
    forEachVectorOfK(c, kc, kFull, [&](Value q, Value mask) {
      SmallVector<Value> vectors;
      for (int64_t u = 0; u < c.lanes; ++u) {
        Value n = columnInside(c.add(column, c.add(v, u)));
        vectors.push_back(
            c.loadVector(spec.b, {batch, c.add(k0, q), n, true, mask}));
      }
      vectors = transposeLanes(c.b, c.loc, std::move(vectors));
      Value start = sumAddress(panel, c.add(c.mul(q, nr), v));
      for (int64_t u = 0; u < c.lanes; ++u)
        c.store(vectors[u], sumAddress(start, c.constant(u * nr)),
                vectorAlignment());
    });
  });
}

void PackedTile::packColumnsByElement(Value column, Value panel) {
  Value zero = c.zero(spec.sumType);
  c.forEach(c.constant(0), c.constant(nr), 1, [&](Value j) {
    Value n = columnInside(c.add(column, j));
    auto place = [&](Value k) {
      return sumAddress(panel, c.add(c.mul(k, nr), j));
    };
    c.forEach(c.constant(0), kc, 1, [&](Value k) {
      Value v = c.loadElement(spec.b, batch, c.add(k0, k), n);
      c.store(v, place(k), c.sumBytes);
    });
    c.forEach(kc, kPadded, 1,
              [&](Value k) { c.store(zero, place(k), c.sumBytes); });
  });
}

void PackedTile::packColumns(Value column, Value panel) {
  if (together == 1)
    return packColumnsOfSums(column, panel);
  PanelBlock block{schedule, batch, k0, kc, kPadded, scratch};
  if (hasColumnWords(spec))
    return packColumnWords(c, block, column, n1, panel);
  packColumnsOfSums(column, staged);
  foldColumns(c, block, staged, panel);
}

/// Packs columns as elements of the type of the sum.
void PackedTile::packColumnsOfSums(Value column, Value panel) {
  if (spec.b.irregular)
    return packIrregularColumns(c, {schedule, batch, k0, kc, kPadded, scratch},
                                column, n1, panel);
  if (spec.b.columnStride.is(1))
    return packColumnsAlongN(column, panel);
  if (spec.b.rowStride.is(1))
    return packColumnsAlongK(column, panel);
  packColumnsByElement(column, panel);
}
