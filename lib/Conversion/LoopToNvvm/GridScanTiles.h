//===- GridScanTiles.h - Scans of few long rows on a GPU --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a kernel with the schedule `#loop.gpu_scan`: one that clears
// what blocks tell each other by, and the scan.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDSCANTILES_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDSCANTILES_H

#include "GridEmitter.h"

namespace kiln::loop {

/// The tiles of a scan, and the words in the workspace: the number of the next tile, and
/// then, for each 32 bits of what is joined, a word of each tile.
struct ScanTiles {
  guard::ExprAttr rows;
  guard::ExprAttr whole;   ///< tiles of a row whose elements are vectors
  guard::ExprAttr perRow;  ///< all: one more where lanes do not divide the row
  guard::ExprAttr vectors; ///< elements of a row in them
  guard::ExprAttr words;
};

/// Clears the words.
class GridScanInitEmitter : public GridEmitter {
public:
  GridScanInitEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                      GPUScanScheduleAttr scan, bool isNarrow)
      : GridEmitter(kernel, strides, scan.getThreads(), isNarrow), scan(scan) {}

private:
  LogicalResult emitThread() override;
  void bindRow(Value) override {} // it has none

  GPUScanScheduleAttr scan;
};

class GridScanEmitter : public GridRowsEmitter {
public:
  GridScanEmitter(KernelOp kernel, const analysis::KernelStrides &strides,
                  GPUScanScheduleAttr scan, bool isNarrow)
      : GridRowsEmitter(kernel, strides,
                        GPURowsScheduleAttr::get(
                            kernel.getContext(), scan.getThreads(), /*rows=*/1,
                            scan.getLanes(), scan.getSteps(), /*stages=*/0),
                        isNarrow),
        scan(scan) {}

private:
  using Values = FailureOr<SmallVector<Value>>;
  /// Neighbours that a thread has, and what is before them in its warp.
  struct Piece {
    Position position;
    Value inside;
    SmallVector<Value> values, before;
  };

  LogicalResult emitThread() override;
  LogicalResult emitSteps(const Position &start, unsigned shared,
                          RowBody body) override;
  /// The memory of all tiles is one thing.
  guard::ExprAttr countOwners() override {
    return guard::getConstant(context, 1);
  }

  bool hasRest() const;
  Value takeTicket();
  Value isThread(int64_t number);
  LogicalResult emitTile(const Position &point);
  LogicalResult emitTileScan(ScanOp op, const Position &point);
  LogicalResult emitRest(ScanOp op, const Position &point);
  Values joinLanes(ScanOp op, Piece &piece);
  Values joinPieces(ScanOp op, llvm::MutableArrayRef<Piece> pieces);
  LogicalResult finishPieces(ScanOp op, ArrayRef<Piece> pieces,
                             ArrayRef<Value> before);

  // What tiles tell each other.
  Value getTold(unsigned number, Value entry);
  void tell(ArrayRef<Value> values);
  void tellRest(ArrayRef<Value> values);
  SmallVector<Value> waitFor(ArrayRef<Value> entries, ArrayRef<Value> isThere);
  SmallVector<Value> fromWords(ScanOp op, ArrayRef<Value> words);
  Values lookBack(ScanOp op);

  GPUScanScheduleAttr scan;
  ScanTiles tiles;
  unsigned words = 0;  ///< of a tile
  Value tile;          ///< in its row
  Value rowEntry;      ///< of the first tile of the row
  Value first;         ///< of the elements of a thread
  bool isRest = false; ///< at hand are the elements that are no vectors
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDSCANTILES_H
