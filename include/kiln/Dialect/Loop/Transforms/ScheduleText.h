//===- ScheduleText.h - The numbers of a schedule ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number that an emitter uses stands in the text of a schedule, so that a
// search may change it there and needs no word about the kinds of schedules:
//
//   getTunables("#loop.within<along = [32, 16], sum_block = 128, grain = 4>")
//     -> along.0 = 32, along.1 = 16, sum_block = 128, grain = 4
//   setTunable(text, "grain", 8)
//     -> "#loop.within<along = [32, 16], sum_block = 128, grain = 8>"
//
// Inside of another schedule a number has its path: "products.1.tile_rows".
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_TRANSFORMS_SCHEDULETEXT_H
#define KILN_DIALECT_LOOP_TRANSFORMS_SCHEDULETEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::loop {

/// A number and where it stands.
struct Tunable {
  std::string name;
  int64_t value = 0;
  size_t begin = 0, length = 0;
};

/// All numbers, in the order of the text. Any text is accepted.
std::vector<Tunable> getTunables(std::string_view schedule);

/// The text with another number, or the same text if it has none of this name.
std::string setTunable(std::string_view schedule, std::string_view name,
                       int64_t value);

/// "packed" of "#loop.packed<...>"; empty for another text.
std::string_view getScheduleKind(std::string_view schedule);

/// The schedules that differ from this one in one number, twice or half as large,
/// in a fixed order. The blocks of sums (`sum_block`), the meaning of the others
/// (`dim`) and the register tile, on which others depend, stay. Not all of them need
/// be legal. Lanes along a sum (`along`) and the depth of a block (`block_depth`) do
/// change, and with them the order of additions: floats may differ in their last bits.
std::vector<std::string> getNeighbours(std::string_view schedule);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_TRANSFORMS_SCHEDULETEXT_H
