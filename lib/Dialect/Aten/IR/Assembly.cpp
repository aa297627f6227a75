//===- Assembly.cpp - Text of aten ops ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One grammar for all overloads, arguments in schema order:
//
//   op   := name '(' (arg (',' arg)*)? ')' attr-dict? ':' function-type
//   arg  := operand | (argument-name '=' value)
//
// A required tensor or number stands without its name, an optional one and all
// attributes with it. What equals the schema's default is left out; None where
// the default is another value is written `none`.
//
//   %r = aten.slice.Tensor(%x, dim = 1, start = 0, end = s77 - 1)
//     : (tensor<...>) -> tensor<...>
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/OpInfo.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace kiln;
using namespace kiln::aten;
using guard::ExprAttr;
using guard::ShapeAttr;
using mlir::BoolAttr;
using mlir::DenseBoolArrayAttr;
using mlir::DenseF64ArrayAttr;
using mlir::DenseI64ArrayAttr;
using mlir::FloatAttr;
using mlir::IntegerAttr;
using mlir::TypeAttr;
using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printOperands(OpAsmPrinter &printer, const ArgInfo &arg,
                          const ArgValue &value) {
  if (!value.isList()) {
    printer << value.getValue();
    return;
  }
  printer << "[";
  llvm::interleaveComma(value.getValues(), printer, [&](Value element) {
    if (element)
      printer << element;
    else
      printer << "none";
  });
  printer << "]";
  (void)arg;
}

static void printAttribute(OpAsmPrinter &printer, Attribute attr) {
  raw_ostream &os = printer.getStream();
  if (auto boolean = llvm::dyn_cast<BoolAttr>(attr)) {
    printer << (boolean.getValue() ? "true" : "false");
  } else if (auto integer = llvm::dyn_cast<IntegerAttr>(attr)) {
    printer << integer.getInt();
  } else if (auto real = llvm::dyn_cast<FloatAttr>(attr)) {
    printer.printFloat(real.getValue());
  } else if (auto expr = llvm::dyn_cast<ExprAttr>(attr)) {
    expr.printExpression(os);
  } else if (auto shape = llvm::dyn_cast<ShapeAttr>(attr)) {
    printer << "[";
    llvm::interleaveComma(shape.getDims(), printer,
                          [&](ExprAttr dim) { dim.printExpression(os); });
    printer << "]";
  } else if (auto integers = llvm::dyn_cast<DenseI64ArrayAttr>(attr)) {
    printer << "[";
    llvm::interleaveComma(integers.asArrayRef(), printer);
    printer << "]";
  } else if (auto booleans = llvm::dyn_cast<DenseBoolArrayAttr>(attr)) {
    printer << "[";
    llvm::interleaveComma(booleans.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << "]";
  } else if (auto reals = llvm::dyn_cast<DenseF64ArrayAttr>(attr)) {
    printer << "[";
    llvm::interleaveComma(reals.asArrayRef(), printer, [&](double value) {
      printer.printFloat(llvm::APFloat(value));
    });
    printer << "]";
  } else {
    printer.printAttribute(attr);
  }
}

void aten::printAtenOp(Operation *op, OpAsmPrinter &printer) {
  const OpInfo *info = getOpInfo(op);
  SmallVector<ArgValue> args = getSchemaArguments(op);
  SmallVector<std::string> shown = {"operandSegmentSizes"};
  bool isFirst = true;
  auto separate = [&] {
    if (!isFirst)
      printer << ", ";
    isFirst = false;
  };
  printer << "(";
  for (auto [arg, value] : llvm::zip(info->args, args)) {
    shown.push_back(arg.name);
    if (arg.kind == ArgKind::OptionalTensorList)
      shown.push_back((StringRef(arg.name) + "_present").str());
    if (arg.isOperand()) {
      if (value.isNone())
        continue;
      separate();
      if (arg.isOptional)
        printer << arg.name << " = ";
      printOperands(printer, arg, value);
      continue;
    }
    if (value.getAttribute() == getDefault(op->getContext(), arg))
      continue;
    separate();
    printer << arg.name << " = ";
    if (value.isNone())
      printer << "none";
    else
      printAttribute(printer, value.getAttribute());
  }
  printer << ")";
  SmallVector<StringRef> elided(shown.begin(), shown.end());
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(op->getOperandTypes(), op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// The text of one argument.
struct ParsedArg {
  SmallVector<UnresolvedOperand, 1> operands;
  SmallVector<bool, 1> mask;
  Attribute attribute;
  bool isGiven = false;
};

class ArgumentParser {
public:
  ArgumentParser(OpAsmParser &parser, const OpInfo &info)
      : parser(parser), builder(parser.getBuilder()), info(info),
        args(info.args.size()) {}

  ParseResult parse() {
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                       [&] { return parseArgument(); }))
      return failure();
    for (auto [arg, parsed] : llvm::zip(info.args, args)) {
      if (parsed.isGiven)
        continue;
      bool isList = arg.kind == ArgKind::TensorList ||
                    arg.kind == ArgKind::OptionalTensorList;
      if (!arg.isOptional && !arg.defaultText && !isList &&
          arg.kind != ArgKind::Generator)
        return parser.emitError(parser.getNameLoc())
               << "expects '" << arg.name << "' to be given";
      parsed.attribute = getDefault(builder.getContext(), arg);
    }
    return success();
  }

  SmallVector<ParsedArg> takeArgs() { return std::move(args); }

private:
  ParseResult parseArgument() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    UnresolvedOperand operand;
    mlir::OptionalParseResult hasOperand =
        parser.parseOptionalOperand(operand);
    if (hasOperand.has_value()) {
      if (failed(*hasOperand))
        return failure();
      ParsedArg *parsed = takePositional(loc, /*isList=*/false);
      if (!parsed)
        return failure();
      parsed->operands.push_back(operand);
      return success();
    }
    if (succeeded(parser.parseOptionalLSquare())) {
      ParsedArg *parsed = takePositional(loc, /*isList=*/true);
      return parsed ? parseOperandList(*parsed) : failure();
    }
    std::string name;
    if (failed(parser.parseOptionalKeywordOrString(&name)))
      return parser.emitError(loc, "expected an operand, '[' or the name of an "
                                   "argument");
    return failure(parser.parseEqual() || parseNamed(loc, name));
  }

  /// The next required operand of the schema.
  ParsedArg *takePositional(llvm::SMLoc loc, bool isList) {
    for (; next < info.args.size(); ++next) {
      const ArgInfo &arg = info.args[next];
      if (!arg.isOperand() || arg.isOptional)
        continue;
      bool wantsList = arg.kind == ArgKind::TensorList ||
                       arg.kind == ArgKind::OptionalTensorList;
      if (wantsList != isList) {
        parser.emitError(loc) << "expected '" << arg.name << "' to be "
                              << (wantsList ? "a list '[...]'" : "an operand");
        return nullptr;
      }
      args[next].isGiven = true;
      return &args[next++];
    }
    explainNames(parser.emitError(loc) << "has no further "
                                       << (isList ? "list" : "operand")
                                       << " without a name",
                 isList);
    return nullptr;
  }

  /// What a value or a list without a name may have been meant for.
  void explainNames(InFlightDiagnostic diagnostic, bool isList) {
    SmallVector<StringRef> names;
    for (auto [arg, parsed] : llvm::zip(info.args, args)) {
      bool takesList = arg.kind == ArgKind::TensorList ||
                       arg.kind == ArgKind::OptionalTensorList ||
                       arg.kind == ArgKind::IntList ||
                       arg.kind == ArgKind::BoolList ||
                       arg.kind == ArgKind::FloatList ||
                       arg.kind == ArgKind::SymIntList;
      if (!parsed.isGiven && takesList == isList &&
          (isList || arg.isOperand()))
        names.push_back(arg.name);
    }
    if (names.empty())
      return;
    diagnostic << ", expected " << (names.size() > 1 ? "one of " : "");
    llvm::interleaveComma(names, diagnostic, [&](StringRef name) {
      diagnostic << "'" << name << (isList ? " = [...]'" : " = %...'");
    });
  }

  /// After the '['.
  ParseResult parseOperandList(ParsedArg &parsed) {
    if (succeeded(parser.parseOptionalRSquare()))
      return success();
    auto parseElement = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalKeyword("none"))) {
        parsed.mask.push_back(false);
        return success();
      }
      parsed.mask.push_back(true);
      return parser.parseOperand(parsed.operands.emplace_back());
    };
    return failure(parser.parseCommaSeparatedList(parseElement) ||
                   parser.parseRSquare());
  }

  ParseResult parseNamed(llvm::SMLoc loc, StringRef name) {
    for (auto [arg, parsed] : llvm::zip(info.args, args)) {
      if (name != arg.name)
        continue;
      if (parsed.isGiven)
        return parser.emitError(loc) << "argument '" << name << "' is given "
                                     << "twice";
      parsed.isGiven = true;
      if (!arg.isOperand())
        return parseAttribute(arg, parsed.attribute);
      if (succeeded(parser.parseOptionalLSquare()))
        return parseOperandList(parsed);
      return parser.parseOperand(parsed.operands.emplace_back());
    }
    InFlightDiagnostic diagnostic = parser.emitError(loc)
                                    << "has no argument '" << name << "'";
    if (info.args.empty())
      return diagnostic;
    diagnostic << ", expected one of ";
    llvm::interleaveComma(info.args, diagnostic, [&](const ArgInfo &arg) {
      diagnostic << "'" << arg.name << "'";
    });
    return diagnostic;
  }

  template <typename T>
  ParseResult parseList(SmallVectorImpl<T> &list,
                        function_ref<ParseResult(T &)> parseElement) {
    return parser.parseCommaSeparatedList(
        OpAsmParser::Delimiter::Square, [&]() -> ParseResult {
          T element{};
          if (parseElement(element))
            return failure();
          list.push_back(element);
          return success();
        });
  }

  ParseResult parseBool(bool &value) {
    value = succeeded(parser.parseOptionalKeyword("true"));
    if (value || succeeded(parser.parseOptionalKeyword("false")))
      return success();
    return parser.emitError(parser.getCurrentLocation(),
                            "expected 'true' or 'false'");
  }

  ParseResult parseFloat(double &value) {
    llvm::APFloat number(0.0);
    if (parser.parseFloat(llvm::APFloat::IEEEdouble(), number))
      return failure();
    value = number.convertToDouble();
    return success();
  }

  ParseResult parseAttribute(const ArgInfo &arg, Attribute &result) {
    if (succeeded(parser.parseOptionalKeyword("none"))) {
      if (arg.isOptional)
        return success();
      return parser.emitError(parser.getCurrentLocation())
             << "argument '" << arg.name << "' must not be none";
    }
    switch (arg.kind) {
    case ArgKind::Int: {
      int64_t value;
      if (parser.parseInteger(value))
        return failure();
      result = builder.getI64IntegerAttr(value);
      return success();
    }
    case ArgKind::Bool: {
      bool value;
      if (parseBool(value))
        return failure();
      result = builder.getBoolAttr(value);
      return success();
    }
    case ArgKind::Float: {
      double value;
      if (parseFloat(value))
        return failure();
      result = builder.getF64FloatAttr(value);
      return success();
    }
    case ArgKind::SymInt: {
      ExprAttr expr;
      if (guard::parseExpression(parser, expr))
        return failure();
      result = expr;
      return success();
    }
    case ArgKind::DType: {
      Type type;
      if (parser.parseType(type))
        return failure();
      result = TypeAttr::get(type);
      return success();
    }
    case ArgKind::IntList: {
      SmallVector<int64_t> list;
      if (parseList<int64_t>(list, [&](int64_t &value) {
            return parser.parseInteger(value);
          }))
        return failure();
      result = builder.getDenseI64ArrayAttr(list);
      return success();
    }
    case ArgKind::BoolList: {
      SmallVector<bool> list;
      if (parseList<bool>(list, [&](bool &value) { return parseBool(value); }))
        return failure();
      result = builder.getDenseBoolArrayAttr(list);
      return success();
    }
    case ArgKind::FloatList: {
      SmallVector<double> list;
      if (parseList<double>(list,
                            [&](double &value) { return parseFloat(value); }))
        return failure();
      result = builder.getDenseF64ArrayAttr(list);
      return success();
    }
    case ArgKind::SymIntList: {
      SmallVector<ExprAttr> list;
      if (parseList<ExprAttr>(list, [&](ExprAttr &value) {
            return guard::parseExpression(parser, value);
          }))
        return failure();
      result = ShapeAttr::get(builder.getContext(), list);
      return success();
    }
    default: {
      std::string text;
      if (parser.parseString(&text))
        return failure();
      result = builder.getStringAttr(text);
      return success();
    }
    }
  }

  OpAsmParser &parser;
  mlir::Builder &builder;
  const OpInfo &info;
  SmallVector<ParsedArg> args;
  size_t next = 0;
};

} // namespace

ParseResult aten::parseAtenOp(OpAsmParser &parser, OperationState &state,
                              const OpInfo &info) {
  ArgumentParser arguments(parser, info);
  llvm::SMLoc loc = parser.getCurrentLocation();
  mlir::FunctionType type;
  if (arguments.parse() || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();

  mlir::Builder &builder = parser.getBuilder();
  SmallVector<UnresolvedOperand> operands;
  SmallVector<int32_t> segments;
  for (auto [arg, parsed] : llvm::zip(info.args, arguments.takeArgs())) {
    if (!arg.isOperand()) {
      if (parsed.attribute)
        state.addAttribute(arg.name, parsed.attribute);
      continue;
    }
    llvm::append_range(operands, parsed.operands);
    segments.push_back(parsed.operands.size());
    if (arg.kind == ArgKind::OptionalTensorList)
      state.addAttribute((StringRef(arg.name) + "_present").str(),
                         builder.getDenseBoolArrayAttr(parsed.mask));
  }
  if (info.hasSegments)
    state.addAttribute(kSegmentSizesName,
                       builder.getDenseI32ArrayAttr(segments));
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                state.operands);
}
