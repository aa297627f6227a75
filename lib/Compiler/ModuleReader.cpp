//===- ModuleReader.cpp - Foreign IR, kept at a distance ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleReader.h"

#include "kiln/Base/CheckedMath.h"
#include "kiln/Base/FileSystem.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/thread.h"

#include <cerrno>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::compiler;

// Longest a child may take to parse.
static constexpr unsigned kParseSeconds = 60;
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

/// A tensor that no machine holds wraps around wherever its size is computed.
static Status checkTypes(ModuleOp module, const std::string &path) {
  Status status = Status::success();
  mlir::AttrTypeWalker walker;
  walker.addWalk([&](RankedTensorType type) {
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
  });
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

/// Parses in a child and says whether the child came back.
static Status rehearse(MLIRContext *context, StringRef text,
                       const std::string &path, uint64_t maxOps) {
  pid_t child = ::fork();
  if (child < 0)
    return Error::io("cannot start a process to parse '" + path + "'");
  if (child == 0) {
    struct rlimit limit = {kParseSeconds, kParseSeconds};
    ::setrlimit(RLIMIT_CPU, &limit);
    struct rlimit noCore = {0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    std::string ignored;
    auto module = parse(context, text, path, ignored);
    ::_exit(module && hasMoreOps(*module, maxOps) ? kTooManyOps : 0);
  }
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
    return Status::success();
  if (WIFEXITED(state) && WEXITSTATUS(state) == kTooManyOps)
    return Error::malformed("'" + path + "' has more than " +
                            std::to_string(maxOps) + " operations");
  return Error::malformed("'" + path + "' makes MLIR's parser fail; expected "
                          "IR that it can read");
}

Result<mlir::OwningOpRef<ModuleOp>>
compiler::readModule(MLIRContext *context, const std::string &path,
                     uint64_t maxOps) {
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
  if (Status s = rehearse(context, text, path, maxOps); !s)
    return s.takeError();
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
