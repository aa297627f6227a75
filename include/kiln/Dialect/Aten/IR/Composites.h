//===- Composites.h - Overloads that are made of others ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch composes many overloads of others and has nothing else for them.
// Their records have the bit `isComposite` and name a function that builds what
// they stand for; `aten-decompose{to=import}` calls it, and so does whoever
// makes such an op and does not want it to stay:
//
//   OpenedComposite opened = openComposite(op, builder);
//   if (!opened)
//     return op->emitOpError(opened.complaint + opened.refusal);
//   op->replaceAllUsesWith(opened.values);
//
// The functions are in another library, which attaches itself to the dialect
// (`registerComposites` of kiln/Dialect/Aten/Transforms/Decompositions.h):
// types of such ops can be inferred only where it has.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_COMPOSITES_H
#define KILN_DIALECT_ATEN_IR_COMPOSITES_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectInterface.h"

#include <string>

namespace kiln::aten {

/// What an op stands for, or why it stands for nothing: its arguments do not
/// fit
/// (`complaint`), or they are not supported (`refusal`).
struct OpenedComposite {
  SmallVector<Value> values;
  std::string complaint, refusal;

  explicit operator bool() const {
    return complaint.empty() && refusal.empty();
  }
};

/// Whether anything reads a result: some composites have results of which
/// nothing can be said.
using IsReadFn = llvm::function_ref<bool(mlir::OpResult)>;

struct CompositeDialectInterface
    : mlir::DialectInterface::Base<CompositeDialectInterface> {
  CompositeDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Builds what `op`, a composite, stands for.
  virtual OpenedComposite open(Operation *op, OpBuilder &builder,
                               IsReadFn isRead) const = 0;
};

/// Builds what `op`, a composite, stands for. Emits no diagnostics.
OpenedComposite openComposite(Operation *op, OpBuilder &builder,
                              IsReadFn isRead);
/// A result is read if it has a use.
OpenedComposite openComposite(Operation *op, OpBuilder &builder);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_COMPOSITES_H
