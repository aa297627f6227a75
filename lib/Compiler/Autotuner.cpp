//===- Autotuner.cpp - Schedules that are measured ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Autotuner.h"

#include "BestConfig.h"
#include "KernelProgram.h"
#include "TunedProgram.h"

#include "kiln/Dialect/Loop/Transforms/Candidates.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Target/ProgramExport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace kiln;
using namespace kiln::compiler;
using loop::KernelOp;
using loop::ScheduleAttr;

/// Coordinate descent begins no further round after this long. Candidates are
/// measured as long as the budget of all tuning lasts.
static constexpr std::chrono::seconds kDescentTime{15};
/// Rounds at most, whatever is measured.
static constexpr unsigned kMaxRounds = 50;
/// The part of all kernels' time below which descent would gain nothing that
/// anybody sees.
static constexpr double kSmallShare = 0.02;
/// Kernels whose candidates are compiled together.
static constexpr size_t kBatch = 16;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Equal kernels.
struct Autotuner::Group {
  Digest kept; ///< what measurements are kept under
  std::string name; ///< of the first
  std::vector<KernelOp> kernels;
  std::vector<std::string> candidates; ///< what was wanted at first
  bool isFound = false;  ///< by what was kept earlier
  /// What was kept of a kernel whose descent has not ended, and its schedule.
  std::optional<std::pair<BestConfig, ScheduleAttr>> begun;
  bool isClosed = false; ///< nothing more is measured
  bool isDisturbed = false; ///< a candidate could not be run now
  bool isEnded = false;  ///< since nothing more was wanted
  /// The first kernel's schedule and its time.
  ScheduleAttr first;
  double nanoseconds = 0;
  double expected = 0; ///< as it was kept

  SmallVector<ScheduleAttr> getWanted() {
    SmallVector<ScheduleAttr> wanted;
    if (auto list = kernels.front()->getAttrOfType<mlir::ArrayAttr>(
            loop::kWantedAttrName))
      for (mlir::Attribute schedule : list)
        wanted.push_back(llvm::cast<ScheduleAttr>(schedule));
    return wanted;
  }
  double weight() const {
    return (nanoseconds == 0 ? expected : nanoseconds) * double(kernels.size());
  }
  /// Takes what was kept earlier.
  void take(const BestConfig &config, ScheduleAttr best) {
    add(first, {config.defaultNanoseconds, ""});
    if (best != first)
      add(best, {config.nanoseconds, ""});
    isFound = isClosed = true;
  }
  void add(ScheduleAttr schedule, const package::Trial &trial);
};

/// Adds a line to the table of each kernel.
void Autotuner::Group::add(ScheduleAttr schedule,
                           const package::Trial &trial) {
  mlir::Builder b(schedule.getContext());
  mlir::NamedAttribute result =
      trial.failure.empty()
          ? b.getNamedAttr("ns", b.getF64FloatAttr(trial.nanoseconds))
          : b.getNamedAttr("failure", b.getStringAttr(trial.failure));
  mlir::Attribute line = b.getDictionaryAttr(
      {b.getNamedAttr("schedule", schedule), result});
  for (KernelOp kernel : kernels) {
    SmallVector<mlir::Attribute> table;
    if (auto old =
            kernel->getAttrOfType<mlir::ArrayAttr>(loop::kMeasuredAttrName))
      llvm::append_range(table, old);
    table.push_back(line);
    kernel->setAttr(loop::kMeasuredAttrName, b.getArrayAttr(table));
  }
}

void Autotuner::findGroups() {
  std::map<std::string, Group *> known;
  module.walk([&](KernelOp kernel) {
    if (!kernel->hasAttr(loop::kWantedAttrName))
      return;
    Digest digest = digestKernel(kernel);
    Group *&group = known[digest.hex()];
    if (!group) {
      group = groups.emplace_back(std::make_unique<Group>()).get();
      group->kept = digest;
      group->name = kernel.getName().str();
      group->first = kernel.getScheduleAttr();
    }
    group->kernels.push_back(kernel);
  });
  for (auto &group : groups) {
    for (ScheduleAttr schedule : group->getWanted())
      group->candidates.push_back(loop::printSchedule(schedule));
    // Machines that choose among others, or go on by descent, keep what they find
    // beside each other.
    group->kept = sha256(ByteView(std::string_view(
        group->kept.hex() + hashConfigs(group->candidates) +
        (options.coordinateDescentTuning ? " by descent" : ""))));
  }
}

void Autotuner::lookUp(Group &group) {
  for (const std::string &text :
       hooks.tuner->find(group.kept, package::TuningSubject::Kernel)) {
    auto config = decodeBestConfig(text, group.candidates,
                                   options.coordinateDescentTuning);
    std::string reason;
    ScheduleAttr best =
        config ? loop::parseSchedule(group.kernels.front(), config->schedule,
                                     reason)
               : ScheduleAttr();
    if (!best)
      continue;
    group.expected = config->defaultNanoseconds;
    if (config->byDescent || !options.coordinateDescentTuning)
      return group.take(*config, best);
    if (!group.begun)
      group.begun = {*config, best};
  }
}

/// What decisions of the program are kept under: it as it stands, and what is tried.
Digest Autotuner::digestProgram() {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Whatever numbers weights have, they take the same time.
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64);
  module->print(os, flags);
  os << (options.coordinateDescentTuning ? "by descent" : "");
  return sha256(ByteView(std::string_view(text)));
}

/// Kernels whose descent ended before its time: if the program was decided upon all the
/// same, or if they are as small here as in the module where that was, they need no more.
void Autotuner::takeBegun() {
  if (!hooks.tuner->find(key, package::TuningSubject::Program).empty())
    for (auto &group : groups)
      if (group->begun && !group->isFound)
        group->take(group->begun->first, group->begun->second);
  double all = 0;
  for (auto &group : groups)
    all += group->weight();
  for (auto &group : groups)
    if (group->begun && !group->isFound &&
        group->weight() < kSmallShare * all)
      group->take(group->begun->first, group->begun->second);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// One schedule of one kernel on its way to a package.
struct Autotuner::Candidate {
  ScheduleAttr schedule;
  mlir::OwningOpRef<ModuleOp> program;
  std::vector<uint8_t> package;
  std::string failure;
};

/// Makes the packages of candidates, or says why there is none.
void Autotuner::compileAll(std::vector<std::vector<Candidate>> &batches) {
  std::vector<Candidate *> candidates;
  std::vector<ModuleOp> programs;
  for (auto &batch : batches)
    for (Candidate &candidate : batch)
      if (candidate.failure.empty()) {
        candidates.push_back(&candidate);
        programs.push_back(*candidate.program);
      }
  auto images = code.compile(programs);
  for (auto [candidate, image] : llvm::zip_equal(candidates, images)) {
    auto package = image ? target::exportPackage(*candidate->program,
                                                 std::move(*image))
                         : Result<package::Package>(image.error());
    if (package)
      candidate->package = package::encodePackage(*package);
    else
      candidate->failure = package.error().message;
  }
}

bool Autotuner::measure(ArrayRef<Group *> active) {
  size_t told = reasons.size();
  std::vector<std::vector<Candidate>> batches;
  for (Group *group : active) {
    std::vector<Candidate> &batch = batches.emplace_back();
    SmallVector<ScheduleAttr> wanted = group->getWanted();
    // What the others are compared with, in numbers and in time.
    if (!llvm::is_contained(wanted, group->first))
      wanted.insert(wanted.begin(), group->first);
    for (ScheduleAttr schedule : wanted) {
      Candidate &candidate = batch.emplace_back();
      candidate.schedule = schedule;
      candidate.program = makeKernelProgram(group->kernels.front(), schedule);
      if (Status s = lowerKernelProgram(*candidate.program); !s)
        candidate.failure = s.error().message;
    }
  }
  compileAll(batches);
  bool isOk = true;
  unsigned done = 0;
  for (auto [group, batch] : llvm::zip_equal(active, batches)) {
    if (isSpent())
      break;
    std::vector<std::vector<uint8_t>> packages;
    for (Candidate &candidate : batch)
      packages.push_back(std::move(candidate.package));
    hooks.tuner->progress(group->name, done++, active.size());
    package::TrialInputs inputs = getTrialInputs(group->kernels.front());
    inputs.maxSeconds = secondsLeft();
    std::vector<package::Trial> trials =
        hooks.tuner->measure(group->name, packages, inputs);
    isOk &= trials.size() == packages.size();
    double reference = trials.empty() ? 0 : trials.front().nanoseconds;
    for (size_t i = 0; i < trials.size() && i < batch.size(); ++i) {
      package::Trial &trial = trials[i];
      if (!batch[i].failure.empty())
        trial.failure = "does not compile: " + batch[i].failure;
      bool isAgain = i == 0 && group->nanoseconds != 0;
      // Times of another round: the machine may be faster or slower by now.
      if (trial.failure.empty() && group->nanoseconds != 0 && reference != 0)
        trial.nanoseconds *= group->nanoseconds / reference;
      if (!isAgain)
        group->add(batch[i].schedule, trial);
      group->isDisturbed |= trial.isPassing;
    }
    if (group->nanoseconds == 0)
      group->nanoseconds = reference;
  }
  reasons.resize(told);
  return isOk;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

Autotuner::Autotuner(ModuleOp module, CandidateCode &code,
                     ArrayRef<StagePipeline> behind,
                     const CompileOptions &options, const CompileHooks &hooks,
                     std::vector<package::Reason> &reasons, double seconds)
    : module(module), code(code), behind(behind), options(options),
      hooks(hooks), reasons(reasons), start(std::chrono::steady_clock::now()),
      budget(seconds) {}

Autotuner::~Autotuner() = default;

bool Autotuner::isOver() const {
  return std::chrono::steady_clock::now() - start > kDescentTime;
}

double Autotuner::secondsLeft() const {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  return (budget - spent).count();
}

bool Autotuner::isSpent() const { return secondsLeft() <= 0; }

/// As options of passes are, from 1 to 10^9, and a power of two: what another
/// measurement of the same machine gives ranks candidates alike, so that what was
/// found among them is found again.
static int64_t inMillions(double number) {
  double millions = std::clamp(number / 1e6, 1.0, 1e9);
  return static_cast<int64_t>(std::exp2(std::round(std::log2(millions))));
}

LogicalResult Autotuner::runPass(bool settle) {
  size_t told = reasons.size();
  loop::AutotunePassOptions pass;
  pass.contractions = options.maxAutotune || options.maxAutotuneGemm;
  pass.nests = options.maxAutotune || options.maxAutotunePointwise;
  pass.descend = options.coordinateDescentTuning;
  for (auto [isWanted, library] :
       {std::pair(options.gpuLibraries.cublas, loop::GPULibrary::Cublas),
        std::pair(options.gpuLibraries.cudnn, loop::GPULibrary::Cudnn)})
    if (isWanted)
      pass.libraries.push_back(loop::stringifyGPULibrary(library).str());
  pass.settle = settle;
  pass.threads = int64_t(hooks.tuner->threads());
  pass.megabytesPerSecond = inMillions(speed.bytesPerSecond);
  pass.megaflopsPerSecond = inMillions(speed.flopsPerSecond);
  mlir::PassManager pm(module.getContext(), "builtin.module",
                       mlir::OpPassManager::Nesting::Explicit);
  pm.enableVerifier(options.verifyEach);
  pm.addNestedPass<mlir::func::FuncOp>(loop::createAutotunePass(pass));
  LogicalResult ran = pm.run(module);
  // Reasons of the last run are those of the decision.
  if (!settle)
    reasons.resize(told);
  return ran;
}

/// The time of what a kernel has now, or of its default.
double Autotuner::getTunedTime(const Group &group) const {
  for (const package::Reason &reason : reasons)
    if (package::identify(reason) == package::ReasonId::Tuned &&
        reason.get("kernel") == group.name)
      return std::strtod(std::string(reason.get("ns")).c_str(), nullptr);
  return group.nanoseconds == 0 ? group.expected : group.nanoseconds;
}

void Autotuner::keep() {
  for (auto &group : groups) {
    // A time that nobody could take is no reason not to try again.
    if (group->isFound || group->nanoseconds == 0 || group->isDisturbed)
      continue;
    BestConfig config;
    config.schedule =
        loop::printSchedule(group->kernels.front().getScheduleAttr());
    config.defaultNanoseconds = group->nanoseconds;
    config.nanoseconds = getTunedTime(*group);
    config.byDescent = options.coordinateDescentTuning && group->isEnded;
    hooks.tuner->keep(group->kept,
                      encodeBestConfig(config, group->candidates));
  }
}

/// Takes back what does not make the program faster.
void Autotuner::compareProgram() {
  std::vector<TunedKernels> tuned;
  double all = 0;
  bool isDisturbed = false;
  for (auto &group : groups) {
    all += group->weight();
    isDisturbed |= group->isDisturbed;
    ScheduleAttr chosen = group->kernels.front().getScheduleAttr();
    if (chosen == group->first)
      continue;
    double saved =
        group->weight() - getTunedTime(*group) * double(group->kernels.size());
    tuned.push_back({group->kernels, group->first, chosen, saved});
  }
  TunedProgram(key, module, code, behind, hooks, reasons,
               [this] { return secondsLeft(); })
      .settle(std::move(tuned), all, isDisturbed);
}

/// One round: candidates of several kernels together, so that they are compiled side
/// by side; then neighbours of one kernel after another, those first that take longest.
/// False if that was the last round.
bool Autotuner::search(std::vector<Group *> active, unsigned round) {
  if (round == 0) {
    ArrayRef<Group *> left = active;
    bool isOk = true;
    while (isOk && !left.empty() && !isSpent()) {
      size_t count = std::min(left.size(), kBatch);
      isOk = measure(left.take_front(count));
      left = left.drop_front(count);
    }
    // Whom nobody came to keeps what is known of it, or the default.
    for (Group *group : active) {
      group->isClosed |= group->nanoseconds == 0;
      if (group->nanoseconds == 0 && group->begun)
        group->take(group->begun->first, group->begun->second);
    }
    return isOk;
  }
  llvm::sort(active, [](Group *a, Group *b) {
    return std::make_pair(b->weight(), a->name) <
           std::make_pair(a->weight(), b->name);
  });
  bool isDone = false;
  for (Group *group : active) {
    // What is about to win is looked at again in any case.
    bool isLast = group->getWanted().size() == 1;
    if (isSpent() || (isOver() && !isLast))
      continue;
    isDone = true;
    if (!measure({group}))
      return false;
  }
  return isDone;
}

Status Autotuner::run() {
  auto failed = [] {
    return Error::internal("stage 'loop': autotuning failed");
  };
  // A machine is not measured for a program without kernels.
  if (!module.walk([](KernelOp) { return mlir::WalkResult::interrupt(); })
           .wasInterrupted())
    return Status::success();
  speed = hooks.tuner->speed();
  if (mlir::failed(runPass(/*settle=*/false)))
    return failed();
  findGroups();
  key = digestProgram();
  for (auto &group : groups)
    lookUp(*group);
  takeBegun();
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    std::vector<Group *> active;
    double all = 0;
    for (auto &group : groups)
      all += group->weight();
    for (auto &group : groups) {
      group->isEnded |= group->getWanted().empty();
      group->isClosed |= group->isEnded ||
                         (round > 0 && group->getWanted().size() > 1 &&
                          group->weight() < kSmallShare * all);
      if (!group->isClosed)
        active.push_back(group.get());
    }
    if (active.empty() || !search(std::move(active), round))
      break;
    if (mlir::failed(runPass(/*settle=*/false)))
      return failed();
  }
  if (mlir::failed(runPass(/*settle=*/true)))
    return failed();
  keep();
  compareProgram();
  return Status::success();
}
