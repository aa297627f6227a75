//===- ColumnLimit.cpp - How far the rows of a kernel reach --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies are evaluated for a column behind the limit: a condition that says so is
// false, and what follows from it is a constant or not known. Behind the limit nothing
// is written, so what reads a row of the kernel may do so at its own column only.
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
enum class Beyond {
  Unknown,
  Row,   ///< the same for all columns of a row
  Score, ///< a product, or one scaled and shifted by values of the row
  False,
  Zero,
  Lowest
};

/// Reaches beyond this are no limit of a row that fits into memory, and a limit must
/// not wrap when rows and lanes are added.
constexpr int64_t kMaxReach = int64_t(1) << 31;

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
  bool readsOwnColumn(NestOpInterface nest, std::optional<unsigned> column);
  bool allows(NestOpInterface nest, std::optional<unsigned> column);
  bool allowsContraction(ContractOp op, unsigned column);
  void evaluateEpilogue(ContractOp op, unsigned column);
  Beyond evaluate(Operation &op, NestOpInterface nest, unsigned column);
  Beyond evaluateLoad(LoadOp load, NestOpInterface nest, unsigned column);
  Beyond get(Value value) const { return values.lookup(value); }

  KernelOp kernel;
  unsigned shared;
  SmallVector<NestOpInterface> nests;
  ColumnLimit limit{{}, 0, {}};
  llvm::DenseMap<Value, Beyond> values; ///< of bodies, and elements of tensors
  llvm::DenseMap<Value, unsigned> columns; ///< dimension of tensors with columns
};
} // namespace

/// The dimension of a contraction that counts columns: the sum of one that reads rows,
/// what it reads of them if it sums over the rows, else what it makes rows of.
static std::optional<unsigned> getColumn(ContractOp op,
                                         ArrayRef<ExprAttr> shared) {
  Domain domain = op.getDomain();
  unsigned parallel = domain.parallel.size();
  bool reads = false;
  std::optional<unsigned> column;
  for (const OperandRead &read : op.getOperandReads()) {
    if (!read.tensor.getDefiningOp<NestOpInterface>())
      continue;
    ExprAttr index = read.map.back();
    bool isSame = !reads || (index.isDim() && column == index.getPosition());
    column = index.isDim() && isSame ? std::optional(index.getPosition())
                                     : std::nullopt;
    reads = true;
  }
  if (sumsOverRows(op, shared))
    return column && *column < parallel ? column : std::nullopt;
  unsigned from = reads ? parallel : shared.size();
  unsigned to = reads ? domain.all().size() : parallel;
  return to == from + 1 ? std::optional(from) : std::nullopt;
}

/// Finds the dimension of each nest that counts columns; false if it is not clear
/// which it is.
bool LimitFinder::findColumns() {
  SmallVector<ExprAttr> sharedExtents = getExprs(kernel.getShared());
  for (NestOpInterface nest : nests) {
    Domain domain = nest.getDomain();
    SmallVector<ExprAttr> extents = domain.all();
    std::optional<unsigned> column;
    if (auto contract = dyn_cast<ContractOp>(nest.getOperation())) {
      column = getColumn(contract, sharedExtents);
      if (!column)
        return false;
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
/// used as a number. A narrow number is none: it may have wrapped.
static ExprAttr getIndexExpr(Value value, NestOpInterface nest) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
    Type narrow = cast.getIn().getType().isIndex() ? cast.getType()
                                                   : cast.getIn().getType();
    if (!narrow.isInteger(64))
      return {};
    value = cast.getIn();
  }
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
  std::optional<int64_t> reach = rest.getConstant();
  return reach && *reach <= kMaxReach ? reach : std::nullopt;
}

/// Takes the farthest limit that a condition of the nest states.
void LimitFinder::findLimit(NestOpInterface nest, unsigned column) {
  nest->walk([&](arith::CmpIOp compare) {
    if (auto reach = getReach(compare, nest, column))
      limit.beyond = std::max(limit.beyond, *reach);
  });
}

static Beyond evaluateConstant(arith::ConstantOp constant) {
  if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
    const APFloat &value = number.getValue();
    if (value.isZero())
      return Beyond::Zero;
    if (value.isInfinity() && value.isNegative())
      return Beyond::Lowest;
  }
  return Beyond::Row;
}

/// What an operation of a body gives for a column behind the limit.
Beyond LimitFinder::evaluate(Operation &op, NestOpInterface nest,
                             unsigned column) {
  auto operand = [&](unsigned i) { return get(op.getOperand(i)); };
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto reach = getReach(compare, nest, column);
    if (reach && *reach <= limit.beyond)
      return Beyond::False;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(constant);
  if (isa<arith::SelectOp>(op)) {
    if (operand(0) == Beyond::False)
      return operand(2);
    if (operand(0) != Beyond::Row)
      return operand(1) == operand(2) && operand(1) != Beyond::Row
                 ? operand(1)
                 : Beyond::Unknown;
    if (operand(1) == operand(2))
      return operand(1);
  }
  if (isa<arith::AndIOp>(op) &&
      (operand(0) == Beyond::False || operand(1) == Beyond::False))
    return Beyond::False;
  if (auto load = dyn_cast<LoadOp>(op))
    return evaluateLoad(load, nest, column);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return operand(0);
  if (isa<math::ExpOp, math::Exp2Op>(op) && operand(0) == Beyond::Lowest)
    return Beyond::Zero;
  auto is = [&](unsigned i, ArrayRef<Beyond> kinds) {
    return llvm::is_contained(kinds, operand(i));
  };
  // What an infinity or a NaN among the values of the row does, the columns inside the
  // limit show. Any other operand may be one at this column alone; only scores to
  // which a mask is added are taken to be finite.
  if (isa<arith::SubFOp>(op) && is(0, Beyond::Lowest))
    return is(1, {Beyond::Row, Beyond::Zero}) ? Beyond::Lowest
                                              : Beyond::Unknown;
  if (isa<arith::AddFOp>(op))
    for (unsigned i : {0, 1})
      if (is(i, Beyond::Lowest))
        return is(1 - i,
                  {Beyond::Row, Beyond::Zero, Beyond::Lowest, Beyond::Score})
                   ? Beyond::Lowest
                   : Beyond::Unknown;
  if (isa<arith::MulFOp>(op))
    for (unsigned i : {0, 1})
      if (is(i, Beyond::Zero))
        return is(1 - i, {Beyond::Row, Beyond::Zero, Beyond::Score})
                   ? Beyond::Zero
                   : Beyond::Unknown;
  if (isa<arith::DivFOp>(op) && is(0, Beyond::Zero))
    return is(1, Beyond::Row) ? Beyond::Zero : Beyond::Unknown;
  if (op.getNumOperands() > 0 && op.getNumRegions() == 0 &&
      isMemoryEffectFree(&op) && llvm::all_of(op.getOperands(), [&](Value in) {
        return get(in) == Beyond::Row;
      }))
    return Beyond::Row;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) &&
      is(0, {Beyond::Score, Beyond::Row}) && is(1, {Beyond::Score, Beyond::Row}))
    return Beyond::Score;
  if (isa<arith::DivFOp>(op) && is(0, Beyond::Score) && is(1, Beyond::Row))
    return Beyond::Score;
  return Beyond::Unknown;
}

/// A row of the kernel is known at the column itself, and anything that is read at
/// places that do not depend on the column is of the row.
Beyond LimitFinder::evaluateLoad(LoadOp load, NestOpInterface nest,
                                 unsigned column) {
  if (load.getMask())
    return Beyond::Unknown;
  if (columns.contains(load.getTensor())) // as readsOwnColumn has checked
    return get(load.getTensor());
  for (Value index : load.getIndices()) {
    ExprAttr expr = getIndexExpr(index, nest);
    if (!expr || guard::contains(expr, guard::getDim(load.getContext(), column)))
      return Beyond::Unknown;
  }
  return Beyond::Row;
}

/// True if a nest reads rows of the kernel, in its body and around a contraction, at
/// its own column only: others may not have been written.
bool LimitFinder::readsOwnColumn(NestOpInterface nest,
                                 std::optional<unsigned> column) {
  return llvm::all_of(getReads(nest), [&](const Access &access) {
    auto dim = columns.find(access.tensor);
    return dim == columns.end() ||
           (column && !access.indirect &&
            access.map[dim->second] ==
                guard::getDim(nest->getContext(), *column));
  });
}

/// What a contraction that makes rows gives for a column behind the limit.
void LimitFinder::evaluateEpilogue(ContractOp op, unsigned column) {
  values[op.getResult()] = Beyond::Score;
  if (op.getEpilogue().empty())
    return;
  Block &body = op.getEpilogue().front();
  values[body.getArgument(0)] = Beyond::Score;
  for (Operation &each : body.without_terminator())
    if (each.getNumResults() == 1)
      values[each.getResult(0)] = evaluate(each, op, column);
  Beyond stored = get(body.getTerminator()->getOperand(0));
  values[op.getResult()] = stored == Beyond::Unknown ? Beyond::Score : stored;
}

/// True if an operand is multiplied as it lies in memory, or extended.
static bool keepsZeros(Region &prologue) {
  if (prologue.empty())
    return true;
  Value made = prologue.front().getTerminator()->getOperand(0);
  while (auto extension = made.getDefiningOp<arith::ExtFOp>())
    made = extension.getIn();
  return made == prologue.front().getArgument(0);
}

/// True if columns behind the limit do not matter to a contraction.
bool LimitFinder::allowsContraction(ContractOp op, unsigned column) {
  bool makesRows = column < op.getParallelExtents().size() &&
                   !sumsOverRows(op, getExprs(kernel.getShared()));
  Block &body = kernel.getBody().front();
  if (makesRows) { // nobody reads them, as is checked where it is read
    evaluateEpilogue(op, column);
    columns[op.getResult()] = column;
    return !llvm::is_contained(body.getTerminator()->getOperands(),
                               op.getResult());
  }
  Region *prologues[2] = {&op.getLhsPrologue(), &op.getRhsPrologue()};
  for (auto [k, read] : llvm::enumerate(op.getOperandReads()))
    if (get(read.tensor) == Beyond::Zero && keepsZeros(*prologues[k]) &&
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
  if (!readsOwnColumn(nest, column))
    return false;
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
    if (*column < nest.getDomain().parallel.size())
      return false; // its results have columns
    for (unsigned i = 0; i < reduce.getNumResults(); ++i) {
      ReductionKind kind = getKindOf(reduce, i);
      Beyond value = get(yield->getOperand(i));
      if (!(kind == ReductionKind::Max && value == Beyond::Lowest) &&
          !(kind == ReductionKind::Sum && value == Beyond::Zero))
        return false;
    }
    return true;
  }
  if (!nest.isPointwise())
    return false; // columns depend on others
  Value result = nest->getResult(0);
  columns[result] = *column;
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
  for (auto constant : kernel.getBody().getOps<arith::ConstantOp>())
    values[constant] = evaluateConstant(constant); // of all nests
  for (auto [nest, column] : llvm::zip_equal(nests, limit.dims))
    if (!allows(nest, column))
      return std::nullopt;
  return limit;
}

std::optional<ColumnLimit> analysis::getColumnLimit(KernelOp kernel) {
  return LimitFinder(kernel).run();
}
