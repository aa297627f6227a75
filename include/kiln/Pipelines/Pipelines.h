//===- Pipelines.h - The arrows between the stages ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per arrow of the stage picture; tools and the driver compose
// them, and so can other compilers:
//
//   OpPassManager pm("builtin.module");
//   buildCorePipeline(pm, {});
//   buildLoopPipeline(pm, LoopPipelineOptions());
//   buildKernelPipeline(pm);
//   buildNativePipeline(pm);
//
// Each is also a registered pipeline (`kiln-core`, `kiln-joint`, `kiln-loop`,
// `kiln-fuse`, `kiln-cpu`, `kiln-gpu`, `kiln-native`) that `kiln-opt` knows as a
// flag and inside `--pass-pipeline`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PIPELINES_PIPELINES_H
#define KILN_PIPELINES_PIPELINES_H

#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/BoundedOption.h"
#include "kiln/Support/LLVM.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace kiln {

/// The name of a GPU, one of `target::NVVMTarget::names()`. Any other name is refused,
/// with those that there are, where the text of a pipeline is read.
struct GPUChip {
  std::string name;
};
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &out,
                                     const GPUChip &chip) {
  return out << chip.name;
}

} // namespace kiln

namespace llvm::cl {
template <> class parser<kiln::GPUChip> : public basic_parser<kiln::GPUChip> {
public:
  parser(Option &option) : basic_parser<kiln::GPUChip>(option) {}
  bool parse(Option &option, StringRef name, StringRef text,
             kiln::GPUChip &result);
  StringRef getValueName() const override { return "chip"; }
  void printOptionDiff(const Option &option, const kiln::GPUChip &chip,
                       OptionValue<kiln::GPUChip>, size_t) const {
    outs() << option.ArgStr << " = " << chip.name << '\n';
  }
  void anchor() override {}
};
} // namespace llvm::cl

namespace kiln {

struct CorePipelineOptions : mlir::PassPipelineOptions<CorePipelineOptions> {
  Option<bool> training{
      *this, "training",
      llvm::cl::desc("Leave ops with a derivative of their own to the joint "
                     "pipeline, which decomposes them afterwards."),
      llvm::cl::init(false)};
};

struct JointPipelineOptions : mlir::PassPipelineOptions<JointPipelineOptions> {
  Option<Fraction> memoryBudget{
      *this, "memory-budget",
      llvm::cl::desc("Fraction, 0 to 1, of the default cut's bytes that may be "
                     "saved for the backward."),
      llvm::cl::init(1.0)};
  Option<std::string> optimizer{
      *this, "optimizer",
      llvm::cl::desc("End the step with this optimizer, as of "
                     "joint-append-optimizer; empty: return gradients."),
      llvm::cl::init("")};
  Option<bool> opensRows{
      *this, "opens-rows",
      llvm::cl::desc("Take operators on rows apart before the cut, so that the "
                     "numbers of a row can be saved instead of the row; where "
                     "kernels are fused that is no pass over memory more."),
      llvm::cl::init(false)};
  Option<bool> operandsInMemory{
      *this, "operands-in-memory",
      llvm::cl::desc("Save what the forward writes for a contraction and the "
                     "backward would write again for another, as kernels of "
                     "matrix units read their operands from memory."),
      llvm::cl::init(false)};
  ListOption<std::string> savesSums{
      *this, "saves-sums",
      llvm::cl::desc("Save the logarithm of a row's sum of exponentials of "
                     "attention of these types, f32, bf16 or f16, for kernels "
                     "that walk its scores again.")};
};

struct LoopPipelineOptions : mlir::PassPipelineOptions<LoopPipelineOptions> {
  // The target, as of `loop-set-target`.
  Option<VectorBits> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of the target's vector registers in bits."),
      llvm::cl::init(256)};
  Option<VectorRegisters> vectorRegisters{
      *this, "vector-registers",
      llvm::cl::desc("Number of the target's vector registers."),
      llvm::cl::init(16)};
  Option<bool> masks{*this, "masks",
                     llvm::cl::desc("Lanes of all types can be masked."),
                     llvm::cl::init(false)};
  Option<ByteCount> l1Bytes{
      *this, "l1-bytes",
      llvm::cl::desc("Size of a core's first cache in bytes."),
      llvm::cl::init(32 << 10)};
  Option<ByteCount> l2Bytes{
      *this, "l2-bytes",
      llvm::cl::desc("Size of a core's second cache in bytes."),
      llvm::cl::init(512 << 10)};
  Option<ByteCount> l3Bytes{
      *this, "l3-bytes",
      llvm::cl::desc("Size of the target's last cache in bytes."),
      llvm::cl::init(16 << 20)};
  Option<ByteCount> streamBytes{
      *this, "stream-bytes",
      llvm::cl::desc("Size of a result in bytes from which on it is better "
                     "written past the caches; 0: never."),
      llvm::cl::init(0)};
  Option<loop::DotUnit> bf16{
      *this, "bf16", llvm::cl::desc("What multiplies bf16 fastest."),
      llvm::cl::init(loop::DotUnit::Fma),
      llvm::cl::values(
          clEnumValN(loop::DotUnit::Fma, "fma", "multiply-adds of f32"),
          clEnumValN(loop::DotUnit::Pairs, "pairs",
                     "products of two neighbours in the sum (AVX512-BF16)"),
          clEnumValN(loop::DotUnit::Tiles, "tiles",
                     "registers of 16 by 16 sums (AMX)"))};
  Option<loop::DotUnit> bytes{
      *this, "bytes", llvm::cl::desc("What multiplies bytes fastest."),
      llvm::cl::init(loop::DotUnit::Fma),
      llvm::cl::values(
          clEnumValN(loop::DotUnit::Fma, "fma",
                     "multiplications and additions of i32"),
          clEnumValN(loop::DotUnit::Quads, "quads",
                     "products of four neighbours in the sum (AVX512-VNNI)"))};
  Option<PositiveCount> threads{
      *this, "threads",
      llvm::cl::desc("Number of threads that run kernels side by side."),
      llvm::cl::init(2)};
  Option<bool> sumsOfTiles{
      *this, "sums-of-tiles",
      llvm::cl::desc("On a GPU, finish what reads products, and sum up their "
                     "columns, where their tiles are: emitters of linalg have "
                     "no tiles."),
      llvm::cl::init(true)};
  Option<PositiveCount> maxNests{
      *this, "max-nests",
      llvm::cl::desc("The largest number of nests in one kernel, as of "
                     "`loop-fuse`; 1: products are not joined either."),
      llvm::cl::init(64)};
  Option<PreparedBytes> preparedBytes{
      *this, "prepared-bytes",
      llvm::cl::desc("Bytes that panels of weights may take, as `limit` of "
                     "`loop-pack-weights`; negative: none are made ahead."),
      llvm::cl::init(64 << 20)};
  Option<ByteCount> memoryLimit{
      *this, "memory-limit",
      llvm::cl::desc("Bytes that a program may need at once beside weights and "
                     "inputs, as `limit` of `loop-rematerialize`; 0: nothing is "
                     "computed again for memory."),
      llvm::cl::init(0)};
  Option<GPUChip> chip{
      *this, "chip",
      llvm::cl::desc("Fuse and schedule for this GPU instead of a CPU, as of "
                     "kiln-gpu."),
      llvm::cl::init(GPUChip())};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("On a GPU products of f32 may be those of factors rounded "
                     "to tf32."),
      llvm::cl::init(false)};
  Option<bool> convTf32{
      *this, "conv-tf32",
      llvm::cl::desc("On a GPU the same of products that convolutions are made "
                     "of."),
      llvm::cl::init(false)};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc(
          "Scatters on a GPU add up floats in order, so that each run "
          "gives the same bits."),
      llvm::cl::init(false)};
};

/// How the code of kernels for a GPU is made.
enum class GPULowering {
  Direct, ///< by Kiln's emitters
  Linalg, ///< through linalg and passes of MLIR
};

struct GPUPipelineOptions : mlir::PassPipelineOptions<GPUPipelineOptions> {
  Option<GPUChip> chip{
      *this, "chip",
      llvm::cl::desc("LLVM's name of the GPU: sm_75, sm_80, sm_89, sm_90, "
                     "sm_90a, sm_100 or sm_120."),
      llvm::cl::init(GPUChip{"sm_90a"})};
  Option<GPULowering> lowering{
      *this, "lowering",
      llvm::cl::desc("How the code of kernels is made."),
      llvm::cl::init(GPULowering::Direct),
      llvm::cl::values(
          clEnumValN(GPULowering::Direct, "direct", "By Kiln's emitters."),
          clEnumValN(GPULowering::Linalg, "linalg",
                     "Through linalg and passes of MLIR; schedules, if there "
                     "are any, say nothing, and products are exact."))};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("Products of f32 may be those of factors rounded to tf32."),
      llvm::cl::init(false)};
};

struct ProgramPipelineOptions
    : mlir::PassPipelineOptions<ProgramPipelineOptions> {
  Option<PreparedBytes> preparedBytes{
      *this, "prepared-bytes",
      llvm::cl::desc("Bytes that what is computed once from weights may take, as "
                     "`limit` of `program-hoist-preparation`."),
      llvm::cl::init(64 << 20)};
};

/// capture -> core: the Kiln core set, simplified.
void buildCorePipeline(mlir::OpPassManager &pm,
                       const CorePipelineOptions &options);
/// core -> joint -> two functions in core form, `@forward` and `@backward`: the
/// next two, one after the other.
void buildJointPipeline(mlir::OpPassManager &pm,
                        const JointPipelineOptions &options);
/// core -> joint: one `joint.graph` of outputs and gradients, or of outputs and
/// updates if there is an optimizer.
void buildDifferentiationPipeline(mlir::OpPassManager &pm,
                                  const JointPipelineOptions &options);
/// joint -> the two functions.
void buildPartitionPipeline(mlir::OpPassManager &pm,
                            const JointPipelineOptions &options);
/// capture, core or joint -> package: programs that call operators, without
/// kernels. In core form views are reshapes (`ignoreStrides`).
void buildCallsPipeline(mlir::OpPassManager &pm, bool ignoreStrides);
/// core -> loop: fused kernels with schedules for the target of the options, unless the module states its own (`loop.target`).
void buildLoopPipeline(mlir::OpPassManager &pm,
                       const LoopPipelineOptions &options);
/// The second half of it, for compilers that make loop nests themselves (from
/// `linalg`: `convert-linalg-to-loop`): nests -> fused kernels with schedules.
void buildFusionPipeline(mlir::OpPassManager &pm,
                         const LoopPipelineOptions &options);
/// loop -> kernel: outlined functions in `@kernels`, launches in their place.
void buildKernelPipeline(mlir::OpPassManager &pm);

/// loop -> native for a GPU: launches of grids, and the functions of `gpu.module`s in
/// the llvm and nvvm dialects, as `target::PTXCompiler` takes them. Kernels without a
/// schedule get one for the GPU, unless the module states its own (`loop.target`).
/// Through linalg none has one.
void buildGPUPipeline(mlir::OpPassManager &pm,
                      const GPUPipelineOptions &options);

/// loop -> kernel for a GPU, of kernels that have schedules for one: launches of
/// grids, whose functions are lowered when they are compiled.
void buildGridPipeline(mlir::OpPassManager &pm,
                       GPULowering lowering = GPULowering::Direct);

/// kernel -> package: programs of launches and calls, with their memory planned.
void buildProgramPipeline(mlir::OpPassManager &pm,
                          const ProgramPipelineOptions &options =
                              ProgramPipelineOptions());

/// kernel -> native: the functions of `@kernels` in the llvm dialect. The driver
/// runs the same passes on each kernel where it generates its code.
void buildNativePipeline(mlir::OpPassManager &pm);

/// Makes the pipelines known to `mlir-opt` style tools.
void registerPipelines();

} // namespace kiln

#endif // KILN_PIPELINES_PIPELINES_H
