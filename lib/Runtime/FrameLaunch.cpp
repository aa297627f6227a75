//===- FrameLaunch.cpp - Kernels of the processor -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that follow each other are one launch: all of them are made ready,
// and then are phases of one region of the thread pool. Places are known
// before, and no kernel fails. An assertion about what a kernel has written is
// a phase, too: one that does not hold ends the region, so that nothing behind
// it reads what it guards.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "kiln/Package/GraphPlan.h"

#include <algorithm>
#include <chrono>

namespace kiln::runtime {

/// A step's grain is worth waking a thread. Once threads are awake, going on to
/// the next phase is worth it for less.
static constexpr int64_t kRangesOfGrain = 4;

using package::ExternStep;
using package::kNone;
using package::LaunchStep;

/// Calls a kernel. Generated code carries no record of its function type, which
/// a sanitizer would read from the bytes before it.
__attribute__((no_sanitize("function"))) static void
callKernel(kiln_cpu_kernel_t kernel, void *const *pointers,
           const int64_t *arguments, int64_t begin, int64_t end,
           void *scratch) {
  kernel(pointers, arguments, begin, end, scratch);
}

/// The launches of a program that are made at once: neighbours, with nothing of
/// another kind between them but assertions. What is prepared runs in few
/// calls, each launch by itself.
void ProgramRunner::Plan::findChains(const package::Program &program) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const package::Step &step = program.steps[i];
    bool isPrepared = !isPreparation.empty() && isPreparation[i];
    bool isOpen = !chains.empty() && chains.back().end == i;
    if (auto *launch = std::get_if<LaunchStep>(&step)) {
      size_t buffers = launch->buffers.size();
      size_t arguments = launch->arguments.size();
      if (!isPrepared) {
        if (!isOpen)
          chains.push_back({i, i, 0, 0});
        Chain &chain = chains.back();
        chain.end = i + 1;
        buffers = chain.buffers += buffers;
        arguments = chain.arguments += arguments;
        mostLaunches = std::max(mostLaunches, chain.end - chain.begin);
      }
      mostBuffers = std::max(mostBuffers, buffers);
      mostArguments = std::max(mostArguments, arguments);
      continue;
    }
    auto *call = std::get_if<ExternStep>(&step);
    if (!isOpen || !call || !package::isDeviceCheck(program, *call))
      continue;
    Chain &chain = chains.back();
    chain.end = i + 1;
    mostLaunches = std::max(mostLaunches, chain.end - chain.begin);
  }
}

/// Fills in what the kernel of a launch is called with; its pointers and
/// arguments are those behind `pointers` and `arguments`.
Status ProgramRunner::Frame::makeReady(const LaunchStep &step, Phase &phase,
                                       Launch &launch, void **pointers,
                                       int64_t *arguments) {
  if (Status s = integer(step.workItems, phase.workItems); !s)
    return s;
  if (phase.workItems < 0)
    return Error::malformed("expected at least 0 work items, found " +
                            std::to_string(phase.workItems));
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (Status s = pointer(step.buffers[i], pointers[i]); !s)
      return s;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    package::Cell value;
    if (Status s = cell(step.arguments[i], value); !s)
      return s;
    // A float travels as its bits; both are eight bytes of the cell.
    arguments[i] = value.integer;
  }
  int64_t bytes = 0;
  if (step.scratchBytes != kNone && phase.workItems > 0)
    if (Status s = integer(step.scratchBytes, bytes); !s)
      return s;
  constexpr int64_t kMostScratch = int64_t(1) << 36;
  if (bytes < 0 || bytes > kMostScratch)
    return Error::malformed("expected 0 to 2^36 scratch bytes, found " +
                            std::to_string(bytes));
  launch = {plan_.code.image->kernel(step.kernel), pointers, arguments,
            (static_cast<size_t>(bytes) + 63) & ~size_t(63)};
  phase.grain = step.grain;
  phase.gate = nullptr;
  phase.context = &launch;
  phase.function = [](void *context, int64_t begin, int64_t end,
                      unsigned thread) {
    const Launch &launch = *static_cast<const Launch *>(context);
    callKernel(launch.kernel, launch.pointers, launch.arguments, begin, end,
               launch.scratch ? launch.scratch + thread * launch.scratchBytes
                              : nullptr);
  };
  return Status::success();
}

/// Decides which phases are shared among threads, and makes the memory that
/// each of these works in; one kernel after the other has it.
Status ProgramRunner::Frame::shareWork(size_t count) {
  bool hasThreads = options_.pool && options_.pool->threads() > 1;
  auto isShared = [&](const Phase &phase) {
    return hasThreads && phase.workItems > phase.grain;
  };
  bool isAnyShared =
      std::any_of(phases_.begin(), phases_.begin() + count, isShared);
  parallel_ |= isAnyShared;
  size_t needed = 0;
  for (size_t i = 0; i < count; ++i) {
    Phase &phase = phases_[i];
    if (count > 1 && isAnyShared)
      phase.grain = std::max<int64_t>(phase.grain / kRangesOfGrain, 1);
    // Who runs what is not shared does it as thread 0.
    needed =
        std::max(needed, launches_[i].scratchBytes *
                             (isShared(phase) ? options_.pool->threads() : 1));
  }
  if (needed == 0)
    return Status::success();
  std::shared_ptr<Storage> &kept =
      options_.scratch ? *options_.scratch : scratch_;
  if (!kept || kept->bytes() < needed) {
    kept.reset(); // not both at a time
    auto storage = Storage::allocate(needed);
    if (!storage)
      return storage.takeError();
    kept = std::move(*storage);
  }
  for (size_t i = 0; i < count; ++i)
    if (launches_[i].scratchBytes > 0)
      launches_[i].scratch = kept->data();
  return Status::success();
}

/// Makes a phase of an assertion. Its function is called where the phases
/// before it have ended, while the walk of the program waits.
void ProgramRunner::Frame::makeCheck(size_t index, Phase &phase,
                                     Launch &launch) {
  launch = {};
  launch.frame = this;
  launch.check = index;
  phase = {};
  phase.context = &launch;
  phase.gate = [](void *context) {
    const Launch &launch = *static_cast<const Launch *>(context);
    Frame &frame = *launch.frame;
    try {
      frame.checked_ = frame.step(launch.check);
    } catch (const std::exception &exception) {
      frame.checked_ = Error::internal(exception.what());
    }
    return bool(frame.checked_);
  };
}

/// Runs steps `begin` to `end`, which are launches and assertions.
Status ProgramRunner::Frame::launch(size_t begin, size_t end) {
  void **pointers = pointers_.data();
  int64_t *arguments = arguments_.data();
  uint64_t kernels = 0;
  for (size_t i = begin; i < end; ++i) {
    const auto *step = std::get_if<LaunchStep>(&program_.steps[i]);
    Phase &phase = phases_[i - begin];
    if (!step) {
      makeCheck(i, phase, launches_[i - begin]);
      continue;
    }
    if (Status s =
            makeReady(*step, phase, launches_[i - begin], pointers, arguments);
        !s)
      return s.error().withContext("program '" + program_.name + "', step " +
                                   std::to_string(i));
    pointers += step->buffers.size();
    arguments += step->arguments.size();
    kernels += phase.workItems > 0;
  }
  checked_ = Status::success();
  size_t count = end - begin;
  if (Status s = shareWork(count); !s)
    return s;
  if (options_.pool)
    options_.pool->run(phases_.data(), count);
  else
    ThreadPool::runAlone(phases_.data(), count);
  if (options_.stats && checked_ && kernels > 0) {
    ++options_.stats->kernelLaunches;
    options_.stats->kernels += kernels;
  }
  return std::move(checked_);
}

/// Adds a launch of `kernel` to those that are timed.
void ProgramRunner::Frame::countLaunch(
    uint32_t kernel, double seconds,
    const std::vector<package::ValueId> &buffers) {
  std::vector<RunStats::LaunchTime> &times = options_.stats->launchTimes;
  if (times.size() <= kernel)
    times.resize(kernel + 1);
  RunStats::LaunchTime &time = times[kernel];
  ++time.launches;
  time.seconds += seconds;
  for (package::ValueId id : buffers) {
    const Tensor *held = nullptr;
    if (tensor(id, held) && held)
      time.bytes += double(held->numel()) * double(itemSize(held->dtype()));
  }
}

/// A launch between two looks at the clock.
Status ProgramRunner::Frame::timeLaunch(size_t index) {
  const auto &step = std::get<LaunchStep>(program_.steps[index]);
  auto begin = std::chrono::steady_clock::now();
  Status launched = launch(index, index + 1);
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  if (launched)
    countLaunch(step.kernel, spent.count(), step.buffers);
  return launched;
}

} // namespace kiln::runtime
