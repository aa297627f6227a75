//===- Contractions.cpp - Linear, matmul and relatives --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything becomes mm or bmm. A batch on the left of a matrix is folded into
// its rows, so that one large contraction is left instead of many small ones.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

namespace kiln::aten {

/// a [..., M, K] times the matrix b [K, N]: the batch joins the rows.
static Value foldedMm(FormulaBuilder &c, Value a, Value b) {
  Sizes sizes = c.dimsOf(a);
  if (sizes.size() == 2)
    return c.mm(a, b);
  ExprAttr rows = c.expr(1);
  for (ExprAttr size : ArrayRef<ExprAttr>(sizes).drop_back())
    rows = guard::mul(rows, size);
  Value flat = c.mm(c.view(a, {rows, sizes.back()}), b);
  if (!flat)
    return {};
  sizes.back() = c.dimOf(flat, 1);
  return c.view(flat, sizes);
}

/// The sizes that two batches broadcast to; empty with a diagnostic if not.
static std::optional<Sizes> broadcast(FormulaBuilder &c, ArrayRef<ExprAttr> a,
                                      ArrayRef<ExprAttr> b) {
  Sizes result(std::max(a.size(), b.size()), c.expr(1));
  auto at = [&](ArrayRef<ExprAttr> sizes, size_t i) {
    size_t lead = result.size() - sizes.size();
    return i < lead ? c.expr(1) : sizes[i - lead];
  };
  for (size_t i = 0; i < result.size(); ++i) {
    ExprAttr left = at(a, i), right = at(b, i);
    if (left != right && !left.isConstant(1) && !right.isConstant(1)) {
      mlir::emitError(c.getLoc())
          << "batch sizes " << left.str() << " and " << right.str()
          << " do not broadcast, expected equal sizes or 1";
      return std::nullopt;
    }
    result[i] = left.isConstant(1) ? right : left;
  }
  return result;
}

/// a [..., M, K] times b [..., K, N] with batches that broadcast.
static Value batchedMm(FormulaBuilder &c, Value a, Value b) {
  Sizes sizesA = c.dimsOf(a), sizesB = c.dimsOf(b);
  auto batchA = ArrayRef<ExprAttr>(sizesA).drop_back(2);
  auto batchB = ArrayRef<ExprAttr>(sizesB).drop_back(2);
  auto batch = broadcast(c, batchA, batchB);
  if (!batch)
    return {};
  ExprAttr count = guard::getNumElements(c.getContext(), *batch);
  auto flatten = [&](Value x) {
    Sizes full = *batch;
    Sizes own = c.dimsOf(x);
    full.append(own.end() - 2, own.end());
    return c.view(c.expand(x, full),
                  {count, own[own.size() - 2], own.back()});
  };
  Value product = c.bmm(flatten(a), flatten(b));
  if (!product)
    return {};
  Sizes result = *batch;
  result.append({sizesA[sizesA.size() - 2], sizesB.back()});
  return c.view(product, result);
}

Value decomposeMatmul(MatmulOp op, FormulaBuilder &c) {
  Value a = op.getSelf(), b = op.getOther();
  if (FormulaBuilder::rankOf(a) == 0 || FormulaBuilder::rankOf(b) == 0)
    return {};
  bool isRow = FormulaBuilder::rankOf(a) == 1,
       isColumn = FormulaBuilder::rankOf(b) == 1;
  if (isRow)
    a = c.unsqueeze(a, 0);
  if (isColumn)
    b = c.unsqueeze(b, 1);
  if (!a || !b)
    return {};
  Value product =
      FormulaBuilder::rankOf(b) == 2 ? foldedMm(c, a, b) : batchedMm(c, a, b);
  if (!product || (!isRow && !isColumn))
    return product;
  Sizes sizes = c.dimsOf(product);
  if (isColumn)
    sizes.pop_back();
  if (isRow)
    sizes.erase(sizes.end() - (isColumn ? 1 : 2));
  return c.view(product, sizes);
}

Value decomposeLinear(LinearOp op, FormulaBuilder &c) {
  Value input = op.getInput(), weight = op.getWeight(), bias = op.getBias();
  if (FormulaBuilder::rankOf(input) == 0)
    return {};
  if (FormulaBuilder::rankOf(weight) == 1) {
    Value product = c.matmul(input, weight);
    return bias ? c.add(product, bias) : product;
  }
  Value transposed = c.transposeLast(weight);
  Sizes sizes = c.dimsOf(input);
  bool isRow = sizes.size() == 1;
  if (isRow)
    input = c.unsqueeze(input, 0);
  if (!bias) {
    Value product = foldedMm(c, input, transposed);
    return isRow ? c.squeezeDim(product, 0) : product;
  }
  ExprAttr rows = c.expr(1);
  for (ExprAttr size : ArrayRef<ExprAttr>(sizes).drop_back())
    rows = guard::mul(rows, size);
  Value flat = sizes.size() <= 2 ? input : c.view(input, {rows, sizes.back()});
  Value product = c.addmm(bias, flat, transposed);
  if (!product)
    return {};
  sizes.back() = c.dimOf(product, 1);
  return c.view(product, sizes);
}

/// beta * bias + alpha * product, rounded once to `element`; a beta of 0 drops
/// even infinities of bias.
static Value addProduct(FormulaBuilder &c, Type element, Value bias,
                        Value product, Value beta, Value alpha) {
  if (!product)
    return {};
  // Factors of integers are integers, too.
  auto scale = [&](Value x, Value factor) {
    auto number = FormulaBuilder::getConstantNumber(factor);
    return number && llvm::isa<mlir::IntegerType>(element)
               ? c.mul(x, int64_t(*number))
               : c.mul(x, factor);
  };
  Value sum = c.widen(product);
  if (alpha && FormulaBuilder::getConstantNumber(alpha) != 1.0)
    sum = scale(sum, alpha);
  if (!beta || FormulaBuilder::getConstantNumber(beta) != 0.0) {
    Value scaled = c.widen(bias);
    if (beta && FormulaBuilder::getConstantNumber(beta) != 1.0)
      scaled = scale(scaled, beta);
    sum = c.add(scaled, sum);
  }
  return sum ? c.cast(sum, element) : sum;
}

Value decomposeAddmm(AddmmOp op, FormulaBuilder &c) {
  // Of 16 bits, the product and its bias round once, as one contraction.
  Type element = FormulaBuilder::elementTypeOf(op.getMat1());
  if (FormulaBuilder::computeType(element) != element)
    return {};
  return addProduct(c, element, op.getSelf(),
                    c.mm(op.getMat1(), op.getMat2()), op.getBeta(),
                    op.getAlpha());
}

Value decomposeBaddbmm(BaddbmmOp op, FormulaBuilder &c) {
  // The kernel rounds once, after both factors.
  Value product = c.bmm(c.widen(op.getBatch1()), c.widen(op.getBatch2()));
  return addProduct(c, FormulaBuilder::elementTypeOf(op.getBatch1()),
                    op.getSelf(), product, op.getBeta(), op.getAlpha());
}

/// x1[i] W[o, i, j] x2[j]: a product of matrices, and a sum over j.
Value decomposeBilinear(BilinearOp op, FormulaBuilder &c) {
  Value x1 = c.widen(op.getInput1()), x2 = c.widen(op.getInput2());
  Value weight = c.widen(op.getWeight());
  Sizes sizes = c.dimsOf(op.getResult());
  ExprAttr out = c.dimOf(weight, 0), in1 = c.dimOf(weight, 1),
           in2 = c.dimOf(weight, 2);
  ExprAttr rows = guard::getNumElements(c.getContext(),
                                        ArrayRef(sizes).drop_back());
  Value flat = c.view(c.permute(weight, {1, 0, 2}), {in1, out * in2});
  Value partial =
      c.view(c.mm(c.view(x1, {rows, in1}), flat), {rows, out, in2});
  Value result =
      c.sumOver(c.mul(partial, c.view(x2, {rows, c.expr(1), in2})), {2});
  if (op.getBias())
    result = c.add(result, c.widen(op.getBias()));
  return result ? c.cast(c.view(result, sizes),
                         FormulaBuilder::elementTypeOf(op.getResult()))
                : result;
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

namespace {

/// A tensor with a letter for each dimension.
struct Labelled {
  Value tensor;
  std::string letters;
};

} // namespace

/// Brings `x` to the letters of `order`, unit dimensions for those it lacks.
static Value align(FormulaBuilder &c, const Labelled &x, StringRef order) {
  SmallVector<int64_t> dims;
  Sizes sizes;
  Sizes own = c.dimsOf(x.tensor);
  for (char letter : order) {
    size_t at = x.letters.find(letter);
    if (at == std::string::npos) {
      sizes.push_back(c.expr(1));
      continue;
    }
    dims.push_back(at);
    sizes.push_back(own[at]);
  }
  return c.view(c.permute(x.tensor, dims), sizes);
}

/// Sums the letters that nobody else has.
static Labelled sumUnused(FormulaBuilder &c, Labelled x, StringRef needed) {
  SmallVector<int64_t> dims;
  std::string rest;
  for (size_t i = 0; i < x.letters.size(); ++i) {
    if (needed.contains(x.letters[i]))
      rest += x.letters[i];
    else
      dims.push_back(i);
  }
  if (dims.empty())
    return x;
  return {c.sumOver(x.tensor, dims), rest};
}

/// Contracts two labelled tensors; letters not in `needed` are summed.
static Labelled contract(FormulaBuilder &c, Labelled a, Labelled b,
                         StringRef needed) {
  a = sumUnused(c, a, b.letters + needed.str());
  b = sumUnused(c, b, a.letters + needed.str());
  std::string batch, rows, columns, inner;
  for (char letter : a.letters) {
    bool isShared = b.letters.find(letter) != std::string::npos;
    if (!isShared)
      rows += letter;
    else
      (needed.contains(letter) ? batch : inner) += letter;
  }
  for (char letter : b.letters)
    if (a.letters.find(letter) == std::string::npos)
      columns += letter;
  if (!a.tensor || !b.tensor)
    return {};
  auto sizeOf = [&](char letter) {
    size_t at = a.letters.find(letter);
    bool isInA = at != std::string::npos;
    ExprAttr size = isInA ? c.dimOf(a.tensor, at) : c.expr(1);
    size_t other = b.letters.find(letter);
    if (size.isConstant(1) && other != std::string::npos)
      size = c.dimOf(b.tensor, other);
    return size;
  };
  auto product = [&](StringRef letters) {
    ExprAttr total = c.expr(1);
    for (char letter : letters)
      total = guard::mul(total, sizeOf(letter));
    return total;
  };
  auto prepare = [&](const Labelled &x, const std::string &order, ExprAttr m,
                     ExprAttr n) {
    Sizes full;
    for (char letter : order)
      full.push_back(sizeOf(letter));
    return c.view(c.expand(align(c, x, order), full), {product(batch), m, n});
  };
  Value left = prepare(a, batch + rows + inner, product(rows), product(inner));
  Value right =
      prepare(b, batch + inner + columns, product(inner), product(columns));
  Value result = c.bmm(left, right);
  if (!result)
    return {};
  std::string letters = batch + rows + columns;
  Sizes sizes;
  for (char letter : letters)
    sizes.push_back(sizeOf(letter));
  return {c.view(result, sizes), letters};
}

/// A letter that an operand has twice means its diagonal.
static Labelled takeDiagonals(FormulaBuilder &c, Labelled x) {
  for (size_t i = 0; i < x.letters.size(); ++i) {
    size_t other = x.letters.find(x.letters[i], i + 1);
    if (other == std::string::npos)
      continue;
    char letter = x.letters[i];
    x.tensor = c.diagonal(x.tensor, 0, i, other);
    x.letters.erase(other, 1);
    x.letters.erase(i, 1);
    x.letters += letter;
    i = size_t(-1);
  }
  return x;
}

/// The dimensions that an ellipsis stands for, as digits: the last one is '9',
/// so that operands with fewer of them broadcast.
static std::string ellipsis(int64_t count) {
  return std::string("0123456789").substr(10 - count);
}

/// Replaces the ellipsis of a term; false if there can be no such dimensions.
static bool spellOut(std::string &term, int64_t rank, int64_t &widest) {
  size_t at = term.find("...");
  if (at == std::string::npos)
    return int64_t(term.size()) == rank;
  int64_t count = rank - (int64_t(term.size()) - 3);
  if (count < 0 || count > 10)
    return false;
  widest = std::max(widest, count);
  term.replace(at, 3, ellipsis(count));
  return true;
}

Value decomposeEinsum(EinsumOp op, FormulaBuilder &c) {
  std::string equation;
  for (char letter : op.getEquation())
    if (letter != ' ')
      equation += letter;
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.empty() || terms.size() != op.getTensors().size())
    return {};
  int64_t widest = 0;
  SmallVector<Labelled> operands;
  for (auto [term, tensor] : llvm::zip(terms, op.getTensors())) {
    Labelled operand = {tensor, term.str()};
    if (!spellOut(operand.letters, FormulaBuilder::rankOf(tensor), widest))
      return {};
    for (char letter : operand.letters)
      if (!llvm::isAlnum(letter))
        return {};
    operands.push_back(takeDiagonals(c, operand));
    if (!operands.back().tensor)
      return {};
  }
  std::string output = right.str();
  if (size_t at = output.find("..."); at != std::string::npos)
    output.replace(at, 3, ellipsis(widest));
  if (!StringRef(equation).contains("->")) {
    output = ellipsis(widest);
    for (char letter = 'A'; letter <= 'z'; ++letter)
      if (llvm::isAlpha(letter) && left.count(letter) == 1)
        output += letter;
  }
  Labelled result = operands.front();
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string needed = output;
    for (size_t j = i + 1; j < operands.size(); ++j)
      needed += operands[j].letters;
    result = contract(c, result, operands[i], needed);
    if (!result.tensor)
      return {};
  }
  result = sumUnused(c, result, output);
  return result.tensor ? align(c, result, output) : Value();
}

} // namespace kiln::aten
