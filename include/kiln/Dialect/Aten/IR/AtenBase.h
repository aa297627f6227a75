//===- AtenBase.h - Dialect, attributes, generic building -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of the dialect but the op classes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENBASE_H
#define KILN_DIALECT_ATEN_IR_ATENBASE_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"
#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Aten/IR/AtenDialect.h.inc"
#include "kiln/Dialect/Aten/IR/AtenEnums.h.inc"
#include "kiln/Dialect/Aten/IR/AtenInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Aten/IR/AtenAttrs.h.inc"

namespace kiln::aten {

/// Names of the attributes on arguments and results of a captured function.
constexpr StringRef kInputAttrName = "aten.input";
/// On an argument whose tensor was recorded not to start its memory: the
/// expression of its offset, or a unit attribute if that was not understood.
constexpr StringRef kStorageOffsetAttrName = "aten.storage_offset";
constexpr StringRef kOutputAttrName = "aten.output";

/// Where overloads stand: until loops are made of them. A dialect that holds
/// overloads of another library adds it too.
struct OverloadStages : StageDialectInterface {
  using StageDialectInterface::StageDialectInterface;
  StageRange getStages(Operation *op) const override;
  std::string getUnmet(Operation *op, Stage stage,
                       bool keepsDerivatives) const override;
};

/// Builds one op by its class, arguments in schema order as for `buildAtenOp`.
///
///   auto sum = create<SumDimIntListOp>(builder, loc, {x, dims, keepdim});
template <typename OpT>
OpT create(OpBuilder &builder, Location loc, ArrayRef<ArgValue> args,
           TypeRange resultTypes = {}) {
  return llvm::cast_if_present<OpT>(
      buildAtenOp(builder, loc, OpT::getInfo(), args, resultTypes));
}

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_ATENBASE_H
