//===- KernelLayout.h - Where the tensors of a kernel lie -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows from the strides of a kernel's tensors: which of its shared
// dimensions are walked as one, and which reads go across memory. The choice of
// a schedule and the emission of code ask both, so that they agree.
//
//   auto strides = getInputStrides(kernel);
//   if (failed(strides))
//     return failure();
//   KernelLayout layout = getLayout(kernel, *strides);
//   unsigned lanes = getLaneDim(collapseShared(kernel, layout));
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_KERNELLAYOUT_H
#define KILN_ANALYSIS_KERNELLAYOUT_H

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "llvm/ADT/MapVector.h"

namespace kiln::analysis {

using guard::ExprAttr;

/// Strides in elements of the tensors that a kernel reads, in their order.
using KernelStrides = SmallVector<SmallVector<ExprAttr>>;

/// The strides of the tensors that a kernel reads: those of a function
/// argument's `loop.strides` attribute or of a part of another tensor, else
/// row-major. An error at the kernel where a tensor has dynamic sizes without
/// names, or strides for another rank; that includes the sizes of tensors it
/// writes.
FailureOr<KernelStrides> getInputStrides(loop::KernelOp kernel);

/// Strides in elements of the values of a kernel's body that lie in memory: its
/// inputs, its results, and rows of scratch, which have stride 0 along the
/// shared dimensions. Other values are one element per point of the shared
/// domain and kept in registers.
using KernelLayout = llvm::MapVector<Value, SmallVector<ExprAttr>>;

/// The layout of a kernel whose inputs have these strides.
KernelLayout getLayout(loop::KernelOp kernel, const KernelStrides &inputs);

/// The shared extents after neighbours that every access walks as one were
/// joined: their product in the place of the inner one, and 1 in that of the
/// outer one.
///
///   x[i, j] + y[i, j], both row-major, in [4, 8]   gives [1, 32]
///   x[i, j] + y[j], in [4, 8]                      stays [4, 8]
SmallVector<ExprAttr> collapseShared(loop::KernelOp kernel,
                                     const KernelLayout &layout);
/// The same of dimensions of these extents, wherever each nest has them:
/// `getDims` gives their places in its domain.
SmallVector<ExprAttr> collapseDims(
    loop::KernelOp kernel, const KernelLayout &layout,
    SmallVector<ExprAttr> extents,
    llvm::function_ref<SmallVector<unsigned>(loop::NestOpInterface nest)>
        getDims);

/// The extents of a reduction after reduced neighbours that every access walks as one
/// were joined in the same way, in dense tensors and in `layout`, if that is given:
///
///   sum of x[n, c, h, w] over n, h and w      h and w are one, n and h are not
///
/// Without `inDense` in `layout` alone, where terms are added in an order that does not
/// depend on what is one.
SmallVector<ExprAttr> collapseReduced(loop::NestOpInterface nest,
                                      const KernelLayout *layout,
                                      bool inDense = true);

/// The dimension of collapsed extents that lanes run along: the last that is more
/// than one element, or the last of all.
unsigned getLaneDim(ArrayRef<ExprAttr> sharedExtents);

/// True if all accesses of a contraction's epilogue walk these of its parallel
/// dimensions, outermost first, as one, so that one index can stand in the last of
/// them with 0 in the others:
///
///   acc + x[n, c, h, w], row-major     h and w are one, c and h are as well
///   acc + bias[c]                      h and w are one, c and h are not
bool epilogueWalksAsOne(loop::ContractOp op, ArrayRef<unsigned> dims,
                        const KernelLayout &layout);

/// A read that is contiguous along another shared dimension than the last, and
/// takes regular steps along the last.
struct TransposedRead {
  loop::LoadOp load;
  Value tensor;
  ExprAttr address; ///< in elements, over the shared dimensions
  unsigned dim;     ///< along which it is contiguous
};

/// Such reads of a kernel of pointwise nests, in the order of the program.
SmallVector<TransposedRead> getTransposedReads(loop::KernelOp kernel,
                                               const KernelLayout &layout);

/// Pairs of a result and an input of the kernel that may lie in the same memory:
/// each element of the input is read, at the latest, where the element of the
/// result in the same place is computed. Null if there are none.
mlir::DenseI64ArrayAttr getOverwrites(loop::KernelOp kernel);

/// The result of the kernel in whose memory a row that stays inside may lie until the
/// result is stored there; null if there is none:
///
///   e = exp(x - m); s = sum of e; y = e / s     e lies where y will
///
/// The last to read the row makes the result of it, element by element.
Value getPlaceOfRow(loop::KernelOp kernel, Value row);

/// True if there is an operation in `code` that traps on some values: lanes
/// outside of a mask must not get there.
bool mayTrap(Operation *code);

} // namespace kiln::analysis

#endif // KILN_ANALYSIS_KERNELLAYOUT_H
