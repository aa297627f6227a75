//===- FlattenLoops.cpp - Kernels as parallel loops of one dimension ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

namespace kiln {
#define GEN_PASS_DEF_KILNFLATTENLOOPSPASS
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
class KilnFlattenLoops
    : public kiln::impl::KilnFlattenLoopsPassBase<KilnFlattenLoops> {
  using KilnFlattenLoopsPassBase::KilnFlattenLoopsPassBase;

  void runOnOperation() override;
};
} // namespace

/// Loops within others belong to one thread.
static LogicalResult makeInnerLoopsSerial(Operation *op) {
  SmallVector<scf::ParallelOp> inner;
  op->walk([&](scf::ParallelOp loop) {
    if (loop.getOperation() != op)
      inner.push_back(loop);
  });
  IRRewriter rewriter(op->getContext());
  for (scf::ParallelOp loop : inner) {
    rewriter.setInsertionPoint(loop);
    if (failed(scf::parallelForToNestedFors(rewriter, loop)))
      return loop.emitOpError(
          "joins values within another loop, expected loops that store");
  }
  return success();
}

/// What each thread can compute by itself: it touches no memory and needs
/// nothing that does.
static bool isUniform(Operation &op,
                      const llvm::DenseSet<Operation *> &serial) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         llvm::none_of(op.getOperands(), [&](Value operand) {
           return serial.contains(operand.getDefiningOp());
         });
}

/// Reports an operation of `run` whose result somebody else reads.
static LogicalResult verifyRun(ArrayRef<Operation *> run) {
  for (Operation *op : run)
    for (Operation *user : op->getUsers())
      if (!llvm::is_contained(run,
                              op->getBlock()->findAncestorOpInBlock(*user)))
        return op->emitOpError("gives another loop of its kernel a number, "
                               "expected one in memory");
  return success();
}

/// Puts operations into a loop of one iteration, where the last of them stood.
static LogicalResult wrap(ArrayRef<Operation *> run) {
  if (run.empty())
    return success();
  if (failed(verifyRun(run)))
    return failure();
  ImplicitLocOpBuilder b(run.front()->getLoc(), run.back());
  b.setInsertionPointAfter(run.back());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ParallelOp::create(b, ValueRange{zero}, ValueRange{one},
                                      ValueRange{one});
  for (Operation *op : run)
    op->moveBefore(loop.getBody()->getTerminator());
  return success();
}

static LogicalResult flatten(func::FuncOp function) {
  SmallVector<scf::ParallelOp> loops;
  llvm::DenseSet<Operation *> serial;
  SmallVector<Operation *> run;
  Block &entry = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(entry.without_terminator())) {
    if (failed(makeInnerLoopsSerial(&op)))
      return failure();
    if (isUniform(op, serial))
      continue;
    serial.insert(&op);
    auto loop = dyn_cast<scf::ParallelOp>(op);
    if (!loop) {
      run.push_back(&op);
      continue;
    }
    if (loop.getNumReductions() != 0)
      return loop.emitOpError("joins values of threads, expected loops that "
                              "store");
    loops.push_back(loop);
    if (failed(wrap(run)))
      return failure();
    run.clear();
  }
  if (failed(wrap(run)))
    return failure();
  IRRewriter rewriter(function.getContext());
  for (scf::ParallelOp loop : loops) {
    std::vector<unsigned> dims(loop.getNumLoops());
    std::iota(dims.begin(), dims.end(), 0);
    collapseParallelLoops(rewriter, loop, dims);
  }
  return success();
}

void KilnFlattenLoops::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration() || !KernelArguments(function).isOfGrid())
    return;
  if (!function.getBody().hasOneBlock()) {
    function.emitOpError("has branches at its top, expected structured loops");
    return signalPassFailure();
  }
  if (failed(flatten(function)))
    signalPassFailure();
}
