//===- ModuleReader.cpp - Foreign IR, kept at a distance ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleReader.h"

#include "Watchdog.h"

#include "kiln/Base/CheckedMath.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/thread.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::compiler;

// How a child ends that has parsed a module of too many operations.
static constexpr int kTooManyOps = 3;

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

static mlir::OwningOpRef<ModuleOp> parseHere(MLIRContext *context,
                                             StringRef text,
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

/// Parses on a stack that the allowed nesting fits into, whoever asks.
static mlir::OwningOpRef<ModuleOp> parse(MLIRContext *context, StringRef text,
                                         const std::string &path,
                                         std::string &complaint) {
  std::optional<unsigned> stackBytes = 64u << 20;
  mlir::OwningOpRef<ModuleOp> module;
  llvm::thread parser(stackBytes, [&] {
    module = parseHere(context, text, path, complaint);
  });
  parser.join();
  return module;
}

static bool hasMoreOps(ModuleOp module, uint64_t limit) {
  uint64_t count = 0;
  return module
      .walk([&](Operation *) {
        return ++count > limit ? mlir::WalkResult::interrupt()
                                 : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// A tensor or buffer that no machine holds wraps around wherever its size is
/// computed.
static Status checkTypes(ModuleOp module, const std::string &path) {
  Status status = Status::success();
  mlir::AttrTypeWalker walker;
  auto check = [&](auto type) {
    std::vector<int64_t> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(mlir::ShapedType::isDynamic(size) ? 1 : size);
    Type element = type.getElementType();
    int64_t bits = 8;
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
      element = complex.getElementType();
      bits = 16;
    }
    if (element.isIntOrFloat())
      bits = bits / 8 * element.getIntOrFloatBitWidth();
    auto count = elementCount(sizes);
    auto bytes = count ? checkedMul(*count, (bits + 7) / 8) : std::nullopt;
    if (!count)
      status = count.error().withContext("'" + path + "'");
    else if (!bytes || *bytes > kMaxTensorBytes)
      status = Error::malformed("'" + path + "': a tensor takes more than " +
                                std::to_string(kMaxTensorBytes) + " bytes");
    return status ? mlir::WalkResult::advance()
                  : mlir::WalkResult::interrupt();
  };
  walker.addWalk([&](RankedTensorType type) { return check(type); });
  walker.addWalk([&](mlir::MemRefType type) { return check(type); });
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
    walker.walk(op->getAttrDictionary());
  });
  return status;
}

/// What parsing may take: a moment, and longer for what is long.
static int64_t parseMilliseconds(size_t bytes, const CompileLimits &limits) {
  double seconds = 5 + double(bytes) / (256 << 10);
  return static_cast<int64_t>(1000 * std::min(seconds, limits.seconds));
}

/// Address space that `bytes` more than now need.
static uint64_t addressSpace(uint64_t bytes) {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * uint64_t(::sysconf(_SC_PAGESIZE)) + bytes;
}

/// What the child does; it does not return.
[[noreturn]] static void parseInChild(MLIRContext *context, StringRef text,
                                      const std::string &path,
                                      const CompileLimits &limits) {
  // Nobody waits for it once the parent is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  uint64_t bytes = addressSpace(limits.bytes);
  struct rlimit memory = {bytes, bytes};
  ::setrlimit(RLIMIT_AS, &memory);
  // Its complaints are the parent's to make.
  if (int null = ::open("/dev/null", O_WRONLY); null >= 0)
    ::dup2(null, STDERR_FILENO);
  std::string ignored;
  auto module = parse(context, text, path, ignored);
  ::_exit(module && hasMoreOps(*module, limits.operations) ? kTooManyOps : 0);
}

/// Parses in a child and says whether the child came back.
static Status rehearse(MLIRContext *context, StringRef text,
                       const std::string &path, const CompileLimits &limits) {
  // Nothing is written: the end that the child holds closes when it ends.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error::io("cannot make a pipe to parse '" + path + "'");
  pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return Error::io("cannot start a process to parse '" + path + "'");
  }
  if (child == 0)
    parseInChild(context, text, path, limits);
  ::close(ends[1]);
  int64_t milliseconds = parseMilliseconds(text.size(), limits);
  auto end = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(milliseconds);
  struct pollfd file = {ends[0], POLLIN, 0};
  int ended = 0;
  do {
    auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    ended = ::poll(&file, 1, std::max<int64_t>(rest.count(), 0));
  } while (ended < 0 && errno == EINTR);
  if (ended == 0)
    ::kill(child, SIGKILL);
  ::close(ends[0]);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (ended == 0)
    return Error::malformed("'" + path + "' takes MLIR's parser more than " +
                            std::to_string(milliseconds) +
                            " ms; expected IR that it can read");
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
    return Status::success();
  if (WIFEXITED(state) && WEXITSTATUS(state) == kTooManyOps)
    return Error::malformed("'" + path + "' has more than " +
                            std::to_string(limits.operations) + " operations");
  return Error::malformed("'" + path + "' makes MLIR's parser fail; expected "
                          "IR that it can read");
}

static Result<mlir::OwningOpRef<ModuleOp>>
parseChecked(MLIRContext *context, StringRef text, const std::string &path) {
  std::string complaint;
  auto module = parse(context, text, path, complaint);
  if (!module)
    return Error::malformed(complaint.empty()
                                ? "'" + path + "' is no MLIR module"
                                : complaint);
  if (Status s = checkTypes(*module, path); !s)
    return s.takeError();
  return module;
}

Result<mlir::OwningOpRef<ModuleOp>>
compiler::readModule(MLIRContext *context, StringRef contents,
                     const std::string &path, const CompileLimits &limits) {
  StringRef text = contents;
  std::string copy;
  if (!isBytecode(text)) {
    if (text.size() > kMaxTextBytes)
      return Error::malformed("'" + path + "' has " +
                              std::to_string(text.size()) +
                              " bytes, expected at most 256 MiB of text");
    if (Status s = checkNesting(text, path); !s)
      return s.takeError();
    // MLIR's lexer wants a terminator behind the text.
    copy = contents.str();
    text = copy;
  }
  if (Status s = rehearse(context, text, path, limits); !s)
    return s.takeError();
  return parseChecked(context, text, path);
}

Result<mlir::OwningOpRef<ModuleOp>>
compiler::readSignedModule(MLIRContext *context, StringRef bytecode,
                           const std::string &what,
                           const CompileLimits &limits) {
  // Text would be parsed as well, and nobody writes it.
  if (!isBytecode(bytecode))
    return Error::malformed("'" + what + "' is no bytecode of MLIR");
  auto module = parseChecked(context, bytecode, what);
  if (module && hasMoreOps(**module, limits.operations))
    return Error::malformed("'" + what + "' has more than " +
                            std::to_string(limits.operations) + " operations");
  return module;
}
