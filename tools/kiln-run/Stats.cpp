//===- Stats.cpp - What a run reports of itself ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stats.h"

#include "common/JsonWriter.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <sys/resource.h>

using namespace kiln;
using namespace kiln::run;
using kiln::tools::JsonWriter;

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

namespace {
/// Made before `main`. What the loader took is processor time by then.
struct ProcessStart {
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
  double before = 0;
  ProcessStart() {
    timespec used = {};
    if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
      before = double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
  }
};
} // namespace

static const ProcessStart processStart;

double run::processSeconds() {
  std::chrono::duration<double> since =
      std::chrono::steady_clock::now() - processStart.time;
  return processStart.before + since.count();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates the expressions of one program.
class Sizes {
public:
  Sizes(const package::Program &program,
        const std::vector<runtime::OpValue> &inputs)
      : program_(program), cells_(program.symbols.size()) {
    std::string failure;
    bound_ = runtime::bindSymbols(program, inputs, cells_.data(), failure);
  }

  /// Of a program whose symbols are among those of another.
  Sizes(const package::Program &program, const Sizes &other)
      : program_(program), cells_(program.symbols.size()),
        bound_(other.bound_) {
    for (size_t i = 0; i < program.symbols.size(); ++i)
      for (size_t k = 0; k < other.program_.symbols.size(); ++k)
        if (program.symbols[i].name == other.program_.symbols[k].name)
          cells_[i] = other.cells_[k];
  }

  /// 0 where something is not known before the program runs.
  int64_t number(package::ExprId expr) const {
    package::Cell cell;
    if (!bound_ || expr == package::kNone ||
        package::evaluate(program_.exprs[expr], cells_.data(), cell) !=
            package::ExprFailure::None ||
        !cell.isInteger())
      return 0;
    return cell.integer;
  }

  int64_t bytes(const package::Value &value) const {
    int64_t count = static_cast<int64_t>(itemSize(value.dtype));
    for (package::ExprId size : value.sizes)
      count *= number(size);
    return count;
  }

private:
  const package::Program &program_;
  std::vector<package::Cell> cells_;
  bool bound_ = false;
};
} // namespace

static bool holdsMemory(const package::Value &value) {
  return value.kind == package::Value::Kind::Arena ||
         value.kind == package::Value::Kind::New ||
         value.kind == package::Value::Kind::Prepared;
}

/// True if what is prepared came with the package, and takes no memory but the
/// file's.
static bool isFromPackage(const package::Program &program,
                          const session::Session &session) {
  return package::isPreparationStored(program) &&
         session.function().stats().preparations == 0;
}

/// The most bytes of arena and result values that steps need at one time.
static int64_t mostAlive(const package::Program &program, const Sizes &sizes,
                         bool isStored) {
  size_t count = program.values.size();
  std::vector<size_t> first(count, SIZE_MAX), last(count, 0);
  auto use = [&](package::ValueId id, size_t step) {
    if (id == package::kNone)
      return;
    id = package::getRoot(program, id);
    first[id] = std::min(first[id], step);
    last[id] = std::max(last[id], step);
  };
  size_t steps = program.steps.size();
  for (size_t i = 0; i < steps; ++i) {
    if (const auto *buffers = package::getBuffers(program.steps[i]))
      for (package::ValueId id : *buffers)
        use(id, i);
    else if (const auto *copy =
                 std::get_if<package::CopyStep>(&program.steps[i])) {
      use(copy->source, i);
      use(copy->target, i);
    }
  }
  for (const package::Output &output : program.outputs)
    use(output.value, steps);
  // What is prepared stays, unless preparation alone reads it and it is let go of.
  std::vector<size_t> passing = package::findPassing(program);
  for (size_t id = 0; id < count; ++id)
    if (program.values[id].kind == package::Value::Kind::Prepared) {
      first[id] = passing[id] == SIZE_MAX && !isStored ? 0 : SIZE_MAX;
      last[id] = steps;
    }
  // What is written over another value needs no memory beside it.
  std::map<std::pair<package::ExprId, size_t>, size_t> dying;
  for (size_t id = 0; id < count; ++id)
    if (first[id] != SIZE_MAX &&
        program.values[id].kind == package::Value::Kind::Arena)
      dying[{program.values[id].offset, last[id]}] = id;
  std::vector<int64_t> change(steps + 2, 0);
  for (size_t id = 0; id < count; ++id)
    if (first[id] != SIZE_MAX && holdsMemory(program.values[id])) {
      auto over = dying.find({program.values[id].offset, first[id]});
      if (program.values[id].kind != package::Value::Kind::Prepared &&
          over != dying.end() && over->second != id && last[id] > first[id])
        ++first[id];
      int64_t bytes = sizes.bytes(program.values[id]);
      change[first[id]] += bytes;
      change[last[id] + 1] -= bytes;
    }
  int64_t alive = 0, most = 0;
  for (int64_t delta : change)
    most = std::max(most, alive += delta);
  return most;
}

/// What a step needs beside its buffers.
static int64_t scratchBytes(const package::Step &step, const Sizes &sizes, unsigned threads) {
  const auto *launch = std::get_if<package::LaunchStep>(&step);
  if (!launch)
    return 0;
  bool several = sizes.number(launch->workItems) > launch->grain;
  int64_t bytes = (sizes.number(launch->scratchBytes) + 63) / 64 * 64;
  return bytes * (several ? threads : 1);
}

/// The most of all steps that run.
static int64_t scratchBytes(const package::Program &program, const Sizes &sizes,
                            unsigned threads, bool isStored) {
  int64_t most = 0;
  for (const package::Step &step : program.steps)
    if (!isStored || !package::isPreparation(program, step))
      most = std::max(most, scratchBytes(step, sizes, threads));
  return most;
}

/// The most bytes of prepared values at one time while they are made, which is before anything
/// else, and of what that needs beside them.
static int64_t mostPrepared(const package::Program &program, const Sizes &sizes,
                            unsigned threads) {
  std::vector<size_t> passing = package::findPassing(program);
  std::vector<bool> isMade(program.values.size());
  int64_t alive = 0, scratch = 0, most = 0;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (!package::isPreparation(program, program.steps[i]))
      continue;
    std::vector<package::ValueId> ended;
    for (package::ValueId buffer : *package::getBuffers(program.steps[i])) {
      package::ValueId id = package::getRoot(program, buffer);
      const package::Value &value = program.values[id];
      if (value.kind != package::Value::Kind::Prepared)
        continue;
      if (!isMade[id])
        alive += sizes.bytes(value);
      isMade[id] = true;
      if (passing[id] == i && std::find(ended.begin(), ended.end(), id) == ended.end())
        ended.push_back(id);
    }
    scratch = std::max(scratch, scratchBytes(program.steps[i], sizes, threads));
    most = std::max(most, alive + scratch);
    for (package::ValueId id : ended)
      alive -= sizes.bytes(program.values[id]);
  }
  return most;
}

MemoryNeed run::memoryNeed(const session::Session &session) {
  const runtime::Executable &variant = session.lastVariant();
  const package::Program &program = variant.package().programs.front();
  Sizes sizes(program, session.slotValues());
  bool isStored = isFromPackage(program, session);
  int64_t scratch = scratchBytes(program, sizes, session.threads(), isStored);
  MemoryNeed need;
  need.plannedPeak = sizes.number(program.arenaBytes);
  std::vector<size_t> passing = package::findPassing(program);
  for (size_t id = 0; id < program.values.size(); ++id)
    if (const package::Value &value = program.values[id];
        value.kind == package::Value::Kind::New ||
        (value.kind == package::Value::Kind::Prepared &&
         passing[id] == SIZE_MAX && !isStored))
      need.plannedPeak += sizes.bytes(value);
  need.lowerBound = mostAlive(program, sizes, isStored);
  for (const package::Output &output : program.outputs) {
    if (output.role != package::Output::Role::Saved ||
        output.value == package::kNone ||
        output.kind != package::Output::Kind::Tensor)
      continue;
    const package::Value &value = program.values[output.value];
    if (value.kind != package::Value::Kind::Slot &&
        value.kind != package::Value::Kind::Constant)
      need.savedForBackward += sizes.bytes(value);
  }
  if (variant.package().programs.size() == 2) {
    // The backward runs in the forward's arena, beside the forward's results:
    // what is saved is among them.
    const package::Program &backward = variant.package().programs[1];
    Sizes backwardSizes(backward, sizes);
    int64_t arena = sizes.number(program.arenaBytes);
    int64_t results = need.plannedPeak - arena;
    need.lowerBound =
        std::max(need.lowerBound, results + mostAlive(backward, backwardSizes,
                                                      /*isStored=*/false));
    need.plannedPeak =
        results + std::max(arena, backwardSizes.number(backward.arenaBytes));
    for (const package::Value &value : backward.values)
      if (value.kind == package::Value::Kind::New ||
          (value.kind == package::Value::Kind::Slot &&
           backward.slots[value.slot].kind == package::Slot::Kind::Tangent))
        need.plannedPeak += backwardSizes.bytes(value);
    // Each keeps its own for the next call.
    scratch += scratchBytes(backward, backwardSizes, session.threads(),
                            /*isStored=*/false);
  }
  need.plannedPeak += scratch;
  if (!isStored)
    need.plannedPeak = std::max(
        need.plannedPeak, mostPrepared(program, sizes, session.threads()));
  if (need.savedForBackward == 0)
    need.savedForBackward =
        static_cast<int64_t>(variant.package().facts.savedForBackwardBytes);
  return need;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeTexts(JsonWriter &json, const std::vector<std::string> &texts) {
  json.beginArray();
  for (const std::string &text : texts)
    json.text(text);
  json.endArray();
}

static void writeCounts(JsonWriter &json, uint64_t programs, uint64_t joint,
                        uint64_t kernels, uint64_t tunings) {
  json.beginObject();
  json.key("graph").number(int64_t(programs));
  json.key("joint").number(int64_t(joint));
  json.key("kernel").number(int64_t(kernels));
  json.key("autotune").number(int64_t(tunings));
  json.endObject();
}

/// Operators that were called, with the number of calls and why they were.
static void writeExterns(JsonWriter &json, const runtime::RunStats &runs,
                         const std::string &backend, bool onlyFallbacks) {
  json.beginArray();
  for (const runtime::RunStats::ExternCalls &calls : runs.externs) {
    bool isFallback = !calls.reason.empty();
    if (onlyFallbacks && !isFallback)
      continue;
    json.beginObject().key("op").text(calls.op);
    json.key("count").number(int64_t(calls.count));
    json.key("reason").text(
        isFallback              ? calls.reason
        : backend != "inductor" ? "backend " + backend + " calls every operator"
                                : "an effect, or a number that the program "
                                  "needs outside of kernels");
    json.endObject();
  }
  json.endArray();
}

static void writeSkips(JsonWriter &json,
                       const std::vector<runtime::RunStats::Skips> &list) {
  json.key("skips").beginArray();
  for (const runtime::RunStats::Skips &skips : list) {
    json.beginObject().key("reason").text(skips.reason);
    json.key("count").number(int64_t(skips.count)).endObject();
  }
  json.endArray();
}

/// Of what the package has that was made of weights.
static int64_t getFrozenBytes(const runtime::Executable &variant) {
  int64_t bytes = 0;
  for (const package::Value &value : variant.package().programs.front().values)
    if (value.kind == package::Value::Kind::Prepared &&
        value.slot != package::kNone)
      bytes += int64_t(variant.constant(value.slot).storage()->bytes());
  return bytes;
}

static void writeRuntime(JsonWriter &json, const session::Session &session,
                         const std::string &backend, const RunFacts &facts) {
  const runtime::RunStats &runs = session.function().stats();
  json.key("kernel_launches").number(int64_t(runs.kernelLaunches));
  json.key("kernels").number(int64_t(runs.kernels));
  json.key("extern_calls").number(int64_t(runs.externCalls));
  json.key("copies").number(int64_t(runs.copies));
  json.key("layout_copies").number(int64_t(runs.layoutCopies));
  json.key("preparations").number(int64_t(runs.preparations));
  json.key("frozen_bytes").number(getFrozenBytes(session.lastVariant()));
  if (const auto &device = session.device()) {
    runtime::DeviceStats did = device->stats();
    json.key("device_memory").beginObject();
    json.key("peak_bytes").number(int64_t(did.peakBytes));
    json.key("allocations").number(int64_t(did.allocations));
    json.key("uploaded_bytes").number(int64_t(did.uploadedBytes));
    json.key("downloaded_bytes").number(int64_t(did.downloadedBytes));
    json.key("synchronizations").number(int64_t(did.synchronizations));
    json.key("host_arguments").number(int64_t(runs.hostArguments));
    json.key("strided_copies").number(int64_t(did.stridedCopies)).endObject();
    json.key("device_code").beginObject();
    json.key("assembled").number(int64_t(did.assembled));
    json.key("found").number(int64_t(did.codeFound)).endObject();
    json.key("cudagraphs").beginObject();
    json.key("graphs").number(int64_t(did.graphs));
    json.key("replays").number(int64_t(runs.graphReplays));
    json.key("updates").number(int64_t(did.graphUpdates));
    writeSkips(json, runs.graphSkips);
    json.endObject();
    json.key("gpu_libraries").beginObject();
    json.key("products").number(int64_t(runs.libraryProducts));
    json.key("convolutions").number(int64_t(runs.libraryConvolutions));
    writeSkips(json, runs.librarySkips);
    json.endObject();
  }
  json.key("extern_ops");
  writeExterns(json, runs, backend, /*onlyFallbacks=*/false);
  json.key("fallback_ops");
  writeExterns(json, runs, backend, /*onlyFallbacks=*/true);
  // An exported program is one graph.
  json.key("graph_breaks").beginArray().endArray();
  json.key("calls").beginArray();
  for (const runtime::CallRecord &call : facts.calls) {
    json.beginObject().key("variant").number(call.variant);
    json.key("recompiled").flag(call.recompiled);
    json.key("reasons");
    writeTexts(json, call.reasons);
    json.key("seconds").real(call.seconds).endObject();
  }
  json.endArray();
}

std::string run::statsJson(const Options &options,
                           const session::Session &session,
                           const RunFacts &facts,
                           const std::vector<tools::Checked> &checks) {
  const session::SessionStats &stats = session.stats();
  const package::Facts &package = session.lastVariant().package().facts;
  JsonWriter json;
  json.beginObject();
  std::string backend =
      package.backend.empty() ? wordOf(options.session.backend) : package.backend;
  json.key("backend").text(backend);
  json.key("mode").text(options.mode);
  json.key("device").text(session.device() ? session.device()->name() : "cpu");
  json.key("threads").number(session.threads());
  json.key("compiler_loaded").flag(stats.compilerLoaded);
  json.key("time").beginObject();
  json.key("load_s").real(facts.loadSeconds);
  json.key("compile_s").real(stats.compileSeconds);
  json.key("first_result_s").real(facts.firstResultSeconds);
  json.key("process_s").real(processSeconds());
  json.endObject();
  json.key("graphs_compiled").number(stats.graphsCompiled);
  json.key("kernels_compiled").number(stats.kernelsCompiled);
  json.key("kernels_from_cache").number(stats.kernelsFound);
  writeRuntime(json, session, backend, facts);
  json.key("memory").beginObject();
  json.key("planned_peak_bytes").number(facts.memory.plannedPeak);
  json.key("measured_peak_bytes").number(facts.measuredPeakBytes);
  json.key("saved_for_backward_bytes").number(facts.memory.savedForBackward);
  json.key("lower_bound_bytes").number(facts.memory.lowerBound);
  json.endObject();
  json.key("traffic").beginObject();
  json.key("bytes_read").number(int64_t(package.bytesRead));
  json.key("bytes_written").number(int64_t(package.bytesWritten));
  json.key("bytes_unfused").number(int64_t(package.bytesUnfused));
  json.endObject();
  json.key("cache").beginObject().key("hits");
  writeCounts(json, stats.cacheHits, stats.jointHits, stats.kernelHits,
              stats.tuning.hits);
  json.key("misses");
  writeCounts(json, stats.cacheMisses, stats.jointMisses, stats.kernelMisses,
              stats.tuning.misses);
  json.key("remote_hits").number(int64_t(stats.remoteHits));
  json.key("miss_reasons");
  writeTexts(json, stats.missReasons);
  json.endObject();
  json.key("autotune").beginObject();
  json.key("measurements").number(int64_t(stats.tuning.measurements));
  json.key("failures").number(int64_t(stats.tuning.failures));
  json.key("seconds").real(stats.tuning.seconds).endObject();
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  json.key("peak_rss_bytes").number(int64_t(usage.ru_maxrss) * 1024);
  json.key("outputs").beginArray();
  for (const tools::Checked &checked : checks) {
    json.beginObject().key("name").text(checked.name);
    json.key("dtype").text(std::string(dtypeName(checked.dtype)));
    json.key("shape").beginArray();
    for (int64_t size : checked.sizes)
      json.number(size);
    json.endArray();
    json.key("max_abs_err").real(checked.result.maxAbsErr);
    json.key("max_rel_err").real(checked.result.maxRelErr);
    json.key("ok").flag(checked.result.ok).endObject();
  }
  json.endArray().endObject();
  return json.str();
}
