//===- BlasLibrary.h - The functions of cuBLASLt that are used ---*- C++
//-*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here as the driver's are (Driver.h): libcublasLt is opened, by its
// soname, when the first product is asked for that a package leaves to it, and
// never needed. Numbers are those of versions 12 and 13, which have the same
// for all that is used.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_BLASLIBRARY_H
#define KILN_LIB_RUNTIMECUDA_BLASLIBRARY_H

#include "Driver.h"

namespace kiln::cuda {

/// cudaDataType_t.
enum BlasType : int { kBlasF32 = 0, kBlasF16 = 2, kBlasBF16 = 14 };

/// cublasComputeType_t: sums of f32, of exact factors or of those rounded to
/// tf32.
enum BlasCompute : int { kComputeF32 = 68, kComputeFastTF32 = 77 };

/// cublasLtMatmulDescAttributes_t, cublasOperation_t and cublasLtEpilogue_t.
enum BlasProductAttribute : int {
  kTransposeA = 3,
  kTransposeB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
};
enum BlasOperation : int32_t { kPlain = 0, kTransposed = 1 };
enum BlasEpilogue : uint32_t { kEpilogueBias = 4 };

/// cublasLtMatrixLayoutAttribute_t.
enum BlasLayoutAttribute : int { kBatchCount = 5, kBatchOffset = 6 };

/// cublasLtMatmulPreferenceAttributes_t; that of B, C and D follow A's. Parts
/// of a sum are stored in f32 and added up in their order:
/// cublasLtReductionScheme_t.
enum BlasPreference : int {
  kMostWorkspace = 1,
  kReductionMask = 3,
  kAlignmentOfA = 5,
};
enum BlasReduction : uint32_t { kReduceInF32 = 2 };

/// cublasLtMatmulHeuristicResult_t.
struct BlasAlgorithm {
  uint64_t algorithm[8];
  size_t workspace;
  int state; ///< 0: the rest is valid
  float waves;
  int reserved[4];
};

#define KILN_BLAS_FUNCTIONS(F)                                                 \
  F(cublasLtCreate, int, (Handle *))                                           \
  F(cublasLtDestroy, int, (Handle))                                            \
  F(cublasLtGetVersion, size_t, ())                                            \
  F(cublasLtMatmulDescCreate, int, (Handle *, int, int))                       \
  F(cublasLtMatmulDescDestroy, int, (Handle))                                  \
  F(cublasLtMatmulDescSetAttribute, int, (Handle, int, const void *, size_t))  \
  F(cublasLtMatrixLayoutCreate, int,                                           \
    (Handle *, int, uint64_t, uint64_t, int64_t))                              \
  F(cublasLtMatrixLayoutDestroy, int, (Handle))                                \
  F(cublasLtMatrixLayoutSetAttribute, int,                                     \
    (Handle, int, const void *, size_t))                                       \
  F(cublasLtMatmulPreferenceCreate, int, (Handle *))                           \
  F(cublasLtMatmulPreferenceDestroy, int, (Handle))                            \
  F(cublasLtMatmulPreferenceSetAttribute, int,                                 \
    (Handle, int, const void *, size_t))                                       \
  F(cublasLtMatmulAlgoGetHeuristic, int,                                       \
    (Handle, Handle, Handle, Handle, Handle, Handle, Handle, int,              \
     BlasAlgorithm *, int *))                                                  \
  F(cublasLtMatmul, int,                                                       \
    (Handle, Handle, const void *, const void *, Handle, const void *, Handle, \
     const void *, const void *, Handle, void *, Handle, const void *, void *, \
     size_t, Handle))

/// The table of the library. One a process, loaded when it is first asked for.
struct BlasLibrary {
#define KILN_FIELD(name, result, parameters) result(*name) parameters = nullptr;
  KILN_BLAS_FUNCTIONS(KILN_FIELD)
#undef KILN_FIELD
  std::string soname; ///< "libcublasLt.so.12"

  /// Unsupported if there is none that is not newer than the driver (13000 for
  /// CUDA 13.0), or it lacks a function.
  static Result<const BlasLibrary *> get(int driverVersion);
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_BLASLIBRARY_H
