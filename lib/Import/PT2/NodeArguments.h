//===- NodeArguments.h - Arguments of a node by their place -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_NODEARGUMENTS_H
#define KILN_LIB_IMPORT_PT2_NODEARGUMENTS_H

#include "kiln/Archive/Graph.h"
#include "kiln/Base/Result.h"
#include "kiln/Support/LLVM.h"

namespace kiln::pt2 {

inline Error notAnArgument(StringRef what) {
  return Error::malformed("expected " + what.str() + " among its arguments");
}

/// Null if there are fewer, or it is of another kind.
template <typename T>
const T *argumentAt(const archive::Node &node, size_t index) {
  return index < node.inputs.size() ? node.inputs[index].arg.as<T>() : nullptr;
}

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_NODEARGUMENTS_H
