//===- StagePipelines.h - What a compilation runs -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass pipelines of a compilation as a list, made from its options and from
// what its source already went through. The driver runs this list and
// `kiln-compile --print-pipeline` prints it, so what is printed is what runs.
//
//   auto pipelines = getStagePipelines(options);
//   if (!pipelines)
//     return pipelines.takeError();
//   for (const StagePipeline &one : *pipelines)
//     one.build(pm);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_STAGEPIPELINES_H
#define KILN_COMPILER_STAGEPIPELINES_H

#include "kiln/Compiler/CompilerSession.h"

namespace kiln::compiler {

/// What a source that is IR may be: a dump of a training compilation is taken
/// up behind what was done to it.
enum class SourceForm {
  Graph,      ///< `@main`, whatever its stage
  JointGraph, ///< a `joint.graph`: differentiated, not cut
  Cut,        ///< `@forward` and `@backward`, whatever their stage
};

/// The form of a module. Unsupported if it is none of them; Usage if it does not
/// fit to the options: a training step wants `training`, an update of weights
/// the `optimizer` that it was made for.
Result<SourceForm> getSourceForm(ModuleOp module,
                                 const CompileOptions &options);

/// Usage error for a text that only the compiler can judge: an unknown target, a
/// setting that an optimizer does not have.
Status checkOptions(const CompileOptions &options);

/// True for the name of a GPU rather than of a processor.
bool isGPU(llvm::StringRef target);

/// True if numbers in the sizes of inputs become symbols (`aten-make-dynamic`).
bool addsSymbols(const CompileOptions &options);

/// Passes that run together. Behind them the IR is dumped under `name`.
struct StagePipeline {
  Stage stage;
  std::string name; ///< the stage's, or "joint-graph" before the cut
  std::function<void(mlir::OpPassManager &)> build;
};

/// The pipelines that compile a source of this form, in order; code generation
/// is not among them. Usage error for an unknown target.
Result<std::vector<StagePipeline>>
getStagePipelines(const CompileOptions &options,
                  SourceForm form = SourceForm::Graph,
                  Stage found = Stage::Capture);

/// One line a stage, "loop: builtin.module(...)": what `kiln-opt
/// --pass-pipeline` takes to do the same to the IR of the stage before.
Result<std::string> printStagePipelines(const CompileOptions &options);

} // namespace kiln::compiler

#endif // KILN_COMPILER_STAGEPIPELINES_H
