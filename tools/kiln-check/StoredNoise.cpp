//===- StoredNoise.cpp - Stored gradients that are not the function's -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where PyTorch's formula for a gradient is 0 / 0, as that of a QR factorization
// of a matrix without full rank, it stores what rounding left of the zeros, and no
// other order of operations gives that again. Such a gradient is told by the
// function itself: in f64, on backend eager, its slopes to both sides are the
// same, so that it has a gradient, and the stored one does not have that slope.
// At a kink, where PyTorch's choice counts, they are not the same.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "common/Calls.h"
#include "common/Values.h"

#include "kiln/Runtime/Element.h"

#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::check;
using archive::CaseResult;
using archive::CaseTensor;
using archive::OpCase;
using runtime::OpValue;
using runtime::Tensor;

/// The elements of a real tensor in row-major order.
static Result<std::vector<double>> readElements(const Tensor &tensor) {
  auto dense = tensor.contiguous();
  if (!dense)
    return dense.takeError();
  std::vector<double> elements;
  size_t size = itemSize(dense->dtype());
  for (int64_t i = 0; i < dense->numel(); ++i) {
    OpValue value = runtime::loadElement(dense->dtype(),
                                         dense->data() + size_t(i) * size);
    const auto *real = std::get_if<double>(&value.value);
    if (!real)
      return Error::usage("expected floats");
    elements.push_back(*real);
  }
  return elements;
}

static Result<Tensor> makeTensor(const std::vector<int64_t> &sizes,
                                 const std::vector<double> &elements) {
  return tools::copyOf(
      DType::F64, sizes,
      ByteView(reinterpret_cast<const uint8_t *>(elements.data()),
               elements.size() * sizeof(double)));
}

namespace {
/// A case as a function of one number: how far its inputs are moved.
class Line {
public:
  static Result<Line> make(const OpCase &opCase, const Config &config);
  /// The sum of results times tangents.
  Result<double> operator()(double step);
  /// The slope by the stored gradients, and the sum of its terms' magnitudes.
  Result<std::pair<double, double>> getStoredSlope() const;

private:
  struct Input {
    Tensor tensor; ///< as the case has it, if it is not moved
    std::vector<double> elements, direction;
  };
  OpCase case_;
  std::vector<Input> inputs_;
  std::vector<std::vector<double>> tangents_; ///< empty where there is none
  std::unique_ptr<session::Session> session_;
};
} // namespace

Result<Line> Line::make(const OpCase &opCase, const Config &config) {
  Line line;
  line.case_ = opCase;
  line.case_.expected.clear(); // the results' types are those of f64 inputs
  uint32_t random = 1;
  for (CaseTensor &tensor : line.case_.tensors) {
    auto value = makeInput(tensor);
    if (!value)
      return value.takeError();
    Input input{*value, {}, {}};
    if (isFloat(tensor.dtype)) {
      auto elements = readElements(*value);
      if (!elements)
        return elements.takeError();
      double largest = 0;
      for (double element : *elements)
        largest = std::max(largest, std::fabs(element));
      for (size_t i = 0; i < elements->size(); ++i) {
        random = random * 1664525 + 1013904223; // Numerical Recipes' generator
        input.direction.push_back(largest * (double(random >> 8) / (1 << 23) - 1));
      }
      input.elements = std::move(*elements);
      auto dense = makeTensor(tensor.sizes, input.elements);
      if (!dense)
        return dense.takeError();
      tensor.dtype = DType::F64;
      tensor.strides = dense->strides();
      tensor.storageOffset = 0;
    }
    line.inputs_.push_back(std::move(input));
  }
  for (const CaseResult &tangent : opCase.gradients->tangents) {
    std::vector<double> elements;
    if (tangent.kind == CaseResult::Kind::Tensor) {
      auto tensor =
          tools::copyOf(tangent.dtype, tangent.sizes, tangent.bytes.view());
      auto read = tensor ? readElements(*tensor)
                         : Result<std::vector<double>>(tensor.takeError());
      if (!read)
        return read.takeError();
      elements = std::move(*read);
    }
    line.tangents_.push_back(std::move(elements));
  }
  Config eager = config;
  eager.compile.backend = Backend::Eager;
  eager.dynamic = false;
  auto session = session::Session::open(
      archive::Source::of(line.case_.makeProgram()),
      sessionOptions(eager, /*training=*/false));
  if (!session)
    return session.takeError();
  line.session_ = std::move(*session);
  return line;
}

Result<double> Line::operator()(double step) {
  std::vector<OpValue> inputs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input &input = inputs_[i];
    std::vector<double> moved = input.elements;
    for (size_t k = 0; k < moved.size(); ++k)
      moved[k] += step * input.direction[k];
    auto tensor = input.direction.empty()
                      ? Result<Tensor>(input.tensor)
                      : makeTensor(case_.tensors[i].sizes, moved);
    if (!tensor)
      return tensor.takeError();
    inputs.emplace_back(std::move(*tensor));
  }
  auto result = tools::runCall(*session_, inputs, false, nullptr);
  if (!result)
    return result.takeError();
  double sum = 0;
  size_t next = 0;
  for (const tools::CallOutput &output : result->outputs) {
    if (output.role != package::Output::Role::UserOutput)
      continue;
    size_t i = next++;
    const auto *tensor = std::get_if<Tensor>(&output.value.value);
    if (i >= tangents_.size() || tangents_[i].empty() || !tensor)
      continue;
    auto elements = readElements(*tensor);
    if (!elements)
      return elements.takeError();
    if (elements->size() != tangents_[i].size())
      return Error::usage("a result has other sizes in f64");
    for (size_t k = 0; k < elements->size(); ++k)
      sum += (*elements)[k] * tangents_[i][k];
  }
  return sum;
}

Result<std::pair<double, double>> Line::getStoredSlope() const {
  double slope = 0, size = 0;
  for (const archive::NamedResult &stored : case_.gradients->inputs) {
    if (stored.result.kind != CaseResult::Kind::Tensor)
      continue;
    auto tensor = tools::copyOf(stored.result.dtype, stored.result.sizes,
                                stored.result.bytes.view());
    auto elements = tensor ? readElements(*tensor)
                           : Result<std::vector<double>>(tensor.takeError());
    if (!elements)
      return elements.takeError();
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (case_.tensors[i].name == stored.name)
        for (size_t k = 0; k < elements->size(); ++k) {
          double term = (*elements)[k] * inputs_[i].direction[k];
          slope += term;
          size += std::fabs(term);
        }
  }
  return std::make_pair(slope, size);
}

std::string check::describeNoise(const OpCase &opCase, const Config &config) {
  auto line = Line::make(opCase, config);
  auto stored = line ? line->getStoredSlope()
                     : Result<std::pair<double, double>>(line.takeError());
  if (!stored)
    return "";
  // A step at which curvature and rounding are far below the bounds that follow.
  double step = std::ldexp(1, -20);
  auto above = (*line)(step), here = (*line)(0), below = (*line)(-step);
  if (!above || !here || !below)
    return "";
  double right = (*above - *here) / step, left = (*here - *below) / step;
  double size = std::max(stored->second, std::fabs(right));
  bool isSmooth = std::fabs(right - left) <= 1e-4 * size; // false for NaN
  if (!isSmooth || std::fabs(right - stored->first) <= 0.05 * size)
    return "";
  return "the stored gradient is not the function's, which has a slope of " +
         tools::describe(OpValue(right)) + " where that has " +
         tools::describe(OpValue(stored->first));
}
