//===- LinalgPipeline.h - Kernels by way of linalg --------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second, complete lowering of fused kernels (`--lowering=linalg`): from
// `loop.kernel` to functions of scf, arith, math and llvm ops, as
// `convert-loop-to-scf` makes them, with stock MLIR doing the work in between:
//
//   loop-outline-kernels        a function on tensors for each kernel
//   convert-loop-to-linalg      its nests as linalg
//   (embedder's passes)         tiling, fusion, vectorization, ... on tensors
//   one-shot-bufferize          in place where possible
//   convert-linalg-to-loops
//   kiln-place-scratch          temporaries without malloc
//   finalize-memref-to-llvm     bare pointers again
//
// and for a GPU, with parallel loops instead of others:
//
//   kiln-flatten-loops          each loop has one dimension
//   scf-parallel-loop-tiling, gpu-map-parallel-loops,
//   convert-parallel-loops-to-gpu, gpu-kernel-outlining
//   kiln-collect-launches       its launches as a `loop.launch_grid`
//
// It is the place where embedders put their own tiling under Kiln's graph
// level:
//
//   LinalgLoweringOptions options;
//   options.addTensorPasses = [](mlir::OpPassManager &kernels) {
//     kernels.addNestedPass<mlir::func::FuncOp>(createMyTilingPass());
//   };
//   buildLinalgLoweringPipeline(pm, options);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PIPELINES_LINALGPIPELINE_H
#define KILN_PIPELINES_LINALGPIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <functional>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace kiln {

struct LinalgLoweringOptions {
  /// Adds passes between the conversion to linalg and bufferization, to a
  /// manager of the module that holds all kernels. Empty: none.
  std::function<void(mlir::OpPassManager &)> addTensorPasses;
  /// For a GPU: a thread for each point of a parallel loop, one thread for what stands
  /// between two of them.
  bool grid = false;
};

/// Lowers every `loop.kernel` of a module: afterwards there are `loop.launch`
/// ops and, in the module `@kernels`, functions that `target::KernelCompiler`
/// takes; with `grid` there are `loop.launch_grid` ops and, in the `gpu.module`
/// `@kernels_64`, functions that `target::PTXCompiler` takes. `loop.extern` ops
/// stay where they are.
void buildLinalgLoweringPipeline(mlir::OpPassManager &pm,
                                 const LinalgLoweringOptions &options = {});

/// The dialects the pipeline goes through, with what bufferization must know of
/// their ops. Needed in the context of every module given to the pipeline.
void registerLinalgLoweringDialects(mlir::DialectRegistry &registry);

/// Makes the pipeline known as `kiln-lower-through-linalg`.
void registerLinalgLoweringPipeline();

} // namespace kiln

#endif // KILN_PIPELINES_LINALGPIPELINE_H
