//===- RowOps.cpp - Builders and text of scans and sorts ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestAsm.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// The parallel extents with that of the row among them.
static SmallVector<guard::ExprAttr> insertRow(ArrayAttr parallel,
                                              guard::ExprAttr row,
                                              int64_t dimension) {
  SmallVector<guard::ExprAttr> extents = getExprs(parallel);
  extents.insert(extents.begin() + dimension, row);
  return extents;
}

/// `parallel (%i) in [4] along (%j) in [8] at 1`. Where `keptName` is given,
/// `keeping [3]` may stand in between; what is kept is all of the row
/// otherwise.
static ParseResult parseRow(OpAsmParser &parser, OperationState &result,
                            SmallVectorImpl<OpAsmParser::Argument> &arguments,
                            StringAttr parallelName, StringAttr rowName,
                            StringAttr dimensionName,
                            StringAttr keptName = {}) {
  ArrayAttr parallel, row, kept;
  int64_t dimension;
  if (parser.parseKeyword("parallel") ||
      parseDomain(parser, arguments, parallel) ||
      parser.parseKeyword("along"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parseDomain(parser, arguments, row))
    return failure();
  if (row.size() != 1)
    return parser.emitError(loc)
           << "expected one index along the row, but found " << row.size();
  if (keptName) {
    kept = row;
    SMLoc keptLoc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword("keeping")) &&
        failed(parseExpressions(parser, kept)))
      return failure();
    if (kept.size() != 1)
      return parser.emitError(keptLoc)
             << "expected one extent to be kept, but found " << kept.size();
    result.addAttribute(keptName, kept[0]);
  }
  if (parser.parseKeyword("at") || parser.parseInteger(dimension))
    return failure();
  result.addAttribute(parallelName, parallel);
  result.addAttribute(rowName, row[0]);
  result.addAttribute(dimensionName,
                      parser.getBuilder().getI64IntegerAttr(dimension));
  return success();
}

/// `kept` is null, or what a part of the row is kept of.
template <typename T>
static void printRow(OpAsmPrinter &printer, T op, guard::ExprAttr kept = {}) {
  auto arguments = op.getBody().getArguments();
  size_t parallel = op.getParallelExtents().size();
  printer << " parallel ";
  printDomain(printer, arguments.take_front(parallel), op.getParallelExtents());
  printer << " along ";
  printDomain(printer, arguments.drop_front(parallel),
              getExprArray(op.getContext(), {op.getRowExtent()}));
  if (kept) {
    printer << " keeping ";
    printExpressions(printer, getExprArray(op.getContext(), {kept}));
  }
  printer << " at " << op.getDimension();
}

//===----------------------------------------------------------------------===//
// loop.scan
//===----------------------------------------------------------------------===//

SmallVector<guard::ExprAttr> ScanOp::getResultExtents() {
  return insertRow(getParallelExtents(), getRowExtent(), getDimension());
}

void ScanOp::build(OpBuilder &builder, OperationState &state, TypeRange types,
                   ValueRange inits, ArrayRef<guard::ExprAttr> parallel,
                   guard::ExprAttr row, int64_t dimension,
                   ArrayRef<ReductionKind> kinds, ArrayAttr origins) {
  MLIRContext *context = builder.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.parallelExtents = getExprArray(context, parallel);
  properties.rowExtent = row;
  properties.dimension = builder.getI64IntegerAttr(dimension);
  properties.kinds = getKindArray(context, kinds);
  properties.origins = origins;
  state.addOperands(inits);
  state.addTypes(types);
  addBody(builder, state, parallel.size() + 1);
  state.addRegion();
}

void ScanOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  nameAccumulationArguments(region, setName);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parseRow(parser, result, arguments,
                          getParallelExtentsAttrName(result.name),
                          getRowExtentAttrName(result.name),
                          getDimensionAttrName(result.name)) ||
                 parseAccumulation(parser, result, arguments,
                                   getKindsAttrName(result.name),
                                   getOriginsAttrName(result.name)));
}

void ScanOp::print(OpAsmPrinter &printer) {
  printRow(printer, *this);
  printAccumulation(printer, *this);
}

//===----------------------------------------------------------------------===//
// loop.sort
//===----------------------------------------------------------------------===//

SmallVector<guard::ExprAttr> SortOp::getResultExtents() {
  return insertRow(getParallelExtents(), getKeptExtent(), getDimension());
}

void SortOp::build(OpBuilder &builder, OperationState &state,
                   RankedTensorType type, ArrayRef<guard::ExprAttr> parallel,
                   guard::ExprAttr row, guard::ExprAttr kept, int64_t dimension,
                   ArrayAttr origins) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.parallelExtents = getExprArray(builder.getContext(), parallel);
  properties.rowExtent = row;
  properties.keptExtent = kept;
  properties.dimension = builder.getI64IntegerAttr(dimension);
  properties.origins = origins;
  state.addTypes(type);
  addBody(builder, state, parallel.size() + 1);
}

void SortOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  nameIndices(region, 0, setName);
}

ParseResult SortOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parseRow(parser, result, arguments,
                          getParallelExtentsAttrName(result.name),
                          getRowExtentAttrName(result.name),
                          getDimensionAttrName(result.name),
                          getKeptExtentAttrName(result.name)) ||
                 parseTypesAndBody(parser, result, arguments,
                                   getOriginsAttrName(result.name)));
}

void SortOp::print(OpAsmPrinter &printer) {
  printRow(printer, *this, keepsAll() ? guard::ExprAttr() : getKeptExtent());
  printTypesAndBody(printer, *this, getBody());
}
