//===- GPURows.cpp - Rows that a copy engine brings -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURows.h"

#include "kiln/Analysis/WholeRows.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// True if all nests are such as may read rows that are brought: of rows that are no part of a
/// sum's, none may read a row that another makes, which threads keep in registers.
static bool canBring(KernelOp kernel, bool isOfParts) {
  return llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
    bool can = nest.isPointwise() || isa<ReduceOp>(nest.getOperation());
    nest->walk([&](LoadOp load) {
      can &= isOfParts || isa<BlockArgument>(load.getTensor()) ||
             isOnePerPoint(kernel, load.getTensor());
    });
    return can;
  });
}

/// The elements of all rows of a kernel; nothing if they differ.
static std::optional<int64_t> getRowSize(KernelOp kernel) {
  std::optional<int64_t> size;
  for (NestOpInterface nest : kernel.getNests()) {
    SmallVector<ExprAttr> row = getColumns(kernel, nest);
    if (row.empty())
      continue;
    auto own = guard::product(kernel.getContext(), row).getConstant();
    if (!own || (size && *size != *own))
      return std::nullopt;
    size = own;
  }
  return size;
}

GPURowsScheduleAttr loop::bringRows(KernelOp kernel,
                                    const analysis::KernelStrides &strides,
                                    const GPUMachine &machine,
                                    GPURowsScheduleAttr rows,
                                    bool onlyIfBetter) {
  MLIRContext *context = kernel.getContext();
  GPUBroughtShape shape;
  shape.isOfParts = getRowParts(kernel).has_value();
  auto size = getRowSize(kernel);
  if (machine.capability < kGPUBringsRows || rows.getRows() != 1 || !size ||
      !canBring(kernel, shape.isOfParts))
    return {};
  shape.size = *size;
  auto count =
      guard::product(context, getExprs(kernel.getShared())).getConstant();
  shape.areFew = count && *count < machine.multiprocessors;
  bool arePeeled = isPeeled(kernel, rows.getLanes());
  for (const analysis::WholeRow &row :
       analysis::getWholeRows(kernel, analysis::getLayout(kernel, strides))) {
    // Rows of a part are in registers while they are computed, for all that reads them.
    bool isWanted = shape.isOfParts
                        ? row.input.hasNUses(unsigned(row.loads.size()))
                        : row.nests > 1;
    int64_t bytes = row.bytes / row.size * rows.getLanes();
    bool isAligned =
        arePeeled ? bytes % analysis::kEngineBytes == 0 : row.isAligned;
    if (!isWanted || !isAligned)
      continue;
    shape.least =
        shape.bytes == 0 ? row.bytes : std::min(shape.least, row.bytes);
    shape.bytes += row.bytes;
  }
  GPURowsSchedule first = {rows.getThreads(), rows.getRows(), rows.getLanes(),
                           rows.getSteps()};
  if (shape.bytes == 0 ||
      (onlyIfBetter && !paysBringingGPURows(first, shape, machine)))
    return {};
  auto s = bringGPURows(first, shape, machine);
  if (!s)
    return {};
  return GPURowsScheduleAttr::get(context, s->threads, s->rows, s->lanes,
                                  s->steps, s->stages);
}
