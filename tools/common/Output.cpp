//===- Output.cpp - Standard input and output of the tools ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "kiln/ABI/PackageABI.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::tools;

static Error outputError(int code) {
  return Error::io("cannot write standard output" +
                   (code ? ": " + systemMessage(code) : std::string()));
}

/// What the system said of the first write that failed. A stream only keeps that
/// one did.
static int firstOutputError = 0;

void tools::print(const std::string &text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() &&
      firstOutputError == 0)
    firstOutputError = errno;
}

/// Everything that was printed, on its way.
static Status flushOutput() {
  errno = 0;
  if (std::fflush(stdout) != 0 && firstOutputError == 0)
    firstOutputError = errno;
  return std::ferror(stdout) ? Status(outputError(firstOutputError))
                             : Status::success();
}

int tools::runTool(const std::string &tool, const std::function<int()> &body) {
  // In the wrong direction, so that using one is the error that it was.
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0)
      return static_cast<int>(ErrorKind::Malformed);
  int code = body();
  Status flushed = flushOutput();
  // An error of the tool itself tells more.
  if (flushed || code > static_cast<int>(ErrorKind::CheckFailed))
    return code;
  return reportError(tool, flushed.error());
}

int tools::reportError(const std::string &tool, const Error &error) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: %s\n", tool.c_str(), error.message.c_str());
  return error.exitCode();
}

Status tools::writeOutput(const std::string &path, ByteView contents) {
  if (!isStandard(path))
    return writeFile(path, contents);
  if (Status s = flushOutput(); !s)
    return s;
  return writeDescriptor(STDOUT_FILENO, contents, "standard output");
}

Status tools::checkOutput(const std::string &path) {
  return isStandard(path) ? Status::success() : checkWritable(path);
}

Result<std::vector<uint8_t>> tools::readInput(const std::string &path,
                                              uint64_t limit) {
  if (!isStandard(path))
    return readFile(path, limit);
  std::vector<uint8_t> bytes;
  uint8_t block[65536];
  while (true) {
    ssize_t count = ::read(STDIN_FILENO, block, sizeof(block));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return Error::io("cannot read standard input: " + systemMessage(errno));
    if (count == 0)
      return bytes;
    if (bytes.size() + static_cast<size_t>(count) > limit)
      return Error::malformed("standard input is longer than the limit of " +
                              std::to_string(limit) + " bytes");
    bytes.insert(bytes.end(), block, block + count);
  }
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

Result<archive::SourcePtr>
tools::openModel(const std::string &argument,
                 const archive::LoadOptions &options) {
  if (!isStandard(argument))
    return archive::Source::open(argument, options);
  auto bytes = readInput(argument, uint64_t(1) << 40);
  if (!bytes)
    return bytes.takeError();
  if (bytes->empty())
    return Error::malformed("standard input is empty, expected a model");
  return archive::Source::read(SharedBytes::own(std::move(*bytes)), "<stdin>",
                               options);
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

std::string tools::versionText(const std::string &tool,
                               const std::string &llvmVersion) {
  std::string text = tool + " " KILN_VERSION "\n";
  if (!llvmVersion.empty())
    text += "LLVM " + llvmVersion + "\n";
  if (auto id = readBuildId("/proc/self/exe"))
    text += "build id " + *id + "\n";
  return text;
}

bool tools::printAbout(const CommandLine &line, const std::string &tool,
                       const std::string &help,
                       const std::string &llvmVersion) {
  if (line.wantsHelp())
    print(help);
  else if (line.wantsVersion())
    print(versionText(tool, llvmVersion));
  return line.wantsHelp() || line.wantsVersion();
}
