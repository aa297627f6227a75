//===- PackRoundings.cpp - Rounding to 16 bits, two at a time -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackRoundings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Casting.h"

using namespace kiln;

/// True for numbers of f32 that have 16 bits from there on, but are computed with as f32. Those
/// that are stored the back end packs itself.
static bool isBetween(llvm::FPTruncInst &rounding) {
  llvm::Type *to = rounding.getDestTy()->getScalarType();
  return rounding.getSrcTy()->getScalarType()->isFloatTy() &&
         (to->isBFloatTy() || to->isHalfTy()) &&
         llvm::all_of(rounding.users(), llvm::IsaPred<llvm::FPExtInst>);
}

/// Elements of `wide` as halves of numbers of 32 bits, of type `to`.
static llvm::Value *pack(llvm::IRBuilder<> &b, llvm::Value *wide,
                         llvm::Type *to) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(to);
  unsigned count = type ? type->getNumElements() : 1;
  auto id = to->getScalarType()->isBFloatTy()
                ? llvm::Intrinsic::nvvm_ff2bf16x2_rn
                : llvm::Intrinsic::nvvm_ff2f16x2_rn;
  llvm::Value *none = llvm::ConstantFP::get(b.getFloatTy(), 0.0);
  auto get = [&](unsigned k) -> llvm::Value * {
    if (k >= count)
      return none;
    return type ? b.CreateExtractElement(wide, k) : wide;
  };
  llvm::Value *result = type ? llvm::PoisonValue::get(type) : nullptr;
  for (unsigned k = 0; k < count; k += 2) {
    // The first operand is the upper half.
    llvm::Value *pair = b.CreateIntrinsic(id, {}, {get(k + 1), get(k)});
    for (unsigned half = 0; half < 2 && k + half < count; ++half) {
      llvm::Value *element = b.CreateExtractElement(pair, half);
      result = type ? b.CreateInsertElement(result, element, k + half) : element;
    }
  }
  return result;
}

void target::packRoundings(llvm::Module &module) {
  llvm::SmallVector<llvm::FPTruncInst *> roundings;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *rounding = llvm::dyn_cast<llvm::FPTruncInst>(&instruction);
          rounding && isBetween(*rounding))
        roundings.push_back(rounding);
  for (llvm::FPTruncInst *rounding : roundings) {
    llvm::IRBuilder<> b(rounding);
    rounding->replaceAllUsesWith(
        pack(b, rounding->getOperand(0), rounding->getType()));
    rounding->eraseFromParent();
  }
}
