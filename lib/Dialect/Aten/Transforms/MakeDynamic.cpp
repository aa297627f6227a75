//===- MakeDynamic.cpp - The pass aten-make-dynamic -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace with symbols, made from a trace with numbers: the graph is the same,
// so only types are inferred anew. `guard::ShapeEnv` answers what shape rules
// ask; an answer that replaces a symbol starts the inference again.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/SizeOracle.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Aten/Transforms/SizeMarks.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/ShapeEnv.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include <map>

namespace kiln::aten {
#define GEN_PASS_DEF_ATENMAKEDYNAMICPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

using guard::ExprAttr;
using guard::Interval;
using mlir::func::FuncOp;
using Dims = SmallVector<ExprAttr>;

/// A place where a size of the inputs has a symbol of this pass.
struct Place {
  unsigned argument;
  unsigned dim;
  ExprAttr symbol;
  bool isNamed; ///< an option asked for it, so it must stay dynamic
};

/// "'aten.view' at model.py:7"
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // An operator without a record has a name of its own.
  if (auto call = llvm::dyn_cast<OperatorOp>(op))
    os << "'" << call.getName() << "'";
  else
    os << "'" << op->getName() << "'";
  op->getLoc()->walk([&](Location loc) {
    if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(loc))
      os << " at " << file.getFilename().getValue() << ":" << file.getLine();
    return mlir::WalkResult::advance();
  });
  return text;
}

/// Passes questions of shape rules on, with the op that asks.
class Oracle : public SizeOracle {
public:
  using NameSize = function_ref<ExprAttr(unsigned index, Interval range)>;

  Oracle(guard::ShapeEnv &env, Operation *op, NameSize nameSize)
      : env(env), asker(describe(op)), nameSize(nameSize) {}

  bool decide(ExprAttr condition, bool otherwise) override {
    return env.decide(condition, otherwise, asker);
  }
  std::optional<int64_t> fix(ExprAttr size, StringRef reason) override {
    // Of symbols that the program had already it knows why they may stay.
    if (!env.isOpen(size))
      return env.rewrite(size).getConstant();
    return env.fix(size, asker + ", " + reason.str());
  }
  ExprAttr nameDataSize(unsigned index, Interval range) override {
    return nameSize(index, range);
  }

private:
  guard::ShapeEnv &env;
  std::string asker;
  NameSize nameSize;
};

class Dynamizer {
public:
  Dynamizer(ModuleOp module, FuncOp function)
      : module(module), function(function),
        context(function.getContext()) {}

  void markAll(ArrayRef<SizeMark> except);
  void mark(const SizeMark &mark);
  LogicalResult run();

private:
  LogicalResult inferAll();
  LogicalResult infer(Operation *op);
  LogicalResult checkNamed();
  void setType(OpResult result, Type type);
  void fixOperands(Operation *op, StringRef reason);
  ExprAttr nameDataSize(Operation *op, unsigned index, Interval range);
  void settleDataSizes(Operation *op, ArrayRef<Type> types);
  void setArgumentTypes();
  void setStrides(unsigned argument);
  void updateGuards();
  void addAssertions();
  void declareSymbols();
  ExprAttr newSymbol(bool isUnbacked);

  ModuleOp module;
  FuncOp function;
  MLIRContext *context;
  guard::ShapeEnv env;
  SmallVector<Place> places;
  /// Any number may be a size, also those that a DenseMap keeps for itself.
  std::map<int64_t, ExprAttr> symbolOfSize;
  /// Sizes that the operands of an op decide, in the order of its questions.
  llvm::MapVector<Operation *, SmallVector<ExprAttr>> dataSizes;
  /// What values had before: results that no rule infers keep it.
  DenseMap<Value, Type> recorded;
  unsigned nextSymbol = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

ExprAttr Dynamizer::newSymbol(bool isUnbacked) {
  std::string name;
  do {
    name = (isUnbacked ? "u" : "s") + std::to_string(nextSymbol++);
  } while (module.lookupSymbol(name));
  return guard::getSymbol(context, name);
}

void Dynamizer::mark(const SizeMark &mark) {
  auto type = llvm::cast<RankedTensorType>(
      function.getArgumentTypes()[mark.argument]);
  if (type.isDynamicDim(mark.dim))
    return;
  for (const Place &place : places)
    if (place.argument == mark.argument && place.dim == mark.dim)
      return;
  ExprAttr symbol = newSymbol(mark.isUnbacked);
  guard::ShapeEnv::Symbol properties;
  if (!mark.isUnbacked)
    properties.hint = type.getDimSize(mark.dim);
  properties.range = mark.range;
  // A size of the example that is named is not turned into a number by the
  // wish for general code.
  if (properties.hint && *properties.hint < properties.range.min)
    properties.range.min = *properties.hint;
  if (mark.isUnbacked)
    properties.range.min = 0;
  env.addSymbol(symbol, properties);
  places.push_back({mark.argument, mark.dim, symbol, true});
}

void Dynamizer::markAll(ArrayRef<SizeMark> except) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!isCallerTensor(function, i))
      continue;
    auto type =
        llvm::cast<RankedTensorType>(function.getArgumentTypes()[i]);
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      auto isHere = [&, dim = unsigned(dim)](const auto &other) {
        return other.argument == i && other.dim == dim;
      };
      // 0 and 1 are special: empty loops and broadcasts.
      if (mlir::ShapedType::isDynamic(size) || size < 2 ||
          llvm::any_of(except, isHere) || llvm::any_of(places, isHere))
        continue;
      ExprAttr &symbol = symbolOfSize[size];
      if (!symbol) {
        symbol = newSymbol(/*isUnbacked=*/false);
        guard::ShapeEnv::Symbol properties;
        properties.hint = size;
        properties.range = {2, Interval::kMax};
        env.addSymbol(symbol, properties);
      }
      places.push_back({i, unsigned(dim), symbol, false});
    }
  }
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

void Dynamizer::setArgumentTypes() {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = llvm::dyn_cast<RankedTensorType>(
        recorded[function.getArgument(i)]);
    auto dims = type ? guard::getDims(type) : std::nullopt;
    if (!dims)
      continue;
    for (const Place &place : places)
      if (place.argument == i)
        (*dims)[place.dim] = env.rewrite(place.symbol);
    function.getArgument(i).setType(
        guard::makeTensorType(type.getElementType(), *dims));
  }
}

/// An op without a rule: its operands have the sizes of the example.
void Dynamizer::fixOperands(Operation *op, StringRef reason) {
  for (Value operand : op->getOperands())
    if (auto type = llvm::dyn_cast<RankedTensorType>(operand.getType()))
      if (auto dims = guard::getDims(type))
        for (ExprAttr dim : *dims)
          if (env.isOpen(dim))
            env.fix(dim, describe(op) + ", " + reason.str());
}

/// A symbol for a size that the operands of `op` decide. Each round of inference
/// asks for the same ones.
ExprAttr Dynamizer::nameDataSize(Operation *op, unsigned index,
                                 Interval range) {
  SmallVector<ExprAttr> &sizes = dataSizes[op];
  if (index == sizes.size()) {
    sizes.push_back(newSymbol(/*isUnbacked=*/true));
    guard::ShapeEnv::Symbol properties;
    properties.range = range;
    properties.isData = true;
    env.addSymbol(sizes.back(), properties);
  }
  return env.rewrite(sizes[index]);
}

/// Compares sizes that values decide with what the program has recorded: an
/// exporter has given some of them symbols, which stay.
void Dynamizer::settleDataSizes(Operation *op, ArrayRef<Type> types) {
  ArrayRef<ExprAttr> sizes = dataSizes[op];
  for (auto [result, type] : llvm::zip(op->getResults(), types)) {
    auto before = llvm::dyn_cast<RankedTensorType>(recorded[result]);
    auto known = before ? guard::getDims(before) : std::nullopt;
    auto after = llvm::dyn_cast_if_present<RankedTensorType>(type);
    if (!known || !after || after.getRank() != before.getRank())
      continue;
    for (auto [size, was] : llvm::zip(*guard::getDims(after), *known)) {
      if (!llvm::is_contained(sizes, size))
        continue;
      if (was.isConstant())
        env.setHint(size, was.getPayload());
      else
        env.decide(guard::eq(size, was), /*otherwise=*/true, describe(op));
    }
  }
}

LogicalResult Dynamizer::infer(Operation *op) {
  const OpInfo *info = getOpInfo(op);
  if (!info) {
    if (!op->hasTrait<mlir::OpTrait::IsTerminator>())
      fixOperands(op, "which has no rule for sizes");
    return success();
  }
  SmallVector<Type> types;
  std::string complaint;
  LogicalResult inferred = failure();
  {
    mlir::ScopedDiagnosticHandler handler(
        context, [&](mlir::Diagnostic &diagnostic) {
          complaint += diagnostic.str();
          return success();
        });
    auto nameSize = [&](unsigned index, Interval range) {
      return nameDataSize(op, index, range);
    };
    Oracle oracle(env, op, nameSize);
    inferred = inferResultTypes(context, op->getLoc(), *info,
                                getSchemaArguments(op), types, oracle);
  }
  if (env.hasNewReplacement())
    return success();
  if (failed(inferred)) {
    // What a rule cannot do with symbols it can do with numbers.
    fixOperands(op, "which needs numbers for its sizes");
    if (env.hasNewReplacement())
      return success();
    return op->emitError(complaint);
  }
  settleDataSizes(op, types);
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    setType(result, type);
  return success();
}

void Dynamizer::setType(OpResult result, Type type) {
  Type before = recorded[result];
  auto after = llvm::dyn_cast_if_present<RankedTensorType>(type);
  if (!after) {
    result.setType(type ? type : before);
    return;
  }
  if (after.getRank() != llvm::cast<RankedTensorType>(before).getRank()) {
    fixOperands(result.getOwner(), "whose program has recorded other ranks");
    result.setType(before);
    return;
  }
  Dims dims = *guard::getDims(after);
  for (ExprAttr &dim : dims)
    dim = env.simplify(dim);
  result.setType(guard::makeTensorType(after.getElementType(), dims));
}

LogicalResult Dynamizer::inferAll() {
  // Each round but the last replaces a symbol.
  do {
    env.restart();
    setArgumentTypes();
    for (Operation &op : function.front()) {
      if (failed(infer(&op)))
        return failure();
      if (env.hasNewReplacement())
        break;
    }
  } while (env.hasNewReplacement());
  return success();
}

//===----------------------------------------------------------------------===//
// What comes of it
//===----------------------------------------------------------------------===//

/// Reports sizes that are numbers after all.
LogicalResult Dynamizer::checkNamed() {
  auto getValue = [&](ExprAttr symbol) {
    return env.getSymbols().find(symbol)->second.replacement.getPayload();
  };
  auto getReason = [&](ExprAttr symbol) -> std::string {
    const guard::ShapeEnv::Symbol &entry = env.getSymbols().find(symbol)->second;
    return entry.reason +
           (entry.isFixed ? "" : ", which accepts no other here");
  };
  auto getName = [&](const Place &place) {
    return "'" + nameOfInput(function, place.argument) + "' dimension " +
           std::to_string(place.dim);
  };
  auto tell = [&](Location loc, ExprAttr size, auto name) {
    if (auto told = mlir::remark::missed(
            loc, remarks::kFixedSize.function(function.getName())))
      told << mlir::remark::metric("size", name())
           << mlir::remark::metric("value", getValue(size))
           << mlir::remark::reason("{0}", getReason(size));
  };
  for (const Place &place : places) {
    if (!env.rewrite(place.symbol).isConstant())
      continue;
    if (place.isNamed)
      return function.emitError()
             << "a size that is marked dynamic is not: " << getName(place)
             << " is " << getValue(place.symbol) << " for "
             << getReason(place.symbol);
    tell(function.getArgument(place.argument).getLoc(), place.symbol,
         [&] { return getName(place); });
  }
  for (auto &[op, sizes] : dataSizes)
    for (ExprAttr size : sizes)
      if (env.rewrite(size).isConstant())
        tell(op->getLoc(), size, [&, op = op] {
          return "a size of the result of " + describe(op);
        });
  return success();
}

/// Strides of the example in terms of the new sizes, where each is a multiple
/// of what the dimensions inside of it span; else dense ones.
void Dynamizer::setStrides(unsigned argument) {
  auto input =
      function.getArgAttrOfType<InputAttr>(argument, kInputAttrName);
  if (!input || !input.getStrides() ||
      llvm::none_of(places, [&](const Place &place) {
        return place.argument == argument;
      }))
    return;
  Value value = function.getArgument(argument);
  auto before = llvm::cast<RankedTensorType>(recorded[value]);
  auto dims = guard::getDims(llvm::cast<RankedTensorType>(value.getType()));
  auto strides = llvm::to_vector(input.getStrides().getDims());
  SmallVector<unsigned> order;
  bool isKnown = before.hasStaticShape() && before.getNumElements() != 0;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    isKnown &= stride.isConstant();
    if (isKnown && before.getDimSize(dim) != 1 && !stride.isConstant(0))
      order.push_back(dim);
  }
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(strides[a].getPayload(), a) <
           std::pair(strides[b].getPayload(), b);
  });
  int64_t span = 1;
  ExprAttr symbolicSpan = guard::getConstant(context, 1);
  for (unsigned dim : order) {
    int64_t stride = isKnown ? strides[dim].getPayload() : 0;
    isKnown &= stride > 0 && stride % span == 0;
    if (!isKnown)
      break;
    strides[dim] = symbolicSpan * (stride / span);
    span = stride * before.getDimSize(dim);
    symbolicSpan = strides[dim] * (*dims)[dim];
  }
  bool isDense = !isKnown || guard::getContiguousStrides(context, *dims) ==
                                 strides;
  function.setArgAttr(
      argument, kInputAttrName,
      InputAttr::get(context, input.getKind(), input.getName(),
                     input.getPath(), input.getRequiresGrad(),
                     isDense ? guard::ShapeAttr()
                             : guard::ShapeAttr::get(context, strides),
                     input.getValue(), input.getDevice()));
}

void Dynamizer::declareSymbols() {
  OpBuilder b(context);
  b.setInsertionPointToStart(module.getBody());
  for (auto &[symbol, properties] : env.getSymbols()) {
    if (!properties.isReplaceable || properties.replacement)
      continue;
    bool isUnbacked = properties.isData || !properties.hint;
    guard::SymbolOp::create(
        b, module.getLoc(), b.getStringAttr(symbol.getSymbol().getValue()),
        isUnbacked ? b.getUnitAttr() : mlir::UnitAttr(), mlir::UnitAttr(),
        b.getI64IntegerAttr(properties.range.min),
        b.getI64IntegerAttr(properties.range.max),
        isUnbacked ? mlir::IntegerAttr()
                   : b.getI64IntegerAttr(*properties.hint));
  }
}

/// A condition, as messages show it.
static std::string toText(ExprAttr condition, const std::string &asker) {
  return condition.str() + (asker.empty() ? "" : " for " + asker);
}

/// True if a symbol is a size of a result of `op`, or the number it reads.
static bool defines(Operation *op, StringAttr name) {
  if (auto item = llvm::dyn_cast<ItemOp>(op))
    return item.getSymbolAttr() == name;
  return llvm::any_of(op->getResultTypes(), [&](Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    auto dims = tensor ? guard::getDims(tensor) : std::nullopt;
    return dims && llvm::any_of(*dims, [&](ExprAttr dim) {
             return dim.isSymbol() && dim.getSymbol() == name;
           });
  });
}

void Dynamizer::updateGuards() {
  guard::ProgramOp guards;
  for (auto program : module.getOps<guard::ProgramOp>())
    if (program.getFunction() == function.getName())
      guards = program;
  if (!guards)
    return;
  // Sizes that are symbols already have been bound by an earlier check.
  llvm::SmallDenseSet<ExprAttr> bound;
  Block &body = guards.getBody().front();
  OpBuilder b(context);
  for (auto check : llvm::make_early_inc_range(body.getOps<guard::CheckSizeOp>())) {
    auto type = llvm::cast<RankedTensorType>(
        function.getArgument(check.getSlot()).getType());
    if (!type.isDynamicDim(check.getDim()))
      continue;
    ExprAttr size = (*guard::getDims(type))[check.getDim()];
    b.setInsertionPoint(check);
    // The first place where a symbol stands alone defines it.
    if (!size.isSymbol() || !bound.insert(size).second)
      guard::CheckSizeExprOp::create(b, check.getLoc(), check.getSlot(),
                                     check.getName(), check.getDim(), size);
    check.erase();
  }
  b.setInsertionPointToEnd(&body);
  for (auto &[condition, asker] : env.getConditions())
    if (!env.dependsOnData(condition))
      guard::CheckExprOp::create(b, guards.getLoc(), condition,
                                 b.getStringAttr(toText(condition, asker)));
}

/// Conditions on sizes that values decide hold where these are known.
void Dynamizer::addAssertions() {
  for (auto &[condition, asker] : env.getConditions()) {
    SmallVector<StringAttr> open;
    collectSymbols(condition, open);
    llvm::erase_if(open, [&](StringAttr name) {
      return !env.dependsOnData(guard::getSymbol(context, name.getValue()));
    });
    if (open.empty())
      continue;
    for (Operation &op : function.front()) {
      llvm::erase_if(open, [&](StringAttr name) { return defines(&op, name); });
      if (!open.empty())
        continue;
      OpBuilder b(context);
      b.setInsertionPointAfter(&op);
      guard::AssertOp::create(b, op.getLoc(), condition,
                              b.getStringAttr(toText(condition, asker)));
      break;
    }
  }
}

LogicalResult Dynamizer::run() {
  for (auto symbol : module.getOps<guard::SymbolOp>()) {
    guard::ShapeEnv::Symbol properties;
    properties.isReplaceable = false;
    properties.isData = symbol.getUnbacked();
    if (auto hint = symbol.getHint())
      properties.hint = *hint;
    properties.range = {symbol.getLowerBound(), symbol.getUpperBound()};
    if (!symbol.getIsFloat())
      env.addSymbol(guard::getSymbol(context, symbol.getSymName()),
                    properties);
  }
  if (Status s = guard::checkNamedSizes(function.getName(),
                                        function.getArgumentTypes());
      !s)
    return function.emitOpError() << s.error().message;
  for (mlir::BlockArgument argument : function.getArguments())
    recorded[argument] = argument.getType();
  for (Operation &op : function.front())
    for (Value result : op.getResults())
      recorded[result] = result.getType();
  if (failed(inferAll()) || failed(checkNamed()))
    return failure();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    setStrides(i);
  function.setFunctionType(mlir::FunctionType::get(
      context, function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
  updateGuards();
  addAssertions();
  declareSymbols();
  return success();
}

namespace {
struct AtenMakeDynamicPass
    : impl::AtenMakeDynamicPassBase<AtenMakeDynamicPass> {
  using AtenMakeDynamicPassBase::AtenMakeDynamicPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Capture, Stage::Joint})))
      return signalPassFailure();
    auto function = getOperation().lookupSymbol<FuncOp>("main");
    if (!function || !function.getBody().hasOneBlock())
      return;
    Dynamizer dynamizer(getOperation(), function);
    auto parseList = [&](ArrayRef<std::string> texts, auto take) {
      for (const std::string &text : texts) {
        Result<SizeMark> mark = parseSizeMark(function, text);
        if (!mark)
          return mlir::LogicalResult(function.emitError()
                                     << mark.error().message);
        take(*mark);
      }
      return success();
    };
    SmallVector<SizeMark> except;
    if (failed(parseList(dynamic, [&](SizeMark &m) { dynamizer.mark(m); })) ||
        failed(parseList(unbacked,
                         [&](SizeMark &m) {
                           m.isUnbacked = true;
                           dynamizer.mark(m);
                         })) ||
        failed(parseList(fixed, [&](SizeMark &m) { except.push_back(m); })))
      return signalPassFailure();
    if (all)
      dynamizer.markAll(except);
    if (failed(dynamizer.run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace kiln::aten
