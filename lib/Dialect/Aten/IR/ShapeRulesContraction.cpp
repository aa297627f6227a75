//===- ShapeRulesContraction.cpp - Products, convolution, attention ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace kiln;
using namespace kiln::aten;

/// Checks that the inner sizes of a product agree.
static LogicalResult checkInner(Inference &infer, ExprAttr a, ExprAttr b) {
  if (!infer.differ(a, b))
    return success();
  return infer.fail("expects equal inner sizes, but found " + Twine(a.str()) +
                    " and " + b.str());
}

static LogicalResult checkBroadcastsTo(Inference &infer, StringRef name,
                                       ArrayRef<ExprAttr> dims) {
  if (!infer.has(name))
    return success();
  FailureOr<Dims> operand = infer.getDims(name);
  if (failed(operand))
    return failure();
  if (operand->size() > dims.size())
    return infer.fail("expects '" + name + "' of rank at most " +
                      Twine(dims.size()) + ", but found rank " +
                      Twine(operand->size()));
  return broadcastDims(infer, dims, *operand);
}

static FailureOr<Dims> getMmDims(Inference &infer, StringRef a, StringRef b) {
  FailureOr<Dims> x = infer.getDimsOfRank(a, 2), y = infer.getDimsOfRank(b, 2);
  if (failed(x) || failed(y) || failed(checkInner(infer, (*x)[1], (*y)[0])))
    return failure();
  return Dims{(*x)[0], (*y)[1]};
}

static FailureOr<Dims> getBmmDims(Inference &infer, StringRef a, StringRef b) {
  FailureOr<Dims> x = infer.getDimsOfRank(a, 3), y = infer.getDimsOfRank(b, 3);
  if (failed(x) || failed(y) || failed(checkInner(infer, (*x)[2], (*y)[1])))
    return failure();
  if (infer.differ((*x)[0], (*y)[0]))
    return infer.fail("expects equal batch sizes, but found " +
                      Twine((*x)[0].str()) + " and " + (*y)[0].str());
  return Dims{unify((*x)[0], (*y)[0]), (*x)[1], (*y)[2]};
}

LogicalResult rules::mm(Inference &infer) {
  FailureOr<Dims> dims = getMmDims(infer, "self", "mat2");
  return failed(dims) ? failure() : infer.addPromoted(*dims);
}

LogicalResult rules::bmm(Inference &infer) {
  FailureOr<Dims> dims = getBmmDims(infer, "self", "mat2");
  return failed(dims) ? failure() : infer.addPromoted(*dims);
}

LogicalResult rules::addmm(Inference &infer) {
  FailureOr<Dims> dims = getMmDims(infer, "mat1", "mat2");
  if (failed(dims) || failed(checkBroadcastsTo(infer, "self", *dims)))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::bmmAdd(Inference &infer) {
  FailureOr<Dims> dims = getBmmDims(infer, "batch1", "batch2");
  if (failed(dims) || failed(checkBroadcastsTo(infer, "self", *dims)))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::groupedMm(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("self"), b = infer.getDims("mat2");
  if (failed(a) || failed(b))
    return failure();
  auto isMatrix = [](const Dims &dims) { return dims.size() == 2; };
  for (const Dims &dims : {*a, *b})
    if (!isMatrix(dims) && dims.size() != 3)
      return infer.fail("expects operands of rank 2 or 3, but found rank " +
                        Twine(dims.size()));
  if (failed(checkInner(infer, a->back(), (*b)[b->size() - 2])))
    return failure();
  bool hasGroups = isMatrix(*a) || isMatrix(*b);
  if (infer.has("offs") != hasGroups)
    return infer.fail("expects offsets where an operand is a matrix, and there "
                      "alone");
  if (infer.has("bias"))
    return infer.fail("expects no bias, as PyTorch's kernels do");
  Type asked = infer.getDType("out_dtype");
  if (asked && asked != infer.getElementType("self"))
    return infer.fail("expects 'out_dtype' to be the element type of 'self'");
  if (!llvm::isa<mlir::FloatType>(infer.getElementType("self")))
    return infer.fail("expects floats");
  std::optional<ExprAttr> groups;
  if (hasGroups) {
    FailureOr<Dims> offs = infer.getDimsOfRank("offs", 1);
    if (failed(offs))
      return failure();
    if (!infer.getElementType("offs").isInteger(32))
      return infer.fail("expects offsets of i32");
    groups = offs->front();
  }
  for (const Dims &dims : {*a, *b})
    if (!isMatrix(dims)) {
      if (groups && infer.differ(*groups, dims[0]))
        return infer.fail("expects a matrix for each of " +
                          Twine(groups->str()) + " groups, but found " +
                          dims[0].str());
      groups = dims[0];
    }
  Dims result{(*a)[a->size() - 2], b->back()};
  // Rows in groups give rows, columns columns; sums in groups one matrix each.
  if (isMatrix(*a) == isMatrix(*b))
    result.insert(result.begin(), *groups);
  return infer.addPromoted(result);
}

LogicalResult rules::matmul(Inference &infer) {
  FailureOr<Dims> a = infer.getDims("self"), b = infer.getDims("other");
  if (failed(a) || failed(b))
    return failure();
  if (a->empty() || b->empty())
    return infer.fail("expects operands with dimensions");
  // A vector is a row on the left and a column on the right.
  bool isRow = a->size() == 1, isColumn = b->size() == 1;
  ExprAttr inner = isColumn ? b->back() : (*b)[b->size() - 2];
  if (failed(checkInner(infer, a->back(), inner)))
    return failure();
  ArrayRef<ExprAttr> x(*a), y(*b);
  FailureOr<Dims> result = broadcastDims(infer, x.drop_back(isRow ? 1 : 2),
                                         y.drop_back(isColumn ? 1 : 2));
  if (failed(result))
    return failure();
  if (!isRow)
    result->push_back(x[x.size() - 2]);
  if (!isColumn)
    result->push_back(y.back());
  return infer.addPromoted(*result);
}

LogicalResult rules::linear(Inference &infer) {
  FailureOr<Dims> input = infer.getDims("input");
  FailureOr<Dims> weight = infer.getDims("weight");
  if (failed(input) || failed(weight))
    return failure();
  if (weight->empty() || weight->size() > 2 || input->empty())
    return infer.fail("expects a weight of rank 1 or 2 and an input with "
                      "dimensions");
  // PyTorch adds the bias in the product of matrices.
  if (weight->size() == 1 && input->size() == 2 && infer.has("bias"))
    return infer.fail("expects a weight of rank 2 beside a bias");
  if (failed(checkInner(infer, input->back(), weight->back())))
    return failure();
  input->pop_back();
  if (weight->size() == 2)
    input->push_back(weight->front());
  if (failed(checkBroadcastsTo(infer, "bias", *input)))
    return failure();
  return infer.addPromoted(*input);
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// The labels of one operand, '.' standing for all that the ellipsis covers.
static FailureOr<std::string> readLabels(Inference &infer, StringRef text) {
  std::string labels;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (StringRef(labels).contains('.'))
        return infer.fail("has two ellipses in one term of its equation");
      labels += '.';
    } else if (llvm::isAlpha(text.front())) {
      labels += text.front();
      text = text.drop_front();
    } else {
      return infer.fail("expects letters and '...' in its equation, but found "
                        "'" + text.take_front(1) + "'");
    }
  }
  return labels;
}

LogicalResult rules::einsum(Inference &infer) {
  std::string equation;
  for (char c : infer.getString("equation"))
    if (c != ' ')
      equation += c;
  auto [inputs, output] = StringRef(equation).split("->");
  bool isExplicit = StringRef(equation).contains("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  ArrayRef<Value> tensors = infer.get("tensors").getValues();
  if (terms.size() != tensors.size())
    return infer.fail("has an equation of " + Twine(terms.size()) +
                      " terms, but found " + Twine(tensors.size()) +
                      " operands");
  std::map<char, ExprAttr> sizes;
  std::map<char, int> uses;
  Dims ellipsis;
  for (auto [term, tensor] : llvm::zip(terms, tensors)) {
    FailureOr<std::string> labels = readLabels(infer, term);
    FailureOr<Dims> dims = infer.getDims(tensor, "tensors");
    if (failed(labels) || failed(dims))
      return failure();
    bool hasEllipsis = StringRef(*labels).contains('.');
    size_t named = labels->size() - hasEllipsis;
    if (dims->size() < named || (!hasEllipsis && dims->size() != named))
      return infer.fail("has a term '" + term + "' for an operand of rank " +
                        Twine(dims->size()));
    ArrayRef<ExprAttr> rest(*dims);
    for (char label : *labels) {
      if (label == '.') {
        FailureOr<Dims> joined = broadcastDims(
            infer, ellipsis, rest.take_front(dims->size() - named));
        if (failed(joined))
          return failure();
        ellipsis = *joined;
        rest = rest.drop_front(dims->size() - named);
        continue;
      }
      ++uses[label];
      ExprAttr &size = sizes[label];
      if (size && !infer.is(size, 1) && !infer.is(rest.front(), 1) &&
          infer.differ(size, rest.front()))
        return infer.fail("has sizes " + Twine(size.str()) + " and " +
                          rest.front().str() + " for label '" +
                          StringRef(&label, 1) + "'");
      if (!size || infer.is(size, 1))
        size = rest.front();
      rest = rest.drop_front();
    }
  }
  // Without an output: the ellipsis, then labels used once, by the alphabet.
  std::string result;
  if (!isExplicit) {
    result = ".";
    for (auto [label, count] : uses)
      if (count == 1)
        result += label;
  } else {
    FailureOr<std::string> labels = readLabels(infer, output);
    if (failed(labels))
      return failure();
    result = *labels;
  }
  Dims dims;
  for (char label : result) {
    if (label == '.') {
      llvm::append_range(dims, ellipsis);
      continue;
    }
    if (!sizes.count(label))
      return infer.fail("has an output label '" + StringRef(&label, 1) +
                        "' that no operand has");
    dims.push_back(sizes[label]);
  }
  for (const ArgInfo &arg : infer.info.args)
    if (arg.kind == ArgKind::TensorList)
      return infer.addPromoted(dims);
  return failure();
}

//===----------------------------------------------------------------------===//
// Convolution and attention
//===----------------------------------------------------------------------===//

/// A list of `count` sizes; one entry stands for all.
static FailureOr<Dims> getSpatial(Inference &infer, StringRef name,
                                  size_t count) {
  Dims values = infer.getExprs(name).value_or(Dims());
  if (values.size() == 1 && count > 1)
    values.assign(count, Dims(values).front());
  if (values.size() == count)
    return values;
  return infer.fail("expects " + Twine(count) + " entries of '" + name +
                    "', but found " + Twine(values.size()));
}

/// `padding` is that of the argument, if it is a list.
static LogicalResult inferConvolution(Inference &infer, size_t spatial,
                                      bool isTransposed,
                                      std::optional<Dims> padding = {}) {
  FailureOr<Dims> input = infer.getDims("input");
  FailureOr<Dims> weight = infer.getDimsOfRank("weight", spatial + 2);
  if (failed(input) || failed(weight))
    return failure();
  bool isBatched = input->size() == spatial + 2;
  if (!isBatched && input->size() != spatial + 1)
    return infer.fail("expects an input of rank " + Twine(spatial + 1) +
                      " or " + Twine(spatial + 2) + ", but found rank " +
                      Twine(input->size()));
  FailureOr<Dims> stride = getSpatial(infer, "stride", spatial),
                  dilation = getSpatial(infer, "dilation", spatial);
  if (failed(stride) || failed(dilation))
    return failure();
  if (!padding) {
    FailureOr<Dims> given = getSpatial(infer, "padding", spatial);
    if (failed(given))
      return failure();
    padding = *given;
  }
  ExprAttr groups = infer.getExpr("groups");
  ExprAttr channels = (*input)[isBatched];
  ExprAttr expected = isTransposed ? (*weight)[0] : (*weight)[1] * groups;
  if (infer.differ(channels, expected))
    return infer.fail("expects an input of " + Twine(expected.str()) +
                      " channels, but found " + channels.str());
  if (!infer.isAtLeast(groups, 1) ||
      !infer.holds(guard::eq(guard::mod((*weight)[0], groups),
                             infer.constant(0))))
    return infer.fail("expects a weight in multiples of " + groups.str() +
                      " groups, but found " + (*weight)[0].str());
  for (size_t i = 0; i < spatial; ++i)
    if (!infer.isAtLeast((*stride)[i], 1) ||
        !infer.isAtLeast((*dilation)[i], 1) ||
        !infer.isAtLeast((*padding)[i], 0))
      return infer.fail("expects positive strides and dilations, and a padding "
                        "that is not negative");
  Dims result;
  if (isBatched)
    result.push_back(input->front());
  result.push_back(isTransposed ? (*weight)[1] * groups : (*weight)[0]);
  if (infer.has("bias") &&
      failed(checkSizes(infer, "bias", {result.back()})))
    return failure();
  bool hasImages = !channels.isConstant(0) &&
                   !(isBatched && input->front().isConstant(0));
  for (size_t i = 0; i < spatial; ++i) {
    ExprAttr size = (*input)[i + 1 + isBatched];
    if (hasImages && size.isConstant(0))
      return infer.fail("expects an input with elements where it has a batch "
                        "and channels");
    ExprAttr window = (*dilation)[i] * ((*weight)[i + 2] + -1) + 1;
    if (isTransposed) {
      FailureOr<Dims> extra = getSpatial(infer, "output_padding", spatial);
      if (failed(extra))
        return failure();
      result.push_back((size + -1) * (*stride)[i] - (*padding)[i] * 2 +
                       window + (*extra)[i]);
    } else {
      result.push_back(
          guard::floorDiv(size + (*padding)[i] * 2 - window, (*stride)[i]) + 1);
    }
    // A transposed one may be empty.
    if (!infer.isAtLeast(result.back(), isTransposed ? 0 : 1))
      return infer.fail("has a kernel larger than its padded input");
  }
  return infer.addPromoted(result);
}

LogicalResult rules::convolution(Inference &infer) {
  FailureOr<Dims> weight = infer.getDims("weight");
  if (failed(weight))
    return failure();
  if (weight->size() < 3)
    return infer.fail("expects a weight of rank 3 or more, but found rank " +
                      Twine(weight->size()));
  // Of the overloads, this one takes no single image.
  if (failed(infer.getDimsOfRank("input", weight->size())))
    return failure();
  return inferConvolution(infer, weight->size() - 2,
                          infer.getBool("transposed"));
}

LogicalResult rules::conv(Inference &infer, size_t spatial) {
  return inferConvolution(infer, spatial, /*isTransposed=*/false);
}

LogicalResult rules::convTransposed(Inference &infer, size_t spatial) {
  return inferConvolution(infer, spatial, /*isTransposed=*/true);
}

LogicalResult rules::convNamedPadding(Inference &infer, size_t spatial) {
  auto padding = llvm::dyn_cast_if_present<mlir::StringAttr>(
      infer.get("padding").getAttribute());
  if (!padding || padding == "valid")
    return inferConvolution(infer, spatial, /*isTransposed=*/false,
                            Dims(spatial, infer.constant(0)));
  if (padding != "same")
    return infer.fail("expects a padding 'valid' or 'same', but found '" +
                      padding.getValue() + "'");
  for (ExprAttr stride : infer.getExprs("stride").value_or(Dims()))
    if (stride != infer.constant(1))
      return infer.fail("expects strides of 1 for the padding 'same'");
  // Half of what a window is wider than one element stands on each side, so that
  // every window fits; the size stays.
  FailureOr<Dims> weight = infer.getDimsOfRank("weight", spatial + 2),
                  dilation = getSpatial(infer, "dilation", spatial);
  if (failed(weight) || failed(dilation))
    return failure();
  Dims around;
  for (size_t i = 0; i < spatial; ++i)
    around.push_back((*dilation)[i] * ((*weight)[i + 2] + -1));
  SmallVector<Type> types;
  Inference plain = infer.withResults(types);
  if (failed(inferConvolution(plain, spatial, /*isTransposed=*/false, around)))
    return failure();
  Dims dims = *guard::getDims(llvm::cast<RankedTensorType>(types.front()));
  FailureOr<Dims> input = infer.getDims("input");
  if (failed(input))
    return failure();
  std::copy(input->end() - spatial, input->end(), dims.end() - spatial);
  return infer.addPromoted(dims);
}

LogicalResult rules::attention(Inference &infer) {
  FailureOr<Dims> query = infer.getDims("query"), key = infer.getDims("key"),
                  value = infer.getDims("value");
  if (failed(query) || failed(key) || failed(value))
    return failure();
  if (query->size() < 2 || key->size() < 2 || value->size() < 2)
    return infer.fail("expects operands of rank 2 or more");
  if (infer.has("attn_mask") && infer.getBool("is_causal"))
    return infer.fail("expects no mask beside 'is_causal'");
  if (failed(checkInner(infer, query->back(), key->back())) ||
      failed(checkInner(infer, (*key)[key->size() - 2],
                        (*value)[value->size() - 2])))
    return failure();
  // All but rows and columns broadcast.
  ArrayRef<ExprAttr> q(*query), k(*key), v(*value);
  Dims keys(k.drop_back(2)), values(v.drop_back(2));
  if (infer.getBool("enable_gqa")) {
    // Each head of the keys, and of the values, serves as many of the queries.
    for (Dims *heads : {&keys, &values}) {
      if (q.size() < 3 || heads->empty() ||
          !infer.holds(guard::eq(guard::mod(q[q.size() - 3], heads->back()),
                                 infer.constant(0))))
        return infer.fail("expects heads of queries in multiples of those of "
                          "keys");
      heads->back() = q[q.size() - 3];
    }
  }
  FailureOr<Dims> joined = broadcastDims(infer, q.drop_back(2), keys);
  if (succeeded(joined))
    joined = broadcastDims(infer, *joined, values);
  if (failed(joined))
    return failure();
  Dims result = *joined;
  result.push_back(q[q.size() - 2]);
  result.push_back(value->back());
  return infer.addPromoted(result);
}
