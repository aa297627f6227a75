//===- CodeGenerator.h - From LLVM IR to the image of a kernel --*- C++ -*- ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's part of a compilation, for one thread. Its passes are set up once and then
// run over one small module after another, which is what makes a module a kernel as
// cheap as one module for all kernels: setting them up costs as much as a small
// kernel. `llc -compile-twice` tests in LLVM that this gives the same code.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_CODEGENERATOR_H
#define KILN_LIB_TARGET_CPU_CODEGENERATOR_H

#include "kiln/Target/CPU/KernelCompiler.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace kiln::target {

/// LLVM's view of a target; used by one thread at a time.
Result<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CPUTarget &target);

class CodeGenerator {
public:
  /// Both must live as long. Made for one compilation: what its context keeps is
  /// freed with it.
  CodeGenerator(const CPUTarget &target, llvm::TargetMachine &machine);
  ~CodeGenerator();

  /// Where modules for `generate` are made.
  llvm::LLVMContext &getContext() { return context; }

  /// The image of a module with one kernel, which is called `name` in messages and
  /// in what `report` keeps. Functions in `internal` stay inside of the image. After
  /// an error the generator is of no further use.
  Result<package::KernelImage>
  generate(llvm::Module &module, const std::string &name,
           const llvm::StringSet<> &internal,
           const KernelCompileOptions &options, KernelCompileReport &report);

private:
  struct Passes;

  const CPUTarget &target;
  llvm::TargetMachine &machine;
  llvm::LLVMContext context;
  std::string errors; ///< of LLVM's passes
  std::unique_ptr<Passes> passes;
};

} // namespace kiln::target

#endif // KILN_LIB_TARGET_CPU_CODEGENERATOR_H
