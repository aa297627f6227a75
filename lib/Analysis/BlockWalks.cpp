//===- BlockWalks.cpp - Products and rows, walked several times -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/BlockWalks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::KernelOp;
using loop::LoadOp;
using loop::NestOpInterface;
using loop::ReduceOp;

/// Tensors of the kernel that a nest reads in its bodies.
static llvm::SmallSetVector<Value, 4> getInnerReads(NestOpInterface nest) {
  llvm::SmallSetVector<Value, 4> tensors;
  nest->walk([&](LoadOp load) {
    if (load.getTensor().getDefiningOp())
      tensors.insert(load.getTensor());
  });
  return tensors;
}

SmallVector<NestOpInterface>
BlockWalks::getNeeded(ArrayRef<Value> targets) const {
  llvm::SmallDenseSet<Operation *> wanted;
  for (Value target : targets)
    wanted.insert(target.getDefiningOp());
  SmallVector<NestOpInterface> needed;
  for (NestOpInterface nest : llvm::reverse(nests)) {
    if (!wanted.contains(nest))
      continue;
    needed.push_back(nest);
    for (Value tensor : getInnerReads(nest))
      if (!isOfRow(tensor))
        wanted.insert(tensor.getDefiningOp());
  }
  return llvm::to_vector(llvm::reverse(needed));
}

SmallVector<Value>
BlockWalks::getRowsRead(ArrayRef<NestOpInterface> needed) const {
  llvm::SmallSetVector<Value, 4> rows;
  for (NestOpInterface nest : needed)
    for (Value tensor : getInnerReads(nest))
      if (isOfRow(tensor))
        rows.insert(tensor);
  return rows.takeVector();
}

ExprAttr analysis::getPointAddress(const BlockProduct &product, unsigned k) {
  ArrayRef<std::optional<unsigned>> outer =
      ArrayRef(product.shared).drop_back();
  return guard::substitute(product.shape.addresses[k], [&](ExprAttr leaf) {
    if (!leaf.isDim())
      return leaf;
    for (auto [n, dim] : llvm::enumerate(outer))
      if (dim && *dim == leaf.getPosition())
        return guard::getDim(leaf.getContext(), n);
    return guard::getConstant(leaf.getContext(), 0);
  });
}

/// The kernel's input that operand `k`, in memory, is.
static Value getInput(const BlockProduct &product, unsigned k) {
  ContractOp op = product.op;
  bool isLeft = (k == 0) != product.shape.exchanged;
  auto argument = cast<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
  return op->getParentOfType<KernelOp>().getInputs()[argument.getArgNumber()];
}

bool BlockWalks::isFactor(const Sum &sum) const {
  unsigned k = sum.product.overRows ? 0 : 1;
  return llvm::any_of(scores, [&](const BlockProduct &score) {
    const DimGroup &rows = k == 0 ? score.shape.rows : score.shape.columns;
    return getInput(score, k) == getInput(sum.product, sum.memory) &&
           getPointAddress(score, k) ==
               getPointAddress(sum.product, sum.memory) &&
           rows.steps[k] == sum.product.shape.sum.steps[sum.memory] &&
           score.shape.sum.extent == sum.inner().extent;
  });
}

namespace {
class WalkFinder {
public:
  WalkFinder(KernelOp kernel, const KernelStrides &inputs)
      : kernel(kernel), inputs(inputs), shared(kernel.getShared().size()) {}

  /// Nothing if it is found, else why not.
  StringRef run(BlockWalks &found);

private:
  StringRef addProduct(BlockWalks &found, const BlockProduct &product);
  StringRef addScores(BlockWalks &found, const BlockProduct &product);
  StringRef addSum(BlockWalks &found, const BlockProduct &product);
  bool isOwnPlace(const BlockProduct &product, unsigned k, unsigned column);
  StringRef addNest(BlockWalks &found, NestOpInterface nest);
  StringRef checkReads(BlockWalks &found, NestOpInterface nest, bool isOfRow);
  StringRef checkResults(BlockWalks &found);

  KernelOp kernel;
  const KernelStrides &inputs;
  unsigned shared;
  llvm::SmallDenseSet<Value> inside; ///< of rows and columns
};
} // namespace

static constexpr llvm::StringLiteral kNoWalk =
    "a nest is none of rows and columns, of what is at its own place";

static bool isMemory(const BlockProduct &product, unsigned k) {
  ContractOp op = product.op;
  bool isLeft = (k == 0) != product.shape.exchanged;
  return isa<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
}

StringRef WalkFinder::addProduct(BlockWalks &found,
                                 const BlockProduct &product) {
  ContractOp op = product.op;
  const ContractionShape &shape = product.shape;
  if (!op.getAccType().isF32())
    return "a product does not add up in f32";
  if (shape.rows.dims.size() != 1 || shape.columns.dims.size() != 1 ||
      shape.sum.dims.size() != 1 || !shape.batch.dims.empty())
    return "a product has several dimensions of rows, columns, or its sum";
  if (shape.masks[0] || shape.masks[1])
    return "an operand is masked";
  for (unsigned k : {0, 1}) {
    if (!isMemory(product, k))
      continue;
    Type type = getUnitType(op, /*isLeft=*/(k == 0) != shape.exchanged);
    if (!type || (found.type && found.type != type))
      return "factors are not all of bf16, or all of f16, as they lie in memory";
    found.type = type;
  }
  return isMemory(product, 0) && isMemory(product, 1) ? addScores(found, product)
                                                      : addSum(found, product);
}

StringRef WalkFinder::addScores(BlockWalks &found,
                                const BlockProduct &product) {
  const ContractionShape &shape = product.shape;
  if (product.overRows)
    return "a product sums over its rows what lies in memory";
  if (found.columns && found.columns != shape.columns.extent)
    return "two products have different columns";
  found.columns = shape.columns.extent;
  if (!isCopied(product, 0, shape.sum) || !isCopied(product, 1, shape.sum))
    return "factors of scores do not lie beside each other, in rows of a known "
           "size that begin at multiples of 16 bytes";
  found.scores.push_back(product);
  return "";
}

/// True if operand `k`, of the kernel, is read at its row and at `column`.
bool WalkFinder::isOwnPlace(const BlockProduct &product, unsigned k,
                            unsigned column) {
  MLIRContext *context = kernel.getContext();
  SmallVector<ExprAttr> extents = ContractOp(product.op).getDomain().all();
  return product.shape.addresses[k] ==
         guard::getDim(context, *product.shared.back()) * extents[column] +
             guard::getDim(context, column);
}

StringRef WalkFinder::addSum(BlockWalks &found, const BlockProduct &product) {
  const ContractionShape &shape = product.shape;
  BlockWalks::Sum sum;
  sum.product = product;
  sum.memory = isMemory(product, 0) ? 0 : 1;
  unsigned k = 1 - sum.memory;
  ContractOp op = product.op;
  bool isLeft = (k == 0) != shape.exchanged;
  sum.weights = isLeft ? op.getLhs() : op.getRhs();
  if (!isMemory(product, sum.memory) || !inside.contains(sum.weights))
    return "weights are multiplied by what is computed in the kernel";
  if (!product.overRows && sum.memory == 0)
    return "the rows of a product are those of what lies in memory";
  unsigned column = (product.overRows ? sum.outer() : shape.sum).dims.front();
  if (op.getDomain().all()[column] != found.columns ||
      !isOwnPlace(product, k, column))
    return "weights are read at another row or column";
  Region &prologue = isLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  for (Operation &each : prologue.getOps())
    if (!isa<arith::ExtFOp, loop::YieldOp>(each))
      return "weights are changed on the way to their product";
  Type element = cast<RankedTensorType>(sum.weights.getType()).getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return "weights are neither f32 nor of 16 bits";
  if (!isCopied(product, sum.memory, sum.inner()))
    return "what weights are multiplied by does not lie beside each other, in "
           "rows of a known size that begin at multiples of 16 bytes";
  found.sums.push_back(sum);
  return "";
}

/// What a nest reads of the kernel is at its own row and column; values of rows are all
/// that one of a row reads.
StringRef WalkFinder::checkReads(BlockWalks &found, NestOpInterface nest,
                                 bool isOfRow) {
  for (Value tensor : getInnerReads(nest))
    if (!readsOwnColumn(kernel, nest, tensor) ||
        (found.isOfRow(tensor) ? false : isOfRow || !inside.contains(tensor)))
      return kNoWalk;
  return "";
}

StringRef WalkFinder::addNest(BlockWalks &found, NestOpInterface nest) {
  Operation *op = nest.getOperation();
  SmallVector<ExprAttr> extents = nest.getDomain().parallel;
  bool isSingle = llvm::all_of(ArrayRef(extents).drop_front(shared),
                               [](ExprAttr e) { return e.isConstant(1); });
  unsigned level = 0;
  SmallVector<NestOpInterface> needed = {nest};
  if (!isa<ContractOp>(op) && op->getNumResults() != 1)
    return kNoWalk;
  auto reduce = dyn_cast<ReduceOp>(op);
  if (reduce && cast<loop::AccumulationOpInterface>(op).getKind(0).kind ==
                    loop::ReductionKind::Generic)
    return "a reduction of a row joins by operations of its own";
  bool isOfRow = isSingle && (reduce || nest.isPointwise());
  if (StringRef why = checkReads(found, nest, isOfRow && !reduce); !why.empty())
    return why;
  found.nests.push_back(nest);
  Value result = op->getResult(0);
  if (!isOfRow) {
    if (!isa<ContractOp>(op) &&
        (!nest.isPointwise() || extents.size() != shared + 1 ||
         extents.back() != found.columns))
      return kNoWalk;
    inside.insert(result);
    return "";
  }
  SmallVector<Value> targets = {result};
  if (reduce) {
    SmallVector<ExprAttr> reduced = nest.getDomain().reduction;
    Type type = reduce.getBody().front().getTerminator()->getOperand(0).getType();
    if (reduced.size() != 1 || reduced[0] != found.columns || !type.isF32())
      return kNoWalk;
    needed = found.getNeeded(targets);
    level = 1;
  }
  unsigned known = 0;
  for (Value row : found.getRowsRead(needed))
    known = std::max(known, found.rowLevels.lookup(row));
  level += known;
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  if (!isa<FloatType>(element) || element.isF64())
    return "a value of a row is no number of at most 32 bits";
  found.rowLevels[result] = level;
  found.walks = std::max(found.walks, level);
  return "";
}

/// Scores and weights stay inside, and sums read values that their elements have.
StringRef WalkFinder::checkResults(BlockWalks &found) {
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (inside.contains(result))
      return "scores or weights are read elsewhere";
  for (const BlockWalks::Sum &sum : found.sums) {
    ContractOp op = sum.product.op;
    for (Value tensor : getInnerReads(op))
      if (sum.product.overRows || !found.isOfRow(tensor) ||
          !readsOwnColumn(kernel, op, tensor))
        return "a product's epilogue reads columns of the kernel";
  }
  return "";
}

StringRef WalkFinder::run(BlockWalks &found) {
  auto products = getBlockProducts(kernel, getBlockLayout(kernel, inputs));
  if (!products)
    return "a contraction is no product of the kernel's rows";
  auto next = products->begin();
  for (NestOpInterface nest : kernel.getNests()) {
    StringRef why;
    size_t sums = found.sums.size();
    if (isa<ContractOp>(nest.getOperation()))
      why = addProduct(found, *next++);
    if (why.empty() && found.sums.size() == sums)
      why = addNest(found, nest);
    if (!why.empty())
      return why;
  }
  if (found.scores.empty() || found.sums.empty())
    return "it has no products before and behind its rows";
  if (StringRef why = checkResults(found); !why.empty())
    return why;
  found.limit = getColumnLimit(kernel);
  return "";
}

std::optional<BlockWalks> analysis::getBlockWalks(KernelOp kernel,
                                                  const KernelStrides &inputs,
                                                  StringRef &why) {
  BlockWalks found;
  why = WalkFinder(kernel, inputs).run(found);
  if (!why.empty())
    return std::nullopt;
  return found;
}

StringRef analysis::whyNotBrought(const BlockWalks &walks) {
  auto isThere = [](const DimGroup &group) {
    return group.extent.getConstant().value_or(0) > 0;
  };
  bool isApart = true;
  for (const BlockProduct &product : walks.scores) {
    const ContractionShape &shape = product.shape;
    if (!isThere(shape.rows) || !isThere(shape.columns))
      return "rows or columns are not known to be there";
    isApart &= getOperandPlanes(product, 0, shape.rows).has_value() &&
               getOperandPlanes(product, 1, shape.columns).has_value();
  }
  for (const BlockWalks::Sum &sum : walks.sums)
    isApart &=
        getOperandPlanes(sum.product, sum.memory, sum.product.shape.sum)
            .has_value();
  return isApart ? ""
                 : "rows of an operand do not lie apart, or one point below "
                   "another";
}

StringRef analysis::whyNotAdded(const BlockWalks &walks) {
  if (StringRef why = whyNotBrought(walks); !why.empty())
    return why;
  if (walks.walks != 0 || !walks.rowLevels.empty())
    return "rows have values that are computed before";
  const BlockWalks::Sum *added = nullptr;
  for (const BlockWalks::Sum &sum : walks.sums) {
    if (sum.product.overRows)
      continue;
    if (added)
      return "several sums are over the columns";
    added = &sum;
  }
  if (!added || !llvm::any_of(walks.sums, [&](const BlockWalks::Sum &sum) {
        return sum.product.overRows && sum.weights == added->weights;
      }))
    return "no sum over the columns has the weights of one over the rows";
  return walks.isFactor(*added) ? "" : "what it reads is no factor of a score";
}
