//===- CallCommands.cpp - calls -------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many calls of the same sessions, with inputs and sizes that come again in
// another order: what a call allocates it gives back, and equal inputs have
// equal bits.
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"
#include "Programs.h"
#include "RandomGraph.h"

#include <map>

#include <malloc.h>

using namespace kiln;
using namespace kiln::chaos;
using runtime::OpValue;

namespace {
/// A layer and a normalization over a batch of any size.
constexpr const char *kDynamicProgram = R"(
guard.symbol @s0 range [2, 64] hint 4
func.func @main(
    %x: tensor<?x6xf32, #guard.shape<[s0, 6]>> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %w: tensor<8x6xf32> {aten.input = #aten.input<kind = user_input, name = "w", path = "[0][1]">})
    -> (tensor<?x8xf32, #guard.shape<[s0, 8]>> {aten.output = #aten.output<kind = user_output, name = "p", path = "">}) {
  %up = aten.linear(%x, %w) : (tensor<?x6xf32, #guard.shape<[s0, 6]>>, tensor<8x6xf32>) -> tensor<?x8xf32, #guard.shape<[s0, 8]>>
  %act = aten.gelu(%up) : (tensor<?x8xf32, #guard.shape<[s0, 8]>>) -> tensor<?x8xf32, #guard.shape<[s0, 8]>>
  %p = aten.softmax.int(%act, dim = 0) : (tensor<?x8xf32, #guard.shape<[s0, 8]>>) -> tensor<?x8xf32, #guard.shape<[s0, 8]>>
  return %p : tensor<?x8xf32, #guard.shape<[s0, 8]>>
}
)";
constexpr int64_t kLeastBatch = 2, kMostBatch = 64;

/// A program that stays open, and what it has answered.
struct Caller {
  std::unique_ptr<session::Session> session;
  std::vector<std::vector<int64_t>> inputs; ///< a size of -1 varies
  bool training = false;
  std::map<uint64_t, std::vector<uint8_t>> known; ///< by the inputs' number
};
} // namespace

static Result<Caller> openCaller(const std::string &text,
                                 std::vector<std::vector<int64_t>> inputs,
                                 bool training, unsigned threads) {
  CompileOptions options;
  options.training = training;
  auto session = openProgram(text, options, threads, /*root=*/"");
  if (!session)
    return session.takeError();
  return Caller{std::move(*session), std::move(inputs), training, {}};
}

/// The bytes of the results for inputs number `which`.
static Result<std::vector<uint8_t>> call(Caller &caller, uint64_t which) {
  std::vector<OpValue> inputs;
  for (std::vector<int64_t> sizes : caller.inputs) {
    for (int64_t &size : sizes)
      if (size < 0)
        size =
            kLeastBatch + int64_t(which * 37) % (kMostBatch - kLeastBatch + 1);
    auto tensor = makeInput(sizes, which * 64 + inputs.size(), DType::F32);
    if (!tensor)
      return tensor.takeError();
    inputs.emplace_back(std::move(*tensor));
  }
  auto results = callProgram(*caller.session, caller.training, inputs);
  if (!results)
    return results.takeError();
  std::vector<uint8_t> bytes;
  for (const OpValue &value : *results) {
    const auto *tensor = std::get_if<runtime::Tensor>(&value.value);
    if (!tensor)
      continue;
    auto dense = makeDense(*tensor);
    if (!dense)
      return dense.takeError();
    const auto *data = static_cast<const uint8_t *>(dense->data());
    bytes.insert(bytes.end(), data,
                 data + dense->numel() * itemSize(dense->dtype()));
  }
  return bytes;
}

static uint64_t allocatedBytes() {
  struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

static Result<std::vector<Caller>> openAll(uint64_t graphs, unsigned threads) {
  std::vector<Caller> callers;
  auto add = [&](Result<Caller> made) -> Status {
    if (!made)
      return made.takeError();
    callers.push_back(std::move(*made));
    return Status::success();
  };
  if (Status s =
          add(openCaller(kDynamicProgram, {{-1, 6}, {8, 6}}, false, threads));
      !s)
    return s.takeError();
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    RandomGraph graph = makeGraph(seed);
    if (Status s =
            add(openCaller(graph.text, graph.inputs, seed % 2 == 0, threads));
        !s)
      return s.takeError();
  }
  return callers;
}

static Result<int> calls(int argc, char **argv) {
  uint64_t count = 100000, graphs = 6, threads = 2, different = 50;
  tools::CommandLine line;
  numberFlag(line, "calls", count);
  numberFlag(line, "graphs", graphs);
  numberFlag(line, "threads", threads);
  numberFlag(line, "different", different);
  if (Status s = line.parse(argc, argv); !s)
    return s.takeError();
  if (different == 0 || count == 0)
    return Error::usage("--calls and --different: expected at least 1");
  auto callers = openAll(graphs, static_cast<unsigned>(threads));
  if (!callers)
    return callers.takeError();
  // Each program has seen all of its inputs once before anything is counted.
  const uint64_t first = different * callers->size();
  uint64_t wrong = 0, before = 0;
  double begin = secondsNow();
  for (uint64_t i = 0; i < first + count; ++i) {
    if (i == first)
      before = allocatedBytes();
    Caller &caller = (*callers)[i % callers->size()];
    uint64_t round = i / callers->size();
    // Another order in each round, and all inputs in every one.
    uint64_t which = (round * 7 + round / different) % different;
    if (i < first)
      which = round;
    auto bytes = call(caller, which);
    if (!bytes)
      return bytes.takeError();
    auto [known, isNew] = caller.known.try_emplace(which);
    if (isNew)
      known->second = std::move(*bytes);
    else
      wrong += known->second != *bytes;
  }
  int64_t growth = int64_t(allocatedBytes()) - int64_t(before);
  report("calls", {{"programs", double(callers->size())},
                   {"calls", double(count)},
                   {"other_bits", double(wrong)},
                   {"growth_bytes", double(growth)},
                   {"seconds", secondsNow() - begin}});
  // What is kept for the next call, some 10 kB, is less than a byte for each of
  // many.
  return wrong != 0 || growth >= int64_t(count) ? 1 : 0;
}

std::vector<Command> chaos::callCommands() {
  return {{"calls", "[--calls=N] [--graphs=N] [--threads=N] [--different=N]",
           "calls a program of dynamic sizes and random graphs over and over, "
           "with inputs of which so many are different: memory must not grow, "
           "equal inputs must have equal bits",
           calls}};
}
