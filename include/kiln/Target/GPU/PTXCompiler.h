//===- PTXCompiler.h - From MLIR kernels to PTX -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a `gpu.module` into the text of PTX, which the driver of any machine
// assembles; nothing of CUDA is needed, neither its toolkit nor its libdevice:
//
//   lower      math ops to polynomials, then everything to the llvm dialect
//   translate  to LLVM IR
//   optimize   LLVM's -O3: rows that stay in registers are made by unrolling and by
//              finding equal loads
//   check      that the back end has an instruction for all that is left
//   codegen    the text
//
// The NVPTX back end ends the process where it has no instruction. So what gets
// there is checked against what is known to have one; anything else is an error
// that names it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_GPU_PTXCOMPILER_H
#define KILN_TARGET_GPU_PTXCOMPILER_H

#include "kiln/Base/Result.h"
#include "kiln/Target/GPU/NVVMTarget.h"

#include "mlir/IR/Operation.h"

#include <memory>
#include <mutex>
#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace kiln {

/// All passes from a `gpu.module` as `convert-loop-to-nvvm` makes it to one that
/// holds the llvm and nvvm dialects alone. `pm` is a manager of that op.
void buildKernelToNVVMPipeline(mlir::OpPassManager &pm);

} // namespace kiln

namespace kiln::target {

/// Registers the dialects that kernels of a GPU are made of, and their translation
/// to LLVM IR. Needed in the context of every module given to a PTXCompiler.
void registerGPUKernelDialects(mlir::DialectRegistry &registry);

/// Unsupported, with the name of what the back end of LLVM has no instruction for,
/// if there is something in `module`.
Status checkSelectable(const llvm::Module &module);

/// A compiler worker: owns LLVM's target machine, and is used by one thread at a
/// time. Several workers may run at once on modules of different contexts.
///
/// Example:
///
///   auto compiler = PTXCompiler::create(*NVVMTarget::parse("sm_90a"));
///   if (!compiler)
///     return compiler.takeError();
///   Result<std::string> ptx = (*compiler)->compile(gpuModule);
class PTXCompiler {
public:
  /// Unsupported when this build of LLVM has no NVPTX back end.
  static Result<std::unique_ptr<PTXCompiler>> create(NVVMTarget target);
  ~PTXCompiler();

  /// Compiles all functions of `kernels`, a `gpu.module`, which is lowered in place
  /// unless it is already. Functions with `nvvm.kernel` become entries. Errors carry
  /// the diagnostics of the pass that failed; the same text comes out of the same
  /// module and target each time. `mlir`, if given, is held while the module's context
  /// is used, so that workers may have modules of one context; the back end, which
  /// takes most of the time, works outside of it.
  Result<std::string> compile(mlir::Operation *kernels,
                              std::mutex *mlir = nullptr);

  const NVVMTarget &getTarget() const { return target; }

private:
  PTXCompiler(NVVMTarget target, std::unique_ptr<llvm::TargetMachine> machine);

  NVVMTarget target;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace kiln::target

#endif // KILN_TARGET_GPU_PTXCOMPILER_H
