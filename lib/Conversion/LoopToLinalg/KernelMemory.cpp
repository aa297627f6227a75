//===- KernelMemory.cpp - What a kernel's function is given ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

Value loop::createMemRef(ImplicitLocOpBuilder &b, MemRefType type,
                         Value pointer, ArrayRef<Value> sizes,
                         ArrayRef<Value> strides,
                         ArrayRef<ExprAttr> sizeExprs) {
  Location loc = b.getLoc();
  LLVMTypeConverter converter(b.getContext());
  auto descriptor =
      MemRefDescriptor::poison(b, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(b, loc, pointer);
  descriptor.setAlignedPtr(b, loc, pointer);
  descriptor.setConstantOffset(b, loc, 0);
  auto toI64 = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  };
  for (unsigned k = 0; k < sizes.size(); ++k) {
    descriptor.setSize(b, loc, k, toI64(sizes[k]));
    descriptor.setStride(b, loc, k, toI64(strides[k]));
  }
  auto cast = UnrealizedConversionCastOp::create(b, TypeRange{type},
                                                 ValueRange{descriptor});
  cast->setAttr(kSizesAttrName,
                guard::ShapeAttr::get(b.getContext(), sizeExprs));
  return cast.getResult(0);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Of the tensors on a GPU.
static constexpr unsigned kGlobalMemory = 1;

FunctionType KernelArguments::getType(MLIRContext *context, bool ofGrid,
                                      unsigned pointers, unsigned symbols) {
  Type i64 = IntegerType::get(context, 64);
  if (!ofGrid) {
    auto pointer = LLVM::LLVMPointerType::get(context);
    return FunctionType::get(context, {pointer, pointer, i64, i64, pointer},
                             {});
  }
  SmallVector<Type> types(pointers + 1,
                          LLVM::LLVMPointerType::get(context, kGlobalMemory));
  types.append(symbols, i64);
  return FunctionType::get(context, types, {});
}

KernelArguments::KernelArguments(func::FuncOp function) : function(function) {
  // There is always a workspace.
  auto pointer = function.getNumArguments() == 0
                     ? LLVM::LLVMPointerType()
                     : dyn_cast<LLVM::LLVMPointerType>(
                           function.getArgumentTypes().front());
  ofGrid = pointer && pointer.getAddressSpace() == kGlobalMemory;
}

SmallVector<ExprAttr> KernelArguments::getSymbolExprs() {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttrName);
  return symbols ? getExprs(symbols) : SmallVector<ExprAttr>();
}

unsigned KernelArguments::countPointers() {
  return function.getNumArguments() - 1 - getSymbolExprs().size();
}

static Value toGeneric(ImplicitLocOpBuilder &b, Value pointer) {
  return LLVM::AddrSpaceCastOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), pointer);
}

/// Element `slot` of the array that argument `number` points to.
static Value loadElement(ImplicitLocOpBuilder &b, func::FuncOp function,
                         unsigned number, unsigned slot, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value address =
      LLVM::GEPOp::create(b, pointer, type, function.getArgument(number),
                          ArrayRef<LLVM::GEPArg>{int32_t(slot)});
  return LLVM::LoadOp::create(b, type, address);
}

Value KernelArguments::getPointer(ImplicitLocOpBuilder &b, unsigned slot) {
  if (ofGrid)
    return toGeneric(b, function.getArgument(slot));
  return loadElement(b, function, /*number=*/0, slot,
                     LLVM::LLVMPointerType::get(b.getContext()));
}

Value KernelArguments::getScratch(ImplicitLocOpBuilder &b) {
  if (ofGrid)
    return toGeneric(b, function.getArgument(countPointers()));
  return function.getArgument(4);
}

Value KernelArguments::getSymbol(ImplicitLocOpBuilder &b, unsigned slot) {
  if (ofGrid)
    return function.getArgument(countPointers() + 1 + slot);
  return loadElement(b, function, /*number=*/1, slot, b.getI64Type());
}

std::optional<unsigned> KernelArguments::getSlot(BlockArgument argument) {
  unsigned first = countPointers() + 1;
  if (!ofGrid || argument.getOwner() != &function.getBody().front() ||
      argument.getArgNumber() < first)
    return std::nullopt;
  return argument.getArgNumber() - first;
}
