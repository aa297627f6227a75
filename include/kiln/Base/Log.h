//===- Log.h - One sink for log lines ------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Log lines go to one sink, standard error unless a tool sets another. A line
// has a category, named like the artifacts of TORCH_LOGS ("fusion",
// "recompiles", "guards", "cache", ...), and a level. Only warnings and errors
// are written until a tool turns categories on; the library itself reads no
// environment.
//
// Logging never carries information that a program needs: errors are `Result`,
// decisions are remarks.
//
// Example:
//
//   if (auto status = log::configure("+fusion,guards"); !status)
//     return status.takeError();
//   if (log::isEnabled("fusion", log::Level::Debug))
//     log::write("fusion", log::Level::Debug, "merged k0 and k1");
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_LOG_H
#define KILN_BASE_LOG_H

#include "kiln/Base/Result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::log {

enum class Level { Debug, Info, Warning, Error };

/// The categories that exist, sorted.
const std::vector<std::string_view> &categories();

/// Turns categories on: a comma-separated list as in TORCH_LOGS. `name` shows
/// Info and above, `+name` Debug and above, `-name` errors only; `all` stands
/// for every category. Replaces what was set before. Usage error for an
/// unknown name; the message lists those that exist. With `unknown` such names
/// are put there instead and do nothing: a list may be meant for others, too.
Status configure(std::string_view specification,
                 std::vector<std::string> *unknown = nullptr);

/// True if a line of this category and level would be written. An unknown
/// category behaves as one that was not turned on.
bool isEnabled(std::string_view category, Level level);

/// Writes one line, "[category] text". Thread-safe; does nothing if not
/// enabled. Line breaks in `text` are kept.
void write(std::string_view category, Level level, std::string_view text);

/// Lines go to `sink` instead of standard error; null restores that. For
/// tests and embedders. The sink is called under a lock, one line at a time.
using Sink =
    std::function<void(std::string_view category, Level, std::string_view)>;
void setSink(Sink sink);

} // namespace kiln::log

#endif // KILN_BASE_LOG_H
