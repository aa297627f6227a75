//===- GuardCode.cpp - Reading Python guards -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Guards are Python text. Only arithmetic and comparisons over properties of
// inputs are read, with Python's precedence:
//
//   or < and < not < comparisons < | < ^ < & < shifts < + - < * / // % < unary
//   minus < **
//
//===----------------------------------------------------------------------===//

#include "SymExprDetail.h"

#include <charconv>

using namespace kiln;
using namespace kiln::archive;

namespace {

/// Chains make deep trees here, so fewer nodes than elsewhere are allowed.
constexpr size_t kMaxGuardNodes = 4000;

/// A function with the kind it becomes.
struct GuardFunction {
  std::string_view name;
  SymKind kind;
  size_t minOperands;
  size_t maxOperands;
  std::string_view unary = {};
};

constexpr GuardFunction guardFunctions[] = {
    {"max", SymKind::Max, 2, 64},
    {"min", SymKind::Min, 2, 64},
    {"torch.sym_max", SymKind::Max, 2, 64},
    {"torch.sym_min", SymKind::Min, 2, 64},
    {"abs", SymKind::Abs, 1, 1},
    {"math.trunc", SymKind::TruncToInt, 1, 1},
    {"math.floor", SymKind::FloorToInt, 1, 1},
    {"math.ceil", SymKind::CeilToInt, 1, 1},
    {"round", SymKind::RoundToInt, 1, 1},
    {"torch.sym_int", SymKind::TruncToInt, 1, 1},
    {"int", SymKind::TruncToInt, 1, 1},
    {"torch.sym_float", SymKind::ToFloat, 1, 1},
    {"float", SymKind::ToFloat, 1, 1},
    {"torch.sym_not", SymKind::Not, 1, 1},
    {"math.sqrt", SymKind::UnaryFn, 1, 1, "sqrt"},
    {"torch._sym_sqrt", SymKind::UnaryFn, 1, 1, "sqrt"},
};

/// Whether an expression is a float; `/` has two forms.
bool isFloatExpr(const SymExpr &expr) {
  switch (expr.kind) {
  case SymKind::Float:
  case SymKind::ToFloat:
  case SymKind::IntTrueDiv:
  case SymKind::FloatTrueDiv:
  case SymKind::TruncToFloat:
  case SymKind::RoundDecimal:
  case SymKind::FloatPow:
  case SymKind::UnaryFn:
    return true;
  case SymKind::Add:
  case SymKind::Mul:
  case SymKind::Max:
  case SymKind::Min:
  case SymKind::Pow:
  case SymKind::FloorDiv:
  case SymKind::PythonMod:
  case SymKind::Abs:
    for (const SymExprPtr &operand : expr.operands)
      if (isFloatExpr(*operand))
        return true;
    return false;
  default:
    return false;
  }
}

class GuardParser {
public:
  /// With `symbols` a bare name is one; else names are of functions only.
  explicit GuardParser(std::string_view text, bool symbols = false)
      : scan_(text), symbols_(symbols) {}

  Result<SymExprPtr> parse() {
    auto expr = disjunction();
    if (!expr)
      return expr;
    if (!scan_.atEnd())
      return unsupported();
    return expr;
  }

private:
  Error unsupported() {
    return Error::unsupported("guard '" +
                              std::string(scan_.text().substr(0, 200)) +
                              "' is not understood from character " +
                              std::to_string(scan_.position()));
  }

  bool eatWord(std::string_view word) {
    size_t start = scan_.position();
    if (scan_.identifier() == word)
      return true;
    scan_.seek(start);
    return false;
  }

  Result<SymExprPtr> make(SymKind kind, std::vector<SymExprPtr> operands) {
    if (++nodes_ > kMaxGuardNodes)
      return unsupported();
    return makeCall(kind, std::move(operands));
  }

  Result<SymExprPtr> disjunction() {
    auto left = conjunction();
    while (left && eatWord("or")) {
      auto right = conjunction();
      if (!right)
        return right;
      left = make(SymKind::Or, {*left, *right});
    }
    return left;
  }

  Result<SymExprPtr> conjunction() {
    auto left = negation();
    while (left && eatWord("and")) {
      auto right = negation();
      if (!right)
        return right;
      left = make(SymKind::And, {*left, *right});
    }
    return left;
  }

  Result<SymExprPtr> negation() {
    if (!eatWord("not"))
      return comparison();
    if (++depth_ > kMaxSymDepth)
      return unsupported();
    auto operand = negation();
    --depth_;
    if (!operand)
      return operand;
    return make(SymKind::Not, {*operand});
  }

  std::optional<SymKind> comparator() {
    if (scan_.eat("=="))
      return SymKind::Eq;
    if (scan_.eat("!="))
      return SymKind::Ne;
    if (scan_.eat("<="))
      return SymKind::Le;
    if (scan_.eat(">="))
      return SymKind::Ge;
    if (!scan_.peek("<<") && scan_.eat("<"))
      return SymKind::Lt;
    if (!scan_.peek(">>") && scan_.eat(">"))
      return SymKind::Gt;
    return std::nullopt;
  }

  /// a < b < c means a < b and b < c.
  Result<SymExprPtr> comparison() {
    auto left = binary(0);
    if (!left)
      return left;
    std::vector<SymExprPtr> parts;
    while (auto kind = comparator()) {
      auto right = binary(0);
      if (!right)
        return right;
      auto part = make(*kind, {*left, *right});
      if (!part)
        return part;
      parts.push_back(*part);
      left = right;
    }
    if (parts.empty())
      return left;
    if (parts.size() == 1)
      return parts[0];
    return make(SymKind::And, std::move(parts));
  }

  /// The operator at this level, if it comes next.
  std::optional<std::string_view> operatorAt(int level) {
    auto one = [&](std::string_view token) -> std::optional<std::string_view> {
      if (scan_.eat(token))
        return token;
      return std::nullopt;
    };
    switch (level) {
    case 0:
      return one("|");
    case 1:
      return one("^");
    case 2:
      return one("&");
    case 3:
      if (auto token = one("<<"))
        return token;
      return one(">>");
    case 4:
      if (auto token = one("+"))
        return token;
      return one("-");
    default:
      if (scan_.peek("**"))
        return std::nullopt;
      for (std::string_view token : {"*", "//", "/", "%"})
        if (auto found = one(token))
          return found;
      return std::nullopt;
    }
  }

  Result<SymExprPtr> combine(std::string_view token, const SymExprPtr &left,
                             const SymExprPtr &right) {
    if (token == "|")
      return make(SymKind::BitwiseOr, {left, right});
    if (token == "^")
      return make(SymKind::BitwiseXor, {left, right});
    if (token == "&")
      return make(SymKind::BitwiseAnd, {left, right});
    if (token == "<<")
      return make(SymKind::LShift, {left, right});
    if (token == ">>")
      return make(SymKind::RShift, {left, right});
    if (token == "+")
      return make(SymKind::Add, {left, right});
    if (token == "-") {
      auto negated = negate(right);
      if (!negated)
        return negated;
      return make(SymKind::Add, {left, *negated});
    }
    if (token == "*")
      return make(SymKind::Mul, {left, right});
    if (token == "//")
      return make(SymKind::FloorDiv, {left, right});
    if (token == "%")
      return make(SymKind::PythonMod, {left, right});
    bool isFloat = isFloatExpr(*left) || isFloatExpr(*right);
    return make(isFloat ? SymKind::FloatTrueDiv : SymKind::IntTrueDiv,
                {left, right});
  }

  Result<SymExprPtr> binary(int level) {
    constexpr int levels = 6;
    if (level == levels)
      return unary();
    auto left = binary(level + 1);
    size_t length = 0;
    while (left) {
      auto token = operatorAt(level);
      if (!token)
        break;
      // A chain makes a tree as deep as it is long.
      if (++length > kMaxSymDepth / 2)
        return unsupported();
      auto right = binary(level + 1);
      if (!right)
        return right;
      left = combine(*token, *left, *right);
    }
    return left;
  }

  Result<SymExprPtr> negate(const SymExprPtr &operand) {
    if (operand->kind == SymKind::Integer && operand->integer != INT64_MIN)
      return makeInteger(-operand->integer);
    if (operand->kind == SymKind::Float) {
      SymExpr expr = *operand;
      expr.number = -expr.number;
      return share(std::move(expr));
    }
    return make(SymKind::Mul, {makeInteger(-1), operand});
  }

  Result<SymExprPtr> unary() {
    if (++depth_ > kMaxSymDepth / 4)
      return unsupported();
    auto result = [&]() -> Result<SymExprPtr> {
      if (scan_.eat("-")) {
        auto operand = unary();
        return operand ? negate(*operand) : operand;
      }
      if (scan_.eat("+"))
        return unary();
      return powerOf();
    }();
    --depth_;
    return result;
  }

  Result<SymExprPtr> powerOf() {
    auto base = primary();
    if (!base || !scan_.eat("**"))
      return base;
    auto exponent = unary(); // binds to the right
    if (!exponent)
      return exponent;
    bool isFloat = isFloatExpr(**base) || isFloatExpr(**exponent);
    return make(isFloat ? SymKind::FloatPow : SymKind::Pow, {*base, *exponent});
  }

  Result<SymExprPtr> primary() {
    if (scan_.eat("(")) {
      auto inner = disjunction();
      if (!inner)
        return inner;
      if (!scan_.eat(")"))
        return unsupported();
      return inner;
    }
    char c = scan_.current();
    if ((c >= '0' && c <= '9') || c == '.')
      return number();
    size_t start = scan_.position();
    std::string name(scan_.identifier());
    if (name.empty())
      return unsupported();
    if (name == "True" || name == "False")
      return makeBool(name == "True");
    if (name == "L" && scan_.peek("["))
      return input(start);
    if (symbols_ && !scan_.peek(".") && !scan_.peek("(")) {
      SymExpr symbol;
      symbol.kind = SymKind::Symbol;
      symbol.name = std::move(name);
      return share(std::move(symbol));
    }
    while (scan_.eat("."))
      name += "." + std::string(scan_.identifier());
    if (!scan_.eat("(")) {
      scan_.seek(start);
      return unsupported();
    }
    return call(name, start);
  }

  Result<SymExprPtr> number() {
    scan_.current(); // skips spaces
    std::string_view rest = scan_.text().substr(scan_.position());
    size_t length = 0;
    while (length < rest.size() && rest[length] >= '0' && rest[length] <= '9')
      ++length;
    bool isFloat = length < rest.size() &&
                   (rest[length] == '.' || rest[length] == 'e');
    if (!isFloat) {
      auto value = scan_.integer();
      if (!value)
        return unsupported();
      return makeInteger(*value);
    }
    SymExpr expr;
    expr.kind = SymKind::Float;
    auto [end, code] =
        std::from_chars(rest.data(), rest.data() + rest.size(), expr.number);
    if (code != std::errc())
      return unsupported();
    scan_.seek(scan_.position() + static_cast<size_t>(end - rest.data()));
    return share(std::move(expr));
  }

  Result<SymExprPtr> call(const std::string &name, size_t start) {
    for (const GuardFunction &function : guardFunctions) {
      if (function.name != name)
        continue;
      SymExpr expr;
      expr.kind = function.kind;
      expr.name = function.unary;
      do {
        auto operand = disjunction();
        if (!operand)
          return operand;
        expr.operands.push_back(*operand);
      } while (scan_.eat(","));
      if (!scan_.eat(")") || expr.operands.size() < function.minOperands ||
          expr.operands.size() > function.maxOperands)
        return unsupported();
      if (++nodes_ > kMaxGuardNodes)
        return unsupported();
      return share(std::move(expr));
    }
    scan_.seek(start);
    return unsupported();
  }

  /// L['x'] and what follows: subscripts and attributes name the input, the
  /// property ends it.
  Result<SymExprPtr> input(size_t start) {
    SymExpr expr;
    expr.kind = SymKind::InputValue;
    size_t end = scan_.position();
    while (true) {
      if (scan_.eat("[")) {
        bool isText = scan_.current() == '\'' || scan_.current() == '"';
        bool ok = isText ? static_cast<bool>(scan_.quoted())
                         : static_cast<bool>(scan_.integer());
        if (!ok || !scan_.eat("]"))
          return unsupported();
        end = scan_.position();
        continue;
      }
      if (!scan_.eat("."))
        break;
      std::string_view name = scan_.identifier();
      if (name.empty())
        return unsupported();
      if (!scan_.peek("(") && name != "shape") {
        end = scan_.position();
        continue;
      }
      if (name == "storage_offset") {
        if (!scan_.eat("(") || !scan_.eat(")"))
          return unsupported();
        expr.kind = SymKind::InputStorageOffset;
        break;
      }
      if (name == "size" || name == "shape")
        expr.kind = SymKind::InputSize;
      else if (name == "stride")
        expr.kind = SymKind::InputStride;
      else
        return unsupported();
      if (name != "shape" && (!scan_.eat("(") || !scan_.eat(")")))
        return unsupported();
      if (!scan_.eat("["))
        return unsupported();
      auto dim = scan_.integer();
      if (!dim || *dim < 0 || *dim > 64 || !scan_.eat("]"))
        return unsupported();
      expr.integer = *dim;
      break;
    }
    expr.name = scan_.text().substr(start, end - start);
    size_t first = expr.name.find_first_not_of(" \n");
    expr.name.erase(0, first == std::string::npos ? 0 : first);
    if (++nodes_ > kMaxGuardNodes)
      return unsupported();
    return share(std::move(expr));
  }

  SymScanner scan_;
  bool symbols_;
  size_t nodes_ = 0;
  size_t depth_ = 0;
};

} // namespace

Result<SymExprPtr> archive::parseGuardCode(std::string_view text) {
  if (text.size() > kMaxSymText)
    return Error::unsupported("guard of " + std::to_string(text.size()) +
                              " characters is longer than " +
                              std::to_string(kMaxSymText));
  return GuardParser(text).parse();
}

Result<SymExprPtr> archive::parseInfix(std::string_view text) {
  if (text.size() > kMaxSymText)
    return Error::unsupported("expression of " + std::to_string(text.size()) +
                              " characters is longer than " +
                              std::to_string(kMaxSymText));
  return GuardParser(text, /*symbols=*/true).parse();
}
