//===- Compare.cpp - Are two results the same? ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/Compare.h"
#include "kiln/Runtime/Element.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace kiln::runtime {

namespace {

std::string number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}

std::string positionText(const Tensor &tensor, int64_t index) {
  std::string text;
  for (size_t i = tensor.sizes().size(); i-- > 0;) {
    int64_t size = std::max<int64_t>(tensor.sizes()[i], 1);
    text = std::to_string(index % size) + (text.empty() ? "" : ", ") + text;
    index /= size;
  }
  return "[" + text + "]";
}

/// Collects the differences of one tensor.
class Collector {
public:
  explicit Collector(Tolerance tolerance) : tolerance_(tolerance) {}

  void add(int64_t index, double got, double want) {
    if (std::isfinite(want))
      largest_ = std::max(largest_, std::fabs(want));
    if (got == want || (std::isnan(got) && std::isnan(want)))
      return;
    double error = INFINITY;
    bool agrees = false;
    if (std::isfinite(got) && std::isfinite(want)) {
      error = std::fabs(got - want);
      agrees = error <= tolerance_.atol + tolerance_.rtol * std::fabs(want);
    }
    maxError_ = std::max(maxError_, error);
    if (!agrees)
      mismatch(index, number(got), number(want));
  }

  void addExact(int64_t index, int64_t got, int64_t want) {
    double magnitude = std::fabs(static_cast<double>(want));
    largest_ = std::max(largest_, magnitude);
    if (got == want)
      return;
    maxError_ = std::max(maxError_, std::fabs(static_cast<double>(got) -
                                              static_cast<double>(want)));
    mismatch(index, std::to_string(got), std::to_string(want));
  }

  Comparison finish(const Tensor &want) {
    Comparison result;
    result.maxAbsErr = maxError_;
    if (maxError_ > 0)
      result.maxRelErr = largest_ > 0 ? maxError_ / largest_ : INFINITY;
    result.mismatches = mismatches_;
    result.ok = mismatches_ == 0;
    if (!result.ok)
      result.message =
          std::to_string(mismatches_) + " of " +
          std::to_string(want.numel()) + " elements differ, first at " +
          positionText(want, first_) + ": found " + firstGot_ +
          ", expected " + firstWant_ + " (largest error " +
          number(maxError_) + ", rtol " + number(tolerance_.rtol) + ", atol " +
          number(tolerance_.atol) + ")";
    return result;
  }

private:
  void mismatch(int64_t index, std::string got, std::string want) {
    // The two halves of a complex number are one element.
    if (mismatches_ > 0 && last_ == index)
      return;
    last_ = index;
    if (mismatches_++ > 0)
      return;
    first_ = index;
    firstGot_ = std::move(got);
    firstWant_ = std::move(want);
  }

  Tolerance tolerance_;
  double largest_ = 0;
  double maxError_ = 0;
  int64_t mismatches_ = 0;
  int64_t first_ = 0;
  int64_t last_ = -1;
  std::string firstGot_;
  std::string firstWant_;
};

Comparison failed(std::string message) {
  Comparison result;
  result.ok = false;
  result.maxAbsErr = INFINITY;
  result.maxRelErr = INFINITY;
  result.mismatches = 1;
  result.message = std::move(message);
  return result;
}

/// `widen` makes a number of the bits of an element.
template <typename T, typename Widen>
void compareFloats(const uint8_t *got, const uint8_t *want, int64_t count,
                   Collector &collector, const Widen &widen) {
  for (int64_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, got + i * int64_t(sizeof(T)), sizeof(T));
    std::memcpy(&b, want + i * int64_t(sizeof(T)), sizeof(T));
    collector.add(i, static_cast<double>(widen(a)),
                  static_cast<double>(widen(b)));
  }
}

float widenBFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// Its bits are those of an f32 that is smaller by the difference of the biases.
float widenHalf(uint16_t bits) {
  uint32_t wide = uint32_t(bits & 0x7fff) << 13;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  value *= 0x1p112f;
  if ((bits & 0x7c00) == 0x7c00)
    value = bits & 0x3ff ? NAN : INFINITY;
  return bits & 0x8000 ? -value : value;
}

void compareElements(DType dtype, const uint8_t *got, const uint8_t *want,
                     int64_t count, Collector &collector) {
  auto itself = [](auto value) { return value; };
  if (dtype == DType::F32)
    return compareFloats<float>(got, want, count, collector, itself);
  if (dtype == DType::F64)
    return compareFloats<double>(got, want, count, collector, itself);
  if (dtype == DType::BF16)
    return compareFloats<uint16_t>(got, want, count, collector, widenBFloat);
  if (dtype == DType::F16)
    return compareFloats<uint16_t>(got, want, count, collector, widenHalf);
  size_t item = itemSize(dtype);
  for (int64_t i = 0; i < count; ++i, got += item, want += item) {
    OpValue a = loadElement(dtype, got);
    OpValue b = loadElement(dtype, want);
    if (auto *x = std::get_if<double>(&a.value)) {
      collector.add(i, *x, std::get<double>(b.value));
    } else if (auto *x = std::get_if<std::complex<double>>(&a.value)) {
      const auto &y = std::get<std::complex<double>>(b.value);
      collector.add(i, x->real(), y.real());
      collector.add(i, x->imag(), y.imag());
    } else if (auto *x = std::get_if<bool>(&a.value)) {
      collector.addExact(i, *x, std::get<bool>(b.value));
    } else {
      collector.addExact(i, std::get<int64_t>(a.value),
                         std::get<int64_t>(b.value));
    }
  }
}

const char *kindOf(const OpValue &value) {
  static const char *const kNames[] = {"none",    "a tensor",  "a bool",
                                       "an integer", "a float",
                                       "a complex number", "a string",
                                       "a dtype", "a list"};
  return kNames[value.value.index()];
}

} // namespace

Tolerance defaultTolerance(DType dtype) {
  switch (dtype) {
  case DType::F16:
  case DType::C32:
    return {1e-3, 1e-5};
  case DType::BF16:
    return {1.6e-2, 1e-5};
  case DType::F32:
  case DType::C64:
    return {1.3e-6, 1e-5};
  case DType::F64:
  case DType::C128:
    return {1e-7, 1e-7};
  default:
    return {0, 0};
  }
}

Comparison compareTensors(const Tensor &got, const Tensor &want,
                          Tolerance tolerance) {
  if (!got.defined() || !want.defined()) {
    if (got.defined() == want.defined())
      return {};
    return failed("found " + got.typeString() + ", expected " +
                  want.typeString());
  }
  if (got.dtype() != want.dtype() || got.sizes() != want.sizes())
    return failed("found " + got.typeString() + ", expected " +
                  want.typeString());
  auto a = got.contiguous();
  auto b = want.contiguous();
  if (!a || !b)
    return failed((!a ? a : b).error().message);
  Collector collector(tolerance);
  compareElements(want.dtype(), a->data(), b->data(), want.numel(), collector);
  return collector.finish(want);
}

Comparison compareValues(const OpValue &got, const OpValue &want,
                         Tolerance tolerance) {
  if (got.value.index() != want.value.index())
    return failed(std::string("found ") + kindOf(got) + ", expected " +
                  kindOf(want));
  if (auto *a = std::get_if<Tensor>(&got.value))
    return compareTensors(*a, std::get<Tensor>(want.value), tolerance);
  if (auto *a = std::get_if<OpValue::List>(&got.value)) {
    const auto &b = std::get<OpValue::List>(want.value);
    if (a->size() != b.size())
      return failed("found " + std::to_string(a->size()) +
                    " elements, expected " + std::to_string(b.size()));
    Comparison worst;
    for (size_t i = 0; i < a->size(); ++i) {
      Comparison element = compareValues((*a)[i], b[i], tolerance);
      worst.maxAbsErr = std::max(worst.maxAbsErr, element.maxAbsErr);
      worst.maxRelErr = std::max(worst.maxRelErr, element.maxRelErr);
      worst.mismatches += element.mismatches;
      if (!element.ok && worst.ok) {
        worst.ok = false;
        worst.message =
            "element " + std::to_string(i) + ": " + element.message;
      }
    }
    return worst;
  }
  Collector collector(tolerance);
  Tensor scalar;
  if (auto *a = std::get_if<double>(&got.value)) {
    collector.add(0, *a, std::get<double>(want.value));
  } else if (auto *a = std::get_if<std::complex<double>>(&got.value)) {
    const auto &b = std::get<std::complex<double>>(want.value);
    collector.add(0, a->real(), b.real());
    collector.add(0, a->imag(), b.imag());
  } else if (auto *a = std::get_if<int64_t>(&got.value)) {
    collector.addExact(0, *a, std::get<int64_t>(want.value));
  } else if (auto *a = std::get_if<bool>(&got.value)) {
    collector.addExact(0, *a, std::get<bool>(want.value));
  } else if (auto *a = std::get_if<std::string>(&got.value)) {
    const auto &b = std::get<std::string>(want.value);
    return *a == b ? Comparison()
                   : failed("found '" + *a + "', expected '" + b + "'");
  } else if (auto *a = std::get_if<DType>(&got.value)) {
    DType b = std::get<DType>(want.value);
    return *a == b ? Comparison()
                   : failed("found " + std::string(dtypeName(*a)) +
                            ", expected " + std::string(dtypeName(b)));
  }
  return collector.finish(scalar);
}

} // namespace kiln::runtime
