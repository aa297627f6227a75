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
// 1: an address a*k + b*t needs no rewriting, because k is 0. It must have that
// form for every t and not only below extent(t): mod(t, 2) is t as long as t is
// 0 or 1, which the collapsed index is not.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

namespace {
/// Where a nest reads or writes, over its dims.
struct Access {
  SmallVector<ExprAttr> indices;
  ArrayRef<ExprAttr> strides;
};

/// All accesses of a nest, and the indices that are used in other ways.
struct NestAccesses {
  SmallVector<ExprAttr> extents;
  SmallVector<Access> accesses;
  SmallVector<ExprAttr> otherUses;
};
} // namespace

static NestAccesses
collectAccesses(Operation *nest,
                const llvm::DenseMap<Value, Buffer> &buffers) {
  NestAccesses found;
  MLIRContext *context = nest->getContext();
  found.extents = getDomain(nest).all();

  llvm::DenseMap<Value, ExprAttr> exprs;
  unsigned opaque = found.extents.size();
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
      Access access{{}, buffer->second.strides};
      for (ExprAttr expr : getExprs(load.getMap()))
        access.indices.push_back(guard::substituteDims(expr, dims));
      found.accesses.push_back(std::move(access));
      continue;
    }
    if (auto index = dyn_cast<IndexOp>(op)) {
      SmallVector<ExprAttr> dims = compose(index.getIndices());
      exprs[index.getResult()] = guard::substituteDims(index.getExpr(), dims);
      continue;
    }
    for (Value operand : op.getOperands())
      if (ExprAttr expr = exprs.lookup(operand))
        found.otherUses.push_back(expr);
  }
  for (Value result : nest->getResults()) {
    auto buffer = buffers.find(result);
    if (buffer != buffers.end())
      found.accesses.push_back(
          {SmallVector<ExprAttr>(getResultMap(nest)), buffer->second.strides});
  }
  return found;
}

/// True if one step of dim `k` is `extent` steps of dim `t` for every access.
static bool walksAsOne(const NestAccesses &nest, unsigned k, unsigned t,
                       ExprAttr extent) {
  MLIRContext *context = extent.getContext();
  ExprAttr outer = guard::getDim(context, k), inner = guard::getDim(context, t);
  for (ExprAttr use : nest.otherUses)
    if (guard::contains(use, outer) || guard::contains(use, inner))
      return false;
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, context, nest.extents);
  assumptions.extents.erase(inner);
  assumptions.setRange(inner, {0, guard::Interval::kMax});
  for (const Access &access : nest.accesses) {
    ExprAttr address = analysis::linearize(context, access.indices,
                                           access.strides, assumptions);
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
