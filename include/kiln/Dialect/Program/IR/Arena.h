//===- Arena.h - What holds of the arena ------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   offset % program::kArenaAlignment == 0;  // of every buffer
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_ARENA_H
#define KILN_DIALECT_PROGRAM_IR_ARENA_H

#include <cstdint>

namespace kiln::program {

/// All places in the arena are multiples of this many bytes.
inline constexpr int64_t kArenaAlignment = 64;

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_IR_ARENA_H
