//===- RoundFactors.cpp - Factors that are rounded as they are made -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUProducts.h"

#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/IR/Precision.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_ROUNDFACTORSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// A contraction and the number of an operand.
using Factor = std::pair<ContractOp, unsigned>;

/// Bits of f32 that tf32 does not have, and elements that threads copy at a time.
static constexpr int64_t kCutBits = 13, kCopied = 4;

/// True if operand `number` (0: the left one) of a contraction of f32 is rounded to tf32 as it
/// is read, and not computed with before.
static bool isRoundedAsRead(ContractOp op, unsigned number, KernelOp kernel) {
  auto schedule =
      dyn_cast_or_null<GPUProductScheduleAttr>(kernel.getScheduleAttr());
  Type type = analysis::getFactorType(op);
  return schedule && schedule.getUnit() != ProductUnit::Fma && type &&
         type.isF32() && permitsTf32(op) &&
         (number == 0 ? op.getLhsPrologue() : op.getRhsPrologue()).empty();
}

/// True if that is done by threads that bring it to warpgroups, as the copy engine cannot.
static bool isRoundedByThreads(ContractOp op, unsigned number,
                               KernelOp kernel) {
  auto schedule = cast<GPUProductScheduleAttr>(kernel.getScheduleAttr());
  auto strides = analysis::getInputStrides(kernel);
  if (schedule.getUnit() != ProductUnit::Wgmma || failed(strides))
    return false;
  auto shape = getTileShape(op, *strides);
  unsigned k = shape && shape->exchanged ? 1 - number : number;
  return shape && !analysis::getOperandBoxes(op, *shape, k, kCopied) &&
         analysis::hasSumVectors(op, *shape, k, kCopied);
}

/// Collects the factors that `made` is and threads would round; false if it is anything for
/// somebody but a factor that is rounded.
static bool collectFactors(OpResult made, SmallVectorImpl<Factor> &factors) {
  for (OpOperand &use : made.getUses()) {
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    if (!kernel || use.getOperandNumber() >= kernel.getInputs().size())
      return false;
    BlockArgument input = kernel.getBody().getArgument(use.getOperandNumber());
    for (Operation *user : input.getUsers()) {
      auto op = dyn_cast<ContractOp>(user);
      if (!op)
        return false;
      for (unsigned number : {0, 1}) {
        if ((number == 0 ? op.getLhs() : op.getRhs()) != input)
          continue;
        if (!isRoundedAsRead(op, number, kernel))
          return false;
        if (isRoundedByThreads(op, number, kernel))
          factors.emplace_back(op, number);
      }
    }
  }
  return !factors.empty();
}

/// What a kernel yields for an element of its result `made`, of f32; null if a nest of
/// another kind makes it, or other nests read it.
static OpOperand *getYielded(OpResult made) {
  auto kernel = dyn_cast<KernelOp>(made.getOwner());
  if (!kernel)
    return nullptr;
  Value returned = kernel.getBody().front().getTerminator()->getOperand(
      made.getResultNumber());
  Operation *nest = returned.getDefiningOp();
  Region *body = nullptr;
  if (auto pointwise = dyn_cast_or_null<PointwiseOp>(nest))
    body = &pointwise.getBody();
  else if (auto contract = dyn_cast_or_null<ContractOp>(nest))
    body = &contract.getEpilogue();
  if (!body || body->empty() || !returned.hasOneUse())
    return nullptr;
  OpOperand &yielded = body->front().getTerminator()->getOpOperand(0);
  return yielded.get().getType().isF32() ? &yielded : nullptr;
}

/// The nearest number of tf32, and of two the one that is farther from 0, as `cvt.rna` has it.
static Value roundNumber(ImplicitLocOpBuilder &b, Value number) {
  auto word = [&](int64_t bits) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(bits)));
  };
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), number);
  Value up = arith::AddIOp::create(b, bits, word(int64_t(1) << (kCutBits - 1)));
  Value cut = arith::AndIOp::create(b, up, word(-(int64_t(1) << kCutBits)));
  Value rounded = arith::BitcastOp::create(b, b.getF32Type(), cut);
  Value isNumber =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, number, number);
  Value nan = arith::ConstantOp::create(
      b, b.getFloatAttr(b.getF32Type(),
                        APFloat::getQNaN(APFloat::IEEEsingle())));
  return arith::SelectOp::create(b, isNumber, rounded, nan);
}

namespace {
class RoundFactors : public loop::impl::RoundFactorsPassBase<RoundFactors> {
  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    getOperation().walk([](KernelOp kernel) {
      for (OpResult made : kernel->getResults()) {
        SmallVector<Factor> factors;
        OpOperand *yielded = getYielded(made);
        if (!yielded || !collectFactors(made, factors))
          continue;
        ImplicitLocOpBuilder b(yielded->getOwner()->getLoc(),
                               yielded->getOwner());
        yielded->set(roundNumber(b, yielded->get()));
        for (auto [op, number] : factors)
          setRounded(op, number);
      }
    });
  }
};
} // namespace
