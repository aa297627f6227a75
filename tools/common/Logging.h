//===- Logging.h - Log words ----------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PyTorch's users set in the environment to look inside: TORCH_LOGS. Only
// tools read it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_LOGGING_H
#define KILN_TOOLS_COMMON_LOGGING_H

#include "kiln/Base/Result.h"

#include <optional>
#include <string>

namespace kiln::tools {

/// Sends log lines to standard error and turns on the words of `--log`, or
/// without it those of TORCH_LOGS. An unknown word of the flag is a Usage error.
/// The variable may be meant for PyTorch as well: what it names beside Kiln's
/// words is ignored with one warning.
Status configureLogs(const std::string &tool,
                     const std::optional<std::string> &flag);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_LOGGING_H
