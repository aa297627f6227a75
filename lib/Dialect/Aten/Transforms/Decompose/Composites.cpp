//===- Composites.cpp - What opens composite overloads --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Aten/IR/AtenControlOps.h"

using namespace kiln;
using namespace kiln::aten;

Value Composite::refuse(const llvm::Twine &why) {
  if (opened.refusal.empty())
    opened.refusal = why.str();
  return {};
}

Value Composite::complain(const llvm::Twine &what) {
  if (opened.complaint.empty())
    opened.complaint = what.str();
  return {};
}

Value Composite::unread(mlir::OpResult result, StringRef what,
                        ArrayRef<ExprAttr> dims, Type elementType) {
  if (isRead(result))
    return refuse(what + " are read");
  return filled(dims, 0, elementType);
}

int64_t Composite::place(int64_t dim, int64_t rank) {
  int64_t wrapped = wrapDim(dim, rank);
  if (wrapped >= 0 && wrapped < rank)
    return wrapped;
  complain("expects a dimension of " + llvm::Twine(rank) + ", but found " +
           llvm::Twine(dim));
  return 0;
}

Composite::Expr Composite::sizeOf(Value x, int64_t dim) {
  int64_t rank = rankOf(x), at = place(dim, rank);
  return at < rank ? dimOf(x, at) : expr(0);
}

Value Composite::wrap(Value number, Value other) {
  if (!number || !other)
    return {};
  Type type = number.getType();
  if (llvm::isa<mlir::FloatType>(type) && !elementTypeOf(other).isF64())
    type = getBuilder().getF32Type();
  return full(Sizes(), number, type);
}

Value Composite::floating(Value x) {
  if (!x || llvm::isa<mlir::FloatType, mlir::ComplexType>(elementTypeOf(x)))
    return x;
  return cast(x, getBuilder().getF32Type());
}

Value Composite::reduce(Value losses, int64_t reduction) {
  return !losses || reduction == 0 ? losses
         : reduction == 1          ? meanAll(losses)
                                   : sumAll(losses);
}

void Composite::check(Value condition, StringRef message) {
  if (!condition)
    return;
  OpBuilder &b = getBuilder();
  Value all = FormulaBuilder::all(condition);
  OperatorOp::create(b, getLoc(), mlir::TypeRange(), "aten::_assert_async.msg",
                     all,
                     b.getArrayAttr({OperandAttr::get(b.getContext(), 0),
                                     b.getStringAttr(message)}));
}
