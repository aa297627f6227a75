//===- ChannelSums.h - Sums of channels -------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_CHANNELSUMS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_CHANNELSUMS_H

#include "PermuteNest.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// The index of `tensor` along which its elements are neighbours: the last one, save
/// for an argument that has others as its strides say.
unsigned getNeighbourIndex(Value tensor);

/// Has sums, maxima and minima of groups of few channels, over the places of an image
/// that has its channels last, reduce each channel over the places first and the
/// channels of a group then: all channels are neighbours, those of a group are less
/// than a line of the cache, and all places of an image are far from each other. True
/// if it was changed; `op` is gone then.
bool reduceChannelsFirst(ReduceOp op);

/// Has a GPU sum up products of elements by threads, in parts, where matrix units would have
/// tiles of one row (`sumsOwnChannels`). Channels that are neighbours are columns.
void reduceColumns(ContractOp op, CarriedTensors &carried);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_CHANNELSUMS_H
