//===- GuardOps.cpp - Symbols, values, checks -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace kiln;
using namespace kiln::guard;
using mlir::FloatType;
using mlir::IntegerAttr;

//===----------------------------------------------------------------------===//
// Assembly: integers without their type
//===----------------------------------------------------------------------===//

static ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printInteger(OpAsmPrinter &printer, Operation *,
                         IntegerAttr value) {
  printer << value.getInt();
}

static ParseResult parseRange(OpAsmParser &parser, IntegerAttr &min,
                              IntegerAttr &max) {
  return failure(parser.parseLSquare() || parseInteger(parser, min) ||
                 parser.parseComma() || parseInteger(parser, max) ||
                 parser.parseRSquare());
}

static void printRange(OpAsmPrinter &printer, Operation *, IntegerAttr min,
                       IntegerAttr max) {
  printer << "[" << (min ? min.getInt() : Interval::kMin) << ", "
          << (max ? max.getInt() : Interval::kMax) << "]";
}

//===----------------------------------------------------------------------===//
// Checks shared by several ops
//===----------------------------------------------------------------------===//

static LogicalResult verifyNoIndices(Operation *op, ExprAttr expr) {
  if (!hasDims(expr)) // C1
    return success();
  return op->emitOpError() << "expects an expression over symbols, but '"
                           << expr.str() << "' has loop indices";
}

static LogicalResult verifyCondition(Operation *op, ExprAttr expr) {
  if (failed(verifyNoIndices(op, expr)))
    return failure();
  if (!expr.isFloatTyped()) // C1
    return success();
  return op->emitOpError() << "expects an integer expression, but '"
                           << expr.str() << "' is a float";
}

//===----------------------------------------------------------------------===//
// SymbolOp
//===----------------------------------------------------------------------===//

LogicalResult SymbolOp::verify() {
  bool hasFloatName = isFloatSymbolName(getSymName());
  if (getIsFloat() != hasFloatName) // C1
    return emitOpError() << "'" << getSymName() << "' is "
                         << (hasFloatName ? "the name of a float"
                                          : "not the name of a float")
                         << ", but the op "
                         << (getIsFloat() ? "says 'float'"
                                          : "does not say 'float'");
  if (getIsFloat() && (getMin() || getMax())) // C1
    return emitOpError() << "is a float and expects no range";
  if (getMin().has_value() != getMax().has_value()) // C2
    return emitOpError() << "expects both ends of the range or none";
  if (getLowerBound() > getUpperBound()) // C2
    return emitOpError() << "has an empty range: " << getLowerBound()
                         << " is greater than " << getUpperBound();
  return success();
}

//===----------------------------------------------------------------------===//
// ValueOp
//===----------------------------------------------------------------------===//

LogicalResult ValueOp::verify() {
  if (failed(verifyNoIndices(*this, getExpr())))
    return failure();
  bool wantsFloat = llvm::isa<FloatType>(getType());
  if (getExpr().isFloatTyped() == wantsFloat) // C2
    return success();
  return emitOpError() << "has an expression that is "
                       << (wantsFloat ? "an integer" : "a float")
                       << ", but its result type is " << getType();
}

mlir::OpFoldResult ValueOp::fold(FoldAdaptor) {
  mlir::Builder builder(getContext());
  ExprAttr expr = getExpr();
  if (expr.isFloatConstant())
    return builder.getFloatAttr(getType(), expr.getFloat());
  if (!expr.isConstant())
    return {};
  // A truth value of one bit, not the lowest bit of the number.
  if (getType().isInteger(1))
    return builder.getBoolAttr(expr.getPayload() != 0);
  unsigned width =
      getType().isIndex() ? 64 : getType().getIntOrFloatBitWidth();
  if (width < 64 && !llvm::isIntN(width, expr.getPayload()))
    return {};
  return builder.getIntegerAttr(getType(), expr.getPayload());
}

//===----------------------------------------------------------------------===//
// AssertOp
//===----------------------------------------------------------------------===//

LogicalResult AssertOp::verify() {
  return verifyCondition(*this, getCondition());
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  std::optional<int64_t> value = op.getCondition().getConstant();
  if (!value || *value == 0)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// ProgramOp and its checks
//===----------------------------------------------------------------------===//

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!llvm::isa<CheckOpInterface>(op)) // C1
      return (op.emitOpError() << "is not a check")
                 .attachNote(getLoc())
             << "only 'guard.check_...' ops may stand in this program";
  return success();
}

LogicalResult guard::verifyCheck(Operation *check) {
  auto expr = check->getAttrOfType<ExprAttr>("expr");
  return expr ? verifyCondition(check, expr) : success();
}

LogicalResult CheckScalarOp::verify() {
  if (llvm::isa<mlir::IntegerAttr, mlir::FloatAttr, StringAttr, mlir::UnitAttr>(
          getConstant())) // C1
    return success();
  return emitOpError() << "expects an integer, a float, a bool, text or "
                          "'unit', but found "
                       << getConstant();
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Guard/IR/GuardOps.cpp.inc"
