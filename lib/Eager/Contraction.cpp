//===- Contraction.cpp - Matrix products and einsum -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "Operators.h"
#include "TypePromotion.h"
#include "Views.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

using namespace kiln;
using namespace kiln::eager;

static void requireOperands(const Tensor &a, const Tensor &b) {
  requireSameDType(a, b);
  require(a.dtype() != DType::Bool,
          {"matrix products of bool are not defined"});
}

static void requireRank(const Tensor &x, int64_t rank) {
  require(x.rank() == rank, {"expected rank ", rank, ", found ", x});
}

namespace {
/// beta * added + alpha * product; an undefined `added` adds nothing.
struct Affine {
  Tensor added;
  OpValue beta = int64_t(1), alpha = int64_t(1);
};
} // namespace

/// Of integers, the integer part of a factor counts.
template <typename T> static T factorOf(const OpValue &number) {
  if (number.isNone())
    return T(1);
  return readAll<T>(numberTensor(number))[0];
}

/// Products of [batch, m, k] and [batch, k, n], summed over the batch if asked.
static Tensor batchedProduct(const Tensor &a, const Tensor &b,
                             const Affine &affine, const Ints &resultSizes,
                             bool sumsBatch = false) {
  requireOperands(a, b);
  int64_t batch = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
  require(b.size(0) == batch && b.size(1) == k,
          {"cannot multiply ", a, " and ", b});
  return withNumber(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto x = readAll<T>(a), y = readAll<T>(b);
    std::vector<T> c(size_t((sumsBatch ? 1 : batch) * m * n), T(0));
    for (int64_t i = 0; i < batch; ++i)
      gemm(m, n, k, x.data() + i * m * k, y.data() + i * k * n,
           c.data() + (sumsBatch ? 0 : i * m * n));
    if (affine.added.defined()) {
      requireSameDType(a, affine.added);
      T alpha = factorOf<T>(affine.alpha);
      T beta = factorOf<T>(affine.beta);
      auto added = readAll<T>(expandTo(affine.added, resultSizes));
      for (size_t i = 0; i < c.size(); ++i)
        c[i] = alpha * c[i] + (beta == T(0) ? T(0) : beta * added[i]);
    }
    return makeTensor(a.dtype(), resultSizes, c);
  });
}

static Tensor matrixProduct(const Tensor &a, const Tensor &b,
                            const Affine &affine = {}) {
  requireRank(a, 2);
  requireRank(b, 2);
  return batchedProduct(unsqueezed(a, 0), unsqueezed(b, 0), affine,
                        {a.size(0), b.size(1)});
}

Tensor eager::matmulOf(const Tensor &a, const Tensor &b) {
  requireOperands(a, b);
  require(a.rank() > 0 && b.rank() > 0,
          {"expected at least one dimension, found ", a, " and ", b});
  Tensor x = a.rank() == 1 ? unsqueezed(a, 0) : a;
  Tensor y = b.rank() == 1 ? unsqueezed(b, 1) : b;
  Ints xBatch(x.sizes().begin(), x.sizes().end() - 2);
  Ints yBatch(y.sizes().begin(), y.sizes().end() - 2);
  Ints batch = broadcastSizes(xBatch, yBatch), sizes = batch;
  int64_t m = x.size(x.rank() - 2), k = x.size(x.rank() - 1);
  int64_t n = y.size(y.rank() - 1);
  require(y.size(y.rank() - 2) == k, {"cannot multiply ", a, " and ", b});
  if (a.rank() != 1)
    sizes.push_back(m);
  if (b.rank() != 1)
    sizes.push_back(n);
  if (yBatch.empty()) { // one matrix for all: a single product
    Tensor product = batchedProduct(
        reshaped(x, {1, eager::product(batch) * m, k}), unsqueezed(y, 0), {},
        {eager::product(batch) * m, n});
    return reshaped(product, sizes);
  }
  Ints xSizes = batch, ySizes = batch;
  xSizes.insert(xSizes.end(), {m, k});
  ySizes.insert(ySizes.end(), {k, n});
  int64_t count = eager::product(batch);
  return batchedProduct(reshaped(expandTo(x, xSizes), {count, m, k}),
                        reshaped(expandTo(y, ySizes), {count, k, n}), {},
                        sizes);
}

static Values mm(const Args &args) {
  return {matrixProduct(args.tensor(0), args.tensor(1))};
}
static Values addmm(const Args &args) {
  return {matrixProduct(args.tensor(1), args.tensor(2),
                        {args.tensor(0), args[3], args[4]})};
}
static Values addmv(const Args &args) {
  requireRank(args.tensor(2), 1);
  requireRank(args.tensor(1), 2);
  const Tensor &matrix = args.tensor(1);
  Tensor column = unsqueezed(args.tensor(2), 1);
  return {batchedProduct(unsqueezed(matrix, 0), unsqueezed(column, 0),
                         {args.tensor(0), args[3], args[4]},
                         {matrix.size(0)})};
}
static Values bmm(const Args &args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1);
  requireRank(a, 3);
  requireRank(b, 3);
  return {batchedProduct(a, b, {}, {a.size(0), a.size(1), b.size(2)})};
}
static Values baddbmm(const Args &args) {
  const Tensor &a = args.tensor(1), &b = args.tensor(2);
  requireRank(a, 3);
  requireRank(b, 3);
  return {batchedProduct(a, b, {args.tensor(0), args[3], args[4]},
                         {a.size(0), a.size(1), b.size(2)})};
}
static Values addbmm(const Args &args) {
  const Tensor &a = args.tensor(1), &b = args.tensor(2);
  requireRank(a, 3);
  requireRank(b, 3);
  return {batchedProduct(a, b, {args.tensor(0), args[3], args[4]},
                         {a.size(1), b.size(2)}, true)};
}
static Values mv(const Args &args) {
  requireRank(args.tensor(0), 2);
  requireRank(args.tensor(1), 1);
  return {matmulOf(args.tensor(0), args.tensor(1))};
}
static Values dot(const Args &args) {
  requireRank(args.tensor(0), 1);
  requireRank(args.tensor(1), 1);
  return {matmulOf(args.tensor(0), args.tensor(1))};
}
static Values matmul(const Args &args) {
  return {matmulOf(args.tensor(0), args.tensor(1))};
}
static Values linear(const Args &args) {
  const Tensor &x = args.tensor(0), &weight = args.tensor(1);
  Tensor bias = args.optTensor(2);
  require(x.rank() > 0 && (weight.rank() == 1 || weight.rank() == 2),
          {"expected a weight of rank 1 or 2, found ", x, " and ", weight});
  if (weight.rank() == 1) {
    require(!bias.defined() || bias.rank() == 0,
            {"expected a bias of rank 0, found ", bias});
    Tensor result = matmulOf(x, weight);
    return {bias.defined()
                ? batchedProduct(reshaped(x, {1, x.numel() / x.sizes().back(),
                                              x.sizes().back()}),
                                 reshaped(weight, {1, weight.numel(), 1}),
                                 {bias}, result.sizes())
                : result};
  }
  Ints sizes = x.sizes();
  require(sizes.back() == weight.size(1),
          {"cannot multiply ", x, " and the transpose of ", weight});
  sizes.back() = weight.size(0);
  int64_t rows = product(Ints(sizes.begin(), sizes.end() - 1));
  require(!bias.defined() || bias.rank() <= 1 || bias.sizes() == sizes,
          {"expected a bias vector, found ", bias});
  return {batchedProduct(reshaped(x, {1, rows, weight.size(1)}),
                         unsqueezed(transposed(weight, 0, 1), 0), {bias},
                         sizes)};
}
static Values outer(const Args &args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1);
  requireRank(a, 1);
  requireRank(b, 1);
  // A product element by element, which promotes, and no contraction.
  DType dtype = joinDTypes(a.dtype(), b.dtype());
  return {withNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    auto x = readAll<T>(a), y = readAll<T>(b);
    std::vector<T> c(x.size() * y.size(), T(0));
    gemm<T>(a.size(0), b.size(0), 1, x.data(), y.data(), c.data());
    return makeTensor(dtype, {a.size(0), b.size(0)}, c);
  })};
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

namespace {
/// A tensor whose dimensions have labels. Letters are their own label, the
/// dimensions of an ellipsis count up from 256.
struct Labelled {
  Tensor tensor;
  Ints labels;
};

struct Subscripts {
  std::vector<std::string> operands;
  std::string output;
  bool hasOutput;
};
} // namespace

static constexpr int64_t kEllipsis = 256;

static Subscripts parseEquation(const std::string &equation) {
  Subscripts result{{""}, "", false};
  for (size_t i = 0; i < equation.size(); ++i) {
    char c = equation[i];
    if (c == ' ')
      continue;
    std::string &current =
        result.hasOutput ? result.output : result.operands.back();
    if (c == ',' && !result.hasOutput)
      result.operands.emplace_back();
    else if (equation.compare(i, 2, "->") == 0 && !result.hasOutput) {
      result.hasOutput = true;
      ++i;
    } else if (equation.compare(i, 3, "...") == 0) {
      current += '.';
      i += 2;
    } else {
      require(std::isalpha(static_cast<unsigned char>(c)),
              {"unexpected character in the equation '", equation, "'"});
      current += c;
    }
  }
  return result;
}

static Labelled labelOperand(const Tensor &x, const std::string &subscripts,
                             int64_t ellipsisRank) {
  Labelled result{x, {}};
  int64_t letters =
      std::count_if(subscripts.begin(), subscripts.end(),
                    [](char c) { return c != '.'; });
  bool hasEllipsis = letters != int64_t(subscripts.size());
  int64_t covered = x.rank() - letters;
  require(int64_t(subscripts.size()) - letters <= 1 && covered >= 0 &&
              (hasEllipsis || covered == 0),
          {"subscripts '", subscripts, "' do not fit ", x});
  for (char c : subscripts) {
    if (c != '.') {
      result.labels.push_back(c);
      continue;
    }
    for (int64_t i = 0; i < covered; ++i)
      result.labels.push_back(kEllipsis + ellipsisRank - covered + i);
  }
  // a label that repeats takes the diagonal
  for (size_t i = 0; i < result.labels.size(); ++i) {
    for (size_t j = result.labels.size(); j-- > i + 1;) {
      if (result.labels[i] != result.labels[j])
        continue;
      require(result.tensor.size(i) == result.tensor.size(j),
              {"subscripts '", subscripts, "' repeat over sizes of ", x});
      Tensor diagonal = diagonalOf(result.tensor, 0, i, j);
      Ints order(diagonal.rank() - 1);
      std::iota(order.begin(), order.end(), 0);
      order.insert(order.begin() + i, diagonal.rank() - 1);
      result.tensor = permuted(diagonal, order);
      result.labels.erase(result.labels.begin() + j);
    }
  }
  return result;
}

/// The operand with its dimensions in the order of `labels`, size 1 where it
/// lacks one.
static Tensor arranged(const Labelled &x, const Ints &labels) {
  Ints sizes, strides;
  for (int64_t label : labels) {
    auto at = std::find(x.labels.begin(), x.labels.end(), label);
    bool has = at != x.labels.end();
    sizes.push_back(has ? x.tensor.size(at - x.labels.begin()) : 1);
    strides.push_back(has ? x.tensor.stride(at - x.labels.begin()) : 0);
  }
  return restrided(x.tensor, sizes, strides);
}

/// Contracts two operands to the labels in `keep`: batch labels are in both
/// and kept, inner ones in both and summed. Labels in one operand alone that
/// are not kept are summed by the product with ones that size 1 stands for.
static Labelled contract(const Labelled &a, const Labelled &b,
                         const Ints &keep) {
  auto has = [](const Ints &labels, int64_t label) {
    return std::count(labels.begin(), labels.end(), label) > 0;
  };
  auto sizeOf = [](const Labelled &x, int64_t label) {
    for (size_t i = 0; i < x.labels.size(); ++i)
      if (x.labels[i] == label)
        return x.tensor.size(i);
    return int64_t(1);
  };
  Ints batch, left, right, inner, all = a.labels;
  for (int64_t label : b.labels)
    if (!has(all, label))
      all.push_back(label);
  std::map<int64_t, int64_t> size;
  for (int64_t label : all) {
    int64_t inA = sizeOf(a, label), inB = sizeOf(b, label);
    size[label] = inA == 1 ? inB : inA;
    if (!has(keep, label))
      inner.push_back(label);
    else if (has(a.labels, label) && has(b.labels, label))
      batch.push_back(label);
    else
      (has(a.labels, label) ? left : right).push_back(label);
  }
  auto count = [&](const Ints &labels) {
    int64_t result = 1;
    for (int64_t label : labels)
      result *= size[label];
    return result;
  };
  auto matrix = [&](const Labelled &x, const Ints &rows, const Ints &columns) {
    Ints order = batch, sizes;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    for (int64_t label : order)
      sizes.push_back(size[label]);
    return reshaped(expandTo(arranged(x, order), sizes),
                    {count(batch), count(rows), count(columns)});
  };
  Labelled result;
  result.labels = batch;
  result.labels.insert(result.labels.end(), left.begin(), left.end());
  result.labels.insert(result.labels.end(), right.begin(), right.end());
  Ints sizes;
  for (int64_t label : result.labels)
    sizes.push_back(size[label]);
  result.tensor = batchedProduct(matrix(a, left, inner),
                                 matrix(b, inner, right), {}, sizes);
  return result;
}

static Values einsum(const Args &args) {
  Subscripts subscripts = parseEquation(args.string(0));
  std::vector<Tensor> tensors = args.tensors(1);
  require(subscripts.operands.size() == tensors.size(),
          {"expected ", subscripts.operands.size(), " operands, found ",
           tensors.size()});
  int64_t ellipsisRank = 0;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (subscripts.operands[i].find('.') != std::string::npos)
      ellipsisRank = std::max<int64_t>(
          ellipsisRank, tensors[i].rank() -
                            int64_t(subscripts.operands[i].size()) + 1);
  std::vector<Labelled> operands;
  std::map<int64_t, int64_t> uses, size;
  for (size_t i = 0; i < tensors.size(); ++i) {
    operands.push_back(
        labelOperand(tensors[i], subscripts.operands[i], ellipsisRank));
    const Labelled &x = operands.back();
    for (size_t d = 0; d < x.labels.size(); ++d) {
      int64_t &known = size.emplace(x.labels[d], 1).first->second;
      require(known == 1 || x.tensor.size(d) == 1 || known == x.tensor.size(d),
              {"subscripts meet sizes ", known, " and ", x.tensor.size(d)});
      known = std::max(known, x.tensor.size(d) == 1 ? known : x.tensor.size(d));
      if (x.tensor.size(d) == 0)
        known = 0;
    }
    for (char c : subscripts.operands[i])
      if (c != '.')
        ++uses[c];
  }
  Ints output;
  for (int64_t i = 0; i < ellipsisRank; ++i)
    if (!subscripts.hasOutput ||
        subscripts.output.find('.') != std::string::npos)
      output.push_back(kEllipsis + i);
  if (subscripts.hasOutput) {
    Ints ellipsis = std::move(output);
    output.clear();
    for (char c : subscripts.output) {
      if (c == '.') {
        output.insert(output.end(), ellipsis.begin(), ellipsis.end());
        continue;
      }
      require(uses.count(c) && !std::count(output.begin(), output.end(), c),
              {"output subscripts '", subscripts.output,
               "' repeat or are in no operand"});
      output.push_back(c);
    }
  } else {
    for (auto [label, count] : uses)
      if (count == 1)
        output.push_back(label);
  }
  bool sumsNothing = operands.size() == 1 &&
                     operands[0].labels.size() == output.size();
  if (sumsNothing)
    return {arranged(operands[0], output)};
  // left to right; labels of later operands and the output are kept
  Labelled result = operands[0];
  size_t next = 1;
  do {
    Ints keep = output;
    for (size_t i = next + 1; i < operands.size(); ++i)
      keep.insert(keep.end(), operands[i].labels.begin(),
                  operands[i].labels.end());
    Labelled other = next < operands.size()
                         ? operands[next]
                         : Labelled{filled(result.tensor.dtype(), {},
                                           int64_t(1)),
                                    {}};
    result = contract(result, other, keep);
  } while (++next < operands.size());
  return {arranged(result, output)};
}

/// x1[i] W[o, i, j] x2[j] + bias.
static Values bilinear(const Args &args) {
  const Tensor &x = args.tensor(0), &y = args.tensor(1), &w = args.tensor(2);
  requireRank(w, 3);
  require(x.rank() > 0 && x.rank() == y.rank() &&
              std::equal(x.sizes().begin(), x.sizes().end() - 1,
                         y.sizes().begin()) &&
              x.sizes().back() == w.size(1) && y.sizes().back() == w.size(2),
          {"cannot combine ", x, " and ", y, " by ", w});
  requireOperands(x, y);
  requireOperands(x, w);
  Tensor bias = args.optTensor(3);
  Ints sizes = x.sizes();
  int64_t in1 = w.size(1), in2 = w.size(2), out = w.size(0);
  sizes.back() = out;
  int64_t rows = product(Ints(sizes.begin(), sizes.end() - 1));
  return {withNumber(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto a = readAll<T>(x), b = readAll<T>(y), weight = readAll<T>(w);
    std::vector<T> c(size_t(rows * out), T(0)), t(size_t(rows * in2));
    auto bt = transposedValues(b.data(), rows, in2);
    for (int64_t o = 0; o < out; ++o) {
      std::fill(t.begin(), t.end(), T(0));
      gemm(rows, in2, in1, a.data(), weight.data() + o * in1 * in2, t.data());
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < in2; ++j)
          c[r * out + o] += t[r * in2 + j] * b[r * in2 + j];
    }
    if (bias.defined()) {
      auto added = readAll<T>(expandTo(bias, sizes));
      for (size_t i = 0; i < c.size(); ++i)
        c[i] += added[i];
    }
    return makeTensor(x.dtype(), sizes, c);
  })};
}

/// Elements [begin, end) of dimension `dim`.
static Tensor partOf(const Tensor &x, int64_t dim, int64_t begin,
                     int64_t end) {
  Ints sizes = x.sizes();
  sizes[dim] = end - begin;
  return x.asStrided(sizes, x.strides(),
                     x.storageOffset() + begin * x.stride(dim));
}

/// Matrix `g` of a stack.
static Tensor matrixOf(const Tensor &x, int64_t g) {
  Tensor part = partOf(x, 0, g, g + 1);
  return restrided(part, {x.size(1), x.size(2)}, {x.stride(1), x.stride(2)});
}

/// Schema: self, mat2, offs, bias, out_dtype. Groups of rows of `self`, of
/// columns of `mat2`, or of what they share, end at `offs`; what no group has is
/// zero.
static Values groupedMm(const Args &args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1);
  requireOperands(a, b);
  requireFloat(a);
  require(args.isNone(3), {"expected no bias"});
  require(args.dtypeOr(4, a.dtype()) == a.dtype(),
          {"expected a result of ", a.dtype()});
  require((a.rank() == 2 || a.rank() == 3) && (b.rank() == 2 || b.rank() == 3) &&
              a.sizes().back() == b.size(b.rank() - 2),
          {"cannot multiply ", a, " and ", b});
  bool hasRows = a.rank() == 2, hasColumns = b.rank() == 2;
  require(args.isNone(2) != (hasRows || hasColumns),
          {"expected offsets where an operand is a matrix, and there alone"});
  if (!hasRows && !hasColumns)
    return {matmulOf(a, b)};
  const Tensor &offs = args.tensor(2);
  require(offs.rank() == 1 && offs.dtype() == DType::I32,
          {"expected offsets of i32, found ", offs});
  int64_t groups = offs.size(0);
  for (const Tensor &x : {a, b})
    require(x.rank() == 2 || x.size(0) == groups,
            {"expected a matrix for each of ", groups, " groups, found ", x});
  Ints sizes{a.size(a.rank() - 2), b.sizes().back()};
  if (hasRows == hasColumns)
    sizes.insert(sizes.begin(), groups);
  Tensor result = filled(a.dtype(), sizes, int64_t(0));
  int64_t limit = hasRows && hasColumns ? a.size(1)
                  : hasRows             ? a.size(0)
                                        : b.size(1);
  int64_t begin = 0;
  auto ends = readAll<int64_t>(offs);
  for (int64_t g = 0; g < groups; ++g) {
    int64_t end = std::clamp<int64_t>(ends[g], 0, limit);
    if (begin < end) {
      Tensor x = !hasRows     ? matrixOf(a, g)
                 : hasColumns ? partOf(a, 1, begin, end)
                              : partOf(a, 0, begin, end);
      Tensor y = hasColumns ? partOf(b, hasRows ? 0 : 1, begin, end)
                            : matrixOf(b, g);
      Tensor target = hasRows && hasColumns ? matrixOf(result, g)
                                            : partOf(result, hasRows ? 0 : 1,
                                                     begin, end);
      assign(target, matmulOf(x, y));
    }
    begin = end;
  }
  return {result};
}

void eager::addContractionOperators(Table &table) {
  table.op<mm>("mm.default");
  table.both<addmm>("addmm", "default");
  table.both<addmv>("addmv", "default");
  table.op<bmm>("bmm.default");
  table.both<baddbmm>("baddbmm", "default");
  table.both<addbmm>("addbmm", "default");
  table.op<mv>("mv.default");
  table.op<dot>("dot.default");
  table.op<dot>("vdot.default");
  table.op<matmul>("matmul.default");
  table.op<groupedMm>("_grouped_mm.default");
  table.op<linear>("linear.default");
  table.op<outer>("outer.default");
  table.op<einsum>("einsum.default");
  table.op<bilinear>("bilinear.default");
}
