//===- LinalgToLoop.cpp - Structured ops as loop nests --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredOp.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Conversion/LinalgToLoop/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace kiln {
#define GEN_PASS_DEF_CONVERTLINALGTOLOOPPASS
#include "kiln/Conversion/LinalgToLoop/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace mlir;
using guard::ExprAttr;
using loop::ReductionKind;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The one value of all elements of `tensor`, if it is known.
static TypedAttr getFill(Value tensor) {
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<TypedAttr>();
  auto nest = tensor.getDefiningOp<loop::PointwiseOp>();
  if (!nest)
    return {};
  TypedAttr value;
  Value yielded = nest.getBody().front().getTerminator()->getOperand(0);
  return matchPattern(yielded, m_Constant(&value)) ? value : TypedAttr();
}

namespace {

/// Makes the nests of one op.
class NestMaker {
public:
  explicit NestMaker(StructuredOp &structured)
      : structured(structured), op(structured.op), loc(op.getLoc()),
        builder(op) {
    origins =
        builder.getStrArrayAttr({op->getName().stripDialect().split('.').first});
  }

  /// The results in loop form; failure has been reported.
  FailureOr<SmallVector<Value>> make();

private:
  FailureOr<Value> makePointwise(unsigned i);
  FailureOr<SmallVector<Value>> makeReduce();
  Value makeContract(const Accumulation &sum);
  Value joinInit(unsigned i, ReductionKind kind, Value reduced);

  /// The op's value in a body at `block`; null after an error.
  Value clone(Value value, Block &block, IRMapping &known);
  Value readElement(OpBuilder &inner, Block &block, unsigned operand);
  RankedTensorType getType(unsigned i) {
    return cast<RankedTensorType>(op->getResult(i).getType());
  }

  StructuredOp &structured;
  linalg::LinalgOp op;
  Location loc;
  OpBuilder builder;
  ArrayAttr origins;
};

} // namespace

Value NestMaker::readElement(OpBuilder &inner, Block &block, unsigned operand) {
  Value value = op->getOperand(operand);
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (TypedAttr fill = getFill(value))
    return arith::ConstantOp::create(inner, loc, fill);
  return loop::LoadOp::create(inner, loc, value, block.getArguments(),
                              structured.indices[operand]);
}

Value NestMaker::clone(Value value, Block &block, IRMapping &known) {
  if (Value found = known.lookupOrNull(value))
    return found;
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return value; // a number from outside
    Value element = readElement(inner, block, argument.getArgNumber());
    known.map(value, element);
    return element;
  }
  Operation *def = value.getDefiningOp();
  if (def->getBlock() != op.getBlock()) {
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    op->emitOpError("has a body that uses a tensor from outside of it, expected "
                    "it among the operands");
    return {};
  }
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    Value position = block.getArgument(structured.order[index.getDim()]);
    known.map(value, position);
    return position;
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(def->getDialect())) {
    op->emitOpError("has '") << def->getName()
                             << "' in its body, expected ops of arith and math";
    return {};
  }
  for (Value operand : def->getOperands())
    if (!clone(operand, block, known))
      return {};
  for (Value operand : def->getOperands())
    if (!known.contains(operand))
      known.map(operand, operand);
  inner.setInsertionPointToEnd(&block);
  inner.clone(*def, known);
  return known.lookup(value);
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

FailureOr<Value> NestMaker::makePointwise(unsigned i) {
  auto nest = loop::PointwiseOp::create(builder, loc, getType(i),
                                        structured.parallel, origins);
  Block &block = nest.getBody().front();
  IRMapping known;
  Value element =
      clone(op.getBlock()->getTerminator()->getOperand(i), block, known);
  if (!element)
    return failure();
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  loop::YieldOp::create(inner, loc, element);
  return nest.getResult();
}

/// The tensor element of which `value` is, widened at most; the number of the
/// operand of `op`.
static std::optional<unsigned> getFactor(linalg::LinalgOp op, Value value) {
  if (auto *def = value.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(def) &&
      def->getBlock() == op.getBlock())
    value = def->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs() ||
      !isa<RankedTensorType>(
          op->getOperand(argument.getArgNumber()).getType()))
    return std::nullopt;
  return argument.getArgNumber();
}

Value NestMaker::makeContract(const Accumulation &sum) {
  Operation *product = sum.value.getDefiningOp();
  Type acc = getType(0).getElementType();
  if (op->getNumResults() != 1 || sum.kind != ReductionKind::Sum ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) ||
      !(acc.isF32() || acc.isF64() || acc.isInteger(32) || acc.isInteger(64)))
    return {};
  auto lhs = getFactor(op, product->getOperand(0));
  auto rhs = getFactor(op, product->getOperand(1));
  if (!lhs || !rhs)
    return {};
  // What jumps within a row is packed by no contraction.
  Exprs extents(structured.parallel);
  llvm::append_range(extents, structured.reduction);
  for (unsigned operand : {*lhs, *rhs})
    if (!analysis::isStraight(
            cast<RankedTensorType>(op->getOperand(operand).getType()),
            structured.indices[operand], extents, guard::Assumptions()))
      return {};
  return loop::ContractOp::create(
      builder, loc, getType(0), op->getOperand(*lhs), op->getOperand(*rhs),
      structured.parallel, structured.reduction, structured.indices[*lhs],
      structured.indices[*rhs], acc, origins);
}

/// Joins what `reduced` holds with what the result starts from.
Value NestMaker::joinInit(unsigned i, ReductionKind kind, Value reduced) {
  RankedTensorType type = getType(i);
  unsigned operand = op.getNumDpsInputs() + i;
  TypedAttr neutral = loop::getNeutral(builder, kind, 0, type.getElementType(),
                                       /*isUnsigned=*/false);
  if (getFill(op->getOperand(operand)) == neutral)
    return reduced;
  auto nest = loop::PointwiseOp::create(builder, loc, type, structured.parallel,
                                        origins);
  Block &block = nest.getBody().front();
  ImplicitLocOpBuilder inner(loc, OpBuilder::atBlockEnd(&block));
  Value first = readElement(inner, block, operand);
  Value rest = loop::LoadOp::create(inner, reduced, block.getArguments());
  SmallVector<Value> joined;
  loop::combineKind(inner, kind, /*isUnsigned=*/false, first, rest, joined);
  loop::YieldOp::create(inner, joined);
  return nest.getResult();
}

FailureOr<SmallVector<Value>> NestMaker::makeReduce() {
  SmallVector<Accumulation> sums;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    auto sum = structured.getAccumulation(i);
    if (failed(sum))
      return failure();
    sums.push_back(*sum);
  }
  SmallVector<Value> results;
  if (Value contracted = makeContract(sums[0])) {
    results.push_back(contracted);
  } else {
    SmallVector<ReductionKind> kinds;
    for (const Accumulation &sum : sums)
      kinds.push_back(sum.kind);
    auto nest = loop::ReduceOp::create(builder, loc, op->getResultTypes(),
                                       structured.parallel,
                                       structured.reduction, kinds, origins);
    Block &block = nest.getBody().front();
    IRMapping known;
    SmallVector<Value> elements;
    for (const Accumulation &sum : sums) {
      elements.push_back(clone(sum.value, block, known));
      if (!elements.back())
        return failure();
    }
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    loop::YieldOp::create(inner, loc, elements);
    llvm::append_range(results, nest.getResults());
  }
  for (auto [i, sum] : llvm::enumerate(sums))
    results[i] = joinInit(i, sum.kind, results[i]);
  return results;
}

FailureOr<SmallVector<Value>> NestMaker::make() {
  if (op.getNumReductionLoops() > 0)
    return makeReduce();
  SmallVector<Value> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    auto result = makePointwise(i);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct ConvertLinalgToLoop
    : kiln::impl::ConvertLinalgToLoopPassBase<ConvertLinalgToLoop> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("expected a function of one block, but found ")
          << function.getBody().getBlocks().size();
      return signalPassFailure();
    }
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front()))
      if (isLinalg(&op) && failed(convert(&op)))
        return signalPassFailure();
    removeEmpty(function);
    WalkResult left = function.walk<WalkOrder::PreOrder>([](Operation *op) {
      if (!isLinalg(op))
        return WalkResult::advance();
      op->emitOpError("stands inside of another op, expected it at the top of "
                      "a function");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }

private:
  static bool isLinalg(Operation *op) {
    return isa_and_nonnull<linalg::LinalgDialect>(op->getDialect());
  }

  static LogicalResult convert(Operation *op) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return op->emitOpError(
          "has no iterators; decompose it into structured ops first");
    auto structured = StructuredOp::read(linalgOp);
    if (failed(structured))
      return failure();
    auto results = NestMaker(*structured).make();
    if (failed(results))
      return failure();
    op->replaceAllUsesWith(*results);
    op->erase();
    return success();
  }

  /// What results started from, where no nest reads it.
  static void removeEmpty(func::FuncOp function) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isa<tensor::EmptyOp, loop::PointwiseOp>(op) && op.use_empty())
        op.erase();
  }
};

} // namespace
