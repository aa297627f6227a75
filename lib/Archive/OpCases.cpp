//===- OpCases.cpp - Operator case packs ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/OpCases.h"

#include "GraphReader.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Base/FileSystem.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

using namespace kiln;
using namespace kiln::archive;

namespace {

class PackReader {
public:
  explicit PackReader(SharedBytes data) : data_(std::move(data)) {}

  OpCase read(JsonView view);

private:
  CaseTensor tensor(const std::string &name, JsonView view);
  CaseResult result(JsonView view, double rtol, double atol);
  CaseGradients gradients(JsonView view);
  CaseStatistics statistics(JsonView view);
  SharedBytes region(JsonView view, uint64_t expected);

  SharedBytes data_;
  GraphReader reader_;
};

} // namespace

/// The bytes that an entry's `offset` and `nbytes` name.
SharedBytes PackReader::region(JsonView view, uint64_t expected) {
  uint64_t offset = static_cast<uint64_t>(view.field("offset").asInt(0));
  uint64_t bytes = static_cast<uint64_t>(view.field("nbytes").asInt(0));
  if (!view.ok())
    return {};
  if (bytes != expected || !data_.view().contains(offset, bytes)) {
    view.fail("values of " + std::to_string(bytes) + " bytes at byte " +
              std::to_string(offset) + ", expected " +
              std::to_string(expected) + " within " +
              std::to_string(data_.size()));
    return {};
  }
  return data_.slice(offset, bytes);
}

CaseTensor PackReader::tensor(const std::string &name, JsonView view) {
  CaseTensor tensor;
  tensor.name = name;
  tensor.dtype = reader_.dtype(view.field("dtype"));
  tensor.sizes = view.field("sizes").asInts(0, kMaxDimSize);
  tensor.strides = view.field("strides").asInts(0);
  tensor.storageOffset = view.field("storage_offset").asInt(0);
  int64_t elements = view.field("storage_elems").asInt(0, kMaxTensorBytes / 16);
  if (!view.ok())
    return tensor;
  int64_t bytes = elements * static_cast<int64_t>(itemSize(tensor.dtype));
  tensor.storage = region(view, static_cast<uint64_t>(bytes));
  if (tensor.sizes.size() > kMaxRank)
    return tensor; // some cases are about refusing such a rank
  auto extent = storageExtent(tensor.dtype, tensor.sizes, tensor.strides,
                              tensor.storageOffset);
  if (!extent)
    view.fail(extent.error().message);
  else if (*extent > bytes)
    view.fail("tensor needs " + std::to_string(*extent) +
              " bytes, but its storage has " + std::to_string(bytes));
  return tensor;
}

CaseResult PackReader::result(JsonView view, double rtol, double atol) {
  CaseResult result;
  result.rtol = rtol;
  result.atol = atol;
  if (view.isNull())
    return result;
  if (JsonView own = view.optional("rtol"); !own.isNull())
    result.rtol = own.asDouble();
  if (JsonView own = view.optional("atol"); !own.isNull())
    result.atol = own.asDouble();
  result.kind = CaseResult::Kind::Number;
  if (JsonView number = view.optional("int"); !number.isNull()) {
    result.number = number.asInt();
    return result;
  }
  if (JsonView number = view.optional("float"); !number.isNull()) {
    result.number = number.asDouble();
    return result;
  }
  if (JsonView number = view.optional("bool"); !number.isNull()) {
    result.number = number.asBool();
    return result;
  }
  result.kind = CaseResult::Kind::Tensor;
  result.dtype = reader_.dtype(view.field("dtype"));
  result.sizes = view.field("sizes").asInts(0, kMaxDimSize);
  if (JsonView strides = view.optional("strides"); !strides.isNull())
    result.strides = strides.asInts();
  if (JsonView offset = view.optional("storage_offset"); !offset.isNull())
    result.storageOffset = offset.asInt(0);
  if (JsonView alias = view.optional("alias_of"); !alias.isNull())
    result.aliasOf = alias.asString();
  if (!view.ok())
    return result;
  if (JsonView check = view.optional("check"); !check.isNull()) {
    if (check.asString() != "meta")
      check.fail("expected 'meta'");
    result.kind = CaseResult::Kind::Meta;
    return result;
  }
  auto bytes = byteCount(result.dtype, result.sizes);
  if (!bytes)
    view.fail(bytes.error().message);
  else
    result.bytes = region(view, static_cast<uint64_t>(*bytes));
  return result;
}

/// An f64 gradient that comes through f32 results is no more exact than these:
/// what f32 inputs are allowed, 32 units and half a unit of the largest element.
static void relaxBehindResults(CaseResult &gradient,
                               const std::vector<CaseResult> &tangents) {
  bool isBehind = gradient.dtype == DType::F64 && gradient.rtol != 0;
  for (const CaseResult &tangent : tangents)
    isBehind &= tangent.kind == CaseResult::Kind::None ||
                tangent.dtype == DType::F32;
  if (!isBehind)
    return;
  double largest = 0;
  for (size_t i = 0; i + 8 <= gradient.bytes.size(); i += 8) {
    double element;
    std::memcpy(&element, gradient.bytes.data() + i, 8);
    if (std::isfinite(element))
      largest = std::max(largest, std::fabs(element));
  }
  gradient.rtol = std::max(gradient.rtol, std::ldexp(32, -23));
  gradient.atol = std::max(gradient.atol, std::ldexp(largest, -24));
}

CaseGradients PackReader::gradients(JsonView view) {
  CaseGradients gradients;
  double rtol = view.field("rtol").asDouble();
  double atol = view.field("atol").asDouble();
  JsonView tangents = view.field("tangents");
  for (size_t i = 0; tangents.isArray() && i < tangents.size(); ++i)
    gradients.tangents.push_back(result(tangents[i], 0, 0));
  JsonView inputs = view.field("input_grads");
  for (size_t i = 0; inputs.isObject() && i < inputs.size(); ++i)
    gradients.inputs.push_back(
        {inputs.key(i), result(inputs.member(i), rtol, atol)});
  for (NamedResult &input : gradients.inputs)
    relaxBehindResults(input.result, gradients.tangents);
  return gradients;
}

CaseStatistics PackReader::statistics(JsonView view) {
  CaseStatistics stat;
  stat.output = static_cast<size_t>(view.field("output").asInt(0, 1000));
  if (JsonView min = view.optional("min"); !min.isNull())
    stat.min = min.asDouble();
  if (JsonView max = view.optional("max"); !max.isNull())
    stat.max = max.asDouble();
  if (JsonView integer = view.optional("integer"); !integer.isNull())
    stat.isInteger = integer.asBool();
  if (JsonView permutation = view.optional("permutation");
      !permutation.isNull())
    stat.isPermutation = permutation.asBool();
  if (JsonView values = view.optional("values"); values.isArray())
    for (size_t i = 0; i < values.size(); ++i)
      stat.values.push_back(values[i].asDouble());
  if (JsonView mean = view.optional("mean"); !mean.isNull()) {
    stat.mean = mean.asDouble();
    stat.meanTolerance = view.field("mean_tol").asDouble();
  }
  return stat;
}

/// What a float `out` is given is computed in the common type of the operands,
/// and no more exact than that when `out` is wider: as many of its units are
/// allowed as where the result has that type (16, or 2 of a 16-bit one).
static double toleranceOfOperands(const OpCase &test) {
  const Argument *out = test.node.find("out");
  const auto *target = out ? out->as<TensorArg>() : nullptr;
  if (!target || test.rtol == 0)
    return 0;
  double tolerance = 0;
  for (const CaseTensor &tensor : test.tensors) {
    if (tensor.name == target->name || !isFloat(tensor.dtype))
      continue;
    double own = tensor.dtype == DType::F32    ? std::ldexp(16, -23)
                 : tensor.dtype == DType::F16  ? std::ldexp(2, -10)
                 : tensor.dtype == DType::BF16 ? std::ldexp(2, -7)
                                               : test.rtol;
    tolerance = tolerance == 0 ? own : std::min(tolerance, own);
  }
  return tolerance;
}

OpCase PackReader::read(JsonView view) {
  OpCase test;
  test.id = view.field("id").asString();
  test.node = reader_.node(view.field("node"));
  JsonView tensors = view.field("tensors");
  for (size_t i = 0; tensors.isObject() && i < tensors.size(); ++i)
    test.tensors.push_back(tensor(tensors.key(i), tensors.member(i)));
  test.tags = view.field("tags").asStrings();
  if (JsonView error = view.optional("error"); !error.isNull()) {
    test.error = error.asString();
    test.message = view.field("message").asString();
    return test;
  }
  test.rtol = view.field("rtol").asDouble();
  test.atol = view.field("atol").asDouble();
  test.rtol = std::max(test.rtol, toleranceOfOperands(test));
  JsonView expected = view.field("expected");
  for (size_t i = 0; expected.isArray() && i < expected.size(); ++i)
    test.expected.push_back(result(expected[i], test.rtol, test.atol));
  if (JsonView mutated = view.optional("mutated"); mutated.isObject())
    for (size_t i = 0; i < mutated.size(); ++i)
      test.mutated.push_back(
          {mutated.key(i), result(mutated.member(i), test.rtol, test.atol)});
  if (JsonView grad = view.optional("grad"); grad.isObject())
    test.gradients = gradients(grad);
  if (JsonView random = view.optional("random"); !random.isNull())
    test.isRandom = random.asBool();
  if (JsonView stat = view.optional("stat"); stat.isObject())
    test.statistics = statistics(stat);
  return test;
}

Result<OpPack> archive::loadOpPack(const std::string &path) {
  constexpr uint64_t limit = uint64_t(1) << 28;
  auto bytes = readFile(path, limit);
  if (!bytes)
    return bytes.takeError();
  auto document = parseJson(ByteView(*bytes).text(), "'" + path + "'");
  if (!document)
    return document.takeError();
  constexpr std::string_view suffix = ".json";
  if (path.size() <= suffix.size() ||
      path.compare(path.size() - suffix.size(), suffix.size(), suffix) != 0)
    return Error::usage("'" + path + "' is not the .json of a case pack");
  auto data = mapFile(path.substr(0, path.size() - suffix.size()) + ".bin");
  if (!data)
    return data.takeError();
  JsonView root = document->root();
  OpPack pack;
  pack.overload = root.field("overload").asString();
  pack.schema = root.field("schema").asString();
  PackReader reader(std::move(*data));
  JsonView cases = root.field("cases");
  if (!cases.isArray())
    cases.fail("expected an array of cases");
  for (size_t i = 0; cases.isArray() && i < cases.size() && cases.ok(); ++i)
    pack.cases.push_back(reader.read(cases[i]));
  if (auto status = document->status(); !status)
    return status.takeError();
  return pack;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Calls `visit(element, index)` with the place of each element of a view.
template <typename F>
static void forEachElement(const std::vector<int64_t> &sizes,
                           const std::vector<int64_t> &strides, int64_t offset,
                           F visit) {
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  for (int64_t i = 0; i < total; ++i) {
    int64_t element = offset;
    for (size_t d = 0; d < index.size(); ++d)
      element += index[d] * strides[d];
    visit(static_cast<size_t>(element), index);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
}

std::optional<size_t> CaseTensor::findChangeOutside(ByteView after) const {
  if (after.size() < storage.size())
    return std::nullopt;
  std::vector<bool> inside(storage.size(), false);
  size_t size = itemSize(dtype);
  forEachElement(sizes, strides, storageOffset,
                 [&](size_t element, const std::vector<int64_t> &) {
                   std::fill_n(inside.begin() +
                                   static_cast<ptrdiff_t>(element * size),
                               size, true);
                 });
  for (size_t i = 0; i < inside.size(); ++i)
    if (!inside[i] && after[i] != storage.data()[i])
      return i;
  return std::nullopt;
}

CaseTensor CaseTensor::withSizes(const std::vector<int64_t> &others) const {
  CaseTensor result = *this;
  result.sizes = others;
  // From the innermost dimension outwards; one of stride 0 stays where it is.
  std::vector<size_t> order;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (strides[d] != 0)
      order.push_back(d);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(strides[a], sizes[a] != 1, a) <
           std::tuple(strides[b], sizes[b] != 1, b);
  });
  int64_t span = 1, newSpan = 1, last = storageOffset;
  for (size_t d : order) {
    int64_t gap = strides[d] % span == 0 ? strides[d] / span : 1;
    result.strides[d] = newSpan * gap;
    span = std::max<int64_t>(strides[d] * sizes[d], 1);
    newSpan = std::max<int64_t>(result.strides[d] * others[d], 1);
    last += std::max<int64_t>(others[d] - 1, 0) * result.strides[d];
  }
  size_t size = itemSize(dtype);
  // Lists of integers may have to be sorted: offsets, boundaries.
  bool isList = sizes.size() == 1 && !isFloat(dtype) && !isComplex(dtype);
  std::vector<uint8_t> bytes((static_cast<size_t>(last) + 1) * size, 0);
  forEachElement(others, result.strides, storageOffset,
                 [&](size_t element, const std::vector<int64_t> &index) {
                   int64_t from = storageOffset;
                   for (size_t d = 0; d < index.size(); ++d)
                     from += (isList ? std::min(index[d], sizes[d] - 1)
                                     : index[d] % sizes[d]) *
                             strides[d];
                   std::copy_n(storage.data() +
                                   static_cast<size_t>(from) * size,
                               size, bytes.data() + element * size);
                 });
  result.storage = SharedBytes::own(std::move(bytes));
  return result;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static TensorMeta staticMeta(DType dtype, const std::vector<int64_t> &sizes,
                             std::vector<int64_t> strides,
                             int64_t storageOffset, bool requiresGrad) {
  if (strides.size() != sizes.size()) {
    strides.assign(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;)
      strides[d - 1] = strides[d] * std::max<int64_t>(sizes[d], 1);
  }
  TensorMeta meta;
  meta.dtype = dtype;
  meta.requiresGrad = requiresGrad;
  meta.device.type = "cpu";
  for (int64_t size : sizes) {
    SymInt value;
    value.value = size;
    meta.sizes.push_back(std::move(value));
  }
  for (int64_t stride : strides) {
    SymInt value;
    value.value = stride;
    meta.strides.push_back(std::move(value));
  }
  meta.storageOffset.value = storageOffset;
  return meta;
}

/// A number that only the run knows.
static SymExprPtr unbackedSymbol(size_t index, bool isFloat) {
  SymExpr symbol;
  symbol.kind = SymKind::Symbol;
  symbol.name = (isFloat ? "zuf" : "u") + std::to_string(index);
  return std::make_shared<const SymExpr>(std::move(symbol));
}

ExportedProgram OpCase::makeProgram() const {
  ExportedProgram program;
  program.file = id;
  program.model = "model";
  program.isTrainingIR = true; // in-place overloads occur
  program.schemaMinor = 17;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const CaseTensor &tensor = tensors[i];
    bool requiresGrad = false;
    if (gradients)
      for (const NamedResult &input : gradients->inputs)
        requiresGrad |= input.name == tensor.name;
    program.graph.inputs.push_back(Argument{TensorArg{tensor.name}});
    program.graph.tensors.emplace(
        tensor.name, staticMeta(tensor.dtype, tensor.sizes, tensor.strides,
                                tensor.storageOffset, requiresGrad));
    InputSpec input;
    input.name = tensor.name;
    input.path = "[0][" + std::to_string(i) + "]";
    input.source = "L['" + tensor.name + "']";
    program.inputs.push_back(std::move(input));
  }
  program.graph.nodes.push_back(node);
  size_t result = 0, symbols = 0;
  auto addOutput = [&](Argument arg) {
    OutputSpec output;
    output.arg = arg;
    program.graph.outputs.push_back(std::move(arg));
    program.outputs.push_back(std::move(output));
  };
  auto addTensor = [&](const std::string &name) {
    const CaseResult *known =
        result < expected.size() ? &expected[result] : nullptr;
    ++result;
    if (known && known->kind != CaseResult::Kind::None)
      program.graph.tensors.emplace(
          name, staticMeta(known->dtype, known->sizes, known->strides,
                           known->storageOffset, false));
    addOutput(Argument{TensorArg{name}});
  };
  for (const Argument &output : node.outputs) {
    if (auto *tensor = output.as<TensorArg>()) {
      addTensor(tensor->name);
    } else if (auto *list = output.as<TensorsArg>()) {
      for (const std::string &name : list->names)
        addTensor(name);
    } else if (auto *i = output.as<SymIntArg>(); i && i->isName()) {
      program.graph.symInts[i->name].expr = unbackedSymbol(symbols++, false);
      addOutput(output);
      ++result;
    } else if (auto *f = output.as<SymFloatArg>(); f && f->isName()) {
      program.graph.symFloats[f->name].expr = unbackedSymbol(symbols++, true);
      addOutput(output);
      ++result;
    } else if (auto *b = output.as<SymBoolArg>(); b && b->isName()) {
      SymExpr test;
      test.kind = SymKind::Eq;
      SymExpr one;
      one.integer = 1;
      test.operands = {unbackedSymbol(symbols++, false),
                       std::make_shared<const SymExpr>(std::move(one))};
      program.graph.symBools[b->name].expr =
          std::make_shared<const SymExpr>(std::move(test));
      addOutput(output);
      ++result;
    } else {
      addOutput(output);
      ++result;
    }
  }
  for (size_t i = 0; i < program.outputs.size(); ++i)
    program.outputs[i].path =
        program.outputs.size() == 1 ? "" : "[" + std::to_string(i) + "]";
  return program;
}
