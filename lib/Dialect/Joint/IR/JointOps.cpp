//===- JointOps.cpp - Syntax and verifiers of the joint ops ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Joint/IR/Joint.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Joint/IR/JointOps.cpp.inc"

using namespace mlir;

namespace kiln::joint {

//===----------------------------------------------------------------------===//
// joint.graph
//===----------------------------------------------------------------------===//

/// results ::= `(` (type attribute-dict? (`,` type attribute-dict?)*)? `)`
static ParseResult parseResults(OpAsmParser &parser, StringRef keyword,
                                SmallVectorImpl<Type> &types,
                                SmallVectorImpl<DictionaryAttr> &attrs) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        NamedAttrList list;
        if (parser.parseType(types.emplace_back()) ||
            parser.parseOptionalAttrDict(list))
          return failure();
        attrs.push_back(list.getDictionary(parser.getContext()));
        return success();
      });
}

static ArrayAttr getDictArray(Builder &builder,
                              ArrayRef<DictionaryAttr> dictionaries) {
  if (llvm::all_of(dictionaries,
                   [](DictionaryAttr attr) { return !attr || attr.empty(); }))
    return nullptr;
  SmallVector<Attribute> attrs;
  for (DictionaryAttr attr : dictionaries)
    attrs.push_back(attr ? attr : builder.getDictionaryAttr({}));
  return builder.getArrayAttr(attrs);
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> primals, tangents;
  auto delimiter = AsmParser::Delimiter::Paren;
  if (parser.parseSymbolName(name, getSymNameAttrName(state.name),
                             state.attributes) ||
      parser.parseKeyword("primals") ||
      parser.parseArgumentList(primals, delimiter, /*allowType=*/true,
                               /*allowAttrs=*/true) ||
      parser.parseKeyword("tangents") ||
      parser.parseArgumentList(tangents, delimiter, /*allowType=*/true,
                               /*allowAttrs=*/true) ||
      parser.parseArrow())
    return failure();

  SmallVector<Type> results;
  SmallVector<DictionaryAttr> resultAttrs;
  if (parseResults(parser, "outputs", results, resultAttrs))
    return failure();
  size_t numOutputs = results.size();
  if (parseResults(parser, "gradients", results, resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();

  size_t numPrimals = primals.size();
  primals.append(tangents);
  SmallVector<Type> inputs;
  SmallVector<DictionaryAttr> argAttrs;
  for (OpAsmParser::Argument &argument : primals) {
    inputs.push_back(argument.type);
    argAttrs.push_back(argument.attrs);
  }
  state.addAttribute(getFunctionTypeAttrName(state.name),
                     TypeAttr::get(builder.getFunctionType(inputs, results)));
  state.addAttribute(getNumPrimalsAttrName(state.name),
                     builder.getI64IntegerAttr(numPrimals));
  state.addAttribute(getNumOutputsAttrName(state.name),
                     builder.getI64IntegerAttr(numOutputs));
  if (ArrayAttr attrs = getDictArray(builder, argAttrs))
    state.addAttribute(getArgAttrsAttrName(state.name), attrs);
  if (ArrayAttr attrs = getDictArray(builder, resultAttrs))
    state.addAttribute(getResAttrsAttrName(state.name), attrs);
  return parser.parseRegion(*state.addRegion(), primals);
}

void GraphOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  auto printArguments = [&](StringRef keyword, Block::BlockArgListType args) {
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(args, printer, [&](BlockArgument argument) {
      DictionaryAttr attrs =
          function_interface_impl::getArgAttrDict(*this,
                                                  argument.getArgNumber());
      printer.printRegionArgument(
          argument, attrs ? attrs.getValue() : ArrayRef<NamedAttribute>());
    });
    printer << ')';
  };
  printArguments("primals", getPrimals());
  printArguments("tangents", getTangents());
  printer << " ->";
  auto printResults = [&](StringRef keyword, size_t begin, size_t end) {
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(llvm::seq(begin, end), printer, [&](size_t i) {
      printer << getResultTypes()[i];
      DictionaryAttr attrs =
          function_interface_impl::getResultAttrDict(*this, i);
      if (attrs && !attrs.empty())
        printer.printOptionalAttrDict(attrs.getValue());
    });
    printer << ')';
  };
  size_t numOutputs = getNumOutputs();
  printResults("outputs", 0, numOutputs);
  printResults("gradients", numOutputs, getResultTypes().size());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getNumPrimalsAttrName(),
       getNumOutputsAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

LogicalResult GraphOp::verify() {
  int64_t numArguments = getFunctionType().getNumInputs();
  int64_t numResults = getFunctionType().getNumResults();
  int64_t primals = getNumPrimals(), outputs = getNumOutputs();
  // C1
  if (primals < 0 || primals > numArguments)
    return emitOpError("num_primals is ")
           << primals << ", expected 0 to " << numArguments;
  if (outputs < 0 || outputs > numResults)
    return emitOpError("num_outputs is ")
           << outputs << ", expected 0 to " << numResults;
  return success();
}

LogicalResult GraphOp::verifyRegions() {
  // C2: follow the tangents through the body, which is in order.
  llvm::SmallPtrSet<Value, 16> onTangent;
  for (BlockArgument tangent : getTangents())
    onTangent.insert(tangent);
  auto uses = [&](Operation *op) {
    bool found = false;
    op->walk([&](Operation *nested) {
      found = found || llvm::any_of(nested->getOperands(), [&](Value value) {
                return onTangent.contains(value);
              });
    });
    return found;
  };
  for (Operation &op : getBody().front().without_terminator())
    if (uses(&op))
      onTangent.insert(op.result_begin(), op.result_end());
  auto terminator = dyn_cast<ReturnOp>(getBody().front().getTerminator());
  if (!terminator)
    return emitOpError("expected to end with 'joint.return'");
  for (auto [i, output] : llvm::enumerate(terminator.getOutputs()))
    if (onTangent.contains(output))
      return terminator.emitOpError("output #")
             << i << " depends on a tangent, expected primals only";
  return success();
}

//===----------------------------------------------------------------------===//
// joint.return
//===----------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() {
  auto graph = cast<GraphOp>((*this)->getParentOp());
  size_t numOutputs = graph.getNumOutputs();
  size_t numResults = graph.getFunctionType().getNumResults();
  // C1
  if (getOutputs().size() != numOutputs)
    return emitOpError("has ") << getOutputs().size()
                               << " outputs, expected " << numOutputs;
  if (getOperands().size() != numResults)
    return emitOpError("has ")
           << getGradients().size() << " gradients, expected "
           << numResults - std::min(numOutputs, numResults);
  for (size_t i = 0; i < numResults; ++i) {
    Type found = getOperand(i).getType();
    Type expected = graph.getFunctionType().getResult(i);
    if (found != expected)
      return emitOpError("operand #")
             << i << " is of type " << found << ", expected " << expected;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The identity ops
//===----------------------------------------------------------------------===//

RecomputeClass SaveOp::getRecomputeClass() { return RecomputeClass::View; }
RecomputeClass RecomputeOp::getRecomputeClass() { return RecomputeClass::View; }
RecomputeClass DetachOp::getRecomputeClass() { return RecomputeClass::View; }
int SaveOp::getViewedOperand() { return 0; }
int RecomputeOp::getViewedOperand() { return 0; }
int DetachOp::getViewedOperand() { return 0; }

bool SaveOp::isStopGradient() { return false; }
bool RecomputeOp::isStopGradient() { return false; }
bool DetachOp::isStopGradient() { return true; }
std::string SaveOp::getStopReason() { return ""; }
std::string RecomputeOp::getStopReason() { return ""; }
std::string DetachOp::getStopReason() { return "its result is detached"; }

LogicalResult SaveOp::buildVjp(OpBuilder &, ValueRange resultGrads,
                               llvm::function_ref<bool(unsigned)>,
                               MutableArrayRef<Value> operandGrads) {
  operandGrads[0] = resultGrads[0];
  return success();
}

LogicalResult RecomputeOp::buildVjp(OpBuilder &, ValueRange resultGrads,
                                    llvm::function_ref<bool(unsigned)>,
                                    MutableArrayRef<Value> operandGrads) {
  operandGrads[0] = resultGrads[0];
  return success();
}

LogicalResult DetachOp::buildVjp(OpBuilder &, ValueRange,
                                 llvm::function_ref<bool(unsigned)>,
                                 MutableArrayRef<Value>) {
  return success();
}

} // namespace kiln::joint
