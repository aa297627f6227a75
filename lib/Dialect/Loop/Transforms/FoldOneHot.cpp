//===- FoldOneHot.cpp - Sums of which one term is left --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_FOLDONEHOTPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

class FoldOneHot : public loop::impl::FoldOneHotPassBase<FoldOneHot> {
public:
  using FoldOneHotPassBase::FoldOneHotPassBase;
  void runOnOperation() override;
};

/// sum over k of select(k == at and others, value, 0)
struct OneHotSum {
  unsigned dim = 0;          ///< k, of the reduced ones
  Value at;                  ///< an integer or index
  SmallVector<Value> others; ///< truth values
  Value value;
};

} // namespace

/// The values of the body of `op` that need the index `argument`.
static llvm::DenseSet<Value> getValuesOf(ReduceOp op, BlockArgument argument) {
  llvm::DenseSet<Value> found{argument};
  for (Operation &made : op.getBody().front()) {
    WalkResult needs = made.walk([&](Operation *inner) {
      return llvm::any_of(inner->getOperands(),
                          [&](Value value) { return found.contains(value); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (needs.wasInterrupted())
      found.insert(made.result_begin(), made.result_end());
  }
  return found;
}

static bool isZeroValue(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

/// The reduced index of `op` that `value` is, as an index or a wider integer.
static std::optional<unsigned> getReducedIndex(ReduceOp op, Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>();
      cast && cast.getIn().getType().isIndex() && cast.getType().isInteger(64))
    value = cast.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned parallel = op.getDomain().parallel.size();
  if (!argument || argument.getOwner() != &op.getBody().front() ||
      argument.getArgNumber() < parallel)
    return std::nullopt;
  return argument.getArgNumber() - parallel;
}

/// Takes a condition apart into the truth values that all must hold, each once.
static SmallVector<Value> collectConditions(Value condition) {
  llvm::SetVector<Value> seen;
  seen.insert(condition);
  SmallVector<Value> found;
  for (size_t i = 0; i < seen.size(); ++i) {
    auto both = seen[i].getDefiningOp<arith::AndIOp>();
    if (both)
      seen.insert(both->operand_begin(), both->operand_end());
    else
      found.push_back(seen[i]);
  }
  return found;
}

/// What `condition` compares a reduced index of `op` with for equality, into
/// `sum`.
static bool isPlace(ReduceOp op, Value condition, OneHotSum &sum) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  for (auto [index, at] : {std::pair(compare.getLhs(), compare.getRhs()),
                           std::pair(compare.getRhs(), compare.getLhs())})
    if (auto dim = getReducedIndex(op, index)) {
      sum.dim = *dim;
      sum.at = at;
      return true;
    }
  return false;
}

static std::optional<OneHotSum> matchOneHot(ReduceOp op) {
  if (op->getNumResults() != 1 || op.getKind(0).kind != ReductionKind::Sum)
    return std::nullopt;
  Block &body = op.getBody().front();
  auto select =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!select || !isZeroValue(select.getFalseValue()))
    return std::nullopt;
  OneHotSum sum;
  sum.value = select.getTrueValue();
  for (Value condition : collectConditions(select.getCondition())) {
    if (!sum.at && isPlace(op, condition, sum))
      continue;
    sum.others.push_back(condition);
  }
  if (!sum.at)
    return std::nullopt;
  // Nothing but the comparison may know which index it is.
  BlockArgument index =
      body.getArgument(op.getDomain().parallel.size() + sum.dim);
  llvm::DenseSet<Value> needing = getValuesOf(op, index);
  auto isFree = [&](Value value) { return !needing.contains(value); };
  if (!isFree(sum.at) || !isFree(sum.value) ||
      !llvm::all_of(sum.others, isFree))
    return std::nullopt;
  return sum;
}

/// Whether `at` is an index of a dimension of `extent`.
static Value createIsInside(OpBuilder &b, Location loc, Value at,
                            ExprAttr extent) {
  Type type = at.getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value low = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at,
                                    number(0)),
        high = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                     number(*extent.getConstant()));
  return arith::AndIOp::create(b, loc, low, high);
}

/// The one term that is left, in the body of a nest of the same indices without
/// the dimension.
static Value createTerm(OpBuilder &b, ReduceOp op, const OneHotSum &sum,
                        ValueRange indices) {
  // The body as it was, with any index for the one that nothing else needs.
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  IRMapping mapping;
  unsigned gone = op.getDomain().parallel.size() + sum.dim, next = 0;
  for (auto [k, argument] : llvm::enumerate(body.getArguments()))
    mapping.map(argument, k == gone
                              ? Value(arith::ConstantIndexOp::create(b, loc, 0))
                              : indices[next++]);
  for (Operation &inner : body.without_terminator())
    b.clone(inner, mapping);
  Value condition = createIsInside(b, loc, mapping.lookupOrDefault(sum.at),
                                   op.getDomain().reduction[sum.dim]);
  for (Value other : sum.others)
    condition = arith::AndIOp::create(b, loc, condition,
                                      mapping.lookupOrDefault(other));
  Value value = mapping.lookupOrDefault(sum.value);
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  // Of -0 and zeros the sum is 0.
  if (isa<FloatType>(value.getType()))
    value = arith::AddFOp::create(b, loc, value, zero);
  return arith::SelectOp::create(b, loc, condition, value, zero);
}

/// True if `op` is a sum over dimensions of one element each. On a GPU these stay.
static bool hasOneTerm(ReduceOp op) {
  SmallVector<ExprAttr> reduction = op.getDomain().reduction;
  return op->getNumResults() == 1 &&
         op.getKind(0).kind == ReductionKind::Sum && !reduction.empty() &&
         llvm::all_of(reduction,
                      [](ExprAttr extent) { return extent.isConstant(1); }) &&
         !getGPUTarget(op);
}

/// The term of such a sum, in the body of a nest of the other indices.
static Value cloneTerm(OpBuilder &b, ReduceOp op, ValueRange indices) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  IRMapping mapping;
  for (auto [k, argument] : llvm::enumerate(body.getArguments()))
    mapping.map(argument, k < indices.size()
                              ? indices[k]
                              : Value(arith::ConstantIndexOp::create(b, loc, 0)));
  for (Operation &inner : body.without_terminator())
    b.clone(inner, mapping);
  Value value = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  if (!isa<FloatType>(value.getType()))
    return value;
  // A sum begins with 0, which -0 does not change.
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::AddFOp::create(b, loc, value, zero);
}

/// The term as a nest of its own, of the type of the sum.
static void
foldAlone(ReduceOp op,
          llvm::function_ref<Value(OpBuilder &, ValueRange)> makeTerm) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto nest = PointwiseOp::create(builder, op.getLoc(), type,
                                  op.getDomain().parallel, op.getOriginsAttr());
  Block &body = nest.getBody().front();
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  Value term = makeTerm(inner, body.getArguments());
  YieldOp::create(inner, op.getLoc(),
                  roundToElement(inner, op.getLoc(), term, type));
  op->replaceAllUsesWith(nest->getResults());
  op.erase();
}

/// The term, summed over the other reduced dimensions.
static void foldOneOfSeveral(ReduceOp op, const OneHotSum &sum) {
  OpBuilder builder(op);
  SmallVector<ExprAttr> reduction = op.getDomain().reduction;
  reduction.erase(reduction.begin() + sum.dim);
  auto nest = ReduceOp::create(builder, op.getLoc(), op->getResultTypes(),
                               op.getDomain().parallel, reduction,
                               ArrayRef<ReductionKind>{ReductionKind::Sum},
                               op.getOriginsAttr());
  Block &body = nest.getBody().front();
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  Value term = createTerm(inner, op, sum, body.getArguments());
  YieldOp::create(inner, op.getLoc(), term);
  op->replaceAllUsesWith(nest->getResults());
  op.erase();
}

void FoldOneHot::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  bool changed = false;
  for (auto op : llvm::make_early_inc_range(function.getOps<ReduceOp>())) {
    auto sum = matchOneHot(op);
    if (sum && !op.getDomain().reduction[sum->dim].getConstant())
      sum = std::nullopt;
    bool isOne = hasOneTerm(op);
    if (!sum && !isOne)
      continue;
    if (auto told = remark::passed(
            op.getLoc(), remarks::kOneTerm.function(function.getName())))
      told << remark::metric("nest", describe(cast<NestOpInterface>(*op)));
    if (isOne)
      foldAlone(op, [&](OpBuilder &b, ValueRange indices) {
        return cloneTerm(b, op, indices);
      });
    else if (op.getDomain().reduction.size() == 1)
      foldAlone(op, [&](OpBuilder &b, ValueRange indices) {
        return createTerm(b, op, *sum, indices);
      });
    else
      foldOneOfSeveral(op, *sum);
    changed = true;
  }
  if (changed)
    simplifyBodies(function,
                   analysis::SizeHints(function->getParentOfType<ModuleOp>()));
}
