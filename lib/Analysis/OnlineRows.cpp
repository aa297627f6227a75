//===- OnlineRows.cpp - Weights that are known as columns come ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/OnlineRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::KernelOp;
using loop::LoadOp;
using loop::NestOpInterface;
using loop::PointwiseOp;
using loop::ReduceOp;
using loop::ReductionKind;

namespace {
class OnlineFinder {
public:
  OnlineFinder(KernelOp kernel, const KernelStrides &inputs)
      : kernel(kernel), inputs(inputs), shared(kernel.getShared().size()) {}

  /// Nothing if it is found, else why not.
  StringRef run(OnlineRows &found);

private:
  StringRef findProducts(OnlineRows &found);
  StringRef findNests(OnlineRows &found);
  bool isOfRow(NestOpInterface nest);
  bool isExponential(OnlineRows &found, PointwiseOp op);
  bool isTotal(OnlineRows &found, ReduceOp op);
  bool isWeight(OnlineRows &found, PointwiseOp op);
  bool isScaled(OnlineRows &found, Value value);
  bool isRowValue(OnlineRows &found, Value value);
  StringRef checkResults(OnlineRows &found);

  KernelOp kernel;
  const KernelStrides &inputs;
  unsigned shared;
};
} // namespace

/// What a nest yields.
static Value getYielded(NestOpInterface nest) {
  return nest->getRegion(0).front().getTerminator()->getOperand(0);
}

static Value skipRounding(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<arith::TruncFOp, arith::ExtFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Type analysis::getUnitType(ContractOp op, bool isLeft) {
  Value tensor = isLeft ? op.getLhs() : op.getRhs();
  Region &prologue = isLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!type.isBF16() && !type.isF16())
    return {};
  if (prologue.empty())
    return type;
  Value made = prologue.front().getTerminator()->getOperand(0);
  while (auto extension = made.getDefiningOp<arith::ExtFOp>())
    made = extension.getIn();
  return made == prologue.front().getArgument(0) ? type : Type();
}

/// True if `expr` is a multiple of `number`, whatever its symbols and indices are.
static bool isMultiple(ExprAttr expr, int64_t number) {
  return llvm::all_of(guard::getTerms(expr), [&](const guard::Term &term) {
    return term.coefficient % number == 0;
  });
}

/// Elements of 16 bits that are copied together.
static constexpr int64_t kCopied = 8;

bool analysis::isCopied(const BlockProduct &product, unsigned k,
                        const DimGroup &inner) {
  const ContractionShape &shape = product.shape;
  auto extent = inner.extent.getConstant();
  if (shape.isIrregular(k) || !inner.steps[k] ||
      !inner.steps[k].isConstant(1) || !extent || *extent < 1)
    return false;
  ExprAttr rest = guard::substitute(shape.addresses[k], [&](ExprAttr leaf) {
    return leaf.isDim() && llvm::is_contained(inner.dims, leaf.getPosition())
               ? guard::getConstant(leaf.getContext(), 0)
               : leaf;
  });
  return isMultiple(rest, kCopied);
}

StringRef analysis::whyNotCopied(const OnlineRows &rows) {
  const ContractionShape &scores = rows.scores.shape, &sums = rows.sums.shape;
  if (!isCopied(rows.scores, 0, scores.sum) ||
      !isCopied(rows.scores, 1, scores.sum))
    return "factors of scores do not lie beside each other, in rows of a known "
           "size "
           "that begin at multiples of 16 bytes";
  if (!isCopied(rows.sums, 1, sums.columns))
    return "what weights are multiplied by does not lie beside each other, in "
           "rows of "
           "a known size that begin at multiples of 16 bytes";
  return "";
}

/// The largest value of an address that every dimension moves upwards, or leaves where it
/// is; nothing where one may not.
static std::optional<ExprAttr> getLargest(ExprAttr expr,
                                          ArrayRef<ExprAttr> extents) {
  for (const guard::Term &term : guard::getTerms(expr)) {
    if (!term.monomial)
      continue;
    if (term.coefficient < 0)
      return std::nullopt;
    for (ExprAttr factor : guard::getFactors(term.monomial)) {
      bool isDivided = factor.getKind() == guard::ExprKind::FloorDiv &&
                       factor.getOperand(0).isDim() &&
                       factor.getOperand(1).getConstant().value_or(0) > 0;
      if (guard::hasDims(factor) && !factor.isDim() && !isDivided)
        return std::nullopt;
    }
  }
  return guard::substitute(expr, [&](ExprAttr leaf) {
    return leaf.isDim() ? extents[leaf.getPosition()] + -1 : leaf;
  });
}

std::optional<OperandPlanes>
analysis::getOperandPlanes(const BlockProduct &product, unsigned k,
                           const DimGroup &rows) {
  ExprAttr step = rows.steps[k];
  if (!step || step.getConstant().value_or(1) < 1)
    return std::nullopt;
  ArrayRef<std::optional<unsigned>> outer =
      ArrayRef(product.shared).drop_back();
  ExprAttr address =
      guard::substitute(product.shape.addresses[k], [&](ExprAttr leaf) {
        bool isOuter =
            leaf.isDim() && llvm::any_of(outer, [&](auto dim) {
              return dim && *dim == leaf.getPosition();
            });
        return leaf.isDim() && !isOuter
                   ? guard::getConstant(leaf.getContext(), 0)
                   : leaf;
      });
  ContractOp op = product.op;
  auto largest = getLargest(address, op.getDomain().all());
  if (!largest)
    return std::nullopt;
  return OperandPlanes{address, guard::floorDiv(*largest, kCopied) + 1};
}

bool analysis::readsColumns(const OnlineRows &rows) {
  ContractOp scores = rows.scores.op;
  ReduceOp maximum = rows.maximum;
  auto reads = [&](Region &region) {
    return region
        .walk([&](LoadOp load) {
          return load.getTensor() == scores.getResult()
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        })
        .wasInterrupted();
  };
  return reads(scores.getEpilogue()) || reads(maximum.getBody());
}

StringRef analysis::whyNotBrought(const OnlineRows &rows) {
  const ContractionShape &scores = rows.scores.shape, &sums = rows.sums.shape;
  // A tile is walked in any case, of which no column may be there.
  if (rows.columns.getConstant().value_or(1) < 1 ||
      (!rows.columns.getConstant() && readsColumns(rows)))
    return "columns, at which memory is read, are not known to be there";
  if (!getOperandPlanes(rows.scores, 0, scores.rows) ||
      !getOperandPlanes(rows.scores, 1, scores.columns) ||
      !getOperandPlanes(rows.sums, 1, sums.sum))
    return "rows of an operand do not lie apart, or one point below another";
  return "";
}

//===----------------------------------------------------------------------===//
// The two products
//===----------------------------------------------------------------------===//

static Value getOperand(const BlockProduct &product, unsigned k) {
  ContractOp op = product.op;
  return (k == 0) != product.shape.exchanged ? op.getLhs() : op.getRhs();
}

StringRef OnlineFinder::findProducts(OnlineRows &found) {
  auto products =
      getBlockProducts(kernel, getBlockLayout(kernel, inputs));
  if (!products)
    return "a contraction is no product of the kernel's rows";
  if (products->size() != 2)
    return "its products are not two";
  found.scores = products->front();
  found.sums = products->back();
  for (BlockProduct *product : {&found.scores, &found.sums}) {
    if (product->overRows)
      return "a product sums over its rows";
    if (!product->op.getAccType().isF32())
      return "a product does not add up in f32";
    const ContractionShape &shape = product->shape;
    if (shape.columns.dims.size() != 1 || shape.sum.dims.size() != 1)
      return "a product has several dimensions of columns, or of its sum";
    if (shape.masks[0] || shape.masks[1])
      return "an operand is masked";
  }
  ContractOp scores = found.scores.op;
  Type type = getUnitType(scores, true);
  if (!type || type != getUnitType(scores, false))
    return "the factors of scores are not two of bf16 or f16 as they lie in "
           "memory";
  for (unsigned k : {0, 1})
    if (!isa<BlockArgument>(getOperand(found.scores, k)))
      return "an operand of scores is computed in the kernel";
  bool isLeft = found.sums.shape.exchanged; // values
  if (!isa<BlockArgument>(getOperand(found.sums, 1)))
    return "what weights are multiplied by is computed in the kernel";
  if (getUnitType(found.sums.op, isLeft) != type)
    return "values and scores are not of one type, bf16 or f16, as they lie in "
           "memory";
  return "";
}

//===----------------------------------------------------------------------===//
// The rows between them
//===----------------------------------------------------------------------===//

/// True for a nest of one value per point of the shared domain.
bool OnlineFinder::isOfRow(NestOpInterface nest) {
  if (!nest.isPointwise())
    return false;
  SmallVector<ExprAttr> extents = nest.getDomain().all();
  return llvm::all_of(ArrayRef(extents).drop_front(shared),
                      [](ExprAttr extent) { return extent.isConstant(1); });
}

/// How many columns' dimensions stand before dimension `dim`.
static unsigned countColumns(unsigned shared, ArrayRef<ExprAttr> extents,
                             unsigned dim) {
  return llvm::count_if(extents.slice(shared, dim - shared),
                        [](ExprAttr extent) { return !extent.isConstant(1); });
}

/// True if two indices count the same: a shared dimension, or columns.
static bool isSameIndex(unsigned shared, BlockArgument left,
                        NestOpInterface leftNest, BlockArgument right,
                        NestOpInterface rightNest) {
  auto i = leftNest.getDimensionOf(left), j = rightNest.getDimensionOf(right);
  if (!i || !j)
    return false;
  if (*i < shared || *j < shared)
    return *i == *j;
  SmallVector<ExprAttr> first = leftNest.getDomain().all(),
                        second = rightNest.getDomain().all();
  return first[*i] == second[*j] &&
         (first[*i].isConstant(1) || countColumns(shared, first, *i) ==
                                         countColumns(shared, second, *j));
}

bool analysis::isSameInRow(unsigned shared, Value left,
                           NestOpInterface leftNest, Value right,
                           NestOpInterface rightNest) {
  if (left == right)
    return true;
  auto x = dyn_cast<BlockArgument>(left), y = dyn_cast<BlockArgument>(right);
  if (x && y)
    return isSameIndex(shared, x, leftNest, y, rightNest);
  Operation *a = left.getDefiningOp(), *b = right.getDefiningOp();
  if (!a || !b || a->getName() != b->getName() || a->getNumRegions() != 0 ||
      a->getNumOperands() != b->getNumOperands() ||
      left.getType() != right.getType() ||
      a->getAttrDictionary() != b->getAttrDictionary() ||
      !isMemoryEffectFree(a))
    return false;
  return llvm::all_of(
      llvm::zip_equal(a->getOperands(), b->getOperands()), [&](auto pair) {
        auto [one, other] = pair;
        return isSameInRow(shared, one, leftNest, other, rightNest);
      });
}

bool analysis::readsOwnColumn(KernelOp kernel, NestOpInterface nest,
                              Value tensor) {
  unsigned shared = kernel.getShared().size();
  bool isOwn = true;
  nest->walk([&](LoadOp load) {
    if (load.getTensor() != tensor)
      return;
    isOwn &= !load.getMask();
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<ExprAttr> map = loop::getExprs(load.getMap());
    for (int64_t k = 0; k < type.getRank(); ++k) {
      if (k >= int64_t(shared) && type.getDimSize(k) == 1)
        continue;
      ExprAttr index = map[k];
      auto argument =
          index.isDim()
              ? dyn_cast<BlockArgument>(load.getIndices()[index.getPosition()])
              : BlockArgument();
      auto dim = argument ? nest.getDimensionOf(argument) : std::nullopt;
      if (k < int64_t(shared)) {
        ExprAttr extent = loop::getExprs(kernel.getShared())[k];
        isOwn &= (dim && *dim == k) || (extent.isConstant(1) && index.isConstant(0));
        continue;
      }
      isOwn &= dim && *dim >= shared;
    }
  });
  return isOwn;
}

bool OnlineFinder::isExponential(OnlineRows &found, PointwiseOp op) {
  auto nest = cast<NestOpInterface>(op.getOperation());
  auto exponential = getYielded(nest).getDefiningOp<math::ExpOp>();
  auto difference = exponential
                        ? exponential.getOperand().getDefiningOp<arith::SubFOp>()
                        : arith::SubFOp();
  auto load = difference ? difference.getRhs().getDefiningOp<LoadOp>() : LoadOp();
  if (!load || load.getTensor() != found.maximum->getResult(0) ||
      !readsOwnColumn(kernel, nest, load.getTensor()))
    return false;
  auto maximum = cast<NestOpInterface>(found.maximum.getOperation());
  return isSameInRow(shared, difference.getLhs(), nest, getYielded(maximum),
                     maximum);
}

bool OnlineFinder::isTotal(OnlineRows &found, ReduceOp op) {
  auto nest = cast<NestOpInterface>(op.getOperation());
  auto load = getYielded(nest).getDefiningOp<LoadOp>();
  PointwiseOp exponentials = found.exponentials;
  return op.getKind(0).kind == ReductionKind::Sum && load &&
         exponentials && load.getTensor() == exponentials.getResult() &&
         readsOwnColumn(kernel, nest, load.getTensor());
}

/// True if a value of the weights' body does not depend on the column.
bool OnlineFinder::isRowValue(OnlineRows &found, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    PointwiseOp weights = found.weights;
    auto nest = cast<NestOpInterface>(weights.getOperation());
    auto dim = nest.getDimensionOf(argument);
    return dim && *dim < shared;
  }
  Operation *op = value.getDefiningOp();
  PointwiseOp exponentials = found.exponentials;
  ContractOp scores = found.scores.op;
  if (auto load = dyn_cast<LoadOp>(op))
    if (load.getTensor() == exponentials.getResult() ||
        load.getTensor() == scores.getResult())
      return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) ||
           isRowValue(found, operand);
  });
}

/// True if a value of the weights' body is an exponential times a value of the row.
bool OnlineFinder::isScaled(OnlineRows &found, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  PointwiseOp exponentials = found.exponentials;
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getTensor() == exponentials.getResult();
  auto isRow = [&](unsigned k) { return isRowValue(found, op->getOperand(k)); };
  auto scaled = [&](unsigned k) { return isScaled(found, op->getOperand(k)); };
  if (isa<arith::MulFOp>(op))
    return (scaled(0) && isRow(1)) || (isRow(0) && scaled(1));
  if (isa<arith::DivFOp>(op))
    return scaled(0) && isRow(1);
  if (isa<arith::SelectOp>(op) && isRow(0)) {
    auto isZero = [&](unsigned k) {
      return matchPattern(op->getOperand(k), m_AnyZeroFloat());
    };
    return (isZero(1) && scaled(2)) || (scaled(1) && isZero(2));
  }
  return false;
}

bool OnlineFinder::isWeight(OnlineRows &found, PointwiseOp op) {
  auto nest = cast<NestOpInterface>(op.getOperation());
  found.weights = op;
  found.weight = skipRounding(getYielded(nest));
  PointwiseOp exponentials = found.exponentials;
  return readsOwnColumn(kernel, nest, exponentials.getResult()) &&
         isScaled(found, found.weight);
}

StringRef OnlineFinder::findNests(OnlineRows &found) {
  ContractOp scores = found.scores.op, sums = found.sums.op;
  Value weights = getOperand(found.sums, 0);
  found.columns = found.scores.shape.columns.extent;
  for (NestOpInterface nest : kernel.getNests()) {
    Operation *op = nest.getOperation();
    if (op == scores || op == sums)
      continue;
    if (!readsOwnColumn(kernel, nest, scores.getResult()))
      return "a nest reads scores of another row or column";
    auto reduce = dyn_cast<ReduceOp>(op);
    if (isOfRow(nest)) {
      found.rows.push_back(nest);
      continue;
    }
    if (reduce && reduce->getNumResults() == 1 && !found.maximum &&
        reduce.getKind(0).kind == ReductionKind::Max) {
      found.maximum = reduce;
      continue;
    }
    auto pointwise = dyn_cast<PointwiseOp>(op);
    if (pointwise && found.maximum && !found.exponentials &&
        isExponential(found, pointwise)) {
      found.exponentials = pointwise;
      continue;
    }
    if (reduce && reduce->getNumResults() == 1 && !found.total &&
        isTotal(found, reduce)) {
      found.total = reduce;
      continue;
    }
    if (pointwise && found.exponentials && !found.weights &&
        pointwise.getResult() == weights && isWeight(found, pointwise))
      continue;
    return "its weights are not exponentials behind the maximum of their row, "
           "times a value of the row";
  }
  if (!found.exponentials || !found.total ||
      (!found.weights && weights != found.exponentials.getResult()))
    return "its weights are not exponentials behind the maximum of their row, "
           "times a value of the row";
  Type accumulated = getYielded(cast<NestOpInterface>(
                                    found.maximum.getOperation()))
                         .getType();
  PointwiseOp exponentials = found.exponentials;
  auto made = cast<RankedTensorType>(exponentials.getResult().getType());
  if (!accumulated.isF32() || !made.getElementType().isF32())
    return "exponentials are not taken in f32";
  return "";
}

/// What has columns stays inside, and values of rows that are known at the end are read
/// there.
StringRef OnlineFinder::checkResults(OnlineRows &found) {
  ContractOp scores = found.scores.op, sums = found.sums.op;
  PointwiseOp exponentials = found.exponentials, weights = found.weights;
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (result == scores.getResult() || result == exponentials.getResult() ||
        (weights && result == weights.getResult()))
      return "scores or weights are read elsewhere";
  for (NestOpInterface nest : found.rows) {
    bool fits = true;
    nest->walk([&](LoadOp load) {
      auto made = load.getTensor().getDefiningOp<NestOpInterface>();
      fits &= !made || made == NestOpInterface(found.maximum.getOperation()) ||
              made == NestOpInterface(found.total.getOperation()) ||
              isOfRow(made);
    });
    if (!fits)
      return "a value of a row is made of a column";
  }
  bool isAlone = true;
  sums.getEpilogue().walk([&](LoadOp load) {
    auto made = load.getTensor().getDefiningOp<NestOpInterface>();
    isAlone &= !made || isOfRow(made);
  });
  scores.getEpilogue().walk([&](LoadOp load) {
    isAlone &= isa<BlockArgument>(load.getTensor());
  });
  return isAlone ? "" : "a product's epilogue reads columns of the kernel";
}

StringRef OnlineFinder::run(OnlineRows &found) {
  StringRef why = findProducts(found);
  if (why.empty())
    why = findNests(found);
  if (why.empty())
    why = checkResults(found);
  if (why.empty())
    found.limit = getColumnLimit(kernel);
  return why;
}

std::optional<OnlineRows> analysis::getOnlineRows(KernelOp kernel,
                                                  const KernelStrides &inputs,
                                                  StringRef &why) {
  OnlineRows found;
  why = OnlineFinder(kernel, inputs).run(found);
  if (!why.empty())
    return std::nullopt;
  return found;
}
