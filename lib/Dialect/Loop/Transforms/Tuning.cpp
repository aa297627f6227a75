//===- Tuning.cpp - Which of several schedules is the best ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Tuning.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

#include <algorithm>
#include <tuple>

using namespace kiln;
using namespace kiln::loop;

/// What a size that is not known counts as.
static constexpr int64_t kUnknownSize = 512;
/// How much more than with multiply-adds of f32 is done with tiles of AMX.
static constexpr double kTileSpeed = 8;
/// How much faster than memory the second cache is.
static constexpr double kCacheSpeed = 4;
/// Moves of a descent at most: a table that claims more is no measurement.
static constexpr unsigned kMaxMoves = 16;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The part of the machine's peak that a register tile can reach.
static double getSpeed(const PackedSchedule &s, const Machine &machine) {
  if (s.unit == DotUnit::Tiles)
    return kTileSpeed * double(s.tileRows * s.tileColumns) / (32 * 32);
  return getTileSpeed(s.tileRows, s.tileColumns / s.lanes, machine);
}

double loop::estimate(const ProductShape &product, const PackedSchedule &s,
                      const TuneMachine &machine) {
  auto sizeOf = [](Size size) {
    return std::max<int64_t>(size.value_or(kUnknownSize), 1);
  };
  int64_t batch = sizeOf(product.batch), m = sizeOf(product.m),
          n = sizeOf(product.n), k = sizeOf(product.k);
  double bytes = double(product.sumBits) / 8;
  double rows = double(roundUp(m, s.tileRows)),
         columns = double(roundUp(n, s.tileColumns));
  double peak = machine.flopsPerSecond * 32 / double(product.sumBits);
  double multiply =
      2 * rows * columns * double(k) / (peak * getSpeed(s, machine.machine));

  int64_t rowItems = divideUp(m, s.itemRows),
          columnItems = divideUp(n, s.itemColumns);
  double cache = kCacheSpeed * machine.bytesPerSecond;
  // Each item packs what it reads; it is read, and written to the cache.
  double packed = rows * double(k) * double(columnItems) +
                  columns * double(k) * double(rowItems);
  double passes = double(divideUp(k, s.blockDepth));
  double sums = 2 * rows * columns * (passes - 1);
  double move = bytes * (2 * packed + sums) / cache;
  if (double(s.blockRows * s.blockDepth) * bytes >
      double(machine.machine.l2Bytes) / 2)
    multiply *= 1.1;

  int64_t items = batch * rowItems * columnItems;
  int64_t turns = divideUp(items, machine.threads);
  double waiting = double(turns * machine.threads) / double(items);
  return 1e9 * double(batch) * (multiply + move) * waiting;
}

/// Register tiles that are worth a try: up to all registers, and narrow ones.
static std::vector<std::pair<int64_t, int64_t>>
getTiles(int64_t lanes, DotUnit unit, const Machine &machine) {
  if (unit == DotUnit::Tiles)
    return {{32, 32}, {16, 48}, {16, 32}, {48, 16}};
  if (machine.registers >= 32)
    return {{12, 2 * lanes}, {13, 2 * lanes}, {14, 2 * lanes}, {8, 3 * lanes},
            {6, 4 * lanes},  {8, 2 * lanes},  {24, lanes}};
  return {{6, 2 * lanes}, {4, 3 * lanes}, {4, 2 * lanes}, {12, lanes}};
}

static auto asTuple(const PackedSchedule &s) {
  return std::tie(s.tileRows, s.tileColumns, s.blockRows, s.blockDepth,
                  s.itemRows, s.itemColumns, s.unroll, s.grain);
}

std::vector<PackedSchedule>
loop::getCandidates(const ProductShape &product, const PackedSchedule &first,
                    const TuneMachine &machine, unsigned count) {
  if (product.isEmpty())
    return {};
  int64_t m = product.m.value_or(kUnknownSize),
          n = product.n.value_or(kUnknownSize);
  struct Ranked {
    double time;
    size_t place; // of equally good ones the first stays the first
    PackedSchedule schedule;
  };
  std::vector<Ranked> ranked;
  auto tiles = getTiles(first.lanes, first.unit, machine.machine);
  tiles.push_back({first.tileRows, first.tileColumns});
  bool isTiles = first.unit == DotUnit::Tiles;
  // Multiples of most tiles' rows.
  std::vector<int64_t> rowsOfItems = {60, 120, 240, 480, 960};
  if (isTiles)
    rowsOfItems = {64, 128, 256, 512, 1024};
  for (auto [tileRows, tileColumns] : tiles)
    for (int64_t depth : {first.blockDepth, first.blockDepth / 2})
      for (int64_t itemRows : rowsOfItems)
        for (int64_t itemColumns : {64, 128, 256, 512, 1024}) {
          // Blocks of what is read in place end where its runs do.
          if (first.inPlace && depth != first.blockDepth)
            continue;
          PackedSchedule s = first;
          s.tileRows = isTiles ? tileRows : std::min(tileRows, m);
          s.tileColumns = tileColumns;
          int64_t together = getFactorsOfWord(s.unit) * s.lanes;
          s.blockDepth = roundUp(depth, together);
          s.itemRows = roundUp(std::min(itemRows, m), s.tileRows);
          s.itemColumns = roundUp(std::min(itemColumns, n), s.tileColumns);
          int64_t rows = machine.machine.l2Bytes / 2 /
                         (s.blockDepth * product.sumBits / 8);
          s.blockRows = std::clamp<int64_t>(rows / s.tileRows * s.tileRows,
                                            s.tileRows, s.itemRows);
          if (asTuple(s) != asTuple(first))
            ranked.push_back(
                {estimate(product, s, machine), ranked.size(), s});
        }
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked &a, const Ranked &b) {
              return std::tie(a.time, a.place) < std::tie(b.time, b.place);
            });
  std::vector<PackedSchedule> best;
  std::map<std::pair<int64_t, int64_t>, unsigned> ofTile;
  for (const Ranked &entry : ranked) {
    const PackedSchedule &s = entry.schedule;
    bool isThere = std::any_of(best.begin(), best.end(), [&](auto &other) {
      return asTuple(other) == asTuple(s);
    });
    if (isThere || best.size() == count ||
        ofTile[{s.tileRows, s.tileColumns}]++ == 2)
      continue;
    best.push_back(s);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

std::vector<AcrossSchedule> loop::getCandidates(const AcrossSchedule &first,
                                                Size last) {
  std::vector<AcrossSchedule> list;
  auto add = [&](int64_t lanes, int64_t chunk, int64_t grain) {
    AcrossSchedule s = first;
    s.lanes = lanes;
    s.chunk = std::max(chunk / lanes * lanes, lanes);
    if (last)
      s.chunk = std::max<int64_t>(std::min(s.chunk, *last), 1);
    s.grain = std::max<int64_t>(grain, 1);
    bool isKnown = std::tie(s.lanes, s.chunk, s.grain) ==
                   std::tie(first.lanes, first.chunk, first.grain);
    for (const AcrossSchedule &other : list)
      isKnown |= std::tie(s.lanes, s.chunk, s.grain) ==
                 std::tie(other.lanes, other.chunk, other.grain);
    if (!isKnown)
      list.push_back(s);
  };
  // The same work for a thread, whatever an item is.
  int64_t work = first.chunk * first.grain;
  for (int64_t lanes : {2 * first.lanes, first.lanes / 2})
    if (lanes >= 1 && lanes <= 128 && (!last || lanes / 2 < *last))
      add(lanes, std::max(first.chunk, lanes), first.grain);
  for (int64_t chunk : {4 * first.chunk, first.chunk / 4})
    if (chunk >= first.lanes)
      add(first.lanes, chunk, work / chunk);
  for (int64_t grain : {4 * first.grain, first.grain / 4})
    add(first.lanes, first.chunk, grain);
  return list;
}

std::vector<std::vector<int64_t>>
loop::getLaneCandidates(const std::vector<int64_t> &first) {
  std::vector<std::vector<int64_t>> lists;
  for (bool larger : {true, false}) {
    std::vector<int64_t> list = first;
    for (int64_t &lanes : list)
      if (lanes > 1)
        lanes = larger ? std::min<int64_t>(2 * lanes, 128) : lanes / 2;
    if (list != first)
      lists.push_back(std::move(list));
  }
  return lists;
}

//===----------------------------------------------------------------------===//
// What to take
//===----------------------------------------------------------------------===//

namespace {
/// Looks schedules up, and notes those that nobody has measured.
class Table {
public:
  explicit Table(const TuneInput &input) : input(input) {}

  /// The fastest of the schedules that were measured, or null.
  const std::string *findFastest(const std::vector<std::string> &schedules) {
    const std::string *fastest = nullptr;
    for (const std::string &schedule : schedules) {
      auto known = input.measured.find(schedule);
      if (known == input.measured.end())
        wanted.push_back(schedule);
      else if (!known->second.failed() &&
               (!fastest || known->second.nanoseconds < timeOf(*fastest)))
        fastest = &schedule;
    }
    return fastest;
  }

  double timeOf(const std::string &schedule) const {
    return input.measured.at(schedule).nanoseconds;
  }
  bool isFaster(const std::string &schedule, const std::string &than) const {
    return timeOf(schedule) < (1 - input.gain) * timeOf(than);
  }

  const TuneInput &input;
  std::vector<std::string> wanted;
};
} // namespace

TuneDecision loop::decide(const TuneInput &input) {
  TuneDecision decision;
  if (input.candidates.empty())
    return decision;
  const std::string &first = input.candidates.front();
  decision.best = first;
  if (input.candidates.size() == 1 && !input.neighbours)
    return decision;
  Table table(input);
  const std::string *fastest = table.findFastest(input.candidates);
  auto known = input.measured.find(first);
  if (known == input.measured.end() || known->second.failed()) {
    // Without the time of the default nobody knows what is gained.
    if (known == input.measured.end())
      decision.wanted = std::move(table.wanted);
    return decision;
  }
  if (fastest && table.isFaster(*fastest, first))
    decision.best = *fastest;
  auto isLucky = [&] {
    return table.wanted.empty() && decision.best != first &&
           input.measured.at(decision.best).times < 2;
  };
  // Where a descent begins is worth a second look, too.
  if (isLucky())
    table.wanted.push_back(decision.best);
  unsigned most = input.neighbours && table.wanted.empty() ? kMaxMoves : 0;
  for (unsigned moves = 0; moves < most; ++moves) {
    std::vector<std::string> around = input.neighbours(decision.best);
    const std::string *next = table.findFastest(around);
    if (!table.wanted.empty())
      break;
    if (!next || !table.isFaster(*next, decision.best))
      break;
    decision.best = *next;
    decision.byDescent = std::find(input.candidates.begin(),
                                   input.candidates.end(),
                                   decision.best) == input.candidates.end();
  }
  if (isLucky())
    table.wanted.push_back(decision.best);
  decision.wanted = std::move(table.wanted);
  return decision;
}
