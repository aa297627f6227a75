//===- Bodies.cpp - Moving code between the bodies of nests ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Support/Remarks.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

SmallVector<Type> loop::getAccumulatorElements(AccumulationOpInterface op) {
  SmallVector<Type> types = op.getAccumulatorTypes();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    if (type.isInteger() && !type.isInteger(1) && hasUnsignedElements(result))
      type = IntegerType::get(op.getContext(), type.getIntOrFloatBitWidth(),
                              IntegerType::Unsigned);
  return types;
}

std::optional<int64_t> loop::countPoints(ArrayRef<guard::ExprAttr> extents) {
  uint64_t points = 1;
  for (guard::ExprAttr extent : extents) {
    auto constant = extent.getConstant();
    if (!constant || *constant < 0)
      return std::nullopt;
    points = llvm::SaturatingMultiply<uint64_t>(points, *constant);
  }
  return std::min<uint64_t>(points, INT64_MAX);
}

NestOpInterface loop::getNest(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto nest = dyn_cast<NestOpInterface>(op))
      return nest;
  return {};
}

Value loop::createIndex(OpBuilder &builder, Location location,
                        guard::ExprAttr expr, ValueRange operands) {
  if (expr.isDim())
    return operands[expr.getPosition()];
  return IndexOp::create(builder, location, builder.getIndexType(), operands,
                         expr);
}

/// Zero of a scalar type.
static Value createZero(OpBuilder &builder, Location location, Type type) {
  return arith::ConstantOp::create(builder, location,
                                   cast<TypedAttr>(builder.getZeroAttr(type)));
}

SmallVector<Value> loop::cloneBody(OpBuilder &builder, Block &body,
                                   ValueRange arguments, Value mask) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || !mask) {
      builder.clone(op, mapping);
      continue;
    }
    Location location = load.getLoc();
    auto mapped = [&](Value value) { return mapping.lookupOrDefault(value); };
    Value both = mask, other;
    if (load.getMask()) {
      both = arith::AndIOp::create(builder, location, mask,
                                   mapped(load.getMask()));
      other = mapped(load.getOther());
    } else {
      other = createZero(builder, location, load.getType());
    }
    SmallVector<Value> indices =
        llvm::map_to_vector(load.getIndices(), mapped);
    SmallVector<guard::ExprAttr> map = getExprs(load.getMap());
    mapping.map(load.getResult(),
                LoadOp::create(builder, location, mapped(load.getTensor()),
                               indices, map, both, other)
                    .getResult());
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Value loop::roundToElement(OpBuilder &builder, Location location, Value value,
                           RankedTensorType type) {
  Type wanted = getBodyType(type.getElementType());
  if (value.getType() == wanted)
    return value;
  return isa<FloatType>(wanted)
             ? Value(arith::TruncFOp::create(builder, location, wanted, value))
             : Value(arith::TruncIOp::create(builder, location, wanted, value));
}

void loop::inlineLoad(LoadOp load, PointwiseOp producer) {
  OpBuilder builder(load);
  SmallVector<Value> indices;
  for (guard::ExprAttr expr : getExprs(load.getMap()))
    indices.push_back(
        createIndex(builder, load.getLoc(), expr, load.getIndices()));
  Value value = cloneBody(builder, producer.getBody().front(), indices,
                          load.getMask())[0];
  if (load.getMask())
    value = arith::SelectOp::create(builder, load.getLoc(), load.getMask(),
                                    value, load.getOther());
  load.replaceAllUsesWith(value);
  load.erase();
}

/// The bounds of the index operands of an op inside `nest`.
static void addBounds(guard::Assumptions &assumptions, NestOpInterface nest,
                      ValueRange indices) {
  SmallVector<guard::ExprAttr> extents = nest.getDomain().all();
  for (auto [i, index] : llvm::enumerate(indices))
    if (auto argument = dyn_cast<BlockArgument>(index))
      if (auto dimension = nest.getDimensionOf(argument))
        assumptions.setExtent(guard::getDim(nest->getContext(), i),
                              extents[*dimension]);
}

namespace {

/// Rounds what lies within bounds once. Rounding keeps the order of numbers and what has few
/// digits, so that it need not be done before the bounds are taken as well as behind:
///
///   round(max(widen(round(x)), 0))     round(max(x, 0))
struct RoundOnce : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    SmallVector<OpOperand *> bounded; // the last one first
    Value value = op.getIn();
    while (OpOperand *operand = getBounded(value, type)) {
      bounded.push_back(operand);
      value = operand->get();
    }
    auto widened = value.getDefiningOp<arith::ExtFOp>();
    auto rounded = widened ? widened.getIn().getDefiningOp<arith::TruncFOp>()
                           : arith::TruncFOp();
    if (bounded.empty() || !rounded || rounded.getType() != op.getType() ||
        rounded.getIn().getType() != value.getType())
      return failure();
    value = rounded.getIn();
    for (OpOperand *operand : llvm::reverse(bounded)) {
      IRMapping mapping;
      mapping.map(operand->get(), value);
      rewriter.setInsertionPoint(op);
      value = rewriter.clone(*operand->getOwner(), mapping)->getResult(0);
    }
    rewriter.modifyOpInPlace(op, [&] { op.getInMutable().assign(value); });
    return success();
  }

  /// The operand of a maximum or minimum whose other one is a number of `type`.
  static OpOperand *getBounded(Value value, FloatType type) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op))
      return nullptr;
    for (unsigned k : {0, 1}) {
      APFloat bound(0.0f);
      bool loses = true;
      if (matchPattern(op->getOperand(1 - k), m_ConstantFloat(&bound)))
        bound.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &loses);
      if (!loses)
        return &op->getOpOperand(k);
    }
    return nullptr;
  }
};

} // namespace

void loop::simplifyBodies(func::FuncOp function,
                          const analysis::SizeHints &hints) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  LoadOp::getCanonicalizationPatterns(patterns, context);
  patterns.add<RoundOnce>(context);
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  // Bodies are one block each.
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
  function.walk([&](LoadOp load) {
    NestOpInterface nest = getNest(load);
    if (!nest)
      return;
    guard::Assumptions assumptions = hints.getAssumptions();
    addBounds(assumptions, nest, load.getIndices());
    SmallVector<guard::ExprAttr> map = getExprs(load.getMap());
    // Under a mask an index may leave its tensor, but not its own bounds.
    for (guard::ExprAttr &expr : map)
      expr = guard::simplify(expr, assumptions);
    load.setMapAttr(getExprArray(context, map));
  });
  IRRewriter rewriter(context);
  DominanceInfo dominance(function);
  // Nests one by one: they hash alike, so that each would be compared with all.
  for (Operation &op : function.getBody().front())
    if (op.getNumRegions() != 0)
      eliminateCommonSubExpressions(rewriter, dominance, &op);
}

SymbolDefiners::SymbolDefiners(Block &block) {
  for (Type type : block.getArgumentTypes())
    type.walk([&](guard::ExprAttr expr) {
      SmallVector<StringAttr> names;
      guard::collectSymbols(expr, names);
      for (StringAttr name : names)
        definers[name] = nullptr;
    });
}

bool SymbolDefiners::visit(Operation &op,
                           llvm::function_ref<void(Operation *)> use) {
  auto note = [&](StringAttr name) {
    Operation *definer = definers.lookup(name);
    if (definer && definer != &op)
      use(definer);
  };
  op.walk([&](Operation *inner) {
    guard::forEachSymbol(inner, note);
    // A number of symbols alone is nowhere in particular: it is computed where
    // it is read, wherever its op stands.
    for (Value operand : inner->getOperands())
      if (auto number = operand.getDefiningOp<guard::ValueOp>())
        guard::forEachSymbol(number, note);
  });
  if (isa<NestOpInterface, KernelOp>(op))
    return false;
  bool defines = false;
  auto define = [&](StringAttr name) {
    defines |= definers.try_emplace(name, &op).second;
  };
  // A call may find out the sizes of what it returns.
  SmallVector<StringAttr> defined;
  guard::collectDefinedSymbols(&op, defined);
  llvm::for_each(defined, define);
  return defines;
}

bool SymbolDefiners::isLate(guard::ExprAttr expr) const {
  SmallVector<StringAttr> names;
  guard::collectSymbols(expr, names);
  return llvm::any_of(names, [&](StringAttr name) {
    return definers.lookup(name) != nullptr;
  });
}

static std::string printExtents(ArrayRef<guard::ExprAttr> extents) {
  std::string text = "[";
  for (auto [i, extent] : llvm::enumerate(extents))
    text += (i ? ", " : "") + extent.str();
  return text + "]";
}

LoadOp loop::getOnlyLoad(PointwiseOp producer, const char *&why) {
  LoadOp only;
  for (Operation &op : producer.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (only || load.getMask()) {
        why = only ? "it is made of several loads" : "its load has a mask";
        return {};
      }
      only = load;
      continue;
    }
    // Other uses of the indices make the value depend on its place.
    if (isa<IndexOp>(op) && llvm::all_of(op.getUsers(), [](Operation *user) {
          return isa<LoadOp>(user);
        }))
      continue;
    for (Value operand : op.getOperands())
      if (operand.getType().isIndex() && !isa<arith::ConstantOp>(op)) {
        why = "its value depends on its place";
        return {};
      }
  }
  if (!only)
    why = "it loads nothing";
  return only;
}

SmallVector<ReductionKind> loop::getKinds(AccumulationOpInterface op) {
  return llvm::map_to_vector(op.getKinds().getAsRange<ReductionKindAttr>(),
                             [](ReductionKindAttr kind) { return kind.getValue(); });
}

std::string loop::describe(NestOpInterface nest) {
  Domain domain = nest.getDomain();
  std::string text = nest.getNoun().str() + "(";
  auto row = nest.getRowDimension();
  auto accumulation = dyn_cast<AccumulationOpInterface>(nest.getOperation());
  if (accumulation && !row) {
    text += printExtents(domain.reduction);
    for (ReductionKind kind : getKinds(accumulation))
      text += ", " + stringifyReductionKind(kind).str();
  } else {
    text += printExtents(domain.parallel);
    if (!domain.reduction.empty())
      text += ", " + printExtents(domain.reduction);
    if (row)
      text += " at " + std::to_string(*row);
  }
  text += ", origins=[";
  for (auto [i, origin] : llvm::enumerate(getOrigins(nest)))
    text += (i ? ", " : "") + origin.str();
  return text + "])";
}

void loop::tellMissed(ContractOp op, const remark::RemarkOpts &what,
                      StringRef why) {
  if (auto told = remark::missed(
          op.getLoc(), what.function(remarks::getFunctionName(op))))
    told << remark::metric("contraction", describe(op))
         << remark::reason("{0}", why);
}
