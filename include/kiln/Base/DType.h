//===- DType.h - Element types shared by all LLVM-free code ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of tensors. The numeric values are Kiln's own and are
// written into packages, so they never change; the codes of `torch.export`
// archives are translated by KilnArchive.
//
//   std::optional<DType> dtype = parseDType("float32");
//   itemSize(*dtype);   // 4
//   dtypeName(*dtype);  // "f32"
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_DTYPE_H
#define KILN_BASE_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln {

enum class DType : uint8_t {
  Bool = 1,
  U8 = 2,
  I8 = 3,
  I16 = 4,
  I32 = 5,
  I64 = 6,
  F16 = 7,
  BF16 = 8,
  F32 = 9,
  F64 = 10,
  C64 = 11,  ///< two f32: real, imaginary
  C128 = 12, ///< two f64
  U16 = 13,
  U32 = 14,
  U64 = 15,
  F8E4M3FN = 16,
  F8E5M2 = 17,
  C32 = 18, ///< two f16; storable, not computed with
  F8E4M3FNUZ = 19,
  F8E5M2FNUZ = 20,
  F8E8M0FNU = 21, ///< powers of two without sign, the scales of MX formats
};

/// The dtype that a number from outside stands for; nothing if it is none.
std::optional<DType> toDType(uint64_t number);

/// Bytes of one element. `Bool` is one byte, zero or one.
size_t itemSize(DType dtype);

/// PyTorch's short name: "f32", "bf16", "i64", "b8" is spelled "bool", "c64".
std::string_view dtypeName(DType dtype);

/// The inverse of `dtypeName`; also accepts "b8" and PyTorch's long names
/// ("float32", "torch.int64"). Nothing for anything else.
std::optional<DType> parseDType(std::string_view name);

/// True for f16, bf16, f32, f64 and the 8-bit floats.
bool isFloat(DType dtype);
/// True for signed and unsigned integers, not for bool.
bool isInteger(DType dtype);
/// True for c32, c64 and c128.
bool isComplex(DType dtype);

/// True if a tensor of this type can be filled with the number. As PyTorch's
/// checked conversions (c10/util/TypeCast.h): a float must lie between the least
/// and the largest of the type, infinities and NaN fit where it has them; a
/// negative integer wraps in a type without sign that holds its magnitude, and 0
/// fits everywhere. All fit bool; of complex types this is about a part.
bool isInRange(double number, DType dtype);
bool isInRange(int64_t number, DType dtype);

} // namespace kiln

#endif // KILN_BASE_DTYPE_H
