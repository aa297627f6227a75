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

/// Gives the weights of a module, which holds none, the values of `--weights`.
/// Usage error if it has weights and there is no such flag.
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
