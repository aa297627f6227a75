//===- OpCaseRunner.cpp ---------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpCaseRunner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::archive;

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

/// A default as the schema writes it: None, True, 1, 0.5, [1, 1], "none".
static OpValue parseDefault(const std::string &type, const std::string &text) {
  if (text == "None")
    return {};
  if (text == "True" || text == "False")
    return text == "True";
  if (text[0] == '"' || text[0] == '\'')
    return text.substr(1, text.size() - 2);
  if (text == "Mean") // named reductions of old schemas
    return int64_t(1);
  if (type.rfind("MemoryFormat", 0) == 0)
    return std::string("contiguous_format");
  if (type.rfind("ScalarType", 0) == 0)
    return text == "4" ? OpValue(DType::I64) : OpValue();
  if (text[0] == '[') {
    OpValue::List list;
    std::stringstream stream(text.substr(1, text.size() - 2));
    for (std::string item; std::getline(stream, item, ',');)
      list.push_back(int64_t(std::stoll(item)));
    return list;
  }
  if (text.find_first_of(".einf") != std::string::npos ||
      type.rfind("float", 0) == 0)
    return std::stod(text);
  return int64_t(std::stoll(text));
}

std::vector<test::Parameter> test::parseSchema(const std::string &schema) {
  std::vector<Parameter> result;
  std::string item;
  int depth = 0;
  bool quoted = false;
  for (size_t i = schema.find('(') + 1; i < schema.size(); ++i) {
    char c = schema[i];
    quoted ^= c == '"' || c == '\'';
    bool ends = !quoted && depth == 0 && (c == ',' || c == ')');
    if (!ends) {
      depth += !quoted && (c == '(' || c == '[');
      depth -= !quoted && (c == ')' || c == ']');
      item += c;
      continue;
    }
    item.erase(0, item.find_first_not_of(' '));
    if (!item.empty() && item != "*") {
      size_t equals = item.find('=');
      std::string declaration = item.substr(0, equals);
      size_t space = declaration.rfind(' ');
      Parameter parameter{declaration.substr(space + 1), {}};
      if (equals != std::string::npos)
        parameter.defaultValue =
            parseDefault(declaration, item.substr(equals + 1));
      result.push_back(std::move(parameter));
    }
    item.clear();
    if (c == ')')
      break;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

using TensorMap = std::map<std::string, Tensor>;

namespace {
struct ToValue {
  const TensorMap &tensors;

  OpValue tensor(const std::string &name) const {
    auto it = tensors.find(name);
    return it == tensors.end() ? OpValue() : OpValue(it->second);
  }
  OpValue operator()(const NoneArg &) const { return {}; }
  OpValue operator()(const TensorArg &arg) const { return tensor(arg.name); }
  OpValue operator()(const TensorsArg &arg) const { return names(arg.names); }
  OpValue operator()(const OptionalTensorsArg &arg) const {
    return names(arg.names);
  }
  OpValue names(const std::vector<std::string> &names) const {
    OpValue::List list;
    for (const std::string &name : names)
      list.push_back(tensor(name));
    return list;
  }
  OpValue operator()(int64_t value) const { return value; }
  OpValue operator()(double value) const { return value; }
  OpValue operator()(bool value) const { return value; }
  OpValue operator()(const std::complex<double> &value) const { return value; }
  OpValue operator()(const std::string &value) const { return value; }
  OpValue operator()(DType value) const { return value; }
  OpValue operator()(const SymIntArg &arg) const { return arg.value; }
  OpValue operator()(const SymFloatArg &arg) const { return arg.value; }
  OpValue operator()(const SymBoolArg &arg) const { return arg.value; }
  OpValue operator()(MemoryFormat format) const {
    return std::string(memoryFormatName(format));
  }
  OpValue operator()(Layout) const { return std::string("strided"); }
  OpValue operator()(const archive::Device &device) const { return device.type; }
  template <typename T> OpValue operator()(const std::vector<T> &values) const {
    OpValue::List list;
    for (const T &value : values)
      list.push_back((*this)(value));
    return list;
  }
  OpValue operator()(const std::vector<bool> &values) const {
    OpValue::List list;
    for (bool value : values)
      list.push_back(OpValue(value));
    return list;
  }
  template <typename T> OpValue operator()(const T &) const {
    return std::string("an argument of another kind");
  }
};
} // namespace

static Tensor makeInput(const CaseTensor &input) {
  size_t bytes = input.storage.size();
  auto storage = Storage::allocate(std::max<size_t>(bytes, 1));
  std::memcpy((*storage)->data(), input.storage.data(), bytes);
  auto view = Tensor::view(*storage, input.dtype, input.sizes, input.strides,
                           input.storageOffset);
  return view ? *view : Tensor();
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(mantissa, -24)
                                 : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -value : value;
}

/// Element `i` of dense bytes, as a double (of real types).
static double elementAt(DType dtype, const uint8_t *bytes, size_t i) {
  auto read = [&](auto zero) {
    std::memcpy(&zero, bytes + i * sizeof(zero), sizeof(zero));
    return zero;
  };
  switch (dtype) {
  case DType::F64:
    return read(0.0);
  case DType::F32:
    return double(read(0.0f));
  case DType::F16:
    return halfToDouble(read(uint16_t(0)));
  case DType::BF16: {
    uint32_t wide = uint32_t(read(uint16_t(0))) << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return double(value);
  }
  default:
    return NAN;
  }
}

static std::string compareFloats(DType dtype, const uint8_t *got,
                                 const uint8_t *want, size_t count,
                                 double rtol, double atol) {
  for (size_t i = 0; i < count; ++i) {
    double g = elementAt(dtype, got, i), w = elementAt(dtype, want, i);
    bool close = g == w || (std::isnan(g) && std::isnan(w)) ||
                 (std::isfinite(g) && std::isfinite(w) &&
                  std::fabs(g - w) <= atol + rtol * std::fabs(w));
    if (close)
      continue;
    std::ostringstream text;
    text.precision(9);
    text << "element " << i << " is " << g << ", expected " << w
         << " (rtol " << rtol << ", atol " << atol << ")";
    return text.str();
  }
  return "";
}

static std::string compareDense(const Tensor &got, const CaseResult &want,
                                double rtol, double atol) {
  if (got.dtype() != want.dtype || got.sizes() != want.sizes) {
    std::string sizes;
    for (int64_t size : want.sizes)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    return "result is " + got.typeString() + ", expected " +
           std::string(dtypeName(want.dtype)) + "[" + sizes + "]";
  }
  if (want.kind == CaseResult::Kind::Meta)
    return "";
  Tensor dense = *got.contiguous();
  size_t count = size_t(got.numel());
  if (isFloat(got.dtype()) && itemSize(got.dtype()) > 1)
    return compareFloats(got.dtype(), dense.data(), want.bytes.data(), count,
                         rtol, atol);
  if (got.dtype() == DType::C64 || got.dtype() == DType::C128)
    return compareFloats(
        got.dtype() == DType::C64 ? DType::F32 : DType::F64, dense.data(),
        want.bytes.data(), 2 * count, rtol, atol);
  if (std::memcmp(dense.data(), want.bytes.data(),
                  count * itemSize(got.dtype())) == 0)
    return "";
  if (!isInteger(got.dtype()))
    return "elements differ";
  size_t size = itemSize(got.dtype());
  for (size_t i = 0; i < count; ++i) {
    int64_t g = 0, w = 0;
    std::memcpy(&g, dense.data() + i * size, size);
    std::memcpy(&w, want.bytes.data() + i * size, size);
    if (g != w)
      return "element " + std::to_string(i) + " is " + std::to_string(g) +
             ", expected " + std::to_string(w) + " (as bits)";
  }
  return "elements differ";
}

static double asDouble(const SymValue &value) {
  return std::visit([](auto v) { return double(v); }, value);
}

static std::string compareNumber(const OpValue &got, const SymValue &want) {
  double wanted = asDouble(want), found;
  if (const auto *flag = std::get_if<bool>(&got.value))
    found = *flag;
  else if (const auto *integer = std::get_if<int64_t>(&got.value))
    found = double(*integer);
  else if (const auto *real = std::get_if<double>(&got.value))
    found = *real;
  else
    return "result is no number";
  bool sameKind = want.index() == got.value.index() - 2;
  if (sameKind &&
      (found == wanted || (std::isnan(found) && std::isnan(wanted))))
    return "";
  return "number is " + std::to_string(found) + ", expected " +
         std::to_string(wanted) + (sameKind ? "" : " of another kind");
}

static std::string compareStatistics(const Tensor &got,
                                     const CaseStatistics &want) {
  Tensor dense = *got.contiguous();
  double sum = 0;
  std::vector<double> values;
  for (int64_t i = 0; i < got.numel(); ++i) {
    double value;
    if (isFloat(got.dtype())) {
      value = elementAt(got.dtype(), dense.data(), size_t(i));
    } else {
      int64_t bits = 0;
      size_t size = itemSize(got.dtype());
      std::memcpy(&bits, dense.data() + size_t(i) * size, size);
      int shift = 64 - 8 * int(size);
      value = double(bits << shift >> shift);
    }
    values.push_back(value);
    sum += value;
    if ((want.min && value < *want.min) || (want.max && value > *want.max) ||
        (want.isInteger && value != std::floor(value)))
      return "random element " + std::to_string(value) + " is out of range";
    double eps = got.dtype() == DType::F64   ? 1e-15
                 : got.dtype() == DType::F32 ? 1e-7
                                             : 4e-3;
    auto allowed = [&](double wanted) {
      return std::fabs(value - wanted) <= eps * std::fabs(wanted);
    };
    if (!want.values.empty() &&
        std::none_of(want.values.begin(), want.values.end(), allowed))
      return "random element " + std::to_string(value) + " is not allowed";
  }
  if (want.isPermutation) {
    std::sort(values.begin(), values.end());
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != double(i))
        return "result is no permutation";
  }
  double mean = sum / double(std::max<int64_t>(got.numel(), 1));
  if (want.mean && got.numel() >= 400 &&
      std::fabs(mean - *want.mean) > want.meanTolerance)
    return "mean is " + std::to_string(mean) + ", expected " +
           std::to_string(*want.mean);
  return "";
}

//===----------------------------------------------------------------------===//
// A case
//===----------------------------------------------------------------------===//

static std::string compareResult(const OpValue &got, const CaseResult &want,
                                 const OpCase &opCase,
                                 const TensorMap &inputs) {
  bool none = got.isNone() ||
              (got.isTensor() && !std::get<Tensor>(got.value).defined());
  switch (want.kind) {
  case CaseResult::Kind::None:
    return none ? "" : "expected no result";
  case CaseResult::Kind::Number:
    return compareNumber(got, want.number);
  default:
    break;
  }
  if (none || !got.isTensor())
    return "expected a tensor";
  const Tensor &tensor = std::get<Tensor>(got.value);
  bool own = want.rtol != 0 || want.atol != 0;
  std::string text =
      compareDense(tensor, want, own ? want.rtol : opCase.rtol,
                   own ? want.atol : opCase.atol);
  if (!text.empty() || want.aliasOf.empty())
    return text;
  auto base = inputs.find(want.aliasOf);
  if (tensor.numel() == 0 || base == inputs.end())
    return "";
  // PyTorch's lazy conjugates and negations are computed at once here, and a
  // tensor that outgrows its storage gets another one
  const std::string &target = opCase.node.target;
  bool lazy = target.find("._conj.") != std::string::npos ||
              target.find("._neg_view.") != std::string::npos;
  size_t needed = (size_t(want.storageOffset) + size_t(tensor.numel())) *
                  itemSize(tensor.dtype());
  bool grew = target.find(".resize_.") != std::string::npos &&
              needed > base->second.storage()->bytes();
  if (lazy || grew)
    return "";
  if (tensor.storage() != base->second.storage())
    return "result does not share the storage of " + want.aliasOf;
  for (size_t d = 0; d < want.sizes.size(); ++d)
    if (want.sizes[d] > 1 && want.strides[d] != tensor.strides()[d])
      return "stride " + std::to_string(d) + " is " +
             std::to_string(tensor.strides()[d]) + ", expected " +
             std::to_string(want.strides[d]);
  if (want.storageOffset != tensor.storageOffset())
    return "storage offset is " + std::to_string(tensor.storageOffset()) +
           ", expected " + std::to_string(want.storageOffset);
  return "";
}

/// PyTorch computes some gradients that `output_mask` did not ask for.
static bool isAskedFor(const OpCase &opCase, size_t result) {
  const Argument *mask = opCase.node.find("output_mask");
  const auto *flags = mask ? mask->as<std::vector<bool>>() : nullptr;
  return !flags || result >= flags->size() || (*flags)[result];
}

std::string test::runCase(OpFunction function,
                          const std::vector<Parameter> &parameters,
                          const OpCase &opCase) {
  TensorMap inputs;
  for (const CaseTensor &tensor : opCase.tensors)
    inputs.emplace(tensor.name, makeInput(tensor));
  OpArguments arguments;
  for (const Parameter &parameter : parameters) {
    const Argument *argument = opCase.node.find(parameter.name);
    arguments.push_back(argument
                            ? std::visit(ToValue{inputs}, argument->value)
                            : parameter.defaultValue);
  }
  auto results = function(arguments);
  if (!opCase.error.empty())
    return results ? "accepted, expected a refusal: " + opCase.message : "";
  if (!results)
    return "refused: " + results.error().message;
  if (results->size() != opCase.expected.size())
    return "gave " + std::to_string(results->size()) + " results, expected " +
           std::to_string(opCase.expected.size());
  for (size_t i = 0; i < results->size(); ++i) {
    if (!isAskedFor(opCase, i))
      continue;
    std::string text =
        compareResult((*results)[i], opCase.expected[i], opCase, inputs);
    if (!text.empty())
      return "result " + std::to_string(i) + ": " + text;
  }
  for (const NamedResult &mutated : opCase.mutated) {
    // in-place views and resizes return the changed handle
    Tensor after = inputs.at(mutated.name);
    if (!results->empty() && results->front().isTensor()) {
      const Tensor &result = std::get<Tensor>(results->front().value);
      if (result.storage() == after.storage() ||
          after.sizes() != mutated.result.sizes)
        after = result;
    }
    std::string text =
        compareDense(after, mutated.result, opCase.rtol, opCase.atol);
    if (!text.empty())
      return "input " + mutated.name + " afterwards: " + text;
  }
  for (const CaseTensor &tensor : opCase.tensors) {
    const auto &storage = inputs.at(tensor.name).storage();
    if (auto byte = tensor.findChangeOutside(
            ByteView(storage->data(), storage->bytes())))
      return "input " + tensor.name + ": byte " + std::to_string(*byte) +
             " outside of the view has changed";
  }
  if (opCase.statistics) {
    size_t output = opCase.statistics->output;
    if (output < results->size() && (*results)[output].isTensor())
      return compareStatistics(std::get<Tensor>((*results)[output].value),
                               *opCase.statistics);
  }
  return "";
}
