//===- CudaGraph.cpp - Launches that are asked for together ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceImpl.h"

#include <algorithm>

namespace kiln::cuda {

/// A kernel begins before the one ahead of it has its last block if both are on
/// the device at the same time and leave some of it free: otherwise a few of
/// its blocks share what others have left, and it ends later than if it had
/// begun later.
static constexpr double kMostTogether = 0.7;

KernelNode CudaGraph::describe(const GridLaunch &launch) const {
  KernelNode node;
  node.function = image_->kernels()[launch.kernel].function;
  node.blocks[0] = launch.blocks;
  node.threads[0] = launch.threads;
  node.sharedBytes = launch.sharedBytes;
  node.parameters = launch.parameters;
  return node;
}

template <typename F>
Status CudaGraph::withCaptured(const LibraryLaunch &launch, F use) {
  Handle captured = nullptr;
  if (Status s = device_->libraries_.capture(launch, captured); !s)
    return s;
  Status used = use(captured);
  device_->driver_.cuGraphDestroy(captured);
  return used;
}

double CudaGraph::shareOf(const GridLaunch &launch) const {
  const Driver &driver = device_->driver_;
  int blocks = 0, multiprocessors = 0, device = device_->context_.device;
  if (driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, image_->kernels()[launch.kernel].function,
          int(launch.threads), launch.sharedBytes) != kSuccess ||
      driver.cuDeviceGetAttribute(&multiprocessors, kMultiprocessors, device) !=
          kSuccess ||
      blocks <= 0 || multiprocessors <= 0)
    return 1;
  return double(launch.blocks) / (double(blocks) * multiprocessors);
}

int CudaGraph::appendGrid(const GridLaunch &launch,
                          const std::vector<Handle> &before,
                          std::optional<double> crowdBefore) {
  const Driver &driver = device_->driver_;
  const CudaImage::Kernel &kernel = image_->kernels()[launch.kernel];
  bool waitsItself = kernel.waits && crowdBefore && before.size() == 1 &&
                     driver.cuGraphAddDependencies_v2;
  KernelNode described = describe(launch);
  Handle node = nullptr;
  int answer = driver.cuGraphAddKernelNode_v2(&node, graph_, before.data(),
                                              waitsItself ? 0 : before.size(),
                                              &described);
  double crowd = shareOf(launch);
  if (answer == kSuccess && waitsItself) {
    GraphEdge edge;
    double both = *crowdBefore + crowd;
    bool isEarly = both <= kMostTogether;
    if (isEarly)
      crowd = both;
    edge.fromPort = isEarly ? kPortBegun : kPortProgrammatic;
    edge.type = kDependencyProgrammatic;
    answer = driver.cuGraphAddDependencies_v2(graph_, before.data(), &node,
                                              &edge, 1);
  }
  crowds_.push_back(crowd);
  nodes_.push_back(node);
  lastKernel_ = kernel.name;
  return answer;
}

Status CudaGraph::append(const GraphLaunch &launch,
                         const std::vector<uint32_t> &before) {
  std::vector<Handle> others;
  std::optional<double> crowd; // of the last of them; none behind a library's
  for (uint32_t index : before) {
    others.push_back(nodes_[index]);
    crowd = crowds_[index];
  }
  if (auto *grid = std::get_if<GridLaunch>(&launch)) {
    if (Status s = image_->allowShared(grid->kernel, grid->sharedBytes); !s)
      return s;
    return checkMade(appendGrid(*grid, others, crowd));
  }
  const LibraryLaunch &library = std::get<LibraryLaunch>(launch);
  return withCaptured(library, [&](Handle captured) {
    Handle node = nullptr;
    int answer = device_->driver_.cuGraphAddChildGraphNode(
        &node, graph_, others.data(), others.size(), captured);
    nodes_.push_back(node);
    crowds_.emplace_back();
    lastKernel_ = Libraries::nameOf(library);
    return checkMade(answer);
  });
}

/// What is wrong with a graph that has launches of libraries is not known to be
/// wrong with its launches one by one.
Status CudaGraph::checkMade(int answer) const {
  const bool hasLibraries =
      std::find(crowds_.begin(), crowds_.end(), std::nullopt) != crowds_.end();
  if (answer == kSuccess || !hasLibraries)
    return device_->check(answer, "making a graph");
  return Error::unsupported("the driver makes no graph of what libraries do: " +
                            device_->driver_.nameOf(answer));
}

Result<std::unique_ptr<CudaGraph>>
CudaGraph::make(std::shared_ptr<CudaDevice> device,
                std::shared_ptr<const CudaImage> image,
                const std::vector<GraphLaunch> &launches,
                const std::vector<std::vector<uint32_t>> &before) {
  const Driver &driver = device->driver_;
  std::unique_ptr<CudaGraph> made(
      new CudaGraph(std::move(device), std::move(image)));
  if (Status s = made->checkMade(driver.cuGraphCreate(&made->graph_, 0)); !s)
    return s.takeError();
  for (size_t i = 0; i < launches.size(); ++i)
    if (Status s = made->append(launches[i], before[i]); !s)
      return s.takeError();
  if (Status s = made->checkMade(driver.cuGraphInstantiateWithFlags(
          &made->executable_, made->graph_, 0));
      !s)
    return s.takeError();
  return made;
}

CudaGraph::~CudaGraph() {
  const Driver &driver = device_->driver_;
  ContextScope current(device_->context_);
  if (executable_)
    driver.cuGraphExecDestroy(executable_);
  if (graph_)
    driver.cuGraphDestroy(graph_);
}

Status CudaGraph::update(size_t index, const GraphLaunch &launch) {
  CudaDevice &device = *device_;
  std::lock_guard<std::mutex> lock(device.mutex_);
  ContextScope current(device.context_);
  ++device.stats_.graphUpdates;
  if (auto *library = std::get_if<LibraryLaunch>(&launch))
    return withCaptured(*library, [&](Handle captured) -> Status {
      if (device.driver_.cuGraphExecChildGraphNodeSetParams(
              executable_, nodes_[index], captured) == kSuccess)
        return Status::success();
      return Error::unsupported(std::string(Libraries::nameOf(*library)) +
                                " is computed in another way than when the "
                                "graph was made");
    });
  KernelNode described = describe(std::get<GridLaunch>(launch));
  return device.check(device.driver_.cuGraphExecKernelNodeSetParams_v2(
                          executable_, nodes_[index], &described),
                      "changing a graph");
}

Status CudaGraph::launch() {
  CudaDevice &device = *device_;
  std::lock_guard<std::mutex> lock(device.mutex_);
  ContextScope current(device.context_);
  ++device.stats_.graphLaunches;
  int answer = device.driver_.cuGraphLaunch(executable_, device.stream_);
  if (answer == kSuccess)
    device.lastKernel_ = lastKernel_;
  return device.check(answer, "launching a graph");
}

} // namespace kiln::cuda
