//===- MatrixUnits.h - What matrix units multiply at a time -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_MATRIXUNITS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_MATRIXUNITS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Types.h"

#include <cstdint>

namespace kiln::loop {

/// `mma.sync` multiplies 16 by 16 by 8 elements of 16 bits at a time, of which
/// each thread of a warp has 8 and 4, and 4 sums. Of others the sum has as many
/// bytes; of f16 on sm_75 it has half as many.
constexpr int64_t kMmaRows = 16, kMmaColumns = 8, kMmaSum = 16, kMmaSums = 4,
                  kMmaSumBytes = 2 * kMmaSum;

/// Rows of each warp of a warpgroup that multiplies.
constexpr int64_t kWarpRows = 16;

/// Rounds words of f32 to tf32.
void roundWords(mlir::ImplicitLocOpBuilder &b,
                llvm::MutableArrayRef<mlir::Value> words);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_MATRIXUNITS_H
