//===- DeviceCopy.cpp - Memory and copies on either side -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCopy.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Runtime/Device.h"

#include <cstring>

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

/// Its elements are all the bytes between its first and its last one.
static bool isDense(const Tensor &tensor, size_t span) {
  return span == static_cast<size_t>(tensor.numel()) * itemSize(tensor.dtype());
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

Status copyAcross(const Tensor &source, const Tensor &target) {
  auto span = getSpan(target);
  if (!span)
    return span.takeError();
  if (haveSameLayout(source, target) && isDense(target, *span))
    return copyBytes(*source.storage(), source.data(), *target.storage(),
                     target.data(), *span);
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
  return copyBytes(*to->storage(), to->data(), *target.storage(),
                   target.data(), *span);
}

} // namespace kiln::runtime
