//===- ReasonTexts.cpp - Reasons as text ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reason becomes a line, below a headline where its kind of line begins.
//
//===----------------------------------------------------------------------===//

#include "ReasonTexts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::package;

namespace {

/// A reason of the table, and its text form.
struct ReasonName {
  ReasonId id;
  std::string_view pass, name;
};

constexpr ReasonName reasonNames[] = {
#define KILN_REASON(id, pass, name) {ReasonId::id, pass, name},
#include "kiln/ABI/Reasons.def"
};

/// What a topic tells, in this order.
struct Topic {
  std::string_view name;
  std::array<std::string_view, 17> passes;
};

constexpr Topic topics[] = {
    {"autotuning", {"loop-autotune"}},
    {"dynamic", {"aten-make-dynamic"}},
    {"fusion",
     {"loop-fuse", "loop-inline-virtual", "loop-share-rows",
      "loop-fuse-products", "loop-split-reductions", "loop-fuse-columns",
      "loop-fuse-results", "loop-fuse-sums", "loop-fold-one-hot",
      "loop-split-contractions", "loop-sort-scatters", "loop-split-sorts",
      "loop-split-scans", "loop-choose-layout", "aten-multiply-levels",
      "loop-split-groups", "loop-fuse-checks"}},
    {"memory",
     {"program-plan-memory", "loop-order-kernels", "loop-rematerialize",
      "program-hoist-preparation"}},
    {"partition", {"joint-partition", "joint-differentiate", "aten-save-sums"}},
    {"schedule",
     {"program-export", "program-join-launches", "loop-join-grids",
      "loop-pack-weights"}},
};

/// Writes the text of one function. Rounds come before what leads to them: they
/// are what one looks for.
class Writer {
public:
  void add(const Reason &reason);
  std::string finish() { return std::move(text) + behind; }

private:
  void addFusion(const Reason &reason, ReasonId id);
  void addJoined(const Reason &reason, ReasonId id);
  void addPartition(const Reason &reason, ReasonId id);
  void addMemory(const Reason &reason);
  void addLimit(const Reason &reason, ReasonId id);
  void addLaunch(const Reason &reason);
  void addTuning(const Reason &reason, ReasonId id);
  /// Writes `line` where no other line than those below it was written since.
  void addHeadline(const std::string &line);

  std::string text, behind;
  std::string headline;
  std::string fusions; ///< of the present round
  unsigned fusionCount = 0;
};

} // namespace

std::string_view Reason::get(std::string_view key) const {
  for (const Argument &argument : arguments)
    if (argument.key == key)
      return argument.value;
  return {};
}

std::optional<ReasonId> package::identify(const Reason &reason) {
  for (const ReasonName &entry : reasonNames)
    if (entry.pass == reason.pass && entry.name == reason.name)
      return entry.id;
  return std::nullopt;
}

static std::string get(const Reason &reason, std::string_view key) {
  return std::string(reason.get(key));
}

static std::string quoted(const Reason &reason, std::string_view key) {
  return "`" + get(reason, key) + "`";
}

void Writer::addHeadline(const std::string &line) {
  if (headline != line)
    text += line;
  headline = line;
}

void Writer::addFusion(const Reason &reason, ReasonId id) {
  std::string why = ": " + get(reason, "Reason") + "\n";
  switch (id) {
  case ReasonId::Epilogue:
    text += "Epilogue: " + get(reason, "nest") + " into " +
            get(reason, "contraction") + "\n";
    return;
  case ReasonId::NoEpilogue:
    behind += "No epilogue: " + get(reason, "contraction") + why;
    return;
  case ReasonId::NoPrologue:
    behind += "No prologue: " + get(reason, "nest") + " of " +
              get(reason, "contraction") + ", " + get(reason, "bytes") +
              " bytes" + why;
    return;
  case ReasonId::FusionCandidate:
    addHeadline("=== Fusion Round " + get(reason, "round") +
                " ===\nCandidates for fusion:\n");
    text += "  - LoopKernel(name='" + get(reason, "group") + "'), " +
            get(reason, "nests") + "\n";
    return;
  case ReasonId::Fused:
    fusions += "  - Fusing " + quoted(reason, "first") + " with " +
               quoted(reason, "second") + "\n";
    ++fusionCount;
    return;
  case ReasonId::FusionRound:
    text += "Found " + std::to_string(fusionCount) + " possible fusion" +
            (fusionCount == 1 ? "" : "s") + ":\n" + fusions +
            "Result:\n  - Fused " + get(reason, "before") + " nodes into " +
            get(reason, "after") + " nodes\n";
    fusions.clear();
    fusionCount = 0;
    return;
  case ReasonId::NotFused:
    addHeadline("Not fused:\n");
    text += "  - " + quoted(reason, "first") + " with " +
            quoted(reason, "second") + why;
    return;
  case ReasonId::Kernel:
    addHeadline("Kernels:\n");
    text += "  - " + get(reason, "kernel") + ": " + quoted(reason, "group") +
            "\n";
    return;
  case ReasonId::Inlined:
    text += "Inlined: " + get(reason, "nest") + "\n";
    return;
  case ReasonId::Stored:
    text += "Stored: " + get(reason, "nest") + why;
    return;
  case ReasonId::SharedRow:
    text += "Computed once for a row: a value of " + get(reason, "kernel") +
            ", cost " + get(reason, "cost") + "\n";
    return;
  case ReasonId::ReductionSplit:
    text += "Reduced in " + get(reason, "parts") + " parts: " +
            get(reason, "nest") + "\n";
    return;
  case ReasonId::OneTerm:
    text += "A sum of one term: " + get(reason, "nest") + "\n";
    return;
  case ReasonId::ProductSplit:
    text += "Multiplied in " + get(reason, "parts") + " parts of " +
            get(reason, "depth") + ": " + get(reason, "contraction") + "\n";
    return;
  case ReasonId::ProductWhole:
    text += "Not multiplied in parts: " + get(reason, "contraction") + why;
    return;
  case ReasonId::LevelsNotMultiplied:
    text += "Quantized factors multiplied as floats" + why;
    return;
  case ReasonId::GroupsApart:
    text += "Groups of channels apart: " + get(reason, "contraction") + why;
    return;
  case ReasonId::TapsApart:
    text += "Taps apart from channels: " + get(reason, "contraction") + why;
    return;
  default:
    return addJoined(reason, id);
  }
}

/// Products and sums of columns in kernels of others.
void Writer::addJoined(const Reason &reason, ReasonId id) {
  std::string why = ": " + get(reason, "Reason") + "\n";
  switch (id) {
  case ReasonId::ProductsFused:
    text += "Products in blocks of rows: " + get(reason, "kernel") + ", " +
            get(reason, "products") + " of them\n";
    return;
  case ReasonId::ProductsNotFused:
    text += "Products apart from " + get(reason, "kernel") + why;
    return;
  case ReasonId::ColumnsFused:
    text += "Columns summed up with their rows: " + get(reason, "kernel") +
            ", in parts of " + get(reason, "rows") + "\n";
    return;
  case ReasonId::ColumnsNotFused:
    text += "Columns apart from rows: " + get(reason, "kernel") + why;
    return;
  case ReasonId::ResultsFused:
    text += "Elements finished with their product: " + get(reason, "kernel") +
            " in " + get(reason, "product") + ", of " + get(reason, "results") +
            " results\n";
    return;
  case ReasonId::ResultsNotFused:
    text += "Elements apart from their product: " + get(reason, "kernel") +
            " behind " + get(reason, "product") + why;
    return;
  case ReasonId::SumsFused:
    text += "Columns summed up with their product: " + get(reason, "kernel") +
            ", in tiles of " + get(reason, "rows") + " rows\n";
    return;
  case ReasonId::SumsNotFused:
    text += "Columns apart from their product: " + get(reason, "kernel") + why;
    return;
  case ReasonId::ChecksFused:
    text += "Checked by who reads it: " + get(reason, "check") + " in " +
            get(reason, "kernel") + "\n";
    return;
  case ReasonId::ChecksNotFused:
    text += "Checked apart: " + get(reason, "kernel") + why;
    return;
  default:
    return;
  }
}

void Writer::addPartition(const Reason &reason, ReasonId id) {
  std::string why = ": " + get(reason, "Reason") + "\n";
  std::string value = "'" + get(reason, "value") + "'";
  switch (id) {
  case ReasonId::Partitioned: {
    std::string storages = get(reason, "storages");
    text += "saved for backward: " + get(reason, "saved_bytes") +
            " bytes in " + storages +
            (storages == "1" ? " storage\n" : " storages\n");
    if (std::string budget = get(reason, "budget_bytes"); !budget.empty())
      text += "memory budget: " + budget + " bytes at most\n";
    return;
  }
  case ReasonId::OverBudget:
    text += "memory budget: " + get(reason, "budget_bytes") +
            " bytes at most, but less can not be saved\n";
    return;
  case ReasonId::Saved:
    text += "  save " + value + " " + get(reason, "op") + ", " +
            get(reason, "bytes") + " bytes" + why;
    return;
  case ReasonId::KeptInput:
    text += "  keep input " + value + why;
    return;
  case ReasonId::Recomputed: {
    text += "  recompute " + get(reason, "op");
    if (!reason.get("value").empty())
      text += " " + value;
    text += ": " + get(reason, "Reason");
    if (std::string cost = get(reason, "cost"); !cost.empty())
      text += ", costs as much as moving " + cost + " bytes";
    text += "\n";
    return;
  }
  case ReasonId::SumsNotSaved:
    text += "no sums of attention saved" + why;
    return;
  case ReasonId::NoGradient:
    text += "no gradient: argument " + get(reason, "argument") + why;
    return;
  default:
    return;
  }
}

void Writer::addMemory(const Reason &reason) {
  text += "Memory plan of " + reason.function + ":\n  - " +
          get(reason, "buffers") + " buffers, arena of " +
          get(reason, "arena") + " bytes (" + get(reason, "peak") +
          " at the hints)\n  - lower bound " + get(reason, "lower_bound") +
          " bytes, without reuse " + get(reason, "without_reuse") +
          " bytes\n  - " + get(reason, "in_place") +
          " results written in place\n  - results handed to the caller: " +
          get(reason, "escaping") + " bytes\n";
  if (std::string places = get(reason, "saved_places"); !places.empty())
    text += "  - " + places + " results in the place of saved values: " +
            get(reason, "saved_places_bytes") + " bytes\n";
}

void Writer::addLimit(const Reason &reason, ReasonId id) {
  if (id == ReasonId::RunAgain) {
    text += "  - " + get(reason, "kernel") + " runs again before " +
            get(reason, "before") + ", costs as much as moving " +
            get(reason, "cost") + " bytes\n";
    return;
  }
  text += "  - memory limit of " + get(reason, "limit") + " bytes: ";
  if (id == ReasonId::LimitKept)
    text += "kept, " + get(reason, "after") + " bytes are needed in place of " +
            get(reason, "before") + "\n";
  else
    text += "not kept, because " + get(reason, "Reason") + "; " +
            get(reason, "after") + " bytes would be, in place of " +
            get(reason, "before") + "\n";
}

void Writer::addLaunch(const Reason &reason) {
  addHeadline("Schedules of " + reason.function + ":\n");
  text += "  - " + get(reason, "kernel") + ": ";
  if (std::string schedule = get(reason, "schedule"); !schedule.empty())
    text += schedule + ", ";
  text += "work " + get(reason, "work") + ", at least " +
          get(reason, "grain") + " for a thread";
  if (std::string origins = get(reason, "origins"); !origins.empty())
    text += ", of " + origins;
  text += "\n";
}

/// "12.3 us" of nanoseconds.
static std::string inMicros(std::string_view nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f us",
                std::strtod(std::string(nanoseconds).c_str(), nullptr) / 1e3);
  return text;
}

void Writer::addTuning(const Reason &reason, ReasonId id) {
  std::string schedule = get(reason, "schedule");
  const bool isProgram = id == ReasonId::ProgramTuned ||
                         id == ReasonId::ProgramNotTuned ||
                         id == ReasonId::TakenBack;
  addHeadline("Autotuning of " +
              (isProgram ? "the program" : get(reason, "kernel")) + ":\n");
  switch (id) {
  case ReasonId::ProgramTuned:
    text += "  took " + get(reason, "taken") + " of " +
            get(reason, "choices") + " choices, " +
            inMicros(reason.get("ns")) + " instead of " +
            inMicros(reason.get("default_ns")) + "\n";
    return;
  case ReasonId::ProgramNotTuned:
    text += "  took " + get(reason, "taken") + " of " +
            get(reason, "choices") + " choices: " + get(reason, "Reason") +
            "\n";
    return;
  case ReasonId::TakenBack:
    text += "  - took back in " + get(reason, "kernel") + " (" +
            get(reason, "kernels") + " alike), " + get(reason, "Reason") + ": " +
            schedule + "\n";
    return;
  case ReasonId::TuneCandidate:
    text += "  - " + inMicros(reason.get("ns")) + ": " + schedule + "\n";
    return;
  case ReasonId::TuneRefused:
    text += "  - left out, " + get(reason, "Reason") + ": " + schedule + "\n";
    return;
  case ReasonId::Tuned:
    text += "  took " + schedule + ", " + inMicros(reason.get("ns")) +
            " instead of " + inMicros(reason.get("default_ns")) + "\n";
    return;
  default:
    text += "  kept the default: " + get(reason, "Reason") + "\n";
    return;
  }
}

void Writer::add(const Reason &reason) {
  std::optional<ReasonId> id = identify(reason);
  if (!id)
    return;
  switch (*id) {
  case ReasonId::FixedSize:
    text += get(reason, "size") + " is " + get(reason, "value") + " for " +
            get(reason, "Reason") + "\n";
    return;
  case ReasonId::NoGradient:
  case ReasonId::Partitioned:
  case ReasonId::OverBudget:
  case ReasonId::Saved:
  case ReasonId::KeptInput:
  case ReasonId::Recomputed:
    return addPartition(reason, *id);
  case ReasonId::Planned:
    return addMemory(reason);
  case ReasonId::Prepared:
    text += "  - computed once from weights: " + get(reason, "launches") +
            " launches, " + get(reason, "bytes") + " bytes, in place of " +
            get(reason, "weights") + " of weights\n";
    return;
  case ReasonId::NotPrepared:
    text += "  - computed in each call: " + get(reason, "kernel") + ", " +
            get(reason, "bytes") + " bytes, because " + get(reason, "Reason") +
            "\n";
    return;
  case ReasonId::Reordered:
    text += "  - peak before the kernels were ordered: " +
            get(reason, "before") + " bytes\n";
    return;
  case ReasonId::RunAgain:
  case ReasonId::LimitKept:
  case ReasonId::OverLimit:
    return addLimit(reason, *id);
  case ReasonId::Launched:
    return addLaunch(reason);
  case ReasonId::TuneCandidate:
  case ReasonId::TuneRefused:
  case ReasonId::Tuned:
  case ReasonId::NotTuned:
  case ReasonId::ProgramTuned:
  case ReasonId::ProgramNotTuned:
  case ReasonId::TakenBack:
    return addTuning(reason, *id);
  case ReasonId::PackedAhead:
    text += "Packed before the first call: the weight of " +
            get(reason, "kernel") + ", " + get(reason, "bytes") +
            " bytes more than it has\n";
    return;
  case ReasonId::NotPackedAhead:
    text += "Packed in each call: the weight of " + get(reason, "kernel") +
            ", because " + get(reason, "Reason") + "\n";
    return;
  case ReasonId::Joined:
    text += "Joined: " + get(reason, "parts") + " launches, now " +
            get(reason, "kernel") + "\n";
    return;
  case ReasonId::GridsJoined:
    text += "Joined: " + get(reason, "launches") + " launches of " +
            get(reason, "functions") + " functions, now " +
            get(reason, "kernel") + "\n";
    return;
  default:
    return addFusion(reason, *id);
  }
}

std::vector<std::string>
package::describeReasons(const Package &package, std::string_view topicName) {
  const Topic &topic = *std::find_if(
      std::begin(topics), std::end(topics),
      [&](const Topic &topic) { return topic.name == topicName; });
  std::vector<std::string_view> functions;
  auto addFunction = [&](std::string_view name) {
    if (std::find(functions.begin(), functions.end(), name) == functions.end())
      functions.push_back(name);
  };
  for (const auto *programs : {&package.programs, &package.bodies})
    for (const Program &program : *programs)
      addFunction(program.name);
  for (const Reason &reason : package.reasons)
    addFunction(reason.function);

  std::vector<std::string> texts;
  for (std::string_view function : functions) {
    Writer writer;
    for (std::string_view pass : topic.passes)
      for (const Reason &reason : package.reasons)
        if (!pass.empty() && reason.function == function && reason.pass == pass)
          writer.add(reason);
    if (std::string text = writer.finish(); !text.empty())
      texts.push_back(std::move(text));
  }
  return texts;
}
