//===- TypePromotion.cpp --------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypePromotion.h"

using namespace kiln;
using namespace kiln::eager;

/// bool < integer < float < complex.
static int category(DType dtype) {
  if (dtype == DType::Bool)
    return 0;
  if (isInteger(dtype))
    return 1;
  return isFloat(dtype) ? 2 : 3;
}

static DType joinIntegers(DType a, DType b) {
  bool aUnsigned = a == DType::U8, bUnsigned = b == DType::U8;
  require(a != DType::U16 && a != DType::U32 && a != DType::U64 &&
              b != DType::U16 && b != DType::U32 && b != DType::U64,
          {"cannot promote ", a, " with ", b});
  if (aUnsigned || bUnsigned) {
    DType other = aUnsigned ? b : a;
    return other == DType::I8 ? DType::I16 : other;
  }
  return itemSize(a) >= itemSize(b) ? a : b;
}

static DType joinFloats(DType a, DType b) {
  require(itemSize(a) > 1 && itemSize(b) > 1,
          {"cannot promote ", a, " with ", b});
  if (itemSize(a) == itemSize(b)) // f16 and bf16
    return DType::F32;
  return itemSize(a) > itemSize(b) ? a : b;
}

DType eager::joinDTypes(DType a, DType b) {
  if (a == b)
    return a;
  int ca = category(a), cb = category(b);
  if (ca < 2 || cb < 2) {
    if (ca != cb)
      return ca > cb ? a : b;
    return joinIntegers(a, b);
  }
  if (ca == 2 && cb == 2)
    return joinFloats(a, b);
  bool wide = realDType(a) == DType::F64 || realDType(b) == DType::F64;
  return wide ? DType::C128 : DType::C64;
}

void Promotion::join(std::optional<DType> &rank, DType dtype) {
  rank = rank ? joinDTypes(*rank, dtype) : dtype;
}

void Promotion::add(const Tensor &tensor) {
  join(tensor.rank() == 0 ? zeroDim_ : dims_, tensor.dtype());
}

void Promotion::add(const OpValue &operand) {
  if (operand.isTensor())
    return add(std::get<Tensor>(operand.value));
  join(numbers_, numberDType(operand));
}

static std::optional<DType> combine(std::optional<DType> strong,
                                    std::optional<DType> weak) {
  if (!strong || !weak)
    return strong ? strong : weak;
  int strongCategory = category(*strong), weakCategory = category(*weak);
  if (strongCategory >= weakCategory)
    return strong;
  if (weakCategory == 3 && strongCategory == 2)
    return complexDType(*strong);
  return weak;
}

DType Promotion::result() const {
  auto result = combine(combine(dims_, zeroDim_), numbers_);
  require(result.has_value(), {"expected at least one operand"});
  return *result;
}
