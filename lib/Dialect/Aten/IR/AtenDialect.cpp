//===- AtenDialect.cpp - The aten dialect ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBase.h"

#include "kiln/Dialect/Aten/IR/Overload.h"
#include "kiln/Dialect/Aten/IR/QuantizedDialect.h"
#include "kiln/Dialect/Aten/IR/TransformersDialect.h"
#include "kiln/Dialect/Aten/IR/WholeOps.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::aten;

#include "kiln/Dialect/Aten/IR/AtenDialect.cpp.inc"
#include "kiln/Dialect/Aten/IR/AtenEnums.cpp.inc"
#include "kiln/Dialect/Aten/IR/AtenInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Aten/IR/AtenAttrs.cpp.inc"

namespace {
/// No op looks at what surrounds it.
struct AtenInlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

StageRange OverloadStages::getStages(Operation *) const {
  return {Stage::Capture, Stage::Joint};
}

std::string OverloadStages::getUnmet(Operation *op, Stage stage,
                                     bool keepsDerivatives) const {
  const OpInfo *info = getOpInfo(op);
  if (stage == Stage::Capture || !info || info->isCore || !info->isDecomposed ||
      op->hasAttr(kWholeAttrName))
    return {};
  auto rule = llvm::dyn_cast<DifferentiableOpInterface>(op);
  if (keepsDerivatives && rule && !rule.isStopGradient() &&
      rule.isDifferentiatedWhole())
    return {};
  return "operators of the core set, as 'aten-decompose' makes them";
}

void AtenDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Aten/IR/AtenAttrs.cpp.inc"
      >();
}

void AtenDialect::initialize() {
  registerAttributes();
  registerControlOps();
  registerOverloads(*this, getAllOverloads());
  addInterfaces<AtenInlinerInterface, OverloadStages>();
}

Operation *AtenDialect::materializeConstant(OpBuilder &builder,
                                            Attribute value, Type type,
                                            Location loc) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Says what a name that is no op may have been meant for.
static ParseResult refuseName(OpAsmParser &parser, OperationState &state) {
  InFlightDiagnostic diagnostic = parser.emitError(parser.getNameLoc())
                                  << "is no overload";
  SmallVector<StringRef> overloads =
      suggestOverloads(state.name.getStringRef());
  if (overloads.empty())
    return diagnostic;
  diagnostic << ", expected " << (overloads.size() > 1 ? "one of " : "");
  llvm::interleaveComma(overloads, diagnostic, [&](StringRef overload) {
    diagnostic << "'" << overload << "'";
  });
  return diagnostic;
}

std::optional<mlir::Dialect::ParseOpHook>
AtenDialect::getParseOperationHook(StringRef) const {
  return refuseName; // asked for names that are no op
}

LogicalResult AtenDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kInputAttrName)
    return success();
  auto input = llvm::dyn_cast<InputAttr>(attribute.getValue());
  if (!input)
    return op->emitOpError() << "expects '" << kInputAttrName
                             << "' of argument " << argument
                             << " to be '#aten.input<...>', but found "
                             << attribute.getValue();
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!input.getStrides() || !function)
    return success();
  Type type = function.getArgumentTypes()[argument];
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  size_t strides = input.getStrides().getDims().size();
  if (tensor && size_t(tensor.getRank()) == strides)
    return success();
  return op->emitOpError() << "has " << strides << " strides for argument "
                           << argument << ", which is of type " << type;
}

LogicalResult
AtenDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                         unsigned result,
                                         NamedAttribute attribute) {
  if (attribute.getName() != kOutputAttrName ||
      llvm::isa<OutputAttr>(attribute.getValue()))
    return success();
  return op->emitOpError() << "expects '" << kOutputAttrName << "' of result "
                           << result
                           << " to be '#aten.output<...>', but found "
                           << attribute.getValue();
}
