//===- Inference.cpp - Arguments of shape rules, verification -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"
#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kiln;
using namespace kiln::aten;
using mlir::BoolAttr;
using mlir::DenseI64ArrayAttr;
using mlir::IntegerAttr;
using mlir::TypeAttr;

//===----------------------------------------------------------------------===//
// Arguments by name
//===----------------------------------------------------------------------===//

static const ArgValue kAbsent;

const ArgValue &Inference::getArgument(unsigned i) const {
  return i < args.size() ? args[i] : kAbsent;
}

const ArgValue &Inference::get(StringRef name) const {
  for (auto [i, arg] : llvm::enumerate(info.args))
    if (name == arg.name)
      return getArgument(i);
  return kAbsent;
}

bool Inference::has(StringRef name) const { return !get(name).isNone(); }

StringRef Inference::getFirstTensor() const {
  for (const ArgInfo &arg : info.args)
    if (arg.kind == ArgKind::Tensor ||
        (arg.kind == ArgKind::TensorOrNumber && getTensorType(arg.name)))
      return arg.name;
  return "self";
}

RankedTensorType Inference::getTensorType(StringRef name) const {
  const ArgValue &arg = get(name);
  if (!arg.isValue())
    return {};
  return llvm::dyn_cast<RankedTensorType>(arg.getValue().getType());
}

Type Inference::getElementType(StringRef name) const {
  const ArgValue &arg = get(name);
  if (!arg.isValue())
    return {};
  return mlir::getElementTypeOrSelf(arg.getValue().getType());
}

FailureOr<Dims> Inference::getDims(Value tensor, StringRef name) {
  auto type = llvm::dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return fail("expects '" + name + "' to be a tensor");
  std::optional<SmallVector<ExprAttr>> dims = guard::getDims(type);
  if (!dims)
    return fail("expects the sizes of '" + name +
                "' to be known, but a dynamic one has no expression; give its "
                "type a '#guard.shape' encoding");
  return *dims;
}

FailureOr<Dims> Inference::getDims(StringRef name) {
  const ArgValue &arg = get(name);
  if (!arg.isValue())
    return fail("expects '" + name + "' to be given");
  return getDims(arg.getValue(), name);
}

FailureOr<Dims> Inference::getDimsOfRank(StringRef name, int64_t rank) {
  FailureOr<Dims> dims = getDims(name);
  if (failed(dims) || int64_t(dims->size()) == rank)
    return dims;
  return fail("expects '" + name + "' of rank " + Twine(rank) +
              ", but found rank " + Twine(dims->size()));
}

std::optional<int64_t> Inference::getInt(StringRef name) const {
  Attribute attr = get(name).getAttribute();
  if (auto integer = llvm::dyn_cast_if_present<IntegerAttr>(attr))
    return integer.getInt();
  if (auto expr = llvm::dyn_cast_if_present<ExprAttr>(attr))
    return expr.getConstant();
  return std::nullopt;
}

bool Inference::getBool(StringRef name) const {
  auto attr = llvm::dyn_cast_if_present<BoolAttr>(get(name).getAttribute());
  return attr && attr.getValue();
}

std::optional<SmallVector<int64_t>> Inference::getInts(StringRef name) const {
  auto attr =
      llvm::dyn_cast_if_present<DenseI64ArrayAttr>(get(name).getAttribute());
  if (!attr)
    return std::nullopt;
  return SmallVector<int64_t>(attr.asArrayRef());
}

ExprAttr Inference::getExpr(StringRef name) const {
  return llvm::dyn_cast_if_present<ExprAttr>(get(name).getAttribute());
}

std::optional<Dims> Inference::getExprs(StringRef name) const {
  auto attr =
      llvm::dyn_cast_if_present<guard::ShapeAttr>(get(name).getAttribute());
  if (!attr)
    return std::nullopt;
  return Dims(attr.getDims());
}

StringRef Inference::getString(StringRef name) const {
  auto attr = llvm::dyn_cast_if_present<StringAttr>(get(name).getAttribute());
  return attr ? attr.getValue() : StringRef();
}

ExprAttr Inference::getNumber(StringRef name) const {
  const ArgValue &arg = get(name);
  Operation *op = arg.isValue() ? arg.getValue().getDefiningOp() : nullptr;
  if (!op)
    return {};
  if (auto expr = op->getAttrOfType<ExprAttr>("expr"))
    return expr;
  Attribute value = op->getAttr("value");
  if (auto integer = llvm::dyn_cast_if_present<IntegerAttr>(value))
    return guard::getConstant(context, integer.getType().isInteger(1)
                                           ? integer.getValue().getBoolValue()
                                           : integer.getInt());
  if (auto real = llvm::dyn_cast_if_present<mlir::FloatAttr>(value))
    return guard::getFloat(context, real.getValueAsDouble());
  return {};
}

Type Inference::getDType(StringRef name) const {
  auto attr = llvm::dyn_cast_if_present<TypeAttr>(get(name).getAttribute());
  return attr ? attr.getValue() : Type();
}

FailureOr<int64_t> Inference::wrapDim(int64_t dim, int64_t rank) {
  int64_t bound = std::max<int64_t>(rank, 1);
  if (dim >= -bound && dim < bound)
    return dim < 0 ? dim + bound : dim;
  return fail("expects a dimension from " + Twine(-bound) + " to " +
              Twine(bound - 1) + ", but found " + Twine(dim));
}

FailureOr<int64_t> Inference::getDim(StringRef name, int64_t rank) {
  std::optional<int64_t> dim = getInt(name);
  if (!dim)
    return fail("expects '" + name + "' to be given");
  return wrapDim(*dim, rank);
}

FailureOr<SmallVector<bool>>
Inference::getDimFlags(StringRef name, int64_t rank, bool emptyIsAll) {
  std::optional<SmallVector<int64_t>> dims = getInts(name);
  if (!dims || (dims->empty() && emptyIsAll))
    return SmallVector<bool>(rank, true);
  SmallVector<bool> flags(std::max<int64_t>(rank, 1), false);
  for (int64_t dim : *dims) {
    FailureOr<int64_t> wrapped = wrapDim(dim, rank);
    if (failed(wrapped))
      return failure();
    if (flags[*wrapped])
      return fail("names dimension " + Twine(*wrapped) + " twice in '" + name +
                  "'");
    flags[*wrapped] = true;
  }
  flags.resize(rank);
  return flags;
}

LogicalResult Inference::addPromoted(ArrayRef<ExprAttr> dims) {
  FailureOr<Type> type = getPromotedType();
  if (failed(type))
    return failure();
  addResult(dims, *type);
  return success();
}

LogicalResult Inference::fail(const llvm::Twine &message) {
  if (!loc)
    return failure();
  return mlir::emitError(*loc) << "'" << info.name << "' op " << message;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SizeOracle::~SizeOracle() = default;

/// True if two sizes cannot be the same.
static bool areDifferent(ExprAttr a, ExprAttr b) {
  if (a == b)
    return false;
  std::optional<int64_t> difference = guard::sub(a, b).getConstant();
  return difference && *difference != 0;
}

bool Inference::holds(ExprAttr condition) {
  if (std::optional<int64_t> known = condition.getConstant())
    return *known != 0;
  return !oracle || oracle->decide(condition, /*otherwise=*/true);
}

bool Inference::differ(ExprAttr a, ExprAttr b) {
  return areDifferent(a, b) || (a != b && !holds(guard::eq(a, b)));
}

bool Inference::is(ExprAttr size, int64_t value) {
  if (std::optional<int64_t> known = size.getConstant())
    return *known == value;
  return oracle &&
         oracle->decide(guard::eq(size, constant(value)), /*otherwise=*/false);
}

std::optional<int64_t> Inference::getFixed(ExprAttr size, StringRef reason) {
  if (std::optional<int64_t> known = size.getConstant())
    return known;
  return oracle ? oracle->fix(size, reason) : std::nullopt;
}

ExprAttr Inference::getDataSize(guard::Interval range) {
  return oracle ? oracle->nameDataSize(numDataSizes++, range) : ExprAttr();
}

void Inference::fixSizes() {
  if (!oracle)
    return;
  for (const ArgValue &arg : args)
    for (Value value : arg.getValues())
      if (auto type = value ? llvm::dyn_cast<RankedTensorType>(value.getType())
                            : RankedTensorType())
        if (std::optional<Dims> dims = guard::getDims(type))
          for (ExprAttr dim : *dims)
            getFixed(dim, "the sizes of whose results no rule tells");
}

void Inference::addDataDependent(ArrayRef<ExprAttr> dims, Type elementType) {
  if (llvm::is_contained(dims, ExprAttr()))
    types.push_back(Type());
  else
    addResult(dims, elementType);
}

void Inference::addRecorded(ArrayRef<ExprAttr> usualDims, Type elementType) {
  if (oracle)
    addResult(usualDims, elementType);
  else
    types.push_back(Type());
}

ExprAttr aten::unify(ExprAttr a, ExprAttr b) { return b.isConstant() ? b : a; }

FailureOr<Dims> aten::broadcastDims(Inference &infer, ArrayRef<ExprAttr> a,
                                    ArrayRef<ExprAttr> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims dims(a);
  size_t offset = a.size() - b.size();
  for (auto [i, y] : llvm::enumerate(b)) {
    ExprAttr &x = dims[i + offset];
    if (x == y || infer.is(y, 1))
      continue;
    if (infer.is(x, 1)) {
      x = y;
      continue;
    }
    if (infer.differ(x, y))
      return infer.fail("has operands that do not broadcast: size " +
                        Twine(x.str()) + " against " + y.str() +
                        " at dimension " + Twine(i + offset));
    x = unify(x, y);
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

LogicalResult Inference::checkFilling() {
  Promotion kind = info.promotion;
  if (types.empty() ||
      (kind != Promotion::KeepFirst && kind != Promotion::Like &&
       kind != Promotion::FromScalar))
    return success();
  auto tensor = llvm::dyn_cast_if_present<RankedTensorType>(types[0]);
  std::optional<kiln::DType> dtype =
      tensor ? guard::getDType(tensor.getElementType()) : std::nullopt;
  for (StringRef name : {"fill_value", "value"}) {
    if (!dtype || !has(name) || !get(name).isValue())
      continue;
    ExprAttr number = getNumber(name);
    if (!number || !(number.isConstant() || number.isFloatConstant()))
      continue;
    if (number.isFloatConstant() ? !isInRange(number.getFloat(), *dtype)
                                 : !isInRange(*number.getConstant(), *dtype))
      return fail(Twine("has a '") + name + "' of " + number.str() +
                        ", which is out of range of " +
                        dtypeName(*dtype).data());
  }
  return success();
}

/// A mode is one of its words: text, or its place among them.
static LogicalResult checkMode(Inference &infer, const ArgInfo &arg) {
  Attribute value = infer.get(arg.name).getAttribute();
  auto text = llvm::dyn_cast_if_present<StringAttr>(value);
  auto number = llvm::dyn_cast_if_present<mlir::IntegerAttr>(value);
  if (text ? llvm::is_contained(arg.words, text.getValue())
           : !number || (number.getInt() >= 0 &&
                         number.getInt() < int64_t(arg.words.size())))
    return success();
  std::string message;
  llvm::raw_string_ostream os(message);
  os << "expects '" << arg.name << "' to be ";
  for (auto [i, word] : llvm::enumerate(arg.words)) {
    if (i != 0)
      os << (i + 1 == arg.words.size() ? " or " : ", ");
    if (text)
      os << "'" << word << "'";
    else
      os << i << " (" << word << ")";
  }
  os << ", but found ";
  if (text)
    os << "'" << text.getValue() << "'";
  else
    os << number.getInt();
  return infer.fail(message);
}

LogicalResult Inference::run() {
  for (const ArgInfo &arg : info.args)
    if (!arg.words.empty() && failed(checkMode(*this, arg)))
      return failure();
  return failure(failed(info.shapeRule(*this)) || failed(checkFilling()));
}

LogicalResult aten::inferResultTypes(MLIRContext *context,
                                     std::optional<Location> loc,
                                     const OpInfo &info,
                                     ArrayRef<ArgValue> args,
                                     SmallVectorImpl<Type> &types) {
  return Inference(context, loc, info, args, types).run();
}

LogicalResult aten::inferResultTypes(MLIRContext *context,
                                     std::optional<Location> loc,
                                     const OpInfo &info,
                                     ArrayRef<ArgValue> args,
                                     SmallVectorImpl<Type> &types,
                                     SizeOracle &oracle) {
  return Inference(context, loc, info, args, types, &oracle).run();
}

static std::string describe(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = llvm::dyn_cast<RankedTensorType>(type)) {
    // Sizes as expressions read better than the encoding.
    if (std::optional<Dims> dims = guard::getDims(tensor)) {
      os << "[";
      llvm::interleaveComma(*dims, os,
                            [&](ExprAttr dim) { dim.printExpression(os); });
      os << "] of " << tensor.getElementType();
      return text;
    }
  }
  os << type;
  return text;
}

bool aten::areCompatible(Type expected, Type found) {
  if (expected == found)
    return true;
  auto a = llvm::dyn_cast<RankedTensorType>(expected);
  auto b = llvm::dyn_cast<RankedTensorType>(found);
  if (!a || !b || a.getElementType() != b.getElementType() || // C2
      a.getRank() != b.getRank())                             // C3
    return false;
  std::optional<Dims> x = guard::getDims(a), y = guard::getDims(b);
  if (!x || !y)
    return true;
  for (auto [p, q] : llvm::zip(*x, *y)) // C4
    if (areDifferent(p, q))
      return false;
  return true;
}

/// Element types of operands, results and arguments that name one.
static LogicalResult verifyElements(Operation *op, ArrayRef<ArgValue> args) {
  if (failed(guard::verifyTensors(op)))
    return failure();
  for (const ArgValue &arg : args)
    if (arg.isAttribute())
      if (auto dtype = llvm::dyn_cast<mlir::TypeAttr>(arg.getAttribute()))
        if (failed(guard::verifyElementType(op, dtype.getValue())))
          return failure();
  return success();
}

LogicalResult aten::verifyAtenOp(Operation *op) {
  const OpInfo *info = getOpInfo(op);
  if (!info)
    return op->emitOpError() << "has no record of its overload";
  SmallVector<ArgValue> args = getSchemaArguments(op);
  // Before inference, whose rules count on it.
  if (failed(verifyElements(op, args)))
    return failure();
  SmallVector<Type> expected;
  Inference inference(op->getContext(), op->getLoc(), *info, args, expected);
  inference.resultCount = op->getNumResults();
  if (failed(inference.run()))
    return failure();
  if (expected.size() != op->getNumResults()) // C1
    return op->emitOpError() << "expects " << expected.size()
                             << " results, but found " << op->getNumResults();
  for (auto [i, type] : llvm::enumerate(expected))
    if (type && !areCompatible(type, op->getResult(i).getType()))
      return op->emitOpError()
             << "expects result " << i << " to be " << describe(type)
             << ", but found " << describe(op->getResult(i).getType());
  // Else the definition of a symbol could vanish while the symbol is read.
  SmallVector<StringAttr> symbols;
  if (llvm::is_contained(expected, Type()) && mlir::isMemoryEffectFree(op))
    guard::collectDefinedSymbols(op, symbols); // C5
  if (!symbols.empty())
    return op->emitOpError()
           << "gives the symbol '" << symbols.front().getValue()
           << "' its value, but its record says that it has no effect; expected "
              "one of class 'Aten_CountingOp'";
  return success();
}
