//===- ProgramDialect.cpp - Registration, types, attributes ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramAsm.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

#include "kiln/Dialect/Program/IR/ProgramDialect.cpp.inc"

#include "kiln/Dialect/Program/IR/ProgramEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Program/IR/ProgramTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Program/IR/ProgramAttrs.cpp.inc"

namespace {

struct ProgramStages : StageDialectInterface {
  using StageDialectInterface::StageDialectInterface;

  StageRange getStages(Operation *) const final {
    return {Stage::Package, Stage::Package};
  }

  std::string getUnmet(Operation *op, Stage, bool) const final {
    auto alloc = dyn_cast<AllocOp>(op);
    if (alloc && !alloc.getPlaceAttr() && !alloc.getIsNew() &&
        !alloc.getIsPrepared())
      return "a place in memory, as 'program-plan-memory' gives it";
    return {};
  }
};

} // namespace

void ProgramDialect::initialize() {
  registerTypesAndAttributes();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Program/IR/ProgramOps.cpp.inc"
      >();
  addInterfaces<ProgramStages>();
}

void ProgramDialect::registerTypesAndAttributes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/Dialect/Program/IR/ProgramTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Program/IR/ProgramAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// !program.buffer
//===----------------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  SmallVector<guard::ExprAttr> sizes, strides;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseExprs(parser, sizes) || parser.parseComma() ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("strides") || parser.parseEqual() ||
       parseExprs(parser, strides)))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    sizes, elementType, strides);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printExprs(printer, getSizes());
  printer << ", " << getElementType();
  if (!getStrides().empty()) {
    printer << ", strides = ";
    printExprs(printer, getStrides());
  }
  printer << ">";
}

LogicalResult
BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<guard::ExprAttr> sizes, Type elementType,
                   ArrayRef<guard::ExprAttr> strides) {
  std::optional<DType> dtype = guard::getDType(elementType);
  if (!dtype ||
      guard::getElementType(elementType.getContext(), *dtype) != elementType)
    return emitError() << "element type " << elementType
                       << " has no counterpart at run time"; // C1
  if (!strides.empty() && strides.size() != sizes.size())
    return emitError() << "expected " << sizes.size()
                       << " strides or none, but found " << strides.size();
  return success();
}

/// True if each stride is the product of the sizes that are further inside: the elements
/// stand densely, in some order of the dimensions.
static bool isDense(MLIRContext *context, ArrayRef<guard::ExprAttr> sizes,
                    ArrayRef<guard::ExprAttr> strides) {
  SmallVector<bool> isSeen(sizes.size(), false);
  guard::ExprAttr next = guard::getConstant(context, 1);
  for (size_t count = 0; count < sizes.size(); ++count) {
    // Where several fit, all but one of them have a single element.
    std::optional<size_t> found;
    for (size_t k = 0; k < sizes.size(); ++k)
      if (!isSeen[k] && (strides[k] == next || sizes[k].isConstant(1)) &&
          (!found || sizes[k].isConstant(1)))
        found = k;
    if (!found)
      return false;
    isSeen[*found] = true;
    next = next * sizes[*found];
  }
  return true;
}

std::optional<guard::ExprAttr> BufferType::getByteSize() {
  if (!getStrides().empty() && !isDense(getContext(), getSizes(), getStrides()))
    return std::nullopt;
  int64_t bytes = itemSize(*guard::getDType(getElementType()));
  return guard::getNumElements(getContext(), getSizes()) * bytes;
}

guard::ExprAttr program::alignBytes(guard::ExprAttr bytes) {
  MLIRContext *context = bytes.getContext();
  if (guard::exactDivide(bytes, guard::getConstant(context, kArenaAlignment)))
    return bytes;
  return guard::ceilDiv(bytes, kArenaAlignment) * kArenaAlignment;
}
