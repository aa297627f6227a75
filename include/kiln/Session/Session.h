//===- Session.h - A model, its compiled variants and its cache -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins what lies below the line: the archive with its weights, the cache, the
// runtime, the eager operators, and, only when nothing cached fits, the
// compiler library. What `kiln-run` does, and what a host program wants:
//
//   auto session = Session::open("model.pt2", options);
//   auto outputs = (*session)->call({x});
//
// LLVM-free. A first call looks up the cache by the digest of the source and
// the options, tries the variants found there by their guards, and opens
// libKilnCompiler.so only on a miss. What was decided goes to the log
// (kiln/Base/Log.h) where its category is turned on.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_SESSION_H
#define KILN_SESSION_SESSION_H

#include "kiln/Archive/Source.h"
#include "kiln/Cache/CacheConfig.h"
#include "kiln/Cache/Store.h"
#include "kiln/Options/CompileOptions.h"
#include "kiln/Runtime/CompiledFunction.h"
#include "kiln/Runtime/Device.h"
#include "kiln/Session/KernelTuning.h"

#include <functional>
#include <memory>

namespace kiln::session {

class SlotTable;
class VariantStore;

/// Compiles a program in this process, for tools that link the compiler.
using InProcessCompiler = std::function<Result<package::Package>(
    const archive::Source &source, const CompileOptions &options)>;

/// What is compiled, and how it is run. A session fills in the operators and
/// plugins of its libraries, and what a variant specializes.
struct SessionOptions : CompileOptions {
  /// Shared libraries with operators of one's own: kiln/ABI/OperatorABI.h.
  std::vector<std::string> operatorLibraries;
  /// MLIR dialect plugins with records of such operators, for the compiler.
  std::vector<std::string> dialectPlugins;
  uint64_t seed = 0; ///< of the random numbers that training steps draw
  unsigned threads = 0; ///< 0: as many as this process may use
  cache::CacheConfig cache;
  bool reuseOutputs = false; ///< see runtime::RunOptions
  bool timeLaunches = false; ///< the same
  /// "cpu", or "cuda" or "cuda:1": a GPU. Programs are compiled for it unless a
  /// target is named, and their weights are copied to it once.
  std::string device = "cpu";
  /// On a GPU launches that follow each other are replayed as graphs, from the third
  /// call with the same sizes on; see runtime::RunOptions. Unlike PyTorch's they read
  /// inputs where these lie and leave results in fresh memory, so they are what is done
  /// unless somebody wants launches one by one.
  bool graphs = true;
  /// Of a package: `training` and `optimizer` are what it was compiled for.
  bool asPackaged = false;
  std::function<void(const std::string &stage)> progress;
  /// Compiles in a copy of this process, so that a crash of the compiler is an
  /// error of the call. An Io error where there can be no copy: this process would
  /// be at the compiler's mercy, which is for the caller to allow. Tools whose process
  /// is the compilation's leave it off.
  bool isolated = true;
  /// What such a copy may take beyond `maxSeconds`, which it heeds itself.
  double isolationGraceSeconds = 10;
  /// Has the compiler leave memory after each compilation: 100 MB and more, for
  /// a few milliseconds that the next one takes longer. For who seldom
  /// compiles.
  bool releaseCompiler = false;
  /// Replaces the compiler library.
  InProcessCompiler compiler;
};

struct SessionStats {
  bool compilerLoaded = false;
  unsigned graphsCompiled = 0;
  unsigned kernelsCompiled = 0;
  unsigned kernelsFound = 0; ///< taken from the cache instead
  double compileSeconds = 0;
  std::string timing; ///< the compiler's JSON object of its last compilation
  uint64_t cacheHits = 0;
  uint64_t remoteHits = 0; ///< of the hits, those that a remote gave
  uint64_t cacheMisses = 0;
  uint64_t jointHits = 0; ///< lookups of the graphs of a training step
  uint64_t jointMisses = 0;
  uint64_t kernelHits = 0; ///< lookups of single kernels
  uint64_t kernelMisses = 0;
  TuningStats tuning;
  /// Why something was not found, or will not be found the next time.
  std::vector<std::string> missReasons;
};

/// What one training step gave.
struct StepResult {
  double loss = 0;
  runtime::TrainingResult values; ///< as of Session::call
};

/// One input that a caller passes.
struct UserInput {
  std::string name;
  std::string path;
  bool isTensor = true;
  DType dtype = DType::F32;
  /// A size that is not known before a call and has no expression is -1.
  std::vector<archive::SymInt> sizes;
  /// In elements, as the program expects them; empty where sizes vary. A tensor with
  /// others is taken and copied in every call.
  std::vector<int64_t> strides;
  archive::ConstantValue constant; ///< of an input that is no tensor
  bool isSymbolic = false;         ///< a number that varies
};

class Session {
public:
  /// Reads a file with one program. Weights are mapped, not copied.
  static Result<std::unique_ptr<Session>> open(const std::string &path,
                                               SessionOptions options);
  /// The same for a source that was read already: of an archive with several
  /// programs the one that was chosen. A program that somebody made in
  /// memory is not cached.
  static Result<std::unique_ptr<Session>> open(archive::SourcePtr source,
                                               SessionOptions options);
  ~Session();

  const std::vector<UserInput> &inputs() const;
  /// The archive, or null for a source that is MLIR or a package.
  const archive::ExportedProgram *program() const {
    return source_->program.get();
  }

  /// A call that several threads may make at once, as long as none makes another
  /// one or changes the session: runs what was compiled, and keeps no record.
  /// Guard error if nothing that was compiled fits.
  Result<std::vector<runtime::OpValue>>
  callShared(const std::vector<runtime::OpValue> &inputs) const;
  /// True if calls write to weights, so that two of them must not run at once.
  bool changesWeights() const;

  /// Calls the program with the user inputs in order; compiles if needed.
  /// Results: one per output of the program. On a device none for new contents of
  /// weights and buffers, which stay there; see `weight`.
  Result<std::vector<runtime::OpValue>>
  call(const std::vector<runtime::OpValue> &inputs);
  /// The same with gradients; tangents as in runtime::Executable::runTraining.
  Result<runtime::TrainingResult>
  callTraining(const std::vector<runtime::OpValue> &inputs,
               const std::vector<runtime::OpValue> &tangents);

  /// One step of training: forward, backward, and the optimizer's update of
  /// the weights, with `rate` as learning rate. The loss is the program's only
  /// differentiable output without dimensions.
  Result<StepResult> step(const std::vector<runtime::OpValue> &inputs,
                          double rate);
  /// Steps done, those before a loaded checkpoint included.
  uint64_t stepCount() const { return stepCount_; }
  /// Writes weights, optimizer state and the number of the step. A session that
  /// loads it continues with the same bits. Only after `prepareFor` or a step;
  /// the format stands in Checkpoint.h.
  Status saveCheckpoint(const std::string &path) const;
  Status loadCheckpoint(const std::string &path);

  /// Finds or compiles the variant for these inputs without running it: what
  /// tells a caller the order of outputs before there are tangents.
  Result<const runtime::Executable *>
  prepareFor(const std::vector<runtime::OpValue> &inputs);

  /// The variant that served the last call. Only after a successful one.
  const runtime::Executable &lastVariant() const;
  const runtime::CompiledFunction &function() const;
  const SessionStats &stats() const;
  const cache::Store *store() const;
  /// A weight's present contents, by its name; undefined if there is none.
  runtime::Tensor weight(const std::string &name) const;
  /// True if two names are of one parameter, whose gradient and update then have
  /// the first one.
  bool isTied(const std::string &name, const std::string &other) const;
  /// Gives a weight, and those that are tied to it, contents of one's own, which
  /// are copied. Usage error if there is no such weight, or of another dtype or
  /// shape. Of a module only after the variant is known.
  Status setWeight(const std::string &name, const runtime::Tensor &contents);
  /// What `setWeight` would complain about.
  Status checkWeight(const std::string &name,
                     const runtime::Tensor &contents) const;
  /// Gives the weights of a safetensors file their contents there; others keep
  /// theirs. Nothing is changed if one of them does not fit.
  Status loadWeights(const std::string &path);
  /// The names of weights that have no contents yet.
  std::vector<std::string> missingWeights() const;
  /// Gives weights and buffers the contents of the source again.
  Status resetWeights();
  /// The values of the last call by slot of the program, weights included.
  const std::vector<runtime::OpValue> &slotValues() const;
  /// The GPU that programs run on; null: the processor.
  const std::shared_ptr<runtime::Device> &device() const { return device_; }
  /// Results of calls stay on the device that they were computed on, without waiting
  /// for it (`runtime::Tensor::toHost` brings one). Otherwise, and at the beginning,
  /// they are on the host.
  void keepResultsOnDevice(bool keep) { keepResults_ = keep; }
  unsigned threads() const { return pool_->threads(); }
  const SessionOptions &options() const { return options_; }

private:
  Session(archive::SourcePtr source, SessionOptions options);
  Status loadLibraries();
  Status openDevice();
  Status fetch(const package::Program &program,
               std::vector<runtime::OpValue> &results) const;
  Status fetch(runtime::TrainingResult &result) const;
  Status prepareSlots(const std::vector<runtime::OpValue> &inputs);
  void noteSkips();
  Result<std::vector<runtime::OpValue>>
  tangents(const package::Package &package) const;

  archive::SourcePtr source_;
  SessionOptions options_;
  runtime::OperatorRegistry registry_;
  std::unique_ptr<runtime::ThreadPool> pool_;
  std::shared_ptr<runtime::Device> device_;
  bool keepResults_ = false;
  size_t skipsTold_ = 0; ///< of RunStats::graphSkips
  size_t productsTold_ = 0; ///< of RunStats::librarySkips
  std::unique_ptr<SlotTable> slots_;
  std::unique_ptr<VariantStore> variants_;
  uint64_t stepCount_ = 0;
};

} // namespace kiln::session

#endif // KILN_SESSION_SESSION_H
