//===- PTXCompilerTest.cpp - From MLIR kernels to PTX ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::target;

/// Compiles the one gpu.module of `text`.
static Result<std::string> compile(const std::string &text,
                                   llvm::StringRef chip = "sm_90a") {
  mlir::DialectRegistry registry;
  registerGPUKernelDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto target = NVVMTarget::parse(chip);
  if (!module || !target)
    return Error::usage("cannot parse");
  auto compiler = PTXCompiler::create(*target);
  if (!compiler)
    return compiler.takeError();
  auto kernels = (*module)->getRegion(0).getOps<mlir::gpu::GPUModuleOp>();
  return (*compiler)->compile(*kernels.begin());
}

/// A kernel that maps elements of a vector or scalar `type` by `ops`: %x to %y.
static std::string mapping(const std::string &type, const std::string &ops) {
  return "gpu.module @m { llvm.func @k(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) "
         "attributes {nvvm.kernel} {\n"
         "%x = llvm.load %a : !llvm.ptr<1> -> " +
         type + "\n" + ops + "\nllvm.store %y, %b : " + type +
         ", !llvm.ptr<1>\nllvm.return } }";
}

/// Every function of the math dialect becomes instructions, on every GPU and type;
/// the back end would end the process at one that does not.
TEST(PTXCompiler, HasNoFunctionThatItCannotCompile) {
  const char *functions[] = {
      "exp",   "exp2",  "expm1", "log",   "log2",  "log10", "log1p",
      "sin",   "cos",   "tan",   "asin",  "acos",  "atan",  "sinh",
      "cosh",  "tanh",  "asinh", "acosh", "atanh", "erf",   "erfc",
      "rsqrt", "sqrt",  "cbrt",  "floor", "ceil",  "trunc", "round",
      "roundeven", "absf"};
  for (const char *chip : {"sm_75", "sm_80", "sm_90a"})
    for (const char *type : {"f32", "f64", "f16", "bf16", "vector<4xf32>"})
      for (const char *function : functions) {
        SCOPED_TRACE(std::string(function) + " of " + type + " for " + chip);
        auto ptx = compile(
            mapping(type, std::string("%y = math.") + function + " %x : " + type),
            chip);
        ASSERT_TRUE(bool(ptx)) << ptx.error().message;
        EXPECT_EQ(ptx->find("call"), std::string::npos);
      }
  for (const char *binary : {"math.powf", "math.atan2", "arith.remf",
                             "math.copysign", "arith.maximumf",
                             "arith.minnumf"}) {
    SCOPED_TRACE(binary);
    auto ptx = compile(
        mapping("f32", std::string("%y = ") + binary + " %x, %x : f32"));
    ASSERT_TRUE(bool(ptx)) << ptx.error().message;
    EXPECT_EQ(ptx->find("call"), std::string::npos);
  }
}

TEST(PTXCompiler, CompilesForEveryGPU) {
  for (llvm::StringRef chip : NVVMTarget::names())
    for (const char *type : {"f32", "f64", "f16", "bf16"}) {
      auto ptx = compile(
          mapping(type, std::string("%z = arith.addf %x, %x : ") + type +
                            "\n%y = math.exp %z : " + type),
          chip);
      ASSERT_TRUE(bool(ptx)) << ptx.error().message;
      EXPECT_NE(ptx->find(".target " + chip.str()), std::string::npos);
    }
}

TEST(PTXCompiler, RoundsEachOperation) {
  auto ptx = compile(mapping("f32", "%z = arith.mulf %x, %x : f32\n"
                                    "%y = arith.addf %z, %x : f32"));
  ASSERT_TRUE(bool(ptx)) << ptx.error().message;
  EXPECT_NE(ptx->find("mul.rn.f32"), std::string::npos);
  EXPECT_NE(ptx->find("add.rn.f32"), std::string::npos);
}

TEST(PTXCompiler, NamesWhatItHasNoInstructionFor) {
  auto message = [](const std::string &ops, const char *type) {
    auto ptx = compile(mapping(type, ops));
    return ptx ? std::string("compiled") : ptx.error().message;
  };
  EXPECT_EQ(message("%y = llvm.intr.sin(%x) : (f32) -> f32", "f32"),
            "kernel \"k\" calls 'llvm.sin.f32', for which a GPU has no "
            "instruction");
  EXPECT_EQ(message("%y = llvm.intr.pow(%x, %x) : (f64, f64) -> f64", "f64"),
            "kernel \"k\" calls 'llvm.pow.f64', for which a GPU has no "
            "instruction");
  EXPECT_EQ(message("%y = llvm.frem %x, %x : f32", "f32"),
            "kernel \"k\" has 'frem', for which a GPU has no instruction");
  EXPECT_NE(message("%y = llvm.add %x, %x : i128", "i128")
                .find("has a value of type i128, expected integers up to 64"),
            std::string::npos);
  // Of a few more bits there are products, but no quotients.
  const std::string wide = "%w = llvm.zext %x : i64 to i65\n"
                           "%v = llvm.mul %w, %w : i65\n";
  EXPECT_EQ(message(wide + "%s = llvm.trunc %v : i65 to i64\n"
                           "%y = llvm.lshr %s, %x : i64",
                    "i64"),
            "compiled");
  EXPECT_NE(message(wide + "%q = llvm.udiv %v, %w : i65\n"
                           "%y = llvm.trunc %q : i65 to i64",
                    "i64")
                .find("has a value of type i65"),
            std::string::npos);
}

TEST(PTXCompiler, RefusesCallsOfWhatIsNotThere) {
  auto ptx = compile("gpu.module @m { llvm.func @f()\n"
                     "llvm.func @k() attributes {nvvm.kernel} { llvm.call @f() "
                     ": () -> () llvm.return } }");
  ASSERT_FALSE(bool(ptx));
  EXPECT_EQ(ptx.error().message,
            "kernel \"k\" calls 'f', which is not in it");
}

TEST(NVVMTarget, KnowsItsNamesAndSaysThem) {
  for (llvm::StringRef name : NVVMTarget::names()) {
    auto target = NVVMTarget::parse(name);
    ASSERT_TRUE(bool(target));
    EXPECT_EQ(target->chip, name);
  }
  EXPECT_EQ(NVVMTarget::parse("sm_80")->fingerprint(),
            "nvvm;sm_80;+ptx70;multiprocessors=108;threads=2048;"
            "registers=65536;shared=166912;l2=41943040");
  auto later = NVVMTarget::parse("sm_103a");
  ASSERT_FALSE(bool(later));
  EXPECT_EQ(later.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(later.error().message,
            "there is no code generation for GPU \"sm_103a\", expected sm_75, "
            "sm_80, sm_89, sm_90, sm_90a, sm_100 or sm_120");
  EXPECT_EQ(NVVMTarget::parse("x86-64-v3").error().kind, ErrorKind::Usage);
}
