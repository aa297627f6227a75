//===- DType.cpp - Element types shared by all LLVM-free code ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/DType.h"

#include <cmath>
#include <limits>

using namespace kiln;

namespace {

struct DTypeInfo {
  DType dtype;
  size_t size;
  std::string_view name;
  std::string_view longName;
};

constexpr DTypeInfo table[] = {
    {DType::Bool, 1, "bool", "bool"},
    {DType::U8, 1, "u8", "uint8"},
    {DType::I8, 1, "i8", "int8"},
    {DType::I16, 2, "i16", "int16"},
    {DType::I32, 4, "i32", "int32"},
    {DType::I64, 8, "i64", "int64"},
    {DType::F16, 2, "f16", "float16"},
    {DType::BF16, 2, "bf16", "bfloat16"},
    {DType::F32, 4, "f32", "float32"},
    {DType::F64, 8, "f64", "float64"},
    {DType::C64, 8, "c64", "complex64"},
    {DType::C128, 16, "c128", "complex128"},
    {DType::U16, 2, "u16", "uint16"},
    {DType::U32, 4, "u32", "uint32"},
    {DType::U64, 8, "u64", "uint64"},
    {DType::F8E4M3FN, 1, "f8e4m3fn", "float8_e4m3fn"},
    {DType::F8E5M2, 1, "f8e5m2", "float8_e5m2"},
    {DType::C32, 4, "c32", "complex32"},
    {DType::F8E4M3FNUZ, 1, "f8e4m3fnuz", "float8_e4m3fnuz"},
    {DType::F8E5M2FNUZ, 1, "f8e5m2fnuz", "float8_e5m2fnuz"},
    {DType::F8E8M0FNU, 1, "f8e8m0fnu", "float8_e8m0fnu"},
};

} // namespace

// The table is in the order of the enumerators, which start at 1.
static const DTypeInfo &info(DType dtype) {
  return table[static_cast<size_t>(dtype) - 1];
}

static constexpr bool tableIsInOrder() {
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i)
    if (static_cast<size_t>(table[i].dtype) != i + 1)
      return false;
  return true;
}
static_assert(tableIsInOrder(), "DType table must follow the enumerators");

std::optional<DType> kiln::toDType(uint64_t number) {
  if (number == 0 || number > sizeof(table) / sizeof(table[0]))
    return std::nullopt;
  return static_cast<DType>(number);
}

size_t kiln::itemSize(DType dtype) { return info(dtype).size; }

std::string_view kiln::dtypeName(DType dtype) { return info(dtype).name; }

std::optional<DType> kiln::parseDType(std::string_view name) {
  constexpr std::string_view prefix = "torch.";
  if (name.substr(0, prefix.size()) == prefix)
    name.remove_prefix(prefix.size());
  for (const DTypeInfo &entry : table)
    if (name == entry.name || name == entry.longName)
      return entry.dtype;
  if (name == "b8")
    return DType::Bool;
  if (name == "f8e4m3")
    return DType::F8E4M3FN;
  if (name == "half")
    return DType::F16;
  if (name == "float")
    return DType::F32;
  if (name == "double")
    return DType::F64;
  if (name == "long")
    return DType::I64;
  return std::nullopt;
}

bool kiln::isFloat(DType dtype) {
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::F64:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
    return true;
  default:
    return false;
  }
}

bool kiln::isInteger(DType dtype) {
  switch (dtype) {
  case DType::U8:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
  case DType::U16:
  case DType::U32:
  case DType::U64:
    return true;
  default:
    return false;
  }
}

bool kiln::isComplex(DType dtype) {
  return dtype == DType::C32 || dtype == DType::C64 || dtype == DType::C128;
}

/// The least and the largest finite number.
static std::pair<double, double> getRange(DType dtype) {
  auto symmetric = [](double largest) {
    return std::make_pair(-largest, largest);
  };
  switch (dtype) {
  case DType::F16:
  case DType::C32:
    return symmetric(65504);
  case DType::BF16:
    return symmetric(std::ldexp(255, 120));
  case DType::F32:
  case DType::C64:
    return symmetric(std::numeric_limits<float>::max());
  case DType::F8E4M3FN:
    return symmetric(448);
  case DType::F8E4M3FNUZ:
    return symmetric(240);
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
    return symmetric(57344);
  case DType::F8E8M0FNU:
    return {std::ldexp(1, -127), std::ldexp(1, 127)};
  case DType::U8:
  case DType::U16:
  case DType::U32:
    return {0, std::ldexp(1, int(8 * itemSize(dtype))) - 1};
  case DType::I8:
  case DType::I16:
  case DType::I32: {
    double limit = std::ldexp(1, int(8 * itemSize(dtype)) - 1);
    return {-limit, limit - 1};
  }
  case DType::I64: // the neighbour of 2^63 below
    return {-std::ldexp(1, 63), std::nextafter(std::ldexp(1, 63), 0)};
  case DType::U64:
    return {0, std::nextafter(std::ldexp(1, 64), 0)};
  default:
    return symmetric(std::numeric_limits<double>::max());
  }
}

bool kiln::isInRange(double number, DType dtype) {
  if (dtype == DType::Bool)
    return true;
  if (std::isnan(number))
    return !isInteger(dtype);
  if (std::isinf(number))
    return isComplex(dtype) ||
           (isFloat(dtype) && (itemSize(dtype) > 1 || dtype == DType::F8E5M2));
  auto [least, largest] = getRange(dtype);
  return number >= least && number <= largest;
}

bool kiln::isInRange(int64_t number, DType dtype) {
  if (isInteger(dtype) && itemSize(dtype) == 8)
    return true;
  if (number == 0)
    return true;
  bool wraps = number < 0 && getRange(dtype).first >= 0;
  return isInRange(wraps ? -double(number) : double(number), dtype);
}
