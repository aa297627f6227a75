//===- ColumnSums.cpp - Sums over rows, and how these are cut -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"

#include "Bodies.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Interfaces/SumMark.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

bool loop::readsRow(const analysis::Access &access, const Domain &domain) {
  bool isOwn = access.map.size() >= domain.reduction.size();
  for (unsigned k = 0; isOwn && k < domain.reduction.size(); ++k)
    isOwn = access.map[k].isDim() &&
            access.map[k].getPosition() == domain.parallel.size() + k;
  auto type = cast<RankedTensorType>(access.tensor.getType());
  if (isOwn || !type.hasStaticShape())
    return isOwn;
  MLIRContext *context = type.getContext();
  SmallVector<int64_t> extents;
  SmallVector<ExprAttr> point;
  for (auto [k, extent] : llvm::enumerate(domain.reduction)) {
    extents.push_back(extent.getConstant().value_or(0));
    point.push_back(guard::getDim(context, domain.parallel.size() + k));
  }
  auto rows = guard::product(context, domain.reduction).getConstant();
  auto count = rows ? countRowDims(type.getShape(), *rows) : std::nullopt;
  if (!count)
    return false;
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, context, domain.all());
  auto number = [&](ArrayRef<ExprAttr> at, ArrayRef<int64_t> sizes) {
    return guard::simplify(getPointNumber(context, at, sizes), assumptions);
  };
  return number(ArrayRef(access.map).take_front(*count),
                type.getShape().take_front(*count)) == number(point, extents);
}

RowParts loop::makeParts(ArrayRef<ExprAttr> extents, unsigned dim,
                         int64_t size) {
  MLIRContext *context = extents[0].getContext();
  RowParts parts;
  parts.dim = dim;
  parts.size = size;
  parts.outer = llvm::to_vector(extents.take_front(dim));
  parts.outer.push_back(
      guard::getConstant(context, *extents[dim].getConstant() / size));
  parts.rows = {guard::getConstant(context, size)};
  llvm::append_range(parts.rows, extents.drop_front(dim + 1));
  return parts;
}

std::optional<RowParts> loop::cutInto(int64_t blocks,
                                      ArrayRef<ExprAttr> extents) {
  auto all = guard::product(extents[0].getContext(), extents).getConstant();
  if (!all || *all < 1)
    return std::nullopt;
  int64_t before = *all; // points of the dimensions up to this one
  for (unsigned dim = extents.size(); dim-- > 0;) {
    int64_t extent = *extents[dim].getConstant();
    for (int64_t size = 2; size <= extent; ++size) {
      int64_t parts = before / size;
      if (extent % size != 0 || parts > blocks)
        continue;
      if (3 * parts < 2 * blocks)
        return std::nullopt;
      return makeParts(extents, dim, size);
    }
    before /= extent;
  }
  return std::nullopt;
}

llvm::SetVector<Operation *> loop::getKernelsOf(KernelOp columns,
                                                ValueRange tensors) {
  llvm::SetVector<Operation *> kernels;
  for (Value tensor : tensors) {
    if (auto kernel = tensor.getDefiningOp<KernelOp>())
      kernels.insert(kernel);
    for (Operation *user : tensor.getUsers())
      if (isa<KernelOp>(user) && user != columns.getOperation() &&
          user->getBlock() == columns->getBlock())
        kernels.insert(user);
  }
  return kernels;
}

void loop::reshapeRows(ReduceOp sum, ArrayRef<ExprAttr> rows) {
  MLIRContext *context = sum.getContext();
  Domain domain = sum.getDomain();
  OpBuilder builder(sum);
  auto made = ReduceOp::create(builder, sum.getLoc(), sum->getResultTypes(),
                               domain.parallel, rows, getKinds(sum),
                               sum.getOriginsAttr());
  copySumMark(sum, made);
  Block &body = made.getBody().front();
  builder.setInsertionPointToStart(&body);
  unsigned parallel = domain.parallel.size();
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, context, rows);
  auto indices =
      llvm::to_vector_of<Value>(body.getArguments().take_front(parallel));
  for (ExprAttr index : analysis::reshapeIndices(
           context, getIdentityMap(context, rows.size()), rows,
           domain.reduction, assumptions))
    indices.push_back(createIndex(builder, sum.getLoc(), index,
                                  body.getArguments().drop_front(parallel)));
  YieldOp::create(builder, sum.getLoc(),
                  cloneBody(builder, sum.getBody().front(), indices));
  sum->replaceAllUsesWith(made->getResults());
  sum.erase();
}

KernelOp loop::withResults(KernelOp kernel, ValueRange made, TypeRange types,
                           Operation *further) {
  OpBuilder builder(kernel);
  SmallVector<StringRef> origins = getOrigins(kernel);
  mergeOrigins(origins, getOrigins(further));
  OperationState state(kernel.getLoc(), KernelOp::getOperationName());
  state.getOrAddProperties<KernelOp::Properties>() = kernel.getProperties();
  state.addOperands(kernel.getInputs());
  state.addTypes(types);
  state.addRegion();
  auto grown = cast<KernelOp>(builder.create(state));
  grown.setOriginsAttr(getOriginsAttr(kernel.getContext(), origins));
  grown.getBody().takeBody(kernel.getBody());
  auto returned = cast<ReturnOp>(grown.getBody().front().getTerminator());
  auto before = llvm::to_vector(returned.getValues());
  returned.getValuesMutable().assign(made);
  // What is a part of another tensor stays that.
  if (ArrayAttr strides = returned.getStridesAttr()) {
    SmallVector<Attribute> all;
    for (Value value : made) {
      auto *known = llvm::find(before, value);
      all.push_back(known == before.end() ? Attribute(builder.getUnitAttr())
                                          : strides[known - before.begin()]);
    }
    returned.setStridesAttr(builder.getArrayAttr(all));
  }
  return grown;
}

KernelOp loop::addResults(KernelOp kernel, ReduceOp made) {
  SmallVector<Value> values(
      kernel.getBody().front().getTerminator()->getOperands());
  llvm::append_range(values, made.getResults());
  SmallVector<Type> types(kernel.getResultTypes());
  llvm::append_range(types, made.getResultTypes());
  KernelOp grown = withResults(kernel, values, types, made);
  kernel->replaceAllUsesWith(
      grown->getResults().take_front(kernel.getNumResults()));
  kernel.erase();
  return grown;
}

Value loop::addInput(KernelOp kernel, Value input) {
  Block &body = kernel.getBody().front();
  auto known = llvm::find(kernel.getInputs(), input);
  if (known != kernel.getInputs().end())
    return body.getArgument(known - kernel.getInputs().begin());
  kernel.getInputsMutable().append(input);
  return body.addArgument(input.getType(), input.getLoc());
}

void loop::joinParts(ReduceOp sum, ArrayRef<ExprAttr> outer,
                     ValueRange tensors) {
  auto columns = sum->getParentOfType<KernelOp>();
  Domain domain = sum.getDomain();
  OpBuilder builder(sum);
  auto joined = ReduceOp::create(builder, sum.getLoc(), sum->getResultTypes(),
                                 domain.parallel, outer, getKinds(sum),
                                 sum.getOriginsAttr());
  Block &body = joined.getBody().front();
  builder.setInsertionPointToStart(&body);
  unsigned parallel = domain.parallel.size();
  auto indices =
      llvm::to_vector_of<Value>(body.getArguments().drop_front(parallel));
  llvm::append_range(indices, body.getArguments().take_front(parallel));
  SmallVector<Value> values;
  for (Value tensor : tensors) {
    columns.getInputsMutable().append(tensor);
    Value part =
        columns.getBody().addArgument(tensor.getType(), tensor.getLoc());
    values.push_back(LoadOp::create(builder, sum.getLoc(), part, indices));
  }
  YieldOp::create(builder, sum.getLoc(), values);
  sum->replaceAllUsesWith(joined->getResults());
  sum.erase();
}

std::pair<int64_t, int64_t>
loop::getMoved(KernelOp kernel, const analysis::SizeHints &hints) {
  int64_t read = 0, written = 0;
  for (Value input : kernel.getInputs())
    read += hints.getBytes(cast<RankedTensorType>(input.getType()));
  for (Type type : kernel.getResultTypes())
    written += hints.getBytes(cast<RankedTensorType>(type));
  return {read, written};
}

void loop::setMoved(KernelOp kernel, const analysis::SizeHints &hints,
                    int64_t unfused) {
  auto [read, written] = getMoved(kernel, hints);
  kernel.setTrafficAttr(TrafficAttr::get(kernel.getContext(), read, written,
                                         std::max(unfused, read + written)));
}
