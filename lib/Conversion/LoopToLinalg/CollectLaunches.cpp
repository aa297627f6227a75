//===- CollectLaunches.cpp - Launches of gpu as steps of a grid -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Dialect/Guard/IR/AffineForm.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Loop/Utils/GridModule.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kiln {
#define GEN_PASS_DEF_KILNCOLLECTLAUNCHESPASS
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Sizes of grids
//===----------------------------------------------------------------------===//

/// A number of a kernel's function as an expression of its symbols; null if it
/// is none.
static ExprAttr toExpr(Value value, KernelArguments &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto slot = arguments.getSlot(argument);
    return slot ? arguments.getSymbolExprs()[*slot] : ExprAttr();
  }
  if (IntegerAttr number; matchPattern(value, m_Constant(&number)))
    return guard::getConstant(value.getContext(), number.getInt());
  Operation *op = value.getDefiningOp();
  if (!isa<arith::IndexCastOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
           affine::AffineApplyOp>(op))
    return {};
  SmallVector<ExprAttr> x;
  for (Value operand : op->getOperands()) {
    x.push_back(toExpr(operand, arguments));
    if (!x.back())
      return {};
  }
  return llvm::TypeSwitch<Operation *, ExprAttr>(op)
      .Case([&](arith::AddIOp) { return x[0] + x[1]; })
      .Case([&](arith::SubIOp) { return x[0] - x[1]; })
      .Case([&](arith::MulIOp) { return x[0] * x[1]; })
      .Case([&](affine::AffineApplyOp apply) {
        AffineMap map = apply.getMap();
        return guard::fromAffine(map.getResult(0),
                                 ArrayRef(x).take_front(map.getNumDims()),
                                 ArrayRef(x).drop_front(map.getNumDims()));
      })
      .Default([&](Operation *) { return x[0]; });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// Makes the steps of one kernel's function.
class Collector {
public:
  Collector(func::FuncOp function, gpu::GPUModuleOp home)
      : function(function), arguments(function), home(home),
        b(function.getLoc(), function.getContext()) {}

  FailureOr<ArrayAttr> collect();

private:
  LogicalResult collect(gpu::LaunchFuncOp launch, StringRef name);
  /// A function that takes what the kernel's does.
  LLVM::LLVMFuncOp createFunction(StringRef name, int64_t threads);
  void addStep(LLVM::LLVMFuncOp made, ExprAttr blocks, int64_t threads);
  /// A number of the kernel's function, computed by each thread; null after an
  /// error.
  Value compute(Value value);

  func::FuncOp function;
  KernelArguments arguments;
  gpu::GPUModuleOp home;
  ImplicitLocOpBuilder b; ///< in the function of a step
  IRMapping values;       ///< what it has of the kernel's function
  SmallVector<Attribute> steps;
};
} // namespace

LLVM::LLVMFuncOp Collector::createFunction(StringRef name, int64_t threads) {
  b.setInsertionPointToEnd(home.getBody());
  LLVM::LLVMFuncOp made =
      createGridFunction(b, b.getLoc(), getFreeName(home, name),
                         function.getArgumentTypes(), threads);
  Block *entry = made.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  auto end = LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPoint(end);
  values.clear();
  values.map(function.getArguments(), entry->getArguments());
  return made;
}

void Collector::addStep(LLVM::LLVMFuncOp made, ExprAttr blocks,
                        int64_t threads) {
  MLIRContext *context = b.getContext();
  steps.push_back(GridStepAttr::get(
      context, FlatSymbolRefAttr::get(made.getSymNameAttr()),
      getExprArray(context, arguments.getSymbolExprs()), blocks, threads,
      /*shared=*/0, /*maps=*/ArrayAttr()));
}

Value Collector::compute(Value value) {
  if (Value known = values.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
    op->emitOpError("gives a launch a number that its threads cannot compute, "
                    "expected one in memory");
    return {};
  }
  for (Value operand : op->getOperands())
    if (!compute(operand))
      return {};
  b.clone(*op, values)->removeDiscardableAttr(kValueAttrName);
  return values.lookup(value);
}

/// Positions and sizes of blocks and threads are those of a grid of one
/// dimension.
static LogicalResult replaceIds(LLVM::LLVMFuncOp made, int64_t threads) {
  SmallVector<Operation *> ids;
  made.walk([&](Operation *op) {
    if (isa<gpu::GPUDialect>(op->getDialect()))
      ids.push_back(op);
  });
  for (Operation *op : ids) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Type index = b.getIndexType(), i32 = b.getI32Type();
    auto isX = [](auto id) { return id.getDimension() == gpu::Dimension::x; };
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto widen = [&](Value id) -> Value {
      return arith::IndexCastUIOp::create(b, index, id);
    };
    Value value =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([&](gpu::ThreadIdOp id) {
              return isX(id) ? widen(NVVM::ThreadIdXOp::create(b, i32))
                             : number(0);
            })
            .Case([&](gpu::BlockIdOp id) {
              return isX(id) ? widen(NVVM::BlockIdXOp::create(b, i32))
                             : number(0);
            })
            .Case([&](gpu::BlockDimOp size) {
              return number(isX(size) ? threads : 1);
            })
            .Case([&](gpu::GridDimOp size) {
              return isX(size) ? widen(NVVM::GridDimXOp::create(b, i32))
                               : number(1);
            })
            .Default([](Operation *) { return Value(); });
    if (!value)
      return op->emitOpError("has no form in a kernel, expected positions and "
                             "sizes of blocks and threads");
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
  return success();
}

LogicalResult Collector::collect(gpu::LaunchFuncOp launch, StringRef name) {
  auto isOne = [](Value size) { return matchPattern(size, m_One()); };
  ExprAttr blocks = toExpr(launch.getGridSizeX(), arguments);
  if (!blocks)
    return launch.emitOpError("has a number of blocks that is computed in the "
                              "kernel, expected one over symbols");
  IntegerAttr threads;
  if (!matchPattern(launch.getBlockSizeX(), m_Constant(&threads)) ||
      threads.getInt() < 1 || threads.getInt() > 1024 ||
      !isOne(launch.getGridSizeY()) || !isOne(launch.getGridSizeZ()) ||
      !isOne(launch.getBlockSizeY()) || !isOne(launch.getBlockSizeZ()) ||
      launch.hasClusterSize() || launch.getDynamicSharedMemorySize())
    return launch.emitOpError("expected a grid of one dimension, with blocks "
                              "of 1 to 1024 threads that share no memory");
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel || !kernel.getBody().hasOneBlock() ||
      kernel.getNumWorkgroupAttributions() != 0 ||
      kernel.getNumPrivateAttributions() != 0)
    return launch.emitOpError("expected a 'gpu.func' of structured loops "
                              "without memory of its own");

  LLVM::LLVMFuncOp made = createFunction(name, threads.getInt());
  Block &body = kernel.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), launch.getKernelOperands())) {
    Value value = compute(operand);
    if (!value)
      return failure();
    argument.replaceAllUsesWith(value);
  }
  body.getTerminator()->erase();
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                body.getOperations());
  addStep(made, blocks, threads.getInt());
  return replaceIds(made, threads.getInt());
}

FailureOr<ArrayAttr> Collector::collect() {
  SmallVector<gpu::LaunchFuncOp> launches;
  Block &entry = function.getBody().front();
  for (Operation &op : entry.without_terminator()) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      launches.push_back(launch);
    else if (!isMemoryEffectFree(&op))
      return op.emitOpError("is in no launch, expected kernels of loops that "
                            "were mapped to threads");
  }
  for (auto [k, launch] : llvm::enumerate(launches)) {
    StringRef name = function.getSymName();
    if (failed(collect(launch, launches.size() == 1
                                   ? name.str()
                                   : (name + "_" + Twine(k)).str())))
      return failure();
  }
  if (launches.empty()) // nothing to compute
    addStep(createFunction(function.getSymName(), /*threads=*/1),
            guard::getConstant(b.getContext(), 0), /*threads=*/1);
  return b.getArrayAttr(steps);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class KilnCollectLaunches
    : public kiln::impl::KilnCollectLaunchesPassBase<KilnCollectLaunches> {
  using KilnCollectLaunchesPassBase::KilnCollectLaunchesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyPassInput(module, getArgument(),
                               {Stage::Kernel, Stage::Kernel})))
      return signalPassFailure();
    ModuleOp kernels = getKernelModule(module);
    if (!kernels)
      return;
    gpu::GPUModuleOp home = getOrCreateGridModule(module, /*isNarrow=*/false);
    llvm::StringMap<ArrayAttr> steps;
    for (auto function : kernels.getOps<func::FuncOp>()) {
      if (!KernelArguments(function).isOfGrid() ||
          !function.getBody().hasOneBlock()) {
        function.emitOpError("is no kernel of a GPU, expected one of "
                             "'loop-outline-kernels' with 'grid'");
        return signalPassFailure();
      }
      auto collected = Collector(function, home).collect();
      if (failed(collected))
        return signalPassFailure();
      steps[function.getSymName()] = *collected;
    }
    module.walk([&](LaunchGridOp launch) {
      auto step = cast<GridStepAttr>(launch.getSteps()[0]);
      if (ArrayAttr known = steps.lookup(step.getKernel().getValue()))
        launch.setStepsAttr(known);
    });
    kernels.erase();
  }
};
} // namespace
