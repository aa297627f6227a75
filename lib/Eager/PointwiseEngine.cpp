//===- PointwiseEngine.cpp ------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointwiseEngine.h"
#include "TypePromotion.h"

#include <algorithm>
#include <tuple>

using namespace kiln;
using namespace kiln::eager;

static constexpr int64_t kChunk = 512;

std::vector<OpValue> detail::firstOperands(const Args &args, size_t count) {
  std::vector<OpValue> operands;
  for (size_t i = 0; i < count; ++i) {
    const OpValue &value = args[i];
    if (value.isNumber())
      operands.push_back(value);
    else
      operands.push_back(args.tensor(i));
  }
  return operands;
}

static unsigned categoryOf(DType dtype) {
  if (dtype == DType::Bool)
    return kBool;
  if (isInteger(dtype))
    return kInteger;
  if (isComplex(dtype))
    return kComplex;
  return itemSize(dtype) == 1 ? kSmallFloat : kFloat;
}

/// The type to compute in, and the one to store.
static std::pair<DType, DType>
resultTypes(const PointwiseTraits &traits,
            const std::vector<OpValue> &operands) {
  DType common;
  if (traits.kind == Kind::KeepFirst) {
    require(operands[0].isTensor(), {"expected a tensor as first operand"});
    common = std::get<Tensor>(operands[0].value).dtype();
  } else {
    Promotion promotion;
    for (size_t i = 0; i < operands.size(); ++i)
      if (traits.promoting >> i & 1)
        promotion.add(operands[i]);
    common = promotion.result();
    if (traits.kind == Kind::IntToFloat && isBoolOrInteger(common))
      common = DType::F32;
  }
  require(traits.accepts & categoryOf(common), {"not defined for ", common});
  return {common, traits.kind == Kind::AlwaysBool ? DType::Bool : common};
}

namespace {
/// An operand ready to be walked.
struct Source {
  Tensor tensor;
  /// Values pass through the common type before the computation.
  bool rounds;
};
} // namespace

template <typename T>
static void run(Chunk chunk, const std::vector<Source> &sources,
                const Tensor &result, DType common) {
  std::vector<Ints> strides;
  for (const Source &source : sources)
    strides.push_back(source.tensor.strides());
  strides.push_back(result.strides());
  StridedWalk walk(result.sizes(), strides);

  size_t n = sources.size();
  std::vector<T> buffer((n + 1) * kChunk);
  std::vector<uint8_t> scratch(kChunk * itemSize(common));
  const void *operands[StridedWalk::kMaxOperands];
  for (size_t k = 0; k < n; ++k)
    operands[k] = buffer.data() + k * kChunk;
  T *out = buffer.data() + n * kChunk;

  walk.forEachRun([&](const int64_t *offsets) {
    for (int64_t begin = 0; begin < walk.runLength(); begin += kChunk) {
      int64_t count = std::min(kChunk, walk.runLength() - begin);
      for (size_t k = 0; k < n; ++k) {
        const Tensor &tensor = sources[k].tensor;
        int64_t offset = offsets[k] + begin * walk.runStride(k);
        T *in = buffer.data() + k * kChunk;
        loadElements(tensor.dtype(),
                     tensor.data() + offset * int64_t(itemSize(tensor.dtype())),
                     walk.runStride(k), count, in);
        if (sources[k].rounds) {
          storeElements(common, scratch.data(), 1, count, in);
          loadElements(common, scratch.data(), 1, count, in);
        }
      }
      chunk(operands, out, count);
      int64_t offset = offsets[n] + begin * walk.runStride(n);
      storeElements(result.dtype(),
                    result.data() + offset * int64_t(itemSize(result.dtype())),
                    walk.runStride(n), count, out);
    }
  });
}

Tensor eager::evaluate(const PointwiseOperator &op,
                       const std::vector<OpValue> &operands) {
  DType common, stored;
  std::tie(common, stored) = resultTypes(op.traits, operands);
  Ints sizes;
  std::vector<Source> sources;
  for (size_t i = 0; i < operands.size(); ++i) {
    bool number = !operands[i].isTensor();
    Tensor tensor = number ? numberTensor(operands[i])
                           : std::get<Tensor>(operands[i].value);
    require(number || !isComplex(tensor.dtype()) || isComplex(common),
            {"expected a real operand, found ", tensor});
    sizes = broadcastSizes(sizes, tensor.sizes());
    bool promotes = op.traits.promoting >> i & 1;
    bool weak = number || tensor.rank() == 0;
    bool rounds = tensor.dtype() != common && promotes &&
                  (isBoolOrInteger(common) || !weak || op.traits.roundsWeak);
    sources.push_back({tensor, rounds});
  }
  for (Source &source : sources)
    source.tensor = expandTo(source.tensor, sizes);
  Tensor result = empty(stored, sizes);
  DType computed = categoryOf(common) == kSmallFloat ? DType::F32 : common;
  ComputeType type = computeType(computed);
  Chunk chunk = op.chunks[size_t(type)];
  require(chunk != nullptr, {"not defined for ", common});
  withNumber(computed, [&](auto zero) {
    run<decltype(zero)>(chunk, sources, result, common);
  });
  return result;
}
