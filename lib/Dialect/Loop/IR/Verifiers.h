//===- Verifiers.h - Checks that several verifiers share --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_IR_VERIFIERS_H
#define KILN_LIB_DIALECT_LOOP_IR_VERIFIERS_H

#include "kiln/Dialect/Loop/IR/Loop.h"

namespace kiln::loop {

/// Extents are integers over symbols.
LogicalResult verifyExtents(Operation *op, mlir::ArrayAttr extents);

/// The terminator of a body as `T`, or an error.
template <typename T>
FailureOr<T> verifyTerminator(Operation *op, Region &body) {
  Block &block = body.front();
  auto terminator = block.empty() ? T() : llvm::dyn_cast<T>(block.back());
  if (!terminator)
    return op->emitOpError() << "expects its body to end with '"
                             << T::getOperationName() << "'";
  return terminator;
}

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_IR_VERIFIERS_H
