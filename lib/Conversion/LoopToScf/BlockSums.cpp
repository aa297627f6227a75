//===- BlockSums.cpp - Sums over the rows of blocks -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction that sums over the rows of its kernel has a part of the sum in each
// block. The parts are added up in scratch memory, in the type of the sums and
// row-major; behind the last block the result is made of it. Under a limit of columns
// what lies behind it gets no part of a block.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "ScheduleEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::BlockProduct;

static Value toI64(ImplicitLocOpBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}

void BlocksEmitter::allocateSums(ArrayRef<BlockProduct> products) {
  for (const BlockProduct &product : products)
    if (product.overRows) {
      ContractOp op = product.op;
      sums[op] = allocateScratch(
          product.shape.rows.extent * product.shape.columns.extent *
          int64_t(op.getAccType().getIntOrFloatBitWidth() / 8));
    }
}

/// The sums as an operand of the product that `spec` describes.
ContractionOperand BlocksEmitter::getSums(ContractOp op) {
  ContractionOperand operand;
  operand.base = sums.lookup(op);
  operand.type = spec.sumType;
  operand.rowStride = spec.n;
  return operand;
}

LogicalResult BlocksEmitter::clearSums(ArrayRef<BlockProduct> products) {
  for (auto [product, attr] : llvm::zip_equal(products, blocks.getProducts())) {
    if (!product.overRows)
      continue;
    ContractOp op = product.op;
    spec = {};
    if (failed(describe(op, product.shape)))
      return failure();
    auto packed = cast<PackedScheduleAttr>(attr);
    ContractionBuilder c(b, op.getLoc(), spec, packed.getLanes(),
                         packed.getMasked());
    // Scratch memory ends behind whole vectors.
    Value count = c.mul(c.get(spec.m), c.get(spec.n));
    c.forEach(c.constant(0), count, c.lanes, [&](Value i) {
      c.store(c.zero(c.sums), c.address(sums.lookup(op), i, spec.sumType),
              c.sumBytes * c.lanes);
    });
  }
  return success();
}

/// Adds the part of the block's rows; `limited` is the dimension that ends at the limit.
LogicalResult BlocksEmitter::addToSums(const BlockProduct &product,
                                       PackedScheduleAttr packed,
                                       std::optional<unsigned> limited) {
  ContractOp op = product.op;
  spec = {};
  if (failed(describe(op, product.shape)))
    return failure();
  if (StringRef misfit = getMisfit(spec, packed); !misfit.empty())
    return refuse(blocks) << misfit;
  Position domain = getPoint(product);
  place(op, product.shape, domain);
  masksTails = packed.getMasked() && !analysis::mayTrap(op);

  ContractionBuilder c(b, op.getLoc(), spec, packed.getLanes(),
                       packed.getMasked());
  Value first = toI64(b, row0), zero = c.constant(0);
  spec.a.base = c.address(
      spec.a.base, c.mul(first, c.get(spec.a.columnStride)), spec.a.type);
  spec.b.base = c.address(spec.b.base,
                          c.mul(first, c.get(spec.b.rowStride)), spec.b.type);
  spec.k = Extent(c.sub(toI64(b, row1), first));
  spec.mostK = blocks.getRows();
  ContractionOperand before = getSums(op);
  spec.c = before;
  spec.c.map = [&](OpBuilder &, Location, Value part,
                   const ContractionIndex &at) -> Value {
    return c.addSums(c.loadVector(before, at), part);
  };
  Value rows = c.get(spec.m), columns = c.get(spec.n);
  if (limited) {
    SmallVector<unsigned> own = {*limited};
    spec.limitsColumns = product.shape.columns.dims == own;
    (spec.limitsColumns ? columns : rows) = toI64(b, columnEnd);
  }
  Value scratch = allocateScratch(
      guard::getConstant(context, getContractionScratch(spec, packed)));
  c.forEach(zero, columns, packed.getItemColumns(), [&](Value n0) {
    Value n1 = c.min(c.add(n0, packed.getItemColumns()), columns);
    c.forEach(zero, rows, packed.getItemRows(), [&](Value m0) {
      Value m1 = c.min(c.add(m0, packed.getItemRows()), rows);
      emitPackedTile(c, packed, zero, m0, m1, n0, n1, scratch);
    });
  });
  return success();
}

/// Makes the results of the sums, epilogues and types included.
LogicalResult BlocksEmitter::storeSums(ArrayRef<BlockProduct> products) {
  for (auto [product, attr] : llvm::zip_equal(products, blocks.getProducts())) {
    if (!product.overRows)
      continue;
    ContractOp op = product.op;
    spec = {};
    if (failed(describe(op, product.shape)))
      return failure();
    Position domain = getPoint(product);
    place(op, product.shape, domain);
    auto packed = cast<PackedScheduleAttr>(attr);
    masksTails = packed.getMasked() && !analysis::mayTrap(op);
    ContractionBuilder c(b, op.getLoc(), spec, packed.getLanes(),
                         packed.getMasked());
    ContractionOperand from = getSums(op);
    Value zero = c.constant(0), columns = c.get(spec.n);
    Value whole = c.mul(c.div(columns, c.constant(c.lanes)), c.lanes);
    auto copy = [&](Value row, Value column, Value mask) {
      ContractionIndex at{zero, row, column, false, mask};
      c.storeVector(c.loadVector(from, at), at);
    };
    c.forEach(zero, c.get(spec.m), 1, [&](Value row) {
      if (!spec.c.columnStride.is(1)) {
        c.forEach(zero, columns, 1, [&](Value column) {
          c.storeElement(c.loadElement(from, zero, row, column),
                         {zero, row, column, false, nullptr});
        });
        return;
      }
      c.forEach(zero, whole, c.lanes,
                [&](Value column) { copy(row, column, nullptr); });
      c.when(c.less(whole, columns), [&] {
        copy(row, whole, c.firstLanes(c.sub(columns, whole)));
      });
    });
    if (failedInside)
      return failure();
  }
  return success();
}
