//===- TypePromotion.h - The common type of several operands --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand has a dtype and one of three ranks: a tensor with dimensions, a
// 0-d tensor, a number. Types join within a rank by PyTorch's table; a weaker
// rank changes the result only if it is of a higher category (bool < integer <
// float < complex):
//
//   f16[n] + f32[]  = f16      i64[n] + f32[] = f32      u8[n] + 300 = u8
//   bool[n] + 2     = i64      f16[] + f32[]  = f32      i64[n] + 2.5 = f32
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_TYPEPROMOTION_H
#define KILN_LIB_EAGER_TYPEPROMOTION_H

#include "Support.h"

namespace kiln::eager {

/// The table: the type of two operands of one rank.
DType joinDTypes(DType a, DType b);

/// Collects operands and says what they promote to.
class Promotion {
public:
  void add(const OpValue &operand);
  void add(const Tensor &tensor);
  /// Refused if nothing was added.
  DType result() const;

private:
  void join(std::optional<DType> &rank, DType dtype);
  std::optional<DType> dims_, zeroDim_, numbers_;
};

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_TYPEPROMOTION_H
