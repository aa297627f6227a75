//===- CompilerSession.h - From a source to a package ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver: the only place that sees importer, pipelines and targets
// together. A session compiles one source after another; it may be used from
// one thread at a time.
//
//   auto options = CompileOptions::parse("backend=inductor\ntraining=1\n");
//   CompilerSession session;
//   auto source = archive::Source::open("model.pt2");
//   auto package = session.compile(**source, *options);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_COMPILERSESSION_H
#define KILN_COMPILER_COMPILERSESSION_H

#include "kiln/Base/Result.h"
#include "kiln/Options/CompileOptions.h"
#include "kiln/Package/JointStore.h"
#include "kiln/Package/KernelTuner.h"
#include "kiln/Package/Package.h"
#include "kiln/Pipelines/Pipelines.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::archive {
struct ExportedProgram;
struct Source;
} // namespace kiln::archive

namespace kiln::compiler {

enum class SourceForm;
struct StagePipeline;
class Watchdog;

/// What a caller wants of a compilation besides its package. Graphs and kernels
/// go to the log (kiln/Base/Log.h) where `aot_joint_graph`, `aot_graphs` and
/// `output_code` are turned on.
struct CompileHooks {
  /// A stage or pass begins.
  std::function<void(llvm::StringRef)> progress;
  /// Called with each pass manager and its stage before it runs, for
  /// instrumentation.
  std::function<void(mlir::PassManager &, llvm::StringRef stage)>
      preparePasses;
  /// Ends after this stage; `module` then holds its IR and no package is made.
  std::optional<Stage> stopAfter;
  /// Threads that generate code; the package does not depend on them.
  target::Workers workers;
  /// Where kernels are looked for before they are compiled; may be null.
  package::KernelStore *kernels = nullptr;
  /// Where the graphs of a training step are looked for before its program is
  /// imported; may be null. Its key says program, options and specialization.
  package::JointStore *joint = nullptr;
  /// Who measures candidates where options ask for it; null: schedules are those
  /// of the cost model.
  package::KernelTuner *tuner = nullptr;
};

/// Milliseconds of one stage.
struct StageTime {
  std::string stage;
  double milliseconds = 0;
};

class CompilerSession {
public:
  CompilerSession();
  ~CompilerSession();

  /// Compiles an archive or a module; Usage error for a package.
  Result<package::Package> compile(const archive::Source &source,
                                   const CompileOptions &options,
                                   const CompileHooks &hooks = {});
  /// Compiles a program that is in memory.
  Result<package::Package> compile(const archive::ExportedProgram &program,
                                   const CompileOptions &options,
                                   const CompileHooks &hooks = {});

  /// Compiles a source for each of the targets, by default for that of the options:
  /// the variants of one package file, in that order. What has no code of its own
  /// is one variant. The text of a package gives its variants, whatever the targets.
  Result<std::vector<package::Package>>
  compileVariants(const archive::Source &source, const CompileOptions &options,
                  const std::vector<std::string> &targets,
                  const CompileHooks &hooks = {});

  /// Reads a package back: `module` then holds the programs, code, constants,
  /// guards, facts and reasons of its variants as IR (kiln/Target/ProgramImport.h).
  /// Compiling the text of it gives the package again.
  Status readPackage(const archive::Source &source);

  /// The IR after the last stage that ran, or of a package.
  ModuleOp module() const { return *module_; }
  const std::vector<StageTime> &times() const { return times_; }
  /// What the native stage is made of: looking up, lowering, translation,
  /// optimization, code generation, linking; added over threads.
  const std::vector<StageTime> &nativeTimes() const { return nativeTimes_; }
  /// Kernels of the last source: compiled, and found in `CompileHooks::kernels`.
  unsigned kernelsCompiled() const { return kernelsCompiled_; }
  unsigned kernelsFound() const { return kernelsFound_; }
  /// {"import":..,"core":..,..} in milliseconds; "kernels", and how many of them
  /// are "kernels_from_cache".
  std::string timingJson() const;

private:
  Status readText(const archive::Source &source, const CompileOptions &options,
                  const CompileHooks &hooks);
  Result<std::vector<package::Package>>
  compileGiven(std::vector<mlir::OwningOpRef<ModuleOp>> modules,
               const archive::Source &source, const CompileOptions &options,
               const CompileHooks &hooks);
  Result<package::Package> compileText(const archive::Source &source,
                                       const CompileOptions &options,
                                       const CompileHooks &hooks);
  Result<package::Package> compileModule(SourceForm form,
                                         const CompileOptions &options,
                                         const CompileHooks &hooks,
                                         bool isCut = false);
  void keepJoint(const CompileOptions &options, const CompileHooks &hooks);
  Status run(const StagePipeline &pipeline, const CompileOptions &options,
             const CompileHooks &hooks);
  Status dump(Stage stage, llvm::StringRef name,
              const CompileOptions &options);
  Status tune(llvm::ArrayRef<StagePipeline> behind,
              const CompileOptions &options, const CompileHooks &hooks);
  Result<package::KernelImage> compileKernels(const CompileOptions &options,
                                              const CompileHooks &hooks,
                                              bool isGiven);
  Result<package::KernelImage> compileGrids(const CompileOptions &options,
                                            const CompileHooks &hooks);
  Result<package::Package> assemble(const CompileOptions &options,
                                    const CompileHooks &hooks,
                                    package::KernelImage image);
  Result<target::KernelCompiler *> kernelCompiler(const std::string &target);
  template <typename F> auto timed(const std::string &stage, F body);
  Status reset(const CompileOptions &options);

  std::unique_ptr<Watchdog> watchdog_;
  std::vector<package::Reason> reasons_; ///< what the context records
  std::unique_ptr<MLIRContext> context_;
  mlir::OwningOpRef<ModuleOp> module_;
  std::map<std::string, std::unique_ptr<target::KernelCompiler>> compilers_;
  std::vector<StageTime> times_, nativeTimes_;
  unsigned kernelsCompiled_ = 0, kernelsFound_ = 0;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_COMPILERSESSION_H
