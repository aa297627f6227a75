//===- LaunchRunner.cpp - Compile launched kernels and run them -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does by hand what a runtime does with the `loop.launch` ops of a function,
// and is less forgiving: a kernel's work items are run in several pieces, every
// buffer and the scratch lie between guard bytes that must survive, and inputs
// have only the alignment of their element type.
//
//===----------------------------------------------------------------------===//

#include "ElementBytes.h"
#include "LoopCases.h"
#include "RunMain.h"

#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Runtime/KernelImage.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "gtest/gtest.h"

#include <map>

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

/// The code of kernels, in memory.
struct CompiledKernels {
  package::KernelImage image;
  std::shared_ptr<runtime::LoadedImage> loaded; ///< null if that failed
};

class LaunchRunner {
public:
  LaunchRunner(const CompiledKernels &kernels, const SymbolValues &symbols)
      : kernels(kernels), symbols(symbols) {}

  void give(Value value, unsigned number, const Array &array,
            std::vector<int64_t> strides);
  bool launch(LaunchOp op);
  Array read(Value value);

private:
  const CompiledKernels &kernels;
  const SymbolValues &symbols;
  llvm::DenseMap<Value, TensorMemory> tensors;
};

} // namespace

static CompiledKernels compileKernels(ModuleOp module) {
  // Both are asked for often, and the same each time.
  static auto target = target::CPUTarget::parse("native");
  static auto compiler = target ? target::KernelCompiler::create(*target)
                                : target.takeError();
  CompiledKernels made;
  if (!compiler) {
    ADD_FAILURE() << compiler.error().message;
    return made;
  }
  auto image = (*compiler)->compile(module);
  if (!image) {
    ADD_FAILURE() << image.error().message;
    return made;
  }
  made.image = std::move(*image);
  auto loaded = runtime::LoadedImage::load(made.image);
  if (loaded)
    made.loaded = *loaded;
  else
    ADD_FAILURE() << loaded.error().message;
  return made;
}

/// The code of the kernels of a lowered module, which depends on nothing but their text.
/// Many schedules of a case give the same kernels: they are compiled once.
static const CompiledKernels *compileOnce(ModuleOp module) {
  static std::map<std::string, CompiledKernels> known;
  auto kernels = module.lookupSymbol<ModuleOp>("kernels");
  if (!kernels) {
    ADD_FAILURE() << "there is no module of kernels";
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernels.print(stream, OpPrintingFlags().assumeVerified());
  auto [entry, isNew] = known.try_emplace(std::move(text));
  if (isNew)
    entry->second = compileKernels(kernels);
  return &entry->second;
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
  for (auto [k, entry] : llvm::enumerate(kernels.image.kernels))
    if (entry.name == name)
      kernel = kernels.loaded->kernel(k);
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

Execution loop::runOnHost() {
  const CompiledKernels *compiled = nullptr;
  return [=](ModuleOp module, ArrayRef<Array> arguments,
             const SymbolValues &symbols) mutable -> std::vector<Array> {
    if (!compiled)
      compiled = compileOnce(module);
    if (!compiled || !compiled->loaded)
      return {};
    LaunchRunner runner(*compiled, symbols);
    return runMain<LaunchOp>(module, runner, arguments, symbols);
  };
}
