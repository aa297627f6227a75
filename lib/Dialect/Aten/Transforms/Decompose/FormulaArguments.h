//===- FormulaArguments.h - What records' formulas are given ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes, as the accessors of an op give them, in the C++ types that the
// functions of formulas take. kiln-tblgen writes `plain(op.getDim())` for `$dim`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAARGUMENTS_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAARGUMENTS_H

#include "kiln/Dialect/Guard/IR/Guard.h"

#include "llvm/ADT/APFloat.h"

#include <optional>

namespace kiln::aten {

inline int64_t plain(uint64_t value) { return static_cast<int64_t>(value); }
inline bool plain(bool value) { return value; }
inline double plain(const llvm::APFloat &value) {
  return value.convertToDouble();
}
inline std::optional<int64_t> plain(std::optional<uint64_t> value) {
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}
inline std::optional<double> plain(const std::optional<llvm::APFloat> &value) {
  return value ? std::optional(value->convertToDouble()) : std::nullopt;
}
inline ArrayRef<guard::ExprAttr> plain(guard::ShapeAttr value) {
  return value.getDims();
}
template <typename T> T plain(T value) { return value; }

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_FORMULAARGUMENTS_H
