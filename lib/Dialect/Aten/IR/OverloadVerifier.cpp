//===- OverloadVerifier.cpp - Ops against their declarations --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverloadVerifier.h"

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

using namespace kiln;
using namespace kiln::aten;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isNumber(Type type) {
  if (auto parts = llvm::dyn_cast<mlir::ComplexType>(type))
    return parts.getElementType().isF64();
  return type.isInteger(1) || type.isSignlessInteger(64) || type.isF64();
}

static bool fits(ArgKind kind, Type type) {
  bool isTensor = llvm::isa<RankedTensorType>(type);
  if (kind == ArgKind::Number)
    return isNumber(type);
  return isTensor || (kind == ArgKind::TensorOrNumber && isNumber(type));
}

static StringRef describeExpected(ArgKind kind) {
  switch (kind) {
  case ArgKind::Number:
    return "a number (i1, i64, f64 or complex<f64>)";
  case ArgKind::TensorOrNumber:
    return "a tensor or a number";
  default:
    return "a ranked tensor";
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Says that there are too few or too many operands.
static LogicalResult refuseCount(Operation *op, const OpInfo &info) {
  unsigned least = countFixedOperands(info);
  bool isOpen = llvm::any_of(
      info.args, [](const ArgInfo &arg) { return arg.isVariable(); });
  return op->emitOpError() << "expected " << least
                           << (isOpen ? " or more" : "") << " operand"
                           << (least == 1 && !isOpen ? "" : "s")
                           << ", but found " << op->getNumOperands();
}

/// How many operands each argument has that is one.
static FailureOr<SmallVector<int32_t>> getCounts(Operation *op,
                                                 const OpInfo &info) {
  SmallVector<int32_t> counts;
  unsigned total = 0, arguments = 0;
  if (!info.hasSegments) {
    int32_t rest =
        int32_t(op->getNumOperands()) - int32_t(countFixedOperands(info));
    bool hasVariable = false;
    for (const ArgInfo &arg : info.args) {
      if (!arg.isOperand())
        continue;
      hasVariable |= arg.isVariable();
      counts.push_back(arg.isVariable() ? rest : 1);
    }
    if (rest < 0 || (rest > 0 && !hasVariable))
      return refuseCount(op, info);
    return counts;
  }
  Attribute sizes =
      op->getInherentAttr(kSegmentSizesName).value_or(Attribute());
  auto segments = llvm::dyn_cast_if_present<mlir::DenseI32ArrayAttr>(sizes);
  if (!segments)
    return op->emitOpError()
           << "requires dense i32 array attribute '" << kSegmentSizesName << "'";
  for (const ArgInfo &arg : info.args)
    arguments += arg.isOperand();
  if (segments.size() != int64_t(arguments))
    return op->emitOpError() << "'" << kSegmentSizesName
                             << "' attribute for specifying operand segments "
                                "must have "
                             << arguments << " elements, but got "
                             << segments.size();
  for (int32_t size : segments.asArrayRef()) {
    if (size < 0)
      return op->emitOpError() << "'" << kSegmentSizesName
                               << "' attribute cannot have negative elements";
    counts.push_back(size);
    total += unsigned(size);
    if (total > op->getNumOperands())
      break;
  }
  if (total != op->getNumOperands())
    return op->emitOpError()
           << "operand count (" << op->getNumOperands()
           << ") does not match with the total size specified in attribute '"
           << kSegmentSizesName << "'";
  return counts;
}

static LogicalResult verifyOperands(Operation *op, const OpInfo &info) {
  FailureOr<SmallVector<int32_t>> counts = getCounts(op, info);
  if (failed(counts))
    return failure();
  unsigned next = 0;
  auto count = counts->begin();
  for (const ArgInfo &arg : info.args) {
    if (!arg.isOperand())
      continue;
    bool isList =
        arg.kind == ArgKind::TensorList || arg.kind == ArgKind::OptionalTensorList;
    int32_t size = *count++;
    if (!isList && size != 1 && !(arg.isOptional && size == 0))
      return op->emitOpError()
             << "expects " << (arg.isOptional ? "at most " : "")
             << "one operand for argument '" << arg.name << "', but found "
             << size;
    for (int32_t i = 0; i < size; ++i, ++next) {
      Type type = op->getOperand(next).getType();
      if (!fits(arg.kind, type))
        return op->emitOpError()
               << "operand #" << next << " (argument '" << arg.name
               << "') must be " << describeExpected(arg.kind) << ", but got " << type;
    }
  }
  return success();
}

static LogicalResult verifyResults(Operation *op, const OpInfo &info) {
  bool isList = llvm::is_contained(info.results, ResultKind::TensorList);
  if (!isList && op->getNumResults() != info.results.size())
    return op->emitOpError() << "expects " << info.results.size()
                             << " results, but found " << op->getNumResults();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    bool isNumber = !isList && info.results[i] == ResultKind::Number;
    ArgKind kind = isNumber ? ArgKind::Number : ArgKind::Tensor;
    if (!fits(kind, type))
      return op->emitOpError() << "result #" << i << " must be "
                               << describeExpected(kind) << ", but got " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// What an attribute of the kind is called, and whether this is one.
static std::pair<StringRef, bool> matchKind(ArgKind kind, Attribute attribute) {
  auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
  auto real = llvm::dyn_cast<mlir::FloatAttr>(attribute);
  switch (kind) {
  case ArgKind::Int:
    return {"64-bit signless integer attribute",
            integer && integer.getType().isSignlessInteger(64)};
  case ArgKind::Bool:
    return {"bool attribute", llvm::isa<mlir::BoolAttr>(attribute)};
  case ArgKind::Float:
    return {"64-bit float attribute", real && real.getType().isF64()};
  case ArgKind::DType:
    return {"any type attribute", llvm::isa<mlir::TypeAttr>(attribute)};
  case ArgKind::SymInt:
    return {"an expression over symbols and loop indices",
            llvm::isa<guard::ExprAttr>(attribute)};
  case ArgKind::SymIntList:
    return {"the sizes of a tensor as expressions",
            llvm::isa<guard::ShapeAttr>(attribute)};
  case ArgKind::IntList:
    return {"i64 dense array attribute",
            llvm::isa<mlir::DenseI64ArrayAttr>(attribute)};
  case ArgKind::BoolList:
    return {"i1 dense array attribute",
            llvm::isa<mlir::DenseBoolArrayAttr>(attribute)};
  case ArgKind::FloatList:
    return {"f64 dense array attribute",
            llvm::isa<mlir::DenseF64ArrayAttr>(attribute)};
  default:
    return {"string attribute", llvm::isa<StringAttr>(attribute)};
  }
}

LogicalResult
aten::verifyAttribute(const OpInfo &info, unsigned slot, Attribute attribute,
                      function_ref<InFlightDiagnostic()> emitError) {
  if (!attribute)
    return success();
  auto [text, isRight] =
      slot < info.attributes.size()
          ? matchKind(info.attributes[slot].kind, attribute)
          : std::make_pair(StringRef("i32 dense array attribute"),
                           llvm::isa<mlir::DenseI32ArrayAttr>(attribute));
  if (isRight)
    return success();
  emitError() << "attribute '" << info.getAttributeName(slot)
              << "' failed to satisfy constraint: " << text << ", but got "
              << attribute;
  return failure();
}

LogicalResult
aten::verifyProperties(const OpInfo &info, DictionaryAttr properties,
                       function_ref<InFlightDiagnostic()> emitError) {
  for (NamedAttribute attr : properties) {
    std::optional<unsigned> slot = info.findAttribute(attr.getName());
    if (!slot) {
      emitError() << "'" << info.name << "' has no property '"
                  << attr.getName().getValue() << "'";
      return failure();
    }
    if (failed(verifyAttribute(info, *slot, attr.getValue(), emitError)))
      return failure();
  }
  return success();
}

static LogicalResult verifyAttributes(Operation *op, const OpInfo &info) {
  ArrayRef<Attribute> slots(op->getPropertiesStorage().as<Attribute *>(),
                            info.getNumAttributes());
  for (auto [i, declared] : llvm::enumerate(info.attributes)) {
    if (!slots[i] && !declared.isOptional)
      return op->emitOpError() << "requires attribute '" << declared.name << "'";
    if (failed(verifyAttribute(info, i, slots[i],
                               [&] { return op->emitOpError(); })))
      return failure();
  }
  return success();
}

LogicalResult aten::verifyDeclaration(Operation *op, const OpInfo &info) {
  if (failed(mlir::OpTrait::impl::verifyZeroRegions(op)) ||
      failed(mlir::OpTrait::impl::verifyZeroSuccessors(op)))
    return failure();
  return success(succeeded(verifyOperands(op, info)) &&
                 succeeded(verifyResults(op, info)) &&
                 succeeded(verifyAttributes(op, info)));
}
