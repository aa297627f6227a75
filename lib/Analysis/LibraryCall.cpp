//===- LibraryCall.cpp - Kernels that a library has -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::analysis;
using namespace mlir;
using loop::ContractOp;
using loop::GPULibrary;
using loop::KernelOp;
using loop::LoadOp;

ContractOp analysis::getPlainContraction(KernelOp kernel) {
  SmallVector<loop::NestOpInterface> nests = kernel.getNests();
  auto op = nests.size() == 1 ? dyn_cast<ContractOp>(nests[0].getOperation())
                              : ContractOp();
  if (!op || op.isGrouped() || !op.getLhsPrologue().empty() ||
      !op.getRhsPrologue().empty() || !op.getAccType().isF32() ||
      kernel.getNumResults() != 1 || !isa<BlockArgument>(op.getLhs()) ||
      !isa<BlockArgument>(op.getRhs()))
    return {};
  return op;
}

std::optional<LoadOp> analysis::getAdded(ContractOp op) {
  if (op.getEpilogue().empty())
    return LoadOp();
  Block &body = op.getEpilogue().front();
  Value made = body.getTerminator()->getOperand(0), sum = body.getArgument(0);
  if (auto rounded = made.getDefiningOp<arith::TruncFOp>())
    made = rounded.getIn();
  if (made == sum)
    return LoadOp();
  auto add = made.getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != sum && add.getRhs() != sum))
    return std::nullopt;
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  if (auto extended = term.getDefiningOp<arith::ExtFOp>())
    term = extended.getIn();
  auto load = term.getDefiningOp<LoadOp>();
  return load ? std::optional(load) : std::nullopt;
}

bool analysis::isFactor(Type element) {
  return element.isF32() || element.isF16() || element.isBF16();
}

Type analysis::getElement(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

int64_t analysis::pointerOf(Value input) {
  return cast<BlockArgument>(input).getArgNumber();
}

Attribute analysis::getLibraryCall(KernelOp kernel,
                                   const KernelStrides &strides,
                                   GPULibrary library) {
  switch (library) {
  case GPULibrary::None:
    return {};
  case GPULibrary::Cublas:
    return getLibraryProduct(kernel, strides);
  case GPULibrary::Cudnn:
    return getLibraryConvolution(kernel, strides);
  }
  llvm_unreachable("a library of another kind");
}
