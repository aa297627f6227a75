//===- CountOperations.cpp - The arithmetic of a kernel -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// Arithmetic of floats in a region.
static double countInside(Region &region) {
  double count = 0;
  region.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() || isa<LoadOp>(op) ||
        isa<CastOpInterface>(op) || op->getNumResults() == 0 ||
        isa<NestOpInterface>(op))
      return;
    count += isa<FloatType>(op->getResult(0).getType());
  });
  return count;
}

double loop::countOperations(KernelOp kernel,
                             const analysis::SizeHints &hints) {
  double operations = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    Domain domain = nest.getDomain();
    double points = double(hints.product(domain.all()));
    if (auto product = dyn_cast<ContractOp>(nest.getOperation())) {
      if (product.isGrouped()) // each member is in one
        points /= double(hints.evaluate(domain.all()[product.getGroupDim()]));
      operations += 2 * points;
      double results = double(hints.product(domain.parallel));
      operations += results * countInside(nest->getRegions().back());
      continue;
    }
    double inside = nest.isReduction() ? 1 : 0;
    for (Region &region : nest->getRegions())
      inside += countInside(region);
    operations += points * inside;
  }
  return operations;
}
