//===- Optimizers.h - Updates of parameters as aten ops ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_DERIVATIVES_OPTIMIZERS_H
#define KILN_LIB_DIALECT_ATEN_DERIVATIVES_OPTIMIZERS_H

#include "kiln/Interfaces/DifferentiableOpInterface.h"

namespace kiln::aten {

/// See GradientDialectInterface::buildUpdates.
LogicalResult buildOptimizerUpdates(OpBuilder &builder, Location loc,
                                    const OptimizerConfig &config, Value rate,
                                    Value step,
                                    MutableArrayRef<ParameterUpdate> updates);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_DERIVATIVES_OPTIMIZERS_H
