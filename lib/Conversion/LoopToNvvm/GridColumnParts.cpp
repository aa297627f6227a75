//===- GridColumnParts.cpp - Few rows, whose columns come in parts --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridColumnParts.h"
#include "MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Rows of a block: what a matrix unit has at least. In the second function it
/// is threads alone that follow from them.
static constexpr int64_t kFewRows = 16, kJoinedRows = 64;
/// The maximum and the total of a row, before its sums.
static constexpr int64_t kRowStatistics = 2;
static constexpr double kLog2OfE = 1.4426950408889634;

static GPUBlocksScheduleAttr getPartWalk(GPUColumnPartsScheduleAttr parts,
                                         bool isFirst) {
  return GPUBlocksScheduleAttr::get(
      parts.getContext(), isFirst ? kFewRows : kJoinedRows, parts.getColumns(),
      kMmaRows, parts.getStages(), /*group=*/1, ProductUnit::Mma,
      /*apart=*/false, /*added=*/false);
}

GridColumnPartsEmitter::GridColumnPartsEmitter(
    KernelOp kernel, const analysis::KernelStrides &strides,
    GPUColumnPartsScheduleAttr parts, bool isFirst, bool isNarrow)
    : GridBlocksEmitter(kernel, strides, getPartWalk(parts, isFirst), isNarrow),
      parts(parts), isFirst(isFirst) {}

//===----------------------------------------------------------------------===//
// Memory of the parts
//===----------------------------------------------------------------------===//

void GridColumnPartsEmitter::bindWorkspace() {
  padded =
      llvm::alignTo(*online.sums.shape.columns.extent.getConstant(), kMmaSum);
  ExprAttr elements = guard::product(context, sharedExtents) *
                      (parts.getParts() * (kRowStatistics + padded));
  reached.push_back(elements);
  scratchBytes = elements * 4;
}

Value GridColumnPartsEmitter::getPlace(Value row, Value part, Value element) {
  Value place = add(mul(row, parts.getParts()), part);
  return add(mul(place, kRowStatistics + padded), element);
}

static Value getPartAddress(ImplicitLocOpBuilder &b, Value workspace,
                            Value place) {
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), place);
  return LLVM::GEPOp::create(b, workspace.getType(), b.getF32Type(), workspace,
                             ArrayRef<LLVM::GEPArg>{offset});
}

static void storePartPair(ImplicitLocOpBuilder &b, Value address,
                          ArrayRef<Value> values) {
  Value pair = vector::FromElementsOp::create(
      b, VectorType::get({2}, b.getF32Type()), values);
  LLVM::StoreOp::create(b, pair, address, /*alignment=*/8);
}

Value GridColumnPartsEmitter::loadPair(Value place) {
  return LLVM::LoadOp::create(b, VectorType::get({2}, b.getF32Type()),
                              getPartAddress(b, workspace, place),
                              /*alignment=*/8);
}

//===----------------------------------------------------------------------===//
// A part
//===----------------------------------------------------------------------===//

/// Neighbouring blocks have parts of the same rows, as many tiles each.
void GridColumnPartsEmitter::enterBlock() {
  Value count = constantIndex(parts.getParts());
  part = arith::RemUIOp::create(b, block, count);
  block = arith::DivUIOp::create(b, block, count);
  ExprAttr tilesOfRows =
      guard::ceilDiv(sharedExtents.back(), schedule.getRows());
  pointNumber = arith::DivUIOp::create(b, block, getArgument(tilesOfRows));
  GridBlocksEmitter::enterBlock();
  blocks = blocks * parts.getParts();
  Value tiles = GridBlocksEmitter::countTiles();
  Value each = arith::DivUIOp::create(
      b, add(tiles, constantIndex(parts.getParts() - 1)), count);
  firstTile = arith::MulIOp::create(b, part, each);
  tileEnd = arith::MinSIOp::create(b, add(firstTile, each), tiles);
}

LogicalResult GridColumnPartsEmitter::finishRows(State state) {
  bindWorkspace();
  int64_t tiles = padded / kMmaColumns;
  Value first = mulExpr(pointNumber, sharedExtents.back());
  Value isFirstColumn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                              quadColumn, constantIndex(0));
  for (unsigned row = 0; row < rowIndices.size(); ++row) {
    Value total = combineQuad(state.totals[row], /*isMaximum=*/false);
    (void)emitIf(rowInside[row], [&] {
      Value number = add(first, rowIndices[row]);
      (void)emitIf(isFirstColumn, [&] {
        storePartPair(b,
                      getPartAddress(b, workspace,
                                     getPlace(number, part, constantIndex(0))),
                      {state.maxima[row], total});
        return success();
      });
      for (int64_t tile = 0; tile < tiles; ++tile) {
        Value element =
            add(quadColumn, constantIndex(kRowStatistics + tile * kMmaColumns));
        storePartPair(
            b, getPartAddress(b, workspace, getPlace(number, part, element)),
            ArrayRef(state.sums).slice(tile * kMmaSums + row * 2, 2));
      }
      return success();
    });
  }
  return success();
}

//===----------------------------------------------------------------------===//
// All parts
//===----------------------------------------------------------------------===//

static Value extractOne(ImplicitLocOpBuilder &b, Value pair, int64_t k) {
  return vector::ExtractOp::create(b, pair, ArrayRef<int64_t>{k});
}

/// A part without columns has a maximum of minus infinity, as has a row that is
/// masked there: both count 0 times what they added up, which is 0.
LogicalResult GridColumnPartsEmitter::joinParts() {
  int64_t width = *online.sums.shape.columns.extent.getConstant();
  ExprAttr rows = guard::product(context, sharedExtents);
  return emitForItem(rows * (width / 2), [&]() -> LogicalResult {
    Value pairs = constantIndex(width / 2);
    Value number = arith::DivUIOp::create(b, item, pairs);
    quadColumn = mul(arith::RemUIOp::create(b, item, pairs), 2);
    point.extents = sharedExtents;
    point.dims = delinearize(number, sharedExtents);
    rowIndices = {point.dims.back()};
    rowInside = {Value()};
    SmallVector<Value> statistics, sums;
    for (int64_t k = 0; k < parts.getParts(); ++k) {
      Value index = constantIndex(k);
      statistics.push_back(loadPair(getPlace(number, index, constantIndex(0))));
      sums.push_back(loadPair(getPlace(
          number, index, add(quadColumn, constantIndex(kRowStatistics)))));
    }
    Value low = constant(-std::numeric_limits<double>::infinity());
    Value most = low;
    for (Value pair : statistics)
      most = arith::MaximumFOp::create(b, most, extractOne(b, pair, 0));
    Value isNone =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, most, low);
    Value least = arith::SelectOp::create(b, isNone, constant(0), most);
    Value total = constant(0), first = constant(0), second = constant(0);
    for (auto [pair, sum] : llvm::zip_equal(statistics, sums)) {
      Value power = arith::MulFOp::create(
          b, arith::SubFOp::create(b, extractOne(b, pair, 0), least),
          constant(unit * kLog2OfE));
      Value scale = LLVM::CallIntrinsicOp::create(
                        b, b.getF32Type(),
                        b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
                        ValueRange{power})
                        .getResult(0);
      auto addScaled = [&](Value &to, Value value) {
        to = arith::AddFOp::create(b, to,
                                   arith::MulFOp::create(b, value, scale));
      };
      addScaled(total, extractOne(b, pair, 1));
      addScaled(first, extractOne(b, sum, 0));
      addScaled(second, extractOne(b, sum, 1));
    }
    // Of eight columns a thread has the first two, where it stands.
    values.width = values.padded = kMmaColumns;
    State state;
    state.maxima = {most};
    state.totals = {total};
    state.sums = {first, second};
    return finishRow(0, total, state);
  });
}

LogicalResult GridColumnPartsEmitter::emitThread() {
  if (isFirst)
    return GridBlocksEmitter::emitThread();
  if (failed(analyze()))
    return failure();
  if (*online.sums.shape.columns.extent.getConstant() % 2 != 0)
    return refuse(parts) << "because its result has an odd number of columns";
  bindWorkspace();
  return joinParts();
}
