//===- OptionRangesTest.cpp - Numbers among the options of passes ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number among the options of Kiln's passes and pipelines states its range
// in the help text, and nothing outside of it is taken. What is inside works: the
// pipelines are run at both ends of each range.
//
//===----------------------------------------------------------------------===//

#include "kiln/InitAll.h"
#include "kiln/Pipelines/Pipelines.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <regex>

using namespace kiln;

namespace {

struct NumericOption {
  std::string pass, name;
  std::string low, high;
  std::string range; ///< as the help text says it
};

/// What the help text of Kiln's passes and pipelines says of numbers. It is read
/// once, before anything of upstream is registered.
std::vector<NumericOption> readHelpOnce() {
  registerAllPasses();
  testing::internal::CaptureStdout();
  mlir::printRegisteredPasses();
  for (const char *name : {"kiln-core", "kiln-joint", "kiln-loop", "kiln-cpu",
                           "kiln-lower-through-linalg"})
    mlir::PassPipelineInfo::lookup(name)->printHelpStr(2, 60);
  llvm::outs().flush();
  std::istringstream help(testing::internal::GetCapturedStdout());
  std::vector<NumericOption> options;
  std::string pass, line;
  size_t passIndent = 0;
  const std::regex entry("^( +)--([a-z0-9-]+)(=<([^>]*)>)?.*");
  const std::regex range("(-?[0-9]+)\\.\\.([0-9]+)(, a power of 2)?");
  while (std::getline(help, line)) {
    std::smatch match, bounds;
    if (!std::regex_match(line, match, entry))
      continue;
    size_t indent = match[1].length();
    if (passIndent == 0)
      passIndent = indent;
    if (indent == passIndent) {
      pass = match[2];
      continue;
    }
    std::string value = match[4];
    // The names that LLVM gives to numbers of any size.
    for (const char *unbounded : {"int", "uint", "long", "ulong", "number"})
      EXPECT_NE(value, unbounded) << pass << " --" << match[2] << ": no range";
    if (std::regex_match(value, bounds, range))
      options.push_back({pass, match[2], bounds[1], bounds[2], value});
  }
  return options;
}

const std::vector<NumericOption> &readHelp() {
  static const std::vector<NumericOption> options = readHelpOnce();
  return options;
}

/// What is printed where `pass` is given `value`; nothing if it is taken.
std::string refuse(const NumericOption &option, const std::string &value) {
  std::string pipeline =
      option.pass + "{" + option.name + "=" + value + "}";
  // Passes are on modules or on functions.
  mlir::OpPassManager manager("builtin.module");
  if (mlir::failed(mlir::parsePassPipeline(option.pass, manager, llvm::nulls())))
    manager = mlir::OpPassManager("func.func");
  testing::internal::CaptureStderr();
  LogicalResult parsed =
      mlir::parsePassPipeline(pipeline, manager, llvm::errs());
  std::string said = testing::internal::GetCapturedStderr();
  if (succeeded(parsed))
    return "";
  return said.empty() ? "silence" : said;
}

TEST(OptionRangesTest, NumbersStateTheirRange) {
  // Of eight passes and three pipelines.
  EXPECT_GE(readHelp().size(), 22u);
}

TEST(OptionRangesTest, NumbersOutOfRangeAreRefused) {
  for (const NumericOption &option : readHelp()) {
    EXPECT_EQ(refuse(option, option.low), "") << option.pass;
    EXPECT_EQ(refuse(option, option.high), "") << option.pass;
    long long low = std::stoll(option.low), high = std::stoll(option.high);
    std::vector<std::string> wrong = {
        std::to_string(low - 1),  std::to_string(high + 1),
        "-16",                    "9223372036854775807",
        "9223372036854775808",    "99999999999999999999",
        "-9223372036854775808",   "x",
        "nan"};
    if (low > 0)
      wrong.push_back("0");
    if (option.range.find("power") != std::string::npos) {
      wrong.push_back("7");
      wrong.push_back(std::to_string(low + 1));
    }
    for (const std::string &value : wrong) {
      std::string said = refuse(option, value);
      EXPECT_NE(said.find("'" + value + "' is out of range, expected " +
                          option.range),
                std::string::npos)
          << option.pass << "{" << option.name << "=" << value << "}: " << said;
    }
  }
}

/// A product, a row-wise reduction, a transpose and updates: kernels of all kinds.
const char kProgram[] = R"(
func.func @main(%x: tensor<37x65xf32>, %w: tensor<65x19xf32>)
    -> (tensor<37x19xf32>, tensor<19x37xf32>, tensor<37xf64>) {
  %0 = aten.mm(%x, %w)
    : (tensor<37x65xf32>, tensor<65x19xf32>) -> tensor<37x19xf32>
  %1 = aten._softmax(%0, dim = 1, half_to_float = false)
    : (tensor<37x19xf32>) -> tensor<37x19xf32>
  %2 = aten.t(%1) : (tensor<37x19xf32>) -> tensor<19x37xf32>
  %3 = aten.exp(%2) : (tensor<19x37xf32>) -> tensor<19x37xf32>
  %4 = aten.sum.dim_IntList(%x, dim = [1], dtype = f64)
    : (tensor<37x65xf32>) -> tensor<37xf64>
  return %1, %3, %4 : tensor<37x19xf32>, tensor<19x37xf32>, tensor<37xf64>
}
)";

TEST(OptionRangesTest, BothEndsOfEachRangeWork) {
  readHelp();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  target::registerKernelDialects(registry);
  mlir::OpPassManager whole("builtin.module");
  buildCorePipeline(whole, {});
  buildLoopPipeline(whole, LoopPipelineOptions());
  buildKernelPipeline(whole);
  std::string text;
  llvm::raw_string_ostream os(text);
  whole.printAsTextualPipeline(os);
  unsigned ran = 0;
  for (const NumericOption &option : readHelp()) {
    size_t pass = text.find(option.pass + "{");
    if (pass == std::string::npos)
      continue; // a pipeline, or of training
    size_t name = text.find(option.name + "=", pass);
    ASSERT_LT(name, text.find('}', pass)) << option.pass;
    size_t begin = name + option.name.size() + 1;
    size_t end = text.find_first_of(" }", begin);
    for (const std::string &value : {option.low, option.high}) {
      std::string changed =
          text.substr(0, begin) + value + text.substr(end);
      MLIRContext context(registry, MLIRContext::Threading::DISABLED);
      context.loadAllAvailableDialects();
      auto module = mlir::parseSourceString<ModuleOp>(kProgram, &context);
      ASSERT_TRUE(module);
      mlir::PassManager manager(&context);
      auto parsed = mlir::parsePassPipeline(changed);
      ASSERT_TRUE(succeeded(parsed)) << changed;
      static_cast<mlir::OpPassManager &>(manager) = std::move(*parsed);
      EXPECT_TRUE(succeeded(manager.run(*module)))
          << option.pass << "{" << option.name << "=" << value << "}";
      ++ran;
    }
  }
  EXPECT_GE(ran, 28u);
}

} // namespace
