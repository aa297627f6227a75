//===- GPUProducts.h - Products as schedules for a GPU see them -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   GPUProductShape product = getGPUProductShape(op, shape, machine, hints);
//   if (!product.inBoxes && !fitsBoxes(op, shape, 0, product.bytes))
//     ...                            // A would have to be laid out anew
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUPRODUCTS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUPRODUCTS_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Loop/Transforms/GPUSchedules.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::loop {

/// Bytes that are copied at once, and that a copy engine wants rows to begin at; those that
/// a cache has apart, so that rows that begin elsewhere take longer to bring; and of a line.
inline constexpr int64_t kCopiedAtOnce = 16, kSector = 32, kLine = 128;

/// The elements, of so many bytes, that rows of `size` of them have where they are made to
/// begin where a copy engine is quick: at sectors, or lines where rows are long.
inline int64_t padRow(int64_t size, int64_t bytes) {
  constexpr int64_t kLeastLines = 16;
  bool isLong = size * bytes >= kLeastLines * kLine;
  return llvm::alignTo(size, (isLong ? kLine : kSector) / bytes);
}

/// The contraction that a kernel is, if it is one and nothing else; null for others.
ContractOp getProduct(KernelOp kernel);

/// The contraction of a kernel in which nothing but pointwise nests follows it,
/// and which shares no extents; null for others.
ContractOp getFollowedProduct(KernelOp kernel);

/// The product of matrices that a contraction of a kernel, whose inputs have these strides, is
/// for tiles; nothing for what is none.
std::optional<analysis::ContractionShape>
getTileShape(ContractOp op, const analysis::KernelStrides &strides);

/// A contraction that is a product of matrices, in numbers, with what follows
/// it in its kernel.
GPUProductShape getGPUProductShape(ContractOp op,
                                   const analysis::ContractionShape &shape,
                                   const GPUMachine &machine,
                                   const analysis::SizeHints &hints);

/// Adds what `nest` does, following the product, on what it reads in memory:
/// all but tensors that are `isAtHand`.
void addFollower(GPUProductShape &product, PointwiseOp nest,
                 llvm::function_ref<bool(Value)> isAtHand,
                 const analysis::SizeHints &hints);

/// Neighbours of its result that a thread stores at once, where the sum has so many parts.
int64_t getProductLanes(ContractOp op, const analysis::ContractionShape &shape,
                        int64_t split);

/// The schedule of a product with these numbers.
GPUProductScheduleAttr
getProductSchedule(ContractOp op, const analysis::ContractionShape &shape,
                   const GPUProductSchedule &numbers);

/// That of a contraction, and of what follows it, in a kernel whose inputs have
/// these strides; null for what is no product of matrices.
ScheduleAttr chooseMatrixProduct(ContractOp op,
                                 const analysis::KernelStrides &strides,
                                 const GPUMachine &machine,
                                 const analysis::SizeHints &hints);

/// Whether warpgroups multiply both factors, if units do: bytes with a sign by
/// bytes without one they do not, which PTX has from version 8.4 on.
bool isForWarpgroups(ContractOp op);

/// True if a copy engine can bring operand `k` (A or B), whose factors have so many bytes,
/// as warpgroups take it.
bool fitsBoxes(ContractOp op, const analysis::ContractionShape &shape,
               unsigned k, int64_t bytes);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_GPUPRODUCTS_H
