//===- GridEmitter.cpp - The frame of a function on a GPU -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridBlocks.h"
#include "GridColumnParts.h"
#include "GridColumns.h"
#include "GridParts.h"
#include "GridProduct.h"
#include "GridWalks.h"

#include "kiln/Dialect/Loop/Utils/GridModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// The largest number that an index of 32 bits is let reach: what threads beyond
/// the last item compute must not overflow.
static constexpr int64_t kNarrowLimit = (int64_t(1) << 31) - (1 << 16);

/// Bytes of shared memory that a block has on some GPU, at most.
static constexpr int64_t kMostShared = 232448;

/// Shared memory whose size is given at launch, of all functions of a module.
static constexpr llvm::StringLiteral kShared = "kiln_shared";

//===----------------------------------------------------------------------===//
// Arguments and memory
//===----------------------------------------------------------------------===//

Value GridEmitter::emitArgument(unsigned) {
  return function.getBody().front().addArgument(b.getI64Type(), b.getLoc());
}

ExprAttr GridEmitter::countOwners() {
  return guard::product(context, getExprs(kernel.getShared()));
}

/// Owner by owner within each allocation.
Value GridEmitter::allocateScratch(ExprAttr bytes) {
  if (!scratchBytes)
    scratchBytes = guard::getConstant(context, 0);
  bytes = guard::ceilDiv(bytes, 16) * 16;
  Value owner = arith::IndexCastOp::create(b, b.getI64Type(), getOwner());
  Value offset = arith::AddIOp::create(
      b, getWord(scratchBytes * countOwners()),
      arith::MulIOp::create(b, owner, getWord(bytes)));
  scratchBytes = scratchBytes + bytes;
  return LLVM::GEPOp::create(b, workspace.getType(), b.getI8Type(), workspace,
                             ArrayRef<LLVM::GEPArg>{offset});
}

int64_t GridEmitter::getMostShared() {
  GPUTargetAttr target = getGPUTarget(function);
  return target ? target.getShared() : kMostShared;
}

Value GridEmitter::getSharedMemory() {
  Operation *home = function->getParentOp();
  if (Operation *found = SymbolTable::lookupSymbolIn(home, kShared))
    return LLVM::AddressOfOp::create(b, cast<LLVM::GlobalOp>(found));
  auto builder = OpBuilder::atBlockBegin(&home->getRegion(0).front());
  auto made = LLVM::GlobalOp::create(
      builder, home->getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), 0), /*isConstant=*/false,
      LLVM::Linkage::External, kShared, Attribute(), /*alignment=*/1024,
      /*addrSpace=*/3);
  return LLVM::AddressOfOp::create(b, made);
}

/// What does not fit is outside of every tensor, and stays so.
Value GridEmitter::toIndex(Value number) {
  if (isNarrow && getElementTypeOrSelf(number.getType()).isInteger(64)) {
    auto limit = [&](int64_t value) {
      return arith::ConstantOp::create(
                 b, number.getType(),
                 isa<VectorType>(number.getType())
                     ? cast<TypedAttr>(DenseElementsAttr::get(
                           cast<ShapedType>(number.getType()),
                           b.getI64IntegerAttr(value)))
                     : b.getI64IntegerAttr(value))
          .getResult();
    };
    number = arith::MaxSIOp::create(b, number, limit(INT32_MIN));
    number = arith::MinSIOp::create(b, number, limit(INT32_MAX));
  }
  return KernelEmitter::toIndex(number);
}

/// Writes to the cell of the assertion, which the host sees, and stops the device. Threads
/// that come here do not go on, so what follows is compiled as for those where it holds.
LogicalResult GridEmitter::emitAssertion(AssertOp op, Value condition) {
  if (auto type = dyn_cast<VectorType>(condition.getType())) {
    Value lanes = condition;
    condition = vector::ExtractOp::create(b, lanes, ArrayRef<int64_t>{0});
    for (int64_t k = 1; k < type.getNumElements(); ++k)
      condition = arith::AndIOp::create(
          b, condition,
          vector::ExtractOp::create(b, lanes, ArrayRef<int64_t>{k}));
  }
  Value fails = arith::XOrIOp::create(
      b, condition, arith::ConstantIntOp::create(b, 1, 1));
  unsigned slot = op->getAttrOfType<IntegerAttr>(kSlotAttrName).getInt();
  return emitIf(fails, [&] {
    Value cell = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(context, /*addressSpace=*/1),
        cellArguments[slot]);
    LLVM::StoreOp::create(b, arith::ConstantIntOp::create(b, 1, 32), cell,
                          /*alignment=*/4, /*isVolatile=*/true);
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::seq_cst);
    LLVM::Trap::create(b);
    return success();
  });
}

/// What a result may overwrite may change.
bool GridEmitter::isConstant(unsigned input) {
  DenseI64ArrayAttr pairs = analysis::getOverwrites(kernel);
  for (unsigned k = 1; pairs && k < pairs.size(); k += 2)
    if (pairs[k] == int64_t(input))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Small pieces of code
//===----------------------------------------------------------------------===//

Value GridEmitter::addMap(TensorMapAttr map) {
  maps.push_back(map);
  mapArguments.push_back(function.getBody().front().addArgument(
      LLVM::LLVMPointerType::get(context), b.getLoc()));
  return mapArguments.back();
}

Value GridEmitter::isLess(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
}

Value GridEmitter::add(Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}

Value GridEmitter::mul(Value x, int64_t y) {
  return y == 1 ? x : arith::MulIOp::create(b, x, constantIndex(y)).getResult();
}

Value GridEmitter::toWord(Value index) {
  return arith::IndexCastOp::create(b, b.getI32Type(), index);
}

Value GridEmitter::mulExpr(Value index, ExprAttr factor) {
  if (factor.isConstant(0))
    return constantIndex(0);
  if (factor.isConstant(1))
    return index;
  return arith::MulIOp::create(b, index, getArgument(factor));
}

LogicalResult
GridEmitter::emitForItem(ExprAttr items,
                         llvm::function_ref<LogicalResult()> body) {
  blocks = guard::ceilDiv(items, threads);
  auto count = items.getConstant();
  bool isExact = count && *count % threads == 0;
  return emitIf(isExact ? Value() : isLess(item, getArgument(items)), body);
}

/// Runs `body` for vector number `item` of the points of a domain, or what there is of
/// it at the end of the last dimension.
LogicalResult GridEmitter::emitVectors(
    Value item, ArrayRef<ExprAttr> extents, int64_t lanes,
    llvm::function_ref<LogicalResult(const Position &)> body) {
  ArrayRef<ExprAttr> outer = extents.drop_back();
  bool hasOuter = llvm::any_of(
      outer, [](ExprAttr extent) { return !extent.isConstant(1); });
  Value chunk = item, rest = constantIndex(0);
  if (hasOuter) {
    Value count = getArgument(guard::ceilDiv(extents.back(), lanes));
    chunk = arith::RemUIOp::create(b, item, count);
    rest = arith::DivUIOp::create(b, item, count);
  }
  Position position;
  position.dims = delinearize(rest, outer);
  position.dims.push_back(mul(chunk, lanes));
  position.extents.assign(extents.begin(), extents.end());
  if (lanes == 1)
    return body(position);
  Position vector = position;
  vector.vectorDim = position.dims.size() - 1;
  vector.lanes = vector.multiple = lanes;
  auto extent = extents.back().getConstant();
  if (extent && *extent % lanes == 0)
    return body(vector);

  Value low = position.dims.back(), end = getArgument(extents.back());
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                        add(low, constantIndex(lanes)), end);
  auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(body(vector)))
    return failure();
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  auto loop = scf::ForOp::create(b, low, end, constantIndex(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  position.dims.back() = loop.getInductionVar();
  return body(position);
}

LogicalResult GridEmitter::emitForVectors(
    ArrayRef<ExprAttr> extents, int64_t lanes,
    llvm::function_ref<LogicalResult(const Position &)> body) {
  if (lanes == 1)
    return emitForItem(guard::product(context, extents), [&] {
      Position position;
      position.dims = delinearize(item, extents);
      position.extents.assign(extents.begin(), extents.end());
      return body(position);
    });
  ExprAttr chunks = guard::ceilDiv(extents.back(), lanes);
  return emitForItem(guard::product(context, extents.drop_back()) * chunks,
                     [&] { return emitVectors(item, extents, lanes, body); });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// An expression that is true where all indices of a function fit into 32 bits.
static ExprAttr getFitsNarrow(KernelOp kernel,
                              const analysis::KernelLayout &layout,
                              ArrayRef<NestOpInterface> nests,
                              ArrayRef<ExprAttr> sizes) {
  MLIRContext *context = kernel.getContext();
  ExprAttr limit = guard::getConstant(context, kNarrowLimit);
  ExprAttr fits = guard::getConstant(context, 1);
  llvm::SmallDenseSet<ExprAttr> seen;
  auto take = [&](ExprAttr size) {
    if (seen.insert(size).second)
      fits = guard::logicalAnd(fits, guard::le(size, limit));
  };
  for (const auto &[value, strides] : layout) {
    SmallVector<ExprAttr> dims =
        *guard::getDims(cast<RankedTensorType>(value.getType()));
    ExprAttr span = guard::getConstant(context, 1);
    for (auto [dim, stride] : llvm::zip(dims, strides))
      span = span + dim * stride;
    take(span);
  }
  for (NestOpInterface nest : nests) {
    // Rows, columns and what is summed up are counted apart in a product.
    if (!isa<ContractOp>(nest.getOperation())) {
      take(guard::product(context, nest.getDomain().all()));
      continue;
    }
    take(guard::product(context, nest.getDomain().parallel));
    take(guard::product(context, nest.getDomain().reduction));
  }
  for (ExprAttr size : sizes)
    if (!size.isFloatTyped() && !size.isDim())
      take(size);
  return fits;
}

LogicalResult GridEmitter::emit(OpBuilder &builder, StringRef name,
                                EmittedGrid &grid) {
  auto pointerType = LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  unsigned inputs = kernel.getInputs().size();
  SmallVector<Type> types(inputs + kernel.getNumResults() + 1, pointerType);
  b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  function = createGridFunction(b, b.getLoc(), name, types, threads);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto terminator = LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPoint(terminator);

  Type index = b.getIndexType(), i32 = b.getI32Type();
  thread = arith::IndexCastUIOp::create(b, index,
                                        NVVM::ThreadIdXOp::create(b, i32));
  block = arith::IndexCastUIOp::create(b, index,
                                       NVVM::BlockIdXOp::create(b, i32));
  item = add(mul(block, threads), thread);
  enterThread();
  workspace = entry->getArguments().back();
  SmallVector<Value> pointers(entry->getArguments().begin(),
                              entry->getArguments().end() - 1);
  kernel.walk([&](AssertOp) {
    cellArguments.push_back(entry->addArgument(b.getI64Type(), b.getLoc()));
  });
  if (failed(bindTensors(pointers, /*alignment=*/16)))
    return failure();
  for (unsigned k = 0; k < inputs; ++k)
    buffers[kernel.getBody().getArgument(k)].isConstant = isConstant(k);
  if (failed(emitThread()) || failed(checkIndices()))
    return failure();
  int64_t limit = getMostShared();
  if (sharedBytes > limit)
    return refuse(kernel.getScheduleAttr())
           << "which takes " << sharedBytes
           << " bytes of shared memory, expected at most " << limit;

  // Behind the symbols, which were asked for one by one.
  for (auto *behind : {&cellArguments, &mapArguments})
    for (BlockArgument &argument : *behind) {
      BlockArgument last = entry->addArgument(argument.getType(), b.getLoc());
      argument.replaceAllUsesWith(last);
      entry->eraseArgument(argument.getArgNumber());
      argument = entry->getArguments().back();
    }
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context),
      llvm::to_vector(entry->getArgumentTypes())));
  for (BlockArgument map : mapArguments) {
    unsigned number = map.getArgNumber();
    function.setArgAttr(
        number, LLVM::LLVMDialect::getByValAttrName(),
        TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), 16)));
    function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(64));
    function.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr());
  }
  SmallVector<ExprAttr> symbols;
  for (auto &[expr, argument] : arguments)
    symbols.push_back(expr);
  grid.steps.push_back(GridStepAttr::get(
      context, FlatSymbolRefAttr::get(context, name),
      getExprArray(context, symbols), blocks, threads, sharedBytes,
      maps.empty() ? ArrayAttr() : b.getArrayAttr(maps)));
  if (scratchBytes)
    grid.workspace = scratchBytes * countOwners();
  symbols.append(reached);
  SmallVector<NestOpInterface> nests;
  if (countsPoints)
    nests = kernel.getNests();
  ExprAttr fits = fitsIn32 ? getFitsNarrow(kernel, layout, nests, symbols)
                           : guard::getConstant(context, 0);
  grid.fitsNarrow =
      grid.fitsNarrow ? guard::logicalAnd(grid.fitsNarrow, fits) : fits;
  return success();
}

static LogicalResult refuseSchedule(KernelOp kernel, Attribute schedule) {
  return kernel.emitOpError()
         << "has the schedule '" << schedule
         << "', which is not for a GPU, expected one as 'loop-choose-schedule' "
            "gives it in a module with a '#loop.gpu' as its 'loop.target'";
}

/// A product by `emit`, and what adds up its parts if its sum is split.
template <typename Emit>
static LogicalResult
emitProduct(Emit &&emit, KernelOp kernel, const analysis::KernelStrides &strides,
            GPUProductScheduleAttr schedule, bool isNarrow, StringRef name) {
  auto multiply = [&](StringRef name) {
    return schedule.getUnit() == ProductUnit::Wgmma
               ? emit(GridWgmmaEmitter(kernel, strides, schedule, isNarrow), name)
               : emit(GridProductEmitter(kernel, strides, schedule, isNarrow),
                      name);
  };
  if (schedule.getSplit() == 1)
    return multiply(name);
  return failure(
      failed(multiply((name + "_parts").str())) ||
      failed(emit(GridProductSumEmitter(kernel, strides, schedule, isNarrow),
                  name)));
}

/// Products and the rows between them in several walks, by `emit`.
template <typename Emit>
static LogicalResult
emitWalks(Emit &&emit, KernelOp kernel, const analysis::KernelStrides &strides,
          GPUBlocksScheduleAttr schedule, bool isNarrow, StringRef name,
          bool sumsOverRows) {
  auto walk = [&](bool overRows, StringRef name) {
    if (schedule.getUnit() == ProductUnit::Wgmma)
      return emit(
          GridWgmmaWalksEmitter(kernel, strides, schedule, overRows, isNarrow),
          name);
    return emit(GridWalksEmitter(kernel, strides, schedule, overRows, isNarrow),
                name);
  };
  auto finish = [&](bool clears, StringRef name) {
    return emit(
        GridAddedSumEmitter(kernel, strides, schedule, clears, isNarrow), name);
  };
  std::string rows = (name + "_rows").str();
  if (!sumsOverRows)
    return walk(/*overRows=*/false, name);
  if (schedule.getAdded())
    return failure(failed(finish(/*clears=*/true, (name + "_init").str())) ||
                   failed(walk(/*overRows=*/true, rows)) ||
                   failed(finish(/*clears=*/false, name)));
  return failure(failed(walk(/*overRows=*/false, rows)) ||
                 failed(walk(/*overRows=*/true, name)));
}

FailureOr<EmittedGrid> loop::emitGrid(KernelOp kernel,
                                      const analysis::KernelStrides &strides,
                                      OpBuilder &builder, StringRef name,
                                      bool isNarrow) {
  EmittedGrid grid;
  auto emit = [&](auto &&emitter, StringRef name) {
    return emitter.emit(builder, name, grid);
  };
  auto emitParts = [&](auto &&makeEmitter) {
    return failure(
        failed(emit(makeEmitter(/*isFirst=*/true), (name + "_parts").str())) ||
        failed(emit(makeEmitter(/*isFirst=*/false), name)));
  };
  LogicalResult emitted =
      llvm::TypeSwitch<Attribute, LogicalResult>(kernel.getScheduleAttr())
          .Case([&](GPUAcrossScheduleAttr schedule) {
            return emit(GridAcrossEmitter(kernel, strides, schedule, isNarrow),
                        name);
          })
          .Case([&](GPURowsScheduleAttr schedule) {
            grid.mayOverwrite = false;
            return emit(GridRowsEmitter(kernel, strides, schedule, isNarrow),
                        name);
          })
          .Case([&](GPUPartsScheduleAttr schedule) {
            auto makeEmitter = [&](bool isFirst) {
              return GridPartsEmitter(kernel, strides, schedule, isFirst, isNarrow);
            };
            return schedule.getParts() == 1
                       ? emit(makeEmitter(/*isFirst=*/true), name)
                       : emitParts(makeEmitter);
          })
          .Case([&](GPUColumnsScheduleAttr schedule) {
            grid.mayOverwrite = false;
            return emit(GridColumnsEmitter(kernel, strides, schedule, isNarrow),
                        name);
          })
          .Case([&](GPUTileScheduleAttr schedule) {
            grid.mayOverwrite = false;
            return emit(GridTileEmitter(kernel, strides, schedule, isNarrow),
                        name);
          })
          .Case([&](GPUProductScheduleAttr schedule) {
            grid.mayOverwrite = false;
            return emitProduct(emit, kernel, strides, schedule, isNarrow, name);
          })
          .Case([&](GPUBlocksScheduleAttr schedule) {
            grid.mayOverwrite = false;
            StringRef why;
            auto walks = analysis::getOnlineRows(kernel, strides, why)
                             ? std::nullopt
                             : analysis::getBlockWalks(kernel, strides, why);
            if (!walks && schedule.getUnit() == ProductUnit::Wgmma)
              return emit(
                  GridWgmmaBlocksEmitter(kernel, strides, schedule, isNarrow),
                  name);
            if (!walks)
              return emit(
                  GridBlocksEmitter(kernel, strides, schedule, isNarrow), name);
            return emitWalks(emit, kernel, strides, schedule, isNarrow, name,
                             walks->sumsOverRows());
          })
          .Case([&](GPUColumnPartsScheduleAttr schedule) {
            grid.mayOverwrite = false;
            return emitParts([&](bool isFirst) {
              return GridColumnPartsEmitter(kernel, strides, schedule, isFirst, isNarrow);
            });
          })
          .Case([&](GPUScatterScheduleAttr schedule) {
            return failure(
                failed(emit(GridCopyEmitter(kernel, strides,
                                            schedule.getThreads(), isNarrow),
                            (name + "_init").str())) ||
                failed(emit(
                    GridScatterEmitter(kernel, strides, schedule, isNarrow),
                    name)));
          })
          .Default([&](Attribute schedule) {
            return refuseSchedule(kernel, schedule);
          });
  if (failed(emitted))
    return failure();
  return grid;
}
