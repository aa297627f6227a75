//===- NestAsm.cpp - What the text of nests has in common -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestAsm.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

void loop::addBody(OpBuilder &builder, OperationState &state,
                   unsigned indices) {
  OpBuilder::InsertionGuard guard(builder);
  Region *region = state.addRegion();
  SmallVector<Type> types(indices, builder.getIndexType());
  SmallVector<Location> locations(indices, state.location);
  builder.createBlock(region, {}, types, locations);
}

ArrayAttr loop::getKindArray(MLIRContext *context,
                             ArrayRef<ReductionKind> kinds) {
  SmallVector<Attribute> list;
  for (ReductionKind kind : kinds)
    list.push_back(ReductionKindAttr::get(context, kind));
  return ArrayAttr::get(context, list);
}

/// i, j, k, l, m, n, then i6, i7, ...
static std::string getIndexName(unsigned position) {
  if (position < 6)
    return std::string(1, "ijklmn"[position]);
  return "i" + std::to_string(position);
}

void loop::nameIndices(Region &region, unsigned first,
                       OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  auto arguments = region.getArguments();
  for (unsigned i = first; i < arguments.size(); ++i)
    setName(arguments[i], getIndexName(i - first));
}

void loop::nameAccumulationArguments(Region &region,
                                     OpAsmSetValueNameFn setName) {
  if (region.getRegionNumber() == 0)
    return nameIndices(region, 0, setName);
  auto arguments = region.getArguments();
  for (auto [i, argument] : llvm::enumerate(arguments))
    setName(argument, i < arguments.size() / 2 ? "left" : "right");
}

ParseResult loop::parseTypes(OpAsmParser &parser, OperationState &result,
                             StringAttr originsName) {
  SmallVector<Type> types;
  if (parseOrigins(parser, result, originsName) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseColonTypeList(types))
    return failure();
  result.addTypes(types);
  return success();
}

ParseResult loop::parseTypesAndBody(
    OpAsmParser &parser, OperationState &result,
    ArrayRef<OpAsmParser::Argument> arguments, StringAttr originsName) {
  if (parseTypes(parser, result, originsName))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void loop::printTypesAndBody(OpAsmPrinter &printer, Operation *op,
                             Region &body) {
  printOrigins(printer, op->getAttrOfType<ArrayAttr>("origins"));
  printer.printOptionalAttrDictWithKeyword(
      op->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  llvm::interleaveComma(op->getResultTypes(), printer);
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

ParseResult loop::parseAccumulation(OpAsmParser &parser,
                                    OperationState &result,
                                    ArrayRef<OpAsmParser::Argument> arguments,
                                    StringAttr kindsName,
                                    StringAttr originsName) {
  SmallVector<ReductionKind> kinds;
  auto parseKind = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    auto kind = symbolizeReductionKind(word);
    if (!kind)
      return parser.emitError(loc) << "unknown reduction '" << word << "'";
    kinds.push_back(*kind);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseKind))
    return failure();
  result.addAttribute(kindsName, getKindArray(parser.getContext(), kinds));

  if (succeeded(parser.parseOptionalKeyword("init"))) {
    SmallVector<OpAsmParser::UnresolvedOperand> inits;
    SmallVector<Type> types;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseOperandList(inits) ||
        parser.parseColonTypeList(types) || parser.parseRParen() ||
        parser.resolveOperands(inits, types, loc, result.operands))
      return failure();
  }
  if (parseTypesAndBody(parser, result, arguments, originsName))
    return failure();
  Region *combiner = result.addRegion();
  if (failed(parser.parseOptionalKeyword("combine")))
    return success();
  SmallVector<OpAsmParser::Argument> values;
  return failure(parser.parseArgumentList(values, AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(*combiner, values));
}

void loop::printAccumulation(OpAsmPrinter &printer,
                             AccumulationOpInterface op) {
  printer << " <";
  llvm::interleaveComma(op.getKinds().getAsRange<ReductionKindAttr>(), printer,
                        [&](ReductionKindAttr kind) {
                          printer << stringifyReductionKind(kind.getValue());
                        });
  printer << ">";
  if (!op.getInits().empty())
    printer << " init(" << op.getInits() << " : " << op.getInits().getTypes()
            << ")";
  printTypesAndBody(printer, op, op.getBody());
  Region &combiner = op.getCombiner();
  if (combiner.empty())
    return;
  printer << " combine (";
  llvm::interleaveComma(combiner.getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer.printRegionArgument(argument);
                        });
  printer << ") ";
  printer.printRegion(combiner, /*printEntryBlockArgs=*/false);
}
