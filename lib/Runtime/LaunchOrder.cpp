//===- LaunchOrder.cpp - Which launches wait for which --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"

#include <algorithm>

namespace kiln::runtime {

/// Launches beyond which nobody looks for branches: each is compared with all before it.
static constexpr size_t kMostCompared = 4096;

static bool meet(const Span &a, const Span &b) {
  return (a.isWritten || b.isWritten) &&
         (a.root == b.root || (a.begin < b.end && b.begin < a.end));
}

static bool meet(const std::vector<Span> &a, const std::vector<Span> &b) {
  return std::any_of(a.begin(), a.end(), [&](const Span &one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Span &other) { return meet(one, other); });
  });
}

static std::vector<std::vector<uint32_t>> makeChain(size_t count) {
  std::vector<std::vector<uint32_t>> chain(count);
  for (uint32_t i = 1; i < count; ++i)
    chain[i] = {i - 1};
  return chain;
}

std::vector<std::vector<uint32_t>>
findOrder(const std::vector<std::vector<Span>> &spans) {
  const size_t count = spans.size();
  if (count > kMostCompared)
    return makeChain(count);
  std::vector<std::vector<uint32_t>> order(count);
  std::vector<std::vector<bool>> before(count); // all that a launch waits for
  std::vector<size_t> depth(count, 1); // of the longest chain that ends with it
  for (uint32_t i = 0; i < count; ++i) {
    before[i].resize(i);
    for (uint32_t other = i; other-- > 0;) {
      if (before[i][other] || !meet(spans[other], spans[i]))
        continue;
      order[i].push_back(other);
      before[i][other] = true;
      for (uint32_t k = 0; k < other; ++k)
        if (before[other][k])
          before[i][k] = true;
      depth[i] = std::max(depth[i], depth[other] + 1);
    }
  }
  const size_t longest =
      count == 0 ? 0 : *std::max_element(depth.begin(), depth.end());
  return 10 * (count - longest) >= count ? order : makeChain(count);
}

} // namespace kiln::runtime
