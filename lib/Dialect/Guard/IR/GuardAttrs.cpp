//===- GuardAttrs.cpp - Text of expressions, shapes as encodings ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace kiln;
using namespace kiln::guard;

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Guard/IR/GuardAttrs.cpp.inc"

void GuardDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Guard/IR/GuardAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static bool isDimName(StringRef name) {
  return name.consume_front("d") && !name.empty() && name.size() < 9 &&
         llvm::all_of(name, llvm::isDigit);
}

static bool isIdentifier(StringRef name) {
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  return llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static void printNumber(raw_ostream &os, double value) {
  if (!std::isfinite(value)) {
    os << llvm::format_hex(llvm::bit_cast<uint64_t>(value), 18, true);
    return;
  }
  // The shorter text if it is the same number.
  SmallString<32> text, exact;
  llvm::APFloat(value).toString(text, 6);
  double readBack;
  if (StringRef(text).getAsDouble(readBack) || readBack != value) {
    llvm::APFloat(value).toString(exact, 17);
    text = exact;
  }
  // A float literal has a point.
  if (!StringRef(text).contains('.')) {
    size_t exponent = StringRef(text).find('E');
    text.insert(exponent == StringRef::npos ? text.end()
                                            : text.begin() + exponent,
                {'.', '0'});
  }
  os << text;
}

/// Precedence of what is printed: a product binds tighter than a sum.
static void print(raw_ostream &os, ExprAttr e, bool insideProduct);

static void printTerm(raw_ostream &os, ExprAttr monomial, int64_t factor) {
  llvm::interleave(
      getFactors(monomial), os,
      [&](ExprAttr e) { print(os, e, /*insideProduct=*/true); }, " * ");
  if (factor != 1)
    os << " * " << factor;
}

static void printSum(raw_ostream &os, ExprAttr e) {
  bool isFirst = true;
  for (Term term : getTerms(e)) {
    // The lowest integer has no positive counterpart.
    bool isNegative =
        !isFirst && term.coefficient < 0 && term.coefficient != Interval::kMin;
    int64_t factor = isNegative ? -term.coefficient : term.coefficient;
    if (!isFirst)
      os << (isNegative ? " - " : " + ");
    isFirst = false;
    if (term.monomial)
      printTerm(os, term.monomial, factor);
    else
      os << factor;
  }
}

static void print(raw_ostream &os, ExprAttr e, bool insideProduct) {
  switch (e.getKind()) {
  case ExprKind::Constant:
    os << e.getPayload();
    return;
  case ExprKind::Float:
    os << "float(";
    printNumber(os, e.getFloat());
    os << ")";
    return;
  case ExprKind::Dim:
    os << "d" << e.getPosition();
    return;
  case ExprKind::Symbol: {
    StringRef name = e.getSymbol().getValue();
    if (isIdentifier(name) && !isDimName(name)) {
      os << name;
      return;
    }
    os << '"';
    llvm::printEscapedString(name, os);
    os << '"';
    return;
  }
  case ExprKind::Add:
  case ExprKind::Mul:
    if (e.getPayload() != 0)
      break;
    if (insideProduct)
      os << "(";
    printSum(os, e);
    if (insideProduct)
      os << ")";
    return;
  default:
    break;
  }
  os << getFunctionName(e.getKind()) << "(";
  llvm::interleaveComma(e.getOperands(), os,
                        [&](ExprAttr operand) { print(os, operand, false); });
  os << ")";
}

void ExprAttr::printExpression(raw_ostream &os) const {
  ::print(os, *this, /*insideProduct=*/false);
}

std::string ExprAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpression(os);
  return text;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printExpression(printer.getStream());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Recursive descent over the tokens of the attribute:
///
///   sum     := product (('+' | '-') product)*
///   product := unary ('*' unary)*
///   unary   := '-' unary | primary
///   primary := integer | name | string | '(' sum ')'
///            | 'float' '(' number ')' | function '(' sum (',' sum)* ')'
class ExprParser {
public:
  explicit ExprParser(AsmParser &parser)
      : parser(parser), context(parser.getContext()) {}

  ParseResult parseSum(ExprAttr &result) {
    // Text may come from anywhere: it must not exhaust the stack.
    if (++depth > kMaxDepth)
      return parser.emitError(parser.getCurrentLocation())
             << "expression is nested deeper than " << kMaxDepth << " levels";
    ParseResult outcome = parseSumBody(result);
    --depth;
    return outcome;
  }

private:
  static constexpr int kMaxDepth = 256;
  static constexpr int kMaxNodes = 10000;

  ParseResult parseSumBody(ExprAttr &result) {
    if (parseProduct(result))
      return failure();
    while (true) {
      ExprAttr next;
      int64_t value;
      if (succeeded(parser.parseOptionalPlus())) {
        if (parseProduct(next))
          return failure();
        result = add(result, next);
      } else if (succeeded(parser.parseOptionalMinus())) {
        if (parseProduct(next))
          return failure();
        result = sub(result, next);
      } else if (mlir::OptionalParseResult number =
                     parser.parseOptionalInteger(value);
                 number.has_value()) {
        return parser.emitError(parser.getCurrentLocation(),
                                "expected an operator before a number");
      } else {
        return success();
      }
    }
  }

  ParseResult parseProduct(ExprAttr &result) {
    if (parseUnary(result))
      return failure();
    while (succeeded(parser.parseOptionalStar())) {
      ExprAttr next;
      if (parseUnary(next))
        return failure();
      result = mul(result, next);
    }
    return success();
  }

  ParseResult parseUnary(ExprAttr &result) {
    // A sum is sorted with each term that comes.
    if (++nodes > kMaxNodes)
      return parser.emitError(parser.getCurrentLocation())
             << "expression has more than " << kMaxNodes << " nodes";
    int64_t value;
    // A number takes its sign with it, so that the lowest integer can be read.
    mlir::OptionalParseResult number = parser.parseOptionalInteger(value);
    if (number.has_value()) {
      if (failed(*number))
        return failure();
      result = getConstant(context, value);
      return success();
    }
    return parsePrimary(result);
  }

  ParseResult parsePrimary(ExprAttr &result) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalLParen()))
      return failure(parseSum(result) || parser.parseRParen());
    std::string text;
    if (succeeded(parser.parseOptionalString(&text))) {
      if (text.empty())
        return parser.emitError(loc, "expected a symbol with a name");
      result = getSymbol(context, text);
      return success();
    }
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(
          loc, "expected an integer, a symbol, a function or '('");
    if (succeeded(parser.parseOptionalLParen()))
      return parseCall(loc, name, result);
    unsigned position;
    if (isDimName(name) && !name.drop_front().getAsInteger(10, position))
      result = getDim(context, position);
    else
      result = getSymbol(context, name);
    return success();
  }

  ParseResult parseCall(llvm::SMLoc loc, StringRef name, ExprAttr &result) {
    if (name == "float") {
      llvm::APFloat value(0.0);
      if (parser.parseFloat(llvm::APFloat::IEEEdouble(), value) ||
          parser.parseRParen())
        return failure();
      result = getFloat(context, value.convertToDouble());
      return success();
    }
    SmallVector<ExprAttr> operands;
    if (parser.parseCommaSeparatedList(
            [&] { return parseSum(operands.emplace_back()); }) ||
        parser.parseRParen())
      return failure();
    if (name == "modular_indexing" && operands.size() == 3) {
      result = modularIndexing(operands[0], operands[1], operands[2]);
      return success();
    }
    std::optional<ExprKind> kind = lookUpFunction(name);
    if (!kind)
      return parser.emitError(loc) << "'" << name << "' is not a function of "
                                   << "expressions";
    unsigned arity = getArity(*kind);
    if (arity != 0 && operands.size() != arity)
      return parser.emitError(loc)
             << "'" << name << "' expects " << arity << " operands, but found "
             << operands.size();
    result = build(*kind, operands);
    return success();
  }

  AsmParser &parser;
  MLIRContext *context;
  int depth = 0, nodes = 0;
};

} // namespace

ParseResult guard::parseExpression(AsmParser &parser, ExprAttr &expr) {
  return ExprParser(parser).parseSum(expr);
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  ExprAttr result;
  if (parser.parseLess() || ExprParser(parser).parseSum(result) ||
      parser.parseGreater())
    return {};
  return result;
}

ExprAttr ExprAttr::get(MLIRContext *context, ExprKind kind, int64_t payload,
                       StringAttr symbol, ArrayRef<ExprAttr> operands) {
  return Base::get(context, kind, payload, symbol, operands);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

ShapeAttr ShapeAttr::get(MLIRContext *context, ArrayRef<int64_t> constants) {
  return get(context, guard::getConstants(context, constants));
}

std::optional<SmallVector<int64_t>> ShapeAttr::getConstants() const {
  SmallVector<int64_t> values;
  for (ExprAttr dim : getDims()) {
    if (!dim.isConstant())
      return std::nullopt;
    values.push_back(dim.getPayload());
  }
  return values;
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<ExprAttr> dims;
  auto parseDim = [&] {
    return ExprParser(parser).parseSum(dims.emplace_back());
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseGreater())
    return {};
  return ShapeAttr::get(parser.getContext(), dims);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer.getStream(), [&](ExprAttr dim) {
    dim.printExpression(printer.getStream());
  });
  printer << "]>";
}

LogicalResult ShapeAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != size()) // S1
    return emitError() << "shape encoding has " << size()
                       << " sizes, but the tensor has rank " << shape.size();
  for (auto [i, size] : llvm::enumerate(shape)) {
    ExprAttr dim = getDims()[i];
    if (mlir::ShapedType::isDynamic(size)) {
      if (dim.isConstant()) // S3
        return emitError() << "shape encoding gives dimension " << i
                           << " the constant " << dim.getPayload()
                           << ", but the tensor type leaves it dynamic";
      continue;
    }
    if (!dim.isConstant(size)) // S2
      return emitError() << "shape encoding gives dimension " << i
                         << " the size '" << dim.str()
                         << "', but the tensor type has " << size;
  }
  return success();
}

RankedTensorType guard::makeTensorType(Type elementType,
                                       ArrayRef<ExprAttr> dims) {
  SmallVector<int64_t> sizes;
  bool isStatic = true;
  for (ExprAttr dim : dims) {
    // A negative constant can only come from a contradiction; keep it visible.
    bool isSize = dim.isConstant() && dim.getPayload() >= 0;
    sizes.push_back(isSize ? dim.getPayload() : mlir::ShapedType::kDynamic);
    isStatic &= isSize;
  }
  if (isStatic)
    return RankedTensorType::get(sizes, elementType);
  return RankedTensorType::get(
      sizes, elementType, ShapeAttr::get(elementType.getContext(), dims));
}

std::optional<SmallVector<ExprAttr>> guard::getDims(RankedTensorType type) {
  if (auto shape = llvm::dyn_cast_if_present<ShapeAttr>(type.getEncoding()))
    return SmallVector<ExprAttr>(shape.getDims());
  if (!type.hasStaticShape())
    return std::nullopt;
  return getConstants(type.getContext(), type.getShape());
}

Status guard::checkNamedSizes(StringRef function, TypeRange arguments) {
  for (auto [k, type] : llvm::enumerate(arguments))
    if (auto tensor = llvm::dyn_cast<RankedTensorType>(type);
        tensor && !getDims(tensor))
      return Error::unsupported(
          "argument " + std::to_string(k) + " of @" + function.str() +
          " has dynamic sizes without names; expected a type such as "
          "tensor<?x4xf32, #guard.shape<[s0, 4]>>");
  return Status::success();
}

ExprAttr guard::getNumElements(MLIRContext *context, ArrayRef<ExprAttr> dims) {
  return product(context, dims);
}

SmallVector<ExprAttr> guard::getContiguousStrides(MLIRContext *context,
                                                  ArrayRef<ExprAttr> dims) {
  SmallVector<ExprAttr> strides(dims.size());
  ExprAttr stride = getConstant(context, 1);
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride = mul(stride, dims[i]);
  }
  return strides;
}

SmallVector<ExprAttr> guard::getConstants(MLIRContext *context,
                                          ArrayRef<int64_t> values) {
  SmallVector<ExprAttr> result;
  result.reserve(values.size());
  for (int64_t value : values)
    result.push_back(getConstant(context, value));
  return result;
}
