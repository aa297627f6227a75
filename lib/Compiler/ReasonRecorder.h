//===- ReasonRecorder.h - Remarks become records ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_REASONRECORDER_H
#define KILN_LIB_COMPILER_REASONRECORDER_H

#include "kiln/Package/Reason.h"

#include "mlir/IR/MLIRContext.h"

namespace kiln::compiler {

/// From now on every remark in `context` is added to `reasons`, in order, as the
/// package will keep it. `reasons` outlives `context`.
void recordReasons(mlir::MLIRContext &context,
                   std::vector<package::Reason> &reasons);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_REASONRECORDER_H
