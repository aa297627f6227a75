//===- Gemm.cpp - Matrix products against OpenBLAS ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs our product and cblas_sgemm in turns, in one process, so that both see
// the same machine. Idle threads of either library would steal the other's
// core: each candidate is followed by a pause, long enough for OpenBLAS (with
// OPENBLAS_THREAD_TIMEOUT=16) and our pool to stop spinning. The figure of a
// candidate is the best of its rounds; the ratio is the median of the ratios of
// neighbouring rounds.
//
//   OPENBLAS_THREAD_TIMEOUT=16 kiln-bench-gemm [rounds [substring of MxNxK]]
//
//===----------------------------------------------------------------------===//

#include "../../../test/unittests/Target/ContractionKernels.h"

#include "kiln/Runtime/ThreadPool.h"
#include "kiln/Target/CPU/KernelCompiler.h"

#include "mlir/IR/MLIRContext.h"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int);

using namespace kiln;
using namespace kiln::target;

namespace {

/// Seconds on the given clock: for one thread its processor time, which other
/// processes disturb less; for more the wall's.
double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * time.tv_nsec;
}

struct Case {
  int64_t m, n, k;
  bool transposeB;
};

const Case kCases[] = {
    {256, 256, 256, false},   {256, 256, 256, true},
    {512, 512, 512, false},   {512, 512, 512, true},
    {1024, 1024, 1024, false}, {1024, 1024, 1024, true},
    {128, 768, 3072, false},  {128, 768, 3072, true},
    {128, 3072, 768, false},  {128, 3072, 768, true},
    {32, 4096, 4096, false},  {32, 4096, 4096, true},
    {8, 4096, 4096, false},   {8, 4096, 4096, true},
    {1, 4096, 4096, false},   {1, 4096, 4096, true},
};

float *allocate(size_t count) {
  size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
  auto *data = static_cast<float *>(std::aligned_alloc(64, bytes));
  for (size_t i = 0; i < count; ++i)
    data[i] = static_cast<float>((i * 2654435761u >> 8) % 1000) / 1000 - 0.5f;
  return data;
}

/// Peak of fused multiply-adds of one core, in GF/s: long enough chains of
/// 512-bit (or 256-bit) operations in registers, measured now.
__attribute__((target("avx2,fma"))) double measurePeak(unsigned vectorBits) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    constexpr int64_t kSteps = 2000000;
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    if (vectorBits == 512) {
      asm volatile("mov %0, %%rcx\n"
                   "1:\n"
#define KILN_STEP(r) "vfmadd231ps %%zmm" #r ",%%zmm30,%%zmm" #r "\n"
                   KILN_STEP(0) KILN_STEP(1) KILN_STEP(2) KILN_STEP(3)
                   KILN_STEP(4) KILN_STEP(5) KILN_STEP(6) KILN_STEP(7)
                   KILN_STEP(8) KILN_STEP(9) KILN_STEP(10) KILN_STEP(11)
#undef KILN_STEP
                   "dec %%rcx\n"
                   "jnz 1b\n"
                   "vzeroupper\n" ::"r"(kSteps)
                   : "rcx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",
                     "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                     "xmm11");
    } else {
      asm volatile("mov %0, %%rcx\n"
                   "1:\n"
#define KILN_STEP(r) "vfmadd231ps %%ymm" #r ",%%ymm15,%%ymm" #r "\n"
                   KILN_STEP(0) KILN_STEP(1) KILN_STEP(2) KILN_STEP(3)
                   KILN_STEP(4) KILN_STEP(5) KILN_STEP(6) KILN_STEP(7)
                   KILN_STEP(8) KILN_STEP(9) KILN_STEP(10) KILN_STEP(11)
#undef KILN_STEP
                   "dec %%rcx\n"
                   "jnz 1b\n"
                   "vzeroupper\n" ::"r"(kSteps)
                   : "rcx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",
                     "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                     "xmm11");
    }
    double flops = 2.0 * 12 * (vectorBits / 32) * kSteps;
    double seconds = now(CLOCK_THREAD_CPUTIME_ID) - start;
    best = std::max(best, flops / seconds / 1e9);
  }
  return best;
}

/// The best time of enough repetitions to last about `budget` seconds.
template <typename F>
double timeOf(F &&run, double budget, clockid_t clock) {
  double best = 1e30, total = 0;
  for (int i = 0; i < 1000 && total < budget; ++i) {
    double start = now(clock);
    run();
    double seconds = now(clock) - start;
    total += seconds;
    best = std::min(best, seconds);
  }
  return best;
}

void pause() {
  timespec time{0, 25000000};
  nanosleep(&time, nullptr);
}

bool runCase(const Case &shape, const CPUTarget &target, double peak,
             int rounds) {
  mlir::DialectRegistry registry;
  registerKernelDialects(registry);
  mlir::MLIRContext context(registry,
                            mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ProductPlan plan;
  mlir::Type f32 = mlir::Float32Type::get(&context);
  ProductShape product{1, shape.m, shape.n, shape.k, false, shape.transposeB};
  auto module = buildProduct(context, product, f32, f32, target, plan);
  auto compiler = KernelCompiler::create(target);
  if (!compiler) {
    fprintf(stderr, "error: %s\n", compiler.error().message.c_str());
    return false;
  }
  KernelCompileReport report;
  auto image = (*compiler)->compile(*module, {}, &report);
  if (!image) {
    fprintf(stderr, "error: %s\n", image.error().message.c_str());
    return false;
  }
  size_t bytes = image->bytes.size();
  void *code = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(code, image->bytes.data(), bytes);
  mprotect(code, bytes, PROT_READ | PROT_EXEC);
  auto kernel = reinterpret_cast<kiln_cpu_kernel_t>(
      static_cast<char *>(code) + image->kernels[0].entry);

  float *a = allocate(shape.m * shape.k), *b = allocate(shape.k * shape.n),
        *c = allocate(shape.m * shape.n), *d = allocate(shape.m * shape.n);
  size_t scratchBytes = (plan.scratchBytes + 4095) / 4096 * 4096;
  char *scratch =
      static_cast<char *>(std::aligned_alloc(4096, 2 * scratchBytes + 4096));
  void *pointers[] = {a, b, c};
  int64_t items = plan.workItems(1, shape.m, shape.n);
  double flops = 2.0 * shape.m * shape.n * shape.k;
  for (unsigned threads : {1u, 2u}) {
    runtime::ThreadPool pool(threads, /*spinMicros=*/1000);
    openblas_set_num_threads(static_cast<int>(threads));
    auto ours = [&] {
      pool.parallelFor(items, 1, [&](int64_t from, int64_t to, unsigned t) {
        kernel(pointers, nullptr, from, to, scratch + t * scratchBytes);
      });
    };
    auto theirs = [&] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans,
                  shape.transposeB ? CblasTrans : CblasNoTrans,
                  static_cast<int>(shape.m), static_cast<int>(shape.n),
                  static_cast<int>(shape.k), 1, a, static_cast<int>(shape.k), b,
                  static_cast<int>(shape.transposeB ? shape.k : shape.n), 0, d,
                  static_cast<int>(shape.n));
    };
    clockid_t clock =
        threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    std::vector<double> ratios;
    double bestOurs = 1e30, bestTheirs = 1e30;
    for (int round = 0; round < rounds; ++round) {
      double x = timeOf(ours, 0.06, clock);
      pause();
      double y = timeOf(theirs, 0.06, clock);
      pause();
      bestOurs = std::min(bestOurs, x);
      bestTheirs = std::min(bestTheirs, y);
      ratios.push_back(y / x);
    }
    std::sort(ratios.begin(), ratios.end());
    double worst = 0;
    for (int64_t i = 0; i < shape.m * shape.n; ++i)
      worst = std::max<double>(worst, std::fabs(c[i] - d[i]));
    printf(
        "| %4ldx%4ldx%4ld %-4s | %u | %6.1f | %6.1f | %.2f | %.2f | %3.0f %% "
        "| %5.1f | %.0e |\n",
        shape.m, shape.n, shape.k, shape.transposeB ? "AB^T" : "AB", threads,
        flops / bestOurs / 1e9, flops / bestTheirs / 1e9, bestTheirs / bestOurs,
        ratios[ratios.size() / 2],
        100 * flops / bestOurs / 1e9 / (peak * threads), report.times.total(),
        worst);
    fflush(stdout);
    if (worst > 1e-3) {
      fprintf(stderr, "error: results differ by %g\n", worst);
      return false;
    }
  }
  munmap(code, bytes);
  for (float *p : {a, b, c, d})
    std::free(p);
  std::free(scratch);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 8;
  std::string filter = argc > 2 ? argv[2] : "";
  auto target = CPUTarget::parse("native");
  if (!target) {
    fprintf(stderr, "error: %s\n", target.error().message.c_str());
    return 4;
  }
  double peak = measurePeak(target->vectorBits);
  printf("%s, %.0f GF/s peak per thread, %d rounds\n\n", target->name.c_str(),
         peak, rounds);
  printf("| M x N x K | threads | Kiln GF/s | OpenBLAS GF/s | best/best | "
         "median ratio | of peak | compile ms | max diff |\n"
         "|---|---|---|---|---|---|---|---|---|\n");
  for (const Case &shape : kCases) {
    std::string name = std::to_string(shape.m) + "x" + std::to_string(shape.n) +
                       "x" + std::to_string(shape.k);
    if (name.find(filter) == std::string::npos)
      continue;
    if (!runCase(shape, *target, peak, rounds))
      return 1;
  }
  return 0;
}
