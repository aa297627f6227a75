//===- DeviceImpl.h - A GPU, and graphs of its launches -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_DEVICEIMPL_H
#define KILN_LIB_RUNTIMECUDA_DEVICEIMPL_H

#include "Allocator.h"
#include "Context.h"
#include "Libraries.h"
#include "Staging.h"
#include "StridedCopies.h"

namespace kiln::cuda {

using runtime::DeviceEvent;
using runtime::DeviceGraph;
using runtime::DeviceImage;
using runtime::DeviceStats;
using runtime::GraphLaunch;
using runtime::GridLaunch;
using runtime::LibraryLaunch;
using runtime::Storage;
using runtime::TensorMapBytes;
using runtime::TensorMapLayout;

class CudaDevice : public runtime::Device {
public:
  CudaDevice(Context context, bool isBlocking)
      : context_(std::move(context)), driver_(*context_.driver),
        allocator_(driver_), copies_(driver_), staging_(driver_),
        libraries_(driver_, allocator_), isBlocking_(isBlocking) {}
  ~CudaDevice() override;
  Status start();

  const std::string &name() const override { return context_.name; }
  unsigned capability() const override { return context_.capability; }
  std::string hardware() const override;
  size_t cacheBytes() const override;
  Result<std::shared_ptr<Storage>> allocate(size_t bytes,
                                            const char *holder) override;
  Status clearKept() override;
  Status upload(void *target, const void *source, size_t bytes) override;
  Status download(void *target, const void *source, size_t bytes) override;
  Status copy(void *target, const void *source, size_t bytes) override;
  Status copyStrided(const runtime::StridedCopy &copy) override;
  Result<std::shared_ptr<DeviceImage>>
  load(const package::KernelImage &image, package::KernelStore *store) override;
  Status launch(const DeviceImage &image, const GridLaunch &launch) override;
  Result<std::unique_ptr<DeviceGraph>>
  makeGraph(std::shared_ptr<const DeviceImage> image,
            const std::vector<GraphLaunch> &launches,
            const std::vector<std::vector<uint32_t>> &before) override;
  const char *checkCode() const override;
  Result<uint64_t> checkCell(const Error &error) override;
  Status call(const LibraryLaunch &launch) override;
  std::string library(runtime::LibraryKind kind) override;
  Result<TensorMapBytes> encode(const TensorMapLayout &layout) override;
  Result<std::unique_ptr<DeviceEvent>> record() override;
  Result<std::shared_ptr<void>> hold(double seconds) override;
  Status synchronize() override;
  DeviceStats stats() const override;

private:
  friend class CudaGraph;
  Status check(int answer, const char *what) const {
    return context_.check(answer, what, lastKernel_);
  }
  Status wait(std::unique_lock<std::mutex> &lock, const char *what);
  bool isPageLocked(const void *memory) const;
  Status noteLaunch(int answer, const std::string &kernel);

  Context context_;
  const Driver &driver_;
  Handle stream_ = nullptr;
  Allocator allocator_;
  StridedCopies copies_; ///< guarded by the mutex
  Staging staging_;      ///< `takes` guarded by the mutex
  Libraries libraries_;  ///< guarded by the mutex
  const bool isBlocking_;
  mutable std::mutex mutex_; ///< of what follows, and of launches
  std::string lastKernel_;
  DeviceStats stats_;
};

/// Launches of one image as nodes.
class CudaGraph : public DeviceGraph {
public:
  /// The device's mutex is held, its context current.
  static Result<std::unique_ptr<CudaGraph>>
  make(std::shared_ptr<CudaDevice> device,
       std::shared_ptr<const CudaImage> image,
       const std::vector<GraphLaunch> &launches,
       const std::vector<std::vector<uint32_t>> &before);
  ~CudaGraph() override;
  Status update(size_t index, const GraphLaunch &launch) override;
  Status launch() override;

private:
  CudaGraph(std::shared_ptr<CudaDevice> device,
            std::shared_ptr<const CudaImage> image)
      : device_(std::move(device)), image_(std::move(image)) {}
  KernelNode describe(const GridLaunch &launch) const;
  /// Adds a node behind those of the launches `before`.
  Status append(const GraphLaunch &launch, const std::vector<uint32_t> &before);
  /// The same of kernels, behind one that has `crowdBefore` (none: no kernel); the driver's answer.
  int appendGrid(const GridLaunch &launch, const std::vector<Handle> &before,
                 std::optional<double> crowdBefore);
  /// How much of the device the blocks of a launch take while they are on it: more than 1
  /// where they do not fit at the same time, 1 where the driver does not say.
  double shareOf(const GridLaunch &launch) const;
  Status checkMade(int answer) const;
  /// Calls `use` with a graph of what a library does for a launch, which is let
  /// go then.
  template <typename F> Status withCaptured(const LibraryLaunch &launch, F use);

  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<const CudaImage> image_;
  Handle graph_ = nullptr, executable_ = nullptr;
  std::vector<Handle> nodes_;
  /// What of the device a node takes with those that may still be there beside
  /// it; nothing of a library's.
  std::vector<std::optional<double>> crowds_;
  std::string lastKernel_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_DEVICEIMPL_H
