//===- Source.cpp - A model that was opened -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/Source.h"

#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/FileSystem.h"

using namespace kiln;
using namespace kiln::archive;

static bool endsWith(const std::string &text, const char *end) {
  std::string suffix = end;
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

static bool startsWith(const SharedBytes &bytes, std::string_view magic) {
  return bytes.text().substr(0, magic.size()) == magic;
}

static SourceForm formOfName(const std::string &path) {
  if (endsWith(path, ".kiln"))
    return SourceForm::Package;
  if (endsWith(path, ".mlir") || endsWith(path, ".mlirbc"))
    return SourceForm::Module;
  return SourceForm::Program;
}

static SourceForm formOfBytes(const SharedBytes &bytes) {
  if (startsWith(bytes, "PK"))
    return SourceForm::Program;
  if (startsWith(bytes, std::string_view(KILN_PACKAGE_MAGIC, 8)))
    return SourceForm::Package;
  return SourceForm::Module;
}

static Result<SourcePtr> make(SourceForm form, SharedBytes bytes,
                              const std::string &path,
                              const LoadOptions &options) {
  auto source = std::make_shared<Source>();
  source->form = form;
  source->path = path;
  if (form == SourceForm::Program) {
    auto program = loadExportedProgram(std::move(bytes), path, options);
    if (!program)
      return program.takeError();
    source->digest = program->digest;
    source->program =
        std::make_unique<const ExportedProgram>(std::move(*program));
    return SourcePtr(source);
  }
  if (form == SourceForm::Module)
    source->digest = sha256(bytes.view());
  source->bytes = std::move(bytes);
  return SourcePtr(source);
}

Result<SourcePtr> Source::open(const std::string &path,
                               const LoadOptions &options) {
  SourceForm form = formOfName(path);
  // Weights stay in the file until a program reads them, and a package copies
  // all but its constants before it checks them; of the rest, all is read at
  // once and nobody changes it any more.
  if (form != SourceForm::Module) {
    auto bytes = mapFile(path);
    return bytes ? make(form, std::move(*bytes), path, options)
                 : Result<SourcePtr>(bytes.takeError());
  }
  auto bytes = readFile(path);
  return bytes ? make(form, SharedBytes::own(std::move(*bytes)), path, options)
               : Result<SourcePtr>(bytes.takeError());
}

Result<SourcePtr> Source::read(SharedBytes bytes, const std::string &name,
                               const LoadOptions &options) {
  SourceForm form = formOfBytes(bytes);
  return make(form, std::move(bytes), name, options);
}

SourcePtr Source::of(ExportedProgram program) {
  auto source = std::make_shared<Source>();
  source->path = program.file;
  source->digest = program.digest;
  source->program = std::make_unique<const ExportedProgram>(std::move(program));
  return source;
}
