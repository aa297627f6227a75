//===- SymExpr.cpp - Reading symbolic sizes ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymExprDetail.h"

#include <charconv>

using namespace kiln;
using namespace kiln::archive;

namespace {

struct FunctionInfo {
  SymKind kind;
  std::string_view name;
  size_t minOperands;
  size_t maxOperands;
  std::string_view infix = {}; ///< for printing
  int level = 0;               ///< how tight the infix form binds
};

constexpr size_t many = kMaxSymNodes;

// Functions of the format, with their numbers of operands.
constexpr FunctionInfo functions[] = {
    {SymKind::Add, "Add", 1, many, " + ", 4},
    {SymKind::Mul, "Mul", 1, many, "*", 5},
    {SymKind::Pow, "Pow", 2, 2, "**", 7},
    {SymKind::PowByNatural, "PowByNatural", 2, 2, "**", 7},
    {SymKind::FloatPow, "FloatPow", 2, 2, "**", 7},
    {SymKind::FloorDiv, "FloorDiv", 2, 2, " // ", 5},
    {SymKind::CleanDiv, "CleanDiv", 2, 2, " // ", 5},
    {SymKind::CeilDiv, "CeilDiv", 2, 2},
    {SymKind::Mod, "Mod", 2, 2, " % ", 5},
    {SymKind::PythonMod, "PythonMod", 2, 2, " % ", 5},
    {SymKind::ModularIndexing, "ModularIndexing", 3, 3},
    {SymKind::Max, "Max", 1, many},
    {SymKind::Min, "Min", 1, many},
    {SymKind::LShift, "LShift", 2, 2, " << ", 3},
    {SymKind::RShift, "RShift", 2, 2, " >> ", 3},
    {SymKind::BitwiseAnd, "BitwiseFn_bitwise_and", 2, 2, " & ", 3},
    {SymKind::BitwiseOr, "BitwiseFn_bitwise_or", 2, 2, " | ", 3},
    {SymKind::BitwiseXor, "BitwiseFn_bitwise_xor", 2, 2, " ^ ", 3},
    {SymKind::Abs, "Abs", 1, 1},
    {SymKind::ToFloat, "ToFloat", 1, 1},
    {SymKind::IntTrueDiv, "IntTrueDiv", 2, 2, " / ", 5},
    {SymKind::FloatTrueDiv, "FloatTrueDiv", 2, 2, " / ", 5},
    {SymKind::TruncToInt, "TruncToInt", 1, 1},
    {SymKind::FloorToInt, "FloorToInt", 1, 1},
    {SymKind::CeilToInt, "CeilToInt", 1, 1},
    {SymKind::RoundToInt, "RoundToInt", 1, 1},
    {SymKind::TruncToFloat, "TruncToFloat", 1, 1},
    {SymKind::RoundDecimal, "RoundDecimal", 2, 2},
    {SymKind::UnaryFn, "OpaqueUnaryFn", 1, 1},
    {SymKind::Where, "Where", 3, 3},
    {SymKind::Piecewise, "Piecewise", 1, many},
    {SymKind::ExprCondPair, "ExprCondPair", 2, 2},
    {SymKind::Identity, "Identity", 1, 1},
    {SymKind::Eq, "Equality", 2, 2, " == ", 2},
    {SymKind::Ne, "Unequality", 2, 2, " != ", 2},
    {SymKind::Le, "LessThan", 2, 2, " <= ", 2},
    {SymKind::Lt, "StrictLessThan", 2, 2, " < ", 2},
    {SymKind::Ge, "GreaterThan", 2, 2, " >= ", 2},
    {SymKind::Gt, "StrictGreaterThan", 2, 2, " > ", 2},
    {SymKind::And, "And", 0, many, " and ", 1},
    {SymKind::Or, "Or", 0, many, " or ", 1},
    {SymKind::Not, "Not", 1, 1},
    {SymKind::IsNonOverlappingAndDense, "IsNonOverlappingAndDenseIndicator", 0,
     many},
};

constexpr std::string_view unaryNames[] = {"sqrt", "cos",  "cosh", "sin",
                                           "sinh", "tan",  "tanh", "asin",
                                           "acos", "atan", "exp",  "log",
                                           "log2", "asinh"};
constexpr std::string_view unaryPrefix = "OpaqueUnaryFn_";

/// Recursive descent over the srepr text.
class SreprParser {
public:
  explicit SreprParser(std::string_view text) : scan_(text) {}

  Result<SymExprPtr> parse() {
    auto expr = expression(0);
    if (!expr)
      return expr;
    if (!scan_.atEnd())
      return scan_.unexpected("the end");
    return expr;
  }

private:
  Result<SymExprPtr> expression(size_t depth) {
    if (depth >= kMaxSymDepth)
      return Error::malformed("expression is nested deeper than " +
                              std::to_string(kMaxSymDepth) + " levels");
    if (++nodes_ > kMaxSymNodes)
      return Error::malformed("expression has more than " +
                              std::to_string(kMaxSymNodes) + " nodes");
    std::string_view name = scan_.identifier();
    if (name.empty())
      return scan_.unexpected("a name");
    if (name == "true" || name == "false")
      return makeBool(name == "true");
    if (!scan_.eat("("))
      return scan_.unexpected("'('");
    if (name == "Symbol")
      return symbol();
    if (name == "Integer")
      return integer();
    if (name == "Rational")
      return rational();
    if (name == "Float")
      return floating();
    return call(name, depth);
  }

  Result<SymExprPtr> symbol() {
    auto name = scan_.quoted();
    if (!name)
      return name.takeError();
    if (name->empty())
      return scan_.unexpected("a symbol name");
    while (scan_.eat(",")) {
      if (scan_.identifier().empty() || !scan_.eat("="))
        return scan_.unexpected("an assumption");
      std::string_view value = scan_.identifier();
      if (value != "True" && value != "False")
        return scan_.unexpected("True or False");
    }
    if (!scan_.eat(")"))
      return scan_.unexpected("')'");
    SymExpr expr;
    expr.kind = SymKind::Symbol;
    expr.name = std::move(*name);
    return share(std::move(expr));
  }

  Result<SymExprPtr> integer() {
    auto value = scan_.integer();
    if (!value)
      return value.takeError();
    if (!scan_.eat(")"))
      return scan_.unexpected("')'");
    return makeInteger(*value);
  }

  Result<SymExprPtr> rational() {
    auto numerator = scan_.integer();
    if (!numerator)
      return numerator.takeError();
    if (!scan_.eat(","))
      return scan_.unexpected("','");
    auto denominator = scan_.integer();
    if (!denominator)
      return denominator.takeError();
    if (*denominator <= 0)
      return Error::malformed("expression has a fraction with denominator " +
                              std::to_string(*denominator));
    if (!scan_.eat(")"))
      return scan_.unexpected("')'");
    SymExpr expr;
    expr.kind = SymKind::Rational;
    expr.integer = *numerator;
    expr.denominator = *denominator;
    return share(std::move(expr));
  }

  Result<SymExprPtr> floating() {
    auto text = scan_.quoted();
    if (!text)
      return text.takeError();
    SymExpr expr;
    expr.kind = SymKind::Float;
    auto [end, code] =
        std::from_chars(text->data(), text->data() + text->size(), expr.number);
    if (code != std::errc() || end != text->data() + text->size())
      return Error::malformed("expression has a malformed number '" +
                              text->substr(0, 60) + "'");
    while (scan_.eat(",")) {
      if (scan_.identifier().empty() || !scan_.eat("="))
        return scan_.unexpected("a precision");
      if (auto value = scan_.integer(); !value)
        return value.takeError();
    }
    if (!scan_.eat(")"))
      return scan_.unexpected("')'");
    return share(std::move(expr));
  }

  Result<SymExprPtr> call(std::string_view name, size_t depth) {
    SymExpr expr;
    const FunctionInfo *info = nullptr;
    if (name.substr(0, unaryPrefix.size()) == unaryPrefix) {
      expr.name = name.substr(unaryPrefix.size());
      for (std::string_view known : unaryNames)
        if (expr.name == known)
          name = "OpaqueUnaryFn";
    }
    for (const FunctionInfo &candidate : functions)
      if (candidate.name == name)
        info = &candidate;
    if (!info)
      return Error::unsupported("unknown function '" +
                                std::string(name.substr(0, 60)) +
                                "' in a symbolic expression");
    expr.kind = info->kind;
    if (!scan_.eat(")")) {
      do {
        auto operand = expression(depth + 1);
        if (!operand)
          return operand;
        expr.operands.push_back(std::move(*operand));
      } while (scan_.eat(","));
      if (!scan_.eat(")"))
        return scan_.unexpected("')' or ','");
    }
    size_t count = expr.operands.size();
    if (count < info->minOperands || count > info->maxOperands)
      return Error::malformed("'" + std::string(name) + "' has " +
                              std::to_string(count) + " operands, expected " +
                              std::to_string(info->minOperands));
    if (expr.kind == SymKind::Piecewise)
      for (const SymExprPtr &operand : expr.operands)
        if (operand->kind != SymKind::ExprCondPair)
          return Error::malformed(
              "'Piecewise' has an operand that is no 'ExprCondPair'");
    return share(std::move(expr));
  }

  SymScanner scan_;
  size_t nodes_ = 0;
};

} // namespace

std::string_view archive::symKindName(SymKind kind) {
  for (const FunctionInfo &info : functions)
    if (info.kind == kind)
      return info.name;
  switch (kind) {
  case SymKind::Symbol:
    return "Symbol";
  case SymKind::Integer:
    return "Integer";
  case SymKind::Rational:
    return "Rational";
  case SymKind::Float:
    return "Float";
  case SymKind::Bool:
    return "Bool";
  default:
    return "Input";
  }
}

SymExprPtr archive::share(SymExpr expr) {
  return std::make_shared<const SymExpr>(std::move(expr));
}

SymExprPtr archive::makeInteger(int64_t value) {
  SymExpr expr;
  expr.integer = value;
  return share(std::move(expr));
}

SymExprPtr archive::makeBool(bool value) {
  SymExpr expr;
  expr.kind = SymKind::Bool;
  expr.integer = value;
  return share(std::move(expr));
}

SymExprPtr archive::makeCall(SymKind kind, std::vector<SymExprPtr> operands) {
  SymExpr expr;
  expr.kind = kind;
  expr.operands = std::move(operands);
  return share(std::move(expr));
}

Result<SymExprPtr> archive::parseSymExpr(std::string_view text) {
  if (text.size() > kMaxSymText)
    return Error::malformed("expression has " + std::to_string(text.size()) +
                            " characters, expected at most " +
                            std::to_string(kMaxSymText));
  return SreprParser(text).parse();
}

void archive::forEachSymbol(
    const SymExpr &expr,
    const std::function<void(const std::string &)> &visit) {
  if (expr.kind == SymKind::Symbol)
    visit(expr.name);
  for (const SymExprPtr &operand : expr.operands)
    forEachSymbol(*operand, visit);
}

//===----------------------------------------------------------------------===//
// Scanner
//===----------------------------------------------------------------------===//

void SymScanner::skipSpace() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
    ++at_;
}

bool SymScanner::atEnd() {
  skipSpace();
  return at_ == text_.size();
}

bool SymScanner::eat(std::string_view token) {
  skipSpace();
  if (text_.substr(at_, token.size()) != token)
    return false;
  at_ += token.size();
  return true;
}

bool SymScanner::peek(std::string_view token) {
  skipSpace();
  return text_.substr(at_, token.size()) == token;
}

static bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

std::string_view SymScanner::identifier() {
  skipSpace();
  size_t start = at_;
  if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
    return {};
  while (at_ < text_.size() && isWordChar(text_[at_]))
    ++at_;
  return text_.substr(start, at_ - start);
}

Result<std::string> SymScanner::quoted() {
  skipSpace();
  if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
    return unexpected("a quoted text");
  char quote = text_[at_++];
  std::string value;
  while (at_ < text_.size() && text_[at_] != quote) {
    if (text_[at_] == '\\' && at_ + 1 < text_.size())
      ++at_;
    value += text_[at_++];
  }
  if (at_ == text_.size())
    return unexpected("a closing quote");
  ++at_;
  return value;
}

Result<int64_t> SymScanner::integer() {
  skipSpace();
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (code == std::errc::result_out_of_range)
    return Error::unsupported("integer at character " + std::to_string(at_) +
                              " of an expression does not fit 64 bits");
  if (code != std::errc())
    return unexpected("an integer");
  at_ = static_cast<size_t>(end - text_.data());
  return value;
}

Error SymScanner::unexpected(std::string_view expected) {
  skipSpace();
  std::string found = at_ == text_.size()
                          ? "the end"
                          : "'" + std::string(text_.substr(at_, 20)) + "'";
  return Error::malformed("expected " + std::string(expected) +
                          " at character " + std::to_string(at_) +
                          " of an expression, but found " + found);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string numberText(double value) {
  char buffer[40];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  (void)code; // 40 characters hold the shortest form of every double
  std::string text(buffer, end);
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

static std::string print(const SymExpr &expr, int outer) {
  auto operand = [&](size_t i) -> const SymExpr & { return *expr.operands[i]; };
  switch (expr.kind) {
  case SymKind::Symbol:
  case SymKind::InputValue:
    return expr.name;
  case SymKind::Integer:
    return expr.integer < 0 && outer > 4
               ? "(" + std::to_string(expr.integer) + ")"
               : std::to_string(expr.integer);
  case SymKind::Rational:
    return "(" + std::to_string(expr.integer) + "/" +
           std::to_string(expr.denominator) + ")";
  case SymKind::Float:
    return numberText(expr.number);
  case SymKind::Bool:
    return expr.integer ? "True" : "False";
  case SymKind::InputSize:
    return expr.name + ".size()[" + std::to_string(expr.integer) + "]";
  case SymKind::InputStride:
    return expr.name + ".stride()[" + std::to_string(expr.integer) + "]";
  case SymKind::InputStorageOffset:
    return expr.name + ".storage_offset()";
  case SymKind::Identity:
    return print(operand(0), outer);
  default:
    break;
  }
  const FunctionInfo *info = nullptr;
  for (const FunctionInfo &candidate : functions)
    if (candidate.kind == expr.kind)
      info = &candidate;
  std::string text;
  if (!info->infix.empty() && expr.operands.size() > 1) {
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      // The right side of an operator that is not n-ary binds tighter.
      bool nary = expr.kind == SymKind::Add || expr.kind == SymKind::Mul;
      int level = info->level + (nary && info->level != 5 ? 0 : i > 0);
      if (expr.kind == SymKind::Add && i > 0 &&
          operand(i).kind == SymKind::Integer && operand(i).integer < 0 &&
          operand(i).integer != INT64_MIN) {
        text += " - " + std::to_string(-operand(i).integer);
        continue;
      }
      text += (i ? std::string(info->infix) : "") + print(operand(i), level);
    }
    return info->level < outer ? "(" + text + ")" : text;
  }
  text = expr.kind == SymKind::UnaryFn ? expr.name : std::string(info->name);
  text += "(";
  for (size_t i = 0; i < expr.operands.size(); ++i)
    text += (i ? ", " : "") + print(operand(i), 0);
  return text + ")";
}

std::string archive::toString(const SymExpr &expr) { return print(expr, 0); }
