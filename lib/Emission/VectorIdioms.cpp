//===- VectorIdioms.cpp - Shuffles of loaded vectors ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/VectorIdioms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln::loop;
using namespace mlir;

SmallVector<Value> kiln::loop::transposeLanes(OpBuilder &b, Location loc,
                                              SmallVector<Value> rows) {
  // Swaps blocks of half the size in each step: first halves of rows that are
  // lanes / 2 apart, at last single elements of neighbours.
  int64_t count = rows.size();
  for (int64_t half = count / 2; half; half /= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t i = 0; i < count; ++i) {
      int64_t block = i / half, at = i % half;
      // Even blocks of the first operand, then the same of the second.
      int64_t source = (block / 2) * 2 * half + at;
      int64_t operand = block % 2 ? count : 0;
      first.push_back(operand + source);
      second.push_back(operand + source + half);
    }
    for (int64_t i = 0; i < count; ++i) {
      if (i & half)
        continue;
      Value x = rows[i], y = rows[i + half];
      rows[i] = vector::ShuffleOp::create(b, loc, x, y, first);
      rows[i + half] = vector::ShuffleOp::create(b, loc, x, y, second);
    }
  }
  return rows;
}

Value kiln::loop::loadEverySecond(OpBuilder &b, Location loc, Value pointer,
                                  VectorType type, Value mask,
                                  unsigned alignment) {
  int64_t lanes = type.getNumElements();
  if (!mask) {
    // Two vectors that have one element in common, so that nothing is read behind the
    // last of them.
    Value next = LLVM::GEPOp::create(
        b, loc, pointer.getType(), type.getElementType(), pointer,
        ArrayRef<LLVM::GEPArg>{int32_t(lanes - 1)});
    Value low = LLVM::LoadOp::create(b, loc, type, pointer, alignment);
    Value high = LLVM::LoadOp::create(b, loc, type, next, alignment);
    SmallVector<int64_t> picked;
    for (int64_t k = 0; k < lanes; ++k)
      picked.push_back(2 * k < lanes ? 2 * k : 2 * k + 1);
    return vector::ShuffleOp::create(b, loc, low, high, picked);
  }
  auto wide = VectorType::get({2 * lanes}, type.getElementType());
  // What lies outside of the mask is not read: it may be nobody's.
  Value words = arith::ExtUIOp::create(
      b, loc, VectorType::get({lanes}, b.getI16Type()), mask);
  Value bytes = vector::BitCastOp::create(
      b, loc, VectorType::get({2 * lanes}, b.getI8Type()), words);
  Value none = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(bytes.getType())));
  Value wideMask =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bytes, none);
  Value zero =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(wide)));
  Value loaded = LLVM::MaskedLoadOp::create(
      b, loc, wide, pointer, wideMask, zero, b.getI32IntegerAttr(alignment),
      /*nontemporal=*/nullptr);
  SmallVector<int64_t> even;
  for (int64_t k = 0; k < lanes; ++k)
    even.push_back(2 * k);
  return vector::ShuffleOp::create(b, loc, loaded, loaded, even);
}

Value kiln::loop::loadRepeated(OpBuilder &b, Location loc, Value pointer,
                               VectorType type, const analysis::Repeats &repeats,
                               Value mask, bool areMasked, unsigned alignment) {
  Type element = type.getElementType();
  int64_t lanes = type.getNumElements();
  auto elementOf = [&](int64_t lane) {
    return (lane + repeats.shift) / repeats.count;
  };
  int64_t count = elementOf(lanes - 1) + 1, step = repeats.step;
  assert((areMasked || !mask) && "masks are for targets that have them");
  Value loaded;
  int64_t apart = areMasked ? step : 1;
  if (areMasked) {
    int64_t width = llvm::PowerOf2Ceil((count - 1) * step + 1);
    auto wide = VectorType::get({width}, element);
    auto flags = VectorType::get({width}, b.getI1Type());
    // What lies behind the last element may be nobody's.
    SmallVector<bool> wanted(width, false);
    for (int64_t k = 0; k < count; ++k)
      wanted[k * step] = true;
    Value inside = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(flags, ArrayRef<bool>(wanted)));
    if (mask) {
      // An element is read for any lane that is inside.
      Value none = arith::ConstantOp::create(
          b, loc, cast<TypedAttr>(b.getZeroAttr(mask.getType())));
      inside = {};
      for (int64_t k = 0; k < repeats.count; ++k) {
        SmallVector<int64_t> from(width, lanes);
        for (int64_t lane = 0; lane < lanes; ++lane)
          if ((lane + repeats.shift) % repeats.count == k)
            from[elementOf(lane) * step] = lane;
        Value some = vector::ShuffleOp::create(b, loc, mask, none, from);
        inside = inside ? arith::OrIOp::create(b, loc, inside, some) : some;
      }
    }
    Value zero =
        arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(wide)));
    loaded = LLVM::MaskedLoadOp::create(b, loc, wide, pointer, inside, zero,
                                        b.getI32IntegerAttr(alignment),
                                        /*nontemporal=*/nullptr);
  } else {
    SmallVector<Value> elements;
    for (int64_t k = 0; k < count; ++k) {
      Value at = LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                                     ArrayRef<LLVM::GEPArg>{int32_t(k * step)});
      elements.push_back(LLVM::LoadOp::create(b, loc, element, at, alignment));
    }
    loaded = vector::FromElementsOp::create(
        b, loc, VectorType::get({count}, element), elements);
  }
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes; ++lane)
    places.push_back(elementOf(lane) * apart);
  return vector::ShuffleOp::create(b, loc, loaded, loaded, places);
}
