//===- KernelCompiler.h - From MLIR kernels to machine code ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a module of scf, vector, arith, math and llvm ops into a kernel image:
//
//   lower      math ops to polynomials, small floats to f32, then everything
//              to the llvm dialect
//   translate  to LLVM IR
//   optimize   a few cheap LLVM passes; kernels arrive vectorised
//   codegen    an ELF object in memory
//   link       to a flat image, see KernelImage.h
//
// LLVM's -O2 and -O3 pipelines are deliberately not used: on code that already
// has its loops and vectors they cost three to four times the compile time and
// gain nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_KERNELCOMPILER_H
#define KILN_TARGET_CPU_KERNELCOMPILER_H

#include "kiln/Base/Result.h"
#include "kiln/Package/Package.h"
#include "kiln/Target/CPU/CPUTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class PassManager;
} // namespace mlir

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace kiln::target {

/// Milliseconds of wall-clock time in each stage of one compilation.
struct StageTimes {
  double lower = 0;
  double translate = 0;
  double optimize = 0;
  double codegen = 0;
  double link = 0;

  double total() const {
    return lower + translate + optimize + codegen + link;
  }
  StageTimes &operator+=(const StageTimes &other);
};

/// What to do in a compilation besides making its result.
struct KernelCompileOptions {
  /// Fill `KernelCompileReport::llvmIR`, the IR after optimisation.
  bool keepLLVMIR = false;
  /// Fill `KernelCompileReport::assembly`; generates code a second time.
  bool keepAssembly = false;
  /// Called with the pass manager of the "lower" stage, whose verifier is off.
  std::function<void(mlir::PassManager &)> preparePasses;
};

struct KernelCompileReport {
  StageTimes times;
  std::string llvmIR;
  std::string assembly;
};

/// Registers the dialects kernels are made of, and their translation to LLVM
/// IR. Needed in the context of every module given to a KernelCompiler.
void registerKernelDialects(mlir::DialectRegistry &registry);

/// A compiler worker: owns LLVM's target machine, and is used by one thread at
/// a time. Several workers may run at once on modules of different contexts;
/// it starts no threads itself.
///
/// Example:
///
///   auto compiler = KernelCompiler::create(target);
///   if (!compiler)
///     return compiler.takeError();
///   Result<package::KernelImage> image = (*compiler)->compile(module);
class KernelCompiler {
public:
  /// Unsupported when this build of LLVM has no x86-64 back end.
  static Result<std::unique_ptr<KernelCompiler>> create(CPUTarget target);
  ~KernelCompiler();

  /// Compiles all functions of `module`, which is lowered in place and is of no
  /// further use. Public functions must have the signature of KernelABI.h and
  /// become kernels; private ones stay inside the image. Errors carry the
  /// diagnostics of the pass that failed; the same bytes come out of the same
  /// module and target each time.
  Result<package::KernelImage>
  compile(mlir::ModuleOp module, const KernelCompileOptions &options = {},
          KernelCompileReport *report = nullptr);

  const CPUTarget &getTarget() const { return target; }

private:
  KernelCompiler(CPUTarget target,
                 std::unique_ptr<llvm::TargetMachine> machine);

  CPUTarget target;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace kiln::target

#endif // KILN_TARGET_CPU_KERNELCOMPILER_H
