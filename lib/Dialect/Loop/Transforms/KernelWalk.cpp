//===- KernelWalk.cpp - Which way a kernel is walked ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"
#include "ImageWindows.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// Elements of a row from which on lanes along it pay.
static constexpr int64_t kShortRow = 8;
/// Cost of a step from which on it takes longer than gathering its elements.
static constexpr int64_t kLongStep = 16;

/// Strides of a tensor that a nest reads, in a kernel or before it is in one: an argument
/// lies in memory as its caller has it. None where sizes have no names.
static SmallVector<ExprAttr> getReadStrides(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
      tensor = kernel.getInputs()[argument.getArgNumber()];
  return getStrides(tensor);
}

/// True if an index of `access` that is computed may change along dimension `dim`.
static bool isComputedAlong(const analysis::Access &access,
                            NestOpInterface nest, unsigned dim) {
  if (!access.indirect)
    return false;
  for (BlockArgument index : LoadOp(access.load)->getBlock()->getArguments())
    if (nest.getDimensionOf(index) == dim)
      return llvm::any_of(access.computed, [&](Value value) {
        return dependsOnIndex(value, index);
      });
  return true;
}

/// An index without the limits that it has beyond an edge, as that of an image whose border
/// is repeated: how it moves elsewhere.
static ExprAttr getUnlimited(ExprAttr index) {
  if (index.getKind() != guard::ExprKind::Min &&
      index.getKind() != guard::ExprKind::Max)
    return index;
  ExprAttr moving;
  for (ExprAttr operand : index.getOperands()) {
    if (!guard::hasDims(operand))
      continue;
    if (moving)
      return index;
    moving = operand;
  }
  return moving ? getUnlimited(moving) : index;
}

/// How `access` moves along dimension `dim` of a nest: one that is indirect, as that of the
/// rows of a table, along the others.
static analysis::Stride getStride(const analysis::Access &access,
                                  NestOpInterface nest, unsigned dim,
                                  const analysis::SizeHints &hints) {
  MLIRContext *context = access.tensor.getContext();
  SmallVector<ExprAttr> strides = getReadStrides(access.tensor);
  if (strides.size() != access.map.size() ||
      isComputedAlong(access, nest, dim))
    return {};
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, nest.getDomain().all());
  SmallVector<ExprAttr> map(access.map);
  // The lanes of a processor are apart at the edges of a row.
  if (!getGPUTarget(nest))
    llvm::transform(map, map.begin(), getUnlimited);
  return analysis::getStride(
      analysis::linearize(context, map, strides, assumptions), dim);
}

/// The last dimension of [begin, end) whose extent is not 1.
static std::optional<unsigned> getInnermost(ArrayRef<ExprAttr> extents,
                                            unsigned begin, unsigned end) {
  while (end-- > begin)
    if (!extents[end].isConstant(1))
      return end;
  return std::nullopt;
}

namespace {
/// Bytes that a reduction reads along its rows, and from rows side by side.
struct Reach {
  int64_t along = 0, across = 0;
};
} // namespace

static Reach getReach(NestOpInterface nest, const analysis::SizeHints &hints,
                      bool joinsReduced) {
  Reach reach;
  Domain domain = nest.getDomain();
  SmallVector<ExprAttr> extents =
      joinsReduced ? analysis::collapseReduced(nest, nullptr) : domain.all();
  auto last = getInnermost(extents, 0, domain.parallel.size());
  auto inner = getInnermost(extents, domain.parallel.size(), extents.size());
  for (const analysis::Access &access : analysis::getReads(nest)) {
    int64_t bytes = analysis::getFootprint(access, domain, hints);
    bool isAlong = inner && getStride(access, nest, *inner, hints).isOne();
    bool isAcross = last && getStride(access, nest, *last, hints).isOne();
    // Windows and other rows that are too short for a vector.
    if (isAlong && last) {
      int64_t length = hints.evaluate(extents[*inner]);
      if (length < kShortRow && length < hints.evaluate(extents[*last])) {
        isAlong = false;
        isAcross = true;
      }
    }
    reach.along += isAlong ? bytes : 0;
    reach.across += !isAlong && isAcross ? bytes : 0;
  }
  return reach;
}

bool loop::readsAcross(NestOpInterface nest, const analysis::SizeHints &hints,
                       bool joinsReduced) {
  Reach reach = getReach(nest, hints, joinsReduced);
  return reach.across > reach.along;
}

Walk loop::getWalk(KernelOp kernel, const analysis::SizeHints &hints,
                   bool joinsReduced) {
  Reach total;
  bool reduces = false, transposes = false, rows = false;
  unsigned shared = kernel.getShared().size();
  for (NestOpInterface nest : kernel.getNests()) {
    // Its scratch is a row, or it sums up rows one after the other.
    if (nest.holdsRow() || getRowParts(kernel, nest))
      return Walk::Within;
    Domain domain = nest.getDomain();
    SmallVector<ExprAttr> extents = domain.all();
    rows |= domain.parallel.size() > shared &&
            getInnermost(extents, shared, domain.parallel.size());
    if (isa<AccumulationOpInterface>(nest.getOperation())) {
      reduces = true;
      Reach reach = getReach(nest, hints, joinsReduced);
      total.along += reach.along;
      total.across += reach.across;
      continue;
    }
    auto last = getInnermost(extents, 0, domain.parallel.size());
    if (!last)
      continue;
    for (const analysis::Access &access : analysis::getReads(nest)) {
      analysis::Stride stride = getStride(access, nest, *last, hints);
      if (!stride.isOne() && !stride.isZero())
        for (unsigned d = 0; d < *last; ++d)
          transposes |= getStride(access, nest, d, hints).isOne();
    }
  }
  if (reduces)
    return total.across > total.along ? Walk::Across : Walk::Within;
  if (rows)
    return Walk::Within;
  return transposes ? Walk::Tiled : Walk::Across;
}

bool loop::waitsAlongRows(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<ScanOp>(), [](ScanOp scan) {
    return !scan.getCombiner().empty() &&
           analysis::getCost(scan.getCombiner()) >= kLongStep;
  });
}

/// True if the mask of a load depends on dimension `dim` of its nest.
static bool isMaskedAlong(LoadOp load, NestOpInterface nest, unsigned dim) {
  return load && load.getMask() &&
         llvm::any_of(load->getBlock()->getArguments(), [&](BlockArgument index) {
           return nest.getDimensionOf(index) == dim &&
                  dependsOnIndex(load.getMask(), index);
         });
}

bool loop::readsVectors(NestOpInterface nest, unsigned dim,
                        const analysis::SizeHints &hints, Value except) {
  if (auto op = dyn_cast<ContractOp>(nest.getOperation()))
    if (llvm::any_of(getExprs(op.getMasks()),
                     [&](ExprAttr mask) { return mentions(mask, dim); }))
      return false;
  return llvm::all_of(
      analysis::getReads(nest), [&](const analysis::Access &read) {
        Operation *made = read.tensor.getDefiningOp();
        if (read.tensor == except ||
            (made && isa<KernelOp>(made->getParentOp())))
          return true;
        analysis::Stride stride = getStride(read, nest, dim, hints);
        return (stride.isZero() || stride.isOne()) &&
               !isMaskedAlong(read.load, nest, dim);
      });
}

bool loop::readsTransposed(NestOpInterface nest, unsigned dim,
                           const analysis::SizeHints &hints) {
  SmallVector<ExprAttr> extents = nest.getDomain().parallel;
  auto last = getInnermost(extents, dim + 1, extents.size());
  return last &&
         llvm::any_of(analysis::getReads(nest), [&](const analysis::Access &read) {
           analysis::Stride across = getStride(read, nest, *last, hints);
           return getStride(read, nest, dim, hints).isOne() &&
                  !across.isZero() && !across.isOne();
         });
}

std::optional<int64_t> loop::countTaps(const Domain &domain) {
  constexpr int64_t kMostTaps = 16, kMostElements = 128;
  int64_t elements = 1;
  for (ExprAttr extent : domain.reduction) {
    auto taps = extent.getConstant();
    if (!taps || *taps > kMostTaps)
      return std::nullopt;
    elements *= std::max<int64_t>(*taps, 1);
    if (elements > kMostElements)
      return std::nullopt;
  }
  return elements;
}

bool loop::hasWindows(KernelOp kernel, unsigned shared) {
  bool found = false;
  for (NestOpInterface nest : kernel.getNests()) {
    Domain domain = nest.getDomain();
    auto elements = countTaps(domain);
    if (domain.parallel.size() != shared || !elements)
      return false;
    found |= nest.isReduction() && *elements > 1;
  }
  return found;
}

bool loop::sharesValues(KernelOp kernel, unsigned shared, unsigned beside) {
  constexpr int64_t kLeast = 16; // what is worth walking several rows of memory at a time
  int64_t alike = 0, own = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    if (!nest.isPointwise() || nest.getDomain().rank() != shared)
      return false;
    Block &block = nest->getRegion(0).front();
    llvm::DenseSet<Value> moving = getDependent(block.getArgument(beside));
    for (Operation &op : block.without_terminator())
      (moving.contains(op.getResult(0)) ? own : alike) += analysis::getCost(&op);
  }
  return alike >= kLeast && 2 * alike >= own;
}

/// Whether half of the places of one point's window, or more, are those of its neighbour in
/// dimension `beside`, at other steps in a reduced dimension.
static bool overlaps(ExprAttr index, const Domain &domain, unsigned beside) {
  MLIRContext *context = index.getContext();
  auto getStep = [&](unsigned dim) {
    auto step = guard::getCoefficient(index, guard::getDim(context, dim));
    return step ? step->getConstant().value_or(0) : 0;
  };
  int64_t apart = getStep(beside);
  SmallVector<ExprAttr> extents = domain.all();
  for (unsigned k = domain.parallel.size(); apart > 0 && k < extents.size();
       ++k)
    if (int64_t step = getStep(k);
        step > 0 && apart % step == 0 &&
        2 * (apart / step) <= extents[k].getConstant().value_or(1))
      return true;
  return false;
}

bool loop::sharesWindow(NestOpInterface nest, unsigned beside) {
  return llvm::any_of(
      analysis::getReads(nest), [&](const analysis::Access &read) {
        return !read.indirect && llvm::any_of(read.map, [&](ExprAttr index) {
          return overlaps(index, nest.getDomain(), beside);
        });
      });
}

bool loop::sharesWindows(KernelOp kernel, unsigned shared, unsigned beside,
                         unsigned along) {
  if (!hasWindows(kernel, shared))
    return false;
  bool found = false;
  for (NestOpInterface nest : kernel.getNests()) {
    if (auto op = dyn_cast<ContractOp>(nest.getOperation()))
      for (ExprAttr mask : getExprs(op.getMasks()))
        if (mentions(mask, along))
          return false;
    for (const analysis::Access &read : analysis::getReads(nest))
      if (isMaskedAlong(read.load, nest, along))
        return false;
    found |= sharesWindow(nest, beside);
  }
  return found;
}

int64_t loop::countStreams(KernelOp kernel) {
  SmallVector<ExprAttr> extents = getExprs(kernel.getShared());
  unsigned last = extents.empty() ? 0 : analysis::getLaneDim(extents);
  if (last == 0)
    return 0;
  unsigned beside = analysis::getLaneDim(ArrayRef(extents).take_front(last));
  llvm::SmallDenseSet<Value> streams;
  bool areAlike = false;
  for (NestOpInterface nest : kernel.getNests()) {
    if (!nest.isPointwise() || nest.getDomain().rank() != extents.size())
      return 0;
    for (const analysis::Access &read : analysis::getReads(nest)) {
      if (read.indirect || read.masked)
        return 0;
      if (!isa<BlockArgument>(read.tensor))
        continue; // registers have it
      auto moves = [&](unsigned dim) {
        return llvm::any_of(read.map, [&](ExprAttr index) {
          return mentions(index, dim);
        });
      };
      if (moves(beside))
        streams.insert(read.tensor);
      else
        areAlike |= moves(last);
    }
  }
  return areAlike ? streams.size() : 0;
}
