//===- TunedProgram.cpp - What was chosen, beside the default -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunedProgram.h"

#include "BestConfig.h"
#include "KernelProgram.h"
#include "MissingGuards.h"
#include "SilentPasses.h"

#include "kiln/Dialect/Loop/Transforms/Candidates.h"
#include "kiln/Support/Remarks.h"
#include "kiln/Target/ProgramExport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>

using namespace kiln;
using namespace kiln::compiler;
using loop::KernelOp;

static const char *const kProgram = "the program";
/// The part of its time by which the program must be faster to win a pair of turns.
static constexpr double kProgramGain = 0.005;
/// Processes in each of which it must be faster: where memory lies, and which caches its
/// pages share, is the same for all turns of one.
static constexpr unsigned kProcesses = 2;
/// No more than the first comparison is begun after this long.
static constexpr std::chrono::seconds kHalvingTime{8};

TunedProgram::TunedProgram(const Digest &key, ModuleOp module,
                           CandidateCode &code, ArrayRef<StagePipeline> behind,
                           const CompileHooks &hooks,
                           std::vector<package::Reason> &reasons,
                           std::function<double()> secondsLeft)
    : key(key), module(module), code(code), behind(behind), hooks(hooks),
      reasons(reasons), secondsLeft(std::move(secondsLeft)) {}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

void TunedProgram::apply(const Choices &taken) {
  for (auto [i, choice] : llvm::enumerate(choices))
    for (KernelOp kernel : choice.kernels)
      kernel.setScheduleAttr(taken[i] ? choice.chosen : choice.byDefault);
}

/// Runs the pipelines without a word to anybody.
static Status lower(ModuleOp module, ArrayRef<StagePipeline> pipelines) {
  SilentPasses passes(module.getContext());
  for (const StagePipeline &pipeline : pipelines) {
    if (pipeline.stage == Stage::Package)
      if (Status s = addMissingGuards(module, "forward"); !s)
        return s;
    if (Status s = passes.run(
            module, [&](mlir::PassManager &pm) { pipeline.build(pm); });
        !s)
      return s;
  }
  return Status::success();
}

Result<std::vector<uint8_t>> TunedProgram::makePackage(const Choices &taken) {
  apply(taken);
  mlir::OwningOpRef<ModuleOp> program = module.clone();
  if (Status s = lower(*program, behind); !s)
    return s.takeError();
  auto images = code.compile(*program);
  if (!images.front())
    return images.front().takeError();
  auto package = target::exportPackage(*program, std::move(*images.front()));
  if (!package)
    return package.takeError();
  return package::encodePackage(*package);
}

/// Empty if there is none.
const std::vector<uint8_t> &TunedProgram::getPackage(const Choices &taken) {
  auto [place, isNew] = packages.try_emplace(taken);
  if (!isNew)
    return place->second;
  const size_t told = reasons.size();
  if (auto made = makePackage(taken))
    place->second = std::move(*made);
  else
    failure = "does not compile: " + made.error().message;
  reasons.resize(told);
  return place->second;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Integers are in bounds for all kernels. What a call of an operator takes them for
/// is not known: zeros are positions everywhere.
package::TrialInputs TunedProgram::getInputs() {
  package::TrialInputs inputs;
  inputs.integersBelow = std::numeric_limits<int64_t>::max();
  module.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (auto kernel = llvm::dyn_cast<KernelOp>(op)) {
      package::TrialInputs own = getTrialInputs(kernel);
      inputs.symbols = std::move(own.symbols);
      inputs.integersBelow = std::min(inputs.integersBelow, own.integersBelow);
      return mlir::WalkResult::skip();
    }
    if (!llvm::isa<mlir::func::ReturnOp>(op) &&
        llvm::any_of(op->getOperandTypes(), [](mlir::Type type) {
          auto tensor = llvm::dyn_cast<mlir::TensorType>(type);
          return tensor && tensor.getElementType().isInteger();
        }))
      inputs.integersBelow = 1;
    return mlir::WalkResult::advance();
  });
  inputs.gain = kProgramGain;
  inputs.subject = package::TuningSubject::Program;
  return inputs;
}

ProgramComparison TunedProgram::compare(const Choices &without,
                                        const Choices &with) {
  const std::vector<std::vector<uint8_t>> both = {getPackage(without),
                                                  getPackage(with)};
  ProgramComparison found;
  if (both.front().empty())
    return found;
  // It is the choices that do not compile.
  if (both.back().empty())
    return {ProgramComparison::NotFaster, 1};
  package::TrialInputs inputs = getInputs();
  found = {ProgramComparison::Faster, 0};
  for (unsigned process = 0; process < kProcesses; ++process) {
    inputs.maxSeconds = secondsLeft();
    if (inputs.maxSeconds <= 0) {
      failure = "the time for it was over";
      isPassing = true;
      return {};
    }
    hooks.tuner->progress(kProgram, 0, 1);
    auto trials = hooks.tuner->measure(kProgram, both, inputs);
    if (trials.size() != both.size()) {
      isPassing = true; // nothing can be measured here now
      return {};
    }
    const package::Trial &plain = trials.front(), &tuned = trials.back();
    if (!plain.failure.empty() || tuned.isPassing) {
      const package::Trial &failed = plain.failure.empty() ? tuned : plain;
      failure = failed.failure;
      isPassing |= failed.isPassing;
      return {};
    }
    if (defaultNanoseconds == 0)
      defaultNanoseconds = plain.nanoseconds;
    if (!tuned.failure.empty() || tuned.nanoseconds >= plain.nanoseconds)
      return {ProgramComparison::NotFaster, 1};
    found.ratio = std::max(found.ratio, tuned.nanoseconds / plain.nanoseconds);
  }
  return found;
}

void TunedProgram::settle(std::vector<TunedKernels> tuned, double all,
                          bool isDisturbed) {
  choices = std::move(tuned);
  std::vector<std::string> texts;
  for (const TunedKernels &choice : choices)
    texts.push_back(loop::printSchedule(choice.chosen));
  for (const std::string &text :
       hooks.tuner->find(key, package::TuningSubject::Program))
    if (auto known = decodeBestProgram(text, texts)) {
      defaultNanoseconds = known->defaultNanoseconds;
      nanoseconds = known->nanoseconds;
      apply(known->kept);
      return tell(known->kept);
    }
  ChoiceSearch search;
  for (const TunedKernels &choice : choices)
    search.promised.push_back(all > 0 ? choice.saved / all : 0);
  const auto start = std::chrono::steady_clock::now();
  search.compare = [&](const Choices &without, const Choices &with) {
    bool isFirst = packages.empty();
    bool isOver = std::chrono::steady_clock::now() - start > kHalvingTime;
    return isFirst || !isOver ? compare(without, with) : ProgramComparison();
  };
  // What nobody could compare stays as its kernels are.
  if (!search.run())
    search.kept.assign(choices.size(), true);
  packages.clear();
  nanoseconds = search.ratio * defaultNanoseconds;
  apply(search.kept);
  tell(search.kept);
  if (!isPassing && !isDisturbed)
    hooks.tuner->keep(key, encodeBestProgram(
                               {search.kept, nanoseconds, defaultNanoseconds},
                               texts));
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

static std::string print(double nanoseconds) {
  return std::to_string(std::llround(nanoseconds));
}

void TunedProgram::tell(const Choices &kept) {
  if (choices.empty())
    return;
  const auto taken = static_cast<size_t>(llvm::count(kept, true));
  KernelOp first = choices.front().kernels.front();
  StringRef function = remarks::getFunctionName(first);
  const char *why = "the program is not faster by more than the noise";
  if (defaultNanoseconds == 0)
    why = taken > 0 ? "the program could not be compared with its default"
                    : "together they save less than can be seen";
  if (taken > 0 && defaultNanoseconds > 0) {
    if (auto told = mlir::remark::passed(
            module.getLoc(), remarks::kProgramTuned.function(function)))
      told << mlir::remark::metric("taken", taken)
           << mlir::remark::metric("choices", choices.size())
           << mlir::remark::metric("ns", print(nanoseconds))
           << mlir::remark::metric("default_ns", print(defaultNanoseconds));
  } else if (auto told = mlir::remark::missed(
                 module.getLoc(),
                 remarks::kProgramNotTuned.function(function))) {
    told << mlir::remark::metric("taken", taken)
         << mlir::remark::metric("choices", choices.size())
         << mlir::remark::metric("default_ns", print(defaultNanoseconds))
         << mlir::remark::reason("{0}", failure.empty() ? why : failure);
  }
  for (auto [choice, isKept] : llvm::zip_equal(choices, kept)) {
    if (isKept)
      continue;
    KernelOp kernel = choice.kernels.front();
    if (auto told = mlir::remark::missed(
            kernel.getLoc(),
            remarks::kTakenBack.function(remarks::getFunctionName(kernel))))
      told << mlir::remark::metric("kernel", kernel.getName())
           << mlir::remark::metric("kernels", choice.kernels.size())
           << mlir::remark::metric("schedule",
                                   loop::printSchedule(choice.chosen))
           << mlir::remark::reason("{0}", "the program is not faster with it");
  }
}
