//===- DecompositionTest.cpp - What records say is what runs --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares three things: the records of the ops, a run of `aten-decompose` over
// one op of each that is decomposed, and the page that lists what each has.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace kiln;
using namespace kiln::aten;
using ::testing::ContainerEq;

namespace {

using Names = std::set<std::string>;

/// A path below the folder of test inputs.
std::string getPath(StringRef relative) {
  const char *folder = std::getenv("KILN_TEST_INPUTS");
  return folder ? (folder + ("/" + relative)).str() : std::string();
}

/// The overloads that a run of the pass removes from their functions.
Names runPass(StringRef target) {
  mlir::DialectRegistry registry;
  registerComposites(registry);
  MLIRContext context(registry);
  context.loadDialect<AtenDialect, guard::GuardDialect,
                      mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceFile<ModuleOp>(getPath("decomposed-ops.mlir"),
                                                &context);
  if (!module)
    return {};
  mlir::PassManager manager(&context);
  AtenDecomposePassOptions options;
  options.to = target.str();
  manager.addPass(createAtenDecomposePass(options));
  if (failed(manager.run(*module)))
    return {};
  Names gone;
  for (auto function : module->getOps<mlir::func::FuncOp>()) {
    // The function's name says the library unless it is ATen.
    std::string name = function.getName().str();
    if (!function.getName().starts_with("transformers.") &&
        !function.getName().starts_with("quantized_decomposed."))
      name = "aten." + name;
    bool stays = false;
    function.walk([&](Operation *op) {
      stays |= op->getName().getStringRef() == name;
    });
    if (!stays)
      gone.insert(name);
  }
  return gone;
}

/// The overloads of records for which `isWanted`.
Names getOverloads(llvm::function_ref<bool(const OpInfo &)> isWanted) {
  Names names;
  for (const OpInfo *info : getAllOverloads())
    if (isWanted(*info))
      names.insert(info->name);
  return names;
}

TEST(DecompositionTest, RunsWhatRecordsSay) {
  EXPECT_THAT(runPass("loop"), ContainerEq(getOverloads([](auto &info) {
                return info.isDecomposed;
              })));
}

TEST(DecompositionTest, OpensComposites) {
  EXPECT_THAT(runPass("import"), ContainerEq(getOverloads([](auto &info) {
                return info.isComposite;
              })));
}

TEST(DecompositionTest, LeavesTheCoreSet) {
  EXPECT_THAT(runPass("core"), ContainerEq(getOverloads([](auto &info) {
                return info.isDecomposed && !info.isCore;
              })));
}

TEST(DecompositionTest, IsWhatThePageSays) {
  auto page = llvm::MemoryBuffer::getFile(
      getPath("../../lib/Dialect/Aten/Coverage.md"));
  ASSERT_TRUE(page);
  Names names;
  SmallVector<StringRef> lines;
  (*page)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    // | `overload` | what it does | ... | decomposition or loop body | ...
    SmallVector<StringRef> cells;
    line.split(cells, " | ");
    if (cells.size() == 9 && cells[6].starts_with("decomposes: ") &&
        !cells[1].starts_with("In place: "))
      names.insert(cells[0].trim("| `").str());
  }
  EXPECT_THAT(runPass("loop"), ContainerEq(names));
}

} // namespace
