//===- ProductOperands.cpp - Operands as they lie in memory ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductOperands.h"
#include "NarrowResults.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/OnlineRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// The load of a nest that does nothing but to move elements, and to extend them; null
/// for any other.
static LoadOp getMoved(PointwiseOp producer) {
  Value made = producer.getBody().front().getTerminator()->getOperand(0);
  while (auto extension = made.getDefiningOp<arith::ExtFOp>())
    made = extension.getIn();
  auto load = made.getDefiningOp<LoadOp>();
  return load && !load.getMask() ? load : LoadOp();
}

/// The nest of another kernel that makes `argument`, an input of `kernel`.
static PointwiseOp getProducer(KernelOp kernel, BlockArgument argument) {
  auto result = dyn_cast<OpResult>(kernel.getInputs()[argument.getArgNumber()]);
  auto maker = result ? dyn_cast<KernelOp>(result.getOwner()) : KernelOp();
  if (!maker)
    return {};
  return maker.getBody()
      .front()
      .getTerminator()
      ->getOperand(result.getResultNumber())
      .getDefiningOp<PointwiseOp>();
}

SmallVector<ExprAttr>
loop::getIndicesThrough(ContractOp op, bool isLeft, ArrayRef<ExprAttr> map,
                        const analysis::SizeHints &hints) {
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, op.getContext(), op.getDomain().all());
  SmallVector<ExprAttr> operand =
      getExprs(isLeft ? op.getLhsIndices() : op.getRhsIndices());
  SmallVector<ExprAttr> indices;
  for (ExprAttr expr : map)
    indices.push_back(
        guard::simplify(guard::substituteDims(expr, operand), assumptions));
  return indices;
}

void loop::readThrough(KernelOp kernel, ContractOp op, bool isLeft,
                       BlockArgument from, ArrayRef<ExprAttr> indices) {
  auto maker = cast<KernelOp>(from.getOwner()->getParentOp());
  Value source = maker.getInputs()[from.getArgNumber()];
  kernel.getInputsMutable().append(source);
  Value moved =
      kernel.getBody().front().addArgument(source.getType(), op.getLoc());
  (isLeft ? op.getLhsMutable() : op.getRhsMutable()).assign(moved);
  ArrayAttr exprs = getExprArray(op.getContext(), indices);
  isLeft ? op.setLhsIndicesAttr(exprs) : op.setRhsIndicesAttr(exprs);
}

/// Lets one operand of `op` be read from where the nest that makes it has it.
static bool readInPlace(KernelOp kernel, ContractOp op, bool isLeft,
                        const analysis::SizeHints &hints, Type only) {
  auto argument = dyn_cast<BlockArgument>(isLeft ? op.getLhs() : op.getRhs());
  PointwiseOp producer =
      argument ? getProducer(kernel, argument) : PointwiseOp();
  LoadOp load = producer ? getMoved(producer) : LoadOp();
  auto from = load ? dyn_cast<BlockArgument>(load.getTensor()) : BlockArgument();
  if (!from || !op.getMasks().empty() || (only && load.getType() != only))
    return false;
  analysis::Access access = analysis::getReads(producer)[0];
  if (access.indirect || access.tensor != from)
    return false;
  readThrough(kernel, op, isLeft, from,
              getIndicesThrough(op, isLeft, access.map, hints));
  Type narrow = load.getType();
  Type wide = producer.getBody().front().getTerminator()->getOperand(0).getType();
  if (narrow == wide)
    return true;
  // What was extended in memory is extended on the way.
  extendOperand(op, isLeft, narrow, wide, producer.getLoc());
  return true;
}

void loop::readOperandsInPlace(KernelOp kernel, const analysis::SizeHints &hints,
                               SmallVectorImpl<KernelOp> &readFrom,
                               Type only) {
  for (ContractOp op : kernel.getBody().getOps<ContractOp>())
    for (bool isLeft : {true, false})
      while (readInPlace(kernel, op, isLeft, hints, only)) {
      }
  Block &body = kernel.getBody().front();
  for (unsigned k = body.getNumArguments(); k-- > 0;) {
    if (!body.getArgument(k).use_empty())
      continue;
    auto maker = kernel.getInputs()[k].getDefiningOp<KernelOp>();
    if (maker && !llvm::is_contained(readFrom, maker))
      readFrom.push_back(maker);
    kernel.getInputsMutable().erase(k);
    body.eraseArgument(k);
  }
}

void loop::dropExtensions(ContractOp op) {
  Type type = analysis::getUnitType(op, true);
  if (!type || type != analysis::getUnitType(op, false))
    return;
  for (Region *prologue : {&op.getLhsPrologue(), &op.getRhsPrologue()})
    if (prologue->empty() || prologue->front().getTerminator()->getOperand(0)
                                     .getType() != op.getAccType())
      return;
  for (Region *prologue : {&op.getLhsPrologue(), &op.getRhsPrologue()}) {
    prologue->dropAllReferences();
    prologue->getBlocks().clear();
  }
}
