//===- LoopToProgram.cpp - The pass convert-loop-to-program ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "kiln/Conversion/ToProgram/Passes.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
#include "kiln/Dialect/Program/IR/CopiesFirst.h"
#include "kiln/Dialect/Program/IR/Preparation.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

namespace kiln {
#define GEN_PASS_DEF_CONVERTLOOPTOPROGRAMPASS
#include "kiln/Conversion/ToProgram/Passes.h.inc"
} // namespace kiln

namespace {

class LoopConverter : public FunctionConverter {
public:
  explicit LoopConverter(func::FuncOp function)
      : FunctionConverter(Source(function), /*ignoreStrides=*/true) {}

private:
  std::optional<LogicalResult> convertOp(Operation &op) final;
  std::optional<unsigned> getOperandIndex(Attribute value) final {
    auto operand = dyn_cast<loop::OperandAttr>(value);
    return operand ? std::optional(operand.getIndex()) : std::nullopt;
  }
  LogicalResult convertInvoke(loop::InvokeOp op);
  LogicalResult convertLaunch(loop::LaunchOp op);
  LogicalResult convertGrid(loop::LaunchGridOp op);
  FailureOr<Value> addMemory(Value result);
  template <typename Op>
  LogicalResult getBuffers(Op op, SmallVector<Value> &buffers,
                           SmallVector<bool> &writes);
  LogicalResult convertExtern(loop::ExternOp op);
};

class ConvertLoopToProgram
    : public kiln::impl::ConvertLoopToProgramPassBase<ConvertLoopToProgram> {
  void runOnOperation() override;
};

} // namespace

/// Matrix products fill the machine by themselves, scatters are walked in order.
static bool isLaunchedAlone(loop::LaunchOp op) {
  loop::ScheduleAttr schedule = op.getScheduleAttr();
  return !schedule ||
         isa<loop::PackedScheduleAttr, loop::SkinnyRowsScheduleAttr,
             loop::SkinnyColumnsScheduleAttr, loop::ScatterScheduleAttr>(
             schedule);
}

/// The type of a result's memory: as the caller sees it, if it is returned in another order
/// of its dimensions than that of its elements.
static program::BufferType seenByCaller(Value result, program::BufferType type) {
  for (OpOperand &use : result.getUses()) {
    if (!isa<func::ReturnOp>(use.getOwner()))
      continue;
    auto order =
        use.getOwner()
            ->getParentOfType<func::FuncOp>()
            .getResultAttrOfType<DenseI64ArrayAttr>(use.getOperandNumber(),
                                                    loop::kOrderAttrName);
    if (!order || llvm::is_sorted(order.asArrayRef()))
      continue;
    SmallVector<guard::ExprAttr> strides = guard::getContiguousStrides(
        type.getContext(), type.getSizes());
    auto pick = [&](ArrayRef<guard::ExprAttr> list) {
      return llvm::map_to_vector(order.asArrayRef(),
                                 [&](int64_t dim) { return list[dim]; });
    };
    return program::BufferType::get(type.getContext(), pick(type.getSizes()),
                                    type.getElementType(), pick(strides));
  }
  return type;
}

/// Memory for what a launch writes: a buffer, or its place in that of which it
/// is a part.
FailureOr<Value> LoopConverter::addMemory(Value result) {
  Location loc = result.getLoc();
  auto [whole, number] = loop::AssembleOp::find(result);
  Value memory = whole ? whole.getResult() : result;
  Value &buffer = values[memory];
  if (!buffer) { // the first part
    FailureOr<Type> type = getType(memory.getType(), loc);
    if (failed(type))
      return failure();
    buffer = program::AllocOp::create(
        builder, loc, seenByCaller(memory, cast<program::BufferType>(*type)),
        guard::ExprAttr(), UnitAttr(), UnitAttr());
  }
  if (!whole)
    return buffer;
  FailureOr<Type> type = getType(result.getType(), loc);
  if (failed(type))
    return failure();
  auto dense = cast<program::BufferType>(*type);
  auto part = program::BufferType::get(getContext(), dense.getSizes(),
                                       dense.getElementType(),
                                       whole.getPartStrides(number).getDims());
  Value view = program::ViewOp::create(
      builder, loc, part, buffer,
      cast<guard::ExprAttr>(whole.getOffsets()[number]));
  values[result] = view;
  return view;
}

/// The inputs of a launch, and memory for its results.
template <typename Op>
LogicalResult LoopConverter::getBuffers(Op op, SmallVector<Value> &buffers,
                                        SmallVector<bool> &writes) {
  for (Value input : op.getInputs()) {
    Value buffer = lookUp(input);
    if (!buffer || !isa<program::BufferType>(buffer.getType()))
      return op.emitError("an input has no memory in a program");
    buffers.push_back(buffer);
  }
  writes.assign(buffers.size(), false);
  for (Value result : op.getResults()) {
    FailureOr<Value> memory = addMemory(result);
    if (failed(memory))
      return failure();
    buffers.push_back(*memory);
    writes.push_back(true);
  }
  return success();
}

/// Pairs of a result and an input as positions: a kernel's pointers are its inputs
/// and then its results.
template <typename Op> static DenseI64ArrayAttr getOverwrites(Op op) {
  SmallVector<int64_t> overwrites;
  if (auto pairs = op.getOverwrites())
    for (size_t i = 0; i < pairs->size(); i += 2)
      overwrites.append(
          {(*pairs)[i] + int64_t(op.getInputs().size()), (*pairs)[i + 1]});
  return overwrites.empty()
             ? DenseI64ArrayAttr()
             : DenseI64ArrayAttr::get(op.getContext(), overwrites);
}

template <typename Op> static program::TrafficAttr getTraffic(Op op) {
  loop::TrafficAttr moved = op.getTrafficAttr();
  return moved ? program::TrafficAttr::get(op.getContext(), moved.getRead(),
                                           moved.getWritten(),
                                           moved.getUnfused())
               : program::TrafficAttr();
}

LogicalResult LoopConverter::convertLaunch(loop::LaunchOp op) {
  SmallVector<Value> buffers;
  SmallVector<bool> writes;
  if (failed(getBuffers(op, buffers, writes)))
    return failure();
  auto launch = program::LaunchOp::create(
      builder, op.getLoc(), op.getKernel(), buffers,
      builder.getDenseBoolArrayAttr(writes), op.getSymbolsAttr(),
      op.getWorkAttr(), op.getGrainAttr(), op.getScratchAttr(),
      getOverwrites(op), isLaunchedAlone(op) ? builder.getUnitAttr() : UnitAttr(),
      getTraffic(op), op.getOriginsAttr(),
      op.getScheduleAttr() ? builder.getArrayAttr(op.getScheduleAttr())
                           : ArrayAttr(),
      program::GridAttr());
  if (op->hasAttr(loop::kPackedAheadAttrName))
    launch->setAttr(program::kPreparedFirstAttrName, builder.getUnitAttr());
  if (Attribute sparse = op->getAttr(loop::kSparseAttrName))
    launch->setAttr(program::kSparseAttrName, sparse);
  if (isa_and_nonnull<loop::ScatterScheduleAttr>(op.getScheduleAttr()))
    launch->setAttr(program::kCopiesFirstAttrName, builder.getUnitAttr());
  return success();
}

/// A function of the module of kernels that has it.
static SymbolRefAttr getGridKernel(ModuleOp module, FlatSymbolRefAttr name,
                                   bool isWide) {
  StringRef home = isWide ? program::kWideKernels : program::kKernels;
  Operation *kernels = module.lookupSymbol(home);
  if (!kernels || !SymbolTable::lookupSymbolIn(kernels, name.getAttr()))
    return {};
  return SymbolRefAttr::get(name.getContext(), home, {name});
}

/// The tensor maps of a step: its pointers are the buffers of the launch.
static ArrayAttr getMaps(loop::GridStepAttr step) {
  if (!step.getMaps())
    return {};
  SmallVector<Attribute> maps;
  for (auto map : step.getMaps().getAsRange<loop::TensorMapAttr>())
    maps.push_back(program::TensorMapAttr::get(
        map.getContext(), map.getPointer(), map.getElement(), map.getOffset(),
        map.getSizes(), map.getStrides(), map.getBox(), map.getSwizzle()));
  return ArrayAttr::get(step.getContext(), maps);
}

static program::MatrixAttr getMatrix(loop::ProductMatrixAttr matrix) {
  return program::MatrixAttr::get(matrix.getContext(), matrix.getPointer(),
                                  matrix.getOffset(), matrix.getLeading(),
                                  matrix.getApart(), matrix.getTransposed());
}

static program::ImageAttr getImage(loop::ConvolutionImageAttr image) {
  return program::ImageAttr::get(image.getContext(), image.getPointer(),
                                 image.getOffset(), image.getImage(),
                                 image.getChannel(), image.getPlaces());
}

/// What a library may do in place of a launch, whose buffers its pointers are.
static Attribute getLibrary(loop::LaunchGridOp op) {
  Attribute call = op.getLibraryAttr();
  if (auto c = dyn_cast_or_null<loop::LibraryConvolutionAttr>(call)) {
    loop::ConvolutionWeightAttr weight = c.getWeight();
    return program::ConvolutionAttr::get(
        op.getContext(), c.getElements(), c.getImages(), c.getGroups(),
        c.getChannels(), c.getFilters(), c.getInputs(), c.getOutputs(),
        c.getTaps(), c.getStrides(), c.getDilations(), c.getPadding(),
        getImage(c.getSource()), getImage(c.getTarget()),
        program::WeightAttr::get(op.getContext(), weight.getPointer(),
                                 weight.getOffset(), weight.getChannelsLast()),
        c.getGradient(), c.getTf32());
  }
  auto product = dyn_cast_or_null<loop::LibraryProductAttr>(call);
  if (!product)
    return {};
  return program::ProductAttr::get(
      op.getContext(), product.getFactors(), product.getResults(),
      product.getMatrices(), product.getRows(), product.getColumns(),
      product.getSum(), getMatrix(product.getLeft()),
      getMatrix(product.getRight()), getMatrix(product.getResult()),
      product.getBias(), product.getTf32());
}

LogicalResult LoopConverter::convertGrid(loop::LaunchGridOp op) {
  SmallVector<Value> buffers;
  SmallVector<bool> writes;
  if (failed(getBuffers(op, buffers, writes)))
    return failure();
  if (guard::ExprAttr bytes = op.getWorkspaceAttr()) {
    auto type = program::BufferType::get(getContext(), {bytes},
                                         builder.getI8Type(), {});
    buffers.push_back(program::AllocOp::create(builder, op.getLoc(), type,
                                               guard::ExprAttr(), UnitAttr(),
                                               UnitAttr()));
    writes.push_back(true);
  }
  auto module = op->getParentOfType<ModuleOp>();
  SmallVector<Attribute> steps;
  for (auto step : op.getSteps().getAsRange<loop::GridStepAttr>()) {
    SymbolRefAttr narrow = getGridKernel(module, step.getKernel(), false);
    SymbolRefAttr wide = getGridKernel(module, step.getKernel(), true);
    SymbolRefAttr kernel = narrow ? narrow : wide;
    if (!kernel || (op.getNarrowAttr() && (!narrow || !wide)))
      return op.emitError("launches ")
             << step.getKernel() << ", which is in no module of kernels";
    steps.push_back(program::GridStepAttr::get(
        getContext(), kernel, op.getNarrowAttr() ? wide : SymbolRefAttr(),
        step.getSymbols(), step.getBlocks(), step.getThreads(),
        step.getShared(), getMaps(step)));
  }
  auto launch = program::LaunchOp::create(
      builder, op.getLoc(),
      cast<program::GridStepAttr>(steps.front()).getKernel(), buffers,
      builder.getDenseBoolArrayAttr(writes), builder.getArrayAttr({}),
      guard::getConstant(getContext(), 1), builder.getI64IntegerAttr(1),
      guard::ExprAttr(), getOverwrites(op), UnitAttr(), getTraffic(op),
      op.getOriginsAttr(),
      op.getScheduleAttr() ? builder.getArrayAttr(op.getScheduleAttr())
                           : ArrayAttr(),
      program::GridAttr::get(getContext(), builder.getArrayAttr(steps),
                             bool(op.getWorkspaceAttr()), op.getNarrowAttr(),
                             getLibrary(op), op.getChecksAttr()));
  // A scatter is a copy of what it starts from, and then what it writes.
  if (isa_and_nonnull<loop::GPUScatterScheduleAttr>(op.getScheduleAttr()) &&
      steps.size() == 2)
    launch->setAttr(program::kCopiesFirstAttrName, builder.getUnitAttr());
  return success();
}

LogicalResult LoopConverter::convertInvoke(loop::InvokeOp op) {
  CallArguments arguments;
  for (Value input : op.getInputs())
    if (failed(addArgument(input, arguments, op)))
      return failure();
  auto types = getTypes(op.getResultTypes(), op.getLoc());
  if (failed(types))
    return failure();
  // The enumerations list the same kinds in the same order.
  auto invoke = program::InvokeOp::create(
      builder, op.getLoc(), *types,
      static_cast<program::InvokeKind>(op.getKind()), op.getCallees(),
      arguments.operands, builder.getArrayAttr(arguments.list),
      op.getCarried(), op.getScanned());
  mapResults(*op, invoke.getResults());
  return success();
}

LogicalResult LoopConverter::convertExtern(loop::ExternOp op) {
  FailureOr<CallArguments> arguments =
      toArguments(op.getArguments(), op.getInputs(), op);
  if (failed(arguments))
    return failure();
  if (failed(addCall(*op, op.getOverload(), std::move(*arguments),
                     op.getReason().value_or(""))))
    return failure();
  if (auto symbol = op->getAttrOfType<StringAttr>("symbol");
      symbol && op->getNumResults())
    defineNumber(symbol, op->getResult(0));
  return success();
}

std::optional<LogicalResult> LoopConverter::convertOp(Operation &op) {
  if (auto launch = dyn_cast<loop::LaunchOp>(op))
    return convertLaunch(launch);
  if (auto grid = dyn_cast<loop::LaunchGridOp>(op))
    return convertGrid(grid);
  if (auto call = dyn_cast<loop::ExternOp>(op))
    return convertExtern(call);
  if (auto invoke = dyn_cast<loop::InvokeOp>(op))
    return convertInvoke(invoke);
  if (isa<loop::AssembleOp>(op)) // its parts are where it has them
    return success();
  return std::nullopt;
}

/// Public functions, and what they run.
static SmallVector<func::FuncOp> findFunctions(ModuleOp module) {
  llvm::SetVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      functions.insert(function);
  for (size_t next = 0; next < functions.size(); ++next) {
    func::FuncOp function = functions[next];
    function.walk([&](loop::InvokeOp invoke) {
      for (auto callee : invoke.getCallees().getAsRange<FlatSymbolRefAttr>())
        if (auto body = module.lookupSymbol<func::FuncOp>(callee.getValue()))
          functions.insert(body);
    });
  }
  return functions.takeVector();
}

void ConvertLoopToProgram::runOnOperation() {
  ModuleOp module = getOperation();
  auto convert = [](func::FuncOp function) -> FailureOr<program::FuncOp> {
    // Notes of passes on loops mean nothing any more.
    for (NamedAttribute note :
         llvm::to_vector(function->getDiscardableAttrs()))
      if (isa_and_nonnull<loop::LoopDialect>(note.getNameDialect()))
        function->removeDiscardableAttr(note.getName());
    return LoopConverter(function).run();
  };
  if (failed(verifyPassInput(module, getArgument(),
                             {Stage::Kernel, Stage::Kernel})) ||
      failed(convertFunctions(module, findFunctions(module), convert)))
    signalPassFailure();
}
