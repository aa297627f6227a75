//===- TensorSupport.cpp - Views, copies and fills ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Support.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

Tensor eager::empty(DType dtype, const Ints &sizes) {
  requireSizes(sizes);
  return take(Tensor::empty(dtype, sizes));
}

Tensor eager::restrided(const Tensor &tensor, Ints sizes, Ints strides) {
  return tensor.asStrided(std::move(sizes), std::move(strides),
                          tensor.storageOffset());
}

Tensor eager::permuted(const Tensor &tensor, const Ints &order) {
  Ints sizes, strides;
  for (int64_t dim : order) {
    sizes.push_back(tensor.size(dim));
    strides.push_back(tensor.stride(dim));
  }
  return restrided(tensor, std::move(sizes), std::move(strides));
}

Tensor eager::movedLast(const Tensor &tensor, int64_t dim) {
  if (tensor.rank() == 0)
    return unsqueezed(tensor, 0);
  Ints order(tensor.rank());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + dim);
  order.push_back(dim);
  return permuted(tensor, order);
}

Tensor eager::unsqueezed(const Tensor &tensor, int64_t dim) {
  Ints sizes = tensor.sizes(), strides = tensor.strides();
  int64_t stride =
      dim < tensor.rank() ? tensor.size(dim) * tensor.stride(dim) : 1;
  sizes.insert(sizes.begin() + dim, 1);
  strides.insert(strides.begin() + dim, stride);
  return restrided(tensor, std::move(sizes), std::move(strides));
}

/// Dimensions of the old shape are grouped into chunks that are contiguous
/// among themselves; new dimensions must fill a chunk exactly, from the back.
std::optional<Ints> eager::viewStrides(const Tensor &tensor,
                                       const Ints &sizes) {
  const Ints &oldSizes = tensor.sizes(), &oldStrides = tensor.strides();
  if (product(sizes) == 0)
    return sizes == oldSizes ? oldStrides : runtime::rowMajorStrides(sizes);
  Ints strides(sizes.size(), 1);
  if (oldSizes.empty())
    return strides;
  int64_t next = static_cast<int64_t>(sizes.size()) - 1;
  int64_t base = oldStrides.back(), oldCount = 1, newCount = 1;
  for (int64_t d = static_cast<int64_t>(oldSizes.size()) - 1; d >= 0; --d) {
    oldCount *= oldSizes[d];
    bool chunkEnds = d == 0 || (oldSizes[d - 1] != 1 &&
                                oldStrides[d - 1] != oldCount * base);
    if (!chunkEnds)
      continue;
    while (next >= 0 && (newCount < oldCount || sizes[next] == 1)) {
      strides[next] = newCount * base;
      newCount *= sizes[next--];
    }
    if (newCount != oldCount)
      return std::nullopt;
    if (d > 0) {
      base = oldStrides[d - 1];
      oldCount = newCount = 1;
    }
  }
  return next < 0 ? std::optional(strides) : std::nullopt;
}

Tensor eager::reshaped(const Tensor &tensor, const Ints &sizes) {
  if (auto strides = viewStrides(tensor, sizes))
    return restrided(tensor, sizes, std::move(*strides));
  return restrided(take(tensor.contiguous()), sizes,
                   runtime::rowMajorStrides(sizes));
}

void eager::assign(const Tensor &target, const Tensor &source) {
  require(!target.storage()->readOnly(),
          {"cannot write in place: the storage is read-only"});
  Tensor from = expandTo(source, target.sizes());
  if (from.dtype() == target.dtype()) {
    bool sameStorage = from.storage() == target.storage();
    take(runtime::copyElements(sameStorage ? take(from.clone()) : from,
                               target));
    return;
  }
  auto copy = [&](auto zero) {
    using T = decltype(zero);
    // Where one may lie in the other all is read first.
    if (from.storage() == target.storage())
      return writeAll(target, readAll<T>(from));
    constexpr int64_t kBlock = 512;
    T block[kBlock];
    StridedWalk walk(target.sizes(), {from.strides(), target.strides()});
    auto size = int64_t(itemSize(from.dtype())),
         written = int64_t(itemSize(target.dtype()));
    walk.forEachRun([&](const int64_t *offsets) {
      for (int64_t at = 0; at < walk.runLength(); at += kBlock) {
        int64_t count = std::min(kBlock, walk.runLength() - at);
        loadElements(from.dtype(),
                     from.data() + (offsets[0] + at * walk.runStride(0)) * size,
                     walk.runStride(0), count, block);
        storeElements(
            target.dtype(),
            target.data() + (offsets[1] + at * walk.runStride(1)) * written,
            walk.runStride(1), count, block);
      }
    });
  };
  // 64-bit integers keep their value on the way to other integers; everything
  // else passes through the wider of both compute types.
  if (isComplex(from.dtype()) || isComplex(target.dtype()))
    return copy(CDouble());
  if (isBoolOrInteger(from.dtype()))
    return copy(int64_t(0));
  return copy(0.0);
}

Tensor eager::converted(const Tensor &tensor, DType dtype) {
  Tensor result = empty(dtype, tensor.sizes());
  assign(result, tensor);
  return result;
}

Tensor eager::inDType(const Tensor &tensor, DType dtype) {
  return tensor.dtype() == dtype ? tensor : converted(tensor, dtype);
}

DType eager::numberDType(const OpValue &number) {
  if (std::holds_alternative<bool>(number.value))
    return DType::Bool;
  if (std::holds_alternative<int64_t>(number.value))
    return DType::I64;
  if (std::holds_alternative<double>(number.value))
    return DType::F32;
  require(number.isNumber(), {"expected a tensor or a number"});
  return DType::C64;
}

Tensor eager::numberTensor(const OpValue &number) {
  if (const auto *flag = std::get_if<bool>(&number.value))
    return makeTensor<int64_t>(DType::Bool, {}, {*flag});
  if (const auto *integer = std::get_if<int64_t>(&number.value))
    return makeTensor<int64_t>(DType::I64, {}, {*integer});
  if (const auto *real = std::get_if<double>(&number.value))
    return makeTensor<double>(DType::F64, {}, {*real});
  const auto *complex = std::get_if<CDouble>(&number.value);
  require(complex != nullptr, {"expected a number"});
  return makeTensor<CDouble>(DType::C128, {}, {*complex});
}

void eager::requireRepresentable(const OpValue &number, DType dtype) {
  const auto *real = std::get_if<double>(&number.value);
  const auto *integer = std::get_if<int64_t>(&number.value);
  const auto *complex = std::get_if<CDouble>(&number.value);
  require(!complex || complex->imag() == 0 || isComplex(dtype),
          {"a complex number is out of range of ", dtype});
  require((!real || isInRange(*real, dtype)) &&
              (!integer || isInRange(*integer, dtype)),
          {"a number is out of range of ", dtype});
}

void eager::fillWith(const Tensor &target, const OpValue &number) {
  if (number.isTensor()) {
    const auto &tensor = std::get<Tensor>(number.value);
    require(tensor.defined(), {"expected a number, found no tensor"});
    return assign(target, tensor);
  }
  requireRepresentable(number, target.dtype());
  assign(target, converted(numberTensor(number), target.dtype()));
}

Tensor eager::filled(DType dtype, const Ints &sizes, const OpValue &number) {
  Tensor result = empty(dtype, sizes);
  fillWith(result, number);
  return result;
}

DType eager::realDType(DType dtype) {
  switch (dtype) {
  case DType::C32:
    return DType::F16;
  case DType::C64:
    return DType::F32;
  case DType::C128:
    return DType::F64;
  default:
    return dtype;
  }
}

DType eager::complexDType(DType dtype) {
  return realDType(dtype) == DType::F64 ? DType::C128 : DType::C64;
}

void eager::requireFloat(const Tensor &tensor) {
  require(isFloat(tensor.dtype()) && itemSize(tensor.dtype()) > 1,
          {"expected a floating point tensor, found ", tensor});
}

void eager::requireSameDType(const Tensor &a, const Tensor &b) {
  require(a.dtype() == b.dtype(),
          {"expected operands of one dtype, found ", a, " and ", b});
}
