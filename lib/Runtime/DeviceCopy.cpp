//===- DeviceCopy.cpp - Memory and copies on either side -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCopy.h"
#include "kiln/Base/CheckedMath.h"

#include <algorithm>
#include <optional>

namespace kiln::runtime {

Result<std::shared_ptr<Storage>> allocateOn(Device *device, size_t bytes,
                                            const char *holder) {
  return device ? device->allocate(bytes, holder) : Storage::allocate(bytes);
}

/// Bytes from the first element of a tensor to the end of its last.
static Result<size_t> getSpan(const Tensor &tensor) {
  auto span =
      storageExtent(tensor.dtype(), tensor.sizes(), tensor.strides(), 0);
  return span ? Result<size_t>(static_cast<size_t>(*span))
              : Result<size_t>(span.takeError());
}

static Status copyBytes(const Storage &source, const uint8_t *from,
                        const Storage &target, uint8_t *to, size_t bytes) {
  Device *device = source.device() ? source.device() : target.device();
  if (bytes == 0)
    return Status::success();
  if (source.device() && target.device() &&
      source.device() != target.device()) {
    std::vector<uint8_t> between(bytes);
    Status taken = source.device()->download(between.data(), from, bytes);
    return taken ? target.device()->upload(to, between.data(), bytes) : taken;
  }
  if (source.device() && target.device())
    return device->copy(to, from, bytes);
  return source.device() ? device->download(to, from, bytes)
                         : device->upload(to, from, bytes);
}

/// The bytes of a tensor, with the gaps between its elements, somewhere else.
static Result<Tensor> move(const Tensor &tensor, Device *device,
                           const char *holder) {
  auto span = getSpan(tensor);
  if (!span)
    return span.takeError();
  auto storage = allocateOn(device, *span, holder);
  if (!storage)
    return storage.takeError();
  if (Status s = copyBytes(*tensor.storage(), tensor.data(), **storage,
                           (*storage)->data(), *span);
      !s)
    return s.takeError();
  return Tensor::view(std::move(*storage), tensor.dtype(), tensor.sizes(),
                      tensor.strides(), 0);
}

Result<Tensor> Tensor::toHost() const {
  return isOnDevice() ? move(*this, nullptr, "") : *this;
}

Result<Tensor> Tensor::toDevice(Device &device, const char *holder) const {
  if (!defined() || storage_->device() == &device)
    return *this;
  auto host = toHost(); // of another device
  return host ? move(*host, &device, holder) : host;
}

/// Its elements are all there is between its first and its last one, each in a
/// place of its own.
static bool isDense(const Tensor &tensor) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (int64_t i = 0; i < tensor.rank(); ++i)
    if (tensor.size(i) != 1)
      dims.emplace_back(tensor.stride(i), tensor.size(i));
  std::sort(dims.begin(), dims.end());
  int64_t together = 1;
  for (auto [stride, size] : dims) {
    if (stride != together)
      return false;
    together *= size;
  }
  return true;
}

/// Elements at the same places, seen from the first one.
static bool haveSameLayout(const Tensor &a, const Tensor &b) {
  if (a.isContiguous() && b.isContiguous())
    return true;
  for (int64_t i = 0; i < a.rank(); ++i)
    if (a.size(i) != 1 && a.stride(i) != b.stride(i))
      return false;
  return true;
}

/// As many neighbours as one item as 8 bytes hold, where both sides have them
/// together and at multiples of their size.
static void widenItems(StridedCopy &copy) {
  constexpr uint32_t kWidest = 8;
  if (copy.itemBytes > kWidest) {
    copy.dims.push_back({copy.itemBytes / kWidest, kWidest, kWidest});
    copy.itemBytes = kWidest;
  }
  if (copy.dims.empty())
    return;
  CopyDim &last = copy.dims.back();
  if (last.source != copy.itemBytes || last.target != copy.itemBytes)
    return;
  uint64_t places = reinterpret_cast<uintptr_t>(copy.source) |
                    reinterpret_cast<uintptr_t>(copy.target);
  for (size_t i = 0; i + 1 < copy.dims.size(); ++i)
    places |= copy.dims[i].source | copy.dims[i].target;
  while (copy.itemBytes < kWidest && last.size % 2 == 0 &&
         places % (2 * copy.itemBytes) == 0) {
    copy.itemBytes *= 2;
    last = {last.size / 2, copy.itemBytes, copy.itemBytes};
  }
  if (last.size == 1)
    copy.dims.pop_back();
}

/// A copy that the device of both tensors can do by itself; none where elements
/// share a place, of which the last has to stay, or it would read what it
/// writes.
static std::optional<StridedCopy> getStridedCopy(const Tensor &source,
                                                 const Tensor &target) {
  auto from = getSpan(source), to = getSpan(target);
  if (!from || !to)
    return std::nullopt;
  if (source.data() < target.data() + *to &&
      target.data() < source.data() + *from)
    return std::nullopt;
  StridedCopy copy;
  copy.source = source.data();
  copy.target = target.data();
  copy.itemBytes = static_cast<uint32_t>(itemSize(source.dtype()));
  copy.dims = copyDims(source, target);
  int64_t taken = copy.itemBytes; // bytes up to the end of the inner dimensions
  for (size_t i = copy.dims.size(); i-- > 0;) {
    const CopyDim &dim = copy.dims[i];
    if (dim.source < 0 || dim.target < taken)
      return std::nullopt;
    taken += dim.target * (dim.size - 1);
  }
  widenItems(copy);
  if (copy.dims.size() > StridedCopy::kMostDims)
    return std::nullopt;
  return copy;
}

/// Elements of which one side is on a device at least, put into their order by
/// the host.
static Status copyByHost(const Tensor &source, const Tensor &target) {
  auto from = source.toHost();
  if (!from)
    return from.takeError();
  if (!target.isOnDevice())
    return copyElements(*from, target);
  // What lies between the elements of the target stays as it is.
  auto to = target.toHost();
  if (!to)
    return to.takeError();
  if (Status s = copyElements(*from, *to); !s)
    return s;
  auto span = getSpan(target);
  return span ? copyBytes(*to->storage(), to->data(), *target.storage(),
                          target.data(), *span)
              : Status(span.takeError());
}

static Status copyOnDevice(const Tensor &source, const Tensor &target) {
  auto copy = getStridedCopy(source, target);
  return copy ? target.storage()->device()->copyStrided(*copy)
              : copyByHost(source, target);
}

/// The tensor, or a copy without gaps if these are more than its elements.
static Result<Tensor> withoutGaps(const Tensor &tensor) {
  auto span = getSpan(tensor);
  if (!span)
    return span.takeError();
  size_t bytes = static_cast<size_t>(tensor.numel()) * itemSize(tensor.dtype());
  return *span <= bytes ? Result<Tensor>(tensor) : tensor.clone();
}

/// To a device, where elements find their order; on the host if there is no memory for
/// them beside the target.
static Status copyUp(const Tensor &source, const Tensor &target) {
  auto packed = withoutGaps(source);
  if (!packed)
    return packed.takeError();
  auto there = packed->toDevice(*target.storage()->device());
  return there ? copyOnDevice(*there, target) : copyByHost(source, target);
}

/// From a device, where elements find their order if the target has no gaps and there is
/// memory for it.
static Status copyDown(const Tensor &source, const Tensor &target) {
  if (!isDense(target)) {
    auto packed = withoutGaps(source);
    return copyByHost(packed ? *packed : source, target);
  }
  auto ordered = Tensor::emptyOn(source.storage()->device(), source.dtype(),
                                 source.sizes());
  if (!ordered)
    return copyByHost(source, target);
  *ordered = ordered->asStrided(target.sizes(), target.strides(), 0);
  Status copied = copyOnDevice(source, *ordered);
  return copied ? copyAcross(*ordered, target) : copied;
}

Status copyAcross(const Tensor &source, const Tensor &target) {
  if (haveSameLayout(source, target) && isDense(target)) {
    auto span = getSpan(target);
    return span ? copyBytes(*source.storage(), source.data(), *target.storage(),
                            target.data(), *span)
                : Status(span.takeError());
  }
  Device *from = source.storage()->device(), *to = target.storage()->device();
  if (!from)
    return copyUp(source, target);
  if (!to)
    return copyDown(source, target);
  return from == to ? copyOnDevice(source, target) : copyByHost(source, target);
}

} // namespace kiln::runtime
