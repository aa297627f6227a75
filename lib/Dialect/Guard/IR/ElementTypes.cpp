//===- ElementTypes.cpp - Element types of IR and runtime -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/ElementTypes.h"

#include "kiln/Base/CheckedMath.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

using namespace kiln;

std::optional<DType> guard::getDType(Type type) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DType::Bool;
    case 8:
      return isUnsigned ? DType::U8 : DType::I8;
    case 16:
      return isUnsigned ? DType::U16 : DType::I16;
    case 32:
      return isUnsigned ? DType::U32 : DType::I32;
    case 64:
      return isUnsigned ? DType::U64 : DType::I64;
    default:
      break;
    }
  }
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return DType::C64;
    if (complex.getElementType().isF64())
      return DType::C128;
    if (complex.getElementType().isF16())
      return DType::C32;
  }
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return DType::F8E4M3FN;
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return DType::F8E5M2;
  if (llvm::isa<mlir::Float8E4M3FNUZType>(type))
    return DType::F8E4M3FNUZ;
  if (llvm::isa<mlir::Float8E5M2FNUZType>(type))
    return DType::F8E5M2FNUZ;
  if (llvm::isa<mlir::Float8E8M0FNUType>(type))
    return DType::F8E8M0FNU;
  return std::nullopt;
}

Type guard::getElementType(MLIRContext *context, DType dtype) {
  Builder b(context);
  auto integer = [&](unsigned width, bool isSigned) -> Type {
    return mlir::IntegerType::get(context, width,
                                  isSigned ? mlir::IntegerType::Signless
                                           : mlir::IntegerType::Unsigned);
  };
  switch (dtype) {
  case DType::Bool:
    return b.getI1Type();
  case DType::U8:
    return integer(8, false);
  case DType::I8:
    return integer(8, true);
  case DType::I16:
    return integer(16, true);
  case DType::I32:
    return integer(32, true);
  case DType::I64:
    return integer(64, true);
  case DType::U16:
    return integer(16, false);
  case DType::U32:
    return integer(32, false);
  case DType::U64:
    return integer(64, false);
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  case DType::C32:
    return mlir::ComplexType::get(b.getF16Type());
  case DType::C64:
    return mlir::ComplexType::get(b.getF32Type());
  case DType::C128:
    return mlir::ComplexType::get(b.getF64Type());
  case DType::F8E4M3FN:
    return mlir::Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case DType::F8E4M3FNUZ:
    return mlir::Float8E4M3FNUZType::get(context);
  case DType::F8E5M2FNUZ:
    return mlir::Float8E5M2FNUZType::get(context);
  case DType::F8E8M0FNU:
    return mlir::Float8E8M0FNUType::get(context);
  }
  llvm_unreachable("every DType has an element type");
}

LogicalResult guard::verifyElementType(Operation *op, Type element) {
  std::optional<DType> dtype = getDType(element);
  // Signs stand where a DType has them: `si32` is no other type than `i32`.
  if (dtype && getElementType(op->getContext(), *dtype) == element)
    return success();
  return op->emitOpError()
         << "has elements of type " << element
         << ", expected i1, an integer of 8, 16, 32 or 64 bits, a float of "
            "PyTorch or a complex number of floats";
}

static LogicalResult verifyTensor(Operation *op, Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (failed(guard::verifyElementType(op, tensor.getElementType())))
    return failure();
  if (!guard::getDims(tensor))
    return op->emitOpError() << "has a tensor whose dynamic dimensions no "
                                "'#guard.shape' names: "
                             << tensor;
  std::vector<int64_t> sizes;
  for (int64_t size : tensor.getShape())
    sizes.push_back(mlir::ShapedType::isDynamic(size) ? 1 : size);
  auto bytes = byteCount(*guard::getDType(tensor.getElementType()), sizes);
  if (bytes)
    return success();
  return op->emitOpError() << "has a tensor that cannot exist: "
                           << bytes.error().message;
}

LogicalResult guard::verifyTensors(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(verifyTensor(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyTensor(op, type)))
      return failure();
  return success();
}
