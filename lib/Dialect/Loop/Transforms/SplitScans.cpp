//===- SplitScans.cpp - Scan long rows in parts and carry what is before ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a GPU walks a row; of few long rows most of the GPU sees nothing. Here parts of a
// row are rows, the last elements of all parts are scanned, and each element is joined with
// what is before its part. The usual way for GPUs (Merrill, Garland: Single-pass Parallel
// Prefix Scan with Decoupled Look-back, 2016) reads and writes once, not twice, but joins what
// happens to be ready: its floats differ from call to call. These do not.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_SPLITSCANSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Parts for each multiprocessor: more would only make the scan of their last elements longer.
static constexpr int64_t kPartsOfMultiprocessor = 8;
/// The fewest parts for which three steps take less than one block.
static constexpr int64_t kFewestParts = 8;

namespace {

class SplitScans : public loop::impl::SplitScansPassBase<SplitScans> {
public:
  using SplitScansPassBase::SplitScansPassBase;
  void runOnOperation() override;

private:
  int64_t chooseLength(ScanOp op, const analysis::SizeHints &hints) const;
};

/// Makes the nests that a scan becomes. Parts are the last parallel dimension.
class ScanSplitter {
public:
  ScanSplitter(OpBuilder &builder, ScanOp op, int64_t length)
      : b(op.getLoc(), builder), op(op), outer(op.getDomain().parallel),
        length(length), parts(guard::ceilDiv(op.getRowExtent(), length)) {}

  SmallVector<Value> split();

private:
  ScanOp makeScan(ExprAttr row, ArrayRef<ExprAttr> parallel, TypeRange elements,
                  llvm::function_ref<SmallVector<Value>(ValueRange)> body);
  SmallVector<Value> loadParts(ScanOp scanned, ValueRange indices);
  ScanOp scanParts();
  ScanOp scanLast(ScanOp scanned);
  Value carry(ScanOp scanned, ScanOp before, unsigned result);

  ImplicitLocOpBuilder b;
  ScanOp op;
  SmallVector<ExprAttr> outer;
  int64_t length; ///< of a part
  ExprAttr parts; ///< of a row
};

} // namespace

/// Accumulators as they are stored between the nests: what f64 adds up for a result of f32 as f32,
/// which costs as much precision as the result has anyway.
static SmallVector<Type> getStoredElements(ScanOp op) {
  SmallVector<Type> types = getAccumulatorElements(op);
  for (auto [result, type] : llvm::zip_equal(op->getResultTypes(), types))
    if (Type element = getElementTypeOrSelf(result);
        type.isF64() && element.isF32())
      type = element;
  return types;
}

/// A scan as `op` of such elements, along the last dimension.
ScanOp ScanSplitter::makeScan(
    ExprAttr row, ArrayRef<ExprAttr> parallel, TypeRange elements,
    llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  SmallVector<ExprAttr> extents(parallel);
  extents.push_back(row);
  SmallVector<Type> types = llvm::map_to_vector(elements, [&](Type element) -> Type {
    return guard::makeTensorType(element, extents);
  });
  auto made = ScanOp::create(b, types, op.getInits(), parallel, row,
                             parallel.size(), getKinds(op), op.getOriginsAttr());
  if (!op.getCombiner().empty()) {
    IRMapping mapping;
    op.getCombiner().cloneInto(&made.getCombiner(), mapping);
  }
  OpBuilder::InsertionGuard guard(b);
  Block &block = made.getBody().front();
  b.setInsertionPointToStart(&block);
  YieldOp::create(b, body(block.getArguments()));
  return made;
}

/// Each part by itself. What is behind the end of the row is joined with nothing that is read.
ScanOp ScanSplitter::scanParts() {
  SmallVector<ExprAttr> parallel(outer);
  parallel.push_back(parts);
  MLIRContext *context = b.getContext();
  return makeScan(
      guard::getConstant(context, length), parallel, getStoredElements(op),
      [&](ValueRange at) {
        SmallVector<Value> indices(at.drop_back(2));
        indices.push_back(createIndex(
            b, b.getLoc(),
            guard::getDim(context, 0) * length + guard::getDim(context, 1),
            at.take_back(2)));
        Value isInside;
        auto count = op.getRowExtent().getConstant();
        if (!count || *count % length != 0)
          isInside = arith::CmpIOp::create(
              b, arith::CmpIPredicate::slt, indices.back(),
              createIndex(b, b.getLoc(), op.getRowExtent(), {}));
        return cloneBody(b, op.getBody().front(), indices, isInside);
      });
}

/// What parts have at `indices`, as accumulators.
SmallVector<Value> ScanSplitter::loadParts(ScanOp scanned, ValueRange indices) {
  SmallVector<Value> values;
  for (auto [result, type] :
       llvm::zip_equal(scanned.getResults(), op.getAccumulatorTypes())) {
    Value value = LoadOp::create(b, result, indices);
    if (value.getType() != type)
      value = arith::ExtFOp::create(b, type, value);
    values.push_back(value);
  }
  return values;
}

/// The last elements of parts: what is before the part behind.
ScanOp ScanSplitter::scanLast(ScanOp scanned) {
  return makeScan(parts, outer, getAccumulatorElements(op), [&](ValueRange at) {
    SmallVector<Value> indices(at);
    indices.push_back(arith::ConstantIndexOp::create(b, length - 1));
    return loadParts(scanned, indices);
  });
}

/// Result `k`: elements of parts joined with what is before these, but in the first.
Value ScanSplitter::carry(ScanOp scanned, ScanOp before, unsigned k) {
  MLIRContext *context = b.getContext();
  SmallVector<ExprAttr> extents = op.getResultExtents();
  auto type = cast<RankedTensorType>(op->getResult(k).getType());
  auto nest = PointwiseOp::create(b, type, extents, op.getOriginsAttr());
  OpBuilder::InsertionGuard guard(b);
  Block &block = nest.getBody().front();
  b.setInsertionPointToStart(&block);
  SmallVector<Value> at(block.getArguments());
  Value row = at[op.getDimension()];
  at.erase(at.begin() + op.getDimension());
  ExprAttr place = guard::getDim(context, 0), part = guard::floorDiv(place, length);
  SmallVector<Value> inPart(at), inRow(at);
  inPart.push_back(createIndex(b, b.getLoc(), part, row));
  inPart.push_back(createIndex(b, b.getLoc(), guard::mod(place, length), row));
  inRow.push_back(createIndex(b, b.getLoc(), part + -1, row));
  Value isBehind = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sge, row, arith::ConstantIndexOp::create(b, length));
  SmallVector<Value> left, right = loadParts(scanned, inPart);
  // Before the first part stands nothing: what is there for it is not used.
  for (auto [carried, value] : llvm::zip_equal(before.getResults(), right))
    left.push_back(LoadOp::create(
        b, carried, inRow, getIdentityMap(context, inRow.size()), isBehind,
        arith::ConstantOp::create(b, b.getZeroAttr(value.getType()))));
  auto joined = op.combine(b, left, right, [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    SmallVector<Value> operands(x);
    operands.append(y.begin(), y.end());
    return cloneBody(b, op.getCombiner().front(), operands);
  });
  Value value = arith::SelectOp::create(b, isBehind, (*joined)[k], right[k]);
  YieldOp::create(b, roundToElement(b, b.getLoc(), value, type));
  return nest.getResult();
}

SmallVector<Value> ScanSplitter::split() {
  ScanOp scanned = scanParts(), before = scanLast(scanned);
  return llvm::map_to_vector(llvm::seq(op->getNumResults()), [&](unsigned k) {
    return carry(scanned, before, k);
  });
}

/// Elements of a part; 0 if the scan stays whole.
int64_t SplitScans::chooseLength(ScanOp op, const analysis::SizeHints &hints) const {
  int64_t multiprocessors = getGPUTarget(op).getMultiprocessors();
  int64_t rows = hints.product(op.getDomain().parallel),
          count = hints.product({op.getRowExtent()});
  if (2 * rows > multiprocessors || count < kFewestParts * int64_t(part))
    return 0;
  int64_t wanted = count / llvm::divideCeil(multiprocessors * kPartsOfMultiprocessor, rows);
  return std::max<int64_t>(part, llvm::bit_ceil(uint64_t(wanted)));
}

void SplitScans::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(
          verifyPassInput(function, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(function))
    return; // a processor's thread reads as fast as memory gives
  analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
  bool changed = false;
  for (auto op : llvm::make_early_inc_range(function.getOps<ScanOp>())) {
    int64_t length = chooseLength(op, hints);
    if (length == 0)
      continue;
    OpBuilder builder(op);
    SmallVector<Value> results = ScanSplitter(builder, op, length).split();
    if (auto told = remark::passed(
            op.getLoc(), remarks::kScanSplit.function(function.getName())))
      told << remark::metric("nest", describe(cast<NestOpInterface>(*op)))
           << remark::metric("length", length);
    op->replaceAllUsesWith(results);
    op.erase();
    changed = true;
  }
  if (changed)
    simplifyBodies(function, hints);
}
