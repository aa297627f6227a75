//===- DnnLibrary.h - The functions of cuDNN that are used ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here as the driver's are (Driver.h): libcudnn.so.9 is opened when
// the first convolution is asked for that a package leaves to it, and never
// needed. Of its interfaces the older one is used, whose descriptors say all
// that is to be said of one convolution.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_DNNLIBRARY_H
#define KILN_LIB_RUNTIMECUDA_DNNLIBRARY_H

#include "Driver.h"

namespace kiln::cuda {

/// cudnnDataType_t.
enum DnnType : int { kDnnF32 = 0, kDnnF16 = 2, kDnnBF16 = 9 };

/// cudnnTensorFormat_t: how a dense filter lies.
enum DnnFormat : int { kChannelsFirst = 0, kChannelsLast = 1 };

/// cudnnConvolutionMode_t: taps in the order of the inputs.
enum DnnMode : int { kCrossCorrelation = 1 };

/// cudnnMathType_t. The default rounds f32 to tf32, as units of tensors do.
enum DnnMath : int { kDefaultMath = 0, kTensorMath = 1, kExactMath = 3 };

/// cudnnConvolutionFwdAlgo_t and cudnnConvolutionBwdFilterAlgo_t, as far as
/// they add up products as they are: others transform factors first, by which
/// they are rounded otherwise and an infinite one reaches more results than
/// have it.
enum DnnForward : int {
  kImplicit = 0,
  kImplicitPrecomputed = 1,
  kExplicit = 2,
  kDirect = 3
};
enum DnnBackward : int { kInParts = 1 };

/// cudnnDeterminism_t.
enum DnnDeterminism : int { kDeterministic = 1 };

/// cudnnConvolutionFwdAlgoPerf_t and cudnnConvolutionBwdFilterAlgoPerf_t.
struct DnnAlgorithm {
  int algorithm;
  int status; ///< 0: the rest is valid
  float time;
  size_t workspace;
  int determinism;
  int math;
  int reserved[3];
};

#define KILN_DNN_FUNCTIONS(F)                                                  \
  F(cudnnGetVersion, size_t, ())                                               \
  F(cudnnGetCudartVersion, size_t, ())                                         \
  F(cudnnCreate, int, (Handle *))                                              \
  F(cudnnDestroy, int, (Handle))                                               \
  F(cudnnSetStream, int, (Handle, Handle))                                     \
  F(cudnnCreateTensorDescriptor, int, (Handle *))                              \
  F(cudnnDestroyTensorDescriptor, int, (Handle))                               \
  F(cudnnSetTensorNdDescriptor, int,                                           \
    (Handle, int, int, const int *, const int *))                              \
  F(cudnnCreateFilterDescriptor, int, (Handle *))                              \
  F(cudnnDestroyFilterDescriptor, int, (Handle))                               \
  F(cudnnSetFilterNdDescriptor, int, (Handle, int, int, int, const int *))     \
  F(cudnnCreateConvolutionDescriptor, int, (Handle *))                         \
  F(cudnnDestroyConvolutionDescriptor, int, (Handle))                          \
  F(cudnnSetConvolutionNdDescriptor, int,                                      \
    (Handle, int, const int *, const int *, const int *, int, int))            \
  F(cudnnSetConvolutionGroupCount, int, (Handle, int))                         \
  F(cudnnSetConvolutionMathType, int, (Handle, int))                           \
  F(cudnnGetConvolutionForwardAlgorithm_v7, int,                               \
    (Handle, Handle, Handle, Handle, Handle, int, int *, DnnAlgorithm *))      \
  F(cudnnGetConvolutionForwardWorkspaceSize, int,                              \
    (Handle, Handle, Handle, Handle, Handle, int, size_t *))                   \
  F(cudnnConvolutionForward, int,                                              \
    (Handle, const void *, Handle, const void *, Handle, const void *, Handle, \
     int, void *, size_t, const void *, Handle, void *))                       \
  F(cudnnGetConvolutionBackwardFilterAlgorithm_v7, int,                        \
    (Handle, Handle, Handle, Handle, Handle, int, int *, DnnAlgorithm *))      \
  F(cudnnGetConvolutionBackwardFilterWorkspaceSize, int,                       \
    (Handle, Handle, Handle, Handle, Handle, int, size_t *))                   \
  F(cudnnConvolutionBackwardFilter, int,                                       \
    (Handle, const void *, Handle, const void *, Handle, const void *, Handle, \
     int, void *, size_t, const void *, Handle, void *))

/// The table of the library. One a process, loaded when it is first asked for.
struct DnnLibrary {
#define KILN_FIELD(name, result, parameters) result(*name) parameters = nullptr;
  KILN_DNN_FUNCTIONS(KILN_FIELD)
#undef KILN_FIELD
  std::string soname; ///< "libcudnn.so.9"

  /// Unsupported if there is none, it is made for a later CUDA than the
  /// driver's (13000 for CUDA 13.0), or it lacks a function.
  static Result<const DnnLibrary *> get(int driverVersion);
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_DNNLIBRARY_H
