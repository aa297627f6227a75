//===- RecomputeClass.h - What it costs to run an op again ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, shared by the interface that ops implement and by the partitioner
// that knows no IR.
//
//   bool isSaved = getRecomputeClass(op) == RecomputeClass::Random;
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_RECOMPUTECLASS_H
#define KILN_INTERFACES_RECOMPUTECLASS_H

#include <cstdint>

namespace kiln {

/// What it means to run an op again in the backward.
enum class RecomputeClass : uint8_t {
  View,      ///< free: no element is computed
  Cheap,     ///< pointwise, a copy, a constant: fuses into its user
  Reduction, ///< fuses, but reads far more than it yields
  Heavy,     ///< contraction, convolution, attention, sort
  Random,    ///< would draw other numbers
  Opaque,    ///< unknown, or with effects
};

} // namespace kiln

#endif // KILN_INTERFACES_RECOMPUTECLASS_H
