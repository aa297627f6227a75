//===- PackedTile.h - A tile of a product, from packed panels ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout of the panels in scratch memory, with L lanes per vector:
//
//   A   [row tile][k / L][MR][L]   a row of A is copied a vector at a time, and
//                                  its elements are broadcast from there
//       [row tiles][k][MR ..]      instead, where neighbours in memory are rows:
//                                  of as many tiles as fill vectors
//   B   [panel][k][NR]             two vectors per k
//
// and of bf16 and bytes those of ContractionWords.cpp, where a step of k is two
// or four of them. Panels of B that are made ahead lie in memory in the same
// way, [matrix of the batch][block of k][panel].
//
// Both are padded with zeros to a multiple of L along k. Rows and columns
// outside the matrix repeat the last one inside; what is computed from them is
// never stored.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_PACKEDTILE_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_PACKEDTILE_H

#include "ContractionBuilder.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

namespace kiln::loop {

/// Emits rows [m0, m1) and columns [n0, n1) of a product. ContractionPanels.cpp
/// packs, ContractionPacked.cpp multiplies and walks.
class PackedTile {
public:
  PackedTile(ContractionBuilder &c, PackedScheduleAttr schedule, Value batch,
             Value m0, Value m1, Value n0, Value n1, Value scratch)
      : c(c), spec(c.spec), schedule(schedule), mr(schedule.getTileRows()),
        nr(schedule.getTileColumns()),
        together(getFactorsOfWord(schedule.getUnit())),
        across(together == 1 && packsAcrossRows(spec)),
        panelRows(mr * getPanelTiles(spec, schedule)),
        hasWholeColumns(spec.n.constant && *spec.n.constant % nr == 0 &&
                        !spec.limitsColumns),
        batch(batch), m0(m0), m1(m1), n0(n0), n1(n1), scratch(scratch) {}

  void emit();
  void emitColumns(Value panels);

private:
  void setBlock(Value block);
  Value isWhole(Value column);
  Value getPackedAhead(Value panels, Value block, Value column);
  Value countPackedSteps();
  Value getPanelRow(Value tile);
  void packRows(Value first, Value tiles, Value panels);
  void packRowsAlongK(Value first, Value tiles, Value panels);
  void packRowsAcross(Value first, Value tiles, Value panels);
  void packPanelsAcross(Value row, Value count, Value panels);
  void packRowsByElement(Value first, Value tiles, Value panels);
  void packRowsAsWords(Value first, Value tiles, Value panels);
  void packRowsOfSums(Value first, Value tiles, Value panels);
  void packColumns(Value column, Value panel);
  void packColumnsOfSums(Value column, Value panel);
  void packColumnsAlongN(Value column, Value panel);
  void packColumnsAlongK(Value column, Value panel);
  void packColumnsByElement(Value column, Value panel);
  void multiply(Value rows, Value columns, Value sums, Value firstBlock,
                int64_t count);
  SmallVector<Value> multiplyPacked(Value rows, Value columns, int64_t count);
  void multiplyTile(Value row, Value rows, Value columns, Value sums,
                    Value firstBlock);
  void planFetches(const PackedScratch &parts);
  void setFetched(Value panel, Value tile);
  void fetch(Value iteration);
  void finish(Value row, Value column, Value sums);
  void finishRows(Value row, Value column, Value sums, bool masked);
  void finishColumns(Value row, Value column, Value sums, Value count);

  Value sumAddress(Value base, Value offset) {
    return c.address(base, offset, spec.sumType);
  }
  /// The smaller of an index and the last one of the tile.
  Value inside(Value index, Value limit) {
    return c.min(index, c.sub(limit, c.constant(1)));
  }
  Value columnInside(Value index) {
    return hasWholeColumns ? index : inside(index, n1);
  }
  unsigned vectorAlignment() const {
    return static_cast<unsigned>(c.lanes * c.sumBytes);
  }
  PanelBlock currentBlock() const {
    return {schedule, batch, k0, kc, kPadded, scratch};
  }

  ContractionBuilder &c;
  const ContractionSpec &spec;
  PackedScheduleAttr schedule;
  int64_t mr, nr;   ///< rows and columns of a register tile
  int64_t together; ///< factors of a step of k: of a word of bf16 or bytes
  bool across;      ///< lanes of packed A run along its rows
  int64_t panelRows; ///< rows of a panel of A: of a tile, or of some
  bool hasWholeColumns; ///< no tile ends before `nr` columns
  Value batch, m0, m1, n0, n1, scratch, staged;
  Value all;                    ///< k
  Value k0, kc, kFull, kPadded; ///< of the current block of k
  Value steps;                  ///< of packed k: kPadded, or words of it
  Value firstRow;               ///< of the current tile, in the block of rows
  int64_t fetchLines = 0; ///< of the next panel, by each iteration; 0 for none
  int64_t tileLines = 0;  ///< the same by each tile
  int64_t panelLines = 0;
  Value fetched;           ///< the first line that the current tile fetches
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_PACKEDTILE_H
