//===- VectorTypes.cpp - Vectors that code can be made of -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/KernelToLLVM/VectorTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

/// More lanes than any schedule has. MLIR and LLVM split a vector into registers one
/// by one, and where their number does not fit into 32 bits LLVM goes wrong.
static constexpr int64_t kMaxVectorLanes = 4096;

static bool isTooWide(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return false;
  int64_t lanes = 1;
  for (int64_t size : vector.getShape()) {
    if (size > kMaxVectorLanes || lanes * size > kMaxVectorLanes)
      return true;
    lanes *= size;
  }
  return vector.isScalable();
}

std::optional<std::string> kiln::whyNoVectorCode(Operation *op) {
  Type wide;
  auto look = [&](Type type) {
    if (isTooWide(type))
      wide = type;
  };
  llvm::for_each(op->getResultTypes(), look);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::for_each(block.getArgumentTypes(), look);
  if (!wide)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text)
      << "has a value of type " << wide << ", expected vectors of at most "
      << kMaxVectorLanes << " lanes";
  return text;
}
