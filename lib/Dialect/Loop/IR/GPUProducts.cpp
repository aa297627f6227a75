//===- GPUProducts.cpp - What schedules for products must satisfy ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// #loop.gpu_product
//===----------------------------------------------------------------------===//

/// Sums of a warpgroup, at most: half of the registers of its 128 threads.
static constexpr int64_t kMostGroupSums = 128 * 128;

int64_t GPUProductScheduleAttr::getGroups() const {
  return getTurns() > 1 ? getTurns() : getRows() / getPartRows();
}

int64_t GPUProductScheduleAttr::getGroupParts() const {
  return getTurns() > 1 ? getRows() / getPartRows() : 1;
}

int64_t GPUProductScheduleAttr::getThreads() const {
  int64_t parts =
      getRows() / getPartRows() * (getColumns() / getPartColumns());
  switch (getUnit()) {
  case ProductUnit::Fma:
    return parts;
  case ProductUnit::Mma:
    return parts * 32;
  case ProductUnit::Wgmma:
    return (getGroups() + 1) * 128;
  }
  llvm_unreachable("unknown unit");
}

/// Whether both factors are f16, behind their prologues.
static bool multipliesF16(ContractOp op) {
  auto isF16 = [](Region &prologue, Value tensor) {
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (!prologue.empty())
      type = prologue.front().getTerminator()->getOperand(0).getType();
    return type.isF16();
  };
  return isF16(op.getLhsPrologue(), op.getLhs()) &&
         isF16(op.getRhsPrologue(), op.getRhs());
}

/// Whether parts and steps are those that the unit takes.
static LogicalResult verifyUnit(EmitError emitError, ProductUnit unit,
                                int64_t columns, int64_t sum, int64_t partRows,
                                int64_t partColumns) {
  auto refuse = [&](StringRef expected) -> LogicalResult {
    return emitError() << "a schedule for '" << stringifyProductUnit(unit)
                       << "' has " << expected << ", but found parts of "
                       << partRows << " by " << partColumns << " and a sum of "
                       << sum;
  };
  switch (unit) {
  case ProductUnit::Fma: // C5
    if ((partRows == 4 || partRows == 8) &&
        (partColumns == 4 || partColumns == 8))
      return success();
    return refuse("parts of 4 or 8");
  case ProductUnit::Mma: // C4
    if (partRows % 16 == 0 && partColumns % 16 == 0 && sum % 16 == 0)
      return success();
    return refuse("multiples of 16");
  case ProductUnit::Wgmma: // C4
    if (partRows == 64 && partColumns == columns && columns % 32 == 0 &&
        (sum == 64 || sum == 32 || sum == 128))
      return success();
    return refuse("parts of 64 rows and all columns, a multiple of 32, and a "
                  "sum of 64, 32 or 128");
  }
  llvm_unreachable("unknown unit");
}

LogicalResult GPUProductScheduleAttr::verify(
    EmitError emitError, ProductUnit unit, int64_t rows, int64_t columns,
    int64_t sum, int64_t partRows, int64_t partColumns, int64_t stages,
    int64_t lanes, int64_t group, int64_t split, int64_t blocks,
    int64_t cluster, int64_t turns, GPULibrary /*library*/) {
  for (auto [field, value] :
       {std::pair("rows", rows), std::pair("columns", columns),
        std::pair("sum", sum)}) // C1
    if (value < 8 || value > 256 || value % 8 != 0)
      return emitError() << field
                         << " of a schedule is a multiple of 8 in 8..256, but "
                            "found "
                         << value;
  if (partRows < 1 || partColumns < 1 || rows % partRows != 0 ||
      columns % partColumns != 0)
    return emitError() << "parts of a schedule divide its tile, but found "
                       << partRows << " by " << partColumns << " in " << rows
                       << " by " << columns;
  if (failed(verifyRange(emitError, "stages", stages, 2, 8)) || // C2
      failed(verifyRange(emitError, "group", group, 1, 1024)) ||
      failed(verifyRange(emitError, "split", split, 1, 1024)) ||
      failed(verifyRange(emitError, "blocks", blocks, 0,
                         unit == ProductUnit::Wgmma ? 65536 : 0)) ||
      failed(verifyRange(emitError, "cluster", cluster, 1,
                         unit == ProductUnit::Wgmma ? 2 : 1)) ||
      failed(verifyRange(emitError, "turns", turns, 1,
                         unit == ProductUnit::Wgmma ? 2 : 1)) ||
      failed(verifyPower(emitError, "lanes", lanes, 1, 16)) ||
      failed(verifyUnit(emitError, unit, columns, sum, partRows, partColumns)))
    return failure();
  if (columns % lanes != 0)
    return emitError() << "lanes of a schedule divide its columns, but found "
                       << lanes << " of " << columns;
  if (blocks % cluster != 0)
    return emitError() << "blocks of a schedule are whole clusters, but found "
                       << blocks << " in clusters of " << cluster;
  if (turns > 1 && rows * columns > kMostGroupSums)
    return emitError() << "tiles of a schedule by turns are of "
                       << kMostGroupSums << " elements at most, but found "
                       << rows << " by " << columns;
  int64_t parts = rows / partRows * (columns / partColumns);
  return verifyThreads(emitError, // C3
                       unit == ProductUnit::Fma   ? parts
                       : unit == ProductUnit::Mma ? parts * 32
                       : turns > 1                ? (turns + 1) * 128
                                                  : (parts + 1) * 128);
}

/// Whether `nest` can sum up columns of each tile of `product`, of so many rows.
static bool sumsUpTiles(NestOpInterface nest, ContractOp product,
                        int64_t rows) {
  auto sum = dyn_cast<ReduceOp>(nest.getOperation());
  if (!sum || !sum.getInits().empty())
    return false;
  Domain domain = sum.getDomain();
  Type element =
      cast<RankedTensorType>(product.getResult().getType()).getElementType();
  return (element.isBF16() || element.isF16()) && domain.parallel.size() > 1 &&
         domain.reduction.size() == 1 && domain.reduction[0].isConstant(rows) &&
         llvm::all_of(sum->getUsers(), llvm::IsaPred<ReturnOp>) &&
         llvm::all_of(sum.getKinds().getAsRange<ReductionKindAttr>(),
                      [](ReductionKindAttr kind) {
                        return kind.getValue() == ReductionKind::Sum;
                      });
}

/// Whether `nest` has as many points as `product` has elements, which it may
/// follow.
static bool hasItsPoints(NestOpInterface nest, ContractOp product) {
  auto count = [&](const Domain &domain) {
    return guard::product(product.getContext(), domain.parallel);
  };
  return nest.isPointwise() &&
         count(nest.getDomain()) == count(product.getDomain());
}

/// Checks the nests beside a product.
static LogicalResult verifyOthers(KernelOp kernel, ContractOp product,
                                  ArrayRef<NestOpInterface> others,
                                  GPUProductScheduleAttr schedule) {
  if (others.empty())
    return success();
  if (product.isGrouped() || schedule.getLibrary() != GPULibrary::None ||
      !kernel.getShared().empty())
    return refuse(kernel, schedule)
           << "which has other nests beside its contraction without groups and "
              "library, where its kernel shares no extents";
  bool hasSums = !llvm::all_of(
      others, [](NestOpInterface nest) { return nest.isPointwise(); });
  if (hasSums &&
      (schedule.getSplit() != 1 || schedule.getUnit() == ProductUnit::Fma))
    return refuse(kernel, schedule)
           << "which has sums over rows of its tiles on matrix units alone, "
              "with split 1";
  return success();
}

LogicalResult GPUProductScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto contract = nests.empty()
                      ? ContractOp()
                      : dyn_cast<ContractOp>(nests[0].getOperation());
  ArrayRef others = ArrayRef(nests).drop_front(contract ? 1 : 0);
  if (!contract || !llvm::all_of(others, [&](NestOpInterface nest) { // C6
        return sumsUpTiles(nest, contract, getRows()) ||
               hasItsPoints(nest, contract);
      }))
    return refuse(kernel, *this)
           << "which is for a contraction that is alone in its kernel, with "
              "nests over its elements, or with sums over "
           << getRows() << " rows of its 16 bits";
  if (failed(verifyOthers(kernel, contract, others, *this))) // C6
    return failure();
  bool isOurs = getLibrary() == GPULibrary::None;
  if (contract.isGrouped() && (getSplit() != 1 || !isOurs))
    return refuse(kernel, *this)
           << "which is for members in groups with split 1, without a library";
  bool needsAll = getUnit() == ProductUnit::Mma && !multipliesF16(contract);
  return verifyChip(kernel, *this, getUnit() == ProductUnit::Wgmma, // C7
                    needsAll ? kGPUCopiesAhead : kGPUProduct);
}

//===----------------------------------------------------------------------===//
// #loop.gpu_blocks
//===----------------------------------------------------------------------===//

int64_t GPUBlocksScheduleAttr::getThreads() const {
  int64_t threads = getRows() / getPartRows() * 32;
  return getUnit() == ProductUnit::Wgmma ? threads + 128 : threads;
}

LogicalResult GPUBlocksScheduleAttr::verify(EmitError emitError, int64_t rows,
                                            int64_t columns, int64_t partRows,
                                            int64_t stages, int64_t group,
                                            ProductUnit unit, bool apart,
                                            bool added) {
  for (auto [field, value] :
       {std::pair("rows", rows), std::pair("columns", columns)}) // C1
    if (value < 16 || value > 256 || value % 16 != 0)
      return emitError() << field
                         << " of a schedule is a multiple of 16 in 16..256, but "
                            "found "
                         << value;
  if ((partRows != 16 && partRows != 32) || rows % partRows != 0)
    return emitError() << "part_rows of a schedule is 16 or 32 and divides its "
                          "rows, but found "
                       << partRows << " of " << rows;
  if (unit == ProductUnit::Fma ||
      (unit == ProductUnit::Wgmma &&
       (partRows != 16 || rows % 64 != 0 || rows > 192))) // C4
    return emitError() << "unit of a schedule is mma, or wgmma where rows are a "
                          "multiple of 64 up to 192 in parts of 16, but found "
                       << stringifyProductUnit(unit) << " of " << rows
                       << " rows in parts of " << partRows;
  if (added && (unit != ProductUnit::Wgmma || rows > 128 || columns != 64 ||
                apart)) // C6
    return emitError() << "a schedule is added where its unit is wgmma, it has 64 "
                          "or 128 rows and 64 columns and is not apart, but found "
                       << stringifyProductUnit(unit) << ", " << rows
                       << " rows and " << columns << " columns"
                       << (apart ? ", apart" : "");
  return failure(
      failed(verifyRange(emitError, "stages", stages, 2, 8)) || // C2
      failed(verifyRange(emitError, "group", group, 1, 1024)));
}

LogicalResult GPUBlocksScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto isProduct = [](NestOpInterface nest) {
    return isa<ContractOp>(nest.getOperation());
  };
  if (!kernel.getShared().empty() && nests.size() > 2 && // C3
      llvm::count_if(nests, isProduct) >= 2)
    return verifyChip(kernel, *this, getUnit() == ProductUnit::Wgmma); // C5
  return refuse(kernel, *this)
         << "which is for contractions with rows between them";
}

//===----------------------------------------------------------------------===//
// #loop.gpu_column_parts
//===----------------------------------------------------------------------===//

LogicalResult GPUColumnPartsScheduleAttr::verify(EmitError emitError,
                                                 int64_t columns,
                                                 int64_t stages,
                                                 int64_t parts) {
  if (columns < 16 || columns > 256 || columns % 16 != 0) // C1
    return emitError() << "columns of a schedule is a multiple of 16 in 16..256, "
                          "but found "
                       << columns;
  return failure(failed(verifyRange(emitError, "stages", stages, 2, 8)) ||
                 failed(verifyRange(emitError, "parts", parts, 2, 64)));
}

LogicalResult GPUColumnPartsScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  if (!kernel.getShared().empty() && nests.size() > 2 && // C2
      llvm::count_if(nests, [](NestOpInterface nest) {
        return isa<ContractOp>(nest.getOperation());
      }) == 2)
    return verifyChip(kernel, *this, /*needsWarpgroups=*/false); // C3
  return refuse(kernel, *this)
         << "which is for two contractions with rows between them";
}
