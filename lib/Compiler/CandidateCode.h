//===- CandidateCode.h - Code of schedules that are measured ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an Autotuner needs of a target: code for many programs of one kernel
// each. A processor and a GPU make it in different ways; what is done with it
// is the same.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_CANDIDATECODE_H
#define KILN_LIB_COMPILER_CANDIDATECODE_H

#include "kiln/Package/KernelStore.h"
#include "kiln/Target/CPU/KernelCompiler.h"
#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::compiler {

class CandidateCode {
public:
  virtual ~CandidateCode() = default;
  /// Code of lowered programs of one context, which are as many as are measured
  /// together and are compiled side by side: an image or an error for each.
  virtual std::vector<Result<package::KernelImage>>
  compile(llvm::ArrayRef<mlir::ModuleOp> programs) = 0;
};

/// Both use `compiler` as long as they live.
std::unique_ptr<CandidateCode>
makeCandidateCode(target::KernelCompiler &compiler, target::Workers workers);
std::unique_ptr<CandidateCode> makeCandidateCode(target::PTXCompiler &compiler,
                                                 target::Workers workers);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_CANDIDATECODE_H
