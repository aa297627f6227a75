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

using namespace kiln::loop;
using namespace mlir;

/// Most rows of a skinny product, which are repeated in its code: a constraint (C5) of
/// the schedules and no choice, for which they take far fewer.
static constexpr int64_t kMaxSkinnyRows = 32;

static int64_t getSumBytes(const ContractionSpec &spec) {
  return spec.sumType.getIntOrFloatBitWidth() / 8;
}

/// Of a skinny product all rows are in one item.
static int64_t getSkinnyRows(const ContractionSpec &spec) {
  return std::max<int64_t>(*spec.m.constant, 1);
}

ContractionItem kiln::loop::getContractionItem(const ContractionSpec &spec,
                                               ScheduleAttr schedule) {
  if (auto rows = dyn_cast<SkinnyRowsScheduleAttr>(schedule))
    return {getSkinnyRows(spec), rows.getItemColumns()};
  if (auto columns = dyn_cast<SkinnyColumnsScheduleAttr>(schedule))
    return {getSkinnyRows(spec), columns.getItemColumns()};
  auto packed = cast<PackedScheduleAttr>(schedule);
  return {packed.getItemRows(), packed.getItemColumns()};
}

int64_t kiln::loop::getContractionScratch(const ContractionSpec &spec,
                                          ScheduleAttr schedule) {
  if (auto rows = dyn_cast<SkinnyRowsScheduleAttr>(schedule))
    return *spec.m.constant * rows.getItemColumns() * getSumBytes(spec);
  if (isa<SkinnyColumnsScheduleAttr>(schedule))
    return 0;
  auto packed = cast<PackedScheduleAttr>(schedule);
  return PackedScratch(spec, packed).all() * getSumBytes(spec) +
         irregularTableBytes(spec, packed);
}

llvm::StringRef kiln::loop::getMisfit(const ContractionSpec &spec,
                                      ScheduleAttr schedule) {
  if (auto packed = dyn_cast<PackedScheduleAttr>(schedule)) {
    bool hasRuns = (!spec.ends || spec.groupsRows) && getRunsInPlace(spec, packed);
    if (packed.getInPlace() && !hasRuns)
      return "expected neighbours of A along the depth, of which a block has whole runs";
    if (packed.getUnit() == DotUnit::Quads)
      return spec.unsignedA != spec.unsignedB
                 ? ""
                 : "expected factors of unsigned and of signed bytes";
    bool isFma = packed.getUnit() == DotUnit::Fma;
    return isFma || (spec.ofBF16 && spec.sumType.isF32())
               ? ""
               : "expected factors of bf16 and sums of f32";
  }
  if (spec.ends)
    return "expected no members in groups";
  if (spec.a.irregular || spec.b.irregular || spec.c.irregular)
    return "expected operands that are matrices";
  if (!spec.m.constant || *spec.m.constant > kMaxSkinnyRows)
    return "expected at most 32 rows";
  if (isa<SkinnyRowsScheduleAttr>(schedule))
    return spec.b.columnStride.is(1) && spec.c.columnStride.is(1)
               ? ""
               : "expected neighbours along the rows of B and of the result";
  return spec.b.rowStride.is(1) && spec.a.columnStride.is(1)
             ? ""
             : "expected neighbours along the rows of A and the columns of B";
}

/// Few rows of A times rows of B: some rows of B at a time are read as streams,
/// and added to sums in scratch memory.
static void emitSkinnyRows(ContractionBuilder &c,
                           SkinnyRowsScheduleAttr schedule, Value batch,
                           Value n0, Value n1, Value scratch) {
  const ContractionSpec &spec = c.spec;
  int64_t m = *spec.m.constant;
  unsigned alignment = static_cast<unsigned>(c.lanes * c.sumBytes);
  Value width = c.sub(n1, n0);
  auto sumAt = [&](int64_t row, Value offset) {
    return c.address(scratch, c.add(offset, row * schedule.getItemColumns()),
                     spec.sumType);
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
  int64_t rowsAtOnce = schedule.getUnroll();
  Value k = c.get(spec.k);
  Value whole = c.mul(c.div(k, c.constant(rowsAtOnce)), rowsAtOnce);
  c.forEach(c.constant(0), whole, rowsAtOnce,
            [&](Value q) { addRows(q, rowsAtOnce); });
  c.forEach(whole, k, 1, [&](Value q) { addRows(q, 1); });
  c.forEach(c.constant(0), width, c.lanes, [&](Value j) {
    Value mask = c.firstLanes(c.sub(width, j));
    for (int64_t row = 0; row < m; ++row)
      c.storeVector(c.load(c.sums, sumAt(row, j), alignment),
                    {batch, c.constant(row), c.add(n0, j), false, mask});
  });
}

/// Few rows of A times columns of B, each an inner product along k.
static void emitSkinnyColumns(ContractionBuilder &c,
                              SkinnyColumnsScheduleAttr schedule, Value batch,
                              Value n0, Value n1) {
  const ContractionSpec &spec = c.spec;
  int64_t m = *spec.m.constant;
  if (m == 0)
    return;
  int64_t group = schedule.getColumns();
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
              isa<FloatType>(spec.sumType) ? arith::FastMathFlags::reassoc
                                           : arith::FastMathFlags::none);
          c.storeElement(total, {batch, c.constant(row), c.add(n, j), false,
                                 nullptr});
        }
      });
  });
}

std::pair<int64_t, bool> kiln::loop::getLanes(ScheduleAttr schedule) {
  if (auto rows = dyn_cast<SkinnyRowsScheduleAttr>(schedule))
    return {rows.getLanes(), rows.getMasked()};
  if (auto columns = dyn_cast<SkinnyColumnsScheduleAttr>(schedule))
    return {columns.getLanes(), columns.getMasked()};
  auto packed = cast<PackedScheduleAttr>(schedule);
  return {packed.getLanes(), packed.getMasked()};
}

/// Where group `batch` begins and ends: within 0 and `all` whatever the ends say.
static std::pair<Value, Value> getGroup(ContractionBuilder &c, Value batch,
                                        Value all) {
  auto endOf = [&](Value group) -> Value {
    Type i32 = c.b.getI32Type();
    Value place = c.mul(group, c.get(c.spec.endStep));
    Value end = c.load(i32, c.address(c.spec.ends, place, i32), 4);
    end = arith::ExtSIOp::create(c.b, c.loc, c.b.getI64Type(), end);
    return c.min(arith::MaxSIOp::create(c.b, c.loc, end, c.constant(0)), all);
  };
  // A group's begin is read from the place before, but of the first, which has none.
  Value isFirst = c.equal(batch, c.constant(0));
  Value before = c.select(isFirst, batch, c.sub(batch, c.constant(1)));
  return {c.select(isFirst, c.constant(0), endOf(before)), endOf(batch)};
}

/// Rows from `m0` on of a group, which are as many as an item has, at most; behind the last
/// group there is one of zeros.
static void emitGroupedRows(ContractionBuilder &c, PackedScheduleAttr schedule,
                            Value batch, Value m0, Value n0, Value n1,
                            Value scratch) {
  Value m = c.get(c.spec.m), count = c.get(c.spec.batch);
  auto emitRows = [&](Value first, Value end, auto emit) {
    Value from = c.add(first, m0);
    c.when(c.less(from, end), [&] {
      emit(from, c.min(c.add(from, schedule.getItemRows()), end));
    });
  };
  c.when(
      c.less(batch, count),
      [&] {
        auto [first, end] = getGroup(c, batch, m);
        emitRows(first, end, [&](Value from, Value to) {
          emitPackedTile(c, schedule, batch, from, to, n0, n1, scratch);
        });
      },
      [&] {
        Value last = c.sub(count, c.constant(1));
        emitRows(getGroup(c, last, m).second, m, [&](Value from, Value to) {
          c.forEach(from, to, 1, [&](Value row) {
            c.forEach(n0, n1, 1, [&](Value column) {
              c.storeElement(c.zero(c.spec.sumType),
                             {batch, row, column, false, nullptr});
            });
          });
        });
      });
}

/// The sum over a group's members: the operands begin where it begins, and k is their number.
static void emitGroupedSum(ContractionBuilder &c, PackedScheduleAttr schedule,
                           Value batch, Value m0, Value n0, Value n1,
                           Value scratch) {
  Value first, end;
  std::tie(first, end) = getGroup(c, batch, c.get(c.spec.k));
  ContractionSpec spec = c.spec;
  spec.ends = {};
  spec.mostK = spec.k.constant; // as the scratch memory is for
  spec.k = c.select(c.less(first, end), c.sub(end, first), c.constant(0));
  auto move = [&](ContractionOperand &operand, const Extent &stride) {
    operand.base =
        c.address(operand.base, c.mul(first, c.get(stride)), operand.type);
  };
  move(spec.a, spec.a.columnStride);
  move(spec.b, spec.b.rowStride);
  ContractionBuilder group(c.b, c.loc, spec, c.lanes, c.masked);
  Value m1 = c.min(c.add(m0, schedule.getItemRows()), c.get(spec.m));
  emitPackedTile(group, schedule, batch, m0, m1, n0, n1, scratch);
}

void kiln::loop::emitContraction(OpBuilder &b, Location loc,
                                 const ContractionSpec &spec,
                                 ScheduleAttr schedule, Value begin, Value end,
                                 Value scratch) {
  auto [lanes, masked] = getLanes(schedule);
  ContractionBuilder c(b, loc, spec, lanes, masked);
  ContractionItem size = getContractionItem(spec, schedule);
  Value m = c.get(spec.m), n = c.get(spec.n);
  Value tilesM = c.ceilDiv(m, size.rows);
  Value tilesN = c.ceilDiv(n, size.columns);
  // Products of one tile and of several have the same code, which kernels of
  // other sizes can share; LLVM sees what is divided by 1.
  bool keeps = isa<PackedScheduleAttr>(schedule);
  auto divide = [&](Value x, Value y) -> Value {
    return keeps ? arith::DivUIOp::create(b, loc, x, y) : c.div(x, y);
  };
  auto remain = [&](Value x, Value y) -> Value {
    return keeps ? arith::RemUIOp::create(b, loc, x, y) : c.rem(x, y);
  };
  c.forEach(begin, end, 1, [&](Value item) {
    Value rest = divide(item, tilesM);
    Value m0 = c.mul(remain(item, tilesM), size.rows);
    Value n0 = c.mul(remain(rest, tilesN), size.columns);
    Value batch = divide(rest, tilesN);
    Value n1 = c.min(c.add(n0, size.columns), n);
    if (spec.ends) {
      auto packed = cast<PackedScheduleAttr>(schedule);
      if (spec.groupsRows)
        emitGroupedRows(c, packed, batch, m0, n0, n1, scratch);
      else
        emitGroupedSum(c, packed, batch, m0, n0, n1, scratch);
      return;
    }
    Value m1 = c.min(c.add(m0, size.rows), m);
    if (auto packed = dyn_cast<PackedScheduleAttr>(schedule))
      emitPackedTile(c, packed, batch, m0, m1, n0, n1, scratch);
    else if (auto rows = dyn_cast<SkinnyRowsScheduleAttr>(schedule))
      emitSkinnyRows(c, rows, batch, n0, n1, scratch);
    else
      emitSkinnyColumns(c, cast<SkinnyColumnsScheduleAttr>(schedule), batch, n0,
                        n1);
  });
}
