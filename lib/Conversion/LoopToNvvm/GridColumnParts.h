//===- GridColumnParts.h - Few rows, whose columns come in parts ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row of attention reads all keys and values: few blocks, each of which
// would walk all columns. With `#loop.gpu_column_parts` a block walks some of
// them, and leaves of each row its maximum, its total and its sums, all behind
// that maximum; a second function takes these of all parts behind the largest
// maximum, adds them up, and finishes the row.
//
//   first    [rows, parts, 2 + columns of the result] f32 in the workspace
//   second   two neighbours of a row's result a thread
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_GRIDCOLUMNPARTS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_GRIDCOLUMNPARTS_H

#include "GridBlocks.h"

namespace kiln::loop {

class GridColumnPartsEmitter : public GridBlocksEmitter {
public:
  GridColumnPartsEmitter(KernelOp kernel,
                         const analysis::KernelStrides &strides,
                         GPUColumnPartsScheduleAttr parts, bool isFirst,
                         bool isNarrow);

private:
  LogicalResult emitThread() override;
  void enterBlock() override;
  Value countTiles() override { return tileEnd; }
  LogicalResult finishRows(State state) override;

  LogicalResult joinParts();
  void bindWorkspace();
  /// Where `part` has element `element` of a row, of those of all points.
  Value getPlace(Value row, Value part, Value element);
  Value loadPair(Value place);

  GPUColumnPartsScheduleAttr parts;
  const bool isFirst;
  int64_t padded = 0; ///< sums of a row
  Value pointNumber, part;
  Value tileEnd; ///< of the part
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_GRIDCOLUMNPARTS_H
