//===- Constants.cpp - Attributes as constants of a package ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "mlir/IR/BuiltinAttributes.h"

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
