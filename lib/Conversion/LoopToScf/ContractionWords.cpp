//===- ContractionWords.cpp - Products of pairs of bf16 -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word is two bf16 that are neighbours along k, the first in its lower half. Panels
// of words have the layout of panels of f32 with half as many steps of k:
//
//   A   [row tile][word / 16][MR][16]
//   B   [panel][word][NR]
//
// so 16 rows of A, 64 bytes apart, and 16 steps of 16 columns of B, NR words apart, are
// registers of AMX as they lie there. What is packed is exact in bf16: a lane of f32
// holds it in its upper half.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

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

/// The words of which `first` and `second` hold the halves.
static Value pairUp(ContractionBuilder &c, Value first, Value second) {
  VectorType words = getWords(c);
  Value half = c.splat(arith::ConstantOp::create(
      c.b, c.loc, c.b.getI32IntegerAttr(16)));
  Value low = arith::ShRUIOp::create(
      c.b, c.loc, arith::BitcastOp::create(c.b, c.loc, words, first), half);
  Value high = arith::BitcastOp::create(c.b, c.loc, words, second);
  return arith::OrIOp::create(c.b, c.loc, low, high);
}

/// Twice as many lanes of f32 as words.
static Value toWords(ContractionBuilder &c, Value values) {
  int64_t lanes = 2 * kWords;
  Type bits = VectorType::get({lanes}, c.b.getI32Type());
  Value half = arith::ConstantOp::create(
      c.b, c.loc,
      DenseElementsAttr::get(cast<ShapedType>(bits), int32_t(16)));
  Value upper = arith::ShRUIOp::create(
      c.b, c.loc, arith::BitcastOp::create(c.b, c.loc, bits, values), half);
  Value halves = arith::TruncIOp::create(
      c.b, c.loc, VectorType::get({lanes}, c.b.getI16Type()), upper);
  return vector::BitCastOp::create(c.b, c.loc, getWords(c), halves);
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
  ContractionBuilder wide(c.b, c.loc, c.spec, 2 * kWords, c.masked);
  int64_t mr = block.schedule.getTileRows();
  Value steps = c.div(block.kPadded, c.constant(2));
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
      // Element q is word q / 2, behind mr rows of it.
      Value to = c.mul(c.div(q, c.constant(2)), mr);
      c.store(toWords(c, v), wordAddress(c, start, to), kVectorBytes);
    });
  });
}

/// Rows of B are neighbours: of two rows each.
static void packWordsAlongN(ContractionBuilder &c, const PanelBlock &block,
                            Value column, Value n1, Value panel) {
  int64_t nr = block.schedule.getTileColumns();
  Value zero = c.zero(c.sums);
  Value whole = c.div(block.kc, c.constant(2));
  auto copyWord = [&](Value word, bool masked, bool odd) {
    Value k = c.add(block.k0, c.mul(word, 2));
    for (int64_t v = 0; v < nr; v += kWords) {
      Value n = c.add(column, v);
      Value mask = masked ? c.firstLanes(c.sub(n1, n)) : Value();
      auto load = [&](Value k) {
        return c.loadVector(c.spec.b, {block.batch, k, n, false, mask});
      };
      Value words = pairUp(c, load(k), odd ? zero : load(c.add(k, 1)));
      c.store(words, wordAddress(c, panel, c.add(c.mul(word, nr), v)),
              kVectorBytes);
    }
  };
  auto copy = [&](bool masked) {
    c.forEach(c.constant(0), whole, 1,
              [&](Value word) { copyWord(word, masked, /*odd=*/false); });
    c.when(c.less(c.mul(whole, 2), block.kc),
           [&] { copyWord(whole, masked, /*odd=*/true); });
  };
  Value edge = c.less(n1, c.add(column, nr));
  Value inside = c.less(c.add(column, nr - 1), n1);
  c.when(inside, [&] { copy(false); });
  c.when(edge, [&] { copy(true); });
  c.forEach(c.ceilDiv(block.kc, 2), c.div(block.kPadded, c.constant(2)), 1,
            [&](Value word) {
              for (int64_t v = 0; v < nr; v += kWords)
                c.store(zero,
                        wordAddress(c, panel, c.add(c.mul(word, nr), v)),
                        kVectorBytes);
            });
}

/// Columns of B are neighbours: they are words already, and change places.
static void packWordsAlongK(ContractionBuilder &c, const PanelBlock &block,
                            Value column, Value n1, Value panel) {
  ContractionBuilder wide(c.b, c.loc, c.spec, 2 * kWords, c.masked);
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
      Value word = c.div(q, c.constant(2));
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
  c.forEach(c.constant(0), c.div(block.kPadded, c.constant(2)), 1,
            [&](Value word) {
              Value from = c.address(staged, c.mul(word, 2 * nr),
                                     c.spec.sumType);
              Value to = wordAddress(c, panel, c.mul(word, nr));
              for (int64_t v = 0; v < nr; v += kWords) {
                auto load = [&](int64_t at) {
                  return c.load(c.sums,
                                c.address(from, c.constant(at), c.spec.sumType),
                                kVectorBytes);
                };
                c.store(pairUp(c, load(v), load(nr + v)),
                        wordAddress(c, to, c.constant(v)), kVectorBytes);
              }
            });
}

/// Of a tile that was packed along k, [k / 16][MR][16].
static void foldRowsAlong(ContractionBuilder &c, const PanelBlock &block,
                          Value staged, Value panel) {
  int64_t mr = block.schedule.getTileRows();
  SmallVector<int64_t> both;
  for (int64_t lane = 0; lane < 2 * kWords; ++lane)
    both.push_back(lane);
  c.forEach(c.constant(0), block.kPadded, 2 * kWords, [&](Value q) {
    c.forEach(c.constant(0), c.constant(mr), 1, [&](Value row) {
      auto load = [&](int64_t group) {
        Value at = c.add(c.mul(c.add(q, group), mr), c.mul(row, kWords));
        return c.load(c.sums, c.address(staged, at, c.spec.sumType),
                      kVectorBytes);
      };
      Value values = vector::ShuffleOp::create(c.b, c.loc, load(0),
                                               load(kWords), both);
      Value to = c.add(c.mul(c.div(q, c.constant(2)), mr), c.mul(row, kWords));
      c.store(toWords(c, values), wordAddress(c, panel, to), kVectorBytes);
    });
  });
}

/// Of a tile that was packed across k, [k][MR].
static void foldRowsAcross(ContractionBuilder &c, const PanelBlock &block,
                           Value staged, Value panel) {
  int64_t mr = block.schedule.getTileRows();
  c.forEach(c.constant(0), block.kPadded, 2 * kWords, [&](Value q) {
    for (int64_t group = 0; group < mr; group += kWords) {
      SmallVector<Value> vectors;
      for (int64_t u = 0; u < kWords; ++u) {
        auto load = [&](int64_t k) {
          Value at = c.add(c.mul(c.add(q, k), mr), group);
          return c.load(c.sums, c.address(staged, at, c.spec.sumType),
                        kWordBytes);
        };
        vectors.push_back(pairUp(c, load(2 * u), load(2 * u + 1)));
      }
      vectors = transposeLanes(c.b, c.loc, std::move(vectors));
      Value start = wordAddress(c, panel, c.mul(c.div(q, c.constant(2)), mr));
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
  if (!hasRowWords(spec))
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

Value kiln::loop::addPairs(ContractionBuilder &c, Value x, Value y, Value sum) {
  Type halves = VectorType::get({2 * kWords}, c.b.getBF16Type());
  auto toHalves = [&](Value words) -> Value {
    return LLVM::BitcastOp::create(c.b, c.loc, halves, words);
  };
  return LLVM::CallIntrinsicOp::create(
             c.b, c.loc, sum.getType(),
             c.b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, toHalves(x), toHalves(y)})
      .getResult(0);
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
  auto branch = scf::IfOp::create(c.b, c.loc, firstBlock, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToStart(branch.thenBlock());
    forEachSum([&](Value sum, Value) {
      callIntrinsic(c, "llvm.x86.tilezero", {sum});
    });
    c.b.setInsertionPointToStart(branch.elseBlock());
    forEachSum([&](Value sum, Value place) {
      callIntrinsic(c, "llvm.x86.tileloadd64", {sum, place, stepBytes});
    });
  }
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
