//===- GridRowParts.cpp - Rows of a part, one after the other -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that sums up parts of its rows (RowParts.h): a block has a part. Its
// threads share one row after the other, or those of a warp do, and warps have rows
// by turns. Each thread has the same columns of all its rows: what it has summed up
// of these stays in its registers, is joined with what other warps have, and stored
// once. The next row is under way while one is computed.
//
//===----------------------------------------------------------------------===//

#include "GridEmitter.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

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
        columns = getColumns(kernel, load->getParentOfType<NestOpInterface>());
      if (!found.tensor)
        found = {input, read, std::move(columns)};
      else
        isStaged &= found.read == read && found.columns == columns;
    }
    if (isStaged)
      staged.push_back(std::move(found));
  }
}

/// Where the kernel's row is in a tensor of rows, dimensions of one element left out.
SmallVector<ExprAttr> GridRowsEmitter::getRowIndices(RankedTensorType type) {
  SmallVector<ExprAttr> dims, extents;
  for (auto [k, extent] : llvm::enumerate(sharedExtents)) {
    if (extent.isConstant(1))
      continue;
    dims.push_back(guard::getDim(context, k));
    extents.push_back(extent);
  }
  SmallVector<int64_t> sizes(type.getShape());
  llvm::erase(sizes, 1);
  auto rows = guard::product(context, extents).getConstant();
  auto count = rows ? countRowDims(sizes, *rows) : std::nullopt;
  if (!count)
    return dims; // as the kernel has them
  SmallVector<ExprAttr> own;
  for (int64_t size : ArrayRef(sizes).take_front(*count))
    own.push_back(guard::getConstant(context, size));
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, context, sharedExtents);
  return analysis::reshapeIndices(context, dims, extents, own, assumptions);
}

/// What a thread has of `input` in a row: of its elements step by step.
SmallVector<Value> GridRowsEmitter::readAhead(const StagedInput &input,
                                              const Position &row) {
  const Buffer &buffer = buffers.find(input.tensor)->second;
  auto type = cast<RankedTensorType>(input.tensor.getType());
  // The dimensions of its elements among those of rows and columns.
  SmallVector<ExprAttr> dims, indices;
  if (input.read != OwnRead::Column)
    dims = getRowIndices(type);
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

/// Joins a row with `sums`, those of each step of a thread, unless it is none of its own.
LogicalResult GridRowsEmitter::addRow(ReduceOp op, const PartRow &row,
                                      MutableArrayRef<Value> sums) {
  unsigned count = op->getNumResults();
  return forEachStep(partColumns, [&](Value element, Value) -> LogicalResult {
    MutableArrayRef<Value> own = sums.slice(step * count, count);
    auto joined = accumulate(op, enterColumns(op, row, element), own);
    if (failed(joined))
      return failure();
    for (auto [sum, value] : llvm::zip_equal(own, *joined))
      sum = rowInside ? arith::SelectOp::create(b, rowInside, value, sum).getResult()
                      : value;
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

/// What all warps have of the columns, stored by the first.
LogicalResult GridRowsEmitter::finishSums(const PartRow &row,
                                          MutableArrayRef<Value> sums) {
  SmallVector<ReduceOp> ops;
  for (NestOpInterface nest : kernel.getNests())
    if (getRowParts(kernel, nest))
      ops.push_back(cast<ReduceOp>(nest.getOperation()));
  if (failed(joinColumns(ops, sums,
                         {schedule.getThreads(), schedule.getRows(), lane,
                          group},
                         countSteps())))
    return failure();
  rowInside = {};
  if (schedule.getRows() > 1)
    rowInside = isLess(group, constantIndex(1));
  for (ReduceOp op : ops)
    (void)forEachStep(partColumns, [&](Value element, Value) {
      finishAccumulators(op, enterColumns(op, row, element),
                         sums.take_front(op->getNumResults()));
      sums = sums.drop_front(op->getNumResults());
      return success();
    });
  return success();
}

/// As many blocks share a multiprocessor as have registers for what their threads keep; how
/// many these are.
int64_t GridRowsEmitter::limitRegisters() {
  GPUTargetAttr target = getGPUTarget(function);
  if (!target)
    return 1;
  int64_t registers = getPartRegisters(schedule.getRows()) * threads;
  int64_t blocks = std::max<int64_t>(target.getRegisters() / registers, 1);
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(blocks));
  return blocks;
}

LogicalResult GridRowsEmitter::emitPart(const RowParts &parts) {
  // The dimensions of a sum over parts are others.
  sharedExtents = getExprs(kernel.getShared());
  blocks = guard::product(context, parts.outer);
  int64_t together = schedule.getRows();
  group = arith::DivUIOp::create(b, thread, constantIndex(schedule.getThreads()));
  int64_t resident = limitRegisters();
  findStaged();
  if (schedule.getStages() != 0)
    findBrought(/*isOfParts=*/true);
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
  // Of all rows, those that a warp has by turns.
  int64_t rows = *guard::product(context, parts.rows).getConstant();
  auto clamp = [&](Value number) {
    return arith::MinSIOp::create(b, number, constantIndex(rows - 1));
  };
  Value begin = together == 1 ? constantIndex(0) : group;
  PartRow first = enterPartRow(parts, together == 1 ? begin : clamp(begin));
  keepAhead(/*isOfAll=*/true, readAhead(/*isOfAll=*/true, first.point));
  llvm::append_range(carried, readAhead(/*isOfAll=*/false, first.point));

  size_t ahead = carried.size();
  if (!brought.empty()) {
    declareBrought(schedule.getStages(), schedule.getStages(), resident);
    StageTurn turn = startPart(parts, rows);
    carried.append({turn.stage, turn.phase});
  }
  auto loop = scf::ForOp::create(
      b, constantIndex(0), constantIndex(llvm::alignTo(rows, together)),
      constantIndex(together), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value number = loop.getInductionVar();
    if (together > 1)
      number = add(number, group);
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    keepAhead(/*isOfAll=*/false, ArrayRef(carried).slice(sums, ahead - sums));
    if (!brought.empty()) {
      StageTurn turn = {carried[ahead], carried[ahead + 1]};
      takePartRow(parts, rows, number, turn);
      turn = tools->advance(turn, schedule.getStages());
      carried[ahead] = turn.stage;
      carried[ahead + 1] = turn.phase;
    }
    // Behind the last row it is that row again.
    Value next = clamp(add(number, constantIndex(together)));
    llvm::copy(readAhead(/*isOfAll=*/false, enterPartRow(parts, next).point),
               carried.begin() + sums);
    if (rows % together != 0) {
      rowInside = isLess(number, constantIndex(rows));
      number = clamp(number);
    }
    if (failed(emitPartRow(enterPartRow(parts, number),
                           MutableArrayRef<Value>(carried).take_front(sums))))
      return failure();
    // Slots of the one exchange are read by all before the next row has them.
    // Of two, each waits for who reads the other.
    if (exchanges == 1 || behindBarrier)
      NVVM::Barrier0Op::create(b);
    runBehindBarrier();
    scf::YieldOp::create(b, carried);
  }
  SmallVector<Value> own(loop.getResults().take_front(sums));
  return finishSums(first, own);
}
