//===- GridRunner.cpp - Run launched grids --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridRunner.h"

#include "ElementBytes.h"
#include "GridInterpreter.h"
#include "RunMain.h"

#include "kiln/Conversion/LoopToNvvm/Passes.h"
#include "kiln/Pipelines/LinalgPipeline.h"
#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

/// A tensor in the memory of the GPU.
struct DeviceTensor {
  uint64_t address = 0;
  unsigned number = 0; ///< of its record
  std::vector<int64_t> sizes, strides;
  Type element;
};

class GridRunner {
public:
  GridRunner(ModuleOp module, IndexWidth width, const SymbolValues &symbols,
             GridRecord &record, bool isRun = true)
      : module(module), width(width), symbols(symbols), record(record),
        isRun(isRun) {}

  DeviceTensor allocate(std::string name, Type type, ArrayRef<int64_t> sizes,
                        std::vector<int64_t> strides);
  void give(Value value, unsigned number, const Array &array,
            std::vector<int64_t> strides);
  bool launch(LaunchGridOp op);
  Array read(Value value);
  void expect(Value value, const Array &array);

private:
  void addMemory(OpResult result);
  size_t recordMap(TensorMapAttr map, ArrayRef<GridRecord::Argument> tensors);
  LLVM::LLVMFuncOp find(LaunchGridOp op, StringAttr name);

  ModuleOp module;
  IndexWidth width;
  const SymbolValues &symbols;
  GridRecord &record;
  const bool isRun; ///< and not only recorded
  GridMemory memory;
  llvm::DenseMap<Value, DeviceTensor> tensors;
};

} // namespace

static std::string nameOfElement(Type element) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isa<FloatType>(element))
    stream << element;
  else
    stream << "i" << 8 * bytesOf(element);
  return text;
}

DeviceTensor GridRunner::allocate(std::string name, Type type,
                                  ArrayRef<int64_t> sizes,
                                  std::vector<int64_t> strides) {
  DeviceTensor tensor;
  tensor.element = cast<RankedTensorType>(type).getElementType();
  uint64_t bytes = countSpan(sizes, strides) * bytesOf(tensor.element);
  tensor.address = memory.allocate(std::move(name), bytes);
  tensor.number = record.buffers.size();
  record.buffers.push_back(
      {nameOfElement(tensor.element), std::vector<uint8_t>(bytes, 0xFF), {}});
  tensor.sizes = sizes.vec();
  tensor.strides = std::move(strides);
  return tensor;
}

void GridRunner::give(Value value, unsigned number, const Array &array,
                      std::vector<int64_t> strides) {
  DeviceTensor &tensor = tensors[value];
  tensor = allocate("argument " + std::to_string(number), value.getType(),
                    array.sizes, std::move(strides));
  uint8_t *data = memory.data(tensor.address);
  visitElements(tensor.sizes, tensor.strides, [&](size_t n, int64_t offset) {
    put(data + offset * bytesOf(tensor.element), tensor.element,
        array.elements[n]);
  });
  std::vector<uint8_t> &content = record.buffers[tensor.number].content;
  std::copy(data, data + content.size(), content.begin());
}

Array GridRunner::read(Value value) {
  DeviceTensor &tensor = tensors[value];
  Array array;
  array.sizes = tensor.sizes;
  const uint8_t *data = memory.data(tensor.address);
  GridRecord::Buffer &buffer = record.buffers[tensor.number];
  buffer.expected.assign(data, data + buffer.content.size());
  visitElements(tensor.sizes, tensor.strides, [&](size_t, int64_t offset) {
    array.elements.push_back(
        take(data + offset * bytesOf(tensor.element), tensor.element));
  });
  return array;
}

void GridRunner::expect(Value value, const Array &array) {
  DeviceTensor &tensor = tensors[value];
  std::vector<uint8_t> &bytes = record.buffers[tensor.number].expected;
  visitElements(tensor.sizes, tensor.strides, [&](size_t n, int64_t offset) {
    put(bytes.data() + offset * bytesOf(tensor.element), tensor.element,
        array.elements[n]);
  });
}

size_t GridRunner::recordMap(TensorMapAttr map,
                             ArrayRef<GridRecord::Argument> tensors) {
  auto evaluate = [&](ArrayAttr exprs) {
    std::vector<int64_t> values;
    for (guard::ExprAttr expr : getExprs(exprs))
      values.push_back(evaluateExpr(expr, symbols));
    return values;
  };
  record.maps.push_back(
      {tensors[map.getPointer()].value, nameOfElement(map.getElement()),
       evaluateExpr(map.getOffset(), symbols), map.getSwizzle(),
       evaluate(map.getSizes()), evaluate(map.getStrides()),
       map.getBox().asArrayRef().vec()});
  return record.maps.size() - 1;
}

LLVM::LLVMFuncOp GridRunner::find(LaunchGridOp op, StringAttr name) {
  auto lookUp = [&](StringRef home) -> LLVM::LLVMFuncOp {
    auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(home);
    return kernels ? kernels.lookupSymbol<LLVM::LLVMFuncOp>(name)
                   : LLVM::LLVMFuncOp();
  };
  LLVM::LLVMFuncOp narrow = lookUp("kernels"), wide = lookUp("kernels_64");
  bool isNarrow = narrow && (width == IndexWidth::Narrow || !wide);
  if (op.getNarrow() && isNarrow)
    EXPECT_NE(evaluateExpr(*op.getNarrow(), symbols), 0)
        << "small sizes need wide indices";
  return isNarrow ? narrow : wide;
}

/// Memory for a result, or its place in that of which it is a part.
void GridRunner::addMemory(OpResult result) {
  auto [whole, number] = AssembleOp::find(result);
  Value value = whole ? whole.getResult() : Value(result);
  DeviceTensor memory = tensors.lookup(value);
  if (memory.address == 0) {
    std::vector<int64_t> sizes =
        evaluateSizes(cast<RankedTensorType>(value.getType()), symbols);
    memory = allocate("result " + std::to_string(result.getResultNumber()),
                      value.getType(), sizes, denseStrides(sizes));
    tensors[value] = memory;
  }
  if (!whole)
    return;
  memory.address +=
      evaluateExpr(cast<guard::ExprAttr>(whole.getOffsets()[number]), symbols) *
      bytesOf(memory.element);
  memory.sizes =
      evaluateSizes(cast<RankedTensorType>(result.getType()), symbols);
  memory.strides.clear();
  for (guard::ExprAttr stride : whole.getPartStrides(number))
    memory.strides.push_back(evaluateExpr(stride, symbols));
  tensors[result] = memory;
}

bool GridRunner::launch(LaunchGridOp op) {
  std::vector<uint64_t> pointers;
  std::vector<GridRecord::Argument> recorded;
  auto pass = [&](const DeviceTensor &tensor) {
    pointers.push_back(tensor.address);
    recorded.push_back({true, tensor.number});
  };
  for (OpResult result : op->getResults())
    addMemory(result);
  for (Value input : op.getInputs())
    pass(tensors[input]);
  for (Value result : op.getResults())
    pass(tensors[result]);
  if (op.getWorkspace()) {
    auto bytes = RankedTensorType::get({}, IntegerType::get(op.getContext(), 8));
    int64_t size = evaluateExpr(*op.getWorkspace(), symbols);
    pass(allocate("workspace", bytes, {size}, {1}));
  } else {
    pointers.push_back(0);
    recorded.push_back({false, 0});
  }
  std::vector<std::pair<std::string, uint64_t>> cells;
  if (ArrayAttr checks = op.getChecksAttr())
    for (StringAttr check : checks.getAsRange<StringAttr>()) {
      cells.emplace_back(check.str(), memory.allocate("cell", sizeof(uint32_t)));
      std::memset(memory.data(cells.back().second), 0, sizeof(uint32_t));
    }
  for (Attribute attr : op.getSteps()) {
    auto step = cast<GridStepAttr>(attr);
    LLVM::LLVMFuncOp function = find(op, step.getKernel().getAttr());
    if (!function) {
      ADD_FAILURE() << "there is no function "
                    << step.getKernel().getValue().str();
      return false;
    }
    std::vector<uint64_t> arguments = pointers;
    std::vector<GridRecord::Argument> all = recorded;
    for (guard::ExprAttr symbol : getExprs(step.getSymbols())) {
      arguments.push_back(evaluateExpr(symbol, symbols));
      all.push_back({false, arguments.back()});
    }
    for (auto &[message, address] : cells) {
      arguments.push_back(address);
      all.push_back({false, address});
    }
    int64_t blocks = evaluateExpr(step.getBlocks(), symbols);
    if (isRun && !runGrid(function, blocks, step.getThreads(), arguments,
                          memory, step.getShared())) {
      for (auto &[message, address] : cells)
        if (memory.data(address)[0] == 1)
          record.failures.push_back(message);
      EXPECT_FALSE(record.failures.empty()) << "stops without a message";
      return false;
    }
    std::vector<size_t> maps;
    if (ArrayAttr described = step.getMaps())
      for (TensorMapAttr map : described.getAsRange<TensorMapAttr>())
        maps.push_back(recordMap(map, recorded));
    record.steps.push_back(
        {function, blocks, step.getThreads(), all, step.getShared(), maps});
  }
  return true;
}

bool loop::lowerToNVVM(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createConvertLoopToNvvmPass());
  pm.addPass(createJoinGridsPass());
  buildKernelToNVVMPipeline(pm.nest<gpu::GPUModuleOp>());
  return succeeded(pm.run(module));
}

bool loop::lowerThroughLinalg(ModuleOp module) {
  PassManager pm(module.getContext());
  LinalgLoweringOptions options;
  options.grid = true;
  buildLinalgLoweringPipeline(pm, options);
  buildKernelToNVVMPipeline(pm.nest<gpu::GPUModuleOp>());
  return succeeded(pm.run(module));
}

std::vector<Array> loop::runGrids(ModuleOp module, IndexWidth width,
                                  ArrayRef<Array> arguments,
                                  const SymbolValues &symbols,
                                  GridRecord *record) {
  GridRecord unused;
  GridRunner runner(module, width, symbols, record ? *record : unused);
  return runMain<LaunchGridOp>(module, runner, arguments, symbols);
}

GPUTargetAttr loop::getHopper(MLIRContext *context, bool deterministic) {
  return GPUTargetAttr::get(context, "sm_90a", 132, 2048, 65536, 232448,
                            52428800, /*tf32=*/false, /*conv_tf32=*/false,
                            deterministic);
}

void loop::checkPasses(const LoopCase &test, bool deterministic,
                       function_ref<void(OpPassManager &)> addPasses,
                       function_ref<void(ModuleOp)> look) {
  checkPassesFor(
      [&](MLIRContext *context) { return getHopper(context, deterministic); },
      test, addPasses, look);
}

void loop::checkPassesFor(function_ref<GPUTargetAttr(MLIRContext *)> getTarget,
                          const LoopCase &test,
                          function_ref<void(OpPassManager &)> addPasses,
                          function_ref<void(ModuleOp)> look) {
  auto lower = [&](ModuleOp module) {
    MLIRContext *context = module.getContext();
    module->setAttr(kTargetAttrName, getTarget(context));
    PassManager pm(context);
    addPasses(pm);
    if (failed(pm.run(module)))
      return false;
    look(module);
    return lowerToNVVM(module);
  };
  for (IndexWidth width : {IndexWidth::Narrow, IndexWidth::Wide})
    checkLowering(
        test, [](KernelOp) {}, lower,
        [&](ModuleOp module, ArrayRef<Array> arguments,
            const SymbolValues &symbols) {
          return runGrids(module, width, arguments, symbols);
        });
}

void loop::recordGrids(ModuleOp module, IndexWidth width,
                       ArrayRef<Array> arguments, ArrayRef<Array> expected,
                       const SymbolValues &symbols, GridRecord &record) {
  GridRunner runner(module, width, symbols, record, /*isRun=*/false);
  runMain<LaunchGridOp>(module, runner, arguments, symbols);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Operation *end = main.getBody().front().getTerminator();
  for (auto [value, array] : llvm::zip_equal(end->getOperands(), expected))
    runner.expect(value, array);
}
