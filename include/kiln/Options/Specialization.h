//===- Specialization.h - What a variant makes of symbols -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller of the compiler may ask for a program with numbers in the place of
// symbols, "s77=8", or with more assumed of them than the source says, "s3=2..".
//
//   auto wanted = Specialization::parse("s77=8\ns3=2..");
//   if (!wanted)
//     return wanted.takeError();
//   wanted->values["s77"];      // 8
//   wanted->lowerBounds["s3"];  // 2
//
//===----------------------------------------------------------------------===//

#ifndef KILN_OPTIONS_SPECIALIZATION_H
#define KILN_OPTIONS_SPECIALIZATION_H

#include "kiln/Base/Result.h"

#include <cstdint>
#include <map>
#include <string>

namespace kiln {

struct Specialization {
  std::map<std::string, int64_t> values; ///< symbols that are numbers
  /// Bounds of others, for those that have none above.
  std::map<std::string, int64_t> lowerBounds;

  /// Lines `symbol=integer` and `symbol=integer..`.
  std::string text() const;
  /// Usage errors name the line.
  static Result<Specialization> parse(const std::string &text);
};

} // namespace kiln

#endif // KILN_OPTIONS_SPECIALIZATION_H
