//===- AtenToLoop.cpp - The pass and the walk over a function -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/AtenToLoop.h"

#include "Lowerings.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln {
#define GEN_PASS_DEF_CONVERTATENTOLOOPPASS
#include "kiln/Conversion/AtenToLoop/Passes.h.inc"
} // namespace kiln

namespace {

class ConvertAtenToLoop
    : public kiln::impl::ConvertAtenToLoopPassBase<ConvertAtenToLoop> {
public:
  using ConvertAtenToLoopPassBase::ConvertAtenToLoopPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Capture, Stage::Joint})))
      return signalPassFailure();
    func::FuncOp function = getOperation();
    analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
    if (!function.isExternal() &&
        failed(Converter(function, hints, checkIndices).run()))
      return signalPassFailure();
    if (failed(verifyPassOutput(getOperation(), getArgument(), Stage::Loop)))
      return signalPassFailure();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

const aten::ArgValue &Converter::getArg(StringRef name) {
  static const aten::ArgValue none;
  for (auto [i, arg] : llvm::enumerate(info->args))
    if (name == arg.name)
      return args[i];
  return none;
}

bool Converter::getBool(StringRef name) {
  auto value = dyn_cast_if_present<BoolAttr>(getArg(name).getAttribute());
  return value && value.getValue();
}

int64_t Converter::getInt(StringRef name) {
  auto value = dyn_cast_if_present<IntegerAttr>(getArg(name).getAttribute());
  return value ? value.getInt() : 0;
}

SmallVector<int64_t> Converter::getInts(StringRef name) {
  Attribute attribute = getArg(name).getAttribute();
  if (auto list = dyn_cast_if_present<DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(list.asArrayRef());
  if (auto single = dyn_cast_if_present<IntegerAttr>(attribute))
    return {single.getInt()};
  return {};
}

guard::ExprAttr Converter::getExpr(StringRef name) {
  return dyn_cast_if_present<guard::ExprAttr>(getArg(name).getAttribute());
}

Exprs Converter::getShape(StringRef name) {
  auto shape =
      dyn_cast_if_present<guard::ShapeAttr>(getArg(name).getAttribute());
  return shape ? Exprs(shape.getDims()) : Exprs();
}

std::optional<double> Converter::getConstant(StringRef name) {
  aten::ArgValue arg = getArg(name);
  Attribute attribute = arg.getAttribute();
  if (arg.isValue() && !matchPattern(arg.getValue(), m_Constant(&attribute)))
    return std::nullopt;
  if (auto real = dyn_cast_if_present<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast_if_present<IntegerAttr>(attribute))
    return integer.getType().isInteger(1)
               ? double(!integer.getValue().isZero())
               : double(integer.getValue().getSExtValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

View Converter::getView(Value tensor) {
  auto known = views.find(tensor);
  if (known != views.end())
    return known->second;
  auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  View view;
  view.base = tensor;
  if (dims)
    view.dims = Exprs(dims->begin(), dims->end());
  for (unsigned i = 0; i < view.dims.size(); ++i)
    view.map.push_back(dim(i));
  return view;
}

Value Converter::materialize(Value tensor) {
  View view = getView(tensor);
  if (view.base.getType() == tensor.getType() &&
      ArrayRef(view.map) == ArrayRef(getIdentityMap(getContext(),
                                                    view.map.size())))
    return view.base;
  return copy(tensor);
}

Value Converter::copy(Value tensor) {
  if (Value known = copies.lookup(tensor))
    return known;
  View view = getView(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  return copies[tensor] = makePointwise(
             type, type.getElementType(),
             [&](BodyContext body, ScalarBuilder &) {
               return read(body, view,
                           getIdentityMap(getContext(), view.dims.size()));
             });
}

View Converter::getStraight(Value tensor, ArrayRef<guard::ExprAttr> extents,
                            ArrayRef<guard::ExprAttr> index) {
  View view = getView(tensor);
  for (guard::ExprAttr &expr : view.map)
    expr = guard::substituteDims(expr, index);
  if (!analysis::isStraight(cast<RankedTensorType>(view.base.getType()),
                            view.map, extents, getAssumptions())) {
    view.base = materialize(tensor);
    view.map = Exprs(index);
  }
  return view;
}

View Converter::reshape(const View &view, ArrayRef<guard::ExprAttr> dims) {
  guard::Assumptions assumptions = getAssumptions();
  analysis::addExtents(assumptions, getContext(), dims);
  Exprs index = analysis::reshapeIndices(
      getContext(), getIdentityMap(getContext(), dims.size()), dims, view.dims,
      assumptions);
  View result{view.base, {}, Exprs(dims)};
  for (guard::ExprAttr expr : view.map)
    result.map.push_back(
        guard::simplify(guard::substituteDims(expr, index), assumptions));
  return result;
}

View Converter::getAtLeastRow(Value tensor) {
  View view = getView(tensor);
  if (view.dims.empty())
    view.dims.push_back(expr(1));
  return view;
}

LogicalResult Converter::setReshaped(unsigned i, Value value) {
  if (!value)
    return failure();
  setView(op->getResult(i),
          reshape(getView(value), *guard::getDims(getResultType(i))));
  return success();
}

Value Converter::materialize(const View &view, Type in) {
  auto type = guard::makeTensorType(in, view.dims);
  auto identity = getIdentityMap(getContext(), view.dims.size());
  if (view.base.getType() == type && ArrayRef(view.map) == ArrayRef(identity))
    return view.base;
  Type from = cast<RankedTensorType>(view.base.getType()).getElementType();
  return makePointwise(type, in, [&](BodyContext body, ScalarBuilder &scalars) {
    return scalars.convert(read(body, view, identity), from, in);
  });
}

ArrayAttr Converter::getOrigins() {
  // What is made for an op that stays is a copy of what it reads.
  if (!info && !isa<LoopBodyOpInterface>(op))
    return builder.getStrArrayAttr({"copy"});
  // The captured name if there is one, else the operator's.
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return builder.getStrArrayAttr({name.getName().getValue()});
  StringRef name = op->getName().stripDialect();
  return builder.getStrArrayAttr(
      {name.take_until([](char c) { return c == '.'; })});
}

LogicalResult Converter::refuse(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

void Converter::setResult(unsigned i, Value value) {
  Value old = op->getResult(i);
  View view = getView(old);
  view.base = value;
  views[old] = std::move(view);
}

RankedTensorType Converter::getResultType(unsigned i) {
  return cast<RankedTensorType>(op->getResult(i).getType());
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Type Converter::getComputeType(Type type) {
  if (type.isBF16() || type.isF16() || isSmallFloat(type))
    return Float32Type::get(type.getContext());
  return type;
}

Value Converter::read(BodyContext body, const View &view,
                      ArrayRef<guard::ExprAttr> index, Value mask,
                      Value other) {
  Exprs map;
  for (guard::ExprAttr expr : view.map)
    map.push_back(guard::substituteDims(expr, index));
  return LoadOp::create(body.builder, body.loc, view.base, body.indices, map,
                        mask, other);
}

Value Converter::readAt(BodyContext body, const View &view,
                        ValueRange index) {
  return LoadOp::create(body.builder, body.loc, view.base, index, view.map,
                        Value(), Value());
}

Exprs Converter::broadcast(const View &view,
                           ArrayRef<guard::ExprAttr> dims) {
  Exprs index;
  unsigned shift = dims.size() - view.dims.size();
  for (auto [i, size] : llvm::enumerate(view.dims))
    index.push_back(size.isConstant(1) && !dims[i + shift].isConstant(1)
                        ? expr(0)
                        : dim(i + shift));
  return index;
}

Value Converter::index(BodyContext body, guard::ExprAttr expr) {
  if (expr.isDim())
    return body.indices[expr.getPosition()];
  if (auto constant = expr.getConstant())
    return arith::ConstantIndexOp::create(body.builder, body.loc, *constant);
  return IndexOp::create(body.builder, body.loc,
                         body.builder.getIndexType(), body.indices, expr);
}

Value Converter::condition(BodyContext body, guard::ExprAttr expr) {
  if (expr.isConstant() && !expr.isConstant(0))
    return {};
  OpBuilder &b = body.builder;
  Value zero = arith::ConstantIndexOp::create(b, body.loc, 0);
  return arith::CmpIOp::create(b, body.loc, arith::CmpIPredicate::ne,
                               index(body, expr), zero);
}

Value Converter::number(BodyContext body, ScalarBuilder &scalars,
                        guard::ExprAttr expr, Type type) {
  if (auto constant = expr.getConstant())
    return isa<FloatType>(type) ? scalars.constant(type, double(*constant))
                                : scalars.constant(type, *constant);
  Type i64 = body.builder.getI64Type();
  Value integer = arith::IndexCastOp::create(body.builder, body.loc, i64,
                                             index(body, expr));
  return scalars.convert(integer, i64, type);
}

Value Converter::readNumber(BodyContext body, Value number) {
  OpBuilder &b = body.builder;
  Attribute constant;
  if (matchPattern(number, m_Constant(&constant)))
    return arith::ConstantOp::create(b, body.loc, cast<TypedAttr>(constant));
  Operation *definer = number.getDefiningOp();
  if (auto value = dyn_cast_if_present<guard::ValueOp>(definer)) {
    if (value.getExpr().isFloatTyped())
      return guard::ValueOp::create(b, body.loc, b.getF64Type(),
                                    value.getExpr());
    Value at = IndexOp::create(b, body.loc, b.getIndexType(), ValueRange(),
                               value.getExpr());
    Value integer =
        arith::IndexCastOp::create(b, body.loc, b.getI64Type(), at);
    ScalarBuilder scalars(b, body.loc, number.getType());
    return scalars.convert(integer, b.getI64Type(), number.getType());
  }
  // A number read from a tensor is read again, in the kernel.
  if (isa_and_nonnull<aten::ItemOp>(definer)) {
    Value tensor = definer->getOperand(0);
    View view = getView(tensor);
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (isa<ComplexType>(element))
      return {};
    Exprs zeros(view.dims.size(), expr(0));
    ScalarBuilder scalars(b, body.loc, number.getType());
    return scalars.convert(read(body, view, zeros), element, number.getType());
  }
  return {};
}

Value Converter::makePointwise(RankedTensorType type, Type in,
                               BodyFn compute) {
  auto dims = guard::getDims(type);
  if (!dims) {
    (void)refuse("a size of the result is not known");
    return {};
  }
  auto nest = PointwiseOp::create(builder, getLoc(), type, *dims, getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), in);
  Value value = compute(body, scalars);
  if (value && scalars.getReason().empty())
    value = scalars.convert(value, value.getType() == getBodyType(in)
                                       ? in
                                       : value.getType(),
                            type.getElementType());
  if (!value || !scalars.getReason().empty()) {
    (void)refuse(scalars.getReason().empty() ? "a number is not known"
                                             : scalars.getReason());
    nest.erase();
    return {};
  }
  YieldOp::create(inner, getLoc(), value);
  return nest.getResult();
}

Value Converter::makeZeros(RankedTensorType type) {
  Type element = type.getElementType();
  return makePointwise(type, element,
                       [&](BodyContext, ScalarBuilder &scalars) {
                         return scalars.constant(element, int64_t(0));
                       });
}

SmallVector<Value> Converter::makeReduce(TypeRange types,
                                         ArrayRef<guard::ExprAttr> parallel,
                                         ArrayRef<guard::ExprAttr> reduction,
                                         ArrayRef<ReductionKind> kinds,
                                         Type in, ReduceFn compute) {
  auto nest = ReduceOp::create(builder, getLoc(), types, parallel, reduction,
                               kinds, getOrigins());
  OpBuilder inner = OpBuilder::atBlockEnd(&nest.getBody().front());
  BodyContext body{inner, getLoc(), nest.getBody().getArguments()};
  ScalarBuilder scalars(inner, getLoc(), in);
  YieldOp::create(inner, getLoc(), compute(body, scalars));
  return llvm::to_vector_of<Value>(nest.getResults());
}

//===----------------------------------------------------------------------===//
// Extern calls
//===----------------------------------------------------------------------===//

/// Lists of numbers as plain lists.
static Attribute flatten(Attribute attribute, Builder &builder) {
  SmallVector<Attribute> list;
  if (auto ints = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    for (int64_t value : ints.asArrayRef())
      list.push_back(builder.getI64IntegerAttr(value));
    return builder.getArrayAttr(list);
  }
  if (auto bools = dyn_cast<DenseBoolArrayAttr>(attribute)) {
    for (bool value : bools.asArrayRef())
      list.push_back(builder.getBoolAttr(value));
    return builder.getArrayAttr(list);
  }
  if (auto floats = dyn_cast<DenseF64ArrayAttr>(attribute)) {
    for (double value : floats.asArrayRef())
      list.push_back(builder.getF64FloatAttr(value));
    return builder.getArrayAttr(list);
  }
  if (auto shape = dyn_cast<guard::ShapeAttr>(attribute)) {
    list.append(shape.begin(), shape.end());
    return builder.getArrayAttr(list);
  }
  return attribute;
}

Attribute Converter::getExternArgument(const aten::ArgValue &arg,
                                       const aten::ArgInfo &info,
                                       SmallVectorImpl<Value> &operands) {
  auto operand = [&](Value value) -> Attribute {
    if (!value)
      return builder.getUnitAttr();
    Attribute constant;
    if (!isa<TensorType>(value.getType())) {
      // A complex number has no attribute of its own and stays a value.
      if (!isa<ComplexType>(value.getType()) &&
          matchPattern(value, m_Constant(&constant)))
        return constant;
      if (auto symbolic = value.getDefiningOp<guard::ValueOp>())
        return symbolic.getExpr();
      Value mapped = scalars.lookup(value);
      value = mapped ? mapped : value;
    } else {
      value = materialize(value);
    }
    auto *known = llvm::find(operands, value);
    unsigned position = known - operands.begin();
    if (known == operands.end())
      operands.push_back(value);
    return OperandAttr::get(getContext(), position);
  };
  if (arg.isNone()) {
    Attribute value = aten::getDefault(getContext(), info);
    return value ? flatten(value, builder) : builder.getUnitAttr();
  }
  if (arg.isAttribute())
    return flatten(arg.getAttribute(), builder);
  if (!arg.isList())
    return operand(arg.getValue());
  SmallVector<Attribute> list;
  for (Value value : arg.getValues())
    list.push_back(operand(value));
  return builder.getArrayAttr(list);
}

void Converter::tellNoKernel(StringRef name, StringRef why) {
  if (auto told =
          remark::missed(getLoc(),
                         remarks::kNoKernel.function(function.getName())))
    told << remark::metric("op", name) << remark::reason("{0}", why);
}

LogicalResult Converter::makeExtern(StringRef why) {
  SmallVector<Value> operands;
  SmallVector<Attribute> arguments;
  std::string overload;
  if (info) {
    aten::OperatorCall call = aten::getOperatorCall(op);
    overload = call.overload;
    for (auto [arg, argInfo] : call.arguments)
      arguments.push_back(getExternArgument(arg, *argInfo, operands));
  } else {
    // `aten.operator`: its own operand references become ours.
    auto name = op->getAttrOfType<StringAttr>("name");
    if (!name || !op->getAttrOfType<ArrayAttr>("args"))
      return op->emitOpError("is no operator that a program can call; expected "
                             "graphs as 'aten-decompose' leaves them");
    overload = name.getValue().str();
    if (size_t colons = overload.find("::"); colons != std::string::npos)
      overload.replace(colons, 2, ".");
    if (StringRef(overload).count('.') == 1)
      overload += ".default";
    std::function<Attribute(Attribute)> translate =
        [&](Attribute attribute) -> Attribute {
      if (auto reference = dyn_cast<aten::OperandAttr>(attribute)) {
        aten::ArgInfo none{"", aten::ArgKind::Tensor};
        return getExternArgument(op->getOperand(reference.getIndex()), none,
                                 operands);
      }
      if (auto list = dyn_cast<ArrayAttr>(attribute))
        return builder.getArrayAttr(
            llvm::map_to_vector(list, [&](Attribute a) {
              return translate(a);
            }));
      return flatten(attribute, builder);
    };
    for (Attribute attribute : op->getAttrOfType<ArrayAttr>("args"))
      arguments.push_back(translate(attribute));
  }
  auto call = ExternOp::create(builder, getLoc(), op->getResultTypes(),
                               overload, operands,
                               builder.getArrayAttr(arguments),
                               why.empty() ? StringAttr()
                                           : builder.getStringAttr(why));
  // The symbol that a size or number which only the run knows is bound to.
  for (StringRef name : {"symbol", "symbols"})
    if (Attribute symbol = op->getAttr(name))
      call->setAttr(name, symbol);
  if (!why.empty())
    tellNoKernel(overload, why);
  for (auto [i, value] : llvm::enumerate(call.getResults())) {
    if (isa<RankedTensorType>(value.getType()))
      setResult(i, value);
    else
      scalars[op->getResult(i)] = value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

bool Converter::isSupported(Type type, bool smallFloats) {
  Type element = getElementTypeOrSelf(type);
  return isa<IntegerType>(element) || element.isF64() || element.isF32() ||
         element.isBF16() || element.isF16() ||
         (smallFloats && isSmallFloat(element));
}

LogicalResult Converter::lower() {
  // Not even views: what is read through one may have to be copied.
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isa<ComplexType>(getElementTypeOrSelf(type)))
        return refuse("complex");
  const Lowering *lowering = lookUpLowering(*info);
  if (lowering && lowering->takesAnyElements)
    return lowering->function(*this);
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      if (!isSupported(type, info->takesSmallFloats))
        return refuse("elements of this type have no kernels");
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && !guard::getDims(tensor))
        return refuse("a size is not known");
    }
  if (auto custom = dyn_cast<LoopBodyOpInterface>(op))
    return lowerLoopBody(custom);
  if (lowering)
    return lowering->function(*this);
  if (ScalarBody body = lookUpScalarBody(*info))
    return lowerPointwise(body);
  return refuse(info->isRandom ? "random numbers are drawn by the runtime"
                               : "no kernel is written for this operator");
}

LogicalResult Converter::convertOp(Operation *operation) {
  op = operation;
  builder.setInsertionPoint(op);
  reason.clear();
  info = aten::getOpInfo(op);
  args.clear();
  // What gives nothing is called for its effect.
  bool isEffect = op->getNumResults() == 0;
  if (!info)
    return makeExtern(isEffect ? "" : "the operator is not one of ATen's");
  args = aten::getSchemaArguments(op);
  // A number in a tensor is read by who needs it; the call is for others.
  if (isa<aten::ItemOp>(op)) {
    if (op->getAttr("symbol"))
      return makeExtern("");
    bool needed = llvm::any_of(op->getUsers(), [](Operation *user) {
      return !aten::getOpInfo(user);
    });
    return needed ? makeExtern("") : success();
  }
  if (isEffect)
    return makeExtern("");
  if (succeeded(lower()))
    return success();
  return makeExtern(reason);
}

bool Converter::isFoundHere(guard::ExprAttr size) const {
  if (!size.isSymbol() || knownSymbols.contains(size))
    return false;
  auto symbol = SymbolTable::lookupNearestSymbolFrom<guard::SymbolOp>(
      function, size.getSymbol());
  return symbol && symbol.getUnbacked();
}

void Converter::noteSizes(TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (auto dims = guard::getDims(tensor))
        for (guard::ExprAttr dim : *dims)
          if (dim.isSymbol())
            knownSymbols.insert(dim);
}

void Converter::keep(Operation *kept) {
  op = kept;
  info = nullptr;
  builder.setInsertionPoint(op);
  op->walk([&](Operation *reader) {
    for (OpOperand &operand : reader->getOpOperands()) {
      if (op->isAncestor(operand.get().getParentBlock()->getParentOp()))
        continue;
      if (isa<RankedTensorType>(operand.get().getType()))
        operand.set(materialize(operand.get()));
      else if (Value scalar = scalars.lookup(operand.get()))
        operand.set(scalar);
    }
  });
}

bool Converter::convertCustom(Operation *operation) {
  auto custom = dyn_cast<LoopBodyOpInterface>(operation);
  // The same op on numbers is none of ours.
  if (!custom || !llvm::any_of(operation->getResultTypes(),
                               llvm::IsaPred<RankedTensorType>))
    return false;
  op = operation;
  info = nullptr;
  builder.setInsertionPoint(op);
  reason.clear();
  if (succeeded(lowerLoopBody(custom)))
    return true;
  tellNoKernel(op->getName().getStringRef(), reason);
  return false;
}

/// Says in terms of loops which results are new contents of which arguments.
void Converter::markUpdates() {
  using Kind = aten::OutputKind;
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    auto output = function.getResultAttrOfType<aten::OutputAttr>(
        k, aten::kOutputAttrName);
    if (!output || (output.getKind() != Kind::BufferMutation &&
                    output.getKind() != Kind::ParameterMutation &&
                    output.getKind() != Kind::InputMutation))
      continue;
    bool byName = output.getKind() == Kind::InputMutation;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto input =
          function.getArgAttrOfType<aten::InputAttr>(i, aten::kInputAttrName);
      // Weights are told apart by path, inputs of the caller by name.
      if (input && output.getTarget() &&
          (input.getKind() == aten::InputKind::UserInput) == byName &&
          (byName ? input.getName() : input.getPath()) == output.getTarget())
        function.setResultAttr(k, kUpdatesAttrName,
                               builder.getI64IntegerAttr(i));
    }
  }
}

LogicalResult Converter::run() {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("expected a function of one block, but found ")
           << function.getBody().getBlocks().size();
  Block &block = function.getBody().front();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto input = function.getArgAttrOfType<aten::InputAttr>(
            i, aten::kInputAttrName)) {
      // Kernels read a caller's tensor as it lies in memory.
      if (guard::ShapeAttr strides = input.getStrides())
        function.setArgAttr(i, kStridesAttrName, strides);
      if (auto symbol = dyn_cast_if_present<guard::ExprAttr>(input.getValue()))
        knownSymbols.insert(symbol);
    }
  markUpdates();
  noteSizes(function.getArgumentTypes());
  SmallVector<Operation *> old;
  for (Operation &operation : llvm::make_early_inc_range(block)) {
    if (operation.hasTrait<OpTrait::IsTerminator>())
      break;
    bool isOurs = isa_and_nonnull<aten::AtenDialect>(operation.getDialect()) ||
                  aten::getOpInfo(&operation);
    if (isOurs && failed(convertOp(&operation)))
      return failure();
    if (isOurs || convertCustom(&operation))
      old.push_back(&operation);
    else
      keep(&operation);
    noteSizes(operation.getResultTypes());
    if (auto name = operation.getAttrOfType<StringAttr>("symbol"))
      knownSymbols.insert(guard::getSymbol(getContext(), name.getValue()));
  }

  Operation *terminator = block.getTerminator();
  op = terminator;
  info = nullptr;
  builder.setInsertionPoint(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    if (isa<RankedTensorType>(value.getType())) {
      Value tensor = materialize(value);
      // A clone of an input must outlive what is later written to the input.
      if (isa<BlockArgument>(tensor) && tensor != value)
        tensor = copy(value);
      operand.set(tensor);
    }
    else if (Value scalar = scalars.lookup(value))
      operand.set(scalar);
  }
  for (Operation *operation : llvm::reverse(old)) {
    // An extern call may have asked for a number after all.
    for (Value result : operation->getResults())
      if (Value scalar = scalars.lookup(result))
        result.replaceAllUsesWith(scalar);
    if (!operation->use_empty()) {
      InFlightDiagnostic diagnostic =
          operation->emitOpError("has a result that loops cannot hold");
      diagnostic.attachNote((*operation->user_begin())->getLoc())
          << "'" << (*operation->user_begin())->getName()
          << "' still reads it";
      return diagnostic;
    }
    operation->erase();
  }
  return success();
}
