//===- ImportedValues.cpp - Slots, symbols and values as IR ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "Importer.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Guard/IR/GuardBytecode.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::Argument;
using package::ValueId;

static std::string numbered(const char *what, size_t index) {
  return what + (" " + std::to_string(index));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Status Importer::readExprs() {
  for (auto [k, symbol] : llvm::enumerate(data.symbols)) {
    if (symbol.name.empty() ||
        symbol.isFloat != guard::isFloatSymbolName(symbol.name))
      return Error::unsupported(
          "symbol " + std::to_string(k) + " is named '" + symbol.name +
          "', expected zf and digits for a float and another name for an "
          "integer");
    symbols.push_back(guard::getSymbol(context, symbol.name));
  }
  for (auto [k, expr] : llvm::enumerate(data.exprs)) {
    auto decoded = guard::decodeExpr(context, expr.code, symbols);
    if (!decoded)
      return decoded.error().withContext(numbered("expression", k));
    exprs.push_back(*decoded);
  }
  return Status::success();
}

SmallVector<ExprAttr> Importer::getExprs(ArrayRef<package::ExprId> ids) {
  return llvm::map_to_vector(ids, [&](package::ExprId id) { return exprs[id]; });
}

/// A step reads these as numbers, so they are no buffers.
void Importer::noteNumbers(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments) {
    if (auto *scalar = std::get_if<Argument::ScalarRef>(&argument.value))
      numbers.insert(scalar->value);
    if (auto *list = std::get_if<Argument::List>(&argument.value))
      noteNumbers(*list);
  }
}

Status Importer::findNumbers() {
  for (const package::Step &step : data.steps) {
    if (auto *call = std::get_if<package::ExternStep>(&step))
      noteNumbers(call->arguments);
    else if (auto *control = std::get_if<package::ControlStep>(&step))
      noteNumbers(control->arguments);
    else if (auto *define = std::get_if<package::DefineSymbolStep>(&step);
             define && define->dim == package::kNone)
      numbers.insert(define->value);
  }
  for (const package::Output &output : data.outputs)
    if (output.kind == package::Output::Kind::Scalar)
      numbers.insert(output.value);
  for (ValueId id : numbers)
    if (data.values[id].kind != package::Value::Kind::Dynamic)
      return Error::unsupported(numbered("value", id) +
                                " is read as a number, expected the result of a "
                                "call");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Slots and symbols
//===----------------------------------------------------------------------===//

/// Of a number: its constant, or what its symbol makes of it.
Attribute Importer::getSlotValue(uint32_t index) {
  const package::Slot &slot = data.slots[index];
  if (!slot.isSymbolic)
    return target::toAttribute(context, slot.constant);
  for (auto [symbol, leaf] : llvm::zip_equal(data.symbols, symbols))
    if (symbol.source == package::Symbol::Source::InputScalar &&
        symbol.slot == index)
      return symbol.isFloat ? leaf : leaf * symbol.scale + symbol.offset;
  return {};
}

Status Importer::addSlot(uint32_t index) {
  const package::Slot &slot = data.slots[index];
  Type type = program::NumberType::get(context);
  if (slot.isTensor) {
    // Row-major ones are written without strides.
    SmallVector<ExprAttr> dense =
        guard::getContiguousStrides(context, getExprs(slot.sizes));
    bool isDense = llvm::equal(dense, getExprs(slot.strides));
    auto buffer = getBufferType(slot.dtype, slot.sizes,
                                isDense ? ArrayRef<package::ExprId>()
                                        : ArrayRef(slot.strides));
    if (!buffer)
      return buffer.error().withContext(numbered("slot", index));
    type = *buffer;
  }
  auto op = program::SlotOp::create(
      builder, builder.getUnknownLoc(), type,
      static_cast<program::SlotKind>(slot.kind), slot.name,
      slot.path.empty() ? StringAttr() : builder.getStringAttr(slot.path),
      slot.requiresGrad, slot.isTensor ? Attribute() : getSlotValue(index),
      slot.ofOutput == package::kNone
          ? mlir::IntegerAttr()
          : builder.getI64IntegerAttr(slot.ofOutput),
      slot.payload == package::kNone ? mlir::FlatSymbolRefAttr()
                                     : names.constants[slot.payload]);
  slots.push_back(op.getResult());
  return Status::success();
}

void Importer::addSymbol(const package::Symbol &symbol) {
  using Source = package::Symbol::Source;
  bool hasDim = symbol.source == Source::InputSize ||
                symbol.source == Source::InputStride;
  // The enumerations list the same cases in the same order.
  program::SymbolOp::create(
      builder, builder.getUnknownLoc(), symbol.name,
      static_cast<program::SymbolSource>(symbol.source),
      hasDim ? builder.getI64IntegerAttr(symbol.dim) : mlir::IntegerAttr(),
      symbol.source == Source::Step ? Value() : slots[symbol.slot],
      symbol.scale, symbol.offset, symbol.min, symbol.max);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Result<Type> Importer::getBufferType(DType dtype,
                                     ArrayRef<package::ExprId> sizes,
                                     ArrayRef<package::ExprId> strides) {
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) {
        complaint = diagnostic.str();
        return success();
      });
  Type type = program::BufferType::getChecked(
      [&] { return mlir::emitError(builder.getUnknownLoc()); }, context,
      ArrayRef<ExprAttr>(getExprs(sizes)),
      guard::getElementType(context, dtype),
      ArrayRef<ExprAttr>(getExprs(strides)));
  if (!type)
    return Error::unsupported(complaint);
  return type;
}

Result<Type> Importer::getType(ValueId id) {
  if (numbers.contains(id))
    return Type(program::NumberType::get(context));
  const package::Value &value = data.values[id];
  auto type = getBufferType(value.dtype, value.sizes, value.strides);
  if (!type)
    return type.error().withContext(numbered("value", id));
  return type;
}

/// The value of a slot is the slot: it must say the same of its layout.
static bool agree(const package::Value &value, const package::Slot &slot) {
  return slot.isTensor && value.dtype == slot.dtype &&
         value.sizes == slot.sizes && value.strides == slot.strides;
}

Status Importer::declare(ValueId id) {
  const package::Value &value = data.values[id];
  using Kind = package::Value::Kind;
  if (values.contains(id) || value.kind == Kind::Dynamic)
    return Status::success();
  if (value.kind == Kind::Slot) {
    if (!agree(value, data.slots[value.slot]))
      return Error::unsupported(numbered("value", id) +
                                " is slot " + std::to_string(value.slot) +
                                " with another layout");
    values[id] = slots[value.slot];
    return Status::success();
  }
  // A view of what is yet to be returned comes when it is used.
  if (value.kind == Kind::View && !values.contains(value.base))
    return Status::success();
  auto type = getType(id);
  if (!type)
    return type.takeError();
  Location loc = builder.getUnknownLoc();
  if (value.kind == Kind::View) {
    Value base = values.lookup(value.base);
    if (value.offset == package::kNone ||
        !llvm::isa<program::BufferType>(base.getType()))
      return Error::unsupported(numbered("value", id) +
                                " has no offset into a buffer");
    values[id] = program::ViewOp::create(builder, loc, *type, base,
                                         exprs[value.offset]);
  } else if (value.kind == Kind::Constant) {
    values[id] = program::GetOp::create(builder, loc, *type,
                                        names.constants[value.slot]);
  } else if (value.kind == Kind::Prepared && value.slot != package::kNone) {
    return Error::unsupported(numbered("value", id) +
                              " is what a frozen package has of its weights; "
                              "expected one made without --freeze");
  } else {
    values[id] = program::AllocOp::create(
        builder, loc, *type,
        value.kind == Kind::Arena ? exprs[value.offset] : ExprAttr(),
        /*is_new=*/value.kind == Kind::New,
        /*is_prepared=*/value.kind == Kind::Prepared);
  }
  return Status::success();
}

Status Importer::declareUpTo(ValueId id) {
  for (; next <= id; ++next)
    if (Status s = declare(next); !s)
      return s;
  return Status::success();
}

Result<Value> Importer::getValue(ValueId id) {
  // Views of views of what a call has returned, from the first one on.
  SmallVector<ValueId> missing;
  for (ValueId at = id; !values.contains(at); at = data.values[at].base) {
    missing.push_back(at);
    if (data.values[at].kind != package::Value::Kind::View)
      break;
  }
  for (ValueId at : llvm::reverse(missing))
    if (Status s = declare(at); !s)
      return s.takeError();
  if (!values.contains(id))
    return Error::unsupported(numbered("value", id) +
                              " is read before a step returns it");
  return values.lookup(id);
}

Result<SmallVector<Value>> Importer::getValues(ArrayRef<ValueId> ids) {
  SmallVector<Value> list;
  for (ValueId id : ids)
    if (Status s = declareUpTo(id); !s)
      return s.takeError();
  for (ValueId id : ids) {
    auto value = getValue(id);
    if (!value)
      return value.takeError();
    list.push_back(*value);
  }
  return list;
}

Result<SmallVector<Type>> Importer::getResultTypes(ArrayRef<ValueId> ids) {
  SmallVector<Type> types;
  for (ValueId id : ids) {
    if (id == package::kNone) {
      types.push_back(builder.getNoneType());
      continue;
    }
    if (data.values[id].kind != package::Value::Kind::Dynamic)
      return Error::unsupported(numbered("value", id) +
                                " is a result and has a place of its own");
    if (Status s = declareUpTo(id); !s)
      return s.takeError();
    auto type = getType(id);
    if (!type)
      return type.takeError();
    types.push_back(*type);
  }
  return types;
}

Status Importer::setResults(Operation *op, ArrayRef<ValueId> ids) {
  for (auto [id, result] : llvm::zip_equal(ids, op->getResults()))
    if (id != package::kNone && !values.try_emplace(id, result).second)
      return Error::unsupported(numbered("value", id) + " is returned twice");
  return Status::success();
}
