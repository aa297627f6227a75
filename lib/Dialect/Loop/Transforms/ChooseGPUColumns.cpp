//===- ChooseGPUColumns.cpp - Rows that lie across memory -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURows.h"
#include "GPUTiles.h"
#include "KernelWalk.h"

#include "kiln/Dialect/Loop/IR/KernelColumns.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// Sets what is kept of an element of the columns, of which there are so many
/// in all: inputs that several nests read, and what they make and read of each
/// other.
static void setKept(GPUColumnsShape &shape, KernelOp kernel, int64_t points,
                    const analysis::SizeHints &hints) {
  llvm::MapVector<Value, KeptElement> kept;
  Widths widths;
  for (auto [number, nest] : llvm::enumerate(kernel.getNests())) {
    auto use = [&, number = number](Value tensor) {
      auto type = cast<RankedTensorType>(tensor.getType());
      int64_t bytes = analysis::getElementBytes(type.getElementType());
      if (hints.getBytes(type) / std::max<int64_t>(bytes, 1) < points)
        return;
      widths.take(tensor);
      kept.try_emplace(tensor, KeptElement{bytes, number, number})
          .first->second.last = number;
    };
    for (const analysis::Access &access : analysis::getReads(nest))
      use(access.tensor);
    llvm::for_each(nest->getResults(), use);
  }
  shape.kept = countKeptBytes(llvm::to_vector(llvm::make_second_range(kept)));
  shape.narrow = widths.narrow;
  shape.wide = widths.wide;
}

/// True if several nests walk the elements of columns, or one makes some, and
/// all that reduce read neighbours at neighbouring columns and elements of
/// their own. Of windows steps are written out, so that what they read again is
/// one load.
static bool arePerColumn(KernelOp kernel, const KernelColumns &columns,
                         const analysis::SizeHints &hints) {
  if (getWalk(kernel, hints, /*joinsReduced=*/false) != Walk::Across ||
      hasWindows(kernel, kernel.getShared().size()))
    return false;
  unsigned walking = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    ColumnDims dims = *columns.getDims(nest);
    walking += dims.elements.empty() ? 0 : 1;
    if (nest.isReduction() && llvm::any_of(dims.columns, [&](unsigned dim) {
          return sharesWindow(nest, dim);
        }))
      return false;
  }
  return walking > 1 ||
         !llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
           return isOnePerPoint(kernel, nest);
         });
}

ScheduleAttr loop::chooseColumns(KernelOp kernel,
                                 const analysis::KernelStrides &strides,
                                 const GPUMachine &machine,
                                 const analysis::SizeHints &hints) {
  MLIRContext *context = kernel.getContext();
  auto columns = getKernelColumns(kernel);
  if (!columns || !arePerColumn(kernel, *columns, hints))
    return {};
  auto elements = guard::product(context, columns->elements).getConstant();
  if (!elements || *elements == 0)
    return {};
  GPUColumnsShape shape;
  shape.columns = hints.product(columns->columns);
  shape.elements = *elements;
  setKept(shape, kernel, shape.columns * shape.elements, hints);
  SmallVector<ExprAttr> extents = analysis::collapseDims(
      kernel, analysis::getLayout(kernel, strides), columns->columns,
      [&](NestOpInterface nest) { return columns->getDims(nest)->columns; });
  shape.last = extents.back().getConstant();
  shape.canVector = !analysis::mayTrap(kernel) &&
                    llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
                      return readsVectors(
                          nest, columns->getDims(nest)->columns.back(), hints);
                    });
  auto s = chooseGPUColumns(shape, machine);
  if (!s)
    return {};
  return GPUColumnsScheduleAttr::get(context, s->threads, s->lanes, s->columns,
                                     s->steps);
}
