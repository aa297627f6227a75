//===- ReduceGraph.h - The pass kiln-reduce-graph ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_REDUCE_REDUCEGRAPH_H
#define KILN_TOOLS_KILN_REDUCE_REDUCEGRAPH_H

namespace kiln::tools {

/// Makes the pass `kiln-reduce-graph` known, with the options `test` and
/// `test-arg` of upstream's `reduction-tree`. It cuts graphs of values, where
/// `reduction-tree` only leaves out ops that nobody uses. What it tries, op by
/// op, from the last to the first, as long as the tester still finds the fault:
///
///   - the function returns one value less, or what that was made of
///   - a result is replaced by an operand of its type
///   - a result is replaced by a new argument of the function
///   - an argument that nobody reads is left out
///
/// Each attempt is verified before it is tested, and kept only if there are fewer
/// ops, results or arguments. No op is known by name but functions and returns.
void registerReduceGraphPass();

} // namespace kiln::tools

#endif // KILN_TOOLS_KILN_REDUCE_REDUCEGRAPH_H
