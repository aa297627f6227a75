//===- Autotune.cpp - Schedules by what was measured ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Candidates.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Transforms/ScheduleText.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_AUTOTUNEPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {
class Autotune : public loop::impl::AutotunePassBase<Autotune> {
public:
  using AutotunePassBase::AutotunePassBase;
  void runOnOperation() override;

private:
  LogicalResult readLibraries();
  bool isWanted(KernelOp kernel) const;
  /// `Machine` is a TuneMachine or a GPUMachine.
  template <typename Machine>
  LogicalResult tune(KernelOp kernel, const Machine &machine,
                     const analysis::SizeHints &hints);
  template <typename Machine> LogicalResult tuneAll(const Machine &machine);

  SmallVector<GPULibrary> wantedLibraries;
};

/// Tells about one kernel.
class Teller {
public:
  explicit Teller(KernelOp kernel)
      : kernel(kernel), function(remarks::getFunctionName(kernel)) {}

  void tell(const TuneInput &input, ArrayRef<RefusedSchedule> refused,
            StringRef best) {
    for (const auto &[schedule, time] : input.measured)
      if (!time.failed())
        tellTime(schedule, time.nanoseconds);
    for (const auto &[schedule, time] : input.measured)
      if (time.failed())
        tellRefused(schedule, time.failure);
    for (const RefusedSchedule &schedule : refused)
      tellRefused(schedule.schedule, schedule.reason);
    tellChoice(input, best);
  }

private:
  void tellRefused(StringRef schedule, StringRef reason) {
    if (auto told = remark::missed(kernel.getLoc(),
                                   remarks::kTuneRefused.function(function)))
      told << remark::metric("kernel", kernel.getName())
           << remark::metric("schedule", schedule)
           << remark::reason("{0}", reason);
  }
  void tellTime(StringRef schedule, double nanoseconds) {
    if (auto told = remark::analysis(
            kernel.getLoc(), remarks::kTuneCandidate.function(function)))
      told << remark::metric("kernel", kernel.getName())
           << remark::metric("schedule", schedule)
           << remark::metric("ns", format(nanoseconds));
  }
  void tellChoice(const TuneInput &input, StringRef best) {
    auto timeOf = [&](const std::string &schedule) -> std::string {
      auto known = input.measured.find(schedule);
      return known == input.measured.end() ? ""
                                           : format(known->second.nanoseconds);
    };
    const std::string &first = input.candidates.front();
    if (best != first) {
      if (auto told = remark::passed(kernel.getLoc(),
                                     remarks::kTuned.function(function)))
        told << remark::metric("kernel", kernel.getName())
             << remark::metric("schedule", best)
             << remark::metric("ns", timeOf(best.str()))
             << remark::metric("default_ns", timeOf(first));
    } else if (auto told = remark::missed(
                   kernel.getLoc(), remarks::kNotTuned.function(function))) {
      told << remark::metric("kernel", kernel.getName())
           << remark::reason("{0}", why(input));
    }
  }

  static std::string format(double nanoseconds) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.0f", nanoseconds);
    return text;
  }
  static std::string why(const TuneInput &input) {
    auto known = input.measured.find(input.candidates.front());
    if (known == input.measured.end())
      return "the default was not measured";
    if (known->second.failed())
      return "the default " + known->second.failure;
    if (input.candidates.size() == 1)
      return "there is no other schedule to try";
    return "no other schedule is faster by more than the noise";
  }

  KernelOp kernel;
  StringRef function;
};
} // namespace

/// Reads `loop.measured`.
static LogicalResult readTable(KernelOp kernel, TuneInput &input) {
  Attribute attribute = kernel->getAttr(kMeasuredAttrName);
  if (!attribute)
    return success();
  auto refuse = [&](Attribute found) {
    return kernel.emitOpError()
           << "has " << found << " in '" << kMeasuredAttrName
           << "', expected a dictionary of a 'schedule', and 'ns', an f64 that "
              "is not negative, or 'failure', a text";
  };
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return refuse(attribute);
  for (Attribute element : list) {
    auto entry = dyn_cast<DictionaryAttr>(element);
    if (!entry)
      return refuse(element);
    auto schedule = entry.getAs<ScheduleAttr>("schedule");
    auto time = entry.getAs<FloatAttr>("ns");
    auto failure = entry.getAs<StringAttr>("failure");
    bool isTime = time && time.getValueAsDouble() >= 0;
    if (!schedule || isTime == bool(failure) || entry.size() != 2)
      return refuse(element);
    TuneTime line = {isTime ? time.getValueAsDouble() : 0,
                     isTime ? "" : failure.str()};
    auto [known, isNew] =
        input.measured.try_emplace(printSchedule(schedule), line);
    if (isNew)
      continue;
    ++known->second.times;
    known->second.nanoseconds =
        std::max(known->second.nanoseconds, line.nanoseconds);
    if (line.failed())
      known->second.failure = line.failure;
  }
  return success();
}

LogicalResult Autotune::readLibraries() {
  wantedLibraries.clear();
  for (const std::string &name : libraries) {
    auto library = symbolizeGPULibrary(name);
    if (!library || *library == GPULibrary::None)
      return getOperation().emitError()
             << "'loop-autotune' has the libraries 'cublas' and 'cudnn', but "
                "found '"
             << name << "'";
    wantedLibraries.push_back(*library);
  }
  return success();
}

bool Autotune::isWanted(KernelOp kernel) const {
  if (!kernel.getScheduleAttr())
    return false;
  // What is behind longer rows of a result is nobody's, and would be compared.
  if (kernel.getBody().front().getTerminator()->getOperandTypes() !=
      kernel.getResultTypes())
    return false;
  bool contracts = llvm::any_of(kernel.getNests(), [](NestOpInterface nest) {
    return isa<ContractOp>(nest.getOperation());
  });
  return contracts ? contractions : nests;
}

template <typename Machine>
LogicalResult Autotune::tune(KernelOp kernel, const Machine &machine,
                             const analysis::SizeHints &hints) {
  auto strides = analysis::getInputStrides(kernel);
  if (failed(strides))
    return failure();
  std::vector<RefusedSchedule> refused;
  TuneInput input;
  input.gain = double(gain) / 100;
  if constexpr (std::is_same_v<Machine, GPUMachine>)
    input.candidates = loop::getCandidates(kernel, *strides, machine, hints,
                                           wantedLibraries, refused);
  else
    input.candidates =
        loop::getCandidates(kernel, *strides, machine, hints, refused);
  if (failed(readTable(kernel, input)))
    return failure();
  // Numbers of a GPU's schedules are not tried one by one: each costs a driver a
  // tenth of a second, and few that are next to good ones are what hardware is made for.
  if (descend && std::is_same_v<Machine, TuneMachine>)
    input.neighbours = [&](const std::string &schedule) {
      std::vector<std::string> legal;
      std::string reason;
      for (std::string &text : getNeighbours(schedule))
        if (parseSchedule(kernel, text, reason))
          legal.push_back(std::move(text));
      return legal;
    };
  TuneDecision decision = decide(input);
  kernel->removeAttr(kWantedAttrName);
  std::string reason;
  if (!settle) {
    SmallVector<Attribute> wanted;
    for (const std::string &text : decision.wanted)
      wanted.push_back(parseSchedule(kernel, text, reason));
    if (!wanted.empty())
      kernel->setAttr(kWantedAttrName,
                      ArrayAttr::get(kernel.getContext(), wanted));
    return success();
  }
  Teller(kernel).tell(input, refused, decision.best);
  kernel->removeAttr(kMeasuredAttrName);
  kernel.setScheduleAttr(parseSchedule(kernel, decision.best, reason));
  return success();
}

template <typename Machine>
LogicalResult Autotune::tuneAll(const Machine &machine) {
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  SmallVector<KernelOp> kernels;
  getOperation().walk([&](KernelOp kernel) {
    if (isWanted(kernel))
      kernels.push_back(kernel);
  });
  return success(llvm::all_of(kernels, [&](KernelOp kernel) {
    return succeeded(tune(kernel, machine, hints));
  }));
}

void Autotune::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (GPUTargetAttr gpu = getGPUTarget(getOperation())) {
    if (failed(readLibraries()) || failed(tuneAll(getMachine(gpu))))
      signalPassFailure();
    return;
  }
  TargetAttr target = getTarget(getOperation());
  TuneMachine machine;
  machine.machine = getMachine(target);
  machine.l1Bytes = target.getL1();
  machine.threads = threads;
  machine.bytesPerSecond = double(megabytesPerSecond) * 1e6;
  machine.flopsPerSecond = double(megaflopsPerSecond) * 1e6;
  if (failed(tuneAll(machine)))
    signalPassFailure();
}
