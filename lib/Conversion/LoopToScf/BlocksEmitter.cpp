//===- BlocksEmitter.cpp - Products and rows in blocks -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every nest runs on one block of rows before the next block begins. What is kept
// for a block is addressed as if it were there for all rows: its pointer is moved
// back by the rows before the block, so that nests and products need not know.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "ScheduleEmitters.h"

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

BlocksEmitter::BlocksEmitter(KernelOp kernel,
                             const analysis::KernelStrides &inputStrides,
                             BlocksScheduleAttr schedule)
    : ProductEmitter(kernel, inputStrides, schedule), blocks(schedule) {
  layout = analysis::getBlockLayout(kernel, inputStrides);
}

void BlocksEmitter::bindRow(Value result) {
  if (!analysis::isKeptForBlock(kernel, result))
    return KernelEmitter::bindRow(result);
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  ExprAttr rowSize = layout.lookup(result)[sharedExtents.size() - 1];
  int64_t bytes = blocks.getRows() * analysis::getElementBytes(element);
  buffers[result] = {allocateScratch(rowSize * bytes), layout.lookup(result),
                     element};
}

Value BlocksEmitter::getEnd(const Position &position, unsigned dim) {
  return limitedDim == dim ? columnEnd : KernelEmitter::getEnd(position, dim);
}

/// Nests between contractions, row by row.
LogicalResult BlocksEmitter::emitRows(ArrayRef<unsigned> numbers) {
  WithinScheduleAttr within = blocks.getNests();
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto loop = scf::ForOp::create(b, row0, row1, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Position position = point;
  position.dims.back() = loop.getInductionVar();
  for (unsigned k : numbers) {
    // Lanes within a nest depend on this nest alone.
    masksTails = within.getMasked() && !analysis::mayTrap(nests[k]);
    limitedDim = limit ? limit->dims[k] : std::nullopt;
    LogicalResult emitted =
        emitNest(nests[k], position,
                 {within.getAlong()[k], within.getBeside()[k]});
    limitedDim = std::nullopt;
    if (failed(emitted))
      return failure();
  }
  perPoint.clear(); // other rows have other values
  return success();
}

/// The first row, column and element of the sum of a product, at the point at hand.
Position BlocksEmitter::getPoint(const analysis::BlockProduct &product) {
  Position domain;
  domain.extents = ContractOp(product.op).getDomain().all();
  domain.dims.assign(domain.extents.size(), constantIndex(0));
  for (auto [k, dim] : llvm::enumerate(ArrayRef(product.shared).drop_back()))
    if (dim)
      domain.dims[*dim] = point.dims[k];
  return domain;
}

/// A product of the block's rows; `limited` is its dimension that ends at the limit.
LogicalResult BlocksEmitter::emitProduct(const analysis::BlockProduct &product,
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

  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  ContractionBuilder c(b, op.getLoc(), spec, packed.getLanes(),
                       packed.getMasked());
  Value columns = c.get(spec.n);
  if (limited) {
    if (product.shape.sum.dims == SmallVector<unsigned>{*limited}) {
      spec.mostK = spec.k.constant;
      spec.k = Extent(toI64(columnEnd));
    } else if (product.shape.columns.dims == SmallVector<unsigned>{*limited}) {
      columns = toI64(columnEnd);
      spec.limitsColumns = true;
    }
  }
  Value scratch = allocateScratch(
      guard::getConstant(context, getContractionScratch(spec, packed)));
  Value m0 = toI64(row0), m1 = toI64(row1), zero = c.constant(0);
  c.forEach(zero, columns, packed.getItemColumns(), [&](Value n0) {
    Value n1 = c.min(c.add(n0, packed.getItemColumns()), columns);
    emitPackedTile(c, packed, zero, m0, m1, n0, n1, scratch);
  });
  return failure(failedInside);
}

LogicalResult
BlocksEmitter::emitBlock(ArrayRef<analysis::BlockProduct> products) {
  ArrayRef<Attribute> packed = blocks.getProducts().getValue();
  SmallVector<NestOpInterface> nests = kernel.getNests();
  SmallVector<unsigned> rows;
  for (unsigned k = 0; k < nests.size(); ++k) {
    if (!isa<ContractOp>(nests[k].getOperation())) {
      rows.push_back(k);
      if (k + 1 < nests.size() && !isa<ContractOp>(nests[k + 1].getOperation()))
        continue;
      if (failed(emitRows(rows)))
        return failure();
      rows.clear();
      continue;
    }
    const analysis::BlockProduct &product = products.front();
    auto schedule = cast<PackedScheduleAttr>(packed.front());
    auto limited = limit ? limit->dims[k] : std::nullopt;
    if (failed(product.overRows ? addToSums(product, schedule, limited)
                                : emitProduct(product, schedule, limited)))
      return failure();
    products = products.drop_front();
    packed = packed.drop_front();
  }
  return success();
}

/// The rows of a block, where their columns end, and where what is kept for them lies.
void BlocksEmitter::enterBlock(Value number) {
  Value step = constantIndex(blocks.getRows()),
        all = getArgument(sharedExtents.back());
  row0 = arith::MulIOp::create(b, number, step);
  row1 = arith::MinUIOp::create(b, arith::AddIOp::create(b, row0, step), all);
  if (limit) {
    // Whole vectors of every nest, so that a limit leaves no other tails than
    // the extent does.
    int64_t lanes = 1;
    for (int64_t along : blocks.getNests().getAlong())
      lanes = std::max(lanes, along);
    Value unit = constantIndex(lanes);
    Value last = arith::AddIOp::create(b, row1,
                                       constantIndex(limit->beyond - 1));
    Value padded = arith::AddIOp::create(b, last, constantIndex(lanes - 1));
    Value whole = arith::MulIOp::create(
        b, arith::DivUIOp::create(b, padded, unit), unit);
    columnEnd = arith::MinUIOp::create(b, whole, getArgument(limit->extent));
  }
  for (auto &[value, strides] : layout) {
    if (!value.getDefiningOp() || !analysis::isKeptForBlock(kernel, value))
      continue;
    Buffer &buffer = buffers[value];
    ExprAttr rowBytes = strides[sharedExtents.size() - 1] *
                        analysis::getElementBytes(buffer.elementType);
    Value offset = arith::SubIOp::create(
        b, constantIndex(0),
        arith::MulIOp::create(b, row0, getArgument(rowBytes)));
    offset = arith::IndexCastOp::create(b, b.getI64Type(), offset);
    buffer.pointer = LLVM::GEPOp::create(b, buffer.pointer.getType(),
                                         b.getI8Type(), buffer.pointer,
                                         ArrayRef<LLVM::GEPArg>{offset});
  }
}

/// True if every product can end at the limit. Operands in several runs are addressed
/// by tables for all of the sum, which would read what was not written; so would a sum
/// over the rows whose rows or columns are not those of the kernel alone.
static bool canEndSums(ArrayRef<analysis::BlockProduct> products,
                       const analysis::ColumnLimit &limit,
                       ArrayRef<NestOpInterface> nests) {
  for (auto [k, dim] : llvm::enumerate(limit.dims)) {
    NestOpInterface nest = nests[k];
    auto op = dyn_cast<ContractOp>(nest.getOperation());
    if (!op)
      continue;
    const analysis::ContractionShape &shape = products.front().shape;
    bool overRows = products.front().overRows;
    products = products.drop_front();
    if (overRows) {
      SmallVector<unsigned> own;
      if (dim)
        own.push_back(*dim);
      if (shape.columns.dims != own && shape.rows.dims != own)
        return false;
      continue;
    }
    if (dim && *dim >= op.getDomain().parallel.size() &&
        (shape.sum.dims != SmallVector<unsigned>{*dim} ||
         shape.isIrregular(0) || shape.isIrregular(1)))
      return false;
  }
  return true;
}

LogicalResult BlocksEmitter::emitItems() {
  auto products = analysis::getBlockProducts(kernel, layout);
  if (!products)
    return refuse(blocks)
           << "expected contractions that are products with rows along the last "
              "shared dimension";
  limit = analysis::getColumnLimit(kernel);
  if (limit && !canEndSums(*products, *limit, kernel.getNests()))
    limit = std::nullopt;
  sumBlock = blocks.getNests().getSumBlock();
  ArrayRef<ExprAttr> outer = ArrayRef(sharedExtents).drop_back();
  ExprAttr perPoint =
      guard::ceilDiv(sharedExtents.back(), blocks.getRows());
  bool hasSums = llvm::any_of(
      *products, [](const analysis::BlockProduct &each) { return each.overRows; });
  work = guard::product(context, outer);
  if (!hasSums)
    work = work * perPoint;

  auto loop = scf::ForOp::create(b, begin, end, constantIndex(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value count = getArgument(perPoint), item = loop.getInductionVar();
  point.extents = sharedExtents;
  if (!hasSums) {
    point.dims = delinearize(arith::DivUIOp::create(b, item, count), outer);
    point.dims.push_back({});
    enterBlock(arith::RemUIOp::create(b, item, count));
    return emitBlock(*products);
  }
  // One thread has all blocks of a point: they add to the same sums.
  point.dims = delinearize(item, outer);
  point.dims.push_back({});
  allocateSums(*products);
  if (failed(clearSums(*products)))
    return failure();
  auto each = scf::ForOp::create(b, constantIndex(0), count, constantIndex(1));
  llvm::DenseMap<Value, Buffer> unmoved = buffers;
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(each.getBody()->getTerminator());
    enterBlock(each.getInductionVar());
    if (failed(emitBlock(*products)))
      return failure();
  }
  buffers = std::move(unmoved); // the last block's are known in its loop alone
  return storeSums(*products);
}
