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

/// Checks the value of an input that is no tensor, if it was captured with one.
static void addScalarCheck(OpBuilder &b, Location loc, unsigned slot,
                           StringAttr name, Attribute value) {
  // A symbol that was specialized is a constant as well.
  auto expr = llvm::dyn_cast_if_present<guard::ExprAttr>(value);
  if (auto constant = expr ? expr.getConstant() : std::nullopt)
    guard::CheckScalarOp::create(b, loc, slot, name,
                                 b.getI64IntegerAttr(*constant));
  else if (value && !expr)
    guard::CheckScalarOp::create(b, loc, slot, name, value);
}

/// `bound` are the symbols that sizes of earlier inputs give.
static void addTensorChecks(OpBuilder &b, Location loc, unsigned slot,
                            StringAttr name, RankedTensorType tensor,
                            llvm::SmallDenseSet<guard::ExprAttr> &bound) {
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

namespace {
/// What a call of a function writes to.
struct Written {
  explicit Written(ArrayRef<mlir::func::FuncOp> functions) {
    llvm::for_each(functions, [&](mlir::func::FuncOp each) { add(each); });
  }

  void add(mlir::func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto output = function.getResultAttrOfType<aten::OutputAttr>(
          i, aten::kOutputAttrName);
      if (!output)
        continue;
      if (output.getKind() == aten::OutputKind::InputMutation)
        inputs.insert(output.getTarget());
      if (output.getKind() == aten::OutputKind::BufferMutation ||
          output.getKind() == aten::OutputKind::ParameterMutation)
        weights.insert(output.getTarget());
    }
  }

  bool contains(aten::InputAttr input) const {
    return input && (input.getKind() == aten::InputKind::UserInput
                         ? inputs.contains(input.getName())
                         : weights.contains(input.getPath()));
  }

  llvm::SmallDenseSet<StringAttr> inputs;  ///< by name
  llvm::SmallDenseSet<StringAttr> weights; ///< by path
};
} // namespace

/// Checks that the input is laid out as it was captured.
static void addStrideChecks(OpBuilder &b, Location loc, unsigned slot,
                            aten::InputAttr input, RankedTensorType tensor) {
  auto dims = guard::getDims(tensor);
  SmallVector<guard::ExprAttr> strides =
      guard::getContiguousStrides(b.getContext(), *dims);
  if (guard::ShapeAttr given = input.getStrides())
    strides.assign(given.getDims().begin(), given.getDims().end());
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (!(*dims)[dim].isConstant(1))
      guard::CheckStrideOp::create(b, loc, slot, input.getName(), dim, stride);
}

Status kiln::pt2::addGuardProgram(mlir::func::FuncOp function,
                                  ArrayRef<Relation> relations,
                                  mlir::func::FuncOp behind,
                                  DependsOnStrides dependsOnStrides) {
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
  SmallVector<mlir::func::FuncOp> functions = {function};
  if (behind)
    functions.push_back(behind);
  const Written written(functions);
  SmallVector<std::pair<unsigned, StringAttr>> alone;
  SmallVector<unsigned> laidOut;
  for (unsigned slot = 0; slot < function.getNumArguments(); ++slot) {
    auto input = function.getArgAttrOfType<aten::InputAttr>(
        slot, aten::kInputAttrName);
    StringAttr name = input && input.getName()
                          ? input.getName()
                          : b.getStringAttr("arg" + llvm::Twine(slot));
    if (written.contains(input))
      alone.emplace_back(slot, name);
    // Weights come with the program and were checked when it was loaded.
    if (input && input.getKind() != aten::InputKind::UserInput)
      continue;
    Type type = function.getArgumentTypes()[slot];
    if (auto tensor = llvm::dyn_cast<RankedTensorType>(type)) {
      addTensorChecks(b, loc, slot, name, tensor, bound);
      if (input && dependsOnStrides && dependsOnStrides(name))
        laidOut.push_back(slot);
    } else {
      addScalarCheck(b, loc, slot, name,
                     input ? input.getValue() : Attribute());
    }
  }
  for (unsigned slot : laidOut)
    addStrideChecks(b, loc, slot,
                    function.getArgAttrOfType<aten::InputAttr>(
                        slot, aten::kInputAttrName),
                    llvm::cast<RankedTensorType>(
                        function.getArgumentTypes()[slot]));
  // What was captured had memory of its own for each input.
  for (auto [slot, name] : alone)
    guard::CheckNoAliasOp::create(b, loc, slot, name);
  for (const Relation &relation : relations) {
    auto expr = llvm::cast<guard::ExprAttr>(relation.expr);
    if (auto constant = expr.getConstant(); constant && *constant != 0)
      continue;
    guard::CheckExprOp::create(b, loc, expr, relation.text);
  }
  return Status::success();
}
