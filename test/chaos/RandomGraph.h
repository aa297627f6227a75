//===- RandomGraph.h - Programs that nobody wrote ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A captured graph of random operators on random small shapes, valid by construction:
// each operator is chosen for values that are there. Numbers stay near 1, so that a
// difference is one of meaning and not of rounding.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CHAOS_RANDOMGRAPH_H
#define KILN_TEST_CHAOS_RANDOMGRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::chaos {

struct RandomGraph {
  std::string text; ///< a module with `@main`
  /// Of the inputs, all f32. The only output is a number, the mean of what was
  /// computed, which every input has a gradient of.
  std::vector<std::vector<int64_t>> inputs;
};

/// The same for the same seed.
RandomGraph makeGraph(uint64_t seed);

/// Numbers from -1 to 1 for an input of so many elements.
std::vector<float> makeNumbers(uint64_t seed, int64_t count);

} // namespace kiln::chaos

#endif // KILN_TEST_CHAOS_RANDOMGRAPH_H
