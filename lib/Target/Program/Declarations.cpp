//===- Declarations.cpp - Symbols, slots, values and outputs --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "Exporter.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::ValueId;

static std::string textOf(StringAttr text) {
  return text ? text.getValue().str() : std::string();
}

void Exporter::addSymbols() {
  for (auto op : function.getBody().getOps<program::SymbolOp>()) {
    package::Symbol symbol;
    symbol.name = op.getName().str();
    // The enumerations list the same cases in the same order.
    symbol.source = static_cast<package::Symbol::Source>(op.getSource());
    if (op.getSlot())
      symbol.slot = slots.lookup(op.getSlot());
    symbol.dim = op.getDim().value_or(0);
    symbol.scale = op.getScale();
    symbol.offset = op.getOffset();
    symbol.min = op.getMin();
    symbol.max = op.getMax();
    symbol.isFloat = guard::isFloatSymbolName(op.getName());
    program.symbols.push_back(std::move(symbol));
  }
}

Status Exporter::addValue(Value value, package::Value place) {
  if (auto type = llvm::dyn_cast<program::BufferType>(value.getType())) {
    place.dtype = *guard::getDType(type.getElementType());
    auto sizes = exprs->get(type.getSizes());
    if (!sizes)
      return sizes.takeError();
    place.sizes = *sizes;
    if (place.strides.empty()) {
      auto strides = exprs->get(type.getStrides());
      if (!strides)
        return strides.takeError();
      place.strides = *strides;
    }
  }
  values[value] = program.values.size();
  program.values.push_back(std::move(place));
  return Status::success();
}

static Error noConstant(StringRef name) {
  return Error::malformed("'" + name.str() + "' is no 'program.constant'");
}

Status Exporter::addValues(Operation &op) {
  if (auto slot = llvm::dyn_cast<program::SlotOp>(op))
    return addSlot(slot);
  if (auto alloc = llvm::dyn_cast<program::AllocOp>(op))
    return addAlloc(alloc);
  if (auto view = llvm::dyn_cast<program::ViewOp>(op))
    return addView(view);
  package::Value value;
  if (auto get = llvm::dyn_cast<program::GetOp>(op)) {
    auto index = constants.find(get.getConstant());
    if (index == constants.end())
      return noConstant(get.getConstant());
    value.kind = package::Value::Kind::Constant;
    value.slot = index->second;
  }
  for (Value result : op.getResults())
    if (!llvm::isa<mlir::NoneType>(result.getType()))
      if (Status s = addValue(result, value); !s)
        return s;
  return Status::success();
}

Status Exporter::addSlot(program::SlotOp op) {
  package::Slot slot;
  slot.kind = static_cast<package::Slot::Kind>(op.getKind());
  slot.name = op.getName().str();
  slot.path = textOf(op.getPathAttr());
  slot.requiresGrad = op.getRequiresGrad();
  if (auto output = op.getOfOutput())
    slot.ofOutput = *output;
  auto type = llvm::dyn_cast<program::BufferType>(op.getResult().getType());
  if (!type) {
    Attribute value = op.getValueAttr();
    slot.isTensor = false;
    slot.isSymbolic = !value || llvm::isa<ExprAttr>(value);
    if (value && !slot.isSymbolic)
      slot.constant = toConstant(value);
    program.slots.push_back(std::move(slot));
    return Status::success();
  }
  slot.dtype = *guard::getDType(type.getElementType());
  auto sizes = exprs->get(type.getSizes());
  if (!sizes)
    return sizes.takeError();
  slot.sizes = *sizes;
  SmallVector<ExprAttr> strides =
      type.getStrides().empty()
          ? guard::getContiguousStrides(type.getContext(), type.getSizes())
          : llvm::to_vector(type.getStrides());
  auto strideIds = exprs->get(strides);
  if (!strideIds)
    return strideIds.takeError();
  slot.strides = *strideIds;
  if (auto payload = op.getPayload()) {
    auto index = constants.find(*payload);
    if (index == constants.end())
      return noConstant(*payload);
    slot.payload = index->second;
  }
  package::Value value;
  value.kind = package::Value::Kind::Slot;
  value.slot = program.slots.size();
  value.strides = slot.strides;
  program.slots.push_back(std::move(slot));
  return addValue(op.getResult(), std::move(value));
}

Status Exporter::addAlloc(program::AllocOp op) {
  package::Value value;
  value.kind = op.getIsPrepared() ? package::Value::Kind::Prepared
                                  : package::Value::Kind::New;
  if (ExprAttr place = op.getPlaceAttr()) {
    value.kind = package::Value::Kind::Arena;
    auto offset = exprs->get(place);
    if (!offset)
      return offset.takeError();
    value.offset = *offset;
  }
  return addValue(op.getResult(), std::move(value));
}

/// True for a view that is less than its base: others are behind it, or
/// elements of theirs between its own.
static bool isPart(program::ViewOp op) {
  return !op.getType().getByteSize() ||
         llvm::any_of(op.getBase().getUsers(), [](mlir::Operation *user) {
           auto other = llvm::dyn_cast<program::ViewOp>(user);
           return other && !other.getOffset().isConstant(0);
         });
}

/// A kernel is handed a pointer, whatever it holds. A part stays one, for who
/// asks what is written.
static bool isPointer(program::ViewOp op) {
  return op.getOffset().isConstant(0) &&
         (op.getType() == op.getBase().getType() ||
          (!isPart(op) && llvm::all_of(op.getResult().getUsers(),
                                       llvm::IsaPred<program::LaunchOp>)));
}

Status Exporter::addView(program::ViewOp op) {
  if (isPointer(op)) {
    values[op.getResult()] = values.lookup(op.getBase());
    return Status::success();
  }
  package::Value value;
  value.kind = package::Value::Kind::View;
  value.base = values.lookup(op.getBase());
  auto offset = exprs->get(op.getOffset());
  if (!offset)
    return offset.takeError();
  value.offset = *offset;
  return addValue(op.getResult(), std::move(value));
}

Status Exporter::addOutputs(program::ReturnOp op) {
  size_t next = 0;
  for (auto given : op.getOutputs().getAsRange<program::OutputAttr>()) {
    package::Output output;
    output.role = static_cast<package::Output::Role>(given.getRole());
    output.name = textOf(given.getName());
    output.path = textOf(given.getPath());
    output.target = textOf(given.getTarget());
    if (auto expr = llvm::dyn_cast_if_present<ExprAttr>(given.getValue())) {
      output.kind = package::Output::Kind::Expr;
      auto id = exprs->get(expr);
      if (!id)
        return id.takeError();
      output.expr = *id;
    } else if (given.getValue()) {
      output.kind = package::Output::Kind::Constant;
      output.constant = toConstant(given.getValue());
    } else {
      Value value = op.getValues()[next++];
      output.kind = llvm::isa<program::NumberType>(value.getType())
                        ? package::Output::Kind::Scalar
                        : package::Output::Kind::Tensor;
      if (!values.contains(value))
        return Error::unsupported("a number that is an input is returned");
      output.value = values.lookup(value);
      const package::Value &held = program.values[output.value];
      if (held.kind == package::Value::Kind::Slot)
        output.aliasOfSlot = held.slot;
    }
    // A mutation names what it changes.
    if (program::SlotOp target = op.getTarget(given))
      output.aliasOfSlot = slots.lookup(target.getResult());
    program.outputs.push_back(std::move(output));
  }
  return Status::success();
}
