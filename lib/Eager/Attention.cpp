//===- Attention.cpp - Scaled dot product attention -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax(q k^T * scale + mask) v per head, the definition itself: one row of
// scores at a time, in the compute type.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Operators.h"
#include "Views.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::eager;

namespace {
/// Operands with all batch dimensions merged into one.
struct Attention {
  Tensor query, key, value, mask;
  Ints batch;
  int64_t heads, rows, columns, width, valueWidth;
  double scale;
  bool causal;
};
} // namespace

static Tensor mergeBatch(const Tensor &x, const Ints &batch) {
  Ints sizes = batch;
  sizes.push_back(x.size(x.rank() - 2));
  sizes.push_back(x.size(x.rank() - 1));
  return reshaped(expandTo(x, sizes),
                  {product(batch), x.size(x.rank() - 2), x.size(x.rank() - 1)});
}

static Ints batchOf(const Tensor &x) {
  require(x.rank() >= 2, {"expected at least 2 dimensions, found ", x});
  return Ints(x.sizes().begin(), x.sizes().end() - 2);
}

/// Repeats key and value heads (dimension -3) for grouped queries.
static Tensor repeatHeads(const Tensor &x, int64_t heads) {
  require(x.rank() >= 3 && x.size(x.rank() - 3) > 0 &&
              heads % x.size(x.rank() - 3) == 0,
          {"heads of ", x, " do not divide ", heads, " query heads"});
  int64_t own = x.size(x.rank() - 3), dim = x.rank() - 2;
  if (own == heads)
    return x;
  Tensor wide = unsqueezed(x, dim);
  Ints sizes = wide.sizes(), joined = x.sizes();
  sizes[dim] = heads / own;
  joined[dim - 1] = heads;
  return reshaped(expandTo(wide, sizes), joined);
}

static Attention describe(Tensor query, Tensor key, Tensor value, Tensor mask,
                          bool causal, std::optional<double> scale,
                          bool grouped) {
  requireFloat(query);
  requireSameDType(query, key);
  requireSameDType(query, value);
  require(!mask.defined() || !causal,
          {"a mask and is_causal exclude each other"});
  Attention a;
  if (grouped && query.rank() >= 3) {
    key = repeatHeads(key, query.size(query.rank() - 3));
    value = repeatHeads(value, query.size(query.rank() - 3));
  }
  a.batch = broadcastSizes(broadcastSizes(batchOf(query), batchOf(key)),
                           batchOf(value));
  a.rows = query.size(query.rank() - 2);
  a.columns = key.size(key.rank() - 2);
  a.width = query.sizes().back();
  a.valueWidth = value.sizes().back();
  require(key.sizes().back() == a.width &&
              value.size(value.rank() - 2) == a.columns,
          {"query ", query, ", key ", key, " and value ", value,
           " do not fit"});
  a.query = mergeBatch(query, a.batch);
  a.key = mergeBatch(key, a.batch);
  a.value = mergeBatch(value, a.batch);
  a.heads = product(a.batch);
  if (mask.defined()) {
    require(mask.dtype() == DType::Bool || mask.dtype() == query.dtype(),
            {"expected a mask of bool or ", query.dtype(), ", found ", mask});
    Ints sizes = a.batch;
    sizes.insert(sizes.end(), {a.rows, a.columns});
    a.mask = reshaped(expandTo(mask, sizes), {a.heads, a.rows, a.columns});
  }
  a.causal = causal;
  a.scale = scale.value_or(1 / std::sqrt(double(a.width)));
  return a;
}

/// Masked scores of one query row.
template <typename T>
static void scoreRow(const Attention &a, const T *query, const T *keys,
                     const T *mask, int64_t row, T *scores) {
  bool selects = a.mask.defined() && a.mask.dtype() == DType::Bool;
  for (int64_t c = 0; c < a.columns; ++c) {
    T dot = 0;
    for (int64_t w = 0; w < a.width; ++w)
      dot += query[w] * keys[c * a.width + w];
    scores[c] = dot * T(a.scale);
    if (mask)
      scores[c] = !selects ? scores[c] + mask[c]
                  : mask[c] != 0 ? scores[c]
                                 : T(-INFINITY);
    if (a.causal && c > row)
      scores[c] = T(-INFINITY);
  }
}

/// {output, logsumexp}. A row that is masked entirely gives zeros.
static std::pair<Tensor, Tensor> attend(const Attention &a, DType dtype) {
  Ints sizes = a.batch, sumSizes = a.batch;
  sizes.insert(sizes.end(), {a.rows, a.valueWidth});
  sumSizes.push_back(a.rows);
  return withFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    auto q = readAll<T>(a.query), k = readAll<T>(a.key),
         v = readAll<T>(a.value);
    auto mask = a.mask.defined() ? readAll<T>(a.mask) : std::vector<T>();
    std::vector<T> output(size_t(a.heads * a.rows * a.valueWidth), T(0));
    std::vector<T> sums(size_t(a.heads * a.rows), T(-INFINITY));
    std::vector<T> scores(size_t(a.columns));
    for (int64_t i = 0; i < a.heads * a.rows; ++i) {
      int64_t head = i / a.rows, row = i % a.rows;
      scoreRow(a, q.data() + i * a.width, k.data() + head * a.columns * a.width,
               mask.empty() ? nullptr : mask.data() + i * a.columns, row,
               scores.data());
      T largest = T(-INFINITY), sum = 0;
      for (T score : scores)
        largest = score > largest || score != score ? score : largest;
      if (std::isinf(largest) && largest < 0)
        continue;
      for (T &score : scores) {
        score = std::exp(score - largest);
        sum += score;
      }
      sums[i] = largest + std::log(sum);
      T *out = output.data() + i * a.valueWidth;
      for (int64_t c = 0; c < a.columns; ++c)
        for (int64_t w = 0; w < a.valueWidth; ++w)
          out[w] += scores[c] * v[(head * a.columns + c) * a.valueWidth + w];
      for (int64_t w = 0; w < a.valueWidth; ++w)
        out[w] /= sum;
    }
    DType sumDType = dtype == DType::F64 ? DType::F64 : DType::F32;
    return std::pair(makeTensor(dtype, sizes, output),
                     makeTensor(sumDType, sumSizes, sums));
  });
}

static void requireNoDropout(double p) {
  require(p >= 0 && p <= 1, {"a probability must lie between 0 and 1"});
  require(p == 0, {"dropout inside of attention is not supported, expected "
                   "probability 0"});
}

/// Schema: query, key, value, attn_mask, dropout_p, is_causal, *, scale,
/// enable_gqa.
static Values attention(const Args &args) {
  requireNoDropout(args.optNumber(4).value_or(0));
  Attention a = describe(args.tensor(0), args.tensor(1), args.tensor(2),
                         args.optTensor(3), args.flag(5), args.optNumber(6),
                         args.flag(7));
  return {attend(a, args.tensor(0).dtype()).first};
}

/// Schema: query, key, value, dropout_p, is_causal, *, attn_mask, scale.
static Values flashAttention(const Args &args) {
  requireNoDropout(args.optNumber(3).value_or(0));
  Attention a = describe(args.tensor(0), args.tensor(1), args.tensor(2),
                         args.optTensor(5), args.flag(4), args.optNumber(6),
                         false);
  auto results = attend(a, args.tensor(0).dtype());
  return {results.first, results.second};
}

/// Schema: grad_out, query, key, value, out, logsumexp, dropout_p, is_causal,
/// *, attn_mask, scale.
static Values flashAttentionBackward(const Args &args) {
  requireNoDropout(args.number(6));
  Attention a = describe(args.tensor(1), args.tensor(2), args.tensor(3),
                         args.optTensor(8), args.flag(7), args.optNumber(9),
                         false);
  DType dtype = args.tensor(1).dtype();
  DType sumDType = dtype == DType::F64 ? DType::F64 : DType::F32;
  require(args.tensor(5).dtype() == sumDType,
          {"expected sums of ", sumDType, ", found ", args.tensor(5)});
  Tensor gradient = mergeBatch(args.tensor(0), a.batch),
         output = mergeBatch(args.tensor(4), a.batch);
  require(gradient.sizes() == Ints{a.heads, a.rows, a.valueWidth} &&
              args.tensor(5).numel() == a.heads * a.rows,
          {"expected a gradient and sums that fit ", args.tensor(1)});
  return withFloat(dtype, [&](auto zero) -> Values {
    using T = decltype(zero);
    auto q = readAll<T>(a.query), k = readAll<T>(a.key),
         v = readAll<T>(a.value);
    auto g = readAll<T>(gradient), out = readAll<T>(output);
    auto mask = a.mask.defined() ? readAll<T>(a.mask) : std::vector<T>();
    auto sums = readAll<T>(args.tensor(5));
    std::vector<T> dq(q.size(), T(0)), dk(k.size(), T(0)), dv(v.size(), T(0));
    std::vector<T> scores(size_t(a.columns));
    for (int64_t i = 0; i < a.heads * a.rows; ++i) {
      int64_t head = i / a.rows, row = i % a.rows;
      scoreRow(a, q.data() + i * a.width, k.data() + head * a.columns * a.width,
               mask.empty() ? nullptr : mask.data() + i * a.columns, row,
               scores.data());
      const T *gRow = g.data() + i * a.valueWidth;
      T delta = 0;
      for (int64_t w = 0; w < a.valueWidth; ++w)
        delta += gRow[w] * out[i * a.valueWidth + w];
      for (int64_t c = 0; c < a.columns; ++c) {
        T p = std::isinf(scores[c]) ? T(0) : std::exp(scores[c] - sums[i]);
        T dp = 0;
        int64_t at = head * a.columns + c;
        for (int64_t w = 0; w < a.valueWidth; ++w) {
          dp += gRow[w] * v[at * a.valueWidth + w];
          dv[at * a.valueWidth + w] += p * gRow[w];
        }
        T ds = p * (dp - delta) * T(a.scale);
        for (int64_t w = 0; w < a.width; ++w) {
          dq[i * a.width + w] += ds * k[at * a.width + w];
          dk[at * a.width + w] += ds * q[i * a.width + w];
        }
      }
    }
    return {makeTensor(dtype, args.tensor(1).sizes(), dq),
            makeTensor(dtype, args.tensor(2).sizes(), dk),
            makeTensor(dtype, args.tensor(3).sizes(), dv)};
  });
}

void eager::addAttentionOperators(Table &table) {
  table.op<attention>("scaled_dot_product_attention.default");
  table.op<flashAttention>(
      "_scaled_dot_product_flash_attention_for_cpu.default");
  table.op<flashAttentionBackward>(
      "_scaled_dot_product_flash_attention_for_cpu_backward.default");
}
