//===- JointGraphs.cpp - Training steps that were cut before --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JointGraphs.h"

#include "ModuleReader.h"
#include "Watchdog.h"

#include "kiln/Base/Log.h"
#include "kiln/Import/PT2Importer.h"
#include "kiln/Package/JointStore.h"
#include "kiln/Package/Package.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace kiln;
using namespace kiln::compiler;

static constexpr uint32_t kVersion = 1;

std::vector<uint8_t>
compiler::encodeJoint(ModuleOp module,
                      const std::vector<package::Reason> &reasons) {
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  std::vector<uint8_t> bytes;
  if (failed(mlir::writeBytecodeToFile(module, os)))
    return bytes;
  std::vector<uint8_t> told = package::encodeReasons(reasons);
  if (bytecode.size() + told.size() > kMaxJointBytes - 64)
    return bytes;
  ByteWriter writer(bytes);
  writer.u32(kVersion);
  writer.u64(told.size());
  writer.bytes(told);
  writer.u64(bytecode.size());
  writer.text(bytecode);
  return bytes;
}

/// What every stage behind this one builds on.
static Status checkStep(ModuleOp module) {
  for (const char *name : {"forward", "backward"})
    if (!module.lookupSymbol<mlir::func::FuncOp>(name))
      return Error::malformed("expected a function @" + std::string(name));
  mlir::ScopedDiagnosticHandler quiet(
      module.getContext(), [](mlir::Diagnostic &) { return success(); });
  mlir::PassManager pm(module.getContext(), "builtin.module",
                       mlir::OpPassManager::Nesting::Explicit);
  addStageVerifier(pm, Stage::Core);
  return succeeded(pm.run(module))
             ? Status::success()
             : Status(Error::malformed("expected IR of stage 'core'"));
}

Result<JointGraphs> compiler::decodeJoint(MLIRContext *context, ByteView bytes,
                                          const CompileLimits &limits) {
  const Error malformed =
      Error::malformed("expected the graphs of a training step as this version "
                       "writes them");
  if (bytes.size() > kMaxJointBytes)
    return malformed;
  ByteReader reader(bytes);
  if (reader.u32() != kVersion)
    return malformed;
  ByteView told = reader.bytes(reader.u64());
  ByteView bytecode = reader.bytes(reader.u64());
  if (!reader.ok() || !reader.atEnd())
    return malformed;
  auto reasons = package::decodeReasons(told);
  if (!reasons)
    return reasons.takeError();
  auto module = readSignedModule(context, bytecode.text(),
                                 "the graphs in the cache", limits);
  if (!module)
    return module.takeError();
  if (Status s = checkStep(**module); !s)
    return s.takeError();
  return JointGraphs{std::move(*module), std::move(*reasons)};
}

bool compiler::usesJoint(const CompileOptions &options,
                         const CompileHooks &hooks) {
  auto isLogged = [](StringRef category) {
    return log::isEnabled(category, log::Level::Info);
  };
  return hooks.joint && options.training &&
         options.backend != Backend::Eager && options.dumpStages.empty() &&
         !hooks.stopAfter && !isLogged("aot_joint_graph") &&
         !isLogged("aot_graphs");
}

std::optional<JointGraphs> compiler::findJoint(MLIRContext *context,
                                               const CompileOptions &options,
                                               const CompileHooks &hooks) {
  std::optional<std::vector<uint8_t>> bytes = hooks.joint->find();
  if (!bytes)
    return std::nullopt;
  pt2::loadImportDialects(context);
  auto graphs = decodeJoint(context, *bytes, CompileLimits(options));
  if (graphs)
    return std::move(*graphs);
  hooks.joint->refuse(graphs.error().message);
  return std::nullopt;
}
