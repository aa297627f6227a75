//===- Training.h - The training loop of kiln-run ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_RUN_TRAINING_H
#define KILN_TOOLS_KILN_RUN_TRAINING_H

#include "Options.h"
#include "Stats.h"

#include "common/Inputs.h"

namespace kiln::run {

/// Gives weights the values of the file of `--weights`, and those that then still
/// have none, as those of a module, the random ones. Usage error if weights remain
/// without values.
Status prepareWeights(const Options &options, session::Session &session);

/// Runs the steps of `--steps`: the n-th step of a run takes batch n, counted
/// over and over from the first, and a run that continues from a checkpoint
/// goes on with the batch that would have come. One line a step goes to
/// `print`; the checkpoint is written at the end.
Status train(const Options &options, session::Session &session,
             const std::vector<tools::Call> &batches, RunFacts &facts,
             const std::function<void(const std::string &)> &print);

} // namespace kiln::run

#endif // KILN_TOOLS_KILN_RUN_TRAINING_H
