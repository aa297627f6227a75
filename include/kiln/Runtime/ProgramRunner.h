//===- ProgramRunner.h - Run a program -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the steps of one program. What depends only on the program is worked
// out when the runner is made; what depends on sizes is kept between calls and
// used again while the sizes stay the same; so a warm call of a few kernels
// costs a few kernels. The life of a call is told in lib/Runtime/README.md.
//
//   auto runner = ProgramRunner::create(program, ProgramCode(image), constants,
//                                       registry, bodies);
//   if (!runner)
//     return runner.takeError();
//   auto results = (*runner)->run({OpValue(x)});
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_PROGRAMRUNNER_H
#define KILN_RUNTIME_PROGRAMRUNNER_H

#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Package.h"
#include "kiln/Runtime/Device.h"
#include "kiln/Runtime/KernelImage.h"
#include "kiln/Runtime/Operator.h"
#include "kiln/Runtime/ThreadPool.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace kiln::runtime {

/// What calls did, summed up; for `--stats`.
struct RunStats {
  /// Calls of one operator for one reason.
  struct ExternCalls {
    std::string op;
    uint64_t count = 0;
    std::string reason; ///< why there is no kernel; empty: a call is wanted
  };
  /// On a processor kernels that follow each other are one launch: threads are called
  /// once.
  uint64_t kernelLaunches = 0;
  uint64_t kernels = 0;            ///< that these ran
  uint64_t externCalls = 0;
  uint64_t copies = 0;             ///< copy steps and write-backs
  uint64_t layoutCopies = 0;       ///< inputs whose strides did not fit
  /// Arguments of operators that were on a device and are called on the host.
  uint64_t hostArguments = 0;
  std::vector<ExternCalls> externs; ///< one per (op, reason), first call first
  /// Of each kernel of the package, where `RunOptions::timeLaunches` asks for it.
  struct LaunchTime {
    uint64_t launches = 0;
    double seconds = 0, bytes = 0; ///< of all launches; what their buffers hold
  };
  std::vector<LaunchTime> launchTimes;
  /// Calls of segments (package/GraphPlan.h) that were not replayed, though
  /// `RunOptions::graphs` was on.
  struct Skips {
    std::string reason;
    uint64_t count = 0;
  };
  /// How often what depends on weights alone was computed, and not there from a call
  /// before or from the package.
  uint64_t preparations = 0;
  uint64_t graphReplays = 0;
  std::vector<Skips> graphSkips; ///< one per reason, first one first
  /// What libraries computed, and what they did not, of which the package has kernels of its
  /// own.
  uint64_t libraryProducts = 0, libraryConvolutions = 0;
  std::vector<Skips> librarySkips;
  uint64_t calls = 0;              ///< of compiled functions
  double seconds = 0;              ///< that those calls ran, without compiling

  void addExtern(const std::string &op, const std::string &reason);
  static void addSkip(std::vector<Skips> &skips, const std::string &reason);
  void addLibrary(const LibraryLaunch &launch);
};

struct RunOptions {
  /// Null: kernels run on the calling thread.
  ThreadPool *pool = nullptr;
  /// Copy the new contents of mutated inputs into the caller's tensors. When
  /// false they are only returned.
  bool writeBack = true;
  /// Use the storage of an earlier call's results again when nobody holds it
  /// any more. For loops that drop one call's results before the next.
  bool reuseOutputs = false;
  /// The caller has checked the inputs with the package's `GuardTable`.
  bool inputsChecked = false;
  RunStats *stats = nullptr;
  /// Look at the clock before and after each launch: fills `stats->launchTimes`.
  bool timeLaunches = false;
  /// On a device: the second call with the same sizes writes down the launches that
  /// follow each other, later ones replay them, with the addresses of the call.
  bool graphs = false;
  /// What a library may compute and does not is an error, where kernels would
  /// compute it: it is the library that is measured.
  bool needsLibraries = false;
  /// The version of what is passed for weights, which the caller changes with their
  /// contents; a program that writes to them by way of another input changes it, too.
  /// What depends on weights alone (`package::isPreparation`) runs once for each, if the
  /// package has not brought it for its own. Null: nothing is known of them, and it runs
  /// in each call.
  std::atomic<uint64_t> *weightsVersion = nullptr;
  /// Where the arena comes from and goes back to, for calls that follow each
  /// other: the largest of them is what all need. Null: the runner keeps one.
  std::shared_ptr<Storage> *arena = nullptr;
  /// The same of what kernels on this processor work in, and of results that
  /// are used again.
  std::shared_ptr<Storage> *scratch = nullptr;
  std::vector<std::shared_ptr<Storage>> *outputs = nullptr;
};

/// Gives the input symbols of `program` their values. On failure `failure`
/// holds a sentence and false is returned; nothing is allocated on success.
/// `cells` has one element per symbol.
bool bindSymbols(const package::Program &program,
                 const std::vector<OpValue> &inputs, package::Cell *cells,
                 std::string &failure);

class Device;
class DeviceImage;

/// The kernels of a program: of this processor, or of a device, which then also has
/// the program's memory.
struct ProgramCode {
  std::shared_ptr<LoadedImage> image;
  std::shared_ptr<Device> device; ///< null: everything is on the host
  std::shared_ptr<DeviceImage> grids;
  uint32_t check = 0; ///< the kernel of `grids` that looks at assertions

  ProgramCode(std::shared_ptr<LoadedImage> image) : image(std::move(image)) {}
  ProgramCode(std::shared_ptr<Device> device, std::shared_ptr<DeviceImage> grids,
              uint32_t check)
      : device(std::move(device)), grids(std::move(grids)), check(check) {}
  ProgramCode() = default;
};

class ProgramRunner {
public:
  using List = std::vector<std::unique_ptr<ProgramRunner>>;

  /// Prepares `program`, which must be verified and outlive the runner. Kernels
  /// are taken from `code`, constants by index. Control steps run elements of
  /// `bodies`, which outlives the runner and may be filled after this call.
  /// Unsupported error that lists every operator the registry lacks.
  static Result<std::unique_ptr<ProgramRunner>>
  create(const package::Program &program, ProgramCode code,
         const std::vector<Tensor> &constants,
         const OperatorRegistry &registry, const List &bodies);
  ~ProgramRunner();

  const package::Program &program() const { return program_; }

  /// Runs the program: one input per slot (none for slots with a payload), one
  /// result per output, in order. A result that is a mutation is the mutated
  /// input after write-back. Guard error when an input does not have the type
  /// the program was compiled for; errors of operators carry the operator's
  /// name and source line. May be called from several threads at once.
  Result<std::vector<OpValue>> run(const std::vector<OpValue> &inputs,
                                   const RunOptions &options = {});

  /// Runs preparation alone, on the weights that the package stores, and gives the values
  /// that it has written of those that are `wanted`; undefined for all others. Malformed if
  /// a weight that it reads is not stored.
  Result<std::vector<Tensor>> prepare(const std::vector<bool> &wanted,
                                      const RunOptions &options = {});

private:
  struct Plan;
  struct Prepared;
  class Frame;

  ProgramRunner(const package::Program &program);
  template <typename T, typename F> Result<T> withFrame(F use);
  std::unique_ptr<Frame> takeFrame();
  Status addCheck(size_t index, const package::ExternStep &call);
  Status addGrid(const package::GridStep &grid);

  const package::Program &program_;
  std::unique_ptr<Plan> plan_;
  std::mutex framesMutex_;
  std::vector<std::unique_ptr<Frame>> frames_; ///< idle; one per running call
  /// What calls share. Held while it is made, so that of calls which need it at the same
  /// time one makes it.
  std::mutex preparedMutex_;
  std::shared_ptr<const Prepared> prepared_;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_PROGRAMRUNNER_H
