//===- Guards.cpp - What an imported program assumes of its inputs --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Import/PT2Importer.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

using namespace kiln;
using namespace kiln::pt2;

Status kiln::pt2::addGuardProgram(mlir::func::FuncOp function,
                                  ArrayRef<Relation> relations) {
  if (Status s = guard::checkNamedSizes(function.getName(),
                                        function.getArgumentTypes());
      !s)
    return s;
  OpBuilder b(function.getContext());
  Location loc = function.getLoc();
  b.setInsertionPointAfter(function);
  auto program = guard::ProgramOp::create(
      b, loc, (function.getName() + "_guards").str(), function.getName());
  Block *body = b.createBlock(&program.getBody());
  b.setInsertionPointToEnd(body);

  llvm::SmallDenseSet<guard::ExprAttr> bound;
  for (unsigned slot = 0; slot < function.getNumArguments(); ++slot) {
    auto input = function.getArgAttrOfType<aten::InputAttr>(
        slot, aten::kInputAttrName);
    // Weights come with the program and were checked when it was loaded.
    if (input && input.getKind() != aten::InputKind::UserInput)
      continue;
    StringAttr name = input && input.getName()
                          ? input.getName()
                          : b.getStringAttr("arg" + llvm::Twine(slot));
    Type type = function.getArgumentTypes()[slot];
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      Attribute value = input ? input.getValue() : Attribute();
      // A symbol that was specialized is a constant as well.
      auto expr = llvm::dyn_cast_if_present<guard::ExprAttr>(value);
      if (auto constant = expr ? expr.getConstant() : std::nullopt)
        guard::CheckScalarOp::create(b, loc, slot, name,
                                     b.getI64IntegerAttr(*constant));
      else if (value && !expr)
        guard::CheckScalarOp::create(b, loc, slot, name, value);
      continue;
    }
    guard::CheckTensorOp::create(b, loc, slot, name);
    guard::CheckDTypeOp::create(b, loc, slot, name, tensor.getElementType());
    guard::CheckRankOp::create(b, loc, slot, name, tensor.getRank());
    auto dims = guard::getDims(tensor);
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
      if (!tensor.isDynamicDim(dim)) {
        guard::CheckSizeOp::create(b, loc, slot, name, dim,
                                   tensor.getDimSize(dim));
        continue;
      }
      guard::ExprAttr size = (*dims)[dim];
      // The first place where a symbol stands alone defines it.
      if (size.isSymbol() && bound.insert(size).second)
        continue;
      guard::CheckSizeExprOp::create(b, loc, slot, name, dim, size);
    }
  }
  for (const Relation &relation : relations) {
    auto expr = llvm::cast<guard::ExprAttr>(relation.expr);
    if (auto constant = expr.getConstant(); constant && *constant != 0)
      continue;
    guard::CheckExprOp::create(b, loc, expr, relation.text);
  }
  return Status::success();
}
