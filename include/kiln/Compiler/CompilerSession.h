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
//   auto package = session.compile("model.pt2", *options);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_COMPILERSESSION_H
#define KILN_COMPILER_COMPILERSESSION_H

#include "kiln/Base/Result.h"
#include "kiln/Package/Package.h"
#include "kiln/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::archive {
struct ExportedProgram;
} // namespace kiln::archive

namespace kiln::target {
class KernelCompiler;
} // namespace kiln::target

namespace kiln::compiler {

enum class Backend { Eager, AotEager, Inductor };

/// Sizes of inputs that become symbols although the source has numbers there;
/// see the pass `aten-make-dynamic`, whose options these are.
struct DynamicSizes {
  bool all = false;
  std::vector<std::string> dynamic, fixed, unbacked;

  bool any() const { return all || !dynamic.empty() || !unbacked.empty(); }
};

/// What determines a package, besides its source. The text form is the options
/// record of kiln/ABI/CompilerABI.h.
struct CompileOptions {
  Backend backend = Backend::Inductor;
  bool training = false;
  std::vector<std::string> inputGradients;
  std::string target = "native";
  unsigned threads = 1;
  bool throughLinalg = false;
  double memoryBudget = 1.0;
  /// Ends a training step, in the form of OptimizerConfig.h; empty: gradients
  /// are results.
  std::string optimizer;
  /// Operators besides ATen's that a program may call: "mylib.swish.default".
  std::vector<std::string> operators;
  /// Dialect plugins with records of operators, as "<SHA-256>:<path>"; a file
  /// with another digest is an error.
  std::vector<std::string> plugins;
  DynamicSizes sizes;
  /// Symbols that are numbers, and lower bounds of others.
  std::map<std::string, int64_t> specialization, lowerBounds;

  /// Reads an options record and a specialization. Usage errors name the line.
  static Result<CompileOptions> parse(llvm::StringRef options,
                                      llvm::StringRef specialization = "");
};

/// What ends a compilation with an error. No part of a package depends on it.
struct CompileLimits {
  double seconds = 600;
  /// Memory that it may take; 0: three quarters of the machine's.
  uint64_t bytes = 0;
  /// Operations of a source that is IR.
  uint64_t operations = 2000000;
};

enum class SourceForm;
struct StagePipeline;
class Watchdog;

/// What a compilation reports besides its package, and what ends it. Graphs and
/// kernels go to the log (kiln/Base/Log.h) where `aot_joint_graph`, `aot_graphs`
/// and `output_code` are turned on.
struct CompileHooks {
  /// A stage or pass begins.
  std::function<void(llvm::StringRef)> progress;
  /// A folder that receives one file per stage; empty: none.
  std::string dumpStages;
  /// MLIR's verifier runs after each pass. Off where programs are compiled to be
  /// run, because passes are tested with it on (bench/README.md has its cost).
  bool verifyEach = false;
  /// Called with each pass manager and its stage before it runs, for
  /// instrumentation.
  std::function<void(mlir::PassManager &, llvm::StringRef stage)>
      preparePasses;
  /// Ends after this stage; `module` then holds its IR and no package is made.
  std::optional<Stage> stopAfter;
  CompileLimits limits;
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

  /// Compiles the program of a `.pt2`, `.mlir` or `.mlirbc` file.
  Result<package::Package> compile(const std::string &path,
                                   const std::string &model,
                                   const CompileOptions &options,
                                   const CompileHooks &hooks = {});

  /// Compiles a program that is in memory already.
  Result<package::Package> compile(const archive::ExportedProgram &program,
                                   const CompileOptions &options,
                                   const CompileHooks &hooks = {});

  /// The IR after the last stage that ran.
  ModuleOp module() const { return *module_; }
  const std::vector<StageTime> &times() const { return times_; }
  /// What the native stage is made of: lowering, translation, optimization,
  /// code generation, linking.
  const std::vector<StageTime> &nativeTimes() const { return nativeTimes_; }
  unsigned kernelCount() const { return kernelCount_; }
  /// {"import":..,"core":..,..} in milliseconds, and "kernels".
  std::string timingJson() const;

private:
  Result<package::Package> compileModule(SourceForm form,
                                         const CompileOptions &options,
                                         const CompileHooks &hooks);
  Status run(const StagePipeline &pipeline, const CompileHooks &hooks);
  Status dump(Stage stage, llvm::StringRef name, const CompileHooks &hooks);
  Result<package::Package> assemble(const CompileOptions &options,
                                    const CompileHooks &hooks,
                                    package::KernelImage image);
  Result<target::KernelCompiler *> kernelCompiler(const std::string &target);
  template <typename F> auto timed(const std::string &stage, F body);
  Status reset(const CompileOptions &options, const CompileLimits &limits);

  std::unique_ptr<Watchdog> watchdog_;
  std::vector<package::Reason> reasons_; ///< what the context records
  std::unique_ptr<MLIRContext> context_;
  mlir::OwningOpRef<ModuleOp> module_;
  std::map<std::string, std::unique_ptr<target::KernelCompiler>> compilers_;
  std::vector<StageTime> times_, nativeTimes_;
  unsigned kernelCount_ = 0;
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_COMPILERSESSION_H
