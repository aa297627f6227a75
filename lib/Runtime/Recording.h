//===- Recording.h - Launches that were written down ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_RECORDING_H
#define KILN_LIB_RUNTIME_RECORDING_H

#include "LaunchOrder.h"

#include "kiln/Package/GraphPlan.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Runtime/Device.h"

#include <list>

namespace kiln::runtime {

/// What kernels of a device count on; see KernelABI.h.
constexpr uintptr_t kGridAlignment = 16;

/// The launches of a segment for one set of sizes. The first call with them runs as
/// always, the second is written down, those that follow are replayed.
struct Recording {
  struct Node {
    const package::GridStep *step = nullptr;
    const package::GridStep::Part *part = nullptr;
    GridLaunch launch; ///< but for its parameters
    std::vector<void *> pointers;
    std::vector<int64_t> arguments;
    std::vector<TensorMapBytes> maps;
    std::vector<Span> spans; ///< in the call that was written down
    bool isChanged = false;
    std::optional<LibraryLaunch> library; ///< in place of `part`

    /// In the order of the kernel's parameters.
    std::vector<void *> parameters() {
      std::vector<void *> list;
      size_t count = step->buffers.size() + !step->hasWorkspace;
      for (size_t i = 0; i < count; ++i)
        list.push_back(&pointers[i]);
      for (int64_t &argument : arguments)
        list.push_back(&argument);
      for (TensorMapBytes &map : maps)
        list.push_back(&map);
      return list;
    }
  };
  /// A value, where it was, and whose parameter that is.
  struct Address {
    package::ValueId value = 0;
    void *last = nullptr;
    bool isVector = false; ///< a kernel counts on `kGridAlignment`
    std::vector<std::pair<uint32_t, uint32_t>> uses; ///< node, position
  };

  std::vector<package::Cell> symbols;
  unsigned calls = 0;
  std::string whyNot; ///< there is no graph for these sizes
  std::vector<Node> nodes;
  /// Of slots and fresh memory, to be looked at in each call; of the arena, when it has
  /// moved.
  std::vector<Address> outside, inArena;
  const uint8_t *arena = nullptr;
  std::vector<uint32_t> changed; ///< nodes that the graph does not know of
  /// Values that the segment lets go of and a call may have.
  std::vector<package::ValueId> released;
  uint64_t kernels = 0, products = 0, convolutions = 0; ///< among the nodes
  std::unique_ptr<DeviceGraph> graph;

  /// Forgets the launches, so that others can be written down.
  void clear() {
    nodes.clear();
    outside.clear();
    inArena.clear();
    changed.clear();
    released.clear();
    kernels = products = convolutions = 0;
  }
};

/// The recordings of a segment, the one that was used last first.
struct SegmentGraphs {
  std::list<Recording> recordings;
  size_t made = 0;
};

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_RECORDING_H
