//===- LookUp.cpp - Numbers that an instruction looks up ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln::expand;

bool kiln::expand::hasSixteen(const MathBuilder &m) {
  auto shape = mlir::dyn_cast<mlir::VectorType>(m.type);
  return hasScale(m) && !m.isF64() &&
         (!shape || llvm::isPowerOf2_64(shape.getNumElements()));
}

/// `count` numbers from `first` on, again and again from `first` + `period` on.
static llvm::SmallVector<int64_t> countFrom(int64_t first, int64_t count,
                                            int64_t period) {
  llvm::SmallVector<int64_t> numbers;
  for (int64_t k = 0; k < count; ++k)
    numbers.push_back(first + k % period);
  return numbers;
}

mlir::Value kiln::expand::bySixteen(
    const MathBuilder &m, mlir::ValueRange operands,
    llvm::function_ref<mlir::Value(mlir::ValueRange)> make) {
  auto shape = mlir::dyn_cast<mlir::VectorType>(m.type);
  int64_t lanes = shape ? shape.getNumElements() : 1;
  if (shape && lanes == 16)
    return make(operands);
  auto shuffle = [&](mlir::Value x, mlir::Value y,
                     llvm::ArrayRef<int64_t> lanes) -> mlir::Value {
    return mlir::vector::ShuffleOp::create(m.b, m.loc, x, y, lanes);
  };
  llvm::SmallVector<mlir::Value> all;
  for (int64_t from = 0; from < lanes; from += 16) {
    llvm::SmallVector<mlir::Value> part;
    for (mlir::Value operand : operands) {
      if (shape)
        part.push_back(shuffle(operand, operand, countFrom(from, 16, lanes)));
      else
        part.push_back(mlir::vector::BroadcastOp::create(
            m.b, m.loc, mlir::VectorType::get({16}, operand.getType()),
            operand));
    }
    all.push_back(make(part));
  }
  if (!shape)
    return mlir::vector::ExtractOp::create(m.b, m.loc, all[0],
                                           llvm::ArrayRef<int64_t>{0});
  if (lanes < 16)
    return shuffle(all[0], all[0], countFrom(0, lanes, lanes));
  for (int64_t width = 32; width <= lanes; width *= 2)
    for (int64_t k = 0; k < lanes / width; ++k)
      all[k] =
          shuffle(all[2 * k], all[2 * k + 1], countFrom(0, width, width));
  return all[0];
}

Num kiln::expand::lookUp(llvm::ArrayRef<float> table, Int index) {
  const MathBuilder &m = *index.m;
  return m.num(bySixteen(m, index.v, [&](mlir::ValueRange lanes) {
    auto type = mlir::VectorType::get({16}, m.b.getF32Type());
    mlir::Value numbers = mlir::arith::ConstantOp::create(
        m.b, m.loc, mlir::DenseElementsAttr::get(type, table));
    return mlir::LLVM::CallIntrinsicOp::create(
               m.b, m.loc, type,
               m.b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
               mlir::ValueRange{numbers, lanes[0]})
        .getResult(0);
  }));
}
