//===- GridRowParts.cpp - Rows of a part, one after the other -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that sums up parts of its rows (RowParts.h): a block has a part. Its
// threads share one row after the other, and each of them has the same columns
// of all rows: what it has summed up of these stays in its registers, and is
// stored once. The next row is under way while one is computed.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// What threads share of a row in `nest`, those of one element left out.
static SmallVector<ExprAttr> getColumnsOf(KernelOp kernel,
                                          NestOpInterface nest) {
  if (auto parts = getRowParts(kernel, nest))
    return getColumns(cast<ReduceOp>(nest.getOperation()), *parts);
  SmallVector<ExprAttr> row = getRowExtents(kernel, nest);
  llvm::erase_if(row, [](ExprAttr extent) { return extent.isConstant(1); });
  return row;
}

//===----------------------------------------------------------------------===//
// Inputs that are read ahead
//===----------------------------------------------------------------------===//

/// Those of which each load reads the element that a thread is at, the row's
/// value, or the element of that column for all rows, and nothing else.
void GridRowsEmitter::findStaged() {
  for (BlockArgument input : kernel.getBody().getArguments()) {
    StagedInput found;
    bool isStaged = !input.use_empty();
    for (Operation *user : input.getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      OwnRead read =
          load && !load.getMask() ? getOwnRead(kernel, load) : OwnRead::Other;
      if (read == OwnRead::Other) {
        isStaged = false;
        break;
      }
      SmallVector<ExprAttr> columns;
      if (read != OwnRead::Point)
        columns =
            getColumnsOf(kernel, load->getParentOfType<NestOpInterface>());
      if (!found.tensor)
        found = {input, read, std::move(columns)};
      else
        isStaged &= found.read == read && found.columns == columns;
    }
    if (isStaged)
      staged.push_back(std::move(found));
  }
}

/// What a thread has of `input` in a row: of its elements step by step.
SmallVector<Value> GridRowsEmitter::readAhead(const StagedInput &input,
                                              const Position &row) {
  const Buffer &buffer = buffers.find(input.tensor)->second;
  auto type = cast<RankedTensorType>(input.tensor.getType());
  // The dimensions of its elements among those of rows and columns.
  SmallVector<ExprAttr> dims, indices;
  for (unsigned k = 0; k < sharedExtents.size(); ++k)
    if (input.read != OwnRead::Column && !sharedExtents[k].isConstant(1))
      dims.push_back(guard::getDim(context, k));
  for (unsigned k = 0; k < input.columns.size(); ++k)
    dims.push_back(guard::getDim(context, sharedExtents.size() + k));
  auto *next = dims.begin();
  for (int64_t size : type.getShape())
    indices.push_back(size == 1 ? guard::getConstant(context, 0) : *next++);
  ExprAttr address = linearAddress(buffer, indices);
  if (input.read == OwnRead::Point)
    return {load(buffer, address, row, {}, {}, {})};
  SmallVector<Value> values;
  Position start = row;
  start.dims.resize(sharedExtents.size() + input.columns.size());
  llvm::append_range(start.extents, input.columns);
  (void)forEachStep(partColumns, [&](Value element, Value) {
    values.push_back(load(
        buffer, address,
        enterRow(start, sharedExtents.size(), element, schedule.getLanes()), {},
        {}, {}));
    return success();
  });
  return values;
}

/// The same of all that is read once for all rows, or of the others.
SmallVector<Value> GridRowsEmitter::readAhead(bool isOfAll,
                                              const Position &row) {
  SmallVector<Value> values;
  for (const StagedInput &input : staged)
    if ((input.read == OwnRead::Column) == isOfAll)
      llvm::append_range(values, readAhead(input, row));
  return values;
}

/// Has bodies take what was read instead of reading it.
void GridRowsEmitter::keepAhead(bool isOfAll, ArrayRef<Value> values) {
  for (const StagedInput &input : staged) {
    if ((input.read == OwnRead::Column) != isOfAll)
      continue;
    if (input.read == OwnRead::Point) {
      perPoint[input.tensor] = values.front();
      values = values.drop_front();
      continue;
    }
    for (int64_t k = 0; k < countSteps(); ++k)
      kept[{input.tensor, k}] = values[k];
    values = values.drop_front(countSteps());
  }
}

//===----------------------------------------------------------------------===//
// Sums over the rows
//===----------------------------------------------------------------------===//

int64_t GridRowsEmitter::countSteps() const {
  return llvm::divideCeil(partColumns / schedule.getLanes(),
                          schedule.getThreads());
}

/// Row `number` of the block's part: where the kernel's nests are, and their
/// sums.
GridRowsEmitter::PartRow GridRowsEmitter::enterPartRow(const RowParts &parts,
                                                       Value number) {
  PartRow row;
  Value count = getArgument(guard::product(context, parts.rows));
  row.point.dims = delinearize(
      add(arith::MulIOp::create(b, block, count), number), sharedExtents);
  row.point.extents = sharedExtents;
  row.outer = delinearize(block, parts.outer);
  row.rows = delinearize(number, parts.rows);
  return row;
}

/// Where a sum is at a row of the part, in the columns from `element` on.
Position GridRowsEmitter::enterColumns(ReduceOp op, const PartRow &row,
                                       Value element) {
  Domain domain = op.getDomain();
  unsigned first = row.outer.size(), end = domain.parallel.size();
  Position position;
  position.extents = domain.all();
  position.dims = row.outer;
  llvm::append_range(
      position.dims,
      delinearize(element, ArrayRef(domain.parallel).drop_front(first)));
  llvm::append_range(position.dims, row.rows);
  if (schedule.getLanes() == 1)
    return position;
  while (domain.parallel[end - 1].isConstant(1))
    --end;
  position.vectorDim = end - 1;
  position.lanes = position.multiple = schedule.getLanes();
  return position;
}

/// Joins a row with `sums`, those of each step of a thread.
LogicalResult GridRowsEmitter::addRow(ReduceOp op, const PartRow &row,
                                      MutableArrayRef<Value> sums) {
  unsigned count = op->getNumResults();
  return forEachStep(partColumns, [&](Value element, Value) -> LogicalResult {
    MutableArrayRef<Value> own = sums.slice(step * count, count);
    auto joined = accumulate(op, enterColumns(op, row, element), own);
    if (failed(joined))
      return failure();
    llvm::copy(*joined, own.begin());
    return success();
  });
}

/// All nests at a row.
LogicalResult GridRowsEmitter::emitPartRow(const PartRow &row,
                                           MutableArrayRef<Value> sums) {
  for (NestOpInterface nest : kernel.getNests()) {
    if (!getRowParts(kernel, nest)) {
      if (failed(emitRowNest(nest, row.point)))
        return failure();
      continue;
    }
    auto op = cast<ReduceOp>(nest.getOperation());
    size_t count = op->getNumResults() * countSteps();
    if (failed(combineBefore(nest)) ||
        failed(addRow(op, row, sums.take_front(count))))
      return failure();
    sums = sums.drop_front(count);
  }
  return combinePending();
}

LogicalResult GridRowsEmitter::finishSums(const PartRow &row,
                                          ArrayRef<Value> sums) {
  for (NestOpInterface nest : kernel.getNests()) {
    if (!getRowParts(kernel, nest))
      continue;
    auto op = cast<ReduceOp>(nest.getOperation());
    (void)forEachStep(partColumns, [&](Value element, Value) {
      finishAccumulators(op, enterColumns(op, row, element),
                         sums.take_front(op->getNumResults()));
      sums = sums.drop_front(op->getNumResults());
      return success();
    });
  }
  return success();
}

LogicalResult GridRowsEmitter::emitPart(const RowParts &parts) {
  // The dimensions of a sum over parts are others.
  sharedExtents = getExprs(kernel.getShared());
  blocks = guard::product(context, parts.outer);
  if (GPUTargetAttr target = getGPUTarget(function))
    function->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        b.getI32IntegerAttr(std::max<int64_t>(
            target.getRegisters() / (kPartRegisters * threads), 1)));
  findStaged();
  SmallVector<Value> carried;
  for (NestOpInterface nest : kernel.getNests()) {
    if (!getRowParts(kernel, nest))
      continue;
    auto op = cast<ReduceOp>(nest.getOperation());
    partColumns = *guard::product(context, getColumns(op, parts)).getConstant();
    for (int64_t k = 0; k < countSteps(); ++k)
      llvm::append_range(carried, identities(op, schedule.getLanes()));
  }
  size_t sums = carried.size();
  PartRow first = enterPartRow(parts, constantIndex(0));
  keepAhead(/*isOfAll=*/true, readAhead(/*isOfAll=*/true, first.point));
  llvm::append_range(carried, readAhead(/*isOfAll=*/false, first.point));

  int64_t rows = *guard::product(context, parts.rows).getConstant();
  auto loop = scf::ForOp::create(b, constantIndex(0), constantIndex(rows),
                                 constantIndex(1), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value number = loop.getInductionVar();
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    keepAhead(/*isOfAll=*/false, ArrayRef(carried).drop_front(sums));
    // Behind the last row it is that row again.
    Value next = arith::MinSIOp::create(b, add(number, constantIndex(1)),
                                        constantIndex(rows - 1));
    SmallVector<Value> ahead =
        readAhead(/*isOfAll=*/false, enterPartRow(parts, next).point);
    if (failed(emitPartRow(enterPartRow(parts, number),
                           MutableArrayRef<Value>(carried).take_front(sums))))
      return failure();
    // Slots of the one exchange are read by all before the next row has them.
    // Of two, each waits for who reads the other.
    if (exchanges == 1)
      NVVM::Barrier0Op::create(b);
    llvm::copy(ahead, carried.begin() + sums);
    scf::YieldOp::create(b, carried);
  }
  return finishSums(
      first, llvm::to_vector_of<Value>(loop.getResults().take_front(sums)));
}
