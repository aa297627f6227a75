//===- Tensor.cpp - Tensors of the runtime -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/Tensor.h"
#include "DeviceCopy.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Base/FileSystem.h"
#include "kiln/Runtime/MemoryUse.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace kiln::runtime {

namespace {

constexpr size_t kAlignment = 64;

/// Memory of two of them and more is asked for in huge pages: touching small ones for
/// the first time takes up to three times as long, giving them back thirty times.
constexpr size_t kHugePage = size_t(2) << 20;

/// Null if there is none.
void *allocateMemory(size_t bytes) {
  const bool isLarge = bytes >= 2 * kHugePage;
  void *memory = nullptr;
  if (::posix_memalign(&memory, isLarge ? kHugePage : kAlignment, bytes) != 0)
    return nullptr;
  // What is behind the last whole page is not made larger. A system without huge
  // pages gives small ones.
  if (isLarge)
    (void)::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return memory;
}

/// A product that may wrap: only a tensor with a size 0 has sizes whose product
/// overflows, and its strides and count never lead to memory.
int64_t wrappingProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

std::atomic<int64_t> currentBytes{0};
std::atomic<int64_t> peakBytes{0};

void countBytes(int64_t delta) {
  int64_t now = currentBytes.fetch_add(delta, std::memory_order_relaxed) +
                delta;
  int64_t peak = peakBytes.load(std::memory_order_relaxed);
  while (now > peak && !peakBytes.compare_exchange_weak(
                           peak, now, std::memory_order_relaxed)) {
  }
}

} // namespace

MemoryUse memoryUse() {
  return {currentBytes.load(std::memory_order_relaxed),
          peakBytes.load(std::memory_order_relaxed)};
}

void resetMemoryPeak() {
  peakBytes.store(currentBytes.load(std::memory_order_relaxed),
                  std::memory_order_relaxed);
}

Result<std::shared_ptr<Storage>> Storage::allocate(size_t bytes) {
  if (bytes > static_cast<size_t>(kMaxTensorBytes))
    return Error::malformed("storage of " + std::to_string(bytes) +
                            " bytes, expected at most 2^47");
  size_t padded = (std::max<size_t>(bytes, 1) + kAlignment - 1) &
                  ~(kAlignment - 1);
  void *memory = allocateMemory(padded);
  if (!memory)
    return Error::io("cannot allocate " + std::to_string(bytes) +
                     " bytes: out of memory");
  std::shared_ptr<Storage> storage(new Storage());
  storage->data_ = static_cast<uint8_t *>(memory);
  storage->bytes_ = bytes;
  storage->owned_ = true;
  countBytes(static_cast<int64_t>(bytes));
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(void *data, size_t bytes,
                                         std::shared_ptr<void> owner,
                                         bool readOnly) {
  std::shared_ptr<Storage> storage(new Storage());
  storage->data_ = static_cast<uint8_t *>(data);
  storage->bytes_ = bytes;
  storage->readOnly_ = readOnly;
  storage->owner_ = std::move(owner);
  return storage;
}

std::shared_ptr<Storage> Storage::onDevice(void *data, size_t bytes,
                                           Device &device,
                                           std::shared_ptr<void> owner,
                                           bool readOnly) {
  std::shared_ptr<Storage> storage =
      borrow(data, bytes, std::move(owner), readOnly);
  storage->device_ = &device;
  return storage;
}

void Storage::releasePages() const {
  if (!device_ && readOnly_)
    kiln::releasePages(ByteView(data_, bytes_), owner_);
}

Storage::~Storage() {
  if (!owned_)
    return;
  std::free(data_);
  countBytes(-static_cast<int64_t>(bytes_));
}

const std::vector<int64_t> Tensor::kNone;

static std::shared_ptr<const TensorLayout>
makeLayout(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  auto layout = std::make_shared<TensorLayout>();
  layout->sizes = std::move(sizes);
  layout->strides = std::move(strides);
  return layout;
}

Result<Tensor> Tensor::empty(DType dtype, std::vector<int64_t> sizes) {
  return emptyOn(nullptr, dtype, std::move(sizes));
}

Result<Tensor> Tensor::emptyOn(Device *device, DType dtype,
                               std::vector<int64_t> sizes) {
  for (int64_t size : sizes)
    if (size < 0)
      return Error::usage("tensor with a negative size: found " +
                          std::to_string(size));
  auto bytes = byteCount(dtype, sizes);
  if (!bytes)
    return bytes.takeError();
  auto storage = allocateOn(device, static_cast<size_t>(*bytes));
  if (!storage)
    return storage.takeError();
  Tensor tensor;
  tensor.storage_ = std::move(*storage);
  std::vector<int64_t> strides = rowMajorStrides(sizes);
  tensor.layout_ = makeLayout(std::move(sizes), std::move(strides));
  tensor.dtype_ = dtype;
  return tensor;
}

Result<Tensor> Tensor::view(std::shared_ptr<Storage> storage, DType dtype,
                            std::vector<int64_t> sizes,
                            std::vector<int64_t> strides,
                            int64_t storageOffset) {
  return view(std::move(storage), dtype,
              makeLayout(std::move(sizes), std::move(strides)), storageOffset);
}

Result<Tensor> Tensor::view(std::shared_ptr<Storage> storage, DType dtype,
                            std::shared_ptr<const TensorLayout> layout,
                            int64_t storageOffset) {
  if (!storage)
    return Error::usage("view of no storage");
  if (layout->sizes.size() != layout->strides.size())
    return Error::malformed("view of rank " +
                            std::to_string(layout->sizes.size()) + " with " +
                            std::to_string(layout->strides.size()) +
                            " strides, expected as many as sizes");
  auto extent =
      storageExtent(dtype, layout->sizes, layout->strides, storageOffset);
  if (!extent)
    return extent.takeError();
  if (static_cast<uint64_t>(*extent) > storage->bytes())
    return Error::malformed("view reaches byte " + std::to_string(*extent) +
                            " of a storage of " +
                            std::to_string(storage->bytes()) + " bytes");
  Tensor tensor;
  tensor.storage_ = std::move(storage);
  tensor.layout_ = std::move(layout);
  tensor.storageOffset_ = storageOffset;
  tensor.dtype_ = dtype;
  return tensor;
}

int64_t Tensor::numel() const {
  int64_t count = 1;
  for (int64_t size : sizes())
    count = wrappingProduct(count, size);
  return count;
}

bool Tensor::isContiguous() const {
  int64_t expected = 1;
  bool contiguous = true;
  for (int64_t i = rank(); i-- > 0;) {
    if (size(i) == 0)
      return true;
    if (size(i) == 1)
      continue;
    contiguous &= stride(i) == expected;
    expected = wrappingProduct(expected, size(i));
  }
  return contiguous;
}

Tensor Tensor::asStrided(std::vector<int64_t> sizes,
                         std::vector<int64_t> strides,
                         int64_t storageOffset) const {
  Tensor tensor;
  tensor.storage_ = storage_;
  tensor.layout_ = makeLayout(std::move(sizes), std::move(strides));
  tensor.storageOffset_ = storageOffset;
  tensor.dtype_ = dtype_;
  return tensor;
}

Result<Tensor> Tensor::contiguous() const {
  if (isContiguous())
    return *this;
  return clone();
}

Result<Tensor> Tensor::clone() const {
  if (!defined())
    return Error::internal("clone of an undefined tensor");
  auto copy = emptyOn(storage_->device(), dtype_, sizes());
  if (!copy)
    return copy;
  if (Status status = copyElements(*this, *copy); !status)
    return status.takeError();
  return copy;
}

std::string Tensor::typeString() const {
  if (!defined())
    return "undefined";
  std::string text(dtypeName(dtype_));
  text += "[";
  for (int64_t i = 0; i < rank(); ++i)
    text += (i ? ", " : "") + std::to_string(size(i));
  return text + "]";
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = wrappingProduct(stride, std::max<int64_t>(sizes[i], 1));
  }
  return strides;
}

std::vector<CopyDim> copyDims(const Tensor &source, const Tensor &target) {
  int64_t item = static_cast<int64_t>(itemSize(source.dtype()));
  std::vector<CopyDim> dims;
  for (int64_t i = 0; i < source.rank(); ++i)
    if (source.size(i) != 1)
      dims.push_back({source.size(i), source.stride(i) * item,
                      target.stride(i) * item});
  std::sort(dims.begin(), dims.end(), [](const CopyDim &a, const CopyDim &b) {
    return a.target != b.target ? a.target > b.target : a.source > b.source;
  });
  std::vector<CopyDim> merged;
  for (const CopyDim &dim : dims) {
    if (!merged.empty()) {
      CopyDim &outer = merged.back();
      if (outer.source == dim.source * dim.size &&
          outer.target == dim.target * dim.size) {
        outer = {outer.size * dim.size, dim.source, dim.target};
        continue;
      }
    }
    merged.push_back(dim);
  }
  return merged;
}

namespace {

template <size_t Item>
void copyRow(const uint8_t *source, uint8_t *target, const CopyDim &dim) {
  for (int64_t i = 0; i < dim.size; ++i)
    std::memcpy(target + i * dim.target, source + i * dim.source, Item);
}

/// Copies the transposed pair of innermost dimensions in blocks, so that both
/// sides stay in cache.
template <size_t Item>
void copyPlane(const uint8_t *source, uint8_t *target, const CopyDim &outer,
               const CopyDim &inner) {
  constexpr int64_t kBlock = 32;
  for (int64_t ib = 0; ib < outer.size; ib += kBlock)
    for (int64_t jb = 0; jb < inner.size; jb += kBlock) {
      int64_t iEnd = std::min(ib + kBlock, outer.size);
      CopyDim row = {std::min(kBlock, inner.size - jb), inner.source,
                     inner.target};
      for (int64_t i = ib; i < iEnd; ++i)
        copyRow<Item>(source + i * outer.source + jb * inner.source,
                      target + i * outer.target + jb * inner.target, row);
    }
}

template <size_t Item>
void copyDimsFrom(const uint8_t *source, uint8_t *target,
                  const std::vector<CopyDim> &dims, size_t at) {
  size_t left = dims.size() - at;
  const CopyDim &dim = dims[at];
  if (left == 1) {
    if (dim.source == int64_t(Item) && dim.target == int64_t(Item))
      std::memmove(target, source, static_cast<size_t>(dim.size) * Item);
    else
      copyRow<Item>(source, target, dim);
    return;
  }
  if (left == 2 && dims[at + 1].source != int64_t(Item)) {
    copyPlane<Item>(source, target, dim, dims[at + 1]);
    return;
  }
  for (int64_t i = 0; i < dim.size; ++i)
    copyDimsFrom<Item>(source + i * dim.source, target + i * dim.target, dims,
                       at + 1);
}

template <size_t Item>
void copyAll(const Tensor &source, const Tensor &target) {
  std::vector<CopyDim> dims = copyDims(source, target);
  if (dims.empty())
    std::memmove(target.data(), source.data(), Item);
  else
    copyDimsFrom<Item>(source.data(), target.data(), dims, 0);
}

} // namespace

Status copyElements(const Tensor &source, const Tensor &target) {
  if (!source.defined() || !target.defined())
    return Error::internal("copy of an undefined tensor");
  if (source.dtype() != target.dtype() || source.sizes() != target.sizes())
    return Error::usage("cannot copy " + source.typeString() + " into " +
                        target.typeString() +
                        ": expected equal dtypes and sizes");
  if (target.storage()->readOnly())
    return Error::usage("cannot write to a read-only tensor of type " +
                        target.typeString());
  if (source.numel() == 0)
    return Status::success();
  if (source.isOnDevice() || target.isOnDevice())
    return copyAcross(source, target);
  switch (itemSize(source.dtype())) {
  case 1:
    copyAll<1>(source, target);
    break;
  case 2:
    copyAll<2>(source, target);
    break;
  case 4:
    copyAll<4>(source, target);
    break;
  case 8:
    copyAll<8>(source, target);
    break;
  default:
    copyAll<16>(source, target);
    break;
  }
  return Status::success();
}

} // namespace kiln::runtime
