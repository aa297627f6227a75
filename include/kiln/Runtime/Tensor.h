//===- Tensor.h - Tensors of the runtime ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is a dtype, sizes, strides (in elements), a storage offset (in
// elements) and a shared storage. Copying a `Tensor` copies the handle, never
// the elements; views share their base's storage. There is no autograd, no
// dispatch and no global state here.
//
//   auto x = Tensor::empty(DType::F32, {2, 3});
//   if (!x)
//     return x.takeError();
//   x->dataAs<float>()[5] = 1;                  // x[1, 2]
//   Tensor column = x->asStrided({2}, {3}, 2);  // x[:, 2], the same storage
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_TENSOR_H
#define KILN_RUNTIME_TENSOR_H

#include "kiln/Base/DType.h"
#include "kiln/Base/Result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kiln::runtime {

class Device;

/// A block of bytes with an owner. Memory from `allocate` is 64-byte aligned
/// and padded to a multiple of 64 bytes.
class Storage {
public:
  /// Fresh memory, contents undefined. Io error when the system has none.
  static Result<std::shared_ptr<Storage>> allocate(size_t bytes);

  /// Borrowed memory; `owner` is kept alive with it (a mapped file, a caller's
  /// buffer). Read-only storage refuses to be written by in-place operators.
  static std::shared_ptr<Storage> borrow(void *data, size_t bytes,
                                         std::shared_ptr<void> owner,
                                         bool readOnly = false);
  /// Memory of a device, which `owner` gives back and keeps alive. `data` is then an
  /// address of the device, which the host cannot read.
  static std::shared_ptr<Storage> onDevice(void *data, size_t bytes,
                                           Device &device,
                                           std::shared_ptr<void> owner,
                                           bool readOnly = false);
  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  uint8_t *data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool readOnly() const { return readOnly_; }
  /// Where the bytes are; null: on the host.
  Device *device() const { return device_; }
  /// Takes the bytes out of memory if they are of a mapped file and can be read from it
  /// again (`releasePages`).
  void releasePages() const;

private:
  Storage() = default;
  Device *device_ = nullptr;
  uint8_t *data_ = nullptr;
  size_t bytes_ = 0;
  bool owned_ = false;
  bool readOnly_ = false;
  std::shared_ptr<void> owner_;
};

/// Sizes and strides, in elements. Handles share them: they never change, so who holds one
/// knows a tensor that has the same without looking into it.
struct TensorLayout {
  std::vector<int64_t> sizes, strides;
};

class Tensor {
public:
  /// An undefined tensor: what an optional argument holds when absent.
  Tensor() = default;

  /// Uninitialized row-major tensor. Usage error for negative sizes, Malformed
  /// when the byte count overflows 2^47.
  static Result<Tensor> empty(DType dtype, std::vector<int64_t> sizes);

  /// A view of `storage`. Fails when an element would lie outside of it.
  static Result<Tensor> view(std::shared_ptr<Storage> storage, DType dtype,
                             std::vector<int64_t> sizes,
                             std::vector<int64_t> strides,
                             int64_t storageOffset);
  /// The same with a layout that other tensors have.
  static Result<Tensor> view(std::shared_ptr<Storage> storage, DType dtype,
                             std::shared_ptr<const TensorLayout> layout,
                             int64_t storageOffset);

  /// As `empty`, on a device unless it is null.
  static Result<Tensor> emptyOn(Device *device, DType dtype,
                                std::vector<int64_t> sizes);

  bool defined() const { return storage_ != nullptr; }
  bool isOnDevice() const { return storage_ && storage_->device(); }
  DType dtype() const { return dtype_; }
  int64_t rank() const { return static_cast<int64_t>(sizes().size()); }
  const std::vector<int64_t> &sizes() const {
    return layout_ ? layout_->sizes : kNone;
  }
  const std::vector<int64_t> &strides() const {
    return layout_ ? layout_->strides : kNone;
  }
  int64_t size(int64_t dim) const { return layout_->sizes[dim]; }
  int64_t stride(int64_t dim) const { return layout_->strides[dim]; }
  /// Null of an undefined tensor.
  const std::shared_ptr<const TensorLayout> &layout() const { return layout_; }
  bool hasLayout(const std::shared_ptr<const TensorLayout> &layout) const {
    return layout_ == layout ||
           (layout && sizes() == layout->sizes && strides() == layout->strides);
  }
  int64_t storageOffset() const { return storageOffset_; }
  const std::shared_ptr<Storage> &storage() const { return storage_; }

  /// Product of sizes; 1 for rank 0.
  int64_t numel() const;
  /// Row-major without gaps; sizes 1 and empty tensors never disturb it.
  bool isContiguous() const;
  /// First element of the view.
  uint8_t *data() const {
    return storage_->data() + storageOffset_ * itemSize(dtype_);
  }
  template <typename T> T *dataAs() const {
    return reinterpret_cast<T *>(data());
  }

  /// The same storage seen with other sizes, strides and offset; unchecked, for
  /// view operators that derived them from this tensor's own.
  Tensor asStrided(std::vector<int64_t> sizes, std::vector<int64_t> strides,
                   int64_t storageOffset) const;

  /// A row-major copy, or this tensor if it already is row-major.
  Result<Tensor> contiguous() const;
  /// Always a fresh row-major copy, on the same device.
  Result<Tensor> clone() const;

  /// The same elements in memory of the host: this tensor if it is there, else a copy
  /// with the same strides, for which the device is waited for.
  Result<Tensor> toHost() const;
  /// The same elements in memory of a device, with the same strides; this tensor if it
  /// is there.
  Result<Tensor> toDevice(Device &device, const char *holder = "inputs") const;

  /// "f32[2, 3]" for messages.
  std::string typeString() const;

private:
  static const std::vector<int64_t> kNone;

  std::shared_ptr<Storage> storage_;
  std::shared_ptr<const TensorLayout> layout_; ///< null where `storage_` is
  int64_t storageOffset_ = 0;
  DType dtype_ = DType::F32;
};

/// Row-major strides of `sizes`; a size 0 counts as 1.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &sizes);

/// Copies all elements of `source` into `target`: equal sizes, any strides,
/// equal dtypes, wherever they are.
Status copyElements(const Tensor &source, const Tensor &target);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_TENSOR_H
