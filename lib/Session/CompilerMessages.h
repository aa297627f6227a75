//===- CompilerMessages.h - What an isolated compilation asks ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation in a copy of the process and its parent talk over one channel
// (kiln/Base/ChildProcess.h). The kinds of messages of the copy, and how all of them
// write a digest. What a message holds stands where it is made.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_COMPILERMESSAGES_H
#define KILN_LIB_SESSION_COMPILERMESSAGES_H

#include "kiln/Base/Bytes.h"
#include "kiln/Base/Digest.h"

#include <algorithm>

namespace kiln::session {

enum CompilerMessage : uint8_t {
  // IsolatedCompiler.cpp
  kStageBegins = 1,
  kFindKernels,
  kKeepKernel,
  kFindJoint,
  kRefuseJoint,
  kKeepJoint,
  // DistantTuner.cpp
  kMachineSpeed,
  kFindConfigs,
  kKeepConfig,
  kMeasure,
  kTuningProgress,
};

inline void writeDigest(ByteWriter &writer, const Digest &digest) {
  writer.bytes(ByteView(digest.bytes.data(), digest.bytes.size()));
}

inline Digest readDigest(ByteReader &reader) {
  Digest digest;
  ByteView bytes = reader.bytes(digest.bytes.size());
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

} // namespace kiln::session

#endif // KILN_LIB_SESSION_COMPILERMESSAGES_H
