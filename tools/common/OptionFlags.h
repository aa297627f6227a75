//===- OptionFlags.h - Options of a compilation as flags ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags that kiln/ABI/Options.def gives a tool, and the variables that stand
// where they are not given.
//
//   addOptionFlags(line, OptionTool::Run, options);
//   if (Status s = line.parse(argc, argv); !s) ...
//   readOptionVariables("kiln-run", OptionTool::Run, options);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_OPTIONFLAGS_H
#define KILN_TOOLS_COMMON_OPTIONFLAGS_H

#include "CommandLine.h"

#include "kiln/Options/CompileOptions.h"

namespace kiln::tools {

/// Registers the flags of a tool. A tool that has more to say about one of them
/// registers it again.
void addOptionFlags(CommandLine &line, OptionTool tool,
                    CompileOptions &options);

/// Sets one option as its flag does. Usage errors name the flag and what would
/// work.
Status setOption(CompileOptions &options, const std::string &name,
                 const std::string &text);

/// What a mode of torch.compile says of options: max-autotune measures candidates
/// for schedules and descends from the fastest; a CPU has no CUDA graphs. Usage
/// error for another word.
Status setMode(CompileOptions &options, const std::string &mode);

/// Reads the variables of options that still have their default. One that asks
/// for a folder, by 1, gets one named after the time and the process, which
/// standard error is told. A warning names PyTorch's variables of autotuning that are
/// no options, if schedules are tuned.
Status readOptionVariables(const std::string &name, OptionTool tool,
                           CompileOptions &options);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_OPTIONFLAGS_H
