//===- GridProductBase.cpp - What all functions of a product share ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProduct.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Loop/IR/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <functional>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using analysis::DimGroup;
using guard::ExprAttr;

LogicalResult GridProductBase::analyze() {
  if (failed(schedule.verifyKernel(kernel)))
    return failure();
  op = *kernel.getBody().getOps<ContractOp>().begin();
  auto found = analysis::analyzeContraction(op, layout.lookup(op.getLhs()),
                                            layout.lookup(op.getRhs()),
                                            analysis::ContractionFrame::ofTiles());
  if (!found)
    return refuse(schedule) << "its contraction is no matrix product";
  shape = std::move(*found);
  sumType = op.getAccType();
  if (failed(checkUnit()))
    return failure();
  int64_t lanes = schedule.getLanes();
  if (!analysis::canStoreVectors(op, shape, lanes,
                                 /*inParts=*/schedule.getSplit() > 1))
    return refuse(schedule) << "because " << lanes
                            << " lanes do not divide rows of its result";
  reached.push_back(shape.rows.extent);
  reached.push_back(shape.columns.extent);
  reached.push_back(shape.sum.extent);
  if (schedule.getSplit() > 1) {
    reached.push_back(countParts());
    scratchBytes = countParts() * (sumType.getIntOrFloatBitWidth() / 8);
  }
  return failure(failed(describeFollowers()) || failed(describeSums()));
}

LogicalResult GridProductBase::checkUnit() {
  if (schedule.getUnit() == ProductUnit::Fma) {
    if (!isa<FloatType>(sumType))
      return refuse(schedule)
             << "whose unit adds up floats, but found " << sumType;
    return success();
  }
  Type factor = analysis::getFactorType(op);
  auto factors = analysis::getUnitFactors(factor);
  if (!factors)
    return refuse(schedule) << "whose unit multiplies two bf16, two f16, two "
                               "f32 or two i8";
  if (sumType != factors->sum)
    return refuse(schedule) << "whose unit adds up in " << factors->sum
                            << ", but found " << sumType;
  if (factor.isF32() && !permitsTf32(op, getGPUTarget(function)))
    return refuse(schedule) << "whose unit rounds f32 to tf32, which its "
                               "target does not permit";
  return success();
}

bool GridProductBase::isUnsigned(unsigned number) {
  bool isLeft = (number == 0) != shape.exchanged;
  Value tensor = isLeft ? op.getLhs() : op.getRhs();
  return cast<RankedTensorType>(tensor.getType())
      .getElementType()
      .isUnsignedInteger();
}

ExprAttr GridProductBase::countMatrices() {
  ExprAttr count = shape.batch.extent;
  for (unsigned dim : shape.outer)
    count = count * op.getDomain().all()[dim];
  return count;
}

void GridProductBase::setGroup(Position &position, const DimGroup &group,
                               Value index) {
  if (group.dims.empty())
    return;
  SmallVector<ExprAttr> extents;
  for (unsigned dim : group.dims)
    extents.push_back(position.extents[dim]);
  for (auto [dim, value] :
       llvm::zip_equal(group.dims, delinearize(index, extents)))
    position.dims[dim] = value;
}

Position GridProductBase::enterMatrix(Value number) {
  Position position;
  position.extents = op.getDomain().all();
  position.dims.assign(position.extents.size(), constantIndex(0));
  SmallVector<ExprAttr> extents;
  for (unsigned dim : shape.outer)
    extents.push_back(position.extents[dim]);
  extents.push_back(shape.batch.extent);
  SmallVector<Value> indices = delinearize(number, extents);
  setGroup(position, shape.batch, indices.back());
  for (auto [dim, value] : llvm::zip(shape.outer, indices))
    position.dims[dim] = value;
  return position;
}

/// Groups of tiles are visited column by column, then the parts of the sum,
/// then other matrices. Those of the blocks of a cluster, below each other,
/// count as one.
ExprAttr GridProductBase::countTiles() {
  return countTiledMatrices() * schedule.getSplit() * countRowTiles() *
         guard::ceilDiv(shape.columns.extent, schedule.getColumns());
}

GridProductBase::Tile GridProductBase::enterTile(Value number,
                                                 GroupPlace *before) {
  int64_t rows = schedule.getRows() * schedule.getCluster();
  ExprAttr rowTiles = countRowTiles();
  ExprAttr columnTiles =
      guard::ceilDiv(shape.columns.extent, schedule.getColumns());
  SmallVector<Value> at = delinearize(
      number,
      {countTiledMatrices(), guard::getConstant(context, schedule.getSplit()),
       rowTiles * columnTiles});
  Tile tile;
  tile.matrixNumber = at[0];
  tile.part = at[1];
  tile.matrix = enterMatrix(at[0]);

  Value group = constantIndex(schedule.getGroup());
  Value width = mulExpr(group, columnTiles);
  Value first =
      arith::MulIOp::create(b, arith::DivUIOp::create(b, at[2], width), group);
  Value rest = arith::RemUIOp::create(b, at[2], width);
  Value height = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, getArgument(rowTiles), first), group);
  Value rowTile = add(first, arith::RemUIOp::create(b, rest, height));
  tile.firstRow = mul(rowTile, rows);
  tile.firstColumn = mul(arith::DivUIOp::create(b, rest, height),
                         schedule.getColumns());

  ExprAttr all = guard::ceilDiv(shape.sum.extent, schedule.getSum());
  ExprAttr each = guard::ceilDiv(all, schedule.getSplit());
  Value begin = mulExpr(tile.part, each);
  tile.steps = arith::MaxSIOp::create(
      b, constantIndex(0),
      arith::MinSIOp::create(
          b, getArgument(each),
          arith::SubIOp::create(b, getArgument(all), begin)));
  tile.sumBegin = mul(begin, schedule.getSum());
  tile.sumEnd = arith::MinSIOp::create(
      b, getArgument(shape.sum.extent),
      add(tile.sumBegin, mul(getArgument(each), schedule.getSum())));
  if (hasGroupedRows()) {
    GroupPlace begin = before ? *before : getFirstGroup();
    if (before)
      begin = *before = findGroup(begin, first);
    enterGroup(tile, begin, rowTile);
  } else if (op.isGrouped()) {
    enterMembers(tile);
  }
  return tile;
}

//===----------------------------------------------------------------------===//
// What follows the sums
//===----------------------------------------------------------------------===//

/// Where tiles are whole there is no branch, and what the epilogue reads for
/// several vectors is under way at the same time.
Value GridProductBase::isInside(Value row, Value column) {
  Value inside;
  auto check = [&](Value index, ExprAttr extent, int64_t tile) {
    auto size = extent.getConstant();
    if (size && *size % tile == 0)
      return;
    Value less = isLess(index, getArgument(extent));
    inside = inside ? arith::AndIOp::create(b, inside, less).getResult() : less;
  };
  if (rowEnd)
    inside = isLess(row, rowEnd);
  else
    check(row, shape.rows.extent, schedule.getRows() * schedule.getCluster());
  check(column, shape.columns.extent, schedule.getColumns());
  return inside;
}

LogicalResult
GridProductBase::finishInside(const Tile &tile, Value row, Value column,
                              llvm::function_ref<Value()> getSums) {
  row = add(tile.firstRow, row);
  column = add(tile.firstColumn, column);
  return emitIf(isInside(row, column), [&]() -> LogicalResult {
    Value sums = getSums();
    if (schedule.getSplit() == 1)
      return finishVector(tile.matrix, row, column, sums, schedule.getLanes());
    int64_t bytes =
        schedule.getLanes() * (sumType.getIntOrFloatBitWidth() / 8);
    LLVM::StoreOp::create(
        b, sums, getPartAddress(tile.part, tile.matrixNumber, row, column),
        std::min<int64_t>(bytes, 16));
    return success();
  });
}

Position GridProductBase::enterVector(const Position &matrix, Value row,
                                      Value column, int64_t lanes) {
  Position position = matrix;
  setGroup(position, shape.rows, row);
  setGroup(position, shape.columns, column);
  if (lanes > 1) {
    position.vectorDim = shape.columns.dims.back();
    position.lanes = position.multiple = lanes;
  }
  return position;
}

FailureOr<Value> GridProductBase::evaluateEpilogue(const Position &position,
                                                   Value sums) {
  if (op.getEpilogue().empty())
    return sums;
  BodyEmitter body(*this, position);
  Block &block = op.getEpilogue().front();
  if (failed(body.emit(block, {sums})))
    return failure();
  return body.getWide(block.getTerminator()->getOperand(0));
}

LogicalResult GridProductBase::finishVector(const Position &matrix, Value row,
                                            Value column, Value sums,
                                            int64_t lanes) {
  return finishAt(enterVector(matrix, row, column, lanes), sums);
}

LogicalResult GridProductBase::finishAt(const Position &position, Value sums) {
  FailureOr<SmallVector<Value>> values = evaluateAll(position, sums);
  if (failed(values))
    return failure();
  keepResult(values->front());
  for (auto [tensor, value] : llvm::zip_equal(results, *values))
    storeOne(tensor, position, value);
  return success();
}

std::optional<SmallVector<ExprAttr>>
GridProductBase::getKnownIndices(LoadOp load) {
  Block *body = load->getBlock();
  // In the epilogue they come behind the sum.
  unsigned first = body->getParentOp() == op ? 1 : 0;
  std::function<ExprAttr(Value)> getKnown = [&](Value index) -> ExprAttr {
    auto argument = dyn_cast<BlockArgument>(index);
    if (argument)
      return argument.getOwner() == body && argument.getArgNumber() >= first
                 ? guard::getDim(context, argument.getArgNumber() - first)
                 : ExprAttr();
    auto made = index.getDefiningOp<IndexOp>();
    SmallVector<ExprAttr> dims;
    for (Value operand : made ? made.getIndices() : ValueRange()) {
      dims.push_back(getKnown(operand));
      if (!dims.back())
        return {};
    }
    return made ? guard::substituteDims(made.getExpr(), dims) : ExprAttr();
  };
  SmallVector<ExprAttr> dims, indices;
  for (Value index : load.getIndices()) {
    dims.push_back(getKnown(index));
    if (!dims.back())
      return std::nullopt;
  }
  for (ExprAttr expr : getExprs(load.getMap()))
    indices.push_back(guard::substituteDims(expr, dims));
  return indices;
}

bool GridProductBase::readsAcrossAlone(bool orDownAlone) {
  auto mayMove = [&](ArrayRef<ExprAttr> indices, ArrayRef<unsigned> dims) {
    return llvm::any_of(indices, [&](ExprAttr expr) {
      return llvm::any_of(dims, [&](unsigned dim) {
        return guard::contains(expr, guard::getDim(context, dim));
      });
    });
  };
  return llvm::all_of(getFinishLoads(), [&](LoadOp load) {
    auto indices = getKnownIndices(load);
    return indices && (!mayMove(*indices, getDimsOf(load, shape.rows)) ||
                       (orDownAlone &&
                        !mayMove(*indices, getDimsOf(load, shape.columns))));
  });
}

GridProductBase::Ahead GridProductBase::readAhead(const Tile &tile, Value row,
                                                  Value column) {
  row = add(tile.firstRow, row);
  column = add(tile.firstColumn, column);
  Position position =
      enterVector(tile.matrix, row, column, schedule.getLanes());
  Value inside = isInside(row, column);
  Ahead loads;
  for (LoadOp load : getFinishLoads()) {
    auto indices = getKnownIndices(load);
    auto buffer = buffers.find(load.getTensor());
    if (!indices || load.getMask() || buffer == buffers.end())
      continue;
    auto nest = dyn_cast<PointwiseOp>(load->getParentOp());
    Position own = nest ? enterFollower(nest, position) : position;
    ExprAttr address = analysis::linearize(
        context, *indices, buffer->second.strides, assumptionsOf(own));
    Type element = getBodyType(buffer->second.elementType);
    Value other;
    if (inside)
      other =
          arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(element)));
    loads.emplace_back(
        load, this->load(buffer->second, address, own, {}, inside, other));
  }
  return loads;
}

Value GridProductBase::loadStaged(LoadOp load, int64_t) {
  for (auto [tensor, value] : atHand)
    if (load.getTensor() == tensor)
      return value;
  auto *found =
      llvm::find_if(ahead, [&](auto &each) { return each.first == load; });
  return found == ahead.end() ? Value() : found->second;
}

ExprAttr GridProductBase::countParts() {
  return countMatrices() * shape.rows.extent * shape.columns.extent *
         schedule.getSplit();
}

Value GridProductBase::getPartAddress(Value part, Value matrix, Value row,
                                      Value column) {
  Value place = add(mulExpr(part, countMatrices()), matrix);
  place = add(mulExpr(place, shape.rows.extent), row);
  place = add(mulExpr(place, shape.columns.extent), column);
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), place);
  return LLVM::GEPOp::create(b, workspace.getType(), sumType, workspace,
                             ArrayRef<LLVM::GEPArg>{offset});
}

//===----------------------------------------------------------------------===//
// The second function, of sums in parts
//===----------------------------------------------------------------------===//

/// The sum of what the parts have of `lanes` neighbours.
Value GridProductSumEmitter::addParts(Value matrix, Value row, Value column,
                                      int64_t lanes) {
  Type type = lanes == 1 ? sumType : VectorType::get({lanes}, sumType);
  unsigned alignment = lanes * sumType.getIntOrFloatBitWidth() / 8;
  Value sums;
  for (int64_t part = 0; part < schedule.getSplit(); ++part) {
    Value loaded = LLVM::LoadOp::create(
        b, type, getPartAddress(constantIndex(part), matrix, row, column),
        std::min(alignment, 16u));
    if (!sums)
      sums = loaded;
    else if (isa<FloatType>(sumType))
      sums = arith::AddFOp::create(b, sums, loaded);
    else
      sums = arith::AddIOp::create(b, sums, loaded);
  }
  return sums;
}

/// Columns that were walked in another order than the result has them: elements are
/// stored in its order, and their parts are found in that of the tiles.
LogicalResult GridProductSumEmitter::emitInOrder() {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  return emitForItem(guard::product(context, parallel), [&] {
    Position position = enterMatrix(constantIndex(0));
    for (auto [dim, index] : llvm::enumerate(delinearize(item, parallel)))
      position.dims[dim] = index;
    auto join = [&](Value number, ArrayRef<unsigned> dims) {
      for (unsigned dim : dims)
        number =
            add(mulExpr(number, position.extents[dim]), position.dims[dim]);
      return number;
    };
    Value zero = constantIndex(0);
    Value matrix = join(join(zero, shape.outer), shape.batch.dims);
    Value sums = addParts(matrix, join(zero, shape.rows.dims),
                          join(zero, shape.columns.dims), /*lanes=*/1);
    return finishAt(position, sums);
  });
}

LogicalResult GridProductSumEmitter::emitThread() {
  if (failed(analyze()))
    return failure();
  if (!shape.columns.steps[2])
    return emitInOrder();
  int64_t lanes = schedule.getLanes();
  // Rather all multiprocessors than whole vectors.
  GPUTargetAttr target = getGPUTarget(function);
  auto elements = (countMatrices() * shape.rows.extent * shape.columns.extent)
                      .getConstant();
  while (target && elements && lanes > 1 &&
         *elements / lanes * 2 <= target.getMultiprocessors() * threads)
    lanes /= 2;
  ExprAttr vectors = guard::ceilDiv(shape.columns.extent, lanes);
  SmallVector<ExprAttr> extents = {countMatrices(), shape.rows.extent, vectors};
  return emitForItem(guard::product(context, extents), [&] {
    SmallVector<Value> at = delinearize(item, extents);
    Value column = mul(at[2], lanes);
    Value sums = addParts(at[0], at[1], column, lanes);
    return finishVector(enterMatrix(at[0]), at[1], column, sums, lanes);
  });
}
