//===- Compare.h - Are two results the same? -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule for every check: dtype and sizes are equal; integers and bools are
// equal; floats agree if they are equal, both NaN, or both finite with
// |got - want| <= atol + rtol * |want|. The sign of zero does not count.
// Complex numbers compare as pairs. Strides never matter.
//
//   Tolerance usual = defaultTolerance(want.dtype());
//   Comparison found = compareTensors(got, want, usual);
//   if (!found.ok)
//     print(found.message, found.maxRelErr);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_COMPARE_H
#define KILN_RUNTIME_COMPARE_H

#include "kiln/Runtime/Operator.h"

namespace kiln::runtime {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// The defaults of `torch.testing.assert_close`: f16 1e-3, 1e-5; bf16 1.6e-2,
/// 1e-5; f32 and c64 1.3e-6, 1e-5; f64 and c128 1e-7, 1e-7; others exact.
Tolerance defaultTolerance(DType dtype);

struct Comparison {
  bool ok = true;
  double maxAbsErr = 0; ///< infinite when a NaN or infinity does not match
  double maxRelErr = 0; ///< max|got - want| / max|want|; 0 for 0 / 0
  int64_t mismatches = 0;
  std::string message; ///< what differs; empty when ok
};

/// Element by element, as above; a message names the first that differs.
Comparison compareTensors(const Tensor &got, const Tensor &want,
                          Tolerance tolerance);

/// Tensors as above; numbers of the same category by the same rule; text, none
/// and lists (element by element) exactly.
Comparison compareValues(const OpValue &got, const OpValue &want,
                         Tolerance tolerance);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_COMPARE_H
