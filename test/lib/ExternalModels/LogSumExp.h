//===- LogSumExp.h - A foreign reduction ------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_LIB_EXTERNALMODELS_LOGSUMEXP_H
#define KILN_TEST_LIB_EXTERNALMODELS_LOGSUMEXP_H

#include "mlir/IR/DialectRegistry.h"

/// The dialect `foreign`, whose op `foreign.log_sum_exp` is a reduction.
void registerLogSumExp(mlir::DialectRegistry &registry);

#endif // KILN_TEST_LIB_EXTERNALMODELS_LOGSUMEXP_H
