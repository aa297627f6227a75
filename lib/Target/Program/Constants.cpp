//===- Constants.cpp - Attributes as constants of a package ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "mlir/IR/Builders.h"

using namespace kiln;
using namespace kiln::target;

package::Constant target::toConstant(Attribute value) {
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value))
    return flag.getValue();
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
    return integer.getInt();
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value))
    return number.getValueAsDouble();
  if (auto text = llvm::dyn_cast<StringAttr>(value))
    return text.getValue().str();
  return std::monostate();
}

Attribute target::toAttribute(MLIRContext *context,
                              const package::Constant &constant) {
  mlir::Builder builder(context);
  if (auto *flag = std::get_if<bool>(&constant))
    return builder.getBoolAttr(*flag);
  if (auto *integer = std::get_if<int64_t>(&constant))
    return builder.getI64IntegerAttr(*integer);
  if (auto *number = std::get_if<double>(&constant))
    return builder.getF64FloatAttr(*number);
  if (auto *text = std::get_if<std::string>(&constant))
    return builder.getStringAttr(*text);
  return builder.getUnitAttr();
}
