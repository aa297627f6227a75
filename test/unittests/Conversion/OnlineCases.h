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

/// `text` with each of `changes` made wherever it applies.
std::string
change(std::string text,
       llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> changes);

/// Kernels whose weights are known as columns come.
llvm::ArrayRef<LoopCase> getOnlineCases();

/// The same with an odd number of columns of the result, which are not joined
/// of parts.
llvm::ArrayRef<LoopCase> getOddCases();

/// Those of `getOnlineCases` with several tiles of warpgroups, some with sizes
/// that are known.
llvm::ArrayRef<LoopCase> getBroughtCases();

/// The backward of causal attention (WalkCases.cpp).
extern const char kGradientUnits[];
/// Kernels of several walks, such as it.
llvm::ArrayRef<LoopCase> getWalkCases();

/// The same with sizes that are known, as warpgroups take them.
llvm::ArrayRef<LoopCase> getBroughtWalkCases();
/// Those of which walks over rows can add sums over columns to memory.
llvm::ArrayRef<LoopCase> getAddedWalkCases();

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
