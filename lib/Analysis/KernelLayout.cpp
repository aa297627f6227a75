//===- KernelLayout.cpp - Where the tensors of a kernel lie ---------------===//
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

#include "kiln/Analysis/KernelLayout.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::KernelOp;

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// The attribute that states the strides of an argument, or of a part of
/// another tensor, if there is one.
static guard::ShapeAttr getStatedStrides(Value tensor) {
  if (auto [whole, number] = loop::AssembleOp::find(tensor); whole)
    return whole.getPartStrides(number);
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return {};
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  return function.getArgAttrOfType<guard::ShapeAttr>(argument.getArgNumber(),
                                                     loop::kStridesAttrName);
}

FailureOr<KernelStrides> analysis::getInputStrides(KernelOp kernel) {
  auto checkSizes = [&](Value tensor) -> LogicalResult {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (guard::getDims(type))
      return success();
    return kernel.emitOpError() << "has a tensor of type " << type
                                << ", expected a '#guard.shape' that names its "
                                   "dynamic dimensions";
  };
  KernelStrides strides;
  for (Value input : kernel.getInputs()) {
    if (failed(checkSizes(input)))
      return failure();
    auto dims = guard::getDims(cast<RankedTensorType>(input.getType()));
    guard::ShapeAttr stated = getStatedStrides(input);
    if (stated && stated.size() != dims->size())
      return kernel.emitOpError()
             << "reads an argument with " << stated.size()
             << " strides, expected " << dims->size();
    strides.push_back(
        stated ? llvm::to_vector(stated.getDims())
               : guard::getContiguousStrides(kernel.getContext(), *dims));
  }
  for (loop::NestOpInterface nest : kernel.getNests())
    for (Value result : nest->getResults())
      if (failed(checkSizes(result)))
        return failure();
  return strides;
}

KernelLayout analysis::getLayout(KernelOp kernel,
                                 const KernelStrides &inputStrides) {
  KernelLayout layout;
  MLIRContext *context = kernel.getContext();
  Block &body = kernel.getBody().front();
  for (auto [argument, strides] :
       llvm::zip_equal(body.getArguments(), inputStrides))
    layout[argument] = strides;
  for (Value result : body.getTerminator()->getOperands())
    layout.try_emplace(result, getStoredStrides(result));
  unsigned shared = kernel.getShared().size();
  for (loop::NestOpInterface nest : kernel.getNests()) {
    for (Value result : nest->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (type.getRank() == int64_t(shared) || layout.count(result))
        continue;
      // A row of scratch is addressed by the nest's own dimensions.
      SmallVector<ExprAttr> dims = *guard::getDims(type);
      dims.erase(dims.begin(), dims.begin() + shared);
      SmallVector<ExprAttr> strides(shared, guard::getConstant(context, 0));
      llvm::append_range(strides, guard::getContiguousStrides(context, dims));
      layout[result] = strides;
    }
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Dimensions that are walked as one
//===----------------------------------------------------------------------===//

namespace {
/// Where a nest reads or writes, over its dims.
struct Place {
  SmallVector<ExprAttr> indices;
  ArrayRef<ExprAttr> strides;
};

/// All accesses of a nest, and the indices that are used in other ways.
struct NestAccesses {
  SmallVector<ExprAttr> extents;
  SmallVector<Place> accesses;
  SmallVector<ExprAttr> otherUses;
};
} // namespace

/// Adds the accesses of a body whose arguments behind the first `leading` are
/// the indices of its nest.
static void collectAccesses(Block &body, unsigned leading,
                            const KernelLayout &layout, NestAccesses &found) {
  MLIRContext *context = body.getParentOp()->getContext();
  llvm::DenseMap<Value, ExprAttr> exprs;
  unsigned opaque = found.extents.size();
  auto exprOf = [&](Value index) {
    auto [it, inserted] = exprs.try_emplace(index, ExprAttr());
    if (inserted)
      it->second = guard::getDim(context, opaque++);
    return it->second;
  };
  for (auto [k, argument] :
       llvm::enumerate(body.getArguments().drop_front(leading)))
    exprs[argument] = guard::getDim(context, k);
  for (Operation &op : body) {
    auto compose = [&](ValueRange operands) {
      SmallVector<ExprAttr> dims;
      for (Value operand : operands)
        dims.push_back(exprOf(operand));
      return dims;
    };
    if (auto load = dyn_cast<loop::LoadOp>(op)) {
      auto known = layout.find(load.getTensor());
      SmallVector<ExprAttr> dims = compose(load.getIndices());
      if (known == layout.end())
        continue; // one value per point: read at its own point only
      Place access{{}, known->second};
      for (ExprAttr expr : loop::getExprs(load.getMap()))
        access.indices.push_back(guard::substituteDims(expr, dims));
      found.accesses.push_back(std::move(access));
      continue;
    }
    if (auto index = dyn_cast<loop::IndexOp>(op)) {
      SmallVector<ExprAttr> dims = compose(index.getIndices());
      exprs[index.getResult()] = guard::substituteDims(index.getExpr(), dims);
      continue;
    }
    for (Value operand : op.getOperands())
      if (ExprAttr expr = exprs.lookup(operand))
        found.otherUses.push_back(expr);
  }
}

static NestAccesses collectAccesses(loop::NestOpInterface nest,
                                    const KernelLayout &layout) {
  NestAccesses found;
  found.extents = nest.getDomain().all();
  collectAccesses(nest->getRegion(0).front(), /*leading=*/0, layout, found);
  for (Value result : nest->getResults()) {
    auto known = layout.find(result);
    if (known != layout.end())
      found.accesses.push_back({nest.getResultMap(), known->second});
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
  for (const Place &access : nest.accesses) {
    ExprAttr address = analysis::linearize(context, access.indices,
                                           access.strides, assumptions);
    auto outerStep = guard::getCoefficient(address, outer);
    auto innerStep = guard::getCoefficient(address, inner);
    if (!outerStep || !innerStep || *outerStep != *innerStep * extent)
      return false;
  }
  return true;
}

SmallVector<ExprAttr> analysis::collapseDims(
    KernelOp kernel, const KernelLayout &layout, SmallVector<ExprAttr> extents,
    llvm::function_ref<SmallVector<unsigned>(loop::NestOpInterface nest)>
        getDims) {
  if (extents.size() < 2)
    return extents;
  std::vector<std::pair<NestAccesses, SmallVector<unsigned>>> nests;
  for (loop::NestOpInterface nest : kernel.getNests())
    nests.emplace_back(collectAccesses(nest, layout), getDims(nest));
  unsigned tail = extents.size() - 1;
  for (unsigned k = tail; k-- > 0;) {
    bool collapses = llvm::all_of(nests, [&](const auto &nest) {
      const auto &[accesses, dims] = nest;
      return walksAsOne(accesses, dims[k], dims[tail], extents[tail]);
    });
    if (!collapses) {
      tail = k;
      continue;
    }
    extents[tail] = extents[tail] * extents[k];
    extents[k] = guard::getConstant(kernel.getContext(), 1);
  }
  return extents;
}

SmallVector<ExprAttr> analysis::collapseShared(KernelOp kernel,
                                               const KernelLayout &layout) {
  SmallVector<ExprAttr> extents = loop::getExprs(kernel.getShared());
  SmallVector<unsigned> dims =
      llvm::to_vector(llvm::seq<unsigned>(extents.size()));
  return collapseDims(kernel, layout, extents,
                      [&](loop::NestOpInterface) { return dims; });
}

/// The dense layout of all tensors that `nest` reads and makes.
static KernelLayout getDenseLayout(loop::NestOpInterface nest) {
  KernelLayout dense;
  auto add = [&](Value tensor) {
    auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
    if (dims)
      dense.try_emplace(tensor,
                        guard::getContiguousStrides(nest->getContext(), *dims));
  };
  nest->walk([&](loop::LoadOp load) { add(load.getTensor()); });
  llvm::for_each(nest->getResults(), add);
  return dense;
}

SmallVector<ExprAttr> analysis::collapseReduced(loop::NestOpInterface nest,
                                                const KernelLayout *layout,
                                                bool inDense) {
  loop::Domain domain = nest.getDomain();
  SmallVector<ExprAttr> extents = domain.all();
  if (domain.reduction.size() < 2 || !nest.isReduction() ||
      nest->getNumRegions() == 0)
    return extents;
  // Where the kernel puts a tensor must not change the order of a sum.
  SmallVector<NestAccesses, 2> views;
  KernelLayout dense;
  if (inDense) {
    dense = getDenseLayout(nest);
    views.push_back(collectAccesses(nest, dense));
  }
  if (layout)
    views.push_back(collectAccesses(nest, *layout));
  unsigned first = domain.parallel.size(), tail = extents.size() - 1;
  for (unsigned k = tail; k-- > first;) {
    bool collapses =
        !extents[k].isConstant(1) && !extents[tail].isConstant(1) &&
        llvm::all_of(views, [&](const NestAccesses &view) {
          return walksAsOne(view, k, tail, extents[tail]);
        });
    if (!collapses) {
      tail = k;
      continue;
    }
    extents[tail] = extents[tail] * extents[k];
    extents[k] = guard::getConstant(nest->getContext(), 1);
  }
  return extents;
}

unsigned analysis::getLaneDim(ArrayRef<ExprAttr> sharedExtents) {
  for (unsigned k = sharedExtents.size(); k-- > 0;)
    if (!sharedExtents[k].isConstant(1))
      return k;
  return sharedExtents.size() - 1;
}

bool analysis::epilogueWalksAsOne(loop::ContractOp op, ArrayRef<unsigned> dims,
                                  const KernelLayout &layout) {
  NestAccesses found;
  found.extents = loop::getExprs(op.getParallelExtents());
  collectAccesses(op.getEpilogue().front(), /*leading=*/1, layout, found);
  unsigned tail = dims.back();
  ExprAttr extent = found.extents[tail];
  for (unsigned k : llvm::reverse(dims.drop_back())) {
    if (!walksAsOne(found, k, tail, extent))
      return false;
    extent = extent * found.extents[k];
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reads across memory
//===----------------------------------------------------------------------===//

SmallVector<TransposedRead>
analysis::getTransposedReads(KernelOp kernel, const KernelLayout &layout) {
  SmallVector<TransposedRead> reads;
  if (kernel.getShared().size() < 2)
    return reads;
  unsigned last = kernel.getShared().size() - 1;
  for (loop::NestOpInterface nest : kernel.getNests()) {
    loop::Domain domain = nest.getDomain();
    guard::Assumptions assumptions;
    addExtents(assumptions, kernel.getContext(), domain.all());
    for (const Access &access : getReads(nest)) {
      auto known = layout.find(access.tensor);
      if (known == layout.end() || access.indirect || access.masked)
        continue;
      ExprAttr address = linearize(kernel.getContext(), access.map,
                                   known->second, assumptions);
      Stride across = getStride(address, last);
      if (across.isZero() || across.isOne() ||
          across.kind == Stride::Kind::Irregular)
        continue;
      for (unsigned dim = 0; dim < last; ++dim)
        if (getStride(address, dim).isOne())
          reads.push_back({access.load, access.tensor, address, dim});
    }
  }
  return reads;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

bool analysis::mayTrap(Operation *code) {
  return code
      ->walk([](Operation *op) {
        return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                   arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                   arith::CeilDivUIOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
