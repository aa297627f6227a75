//===- Output.h - Standard input and output of the tools ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is the same for every tool: "-" means standard input or output, results
// that cannot be written are an error, and --help and --version.
//
//   int main(int argc, char **argv) {
//     return runTool("kiln-x", [&] { return run(argc, argv); });
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_OUTPUT_H
#define KILN_TOOLS_COMMON_OUTPUT_H

#include "CommandLine.h"

#include "kiln/Archive/Source.h"
#include "kiln/Base/FileSystem.h"

#include <functional>
#include <string>

namespace kiln::tools {

/// Runs the body of a tool and returns its exit code, or 3 if what it wrote to
/// standard output did not get there. Descriptors 0 to 2 that the caller closed
/// are taken first, so that no file gets one and receives what is printed.
int runTool(const std::string &tool, const std::function<int()> &body);

/// Writes "tool: error: message" and returns the exit code of the error.
int reportError(const std::string &tool, const Error &error);

/// Whether a path stands for standard input or output.
inline bool isStandard(const std::string &path) { return path == "-"; }

/// Writes to standard output. Whether that worked is asked at the end.
void print(const std::string &text);

/// Writes a result to a file, by the rule of `writeFile`, or to standard output
/// behind what was printed already.
Status writeOutput(const std::string &path, ByteView contents);

/// Says before the work that `writeOutput` could not write there.
Status checkOutput(const std::string &path);

/// A whole file of up to `limit` bytes, or standard input.
Result<std::vector<uint8_t>> readInput(const std::string &path,
                                       uint64_t limit);

/// The model that the command line names. What comes from standard input is what
/// its first bytes say it is.
Result<archive::SourcePtr> openModel(const std::string &argument,
                                     const archive::LoadOptions &options = {});

/// What --version prints: name and version, LLVM's version for tools that are
/// linked with it, and the build id of the running program.
std::string versionText(const std::string &tool,
                        const std::string &llvmVersion = "");

/// Prints the help or the version, if one of them is asked for.
bool printAbout(const CommandLine &line, const std::string &tool,
                const std::string &help, const std::string &llvmVersion = "");

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_OUTPUT_H
