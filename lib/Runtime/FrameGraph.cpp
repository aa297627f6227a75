//===- FrameGraph.cpp - Launches of a call as one -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch depends on besides addresses is the symbols: sizes, blocks, arguments.
// So a recording holds for all calls with the same symbols. A call looks where its
// inputs and results are, changes the launches that see another address than before,
// and launches all of them at once.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include <algorithm>
#include <map>

namespace kiln::runtime {

using package::GraphSegment;
using package::GridStep;
using package::ValueId;

/// Sets of sizes of which graphs are kept, and of which they are made: a program whose
/// sizes are others in every call would only make them.
static constexpr size_t kMostKept = 8, kMostMade = 64;

void ProgramRunner::Frame::skip(const std::string &reason) {
  if (options_.stats)
    RunStats::addSkip(options_.stats->graphSkips, reason);
}

Status ProgramRunner::Frame::walk(const GraphSegment &segment) {
  for (uint32_t i = segment.begin; i < segment.end; ++i)
    if (Status s = step(i); !s)
      return s;
  return Status::success();
}

Recording &ProgramRunner::Frame::recordingFor(size_t index) {
  graphs_.resize(plan_.segments.size());
  SegmentGraphs &graphs = graphs_[index];
  auto known = std::find_if(
      graphs.recordings.begin(), graphs.recordings.end(),
      [&](const Recording &recording) {
        return std::equal(symbols_.begin(), symbols_.end(),
                          recording.symbols.begin(), recording.symbols.end(),
                          [](const auto &a, const auto &b) {
                            return a.identical(b);
                          });
      });
  if (known != graphs.recordings.end()) {
    graphs.recordings.splice(graphs.recordings.begin(), graphs.recordings,
                             known);
    return graphs.recordings.front();
  }
  graphs.recordings.emplace_front();
  graphs.recordings.front().symbols = symbols_;
  if (++graphs.made > kMostMade)
    graphs.recordings.front().whyNot = "sizes are others in every call";
  if (graphs.recordings.size() > kMostKept)
    graphs.recordings.pop_back();
  return graphs.recordings.front();
}

Status ProgramRunner::Frame::segment(size_t index) {
  const GraphSegment &segment = plan_.segments[index];
  Recording &recording = recordingFor(index);
  if (!recording.whyNot.empty()) {
    skip(recording.whyNot);
    return walk(segment);
  }
  if (recording.graph) {
    bool isDone = false;
    if (Status s = replay(recording, isDone); !s)
      return s.error().withContext("program '" + program_.name +
                                   "', graph of steps " +
                                   std::to_string(segment.begin) + " to " +
                                   std::to_string(segment.end - 1));
    return isDone ? Status::success() : walk(segment);
  }
  if (++recording.calls == 1) {
    skip("first call with these sizes");
    return walk(segment);
  }
  skip("written down in this call");
  return record(segment, recording);
}

/// Runs the segment, and makes a graph of what it has launched.
Status ProgramRunner::Frame::record(const GraphSegment &segment,
                                    Recording &recording) {
  recording_ = &recording;
  Status walked = walk(segment);
  recording_ = nullptr;
  if (!walked || !recording.whyNot.empty()) {
    recording.clear();
    return walked;
  }
  recording.arena = arenaData_;
  std::map<ValueId, Recording::Address> outside, inArena;
  std::vector<GraphLaunch> launches;
  std::vector<std::vector<void *>> parameters;
  std::vector<std::vector<Span>> spans;
  for (uint32_t i = 0; i < recording.nodes.size(); ++i) {
    Recording::Node &node = recording.nodes[i];
    for (uint32_t at = 0; at < node.step->buffers.size(); ++at) {
      ValueId id = node.step->buffers[at];
      bool isInArena = plan_.arenaRooted[id] && !plan_.lateValue[id];
      Recording::Address &address = (isInArena ? inArena : outside)[id];
      address.value = id;
      address.last = node.pointers[at];
      // An assertion is about one value, which may begin anywhere.
      address.isVector |=
          node.library || node.launch.kernel != plan_.code.check;
      address.uses.emplace_back(i, at);
    }
    spans.push_back(std::move(node.spans));
    ++(!node.library ? recording.kernels
       : std::holds_alternative<ProductLaunch>(*node.library)
           ? recording.products
           : recording.convolutions);
    if (node.library) {
      launches.emplace_back(*node.library);
      continue;
    }
    parameters.push_back(node.parameters());
    GridLaunch launch = node.launch;
    launch.parameters = parameters.back().data();
    launches.emplace_back(launch);
  }
  for (auto &[id, address] : outside)
    recording.outside.push_back(std::move(address));
  for (auto &[id, address] : inArena)
    recording.inArena.push_back(std::move(address));
  for (uint32_t i = segment.begin; i < segment.end; ++i)
    if (auto *release = std::get_if<package::ReleaseStep>(&program_.steps[i]))
      for (ValueId id : release->values)
        if (!plan_.arenaRooted[id]) // which has nothing to let go of
          recording.released.push_back(id);
  auto graph = device()->makeGraph(plan_.code.grids, launches,
                                   findOrder(spans));
  if (graph) {
    recording.graph = std::move(*graph);
    return Status::success();
  }
  recording.clear();
  if (graph.error().kind != ErrorKind::Unsupported)
    return graph.takeError();
  recording.whyNot = graph.error().message;
  return Status::success();
}

/// Finds where values are in this call. False if one is where kernels cannot see it.
Status ProgramRunner::Frame::locate(Recording &recording, bool &isAligned) {
  bool hasMoved = recording.arena != arenaData_;
  for (auto *addresses : {&recording.outside, &recording.inArena}) {
    if (addresses == &recording.inArena && !hasMoved)
      continue;
    for (Recording::Address &address : *addresses) {
      void *now = nullptr;
      if (Status s = pointer(address.value, now); !s)
        return s;
      if (now == address.last)
        continue;
      size_t behind = reinterpret_cast<uintptr_t>(now) % kGridAlignment;
      if (address.isVector && behind != 0) {
        skip("an input begins " + std::to_string(behind) +
             " bytes behind a multiple of 16");
        isAligned = false;
        return Status::success();
      }
      address.last = now;
      for (auto [index, at] : address.uses) {
        Recording::Node &node = recording.nodes[index];
        node.pointers[at] = now;
        if (!node.isChanged)
          recording.changed.push_back(index);
        node.isChanged = true;
      }
    }
  }
  recording.arena = arenaData_;
  isAligned = true;
  return Status::success();
}

/// Tells the graph of launches whose parameters are others now.
Status ProgramRunner::Frame::update(Recording &recording) {
  for (; !recording.changed.empty(); recording.changed.pop_back()) {
    const uint32_t i = recording.changed.back();
    Recording::Node &node = recording.nodes[i];
    pointers_ = node.pointers;
    node.isChanged = false;
    if (node.library) {
      bool isEmpty = false;
      if (Status s = describeLibrary(*node.step, *node.library, isEmpty); !s)
        return s;
      if (Status s = recording.graph->update(i, *node.library); !s)
        return s;
      continue;
    }
    for (size_t at = 0; at < node.maps.size(); ++at) {
      auto bytes = tensorMap(*node.step, node.part->maps[at]);
      if (!bytes)
        return bytes.error().withContext("tensor map");
      node.maps[at] = *bytes;
    }
    std::vector<void *> parameters = node.parameters();
    GridLaunch launch = node.launch;
    launch.parameters = parameters.data();
    if (Status s = recording.graph->update(i, launch); !s)
      return s;
  }
  return Status::success();
}

Status ProgramRunner::Frame::replay(Recording &recording, bool &isDone) {
  if (Status s = locate(recording, isDone); !s || !isDone)
    return s;
  Status updated = update(recording);
  if (!updated && updated.error().kind == ErrorKind::Unsupported) {
    recording.whyNot = updated.error().message;
    recording.graph = nullptr;
    isDone = false;
    skip(recording.whyNot);
    return Status::success();
  }
  if (!updated)
    return updated;
  if (Status s = recording.graph->launch(); !s)
    return s;
  if (options_.stats) {
    options_.stats->kernelLaunches += recording.kernels;
    options_.stats->kernels += recording.kernels;
    options_.stats->libraryProducts += recording.products;
    options_.stats->libraryConvolutions += recording.convolutions;
    ++options_.stats->graphReplays;
  }
  for (ValueId id : recording.released)
    forget(id);
  return Status::success();
}

} // namespace kiln::runtime
