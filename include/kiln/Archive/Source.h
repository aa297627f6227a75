//===- Source.h - A model that was opened ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is opened and read once: its digest, its signature, its weights and
// what the compiler imports all come from the same `Source`, which goes by
// reference to whoever needs it. So nobody compiles one file and runs another
// when it is replaced in between.
//
//   auto source = archive::Source::open("train.pt2");
//   if (!source)
//     return source.takeError();
//   (*source)->program->weights ...
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_SOURCE_H
#define KILN_ARCHIVE_SOURCE_H

#include "kiln/Archive/ExportedProgram.h"

#include <memory>

namespace kiln::archive {

/// What a model may be; decided by the end of a file's name, and by the first
/// bytes of what has no name.
enum class SourceForm {
  Program, ///< an archive of torch.export
  Module,  ///< `.mlir` or `.mlirbc`
  Package, ///< a compiled program, `.kiln`
};

struct Source;
using SourcePtr = std::shared_ptr<const Source>;

struct Source {
  SourceForm form = SourceForm::Program;
  std::string path; ///< for messages
  /// Of the graph, the weight tables and the directory of an archive; of all
  /// bytes of a module. A package has one of its own inside.
  Digest digest;
  /// Of an archive, else null.
  std::unique_ptr<const ExportedProgram> program;
  SharedBytes bytes; ///< of a module or package

  /// Reads a file. Io and Malformed errors name it.
  static Result<SourcePtr> open(const std::string &path,
                                const LoadOptions &options = {});
  /// The same from bytes in memory; `name` stands for them in messages.
  static Result<SourcePtr> read(SharedBytes bytes, const std::string &name,
                                const LoadOptions &options = {});
  /// A program that is in memory.
  static SourcePtr of(ExportedProgram program);
};

} // namespace kiln::archive

#endif // KILN_ARCHIVE_SOURCE_H
