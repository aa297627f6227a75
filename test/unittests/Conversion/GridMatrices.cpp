//===- GridMatrices.cpp - What a warp does with matrices ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ldmatrix` of 8 by 8 elements of 16 bits, and `mma.sync` of 16 by 16 by 8 of
// f16 or bf16, or 16 by 8 by 8 of f16 or tf32, added up in f32, or 16 by 32 by
// 8 of bytes, added up in i32, with the distribution over threads that PTX
// defines.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"
#include "GridInterpreter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cstring>

using namespace kiln::loop;
using namespace kiln::loop::grid;
using namespace mlir;

void grid::loadMatrices(
    const Instruction &of, Warp warp,
    llvm::function_ref<const uint8_t *(unsigned, uint64_t)> read) {
  auto op = cast<NVVM::LdMatrixOp>(of.op);
  bool isTransposed = op.getLayout() == NVVM::MMALayout::col;
  for (unsigned matrix = 0; matrix < op.getNum(); ++matrix) {
    uint16_t elements[8][8] = {};
    for (unsigned row = 0; row < 8; ++row) {
      unsigned thread = matrix * 8 + row;
      if (const uint8_t *from = read(thread, of.get(warp[thread], 0)))
        std::memcpy(elements[row], from, sizeof(elements[row]));
    }
    for (auto [thread, registers] : llvm::enumerate(warp)) {
      unsigned row = thread / 4, column = thread % 4 * 2;
      uint32_t low =
          isTransposed ? elements[column][row] : elements[row][column];
      uint32_t high =
          isTransposed ? elements[column + 1][row] : elements[row][column + 1];
      registers[of.result + matrix] = low | high << 16;
    }
  }
}

static bool isByte(NVVM::MMATypes type) {
  return type == NVVM::MMATypes::s8 || type == NVVM::MMATypes::u8;
}

/// The factor `k` of a register: a half word of it, or of its two lanes one; a
/// byte; or all of it but what tf32 lacks.
static float getFactor(const Instruction &of, const uint64_t *registers,
                       unsigned n, unsigned k, NVVM::MMATypes type) {
  uint64_t bits = of.get(registers, n);
  if (type == NVVM::MMATypes::tf32)
    return F32::decode(bits & ~uint64_t(0x1FFF));
  if (isByte(type)) {
    uint8_t byte = bits >> (8 * k);
    return type == NVVM::MMATypes::s8 ? float(int8_t(byte)) : float(byte);
  }
  if (of.operands[n].step != 0)
    bits = of.get(registers, n, k);
  else
    bits = bits >> (16 * k) & 0xFFFF;
  return type == NVVM::MMATypes::f16 ? F16::decode(bits) : BF16::decode(bits);
}

void grid::multiplyMatrices(const Instruction &of, Warp warp) {
  auto op = cast<NVVM::MmaOp>(of.op);
  NVVM::MMATypes left = *op.getMultiplicandAPtxType();
  NVVM::MMATypes right = *op.getMultiplicandBPtxType();
  // Registers hold one element of tf32, or two others or four bytes that are
  // neighbours in the sum.
  bool isWide = left == NVVM::MMATypes::tf32, areBytes = isByte(left);
  unsigned depth = op.getShape().getK();
  unsigned neighbours = isWide ? 1 : areBytes ? 4 : 2;
  unsigned rights = depth / neighbours / 4, lefts = 2 * rights; // registers
  unsigned kA = 0, kB = lefts, kC = lefts + rights; // the first operands of each
  float a[16][32], b[32][8];
  for (auto [thread, registers] : llvm::enumerate(warp))
    for (unsigned k = 0; k < neighbours; ++k) {
      unsigned across = thread / 4, sum = thread % 4 * neighbours + k;
      for (unsigned n = 0; n < lefts; ++n)
        a[across + n % 2 * 8][sum + n / 2 * (depth / 2)] =
            getFactor(of, registers, kA + n, k, left);
      for (unsigned n = 0; n < rights; ++n)
        b[sum + n * (depth / 2)][across] =
            getFactor(of, registers, kB + n, k, right);
    }
  for (auto [thread, registers] : llvm::enumerate(warp))
    for (unsigned n = 0; n < 4; ++n) {
      unsigned row = thread / 4 + n / 2 * 8, column = thread % 4 * 2 + n % 2;
      if (areBytes) {
        uint32_t sum = of.get(registers, kC + n);
        for (unsigned k = 0; k < depth; ++k)
          sum += uint32_t(int32_t(a[row][k] * b[k][column]));
        registers[of.result + n] = sum;
        continue;
      }
      float sum = F32::decode(of.get(registers, kC + n));
      for (unsigned k = 0; k < depth; ++k)
        sum += a[row][k] * b[k][column];
      registers[of.result + n] = F32::encode(sum);
    }
}
