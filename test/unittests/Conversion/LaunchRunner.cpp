//===- LaunchRunner.cpp - Compile launched kernels and run them -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchRunner.h"

#include "ElementBytes.h"
#include "LoopCases.h"
#include "RunMain.h"

#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Runtime/KernelImage.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {

constexpr size_t kGuardBytes = 256;
constexpr uint8_t kGuardByte = 0xA5;

/// Memory between guard bytes, at an address that is 64 * n + shift.
class GuardedMemory {
public:
  GuardedMemory(size_t bytes, size_t shift)
      : bytes(bytes), storage(bytes + 2 * kGuardBytes + 128, kGuardByte) {
    auto address = reinterpret_cast<uintptr_t>(storage.data()) + kGuardBytes;
    begin = storage.data() + kGuardBytes + (64 - address % 64) % 64 + shift;
  }
  uint8_t *data() { return begin; }
  bool isIntact() const {
    for (const uint8_t *at = storage.data(); at != begin; ++at)
      if (*at != kGuardByte)
        return false;
    for (const uint8_t *at = begin + bytes; at != &storage.back() + 1; ++at)
      if (*at != kGuardByte)
        return false;
    return true;
  }

private:
  size_t bytes;
  std::vector<uint8_t> storage;
  uint8_t *begin;
};

/// A tensor in memory.
struct TensorMemory {
  std::unique_ptr<GuardedMemory> memory;
  std::vector<int64_t> sizes, strides;
  Type element;
};

} // namespace

/// Calls `visit` with the number and the memory of each element.
static void
forEachElement(TensorMemory &tensor,
               llvm::function_ref<void(size_t, uint8_t *)> visit) {
  visitElements(tensor.sizes, tensor.strides, [&](size_t n, int64_t offset) {
    visit(n, tensor.memory->data() + offset * bytesOf(tensor.element));
  });
}

static TensorMemory allocate(Type type, ArrayRef<int64_t> sizes,
                             std::vector<int64_t> strides, bool isInput) {
  TensorMemory tensor;
  tensor.element = cast<RankedTensorType>(type).getElementType();
  tensor.sizes = sizes.vec();
  tensor.strides = std::move(strides);
  int64_t span = countSpan(sizes, tensor.strides);
  size_t width = bytesOf(tensor.element);
  tensor.memory = std::make_unique<GuardedMemory>(span * width,
                                                  isInput ? width : 0);
  return tensor;
}

namespace {

class LaunchRunner {
public:
  LaunchRunner(ModuleOp module, const SymbolValues &symbols)
      : module(module), symbols(symbols) {}

  bool compile(const target::CPUTarget &target);
  void give(Value value, unsigned number, const Array &array,
            std::vector<int64_t> strides);
  bool launch(LaunchOp op);
  Array read(Value value);

private:
  ModuleOp module;
  const SymbolValues &symbols;
  package::KernelImage image;
  std::shared_ptr<runtime::LoadedImage> loaded;
  llvm::DenseMap<Value, TensorMemory> tensors;
};

} // namespace

bool LaunchRunner::compile(const target::CPUTarget &target) {
  auto kernels = module.lookupSymbol<ModuleOp>("kernels");
  if (!kernels) {
    ADD_FAILURE() << "there is no module of kernels";
    return false;
  }
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(kernels->clone()));
  auto compiler = target::KernelCompiler::create(target);
  if (!compiler) {
    ADD_FAILURE() << compiler.error().message;
    return false;
  }
  auto compiled = (*compiler)->compile(*copy);
  if (!compiled) {
    ADD_FAILURE() << compiled.error().message;
    return false;
  }
  image = std::move(*compiled);
  auto result = runtime::LoadedImage::load(image);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return false;
  }
  loaded = *result;
  return true;
}

void LaunchRunner::give(Value value, unsigned, const Array &array,
                        std::vector<int64_t> strides) {
  TensorMemory &tensor = tensors[value];
  tensor = allocate(value.getType(), array.sizes, std::move(strides), true);
  forEachElement(tensor, [&](size_t n, uint8_t *at) {
    put(at, tensor.element, array.elements[n]);
  });
}

Array LaunchRunner::read(Value value) {
  TensorMemory &tensor = tensors[value];
  Array array;
  array.sizes = tensor.sizes;
  forEachElement(tensor, [&](size_t, uint8_t *at) {
    array.elements.push_back(take(at, tensor.element));
  });
  return array;
}

bool LaunchRunner::launch(LaunchOp op) {
  std::vector<void *> pointers;
  std::vector<TensorMemory *> buffers;
  for (Value result : op.getResults()) {
    std::vector<int64_t> sizes =
        evaluateSizes(cast<RankedTensorType>(result.getType()), symbols);
    tensors[result] =
        allocate(result.getType(), sizes, denseStrides(sizes), false);
  }
  for (Value input : op.getInputs())
    buffers.push_back(&tensors[input]);
  for (Value result : op.getResults())
    buffers.push_back(&tensors[result]);
  for (TensorMemory *buffer : buffers)
    pointers.push_back(buffer->memory->data());
  std::vector<int64_t> integers;
  for (guard::ExprAttr expr : getExprs(op.getSymbols()))
    integers.push_back(evaluateExpr(expr, symbols));
  int64_t work = evaluateExpr(op.getWork(), symbols);
  int64_t scratchBytes =
      op.getScratch() ? evaluateExpr(*op.getScratch(), symbols) : 0;

  std::string name = op.getKernel().getLeafReference().getValue().str();
  kiln_cpu_kernel_t kernel = nullptr;
  for (auto [k, entry] : llvm::enumerate(image.kernels))
    if (entry.name == name)
      kernel = loaded->kernel(k);
  if (!kernel) {
    ADD_FAILURE() << "the image has no kernel " << name;
    return false;
  }
  // Uneven pieces, the last one first.
  std::vector<int64_t> cuts = {0, work / 3, work / 3, work - work / 4, work};
  for (size_t k = cuts.size() - 1; k > 0; --k) {
    GuardedMemory scratch(scratchBytes, 0);
    kernel(pointers.data(), integers.data(), cuts[k - 1], cuts[k],
           scratch.data());
    EXPECT_TRUE(scratch.isIntact()) << name << " writes past its scratch";
  }
  for (TensorMemory *buffer : buffers)
    EXPECT_TRUE(buffer->memory->isIntact()) << name << " writes out of bounds";
  return true;
}

std::vector<Array> loop::runLaunches(ModuleOp module,
                                     const target::CPUTarget &target,
                                     ArrayRef<Array> arguments,
                                     const SymbolValues &symbols) {
  LaunchRunner runner(module, symbols);
  if (!runner.compile(target))
    return {};
  return runMain<LaunchOp>(module, runner, arguments, symbols);
}

std::vector<Array> loop::runOnHost(ModuleOp module, ArrayRef<Array> arguments,
                                   const SymbolValues &symbols) {
  auto target = target::CPUTarget::parse("native");
  if (!target) {
    ADD_FAILURE() << target.error().message;
    return {};
  }
  return runLaunches(module, *target, arguments, symbols);
}
