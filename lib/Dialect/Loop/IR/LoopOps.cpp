//===- LoopOps.cpp - Builders and text of nests and bodies ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestAsm.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

#define GET_OP_CLASSES
#include "kiln/Dialect/Loop/IR/LoopKernelOps.cpp.inc"

//===----------------------------------------------------------------------===//
// loop.pointwise
//===----------------------------------------------------------------------===//

void PointwiseOp::build(OpBuilder &builder, OperationState &state,
                        RankedTensorType type,
                        ArrayRef<guard::ExprAttr> extents, ArrayAttr origins) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.extents = getExprArray(builder.getContext(), extents);
  properties.origins = origins;
  state.addTypes(type);
  addBody(builder, state, extents.size());
}

void PointwiseOp::getAsmBlockArgumentNames(Region &region,
                                           OpAsmSetValueNameFn setName) {
  nameIndices(region, 0, setName);
}

ParseResult PointwiseOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr extents;
  if (parseDomain(parser, arguments, extents))
    return failure();
  result.addAttribute(getExtentsAttrName(result.name), extents);
  return parseTypesAndBody(parser, result, arguments,
                           getOriginsAttrName(result.name));
}

void PointwiseOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printDomain(printer, getBody().getArguments(), getExtents());
  printTypesAndBody(printer, *this, getBody());
}

//===----------------------------------------------------------------------===//
// loop.reduce
//===----------------------------------------------------------------------===//

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange types, ArrayRef<guard::ExprAttr> parallel,
                     ArrayRef<guard::ExprAttr> reduction,
                     ArrayRef<ReductionKind> kinds, ArrayAttr origins) {
  MLIRContext *context = builder.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.parallelExtents = getExprArray(context, parallel);
  properties.reductionExtents = getExprArray(context, reduction);
  properties.kinds = getKindArray(context, kinds);
  properties.origins = origins;
  state.addTypes(types);
  addBody(builder, state, parallel.size() + reduction.size());
  state.addRegion();
}

void ReduceOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  nameAccumulationArguments(region, setName);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr parallel, reduction;
  if (parser.parseKeyword("parallel") ||
      parseDomain(parser, arguments, parallel) ||
      parser.parseKeyword("reduction") ||
      parseDomain(parser, arguments, reduction))
    return failure();
  result.addAttribute(getParallelExtentsAttrName(result.name), parallel);
  result.addAttribute(getReductionExtentsAttrName(result.name), reduction);

  return parseAccumulation(parser, result, arguments,
                           getKindsAttrName(result.name),
                           getOriginsAttrName(result.name));
}

void ReduceOp::print(OpAsmPrinter &printer) {
  auto arguments = getBody().getArguments();
  size_t parallel = getParallelExtents().size();
  printer << " parallel ";
  printDomain(printer, arguments.take_front(parallel), getParallelExtents());
  printer << " reduction ";
  printDomain(printer, arguments.drop_front(parallel), getReductionExtents());
  printAccumulation(printer, *this);
}

//===----------------------------------------------------------------------===//
// loop.scatter
//===----------------------------------------------------------------------===//

void ScatterOp::build(OpBuilder &builder, OperationState &state, Value init,
                      ArrayRef<guard::ExprAttr> extents, ScatterKind kind,
                      ArrayAttr origins, int64_t independent) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.extents = getExprArray(builder.getContext(), extents);
  properties.kind = ScatterKindAttr::get(builder.getContext(), kind);
  properties.independent = builder.getI64IntegerAttr(independent);
  properties.origins = origins;
  state.addOperands(init);
  state.addTypes(init.getType());
  addBody(builder, state, extents.size());
}

BlockArgument ScatterOp::getWritten() {
  unsigned count = getExtents().size();
  return getBody().getNumArguments() > count ? getBody().getArgument(count)
                                             : BlockArgument();
}

BlockArgument ScatterOp::addWritten() {
  return getBody().addArgument(getResult().getType(), getLoc());
}

void ScatterOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  nameIndices(region, 0, setName);
  if (BlockArgument written = getWritten())
    setName(written, "written");
}

ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr extents;
  OpAsmParser::UnresolvedOperand init;
  ScatterKindAttr kind;
  int64_t independent = 0;
  if (parseDomain(parser, arguments, extents) ||
      (succeeded(parser.parseOptionalKeyword("independent")) &&
       parser.parseInteger(independent)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("grouped")))
    result.addAttribute(getGroupedAttrName(result.name),
                        parser.getBuilder().getUnitAttr());
  bool reads = succeeded(parser.parseOptionalKeyword("reading"));
  if ((reads && parser.parseArgument(arguments.emplace_back())) ||
      parser.parseKeyword("into") || parser.parseOperand(init) ||
      parser.parseCustomAttributeWithFallback(kind) ||
      parseTypes(parser, result, getOriginsAttrName(result.name)))
    return failure();
  if (result.types.size() != 1)
    return parser.emitError(parser.getNameLoc())
           << "expected one result type, but found " << result.types.size();
  if (reads)
    arguments.back().type = result.types[0];
  result.addAttribute(getExtentsAttrName(result.name), extents);
  result.addAttribute(getKindAttrName(result.name), kind);
  result.addAttribute(getIndependentAttrName(result.name),
                      parser.getBuilder().getI64IntegerAttr(independent));
  return failure(
      parser.resolveOperand(init, result.types[0], result.operands) ||
      parser.parseRegion(*result.addRegion(), arguments));
}

void ScatterOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printDomain(printer,
              getBody().getArguments().take_front(getExtents().size()),
              getExtents());
  if (getIndependent())
    printer << " independent " << getIndependent();
  if (getGrouped())
    printer << " grouped";
  if (BlockArgument written = getWritten())
    printer << " reading " << written;
  printer << " into " << getInit() << " ";
  printer.printStrippedAttrOrType(getKindAttr());
  printTypesAndBody(printer, *this, getBody());
}

//===----------------------------------------------------------------------===//
// loop.load and loop.index
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value tensor,
                   ValueRange indices, ArrayRef<guard::ExprAttr> map,
                   Value mask, Value other) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.map = getExprArray(builder.getContext(), map);
  properties.operandSegmentSizes = {1, int32_t(indices.size()), mask ? 1 : 0,
                                    other ? 1 : 0};
  state.addOperands(tensor);
  state.addOperands(indices);
  if (mask)
    state.addOperands(mask);
  if (other)
    state.addOperands(other);
  state.addTypes(
      getBodyType(cast<RankedTensorType>(tensor.getType()).getElementType()));
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value tensor,
                   ValueRange indices) {
  build(builder, state, tensor, indices,
        getIdentityMap(builder.getContext(), indices.size()));
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tensor, mask, other;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  ArrayAttr map;
  RankedTensorType type;
  bool masked = false;
  if (parser.parseOperand(tensor) || parseExpressions(parser, map, &indices))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    masked = true;
    if (parser.parseOperand(mask) || parser.parseComma() ||
        parser.parseOperand(other))
      return failure();
  }
  Builder &builder = parser.getBuilder();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(tensor, type, result.operands) ||
      parser.resolveOperands(indices, builder.getIndexType(),
                             result.operands))
    return failure();
  Type element = getBodyType(type.getElementType());
  if (masked &&
      (parser.resolveOperand(mask, builder.getI1Type(), result.operands) ||
       parser.resolveOperand(other, element, result.operands)))
    return failure();
  result.addAttribute(getMapAttrName(result.name), map);
  result.addAttribute(getOperandSegmentSizesAttrName(result.name),
                      builder.getDenseI32ArrayAttr(
                          {1, int32_t(indices.size()), masked, masked}));
  result.addTypes(element);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getTensor();
  printExpressions(printer, getMap(), getIndices());
  if (getMask())
    printer << " mask " << getMask() << ", " << getOther();
  printer.printOptionalAttrDict(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << " : " << getTensor().getType();
}

ParseResult IndexOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  guard::ExprAttr expr;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseLParen() || parseIndexExpression(parser, expr, &indices) ||
      parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(indices, index, result.operands))
    return failure();
  result.addAttribute(getExprAttrName(result.name), expr);
  result.addTypes(index);
  return success();
}

void IndexOp::print(OpAsmPrinter &printer) {
  printer << " (";
  printExpression(printer, getExpr(), getIndices());
  printer << ")";
  printer.printOptionalAttrDict(
      (*this)->getDiscardableAttrDictionary().getValue());
}

/// Rewrites expressions over `indices` so that each operand occurs once and is
/// used, and looks through `loop.index` and constants. Returns false if there
/// was nothing to do.
static bool normalizeIndices(OperandRange indices,
                             SmallVectorImpl<guard::ExprAttr> &exprs,
                             SmallVectorImpl<Value> &operands,
                             MLIRContext *context) {
  // What each old operand is in terms of the new ones.
  SmallVector<guard::ExprAttr> replacements;
  auto positionOf = [&](Value value) {
    auto *known = llvm::find(operands, value);
    unsigned position = known - operands.begin();
    if (known == operands.end())
      operands.push_back(value);
    return guard::getDim(context, position);
  };
  for (auto [i, index] : llvm::enumerate(indices)) {
    guard::ExprAttr leaf = guard::getDim(context, i);
    if (llvm::none_of(exprs, [&](guard::ExprAttr expr) {
          return guard::contains(expr, leaf);
        })) {
      replacements.push_back(leaf); // unused
      continue;
    }
    APInt constant;
    if (matchPattern(index, m_ConstantInt(&constant))) {
      replacements.push_back(
          guard::getConstant(context, constant.getSExtValue()));
      continue;
    }
    if (auto inner = index.getDefiningOp<IndexOp>()) {
      SmallVector<guard::ExprAttr> map;
      for (Value operand : inner.getIndices())
        map.push_back(positionOf(operand));
      replacements.push_back(guard::substituteDims(inner.getExpr(), map));
      continue;
    }
    replacements.push_back(positionOf(index));
  }
  if (operands.size() == indices.size() && llvm::equal(operands, indices))
    return false;
  for (guard::ExprAttr &expr : exprs)
    expr = guard::substituteDims(expr, replacements);
  return true;
}

namespace {

/// Loads whose operands are other index computations read through them.
struct NormalizeLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<guard::ExprAttr> map = getExprs(op.getMap());
    SmallVector<Value> operands;
    if (!normalizeIndices(op.getIndices(), map, operands, getContext()))
      return failure();
    rewriter.replaceOpWithNewOp<LoadOp>(op, op.getTensor(), operands, map,
                                        op.getMask(), op.getOther());
    return success();
  }
};

/// Index computations read through each other, and are no op where they are a
/// number or an index.
struct NormalizeIndex : OpRewritePattern<IndexOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IndexOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<guard::ExprAttr> exprs = {op.getExpr()};
    SmallVector<Value> operands;
    bool changed =
        normalizeIndices(op.getIndices(), exprs, operands, getContext());
    if (!changed)
      operands.assign(op.getIndices().begin(), op.getIndices().end());
    guard::ExprAttr expr = exprs.front();
    if (auto constant = expr.getConstant())
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, *constant);
    else if (expr.isDim())
      rewriter.replaceOp(op, operands[expr.getPosition()]);
    else if (changed)
      rewriter.replaceOpWithNewOp<IndexOp>(op, op.getType(), operands, expr);
    else
      return failure();
    return success();
  }
};

} // namespace

void IndexOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<NormalizeIndex>(context);
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<NormalizeLoad>(context);
}
