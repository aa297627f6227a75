//===- OptimizerConfig.h - Which optimizer a training step ends with -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of an optimizer, with the names and the defaults of
// `torch.optim`. The learning rate and the number of the step are not among
// them: they are inputs of the compiled program, so that a schedule compiles
// nothing again.
//
//   config  := kind ("," entry)*
//   kind    := "sgd" | "adam" | "adamw"
//   entry   := name "=" number | flag | flag "=" ("0" | "1")
//   flag    := "nesterov" | "amsgrad" | "maximize"
//
// "sgd,momentum=0.9,nesterov" and "adamw,beta2=0.95,clip_norm=1" are two.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_OPTIMIZERCONFIG_H
#define KILN_INTERFACES_OPTIMIZERCONFIG_H

#include "kiln/Support/LLVM.h"

#include <optional>
#include <string>

namespace kiln {

struct OptimizerConfig {
  enum class Kind { SGD, Adam, AdamW };
  Kind kind = Kind::SGD;
  double weightDecay = 0; ///< 0.01 for AdamW
  bool maximize = false;
  /// Gradients are scaled so that their norm, as one vector, is at most this.
  std::optional<double> clipNorm;

  double momentum = 0; ///< SGD
  double dampening = 0;
  bool nesterov = false;

  double beta1 = 0.9; ///< Adam and AdamW
  double beta2 = 0.999;
  double eps = 1e-8;
  bool amsgrad = false;

  /// Reads the text form; nothing if it is wrong, with a sentence in `problem`.
  static std::optional<OptimizerConfig> parse(StringRef text,
                                              std::string &problem);

  /// The tensors kept for each parameter, by torch's names; all start as zeros.
  SmallVector<StringRef> getStateNames() const;
};

} // namespace kiln

#endif // KILN_INTERFACES_OPTIMIZERCONFIG_H
