//===- PackageOps.cpp - Verifiers of what a package holds -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/CheckedMath.h"
#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Program/IR/Program.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

std::optional<ArrayRef<char>> program::getBytes(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? std::optional<ArrayRef<char>>(blob->getData()) : std::nullopt;
}

/// Text may leave out the bytes of a resource, so they need not be there.
static LogicalResult verifyResource(Operation *op, ElementsAttr value,
                                    std::optional<int64_t> expected) {
  if (!isa<DenseResourceElementsAttr>(value))
    return op->emitOpError("expected a resource, found ") << value;
  std::optional<ArrayRef<char>> bytes = getBytes(value);
  if (!expected || (bytes && int64_t(bytes->size()) != *expected))
    return op->emitOpError("has ")
           << (bytes ? int64_t(bytes->size()) : 0) << " bytes of "
           << value.getType();
  return success();
}

LogicalResult ImageOp::verify() {
  if (int64_t(getFeatures()) < 0 || getFeatures() > UINT32_MAX) // C2
    return emitOpError("expected features of 32 bits, found ")
           << int64_t(getFeatures());
  auto type = dyn_cast<RankedTensorType>(getCode().getType()); // C1
  if (!type || type.getRank() != 1 || !type.getElementType().isInteger(8) ||
      !type.hasStaticShape())
    return emitOpError("expected code of a number of i8, found ")
           << getCode().getType();
  return verifyResource(*this, getCode(), type.getDimSize(0));
}

LogicalResult ImageOp::verifyRegions() {
  int64_t size = getCode().getShapedType().getNumElements();
  for (Operation &op : getBody().front()) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel)
      return op.emitOpError("stands in an image, expected 'program.kernel'");
    if (int64_t(kernel.getEntry()) < 0 || int64_t(kernel.getEntry()) >= size) // C3
      return kernel.emitOpError("begins at byte ")
             << int64_t(kernel.getEntry()) << " of " << size;
  }
  return success();
}

LogicalResult ImageOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = cast<ModuleOp>((*this)->getParentOp());
  ImageOp first = *module.getOps<ImageOp>().begin(); // C4
  if (first != *this)
    return emitOpError("is a second image, expected one in a module");
  for (auto function : module.getOps<FuncOp>())
    for (auto launch : function.getBody().getOps<LaunchOp>())
      for (SymbolRefAttr kernel : launch.getKernels())
        if (!symbols.lookupNearestSymbolFrom<KernelOp>(launch, kernel))
          return launch.emitOpError("runs ")
                 << kernel << ", which is no kernel of the image";
  return success();
}

LogicalResult program::ConstantOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getValue().getType());
  auto dtype = type ? guard::getDType(type.getElementType()) : std::nullopt;
  if (!dtype || !type.hasStaticShape()) // C2
    return emitOpError("expected a tensor of elements that exist at run time, "
                       "found ")
           << getValue().getType();
  std::optional<int64_t> bytes = itemSize(*dtype);
  for (int64_t size : type.getShape())
    bytes = bytes ? checkedMul(*bytes, size) : std::nullopt;
  return verifyResource(*this, getValue(), bytes); // C1
}

LogicalResult ReasonOp::verify() {
  if (getArguments().size() % 2 != 0) // C1
    return emitOpError("expected keys and values in turn, found ")
           << getArguments().size() << " texts";
  return success();
}
