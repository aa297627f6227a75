//===- CudaDevice.cpp - A GPU of NVIDIA as a device ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/RuntimeCUDA/CudaDevice.h"

#include "Allocator.h"
#include "Context.h"

namespace kiln::cuda {

using runtime::DeviceEvent;
using runtime::DeviceImage;
using runtime::DeviceStats;
using runtime::GridLaunch;
using runtime::Storage;
using runtime::TensorMapBytes;
using runtime::TensorMapLayout;

Status Context::check(int answer, const char *what, const std::string &kernel,
                      bool isNamed) const {
  auto failed = [&](const std::string &did) {
    if (isNamed)
      return Error::internal("kernel '" + kernel + "' " + did);
    return Error::internal(
        "a kernel " + did +
        (kernel.empty() ? "" : ", '" + kernel + "' or one before it") +
        "; KILN_LAUNCH_BLOCKING=1 tells which");
  };
  switch (answer) {
  case kSuccess:
    return Status::success();
  case kIllegalAddress:
    return failed("accessed an illegal address");
  case kMisalignedAddress:
    return failed("accessed an address that is not aligned");
  case kAssert:
  case kInvalidAddressSpace:
  case kInvalidPC:
  case kIllegalInstruction:
  case kHardwareStackError:
  case kLaunchFailed:
    return failed("failed: " + driver->nameOf(answer));
  case kLaunchTimeout:
    return failed("did not end in time");
  case kECCUncorrectable:
    return Error::io(name + " has found an error in its memory that it cannot "
                            "correct (ECC)");
  case kOutOfMemory:
    return Error::io(std::string("out of memory on the device while ") + what);
  case kDeviceUnavailable:
  case kContextDestroyed:
  case kUnknown:
    return Error::io(name + " is lost: " + driver->nameOf(answer) + " while " +
                     what);
  default:
    return Error::internal(name + ": " + driver->nameOf(answer) + " while " +
                           what);
  }
}

namespace {

Address toAddress(const void *pointer) {
  return reinterpret_cast<Address>(pointer);
}

class CudaEvent : public DeviceEvent {
public:
  CudaEvent(const Context &context, Handle event)
      : context_(context), event_(event) {}
  ~CudaEvent() override {
    context_.makeCurrent();
    context_.driver->cuEventDestroy_v2(event_);
  }
  Status wait() override {
    context_.makeCurrent();
    return context_.check(context_.driver->cuEventSynchronize(event_),
                          "waiting");
  }
  Result<double> secondsSince(const DeviceEvent &earlier) override {
    context_.makeCurrent();
    float milliseconds = 0;
    int answer = context_.driver->cuEventElapsedTime(
        &milliseconds, static_cast<const CudaEvent &>(earlier).event_, event_);
    if (Status s = context_.check(answer, "reading a clock"); !s)
      return s.takeError();
    return milliseconds * 1e-3;
  }

private:
  Context context_;
  Handle event_;
};

class CudaDevice : public runtime::Device {
public:
  CudaDevice(Context context, bool isBlocking)
      : context_(std::move(context)), driver_(*context_.driver),
        allocator_(driver_), isBlocking_(isBlocking) {}
  ~CudaDevice() override;
  Status start();

  const std::string &name() const override { return context_.name; }
  unsigned capability() const override { return context_.capability; }
  Result<std::shared_ptr<Storage>> allocate(size_t bytes,
                                            const char *holder) override;
  Status upload(void *target, const void *source, size_t bytes) override;
  Status download(void *target, const void *source, size_t bytes) override;
  Status copy(void *target, const void *source, size_t bytes) override;
  Status fill(void *target, uint8_t value, size_t bytes) override;
  Result<std::shared_ptr<DeviceImage>>
  load(const package::KernelImage &image, package::KernelStore *store) override;
  Status launch(const DeviceImage &image, const GridLaunch &launch) override;
  Result<TensorMapBytes> encode(const TensorMapLayout &layout) override;
  Result<std::unique_ptr<DeviceEvent>> record() override;
  Status synchronize() override;
  DeviceStats stats() const override;

private:
  Status check(int answer, const char *what) const {
    return context_.check(answer, what, lastKernel_);
  }

  Context context_;
  const Driver &driver_;
  Handle stream_ = nullptr;
  Allocator allocator_;
  const bool isBlocking_;
  mutable std::mutex mutex_; ///< of what follows, and of launches
  std::string lastKernel_;
  DeviceStats stats_;
};

CudaDevice::~CudaDevice() {
  context_.makeCurrent();
  if (stream_) {
    driver_.cuStreamSynchronize(stream_);
    driver_.cuStreamDestroy_v2(stream_);
  }
}

Status CudaDevice::start() {
  constexpr unsigned kNonBlocking = 1; // of the default stream
  context_.makeCurrent();
  return check(driver_.cuStreamCreate(&stream_, kNonBlocking),
               "making a stream");
}

Result<std::shared_ptr<Storage>> CudaDevice::allocate(size_t bytes,
                                                      const char *holder) {
  context_.makeCurrent();
  Address address = 0;
  int answer = allocator_.allocate(bytes, holder, address);
  if (answer == kOutOfMemory)
    return allocator_.outOfMemory(bytes);
  if (answer != kSuccess) {
    // Perhaps the failure of a kernel that was launched before.
    std::lock_guard<std::mutex> lock(mutex_);
    return check(answer, "allocating memory").takeError();
  }
  void *data = reinterpret_cast<void *>(address);
  std::shared_ptr<void> owner(
      data, [self = shared_from_this(), address](void *) {
        static_cast<CudaDevice &>(*self).allocator_.release(address);
      });
  return Storage::onDevice(data, bytes, *this, std::move(owner));
}

Status CudaDevice::upload(void *target, const void *source, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  ++stats_.uploads;
  stats_.uploadedBytes += bytes;
  return check(driver_.cuMemcpyHtoDAsync_v2(toAddress(target), source, bytes,
                                            stream_),
               "copying to the device");
}

Status CudaDevice::download(void *target, const void *source, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  ++stats_.downloads;
  stats_.downloadedBytes += bytes;
  ++stats_.synchronizations;
  int answer = driver_.cuMemcpyDtoHAsync_v2(target, toAddress(source), bytes,
                                            stream_);
  if (answer == kSuccess)
    answer = driver_.cuStreamSynchronize(stream_);
  return check(answer, "copying from the device");
}

Status CudaDevice::copy(void *target, const void *source, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  return bytes == 0 ? Status::success()
                    : check(driver_.cuMemcpyDtoDAsync_v2(
                                toAddress(target), toAddress(source), bytes,
                                stream_),
                            "copying");
}

Status CudaDevice::fill(void *target, uint8_t value, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  return bytes == 0 ? Status::success()
                    : check(driver_.cuMemsetD8Async(toAddress(target), value,
                                                    bytes, stream_),
                            "filling memory");
}

Result<std::shared_ptr<DeviceImage>>
CudaDevice::load(const package::KernelImage &image,
                 package::KernelStore *store) {
  context_.makeCurrent();
  auto loaded = CudaImage::load(context_, image, store);
  if (!loaded)
    return loaded.takeError();
  return std::shared_ptr<DeviceImage>(std::move(*loaded));
}

Status CudaDevice::launch(const DeviceImage &image, const GridLaunch &launch) {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  CudaImage::Kernel &kernel =
      static_cast<const CudaImage &>(image).kernels()[launch.kernel];
  if (launch.sharedBytes > kernel.sharedBytes) {
    int answer = driver_.cuFuncSetAttribute(kernel.function, kMaxDynamicShared,
                                            int(launch.sharedBytes));
    if (answer == kInvalidValue)
      return Error::unsupported("kernel '" + kernel.name + "' needs " +
                                std::to_string(launch.sharedBytes) +
                                " bytes of shared memory, which " + name() +
                                " does not have");
    if (Status s = check(answer, "asking for shared memory"); !s)
      return s.error().withContext("kernel '" + kernel.name + "'");
    kernel.sharedBytes = launch.sharedBytes;
  }
  ++stats_.launches;
  int answer = driver_.cuLaunchKernel(
      kernel.function, launch.blocks, 1, 1, launch.threads, 1, 1,
      launch.sharedBytes, stream_, launch.parameters, nullptr);
  if (answer == kSuccess && isBlocking_)
    answer = driver_.cuStreamSynchronize(stream_);
  if (answer != kSuccess)
    return context_.check(answer,
                          ("launching kernel '" + kernel.name + "'").c_str(),
                          kernel.name, isBlocking_);
  lastKernel_ = kernel.name;
  return Status::success();
}

/// The driver's number of a type of elements; -1: none.
int mapType(DType dtype) {
  switch (dtype) {
  case DType::U8:
    return 0;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::F16:
    return 6;
  case DType::F32:
    return 7;
  case DType::F64:
    return 8;
  case DType::BF16:
    return 9;
  default:
    return -1;
  }
}

Result<TensorMapBytes> CudaDevice::encode(const TensorMapLayout &layout) {
  if (!driver_.cuTensorMapEncodeTiled)
    return Error::unsupported("the driver knows no tensor maps; expected one of "
                              "CUDA 12 or later");
  int type = mapType(layout.dtype);
  if (type < 0)
    return Error::unsupported("there are no tensor maps of " +
                              std::string(dtypeName(layout.dtype)));
  constexpr int kNoInterleave = 0, kPromote256 = 3, kZeros = 0;
  int swizzle = 0;
  while (swizzle < 3 && layout.swizzle > 16u << swizzle)
    ++swizzle;
  std::vector<uint32_t> steps(layout.sizes.size(), 1);
  TensorMapBytes map;
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  int answer = driver_.cuTensorMapEncodeTiled(
      &map, type, static_cast<uint32_t>(layout.sizes.size()),
      const_cast<void *>(layout.address), layout.sizes.data(),
      layout.strides.data(), layout.box.data(), steps.data(), kNoInterleave,
      swizzle, kPromote256, kZeros);
  if (Status s = check(answer, "encoding a tensor map"); !s)
    return s.takeError();
  return map;
}

Result<std::unique_ptr<DeviceEvent>> CudaDevice::record() {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  Handle event = nullptr;
  int answer = driver_.cuEventCreate(&event, 0);
  if (answer == kSuccess)
    answer = driver_.cuEventRecord(event, stream_);
  if (Status s = check(answer, "recording an event"); !s)
    return s.takeError();
  return std::unique_ptr<DeviceEvent>(new CudaEvent(context_, event));
}

Status CudaDevice::synchronize() {
  std::lock_guard<std::mutex> lock(mutex_);
  context_.makeCurrent();
  ++stats_.synchronizations;
  return check(driver_.cuStreamSynchronize(stream_), "waiting");
}

DeviceStats CudaDevice::stats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  DeviceStats stats = stats_;
  Allocator::Use use = allocator_.use();
  stats.allocations = use.allocations;
  stats.usedBytes = use.used;
  stats.peakBytes = use.peak;
  stats.cachedBytes = use.cached;
  return stats;
}

} // namespace

Result<std::shared_ptr<runtime::Device>>
openDevice(const DeviceOptions &options) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  Context context;
  context.driver = *driver;
  context.name = "cuda:" + std::to_string(options.ordinal);
  int count = 0, major = 0, minor = 0;
  if (Status s = context.check(context.driver->cuDeviceGetCount(&count),
                               "counting devices");
      !s)
    return s.takeError();
  if (count == 0)
    return Error::unsupported("there is no " + context.name +
                              ": this machine has no GPU");
  if (options.ordinal >= static_cast<unsigned>(count))
    return Error::usage("there is no " + context.name + ": this machine has " +
                        std::to_string(count) +
                        (count == 1 ? " GPU" : " GPUs") +
                        ", cuda:0 to cuda:" + std::to_string(count - 1));
  const Driver &functions = *context.driver;
  int answer = functions.cuDeviceGet(&context.device, int(options.ordinal));
  for (auto [attribute, value] :
       {std::pair(kMajor, &major), std::pair(kMinor, &minor)})
    if (answer == kSuccess)
      answer = functions.cuDeviceGetAttribute(value, attribute, context.device);
  if (answer == kSuccess)
    answer =
        functions.cuDevicePrimaryCtxRetain(&context.handle, context.device);
  if (Status s = context.check(answer, "starting it"); !s)
    return s.takeError();
  context.capability = static_cast<unsigned>(major * 10 + minor);
  auto device =
      std::make_shared<CudaDevice>(context, options.blockingLaunches);
  if (Status s = device->start(); !s)
    return s.takeError();
  return std::shared_ptr<runtime::Device>(std::move(device));
}

} // namespace kiln::cuda
