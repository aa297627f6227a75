//===- Checkpoint.h - The bytes of a checkpoint -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a training run leaves behind. All numbers are little-endian.
//
//   checkpoint := magic:8 version:u32 zero:u32 size:u64 digest:32 body
//   body       := optimizer:text step:u64 seed:u64 list(tensor)
//   tensor     := state:u8 name:text dtype:u8 rank:u32 i64{rank} bytes
//   text       := length:u32 byte{length}
//   list(x)    := count:u32 x{count}
//
// `size` is that of the file, `digest` the SHA-256 of the body. `state` is 0 for
// a weight and 1 for what the optimizer keeps; tensors stand in the order of
// their names, weights first, their elements row-major and without gaps.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_CHECKPOINT_H
#define KILN_LIB_SESSION_CHECKPOINT_H

#include "kiln/Base/Bytes.h"
#include "kiln/Runtime/Tensor.h"

#include <map>
#include <string>

namespace kiln::session {

struct Checkpoint {
  std::string optimizer;
  uint64_t step = 0;
  uint64_t seed = 0;
  /// By kind (is optimizer state) and name.
  std::map<std::pair<bool, std::string>, runtime::Tensor> tensors;

  Result<std::vector<uint8_t>> encode() const;
  /// Malformed for anything `encode` does not write. The tensors are views of
  /// copies, never of `bytes`.
  static Result<Checkpoint> decode(ByteView bytes);
};

} // namespace kiln::session

#endif // KILN_LIB_SESSION_CHECKPOINT_H
