//===- Elements.cpp - Conversion and strided iteration --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::eager;

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

float eager::fromBFloat(uint16_t bits) { return floatOf(uint32_t(bits) << 16); }

uint16_t eager::toBFloat(float value) {
  uint32_t bits = bitsOf(value);
  if (value != value)
    return 0x7fc0 | static_cast<uint16_t>(bits >> 31 << 15);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// A float format of up to 16 bits, described by its fields. `finite` formats
/// have no infinities (NaN is all ones); `unsignedZero` ones (the FNUZ pair)
/// have NaN in the place of minus zero. What is too large becomes infinity; the
/// largest number without one, as PyTorch has it since 2.12; NaN for FNUZ.
namespace {
struct SmallFloat {
  int exponentBits, mantissaBits, bias;
  bool finite, unsignedZero;

  float decode(uint32_t bits) const {
    uint32_t magnitude = bits & ((1u << (exponentBits + mantissaBits)) - 1);
    bool negative = bits >> (exponentBits + mantissaBits) & 1;
    uint32_t exponent = magnitude >> mantissaBits;
    uint32_t mantissa = magnitude & ((1u << mantissaBits) - 1);
    uint32_t top = (1u << exponentBits) - 1;
    float value;
    if (unsignedZero && negative && magnitude == 0)
      value = NAN;
    else if (!unsignedZero && exponent == top && !finite)
      value = mantissa ? NAN : INFINITY;
    else if (finite && !unsignedZero && exponent == top &&
             mantissa == (1u << mantissaBits) - 1)
      value = NAN;
    else if (exponent == 0)
      value = std::ldexp(float(mantissa), 1 - bias - mantissaBits);
    else
      value = std::ldexp(float(mantissa | 1u << mantissaBits),
                         int(exponent) - bias - mantissaBits);
    return negative ? -value : value;
  }

  uint32_t encode(float value) const {
    uint32_t sign = (bitsOf(value) >> 31) << (exponentBits + mantissaBits);
    uint32_t top = (1u << exponentBits) - 1;
    uint32_t nan = unsignedZero ? 1u << (exponentBits + mantissaBits)
                   : finite ? (1u << (exponentBits + mantissaBits)) - 1
                            : top << mantissaBits | 1u << (mantissaBits - 1);
    if (value != value)
      return unsignedZero ? nan : sign | nan;
    uint32_t overflow = unsignedZero ? nan
                        : finite     ? sign | (nan - 1)
                                     : sign | top << mantissaBits;
    if (std::isinf(value))
      return overflow;
    float magnitude = std::fabs(value);
    if (magnitude == 0)
      return unsignedZero ? 0 : sign;
    int exponent;
    // magnitude = f * 2^exponent, f in [.5, 1)
    std::frexp(magnitude, &exponent);
    int scale = std::max(exponent - 1, 1 - bias) - mantissaBits;
    auto units =
        static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -scale)));
    int field = scale + mantissaBits + bias;
    if (units >> (mantissaBits + 1)) {
      units >>= 1;
      ++field;
    }
    if (units < 1u << mantissaBits) // subnormal
      return units || !unsignedZero ? sign | units : 0;
    uint32_t bits =
        uint32_t(field) << mantissaBits | (units & ((1u << mantissaBits) - 1));
    uint32_t limit = unsignedZero ? (1u << (exponentBits + mantissaBits)) - 1
                     : finite     ? nan - 1
                                  : (top << mantissaBits) - 1;
    return bits > limit ? overflow : sign | bits;
  }
};
} // namespace

static constexpr SmallFloat kHalf{5, 10, 15, false, false};
static constexpr SmallFloat kF8E4M3FN{4, 3, 7, true, false};
static constexpr SmallFloat kF8E5M2{5, 2, 15, false, false};
static constexpr SmallFloat kF8E4M3FNUZ{4, 3, 8, true, true};
static constexpr SmallFloat kF8E5M2FNUZ{5, 2, 16, true, true};

float eager::fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  if (exponent == 0)
    return kHalf.decode(bits);
  if (exponent == 0x1f)
    return floatOf(sign | 0x7f800000 | mantissa << 13);
  return floatOf(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t eager::toHalf(float value) {
  uint32_t bits = bitsOf(value), exponent = bits >> 23 & 0xff;
  if (exponent < 113 || exponent > 141)
    return static_cast<uint16_t>(kHalf.encode(value));
  uint32_t rounded = (bits & 0x7fffffff) + 0xfff + ((bits >> 13) & 1);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) |
                               ((rounded >> 13) - (112 << 10)));
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

namespace {
template <typename T> struct IsComplex : std::false_type {};
template <typename T> struct IsComplex<std::complex<T>> : std::true_type {};

/// One element of a computed type to another.
template <typename To, typename From> To convert(From value) {
  if constexpr (IsComplex<From>::value && IsComplex<To>::value)
    return To(value.real(), value.imag());
  else if constexpr (IsComplex<From>::value)
    return convert<To>(value.real());
  else if constexpr (IsComplex<To>::value)
    return To(static_cast<typename To::value_type>(value), 0);
  else if constexpr (std::is_same_v<To, int64_t> &&
                     std::is_floating_point_v<From>)
    return truncateToInteger(value);
  else
    return static_cast<To>(value);
}

/// How elements of one dtype lie in memory: `load` gives a computed type.
template <typename S> struct Plain {
  using Stored = S;
  static S load(S value) { return value; }
  template <typename T> static S store(T value) {
    if constexpr (std::is_integral_v<S>) {
      // f32 to i32 and narrower go through 32 bits, out of range is INT_MIN
      int64_t wide = convert<int64_t>(value);
      if constexpr (!std::is_same_v<T, int64_t> && sizeof(S) == 4 &&
                    std::is_signed_v<S>)
        return wide == static_cast<int32_t>(wide) ? static_cast<S>(wide)
                                                  : INT32_MIN;
      return static_cast<S>(wide);
    } else {
      return convert<S>(value);
    }
  }
};
struct Bool {
  using Stored = uint8_t;
  static int64_t load(uint8_t value) { return value != 0; }
  template <typename T> static uint8_t store(T value) { return value != T(0); }
};
template <float (*Decode)(uint16_t), uint16_t (*Encode)(float)> struct Float16 {
  using Stored = uint16_t;
  static float load(uint16_t bits) { return Decode(bits); }
  template <typename T> static uint16_t store(T value) {
    return Encode(convert<float>(value));
  }
};
template <const SmallFloat &Format> struct Float8 {
  using Stored = uint8_t;
  static float load(uint8_t bits) { return Format.decode(bits); }
  template <typename T> static uint8_t store(T value) {
    return static_cast<uint8_t>(Format.encode(convert<float>(value)));
  }
};
/// An exponent and nothing else: no sign, no zero, no infinity. Halves round to
/// the even exponent field 0 and up otherwise, as PyTorch does.
struct PowerOfTwo {
  using Stored = uint8_t;
  static float load(uint8_t bits) {
    return bits == 0xff ? NAN : std::ldexp(1.0f, int(bits) - 127);
  }
  template <typename T> static uint8_t store(T value) {
    uint32_t bits = bitsOf(convert<float>(value));
    uint32_t exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    constexpr uint32_t half = 0x400000;
    bool roundsUp = exponent != 0xff &&
                    (fraction > half || (fraction == half && exponent != 0));
    return static_cast<uint8_t>(exponent + roundsUp);
  }
};
struct ComplexHalf {
  struct Stored {
    uint16_t real, imag;
  };
  static CFloat load(Stored s) { return {fromHalf(s.real), fromHalf(s.imag)}; }
  template <typename T> static Stored store(T value) {
    CFloat c = convert<CFloat>(value);
    return {toHalf(c.real()), toHalf(c.imag())};
  }
};
} // namespace

template <typename F> static void withFormat(DType dtype, F function) {
  switch (dtype) {
  case DType::Bool:
    return function(Bool());
  case DType::U8:
    return function(Plain<uint8_t>());
  case DType::I8:
    return function(Plain<int8_t>());
  case DType::I16:
    return function(Plain<int16_t>());
  case DType::I32:
    return function(Plain<int32_t>());
  case DType::I64:
    return function(Plain<int64_t>());
  case DType::U16:
    return function(Plain<uint16_t>());
  case DType::U32:
    return function(Plain<uint32_t>());
  case DType::U64:
    return function(Plain<uint64_t>());
  case DType::F16:
    return function(Float16<fromHalf, toHalf>());
  case DType::BF16:
    return function(Float16<fromBFloat, toBFloat>());
  case DType::F32:
    return function(Plain<float>());
  case DType::F64:
    return function(Plain<double>());
  case DType::C64:
    return function(Plain<CFloat>());
  case DType::C128:
    return function(Plain<CDouble>());
  case DType::C32:
    return function(ComplexHalf());
  case DType::F8E4M3FN:
    return function(Float8<kF8E4M3FN>());
  case DType::F8E5M2:
    return function(Float8<kF8E5M2>());
  case DType::F8E4M3FNUZ:
    return function(Float8<kF8E4M3FNUZ>());
  case DType::F8E5M2FNUZ:
    return function(Float8<kF8E5M2FNUZ>());
  case DType::F8E8M0FNU:
    return function(PowerOfTwo());
  }
}

template <typename T>
void eager::loadElements(DType dtype, const uint8_t *source, int64_t stride,
                         int64_t count, T *target) {
  withFormat(dtype, [&](auto format) {
    using Format = decltype(format);
    auto *typed = reinterpret_cast<const typename Format::Stored *>(source);
    if (stride == 1) {
      for (int64_t i = 0; i < count; ++i)
        target[i] = convert<T>(Format::load(typed[i]));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      target[i] = convert<T>(Format::load(typed[i * stride]));
  });
}

template <typename T>
void eager::storeElements(DType dtype, uint8_t *target, int64_t stride,
                          int64_t count, const T *source) {
  withFormat(dtype, [&](auto format) {
    using Format = decltype(format);
    auto *typed = reinterpret_cast<typename Format::Stored *>(target);
    for (int64_t i = 0; i < count; ++i)
      typed[i * stride] = Format::store(source[i]);
  });
}

template <typename T> std::vector<T> eager::readAll(const Tensor &tensor) {
  std::vector<T> result(static_cast<size_t>(tensor.numel()));
  T *out = result.data();
  StridedWalk walk(tensor.sizes(), {tensor.strides()});
  size_t size = itemSize(tensor.dtype());
  walk.forEachRun([&](const int64_t *offsets) {
    loadElements(tensor.dtype(), tensor.data() + offsets[0] * int64_t(size),
                 walk.runStride(0), walk.runLength(), out);
    out += walk.runLength();
  });
  return result;
}

template <typename T>
void eager::writeAll(const Tensor &tensor, const std::vector<T> &values) {
  require(static_cast<int64_t>(values.size()) == tensor.numel(),
          {"expected ", tensor.numel(), " elements, found ", values.size()});
  const T *in = values.data();
  StridedWalk walk(tensor.sizes(), {tensor.strides()});
  size_t size = itemSize(tensor.dtype());
  walk.forEachRun([&](const int64_t *offsets) {
    storeElements(tensor.dtype(), tensor.data() + offsets[0] * int64_t(size),
                  walk.runStride(0), walk.runLength(), in);
    in += walk.runLength();
  });
}

#define INSTANTIATE(T)                                                         \
  template void eager::loadElements<T>(DType, const uint8_t *, int64_t,        \
                                       int64_t, T *);                          \
  template void eager::storeElements<T>(DType, uint8_t *, int64_t, int64_t,    \
                                        const T *);                            \
  template std::vector<T> eager::readAll<T>(const Tensor &);                   \
  template void eager::writeAll<T>(const Tensor &, const std::vector<T> &);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(int64_t)
INSTANTIATE(CFloat)
INSTANTIATE(CDouble)
#undef INSTANTIATE

OpValue eager::itemOf(const Tensor &tensor) {
  require(tensor.numel() == 1,
          {"expected a tensor of one element, found ", tensor});
  if (tensor.dtype() == DType::Bool)
    return readAll<int64_t>(tensor)[0] != 0;
  if (isInteger(tensor.dtype()))
    return readAll<int64_t>(tensor)[0];
  if (isComplex(tensor.dtype()))
    return readAll<CDouble>(tensor)[0];
  return readAll<double>(tensor)[0];
}

std::vector<int64_t> eager::readIndices(const Tensor &tensor) {
  require(tensor.dtype() == DType::I64 || tensor.dtype() == DType::I32,
          {"expected an index tensor of i64 or i32, found ", tensor});
  return readAll<int64_t>(tensor);
}

ComputeType eager::computeType(DType dtype) {
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
  case DType::F32:
    return ComputeType::Float;
  case DType::F64:
    return ComputeType::Double;
  case DType::C64:
    return ComputeType::CFloat;
  case DType::C128:
    return ComputeType::CDouble;
  default:
    require(isBoolOrInteger(dtype), {"no arithmetic on ", dtype,
                                     ", expected a conversion first"});
    return ComputeType::Integer;
  }
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

StridedWalk::StridedWalk(const Ints &sizes, const std::vector<Ints> &strides) {
  Ints merged;
  std::vector<Ints> mergedStrides(strides.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1)
      continue;
    bool joins = !merged.empty();
    for (size_t k = 0; joins && k < strides.size(); ++k)
      joins = mergedStrides[k].back() == strides[k][d] * sizes[d];
    if (joins)
      merged.back() *= sizes[d];
    else
      merged.push_back(sizes[d]);
    for (size_t k = 0; k < strides.size(); ++k) {
      if (joins)
        mergedStrides[k].back() = strides[k][d];
      else
        mergedStrides[k].push_back(strides[k][d]);
    }
  }
  if (!merged.empty()) {
    runLength_ = merged.back();
    merged.pop_back();
    for (size_t k = 0; k < strides.size(); ++k) {
      runStrides_[k] = mergedStrides[k].back();
      mergedStrides[k].pop_back();
    }
  }
  numRuns_ = product(merged);
  outerSizes_ = std::move(merged);
  outerStrides_ = std::move(mergedStrides);
}

Tensor eager::gatherElements(const Tensor &source, const Ints &sizes,
                             const std::vector<int64_t> &indices,
                             const OpValue &fill) {
  Tensor dense = take(source.contiguous());
  Tensor result = empty(source.dtype(), sizes);
  Tensor blank = filled(source.dtype(), {}, fill);
  size_t size = itemSize(source.dtype());
  uint8_t *target = result.data();
  for (int64_t index : indices) {
    require(index < dense.numel(), {"element ", index, " is out of range"});
    const uint8_t *from =
        index < 0 ? blank.data() : dense.data() + size_t(index) * size;
    std::memcpy(target, from, size);
    target += size;
  }
  return result;
}
