//===- ScatterEmitter.cpp - Writing at computed positions -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "kiln/Conversion/LoopToScf/Nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Copies the initial values and then visits the domain in order. One work
/// item: the order of writes to one position is part of the meaning.
LogicalResult KernelEmitter::emitScatter(ScatterOp op) {
  work = guard::getConstant(context, 1);
  Buffer init = buffers.lookup(op.getInit());
  Buffer target = buffers.lookup(op.getResult());
  if (!init.pointer || !target.pointer)
    return op.emitOpError(
        "must start from an input of its kernel and leave it");

  auto item = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(item.getBody()->getTerminator());

  auto type = cast<RankedTensorType>(op.getResult().getType());
  Position elements;
  elements.extents = *guard::getDims(type);
  elements.dims.resize(type.getRank());
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  Type element = getBodyType(type.getElementType());
  unsigned bits = std::max(8u, element.getIntOrFloatBitWidth());
  int64_t lanes = elements.extents.empty()
                      ? 1
                      : lanesFor(elements.extents.back(),
                                 options.vectorBits / bits);
  SmallVector<ExprAttr> identity = getIdentityMap(context, type.getRank());
  auto copy = [&](const Position &position) {
    Value value =
        load(init, linearAddress(init, identity), position, {}, {}, {});
    store(target, linearAddress(target, identity), position, value);
    return success();
  };
  if (failed(emitLoops(elements, dims, lanes, copy)))
    return failure();

  Position domain;
  domain.extents = getDomain(op).all();
  domain.dims.resize(domain.extents.size());
  dims = llvm::to_vector(llvm::seq<unsigned>(0, domain.extents.size()));
  return emitLoops(domain, dims, 1, [&](const Position &position) {
    BodyEmitter body(*this, position);
    Block &block = op.getBody().front();
    if (failed(body.emit(block)))
      return failure();
    auto yield = cast<YieldAtOp>(block.getTerminator());
    SmallVector<ExprAttr> indices;
    for (Value index : yield.getPosition())
      indices.push_back(body.getExpr(index));
    Value value = body.get(yield.getValue());
    OpBuilder::InsertionGuard inner(b);
    if (Value condition = yield.getCondition()) {
      auto branch = scf::IfOp::create(b, body.get(condition),
                                      /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    const Position &at = body.getPosition();
    ExprAttr address = linearAddress(target, indices);
    if (op.getKind() != ScatterKind::Set)
      value = combineScattered(b, op.getKind(),
                               load(target, address, at, {}, {}, {}), value,
                               target.elementType);
    store(target, address, at, value);
    return success();
  });
}
