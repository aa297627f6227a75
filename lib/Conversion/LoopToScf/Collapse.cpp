//===- Collapse.cpp - Dimensions that are walked as one -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two neighbouring dimensions k and t collapse when every access advances by
// as much for one step of k as for extent(t) steps of t. The collapsed index is
// then kept in place t with the product of the extents, and k gets the extent
// 1: an address a*k + b*t needs no rewriting, because k is 0.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

namespace {
/// Addresses of all accesses of a nest as expressions over its dims, and the
/// indices that are used in other ways.
struct NestAccesses {
  SmallVector<ExprAttr> addresses;
  SmallVector<ExprAttr> otherUses;
};
} // namespace

static NestAccesses
collectAccesses(Operation *nest,
                const llvm::DenseMap<Value, Buffer> &buffers) {
  NestAccesses accesses;
  MLIRContext *context = nest->getContext();
  SmallVector<ExprAttr> extents = getDomain(nest).all();
  unsigned rank = extents.size();
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, context, extents);
  auto linearize = [&](const Buffer &buffer, ArrayRef<ExprAttr> indices) {
    accesses.addresses.push_back(
        analysis::linearize(context, indices, buffer.strides, assumptions));
  };

  llvm::DenseMap<Value, ExprAttr> exprs;
  unsigned opaque = rank;
  auto exprOf = [&](Value index) {
    auto [it, inserted] = exprs.try_emplace(index, ExprAttr());
    if (inserted)
      it->second = guard::getDim(context, opaque++);
    return it->second;
  };
  Block &body = nest->getRegion(0).front();
  for (auto [k, argument] : llvm::enumerate(body.getArguments()))
    exprs[argument] = guard::getDim(context, k);
  for (Operation &op : body) {
    auto compose = [&](ValueRange operands) {
      SmallVector<ExprAttr> dims;
      for (Value operand : operands)
        dims.push_back(exprOf(operand));
      return dims;
    };
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto buffer = buffers.find(load.getTensor());
      SmallVector<ExprAttr> dims = compose(load.getIndices());
      if (buffer == buffers.end())
        continue; // one value per point: read at its own point only
      SmallVector<ExprAttr> indices;
      for (ExprAttr expr : getExprs(load.getMap()))
        indices.push_back(guard::substituteDims(expr, dims));
      linearize(buffer->second, indices);
      continue;
    }
    if (auto index = dyn_cast<IndexOp>(op)) {
      SmallVector<ExprAttr> dims = compose(index.getIndices());
      exprs[index.getResult()] = guard::substituteDims(index.getExpr(), dims);
      continue;
    }
    for (Value operand : op.getOperands())
      if (ExprAttr expr = exprs.lookup(operand))
        accesses.otherUses.push_back(expr);
  }
  for (Value result : nest->getResults()) {
    auto buffer = buffers.find(result);
    if (buffer != buffers.end())
      linearize(buffer->second, getResultMap(nest));
  }
  return accesses;
}

/// True if one step of dim `k` is `extent` steps of dim `t` for every access.
static bool walksAsOne(const NestAccesses &accesses, unsigned k, unsigned t,
                       ExprAttr extent) {
  MLIRContext *context = extent.getContext();
  ExprAttr outer = guard::getDim(context, k), inner = guard::getDim(context, t);
  for (ExprAttr use : accesses.otherUses)
    if (guard::contains(use, outer) || guard::contains(use, inner))
      return false;
  for (ExprAttr address : accesses.addresses) {
    auto outerStep = guard::getCoefficient(address, outer);
    auto innerStep = guard::getCoefficient(address, inner);
    if (!outerStep || !innerStep || *outerStep != *innerStep * extent)
      return false;
  }
  return true;
}

void KernelEmitter::collapseShared(SmallVectorImpl<ExprAttr> &extents) {
  if (extents.size() < 2)
    return;
  SmallVector<NestAccesses> nests;
  for (Operation &op : kernel.getBody().front())
    if (isNest(&op))
      nests.push_back(collectAccesses(&op, buffers));
  unsigned tail = extents.size() - 1;
  for (unsigned k = tail; k-- > 0;) {
    bool collapses = llvm::all_of(nests, [&](const NestAccesses &nest) {
      return walksAsOne(nest, k, tail, extents[tail]);
    });
    if (!collapses) {
      tail = k;
      continue;
    }
    extents[tail] = extents[tail] * extents[k];
    extents[k] = guard::getConstant(context, 1);
  }
}
