//===- Checkpoints.h - What a model wants computed again --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Export runs the function of `torch.utils.checkpoint.checkpoint` in place, so
// its region is not a part of the graph. What is left of it is in the metadata
// that nodes carry when the program was exported under
// `torch.fx.traceback.preserve_node_meta()`, as JSON under "custom":
//
//   {"_torchdynamo_disable_method": "checkpoint", ...}
//       within a call of checkpoint; PyTorch 2.14 notes there which of its
//       functions it does not look into
//   {"recompute": "MUST_RECOMPUTE", "ac_graph_id": 1}
//       within `torch.fx.traceback.annotate`: a CheckpointPolicy by name, and
//       optionally the number of the region, the names of AOTAutograd's own
//       metadata
//
// Where no number says it, a region ends at a node that is in none, where the
// line changes that calls checkpoint, and where a numbered child of a list of
// modules follows another one: `for layer in self.layers: x = checkpoint(layer,
// x)` is as many regions as layers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_CHECKPOINTS_H
#define KILN_LIB_IMPORT_PT2_CHECKPOINTS_H

#include "kiln/Archive/Graph.h"
#include "kiln/Support/LLVM.h"

namespace kiln::pt2 {

/// Tells the regions of a graph whose nodes it is shown in order.
class Checkpoints {
public:
  enum class Wish { None, Save, Recompute };
  struct Tag {
    Wish wish = Wish::None;
    int64_t region = 0; ///< for Recompute
  };

  Tag look(const archive::Node &node);

private:
  bool isInside = false;
  std::string place; ///< of the region that the last node was in
  int64_t region = 0;
};

/// Says on `op` what the partition of a training step reads.
void setTag(Operation *op, const Checkpoints::Tag &tag);

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_CHECKPOINTS_H
