//===- KernelStoreTest.cpp - Kernels one by one, kept and on threads ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernels.h"

#include <map>
#include <thread>

using namespace kiln;
using namespace kiln::target;

namespace {

/// Keeps images in memory and counts what it is asked.
struct MemoryStore final : package::KernelStore {
  std::vector<std::optional<package::KernelImage>>
  find(const std::vector<Digest> &keys) override {
    ++questions;
    std::vector<std::optional<package::KernelImage>> found;
    for (const Digest &key : keys) {
      auto it = images.find(key);
      found.emplace_back();
      if (it != images.end())
        found.back() = it->second;
    }
    return found;
  }
  void keep(const Digest &key, const package::KernelImage &image,
            uint64_t) override {
    images[key] = image;
  }

  std::map<Digest, package::KernelImage> images;
  unsigned questions = 0;
};

/// A kernel that adds `number` to the first element.
std::string adder(const std::string &name, double number) {
  return "func.func @" + name +
         "(%p: !llvm.ptr, %s: !llvm.ptr, %begin: i64, %end: i64, "
         "%scratch: !llvm.ptr) {\n"
         "  %o = llvm.load %p : !llvm.ptr -> !llvm.ptr\n"
         "  %x = llvm.load %o : !llvm.ptr -> f32\n"
         "  %c = arith.constant " + std::to_string(number) + " : f32\n"
         "  %y = arith.addf %x, %c : f32\n"
         "  llvm.store %y, %o : f32, !llvm.ptr\n"
         "  return }\n";
}

std::string adders(unsigned count) {
  std::string source;
  for (unsigned k = 1; k <= count; ++k)
    source += adder("add_" + std::to_string(k), k);
  return source;
}

/// Four threads that are there for one call.
Workers fourThreads() {
  return {4, [](const std::function<void(unsigned)> &work) {
            std::vector<std::thread> threads;
            for (unsigned k = 0; k < 4; ++k)
              threads.emplace_back([&work, k] { work(k); });
            for (std::thread &thread : threads)
              thread.join();
          }};
}

struct Compiled {
  LoadedImage image;
  KernelCompileReport report;
};

Compiled compile(const std::string &source,
                 const KernelCompileOptions &options = {},
                 llvm::StringRef target = "x86-64-v3") {
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
  Compiled compiled;
  if (!module) {
    ADD_FAILURE() << "cannot parse:\n" << source;
    return compiled;
  }
  compiled.image = compileKernels(*module, *CPUTarget::parse(target),
                                  &compiled.report, options);
  return compiled;
}

TEST(KernelStore, CompilesOnlyWhatIsNotThere) {
  MemoryStore store;
  KernelCompileOptions options;
  options.store = &store;
  Compiled first = compile(adders(3), options);
  EXPECT_EQ(first.report.compiled, 3u);
  EXPECT_EQ(store.images.size(), 3u);
  Compiled second = compile(adders(4), options);
  EXPECT_EQ(second.report.found, 3u);
  EXPECT_EQ(second.report.compiled, 1u);
  // All kernels are asked for at once.
  EXPECT_EQ(store.questions, 2u);
  EXPECT_EQ(second.image.image.bytes, compile(adders(4)).image.image.bytes);
  for (unsigned k = 1; k <= 4; ++k) {
    kiln_cpu_kernel_t run = second.image.find("add_" + std::to_string(k));
    ASSERT_TRUE(run);
    float x = 10;
    void *pointers[] = {&x};
    run(pointers, nullptr, 0, 1, nullptr);
    EXPECT_EQ(x, 10.0f + float(k));
  }
}

// The key is of the code: not of names and places, but of what is called.
TEST(KernelStore, KnowsAKernelByItsCode) {
  MemoryStore store;
  KernelCompileOptions options;
  options.store = &store;
  compile(adder("a", 1), options);
  Compiled other = compile(adder("x", 2) + adder("renamed", 1), options);
  EXPECT_EQ(other.report.found, 1u);
  EXPECT_TRUE(other.image.find("renamed"));
  EXPECT_EQ(compile(adder("a", 1), options, "x86-64-v4").report.found, 0u);

  auto calling = [](const char *number) {
    return "func.func private @part(%o: !llvm.ptr) {\n"
           "  %c = arith.constant " + std::string(number) + " : f32\n"
           "  llvm.store %c, %o : f32, !llvm.ptr\n  return }\n"
           "func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, "
           "%x: !llvm.ptr) {\n"
           "  func.call @part(%p) : (!llvm.ptr) -> ()\n  return }\n";
  };
  EXPECT_EQ(compile(calling("1.0"), options).report.compiled, 1u);
  EXPECT_EQ(compile(calling("2.0"), options).report.compiled, 1u);
  EXPECT_EQ(compile(calling("1.0"), options).report.found, 1u);
}

// A kernel that another calls, and one that calls itself, stay what they are.
TEST(KernelStore, TakesKernelsThatReferToKernels) {
  std::string signature = "(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, "
                          "%x: !llvm.ptr)";
  std::string call = "(%p, %s, %b, %e, %x) : (!llvm.ptr, !llvm.ptr, i64, i64, "
                     "!llvm.ptr) -> ()\n";
  Compiled both = compile(adder("kernel", 3) + "func.func @caller" + signature +
                          " {\n  func.call @kernel" + call +
                          "  func.call @kernel" + call + "  return }\n" +
                          "func.func @again" + signature +
                          " {\n  %some = arith.cmpi slt, %b, %b : i64\n"
                          "  scf.if %some { func.call @again" + call +
                          "  }\n  return }\n");
  EXPECT_EQ(both.image.image.kernels.size(), 3u);
  float x = 1;
  void *pointers[] = {&x};
  ASSERT_TRUE(both.image.find("caller") && both.image.find("again"));
  both.image.find("caller")(pointers, nullptr, 0, 1, nullptr);
  both.image.find("again")(pointers, nullptr, 0, 1, nullptr);
  EXPECT_EQ(x, 7.0f);
}

TEST(KernelStore, RefusesImagesThatDoNotFit) {
  MemoryStore store;
  KernelCompileOptions options;
  options.store = &store;
  std::vector<uint8_t> right = compile(adders(1), options).image.image.bytes;
  for (int fault = 0; fault < 4; ++fault) {
    package::KernelImage &kept = store.images.begin()->second;
    if (fault == 0)
      kept.kernels.front().entry = kept.bytes.size();
    else if (fault == 1)
      kept.kernels.push_back(kept.kernels.front());
    else if (fault == 2)
      kept.target = "x86-64-v4";
    else
      kept.requiredFeatures |= KILN_CPU_AVX512;
    Compiled again = compile(adders(1), options);
    EXPECT_EQ(again.report.compiled, 1u) << fault;
    EXPECT_EQ(again.image.image.bytes, right) << fault;
  }
}

TEST(KernelStore, GivesTheSameBytesOnThreads) {
  KernelCompileOptions options;
  options.workers = fourThreads();
  Compiled several = compile(adders(20), options);
  Compiled one = compile(adders(20));
  EXPECT_EQ(several.image.image.bytes, one.image.image.bytes);
  ASSERT_EQ(several.image.image.kernels.size(), 20u);
  for (unsigned k = 0; k < 20; ++k)
    EXPECT_EQ(several.image.image.kernels[k].entry,
              one.image.image.kernels[k].entry);
}

// The first error in the order of the module, whichever thread was first.
TEST(KernelStore, ReportsTheFirstErrorOnThreads) {
  std::string wrong = "func.func @bad_1(%p: !llvm.ptr) { return }\n"
                      "func.func @bad_2(%p: !llvm.ptr) { return }\n";
  for (int round = 0; round < 5; ++round) {
    auto context = makeKernelContext();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        adders(8) + wrong, context.get());
    auto compiler = KernelCompiler::create(*CPUTarget::parse("x86-64-v3"));
    MemoryStore store;
    KernelCompileOptions options;
    options.workers = fourThreads();
    options.store = &store;
    auto image = (*compiler)->compile(*module, options);
    ASSERT_FALSE(image);
    EXPECT_NE(image.error().message.find("\"bad_1\""), std::string::npos)
        << image.error().message;
    // Nothing is kept of what did not become a program.
    EXPECT_TRUE(store.images.empty());
    EXPECT_TRUE((*compiler)->compile(*module, options).error().message ==
                image.error().message);
  }
}

} // namespace
