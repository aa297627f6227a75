//===- LinalgEmitter.cpp - Nests as structured ops ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value LinalgEmitter::createEmpty(ImplicitLocOpBuilder &b, Type elementType,
                                 ArrayRef<ExprAttr> sizes) {
  SmallVector<OpFoldResult> values;
  for (ExprAttr size : sizes) {
    if (auto constant = size.getConstant()) {
      values.push_back(b.getIndexAttr(*constant));
      continue;
    }
    Value value = symbols.get(b, size);
    if (!value)
      return {};
    values.push_back(value);
  }
  Value empty = tensor::EmptyOp::create(b, values, elementType);
  empty.setType(guard::makeTensorType(elementType, sizes));
  return empty;
}

Value LinalgEmitter::createFilled(ImplicitLocOpBuilder &b, Value element,
                                  ArrayRef<ExprAttr> sizes) {
  Value empty = createEmpty(b, element.getType(), sizes);
  if (!empty)
    return {};
  return linalg::FillOp::create(b, TypeRange{empty.getType()}, element, empty)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a structured op that stand for loads.
struct Operands {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  llvm::DenseMap<Operation *, unsigned> positions; ///< of loads
};
} // namespace

static Operands collectOperands(Block &body, ArrayRef<ExprAttr> extents) {
  Operands operands;
  auto exprs = getIndexExprs(body);
  for (auto load : body.getOps<LoadOp>()) {
    auto map = getIndexingMap(load, exprs, extents);
    if (!map)
      continue;
    unsigned position = 0;
    while (position < operands.tensors.size() &&
           (operands.tensors[position] != load.getTensor() ||
            operands.maps[position] != *map))
      ++position;
    if (position == operands.tensors.size()) {
      operands.tensors.push_back(load.getTensor());
      operands.maps.push_back(*map);
    }
    operands.positions[load] = position;
  }
  return operands;
}

FailureOr<SmallVector<Value>> LinalgEmitter::createGeneric(
    ImplicitLocOpBuilder &b, const Domain &domain, Block &body,
    ValueRange outs,
    llvm::function_ref<FailureOr<SmallVector<Value>>(
        ImplicitLocOpBuilder &, NestBody &, ValueRange)>
        finish) {
  MLIRContext *context = b.getContext();
  SmallVector<ExprAttr> extents = domain.all();
  unsigned rank = extents.size(), parallel = domain.parallel.size();
  Operands operands = collectOperands(body, extents);

  // The extent of every dimension must be that of some operand. Where loads do
  // not show one, a tensor that nobody reads does.
  llvm::SmallBitVector shown(rank);
  shown.set(0, parallel);
  for (AffineMap map : operands.maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        shown.set(dim.getPosition());
  if (!shown.all()) {
    SmallVector<AffineExpr> hidden;
    SmallVector<ExprAttr> sizes;
    for (unsigned k = 0; k < rank; ++k) {
      if (shown.test(k))
        continue;
      hidden.push_back(getAffineDimExpr(k, context));
      sizes.push_back(extents[k]);
    }
    Value shape = createEmpty(b, b.getI8Type(), sizes);
    if (!shape)
      return failure();
    operands.tensors.push_back(shape);
    operands.maps.push_back(AffineMap::get(rank, 0, hidden, context));
  }

  SmallVector<AffineMap> maps = operands.maps;
  SmallVector<AffineExpr> identity;
  for (unsigned k = 0; k < parallel; ++k)
    identity.push_back(getAffineDimExpr(k, context));
  maps.append(outs.size(), AffineMap::get(rank, 0, identity, context));
  SmallVector<utils::IteratorType> iterators(parallel,
                                             utils::IteratorType::parallel);
  iterators.append(rank - parallel, utils::IteratorType::reduction);

  LogicalResult emitted = success();
  auto emitBody = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    ImplicitLocOpBuilder inner(loc, builder);
    SmallVector<Value> dims;
    for (unsigned k = 0; k < rank; ++k)
      dims.push_back(linalg::IndexOp::create(inner, k));
    NestBody nest(inner, symbols, extents, dims);
    for (auto load : body.getOps<LoadOp>())
      if (auto it = operands.positions.find(load);
          it != operands.positions.end())
        nest.setLoaded(load, arguments[it->second]);
    emitted = nest.emit(body);
    if (failed(emitted))
      return;
    auto values =
        finish(inner, nest, arguments.drop_front(operands.tensors.size()));
    emitted = failure(failed(values));
    if (failed(emitted))
      return;
    linalg::YieldOp::create(inner, *values);
    for (Value dim : dims)
      if (dim.use_empty())
        dim.getDefiningOp()->erase();
  };
  auto generic = linalg::GenericOp::create(b, outs.getTypes(),
                                           operands.tensors, outs, maps,
                                           iterators, emitBody);
  if (failed(emitted))
    return failure();
  // Elements have no sign in bodies.
  for (BlockArgument argument : generic.getRegion().getArguments())
    argument.setType(getBodyType(argument.getType()));
  return llvm::to_vector_of<Value>(generic.getResults());
}

LogicalResult LinalgEmitter::convert(PointwiseOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Domain domain = op.getDomain();
  Block &body = op.getBody().front();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value empty =
      createEmpty(b, getBodyType(type.getElementType()), domain.parallel);
  if (!empty)
    return op.emitOpError(symbols.getError());
  auto results = createGeneric(
      b, domain, body, empty,
      [&](ImplicitLocOpBuilder &, NestBody &nest, ValueRange) {
        return FailureOr<SmallVector<Value>>(SmallVector<Value>{
            nest.get(body.getTerminator()->getOperand(0))});
      });
  if (failed(results))
    return failure();
  (*results)[0].setType(type);
  op.replaceAllUsesWith((*results)[0]);
  op.erase();
  return success();
}

/// A scalar with fewer bits.
static Value narrow(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::TruncFOp::create(b, type, value);
  return arith::TruncIOp::create(b, type, value);
}

/// What accumulator `k` begins with.
static Value getInitialValue(ImplicitLocOpBuilder &b,
                             AccumulationOpInterface op, unsigned k) {
  if (op.getKind(k).kind == ReductionKind::Generic)
    return op.getInits()[k];
  return arith::ConstantOp::create(b, op.getNeutral(b, k));
}

FailureOr<SmallVector<Value>>
LinalgEmitter::combine(ImplicitLocOpBuilder &b, AccumulationOpInterface op,
                       ArrayRef<Value> left, ArrayRef<Value> right) {
  auto generic = [&](ArrayRef<Value> left, ArrayRef<Value> right)
      -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> operands(left);
    operands.append(right.begin(), right.end());
    NestBody combiner(b, symbols, {}, {});
    Block &block = op.getCombiner().front();
    if (failed(combiner.emit(block, operands)))
      return failure();
    return llvm::map_to_vector(block.getTerminator()->getOperands(),
                               [&](Value value) { return combiner.get(value); });
  };
  return op.combine(b, left, right, generic);
}

LogicalResult LinalgEmitter::convert(ReduceOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Domain domain = op.getDomain();
  Block &body = op.getBody().front();
  SmallVector<Value> outs;
  for (unsigned k = 0; k < op.getNumResults(); ++k) {
    Value init = getInitialValue(b, op, k);
    outs.push_back(createFilled(b, init, domain.parallel));
    if (!outs.back())
      return op.emitOpError(symbols.getError());
  }
  auto finish = [&](ImplicitLocOpBuilder &inner, NestBody &nest,
                    ValueRange accumulators) {
    SmallVector<Value> values;
    for (Value value : body.getTerminator()->getOperands())
      values.push_back(nest.get(value));
    return combine(inner, op, llvm::to_vector(accumulators), values);
  };
  auto sums = createGeneric(b, domain, body, outs, finish);
  if (failed(sums))
    return failure();
  for (auto [result, sum] : llvm::zip_equal(op.getResults(), *sums)) {
    auto type = cast<RankedTensorType>(result.getType());
    Type wanted = getBodyType(type.getElementType());
    Value value = sum;
    if (cast<RankedTensorType>(sum.getType()).getElementType() != wanted) {
      Value empty = createEmpty(b, wanted, domain.parallel);
      AffineMap map = b.getMultiDimIdentityMap(domain.parallel.size());
      SmallVector<utils::IteratorType> iterators(
          domain.parallel.size(), utils::IteratorType::parallel);
      value = linalg::GenericOp::create(
                  b, TypeRange{empty.getType()}, sum, empty,
                  ArrayRef<AffineMap>{map, map}, iterators,
                  [&](OpBuilder &builder, Location loc, ValueRange arguments) {
                    ImplicitLocOpBuilder inner(loc, builder);
                    linalg::YieldOp::create(
                        inner, narrow(inner, arguments[0], wanted));
                  })
                  .getResult(0);
    }
    value.setType(type);
    result.replaceAllUsesWith(value);
  }
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

bool LinalgEmitter::hasNamedForm(ContractOp op) {
  unsigned parallel = op.getParallelExtents().size();
  if ((parallel != 2 && parallel != 3) ||
      op.getReductionExtents().size() != 1 || !op.getMasks().empty() ||
      op.isGrouped() || !op.getLhsPrologue().empty() || !op.getRhsPrologue().empty() ||
      !isa<FloatType>(op.getAccType()))
    return false;
  unsigned batch = parallel - 2, row = batch, column = batch + 1;
  unsigned sum = parallel;
  SmallVector<ExprAttr> extents = op.getDomain().all();
  auto reads = [&](Value tensor, ArrayAttr map, ArrayRef<unsigned> dims) {
    auto type = cast<RankedTensorType>(tensor.getType());
    auto sizes = guard::getDims(type);
    if (!sizes || map.size() != dims.size() + batch ||
        !isa<FloatType>(type.getElementType()))
      return false;
    for (auto [k, expr] : llvm::enumerate(getExprs(map))) {
      unsigned dim = k < batch ? k : dims[k - batch];
      if (!expr.isDim() || expr.getPosition() != dim ||
          (*sizes)[k] != extents[dim])
        return false;
    }
    return true;
  };
  return reads(op.getLhs(), op.getLhsIndices(), {row, sum}) &&
         reads(op.getRhs(), op.getRhsIndices(), {sum, column});
}

LogicalResult LinalgEmitter::convert(ContractOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(op.getAccType())));
  Value init = createFilled(b, zero, op.getDomain().parallel);
  if (!init)
    return op.emitOpError(symbols.getError());
  SmallVector<Value> operands = {op.getLhs(), op.getRhs()};
  SmallVector<Type> types = {init.getType()};
  Operation *product =
      op.getParallelExtents().size() == 2
          ? linalg::MatmulOp::create(b, types, operands, init).getOperation()
          : linalg::BatchMatmulOp::create(b, types, operands, init)
                .getOperation();
  Operation *following = op->getNextNode();
  expandEpilogue(op, product->getResult(0));
  if (product->getNextNode() == following)
    return success(); // no epilogue
  return convert(cast<PointwiseOp>(product->getNextNode()));
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

LogicalResult LinalgEmitter::convert(ScanOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Domain domain = op.getDomain();
  SmallVector<Value> carried;
  for (Value result : op.getResults()) {
    carried.push_back(createEmpty(
        b, getBodyType(cast<RankedTensorType>(result.getType())
                           .getElementType()),
        op.getResultExtents()));
    if (!carried.back())
      return op.emitOpError(symbols.getError());
  }
  size_t count = carried.size();
  SmallVector<Value> dims;
  SmallVector<scf::ForOp> loops;
  auto enter = [&](ExprAttr extent) -> LogicalResult {
    Value high = symbols.get(b, extent);
    if (!high)
      return op.emitOpError(symbols.getError());
    auto loop = scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0),
                                   high, arith::ConstantIndexOp::create(b, 1),
                                   carried);
    b.setInsertionPointToEnd(loop.getBody());
    dims.push_back(loop.getInductionVar());
    carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    loops.push_back(loop);
    return success();
  };
  for (ExprAttr extent : domain.parallel)
    if (failed(enter(extent)))
      return failure();
  // The loop along the row carries the accumulators besides the results.
  for (unsigned k = 0; k < op.getNumResults(); ++k)
    carried.push_back(getInitialValue(b, op, k));
  if (failed(enter(op.getRowExtent())))
    return failure();

  NestBody body(b, symbols, domain.all(), dims);
  Block &block = op.getBody().front();
  if (failed(body.emit(block)))
    return failure();
  SmallVector<Value> values;
  for (Value value : block.getTerminator()->getOperands())
    values.push_back(body.get(value));
  auto joined = combine(b, op, ArrayRef(carried).drop_front(count), values);
  if (failed(joined))
    return failure();
  SmallVector<Value> position(dims);
  std::rotate(position.begin() + op.getDimension(), position.end() - 1,
              position.end());
  carried.truncate(count);
  for (auto [tensor, value] : llvm::zip_equal(carried, *joined))
    tensor = tensor::InsertOp::create(
        b,
        narrow(b, value,
               cast<RankedTensorType>(tensor.getType()).getElementType()),
        tensor, position);
  llvm::append_range(carried, *joined);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, carried);
    carried = SmallVector<Value>(loop.getResults().take_front(count));
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried)) {
    value.setType(result.getType());
    result.replaceAllUsesWith(value);
  }
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

LogicalResult LinalgEmitter::convert(ScatterOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<ExprAttr> extents = op.getDomain().all();
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> dims;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value current = op.getInit();
  auto enter = [&](Value high) {
    auto loop = scf::ForOp::create(b, zero, high, one, current);
    b.setInsertionPointToEnd(loop.getBody());
    current = loop.getRegionIterArg(0);
    loops.push_back(loop);
    return loop.getInductionVar();
  };
  for (ExprAttr extent : extents) {
    Value high = symbols.get(b, extent);
    if (!high)
      return op.emitOpError(symbols.getError());
    dims.push_back(enter(high));
  }
  // A single point stands in a loop too: what it carries is one buffer, written
  // or not.
  if (extents.empty())
    enter(one);
  NestBody body(b, symbols, extents, dims);
  Block &block = op.getBody().front();
  if (BlockArgument written = op.getWritten())
    written.replaceAllUsesWith(current);
  if (failed(body.emit(block)))
    return failure();
  auto yield = cast<YieldAtOp>(block.getTerminator());
  SmallVector<Value> position;
  for (Value index : yield.getPosition()) {
    position.push_back(body.get(index));
    if (!position.back())
      return op.emitOpError(symbols.getError());
  }
  Value value = body.get(yield.getValue());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type element = getBodyType(type.getElementType());
  auto insert = [&]() -> Value {
    Value stored = value;
    if (op.getKind() != ScatterKind::Set)
      stored = combineScattered(
          b, op.getKind(),
          tensor::ExtractOp::create(b, element, current, position), value,
          type.getElementType());
    return tensor::InsertOp::create(b, narrow(b, stored, element), current,
                                    position);
  };
  Value updated;
  if (Value condition = yield.getCondition()) {
    auto branch = scf::IfOp::create(b, TypeRange{type}, body.get(condition),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value inserted = insert();
    scf::YieldOp::create(b, inserted);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, current);
    updated = branch.getResult(0);
  } else {
    updated = insert();
  }
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, updated);
    updated = loop.getResult(0);
  }
  op.replaceAllUsesWith(updated);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Guards, and the choice
//===----------------------------------------------------------------------===//

LogicalResult LinalgEmitter::convertGuard(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto assertion = dyn_cast<guard::AssertOp>(op);
  auto valueOp = dyn_cast<guard::ValueOp>(op);
  ExprAttr expr = assertion ? assertion.getCondition() : valueOp.getExpr();
  Value value = symbols.get(b, expr);
  if (!value)
    return op->emitOpError(symbols.getError());
  Type type = assertion ? b.getI1Type() : valueOp.getType();
  if (value.getType().isF64()) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width < 64)
      value = arith::TruncFOp::create(b, type, value);
    else if (width > 64)
      value = arith::ExtFOp::create(b, type, value);
  } else if (type.isInteger(1)) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    value = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
  } else if (!type.isIndex()) {
    value = arith::IndexCastOp::create(b, type, value);
  }
  if (assertion)
    cf::AssertOp::create(b, value, assertion.getMessage());
  else
    valueOp.replaceAllUsesWith(value);
  op->erase();
  return success();
}

LogicalResult LinalgEmitter::convert(NestOpInterface nest) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(nest)
      .Case<PointwiseOp, ReduceOp, ContractOp, ScanOp, ScatterOp>(
          [&](auto op) { return convert(op); });
}
