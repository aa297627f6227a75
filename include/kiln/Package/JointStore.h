//===- JointStore.h - Where graphs of training steps are kept ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step that was differentiated and cut is the same for every processor
// and every schedule. The compiler asks for it before it imports a program and tells
// it when it has made it; it knows no folder and no key, both are its caller's:
//
//   if (std::optional<std::vector<uint8_t>> bytes = store.find())
//     ... // take it up, or store.refuse("it nests too deep")
//   store.keep(bytes, micros);
//
// The session's, which keeps graphs in the cache, is kiln/Session/JointCache.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_JOINTSTORE_H
#define KILN_PACKAGE_JOINTSTORE_H

#include "kiln/Base/Bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::package {

/// Of one program with one set of options that act before code is generated. Nothing
/// here fails: what is not found is made, what cannot be kept is made again.
class JointStore {
public:
  virtual ~JointStore() = default;

  /// What is kept, if somebody who is trusted has signed it: bytes go to a parser that
  /// is no security boundary. Its caller looks whether they are what it wants.
  virtual std::optional<std::vector<uint8_t>> find() = 0;
  /// What was found is not what this compiler writes: it goes, and counts as not
  /// found.
  virtual void refuse(const std::string &reason) = 0;
  /// Keeps what took so many microseconds to make.
  virtual void keep(ByteView bytes, uint64_t micros) = 0;
};

} // namespace kiln::package

#endif // KILN_PACKAGE_JOINTSTORE_H
