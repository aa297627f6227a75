//===- Tensor.cpp - Tensors and values of the C interface -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "kiln/Base/CheckedMath.h"

#include <cstring>

using namespace kiln;
using namespace kiln::capi;
using runtime::OpValue;
using runtime::Storage;
using runtime::Tensor;

static_assert(KILN_DTYPE_BOOL == static_cast<int>(DType::Bool) &&
                  KILN_DTYPE_F32 == static_cast<int>(DType::F32) &&
                  KILN_DTYPE_U64 == static_cast<int>(DType::U64) &&
                  KILN_DTYPE_F8E8M0FNU == static_cast<int>(DType::F8E8M0FNU),
              "element types have the numbers that packages have");

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

size_t kilnDTypeSize(KilnDType dtype) {
  auto known = toDType(static_cast<uint64_t>(dtype));
  return known ? itemSize(*known) : 0;
}

const char *kilnDTypeName(KilnDType dtype) {
  auto known = toDType(static_cast<uint64_t>(dtype));
  return known ? dtypeName(*known).data() : ""; // names are literals
}

/// What an element's address must be a multiple of: parts of complex numbers are
/// read one by one.
static size_t alignmentOf(DType dtype) {
  return isComplex(dtype) ? itemSize(dtype) / 2 : itemSize(dtype);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// Tells a caller that memory is free again.
struct Lender {
  KilnRelease release = nullptr;
  void *user = nullptr;
  ~Lender() {
    if (release)
      release(user);
  }
};
} // namespace

static Result<std::vector<int64_t>> readSizes(size_t rank,
                                              const int64_t *sizes) {
  if (rank > kMaxRank)
    return Error::usage("'rank' is " + std::to_string(rank) +
                        ", expected at most " + std::to_string(kMaxRank));
  if (rank > 0 && !sizes)
    return isNull("sizes");
  return rank == 0 ? std::vector<int64_t>()
                   : std::vector<int64_t>(sizes, sizes + rank);
}

static Result<DType> readDType(KilnDType dtype) {
  if (auto known = toDType(static_cast<uint64_t>(dtype)))
    return *known;
  return Error::usage("'dtype' is " + std::to_string(static_cast<int>(dtype)) +
                      ", which is no element type");
}

namespace {
struct DTypeAndSizes {
  DType dtype;
  std::vector<int64_t> sizes;
};
} // namespace

/// What a new tensor is to be, with null where it will stand.
static Result<DTypeAndSizes> readNewTensor(KilnTensor **tensor, KilnDType dtype,
                                           size_t rank, const int64_t *sizes) {
  if (!tensor)
    return isNull("tensor");
  *tensor = nullptr;
  auto type = readDType(dtype);
  if (!type)
    return type.takeError();
  auto shape = readSizes(rank, sizes);
  if (!shape)
    return shape.takeError();
  return DTypeAndSizes{*type, std::move(*shape)};
}

KilnStatus *kilnTensorBorrow(void *data, size_t bytes, KilnDType dtype,
                             size_t rank, const int64_t *sizes,
                             const int64_t *strides, KilnRelease release,
                             void *user, KilnTensor **tensor) {
  return guarded([&]() -> Status {
    auto wanted = readNewTensor(tensor, dtype, rank, sizes);
    if (!wanted)
      return wanted.takeError();
    if (!data && bytes != 0)
      return isNull("data");
    if (reinterpret_cast<uintptr_t>(data) % alignmentOf(wanted->dtype) != 0)
      return Error::usage("'data' is not aligned to " +
                          std::to_string(alignmentOf(wanted->dtype)) +
                          " bytes");
    // Sizes are judged before anything is computed of them.
    if (auto count = elementCount(wanted->sizes); !count)
      return Error::usage(count.error().message);
    std::vector<int64_t> steps =
        strides && rank > 0 ? std::vector<int64_t>(strides, strides + rank)
                            : runtime::rowMajorStrides(wanted->sizes);
    auto lender = std::make_shared<Lender>();
    auto view =
        Tensor::view(Storage::borrow(data, bytes, lender), wanted->dtype,
                     std::move(wanted->sizes), std::move(steps), 0);
    if (!view)
      return Error::usage(view.error().message);
    *tensor = new KilnTensor{std::move(*view)};
    lender->release = release;
    lender->user = user;
    return Status::success();
  });
}

KilnStatus *kilnTensorCreate(KilnDType dtype, size_t rank,
                             const int64_t *sizes, KilnTensor **tensor) {
  return guarded([&]() -> Status {
    auto wanted = readNewTensor(tensor, dtype, rank, sizes);
    if (!wanted)
      return wanted.takeError();
    auto made = Tensor::empty(wanted->dtype, std::move(wanted->sizes));
    if (!made)
      return made.error().kind == ErrorKind::Io
                 ? made.takeError()
                 : Error::usage(made.error().message);
    std::memset(made->storage()->data(), 0, made->storage()->bytes());
    *tensor = new KilnTensor{std::move(*made)};
    return Status::success();
  });
}

void kilnTensorDestroy(KilnTensor *tensor) { delete tensor; }

KilnDType kilnTensorDType(const KilnTensor *tensor) {
  return tensor ? static_cast<KilnDType>(tensor->tensor.dtype())
                : KILN_DTYPE_NONE;
}

size_t kilnTensorRank(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.sizes().size() : 0;
}

const int64_t *kilnTensorSizes(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.sizes().data() : nullptr;
}

const int64_t *kilnTensorStrides(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.strides().data() : nullptr;
}

void *kilnTensorData(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.data() : nullptr;
}

int64_t kilnTensorElements(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.numel() : 0;
}

KilnStatus *kilnTensorCopyTo(const KilnTensor *tensor, void *target,
                             size_t bytes) {
  return guarded([&]() -> Status {
    if (!tensor)
      return isNull("tensor");
    const Tensor &source = tensor->tensor;
    size_t needed =
        static_cast<size_t>(source.numel()) * itemSize(source.dtype());
    if (bytes != needed)
      return Error::usage("'bytes' is " + std::to_string(bytes) +
                          ", expected the " + std::to_string(needed) +
                          " of " + source.typeString());
    if (!target && needed != 0)
      return isNull("target");
    // Without gaps first: the target may not be aligned.
    auto dense = source.contiguous();
    if (!dense)
      return dense.takeError();
    if (needed != 0)
      std::memcpy(target, dense->data(), needed);
    return Status::success();
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Result<OpValue> capi::readValue(const KilnValue &value) {
  switch (value.kind) {
  case KILN_VALUE_NONE:
    return OpValue();
  case KILN_VALUE_TENSOR:
    return value.as.tensor ? Result<OpValue>(OpValue(value.as.tensor->tensor))
                           : Result<OpValue>(isNull("as.tensor"));
  case KILN_VALUE_BOOL:
    return OpValue(value.as.integer != 0);
  case KILN_VALUE_INT:
    return OpValue(value.as.integer);
  case KILN_VALUE_FLOAT:
    return OpValue(value.as.real);
  case KILN_VALUE_COMPLEX:
    return OpValue(std::complex<double>(value.as.complex[0],
                                        value.as.complex[1]));
  }
  return Error::usage("'kind' is " + std::to_string(value.kind) +
                      ", which is no kind of value");
}

Result<KilnValue> capi::handOut(OpValue value) {
  KilnValue result = {};
  if (auto *tensor = std::get_if<Tensor>(&value.value)) {
    // The interface has no tensors that are read only.
    if (tensor->defined() && tensor->storage()->readOnly()) {
      auto copy = tensor->clone();
      if (!copy)
        return copy.takeError();
      *tensor = std::move(*copy);
    }
    if (tensor->defined())
      result = kilnTensorValue(new KilnTensor{std::move(*tensor)});
  } else if (auto *flag = std::get_if<bool>(&value.value)) {
    result.kind = KILN_VALUE_BOOL;
    result.as.integer = *flag;
  } else if (auto *integer = std::get_if<int64_t>(&value.value)) {
    result = kilnIntValue(*integer);
  } else if (auto *real = std::get_if<double>(&value.value)) {
    result.kind = KILN_VALUE_FLOAT;
    result.as.real = *real;
  } else if (auto *number = std::get_if<std::complex<double>>(&value.value)) {
    result.kind = KILN_VALUE_COMPLEX;
    result.as.complex[0] = number->real();
    result.as.complex[1] = number->imag();
  }
  return result;
}

void kilnValuesDestroy(KilnValue *values, size_t count) {
  for (size_t i = 0; values && i < count; ++i) {
    if (values[i].kind == KILN_VALUE_TENSOR)
      kilnTensorDestroy(values[i].as.tensor);
    values[i] = KilnValue();
  }
}
