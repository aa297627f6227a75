//===- Programs.cpp - Sessions of programs that are made here -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "RandomGraph.h"

using namespace kiln;
using runtime::OpValue;
using runtime::Tensor;

Result<std::unique_ptr<session::Session>>
chaos::openProgram(const std::string &text, const CompileOptions &wanted,
                   unsigned threads, const std::string &root) {
  session::SessionOptions options;
  static_cast<CompileOptions &>(options) = wanted;
  options.threads = threads;
  options.isolated = false;
  options.cache = cache::readCacheConfig(root.empty() ? "/nowhere" : root);
  if (root.empty())
    options.cache.root.clear();
  auto source = archive::Source::read(SharedBytes::own(text), "graph");
  if (!source)
    return source.takeError();
  return session::Session::open(std::move(*source), options);
}

Result<Tensor> chaos::makeInput(const std::vector<int64_t> &sizes,
                                uint64_t seed, DType dtype) {
  auto tensor = Tensor::empty(dtype, sizes);
  if (!tensor)
    return tensor;
  std::vector<float> numbers = makeNumbers(seed, tensor->numel());
  if (dtype == DType::F64)
    std::copy(numbers.begin(), numbers.end(), tensor->dataAs<double>());
  else
    std::copy(numbers.begin(), numbers.end(), tensor->dataAs<float>());
  return tensor;
}

Result<std::vector<OpValue>>
chaos::callProgram(session::Session &session, bool training,
                   const std::vector<OpValue> &inputs) {
  if (!training)
    return session.call(inputs);
  auto made = session.callTraining(inputs, {});
  if (!made)
    return made.takeError();
  std::vector<OpValue> results = std::move(made->outputs);
  for (OpValue &gradient : made->gradients)
    results.push_back(std::move(gradient));
  return results;
}

Result<Tensor> chaos::makeDense(const Tensor &tensor) {
  auto dense = Tensor::empty(tensor.dtype(), tensor.sizes());
  if (!dense)
    return dense;
  if (Status s = runtime::copyElements(tensor, *dense); !s)
    return s.takeError();
  return dense;
}
