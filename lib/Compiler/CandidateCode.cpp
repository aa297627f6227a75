//===- CandidateCode.cpp - Code of schedules that are measured ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateCode.h"

#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Target/GPU/PTXImage.h"

#include "mlir/IR/SymbolTable.h"

#include <map>

using namespace kiln;
using namespace kiln::compiler;
using mlir::ModuleOp;
using mlir::Operation;
using Images = std::vector<Result<package::KernelImage>>;

namespace {
/// Code that was generated, by its key: candidates are compiled all at once,
/// side by side, and then found here one by one.
class Memory final : public package::KernelStore {
public:
  std::vector<std::optional<package::KernelImage>>
  find(const std::vector<Digest> &keys) override {
    std::vector<std::optional<package::KernelImage>> found;
    for (const Digest &key : keys) {
      auto image = images.find(key.hex());
      found.push_back(image == images.end() ? std::nullopt
                                            : std::optional(image->second));
    }
    return found;
  }
  void keep(const Digest &key, const package::KernelImage &image,
            uint64_t) override {
    images.emplace(key.hex(), image);
  }

private:
  std::map<std::string, package::KernelImage> images;
};
} // namespace

/// Puts the code of all candidates into one module, under names of their own.
static mlir::OwningOpRef<ModuleOp>
joinKernels(llvm::ArrayRef<ModuleOp> programs) {
  mlir::OwningOpRef<ModuleOp> joined = ModuleOp::create(
      mlir::UnknownLoc::get(ModuleOp(programs.front()).getContext()));
  unsigned count = 0;
  for (ModuleOp program : programs) {
    ModuleOp kernels = loop::getKernelModule(program);
    if (!kernels)
      continue;
    mlir::OwningOpRef<ModuleOp> copy(kernels.clone());
    mlir::SymbolTable symbols(*copy);
    bool isRenamed = true;
    for (Operation &op : llvm::make_early_inc_range(*copy->getBody())) {
      std::string name = "k" + std::to_string(count++);
      if (mlir::SymbolTable::getSymbolName(&op))
        isRenamed &= mlir::succeeded(symbols.rename(&op, name));
    }
    if (!isRenamed)
      continue; // it is compiled by itself
    for (Operation &op : llvm::make_early_inc_range(*copy->getBody()))
      op.moveBefore(joined->getBody(), joined->getBody()->end());
  }
  return joined;
}

namespace {
class ProcessorCode final : public CandidateCode {
public:
  ProcessorCode(target::KernelCompiler &compiler, target::Workers workers)
      : compiler(compiler), workers(std::move(workers)) {}

  Images compile(llvm::ArrayRef<ModuleOp> programs) override {
    Images images;
    if (programs.empty())
      return images;
    Memory memory;
    target::KernelCompileOptions how;
    how.store = &memory;
    how.workers = workers;
    // What does not compile says so again below, by itself.
    (void)compiler.compile(*joinKernels(programs), how);
    for (ModuleOp program : programs) {
      ModuleOp kernels = loop::getKernelModule(program);
      images.push_back(kernels ? compiler.compile(kernels, how)
                               : Result<package::KernelImage>(
                                     Error::unsupported("has no code")));
    }
    return images;
  }

private:
  target::KernelCompiler &compiler;
  target::Workers workers;
};

class GPUCode final : public CandidateCode {
public:
  GPUCode(target::PTXCompiler &compiler, target::Workers workers)
      : compiler(compiler), workers(std::move(workers)) {}

  Images compile(llvm::ArrayRef<ModuleOp> programs) override {
    target::PTXImageReport report;
    return target::compileToImages(programs, compiler, nullptr, report,
                                   workers.count, workers.run);
  }

private:
  target::PTXCompiler &compiler;
  target::Workers workers;
};
} // namespace

std::unique_ptr<CandidateCode>
compiler::makeCandidateCode(target::KernelCompiler &compiler,
                            target::Workers workers) {
  return std::make_unique<ProcessorCode>(compiler, std::move(workers));
}

std::unique_ptr<CandidateCode>
compiler::makeCandidateCode(target::PTXCompiler &compiler,
                            target::Workers workers) {
  return std::make_unique<GPUCode>(compiler, std::move(workers));
}
