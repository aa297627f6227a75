//===- Executable.h - A loaded package -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One compiled variant, ready to be called: its code in executable memory, its
// constants as tensors, its guards as a table, a runner per program. Everything
// a package may lack (an operator, a processor feature) is found when it is
// loaded, not in the middle of a call.
//
// Example:
//
//   auto executable = Executable::load(std::move(package), registry);
//   auto outputs = executable->get()->forward().run({x, weight});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_EXECUTABLE_H
#define KILN_RUNTIME_EXECUTABLE_H

#include "kiln/Package/KernelStore.h"
#include "kiln/Runtime/GuardEvaluator.h"
#include "kiln/Runtime/ProgramRunner.h"

namespace kiln::runtime {

/// What a call with gradients gives.
struct TrainingResult {
  /// One per output of the forward program; none for saved values, which the
  /// backward program has consumed.
  std::vector<OpValue> outputs;
  std::vector<OpValue> gradients; ///< one per output of the backward program
};

class Executable {
public:
  /// Takes the package over. Malformed when it does not verify, Unsupported for
  /// operators or processor features that are missing. Kernels for a GPU run on
  /// `device`, where constants are then, too; `store`, which may be null, keeps what
  /// its driver makes of them.
  static Result<std::shared_ptr<Executable>>
  load(package::Package package, const OperatorRegistry &registry,
       std::shared_ptr<Device> device = nullptr,
       package::KernelStore *store = nullptr);

  /// The package, without the bytes of its constants and its code.
  const package::Package &package() const { return package_; }
  /// A constant of the package, read-only.
  const Tensor &constant(uint32_t index) const { return constants_[index]; }
  const GuardTable &guards() const { return *guards_; }
  /// What `DeviceImage::localBytes` says of its kernels; 0 on the host.
  size_t localBytes() const;
  ProgramRunner &forward() const { return *runners_[0]; }
  bool hasBackward() const { return runners_.size() == 2; }
  /// It may write over the saved values that it is given.
  ProgramRunner &backward() const { return *runners_[1]; }

  /// Runs forward, then backward. `tangents` has one element per output of the
  /// forward program, or none at all: then each differentiable output must hold
  /// one element, and its tangent is 1. Among given tangents, none means zeros
  /// and a number a tensor of ones.
  /// The backward program also reads forward inputs by name, with what they
  /// hold before the forward program runs.
  /// Usage error when the package has no backward program.
  Result<TrainingResult> runTraining(const std::vector<OpValue> &inputs,
                                     const std::vector<OpValue> &tangents,
                                     const RunOptions &options = {}) const;

private:
  /// Where an input of the backward program comes from.
  struct BackwardSource {
    enum Kind { Saved, Tangent, Input } kind;
    uint32_t index; ///< output, output, slot of the forward program
    bool isChanged = false; ///< by the forward program
  };

  Executable() = default;
  Status connectBackward();
  Result<OpValue> tangent(uint32_t slot, uint32_t output,
                          const std::vector<OpValue> &outputs,
                          const std::vector<OpValue> &tangents) const;

  package::Package package_;
  std::vector<Tensor> constants_;
  std::unique_ptr<GuardTable> guards_;
  std::shared_ptr<DeviceImage> grids_; ///< null on the host
  ProgramRunner::List runners_;
  ProgramRunner::List bodies_; ///< what control steps of any program run
  std::vector<BackwardSource> backwardSources_;
  /// Forward and backward run one after the other, in the same memory.
  mutable std::shared_ptr<Storage> trainingArena_;
  /// Tangents of one element on a device, by slot of the backward program.
  mutable std::map<uint32_t, Tensor> ones_;
  mutable std::mutex arenaMutex_; ///< of both
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_EXECUTABLE_H
