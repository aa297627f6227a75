//===- WholeRows.cpp - Rows that are one piece of memory ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/WholeRows.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;

/// The loads of `input` that read the element that a thread is at, in the columns of
/// the first of them.
static SmallVector<loop::LoadOp>
findOwnLoads(loop::KernelOp kernel, BlockArgument input,
             SmallVectorImpl<ExprAttr> &columns) {
  SmallVector<loop::LoadOp> loads;
  for (Operation *user : input.getUsers()) {
    auto load = dyn_cast<loop::LoadOp>(user);
    if (!load || load.getMask() ||
        loop::getOwnRead(kernel, load) != loop::OwnRead::Element)
      continue;
    SmallVector<ExprAttr> own = loop::getColumns(
        kernel, load->getParentOfType<loop::NestOpInterface>());
    if (loads.empty())
      columns = own;
    if (own == columns)
      loads.push_back(load);
  }
  return loads;
}

/// The kernel's row as indices of a tensor whose first dimensions have these sizes, those of one
/// element left out: its own, or, where all rows are in one dimension, their number. Nothing
/// where they are cut up otherwise.
static std::optional<SmallVector<ExprAttr>>
getRowPoint(loop::KernelOp kernel, ArrayRef<ExprAttr> outer) {
  MLIRContext *context = kernel.getContext();
  SmallVector<ExprAttr> point, extents;
  SmallVector<int64_t> sizes;
  for (auto [k, extent] : llvm::enumerate(loop::getExprs(kernel.getShared()))) {
    if (extent.isConstant(1))
      continue;
    point.push_back(guard::getDim(context, k));
    extents.push_back(extent);
    sizes.push_back(extent.getConstant().value_or(0));
  }
  if (ArrayRef(extents) == outer)
    return point;
  if (outer.size() != 1 || llvm::is_contained(sizes, 0))
    return std::nullopt;
  return SmallVector<ExprAttr>{loop::getPointNumber(context, point, sizes)};
}

SmallVector<WholeRow> analysis::getWholeRows(loop::KernelOp kernel,
                                             const KernelLayout &layout) {
  MLIRContext *context = kernel.getContext();
  SmallVector<WholeRow> rows;
  for (BlockArgument input : kernel.getBody().getArguments()) {
    SmallVector<ExprAttr> columns;
    WholeRow row;
    row.input = input;
    row.loads = findOwnLoads(kernel, input, columns);
    auto size = guard::product(context, columns).getConstant();
    if (row.loads.empty() || columns.empty() || !size || *size < 1)
      continue;
    // Its dimensions are those of the shared domain and then the columns, all of them
    // without those of one element.
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<ExprAttr> strides, sizes;
    for (auto [stride, size] :
         llvm::zip_equal(layout.lookup(input), *guard::getDims(type)))
      if (!size.isConstant(1)) {
        strides.push_back(stride);
        sizes.push_back(size);
      }
    ExprAttr next = guard::getConstant(context, 1);
    bool isPiece = true;
    for (size_t k = columns.size(); k-- > 0; next = next * columns[k])
      isPiece &= strides[strides.size() - columns.size() + k] == next;
    if (!isPiece)
      continue;
    row.size = *size;
    row.bytes = *size * getElementBytes(type.getElementType());
    row.isAligned = row.bytes % kEngineBytes == 0;
    ArrayRef<ExprAttr> outer = ArrayRef(strides).drop_back(columns.size());
    auto point =
        getRowPoint(kernel, ArrayRef(sizes).drop_back(columns.size()));
    if (!point)
      continue;
    SmallVector<ExprAttr> terms;
    for (auto [index, stride] : llvm::zip_equal(*point, outer)) {
      ExprAttr bytes = stride * getElementBytes(type.getElementType());
      row.isAligned &= guard::mod(bytes, kEngineBytes).isConstant(0);
      terms.push_back(index * stride);
    }
    row.begin = guard::sum(context, terms);
    llvm::SmallPtrSet<Operation *, 4> nests;
    for (loop::LoadOp load : row.loads)
      nests.insert(load->getParentOfType<loop::NestOpInterface>());
    row.nests = nests.size();
    rows.push_back(std::move(row));
  }
  return rows;
}
