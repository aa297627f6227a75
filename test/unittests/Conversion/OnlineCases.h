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

/// The same with several tiles of warpgroups, some with sizes that are known.
llvm::ArrayRef<LoopCase> getBroughtCases();

/// Kernels of several walks, such as the backward of attention.
llvm::ArrayRef<LoopCase> getWalkCases();

/// The same with sizes that are known, as warpgroups take them.
llvm::ArrayRef<LoopCase> getBroughtWalkCases();

/// Kernels that are neither, by words of the reason.
struct RefusedCase {
  const char *why;
  std::string text;
};
std::vector<RefusedCase> getRefusedCases();
/// Kernels of several walks whose weights are not known as columns come.
std::vector<RefusedCase> getOfflineCases();

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_ONLINECASES_H
