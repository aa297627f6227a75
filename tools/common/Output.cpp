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

/// The kinds of files that tools tell by their names.
static const char *suffixOf(ByteView bytes) {
  auto startsWith = [&](std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (startsWith("PK"))
    return ".pt2";
  if (startsWith("ML\xefR"))
    return ".mlirbc";
  if (startsWith(std::string_view(KILN_PACKAGE_MAGIC, 8)))
    return ".kiln";
  return ".mlir";
}

Result<ModelFile> ModelFile::open(const std::string &argument) {
  if (!isStandard(argument))
    return ModelFile(argument);
  auto bytes = readInput(argument, uint64_t(1) << 40);
  if (!bytes)
    return bytes.takeError();
  if (bytes->empty())
    return Error::malformed("standard input is empty, expected a model");
  const char *place = std::getenv("TMPDIR");
  std::string folder = std::string(place && *place ? place : "/tmp") +
                       "/kiln-stdin-XXXXXX";
  if (!::mkdtemp(folder.data()))
    return Error::io("cannot make a folder '" + folder +
                     "': " + systemMessage(errno));
  ModelFile file(folder + "/stdin" + suffixOf(*bytes));
  file.folder_ = folder;
  if (Status s = writeFile(file.path_, *bytes); !s)
    return s.takeError();
  return file;
}

ModelFile::ModelFile(ModelFile &&other)
    : path_(std::move(other.path_)), folder_(std::move(other.folder_)) {
  other.folder_.clear();
}

ModelFile::~ModelFile() {
  if (folder_.empty())
    return;
  ::unlink(path_.c_str());
  ::rmdir(folder_.c_str());
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
