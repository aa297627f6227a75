//===- KernelABI.h - What a compiled kernel looks like from outside -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C: the only thing that generated code and the runtime share.
//
// A CPU kernel is one function of a kernel image:
//
//   void k(void *const *ptr, const int64_t *sym, int64_t begin, int64_t end,
//          void *scratch);
//
//   ptr      one pointer per buffer argument, to the first element of the
//            view (storage offset applied). Buffers of the kernel's own results
//            are 64-byte aligned; user inputs may only have the alignment of
//            their element type
//   sym      one 64-bit integer per symbolic argument (sizes, strides); a float
//            argument is the bits of its double
//   begin,   half-open range of work items. A kernel of N work items may be
//   end      called for any partition of [0, N), from several threads at once
//   scratch  `scratch_bytes` of 64-byte aligned memory owned by the calling
//            thread for the duration of the call, or null if it asked for none
//
// A kernel is a pure function of these: it keeps no state, calls nothing, and
// returns. Booleans are bytes of value 0 or 1 in memory.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ABI_KERNELABI_H
#define KILN_ABI_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*kiln_cpu_kernel_t)(void *const *ptr, const int64_t *sym,
                                  int64_t begin, int64_t end, void *scratch);

/// Processor features a kernel image may require, a bit each. An image is
/// loaded only where all bits it names are present.
enum kiln_cpu_feature {
  KILN_CPU_SSE42 = 1u << 0,
  KILN_CPU_AVX2 = 1u << 1,
  KILN_CPU_FMA = 1u << 2,
  KILN_CPU_F16C = 1u << 3,
  KILN_CPU_BMI2 = 1u << 4,
  KILN_CPU_AVX512 = 1u << 5, /* F, BW, CD, DQ, VL */
  KILN_CPU_AVX512_BF16 = 1u << 6,
  KILN_CPU_AVX512_VNNI = 1u << 7,
  KILN_CPU_AMX = 1u << 8,
};

/// A kernel of a GPU takes by value: a pointer to each buffer, in global memory
/// and aligned to 16 bytes; a pointer to its workspace, or null; 64-bit integers,
/// one per symbolic argument; tensor maps of 128 bytes each, aligned to 64. Its
/// grid has one dimension, and so has a block.
///
/// What an image for a GPU requires: the number of the architecture times ten (90
/// of sm_90), and that it is this architecture and no later one (sm_90a).
enum kiln_gpu_feature {
  KILN_GPU_ARCHITECTURE = 0xffff,
  KILN_GPU_EXACT = 1u << 16,
};

/// What the code of an image is.
enum kiln_image_kind {
  KILN_IMAGE_NATIVE = 0, /* code of a processor; features are kiln_cpu_feature */
  KILN_IMAGE_PTX = 1,    /* texts that end with a zero each, for a driver of
                            NVIDIA; features are kiln_gpu_feature */
  KILN_IMAGE_CUBIN = 2,  /* what a driver made of one; in caches alone */
};

/// Bumped whenever the meaning of anything above changes.
#define KILN_KERNEL_ABI_VERSION 2

#ifdef __cplusplus
}
#endif

#endif /* KILN_ABI_KERNELABI_H */
