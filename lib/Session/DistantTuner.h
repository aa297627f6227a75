//===- DistantTuner.h - A tuner on the other side of a pipe -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation in a process of its own asks its parent to measure: the parent has
// the cache, and what it counts outlives the compilation.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_DISTANTTUNER_H
#define KILN_LIB_SESSION_DISTANTTUNER_H

#include "kiln/Base/ChildProcess.h"
#include "kiln/Package/KernelTuner.h"

namespace kiln::session {

/// The copy's side.
class DistantTuner final : public package::KernelTuner {
public:
  DistantTuner(ChildChannel &parent, unsigned threads, bool isOnDevice)
      : parent_(parent), threads_(threads), isOnDevice_(isOnDevice) {}

  package::MachineSpeed speed() override;
  unsigned threads() const override { return threads_; }
  bool isOnDevice() const override { return isOnDevice_; }
  std::vector<std::string> find(const Digest &key,
                                package::TuningSubject subject) override;
  void keep(const Digest &key, const std::string &config) override;
  std::vector<package::Trial>
  measure(const std::string &kernel,
          const std::vector<std::vector<uint8_t>> &packages,
          const package::TrialInputs &inputs) override;
  void progress(const std::string &kernel, unsigned done,
                unsigned all) override;

private:
  ChildChannel &parent_;
  unsigned threads_;
  bool isOnDevice_;
};

/// The parent's side: the reply to a message of a DistantTuner; nothing for a message
/// of somebody else.
std::optional<std::vector<uint8_t>>
answerTuner(package::KernelTuner &tuner, uint8_t tag, ByteView message);

} // namespace kiln::session

#endif // KILN_LIB_SESSION_DISTANTTUNER_H
