//===- RowFactors.cpp - Factors of rows behind their product --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFactors.h"

#include "kiln/Analysis/OnlineRows.h"
#include "kiln/Interfaces/AttentionMark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace {

/// A nest that multiplies exponentials by a factor of their row.
class Weights {
public:
  Weights(KernelOp kernel, PointwiseOp nest)
      : kernel(kernel), nest(nest), shared(kernel.getShared().size()) {}

  bool match();
  /// Puts the factor behind `product` and leaves the exponentials, rounded to bf16 if it
  /// is said.
  void moveBehind(ContractOp product, bool toBF16);

private:
  bool isOfRow(Value value) const;
  bool isScaled(Value value);
  bool isMaximumOf(Value value, Value element, PointwiseOp nest) const;
  bool isBound(Value value, Value element, PointwiseOp nest) const;
  bool isBounded(PointwiseOp exponentials) const;
  void scaleSum(ContractOp product);
  void round(ContractOp product);

  KernelOp kernel;
  PointwiseOp nest;
  unsigned shared;
  LoadOp exponential; ///< of this row and column
  Value weight;       ///< before it is rounded
};

} // namespace

static Block &getBlock(PointwiseOp nest) { return nest.getBody().front(); }

/// True if a value of the body is one for each row.
bool Weights::isOfRow(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() < shared;
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &getBlock(nest))
    return true; // a constant of the kernel
  return op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isa<RankedTensorType>(operand.getType()) || isOfRow(operand);
         });
}

/// True if a value is an exponential times values of the row, or 0 where one says so.
bool Weights::isScaled(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &getBlock(nest))
    return false;
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (exponential || isOfRow(value))
      return exponential == load;
    exponential = load;
    return true;
  }
  auto operand = [&](unsigned k) { return op->getOperand(k); };
  if (isa<arith::MulFOp>(op)) {
    bool first = isOfRow(operand(0));
    return first != isOfRow(operand(1)) && isScaled(operand(first));
  }
  if (isa<arith::DivFOp>(op))
    return isOfRow(operand(1)) && isScaled(operand(0));
  if (!isa<arith::SelectOp>(op) || !isOfRow(operand(0)))
    return false;
  bool first = matchPattern(operand(1), m_AnyZeroFloat());
  return (first || matchPattern(operand(2), m_AnyZeroFloat())) &&
         isScaled(operand(first ? 2 : 1));
}

/// True if a value of `nest` is the maximum over the row of what `element`, a value of
/// `nest` as well, is in each of its columns.
bool Weights::isMaximumOf(Value value, Value element, PointwiseOp nest) const {
  auto load = value.getDefiningOp<LoadOp>();
  auto result = load ? dyn_cast<OpResult>(load.getTensor()) : OpResult();
  auto reduce = result ? dyn_cast<ReduceOp>(result.getOwner()) : ReduceOp();
  if (!reduce ||
      reduce.getKind(result.getResultNumber()).kind != ReductionKind::Max)
    return false;
  auto own = cast<NestOpInterface>(nest.getOperation());
  auto made = cast<NestOpInterface>(reduce.getOperation());
  Value greatest = made->getRegion(0).front().getTerminator()->getOperand(
      result.getResultNumber());
  return analysis::readsOwnColumn(kernel, own, load.getTensor()) &&
         analysis::isSameInRow(shared, element, own, greatest, made);
}

/// True if a value of `nest` is such a maximum, or any finite number where that is minus
/// infinity: so are all elements of the row then.
bool Weights::isBound(Value value, Value element, PointwiseOp nest) const {
  if (isMaximumOf(value, element, nest))
    return true;
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compared =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  llvm::APFloat lowest(0.0f), instead(0.0f);
  return compared && compared.getPredicate() == arith::CmpFPredicate::OEQ &&
         matchPattern(compared.getRhs(), m_ConstantFloat(&lowest)) &&
         lowest.isInfinity() && lowest.isNegative() &&
         matchPattern(select.getTrueValue(), m_ConstantFloat(&instead)) &&
         instead.isFinite() && isMaximumOf(compared.getLhs(), element, nest) &&
         isMaximumOf(select.getFalseValue(), element, nest);
}

/// True if a nest yields e^(x - m) in f32, where m is the maximum of x in its row.
bool Weights::isBounded(PointwiseOp exponentials) const {
  auto exp = getBlock(exponentials)
                 .getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<math::ExpOp>();
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  return difference && exp.getType().isF32() &&
         isBound(difference.getRhs(), difference.getLhs(), exponentials);
}

/// True if `load` reads each element of a tensor that is like the result of its nest at
/// the nest's own place.
static bool readsOwn(LoadOp load, PointwiseOp nest) {
  auto type = cast<RankedTensorType>(load.getTensor().getType());
  auto own = cast<RankedTensorType>(nest.getResult().getType());
  if (load.getMask() || type.getShape() != own.getShape() ||
      type.getEncoding() != own.getEncoding())
    return false;
  Block &block = getBlock(nest);
  for (auto [k, expr] : llvm::enumerate(getExprs(load.getMap()))) {
    if (expr.isConstant(0) && type.getDimSize(k) == 1)
      continue;
    if (!expr.isDim() ||
        load.getIndices()[expr.getPosition()] != block.getArgument(k))
      return false;
  }
  return true;
}

bool Weights::match() {
  Block &block = getBlock(nest);
  Value yielded = weight = block.getTerminator()->getOperand(0);
  if (auto rounding = yielded.getDefiningOp<arith::TruncFOp>())
    weight = rounding.getIn();
  if (!isScaled(weight) || weight == exponential.getResult() ||
      !readsOwn(exponential, nest))
    return false;
  for (BlockArgument own : block.getArguments().drop_front(shared))
    for (Operation *user : own.getUsers())
      if (user != exponential)
        return false;
  auto source = exponential.getTensor().getDefiningOp<PointwiseOp>();
  return source && isBounded(source);
}

static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Multiplies what `product` adds up by the factor, in front of its epilogue.
void Weights::scaleSum(ContractOp product) {
  OpBuilder builder(product);
  bool isNew = product.getEpilogue().empty();
  Block *epilogue = isNew ? product.addEpilogue(builder)
                          : &product.getEpilogue().front();
  BlockArgument sum = epilogue->getArgument(0);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : sum.getUses())
    uses.push_back(&use);
  builder.setInsertionPointToStart(epilogue);
  IRMapping mapping;
  auto dims = getSharedDims(product, getExprs(kernel.getShared()));
  for (auto [k, dim] : llvm::enumerate(*dims))
    mapping.map(getBlock(nest).getArgument(k),
                dim ? Value(epilogue->getArgument(*dim + 1))
                    : arith::ConstantIndexOp::create(builder, nest.getLoc(), 0));
  mapping.map(exponential.getResult(), sum);
  for (Operation &op : getBlock(nest).without_terminator()) {
    if (&op == exponential)
      continue;
    auto load = dyn_cast<LoadOp>(builder.clone(op, mapping));
    if (!load || !load.getTensor().getDefiningOp<NestOpInterface>())
      continue;
    // Dimensions of extent 1 are written as the product's operand has them.
    SmallVector<guard::ExprAttr> map = getExprs(load.getMap());
    for (auto [k, dim] : llvm::enumerate(*dims))
      if (!dim)
        map[k] = guard::getConstant(load.getContext(), 0);
    load.setMapAttr(getExprArray(load.getContext(), map));
  }
  Value scaled = mapping.lookup(weight);
  for (OpOperand *use : uses)
    use->set(scaled);
  if (isNew) {
    Type element =
        cast<RankedTensorType>(product.getResult().getType()).getElementType();
    if (element != scaled.getType())
      scaled = arith::TruncFOp::create(builder, nest.getLoc(), element, scaled);
    YieldOp::create(builder, nest.getLoc(), scaled);
  }
  eraseDead(*epilogue);
}

/// Keeps what the nest yields in bf16, which `product` extends.
void Weights::round(ContractOp product) {
  auto type = cast<RankedTensorType>(nest.getResult().getType());
  OpBuilder builder(nest);
  Type narrow = builder.getBF16Type(), wide = type.getElementType();
  Operation *yield = getBlock(nest).getTerminator();
  builder.setInsertionPoint(yield);
  yield->setOperand(0, arith::TruncFOp::create(builder, nest.getLoc(), narrow,
                                               yield->getOperand(0)));
  nest.getResult().setType(
      RankedTensorType::get(type.getShape(), narrow, type.getEncoding()));
  Block *prologue = builder.createBlock(&product.getLhsPrologue(), {}, {narrow},
                                        {product.getLoc()});
  YieldOp::create(builder, product.getLoc(),
                  arith::ExtFOp::create(builder, product.getLoc(), wide,
                                        prologue->getArgument(0))
                      .getResult());
}

void Weights::moveBehind(ContractOp product, bool toBF16) {
  scaleSum(product);
  weight.replaceAllUsesWith(exponential.getResult());
  eraseDead(getBlock(nest));
  Value exponentials = exponential.getTensor();
  if (exponentials.getType() != nest.getResult().getType())
    return; // which rounds already
  if (toBF16)
    return round(product);
  nest.getResult().replaceAllUsesWith(exponentials);
  nest.erase();
}

/// True if each row of the kernel is a row of the product.
static bool keepsRows(ContractOp product, ArrayRef<guard::ExprAttr> shared) {
  auto dims = getSharedDims(product, shared);
  return dims && llvm::all_of(*dims, [&](std::optional<unsigned> dim) {
           return !dim || *dim < product.getParallelExtents().size();
         });
}

/// True if all kernels that read `result` round what they read to bf16 at once.
static bool isRounded(Value result) {
  for (OpOperand &use : result.getUses()) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    if (!reader)
      return false;
    Value argument = reader.getBody().getArgument(use.getOperandNumber());
    for (Operation *user : argument.getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!load || !llvm::all_of(load->getUsers(), [](Operation *op) {
            return isa<arith::TruncFOp>(op) && op->getResult(0).getType().isBF16();
          }))
        return false;
    }
  }
  return !result.use_empty();
}

/// True if the second factor and the result of `product` are bf16.
static bool isOfBF16(ContractOp product, ArrayRef<OpResult> results) {
  Type right = analysis::getUnitType(product, /*isLeft=*/false);
  if (!right || !right.isBF16())
    return false;
  Value made = product.getResult();
  if (cast<RankedTensorType>(made.getType()).getElementType().isBF16())
    return true;
  Operation *end = product->getBlock()->getTerminator();
  return made.hasOneUse() && made.getUses().begin()->getOwner() == end &&
         isRounded(results[made.getUses().begin()->getOperandNumber()]);
}

void loop::scaleBehindProducts(KernelOp kernel, ArrayRef<OpResult> results,
                               bool hasBF16Units) {
  SmallVector<guard::ExprAttr> shared = getExprs(kernel.getShared());
  for (ContractOp product : kernel.getBody().getOps<ContractOp>()) {
    auto nest = product.getLhs().getDefiningOp<PointwiseOp>();
    if (!nest || !product->hasAttr(kAttentionAttrName) ||
        !nest.getResult().hasOneUse() ||
        !product.getLhsPrologue().empty() || !product.getAccType().isF32() ||
        !keepsRows(product, shared))
      continue;
    Weights weights(kernel, nest);
    if (weights.match())
      weights.moveBehind(product, hasBF16Units && isOfBF16(product, results));
  }
}
