//===- KernelWalk.h - Which way a kernel is walked ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the choice of a schedule asks of a kernel, for any processor.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_KERNELWALK_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_KERNELWALK_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Which way neighbours in memory are.
enum class Walk {
  Across, ///< along the last shared dimension
  Within, ///< along the rows of each nest
  Tiled   ///< along the last shared dimension, and read along another one
};
/// `joinsReduced`: reduced dimensions that memory has as one will be walked as one.
Walk getWalk(KernelOp kernel, const analysis::SizeHints &hints,
             bool joinsReduced);

/// True if a reduction reads more from rows side by side than along its rows.
bool readsAcross(NestOpInterface nest, const analysis::SizeHints &hints,
                 bool joinsReduced);

/// True if a step of a scan with a combiner, whose order counts, is so long that rows side by
/// side are better lanes than none, wherever their elements lie.
bool waitsAlongRows(KernelOp kernel);

/// Additions, multiplications and other arithmetic of floats that a kernel does, at
/// the size hints; a multiply-add is two.
double countOperations(KernelOp kernel, const analysis::SizeHints &hints);

/// True if the terms of a nest are added up in blocks.
bool hasBlocks(NestOpInterface nest);

/// True if what a nest reads, of others than nests of its own kernel and `except`, are
/// neighbours at neighbours along parallel dimension `dim`, or one element for all of them, and
/// masks leave out all of them or none.
bool readsVectors(NestOpInterface nest, unsigned dim,
                  const analysis::SizeHints &hints, Value except = {});

/// True if a nest reads neighbours at neighbours along dimension `dim`, and not along the last
/// of its parallel dimensions of more than one element, which it moves along, too.
bool readsTransposed(NestOpInterface nest, unsigned dim,
                     const analysis::SizeHints &hints);

/// Elements that a nest reduces at a point, where they are as few and known as those of a window;
/// nothing elsewhere.
std::optional<int64_t> countTaps(const Domain &domain);

/// True if what the kernel reduces are windows: few elements, as is known here, at each
/// point of the `shared` dimensions.
bool hasWindows(KernelOp kernel, unsigned shared);

/// True if all nests are pointwise over the `shared` dimensions and much of what they compute
/// is the same for neighbours in dimension `beside`.
bool sharesValues(KernelOp kernel, unsigned shared, unsigned beside);

/// True if the windows of neighbours in dimension `beside` of a nest overlap by half.
bool sharesWindow(NestOpInterface nest, unsigned beside);

/// True if the windows of neighbours in dimension `beside` of the `shared` ones overlap by half, and a
/// place that masks leave out is left out for all neighbours in dimension `along`.
bool sharesWindows(KernelOp kernel, unsigned shared, unsigned beside,
                   unsigned along);

/// Inputs of which neighbours in the dimension before the last of the shared ones read elements
/// of their own, where all nests are pointwise and these neighbours have others in common; 0 for
/// other kernels.
int64_t countStreams(KernelOp kernel);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_KERNELWALK_H
