//===- CudaGraph.cpp - Launches that are asked for together ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceImpl.h"

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

int CudaGraph::append(const GridLaunch &launch,
                      const std::vector<uint32_t> &before) {
  const Driver &driver = device_->driver_;
  const CudaImage::Kernel &kernel = image_->kernels()[launch.kernel];
  std::vector<Handle> others;
  for (uint32_t index : before)
    others.push_back(nodes_[index]);
  bool waitsItself =
      kernel.waits && others.size() == 1 && driver.cuGraphAddDependencies_v2;
  KernelNode described = describe(launch);
  Handle node = nullptr;
  int answer = driver.cuGraphAddKernelNode_v2(&node, graph_, others.data(),
                                              waitsItself ? 0 : others.size(),
                                              &described);
  double crowd = shareOf(launch);
  if (answer == kSuccess && waitsItself) {
    GraphEdge edge;
    double both = crowds_[before.front()] + crowd;
    bool isEarly = both <= kMostTogether;
    if (isEarly)
      crowd = both;
    edge.fromPort = isEarly ? kPortBegun : kPortProgrammatic;
    edge.type = kDependencyProgrammatic;
    answer = driver.cuGraphAddDependencies_v2(graph_, others.data(), &node,
                                              &edge, 1);
  }
  crowds_.push_back(crowd);
  nodes_.push_back(node);
  lastKernel_ = kernel.name;
  return answer;
}

Result<std::unique_ptr<CudaGraph>>
CudaGraph::make(std::shared_ptr<CudaDevice> device,
                std::shared_ptr<const CudaImage> image,
                const std::vector<GridLaunch> &launches,
                const std::vector<std::vector<uint32_t>> &before) {
  const Driver &driver = device->driver_;
  std::unique_ptr<CudaGraph> made(
      new CudaGraph(std::move(device), std::move(image)));
  CudaDevice &own = *made->device_;
  int answer = driver.cuGraphCreate(&made->graph_, 0);
  for (size_t i = 0; i < launches.size(); ++i) {
    const GridLaunch &launch = launches[i];
    if (answer != kSuccess)
      break;
    if (Status s = made->image_->allowShared(launch.kernel, launch.sharedBytes);
        !s)
      return s.takeError();
    answer = made->append(launch, before[i]);
  }
  if (answer == kSuccess)
    answer =
        driver.cuGraphInstantiateWithFlags(&made->executable_, made->graph_, 0);
  if (Status s = own.check(answer, "making a graph"); !s)
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

Status CudaGraph::update(size_t index, const GridLaunch &launch) {
  CudaDevice &device = *device_;
  std::lock_guard<std::mutex> lock(device.mutex_);
  ContextScope current(device.context_);
  ++device.stats_.graphUpdates;
  KernelNode described = describe(launch);
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
