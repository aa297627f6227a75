//===- ContractionEmitter.cpp - Matrix products as vector loops -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"

#include "ContractionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace kiln::loop;
using namespace mlir;

static int64_t divideUp(int64_t x, int64_t y) { return (x + y - 1) / y; }

int64_t ContractionPlan::workItems(int64_t batch, int64_t m, int64_t n) const {
  return batch * divideUp(m, tileM) * divideUp(n, tileN);
}

/// Items that a large static problem should have at least, so that two threads
/// finish together even if one of them is interrupted.
static constexpr int64_t kWantedItems = 4;
static constexpr int64_t kSkinnyRows = 8;

static void choosePackedTiles(ContractionPlan &plan,
                              const ContractionSpec &spec,
                              const ContractionTarget &target,
                              int64_t sumBytes) {
  bool wide = target.vectorRegisters >= 32;
  plan.masks = wide;
  plan.mr = wide ? 12 : 6;
  // Few rows of zeros in the last tile.
  if (spec.m.constant && *spec.m.constant > 0)
    plan.mr = divideUp(*spec.m.constant, divideUp(*spec.m.constant, plan.mr));
  plan.nr = 2 * plan.lanes;
  // Long passes over k amortise the loads and stores of sums.
  plan.kc = 4096 / sumBytes;
  if (spec.k.constant) {
    int64_t k = std::max<int64_t>(*spec.k.constant, 1);
    int64_t blocks = divideUp(k, plan.kc);
    plan.kc = divideUp(divideUp(k, blocks), plan.lanes) * plan.lanes;
  }
  // Rows of A fill half of the second-level cache.
  int64_t rows = static_cast<int64_t>(target.l2Bytes / 2) /
                 (plan.kc * sumBytes);
  plan.mc = std::clamp<int64_t>(rows / plan.mr, 1, 40) * plan.mr;
  plan.tileM = std::max<int64_t>(960 / plan.mc, 1) * plan.mc;
  if (spec.m.constant) {
    int64_t m = std::max<int64_t>(*spec.m.constant, 1);
    int64_t padded = divideUp(m, plan.mr) * plan.mr;
    plan.mc = std::min(plan.mc, padded);
    int64_t tiles = divideUp(padded, plan.tileM);
    plan.tileM = divideUp(divideUp(padded, tiles), plan.mr) * plan.mr;
  }
  plan.tileN = divideUp(256, plan.nr) * plan.nr;
  if (!spec.n.constant)
    return;
  int64_t n = std::max<int64_t>(*spec.n.constant, 1);
  int64_t others = spec.batch.constant.value_or(1);
  auto items = [&](int64_t tileN) {
    int64_t rows = spec.m.constant ? divideUp(*spec.m.constant, plan.tileM) : 1;
    return others * rows * divideUp(n, tileN);
  };
  // Wide tiles pack A less often.
  if (items(2 * plan.tileN) >= 2 * kWantedItems)
    plan.tileN *= 2;
  plan.tileN = std::min(plan.tileN, divideUp(n, plan.nr) * plan.nr);
  // The longer side is cut: what is packed for it is packed less often.
  while (items(plan.tileN) < kWantedItems) {
    if (spec.m.constant && plan.tileM > plan.tileN &&
        plan.tileM >= 2 * plan.mr)
      plan.tileM = divideUp(plan.tileM / 2, plan.mr) * plan.mr;
    else if (plan.tileN >= 2 * plan.nr)
      plan.tileN = plan.tileN / 2 / plan.nr * plan.nr;
    else
      break;
  }
  plan.mc = std::min(plan.mc, plan.tileM);
}

ContractionPlan kiln::loop::planContraction(const ContractionSpec &spec,
                                            const ContractionTarget &target) {
  ContractionPlan plan;
  int64_t sumBits = spec.sumType.getIntOrFloatBitWidth();
  int64_t sumBytes = sumBits / 8;
  plan.lanes = target.vectorBits / sumBits;
  choosePackedTiles(plan, spec, target, sumBytes);
  bool few = spec.m.constant && *spec.m.constant <= kSkinnyRows;
  if (spec.a.irregular || spec.b.irregular || spec.c.irregular)
    few = false;
  if (few && spec.b.columnStride.is(1) && spec.c.columnStride.is(1)) {
    plan.scheme = ContractionPlan::Scheme::SkinnyRows;
    plan.tileM = kSkinnyRows;
    plan.tileN = 32 * plan.lanes;
    plan.scratchBytes = *spec.m.constant * plan.tileN * sumBytes;
    return plan;
  }
  if (few && spec.b.rowStride.is(1) && spec.a.columnStride.is(1)) {
    plan.scheme = ContractionPlan::Scheme::SkinnyColumns;
    plan.tileM = kSkinnyRows;
    plan.tileN = 96;
    plan.scratchBytes = 0;
    return plan;
  }
  bool onePanel = plan.tileM <= plan.mc;
  bool oneBlock = spec.k.constant && *spec.k.constant <= plan.kc;
  int64_t panels = onePanel ? 1 : plan.tileN / plan.nr;
  int64_t sums = oneBlock ? plan.mr * plan.nr
                          : plan.tileM * plan.tileN;
  plan.scratchBytes =
      (plan.mc * plan.kc + panels * plan.kc * plan.nr + sums) * sumBytes +
      irregularTableBytes(spec, plan.nr);
  return plan;
}

/// At most 8 rows of A times rows of B: eight rows of B at a time are read as
/// streams, and added to sums in scratch memory.
static void emitSkinnyRows(ContractionBuilder &c, Value batch, Value n0,
                           Value n1, Value scratch) {
  const ContractionSpec &spec = c.spec;
  int64_t m = *spec.m.constant;
  unsigned alignment = static_cast<unsigned>(c.lanes * c.sumBytes);
  Value width = c.sub(n1, n0);
  auto sumAt = [&](int64_t row, Value offset) {
    return c.address(scratch, c.add(offset, row * c.plan.tileN), spec.sumType);
  };
  c.forEach(c.constant(0), width, c.lanes, [&](Value j) {
    for (int64_t row = 0; row < m; ++row)
      c.store(c.zero(c.sums), sumAt(row, j), alignment);
  });
  auto addRows = [&](Value k, int64_t count) {
    SmallVector<Value> a;
    for (int64_t row = 0; row < m; ++row)
      for (int64_t u = 0; u < count; ++u)
        a.push_back(c.splat(c.loadElement(spec.a, batch, c.constant(row),
                                          c.add(k, u))));
    auto columns = [&](Value j, Value mask) {
      SmallVector<Value> sum;
      for (int64_t row = 0; row < m; ++row)
        sum.push_back(c.load(c.sums, sumAt(row, j), alignment));
      for (int64_t u = 0; u < count; ++u) {
        Value bVector = c.loadVector(
            spec.b, {batch, c.add(k, u), c.add(n0, j), false, mask});
        for (int64_t row = 0; row < m; ++row)
          sum[row] = c.fma(a[row * count + u], bVector, sum[row]);
      }
      for (int64_t row = 0; row < m; ++row)
        c.store(sum[row], sumAt(row, j), alignment);
    };
    Value whole = c.mul(c.div(width, c.constant(c.lanes)), c.lanes);
    c.forEach(c.constant(0), whole, c.lanes,
              [&](Value j) { columns(j, nullptr); });
    c.when(c.less(whole, width),
           [&] { columns(whole, c.firstLanes(c.sub(width, whole))); });
  };
  constexpr int64_t kRowsAtOnce = 8;
  Value k = c.get(spec.k);
  Value whole = c.mul(c.div(k, c.constant(kRowsAtOnce)), kRowsAtOnce);
  c.forEach(c.constant(0), whole, kRowsAtOnce,
            [&](Value q) { addRows(q, kRowsAtOnce); });
  c.forEach(whole, k, 1, [&](Value q) { addRows(q, 1); });
  c.forEach(c.constant(0), width, c.lanes, [&](Value j) {
    Value mask = c.firstLanes(c.sub(width, j));
    for (int64_t row = 0; row < m; ++row)
      c.storeVector(c.load(c.sums, sumAt(row, j), alignment),
                    {batch, c.constant(row), c.add(n0, j), false, mask});
  });
}

/// At most 8 rows of A times columns of B, each an inner product along k.
static void emitSkinnyColumns(ContractionBuilder &c, Value batch, Value n0,
                              Value n1) {
  const ContractionSpec &spec = c.spec;
  int64_t m = *spec.m.constant;
  if (m == 0)
    return;
  int64_t registers = c.plan.mr * 2;
  int64_t group = std::clamp<int64_t>(registers / m, 1, 8);
  Value k = c.get(spec.k);
  Value whole = c.mul(c.div(k, c.constant(c.lanes)), c.lanes);
  Value lastColumn = c.sub(n1, c.constant(1));
  c.forEach(n0, n1, group, [&](Value n) {
    SmallVector<Value> columns;
    for (int64_t j = 0; j < group; ++j)
      columns.push_back(c.min(c.add(n, j), lastColumn));
    auto addProducts = [&](Value q, ValueRange sofar, Value mask) {
      SmallVector<Value> sum(sofar), a;
      for (int64_t row = 0; row < m; ++row)
        a.push_back(
            c.loadVector(spec.a, {batch, c.constant(row), q, false, mask}));
      for (int64_t j = 0; j < group; ++j) {
        Value bVector =
            c.loadVector(spec.b, {batch, q, columns[j], true, mask});
        for (int64_t row = 0; row < m; ++row)
          sum[row * group + j] =
              c.fma(a[row], bVector, sum[row * group + j]);
      }
      return sum;
    };
    SmallVector<Value> zeros(m * group, c.zero(c.sums));
    SmallVector<Value> sum =
        c.forEach(c.constant(0), whole, c.lanes, zeros,
                  [&](Value q, ValueRange sofar) {
                    return addProducts(q, sofar, nullptr);
                  });
    // Zero or one more step, with a mask.
    sum = c.forEach(whole, k, c.lanes, sum, [&](Value q, ValueRange sofar) {
      return addProducts(q, sofar, c.firstLanes(c.sub(k, q)));
    });
    for (int64_t j = 0; j < group; ++j)
      c.when(c.less(c.add(n, j), n1), [&] {
        for (int64_t row = 0; row < m; ++row) {
          // A tree over the lanes; its shape depends on their number only.
          Value total = vector::ReductionOp::create(
              c.b, c.loc, vector::CombiningKind::ADD, sum[row * group + j],
              arith::FastMathFlags::reassoc);
          c.storeElement(total, {batch, c.constant(row), c.add(n, j), false,
                                 nullptr});
        }
      });
  });
}

void kiln::loop::emitContraction(OpBuilder &b, Location loc,
                                 const ContractionSpec &spec,
                                 const ContractionPlan &plan, Value begin,
                                 Value end, Value scratch) {
  ContractionBuilder c(b, loc, spec, plan);
  Value m = c.get(spec.m), n = c.get(spec.n);
  Value tilesM = c.ceilDiv(m, plan.tileM);
  Value tilesN = c.ceilDiv(n, plan.tileN);
  c.forEach(begin, end, 1, [&](Value item) {
    Value rest = c.div(item, tilesM);
    Value m0 = c.mul(c.rem(item, tilesM), plan.tileM);
    Value n0 = c.mul(c.rem(rest, tilesN), plan.tileN);
    Value batch = c.div(rest, tilesN);
    Value m1 = c.min(c.add(m0, plan.tileM), m);
    Value n1 = c.min(c.add(n0, plan.tileN), n);
    switch (plan.scheme) {
    case ContractionPlan::Scheme::Packed:
      return emitPackedTile(c, batch, m0, m1, n0, n1, scratch);
    case ContractionPlan::Scheme::SkinnyRows:
      return emitSkinnyRows(c, batch, n0, n1, scratch);
    case ContractionPlan::Scheme::SkinnyColumns:
      return emitSkinnyColumns(c, batch, n0, n1);
    }
  });
}
