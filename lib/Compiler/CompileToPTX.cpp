//===- CompileToPTX.cpp - A GPU's kernels as text -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Compiler/CompileToPTX.h"

#include "FatalErrors.h"
#include "ModuleReader.h"
#include "Watchdog.h"

#include "kiln/Archive/Source.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/InitAll.h"
#include "kiln/Options/CompileOptions.h"
#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace kiln;
using namespace kiln::compiler;

Result<std::string> compiler::compileToPTX(const archive::Source &source,
                                           llvm::StringRef kernels,
                                           const CompileOptions &options) {
  if (source.form != archive::SourceForm::Module)
    return Error::usage("'" + source.path +
                        "' is no module of IR, expected what kiln-opt "
                        "--kiln-gpu prints");
  handleFatalErrors();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  target::registerGPUKernelDialects(registry);
  registry.insert<mlir::func::FuncDialect>();
  const CompileLimits limits(options);
  Watchdog watchdog(limits);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  watchdog.watch(&context);
  auto module =
      readModule(&context, source.bytes.text(), source.path, limits);
  if (!module)
    return module.takeError();
  loop::GPUTargetAttr chip = loop::getGPUTarget(**module);
  if (!chip)
    return Error::usage("'" + source.path +
                        "' names no GPU, expected a '#loop.gpu' as its "
                        "'loop.target', as kiln-opt --kiln-gpu sets it");
  auto home = (*module)->lookupSymbol<mlir::gpu::GPUModuleOp>(kernels);
  if (!home)
    return Error::usage("'" + source.path + "' has no gpu.module '" +
                        kernels.str() + "'");
  auto target = target::NVVMTarget::parse(chip.getChip());
  if (!target)
    return target.takeError();
  auto compiler = target::PTXCompiler::create(*target);
  if (!compiler)
    return compiler.takeError();
  auto text = (*compiler)->compile(home);
  // A pass that was cut short leaves IR that means nothing.
  if (Status s = watchdog.status("ptx"); !s)
    return s.takeError();
  return text;
}
