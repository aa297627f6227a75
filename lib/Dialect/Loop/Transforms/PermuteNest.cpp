//===- PermuteNest.cpp - Dimensions of a nest in another order ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PermuteNest.h"

#include "Bodies.h"

#include "kiln/Dialect/Loop/IR/Carried.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

SmallVector<unsigned> loop::getOrder(unsigned rank, LastDims last) {
  SmallVector<unsigned> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + last.first,
              order.begin() + last.first + last.count, order.end());
  return order;
}

SmallVector<ExprAttr> loop::permute(ArrayRef<ExprAttr> list,
                                    ArrayRef<unsigned> order) {
  return llvm::map_to_vector(order, [&](unsigned k) { return list[k]; });
}

RankedTensorType loop::permute(RankedTensorType type,
                               ArrayRef<unsigned> order) {
  return guard::makeTensorType(type.getElementType(),
                               permute(*guard::getDims(type), order));
}

/// New names of dimensions of which `order` lists the old ones from `first` on.
static SmallVector<ExprAttr> rename(MLIRContext *context, unsigned rank,
                                    unsigned first, ArrayRef<unsigned> order) {
  SmallVector<ExprAttr> names = getIdentityMap(context, rank);
  for (auto [now, before] : llvm::enumerate(order))
    names[first + before] = guard::getDim(context, first + now);
  return names;
}

/// Arguments from `first` on in another order.
static void permuteArguments(Region &region, unsigned first,
                             ArrayRef<unsigned> order) {
  if (region.empty())
    return;
  Block &block = region.front();
  unsigned count = order.size();
  for (auto [now, before] : llvm::enumerate(order)) {
    BlockArgument old = block.getArgument(first + before);
    old.replaceAllUsesWith(block.insertArgument(first + count + now,
                                                old.getType(), old.getLoc()));
  }
  block.eraseArguments(first, count);
}

/// Renames the dimensions of everything that a contraction says by expressions.
static void renameDims(ContractOp op, ArrayRef<ExprAttr> names) {
  auto change = [&](ArrayAttr list) {
    SmallVector<ExprAttr> exprs;
    for (ExprAttr expr : getExprs(list))
      exprs.push_back(guard::substituteDims(expr, names));
    return getExprArray(op.getContext(), exprs);
  };
  op.setLhsIndicesAttr(change(op.getLhsIndices()));
  op.setRhsIndicesAttr(change(op.getRhsIndices()));
  op.setMasksAttr(change(op.getMasks()));
  if (op.isGrouped())
    op.setGroups(op.getEnds(), names[op.getGroupDim()].getPosition(),
                 names[op.getMemberDim()].getPosition());
}

static ArrayAttr permuteExprs(ArrayAttr list, ArrayRef<unsigned> order) {
  return getExprArray(list.getContext(), permute(getExprs(list), order));
}

void loop::updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(),
                        block.getTerminator()->getOperandTypes()));
}

PointwiseOp loop::createCopy(OpBuilder &builder, Location location,
                             Value tensor, ArrayRef<ExprAttr> extents,
                             ArrayRef<ExprAttr> map, ArrayAttr origins) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto copy = PointwiseOp::create(builder, location,
                                  guard::makeTensorType(element, extents),
                                  extents, origins);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = copy.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value value = LoadOp::create(builder, location, tensor, body.getArguments(),
                               map, Value(), Value());
  YieldOp::create(builder, location, value);
  return copy;
}

bool loop::staysStraight(
    Value tensor, RankedTensorType now,
    llvm::function_ref<std::optional<SmallVector<ExprAttr>>(
        const analysis::Access &read, ArrayRef<ExprAttr> extents)>
        move,
    const analysis::SizeHints &hints) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (Operation *user : tensor.getUsers()) {
    NestOpInterface reader = getNest(user);
    if (!reader)
      continue; // a caller
    SmallVector<ExprAttr> extents = reader.getDomain().all();
    for (const analysis::Access &read : analysis::getReads(reader)) {
      if (read.tensor != tensor ||
          !analysis::isStraight(type, read.map, extents,
                                hints.getAssumptions()))
        continue;
      auto moved = move(read, extents);
      if (moved &&
          !analysis::isStraight(now, *moved, extents, hints.getAssumptions()))
        return false;
    }
  }
  return true;
}

CarriedTensors::CarriedTensors(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    for (unsigned k = 0; k < function.getNumResults(); ++k)
      if (auto name = function.getResultAttrOfType<StringAttr>(
              k, kCarriedAttrName)) {
        Ends &end = ends[name];
        ++end.results;
        end.type = function.getResultTypes()[k];
        end.isFixed |= bool(function.getResultAttr(k, kOrderAttrName));
      }
    for (BlockArgument argument : function.getArguments())
      if (auto name = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), kCarriedAttrName)) {
        Ends &end = ends[name];
        ++end.arguments;
        end.argument = argument;
        end.isFixed |=
            bool(function.getArgAttr(argument.getArgNumber(), kStridesAttrName));
      }
  }
  for (auto &entry : ends) {
    Ends &end = entry.second;
    end.isFixed |= end.argument && end.argument.getType() != end.type;
  }
}

BlockArgument CarriedTensors::getReader(OpOperand &returned) const {
  if (!isa<func::ReturnOp>(returned.getOwner()))
    return {};
  auto function = returned.getOwner()->getParentOfType<func::FuncOp>();
  auto name = function.getResultAttrOfType<StringAttr>(
      returned.getOperandNumber(), kCarriedAttrName);
  if (!name)
    return {};
  Ends found = ends.lookup(name);
  return found.results == 1 && found.arguments == 1 && !found.isFixed
             ? found.argument
             : BlockArgument();
}

static void permuteReads(Value tensor, ArrayRef<unsigned> order,
                         CarriedTensors &carried);

/// True if a caller gets the tensor, too, which it sees with its dimensions in
/// the old order.
static bool isSeen(Value tensor, const CarriedTensors &carried) {
  return llvm::any_of(tensor.getUses(), [&](OpOperand &use) {
    return isa<func::ReturnOp>(use.getOwner()) && !carried.getReader(use);
  });
}

/// The function that a tensor is carried to takes it as a caller sees it: with
/// its dimensions in the old order, and strides.
static void layArgument(BlockArgument argument, ArrayRef<unsigned> order) {
  MLIRContext *context = argument.getContext();
  auto type = permute(cast<RankedTensorType>(argument.getType()), order);
  SmallVector<ExprAttr> strides(order.size());
  for (auto [before, stride] : llvm::zip_equal(
           order, guard::getContiguousStrides(context, *guard::getDims(type))))
    strides[before] = stride;
  cast<func::FuncOp>(argument.getOwner()->getParentOp())
      .setArgAttr(argument.getArgNumber(), kStridesAttrName,
                  guard::ShapeAttr::get(context, strides));
}

/// The function that a tensor is carried to takes it in its new order.
static void permuteArgument(BlockArgument argument, ArrayRef<unsigned> order,
                            CarriedTensors &carried) {
  argument.setType(permute(cast<RankedTensorType>(argument.getType()), order));
  updateType(cast<func::FuncOp>(argument.getOwner()->getParentOp()));
  carried.setPermuted(argument);
  permuteReads(argument, order, carried);
}

/// The caller sees the dimensions in their old order.
static void permuteOutput(func::ReturnOp op, unsigned result,
                          ArrayRef<unsigned> order) {
  auto function = op->getParentOfType<func::FuncOp>();
  SmallVector<int64_t> places(order.size());
  for (auto [now, before] : llvm::enumerate(order))
    places[before] = now;
  auto seen = function.getResultAttrOfType<DenseI64ArrayAttr>(result,
                                                              kOrderAttrName);
  SmallVector<int64_t> moved = llvm::map_to_vector(
      seen.asArrayRef(), [&](int64_t dim) { return places[dim]; });
  function.setResultAttr(result, kOrderAttrName,
                         DenseI64ArrayAttr::get(op.getContext(), moved));
}

static void permuteReads(Value tensor, ArrayRef<unsigned> order,
                         CarriedTensors &carried) {
  bool hasCaller = isSeen(tensor, carried);
  for (OpOperand &use : tensor.getUses()) {
    if (auto op = dyn_cast<func::ReturnOp>(use.getOwner())) {
      updateType(op->getParentOfType<func::FuncOp>());
      BlockArgument argument = carried.getReader(use);
      if (argument && hasCaller)
        layArgument(argument, order);
      else if (argument)
        permuteArgument(argument, order, carried);
      else
        permuteOutput(op, use.getOperandNumber(), order);
      continue;
    }
    if (auto load = dyn_cast<LoadOp>(use.getOwner())) {
      load.setMapAttr(permuteExprs(load.getMap(), order));
      continue;
    }
    auto op = cast<ContractOp>(use.getOwner());
    if (&use == &op.getLhsMutable())
      op.setLhsIndicesAttr(permuteExprs(op.getLhsIndices(), order));
    else
      op.setRhsIndicesAttr(permuteExprs(op.getRhsIndices(), order));
  }
}

void loop::permuteResults(Operation *nest, LastDims last,
                          CarriedTensors &carried) {
  MLIRContext *context = nest->getContext();
  auto type = cast<RankedTensorType>(nest->getResult(0).getType());
  unsigned rank = type.getRank();
  SmallVector<unsigned> order = getOrder(rank, last);
  if (auto op = dyn_cast<PointwiseOp>(nest)) {
    op.setExtentsAttr(permuteExprs(op.getExtents(), order));
    permuteArguments(op.getBody(), 0, order);
  } else if (auto op = dyn_cast<ReduceOp>(nest)) {
    op.setParallelExtentsAttr(permuteExprs(op.getParallelExtents(), order));
    permuteArguments(op.getBody(), 0, order);
  } else {
    auto contract = cast<ContractOp>(nest);
    renameDims(contract,
               rename(context, contract.getDomain().rank(), 0, order));
    contract.setParallelExtentsAttr(
        permuteExprs(contract.getParallelExtents(), order));
    permuteArguments(contract.getEpilogue(), 1, order);
  }
  for (Value result : nest->getResults()) {
    result.setType(permute(cast<RankedTensorType>(result.getType()), order));
    permuteReads(result, order, carried);
  }
}

void loop::permuteReduction(ContractOp op, unsigned last) {
  Domain domain = op.getDomain();
  SmallVector<unsigned> order = getOrder(domain.reduction.size(), last);
  renameDims(op, rename(op.getContext(), domain.rank(), domain.parallel.size(),
                        order));
  op.setReductionExtentsAttr(permuteExprs(op.getReductionExtents(), order));
}

void loop::permuteReduction(ReduceOp op, unsigned last) {
  SmallVector<unsigned> order = getOrder(op.getReductionExtents().size(), last);
  permuteArguments(op.getBody(), op.getParallelExtents().size(), order);
  op.setReductionExtentsAttr(permuteExprs(op.getReductionExtents(), order));
}

void loop::reverseReduction(ContractOp op, unsigned number) {
  Domain domain = op.getDomain();
  SmallVector<ExprAttr> names =
      getIdentityMap(op.getContext(), domain.rank());
  ExprAttr &name = names[domain.parallel.size() + number];
  name = domain.reduction[number] - name + -1;
  renameDims(op, names);
}
