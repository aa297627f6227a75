//===- OperatorLibrary.cpp - Operators from shared libraries --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/OperatorLibrary.h"

#include "kiln/Base/Digest.h"
#include "kiln/Base/FileSystem.h"

#include <dlfcn.h>
#include <list>
#include <optional>

using namespace kiln;
using namespace kiln::runtime;

namespace {

/// One call over the C interface: its arguments in C, and its results.
class ForeignCall {
public:
  Result<std::vector<OpValue>> run(kiln_operator function,
                                   const OpArguments &arguments);

private:
  Status convert(const OpValue &value, kiln_argument &argument);
  Status makeResult(size_t index, uint32_t dtype, uint32_t rank,
                    const int64_t *sizes, kiln_tensor &result);

  /// What the arguments point to; a list keeps addresses.
  std::list<std::vector<kiln_argument>> lists_;
  std::vector<OpValue> results_;
  std::optional<Error> error_;
};

} // namespace

static kiln_tensor describe(const Tensor &tensor) {
  return {tensor.data(), static_cast<uint32_t>(tensor.dtype()),
          static_cast<uint32_t>(tensor.rank()), tensor.sizes().data(),
          tensor.strides().data()};
}

Status ForeignCall::convert(const OpValue &value, kiln_argument &argument) {
  argument = {};
  if (auto *tensor = std::get_if<Tensor>(&value.value)) {
    if (tensor->defined()) {
      argument.kind = KILN_ARGUMENT_TENSOR;
      argument.tensor = describe(*tensor);
    }
  } else if (auto *boolean = std::get_if<bool>(&value.value)) {
    argument.kind = KILN_ARGUMENT_BOOL;
    argument.integer = *boolean;
  } else if (auto *integer = std::get_if<int64_t>(&value.value)) {
    argument.kind = KILN_ARGUMENT_INT;
    argument.integer = *integer;
  } else if (auto *real = std::get_if<double>(&value.value)) {
    argument.kind = KILN_ARGUMENT_FLOAT;
    argument.real = *real;
  } else if (auto *text = std::get_if<std::string>(&value.value)) {
    argument.kind = KILN_ARGUMENT_STRING;
    argument.text = text->c_str();
  } else if (auto *dtype = std::get_if<DType>(&value.value)) {
    argument.kind = KILN_ARGUMENT_DTYPE;
    argument.integer = static_cast<int64_t>(*dtype);
  } else if (auto *list = std::get_if<OpValue::List>(&value.value)) {
    std::vector<kiln_argument> &elements = lists_.emplace_back(list->size());
    for (size_t i = 0; i < elements.size(); ++i)
      if (Status s = convert((*list)[i], elements[i]); !s)
        return s;
    argument.kind = KILN_ARGUMENT_LIST;
    argument.elements = elements.data();
    argument.element_count = elements.size();
  } else if (!value.isNone()) {
    return Error::unsupported("a complex number cannot be handed to an "
                              "operator of another library");
  }
  return Status::success();
}

Status ForeignCall::makeResult(size_t index, uint32_t dtype, uint32_t rank,
                               const int64_t *sizes, kiln_tensor &result) {
  constexpr size_t kMaxResults = 1024;
  constexpr uint32_t kMaxRank = 64;
  std::optional<DType> element = toDType(dtype);
  if (index >= kMaxResults || rank > kMaxRank || !element)
    return Error::malformed(
        "result " + std::to_string(index) + " has dtype " +
        std::to_string(dtype) + " and rank " + std::to_string(rank) +
        "; expected a dtype of kiln/Base/DType.h and a rank up to 64");
  if (results_.size() <= index)
    results_.resize(index + 1);
  if (!results_[index].isNone())
    return Error::malformed("result " + std::to_string(index) +
                            " is made twice");
  auto tensor =
      Tensor::empty(*element, std::vector<int64_t>(sizes, sizes + rank));
  if (!tensor)
    return tensor.takeError();
  results_[index] = std::move(*tensor);
  result = describe(std::get<Tensor>(results_[index].value));
  return Status::success();
}

Result<std::vector<OpValue>> ForeignCall::run(kiln_operator function,
                                              const OpArguments &arguments) {
  std::vector<kiln_argument> converted(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Status s = convert(arguments[i], converted[i]); !s)
      return s.takeError();
  kiln_operator_call call = {};
  call.struct_size = sizeof(call);
  call.arguments = converted.data();
  call.argument_count = converted.size();
  call.host = this;
  call.make_result = [](kiln_operator_call *call, size_t index, uint32_t dtype,
                        uint32_t rank, const int64_t *sizes,
                        kiln_tensor *result) {
    auto *self = static_cast<ForeignCall *>(call->host);
    Status status = self->makeResult(index, dtype, rank, sizes, *result);
    if (status)
      return 0;
    self->error_ = status.takeError();
    return 1;
  };
  call.fail = [](kiln_operator_call *call, const char *message) {
    static_cast<ForeignCall *>(call->host)->error_ =
        Error::malformed(message ? message : "failed");
    return 1;
  };
  int code = function(&call);
  if (error_)
    return *error_;
  if (code != 0)
    return Error::malformed("failed with code " + std::to_string(code));
  for (size_t i = 0; i < results_.size(); ++i)
    if (results_[i].isNone())
      return Error::malformed("result " + std::to_string(i) +
                              " was not made");
  return std::move(results_);
}

Result<std::vector<std::string>>
runtime::addOperators(const kiln_operator_library &library,
                      OperatorRegistry &registry) {
  if (library.struct_size < sizeof(library) ||
      library.version != KILN_OPERATOR_ABI_VERSION)
    return Error::malformed("expected operators of version " +
                            std::to_string(KILN_OPERATOR_ABI_VERSION) +
                            ", found version " +
                            std::to_string(library.version));
  std::vector<std::string> names;
  for (size_t i = 0; i < library.count; ++i) {
    const kiln_operator_entry &entry = library.entries[i];
    std::string name = entry.overload ? entry.overload : "";
    size_t dot = name.find('.');
    if (!entry.function || dot == 0 || dot == std::string::npos ||
        name.find('.', dot + 1) == std::string::npos)
      return Error::malformed("operator '" + name + "': expected a function "
                              "and a name such as 'mylib.swish.default'");
    Status added = registry.add(
        name, [function = entry.function](const OpArguments &arguments) {
          return ForeignCall().run(function, arguments);
        });
    if (!added)
      return added.takeError();
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<std::string>>
runtime::loadOperatorLibrary(const std::string &path,
                             OperatorRegistry &registry) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return Error::io("cannot open '" + path + "': " +
                     std::string(reason ? reason : "no reason is given"));
  }
  auto get = reinterpret_cast<kiln_operators_t>(
      dlsym(handle, KILN_OPERATORS_ENTRY));
  const kiln_operator_library *library = get ? get() : nullptr;
  if (!library)
    return Error::io("'" + path + "' exports no '" KILN_OPERATORS_ENTRY "'");
  auto names = addOperators(*library, registry);
  return names ? std::move(names)
               : Result<std::vector<std::string>>(
                     names.error().withContext("'" + path + "'"));
}

Result<std::string> runtime::describePlugin(const std::string &path) {
  if (path.find_first_of(",\n") != std::string::npos)
    return Error::usage("'" + path + "': expected a plugin whose path has "
                        "neither comma nor line break");
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  return sha256(*bytes).hex() + ":" + path;
}
