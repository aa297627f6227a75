//===- SplitContractions.cpp - Long sums of products in parts -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of M x K by K x N with few rows and columns has few tiles of its
// result, and a core can only be given more of them by packing both operands
// again for each. Cut along K it is a product for each part, all of which the
// packed product knows as a batch:
//
//   parts[p, i, j] = sum over k < K / P of a[i, p * K / P + k] * b[p * K / P +
//   k, j] c[i, j]        = epilogue(sum over p of parts[p, i, j])
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_SPLITCONTRACTIONSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Rows and columns below which a product has emitters that do not pack.
static constexpr int64_t kMinSide = 16;

namespace {

class SplitContractions
    : public loop::impl::SplitContractionsPassBase<SplitContractions> {
public:
  using SplitContractionsPassBase::SplitContractionsPassBase;
  void runOnOperation() override;

private:
  /// Parts of each reduced dimension; nothing, and why, where it stays whole.
  std::optional<SmallVector<int64_t>> choose(ContractOp op,
                                             StringRef &why) const;
};

/// Points of the dimensions that one operand has, the other, or both.
struct Sides {
  int64_t rows = 1, columns = 1, batch = 1;
};

} // namespace

static bool mentions(ArrayAttr exprs, unsigned dim) {
  return llvm::any_of(getExprs(exprs), [&](ExprAttr expr) {
    return guard::contains(expr, guard::getDim(expr.getContext(), dim));
  });
}

/// The parallel dimensions of `op`, whose extents are known, by who reads them.
static Sides getSides(ContractOp op) {
  Sides sides;
  for (auto [dim, extent] : llvm::enumerate(op.getDomain().parallel)) {
    bool left = mentions(op.getLhsIndices(), dim),
         right = mentions(op.getRhsIndices(), dim);
    int64_t &side = left && !right   ? sides.rows
                    : right && !left ? sides.columns
                                     : sides.batch;
    side *= *extent.getConstant();
  }
  return sides;
}

/// True if `operand` is made, by up to `depth` pointwise nests, of a reduction over as many
/// elements as the sum has: rows such as those of a softmax, with which `loop-fuse-products`
/// takes the product that sums along them.
static bool isOfRows(Value operand, int64_t sum, unsigned depth = 3) {
  auto nest = operand.getDefiningOp<PointwiseOp>();
  if (!nest || depth == 0)
    return false;
  return llvm::any_of(nest.getBody().getOps<LoadOp>(), [&](LoadOp load) {
    auto reduce = load.getTensor().getDefiningOp<ReduceOp>();
    return (reduce && countPoints(reduce.getDomain().reduction) == sum) ||
           isOfRows(load.getTensor(), sum, depth - 1);
  });
}

/// The largest divisor of `size` that is not larger than `most`.
static int64_t getPieces(int64_t size, int64_t most) {
  for (int64_t parts = std::min(most, size); parts > 1; --parts)
    if (size % parts == 0)
      return parts;
  return 1;
}

std::optional<SmallVector<int64_t>>
SplitContractions::choose(ContractOp op, StringRef &why) const {
  Domain domain = op.getDomain();
  if (op.isGrouped())
    return std::nullopt;
  auto values = countPoints(domain.parallel), sum = countPoints(domain.reduction);
  if (!values || !sum) {
    why = "a size is not known";
    return std::nullopt;
  }
  if (*values == 0 || *values > int64_t(maxValues) ||
      *sum < 2 * int64_t(minDepth))
    return std::nullopt; // as most are: not worth a remark
  Sides sides = getSides(op);
  if (std::min(sides.rows, sides.columns) < kMinSide) {
    why = "few rows or columns are not packed";
    return std::nullopt;
  }
  if (*sum / std::max(sides.rows, sides.columns) < int64_t(minRatio)) {
    why = "its sum is not much longer than its sides";
    return std::nullopt;
  }
  // The places of images are no row, though a batch norm sums over them, too.
  bool isRow = 1 == llvm::count_if(domain.reduction, [](ExprAttr extent) {
                 return !extent.isConstant(1);
               });
  if (isRow && (isOfRows(op.getLhs(), *sum) || isOfRows(op.getRhs(), *sum))) {
    why = "an operand is of rows that it sums along";
    return std::nullopt;
  }
  int64_t wanted = std::min<int64_t>(parts, *sum / int64_t(minDepth));
  int64_t made = 1;
  SmallVector<int64_t> split;
  for (auto [k, extent] : llvm::enumerate(domain.reduction)) {
    // Places that padding leaves out are found along a whole row of an image.
    if (mentions(op.getMasks(), domain.parallel.size() + k))
      break;
    int64_t size = *extent.getConstant();
    int64_t here = getPieces(size, wanted / made);
    split.push_back(here);
    made *= here;
    // Behind a dimension that is not all parts, pieces would be in pieces.
    if (here != size)
      break;
  }
  split.resize(domain.reduction.size(), 1);
  if (made < 2 || 4 * made < std::min<int64_t>(wanted, 16)) {
    why = "no dimension of its sum has pieces of equal size";
    return std::nullopt;
  }
  return split;
}

namespace {
/// The dimensions of a contraction in parts: parts stand before all others.
struct PartedDomain {
  PartedDomain(ContractOp op, ArrayRef<int64_t> split);
  SmallVector<ExprAttr> rewrite(ArrayAttr exprs,
                                const guard::Assumptions &assumptions) const;

  MLIRContext *context;
  SmallVector<ExprAttr> parts, parallel, reduction;
  SmallVector<ExprAttr> map; ///< of the dimensions as they were
};
} // namespace

PartedDomain::PartedDomain(ContractOp op, ArrayRef<int64_t> split)
    : context(op.getContext()) {
  Domain domain = op.getDomain();
  for (int64_t count : split)
    if (count > 1)
      parts.push_back(guard::getConstant(context, count));
  parallel = parts;
  llvm::append_range(parallel, domain.parallel);
  for (unsigned k = 0; k < domain.parallel.size(); ++k)
    map.push_back(guard::getDim(context, parts.size() + k));
  unsigned part = 0;
  for (auto [count, extent] : llvm::zip_equal(split, domain.reduction)) {
    ExprAttr index = guard::getDim(context, parallel.size() + reduction.size());
    int64_t size = *extent.getConstant() / count;
    if (count > 1)
      index =
          guard::getDim(context, part++) * guard::getConstant(context, size) +
          index;
    map.push_back(index);
    reduction.push_back(guard::getConstant(context, size));
  }
}

SmallVector<ExprAttr>
PartedDomain::rewrite(ArrayAttr exprs,
                      const guard::Assumptions &assumptions) const {
  return llvm::map_to_vector(getExprs(exprs), [&](ExprAttr expr) {
    return guard::simplify(guard::substituteDims(expr, map), assumptions);
  });
}

/// The product of each part; null where an operand would no longer be read
/// along straight lines.
static ContractOp multiplyParts(OpBuilder &builder, ContractOp op,
                                const PartedDomain &domain,
                                const analysis::SizeHints &hints) {
  MLIRContext *context = op.getContext();
  SmallVector<ExprAttr> extents(domain.parallel);
  llvm::append_range(extents, domain.reduction);
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, extents);
  SmallVector<ExprAttr> lhs = domain.rewrite(op.getLhsIndices(), assumptions),
                        rhs = domain.rewrite(op.getRhsIndices(), assumptions);
  auto isStraight = [&](Value operand, ArrayRef<ExprAttr> indices) {
    return analysis::isStraight(cast<RankedTensorType>(operand.getType()),
                                indices, extents, hints.getAssumptions());
  };
  if (!isStraight(op.getLhs(), lhs) || !isStraight(op.getRhs(), rhs))
    return {};
  auto made = ContractOp::create(
      builder, op.getLoc(),
      guard::makeTensorType(op.getAccType(), domain.parallel), op.getLhs(),
      op.getRhs(), domain.parallel, domain.reduction, lhs, rhs, op.getAccType(),
      op.getOriginsAttr());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made.setMasksAttr(
      getExprArray(context, domain.rewrite(op.getMasks(), assumptions)));
  IRMapping mapping;
  op.getLhsPrologue().cloneInto(&made.getLhsPrologue(), mapping);
  op.getRhsPrologue().cloneInto(&made.getRhsPrologue(), mapping);
  return made;
}

/// Adds up the parts, one after the other.
static ReduceOp addParts(OpBuilder &builder, ContractOp op, ContractOp product,
                         const PartedDomain &domain) {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  Type sum = guard::makeTensorType(op.getAccType(), parallel);
  auto made = ReduceOp::create(
      builder, op.getLoc(), TypeRange{sum}, parallel, domain.parts,
      ArrayRef<ReductionKind>{ReductionKind::Sum}, op.getOriginsAttr());
  Block &body = made.getBody().front();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  auto arguments = body.getArguments();
  SmallVector<Value> indices(arguments.drop_front(parallel.size()));
  llvm::append_range(indices, arguments.take_front(parallel.size()));
  Value value =
      LoadOp::create(builder, op.getLoc(), product.getResult(), indices);
  YieldOp::create(builder, op.getLoc(), value);
  return made;
}

void SplitContractions::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (getGPUTarget(function))
    return; // schedules of GPUs say how a sum is shared
  analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
  for (auto op : llvm::make_early_inc_range(function.getOps<ContractOp>())) {
    StringRef why;
    auto split = choose(op, why);
    ContractOp product;
    OpBuilder builder(op);
    if (split) {
      PartedDomain domain(op, *split);
      product = multiplyParts(builder, op, domain, hints);
      if (!product)
        why = "its operands would not be read along straight lines";
      else {
        if (auto told = remark::passed(
                op.getLoc(),
                remarks::kProductSplit.function(function.getName())))
          told << remark::metric("contraction", describe(op))
               << remark::metric("parts", *countPoints(domain.parts))
               << remark::metric("depth", *countPoints(domain.reduction));
        expandEpilogue(op, addParts(builder, op, product, domain).getResult(0));
        continue;
      }
    }
    if (!why.empty())
      tellMissed(op, remarks::kProductWhole, why);
  }
}
