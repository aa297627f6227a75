//===- IndexExpr.cpp - Addresses as functions of loop indices -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/IndexExpr.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

using namespace kiln;
using namespace kiln::analysis;

void analysis::addExtents(guard::Assumptions &assumptions,
                          MLIRContext *context, ArrayRef<ExprAttr> extents) {
  for (unsigned i = 0; i < extents.size(); ++i)
    assumptions.setExtent(guard::getDim(context, i), extents[i]);
}

/// Puts quotients and remainders of the same division together again:
/// floordiv(x, n) * n * k + mod(x, n) * k is x * k.
static ExprAttr joinDivisions(ExprAttr address) {
  while (true) {
    SmallVector<ExprAttr> remainders;
    guard::walk(address, [&](ExprAttr part) {
      if (part.getKind() == guard::ExprKind::Mod)
        remainders.push_back(part);
    });
    bool changed = false;
    for (ExprAttr rest : remainders) {
      ExprAttr x = rest.getOperand(0), n = rest.getOperand(1);
      ExprAttr quotient = guard::floorDiv(x, n);
      auto k = guard::getCoefficient(address, rest);
      auto f = guard::getCoefficient(address, quotient);
      if (!k || !f || k->isConstant(0) || *f != *k * n)
        continue;
      address = address - rest * *k - quotient * *f + x * *k;
      changed = true;
      break;
    }
    if (!changed)
      return address;
  }
}

ExprAttr analysis::linearize(MLIRContext *context, ArrayRef<ExprAttr> indices,
                             ArrayRef<ExprAttr> strides,
                             const guard::Assumptions &assumptions) {
  ExprAttr address = guard::getConstant(context, 0);
  for (unsigned i = 0; i < indices.size(); ++i)
    address = address + indices[i] * strides[i];
  return guard::simplify(joinDivisions(guard::simplify(address, assumptions)),
                         assumptions);
}

bool analysis::isInOrder(MLIRContext *context, ArrayRef<ExprAttr> domain,
                         ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> map,
                         const guard::Assumptions &assumptions) {
  guard::Assumptions bounded = assumptions;
  addExtents(bounded, context, domain);
  auto getAddress = [&](ArrayRef<ExprAttr> indices, ArrayRef<ExprAttr> of) {
    SmallVector<ExprAttr> known =
        llvm::map_to_vector(indices, [&](ExprAttr index) {
          return guard::dropUnitDims(index, domain);
        });
    return linearize(context, known, guard::getContiguousStrides(context, of),
                     bounded);
  };
  SmallVector<ExprAttr> own;
  for (unsigned k = 0; k < domain.size(); ++k)
    own.push_back(guard::getDim(context, k));
  return getAddress(map, sizes) == getAddress(own, domain);
}

bool analysis::isRegrouped(MLIRContext *context, ArrayRef<ExprAttr> domain,
                           ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> map,
                           const guard::Assumptions &assumptions) {
  return guard::getNumElements(context, domain) ==
             guard::getNumElements(context, sizes) &&
         isInOrder(context, domain, sizes, map, assumptions);
}

SmallVector<ExprAttr>
analysis::delinearize(ExprAttr address, ArrayRef<ExprAttr> sizes,
                      const guard::Assumptions &assumptions) {
  MLIRContext *context = address.getContext();
  SmallVector<ExprAttr> strides = guard::getContiguousStrides(context, sizes);
  SmallVector<ExprAttr> indices;
  // Where there are no elements, nothing is divided by their number.
  bool isEmpty =
      llvm::any_of(sizes, [](ExprAttr size) { return size.isConstant(0); });
  for (unsigned i = 0; i < sizes.size(); ++i) {
    if (isEmpty || sizes[i].isConstant(1)) {
      indices.push_back(guard::getConstant(context, 0));
      continue;
    }
    ExprAttr index = guard::floorDiv(address, strides[i]);
    if (i != 0) // the address is below the number of elements
      index = guard::mod(index, sizes[i]);
    indices.push_back(guard::simplify(index, assumptions));
  }
  return indices;
}

SmallVector<ExprAttr> analysis::reshapeIndices(
    MLIRContext *context, ArrayRef<ExprAttr> indices, ArrayRef<ExprAttr> from,
    ArrayRef<ExprAttr> to, const guard::Assumptions &assumptions) {
  SmallVector<ExprAttr> result;
  unsigned a = 0, b = 0;
  // Take the shortest pair of groups with equal products, again and again.
  while (a < from.size() || b < to.size()) {
    unsigned beginA = a, beginB = b;
    ExprAttr productA = guard::getConstant(context, 1);
    ExprAttr productB = productA;
    unsigned endA = a, endB = b;
    bool found = false;
    // The groups' ends, nearest first.
    SmallVector<ExprAttr> productsA, productsB;
    for (unsigned i = a; i < from.size(); ++i)
      productsA.push_back(productA = productA * from[i]);
    for (unsigned i = b; i < to.size(); ++i)
      productsB.push_back(productB = productB * to[i]);
    for (unsigned i = 0; i < productsA.size() && !found; ++i)
      for (unsigned j = 0; j < productsB.size() && !found; ++j)
        if (productsA[i] == productsB[j] && !productsA[i].isConstant(0)) {
          endA = a + i + 1;
          endB = b + j + 1;
          found = true;
        }
    if (!found) {
      endA = from.size();
      endB = to.size();
    }
    a = endA;
    b = endB;
    ArrayRef<ExprAttr> groupFrom = from.slice(beginA, endA - beginA);
    ArrayRef<ExprAttr> groupTo = to.slice(beginB, endB - beginB);
    ArrayRef<ExprAttr> groupIndices = indices.slice(beginA, endA - beginA);
    if (groupFrom.size() == 1 && groupTo.size() == 1) {
      result.push_back(groupIndices[0]);
      continue;
    }
    ExprAttr address =
        linearize(context, groupIndices,
                  guard::getContiguousStrides(context, groupFrom), assumptions);
    SmallVector<ExprAttr> group = delinearize(address, groupTo, assumptions);
    result.append(group.begin(), group.end());
  }
  return result;
}

Stride analysis::getStride(ExprAttr address, unsigned dim) {
  std::optional<ExprAttr> factor = guard::getCoefficient(
      address, guard::getDim(address.getContext(), dim));
  // A factor with other indices varies from point to point.
  if (!factor || guard::hasDims(*factor))
    return {};
  if (std::optional<int64_t> value = factor->getConstant())
    return {Stride::Kind::Constant, *value, *factor};
  return {Stride::Kind::Symbolic, 0, *factor};
}

std::optional<analysis::Repeats> analysis::getRepeats(ExprAttr address,
                                                      unsigned number) {
  ExprAttr dim = guard::getDim(address.getContext(), number), quotient;
  guard::walk(address, [&](ExprAttr part) {
    if (part.getKind() == guard::ExprKind::FloorDiv &&
        (part.getOperand(0) - dim).isConstant())
      quotient = part;
  });
  auto count = quotient ? quotient.getOperand(1).getConstant() : std::nullopt;
  auto factor = quotient ? guard::getCoefficient(address, quotient) : std::nullopt;
  auto step = factor ? factor->getConstant() : std::nullopt;
  if (!count || !step || *count < 2 || *step < 1 ||
      guard::contains(address - quotient * *factor, dim))
    return std::nullopt;
  int64_t first = *(quotient.getOperand(0) - dim).getConstant();
  return Repeats{*count, *step, llvm::mod(first, *count)};
}

bool analysis::areNeighbours(ExprAttr address, unsigned dim) {
  if (getStride(address, dim).isOne())
    return true;
  auto repeats = getRepeats(address, dim);
  return repeats && repeats->count == repeats->step;
}
