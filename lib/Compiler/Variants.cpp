//===- Variants.cpp - What a package file is made of ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/Package/Verifier.h"
#include "kiln/Target/ProgramImport.h"

using namespace kiln;
using namespace kiln::compiler;

/// Variants that text has brought along.
Result<std::vector<package::Package>> CompilerSession::compileGiven(
    std::vector<mlir::OwningOpRef<ModuleOp>> modules,
    const archive::Source &source, const CompileOptions &options,
    const CompileHooks &hooks) {
  std::vector<package::Package> variants;
  for (mlir::OwningOpRef<ModuleOp> &module : modules) {
    module_ = std::move(module);
    std::string name = module_->getSymName().value_or("").str();
    module_->removeSymNameAttr();
    auto package = compileText(source, options, hooks);
    if (!package)
      return package.error().withContext("variant '" + name + "'");
    variants.push_back(std::move(*package));
  }
  return variants;
}

Result<std::vector<package::Package>> CompilerSession::compileVariants(
    const archive::Source &source, const CompileOptions &options,
    const std::vector<std::string> &targets, const CompileHooks &hooks) {
  std::vector<package::Package> variants;
  auto add = [&](Result<package::Package> package) -> Status {
    if (!package)
      return package.takeError();
    variants.push_back(std::move(*package));
    return Status::success();
  };
  CompileOptions wanted = options;
  size_t count = std::max<size_t>(targets.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    if (!targets.empty())
      wanted.target = targets[i];
    if (count > 1 && !options.dumpStages.empty())
      wanted.dumpStages = options.dumpStages + "/" + wanted.target;
    if (source.form != archive::SourceForm::Module || i > 0) {
      if (Status s = add(compile(source, wanted, hooks)); !s)
        return s.takeError();
    } else {
      if (Status s = readText(source, wanted, hooks); !s)
        return s.takeError();
      std::vector<mlir::OwningOpRef<ModuleOp>> given;
      for (ModuleOp module : target::getVariants(*module_)) {
        module->remove();
        given.emplace_back(module);
      }
      if (!given.empty() && hooks.stopAfter)
        return Error::usage("'" + source.path + "' is a package with variants; "
                            "expected no stage to stop at");
      if (!given.empty()) {
        auto compiled =
            compileGiven(std::move(given), source, options, hooks);
        if (!compiled)
          return compiled;
        variants = std::move(*compiled);
        break;
      }
      if (Status s = add(compileText(source, wanted, hooks)); !s)
        return s.takeError();
    }
    // Without kernels nothing depends on the processor.
    if (variants.back().image.target.empty())
      break;
  }
  if (variants.size() > 1)
    if (Status s = package::verifyVariants(variants); !s)
      return s.takeError();
  return variants;
}
