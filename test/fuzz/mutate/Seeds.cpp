//===- Seeds.cpp - What mutants are made of -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seeds.h"

#include "kiln-compile/ToolMain.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::fuzz;
namespace fs = std::filesystem;

std::string fuzz::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void fuzz::writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

int fuzz::callTool(int (*tool)(int, char **),
                   std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tool");
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  return tool(static_cast<int>(arguments.size()), argv.data());
}

/// A child calls the tool: options and registries of LLVM are set up once in a
/// process, and the server keeps them as they are.
static void compileInChild(std::vector<std::string> arguments) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(callTool(compiler::toolMain, std::move(arguments)));
  int state = 0;
  ::waitpid(child, &state, 0);
}

static std::vector<std::string> filesBelow(const std::string &path) {
  std::vector<std::string> files;
  if (!fs::is_directory(path))
    return {path};
  for (const auto &entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Where a module stands that no file name says it of.
static Stage stageOf(mlir::ModuleOp module) {
  Stage stage = findStage(module);
  if (stage != Stage::Capture && stage != Stage::Kernel)
    return stage;
  bool isNative = false, isKilns = false;
  module.walk([&](mlir::Operation *op) {
    isNative |= mlir::isa<mlir::LLVM::LLVMFuncOp>(op);
    isKilns |=
        op->getDialect() &&
        op->getDialect()->getRegisteredInterface<StageDialectInterface>();
  });
  if (isNative)
    return Stage::Native;
  // What is of MLIR's dialects alone is nearest to the kernels that they make.
  if (stage == Stage::Kernel || !isKilns)
    return Stage::Kernel;
  return mlir::succeeded(verifyStage(module, Stage::Core)) ? Stage::Core
                                                           : Stage::Capture;
}

/// Adds a module that was read from `text`, as it stands and in its other
/// forms.
static void addModule(mlir::ModuleOp module, Stage stage,
                      const std::string &text, Seeds &seeds) {
  constexpr size_t tooLong = 60000;
  if (text.size() > tooLong)
    return;
  seeds.texts.push_back({stage, text});
  std::string generic, bytecode;
  llvm::raw_string_ostream os(generic);
  module.print(os, mlir::OpPrintingFlags().printGenericOpForm());
  seeds.texts.push_back({stage, generic});
  llvm::raw_string_ostream bytes(bytecode);
  if (mlir::succeeded(mlir::writeBytecodeToFile(module, bytes)))
    seeds.bytecodes.push_back(bytecode);
}

/// Adds what becomes of the functions of kernels before it is machine code,
/// which no file of a compilation has as MLIR.
static void addNative(mlir::ModuleOp module, Seeds &seeds) {
  mlir::PassManager pm(module.getContext());
  if (mlir::failed(mlir::parsePassPipeline("kiln-native", pm)) ||
      mlir::failed(pm.run(module)))
    return;
  module.walk([&](mlir::ModuleOp kernels) {
    if (kernels == module)
      return;
    std::string text;
    llvm::raw_string_ostream(text) << kernels;
    addModule(kernels, Stage::Native, text, seeds);
  });
}

/// Adds a text if it is a module; `known` is its stage if that is known.
static void addText(mlir::MLIRContext &context, const std::string &text,
                    std::optional<Stage> known, Seeds &seeds) {
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return;
  addModule(*module, known ? *known : stageOf(*module), text, seeds);
  if (known == Stage::Kernel)
    addNative(*module, seeds);
}

/// Of a file like `2-joint-graph.mlir`.
static std::optional<Stage> stageOfDump(const std::string &path) {
  llvm::StringRef name = llvm::StringRef(path).rsplit('/').second;
  return parseStage(name.split('-').second.take_while(llvm::isAlpha));
}

static void addFile(mlir::MLIRContext &context, const std::string &path,
                    Seeds &seeds) {
  std::string text = readFile(path);
  if (text.find("expected-error") != std::string::npos)
    return;
  const std::string mark = "// -----";
  for (size_t begin = 0; begin != std::string::npos;) {
    size_t end = text.find(mark, begin);
    addText(context, text.substr(begin, end - begin), std::nullopt, seeds);
    begin = end == std::string::npos ? end : end + mark.size();
  }
}

static void addArchive(mlir::MLIRContext &context, const std::string &path,
                       const std::string &scratch, Seeds &seeds) {
  seeds.archives.push_back(readFile(path));
  for (bool training : {false, true}) {
    std::string folder = scratch + "/" + std::to_string(seeds.archives.size()) +
                         (training ? "t" : "f");
    fs::create_directories(folder);
    std::vector<std::string> arguments = {path, "-o", folder + "/p.kiln",
                                          "--dump-stages=" + folder};
    if (training)
      arguments.push_back("--training");
    compileInChild(arguments);
    // The same for two processors, in one package.
    arguments = {path, "-o", folder + "/both.kiln", "--target=x86-64-v3",
                 "--target=x86-64-v4"};
    if (training)
      arguments.push_back("--training");
    compileInChild(arguments);
    for (const std::string &file : filesBelow(folder))
      if (fs::path(file).extension() == ".kiln")
        seeds.packages.push_back(readFile(file));
      else
        addText(context, readFile(file), stageOfDump(file), seeds);
  }
}

Seeds fuzz::collectSeeds(mlir::MLIRContext &context,
                         const std::vector<std::string> &paths,
                         const std::string &scratch) {
  Seeds seeds;
  for (const std::string &path : paths)
    for (const std::string &file : filesBelow(path))
      if (fs::path(file).extension() == ".mlir")
        addFile(context, file, seeds);
      else if (fs::path(file).extension() == ".pt2")
        addArchive(context, file, scratch, seeds);
  return seeds;
}
