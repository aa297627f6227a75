//===- Inputs.h - What --inputs means -------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   io.json                   recorded inputs, with results to compare with
//   a.npy,b.npy,3             arrays and numbers in the order of the inputs
//   random[:SEED][,s77=16][,x=16x4x64]   numbers from a counter generator
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_INPUTS_H
#define KILN_TOOLS_COMMON_INPUTS_H

#include "kiln/Archive/IoFile.h"
#include "kiln/Session/Session.h"

namespace kiln::tools {

/// One call to make.
struct Call {
  std::vector<runtime::OpValue> inputs;
  /// What it must give; null for inputs without results.
  const archive::IoSet *expected = nullptr;
  const archive::IoFile *file = nullptr;
};

/// The inputs of a recorded set, each with memory of its own. Inputs are found
/// by path where both sides have one, else by position. In a joint file only
/// the user inputs count.
Result<std::vector<runtime::OpValue>>
recordedInputs(const session::Session &session, const archive::IoSet &set);

/// The inputs of `a.npy,b.npy`; see the top of this file.
Result<std::vector<runtime::OpValue>>
arrayInputs(const session::Session &session, const std::string &spec);

/// The inputs of `random:7,s77=16`. Floats are normal, integers and bools 0 or
/// 1. Usage error for a size that nothing says.
Result<std::vector<runtime::OpValue>>
randomInputs(const session::Session &session, const std::string &spec);

/// A tensor of normal numbers around 0; equal seeds give equal tensors.
Result<runtime::Tensor> normalTensor(DType dtype,
                                     const std::vector<int64_t> &sizes,
                                     uint64_t seed, double deviation);

/// Gives values to weights that have none, as those of a module: normal, as wide as keeps what a
/// row adds up to at the size of its inputs; a vector counts as one row. A variant has been
/// compiled.
Status drawWeights(session::Session &session, uint64_t seed);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_INPUTS_H
