//===- ModuleReader.cpp - Foreign IR, kept at a distance ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleReader.h"

#include "kiln/Base/FileSystem.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cerrno>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::compiler;

// Longest a child may take to parse.
static constexpr unsigned kParseSeconds = 60;

static bool isBytecode(StringRef text) { return text.starts_with("ML\xefR"); }

/// Counts brackets outside of strings and comments.
static Status checkNesting(StringRef text, const std::string &path) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      while (i < text.size() && text[i] != '\n')
        ++i;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      // `->` and `<` of types nest alike; both cost the parser stack.
      if (++depth > kMaxNesting)
        return Error::malformed("'" + path + "' nests deeper than " +
                                std::to_string(kMaxNesting) + " brackets");
    } else if ((c == ')' || c == ']' || c == '}' ||
                (c == '>' && (i == 0 || text[i - 1] != '-'))) &&
               depth > 0) {
      --depth;
    }
  }
  return Status::success();
}

static mlir::OwningOpRef<ModuleOp> parse(MLIRContext *context, StringRef text,
                                         const std::string &path,
                                         std::string &complaint) {
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream os(complaint);
        if (!complaint.empty())
          os << "; ";
        os << diagnostic.getLocation() << ": " << diagnostic;
        return success();
      });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text, path,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  return mlir::parseSourceFile<ModuleOp>(sources, context);
}

/// Parses in a child and says whether the child came back.
static Status rehearse(MLIRContext *context, StringRef text,
                       const std::string &path) {
  pid_t child = ::fork();
  if (child < 0)
    return Error::io("cannot start a process to parse '" + path + "'");
  if (child == 0) {
    struct rlimit limit = {kParseSeconds, kParseSeconds};
    ::setrlimit(RLIMIT_CPU, &limit);
    struct rlimit noCore = {0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    std::string ignored;
    (void)parse(context, text, path, ignored);
    ::_exit(0);
  }
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
    return Status::success();
  return Error::malformed("'" + path + "' makes MLIR's parser fail; expected "
                          "IR that it can read");
}

Result<mlir::OwningOpRef<ModuleOp>>
compiler::readModule(MLIRContext *context, const std::string &path) {
  auto bytes = readFile(path, kMaxBytecodeBytes);
  if (!bytes)
    return bytes.takeError();
  StringRef text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  if (!isBytecode(text)) {
    if (text.size() > kMaxTextBytes)
      return Error::malformed("'" + path + "' has " +
                              std::to_string(text.size()) +
                              " bytes, expected at most 256 MiB of text");
    if (Status s = checkNesting(text, path); !s)
      return s.takeError();
  }
  // MLIR's lexer wants a terminator behind the text.
  bytes->push_back(0);
  text = StringRef(reinterpret_cast<const char *>(bytes->data()),
                   bytes->size() - 1);
  if (Status s = rehearse(context, text, path); !s)
    return s.takeError();
  std::string complaint;
  auto module = parse(context, text, path, complaint);
  if (!module)
    return Error::malformed(complaint.empty()
                                ? "'" + path + "' is no MLIR module"
                                : complaint);
  return module;
}
