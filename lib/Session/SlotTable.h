//===- SlotTable.h - What the slots of a program hold ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has one slot for each input: weights, which come from the source or
// the package, what an optimizer keeps, and what the caller passes. A table is
// made of an archive, or of the first package where there is none, and holds the
// values from one call to the next.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_SLOTTABLE_H
#define KILN_LIB_SESSION_SLOTTABLE_H

#include "kiln/Session/Session.h"

#include <atomic>
#include <map>

namespace kiln::session {

class SlotTable {
public:
  /// What an optimizer keeps: zeros before the first step.
  struct StateTensor {
    std::string name; ///< "exp_avg@fc.weight"
    size_t slot;
  };

  /// `program` may be null: then a package says what there is.
  SlotTable(const archive::ExportedProgram *program, bool hasOptimizer);
  /// Where weights and what an optimizer keeps are from now on; null: on the host.
  void setDevice(std::shared_ptr<runtime::Device> device) {
    device_ = std::move(device);
  }

  /// Gives the slots of weights and buffers the contents of the archive, which
  /// stays mapped. Unsupported if it came without them.
  Status bindWeights();
  /// Takes over what a call of `package` needs besides the caller's inputs: a
  /// session without an archive learns its inputs and weights, weights that the
  /// program changes get memory of their own, an optimizer its zeros.
  Status prepare(const package::Package &package);
  /// Fills in what the caller passes; Usage error for another number of them.
  Status setInputs(const std::vector<runtime::OpValue> &inputs);
  /// The values of a call with these inputs, which are not kept.
  Result<std::vector<runtime::OpValue>>
  withInputs(const std::vector<runtime::OpValue> &inputs) const;
  /// Forgets what calls changed, if there is an archive to begin with again;
  /// `prepare` has to follow for each variant.
  Status reset();

  const std::vector<UserInput> &inputs() const { return userInputs_; }
  const std::vector<runtime::OpValue> &values() const { return values_; }
  std::vector<runtime::OpValue> &values() { return values_; }
  const std::vector<StateTensor> &optimizerState() const {
    return optimizerState_;
  }

  /// Changes with the contents of weights; see RunOptions.
  std::atomic<uint64_t> &weightsVersion() { return weightsVersion_; }

  /// See Session.
  runtime::Tensor weight(const std::string &name) const;
  bool isTied(const std::string &name, const std::string &other) const;
  Status checkWeight(const std::string &name,
                     const runtime::Tensor &contents) const;
  Status setWeight(const std::string &name, const runtime::Tensor &contents);
  std::vector<std::string> missingWeights() const;
  /// Weights that the program may change, by name.
  std::map<std::string, runtime::Tensor> ownedWeights() const;

private:
  Status place(runtime::Tensor &tensor) const;
  /// A weight and what shares its memory.
  struct BoundWeight {
    runtime::Tensor tensor;
    DType dtype = DType::F32;
    std::vector<int64_t> sizes;
    std::vector<size_t> slots;
    bool isInPackage = false; ///< its contents are, and nobody changes them
    bool isFrozen = false;    ///< what was prepared of them is
    bool isPrepared = false;  ///< something is that is in a package
  };

  void takeSlots(const archive::ExportedProgram &program);
  void takeSlots(const package::Program &program);
  Status bindPackageWeights(const package::Package &package);
  Status ownChangedWeights(const package::Package &package);
  Status checkCount(const std::vector<runtime::OpValue> &inputs) const;
  Status copyStorage(const std::shared_ptr<runtime::Storage> &shared);
  Status bindOptimizer(const package::Package &package);
  Status checkUpdates(const package::Package &package) const;

  const archive::ExportedProgram *program_;
  bool hasOptimizer_;
  std::vector<UserInput> userInputs_;
  std::map<std::string, BoundWeight> weights_;
  /// One value per slot of the program, and which of them the caller passes.
  std::vector<runtime::OpValue> values_;
  std::vector<size_t> inputSlots_;
  std::shared_ptr<runtime::Device> device_;
  std::vector<StateTensor> optimizerState_;
  std::atomic<uint64_t> weightsVersion_{1};
};

} // namespace kiln::session

#endif // KILN_LIB_SESSION_SLOTTABLE_H
