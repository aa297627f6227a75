//===- VectorTypes.h - Vectors that code can be made of ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels may be written by hand, and their types are any that MLIR has. Vectors
// beyond what a schedule has are refused before anything is unrolled:
//
//   if (auto why = whyNoVectorCode(op))
//     return op->emitOpError(*why);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_KERNELTOLLVM_VECTORTYPES_H
#define KILN_CONVERSION_KERNELTOLLVM_VECTORTYPES_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace kiln {

/// "has a value of type vector<...>, expected vectors of at most 4096 lanes", if a
/// result of `op` or an argument of its regions is scalable or has more; operations
/// inside of it are not looked at.
std::optional<std::string> whyNoVectorCode(mlir::Operation *op);

} // namespace kiln

#endif // KILN_CONVERSION_KERNELTOLLVM_VECTORTYPES_H
