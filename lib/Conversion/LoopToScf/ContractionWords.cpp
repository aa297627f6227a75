//===- ContractionWords.cpp - Products of words of bf16 or bytes ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word is two bf16 or four bytes that are neighbours along k, the first in its lowest
// bits. Panels of words have the layout of panels of f32 with a half or a quarter as many
// steps of k:
//
//   A   [row tile][word / 16][MR][16]
//   B   [panel][word][NR]
//
// so 16 rows of A, 64 bytes apart, and 16 steps of 16 columns of B, NR words apart, are
// registers of AMX as they lie there. What is packed is exact in bf16, of which a lane
// of f32 holds it in its upper half, or a byte, in the lowest bits of a lane of i32.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

#include "kiln/Dialect/Loop/IR/Weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln::loop;
using namespace mlir;

/// Words of a vector, and of a row of a register of AMX, which has as many rows.
static constexpr int64_t kWords = 16;
static constexpr unsigned kWordBytes = 4, kVectorBytes = 64;

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static VectorType getWords(ContractionBuilder &c) {
  return VectorType::get({kWords}, c.b.getI32Type());
}

/// Factors of a word.
static int64_t getTogether(const ContractionSpec &spec) {
  return getFactorsOfWord(spec.ofBF16 ? DotUnit::Pairs : DotUnit::Quads);
}

/// The words that hold `factors`, one of each vector, the first in the lowest bits.
static Value joinFactors(ContractionBuilder &c, ArrayRef<Value> factors) {
  VectorType words = getWords(c);
  auto number = [&](int32_t value) {
    return c.splat(arith::ConstantOp::create(c.b, c.loc,
                                             c.b.getI32IntegerAttr(value)));
  };
  if (c.spec.ofBF16) {
    Value low = arith::ShRUIOp::create(
        c.b, c.loc, arith::BitcastOp::create(c.b, c.loc, words, factors[0]),
        number(16));
    Value high = arith::BitcastOp::create(c.b, c.loc, words, factors[1]);
    return arith::OrIOp::create(c.b, c.loc, low, high);
  }
  Value joined;
  for (auto [place, factor] : llvm::enumerate(factors)) {
    Value byte = factor;
    if (place + 1 < factors.size())
      byte = arith::AndIOp::create(c.b, c.loc, byte, number(255));
    if (place > 0)
      byte = arith::ShLIOp::create(c.b, c.loc, byte,
                                   number(int32_t(8 * place)));
    joined = joined ? arith::OrIOp::create(c.b, c.loc, joined, byte).getResult()
                    : byte;
  }
  return joined;
}

/// The words of as many lanes of sums as they have factors.
static Value toWords(ContractionBuilder &c, Value values) {
  int64_t together = getTogether(c.spec), lanes = together * kWords;
  Type bits = VectorType::get({lanes}, c.b.getI32Type());
  if (c.spec.ofBF16) {
    Value half = arith::ConstantOp::create(
        c.b, c.loc,
        DenseElementsAttr::get(cast<ShapedType>(bits), int32_t(16)));
    values = arith::ShRUIOp::create(
        c.b, c.loc, arith::BitcastOp::create(c.b, c.loc, bits, values), half);
  }
  Type narrow = c.b.getIntegerType(unsigned(32 / together));
  Value factors = arith::TruncIOp::create(
      c.b, c.loc, VectorType::get({lanes}, narrow), values);
  return vector::BitCastOp::create(c.b, c.loc, getWords(c), factors);
}

static Value wordAddress(ContractionBuilder &c, Value base, Value offset) {
  return c.address(base, offset, c.b.getI32Type());
}

/// f(q, mask) for each vector of words along k, from element q on.
static void forEachVectorOfWords(ContractionBuilder &wide, Value kc,
                                 llvm::function_ref<void(Value, Value)> f) {
  Value whole = wide.mul(wide.div(kc, wide.constant(wide.lanes)), wide.lanes);
  wide.forEach(wide.constant(0), whole, wide.lanes,
               [&](Value q) { f(q, nullptr); });
  wide.when(wide.less(whole, kc),
            [&] { f(whole, wide.firstLanes(wide.sub(kc, whole))); });
}

void kiln::loop::packRowWords(ContractionBuilder &c, const PanelBlock &block,
                              Value first, Value m1, Value tiles,
                              Value panels) {
  int64_t together = getTogether(c.spec);
  ContractionBuilder wide(c.b, c.loc, c.spec, together * kWords, c.masked);
  int64_t mr = block.schedule.getTileRows();
  Value steps = c.div(block.kPadded, c.constant(together));
  Value lastRow = c.sub(m1, c.constant(1));
  c.forEach(c.constant(0), c.mul(tiles, mr), 1, [&](Value r) {
    Value row = c.min(c.add(first, r), lastRow);
    Value tile = c.div(r, c.constant(mr));
    Value start = wordAddress(
        c, panels, c.add(c.mul(c.mul(tile, steps), mr),
                         c.mul(c.rem(r, c.constant(mr)), kWords)));
    forEachVectorOfWords(wide, block.kc, [&](Value q, Value mask) {
      Value v = wide.loadVector(
          c.spec.a, {block.batch, row, c.add(block.k0, q), false, mask});
      // Element q is in this word, behind mr rows of it.
      Value to = c.mul(c.div(q, c.constant(together)), mr);
      c.store(toWords(c, v), wordAddress(c, start, to), kVectorBytes);
    });
  });
}

/// Rows of B are neighbours: a word is of two or four rows.
static void packWordsAlongN(ContractionBuilder &c, const PanelBlock &block,
                            Value column, Value n1, Value panel) {
  int64_t nr = block.schedule.getTileColumns();
  int64_t together = getTogether(c.spec);
  Value zero = c.zero(c.sums);
  Value whole = c.div(block.kc, c.constant(together));
  auto copyWord = [&](Value word, bool masked, bool isLast) {
    Value k = c.add(block.k0, c.mul(word, together));
    for (int64_t v = 0; v < nr; v += kWords) {
      Value n = c.add(column, v);
      SmallVector<Value> rows;
      for (int64_t u = 0; u < together; ++u) {
        // Of the last word there is one row at least, and not all.
        if (isLast && u == together - 1) {
          rows.push_back(zero);
          continue;
        }
        Value mask = masked ? c.firstLanes(c.sub(n1, n)) : Value();
        if (isLast && u > 0) {
          Value isThere = c.less(c.add(c.mul(word, together), u), block.kc);
          mask = c.firstLanes(
              c.select(isThere, c.sub(n1, n), c.constant(0)));
        }
        rows.push_back(
            c.loadVector(c.spec.b, {block.batch, c.add(k, u), n, false, mask}));
      }
      c.store(joinFactors(c, rows),
              wordAddress(c, panel, c.add(c.mul(word, nr), v)), kVectorBytes);
    }
  };
  auto copy = [&](bool masked) {
    c.forEach(c.constant(0), whole, 1,
              [&](Value word) { copyWord(word, masked, /*isLast=*/false); });
    c.when(c.less(c.mul(whole, together), block.kc),
           [&] { copyWord(whole, masked, /*isLast=*/true); });
  };
  Value edge = c.less(n1, c.add(column, nr));
  Value inside = c.less(c.add(column, nr - 1), n1);
  c.when(inside, [&] { copy(false); });
  c.when(edge, [&] { copy(true); });
  c.forEach(c.ceilDiv(block.kc, together),
            c.div(block.kPadded, c.constant(together)), 1, [&](Value word) {
              for (int64_t v = 0; v < nr; v += kWords)
                c.store(zero,
                        wordAddress(c, panel, c.add(c.mul(word, nr), v)),
                        kVectorBytes);
            });
}

/// Columns of B are neighbours: they are words already, and change places.
static void packWordsAlongK(ContractionBuilder &c, const PanelBlock &block,
                            Value column, Value n1, Value panel) {
  int64_t together = getTogether(c.spec);
  ContractionBuilder wide(c.b, c.loc, c.spec, together * kWords, c.masked);
  int64_t nr = block.schedule.getTileColumns();
  Value lastColumn = c.sub(n1, c.constant(1));
  c.forEach(c.constant(0), c.constant(nr), kWords, [&](Value v) {
    forEachVectorOfWords(wide, block.kc, [&](Value q, Value mask) {
      SmallVector<Value> vectors;
      for (int64_t u = 0; u < kWords; ++u) {
        Value n = c.min(c.add(column, c.add(v, u)), lastColumn);
        vectors.push_back(toWords(
            c, wide.loadVector(c.spec.b, {block.batch, c.add(block.k0, q), n,
                                          true, mask})));
      }
      vectors = transposeLanes(c.b, c.loc, std::move(vectors));
      Value word = c.div(q, c.constant(together));
      Value start = wordAddress(c, panel, c.add(c.mul(word, nr), v));
      for (int64_t u = 0; u < kWords; ++u)
        c.store(vectors[u], wordAddress(c, start, c.constant(u * nr)),
                kVectorBytes);
    });
  });
}

void kiln::loop::packColumnWords(ContractionBuilder &c, const PanelBlock &block,
                                 Value column, Value n1, Value panel) {
  if (c.spec.b.columnStride.is(1))
    packWordsAlongN(c, block, column, n1, panel);
  else
    packWordsAlongK(c, block, column, n1, panel);
}

void kiln::loop::foldColumns(ContractionBuilder &c, const PanelBlock &block,
                             Value staged, Value panel) {
  int64_t nr = block.schedule.getTileColumns();
  int64_t together = getTogether(c.spec);
  c.forEach(c.constant(0), c.div(block.kPadded, c.constant(together)), 1,
            [&](Value word) {
              Value from = c.address(staged, c.mul(word, together * nr),
                                     c.spec.sumType);
              Value to = wordAddress(c, panel, c.mul(word, nr));
              for (int64_t v = 0; v < nr; v += kWords) {
                SmallVector<Value> rows;
                for (int64_t u = 0; u < together; ++u)
                  rows.push_back(c.load(c.sums,
                                        c.address(from, c.constant(u * nr + v),
                                                  c.spec.sumType),
                                        kVectorBytes));
                c.store(joinFactors(c, rows), wordAddress(c, to, c.constant(v)),
                        kVectorBytes);
              }
            });
}

/// The lanes of all vectors, in their order.
static Value concatenate(ContractionBuilder &c, SmallVector<Value> vectors) {
  while (vectors.size() > 1) {
    int64_t lanes =
        2 * cast<VectorType>(vectors[0].getType()).getNumElements();
    auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    SmallVector<Value> wider;
    for (size_t i = 0; i < vectors.size(); i += 2)
      wider.push_back(vector::ShuffleOp::create(c.b, c.loc, vectors[i],
                                                vectors[i + 1], numbers));
    vectors = std::move(wider);
  }
  return vectors.front();
}

/// Of a tile that was packed along k, [k / 16][MR][16].
static void foldRowsAlong(ContractionBuilder &c, const PanelBlock &block,
                          Value staged, Value panel) {
  int64_t mr = block.schedule.getTileRows();
  int64_t together = getTogether(c.spec);
  c.forEach(c.constant(0), block.kPadded, together * kWords, [&](Value q) {
    c.forEach(c.constant(0), c.constant(mr), 1, [&](Value row) {
      SmallVector<Value> vectors;
      for (int64_t u = 0; u < together; ++u) {
        Value at =
            c.add(c.mul(c.add(q, u * kWords), mr), c.mul(row, kWords));
        vectors.push_back(c.load(
            c.sums, c.address(staged, at, c.spec.sumType), kVectorBytes));
      }
      Value to =
          c.add(c.mul(c.div(q, c.constant(together)), mr), c.mul(row, kWords));
      c.store(toWords(c, concatenate(c, std::move(vectors))),
              wordAddress(c, panel, to), kVectorBytes);
    });
  });
}

/// Of a tile that was packed across k, [k][MR].
static void foldRowsAcross(ContractionBuilder &c, const PanelBlock &block,
                           Value staged, Value panel) {
  int64_t mr = block.schedule.getTileRows();
  int64_t together = getTogether(c.spec);
  c.forEach(c.constant(0), block.kPadded, together * kWords, [&](Value q) {
    for (int64_t group = 0; group < mr; group += kWords) {
      SmallVector<Value> vectors;
      for (int64_t word = 0; word < kWords; ++word) {
        SmallVector<Value> factors;
        for (int64_t u = 0; u < together; ++u) {
          Value at =
              c.add(c.mul(c.add(q, together * word + u), mr), group);
          factors.push_back(c.load(
              c.sums, c.address(staged, at, c.spec.sumType), kWordBytes));
        }
        vectors.push_back(joinFactors(c, factors));
      }
      vectors = transposeLanes(c.b, c.loc, std::move(vectors));
      Value start =
          wordAddress(c, panel, c.mul(c.div(q, c.constant(together)), mr));
      for (int64_t u = 0; u < std::min(kWords, mr - group); ++u)
        c.store(vectors[u],
                wordAddress(c, start, c.constant((group + u) * kWords)),
                kVectorBytes);
    }
  });
}

void kiln::loop::foldRows(ContractionBuilder &c, const PanelBlock &block,
                          Value staged, Value panel) {
  if (packsAcrossRows(c.spec))
    foldRowsAcross(c, block, staged, panel);
  else
    foldRowsAlong(c, block, staged, panel);
}

int64_t kiln::loop::getStagedElements(const ContractionSpec &spec,
                                      PackedScheduleAttr schedule) {
  if (schedule.getUnit() == DotUnit::Fma)
    return 0;
  int64_t sides = 0;
  if (!hasRowWords(spec) && !schedule.getInPlace())
    sides = schedule.getTileRows();
  if (!hasColumnWords(spec) && !spec.b.packed)
    sides = std::max(sides, schedule.getTileColumns());
  // The last vector of a tile that is read across may end behind it.
  return sides ? sides * schedule.getBlockDepth() + kWords : 0;
}

bool kiln::loop::hasRowWords(const ContractionSpec &spec) {
  return !spec.a.irregular && spec.a.columnStride.is(1);
}

bool kiln::loop::hasColumnWords(const ContractionSpec &spec) {
  return !spec.b.irregular &&
         (spec.b.columnStride.is(1) || spec.b.rowStride.is(1));
}

//===----------------------------------------------------------------------===//
// Multiplying
//===----------------------------------------------------------------------===//

static void callIntrinsic(ContractionBuilder &c, StringRef name,
                          ArrayRef<Value> operands) {
  LLVM::CallIntrinsicOp::create(c.b, c.loc, c.b.getStringAttr(name), operands);
}

Value kiln::loop::addProducts(ContractionBuilder &c, Value x, Value y,
                              Value sum) {
  auto add = [&](StringRef name, Type factors, Value first,
                 Value second) -> Value {
    auto cast = [&](Value words) -> Value {
      return LLVM::BitcastOp::create(c.b, c.loc, factors, words);
    };
    return LLVM::CallIntrinsicOp::create(
               c.b, c.loc, sum.getType(), c.b.getStringAttr(name),
               ValueRange{sum, cast(first), cast(second)})
        .getResult(0);
  };
  if (c.spec.ofBF16)
    return add("llvm.x86.avx512bf16.dpbf16ps.512",
               VectorType::get({2 * kWords}, c.b.getBF16Type()), x, y);
  // The first factors are unsigned, the second ones signed.
  if (c.spec.unsignedB)
    std::swap(x, y);
  return add("llvm.x86.avx512.vpdpbusd.512",
             VectorType::get({4 * kWords}, c.b.getI8Type()), x, y);
}

/// The number of a register, which is part of the instruction.
static Value registerNumber(ContractionBuilder &c, int64_t number) {
  return LLVM::ConstantOp::create(c.b, c.loc, c.b.getI8Type(),
                                  c.b.getI8IntegerAttr(int8_t(number)));
}

void kiln::loop::configureTiles(ContractionBuilder &c, Value memory) {
  // Palette 1; of each of 8 registers the bytes of a row from byte 16 on, and the
  // rows from byte 48 on.
  SmallVector<int8_t> bytes(kVectorBytes, 0);
  bytes[0] = 1;
  for (int64_t tile = 0; tile < 8; ++tile) {
    bytes[16 + 2 * tile] = kVectorBytes;
    bytes[48 + tile] = kWords;
  }
  auto type = VectorType::get({int64_t(kVectorBytes)}, c.b.getI8Type());
  Value shape = arith::ConstantOp::create(
      c.b, c.loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  c.store(shape, memory, kVectorBytes);
  callIntrinsic(c, "llvm.x86.ldtilecfg", {memory});
}

void kiln::loop::releaseTiles(ContractionBuilder &c) {
  callIntrinsic(c, "llvm.x86.tilerelease", {});
}

void kiln::loop::multiplyTiles(ContractionBuilder &c,
                               PackedScheduleAttr schedule, Value steps,
                               Value rows, Value columns, Value sums,
                               Value firstBlock, int64_t count) {
  int64_t mr = schedule.getTileRows(), nr = schedule.getTileColumns();
  int64_t high = count / kWords, wide = nr / kWords;
  auto sumOf = [&](int64_t i, int64_t j) {
    return registerNumber(c, i * wide + j);
  };
  auto rowsOf = [&](int64_t i) { return registerNumber(c, high * wide + i); };
  auto columnsOf = [&](int64_t j) {
    return registerNumber(c, high * wide + high + j);
  };
  Value rowBytes = c.constant(kVectorBytes),
        stepBytes = c.constant(nr * kWordBytes);
  auto forEachSum = [&](llvm::function_ref<void(Value, Value)> f) {
    for (int64_t i = 0; i < high; ++i)
      for (int64_t j = 0; j < wide; ++j)
        f(sumOf(i, j),
          wordAddress(c, sums, c.constant((i * nr + j) * kWords)));
  };
  c.when(
      firstBlock,
      [&] {
        forEachSum([&](Value sum, Value) {
          callIntrinsic(c, "llvm.x86.tilezero", {sum});
        });
      },
      [&] {
        forEachSum([&](Value sum, Value place) {
          callIntrinsic(c, "llvm.x86.tileloadd64", {sum, place, stepBytes});
        });
      });
  c.forEach(c.constant(0), steps, kWords, [&](Value word) {
    Value aStart = wordAddress(c, rows, c.mul(word, mr));
    Value bStart = wordAddress(c, columns, c.mul(word, nr));
    for (int64_t j = 0; j < wide; ++j)
      callIntrinsic(c, "llvm.x86.tileloadd64",
                    {columnsOf(j),
                     wordAddress(c, bStart, c.constant(j * kWords)),
                     stepBytes});
    for (int64_t i = 0; i < high; ++i) {
      Value place = wordAddress(c, aStart, c.constant(i * kWords * kWords));
      callIntrinsic(c, "llvm.x86.tileloadd64", {rowsOf(i), place, rowBytes});
      for (int64_t j = 0; j < wide; ++j)
        callIntrinsic(c, "llvm.x86.tdpbf16ps",
                      {sumOf(i, j), rowsOf(i), columnsOf(j)});
    }
  });
  forEachSum([&](Value sum, Value place) {
    callIntrinsic(c, "llvm.x86.tilestored64", {sum, place, stepBytes});
  });
}
