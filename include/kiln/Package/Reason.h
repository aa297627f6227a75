//===- Reason.h - Why something was decided -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remark of the compiler as plain data, so that a program out of the cache can
// say why it is as it is.
//
//   for (const Reason &reason : package.reasons)
//     if (identify(reason) == ReasonId::NotFused)
//       print(reason.function, reason.get("reason"));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_REASON_H
#define KILN_PACKAGE_REASON_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::package {

struct Reason {
  /// What came of it, as MLIR's remarks tell it.
  enum class Kind : uint8_t { Passed, Missed, Failed, Analysis };
  struct Argument {
    std::string key, value;
  };

  Kind kind = Kind::Analysis;
  std::string pass;     ///< "loop-fuse"
  std::string name;     ///< "not-fused"
  std::string function; ///< whose body it is about, as the remark says
  std::vector<Argument> arguments;

  /// The value of an argument, empty if there is none.
  std::string_view get(std::string_view key) const;
};

/// The reasons of kiln/ABI/Reasons.def.
enum class ReasonId : uint8_t {
#define KILN_REASON(id, pass, name) id,
#include "kiln/ABI/Reasons.def"
};

/// Which of them this is; none if a plugin gave it, or another version.
std::optional<ReasonId> identify(const Reason &reason);

} // namespace kiln::package

#endif // KILN_PACKAGE_REASON_H
