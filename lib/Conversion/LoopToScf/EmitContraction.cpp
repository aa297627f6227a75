//===- EmitContraction.cpp - Contractions as packed matrix products -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleEmitters.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// A size or stride for the emitter: static, or an argument of the kernel.
Extent ProductEmitter::toExtent(ExprAttr expr) {
  if (auto constant = expr.getConstant())
    return *constant;
  return Extent(Value(
      arith::IndexCastOp::create(b, b.getI64Type(), getArgument(expr))));
}

/// Splits the index of a group into those of its dimensions, of which the last
/// `joined` are walked as one: their index is that of the last. It is the index of
/// lane `lane`, if there is one.
void ProductEmitter::setGroup(Position &position, const DimGroup &group,
                              Value index, unsigned joined, Value lane) {
  if (group.dims.empty())
    return;
  auto toIndex = [&](Value number) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), number);
  };
  unsigned last = group.dims.back();
  ArrayRef<unsigned> inner = ArrayRef(group.dims).take_back(std::max(joined, 1u)),
                     outer = ArrayRef(group.dims).drop_back(inner.size());
  SmallVector<ExprAttr> extents;
  for (unsigned dim : outer)
    extents.push_back(position.extents[dim]);
  ExprAttr extent = position.extents[last];
  for (unsigned dim : inner.drop_back()) {
    extent = position.extents[dim] * extent;
    position.dims[dim] = constantIndex(0);
    position.extents[dim] = guard::getConstant(context, 1);
  }
  position.extents[last] = extent;
  extents.push_back(extent);
  SmallVector<Value> indices = delinearize(toIndex(index), extents);
  if (lane)
    indices.back() = arith::SubIOp::create(b, indices.back(), toIndex(lane));
  for (auto [dim, value] : llvm::zip_equal(outer, ArrayRef(indices).drop_back()))
    position.dims[dim] = value;
  position.dims[last] = indices.back();
}

/// Evaluates the epilogue on sums at an index. Lanes along columns of more than one
/// dimension, which the epilogue does not walk as one, are taken one by one.
Value ProductEmitter::emitEpilogue(ContractOp op, const ContractionShape &shape,
                                  const Position &outer, Value sums,
                                  const ContractionIndex &at) {
  const DimGroup &along = at.alongRow ? shape.rows : shape.columns;
  auto vectorType = dyn_cast<VectorType>(sums.getType());
  int64_t lanes = vectorType ? vectorType.getNumElements() : 1;
  auto evaluate = [&](Value value, Value row, Value column, int64_t width,
                      Value mask) -> Value {
    Position position = outer;
    setGroup(position, shape.batch, at.batch, /*joined=*/1);
    setGroup(position, shape.rows, row, joined.rows, at.lane);
    setGroup(position, shape.columns, column, joined.columns);
    position.lanes = width;
    if (width > 1) {
      position.vectorDim = along.dims.empty() ? -1 : int(along.dims.back());
      position.mask = mask;
    }
    BodyEmitter body(*this, position);
    Block &block = op.getEpilogue().front();
    if (failed(body.emit(block, {value}))) {
      failedInside = true;
      return value;
    }
    Value result = body.get(block.getTerminator()->getOperand(0));
    return broadcast(result, width);
  };
  if (lanes == 1 || at.alongRow || along.dims.size() <= joined.columns)
    return evaluate(sums, at.row, at.column, lanes, at.mask);

  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  auto resultType = VectorType::get({lanes}, getBodyType(element));
  Value result = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(resultType)));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value step = arith::ConstantOp::create(b, b.getI64IntegerAttr(lane));
    Value moved = arith::AddIOp::create(b, at.column, step);
    auto one = [&]() -> Value {
      Value sum = vector::ExtractOp::create(b, sums, ArrayRef<int64_t>{lane});
      return evaluate(sum, at.row, moved, 1, {});
    };
    Value value;
    if (at.mask) {
      Value inside =
          vector::ExtractOp::create(b, at.mask, ArrayRef<int64_t>{lane});
      auto branch = scf::IfOp::create(b, TypeRange{resultType.getElementType()},
                                      inside, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, one());
      b.setInsertionPointToStart(branch.elseBlock());
      Value zero = arith::ConstantOp::create(
          b, cast<TypedAttr>(b.getZeroAttr(resultType.getElementType())));
      scf::YieldOp::create(b, zero);
      value = branch.getResult(0);
    } else {
      value = one();
    }
    result =
        vector::InsertOp::create(b, value, result, ArrayRef<int64_t>{lane});
  }
  return result;
}

/// The strides of operand `k` along the runs of a group.
SmallVector<Extent> ProductEmitter::toSteps(const DimGroup &group, unsigned k) {
  SmallVector<Extent> steps;
  for (const DimGroup::Run &run : group.runs)
    steps.push_back(toExtent(run.steps[k]));
  if (steps.empty())
    steps.push_back(0);
  return steps;
}

/// Emits a region that maps an element of an operand.
ContractionMap ProductEmitter::makePrologue(Region &region) {
  if (region.empty())
    return {};
  return [this, &region](OpBuilder &builder, Location, Value value,
                         const ContractionIndex &) -> Value {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(builder.getInsertionBlock(),
                        builder.getInsertionPoint());
    auto vectorType = dyn_cast<VectorType>(value.getType());
    Position position;
    position.lanes = vectorType ? vectorType.getNumElements() : 1;
    BodyEmitter body(*this, position);
    Block &block = region.front();
    if (failed(body.emit(block, {value}))) {
      failedInside = true;
      return value;
    }
    return body.getWide(block.getTerminator()->getOperand(0));
  };
}

/// Emits a mask over the runs of an operand's groups.
ContractionMask ProductEmitter::makeMask(ExprAttr mask, const DimGroup &rows,
                                        const DimGroup &columns,
                                        const Position &outer) {
  return [this, mask, &rows, &columns, outer](
             OpBuilder &builder, Location, ArrayRef<Value> row,
             ArrayRef<Value> column) -> Value {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(builder.getInsertionBlock(),
                        builder.getInsertionPoint());
    Position position = outer;
    auto assign = [&](const DimGroup &group, ArrayRef<Value> indices) {
      // Lanes have a truth each, also if it is the same for all.
      for (Value index : indices)
        if (auto vectorType = dyn_cast<VectorType>(index.getType()))
          position.lanes = vectorType.getNumElements();
      for (auto [run, index] : llvm::zip(group.runs, indices)) {
        // A mask depends on runs of one dimension only.
        if (run.dims.size() != 1)
          continue;
        Type type = b.getIndexType();
        if (auto vectorType = dyn_cast<VectorType>(index.getType()))
          type = vectorType.clone(type);
        position.dims[run.dims.front()] =
            arith::IndexCastOp::create(b, type, index);
      }
    };
    assign(rows, row);
    assign(columns, column);
    return broadcast(emitCondition(mask, position), position.lanes);
  };
}

/// Finds which dimensions of rows and columns the result and the epilogue walk as
/// one, and so how many rows are neighbours in the result.
void ProductEmitter::joinDims(ContractOp op, const ContractionShape &shape) {
  auto walksAsOne = [&](ArrayRef<unsigned> dims) {
    return dims.size() <= 1 || op.getEpilogue().empty() ||
           analysis::epilogueWalksAsOne(op, dims, layout);
  };
  joined.columns = walksAsOne(shape.columns.dims) ? shape.columns.dims.size() : 1;
  joined.rows = 0;
  ExprAttr run = guard::getConstant(context, 1);
  for (const DimGroup::Run &part : llvm::reverse(shape.rows.runs)) {
    unsigned more = joined.rows + part.dims.size();
    if (part.steps[2] != run ||
        !walksAsOne(ArrayRef(shape.rows.dims).take_back(more)))
      break;
    joined.rows = more;
    run = part.extent * run;
  }
  if (joined.rows > 0)
    spec.c.rowRun = toExtent(run);
}

/// Whether no mask of operand `k` looks at the dimensions of a run.
static bool isFree(const analysis::ContractionShape &shape, unsigned k,
                   const analysis::DimGroup::Run &run) {
  return !shape.masks[k] || llvm::none_of(run.dims, [&](unsigned dim) {
    ExprAttr mask = shape.masks[k];
    return guard::contains(mask, guard::getDim(mask.getContext(), dim));
  });
}

/// Fills `spec` but for the places of the operands, which depend on the
/// dimensions that are counted off outside.
LogicalResult ProductEmitter::describe(ContractOp op,
                                       const ContractionShape &shape) {
  Value tensors[3] = {op.getLhs(), op.getRhs(), op.getResult()};
  Region *prologues[2] = {&op.getLhsPrologue(), &op.getRhsPrologue()};
  if (shape.exchanged) {
    std::swap(tensors[0], tensors[1]);
    std::swap(prologues[0], prologues[1]);
  }
  for (unsigned k = 0; k < 3; ++k) {
    memory[k] = buffers.lookup(tensors[k]);
    if (!memory[k].pointer)
      return op.emitOpError("reads a tensor that its kernel does not have");
  }
  spec.batch = toExtent(shape.batch.extent);
  spec.m = toExtent(shape.rows.extent);
  spec.n = toExtent(shape.columns.extent);
  spec.k = toExtent(shape.sum.extent);
  spec.sumType = op.getAccType();
  describeFactors(op, shape);
  addAxis(shape.rows, spec.rows);
  addAxis(shape.columns, spec.columns);
  addAxis(shape.sum, spec.sum);
  for (unsigned k = 0; k < 3; ++k)
    describeOperand(shape, k);
  if (op.isGrouped()) {
    spec.ends = buffers.lookup(op.getEnds()).pointer;
    spec.endStep = toExtent(layout.lookup(op.getEnds())[0]);
    spec.groupsRows = op.hasGroupedRows();
    if (!spec.ends)
      return op.emitOpError("reads ends that its kernel does not have");
  }
  if (!shape.sum.runs.empty())
    spec.freeRuns = isFree(shape, 0, shape.sum.runs.back());
  joinDims(op, shape);
  spec.a.map = makePrologue(*prologues[0]);
  spec.a.isFactors = analysis::readsFactors(op, !shape.exchanged);
  spec.b.map = makePrologue(*prologues[1]);
  if (op->hasAttr(kPackedAheadAttrName))
    spec.b.packed = memory[1].pointer;
  return success();
}

/// What the factors are, where that is less than their type.
void ProductEmitter::describeFactors(ContractOp op,
                                     const ContractionShape &shape) {
  spec.ofBF16 = analysis::hasFactorsOfBF16(op);
  std::optional<unsigned> side = analysis::getUnsignedFactor(op);
  spec.unsignedA = side && (*side == 0) != shape.exchanged;
  spec.unsignedB = side && !spec.unsignedA;
}

/// The dimensions of an axis, if there are several.
void ProductEmitter::addAxis(const DimGroup &group, ContractionAxis &axis) {
  if (group.runs.size() > 1)
    for (const DimGroup::Run &run : group.runs)
      axis.push_back(toExtent(run.extent));
}

/// How A, B or C lies in memory.
void ProductEmitter::describeOperand(const ContractionShape &shape,
                                     unsigned k) {
  if (k < 2)
    spec.freeSum[k] =
        shape.sum.runs.empty() || isFree(shape, k, shape.sum.runs.front());
  ContractionOperand &operand = k == 0 ? spec.a : k == 1 ? spec.b : spec.c;
  const DimGroup &rows = k == 1 ? shape.sum : shape.rows;
  const DimGroup &columns = k == 0 ? shape.sum : shape.columns;
  operand.type = getBodyType(memory[k].elementType);
  operand.batchStride = toExtent(shape.batch.steps[k]);
  operand.irregular = shape.isIrregular(k);
  if (ExprAttr step = rows.steps[k])
    operand.rowStride = toExtent(step);
  if (ExprAttr step = columns.steps[k])
    operand.columnStride = toExtent(step);
  if (!operand.irregular)
    return;
  operand.rowSteps = toSteps(rows, k);
  operand.columnSteps = toSteps(columns, k);
}

/// Fills `spec` with what packing B asks for.
void ProductEmitter::describeColumns(ContractOp op,
                                     const ContractionShape &shape) {
  spec.batch = toExtent(shape.batch.extent);
  spec.n = toExtent(shape.columns.extent);
  spec.k = toExtent(shape.sum.extent);
  spec.sumType = op.getAccType();
  describeFactors(op, shape);
  addAxis(shape.columns, spec.columns);
  addAxis(shape.sum, spec.sum);
  describeOperand(shape, 1);
  // A is not read; that it is no matrix in memory would ask for more scratch.
  spec.a.type = spec.b.type;
  spec.b.map = makePrologue(shape.exchanged ? op.getLhsPrologue()
                                            : op.getRhsPrologue());
}

/// Puts the operands, masks and the epilogue of `spec` at one point of the
/// dimensions outside. `shape` and `outer` are used as long as `spec` is.
void ProductEmitter::place(ContractOp op, const ContractionShape &shape,
                           const Position &outer) {
  ContractionOperand *operands[3] = {&spec.a, &spec.b, &spec.c};
  for (unsigned k = 0; k < 3; ++k)
    operands[k]->base = elementPointer(memory[k], shape.addresses[k], outer);
  if (shape.masks[0])
    spec.a.mask = makeMask(shape.masks[0], shape.rows, shape.sum, outer);
  if (shape.masks[1])
    spec.b.mask = makeMask(shape.masks[1], shape.sum, shape.columns, outer);
  if (op.getEpilogue().empty())
    return;
  spec.c.map = [this, op, &shape,
                &outer](OpBuilder &builder, Location, Value sums,
                        const ContractionIndex &at) -> Value {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(builder.getInsertionBlock(),
                        builder.getInsertionPoint());
    return emitEpilogue(op, shape, outer, sums, at);
  };
}

/// Emits items of the product at one point of the dimensions outside.
void ProductEmitter::emitProduct(ContractOp op, const ContractionShape &shape,
                                 const Position &outer, Value from, Value to) {
  place(op, shape, outer);
  emitContraction(b, op.getLoc(), spec, schedule, from, to, scratchPointer);
}

LogicalResult ProductEmitter::emitItems() {
  ContractOp op = *kernel.getBody().getOps<ContractOp>().begin();
  auto shape = analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                            layout.lookup(op.getRhs()));
  if (!shape)
    return refuse(schedule) << "its contraction is no matrix product";
  Position domain;
  domain.extents = op.getDomain().all();
  domain.dims.resize(domain.extents.size());
  for (Value &value : domain.dims)
    value = constantIndex(0);
  if (failed(describe(op, *shape)))
    return failure();
  if (StringRef misfit = getMisfit(spec, schedule); !misfit.empty())
    return refuse(schedule) << misfit;
  masksTails = getLanes(schedule).second && !analysis::mayTrap(kernel);

  ContractionItem item = getContractionItem(spec, schedule);
  ExprAttr groups = shape->batch.extent;
  if (spec.groupsRows)
    groups = groups + guard::getConstant(context, 1);
  ExprAttr items = groups *
                   guard::ceilDiv(shape->rows.extent, item.rows) *
                   guard::ceilDiv(shape->columns.extent, item.columns);
  work = items;
  for (unsigned dim : shape->outer)
    work = work * domain.extents[dim];
  if (int64_t bytes = getContractionScratch(spec, schedule))
    scratchBytes = guard::getConstant(context, bytes);

  Value i64Begin = arith::IndexCastOp::create(b, b.getI64Type(), begin);
  Value i64End = arith::IndexCastOp::create(b, b.getI64Type(), end);
  if (shape->outer.empty()) {
    emitProduct(op, *shape, domain, i64Begin, i64End);
    return failure(failedInside);
  }
  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value count = getArgument(items);
  Value number = loop.getInductionVar();
  Value inner = arith::RemUIOp::create(b, number, count);
  Value outerNumber = arith::DivUIOp::create(b, number, count);
  SmallVector<ExprAttr> extents;
  for (unsigned dim : shape->outer)
    extents.push_back(domain.extents[dim]);
  for (auto [dim, value] :
       llvm::zip_equal(shape->outer, delinearize(outerNumber, extents)))
    domain.dims[dim] = value;
  Value from = arith::IndexCastOp::create(b, b.getI64Type(), inner);
  Value one = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  Value to = arith::AddIOp::create(b, from, one);
  emitProduct(op, *shape, domain, from, to);
  return failure(failedInside);
}

LogicalResult ColumnsPacker::bindPointers(ArrayRef<Value> pointers) {
  Value tensor = shape.exchanged ? op.getLhs() : op.getRhs();
  memory[1] = {pointers[0], layout.lookup(tensor),
               cast<RankedTensorType>(tensor.getType()).getElementType()};
  panels = pointers[1];
  return success();
}

LogicalResult ColumnsPacker::emitItems() {
  auto packed = cast<PackedScheduleAttr>(schedule);
  describeColumns(op, shape);
  Position domain;
  domain.extents = op.getDomain().all();
  domain.dims.assign(domain.extents.size(), constantIndex(0));
  spec.b.base = elementPointer(memory[1], shape.addresses[1], domain);
  if (shape.masks[1])
    spec.b.mask = makeMask(shape.masks[1], shape.sum, shape.columns, domain);
  masksTails = packed.getMasked() && !analysis::mayTrap(kernel);
  work = shape.batch.extent *
         guard::ceilDiv(shape.columns.extent, packed.getTileColumns());
  if (int64_t bytes = getPackingScratch(spec, packed))
    scratchBytes = guard::getConstant(context, bytes);
  emitPackedColumns(b, op.getLoc(), spec, packed,
                    arith::IndexCastOp::create(b, b.getI64Type(), begin),
                    arith::IndexCastOp::create(b, b.getI64Type(), end), panels,
                    scratchPointer);
  return failure(failedInside);
}
