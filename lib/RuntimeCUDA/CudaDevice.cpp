//===- CudaDevice.cpp - A GPU of NVIDIA as a device ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/RuntimeCUDA/CudaDevice.h"

#include "DeviceImpl.h"

#include <chrono>
#include <condition_variable>
#include <map>

namespace kiln::cuda {

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
  if (answer == kSuccess)
    return Status::success();
  if (auto failure = checks->findFailed())
    return *failure;
  switch (answer) {
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
    ContextScope current(context_);
    context_.driver->cuEventDestroy_v2(event_);
  }
  Status wait() override {
    ContextScope current(context_);
    return context_.check(context_.driver->cuEventSynchronize(event_),
                          "waiting");
  }
  Result<double> secondsSince(const DeviceEvent &earlier) override {
    ContextScope current(context_);
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

} // namespace

CudaDevice::~CudaDevice() {
  ContextScope current(context_);
  if (stream_)
    driver_.cuStreamSynchronize(stream_);
  libraries_.free();
  allocator_.freeAll();
  copies_.free();
  staging_.free();
  context_.checks->free();
  if (stream_)
    driver_.cuStreamDestroy_v2(stream_);
}

Status CudaDevice::start() {
  constexpr unsigned kNonBlocking = 1; // of the default stream
  ContextScope current(context_);
  if (Status s = check(driver_.cuStreamCreate(&stream_, kNonBlocking),
                       "making a stream");
      !s)
    return s;
  allocator_.setStream(stream_);
  return Status::success();
}

std::string CudaDevice::hardware() const {
  char product[128] = "";
  if (driver_.cuDeviceGetName(product, sizeof(product) - 1, context_.device) !=
      kSuccess)
    product[0] = 0;
  return std::string(product) + ", sm_" + std::to_string(context_.capability) +
         ", driver " + std::to_string(driver_.version);
}

size_t CudaDevice::cacheBytes() const {
  int bytes = 0;
  int answer =
      driver_.cuDeviceGetAttribute(&bytes, kCacheBytes, context_.device);
  return answer == kSuccess && bytes > 0 ? size_t(bytes) : 0;
}

/// Waits for what was asked for by now; other threads may ask for more meanwhile.
Status CudaDevice::wait(std::unique_lock<std::mutex> &lock, const char *what) {
  ++stats_.synchronizations;
  std::string kernel = lastKernel_;
  lock.unlock();
  return context_.check(driver_.cuStreamSynchronize(stream_), what, kernel);
}

Result<std::shared_ptr<Storage>> CudaDevice::allocate(size_t bytes,
                                                      const char *holder) {
  ContextScope current(context_);
  Allocator::Block *block = nullptr;
  int answer = allocator_.allocate(bytes, holder, block);
  if (answer == kOutOfMemory)
    return allocator_.outOfMemory(bytes);
  if (answer != kSuccess) {
    // Perhaps the failure of a kernel that was launched before.
    std::lock_guard<std::mutex> lock(mutex_);
    return check(answer, "allocating memory").takeError();
  }
  void *data = reinterpret_cast<void *>(block->address);
  std::shared_ptr<void> owner(data, [self = shared_from_this(), block](void *) {
    static_cast<CudaDevice &>(*self).allocator_.release(block);
  });
  return Storage::onDevice(data, bytes, *this, std::move(owner));
}

Status CudaDevice::clearKept() {
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  return check(allocator_.clearKept(), "clearing memory");
}

/// Whether the driver knows it for that. Asked for one attribute of other memory it would
/// answer with an error, which tools that watch the driver count; in the plural it says 0.
bool CudaDevice::isPageLocked(const void *memory) const {
  unsigned type = 0;
  int attribute = kMemoryType;
  void *answer = &type;
  return driver_.cuPointerGetAttributes(1, &attribute, &answer,
                                        toAddress(memory)) == kSuccess &&
         type != 0;
}

Status CudaDevice::upload(void *target, const void *source, size_t bytes) {
  constexpr const char *kWhat = "copying to the device";
  std::unique_lock<std::mutex> lock(mutex_);
  ContextScope current(context_);
  ++stats_.uploads;
  stats_.uploadedBytes += bytes;
  const bool isLocked = isPageLocked(source);
  if (!isLocked && staging_.takes(bytes)) {
    // It may take seconds to read a file: launches of other threads go on.
    std::string kernel = lastKernel_;
    lock.unlock();
    return context_.check(
        staging_.copy(toAddress(target), source, bytes, stream_), kWhat,
        kernel);
  }
  Status asked = check(
      driver_.cuMemcpyHtoDAsync_v2(toAddress(target), source, bytes, stream_),
      kWhat);
  // Page-locked memory is read only when the copy's turn comes, other memory by now.
  return asked && isLocked ? wait(lock, kWhat) : asked;
}

Status CudaDevice::download(void *target, const void *source, size_t bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  ContextScope current(context_);
  ++stats_.downloads;
  stats_.downloadedBytes += bytes;
  if (Status s = check(driver_.cuMemcpyDtoHAsync_v2(target, toAddress(source),
                                                    bytes, stream_),
                       "copying from the device");
      !s)
    return s;
  return wait(lock, "copying from the device");
}

Status CudaDevice::copy(void *target, const void *source, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  return bytes == 0 ? Status::success()
                    : check(driver_.cuMemcpyDtoDAsync_v2(
                                toAddress(target), toAddress(source), bytes,
                                stream_),
                            "copying");
}

Result<std::shared_ptr<DeviceImage>>
CudaDevice::load(const package::KernelImage &image,
                 package::KernelStore *store) {
  ContextScope current(context_);
  auto loaded = CudaImage::load(context_, image, store, shared_from_this());
  if (!loaded)
    return loaded.takeError();
  std::lock_guard<std::mutex> lock(mutex_);
  stats_.assembled += (*loaded)->assembled();
  stats_.codeFound += (*loaded)->kernels().size() - (*loaded)->assembled();
  return std::shared_ptr<DeviceImage>(std::move(*loaded));
}

Status CudaDevice::launch(const DeviceImage &image, const GridLaunch &launch) {
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  auto &code = static_cast<const CudaImage &>(image);
  if (Status s = code.allowShared(launch.kernel, launch.sharedBytes); !s)
    return s;
  const CudaImage::Kernel &kernel = code.kernels()[launch.kernel];
  ++stats_.launches;
  return noteLaunch(driver_.cuLaunchKernel(kernel.function, launch.blocks, 1, 1,
                                           launch.threads, 1, 1,
                                           launch.sharedBytes, stream_,
                                           launch.parameters, nullptr),
                    kernel.name);
}

/// What the driver answered to a launch, and, where each is waited for, what
/// became of it.
Status CudaDevice::noteLaunch(int answer, const std::string &kernel) {
  if (answer == kSuccess && isBlocking_)
    answer = driver_.cuStreamSynchronize(stream_);
  if (answer != kSuccess)
    return context_.check(answer, ("launching kernel '" + kernel + "'").c_str(),
                          kernel, isBlocking_);
  lastKernel_ = kernel;
  return Status::success();
}

Status CudaDevice::copyStrided(const runtime::StridedCopy &copy) {
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  ++stats_.stridedCopies;
  std::string kernel;
  int answer = copies_.launch(copy, stream_, kernel);
  return noteLaunch(answer, kernel);
}

Status CudaDevice::call(const LibraryLaunch &launch) {
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  if (Status s = libraries_.call(launch, stream_); !s)
    return s;
  ++stats_.libraryCalls;
  return noteLaunch(kSuccess, Libraries::nameOf(launch));
}

std::string CudaDevice::library(runtime::LibraryKind kind) {
  std::lock_guard<std::mutex> lock(mutex_);
  return libraries_.describe(kind);
}

const char *CudaDevice::checkCode() const { return kCheckPTX; }

Result<uint64_t> CudaDevice::checkCell(const Error &error) {
  ContextScope current(context_);
  Address cell = 0;
  int answer = context_.checks->cellOf(error, cell);
  if (Status s = context_.check(answer, "allocating page-locked memory"); !s)
    return s.takeError();
  return uint64_t(cell);
}

/// The driver's number of a type of elements; -1: none. Of f32 it is the one
/// that is rounded to tf32, as matrix units take it, on its way to shared
/// memory. Bytes with a sign have none, and are copied as those without.
static int mapType(DType dtype) {
  switch (dtype) {
  case DType::I8:
  case DType::U8:
    return 0;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::F16:
    return 6;
  case DType::F32:
    return 11;
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
  ContextScope current(context_);
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
  ContextScope current(context_);
  Handle event = nullptr;
  int answer = driver_.cuEventCreate(&event, 0);
  if (Status s = check(answer, "making an event"); !s)
    return s.takeError();
  std::unique_ptr<DeviceEvent> made(new CudaEvent(context_, event));
  if (Status s = check(driver_.cuEventRecord(event, stream_),
                       "recording an event");
      !s)
    return s.takeError();
  return made;
}

namespace {
/// What a stream waits at, on a thread of the driver.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool isOpen = false;
  std::chrono::duration<double> most;

  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
    opened.notify_all();
  }
  static void wait(void *data) {
    std::unique_ptr<std::shared_ptr<Gate>> gate(
        static_cast<std::shared_ptr<Gate> *>(data));
    std::unique_lock<std::mutex> lock((*gate)->mutex);
    (*gate)->opened.wait_for(lock, (*gate)->most,
                             [&] { return (*gate)->isOpen; });
  }
};

} // namespace

Result<std::shared_ptr<void>> CudaDevice::hold(double seconds) {
  auto gate = std::make_shared<Gate>();
  gate->most = std::chrono::duration<double>(seconds);
  auto data = std::make_unique<std::shared_ptr<Gate>>(gate);
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  if (Status s = check(driver_.cuLaunchHostFunc(stream_, Gate::wait, data.get()),
                       "holding the device");
      !s)
    return s.takeError();
  data.release(); // the gate's own now
  return std::shared_ptr<void>(gate.get(), [gate](void *) { gate->open(); });
}

Result<std::unique_ptr<DeviceGraph>>
CudaDevice::makeGraph(std::shared_ptr<const DeviceImage> image,
                      const std::vector<GraphLaunch> &launches,
                      const std::vector<std::vector<uint32_t>> &before) {
  if (isBlocking_)
    return Error::unsupported("each kernel is waited for "
                              "(KILN_LAUNCH_BLOCKING=1)");
  std::lock_guard<std::mutex> lock(mutex_);
  ContextScope current(context_);
  auto graph = CudaGraph::make(
      std::static_pointer_cast<CudaDevice>(shared_from_this()),
      std::static_pointer_cast<const CudaImage>(std::move(image)), launches,
      before);
  if (!graph)
    return graph.takeError();
  ++stats_.graphs;
  return std::unique_ptr<DeviceGraph>(std::move(*graph));
}

Status CudaDevice::synchronize() {
  std::unique_lock<std::mutex> lock(mutex_);
  ContextScope current(context_);
  return wait(lock, "waiting");
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

/// A device that nobody in this process has opened.
static Result<std::shared_ptr<runtime::Device>>
openNew(const Driver &functions, const DeviceOptions &options) {
  Context context;
  context.driver = &functions;
  context.checks = std::make_shared<Checks>(functions);
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
  int answer = functions.cuDeviceGet(&context.device, int(options.ordinal));
  for (auto [attribute, value] :
       {std::pair(kMajor, &major), std::pair(kMinor, &minor)})
    if (answer == kSuccess)
      answer = functions.cuDeviceGetAttribute(value, attribute, context.device);
  Handle primary = nullptr;
  if (answer == kSuccess)
    answer = functions.cuDevicePrimaryCtxRetain(&primary, context.device);
  if (answer == kSuccess)
    context.handle = std::shared_ptr<void>(
        primary, [&functions, device = context.device](void *) {
          functions.cuDevicePrimaryCtxRelease_v2(device);
        });
  if (Status s = context.check(answer, "starting it"); !s)
    return s.takeError();
  context.capability = static_cast<unsigned>(major * 10 + minor);
  auto device =
      std::make_shared<CudaDevice>(context, options.blockingLaunches);
  if (Status s = device->start(); !s)
    return s.takeError();
  return std::shared_ptr<runtime::Device>(std::move(device));
}

Result<std::shared_ptr<runtime::Device>>
openDevice(const DeviceOptions &options) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  // Sessions share one, so that memory that one of them keeps is there for all.
  static std::mutex mutex;
  static std::map<std::pair<unsigned, bool>, std::weak_ptr<runtime::Device>>
      opened;
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<runtime::Device> &known =
      opened[{options.ordinal, options.blockingLaunches}];
  if (auto device = known.lock())
    return device;
  auto device = openNew(**driver, options);
  if (device)
    known = *device;
  return device;
}

} // namespace kiln::cuda
