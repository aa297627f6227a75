//===- ShapeRulesSearch.cpp - Sorting, counting, indexing ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;

static constexpr guard::Interval kAnySize{0, guard::Interval::kMax};

//===----------------------------------------------------------------------===//
// As many as values say
//===----------------------------------------------------------------------===//

LogicalResult rules::nonzero(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  infer.addDataDependent(
      {infer.getDataSize(kAnySize), infer.constant(dims->size())},
      getI64(infer));
  return success();
}

LogicalResult rules::nonzeroPerDim(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims(infer.getFirstTensor());
  if (failed(dims))
    return failure();
  ExprAttr count = infer.getDataSize(kAnySize);
  // A tensor without dimensions counts as one of one element.
  for (size_t i = 0; i < std::max<size_t>(dims->size(), 1); ++i)
    infer.addDataDependent({count}, getI64(infer));
  return success();
}

LogicalResult rules::maskedSelect(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self"), mask = infer.getDims("mask");
  if (failed(self) || failed(mask) ||
      failed(broadcastDims(infer, *self, *mask)))
    return failure();
  if (!infer.getElementType("mask").isInteger(1))
    return infer.fail("expects a mask of bool");
  infer.addDataDependent({infer.getDataSize(kAnySize)},
                         infer.getElementType("self"));
  return success();
}

/// Slices as often as a tensor says, or without a tensor of slices their numbers.
LogicalResult rules::repeatedSlices(Inference &infer) {
  ExprAttr total = infer.getExpr("output_size");
  if (!total)
    total = infer.getDataSize(kAnySize);
  if (!infer.has("self")) {
    infer.addDataDependent({total}, getI64(infer));
    return success();
  }
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  size_t dim = 0;
  if (infer.has("dim")) {
    FailureOr<int64_t> given = infer.getDim("dim", dims->size());
    if (failed(given) || dims->empty())
      return infer.fail("expects a tensor with that dimension");
    dim = *given;
  } else {
    dims->assign(1, ExprAttr());
  }
  (*dims)[dim] = total;
  infer.addDataDependent(*dims, infer.getElementType("self"));
  return success();
}

/// Values, where each element is among them, and how often each occurs: of all
/// elements, or of slices along a dimension. Of a vector some operators give only
/// what is asked for, while exporters record sizes for both.
static LogicalResult inferUnique(Inference &infer, bool givesAll) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  ExprAttr count = infer.getDataSize(kAnySize), none = infer.constant(0);
  Type type = infer.getElementType("self");
  if (infer.has("dim")) {
    FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
    if (failed(dim) || dims->empty())
      return infer.fail("expects a tensor with that dimension");
    ExprAttr slices = (*dims)[*dim];
    (*dims)[*dim] = count;
    infer.addDataDependent(*dims, type);
    bool isWhole = givesAll || dims->size() > 1 || infer.getInt("dim") != 0;
    bool hasInverse = isWhole || infer.getBool("return_inverse");
    bool hasCounts = isWhole || infer.getBool("return_counts");
    infer.addRecorded({hasInverse ? slices : none}, getI64(infer));
    infer.addRecorded({hasCounts ? count : none}, getI64(infer));
    return success();
  }
  infer.addDataDependent({count}, type);
  infer.addRecorded(infer.getBool("return_inverse") ? *dims : Dims{none},
                    getI64(infer));
  infer.addRecorded({infer.getBool("return_counts") ? count : none},
                    getI64(infer));
  return success();
}

LogicalResult rules::unique(Inference &infer) {
  return inferUnique(infer, /*givesAll=*/false);
}

LogicalResult rules::uniqueSlices(Inference &infer) {
  return inferUnique(infer, /*givesAll=*/true);
}

LogicalResult rules::bincount(Inference &infer) {
  FailureOr<Dims> dims = infer.getDimsOfRank("self", 1);
  if (failed(dims))
    return failure();
  Type type = getI64(infer);
  if (infer.has("weights")) {
    FailureOr<Dims> weights = infer.getDims("weights");
    if (failed(weights))
      return failure();
    if (!infer.is(guard::getNumElements(infer.context, *weights), 0)) {
      if (failed(checkSizes(infer, "weights", *dims)))
        return failure();
      type = infer.getElementType("weights");
      if (!type.isF32())
        type = mlir::Float64Type::get(infer.context);
    }
  }
  infer.addDataDependent({infer.getDataSize(kAnySize)}, type);
  return success();
}

//===----------------------------------------------------------------------===//
// Sorting and counting
//===----------------------------------------------------------------------===//

LogicalResult rules::scanWithIndex(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims) || failed(infer.getDim("dim", dims->size())) ||
      failed(infer.addPromoted(*dims)))
    return failure();
  infer.addResult(*dims, getI64(infer));
  return success();
}

LogicalResult rules::topk(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
  if (failed(dim))
    return failure();
  ExprAttr count = infer.getExpr("k");
  ExprAttr size = dims->empty() ? infer.constant(1) : (*dims)[*dim];
  if (!infer.isAtLeast(count, 0) || !infer.holds(guard::le(count, size)))
    return infer.fail("expects 'k' from 0 to " + Twine(size.str()) +
                      ", but found " + count.str());
  if (!dims->empty())
    (*dims)[*dim] = count;
  if (failed(infer.addPromoted(*dims)))
    return failure();
  infer.addResult(*dims, getI64(infer));
  return success();
}

LogicalResult rules::aminmax(Inference &infer) {
  for (int i = 0; i < 2; ++i)
    if (failed(reduceOptionalDim(infer)))
      return failure();
  return success();
}

LogicalResult rules::bucketize(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (infer.has("boundaries") &&
      failed(infer.getDimsOfRank("boundaries", 1)))
    return failure();
  if (infer.has("sorted_sequence")) {
    FailureOr<Dims> sequence = infer.getDims("sorted_sequence");
    if (failed(sequence) ||
        (infer.has("sorter") && failed(checkSizes(infer, "sorter", *sequence))))
      return failure();
    // One row for all, or a row for each row.
    bool fits = sequence->size() == 1 || sequence->size() == dims->size();
    if (sequence->size() > 1 && fits)
      for (auto [a, b] : llvm::drop_end(llvm::zip(*sequence, *dims)))
        fits &= !infer.differ(a, b);
    if (!fits)
      return infer.fail("expects boundaries in one row, or in a row for each "
                        "row of 'self'");
  }
  infer.addResult(*dims, mlir::IntegerType::get(
                             infer.context,
                             infer.getBool("out_int32") ? 32 : 64));
  return success();
}

LogicalResult rules::histc(Inference &infer) {
  int64_t bins = *infer.getInt("bins");
  if (bins < 1)
    return infer.fail("expects at least one bin, but found " + Twine(bins));
  return infer.addPromoted({infer.constant(bins)});
}

LogicalResult rules::nonzeroStatic(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  return infer.addPromoted(
      {infer.getExpr("size"), infer.constant(dims->size())});
}

LogicalResult rules::oneHot(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (!infer.getElementType("self").isInteger(64))
    return infer.fail("expects 'self' to be of i64");
  int64_t classes = *infer.getInt("num_classes");
  // Without a number it is one more than the greatest index.
  dims->push_back(classes < 0 ? infer.getDataSize(kAnySize)
                              : infer.constant(classes));
  infer.addDataDependent(*dims, getI64(infer));
  return success();
}

LogicalResult rules::multinomial(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->empty() || dims->size() > 2)
    return infer.fail("expects a tensor of rank 1 or 2, but found rank " +
                      Twine(dims->size()));
  dims->back() = infer.getExpr("num_samples");
  return infer.addPromoted(*dims);
}

LogicalResult rules::randperm(Inference &infer) {
  ExprAttr count = infer.getExpr("n");
  if (!infer.isAtLeast(count, 0))
    return infer.fail("expects a size that is not negative, but found " +
                      count.str());
  return infer.addPromoted({count});
}

/// The number of places on or below a diagonal of a matrix.
static int64_t countLower(int64_t rows, int64_t columns, int64_t offset) {
  // Rows before `first` have none, from `full` on all columns; between them
  // the counts rise by one.
  int64_t first = std::min(rows, std::max<int64_t>(0, -offset));
  int64_t full =
      std::min(rows, std::max<int64_t>(first, columns - 1 - offset));
  int64_t low = first + offset + 1, high = full + offset;
  int64_t rising = full > first ? (low + high) * (full - first) / 2 : 0;
  return rising + (rows - full) * columns;
}

static LogicalResult inferTriangleIndices(Inference &infer, bool isLower) {
  int64_t rows = *infer.getInt("row"), columns = *infer.getInt("col"),
          offset = *infer.getInt("offset");
  if (rows < 0 || columns < 0 || rows > INT32_MAX || columns > INT32_MAX)
    return infer.fail("expects sizes from 0 to 2^31 - 1, but found " +
                      Twine(rows) + " and " + Twine(columns));
  offset = std::clamp<int64_t>(offset, -INT32_MAX, INT32_MAX);
  int64_t count = isLower ? countLower(rows, columns, offset)
                          : rows * columns -
                                countLower(rows, columns, offset - 1);
  return infer.addPromoted({infer.constant(2), infer.constant(count)});
}

LogicalResult rules::lowerIndices(Inference &infer) {
  return inferTriangleIndices(infer, /*isLower=*/true);
}

LogicalResult rules::upperIndices(Inference &infer) {
  return inferTriangleIndices(infer, /*isLower=*/false);
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

LogicalResult rules::embeddingBag(Inference &infer) {
  FailureOr<Dims> weight = infer.getDimsOfRank("weight", 2);
  FailureOr<Dims> offsets = infer.getDimsOfRank("offsets", 1);
  FailureOr<Dims> indices = infer.getDims("indices");
  if (failed(weight) || failed(offsets) || failed(indices) ||
      (infer.has("per_sample_weights") &&
       failed(checkSizes(infer, "per_sample_weights", *indices))))
    return failure();
  ExprAttr bags =
      offsets->front() + (infer.getBool("include_last_offset") ? -1 : 0);
  if (failed(infer.addPromoted({bags, weight->back()})))
    return failure();
  // What the gradient needs depends on strides as well.
  for (int i = 0; i < 3; ++i)
    infer.addUnknown();
  return success();
}

LogicalResult rules::bagWeightsBackward(Inference &infer) {
  FailureOr<Dims> indices = infer.getDims("indices"),
                  grad = infer.getDimsOfRank("grad", 2),
                  weight = infer.getDimsOfRank("weight", 2),
                  offsets = infer.getDimsOfRank("offsets", 1),
                  bags = infer.getDimsOfRank("offset2bag", 1);
  if (failed(indices) || failed(grad) || failed(weight) || failed(offsets) ||
      failed(bags))
    return failure();
  if (infer.differ((*grad)[1], (*weight)[1]))
    return infer.fail("expects gradients of the size of a weight, but found " +
                      Twine((*grad)[1].str()) + " against " +
                      (*weight)[1].str());
  // The end of the last bag may stand behind the offsets.
  ExprAttr count = (*grad)[0];
  if (infer.differ(offsets->front(), count) &&
      infer.differ(offsets->front(), count + 1))
    return infer.fail("expects an offset for each of " + Twine(count.str()) +
                      " gradients, but found " + offsets->front().str());
  ExprAttr size = guard::getNumElements(infer.context, *indices);
  if (!infer.is(bags->front(), 0) && infer.differ(bags->front(), size))
    return infer.fail("expects a bag for each of " + Twine(size.str()) +
                      " indices, but found " + bags->front().str());
  return infer.addPromoted({size});
}

LogicalResult rules::maskedScatter(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self"), mask = infer.getDims("mask");
  if (failed(self) || failed(mask))
    return failure();
  if (!infer.getElementType("mask").isInteger(1))
    return infer.fail("expects 'mask' to be of bool");
  if (infer.getElementType("self") != infer.getElementType("source"))
    return infer.fail("expects 'source' to be of the element type of 'self'");
  FailureOr<Dims> joined = broadcastDims(infer, *self, *mask);
  if (failed(joined))
    return failure();
  return infer.addPromoted(*joined);
}

/// An index into all elements, or along one dimension.
static FailureOr<Dims> getIndexDims(Inference &infer) {
  if (!infer.getElementType("index").isInteger(64))
    return infer.fail("expects 'index' to be of i64");
  return infer.getDims("index");
}

LogicalResult rules::take(Inference &infer) {
  FailureOr<Dims> index = getIndexDims(infer);
  if (failed(index))
    return failure();
  return infer.addPromoted(*index);
}

LogicalResult rules::put(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self"), index = getIndexDims(infer),
                  source = infer.getDims("source");
  if (failed(dims) || failed(index) || failed(source))
    return failure();
  if (infer.getElementType("self") != infer.getElementType("source"))
    return infer.fail("expects 'source' to be of the element type of 'self'");
  ExprAttr places = guard::getNumElements(infer.context, *index);
  ExprAttr values = guard::getNumElements(infer.context, *source);
  if (infer.differ(places, values))
    return infer.fail("expects a value for each of " + Twine(places.str()) +
                      " indices, but found " + values.str());
  return infer.addPromoted(*dims);
}

LogicalResult rules::indexFill(Inference &infer) {
  FailureOr<Dims> index = getIndexDims(infer);
  if (failed(index))
    return failure();
  if (index->size() > 1)
    return infer.fail("expects 'index' of rank 1 at most, but found rank " +
                      Twine(index->size()));
  return sameWithDim(infer);
}

LogicalResult rules::takeAlongDim(Inference &infer) {
  FailureOr<Dims> self = infer.getDims("self");
  FailureOr<Dims> indices = infer.getDims("indices");
  if (failed(self) || failed(indices))
    return failure();
  if (!infer.has("dim"))
    return infer.addPromoted({guard::getNumElements(infer.context, *indices)});
  if (self->size() != indices->size())
    return infer.fail("expects 'indices' of the rank of 'self', but found "
                      "ranks " + Twine(indices->size()) + " and " +
                      Twine(self->size()));
  FailureOr<int64_t> dim = infer.getDim("dim", self->size());
  if (failed(dim))
    return failure();
  if (self->empty())
    return infer.addPromoted({});
  ExprAttr count = (*indices)[*dim];
  (*self)[*dim] = (*indices)[*dim] = infer.constant(1);
  FailureOr<Dims> joined = broadcastDims(infer, *self, *indices);
  if (failed(joined))
    return failure();
  (*joined)[*dim] = count;
  return infer.addPromoted(*joined);
}
