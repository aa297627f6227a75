//===- OnlineCases.h - Two products in one walk ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_ONLINECASES_H
#define KILN_TEST_UNITTESTS_CONVERSION_ONLINECASES_H

#include "LoopCases.h"

namespace kiln::loop {

/// Kernels whose weights are known as columns come.
llvm::ArrayRef<LoopCase> getOnlineCases();

/// Kernels that are none, by a word of the reason.
struct RefusedCase {
  const char *why;
  std::string text;
};
std::vector<RefusedCase> getRefusedCases();

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_ONLINECASES_H
