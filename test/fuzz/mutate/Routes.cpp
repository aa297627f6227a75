//===- Routes.cpp - Where mutants are taken -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routes.h"

#include "kiln-compile/ToolMain.h"
#include "kiln-run/ToolMain.h"

#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"
#include "kiln/InitAll.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::fuzz;

/// The registry prints its passes and lists them in no other way.
static std::vector<std::string> registeredPasses() {
  int ends[2];
  std::fflush(nullptr);
  if (::pipe(ends) != 0)
    return {};
  pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    mlir::printRegisteredPasses();
    llvm::outs().flush();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t n; (n = ::read(ends[0], bytes, sizeof(bytes))) > 0;)
    text.append(bytes, static_cast<size_t>(n));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  std::vector<std::string> names;
  // A pass is indented by two, its options by four.
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.starts_with("  --"))
      names.push_back(
          line.drop_front(4).take_until([](char c) { return c == ' '; }).str());
  return names;
}

IrRoutes::IrRoutes(mlir::MLIRContext &context) : context_(context) {
  registerAllPasses();
  names_ = registeredPasses();
  for (std::string &name : names_)
    if (name == "joint-append-optimizer")
      name += "{optimizer=adamw}";
    else if (name == "aten-make-dynamic")
      name += "{all=true}";
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  for (const char *pipeline :
       {"canonicalize", "cse", "kiln-core", "kiln-joint", "kiln-loop",
        "kiln-cpu", "kiln-lower-through-linalg", "kiln-core,kiln-loop,kiln-cpu",
        "kiln-core{training=true},kiln-joint,kiln-loop,kiln-cpu",
        "aten-make-dynamic{all=true},kiln-core,kiln-loop,kiln-cpu",
        "kiln-core,kiln-loop,kiln-lower-through-linalg",
        "aten-decompose{to=loop},func.func(convert-aten-to-loop,"
        "loop-inline-virtual,canonicalize),convert-loop-to-linalg"})
    names_.push_back(pipeline);
  names_.push_back("print");
  firstTool_ = names_.size();
  firstRun_ = 3;
  for (const char *tool :
       {"kiln-compile", "kiln-compile --training", "kiln-compile eager",
        "kiln-run", "kiln-run --dynamic=true"})
    names_.push_back(tool);
}

static int runPipeline(mlir::ModuleOp module, const std::string &pipeline) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  mlir::PassManager pm(module.getContext(), "builtin.module",
                       mlir::OpPassManager::Nesting::Implicit);
  // Passes are on modules or on functions.
  if (mlir::failed(mlir::parsePassPipeline(pipeline, pm, llvm::nulls())) &&
      mlir::failed(mlir::parsePassPipeline("func.func(" + pipeline + ")", pm)))
    return 2;
  return mlir::failed(pm.run(*copy)) ? 4 : 0;
}

static int printForms(mlir::ModuleOp module) {
  std::string custom, generic, bytecode;
  llvm::raw_string_ostream(custom) << module;
  llvm::raw_string_ostream os(generic);
  module.print(os, mlir::OpPrintingFlags().printGenericOpForm());
  llvm::raw_string_ostream bytes(bytecode);
  if (mlir::failed(mlir::writeBytecodeToFile(module, bytes)))
    return 4;
  return mlir::parseSourceString<mlir::ModuleOp>(custom, module.getContext())
             ? 0
             : 1;
}

/// One of the tools; numbers as `IrRoutes` lists them.
static int runTool(size_t tool, const std::string &path) {
  std::string out = path + ".kiln";
  switch (tool) {
  case 0:
    return callTool(compiler::toolMain, {path, "-o", out});
  case 1:
    return callTool(compiler::toolMain, {path, "-o", out, "--training"});
  case 2:
    return callTool(compiler::toolMain, {path, "-o", out, "--backend=eager"});
  case 3:
    return callTool(run::toolMain, {path, "--inputs=random", "--no-cache"});
  default:
    return callTool(run::toolMain, {path, "--inputs=random", "--no-cache",
                                    "--dynamic=true"});
  }
}

void IrRoutes::run(const std::string &text, size_t job,
                   JobContext &process) const {
  mlir::ScopedDiagnosticHandler quiet(
      &context_, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::OwningOpRef<mlir::ModuleOp> module;
  // Not counted as a route, so that it is done again where a job goes on.
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  if (!module)
    return process.refuse();
  process.prepared();
  for (size_t route = 0; route + 1 < firstTool_; ++route)
    process.run(route, [&] { return runPipeline(*module, names_[route]); });
  process.run(firstTool_ - 1, [&] { return printForms(*module); });
  // A tool costs more than all passes together: one for each mutant. Code that
  // works on addresses does what it says when it runs, so it is compiled and not
  // run: who changes it can have anything done.
  bool hasAddresses = text.find("!llvm.ptr") != std::string::npos ||
                      text.find("memref<") != std::string::npos;
  size_t tool = job % (hasAddresses ? firstRun_ : names_.size() - firstTool_);
  std::string path = process.folder() + "/mutant.mlir";
  writeFile(path, text);
  process.run(firstTool_ + tool, [&] { return runTool(tool, path); });
}

namespace {
struct ToolRoute {
  const char *name;
  int (*tool)(int, char **);
  std::vector<std::string> arguments;
};
} // namespace

/// As `kiln-translate --package-to-mlir`; what it prints must be read again.
static int packageToIR(int, char **argv) {
  auto source = archive::Source::open(argv[1]);
  if (!source)
    return 3;
  compiler::CompilerSession session;
  if (Status s = session.readPackage(**source); !s)
    return s.error().kind == ErrorKind::Internal ? 5 : 3;
  return printForms(session.module()) == 0 ? 0 : 5;
}

static std::vector<ToolRoute> toolRoutes(const std::string &extension,
                                         size_t job) {
  ToolRoute eager = {"kiln-run --backend=eager",
                     run::toolMain,
                     {"--inputs=random", "--no-cache", "--backend=eager"}};
  ToolRoute run = {
      "kiln-run", run::toolMain, {"--inputs=random", "--no-cache"}};
  ToolRoute compile = {"kiln-compile", compiler::toolMain, {"-o", "out.kiln"}};
  ToolRoute training = {"kiln-compile --training",
                        compiler::toolMain,
                        {"-o", "out.kiln", "--training"}};
  if (extension == "kiln")
    return {run, eager, {"kiln-translate", packageToIR, {}},
            {"kiln-c", packageFromC, {}}};
  if (job % 3 == 0)
    return {eager, compile};
  return job % 3 == 1 ? std::vector<ToolRoute>{run}
                      : std::vector<ToolRoute>{training};
}

void fuzz::runTools(const std::string &bytes, const std::string &extension,
                    size_t job, JobContext &process) {
  if (::chdir(process.folder().c_str()) != 0)
    ::_exit(98);
  std::string path = "mutant." + extension;
  writeFile(path, bytes);
  std::vector<ToolRoute> routes = toolRoutes(extension, job);
  process.prepared();
  for (size_t i = 0; i < routes.size(); ++i)
    process.run(i, [&] {
      std::vector<std::string> arguments = routes[i].arguments;
      arguments.insert(arguments.begin(), path);
      return callTool(routes[i].tool, arguments);
    });
}

std::string fuzz::toolRouteName(const std::string &extension, size_t job,
                                size_t route) {
  return toolRoutes(extension, job).at(route).name;
}
