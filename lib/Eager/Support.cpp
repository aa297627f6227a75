//===- Support.cpp - Arguments, refusals, sizes ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "Elements.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>

using namespace kiln;
using namespace kiln::eager;

std::string Piece::str() const {
  if (text)
    return text;
  if (tensor)
    return tensor->defined() ? tensor->typeString() : "none";
  if (dtype)
    return std::string(dtypeName(*dtype));
  if (!ints)
    return std::to_string(number);
  std::string result = "[";
  for (size_t i = 0; i < ints->size(); ++i)
    result += (i ? ", " : "") + std::to_string((*ints)[i]);
  return result + "]";
}

void eager::refuse(Message message) {
  std::string text;
  for (const Piece &piece : message)
    text += piece.str();
  throw Refusal{Error::usage(std::move(text))};
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

[[noreturn]] static void refuseArgument(size_t i, const char *expected) {
  refuse({"argument ", i + 1, " is not ", expected});
}

const OpValue &Args::operator[](size_t i) const {
  static const OpValue none;
  return i < arguments_.size() ? arguments_[i] : none;
}

bool Args::isNone(size_t i) const {
  const OpValue &value = (*this)[i];
  return value.isNone() ||
         (value.isTensor() && !std::get<Tensor>(value.value).defined());
}

const Tensor &Args::tensor(size_t i) const {
  const OpValue &value = (*this)[i];
  if (!value.isTensor() || isNone(i))
    refuseArgument(i, "a tensor");
  return std::get<Tensor>(value.value);
}

Tensor Args::optTensor(size_t i) const {
  return isNone(i) ? Tensor() : tensor(i);
}

std::vector<Tensor> Args::optTensors(size_t i) const {
  if (isNone(i))
    return {};
  const auto *list = std::get_if<OpValue::List>(&(*this)[i].value);
  if (!list)
    refuseArgument(i, "a list of tensors");
  std::vector<Tensor> result;
  for (const OpValue &element : *list) {
    if (!element.isTensor() && !element.isNone())
      refuseArgument(i, "a list of tensors");
    result.push_back(element.isNone() ? Tensor()
                                      : std::get<Tensor>(element.value));
  }
  return result;
}

std::vector<Tensor> Args::tensors(size_t i) const {
  std::vector<Tensor> result = optTensors(i);
  for (const Tensor &tensor : result)
    if (!tensor.defined())
      refuseArgument(i, "a list of tensors");
  return result;
}

int64_t eager::toInteger(const OpValue &value, const char *what) {
  if (const auto *integer = std::get_if<int64_t>(&value.value))
    return *integer;
  if (const auto *flag = std::get_if<bool>(&value.value))
    return *flag;
  if (value.isTensor()) {
    const Tensor &tensor = std::get<Tensor>(value.value);
    if (tensor.defined() && isBoolOrInteger(tensor.dtype()) &&
        tensor.numel() == 1)
      return readAll<int64_t>(tensor)[0];
  }
  refuse({"expected an integer for ", what});
}

double eager::toNumber(const OpValue &value, const char *what) {
  if (const auto *real = std::get_if<double>(&value.value))
    return *real;
  if (value.isTensor()) {
    const Tensor &tensor = std::get<Tensor>(value.value);
    if (tensor.defined() && !isComplex(tensor.dtype()) && tensor.numel() == 1)
      return readAll<double>(tensor)[0];
  }
  if (!value.isNumber() ||
      std::holds_alternative<std::complex<double>>(value.value))
    refuse({"expected a real number for ", what});
  return static_cast<double>(toInteger(value, what));
}

int64_t Args::integer(size_t i) const {
  return toInteger((*this)[i], ("argument " + std::to_string(i + 1)).c_str());
}

std::optional<int64_t> Args::optInteger(size_t i) const {
  return isNone(i) ? std::nullopt : std::optional(integer(i));
}

double Args::number(size_t i) const {
  return toNumber((*this)[i], ("argument " + std::to_string(i + 1)).c_str());
}

std::optional<double> Args::optNumber(size_t i) const {
  return isNone(i) ? std::nullopt : std::optional(number(i));
}

bool Args::flag(size_t i) const { return isNone(i) ? false : integer(i) != 0; }

std::string Args::string(size_t i) const {
  const auto *text = std::get_if<std::string>(&(*this)[i].value);
  if (!text)
    refuseArgument(i, "a string");
  return *text;
}

std::optional<std::string> Args::optString(size_t i) const {
  return isNone(i) ? std::nullopt : std::optional(string(i));
}

std::optional<DType> Args::optDType(size_t i) const {
  if (isNone(i))
    return std::nullopt;
  const auto *dtype = std::get_if<DType>(&(*this)[i].value);
  if (!dtype)
    refuseArgument(i, "a dtype");
  return *dtype;
}

Ints Args::ints(size_t i) const {
  const OpValue &value = (*this)[i];
  if (isNone(i))
    refuseArgument(i, "a list of integers");
  const auto *list = std::get_if<OpValue::List>(&value.value);
  if (!list)
    return {integer(i)};
  Ints result;
  for (const OpValue &element : *list)
    result.push_back(toInteger(element, "an element of a list"));
  return result;
}

std::optional<Ints> Args::optInts(size_t i) const {
  return isNone(i) ? std::nullopt : std::optional(ints(i));
}

Ints Args::intsOf(size_t i, size_t count, Ints otherwise) const {
  Ints result = optInts(i).value_or(Ints());
  if (result.empty())
    result = std::move(otherwise);
  if (result.size() == 1)
    result.resize(count, result[0]);
  require(result.size() == count,
          {"argument ", i + 1, ": expected ", count, " integers, found ",
           result.size()});
  return result;
}

std::vector<double> Args::numbers(size_t i) const {
  const auto *list = std::get_if<OpValue::List>(&(*this)[i].value);
  if (!list)
    return {number(i)};
  std::vector<double> result;
  for (const OpValue &element : *list)
    result.push_back(toNumber(element, "an element of a list"));
  return result;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

Result<Values> eager::guarded(Operator op, const OpArguments &arguments) {
  try {
    return op(Args(arguments));
  } catch (Refusal &refusal) {
    return std::move(refusal.error);
  } catch (std::bad_alloc &) {
    return Error::io("out of memory");
  } catch (std::length_error &) {
    return Error::io("out of memory");
  }
}

Result<Values> eager::guardedInPlace(Operator op,
                                     const OpArguments &arguments) {
  Result<Values> results = guarded(op, arguments);
  if (!results)
    return results;
  try {
    Args args(arguments);
    const Tensor &self = args.tensor(0);
    require(!results->empty() && results->front().isTensor(),
            {"expected a tensor to write"});
    const Tensor &value = std::get<Tensor>(results->front().value);
    require(value.sizes() == self.sizes(),
            {"output with shape ", self.sizes(),
             " doesn't match the broadcast shape ", value.sizes()});
    auto rank = [](DType dtype) {
      return dtype == DType::Bool ? 0 : isInteger(dtype) ? 1
                                    : isFloat(dtype)     ? 2
                                                         : 3;
    };
    require(rank(value.dtype()) <= rank(self.dtype()),
            {"result type ", value.dtype(),
             " can't be cast to the desired output type ", self.dtype()});
    assign(self, value);
    return Values{self};
  } catch (Refusal &refusal) {
    return std::move(refusal.error);
  } catch (std::bad_alloc &) {
    return Error::io("out of memory");
  }
}

void Table::add(const std::string &name, OpFunction function) {
  if (status_)
    status_ = registry_.add("aten." + name, function); // programs say it in full
}

//===----------------------------------------------------------------------===//
// Sizes and dimensions
//===----------------------------------------------------------------------===//

int64_t eager::product(const Ints &values) {
  int64_t result = 1;
  for (int64_t value : values)
    require(!__builtin_mul_overflow(result, value, &result),
            {"sizes ", values, " overflow"});
  return result;
}

int64_t eager::wrapDim(int64_t dim, int64_t rank) {
  int64_t bound = std::max<int64_t>(rank, 1);
  require(dim >= -bound && dim < bound,
          {"dimension ", dim, " is out of range, expected ", -bound, " to ",
           bound - 1});
  return dim < 0 ? dim + bound : dim;
}

Ints eager::reducedDims(const std::optional<Ints> &dims, int64_t rank) {
  Ints result;
  if (!dims || dims->empty()) {
    result.resize(rank);
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  for (int64_t dim : *dims)
    result.push_back(wrapDim(dim, rank));
  std::sort(result.begin(), result.end());
  auto twice = std::adjacent_find(result.begin(), result.end());
  require(twice == result.end(),
          {"a dimension appears more than once in ", *dims});
  if (rank == 0)
    result.clear();
  return result;
}

Ints eager::broadcastSizes(const Ints &a, const Ints &b) {
  const Ints &longer = a.size() >= b.size() ? a : b;
  const Ints &shorter = a.size() >= b.size() ? b : a;
  Ints result = longer;
  size_t shift = longer.size() - shorter.size();
  for (size_t d = 0; d < shorter.size(); ++d) {
    int64_t &size = result[shift + d];
    require(size == shorter[d] || size == 1 || shorter[d] == 1,
            {"sizes ", a, " and ", b, " do not broadcast"});
    if (size == 1)
      size = shorter[d];
  }
  return result;
}

Tensor eager::expandTo(const Tensor &tensor, const Ints &sizes) {
  require(sizes.size() >= tensor.sizes().size(),
          {"cannot expand ", tensor, " to sizes ", sizes});
  Ints strides(sizes.size(), 0);
  size_t shift = sizes.size() - tensor.sizes().size();
  for (size_t d = 0; d < tensor.sizes().size(); ++d) {
    int64_t size = tensor.size(d);
    require(size == sizes[shift + d] || size == 1,
            {"cannot expand ", tensor, " to sizes ", sizes});
    strides[shift + d] = size == sizes[shift + d] ? tensor.stride(d) : 0;
  }
  return restrided(tensor, sizes, std::move(strides));
}

void eager::requireSizes(const Ints &sizes) {
  require(sizes.size() <= 64, {"at most 64 dimensions are supported, found ",
                               sizes.size()});
  for (int64_t size : sizes)
    require(size >= 0, {"negative size in ", sizes});
}

Ints eager::inferSizes(Ints sizes, int64_t numel) {
  std::optional<size_t> unknown;
  int64_t known = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      require(!unknown, {"only one dimension can be inferred in ", sizes});
      unknown = d;
      continue;
    }
    require(sizes[d] >= 0, {"negative size in ", sizes});
    require(!__builtin_mul_overflow(known, sizes[d], &known),
            {"sizes ", sizes, " overflow"});
  }
  if (unknown) {
    require(known != 0 && numel % known == 0,
            {"sizes ", sizes, " do not fit ", numel, " elements"});
    sizes[*unknown] = numel / known;
    return sizes;
  }
  require(known == numel,
          {"sizes ", sizes, " do not fit ", numel, " elements"});
  return sizes;
}
