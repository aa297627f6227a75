//===- LoopGPU.cpp - What targets and schedules of GPUs must satisfy ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "kiln/Dialect/Loop/IR/KernelColumns.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"
#include "kiln/Support/BoundedOption.h"
#include "kiln/Support/GPUNames.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// Targets and steps
//===----------------------------------------------------------------------===//

LogicalResult GPUTargetAttr::verify(EmitError emitError, StringRef chip,
                                    int64_t multiprocessors, int64_t threads,
                                    int64_t registers, int64_t shared,
                                    int64_t l2, bool, bool, bool) {
  if (!isGPUName(chip)) // C1
    return emitError() << "chip of a GPU is a name like sm_90a, but found '"
                       << chip << "'";
  auto check = [&](StringRef field, bool isInside, int64_t value,
                   StringRef range) -> LogicalResult {
    if (isInside)
      return success();
    return emitError() << field << " of a GPU is in " << range << ", but found "
                       << value;
  };
  for (auto [field, value] : {std::pair("multiprocessors", multiprocessors),
                              std::pair("threads", threads),
                              std::pair("registers", registers)})
    if (failed(check(field, PositiveCount::contains(value), value, // C2
                     PositiveCount::describe())))
      return failure();
  for (auto [field, value] : {std::pair("shared", shared), std::pair("l2", l2)})
    if (failed(check(field, ByteCount::contains(value), value, // C3
                     ByteCount::describe())))
      return failure();
  return success();
}

int64_t GPUTargetAttr::getCapability() const {
  int64_t capability = 0;
  StringRef number = getChip().drop_front(3); // "sm_90a"
  number.consumeInteger(10, capability);
  return capability;
}

bool GPUTargetAttr::hasWarpgroups() const { return getChip() == "sm_90a"; }

LogicalResult GridStepAttr::verify(EmitError emitError, FlatSymbolRefAttr,
                                   ArrayAttr symbols, guard::ExprAttr,
                                   int64_t threads, int64_t shared,
                                   ArrayAttr maps) {
  if (threads < 1 || threads > 1024) // C1
    return emitError() << "threads of a step is in 1..1024, but found "
                       << threads;
  for (Attribute symbol : symbols) // C2
    if (!isa<guard::ExprAttr>(symbol))
      return emitError() << "symbols of a step are expressions, but found "
                         << symbol;
  if (shared < 0 || shared > (1 << 20)) // C3
    return emitError() << "shared of a step is in 0..1048576, but found "
                       << shared;
  for (Attribute map : maps ? maps.getValue() : ArrayRef<Attribute>())
    if (!isa<TensorMapAttr>(map))
      return emitError() << "maps of a step are tensor maps, but found " << map;
  return success();
}

LogicalResult TensorMapAttr::verify(EmitError emitError, int64_t, Type element,
                                    guard::ExprAttr, ArrayAttr sizes,
                                    ArrayAttr strides, DenseI64ArrayAttr box,
                                    int64_t swizzle) {
  size_t rank = sizes.size();
  if (rank < 2 || rank > 5 || strides.size() + 1 != rank ||
      size_t(box.size()) != rank) // C1
    return emitError() << "a tensor map has 2 to 5 sizes, one stride fewer and "
                          "as many extents of a box, but found "
                       << rank << ", " << strides.size() << " and "
                       << box.size();
  for (Attribute expr : llvm::concat<const Attribute>(sizes, strides))
    if (!isa<guard::ExprAttr>(expr))
      return emitError() << "sizes and strides of a tensor map are expressions, "
                            "but found "
                         << expr;
  for (int64_t extent : box.asArrayRef())
    if (extent < 1 || extent > 256)
      return emitError() << "extents of a box are in 1..256, but found "
                         << extent;
  if (!element.isIntOrFloat())
    return emitError() << "elements of a tensor map are numbers, but found "
                       << element;
  int64_t row = box[0] * element.getIntOrFloatBitWidth() / 8;
  if (swizzle == 0 || ((swizzle == 32 || swizzle == 64 || swizzle == 128) &&
                       row == swizzle)) // C2
    return success();
  return emitError() << "swizzle of a tensor map is 0, 32, 64 or 128, and rows "
                        "of its box have as many bytes, but found "
                     << swizzle << " and " << row;
}

LogicalResult LibraryProductAttr::verify(
    EmitError emitError, Type factors, Type results, guard::ExprAttr,
    guard::ExprAttr, guard::ExprAttr, guard::ExprAttr, ProductMatrixAttr,
    ProductMatrixAttr, ProductMatrixAttr result, int64_t, bool) {
  if (!(factors.isF32() || factors.isF16() || factors.isBF16()) ||
      (results != factors && !results.isF32())) // C1
    return emitError() << "factors of a product by a library are f32, f16 or "
                          "bf16 and results the same or f32, but found "
                       << factors << " and " << results;
  if (result.getTransposed()) // C2
    return emitError() << "the result of a product by a library is not "
                          "transposed, but found "
                       << result;
  return success();
}

LogicalResult LibraryConvolutionAttr::verify(
    EmitError emitError, Type elements, guard::ExprAttr, guard::ExprAttr,
    guard::ExprAttr, guard::ExprAttr, ArrayAttr inputs, ArrayAttr outputs,
    ArrayAttr taps, DenseI64ArrayAttr strides, DenseI64ArrayAttr dilations,
    DenseI64ArrayAttr padding, ConvolutionImageAttr source,
    ConvolutionImageAttr target, ConvolutionWeightAttr, bool, bool) {
  if (!(elements.isF32() || elements.isF16() || elements.isBF16())) // C1
    return emitError() << "elements of a convolution by a library are f32, f16 "
                          "or bf16, but found "
                       << elements;
  const size_t rank = inputs.size(); // C2
  bool fit = rank >= 1 && rank <= 3;
  for (ArrayAttr list :
       {inputs, outputs, taps, source.getPlaces(), target.getPlaces()})
    fit &= list.size() == rank &&
           llvm::all_of(list, llvm::IsaPred<guard::ExprAttr>);
  for (auto [list, least] :
       {std::pair(strides, 1), std::pair(dilations, 1), std::pair(padding, 0)})
    fit &= list.asArrayRef().size() == rank &&
           llvm::all_of(list.asArrayRef(), [least = least](int64_t number) {
             return number >= least;
           });
  if (fit)
    return success();
  return emitError()
         << "a convolution by a library has 1 to 3 dimensions, each "
            "with sizes, steps, a stride and a dilation of at least 1 "
            "and a padding of at least 0, but found inputs "
         << inputs << ", strides " << strides << ", dilations " << dilations
         << " and padding " << padding;
}

//===----------------------------------------------------------------------===//
// #loop.gpu_across
//===----------------------------------------------------------------------===//

LogicalResult GPUAcrossScheduleAttr::verify(EmitError emitError,
                                            int64_t threads, int64_t lanes,
                                            int64_t sumBlock, int64_t points) {
  if (failed(verifyThreads(emitError, threads)) ||              // C1
      failed(verifyPower(emitError, "lanes", lanes, 1, 16)))    // C2
    return failure();
  if (sumBlock < 0 || sumBlock > 1000000000)
    return emitError()
           << "sum_block of a schedule is in 0..1000000000, but found "
           << sumBlock;
  if (points >= 1 && points <= 16)
    return success();
  return emitError() << "points of a schedule is in 1..16, but found "
                     << points;
}

LogicalResult GPUAcrossScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  if (getRowParts(kernel))
    return refuse(kernel, *this) << "which is not for sums over parts of rows";
  for (NestOpInterface nest : nests) { // C3
    if (isa<ScatterOp>(nest.getOperation()))
      return refuse(kernel, *this) << "which is not for scatters";
    if (isa<ContractOp>(nest.getOperation()) && nests.size() > 1)
      return refuse(kernel, *this)
             << "which is for a contraction that is alone in its kernel";
  }
  if (getLanes() == 1 || canWalkAcross(kernel))
    return success();
  return refuse(kernel, *this)
         << "which is for kernels that share a dimension, do not sort, and keep "
            "one value per point of the shared domain";
}

//===----------------------------------------------------------------------===//
// #loop.gpu_rows
//===----------------------------------------------------------------------===//

LogicalResult GPURowsScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t rows, int64_t lanes,
                                          int64_t steps, int64_t stages) {
  if (failed(verifyPower(emitError, "threads", threads, 2, 1024)) || // C1
      failed(verifyPower(emitError, "rows", rows, 1, 512)) ||
      failed(verifyPower(emitError, "lanes", lanes, 1, 16))) // C3
    return failure();
  if (threads * rows < 32 || threads * rows > 1024)
    return emitError() << "threads times rows of a schedule is in 32..1024, but "
                          "found "
                       << threads * rows;
  if (rows > 1 && threads > 32) // C2
    return emitError() << "rows of a schedule with more than 32 threads is 1, "
                          "but found "
                       << rows;
  if (steps < 0 || steps > 64 || steps * lanes > 256) // C3
    return emitError() << "steps of a schedule is in 0..64, with at most 256 "
                          "lanes in all, but found "
                       << steps << " of " << lanes;
  if (stages == 0)
    return success();
  if (stages < 2 || stages > 8) // C8
    return emitError() << "stages of a schedule is 0 or in 2..8, but found "
                       << stages;
  if (rows == 1 && steps != 0)
    return success();
  return emitError() << "stages of a schedule go with 1 row and steps, but "
                        "found "
                     << rows << " and " << steps;
}

bool loop::readsOwnPlace(LoadOp load) {
  auto nest = load->getParentOfType<NestOpInterface>();
  size_t shared = load->getParentOfType<KernelOp>().getShared().size();
  SmallVector<guard::ExprAttr> extents = nest.getDomain().all();
  ArrayRef<BlockArgument> indices =
      nest->getRegion(0).front().getArguments().take_back(extents.size());
  SmallVector<guard::ExprAttr> dims;
  for (Value index : load.getIndices()) {
    auto it = llvm::find(indices, index);
    if (it == indices.end())
      return false;
    dims.push_back(guard::getDim(load.getContext(), it - indices.begin()));
  }
  // Dimensions of one element are left out on both sides.
  auto type = cast<RankedTensorType>(load.getTensor().getType());
  size_t own = 0;
  for (auto [k, expr] : llvm::enumerate(getExprs(load.getMap()))) {
    if (k >= shared && type.getDimSize(k) == 1)
      continue;
    while (own >= shared && own < extents.size() && extents[own].isConstant(1))
      ++own;
    if (guard::substituteDims(expr, dims) !=
        guard::getDim(load.getContext(), own))
      return false;
    // Rows of one size that are cut up otherwise have other places.
    auto extent = own < extents.size() ? extents[own].getConstant()
                                       : std::optional<int64_t>();
    if (extent && !type.isDynamicDim(k) && *extent != type.getDimSize(k))
      return false;
    ++own;
  }
  // An element that several elements of the row read is one of other threads, too.
  return llvm::all_of(ArrayRef(extents).drop_front(std::min(own, extents.size())),
                      [](guard::ExprAttr extent) { return extent.isConstant(1); });
}

static bool canShareRow(KernelOp kernel, NestOpInterface nest) {
  bool isReduction = isa<ReduceOp>(nest.getOperation());
  bool isRow = isa<ScanOp, SortOp>(nest.getOperation());
  if (!isReduction && !isRow && !nest.isPointwise())
    return false;
  if (isReduction && !isOnePerPoint(kernel, nest))
    return false;
  // A row of one element would count as what all threads have, as one that is kept may.
  if (isRow &&
      (nest.getDomain().parallel.size() != kernel.getShared().size() ||
       (!makesKept(kernel, nest) && isOnePerPoint(kernel, nest->getResult(0)))))
    return false;
  bool isOwn = true;
  nest->walk([&](LoadOp load) {
    auto made = load.getTensor().getDefiningOp<NestOpInterface>();
    // One value per point is with all threads.
    if (made && !isOnePerPoint(kernel, load.getTensor()))
      isOwn &= readsOwnPlace(load) &&
               makesKept(kernel, made) == isOfKept(kernel, nest);
  });
  return isOwn;
}

/// The same of a nest in a kernel with sums over parts of its rows, whose rows
/// a block has one after the other.
static bool canShareRowOfPart(KernelOp kernel, NestOpInterface nest) {
  auto parts = getRowParts(kernel, nest);
  if (!parts)
    return !isa<ScanOp, SortOp>(nest.getOperation()) &&
           canShareRow(kernel, nest);
  bool isOwn = !getColumns(cast<ReduceOp>(nest.getOperation()), *parts).empty();
  nest->walk([&](LoadOp load) {
    if (load.getTensor().getDefiningOp<NestOpInterface>())
      isOwn &= isOnePerPoint(kernel, load.getTensor()) ||
               getOwnRead(kernel, load) == OwnRead::Element;
  });
  return isOwn;
}

bool loop::canShareRows(KernelOp kernel) {
  bool hasParts = getRowParts(kernel).has_value();
  return llvm::all_of(kernel.getNests(), [&](NestOpInterface nest) {
    return hasParts ? canShareRowOfPart(kernel, nest)
                    : canShareRow(kernel, nest);
  });
}

/// What threads share of a row in `nest`: its elements, or the columns of a sum
/// over rows.
static SmallVector<guard::ExprAttr> getSharedRow(KernelOp kernel,
                                                 NestOpInterface nest) {
  if (auto parts = getRowParts(kernel, nest))
    return getColumns(cast<ReduceOp>(nest.getOperation()), *parts);
  return isa<ContractOp>(nest.getOperation())
             ? llvm::to_vector(nest.getDomain().reduction)
             : getRowExtents(kernel, nest);
}

LogicalResult GPURowsScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  bool isContraction =
      nests.size() == 1 && isa<ContractOp>(nests[0].getOperation());
  if (!isContraction && !canShareRows(kernel)) // C4
    return refuse(kernel, *this)
           << "which is for pointwise nests, and reductions, scans and sorts of "
              "one row per point, that read of each other's rows the element in "
              "their own place";
  auto parts = getRowParts(kernel);
  if (parts && (getSteps() == 0 || // C7
                !guard::product(op->getContext(), parts->rows).getConstant()))
    return refuse(kernel, *this)
           << "which sums up parts of its rows, expected steps, and parts of "
              "known size";
  if (getStages() != 0) { // C8
    if (failed(verifyChip(kernel, *this, /*needsWarpgroups=*/false,
                          kGPUBringsRows)))
      return failure();
    if (!llvm::all_of(nests, [](NestOpInterface nest) {
          return nest.isPointwise() || isa<ReduceOp>(nest.getOperation());
        }))
      return refuse(kernel, *this)
             << "whose stages are for pointwise nests and reductions";
  }
  auto peelable = // C6
      isContraction || parts ? std::nullopt : getPeelableSize(kernel);
  bool isPeeled =
      peelable && *peelable >= 2 * getLanes() && getThreads() >= 2 * getLanes();
  std::optional<int64_t> size;
  for (NestOpInterface nest : nests) { // C5
    SmallVector<guard::ExprAttr> row = getSharedRow(kernel, nest);
    if (row.empty())
      continue;
    guard::ExprAttr last = isContraction ? row.back() : getLastExtent(row);
    auto count = last.getConstant();
    if (getLanes() > 1 && !isPeeled && (!count || *count % getLanes() != 0))
      return refuse(kernel, *this)
             << "because " << getLanes() << " lanes do not divide '"
             << last.str() << "'";
    if (getSteps() == 0)
      continue;
    count = guard::product(op->getContext(), row).getConstant();
    if (!count || (size && *count != *size) || (parts && *count == 0) ||
        *count > getSteps() * getThreads() * getLanes())
      return refuse(kernel, *this)
             << "whose steps hold " << getSteps() * getThreads() * getLanes()
             << " elements of rows of one size, but a row has '"
             << guard::product(op->getContext(), row).str() << "'";
    size = count;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// #loop.gpu_parts
//===----------------------------------------------------------------------===//

LogicalResult GPUPartsScheduleAttr::verify(EmitError emitError, int64_t threads,
                                           int64_t lanes, int64_t parts,
                                           int64_t columns) {
  if (failed(verifyPower(emitError, "threads", threads, 32, 1024)) || // C1
      failed(verifyPower(emitError, "lanes", lanes, 1, 16)) ||
      failed(verifyRange(emitError, "parts", parts, 1, 4096)) ||
      failed(verifyRange(emitError, "columns", columns, 0, threads)))
    return failure();
  if (parts == 1 && (columns == 0 || lanes != 1))
    return emitError() << "a schedule of 1 part has columns and 1 lane, but "
                          "found "
                       << columns << " and " << lanes;
  return success();
}

bool loop::canReduceInParts(KernelOp kernel) {
  SmallVector<guard::ExprAttr> reduced;
  size_t rank = 0;
  for (NestOpInterface nest : kernel.getNests()) {
    Domain domain = nest.getDomain();
    if (!isOnePerPoint(kernel, nest))
      return false;
    if (!isa<ReduceOp>(nest.getOperation())) {
      if (!nest.isPointwise())
        return false;
      continue;
    }
    // All are walked alike, kept dimensions of one element included.
    if (!reduced.empty() && (reduced != domain.reduction ||
                             rank != domain.parallel.size()))
      return false;
    reduced = llvm::to_vector(domain.reduction);
    rank = domain.parallel.size();
    bool readsInputs = true;
    nest->walk([&](LoadOp load) {
      readsInputs &= isa<BlockArgument>(load.getTensor());
    });
    if (!readsInputs)
      return false;
  }
  return !reduced.empty();
}

LogicalResult GPUPartsScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (!canReduceInParts(kernel)) // C2
    return refuse(kernel, *this)
           << "which is for reductions of inputs over the same extents to one "
              "value per point, and pointwise nests of such values";
  if (getColumns() > 0 || getLanes() == 1)
    return success();
  for (auto reduce : kernel.getBody().getOps<ReduceOp>()) { // C3
    guard::ExprAttr last = reduce.getDomain().reduction.back();
    auto extent = last.getConstant();
    if (!extent || *extent % getLanes() != 0)
      return refuse(kernel, *this) << "because " << getLanes()
                                   << " lanes do not divide '" << last.str()
                                   << "'";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// #loop.gpu_columns
//===----------------------------------------------------------------------===//

LogicalResult GPUColumnsScheduleAttr::verify(EmitError emitError,
                                             int64_t threads, int64_t lanes,
                                             int64_t columns, int64_t steps) {
  if (failed(verifyPower(emitError, "threads", threads, 32, 1024)) || // C1
      failed(verifyPower(emitError, "lanes", lanes, 1, 16)) ||
      failed(verifyPower(emitError, "columns", columns, 1, threads)))
    return failure();
  if (steps >= 1 && steps <= 64 && steps * lanes <= 256) // C2
    return success();
  return emitError() << "steps of a schedule is in 1..64, with at most 256 "
                        "lanes in all, but found "
                     << steps << " of " << lanes;
}

LogicalResult GPUColumnsScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  auto columns = getKernelColumns(kernel);
  if (!columns) // C3
    return refuse(kernel, *this)
           << "which is for pointwise nests, and reductions over the same "
              "elements of each column, that read of each other what is in "
              "their own column";
  guard::ExprAttr size = guard::product(op->getContext(), columns->elements);
  int64_t held = getSteps() * (getThreads() / getColumns());
  if (auto count = size.getConstant(); count && *count <= held) // C4
    return success();
  return refuse(kernel, *this)
         << "whose threads hold " << held
         << " elements of a column, but it has '" << size.str() << "'";
}

//===----------------------------------------------------------------------===//
// #loop.gpu_tile
//===----------------------------------------------------------------------===//

LogicalResult GPUTileScheduleAttr::verify(EmitError emitError, int64_t threads,
                                          int64_t lanes, int64_t side,
                                          int64_t dim, int64_t points) {
  if (failed(verifyThreads(emitError, threads)) || // C1
      failed(verifyPower(emitError, "lanes", lanes, 1, 16)) ||
      failed(verifyPower(emitError, "side", side, 16, 128)) ||
      failed(verifyPower(emitError, "points", points, 1, 16)) ||
      failed(verifyRange(emitError, "dim", dim, 0, 1000)))
    return failure();
  int64_t vectors = side / lanes, all = vectors * (side / points);
  if (threads % vectors == 0 && all % threads == 0)
    return success();
  return emitError() << "threads of a schedule is a multiple of " << vectors
                     << " that divides " << all << ", but found " << threads;
}

bool loop::stagesResults(KernelOp kernel) {
  return llvm::any_of(kernel.getNests(), [](NestOpInterface nest) {
    return !nest.isPointwise();
  });
}

LogicalResult GPUTileScheduleAttr::verifyKernel(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  SmallVector<NestOpInterface> nests = kernel.getNests();
  size_t shared = kernel.getShared().size();
  bool isContraction =
      nests.size() == 1 && isa<ContractOp>(nests[0].getOperation());
  if (isContraction)
    shared = nests[0].getDomain().parallel.size();
  bool areTiles = // C2
      !nests.empty() && size_t(getDim()) + 1 < shared &&
      llvm::all_of(nests, [&](NestOpInterface nest) {
        return nest.getDomain().parallel.size() == shared &&
               (isContraction || nest.isPointwise() ||
                isa<ReduceOp>(nest.getOperation()));
      });
  if (!areTiles)
    return refuse(kernel, *this)
           << "which is for pointwise nests and reductions over a shared "
              "domain, or a contraction, that has a dimension behind dimension "
           << getDim();
  guard::ExprAttr last = nests[0].getDomain().parallel[shared - 1];
  auto extent = last.getConstant();
  if (getPoints() > 1 && // C4
      (!stagesResults(kernel) || !extent || *extent % getPoints() != 0))
    return refuse(kernel, *this)
           << "whose " << getPoints() << " points are of windows, and divide '"
           << last.str() << "'";
  if (!stagesResults(kernel))
    return success();
  constexpr int64_t kMostBytes = 48 << 10, kWord = 4;
  int64_t bytes = 0;
  for (Type type : kernel.getResultTypes()) {
    Type element = getBodyType(cast<RankedTensorType>(type).getElementType());
    bytes += getSide() * (getSide() + kWord) *
             llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }
  if (bytes > kMostBytes) // C5
    return refuse(kernel, *this) << "whose tiles take " << bytes
                                 << " bytes, expected at most " << kMostBytes;
  return success();
}
