//===- KernelCompiler.h - From MLIR kernels to machine code ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a module of scf, vector, arith, math and llvm ops into a kernel image, one
// kernel after another, each by itself:
//
//   find       in a store, under a key of the kernel's IR and the target
//   lower      math ops to polynomials, small floats to f32, then everything
//              to the llvm dialect
//   translate  to LLVM IR
//   optimize   a few cheap LLVM passes; kernels arrive vectorised
//   codegen    an ELF object in memory
//   link       to a flat image, see KernelImage.h
//
// The image of the module is those of its kernels side by side. A kernel's code
// depends on nothing else: not on its name and place, the kernels beside it, the
// number of threads, or whether it was found.
//
// LLVM's -O2 and -O3 pipelines are deliberately not used: on code that already
// has its loops and vectors they cost three to four times the compile time and
// gain nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_KERNELCOMPILER_H
#define KILN_TARGET_CPU_KERNELCOMPILER_H

#include "kiln/Base/Result.h"
#include "kiln/Package/KernelStore.h"
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

/// Milliseconds of wall-clock time in each stage of one compilation, added over
/// the threads that worked.
struct StageTimes {
  double find = 0;
  double lower = 0;
  double translate = 0;
  double optimize = 0;
  double codegen = 0;
  double link = 0;

  double total() const {
    return find + lower + translate + optimize + codegen + link;
  }
  StageTimes &operator+=(const StageTimes &other);
};

/// Threads that somebody else owns.
struct Workers {
  /// How many there are, the caller's among them.
  unsigned count = 1;
  /// Calls its argument on up to `count` threads at once, each time with another
  /// number below `count`, and returns when all calls have. May call it on the
  /// caller's thread alone. Not asked for when `count` is 1.
  std::function<void(const std::function<void(unsigned)> &)> run;
};

/// What to do in a compilation besides making its result.
struct KernelCompileOptions {
  /// Who works; what comes out does not depend on it.
  Workers workers;
  /// Asked before a kernel is compiled, and told when it is; may be null.
  package::KernelStore *store = nullptr;
  /// Fill `KernelCompileReport::llvmIR`, the IR after optimisation. Nothing is
  /// looked up then, since a store has images alone.
  bool keepLLVMIR = false;
  /// Fill `KernelCompileReport::assembly` likewise; generates code a second time.
  bool keepAssembly = false;
  /// Called with the pass manager of the "lower" stage, whose verifier is off.
  std::function<void(mlir::PassManager &)> preparePasses;
};

struct KernelCompileReport {
  StageTimes times;
  unsigned compiled = 0; ///< kernels that went through LLVM
  unsigned found = 0;    ///< kernels that came from the store
  std::string llvmIR;    ///< one module with all kernels
  std::string assembly;
};

/// Registers the dialects kernels are made of, and their translation to LLVM
/// IR. Needed in the context of every module given to a KernelCompiler.
void registerKernelDialects(mlir::DialectRegistry &registry);

/// Compiles modules for one target, one after another. Several compilers may run at
/// once on modules of different contexts. MLIR works on one thread at a time, the
/// module's context may have threading disabled; LLVM, which takes six sevenths of
/// the time, works on all `Workers` (lib/Target/CPU/README.md says why).
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

  /// Compiles all functions of `module`, which stays as it is. Public functions
  /// must have the signature of KernelABI.h and become kernels, in their order;
  /// private ones stay inside the image. Errors carry the diagnostics of the pass
  /// that failed; the same bytes come out of the same module and target each time.
  Result<package::KernelImage>
  compile(mlir::ModuleOp module, const KernelCompileOptions &options = {},
          KernelCompileReport *report = nullptr);

  const CPUTarget &getTarget() const { return target; }

private:
  explicit KernelCompiler(CPUTarget target);

  llvm::TargetMachine *findMachine(unsigned worker);

  CPUTarget target;
  /// One a worker, kept between compilations.
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines;
};

} // namespace kiln::target

#endif // KILN_TARGET_CPU_KERNELCOMPILER_H
