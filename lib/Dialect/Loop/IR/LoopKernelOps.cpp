//===- LoopKernelOps.cpp - Text of contractions and kernels ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopAsm.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// loop.contract
//===----------------------------------------------------------------------===//

void ContractOp::build(OpBuilder &builder, OperationState &state,
                       RankedTensorType type, Value lhs, Value rhs,
                       ArrayRef<guard::ExprAttr> parallel,
                       ArrayRef<guard::ExprAttr> reduction,
                       ArrayRef<guard::ExprAttr> lhsIndices,
                       ArrayRef<guard::ExprAttr> rhsIndices, Type accType,
                       ArrayAttr origins) {
  MLIRContext *context = builder.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.parallelExtents = getExprArray(context, parallel);
  properties.reductionExtents = getExprArray(context, reduction);
  properties.lhsIndices = getExprArray(context, lhsIndices);
  properties.rhsIndices = getExprArray(context, rhsIndices);
  properties.masks = builder.getArrayAttr({});
  properties.accType = TypeAttr::get(accType);
  properties.origins = origins;
  state.addOperands({lhs, rhs});
  state.addTypes(type);
  for (int i = 0; i < 3; ++i)
    state.addRegion();
}

Block *ContractOp::addEpilogue(OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(getParallelExtents().size(),
                          builder.getIndexType());
  types.insert(types.begin(), getAccType());
  SmallVector<Location> locations(types.size(), getLoc());
  return builder.createBlock(&getEpilogue(), {}, types, locations);
}

void ContractOp::setGroups(Value ends, unsigned group, unsigned member) {
  getEndsMutable().assign(ends);
  setGroupsAttr(DenseI64ArrayAttr::get(getContext(), {group, member}));
}

void ContractOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  if (&region != &getEpilogue()) {
    setName(region.getArgument(0), "x");
    return;
  }
  static const char *names[] = {"i", "j", "k", "l"};
  for (auto [i, argument] : llvm::enumerate(region.getArguments()))
    setName(argument, i == 0   ? std::string("acc")
                      : i <= 4 ? std::string(names[i - 1])
                               : "i" + std::to_string(i - 1));
}

/// `lhs %a[d0, d2] : tensor<...> mask expr`
static ParseResult parseOperandAccess(OpAsmParser &parser, StringRef keyword,
                                      StringAttr indicesName,
                                      SmallVectorImpl<Attribute> &masks,
                                      OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  ArrayAttr indices;
  Type type;
  if (parser.parseKeyword(keyword) || parser.parseOperand(operand) ||
      parseExpressions(parser, indices) || parser.parseColonType(type) ||
      parser.resolveOperand(operand, type, result.operands))
    return failure();
  result.addAttribute(indicesName, indices);
  if (failed(parser.parseOptionalKeyword("mask")))
    return success();
  guard::ExprAttr mask;
  if (parseIndexExpression(parser, mask))
    return failure();
  masks.push_back(mask);
  return success();
}

/// `keyword (%a, %b) { ... }`, the arguments of the given types.
static ParseResult parseRegionWith(OpAsmParser &parser, StringRef keyword,
                                   llvm::function_ref<Type(unsigned)> typeOf,
                                   Region &region) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren))
    return failure();
  for (auto [i, argument] : llvm::enumerate(arguments))
    argument.type = typeOf(i);
  return parser.parseRegion(region, arguments);
}

/// `groups %ends(d2, d0) : tensor<4xi32>`, or nothing.
static ParseResult parseGroups(OpAsmParser &parser, StringAttr name,
                               OperationState &result) {
  if (failed(parser.parseOptionalKeyword("groups")))
    return success();
  OpAsmParser::UnresolvedOperand ends;
  Type type;
  SmallVector<int64_t> dims;
  auto parseDim = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (!word.consume_front("d") ||
        word.getAsInteger(10, dims.emplace_back()))
      return parser.emitError(place, "expected a dimension such as d0");
    return success();
  };
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperand(ends) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseDim) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(ends, type, result.operands))
    return failure();
  if (dims.size() != 2)
    return parser.emitError(place, "expected a group and a member, found ")
           << dims.size() << " dimensions";
  result.addAttribute(name, parser.getBuilder().getDenseI64ArrayAttr(dims));
  return success();
}

ParseResult ContractOp::parse(OpAsmParser &parser, OperationState &result) {
  ArrayAttr parallel, reduction;
  SmallVector<Attribute> masks;
  Type accType, type;
  if (parser.parseKeyword("parallel") || parseExpressions(parser, parallel) ||
      parser.parseKeyword("reduction") ||
      parseExpressions(parser, reduction) ||
      parseOperandAccess(parser, "lhs", getLhsIndicesAttrName(result.name),
                         masks, result) ||
      parseOperandAccess(parser, "rhs", getRhsIndicesAttrName(result.name),
                         masks, result) ||
      parseGroups(parser, getGroupsAttrName(result.name), result) ||
      parser.parseKeyword("acc") || parser.parseType(accType) ||
      parseOrigins(parser, result, getOriginsAttrName(result.name)) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  Builder &builder = parser.getBuilder();
  result.addAttribute(getParallelExtentsAttrName(result.name), parallel);
  result.addAttribute(getReductionExtentsAttrName(result.name), reduction);
  result.addAttribute(getMasksAttrName(result.name),
                      builder.getArrayAttr(masks));
  result.addAttribute(getAccTypeAttrName(result.name),
                      TypeAttr::get(accType));
  result.addTypes(type);
  auto elementOf = [&](unsigned operand) -> Type {
    auto tensor =
        dyn_cast<RankedTensorType>(result.operands[operand].getType());
    return tensor ? getBodyType(tensor.getElementType())
                  : builder.getNoneType();
  };
  Region *lhs = result.addRegion();
  Region *rhs = result.addRegion();
  Region *epilogue = result.addRegion();
  return failure(
      parseRegionWith(
          parser, "lhs_prologue", [&](unsigned) { return elementOf(0); },
          *lhs) ||
      parseRegionWith(
          parser, "rhs_prologue", [&](unsigned) { return elementOf(1); },
          *rhs) ||
      parseRegionWith(
          parser, "epilogue",
          [&](unsigned i) { return i ? builder.getIndexType() : accType; },
          *epilogue));
}

static void printRegionWith(OpAsmPrinter &printer, StringRef keyword,
                            Region &region) {
  if (region.empty())
    return;
  printer << " " << keyword << " (";
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer.printRegionArgument(argument, {},
                                                      /*omitType=*/true);
                        });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

void ContractOp::print(OpAsmPrinter &printer) {
  auto printAccess = [&](StringRef keyword, Value operand, ArrayAttr indices,
                         unsigned position) {
    printer << " " << keyword << " " << operand;
    printExpressions(printer, indices);
    printer << " : " << operand.getType();
    if (position < getMasks().size())
      printer << " mask "
              << cast<guard::ExprAttr>(getMasks()[position]).str();
  };
  printer << " parallel ";
  printExpressions(printer, getParallelExtents());
  printer << " reduction ";
  printExpressions(printer, getReductionExtents());
  printAccess("lhs", getLhs(), getLhsIndices(), 0);
  printAccess("rhs", getRhs(), getRhsIndices(), 1);
  if (isGrouped())
    printer << " groups " << getEnds() << "(d" << getGroupDim() << ", d"
            << getMemberDim() << ") : " << getEnds().getType();
  printer << " acc " << getAccType();
  printOrigins(printer, getOriginsAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << " : " << getResult().getType();
  printRegionWith(printer, "lhs_prologue", getLhsPrologue());
  printRegionWith(printer, "rhs_prologue", getRhsPrologue());
  printRegionWith(printer, "epilogue", getEpilogue());
}

//===----------------------------------------------------------------------===//
// loop.kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  ArrayAttr shared;
  SmallVector<Type> types;
  auto parseInput = [&]() -> ParseResult {
    auto &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parser.parseOperand(inputs.emplace_back()) ||
                   parser.parseColonType(argument.type));
  };
  if (parser.parseSymbolName(name) || parser.parseKeyword("ins") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseInput) ||
      parser.parseKeyword("shared") || parseExpressions(parser, shared) ||
      parseOrigins(parser, result, getOriginsAttrName(result.name)))
    return failure();
  result.addAttribute(getNameAttrName(result.name), name);
  result.addAttribute(getSharedAttrName(result.name), shared);
  for (auto [argument, input] : llvm::zip(arguments, inputs))
    if (parser.resolveOperand(input, argument.type, result.operands))
      return failure();
  auto parseOptional = [&](StringRef keyword, StringAttr attrName,
                           auto attr) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    if (parser.parseAttribute(attr))
      return failure();
    result.addAttribute(attrName, attr);
    return success();
  };
  if (parseOptional("schedule", getScheduleAttrName(result.name),
                    ScheduleAttr()) ||
      parseOptional("traffic", getTrafficAttrName(result.name),
                    TrafficAttr()) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseOptionalArrowTypeList(types))
    return failure();
  result.addTypes(types);
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getName());
  printer << " ins(";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, input] = pair;
                          printer.printRegionArgument(argument, {},
                                                      /*omitType=*/true);
                          printer << " = " << input << " : " << input.getType();
                        });
  printer << ") shared ";
  printExpressions(printer, getShared());
  printOrigins(printer, getOriginsAttr());
  if (getScheduleAttr())
    printer << " schedule " << getScheduleAttr();
  if (getTrafficAttr())
    printer << " traffic " << getTrafficAttr();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer.printArrowTypeList(getResultTypes());
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
