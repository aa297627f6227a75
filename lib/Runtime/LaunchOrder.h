//===- LaunchOrder.h - Which launches wait for which ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of two launches the later one waits for the other where both see some memory and one
// of them writes there: what it reads is there then, and what it writes over has been
// read.
//
//   0: writes t    1: reads t, writes u    2: reads t, writes v    3: reads u and v
//   findOrder({...});  // {}, {0}, {0}, {2, 1}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_LAUNCHORDER_H
#define KILN_LIB_RUNTIME_LAUNCHORDER_H

#include "kiln/Package/Program.h"

#include <cstdint>
#include <vector>

namespace kiln::runtime {

/// Memory that a launch sees.
struct Span {
  package::ValueId root = 0; ///< of which the value is a view: one memory in each call
  uintptr_t begin = 0, end = 0;
  bool isWritten = false;
};

/// For each launch, those before it that it waits for, the last one first, but for those
/// that these wait for. `spans` is what each of them sees. They are a chain where side by
/// side they would hardly be done sooner: a device takes longer to begin branches.
std::vector<std::vector<uint32_t>>
findOrder(const std::vector<std::vector<Span>> &spans);

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_LAUNCHORDER_H
