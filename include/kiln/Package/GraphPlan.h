//===- GraphPlan.h - Which steps a device can be asked for at once --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids that follow each other are launched as one graph (`RunOptions::graphs`); a step
// of the host ends it. Both the runtime and `--explain=cudagraphs` ask here.
//
//   grid, grid, aten.item, grid, grid
//   planGraphs(program).segments; // steps 0 to 2 and 3 to 5, of two launches each
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_GRAPHPLAN_H
#define KILN_PACKAGE_GRAPHPLAN_H

#include "kiln/Package/Package.h"

namespace kiln::package {

/// Steps `begin` to `end`, which hold launches and what needs no host.
struct GraphSegment {
  uint32_t begin = 0, end = 0;
  uint32_t launches = 0;
};

/// A step of the host between launches.
struct GraphBreak {
  uint32_t step = 0;
  std::string reason; ///< "aten.item.default runs on the host (at model.py:3)"
};

struct GraphPlan {
  std::vector<GraphSegment> segments; ///< of two launches or more, in order
  std::vector<GraphBreak> breaks;     ///< of steps with launches on both sides
};

/// True for an assertion (`aten._assert_async`) of one value of up to eight bytes. A
/// device looks at it by itself, as part of what it is asked for, a processor between
/// two kernels of a launch.
bool isDeviceCheck(const Program &program, const ExternStep &step);

GraphPlan planGraphs(const Program &program);

/// What `--explain=cudagraphs` says of a package.
std::string graphText(const Package &package);

} // namespace kiln::package

#endif // KILN_PACKAGE_GRAPHPLAN_H
