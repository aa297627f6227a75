//===- ByteFactors.cpp - Factors that are made of bytes -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteFactors.h"
#include "Bodies.h"
#include "ProductOperands.h"

#include "kiln/Analysis/IndexExpr.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// What reading bytes has to gain, as a part of the time without it, and operations on each of
/// them, at most.
static constexpr double kLeastGain = 0.1;
static constexpr int64_t kMostOperations = 4;

namespace {
/// A nest that makes an operand of bytes, and where the operand finds these.
struct MadeOfBytes {
  PointwiseOp nest;
  LoadOp load;
  BlockArgument from;
  SmallVector<ExprAttr> indices;
};
} // namespace

/// The only nest of a kernel that makes an operand, and nothing else; null for others.
static PointwiseOp getMaker(KernelOp kernel, Value operand) {
  auto argument = dyn_cast<BlockArgument>(operand);
  if (!argument || !argument.hasOneUse())
    return {};
  auto result = dyn_cast<OpResult>(kernel.getInputs()[argument.getArgNumber()]);
  auto maker = result ? dyn_cast<KernelOp>(result.getOwner()) : KernelOp();
  if (!maker || !result.hasOneUse() || maker->getNumResults() != 1 ||
      maker.getScheduleAttr())
    return {};
  SmallVector<NestOpInterface> nests = maker.getNests();
  return nests.size() == 1 ? dyn_cast<PointwiseOp>(nests[0].getOperation())
                           : PointwiseOp();
}

static std::optional<MadeOfBytes> findBytes(KernelOp kernel, ContractOp op,
                                            bool isLeft,
                                            const analysis::SizeHints &hints) {
  Region &prologue = isLeft ? op.getLhsPrologue() : op.getRhsPrologue();
  PointwiseOp nest = getMaker(kernel, isLeft ? op.getLhs() : op.getRhs());
  const char *why = nullptr;
  LoadOp load = nest ? getOnlyLoad(nest, why) : LoadOp();
  if (!prologue.empty() || !op.getMasks().empty() || !load ||
      analysis::getCost(nest.getBody()) - 1 > kMostOperations)
    return std::nullopt;
  analysis::Access access = analysis::getReads(nest)[0];
  auto from = dyn_cast<BlockArgument>(access.tensor);
  if (access.indirect || !from)
    return std::nullopt;
  auto type = cast<RankedTensorType>(from.getType());
  if (!type.getElementType().isInteger() || type.getElementTypeBitWidth() != 8)
    return std::nullopt;
  SmallVector<ExprAttr> indices =
      getIndicesThrough(op, isLeft, access.map, hints);
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, op.getContext(), op.getDomain().all());
  if (!analysis::isStraight(type, indices, op.getDomain().all(), assumptions))
    return std::nullopt;
  return MadeOfBytes{nest, load, from, indices};
}

/// Whether a product reads bytes sooner than others have made floats of them. A vector takes
/// as long as there is to read, whoever multiplies.
static bool gains(ContractOp op, MadeOfBytes made,
                  const analysis::ContractionShape &shape,
                  const GPUMachine &machine, const analysis::SizeHints &hints) {
  if (shape.rows.extent.isConstant(1) || shape.columns.extent.isConstant(1))
    return true;
  GPUProductShape now = getGPUProductShape(op, shape, machine, hints);
  GPUProductShape then = now;
  then.inBoxes = then.isGathered = false;
  then.byRegisters = true;
  double bytes =
      hints.getBytes(cast<RankedTensorType>(made.from.getType())) +
      hints.getBytes(cast<RankedTensorType>(made.nest.getResult().getType()));
  return estimateGPUProduct(then, machine) <=
         (estimateGPUProduct(now, machine) + estimateGPUCopies(1, bytes)) *
             (1 - kLeastGain);
}

/// The body of the nest becomes the operand's prologue.
static void makePrologue(ContractOp op, bool isLeft, MadeOfBytes made) {
  Location location = made.nest.getLoc();
  OpBuilder builder(op.getContext());
  Block *block = builder.createBlock(
      isLeft ? &op.getLhsPrologue() : &op.getRhsPrologue(), {},
      {made.load.getType()}, {location});
  IRMapping mapping;
  mapping.map(made.load.getResult(), block->getArgument(0));
  Block &body = made.nest.getBody().front();
  for (Operation &each : body.without_terminator())
    if (!isa<LoadOp, IndexOp>(each))
      builder.clone(each, mapping);
  YieldOp::create(
      builder, location,
      roundToElement(
          builder, location,
          mapping.lookupOrDefault(body.getTerminator()->getOperand(0)),
          cast<RankedTensorType>(made.nest.getResult().getType())));
}

bool loop::readBytes(KernelOp kernel, const GPUMachine &machine,
                     const analysis::SizeHints &hints) {
  ContractOp op = getProduct(kernel);
  auto strides = analysis::getInputStrides(kernel);
  if (!op || failed(strides))
    return false;
  bool isRead = false;
  for (bool isLeft : {true, false}) {
    auto made = findBytes(kernel, op, isLeft, hints);
    auto shape = made ? getTileShape(op, *strides) : std::nullopt;
    if (!shape || !gains(op, *made, *shape, machine, hints))
      continue;
    auto argument = cast<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
    unsigned number = argument.getArgNumber();
    auto maker = made->nest->getParentOfType<KernelOp>();
    makePrologue(op, isLeft, *made);
    readThrough(kernel, op, isLeft, made->from, made->indices);
    kernel.getInputsMutable().erase(number);
    kernel.getBody().front().eraseArgument(number);
    for (Operation *reader : {kernel.getOperation(), op.getOperation()}) {
      SmallVector<StringRef> origins = getOrigins(maker);
      mergeOrigins(origins, getOrigins(reader));
      reader->setAttr("origins", getOriginsAttr(op.getContext(), origins));
    }
    maker->erase();
    isRead = true;
    strides = analysis::getInputStrides(kernel);
    if (failed(strides))
      break;
  }
  return isRead;
}
