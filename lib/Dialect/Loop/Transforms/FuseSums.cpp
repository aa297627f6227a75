//===- FuseSums.cpp - Sum up columns of a product where its tiles are -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ColumnSums.h"
#include "GPUProducts.h"
#include "PackedCopy.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/TileSums.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Interfaces/SumMark.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_FUSESUMSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

/// A product whose blocks may sum up the rows of their tiles.
struct TiledProduct {
  KernelOp kernel;
  ContractOp op;
  analysis::ResultMatrix matrix;
  int64_t rows = 0;     ///< of a tile
  int64_t parts = 0;    ///< tiles below each other
  bool isExact = false; ///< the last one has as many rows as the others
};

/// A sum over all rows of what a product makes.
struct RowSum {
  ReduceOp sum;
  TiledProduct product;
  Value made; ///< in the kernel of the sum
};

class FuseSums : public loop::impl::FuseSumsPassBase<FuseSums> {
public:
  using FuseSumsPassBase::FuseSumsPassBase;
  void runOnOperation() override;

private:
  /// The sums of a kernel, each with its product; nothing, and why, if one has
  /// none.
  std::optional<SmallVector<RowSum>> findProducts(KernelOp columns,
                                                  StringRef &why) const;
  void fuse(ArrayRef<RowSum> matches);
  void schedule(KernelOp columns, int64_t parts);
};

} // namespace

/// The tensor outside of `kernel` that its argument is.
static Value getReadTensor(KernelOp kernel, Value argument) {
  return kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
}

/// The product that makes `tensor`; nothing, and why, if its tiles are not to
/// be summed up.
static std::optional<TiledProduct> getTiledProduct(Value tensor,
                                                   StringRef &why) {
  TiledProduct product;
  product.kernel = tensor.getDefiningOp<KernelOp>();
  auto schedule = dyn_cast_or_null<GPUProductScheduleAttr>(
      product.kernel ? product.kernel.getScheduleAttr() : ScheduleAttr());
  if (!schedule)
    return std::nullopt; // no product at all
  auto contracts = product.kernel.getBody().getOps<ContractOp>();
  product.op = *contracts.begin();
  auto type = cast<RankedTensorType>(product.op.getResult().getType());
  why = "its product is not made in tiles of one matrix of 16 bits";
  auto strides = analysis::getInputStrides(product.kernel);
  Value returned = product.kernel.getBody().front().getTerminator()->getOperand(
      cast<OpResult>(tensor).getResultNumber());
  if (!llvm::hasSingleElement(contracts) ||
      returned != product.op.getResult() || tensor.getType() != type ||
      (!type.getElementType().isBF16() && !type.getElementType().isF16()) ||
      schedule.getUnit() == ProductUnit::Fma || schedule.getSplit() != 1 ||
      schedule.getLibrary() != GPULibrary::None || failed(strides))
    return std::nullopt;
  auto shape = getTileShape(product.op, *strides);
  auto matrix =
      shape ? analysis::getResultMatrix(product.op, *shape) : std::nullopt;
  auto rows = matrix ? matrix->rows.getConstant() : std::nullopt;
  if (!rows || !matrix->columns.getConstant())
    return std::nullopt;
  why = "";
  product.matrix = *matrix;
  product.rows = schedule.getRows();
  product.parts = llvm::divideCeil(*rows, product.rows);
  product.isExact = *rows % product.rows == 0;
  return product;
}

/// True if the reduced indices of `sum` are for reading `made` alone.
static bool readsRowsAlone(ReduceOp sum, Value made) {
  Block &body = sum.getBody().front();
  auto reduced =
      body.getArguments().drop_front(sum.getDomain().parallel.size());
  return llvm::all_of(reduced, [&](BlockArgument index) {
    return llvm::all_of(index.getUsers(), [&](Operation *user) {
      auto load = dyn_cast<LoadOp>(user);
      return load && load.getTensor() == made && !load.getMask();
    });
  });
}

/// True if what `sum` reads besides is there before the product is made.
static bool readsEarlier(KernelOp columns, ReduceOp sum,
                         const TiledProduct &product, Value made) {
  return !sum->walk([&](LoadOp load) {
               if (load.getTensor() == made)
                 return WalkResult::advance();
               Operation *maker =
                   getReadTensor(columns, load.getTensor()).getDefiningOp();
               bool isThere = !maker ||
                              maker->getBlock() != product.kernel->getBlock() ||
                              maker->isBeforeInBlock(product.kernel);
               return isThere ? WalkResult::advance() : WalkResult::interrupt();
             })
              .wasInterrupted();
}

/// The product whose rows `sum` adds up; nothing if it has none, and why where
/// it reads one.
static std::optional<RowSum> findProduct(KernelOp columns, ReduceOp sum,
                                         StringRef &why) {
  SmallVector<analysis::Access> reads =
      analysis::getReads(cast<NestOpInterface>(sum.getOperation()));
  RowSum match;
  match.sum = sum;
  for (const analysis::Access &access : reads) {
    auto product = getTiledProduct(getReadTensor(columns, access.tensor), why);
    if (!product)
      continue;
    if (match.made && match.made != access.tensor) {
      why = "it reads several products";
      return std::nullopt;
    }
    match.product = *product;
    match.made = access.tensor;
  }
  if (!match.made)
    return std::nullopt;
  const TiledProduct &product = match.product;
  why = "it reads other elements of its product than those of its column, row "
        "by row";
  for (const analysis::Access &access : reads)
    if (access.tensor == match.made &&
        (!analysis::readsEachRow(access, sum, product.op, product.matrix) ||
         !analysis::readsOwnColumn(access, sum, /*first=*/0, product.op,
                                   product.matrix)))
      return std::nullopt;
  why = "rows have more than what the product makes of them";
  if (!readsRowsAlone(sum, match.made))
    return std::nullopt;
  why = "it is no sum of floats";
  bool areSums = sum.getInits().empty() &&
                 llvm::all_of(getKinds(sum), [](ReductionKind kind) {
                   return kind == ReductionKind::Sum;
                 });
  if (!areSums ||
      !llvm::all_of(sum.getBody().front().getTerminator()->getOperandTypes(),
                    llvm::IsaPred<FloatType>))
    return std::nullopt;
  why = "it reads what is made behind its product";
  if (!readsEarlier(columns, sum, product, match.made))
    return std::nullopt;
  why = "";
  return match;
}

std::optional<SmallVector<RowSum>>
FuseSums::findProducts(KernelOp columns, StringRef &why) const {
  if (!canReduceInParts(columns))
    return std::nullopt;
  SmallVector<RowSum> matches;
  llvm::SmallDenseMap<Operation *, int64_t> bytes;
  for (auto sum : columns.getBody().getOps<ReduceOp>()) {
    auto match = findProduct(columns, sum, why);
    if (!match) {
      if (why.empty() && !matches.empty())
        why = "another sum of its kernel is of no product";
      return std::nullopt;
    }
    matches.push_back(*match);
    TiledProduct product = match->product;
    for (auto other : product.kernel.getBody().getOps<ReduceOp>())
      if (bytes.try_emplace(other, 0).second)
        bytes[product.kernel] += analysis::getTileSumBytes(other);
    bytes[product.kernel] += analysis::getTileSumBytes(sum);
    if (bytes[product.kernel] > analysis::kMostTileSumBytes)
      why = "a warp has no room for so many sums of a column";
    else if (product.parts != matches.front().product.parts)
      why = "products of its sums have other numbers of tiles";
    else if (analysis::getElementBytes(
                 cast<RankedTensorType>(match->made.getType())
                     .getElementType()) *
                 *product.matrix.rows.getConstant() *
                 *product.matrix.columns.getConstant() <
             int64_t(minBytes))
      why = "too few bytes are read again";
    if (!why.empty())
      return std::nullopt;
  }
  return matches;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The value in the kernel of the product that is `value` in that of the sum.
static Value bringToProduct(const RowSum &match, Value value) {
  KernelOp kernel = match.product.kernel;
  Block &body = kernel.getBody().front();
  if (value == match.made) {
    ContractOp product = match.product.op;
    return product.getResult();
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) { // a constant
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    return builder.clone(*value.getDefiningOp())->getResult(0);
  }
  return addInput(kernel,
                  getReadTensor(match.sum->getParentOfType<KernelOp>(), value));
}

/// Whether a row of the tile is one of the result.
static Value createIsRow(OpBuilder &builder, ReduceOp made,
                         const TiledProduct &product) {
  Location location = made.getLoc();
  Value index =
      createIndex(builder, location,
                  guard::lt(analysis::getTileRow(made), product.matrix.rows),
                  made.getBody().front().getArguments());
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                               index, zero);
}

static Value createZero(OpBuilder &builder, Location location, Type type) {
  return arith::ConstantOp::create(builder, location,
                                   cast<TypedAttr>(builder.getZeroAttr(type)));
}

/// Lets the loads of the product in `made`, a sum over rows of tiles, read its
/// rows; where `isRow` is not null, if there are such.
static void readTileRows(const RowSum &match, ReduceOp made, Value isRow) {
  ContractOp product = match.product.op;
  Block &body = made.getBody().front();
  SmallVector<ExprAttr> row =
      analysis::getTileRowIndices(made, product, match.product.matrix);
  auto nest = cast<NestOpInterface>(made.getOperation());
  SmallVector<LoadOp> loads;
  for (LoadOp load : body.getOps<LoadOp>())
    if (load.getTensor() == product.getResult())
      loads.push_back(load);
  for (LoadOp load : loads) {
    analysis::Access access;
    for (const analysis::Access &each : analysis::getReads(nest))
      if (each.load == load)
        access = each;
    SmallVector<ExprAttr> map(row);
    llvm::append_range(map, ArrayRef(access.map).drop_front(row.size()));
    OpBuilder builder(load);
    Value other =
        isRow ? createZero(builder, load.getLoc(), load.getType()) : Value();
    Value read = LoadOp::create(builder, load.getLoc(), load.getTensor(),
                                body.getArguments(), map, isRow, other);
    load.replaceAllUsesWith(read);
    load.erase();
  }
}

/// The sum over rows of tiles, in the kernel of the product.
static ReduceOp sumTiles(const RowSum &match) {
  ReduceOp sum = match.sum;
  const TiledProduct &product = match.product;
  MLIRContext *context = sum.getContext();
  Domain domain = sum.getDomain();
  SmallVector<ExprAttr> parallel = {guard::getConstant(context, product.parts)};
  llvm::append_range(parallel, domain.parallel);
  SmallVector<Type> types;
  for (Type type : sum.getBody().front().getTerminator()->getOperandTypes())
    types.push_back(guard::makeTensorType(type, parallel));
  Block *from = sum->getBlock();
  KernelOp kernel = product.kernel;
  llvm::SetVector<Value> outside;
  sum->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getParentBlock() == from)
        outside.insert(operand);
  });
  IRMapping mapping;
  for (Value value : outside)
    mapping.map(value, bringToProduct(match, value));

  OpBuilder builder = OpBuilder::atBlockTerminator(&kernel.getBody().front());
  ExprAttr rows = guard::getConstant(context, product.rows);
  auto made = ReduceOp::create(builder, sum.getLoc(), types, parallel, {rows},
                               getKinds(sum), sum.getOriginsAttr());
  copySumMark(sum, made);
  Block &body = made.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value isRow = product.isExact ? Value() : createIsRow(builder, made, product);
  auto indices = llvm::to_vector_of<Value>(
      body.getArguments().slice(1, domain.parallel.size()));
  // Loads of rows get indices of their own below.
  indices.append(domain.reduction.size(), body.getArguments().back());
  SmallVector<Value> yielded =
      cloneBody(builder, sum.getBody().front(), indices);
  if (isRow)
    for (Value &value : yielded)
      value = arith::SelectOp::create(
          builder, sum.getLoc(), isRow, value,
          createZero(builder, sum.getLoc(), value.getType()));
  YieldOp::create(builder, sum.getLoc(), yielded);
  made->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value brought = mapping.lookupOrNull(operand.get()))
        operand.set(brought);
  });
  readTileRows(match, made, isRow);
  return made;
}

void FuseSums::fuse(ArrayRef<RowSum> matches) {
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  auto columns = matches.front().sum->getParentOfType<KernelOp>();
  int64_t parts = matches.front().product.parts;
  for (RowSum match : matches) {
    // Another sum may have put another kernel in its place.
    match.product.kernel = match.product.op->getParentOfType<KernelOp>();
    TrafficAttr traffic = match.product.kernel.getTrafficAttr();
    ReduceOp made = sumTiles(match);
    KernelOp kernel = addResults(match.product.kernel, made);
    // Sums and the product share no extents.
    kernel.setSharedAttr(getExprArray(kernel.getContext(), {}));
    ExprAttr tiles = guard::getConstant(kernel.getContext(), match.product.parts);
    joinParts(match.sum, tiles,
              kernel->getResults().take_back(made->getNumResults()));
    setMoved(kernel, hints, traffic ? traffic.getUnfused() : 0);
    if (auto told = remark::passed(
            kernel.getLoc(),
            remarks::kSumsFused.function(remarks::getFunctionName(kernel))))
      told << remark::metric("kernel", kernel.getName())
           << remark::metric("rows", match.product.rows);
  }
  dropUnreadInputs(columns);
  setMoved(columns, hints, 0);
  schedule(columns, parts);
}

/// What is left of the sums is little: one function does it, and what follows
/// them.
void FuseSums::schedule(KernelOp columns, int64_t parts) {
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  GPUPartsSchedule s =
      chooseGPUJoin(hints.product(getExprs(columns.getShared())), parts);
  columns.setScheduleAttr(GPUPartsScheduleAttr::get(
      columns.getContext(), s.threads, s.lanes, s.parts, s.columns));
}

void FuseSums::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(getOperation()))
    return;
  for (Block &block : getOperation().getBody())
    for (KernelOp columns :
         llvm::make_early_inc_range(block.getOps<KernelOp>())) {
      StringRef why;
      if (auto matches = findProducts(columns, why)) {
        fuse(*matches);
        continue;
      }
      if (why.empty())
        continue;
      if (auto told = remark::missed(columns.getLoc(),
                                     remarks::kSumsNotFused.function(
                                         remarks::getFunctionName(columns))))
        told << remark::metric("kernel", columns.getName())
             << remark::reason("{0}", why);
    }
}
