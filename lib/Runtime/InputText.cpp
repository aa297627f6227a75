//===- InputText.cpp - Sentences about inputs that do not fit ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputText.h"

#include <cstdio>

namespace kiln::runtime {

const char *scalarTypeName(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "Bool";
  case DType::U8:
    return "Byte";
  case DType::I8:
    return "Char";
  case DType::I16:
    return "Short";
  case DType::I32:
    return "Int";
  case DType::I64:
    return "Long";
  case DType::F16:
    return "Half";
  case DType::BF16:
    return "BFloat16";
  case DType::F32:
    return "Float";
  case DType::F64:
    return "Double";
  case DType::C32:
    return "ComplexHalf";
  case DType::C64:
    return "ComplexFloat";
  case DType::C128:
    return "ComplexDouble";
  case DType::U16:
    return "UInt16";
  case DType::U32:
    return "UInt32";
  case DType::U64:
    return "UInt64";
  case DType::F8E4M3FN:
    return "Float8_e4m3fn";
  case DType::F8E5M2:
    return "Float8_e5m2";
  case DType::F8E4M3FNUZ:
    return "Float8_e4m3fnuz";
  case DType::F8E5M2FNUZ:
    return "Float8_e5m2fnuz";
  case DType::F8E8M0FNU:
    return "Float8_e8m0fnu";
  }
  return "an unknown dtype";
}

std::string describeInput(const OpValue &input) {
  if (auto *tensor = std::get_if<Tensor>(&input.value))
    return tensor->defined() ? tensor->typeString() : "nothing";
  if (std::holds_alternative<bool>(input.value))
    return "a bool";
  if (std::holds_alternative<int64_t>(input.value))
    return "an integer";
  if (std::holds_alternative<double>(input.value))
    return "a float";
  if (std::holds_alternative<std::string>(input.value))
    return "a string";
  return input.isNone() ? "nothing" : "another kind of value";
}

std::string constantText(const package::Constant &constant) {
  if (auto *b = std::get_if<bool>(&constant))
    return *b ? "true" : "false";
  if (auto *i = std::get_if<int64_t>(&constant))
    return std::to_string(*i);
  if (auto *f = std::get_if<double>(&constant)) {
    char buffer[40];
    std::snprintf(buffer, sizeof(buffer), "%.17g", *f);
    return buffer;
  }
  if (auto *s = std::get_if<std::string>(&constant))
    return "'" + *s + "'";
  return "nothing";
}

std::string kindFailure(const package::Slot &slot, const OpValue &found) {
  return "expected '" + slot.name + "' to be " +
         (slot.isTensor ? "a tensor" : "a number") + ", but found " +
         describeInput(found);
}

std::string dtypeFailure(const package::Slot &slot, DType expected,
                         DType found) {
  return "tensor '" + slot.name + "' dtype mismatch. expected " +
         scalarTypeName(expected) + ", actual " + scalarTypeName(found);
}

std::string rankFailure(const package::Slot &slot, int64_t expected,
                        int64_t found) {
  return "tensor '" + slot.name + "' rank mismatch. expected " +
         std::to_string(expected) + ", actual " + std::to_string(found);
}

std::string dimFailure(const package::Slot &slot, const char *what,
                       uint64_t dim, int64_t expected, int64_t found) {
  return "tensor '" + slot.name + "' " + what + " mismatch at index " +
         std::to_string(dim) + ". expected " + std::to_string(expected) +
         ", actual " + std::to_string(found);
}

} // namespace kiln::runtime
