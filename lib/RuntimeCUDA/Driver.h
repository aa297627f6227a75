//===- Driver.h - The functions of the driver that are used --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here, since no header of CUDA is: results are ints, handles are pointers,
// addresses of a device are 64 bits. Names with a version are those that the headers
// of CUDA 12 mean by the plain name.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_DRIVER_H
#define KILN_LIB_RUNTIMECUDA_DRIVER_H

#include "kiln/Base/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace kiln::cuda {

using Address = unsigned long long;
using Handle = void *;

/// What the driver answers that is told apart.
enum Answer : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidImage = 200,
  kNoBinaryForGPU = 209,
  kECCUncorrectable = 214,
  kInvalidPTX = 218,
  kUnsupportedPTXVersion = 222,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kContextDestroyed = 709,
  kInvalidAddressSpace = 717,
  kInvalidPC = 718,
  kLaunchFailed = 719,
  kDeviceUnavailable = 46,
  kUnknown = 999,
};

enum Attribute : int {
  kMultiprocessors = 16,
  kMajor = 75,
  kMinor = 76,
  kCacheBytes = 38, ///< of the second level
  kLocalBytes = 3,       ///< of a function, for a thread
  kMaxDynamicShared = 8, ///< of a function
};

/// CU_STREAM_CAPTURE_MODE_RELAXED: nothing that a library does is forbidden meanwhile.
enum CaptureMode : int { kCaptureRelaxed = 2 };

enum PointerAttribute : int { kMemoryType = 2 };

/// CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, _LAUNCH_ORDER and CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC:
/// a kernel begins when all blocks of the other one have left, or have begun, and waits by itself
/// until what they wrote is there.
enum : unsigned char {
  kPortProgrammatic = 1,
  kPortBegun = 2,
  kDependencyProgrammatic = 1
};

/// How a node of a graph depends on another one: CUgraphEdgeData.
struct GraphEdge {
  unsigned char fromPort = 0, toPort = 0, type = 0, reserved[5] = {};
};

/// A launch as a node of a graph: CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  Handle function = nullptr;
  unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  void **parameters = nullptr, **extra = nullptr;
  Handle kernel = nullptr, context = nullptr;
};

#define KILN_CUDA_FUNCTIONS(F)                                                 \
  F(cuInit, (unsigned))                                                        \
  F(cuDriverGetVersion, (int *))                                               \
  F(cuGetErrorName, (int, const char **))                                      \
  F(cuGetErrorString, (int, const char **))                                    \
  F(cuDeviceGetCount, (int *))                                                 \
  F(cuDeviceGet, (int *, int))                                                 \
  F(cuDeviceGetAttribute, (int *, int, int))                                   \
  F(cuDeviceGetName, (char *, int, int))                                       \
  F(cuDevicePrimaryCtxRetain, (Handle *, int))                                 \
  F(cuDevicePrimaryCtxRelease_v2, (int))                                       \
  F(cuCtxGetCurrent, (Handle *))                                               \
  F(cuCtxPushCurrent_v2, (Handle))                                             \
  F(cuCtxPopCurrent_v2, (Handle *))                                            \
  F(cuStreamCreate, (Handle *, unsigned))                                      \
  F(cuStreamDestroy_v2, (Handle))                                              \
  F(cuStreamSynchronize, (Handle))                                             \
  F(cuStreamBeginCapture_v2, (Handle, int))                                    \
  F(cuStreamEndCapture, (Handle, Handle *))                                    \
  F(cuEventCreate, (Handle *, unsigned))                                       \
  F(cuEventDestroy_v2, (Handle))                                               \
  F(cuEventRecord, (Handle, Handle))                                           \
  F(cuEventSynchronize, (Handle))                                              \
  F(cuEventElapsedTime, (float *, Handle, Handle))                             \
  F(cuLaunchHostFunc, (Handle, void (*)(void *), void *))                      \
  F(cuPointerGetAttributes, (unsigned, int *, void **, Address))               \
  F(cuMemGetInfo_v2, (size_t *, size_t *))                                     \
  F(cuMemAlloc_v2, (Address *, size_t))                                        \
  F(cuMemFree_v2, (Address))                                                   \
  F(cuMemHostAlloc, (void **, size_t, unsigned))                               \
  F(cuMemHostGetDevicePointer_v2, (Address *, void *, unsigned))               \
  F(cuMemFreeHost, (void *))                                                   \
  F(cuMemcpyHtoDAsync_v2, (Address, const void *, size_t, Handle))             \
  F(cuMemcpyDtoHAsync_v2, (void *, Address, size_t, Handle))                   \
  F(cuMemcpyDtoDAsync_v2, (Address, Address, size_t, Handle))                  \
  F(cuMemsetD8Async, (Address, unsigned char, size_t, Handle))                 \
  F(cuModuleLoadData, (Handle *, const void *))                                \
  F(cuModuleUnload, (Handle))                                                  \
  F(cuLibraryLoadData, (Handle *, const void *, int *, void **, unsigned,      \
                        int *, void **, unsigned))                             \
  F(cuLibraryGetModule, (Handle *, Handle))                                    \
  F(cuLibraryUnload, (Handle))                                                 \
  F(cuModuleGetFunction, (Handle *, Handle, const char *))                     \
  F(cuFuncSetAttribute, (Handle, int, int))                                    \
  F(cuFuncGetAttribute, (int *, int, Handle))                                  \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, Handle, int, size_t)) \
  F(cuLaunchKernel, (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     unsigned, unsigned, Handle, void **, void **))            \
  F(cuGraphCreate, (Handle *, unsigned))                                       \
  F(cuGraphDestroy, (Handle))                                                  \
  F(cuGraphAddChildGraphNode,                                                  \
    (Handle *, Handle, const Handle *, size_t, Handle))                        \
  F(cuGraphExecChildGraphNodeSetParams, (Handle, Handle, Handle))              \
  F(cuGraphAddKernelNode_v2,                                                   \
    (Handle *, Handle, const Handle *, size_t, const KernelNode *))            \
  F(cuGraphInstantiateWithFlags, (Handle *, Handle, unsigned long long))       \
  F(cuGraphExecKernelNodeSetParams_v2, (Handle, Handle, const KernelNode *))   \
  F(cuGraphExecDestroy, (Handle))                                              \
  F(cuGraphLaunch, (Handle, Handle))                                           \
  F(cuLinkCreate_v2, (unsigned, int *, void **, Handle *))                     \
  F(cuLinkAddData_v2, (Handle, int, void *, size_t, const char *, unsigned,    \
                       int *, void **))                                        \
  F(cuLinkComplete, (Handle, void **, size_t *))                               \
  F(cuLinkDestroy, (Handle))

/// The table of a driver. One a process, loaded when it is first asked for.
struct Driver {
#define KILN_FIELD(name, parameters) int (*name) parameters = nullptr;
  KILN_CUDA_FUNCTIONS(KILN_FIELD)
#undef KILN_FIELD
  /// Null in drivers that know no copy engine (before CUDA 12).
  int (*cuTensorMapEncodeTiled)(void *, int, uint32_t, void *, const uint64_t *,
                                const uint64_t *, const uint32_t *,
                                const uint32_t *, int, int, int, int) = nullptr;
  /// Null before CUDA 12.4.
  int (*cuFuncGetParamInfo)(Handle, size_t, size_t *, size_t *) = nullptr;
  /// Null before CUDA 12.3.
  int (*cuGraphAddDependencies_v2)(Handle, const Handle *, const Handle *,
                                   const GraphEdge *, size_t) = nullptr;
  int version = 0; ///< 13000 for CUDA 13.0

  /// Unsupported if there is none, or it lacks a function.
  static Result<const Driver *> get();

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)".
  std::string nameOf(int answer) const;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_DRIVER_H
