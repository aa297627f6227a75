//===- GridModule.cpp - The modules that hold kernels of a GPU ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Utils/GridModule.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace kiln;
using namespace mlir;

StringRef loop::getGridModuleName(bool isNarrow) {
  return isNarrow ? "kernels" : "kernels_64";
}

gpu::GPUModuleOp loop::getOrCreateGridModule(ModuleOp program, bool isNarrow) {
  StringRef name = getGridModuleName(isNarrow);
  if (auto home = program.lookupSymbol<gpu::GPUModuleOp>(name))
    return home;
  auto builder = OpBuilder::atBlockEnd(program.getBody());
  auto home = gpu::GPUModuleOp::create(builder, program.getLoc(), name);
  auto entry = DataLayoutEntryAttr::get(
      builder.getIndexType(), builder.getI64IntegerAttr(isNarrow ? 32 : 64));
  home->setAttr(DLTIDialect::kDataLayoutAttrName,
                DataLayoutSpecAttr::get(builder.getContext(), {entry}));
  return home;
}

LLVM::LLVMFuncOp loop::createGridFunction(OpBuilder &builder, Location loc,
                                          StringRef name,
                                          ArrayRef<Type> arguments,
                                          int64_t threads) {
  auto voidType = LLVM::LLVMVoidType::get(builder.getContext());
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name, LLVM::LLVMFunctionType::get(voidType, arguments));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({int32_t(threads)}));
  return function;
}
