//===- Element.cpp - Single elements of tensors --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/Element.h"

#include <cmath>
#include <cstring>

namespace kiln::runtime {

namespace {

template <typename T> T load(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// A float of `exponentBits` and `mantissaBits` with a sign above them, IEEE
/// style: subnormals at exponent 0. Infinities and NaN are the caller's.
double smallFloat(uint32_t bits, int exponentBits, int mantissaBits, int bias) {
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  int exponent = static_cast<int>((bits >> mantissaBits) &
                                  ((1u << exponentBits) - 1));
  bool negative = (bits >> (exponentBits + mantissaBits)) & 1;
  double magnitude =
      exponent == 0
          ? std::ldexp(mantissa, 1 - bias - mantissaBits)
          : std::ldexp(mantissa + (1u << mantissaBits),
                       exponent - bias - mantissaBits);
  return negative ? -magnitude : magnitude;
}

double halfToDouble(uint16_t bits) {
  if ((bits & 0x7c00) == 0x7c00) {
    if (bits & 0x3ff)
      return std::nan("");
    return bits & 0x8000 ? -INFINITY : INFINITY;
  }
  return smallFloat(bits, 5, 10, 15);
}

double bfloatToDouble(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

double float8ToDouble(DType dtype, uint8_t bits) {
  switch (dtype) {
  case DType::F8E4M3FN: // no infinity; all ones is NaN
    return (bits & 0x7f) == 0x7f ? std::nan("") : smallFloat(bits, 4, 3, 7);
  case DType::F8E5M2: // IEEE
    if ((bits & 0x7c) == 0x7c) {
      if (bits & 3)
        return std::nan("");
      return bits & 0x80 ? -INFINITY : INFINITY;
    }
    return smallFloat(bits, 5, 2, 15);
  case DType::F8E4M3FNUZ: // no infinity, no negative zero
    return bits == 0x80 ? std::nan("") : smallFloat(bits, 4, 3, 8);
  case DType::F8E8M0FNU: // an exponent alone
    return bits == 0xff ? std::nan("") : std::ldexp(1.0, int(bits) - 127);
  default:
    return bits == 0x80 ? std::nan("") : smallFloat(bits, 5, 2, 16);
  }
}

} // namespace

OpValue loadElement(DType dtype, const uint8_t *at) {
  switch (dtype) {
  case DType::Bool:
    return *at != 0;
  case DType::U8:
    return static_cast<int64_t>(*at);
  case DType::I8:
    return static_cast<int64_t>(load<int8_t>(at));
  case DType::I16:
    return static_cast<int64_t>(load<int16_t>(at));
  case DType::I32:
    return static_cast<int64_t>(load<int32_t>(at));
  case DType::I64:
    return load<int64_t>(at);
  case DType::U16:
    return static_cast<int64_t>(load<uint16_t>(at));
  case DType::U32:
    return static_cast<int64_t>(load<uint32_t>(at));
  case DType::U64:
    return static_cast<int64_t>(load<uint64_t>(at));
  case DType::F16:
    return halfToDouble(load<uint16_t>(at));
  case DType::BF16:
    return bfloatToDouble(load<uint16_t>(at));
  case DType::F32:
    return static_cast<double>(load<float>(at));
  case DType::F64:
    return load<double>(at);
  case DType::C32:
    return std::complex<double>(halfToDouble(load<uint16_t>(at)),
                                halfToDouble(load<uint16_t>(at + 2)));
  case DType::C64:
    return std::complex<double>(load<float>(at), load<float>(at + 4));
  case DType::C128:
    return std::complex<double>(load<double>(at), load<double>(at + 8));
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
    return float8ToDouble(dtype, *at);
  }
  return {};
}

Result<OpValue> itemOf(const Tensor &tensor) {
  if (!tensor.defined() || tensor.numel() != 1)
    return Error::usage("expected a tensor of one element, found " +
                        tensor.typeString());
  if (!tensor.isOnDevice())
    return loadElement(tensor.dtype(), tensor.data());
  auto host = tensor.toHost();
  if (!host)
    return host.takeError();
  return loadElement(host->dtype(), host->data());
}

} // namespace kiln::runtime
