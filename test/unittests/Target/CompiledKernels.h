//===- CompiledKernels.h - Compile and run kernels in tests ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_TARGET_COMPILEDKERNELS_H
#define KILN_TEST_UNITTESTS_TARGET_COMPILEDKERNELS_H

#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <sys/mman.h>

#include <cstring>

namespace kiln::target {

/// A context with the dialects of kernels, running on one thread.
inline std::unique_ptr<mlir::MLIRContext> makeKernelContext() {
  mlir::DialectRegistry registry;
  registerKernelDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// An image in executable memory.
class LoadedImage {
public:
  LoadedImage() = default;
  explicit LoadedImage(package::KernelImage image) : image(std::move(image)) {
    size = this->image.bytes.size();
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      memory = nullptr;
      return;
    }
    std::memcpy(memory, this->image.bytes.data(), size);
    mprotect(memory, size, PROT_READ | PROT_EXEC);
  }
  LoadedImage(LoadedImage &&other) { *this = std::move(other); }
  LoadedImage &operator=(LoadedImage &&other) {
    std::swap(image, other.image);
    std::swap(memory, other.memory);
    std::swap(size, other.size);
    return *this;
  }
  ~LoadedImage() {
    if (memory)
      munmap(memory, size);
  }

  /// The kernel called `name`, or null.
  kiln_cpu_kernel_t find(const std::string &name) const {
    for (const package::Kernel &kernel : image.kernels)
      if (memory && kernel.name == name)
        return reinterpret_cast<kiln_cpu_kernel_t>(
            static_cast<char *>(memory) + kernel.entry);
    return nullptr;
  }

  package::KernelImage image;

private:
  void *memory = nullptr;
  size_t size = 0;
};

/// Compiles a module for `target`, which must succeed.
inline LoadedImage compileKernels(mlir::ModuleOp module,
                                  const CPUTarget &target,
                                  KernelCompileReport *report = nullptr,
                                  const KernelCompileOptions &options = {}) {
  auto compiler = KernelCompiler::create(target);
  if (!compiler) {
    ADD_FAILURE() << compiler.error().message;
    return {};
  }
  auto image = (*compiler)->compile(module, options, report);
  if (!image) {
    ADD_FAILURE() << image.error().message;
    return {};
  }
  return LoadedImage(std::move(*image));
}

inline LoadedImage compileKernels(const std::string &source,
                                  const CPUTarget &target,
                                  KernelCompileReport *report = nullptr) {
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
  if (!module) {
    ADD_FAILURE() << "cannot parse:\n" << source;
    return {};
  }
  return compileKernels(*module, target, report);
}

/// The targets that run on this machine: x86-64-v3 always, others if present.
inline std::vector<CPUTarget> runnableTargets() {
  std::vector<CPUTarget> targets;
  auto native = CPUTarget::parse("native");
  if (!native)
    return targets;
  for (llvm::StringRef name : CPUTarget::names()) {
    auto target = CPUTarget::parse(name);
    if (target && (target->featureBits & ~native->featureBits) == 0)
      targets.push_back(*target);
  }
  return targets;
}

} // namespace kiln::target

#endif // KILN_TEST_UNITTESTS_TARGET_COMPILEDKERNELS_H
