//===- kiln-translate.cpp - Programs as text ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Output.h"

#include "kiln/Compiler/CompileToPTX.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Package/Explain.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::tools;

static const char kHelp[] =
    R"(kiln-translate: exported programs as text

usage: kiln-translate --import-pt2|--export-guards|--package-to-mlir|--gpu-to-ptx
                      MODEL [flags]

  --import-pt2       print the captured graph as MLIR (aten and guard dialects)
  --export-guards    print the checks that a compiled function makes before a call
  --package-to-mlir  print a compiled package as MLIR (program and guard dialects),
                     with a module for each variant if there are several;
                     kiln-compile makes the same package of the text again
  --gpu-to-ptx       compile the kernels of a GPU that kiln-opt --kiln-gpu has made, for
                     the GPU that it was told
  --gpu-module=NAME  which of them: kernels (the default), whose indices have 32 bits,
                     or kernels_64
  --model=NAME       which program of an archive that holds several
  --elide-weights    do not print the contents of weights: those of a graph are
                     arguments and never printed, those of a package are resources
  --version          of Kiln and LLVM, and the build id

MODEL is .pt2, or - for standard input; --export-guards takes .mlir and .mlirbc
too, --package-to-mlir takes a .kiln, --gpu-to-ptx takes .mlir and .mlirbc. Exit codes: 0 done, 2 wrong command line,
3 malformed or unreadable input, or a result that cannot be written, 4 not
supported.

examples:
  kiln-translate --import-pt2 model.pt2 > model.mlir
  kiln-translate --export-guards model.pt2
  kiln-translate --package-to-mlir --elide-weights model.kiln
  kiln-opt --kiln-gpu=chip=sm_80 loops.mlir | kiln-translate --gpu-to-ptx -
)";

/// A package as text. Locations are printed where there are any: they are the
/// model's source lines in messages about operators.
static Result<std::string> printPackage(const archive::Source &source,
                                        bool elide) {
  CompilerSession session;
  if (Status s = session.readPackage(source); !s)
    return s.takeError();
  bool hasLocations = false;
  session.module().walk([&](mlir::Operation *op) {
    hasLocations |= !llvm::isa<mlir::UnknownLoc>(op->getLoc());
  });
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(hasLocations);
  if (elide)
    flags.elideLargeResourceString(/*largeResourceLimit=*/0);
  std::string text;
  llvm::raw_string_ostream os(text);
  session.module().print(os, flags);
  os << "\n";
  return text;
}

/// The graph of a model, or what a compiled function checks.
static Result<std::string> printModel(const archive::Source &source,
                                      bool import) {
  CompileOptions options;
  options.backend = Backend::Eager;
  CompileHooks hooks;
  if (import)
    hooks.stopAfter = Stage::Capture;
  CompilerSession session;
  auto package = session.compile(source, options, hooks);
  if (!package)
    return package.takeError();
  if (!import)
    return package::guardTable(*package);
  std::string text;
  llvm::raw_string_ostream os(text);
  session.module().print(os);
  os << "\n";
  return text;
}

static int translate(int argc, char **argv) {
  bool import = false, guards = false, package = false, elide = false;
  bool ptx = false;
  std::string model, gpuModule = "kernels";
  CommandLine line;
  line.flag("import-pt2", import);
  line.flag("export-guards", guards);
  line.flag("package-to-mlir", package);
  line.flag("gpu-to-ptx", ptx);
  line.value("gpu-module", gpuModule);
  line.flag("elide-weights", elide);
  line.value("model", model);
  auto fail = [](const Error &error) {
    return reportError("kiln-translate", error);
  };
  if (Status s = line.parse(argc, argv); !s)
    return fail(s.error());
  if (printAbout(line, "kiln-translate", kHelp, LLVM_VERSION_STRING))
    return 0;
  if (import + guards + package + ptx != 1)
    return fail(Error::usage("expected one of --import-pt2, --export-guards, "
                             "--package-to-mlir and --gpu-to-ptx; see --help"));
  if (line.positional().size() != 1)
    return fail(Error::usage("expected one model, found " +
                             std::to_string(line.positional().size())));
  archive::LoadOptions load;
  load.model = model;
  load.checkWeights = false; // nobody reads them
  auto source = openModel(line.positional().front(), load);
  if (!source)
    return fail(source.error());
  auto text = ptx       ? compileToPTX(**source, gpuModule, CompileOptions())
              : package ? printPackage(**source, elide)
                        : printModel(**source, import);
  if (!text)
    return fail(text.error());
  Status written = writeOutput("-", ByteView(std::string_view(*text)));
  return written ? 0 : fail(written.error());
}

int main(int argc, char **argv) {
  return runTool("kiln-translate", [&] { return translate(argc, argv); });
}
