//===- Device.h - Where programs run besides the processor ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device has memory of its own and runs grids of kernels on it. What it is
// asked to do is done in the order of the calls, on one stream: memory that a
// storage lets go of may be given out again at once, because whatever still uses
// it comes first. Only what needs an answer on the host waits (`download`,
// `synchronize`, `Event::wait`).
//
// A storage says on which device it is (`Storage::device`, null for the host);
// `copyElements` and `Tensor::clone` know what to do, code that wants bytes of the
// host asks for `Tensor::toHost`.
//
//   auto device = cuda::openDevice({.ordinal = 0});
//   auto x = host.toDevice(*device);
//   auto image = (*device)->load(package.image, nullptr);
//   (*device)->launch(**image, launch);
//   auto y = result.toHost();
//
// May be used from several threads. Errors: Io "out of memory" with the bytes that
// were asked for, those that are free and the largest holder; Internal for a
// kernel that failed, with its name where it is known; Io for a device that is lost.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DEVICE_H
#define KILN_RUNTIME_DEVICE_H

#include "kiln/Package/KernelStore.h"
#include "kiln/Package/Program.h"
#include "kiln/Runtime/Tensor.h"

#include <array>
#include <optional>
#include <variant>

namespace kiln::runtime {

/// Kernels of an image that a device has taken.
class DeviceImage {
public:
  virtual ~DeviceImage() = default;
  /// The sizes of a kernel's parameters; none where the driver does not tell.
  virtual std::optional<std::vector<size_t>>
  parameterBytes(uint32_t kernel) const = 0;
  /// Bytes of memory that a thread of a kernel has for what its registers do not hold:
  /// the most of all kernels.
  virtual size_t localBytes() const { return 0; }
};

/// 128 bytes that the copy engine of a GPU reads.
struct alignas(64) TensorMapBytes {
  uint8_t bytes[128];
};

/// What a tensor map is made from; see package::GridStep::TensorMap.
struct TensorMapLayout {
  DType dtype = DType::F32;
  const void *address = nullptr; ///< on the device
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box;
  uint32_t swizzle = 0;
};

/// One launch: a grid of `blocks` blocks of `threads` threads.
struct GridLaunch {
  uint32_t kernel = 0;
  uint32_t blocks = 0, threads = 0, sharedBytes = 0;
  void **parameters = nullptr; ///< addresses of the values of the parameters
};

/// A dimension of a copy: its elements, and bytes from each to the next.
struct CopyDim {
  int64_t size;
  int64_t source;
  int64_t target;
};

/// Elements that go from one place of a device to another, each at strides of
/// its own.
struct StridedCopy {
  static constexpr size_t kMostDims = 8;
  const void *source = nullptr;
  void *target = nullptr;
  uint32_t itemBytes = 0; ///< 1, 2, 4 or 8
  /// At most `kMostDims`, by falling strides of the target.
  std::vector<CopyDim> dims;
};

/// A product of matrices; see package::GridStep::Product. Addresses are of the device.
struct ProductLaunch {
  struct Matrix {
    void *data = nullptr; ///< the first element
    int64_t leading = 0, apart = 0;
    bool isTransposed = false;
  };
  DType factors = DType::F32, results = DType::F32;
  bool permitsTF32 = false;
  int64_t matrices = 1, rows = 1, columns = 1, sum = 1; ///< 1 or more
  Matrix left, right, result; ///< `left` and `right` are only read
  const void *bias = nullptr; ///< null: nothing is added
};

/// A convolution; see package::GridStep::Convolution. Addresses are of the device.
struct ConvolutionLaunch {
  using Numbers = std::array<int64_t, package::GridStep::Convolution::kMostDims>;
  struct Image {
    void *data = nullptr; ///< the first element
    int64_t image = 0, channel = 0;
    Numbers places = {};
  };
  DType elements = DType::F32;
  bool permitsTF32 = false;
  bool isGradient = false; ///< `weight` is written, else `target`
  int64_t images = 1, groups = 1, channels = 1, filters = 1; ///< 1 or more
  size_t dims = 0; ///< how many numbers of each list count
  Numbers inputs = {}, outputs = {}, taps = {}; ///< 1 or more
  Numbers strides = {}, dilations = {}, padding = {};
  Image source, target;
  void *weight = nullptr;
  bool isChannelsLast = false;
};

/// What a device may leave to a library.
using LibraryLaunch = std::variant<ProductLaunch, ConvolutionLaunch>;
/// Who computes them.
enum class LibraryKind { Products, Convolutions };

/// What a graph has at a place: kernels, or a library's.
using GraphLaunch = std::variant<GridLaunch, LibraryLaunch>;

/// Launches that are asked for together, again and again, in their order.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default;
  /// Other parameters for the launch at `index` from the next `launch` on. Its kernel,
  /// threads and shared memory, or sizes and orders of what a library does, stay. Unsupported
  /// for what the library would do in another way now.
  virtual Status update(size_t index, const GraphLaunch &launch) = 0;
  virtual Status launch() = 0;
};

/// What a device did, for `--stats` and tests.
struct DeviceStats {
  uint64_t launches = 0;       ///< of single kernels
  uint64_t libraryCalls = 0;   ///< launches of a library
  uint64_t stridedCopies = 0;
  uint64_t assembled = 0;      ///< texts of kernels
  uint64_t codeFound = 0;      ///< machine code of others, in a store
  uint64_t graphs = 0;         ///< that were made
  uint64_t graphLaunches = 0, graphUpdates = 0;
  uint64_t allocations = 0;    ///< that the driver was asked for
  uint64_t synchronizations = 0;
  uint64_t uploads = 0, uploadedBytes = 0;
  uint64_t downloads = 0, downloadedBytes = 0;
  size_t usedBytes = 0, peakBytes = 0, cachedBytes = 0;
};

/// A point of the stream.
class DeviceEvent {
public:
  virtual ~DeviceEvent() = default;
  /// Returns when the device has got there.
  virtual Status wait() = 0;
  /// Seconds of the device from `earlier` to this; both must have been reached.
  virtual Result<double> secondsSince(const DeviceEvent &earlier) = 0;
};

/// The entry of `Device::checkCode`: one thread that reads a value of `bytes` (1, 2, 4
/// or 8), and fails if its bits under `mask` are 0. Its parameters, 64 bits each: the
/// value's address, the cell's, mask, bytes.
constexpr char kCheckKernel[] = "kiln_check";

class Device : public std::enable_shared_from_this<Device> {
public:
  virtual ~Device() = default;

  /// "cuda:0".
  virtual const std::string &name() const = 0;
  /// Of the instruction set, times ten: 90.
  virtual unsigned capability() const = 0;

  /// What times of kernels depend on, in words: the product, its instruction set, the
  /// driver.
  virtual std::string hardware() const { return name(); }
  /// Of the last cache before memory.
  virtual size_t cacheBytes() const { return 0; }

  /// Memory aligned to 256 bytes, contents undefined. `holder` is a literal that names what
  /// it is for ("weights"), for the message when there is none left.
  virtual Result<std::shared_ptr<Storage>> allocate(size_t bytes,
                                                    const char *holder) = 0;
  /// Overwrites memory that came back: what code forgets to write is not there by
  /// chance, since other code has written it.
  virtual Status clearKept() { return Status::success(); }
  /// From the host. The bytes may be changed, unmapped or freed when this returns, though
  /// they may still be on their way to `target`: what is asked for next comes behind them.
  virtual Status upload(void *target, const void *source, size_t bytes) = 0;
  /// To the host; waits.
  virtual Status download(void *target, const void *source, size_t bytes) = 0;
  /// Within the device; the ranges do not overlap.
  virtual Status copy(void *target, const void *source, size_t bytes) = 0;
  /// The same of elements that do not lie together on both sides; no two of
  /// them go to one place.
  virtual Status copyStrided(const StridedCopy &copy) = 0;

  /// Unsupported for an image that this device or its driver does not take. `store`,
  /// which may be null, keeps what the driver makes of it for the next process.
  virtual Result<std::shared_ptr<DeviceImage>>
  load(const package::KernelImage &image, package::KernelStore *store) = 0;
  virtual Status launch(const DeviceImage &image, const GridLaunch &launch) = 0;
  /// A graph of launches of one image and of libraries, whose parameters are copied. `before`
  /// has for each the earlier ones that it waits for; those of libraries wait for each other, since
  /// they share a workspace. Unsupported from a device that has none, or that waits for each launch.
  virtual Result<std::unique_ptr<DeviceGraph>>
  makeGraph(std::shared_ptr<const DeviceImage> image,
            const std::vector<GraphLaunch> &launches,
            const std::vector<std::vector<uint32_t>> &before) = 0;
  /// Asks a library. Unsupported, and nothing is done, if there is none or it does not take
  /// what is asked for.
  virtual Status call(const LibraryLaunch &) {
    return Error::unsupported(name() + " has no libraries");
  }
  /// The library of a kind that `call` has, with its version; empty if there is none.
  virtual std::string library(LibraryKind) { return ""; }
  virtual Result<TensorMapBytes> encode(const TensorMapLayout &layout) = 0;

  /// The text of `kCheckKernel`, to stand beside the kernels of an image.
  virtual const char *checkCode() const = 0;
  /// Where that kernel, or one with assertions of its own, writes to when `error` happened:
  /// then the device stops, and everything that waits for it or asks it for something has
  /// this error.
  virtual Result<uint64_t> checkCell(const Error &error) = 0;

  /// An event behind everything that was asked for by now.
  virtual Result<std::unique_ptr<DeviceEvent>> record() = 0;
  /// What is asked for from now on waits until the result is destroyed, but no longer
  /// than `seconds`: the device then does it without waiting for the host in between.
  virtual Result<std::shared_ptr<void>> hold(double seconds) = 0;
  /// Returns when everything is done; what failed meanwhile is the error.
  virtual Status synchronize() = 0;
  virtual DeviceStats stats() const = 0;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DEVICE_H
