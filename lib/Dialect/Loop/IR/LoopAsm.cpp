//===- LoopAsm.cpp - Expressions in the text of loop ops ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopAsm.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln::loop {
namespace {

/// Recursive descent over the grammar in the header. The depth is bounded, so
/// that no text exhausts the stack.
class ExpressionParser {
public:
  ExpressionParser(AsmParser &parser, Operands *operands)
      : parser(parser), operands(operands) {}

  ParseResult parseSum(guard::ExprAttr &result);

private:
  ParseResult parseTerm(guard::ExprAttr &result);
  ParseResult parseFactor(guard::ExprAttr &result);
  ParseResult parseName(StringRef name, bool quoted, SMLoc loc,
                        guard::ExprAttr &result);
  ParseResult parseValue(guard::ExprAttr &result, bool &found);

  static constexpr unsigned maxDepth = 200;

  AsmParser &parser;
  Operands *operands;
  unsigned depth = 0;
};

} // namespace

ParseResult ExpressionParser::parseSum(guard::ExprAttr &result) {
  if (++depth > maxDepth)
    return parser.emitError(parser.getCurrentLocation(),
                            "expression is nested deeper than 200 levels");
  if (parseTerm(result))
    return failure();
  while (true) {
    bool plus = succeeded(parser.parseOptionalPlus());
    if (!plus && failed(parser.parseOptionalMinus()))
      break;
    guard::ExprAttr term;
    if (parseTerm(term))
      return failure();
    result = plus ? guard::add(result, term) : guard::sub(result, term);
  }
  --depth;
  return success();
}

ParseResult ExpressionParser::parseTerm(guard::ExprAttr &result) {
  // A sign before a digit belongs to the number, so that the lowest integer
  // can be written; before anything else it negates the term.
  int64_t value;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    result = guard::getConstant(parser.getContext(), value);
  } else if (succeeded(parser.parseOptionalMinus())) {
    if (parseFactor(result))
      return failure();
    result = guard::neg(result);
  } else if (parseFactor(result)) {
    return failure();
  }
  while (succeeded(parser.parseOptionalStar())) {
    guard::ExprAttr factor;
    if (parseFactor(factor))
      return failure();
    result = guard::mul(result, factor);
  }
  return success();
}

ParseResult ExpressionParser::parseValue(guard::ExprAttr &result,
                                         bool &found) {
  found = false;
  if (!operands)
    return success();
  OpAsmParser::UnresolvedOperand operand;
  auto &opParser = static_cast<OpAsmParser &>(parser);
  OptionalParseResult parsed = opParser.parseOptionalOperand(operand);
  if (!parsed.has_value())
    return success();
  if (failed(*parsed))
    return failure();
  found = true;
  unsigned position = 0;
  for (auto &known : *operands) {
    if (known.name == operand.name && known.number == operand.number)
      break;
    ++position;
  }
  if (position == operands->size())
    operands->push_back(operand);
  result = guard::getDim(parser.getContext(), position);
  return success();
}

ParseResult ExpressionParser::parseName(StringRef name, bool quoted, SMLoc loc,
                                        guard::ExprAttr &result) {
  MLIRContext *context = parser.getContext();
  unsigned position;
  if (!quoted && name.size() > 1 && name[0] == 'd' &&
      !name.drop_front().getAsInteger(10, position)) {
    if (operands)
      return parser.emitError(loc)
             << "expected an SSA value as the index, but found '" << name
             << "'";
    result = guard::getDim(context, position);
    return success();
  }
  if (quoted || failed(parser.parseOptionalLParen())) {
    result = guard::getSymbol(context, name);
    return success();
  }
  if (name == "float") {
    double value;
    bool negative = succeeded(parser.parseOptionalMinus());
    if (parser.parseFloat(value) || parser.parseRParen())
      return failure();
    result = guard::getFloat(context, negative ? -value : value);
    return success();
  }
  std::optional<guard::ExprKind> kind = guard::lookUpFunction(name);
  if (!kind)
    return parser.emitError(loc) << "unknown function '" << name
                                 << "' in an expression";
  SmallVector<guard::ExprAttr> arguments;
  auto parseArgument = [&]() { return parseSum(arguments.emplace_back()); };
  if (parser.parseCommaSeparatedList(parseArgument) || parser.parseRParen())
    return failure();
  unsigned arity = guard::getArity(*kind);
  if (arity && arguments.size() != arity)
    return parser.emitError(loc)
           << "function '" << name << "' expects " << arity
           << " operands, but found " << arguments.size();
  result = guard::build(*kind, arguments);
  return success();
}

ParseResult ExpressionParser::parseFactor(guard::ExprAttr &result) {
  int64_t value;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    result = guard::getConstant(parser.getContext(), value);
    return success();
  }
  bool found;
  if (parseValue(result, found))
    return failure();
  if (found)
    return success();
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseSum(result) || parser.parseRParen());
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    return parseName(keyword, /*quoted=*/false, loc, result);
  std::string text;
  if (succeeded(parser.parseOptionalString(&text)))
    return parseName(text, /*quoted=*/true, loc, result);
  return parser.emitError(loc, "expected an expression");
}

ParseResult parseIndexExpression(AsmParser &parser, guard::ExprAttr &expr,
                            Operands *operands) {
  return ExpressionParser(parser, operands).parseSum(expr);
}

ParseResult parseExpressions(AsmParser &parser, ArrayAttr &exprs,
                             Operands *operands) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    guard::ExprAttr expr;
    if (parseIndexExpression(parser, expr, operands))
      return failure();
    list.push_back(expr);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  exprs = ArrayAttr::get(parser.getContext(), list);
  return success();
}

/// Numbers the values by their names, equal ones alike. The order of terms in the
/// text then depends on nothing but names, which the text determines: what is read
/// back is written as it was read.
static SmallVector<std::string> sortByName(OpAsmPrinter &printer,
                                           OperandRange values,
                                           guard::ExprAttr &expr) {
  SmallVector<std::string> names;
  for (Value value : values) {
    llvm::raw_string_ostream os(names.emplace_back());
    printer.printOperand(value, os);
  }
  SmallVector<std::string> sorted(names);
  llvm::sort(sorted, [](StringRef a, StringRef b) {
    int order = a.compare_numeric(b);
    return order != 0 ? order < 0 : a < b;
  });
  sorted.erase(llvm::unique(sorted), sorted.end());
  SmallVector<guard::ExprAttr> dims;
  for (const std::string &name : names)
    dims.push_back(guard::getDim(expr.getContext(),
                                 llvm::find(sorted, name) - sorted.begin()));
  expr = guard::substituteDims(expr, dims);
  return sorted;
}

void printExpression(OpAsmPrinter &printer, guard::ExprAttr expr,
                     OperandRange values) {
  SmallVector<std::string> names = sortByName(printer, values, expr);
  std::string text = expr.str();
  if (values.empty()) {
    printer << text;
    return;
  }
  // Copy the text; outside of quotes a word `d<k>` becomes the value's name.
  StringRef rest = text;
  while (!rest.empty()) {
    if (rest[0] == '"') {
      size_t end = rest.find('"', 1);
      size_t length = end == StringRef::npos ? rest.size() : end + 1;
      printer << rest.take_front(length);
      rest = rest.drop_front(length);
      continue;
    }
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty()) {
      printer << rest[0];
      rest = rest.drop_front();
      continue;
    }
    unsigned position;
    if (word.size() > 1 && word[0] == 'd' &&
        !word.drop_front().getAsInteger(10, position) &&
        position < names.size())
      printer << names[position];
    else
      printer << word;
    rest = rest.drop_front(word.size());
  }
}

void printExpressions(OpAsmPrinter &printer, ArrayAttr exprs,
                      OperandRange values) {
  printer << "[";
  llvm::interleaveComma(exprs, printer, [&](Attribute expr) {
    printExpression(printer, cast<guard::ExprAttr>(expr), values);
  });
  printer << "]";
}

void printExpressions(OpAsmPrinter &printer, ArrayAttr exprs) {
  printer << "[";
  llvm::interleaveComma(exprs, printer, [&](Attribute expr) {
    printer << cast<guard::ExprAttr>(expr).str();
  });
  printer << "]";
}

ParseResult parseExpr(OpAsmParser &parser, guard::ExprAttr &expr) {
  return parseIndexExpression(parser, expr);
}

void printExpr(OpAsmPrinter &printer, Operation *op, guard::ExprAttr expr) {
  if (expr)
    printer << expr.str();
}

ParseResult parseExprList(OpAsmParser &parser, ArrayAttr &exprs) {
  return parseExpressions(parser, exprs);
}

void printExprList(OpAsmPrinter &printer, Operation *op, ArrayAttr exprs) {
  printExpressions(printer, exprs);
}

ParseResult parseDomain(OpAsmParser &parser,
                        SmallVectorImpl<OpAsmParser::Argument> &arguments,
                        ArrayAttr &extents) {
  SmallVector<OpAsmParser::Argument> list;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(list, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") || parseExpressions(parser, extents))
    return failure();
  if (list.size() != extents.size())
    return parser.emitError(loc)
           << "expected as many indices as extents, but found " << list.size()
           << " and " << extents.size();
  for (auto &argument : list) {
    argument.type = parser.getBuilder().getIndexType();
    arguments.push_back(argument);
  }
  return success();
}

void printDomain(OpAsmPrinter &printer, Block::BlockArgListType arguments,
                 ArrayAttr extents) {
  printer << "(";
  llvm::interleaveComma(arguments, printer, [&](BlockArgument argument) {
    printer.printRegionArgument(argument, {}, /*omitType=*/true);
  });
  printer << ") in ";
  printExpressions(printer, extents);
}

ParseResult parseOrigins(OpAsmParser &parser, OperationState &result,
                         StringAttr name) {
  if (failed(parser.parseOptionalKeyword("origins")))
    return success();
  ArrayAttr origins;
  if (parser.parseAttribute(origins))
    return failure();
  result.addAttribute(name, origins);
  return success();
}

void printOrigins(OpAsmPrinter &printer, ArrayAttr origins) {
  if (origins)
    printer << " origins " << origins;
}

} // namespace kiln::loop
