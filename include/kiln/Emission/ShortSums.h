//===- ShortSums.h - A few terms of a reduction at a time -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accumulators of a reduction that join the values of a few positions, one after the
// other:
//
//   ShortSums sums(kernel, op, accumulators);
//   for (BodyEmitter &body : bodies)
//     if (failed(sums.add(body)))
//       return failure();
//   accumulators = *sums.finish();
//
// Of a sum in f64 that permits it (SumMark.h) the terms are added up in f32, and what they
// are together is converted and added once: a GPU converts 16 numbers in the time of 128
// sums of f32. Others join each value, as they would alone.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_EMISSION_SHORTSUMS_H
#define KILN_EMISSION_SHORTSUMS_H

#include "kiln/Emission/KernelEmitter.h"

namespace kiln::loop {

/// Whether short sums of `op` are made in f32.
bool hasShortSums(AccumulationOpInterface op);

class ShortSums {
public:
  /// `kernel` and `op` have to be there as long as this is.
  ShortSums(KernelEmitter &kernel, AccumulationOpInterface op,
            ArrayRef<Value> accumulators);

  /// Joins what the body of the reduction gives at the position of `body`, of which loads
  /// may have been emitted; nothing where `inside`, a truth value, is false. At most
  /// `kMostShortTerms` times.
  LogicalResult add(BodyEmitter &body, Value inside = {});
  /// The accumulators with all that was added, of the types of before.
  FailureOr<SmallVector<Value>> finish();

private:
  Value addTerm(BodyEmitter &body, Value term, Value sum);
  Value getNarrow(BodyEmitter &body, Value wide);

  KernelEmitter *kernel;
  AccumulationOpInterface op;
  SmallVector<Value> sums;
  SmallVector<Value> shorts; ///< in f32, each null before the first term
  int64_t count = 0;
};

} // namespace kiln::loop

#endif // KILN_EMISSION_SHORTSUMS_H
