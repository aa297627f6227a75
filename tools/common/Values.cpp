//===- Values.cpp - Recorded values as values of the runtime --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "kiln/Archive/NpyFile.h"
#include "kiln/Base/FileSystem.h"

#include <cstdio>
#include <cstring>

using namespace kiln;
using namespace kiln::tools;
using runtime::OpValue;
using runtime::Tensor;

Result<Tensor> tools::copyOf(DType dtype, const std::vector<int64_t> &sizes,
                             ByteView bytes) {
  auto tensor = Tensor::empty(dtype, sizes);
  if (!tensor)
    return tensor;
  size_t size = static_cast<size_t>(tensor->numel()) * itemSize(dtype);
  if (size != bytes.size())
    return Error::malformed("a tensor of " + std::to_string(size) +
                            " bytes has " + std::to_string(bytes.size()));
  if (size != 0)
    std::memcpy(tensor->data(), bytes.data(), size);
  return tensor;
}

OpValue tools::valueOf(const archive::ConstantValue &constant) {
  return std::visit(
      [](const auto &value) -> OpValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>,
                                     std::monostate>)
          return OpValue();
        else
          return OpValue(value);
      },
      constant);
}

Result<OpValue> tools::valueOf(const archive::IoValue &recorded) {
  if (!recorded.isTensor)
    return valueOf(recorded.constant);
  auto tensor = copyOf(recorded.dtype, recorded.sizes, recorded.bytes.view());
  if (!tensor)
    return tensor.takeError();
  return OpValue(std::move(*tensor));
}

Result<OpValue> tools::copyOf(const OpValue &value) {
  const auto *tensor = std::get_if<Tensor>(&value.value);
  if (!tensor || !tensor->defined())
    return value;
  auto storage = runtime::Storage::allocate(tensor->storage()->bytes());
  if (!storage)
    return storage.takeError();
  std::memcpy((*storage)->data(), tensor->storage()->data(),
              tensor->storage()->bytes());
  auto view = Tensor::view(*storage, tensor->dtype(), tensor->sizes(),
                           tensor->strides(), tensor->storageOffset());
  if (!view)
    return view.takeError();
  return OpValue(std::move(*view));
}

namespace {
struct Describe {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const Tensor &tensor) const {
    return tensor.defined() ? tensor.typeString() : "none";
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", value);
    return text;
  }
  std::string operator()(const std::complex<double> &value) const {
    return (*this)(value.real()) + "+" + (*this)(value.imag()) + "j";
  }
  std::string operator()(const std::string &value) const {
    return "'" + value + "'";
  }
  std::string operator()(DType value) const {
    return std::string(dtypeName(value));
  }
  std::string operator()(const OpValue::List &list) const {
    std::string text;
    for (const OpValue &value : list)
      text += (text.empty() ? "" : ", ") + describe(value);
    return "[" + text + "]";
  }
};
} // namespace

std::string tools::describe(const OpValue &value) {
  return std::visit(Describe(), value.value);
}

template <typename T>
static Result<std::vector<uint8_t>> scalarNpy(DType dtype, T value) {
  return archive::encodeNpy(dtype, {}, ByteView(&value, sizeof(value)));
}

Status tools::writeNpy(const std::string &path, const OpValue &value) {
  Result<std::vector<uint8_t>> bytes = std::vector<uint8_t>();
  if (const auto *tensor = std::get_if<Tensor>(&value.value)) {
    auto dense = tensor->contiguous();
    if (!dense)
      return dense.takeError();
    bytes = archive::encodeNpy(
        dense->dtype(), dense->sizes(),
        ByteView(dense->data(), static_cast<size_t>(dense->numel()) *
                                    itemSize(dense->dtype())));
  } else if (const auto *flag = std::get_if<bool>(&value.value)) {
    bytes = scalarNpy(DType::Bool, *flag);
  } else if (const auto *integer = std::get_if<int64_t>(&value.value)) {
    bytes = scalarNpy(DType::I64, *integer);
  } else if (const auto *real = std::get_if<double>(&value.value)) {
    bytes = scalarNpy(DType::F64, *real);
  } else {
    std::string text = describe(value) + "\n";
    return writeFile(path + ".txt", ByteView(std::string_view(text)));
  }
  if (!bytes)
    return bytes.takeError();
  return writeFile(path + ".npy", ByteView(*bytes));
}
