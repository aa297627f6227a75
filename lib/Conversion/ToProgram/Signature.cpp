//===- Signature.cpp - Slots, symbols, halves of a step -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "kiln/Analysis/PassedSymbols.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::addSlot(BlockArgument argument) {
  unsigned k = argument.getArgNumber();
  aten::InputAttr input = source.getInput(k);
  auto kind = program::SlotKind::UserInput;
  StringAttr name = builder.getStringAttr("arg" + Twine(k)), path;
  Attribute value;
  if (input) {
    // The enumerations list the same kinds in the same order.
    kind = static_cast<program::SlotKind>(input.getKind());
    name = input.getName() ? input.getName() : name;
    path = input.getPath();
    value = input.getValue();
  }
  FailureOr<Type> type = getType(argument.getType(), source.function.getLoc());
  if (failed(type))
    return failure();
  auto buffer = dyn_cast<program::BufferType>(*type);
  if (buffer)
    value = {};
  guard::ShapeAttr laid = source.getStrides(k);
  if (buffer && laid) {
    ArrayRef<ExprAttr> strides = laid.getDims();
    if (!llvm::equal(strides, guard::getContiguousStrides(getContext(),
                                                          buffer.getSizes())))
      type = Type(program::BufferType::get(getContext(), buffer.getSizes(),
                                           buffer.getElementType(), strides));
  }
  auto slot = program::SlotOp::create(builder, argument.getLoc(), *type, kind,
                                      name, path,
                                      input && input.getRequiresGrad(), value,
                                      IntegerAttr(), FlatSymbolRefAttr());
  values[argument] = slot.getResult();
  // A number is written where it is used.
  if (!value || isa<UnitAttr>(value))
    return success();
  CallArguments none;
  FailureOr<Attribute> number =
      isa<ExprAttr>(value) ? FailureOr<Attribute>(value)
                           : toArgument(value, {}, none, slot);
  if (succeeded(number))
    numbers[argument] = *number;
  return number;
}

LogicalResult FunctionConverter::addSlots() {
  for (BlockArgument argument : source.body->getArguments())
    if (failed(addSlot(argument)))
      return failure();
  for (StringAttr symbol : source.passed)
    program::SlotOp::create(
        builder, source.function.getLoc(),
        program::NumberType::get(getContext()), program::SlotKind::UserInput,
        symbol, StringAttr(), /*requires_grad=*/false,
        guard::getSymbol(getContext(), symbol.getValue()), IntegerAttr(),
        FlatSymbolRefAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

namespace {

/// How a symbol is read from an input.
struct Reading {
  program::SymbolSource source = program::SymbolSource::Step;
  unsigned slot = 0;
  std::optional<unsigned> dim;
  int64_t scale = 1, offset = 0;
};

/// Symbols in the order in which a function mentions them.
class Readings {
public:
  void mention(ExprAttr expr) {
    SmallVector<StringAttr> names;
    guard::collectSymbols(expr, names);
    for (StringAttr name : names)
      found.try_emplace(name, std::nullopt);
  }

  /// s = (size - offset) / scale, if the size is that linear.
  void readSize(ExprAttr size, unsigned slot, unsigned dim, bool bareOnly) {
    SmallVector<StringAttr> names;
    guard::collectSymbols(size, names);
    if (names.size() != 1)
      return;
    std::optional<Reading> &reading = found[names[0]];
    if (reading)
      return;
    ExprAttr leaf = guard::getSymbol(size.getContext(), names[0].getValue());
    auto scale = guard::getCoefficient(size, leaf);
    if (!scale || !scale->isConstant() || scale->isConstant(0))
      return;
    auto offset = (size - leaf * *scale).getConstant();
    if (!offset || (bareOnly && size != leaf))
      return;
    reading = {program::SymbolSource::Size, slot, dim, *scale->getConstant(),
               *offset};
  }

  void readNumber(ExprAttr value, unsigned slot) {
    mention(value);
    if (value.isSymbol() && !found[value.getSymbol()])
      found[value.getSymbol()] =
          Reading{program::SymbolSource::Value, slot, std::nullopt};
  }

  llvm::MapVector<StringAttr, std::optional<Reading>> found;
};

} // namespace

static Readings findReadings(Source &source) {
  Readings readings;
  for (bool bareOnly : {true, false})
    for (auto [slot, type] : llvm::enumerate(source.body->getArgumentTypes()))
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        for (auto [dim, size] : llvm::enumerate(*guard::getDims(tensor))) {
          readings.mention(size);
          readings.readSize(size, slot, dim, bareOnly);
        }
  unsigned count = source.body->getNumArguments();
  for (unsigned slot = 0; slot < count; ++slot) {
    aten::InputAttr input = source.getInput(slot);
    if (!input)
      continue;
    if (auto expr = dyn_cast_if_present<ExprAttr>(input.getValue()))
      readings.readNumber(expr, slot);
    if (guard::ShapeAttr strides = input.getStrides())
      for (ExprAttr stride : strides)
        readings.mention(stride);
  }
  MLIRContext *context = source.function.getContext();
  for (auto [k, symbol] : llvm::enumerate(source.passed))
    readings.readNumber(guard::getSymbol(context, symbol.getValue()),
                        count + k);
  // Whatever else is mentioned is defined by an op as the program runs.
  auto visit = [&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (auto dims = guard::getDims(tensor))
          for (ExprAttr size : *dims)
            readings.mention(size);
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](ExprAttr expr) { readings.mention(expr); });
  };
  for (Operation &op : source.body->front()) {
    visit(&op);
    // What a body uses and is not given is passed to it.
    if (op.getNumRegions())
      for (StringAttr symbol :
           analysis::getPassedSymbols(&op, source.function))
        readings.mention(guard::getSymbol(context, symbol.getValue()));
  }
  if (source.isFunction())
    visit(source.function);
  return readings;
}

/// Gives each symbol the place in the inputs where it can be read.
LogicalResult FunctionConverter::addSymbols() {
  Readings readings = findReadings(source);
  auto module = source.function->getParentOfType<ModuleOp>();
  auto slots = llvm::to_vector(program.getBody().getOps<program::SlotOp>());
  for (auto &[name, reading] : readings.found) {
    Reading from = reading.value_or(Reading());
    if (from.source == program::SymbolSource::Step)
      stepSymbols.insert(name);
    // Sizes are not negative even where nothing was declared.
    int64_t min = from.source == program::SymbolSource::Size
                      ? 0
                      : std::numeric_limits<int64_t>::min();
    int64_t max = std::numeric_limits<int64_t>::max();
    if (auto declared = module.lookupSymbol<guard::SymbolOp>(name)) {
      min = std::max<int64_t>(min, declared.getLowerBound());
      max = declared.getUpperBound();
    }
    bool isStep = from.source == program::SymbolSource::Step;
    program::SymbolOp::create(
        builder, source.function.getLoc(), name, from.source,
        from.dim ? builder.getI64IntegerAttr(*from.dim) : IntegerAttr(),
        isStep ? Value() : slots[from.slot].getResult(), from.scale,
        from.offset, min, max);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Tells the tangents of a backward program which outputs of the forward program
/// they belong to, by the path that the partition gave them.
static LogicalResult connectTangents(ModuleOp module) {
  auto forward = module.lookupSymbol<program::FuncOp>("forward");
  auto backward = module.lookupSymbol<program::FuncOp>("backward");
  if (!forward || !backward)
    return success();
  Builder builder(module.getContext());
  for (auto slot : backward.getBody().getOps<program::SlotOp>()) {
    if (slot.getKind() != program::SlotKind::Tangent)
      continue;
    StringAttr path = slot.getPathAttr();
    for (auto [k, output] :
         llvm::enumerate(forward.getReturn()
                             .getOutputs()
                             .getAsRange<program::OutputAttr>())) {
      bool hasTangent = output.getRole() == program::Role::UserOutput ||
                        output.getRole() == program::Role::Loss;
      if (hasTangent && !output.getValue() &&
          (output.getPath() ? output.getPath().getValue() : "") ==
              (path ? path.getValue() : ""))
        slot.setOfOutputAttr(builder.getI64IntegerAttr(k));
    }
    if (!slot.getOfOutput())
      return slot.emitError("tangent '")
             << slot.getName() << "' belongs to no output of the forward "
             << "program";
  }
  return success();
}

/// What the backward reads of the inputs was decided on operators, of which lowering may have
/// left nothing, such as the running statistics of a batch norm. Whoever runs a step would keep
/// a copy of those that the forward changes.
static void dropUnreadInputs(program::FuncOp backward) {
  program::ReturnOp returned = backward.getReturn();
  llvm::SmallPtrSet<Operation *, 8> changed;
  for (auto output : returned.getOutputs().getAsRange<program::OutputAttr>())
    if (program::SlotOp slot = returned.getTarget(output))
      changed.insert(slot);
  for (auto slot : llvm::make_early_inc_range(
           backward.getBody().getOps<program::SlotOp>())) {
    bool isOwn = slot.getKind() == program::SlotKind::Saved ||
                 slot.getKind() == program::SlotKind::Tangent;
    if (!isOwn && slot.getResult().use_empty() && !changed.contains(slot) &&
        isa<program::BufferType>(slot.getResult().getType()))
      slot.erase();
  }
}

LogicalResult kiln::convertFunctions(
    ModuleOp module, ArrayRef<func::FuncOp> functions,
    llvm::function_ref<FailureOr<program::FuncOp>(func::FuncOp)> convert) {
  for (func::FuncOp function : functions)
    if (failed(convert(function)))
      return failure();
  for (func::FuncOp function : functions)
    function.erase();
  if (auto backward = module.lookupSymbol<program::FuncOp>("backward"))
    dropUnreadInputs(backward);
  return connectTangents(module);
}
