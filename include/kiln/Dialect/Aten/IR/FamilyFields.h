//===- FamilyFields.h - The arguments of families ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Overloads that one function lowers or decomposes convert to a struct of the
// arguments that they share (OpFamily in AtenFunctions.td). What kiln-tblgen
// writes for them fills a field with an attribute; an absent one leaves it
// empty:
//
//   FftArgs::FftArgs(FftFftOp op) : op(op) {
//     self = op.getSelf();
//     aten::fill(dim, op.getDimAttr());
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_FAMILYFIELDS_H
#define KILN_DIALECT_ATEN_IR_FAMILYFIELDS_H

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

#include <optional>

namespace kiln::aten {

inline void fill(SmallVector<int64_t> &field, mlir::DenseI64ArrayAttr list) {
  if (list)
    field.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}
inline void fill(SmallVector<int64_t> &field, mlir::IntegerAttr number) {
  if (number)
    field.assign(1, number.getInt());
}
inline void fill(SmallVector<bool> &field, mlir::DenseBoolArrayAttr list) {
  if (list)
    field.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}
inline void fill(SmallVector<double> &field, mlir::DenseF64ArrayAttr list) {
  if (list)
    field.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}
inline void fill(std::optional<int64_t> &field, mlir::IntegerAttr number) {
  if (number)
    field = number.getInt();
}
inline void fill(std::optional<bool> &field, mlir::BoolAttr flag) {
  if (flag)
    field = flag.getValue();
}
inline void fill(std::optional<double> &field, mlir::FloatAttr number) {
  if (number)
    field = number.getValueAsDouble();
}
inline void fill(StringRef &field, mlir::StringAttr word) {
  if (word)
    field = word.getValue();
}
inline void fill(guard::ExprAttr &field, guard::ExprAttr number) {
  field = number;
}
inline void fill(SmallVector<guard::ExprAttr> &field, guard::ShapeAttr sizes) {
  if (sizes)
    field.assign(sizes.getDims().begin(), sizes.getDims().end());
}
inline void fill(Type &field, mlir::TypeAttr type) {
  if (type)
    field = type.getValue();
}
/// A list that may be absent, which is not the same as empty.
template <typename T, typename AttrT>
void fill(std::optional<SmallVector<T>> &field, AttrT given) {
  if (given)
    fill(field.emplace(), given);
}
inline void fill(Value &field, Value operand) { field = operand; }
inline void fill(SmallVector<Value> &field, Value tensor) {
  if (tensor)
    field.push_back(tensor);
}
inline void fill(SmallVector<Value> &field, mlir::OperandRange tensors) {
  llvm::append_range(field, tensors);
}
/// A list of tensors some of which are absent.
inline void fill(SmallVector<Value> &field, mlir::OperandRange tensors,
                 ArrayRef<bool> present) {
  auto next = tensors.begin();
  for (bool isPresent : present)
    field.push_back(isPresent ? Value(*next++) : Value());
}

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_FAMILYFIELDS_H
