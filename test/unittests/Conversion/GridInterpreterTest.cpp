//===- GridInterpreterTest.cpp - Wrong kernels are found ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridInterpreter.h"
#include "LoopCases.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Two functions of 64 threads: a thread writes its number to shared memory, and
/// reads its neighbour's, with a barrier in between or without.
static std::string getNeighbours(const char *barrier, const char *bytes) {
  return std::string(R"(
gpu.module @kernels {
  llvm.mlir.global internal @slots() {addr_space = 3 : i32} : !llvm.array<)") +
         bytes + R"( x i32>
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %b = llvm.mlir.addressof @slots : !llvm.ptr<3>
    %p = llvm.getelementptr %b[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %p : i32, !llvm.ptr<3>
    )" + barrier +
         R"(
    %one = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.xor %t, %one : i32
    %q = llvm.getelementptr %b[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    %r = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %r : i32, !llvm.ptr<1>
    llvm.return
  }
})";
}

/// What the threads have written.
static std::vector<int32_t> run(const std::string &text, int64_t blocks = 1) {
  auto context = makeLoopContext();
  auto module = parseSourceString<ModuleOp>(text, context.get());
  std::vector<int32_t> numbers(64, -1);
  if (!module) {
    ADD_FAILURE() << "cannot parse " << text;
    return numbers;
  }
  auto home = (*module)->getRegion(0).getOps<gpu::GPUModuleOp>();
  auto function = (*home.begin()).lookupSymbol<LLVM::LLVMFuncOp>("k");
  GridMemory memory;
  uint64_t out = memory.allocate("out", 64 * sizeof(int32_t));
  runGrid(function, blocks, 64, {out}, memory);
  std::memcpy(numbers.data(), memory.data(out), 64 * sizeof(int32_t));
  return numbers;
}

TEST(GridInterpreter, ReadsWhatANeighbourWroteBeforeABarrier) {
  std::vector<int32_t> numbers = run(getNeighbours("nvvm.barrier0", "64"));
  for (int k = 0; k < 64; ++k)
    EXPECT_EQ(numbers[k], k ^ 1);
}

TEST(GridInterpreter, BarriersOfWarpsOrderTheirThreadsAlone) {
  const char *wait = "%all = llvm.mlir.constant(-1 : i32) : i32\n"
                     "nvvm.bar.warp.sync %all : i32";
  std::vector<int32_t> numbers = run(getNeighbours(wait, "64"));
  for (int k = 0; k < 64; ++k)
    EXPECT_EQ(numbers[k], k ^ 1);
  // The neighbour is in the other warp.
  std::string text = getNeighbours(wait, "64");
  text.replace(text.find("constant(1 : i32)"), 17, "constant(32 : i32)");
  EXPECT_NONFATAL_FAILURE(run(text), "another thread");
}

TEST(GridInterpreter, FindsARaceInSharedMemory) {
  EXPECT_NONFATAL_FAILURE(run(getNeighbours("", "64")),
                          "writes what another thread");
}

TEST(GridInterpreter, FindsAnAccessOutOfBounds) {
  EXPECT_NONFATAL_FAILURE(run(getNeighbours("nvvm.barrier0", "62")),
                          "goes out of bounds at byte 248 of slots");
}

TEST(GridInterpreter, FindsARaceBetweenBlocks) {
  EXPECT_NONFATAL_FAILURE(run(getNeighbours("nvvm.barrier0", "64"), 2),
                          "of block 1 writes what another thread writes at "
                          "byte 0 of out");
}

TEST(GridInterpreter, FindsMisalignedVectors) {
  EXPECT_NONFATAL_FAILURE(run(R"(
gpu.module @kernels {
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %c = llvm.mlir.constant(2 : i32) : i32
    %n = llvm.urem %t, %c : i32
    %p = llvm.getelementptr %out[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    llvm.return
  }
})"),
                          "thread 1 of block 0 is not aligned at byte 4");
}

TEST(GridInterpreter, FindsBarriersThatNotAllReach) {
  EXPECT_NONFATAL_FAILURE(run(R"(
gpu.module @kernels {
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %c = llvm.mlir.constant(3 : i32) : i32
    %i = llvm.icmp "ult" %t, %c : i32
    llvm.cond_br %i, ^wait, ^end
  ^wait:
    nvvm.barrier0
    llvm.br ^end
  ^end:
    llvm.return
  }
})"),
                          "meet at different barriers");
}

TEST(GridInterpreter, FindsWritesToConstants) {
  EXPECT_NONFATAL_FAILURE(run(R"(
gpu.module @kernels {
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %p invariant : !llvm.ptr<1> -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
})"),
                          "writes what is read as constant");
}

/// 64 threads that write 16 bits each, and then read them: their own or two beside each
/// other, with or without a barrier in between.
static std::string getHalves(const char *barrier, const char *read) {
  return std::string(R"(
gpu.module @kernels {
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %h = llvm.trunc %t : i32 to i16
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
    llvm.store %h, %p : i16, !llvm.ptr<1>
    )") + barrier + R"(
    %c = llvm.mlir.constant(-2 : i32) : i32
    %n = llvm.and %t, %c : i32
    %q = llvm.getelementptr %out[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
    %v = llvm.load )" + read + R"(
    llvm.return
  }
})";
}

TEST(GridInterpreter, HalvesOfAWordDoNotRace) {
  std::vector<int32_t> words = run(getHalves("", "%p : !llvm.ptr<1> -> i16"));
  for (int k = 0; k < 32; ++k)
    EXPECT_EQ(words[k], 2 * k | (2 * k + 1) << 16);
  run(getHalves("nvvm.barrier0", "%q : !llvm.ptr<1> -> i32"));
}

TEST(GridInterpreter, FindsARaceOfAWordAndItsHalves) {
  EXPECT_NONFATAL_FAILURE(run(getHalves("", "%q : !llvm.ptr<1> -> i32")),
                          "thread 1 of block 0 writes what another thread reads "
                          "at byte 2 of out");
}

/// 64 threads that add 1 to the same number.
static std::string getSums(const char *add) {
  return std::string(R"(
gpu.module @kernels {
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^clear, ^wait
  ^clear:
    llvm.store %zero, %out : i32, !llvm.ptr<1>
    llvm.br ^wait
  ^wait:
    nvvm.barrier0
    )") + add + R"(
    llvm.return
  }
})";
}

TEST(GridInterpreter, AtomicSumsDoNotRace) {
  EXPECT_EQ(run(getSums("%v = llvm.atomicrmw add %out, %one monotonic : "
                        "!llvm.ptr<1>, i32"))[0],
            64);
}

TEST(GridInterpreter, FindsARaceWithAnAtomicSum) {
  EXPECT_NONFATAL_FAILURE(
      run(getSums("%v = llvm.atomicrmw add %out, %one monotonic : "
                  "!llvm.ptr<1>, i32\n    %w = llvm.load %out : "
                  "!llvm.ptr<1> -> i32")),
      "thread 1 of block 0 writes what another thread reads at byte 0 of out");
}

TEST(GridInterpreter, CopiesAreNaNUntilTheyAreWaitedFor) {
  auto getCopies = [](const char *wait) {
    return std::string(R"(
gpu.module @kernels {
  llvm.mlir.global internal @slots() {addr_space = 3 : i32} : !llvm.array<64 x i32>
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %t, %p : i32, !llvm.ptr<1>
    %b = llvm.mlir.addressof @slots : !llvm.ptr<3>
    %q = llvm.getelementptr %b[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    nvvm.cp.async.shared.global %q, %p, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    )") + wait + R"(
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
})";
  };
  EXPECT_EQ(run(getCopies(""))[5], -1);
  EXPECT_EQ(run(getCopies("nvvm.cp.async.wait.group 0"))[5], 5);
}

/// 64 threads that take what thread 0 has a copy engine bring. Behind `between` the last of them
/// has it bring something else to the same place.
static std::string getBrought(const char *wait, const char *between) {
  return std::string(R"(
gpu.module @kernels {
  llvm.mlir.global internal @slots() {addr_space = 3 : i32} : !llvm.array<66 x i32>
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %ticks = llvm.mlir.constant(1000 : i32) : i32
    %bytes = llvm.mlir.constant(256 : i32) : i32
    %b = llvm.mlir.addressof @slots : !llvm.ptr<3>
    %m = llvm.getelementptr %b[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %c = llvm.addrspacecast %b : !llvm.ptr<3> to !llvm.ptr<7>
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %q = llvm.getelementptr %b[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %p : i32, !llvm.ptr<1>
    nvvm.barrier0
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^ask, ^take
  ^ask:
    nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %c, %out, %m, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    llvm.br ^take
  ^take:
    nvvm.barrier0
    )") + wait +
         R"(
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    )" + between +
         R"(
    %l = llvm.mlir.constant(63 : i32) : i32
    %last = llvm.icmp "eq" %t, %l : i32
    llvm.cond_br %last, ^again, ^end
  ^again:
    nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %c, %out, %m, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    nvvm.barrier0
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
})";
}

/// As the dialect's operation is lowered.
static const char kAwaited[] = R"(llvm.inline_asm has_side_effects
        "mbarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2;", "r,r,r" %m, %zero, %ticks
        : (!llvm.ptr<3>, i32, i32) -> ())";

TEST(GridInterpreter, WhatIsBroughtIsNaNUntilItIsWaitedFor) {
  std::vector<int32_t> numbers = run(getBrought(kAwaited, "nvvm.barrier0"));
  for (int k = 0; k < 64; ++k)
    EXPECT_EQ(numbers[k], k);
  EXPECT_EQ(run(getBrought("", "nvvm.barrier0"))[5], -1);
}

TEST(GridInterpreter, FindsACopyToWhatIsStillRead) {
  EXPECT_NONFATAL_FAILURE(run(getBrought(kAwaited, "")),
                          "writes what another thread reads");
}

TEST(GridInterpreter, FindsThreadsThatWaitForNothing) {
  std::string text = getBrought(kAwaited, "nvvm.barrier0");
  size_t expects = text.find("nvvm.mbarrier.arrive");
  text.erase(expects, text.find("nvvm.cp.async.bulk") - expects);
  EXPECT_NONFATAL_FAILURE(run(text), "waits for a phase that is not complete");
}
