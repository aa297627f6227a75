//===- LoopToPTXTest.cpp - Kernels of every case for every GPU ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is emitted gets to PTX for each GPU that there is code generation for: the back end
// of LLVM ends the process at what a chip has no instruction for. All for all would take
// too long, so
//
//   for each GPU       every case with the schedules that are chosen for it
//   for one GPU each   every case with every other schedule: for the next GPU in turn that
//                      takes it. Those before must refuse it, in one sentence.
//   for one GPU each   every case through linalg
//
// Cases of one text are one, and so are schedules that give all kernels of a case the same
// attributes. Both widths of indices are compiled for the latter, one for the former. What is
// chosen for large sizes only is that of other tests' texts.
//
//===----------------------------------------------------------------------===//

#include "GridSchedules.h"
#include "OnlineCases.h"

#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <set>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using target::NVVMTarget;

namespace {

using Choice = std::function<ScheduleAttr(KernelOp)>;

/// Another way to emit a case.
struct NamedChoice {
  const char *name;
  Choice choose;
  bool tf32 = false; ///< if f32 may be rounded
};

struct CompiledCase {
  const char *name, *text;
  std::vector<NamedChoice> others;
  size_t turn = 0; ///< number of the GPU that the first of them is for
};

std::ostream &operator<<(std::ostream &os, const CompiledCase &test) {
  return os << test.name;
}

/// A case for a GPU, with schedules.
struct Kernels {
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::string schedules;
  /// What they are for: nothing where any GPU has it.
  std::string needed;
};

class LoopToPTX : public testing::TestWithParam<CompiledCase> {};
/// Texts of other tests, below test/.
class TextsToPTX : public testing::TestWithParam<const char *> {};

} // namespace

static bool hasUnit(ScheduleAttr schedule, ProductUnit unit) {
  auto product = dyn_cast<GPUProductScheduleAttr>(schedule);
  auto blocks = dyn_cast<GPUBlocksScheduleAttr>(schedule);
  return (product && product.getUnit() == unit) ||
         (blocks && blocks.getUnit() == unit);
}

/// What a schedule says that it is for, and whether this is the target.
static std::pair<const char *, bool> getNeeded(KernelOp kernel,
                                               ScheduleAttr schedule,
                                               const NVVMTarget &target) {
  if (hasUnit(schedule, ProductUnit::Wgmma))
    return {"sm_90a", target.chip == "sm_90a"};
  bool isProduct = isa<GPUProductScheduleAttr>(schedule);
  Type factor;
  if (isProduct)
    factor = analysis::getFactorType(
        *kernel.getBody().getOps<ContractOp>().begin());
  if (isProduct && (!hasUnit(schedule, ProductUnit::Mma) || factor.isF16()))
    return {"sm_75 and later", target.capability >= 75};
  if (isProduct ||
      isa<GPUBlocksScheduleAttr, GPUColumnPartsScheduleAttr>(schedule))
    return {"sm_80 and later", target.capability >= 80};
  return {"", true};
}

static ScheduleAttr choose(KernelOp kernel) {
  analysis::SizeHints hints(kernel->getParentOfType<ModuleOp>());
  auto strides = analysis::getInputStrides(kernel);
  EXPECT_TRUE(succeeded(strides));
  return chooseGPUSchedule(kernel, *strides, getMachine(getGPUTarget(kernel)),
                           hints);
}

/// Gives the kernels of a text the schedules of `choose`.
static Kernels schedule(StringRef text, const NVVMTarget &target, bool tf32,
                        const Choice &choose) {
  Kernels kernels;
  kernels.context = makeLoopContext();
  kernels.module = parseSourceString<ModuleOp>(text, kernels.context.get());
  if (!kernels.module) {
    ADD_FAILURE() << "cannot parse the case";
    return kernels;
  }
  (*kernels.module)
      ->setAttr(kTargetAttrName,
                GPUTargetAttr::get(kernels.context.get(), target.chip,
                                   target.multiprocessors, target.threads,
                                   target.registers, target.sharedBytes,
                                   target.l2Bytes, tf32, /*conv_tf32=*/tf32,
                                   /*deterministic=*/false));
  llvm::raw_string_ostream schedules(kernels.schedules);
  kernels.module->walk([&](KernelOp kernel) {
    ScheduleAttr schedule = choose(kernel);
    if (!schedule) {
      // Fusion makes such a kernel only where it has one.
      EXPECT_TRUE(mixesContractions(kernel) && target.capability < 80);
      kernels.needed = "sm_80 and later";
      return;
    }
    kernel.setScheduleAttr(schedule);
    schedules << schedule << "\n";
    if (auto [needed, isThere] = getNeeded(kernel, schedule, target); !isThere)
      kernels.needed = needed;
  });
  return kernels;
}

/// Lowers kernels; why that is not possible, or nothing.
static std::string lower(ModuleOp module) {
  std::string errors;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          errors += diagnostic.str() + "\n";
      });
  EXPECT_EQ(lowerToNVVM(module), errors.empty());
  return errors;
}

/// Compiles functions: each of them is an entry of the PTX for the target.
static void compile(gpu::GPUModuleOp functions, const NVVMTarget &target) {
  auto compiler = target::PTXCompiler::create(target);
  ASSERT_TRUE(bool(compiler));
  auto ptx = (*compiler)->compile(functions);
  ASSERT_TRUE(bool(ptx)) << ptx.error().message;
  EXPECT_TRUE(StringRef(*ptx).contains(".target " + target.chip + "\n"));
  functions.walk([&](LLVM::LLVMFuncOp function) {
    std::string name = function.getName().str();
    EXPECT_TRUE(StringRef(*ptx).contains(".entry " + name + "(")) << name;
  });
}

/// Compiles kernels with all widths of indices, or one that there is.
static void compile(Kernels &kernels, const NVVMTarget &target,
                    bool allWidths) {
  ASSERT_EQ(lower(*kernels.module), "");
  bool isCompiled = false;
  for (StringRef name : {"kernels", "kernels_64"})
    if (auto functions = kernels.module->lookupSymbol<gpu::GPUModuleOp>(name);
        functions && (allWidths || !isCompiled)) {
      compile(functions, target);
      isCompiled = true;
    }
  EXPECT_TRUE(isCompiled);
  kernels.module->walk([&](LaunchGridOp launch) {
    for (GridStepAttr step : launch.getSteps().getAsRange<GridStepAttr>())
      EXPECT_LE(uint64_t(step.getShared()), target.sharedBytes);
  });
}

static NVVMTarget getTarget(size_t number) {
  ArrayRef<StringRef> names = NVVMTarget::names();
  return *NVVMTarget::parse(names[number % names.size()]);
}

static void compileChosen(StringRef text, bool tf32) {
  for (size_t k = 0; k < NVVMTarget::names().size(); ++k) {
    NVVMTarget target = getTarget(k);
    SCOPED_TRACE(target.chip);
    Kernels kernels = schedule(text, target, tf32, choose);
    if (kernels.needed.empty())
      compile(kernels, target, /*allWidths=*/false);
    else
      EXPECT_EQ(kernels.schedules, "");
  }
}

TEST_P(LoopToPTX, CompilesWhatIsChosen) {
  compileChosen(GetParam().text, /*tf32=*/false);
}

TEST_P(LoopToPTX, CompilesEachSchedule) {
  const CompiledCase &test = GetParam();
  std::set<std::string> known;
  size_t turn = test.turn, count = NVVMTarget::names().size();
  for (const NamedChoice &other : test.others) {
    size_t left = count;
    for (; left != 0; --left) {
      NVVMTarget target = getTarget(turn++);
      SCOPED_TRACE(target.chip + ", " + other.name);
      Kernels kernels = schedule(test.text, target, other.tf32, other.choose);
      if (kernels.needed.empty()) {
        if (known.insert(kernels.schedules).second)
          compile(kernels, target, /*allWidths=*/true);
        break;
      }
      std::string errors = lower(*kernels.module);
      EXPECT_EQ(StringRef(errors).count('\n'), 1);
      EXPECT_TRUE(StringRef(errors).ends_with("which is for " + kernels.needed +
                                              ", but its target is " +
                                              target.chip + "\n"))
          << errors;
    }
    EXPECT_NE(left, 0u) << other.name << " is for no GPU";
  }
}

TEST_P(LoopToPTX, CompilesWhatComesThroughLinalg) {
  const CompiledCase &test = GetParam();
  NVVMTarget target = getTarget(test.turn);
  auto context = makeLoopContext();
  auto module = parseSourceString<ModuleOp>(test.text, context.get());
  ASSERT_TRUE(module);
  ASSERT_TRUE(lowerThroughLinalg(*module));
  auto functions = module->lookupSymbol<gpu::GPUModuleOp>("kernels_64");
  ASSERT_TRUE(functions);
  compile(functions, target);
}

TEST_P(TextsToPTX, CompilesWhatIsChosen) {
  const char *folder = std::getenv("KILN_TEST_INPUTS");
  ASSERT_TRUE(folder) << "KILN_TEST_INPUTS is not set";
  auto text = llvm::MemoryBuffer::getFile(std::string(folder) + "/../" +
                                          GetParam() + ".mlir");
  ASSERT_TRUE(bool(text)) << GetParam();
  compileChosen((*text)->getBuffer(), StringRef(GetParam()).contains("tf32"));
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

namespace {
/// Cases of one text are one; those that follow begin with the next GPU.
class CaseList {
public:
  void add(const LoopCase &test, const NamedChoice &other) {
    auto [entry, isNew] = numbers.try_emplace(test.text, cases.size());
    if (isNew)
      cases.push_back({test.name, test.text, {}, count});
    CompiledCase &found = cases[entry->second];
    // Not those of the other case again.
    if (llvm::none_of(found.others, [&](const NamedChoice &known) {
          return StringRef(known.name) == other.name;
        })) {
      found.others.push_back(other);
      ++count;
    }
  }
  std::vector<CompiledCase> cases;

private:
  std::map<std::string, size_t> numbers;
  size_t count = 0;
};
} // namespace

static std::vector<CompiledCase> getCompiledCases() {
  CaseList list;
  for (const auto &[test, schedule] : getRuns())
    list.add(test, {schedule.name,
                    [schedule = schedule](KernelOp kernel) {
                      return getSchedule(kernel, schedule);
                    },
                    schedule.way == Way::Rounded});
  auto addBlocks = [&](ArrayRef<LoopCase> cases, const auto &blocks) {
    for (const LoopCase &test : cases)
      list.add(test, {blocks.name, [&](KernelOp kernel) {
                        return getSchedule(kernel, blocks);
                      }});
  };
  for (const Blocks &blocks : getBlocks())
    addBlocks(getOnlineCases(), blocks);
  for (const Blocks &walks : getWalks())
    addBlocks(getWalkCases(), walks);
  for (const Warpgroups &warpgroups : getWarpgroups())
    addBlocks(getBroughtCases(), warpgroups);
  for (const Warpgroups &warpgroups : getWarpgroupWalks())
    addBlocks(getBroughtWalkCases(), warpgroups);
  return std::move(list.cases);
}

INSTANTIATE_TEST_SUITE_P(Cases, LoopToPTX,
                         testing::ValuesIn(getCompiledCases()),
                         [](const auto &info) { return info.param.name; });

static const char *const kTexts[] = {
    "Conversion/LoopToNvvm/heads",
    "Conversion/LoopToNvvm/parts",
    "Conversion/LoopToNvvm/pointwise",
    "Conversion/LoopToNvvm/product-groups",
    "Conversion/LoopToNvvm/row-parts",
    "Conversion/LoopToNvvm/row-scans",
    "Conversion/LoopToNvvm/row-select",
    "Conversion/LoopToNvvm/rows",
    "Conversion/LoopToNvvm/scatter",
    "Conversion/LoopToNvvm/scatter-groups",
    "Conversion/LoopToNvvm/tile",
    "Conversion/LoopToNvvm/walks-apart",
    "Conversion/LoopToNvvm/windows",
    "Conversion/LoopToNvvm/windows-groups",
    "Conversion/LoopToNvvm/windows-tf32",
    "Integration/GPU/Inputs/attention-backward-bf16-128-causal",
    "Integration/GPU/Inputs/attention-bf16-64-causal",
    "Integration/GPU/Inputs/column-sum-bf16",
    "Integration/GPU/Inputs/layer-norm-bf16",
    "Integration/GPU/Inputs/mean-f32",
    "Integration/GPU/Inputs/product-bf16-1001",
    "Integration/GPU/Inputs/product-bf16-batched",
    "Integration/GPU/Inputs/product-bf16-deep",
    "Integration/GPU/Inputs/product-bf16-gelu",
    "Integration/GPU/Inputs/product-bf16-results",
    "Integration/GPU/Inputs/product-bf16-row",
    "Integration/GPU/Inputs/product-f32-4096",
    "Integration/GPU/Inputs/scan-long-f32",
    "Integration/GPU/Inputs/sort-f32",
    "Integration/GPU/Inputs/sort-long-f32",
    "Integration/GPU/Inputs/transpose-bf16",
};

INSTANTIATE_TEST_SUITE_P(Texts, TextsToPTX, testing::ValuesIn(kTexts),
                         [](const auto &info) {
                           std::string name;
                           for (char c :
                                StringRef(info.param).rsplit('/').second)
                             name += c == '-' ? '_' : c;
                           return name;
                         });
