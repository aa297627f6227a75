//===- ColumnLimit.cpp - How far the rows of a kernel reach --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies are evaluated for a column behind the limit: a condition that says so is
// false, and what follows from it is a constant or not known.
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/Blocks.h"

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using namespace kiln::loop;

namespace {
/// What is known of a value behind the limit.
enum class Beyond { Unknown, False, Zero, Lowest };

class LimitFinder {
public:
  explicit LimitFinder(KernelOp kernel)
      : kernel(kernel), shared(kernel.getShared().size()),
        nests(kernel.getNests()) {}

  std::optional<ColumnLimit> run();

private:
  bool findColumns();
  void findLimit(NestOpInterface nest, unsigned column);
  std::optional<int64_t> getReach(arith::CmpIOp compare,
                                  NestOpInterface nest, unsigned column);
  bool allows(NestOpInterface nest, std::optional<unsigned> column);
  bool allowsContraction(ContractOp op, unsigned column);
  Beyond evaluate(Operation &op, NestOpInterface nest, unsigned column);
  Beyond get(Value value) const { return values.lookup(value); }

  KernelOp kernel;
  unsigned shared;
  SmallVector<NestOpInterface> nests;
  ColumnLimit limit{{}, 0, {}};
  llvm::DenseMap<Value, Beyond> values; ///< of bodies, and elements of tensors
};
} // namespace

/// Finds the dimension of each nest that counts columns; false if it is not clear
/// which it is.
bool LimitFinder::findColumns() {
  SmallVector<ExprAttr> sharedExtents = getExprs(kernel.getShared());
  for (NestOpInterface nest : nests) {
    Domain domain = nest.getDomain();
    SmallVector<ExprAttr> extents = domain.all();
    std::optional<unsigned> column;
    if (auto contract = dyn_cast<ContractOp>(nest.getOperation())) {
      // The sum of one that reads rows, else what it makes rows of.
      bool reads = llvm::any_of(
          contract.getOperandReads(), [](const OperandRead &read) {
            return bool(read.tensor.getDefiningOp<NestOpInterface>());
          });
      unsigned from = reads ? domain.parallel.size() : shared;
      unsigned to = reads ? extents.size() : domain.parallel.size();
      if (to != from + 1)
        return false;
      column = from;
    } else {
      for (unsigned d = shared; d < extents.size(); ++d)
        if (!extents[d].isConstant(1)) {
          if (column)
            return false;
          column = d;
        }
    }
    limit.dims.push_back(column);
    if (!column)
      continue;
    if (limit.extent && limit.extent != extents[*column])
      return false;
    limit.extent = extents[*column];
  }
  return bool(limit.extent);
}

/// An index of a body as an expression over the nest's dimensions, also if it is
/// used as a number.
static ExprAttr getIndexExpr(Value value, NestOpInterface nest) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  MLIRContext *context = nest->getContext();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 32)
    return guard::getConstant(context, constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto dim = nest.getDimensionOf(argument);
    return dim ? guard::getDim(context, *dim) : ExprAttr();
  }
  if (auto index = value.getDefiningOp<IndexOp>()) {
    SmallVector<ExprAttr> dims;
    for (Value operand : index.getIndices())
      if (ExprAttr dim = getIndexExpr(operand, nest))
        dims.push_back(dim);
      else
        return {};
    return guard::substituteDims(index.getExpr(), dims);
  }
  return {};
}

/// The distance d of a condition that is false from column `row + d` on.
std::optional<int64_t> LimitFinder::getReach(arith::CmpIOp compare,
                                             NestOpInterface nest,
                                             unsigned column) {
  ExprAttr left = getIndexExpr(compare.getLhs(), nest),
           right = getIndexExpr(compare.getRhs(), nest);
  if (!left || !right)
    return std::nullopt;
  int64_t more = 0; // left < right + more
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sge:
    more = 1;
    std::swap(left, right);
    break;
  case arith::CmpIPredicate::sgt:
    std::swap(left, right);
    break;
  case arith::CmpIPredicate::sle:
    more = 1;
    break;
  case arith::CmpIPredicate::slt:
    break;
  default:
    return std::nullopt;
  }
  MLIRContext *context = nest->getContext();
  ExprAttr rest = right - left + guard::getDim(context, column) -
                  guard::getDim(context, shared - 1) + more;
  return rest.getConstant();
}

/// Takes the farthest limit that a condition of the nest states.
void LimitFinder::findLimit(NestOpInterface nest, unsigned column) {
  nest->walk([&](arith::CmpIOp compare) {
    if (auto reach = getReach(compare, nest, column))
      limit.beyond = std::max(limit.beyond, *reach);
  });
}

/// What an operation of a body gives for a column behind the limit.
Beyond LimitFinder::evaluate(Operation &op, NestOpInterface nest,
                             unsigned column) {
  auto operand = [&](unsigned i) { return get(op.getOperand(i)); };
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto reach = getReach(compare, nest, column);
    return reach && *reach <= limit.beyond ? Beyond::False : Beyond::Unknown;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
      const APFloat &value = number.getValue();
      if (value.isZero())
        return Beyond::Zero;
      return value.isInfinity() && value.isNegative() ? Beyond::Lowest
                                                      : Beyond::Unknown;
    }
    return Beyond::Unknown;
  }
  if (isa<arith::SelectOp>(op)) {
    if (operand(0) == Beyond::False)
      return operand(2);
    return operand(1) == operand(2) ? operand(1) : Beyond::Unknown;
  }
  if (isa<arith::AndIOp>(op))
    return operand(0) == Beyond::False ? operand(0) : operand(1);
  if (auto load = dyn_cast<LoadOp>(op)) {
    // Of a row that the kernel computes, at the column itself.
    ExprAttr last;
    if (!load.getMap().empty()) {
      SmallVector<ExprAttr> dims;
      for (Value index : load.getIndices())
        if (ExprAttr dim = getIndexExpr(index, nest))
          dims.push_back(dim);
        else
          return Beyond::Unknown;
      last = guard::substituteDims(cast<ExprAttr>(load.getMap().getValue().back()),
                                   dims);
    }
    return last == guard::getDim(op.getContext(), column) && !load.getMask()
               ? get(load.getTensor())
               : Beyond::Unknown;
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return operand(0);
  // Other operands are finite, or the whole row is NaN.
  if (isa<arith::SubFOp>(op))
    return operand(0) == Beyond::Lowest && operand(1) != Beyond::Lowest
               ? Beyond::Lowest
               : Beyond::Unknown;
  if (isa<arith::AddFOp>(op))
    return operand(0) == Beyond::Lowest || operand(1) == Beyond::Lowest
               ? Beyond::Lowest
               : Beyond::Unknown;
  if (isa<arith::MulFOp>(op))
    return operand(0) == Beyond::Zero || operand(1) == Beyond::Zero
               ? Beyond::Zero
               : Beyond::Unknown;
  if (isa<arith::DivFOp>(op))
    return operand(0) == Beyond::Zero ? Beyond::Zero : Beyond::Unknown;
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return operand(0) == Beyond::Lowest ? Beyond::Zero : Beyond::Unknown;
  return Beyond::Unknown;
}

/// True if columns behind the limit do not matter to a contraction.
bool LimitFinder::allowsContraction(ContractOp op, unsigned column) {
  bool isSum = column >= op.getParallelExtents().size();
  Block &body = kernel.getBody().front();
  if (!isSum) // nobody reads them, as is checked where it is read
    return !llvm::is_contained(body.getTerminator()->getOperands(),
                               op.getResult());
  Region *prologues[2] = {&op.getLhsPrologue(), &op.getRhsPrologue()};
  for (auto [k, read] : llvm::enumerate(op.getOperandReads()))
    if (get(read.tensor) == Beyond::Zero && prologues[k]->empty() &&
        !read.map.empty() &&
        read.map.back() == guard::getDim(op.getContext(), column))
      return true;
  return false;
}

static ReductionKind getKindOf(ReduceOp reduce, unsigned i) {
  return cast<AccumulationOpInterface>(reduce.getOperation()).getKind(i).kind;
}

bool LimitFinder::allows(NestOpInterface nest,
                         std::optional<unsigned> column) {
  if (!column)
    return true;
  if (auto contract = dyn_cast<ContractOp>(nest.getOperation()))
    return allowsContraction(contract, *column);
  Block &body = nest->getRegion(0).front();
  for (Operation &op : body.without_terminator())
    if (op.getNumResults() == 1)
      values[op.getResult(0)] = evaluate(op, nest, *column);
  Operation *yield = body.getTerminator();
  if (auto reduce = dyn_cast<ReduceOp>(nest.getOperation())) {
    for (unsigned i = 0; i < reduce.getNumResults(); ++i) {
      ReductionKind kind = getKindOf(reduce, i);
      Beyond value = get(yield->getOperand(i));
      if (!(kind == ReductionKind::Max && value == Beyond::Lowest) &&
          !(kind == ReductionKind::Sum && value == Beyond::Zero))
        return false;
    }
    return true;
  }
  Value result = nest->getResult(0);
  values[result] = get(yield->getOperand(0));
  return !llvm::is_contained(
      kernel.getBody().front().getTerminator()->getOperands(), result);
}

std::optional<ColumnLimit> LimitFinder::run() {
  if (shared == 0 || !findColumns())
    return std::nullopt;
  for (auto [nest, column] : llvm::zip_equal(nests, limit.dims))
    if (column && !isa<ContractOp>(nest.getOperation()))
      findLimit(nest, *column);
  // At least one column is left of each row, so that a row that is NaN shows it.
  if (limit.beyond < 1)
    return std::nullopt;
  for (auto [nest, column] : llvm::zip_equal(nests, limit.dims))
    if (!allows(nest, column))
      return std::nullopt;
  return limit;
}

std::optional<ColumnLimit> analysis::getColumnLimit(KernelOp kernel) {
  return LimitFinder(kernel).run();
}
