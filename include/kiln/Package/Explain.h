//===- Explain.h - What a package says of itself --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts behind the words of TORCH_LOGS and `--explain`: of the reasons that
// the passes gave (`Package::reasons`) and of what stands in the package in
// another form, such as its guards. A program out of the cache explains itself
// like one that was compiled just now.
//
//   auto isFusion = [](std::string_view topic) { return topic == "fusion"; };
//   for (const Explanation &one : explain(package, isFusion))
//     print(one.text);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_EXPLAIN_H
#define KILN_PACKAGE_EXPLAIN_H

#include "kiln/Package/Package.h"

#include <functional>

namespace kiln::package {

/// What a package says about a topic.
struct Explanation {
  std::string topic; ///< "fusion", "partition", "memory", "guards", ...
  std::string text;  ///< the lines a user reads
};

/// The texts of the topics that are wanted: at least one for each of
///   autotuning cudagraphs dynamic fusion graph_breaks guards memory
///   output_code partition perf_hints schedule
/// which may say that there was nothing to decide, and why. What passes decided
/// is told function by function, in the order of the programs.
std::vector<Explanation>
explain(const Package &package,
        const std::function<bool(std::string_view)> &isWanted);

/// One line per guard in the order in which they are checked:
/// "x.size[0] == s77   # L['x'].size()[0] == s77", then the symbols' ranges.
std::string guardTable(const Package &package);

} // namespace kiln::package

#endif // KILN_PACKAGE_EXPLAIN_H
