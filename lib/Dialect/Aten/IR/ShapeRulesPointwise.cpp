//===- ShapeRulesPointwise.cpp - Pointwise ops, reductions ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace kiln;
using namespace kiln::aten;

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

LogicalResult rules::broadcast(Inference &infer) {
  Dims dims;
  for (const ArgInfo &arg : infer.info.args) {
    if (!infer.getTensorType(arg.name))
      continue;
    FailureOr<Dims> operand = infer.getDims(arg.name);
    if (failed(operand))
      return failure();
    FailureOr<Dims> joined = broadcastDims(infer, dims, *operand);
    if (failed(joined))
      return failure();
    dims = std::move(*joined);
  }
  return infer.addPromoted(dims);
}

LogicalResult rules::scaledSum(Inference &infer) {
  FailureOr<Type> type = infer.getPromotedType();
  if (failed(type))
    return failure();
  // A sum of whole numbers has no place for a part of one.
  if (infer.has("alpha") && isIntegral(*type) &&
      !isIntegral(infer.getElementType("alpha")))
    return infer.fail("expects 'alpha' to be a whole number for operands that "
                      "are");
  auto isBool = [&](StringRef name) {
    Type element = infer.has(name) ? infer.getElementType(name) : Type();
    return element && element.isInteger(1);
  };
  if (isBool("alpha") && !type->isInteger(1))
    return infer.fail("expects 'alpha' to be bool for bool operands alone");
  return broadcast(infer);
}

LogicalResult rules::scaledDifference(Inference &infer) {
  for (StringRef name : {"self", "other"})
    if (Type type = infer.getElementType(name); type && type.isInteger(1))
      return infer.fail("is not defined for bool; negate a mask by "
                        "'aten.logical_not'");
  return scaledSum(infer);
}

LogicalResult rules::scaledQuotient(Inference &infer) {
  if (isIntegral(infer.getElementType("tensor1")) &&
      isIntegral(infer.getElementType("tensor2")))
    return infer.fail("expects 'tensor1' or 'tensor2' to be of floats");
  return broadcast(infer);
}

LogicalResult rules::clamp(Inference &infer) {
  if (!infer.has("min") && !infer.has("max"))
    return infer.fail("expects at least one of 'min' and 'max'");
  return broadcast(infer);
}

/// Channels that come last need the dimensions of an image or a volume.
static LogicalResult checkMemoryFormat(Inference &infer, size_t rank) {
  StringRef format = infer.getString("memory_format");
  size_t expected = format == "channels_last"      ? 4
                    : format == "channels_last_3d" ? 5
                                                   : rank;
  if (rank == expected)
    return success();
  return infer.fail("expects a tensor of rank " + Twine(expected) +
                    " for the memory format " + format + ", but found rank " +
                    Twine(rank));
}

LogicalResult rules::sameAsFirst(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims(infer.getFirstTensor());
  if (failed(dims) || failed(checkMemoryFormat(infer, dims->size())))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::expandsToFirst(Inference &infer) {
  StringRef name = infer.has("value") ? "value" : "p";
  FailureOr<Dims> dims = infer.getDims("self"), other = infer.getDims(name);
  if (failed(dims) || failed(other))
    return failure();
  // What fills a tensor is one number.
  bool fits = other->size() <= (name == "value" ? 0 : dims->size());
  for (auto [a, b] : llvm::zip(llvm::reverse(*dims), llvm::reverse(*other)))
    fits &= infer.is(b, 1) || !infer.differ(a, b);
  if (!fits)
    return infer.fail("expects '" + name + "' to expand to 'self'");
  return infer.addPromoted(*dims);
}

LogicalResult rules::sameWithDim(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims(infer.getFirstTensor());
  if (failed(dims) || failed(infer.getDim("dim", dims->size())))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::maskedBroadcast(Inference &infer) {
  StringRef name = infer.has("mask") ? "mask" : "condition";
  Type type = infer.getElementType(name);
  // PyTorch still takes bytes as conditions.
  if (type && !type.isInteger(1) &&
      !(name == "condition" && type.isUnsignedInteger(8)))
    return infer.fail("expects '" + name + "' to be of bool");
  // What fills a tensor must be one of its numbers.
  auto isComplex = [&](StringRef argument) {
    return llvm::isa_and_present<mlir::ComplexType>(
        infer.getElementType(argument));
  };
  if (name == "mask" && isComplex("value") && !isComplex("self"))
    return infer.fail("expects a real 'value' for a tensor of real numbers");
  if (RankedTensorType value = infer.getTensorType("value");
      value && value.getRank() != 0)
    return infer.fail("expects 'value' of rank 0, but found rank " +
                      Twine(value.getRank()));
  return broadcast(infer);
}

LogicalResult rules::prelu(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self"),
                  weight = infer.getDims("weight");
  if (failed(dims) || failed(weight))
    return failure();
  ExprAttr channels = dims->size() > 1 ? (*dims)[1] : infer.constant(1);
  if (weight->size() > 1 ||
      (!weight->empty() && !infer.is(weight->front(), 1) &&
       infer.differ(weight->front(), channels)))
    return infer.fail("expects one slope, or one for each of " +
                      Twine(channels.str()) + " channels");
  return infer.addPromoted(*dims);
}

LogicalResult rules::softshrink(Inference &infer) {
  ExprAttr width = infer.getNumber("lambd");
  if (width && guard::lt(width, infer.constant(0)).isConstant(1))
    return infer.fail("expects 'lambd' of 0 or more, but found " +
                      width.str());
  return broadcast(infer);
}

LogicalResult rules::triangle(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  if (dims->size() < 2)
    return infer.fail("expects a rank of 2 or more, but found " +
                      Twine(dims->size()));
  return infer.addPromoted(*dims);
}

LogicalResult rules::copy(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self"), src = infer.getDims("src");
  if (failed(dims) || failed(src))
    return failure();
  FailureOr<Dims> joined = broadcastDims(infer, *dims, *src);
  if (failed(joined))
    return failure();
  if (joined->size() != dims->size())
    return infer.fail("expects 'src' to have at most the rank of 'self', " +
                      Twine(dims->size()) + ", but found rank " +
                      Twine(src->size()));
  infer.addResult(*dims, infer.getElementType("self"));
  return success();
}

LogicalResult rules::square(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  FailureOr<Type> type = infer.getPromotedType();
  if (failed(dims) || failed(type))
    return failure();
  // The square of bool is a whole number, as a power is.
  bool isBool = type->isInteger(1);
  infer.addResult(*dims, isBool ? mlir::IntegerType::get(infer.context, 64)
                                : *type);
  return success();
}

LogicalResult rules::none(Inference &) { return success(); }

LogicalResult rules::item(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  ExprAttr count = guard::getNumElements(infer.context, *dims);
  if (infer.differ(count, infer.constant(1)))
    return infer.fail("expects a tensor of one element, but found " +
                      count.str());
  FailureOr<Type> type = infer.getPromotedType();
  if (failed(type))
    return failure();
  infer.addNumber(*type);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Dims reduceFlags(Inference &infer, ArrayRef<ExprAttr> dims,
                        ArrayRef<bool> flags, bool keepdim) {
  Dims result;
  for (auto [dim, isReduced] : llvm::zip(dims, flags)) {
    if (!isReduced)
      result.push_back(dim);
    else if (keepdim)
      result.push_back(infer.constant(1));
  }
  return result;
}

LogicalResult rules::reduceAll(Inference &infer) {
  return infer.addPromoted({});
}

static FailureOr<Dims> getReducedDims(Inference &infer,
                                      bool takesNothing = true) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<SmallVector<bool>> flags =
      infer.getDimFlags("dim", dims->size(), /*emptyIsAll=*/true);
  if (failed(flags))
    return failure();
  if (!takesNothing)
    for (auto [dim, isReduced] : llvm::zip(*dims, *flags))
      if (isReduced && dim.isConstant(0))
        return infer.fail("expects elements to choose from");
  return reduceFlags(infer, *dims, *flags, infer.getBool("keepdim"));
}

LogicalResult rules::reduceDims(Inference &infer) {
  FailureOr<Dims> dims = getReducedDims(infer);
  if (failed(dims))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::reduceElements(Inference &infer) {
  FailureOr<Dims> dims = getReducedDims(infer, /*takesNothing=*/false);
  if (failed(dims))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::reduceGivenDims(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<SmallVector<bool>> flags =
      infer.getDimFlags("dim", dims->size(), /*emptyIsAll=*/false);
  if (failed(flags))
    return failure();
  return infer.addPromoted(
      reduceFlags(infer, *dims, *flags, infer.getBool("keepdim")));
}

LogicalResult rules::reduceDimsTwice(Inference &infer) {
  FailureOr<Dims> dims = getReducedDims(infer);
  if (failed(dims) || failed(infer.addPromoted(*dims)))
    return failure();
  // The mean of complex numbers is complex, their variance is not.
  infer.addResult(*dims, infer.getElementType("self"));
  return success();
}

static FailureOr<Dims> getDimsWithoutOne(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
  if (failed(dim))
    return failure();
  SmallVector<bool> flags(dims->size(), false);
  if (!flags.empty())
    flags[*dim] = true;
  return reduceFlags(infer, *dims, flags, infer.getBool("keepdim"));
}

LogicalResult rules::reduceDim(Inference &infer) {
  FailureOr<Dims> dims = getDimsWithoutOne(infer);
  if (failed(dims))
    return failure();
  return infer.addPromoted(*dims);
}

LogicalResult rules::reduceOptionalDim(Inference &infer) {
  if (infer.has("dim"))
    return reduceDim(infer);
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  SmallVector<bool> flags(dims->size(), true);
  return infer.addPromoted(
      reduceFlags(infer, *dims, flags, infer.getBool("keepdim")));
}

/// Of no elements none is the greatest.
static LogicalResult checkHasElements(Inference &infer) {
  FailureOr<Dims> dims = infer.getDims("self");
  if (failed(dims))
    return failure();
  ExprAttr size = guard::getNumElements(infer.context, *dims);
  if (infer.has("dim")) {
    FailureOr<int64_t> dim = infer.getDim("dim", dims->size());
    if (failed(dim))
      return failure();
    size = dims->empty() ? infer.constant(1) : (*dims)[*dim];
  }
  if (infer.is(size, 0))
    return infer.fail("expects elements to choose from");
  return success();
}

LogicalResult rules::place(Inference &infer) {
  Type type = infer.getElementType("self");
  if (type.isInteger(1) || llvm::isa<mlir::ComplexType>(type))
    return infer.fail("expects numbers that have an order");
  if (failed(checkHasElements(infer)))
    return failure();
  return reduceOptionalDim(infer);
}

LogicalResult rules::reduceDimWithIndex(Inference &infer) {
  FailureOr<Dims> dims = getDimsWithoutOne(infer);
  if (failed(dims) || failed(checkHasElements(infer)) ||
      failed(infer.addPromoted(*dims)))
    return failure();
  infer.addResult(*dims, mlir::IntegerType::get(infer.context, 64));
  return success();
}
