//===- Programs.h - Sessions of programs that are made here -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   auto session = openProgram(graph.text, options, /*threads=*/1, "");
//   auto input = makeInput({4, 6}, seed, DType::F32);
//   auto results = callProgram(**session, /*training=*/false,
//   {std::move(*input)});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_CHAOS_PROGRAMS_H
#define KILN_TEST_CHAOS_PROGRAMS_H

#include "kiln/Session/Session.h"

namespace kiln::chaos {

/// A session of a module, in this process; `root` is its cache, empty for none.
Result<std::unique_ptr<session::Session>>
openProgram(const std::string &text, const CompileOptions &options,
            unsigned threads, const std::string &root);

/// The numbers of `makeNumbers` as `dtype`: f32 or f64.
Result<runtime::Tensor> makeInput(const std::vector<int64_t> &sizes,
                                  uint64_t seed, DType dtype);

/// The outputs of a call, and in training the gradients behind them: the
/// output, a number, starts from 1 by itself.
Result<std::vector<runtime::OpValue>>
callProgram(session::Session &session, bool training,
            const std::vector<runtime::OpValue> &inputs);

/// The elements of a tensor in order.
Result<runtime::Tensor> makeDense(const runtime::Tensor &tensor);

} // namespace kiln::chaos

#endif // KILN_TEST_CHAOS_PROGRAMS_H
