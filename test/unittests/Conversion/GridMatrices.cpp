//===- GridMatrices.cpp - What a warp does with matrices ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ldmatrix` of 8 by 8 elements of 16 bits, and `mma.sync` of 16 by 16 by 8 of f16 or
// bf16, or 16 by 8 by 8 of tf32, added up in f32, with the distribution over threads that
// PTX defines.
//
//===----------------------------------------------------------------------===//

#include "GridInterpreter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

using Getter = llvm::function_ref<const Bits &(unsigned, Value)>;
using Reader = llvm::function_ref<uint64_t(unsigned, uint64_t, unsigned)>;

static bool loadMatrices(NVVM::LdMatrixOp op, Getter get, Reader read,
                         MutableArrayRef<Bits> results) {
  bool isTransposed = op.getLayout() == NVVM::MMALayout::col;
  for (unsigned matrix = 0; matrix < op.getNum(); ++matrix) {
    uint64_t elements[8][8];
    for (unsigned row = 0; row < 8; ++row) {
      unsigned thread = matrix * 8 + row;
      uint64_t address = get(thread, op.getPtr())[0];
      for (unsigned k = 0; k < 8; ++k)
        elements[row][k] = read(thread, address + 2 * k, k == 0 ? 16 : 1);
    }
    for (auto [thread, result] : llvm::enumerate(results)) {
      unsigned row = thread / 4, column = thread % 4 * 2;
      uint64_t low = isTransposed ? elements[column][row] : elements[row][column];
      uint64_t high =
          isTransposed ? elements[column + 1][row] : elements[row][column + 1];
      result.push_back(low | high << 16);
    }
  }
  return true;
}

static float toFloat(uint64_t bits, bool isHalf) {
  llvm::APFloat number(isHalf ? llvm::APFloat::IEEEhalf()
                              : llvm::APFloat::BFloat(),
                       llvm::APInt(16, bits));
  bool loses;
  number.convert(llvm::APFloat::IEEEsingle(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToFloat();
}

static bool multiply(NVVM::MmaOp op, Getter get, MutableArrayRef<Bits> results) {
  NVVM::MMAShapeAttr shape = op.getShape();
  auto type = op.getMultiplicandAPtxType();
  bool isHalf = type == NVVM::MMATypes::f16;
  // Registers hold one element of tf32, or two others that are neighbours in the sum.
  bool isWide = type == NVVM::MMATypes::tf32;
  int64_t depth = isWide ? 8 : 16, neighbours = isWide ? 1 : 2;
  if (shape.getM() != 16 || shape.getN() != 8 || shape.getK() != depth ||
      (!isWide && !isHalf && type != NVVM::MMATypes::bf16) ||
      results.size() != 32)
    return false;
  // Half words of a register, of one lane or of two; or all of it but what tf32 lacks.
  auto getFactor = [&](unsigned thread, Value value, unsigned k) {
    const Bits &bits = get(thread, value);
    if (isWide)
      return llvm::bit_cast<float>(uint32_t(bits[0]) & ~0x1FFFu);
    return toFloat(bits.size() == 2 ? bits[k] : bits[0] >> (16 * k) & 0xFFFF,
                   isHalf);
  };
  float a[16][16], b[16][8];
  for (unsigned thread = 0; thread < 32; ++thread)
    for (int64_t k = 0; k < neighbours; ++k) {
      unsigned across = thread / 4, sum = thread % 4 * neighbours + k;
      for (unsigned n = 0; n < 4; ++n)
        a[across + n % 2 * 8][sum + n / 2 * (depth / 2)] =
            getFactor(thread, op.getOperandA()[n], k);
      for (unsigned n = 0; n < 2; ++n)
        b[sum + n * (depth / 2)][across] =
            getFactor(thread, op.getOperandB()[n], k);
    }
  for (unsigned thread = 0; thread < 32; ++thread)
    for (unsigned n = 0; n < 4; ++n) {
      unsigned row = thread / 4 + n / 2 * 8, column = thread % 4 * 2 + n % 2;
      uint32_t bits = get(thread, op.getOperandC()[n])[0];
      float sum;
      std::memcpy(&sum, &bits, sizeof(sum));
      for (int64_t k = 0; k < depth; ++k)
        sum += a[row][k] * b[k][column];
      std::memcpy(&bits, &sum, sizeof(bits));
      results[thread].push_back(bits);
    }
  return true;
}

bool loop::evaluateTogether(Operation &op, Getter get, Reader read,
                            MutableArrayRef<Bits> results) {
  if (auto load = dyn_cast<NVVM::LdMatrixOp>(op))
    return loadMatrices(load, get, read, results);
  if (auto product = dyn_cast<NVVM::MmaOp>(op))
    return multiply(product, get, results);
  return false;
}
