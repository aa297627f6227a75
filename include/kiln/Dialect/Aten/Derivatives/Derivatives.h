//===- Derivatives.h - Derivatives and recompute costs of ATen ops --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attaches, as external models, DifferentiableOpInterface and
// RecomputableOpInterface to the ops of the aten dialect, and
// GradientDialectInterface to the dialect. The rules stand in
// <Family>Derivatives.td.
//
//   DialectRegistry registry;
//   registry.insert<aten::AtenDialect>();
//   aten::registerDerivatives(registry);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_DERIVATIVES_DERIVATIVES_H
#define KILN_DIALECT_ATEN_DERIVATIVES_DERIVATIVES_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/DialectRegistry.h"

#include <cstdint>

namespace kiln::aten {

class VjpState;
struct OpInfo;

/// One line of the generated table.
struct VjpEntry {
  const OpInfo &(*getInfo)(); ///< of the op
  /// Builds the gradients; null where they stop.
  LogicalResult (*rule)(Operation *op, VjpState &state);
  const char *stopReason;  ///< why they stop or are refused, else empty
  uint32_t savedOperands;  ///< operands that the rule reads, by place in the schema
  uint32_t savedResults;   ///< results that the rule reads
  bool takesComplex;       ///< not only real numbers
};

/// The rule of an op; null if it has none.
const VjpEntry *lookUpDerivative(const OpInfo &info);

/// Attaches the models when the aten dialect is loaded.
void registerDerivatives(mlir::DialectRegistry &registry);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_DERIVATIVES_DERIVATIVES_H
