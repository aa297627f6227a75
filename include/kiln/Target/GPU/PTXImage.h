//===- PTXImage.h - The image of a package for a GPU ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of a GPU as a package has them: a text of PTX each, so that a driver
// assembles several at a time, and one that was compiled before is not again.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_GPU_PTXIMAGE_H
#define KILN_TARGET_GPU_PTXIMAGE_H

#include "kiln/Package/KernelStore.h"
#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace kiln::target {

/// How the kernels of an image came about.
struct PTXImageReport {
  unsigned compiled = 0; ///< kernels that went through LLVM
  unsigned found = 0;    ///< kernels that came from the store
};

/// Calls its argument on up to so many threads at once as there are workers, each time
/// with another number below that, and returns when all calls have.
using WorkerRunner =
    std::function<void(const std::function<void(unsigned)> &)>;

/// The kernels in the modules of a GPU of `program` (`program::kKernels` and
/// `kWideKernels`, whose kernels get that suffix), in their order; they stay as they
/// are. `store`, which may be null, is asked before a kernel is compiled. `compiler` is
/// the first of `workers`, which `run` calls if there are several; what comes out does
/// not depend on them. Errors name the kernel.
///
/// Example:
///
///   PTXImageReport report;
///   auto image = compileToImage(module, **PTXCompiler::create(target), nullptr,
///                               report);
Result<package::KernelImage>
compileToImage(mlir::ModuleOp program, PTXCompiler &compiler,
               package::KernelStore *store, PTXImageReport &report,
               unsigned workers = 1, const WorkerRunner &run = {});

/// The same of several programs of one context, whose kernels are compiled side by side:
/// an image or an error for each.
std::vector<Result<package::KernelImage>>
compileToImages(llvm::ArrayRef<mlir::ModuleOp> programs, PTXCompiler &compiler,
                package::KernelStore *store, PTXImageReport &report,
                unsigned workers = 1, const WorkerRunner &run = {});

} // namespace kiln::target

#endif // KILN_TARGET_GPU_PTXIMAGE_H
