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

  /// The op's values in a body at `block`; failure has been reported.
  FailureOr<SmallVector<Value>> clone(ArrayRef<Value> values, Block &block);
  LogicalResult cloneOp(Operation *def, Block &block, IRMapping &known);
  LogicalResult bindOutside(Value value, Block &block, IRMapping &known);
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

/// Binds what no op of the body computes: an element of an operand, or a number from
/// outside.
LogicalResult NestMaker::bindOutside(Value value, Block &block,
                                     IRMapping &known) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBlock()) {
    unsigned operand = argument.getArgNumber();
    // An accumulation reads its own output by its combiner, which is not cloned.
    if (op.getNumReductionLoops() > 0 && operand >= op.getNumDpsInputs())
      return op->emitOpError("accumulates a value that is computed from what "
                             "result ")
             << operand - op.getNumDpsInputs()
             << " has so far, expected values that are computed from inputs";
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    known.map(value, readElement(inner, block, operand));
    return success();
  }
  if (isa<RankedTensorType>(value.getType()))
    return op->emitOpError("has a body that uses a tensor from outside of it, "
                           "expected it among the operands");
  known.map(value, value);
  return success();
}

LogicalResult NestMaker::cloneOp(Operation *def, Block &block,
                                 IRMapping &known) {
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    known.map(index.getResult(),
              block.getArgument(structured.order[index.getDim()]));
    return success();
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(def->getDialect()))
    return op->emitOpError("has '")
           << def->getName()
           << "' in its body, expected ops of arith and math";
  for (Value operand : def->getOperands())
    if (!known.contains(operand) &&
        failed(bindOutside(operand, block, known)))
      return failure();
  OpBuilder::atBlockEnd(&block).clone(*def, known);
  return success();
}

FailureOr<SmallVector<Value>> NestMaker::clone(ArrayRef<Value> values,
                                               Block &block) {
  // Uses come after definitions, so a walk backwards finds all that is needed; no
  // recursion, because bodies may be long chains.
  Block *body = op.getBlock();
  llvm::DenseSet<Value> needed(values.begin(), values.end());
  SmallVector<Operation *> ops;
  for (Operation &def : llvm::reverse(*body)) {
    if (!llvm::any_of(def.getResults(),
                      [&](Value result) { return needed.contains(result); }))
      continue;
    ops.push_back(&def);
    needed.insert(def.operand_begin(), def.operand_end());
  }
  IRMapping known;
  for (Operation *def : llvm::reverse(ops))
    if (failed(cloneOp(def, block, known)))
      return failure();
  SmallVector<Value> cloned;
  for (Value value : values) {
    if (!known.contains(value) && failed(bindOutside(value, block, known)))
      return failure();
    cloned.push_back(known.lookup(value));
  }
  return cloned;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

FailureOr<Value> NestMaker::makePointwise(unsigned i) {
  auto nest = loop::PointwiseOp::create(builder, loc, getType(i),
                                        structured.parallel, origins);
  Block &block = nest.getBody().front();
  auto element = clone(op.getBlock()->getTerminator()->getOperand(i), block);
  if (failed(element))
    return failure();
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  loop::YieldOp::create(inner, loc, *element);
  return nest.getResult();
}

/// The tensor element of which `value` is, widened at most; the number of the
/// operand of `op`. A contraction reads a truth as 0 or 1, `arith.extsi` as 0 or -1.
static std::optional<unsigned> getFactor(linalg::LinalgOp op, Value value) {
  if (auto *def = value.getDefiningOp();
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(def) &&
      def->getBlock() == op.getBlock() &&
      !def->getOperand(0).getType().isInteger(1))
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
    SmallVector<Value> values;
    for (const Accumulation &sum : sums)
      values.push_back(sum.value);
    auto elements = clone(values, block);
    if (failed(elements))
      return failure();
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    loop::YieldOp::create(inner, loc, *elements);
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
    Operation *before = op->getPrevNode();
    auto results = NestMaker(*structured).make();
    if (failed(results)) {
      while (op->getPrevNode() != before)
        op->getPrevNode()->erase();
      return failure();
    }
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
