//===- Compiler.cpp - Compile programs from C -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln-c/Compiler.h"

#include "Guarded.h"

#include "kiln/Archive/Source.h"
#include "kiln/Base/ChildProcess.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Import/PT2Importer.h"
#include "kiln/InitAll.h"
#include "kiln/Session/KernelTuning.h"
#include "kiln/Session/Weights.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

#include "llvm/Support/raw_ostream.h"

using namespace kiln;
using namespace kiln::compiler;

/// Beyond the limit that a compilation keeps by itself.
static constexpr double kGraceSeconds = 10;
/// The copy has come to the import by then, or waits for a lock that a thread of the
/// host held when it was made.
static constexpr double kBeginSeconds = 30;

static std::string textOf(MlirStringRef text) {
  return text.data ? unwrap(text).str() : std::string();
}

static MlirStringRef refOf(StringRef text) {
  return mlirStringRefCreate(text.data(), text.size());
}

/// Runs an entry point, and tells its error.
static MlirLogicalResult run(MlirStringCallback onError, void *user,
                             const std::function<Status()> &body) {
  Status status = capi::callGuarded(body);
  if (status)
    return mlirLogicalResultSuccess();
  if (onError)
    onError(refOf(status.error().message), user);
  return mlirLogicalResultFailure();
}

/// Puts the weights of an archive into the variants of a package. Done here and not
/// where they are compiled: weights of many GiB would be copied from there.
static Status embedInto(std::vector<uint8_t> &bytes,
                        const archive::ExportedProgram &program) {
  auto reader = package::PackageReader::open(ByteView(bytes));
  auto variants = reader ? reader->readAll()
                         : Result<std::vector<package::Package>>(
                               reader.takeError());
  if (!variants)
    return variants.takeError();
  for (package::Package &package : *variants)
    if (Status s = session::embedWeights(program, /*all=*/true, package); !s)
      return s;
  bytes = package::encodePackages(*variants);
  return Status::success();
}

/// Compiles a source and hands out the bytes of its package.
static Status compile(const archive::Source &source, MlirStringRef record,
                      intptr_t targetCount, const MlirStringRef *targets,
                      MlirStringCallback onPackage, void *user) {
  auto options = CompileOptions::parse(textOf(record));
  if (!options)
    return options.takeError();
  if (targetCount < 0 || (targetCount > 0 && !targets) || !onPackage)
    return Error::usage(
        "expected targets and a function that takes the package");
  std::vector<std::string> names;
  for (intptr_t i = 0; i < targetCount; ++i)
    names.push_back(textOf(targets[i]));
  // Whatever ends the compiler is an error of this call.
  ChildOptions child;
  child.seconds = options->maxSeconds + kGraceSeconds;
  child.what = "the compilation";
  child.beginSeconds = kBeginSeconds;
  auto make = [&](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
    // What is measured here is kept in the package alone.
    auto tuning = session::KernelTuning::open(std::nullopt, 0, {});
    CompileHooks hooks;
    hooks.tuner = tuning.get();
    // Who speaks has begun.
    hooks.progress = [&parent](llvm::StringRef) { parent.tell(1, ByteView()); };
    CompilerSession session;
    auto variants = session.compileVariants(source, *options, names, hooks);
    if (!variants)
      return variants.takeError();
    return package::encodePackages(*variants);
  };
  auto bytes = runInChild(child, make, [](uint8_t, ByteView) {
    return std::vector<uint8_t>();
  });
  if (!bytes)
    return bytes.takeError();
  if (source.program)
    if (Status s = embedInto(*bytes, *source.program); !s)
      return s;
  onPackage(refOf(ByteView(*bytes).text()), user);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

void kilnRegisterAllDialects(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
}

void kilnRegisterAllPasses(void) { registerAllPasses(); }

MlirModule kilnImportPT2(MlirContext context, MlirStringRef path,
                         MlirStringRef model, MlirStringCallback onError,
                         void *errorUser) {
  MlirModule result = {nullptr};
  (void)run(onError, errorUser, [&]() -> Status {
    archive::LoadOptions load;
    load.model = textOf(model);
    load.checkWeights = false; // nobody reads them
    auto source = archive::Source::open(textOf(path), load);
    if (!source)
      return source.takeError();
    if (!(*source)->program)
      return Error::usage("'" + textOf(path) + "' is no archive of "
                          "torch.export, expected a .pt2");
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    unwrap(context)->appendDialectRegistry(registry);
    pt2::loadImportDialects(unwrap(context));
    auto module =
        pt2::importExportedProgram(unwrap(context), *(*source)->program, {});
    if (!module)
      return module.takeError();
    result = wrap(module->release());
    return Status::success();
  });
  return result;
}

MlirLogicalResult kilnCompileModule(MlirModule module, MlirStringRef options,
                                    intptr_t targetCount,
                                    const MlirStringRef *targets,
                                    MlirStringCallback onPackage,
                                    void *packageUser,
                                    MlirStringCallback onError,
                                    void *errorUser) {
  return run(onError, errorUser, [&]() -> Status {
    if (!module.ptr)
      return Error::usage("the module is null");
    // A compilation has a context of its own, whatever happens to this one.
    std::string text;
    llvm::raw_string_ostream os(text);
    mlir::OpPrintingFlags flags;
    flags.enableDebugInfo();
    unwrap(module)->print(os, flags);
    auto source =
        archive::Source::read(SharedBytes::own(std::move(text)), "module");
    if (!source)
      return source.takeError();
    return compile(**source, options, targetCount, targets, onPackage,
                   packageUser);
  });
}

MlirLogicalResult kilnCompileFile(MlirStringRef path, MlirStringRef model,
                                  MlirStringRef options, intptr_t targetCount,
                                  const MlirStringRef *targets,
                                  MlirStringCallback onPackage,
                                  void *packageUser, MlirStringCallback onError,
                                  void *errorUser) {
  return run(onError, errorUser, [&]() -> Status {
    archive::LoadOptions load;
    load.model = textOf(model);
    auto source = archive::Source::open(textOf(path), load);
    if (!source)
      return source.takeError();
    return compile(**source, options, targetCount, targets, onPackage,
                   packageUser);
  });
}
