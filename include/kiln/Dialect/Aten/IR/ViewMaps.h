//===- ViewMaps.h - What a view op shows, as data ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The maps of `ViewOpInterface`: what kiln/Base/Views.h says of a view, over the
// expressions of tensor types. From a map follow the sizes of the result, the
// index of an element, the ops of the core set that make the same view, and what
// the tensor holds after something was written to the view.
//
//   auto view = llvm::dyn_cast<ViewOpInterface>(op);
//   if (!view)
//     return;
//   auto maps = view.getViewMaps(); // one a result
//   if (failed(maps))
//     return; // a size is not known
//   const ViewMap &map = maps->front();
//   Value shown = op->getOperand(map.tensor);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_VIEWMAPS_H
#define KILN_DIALECT_ATEN_IR_VIEWMAPS_H

#include "kiln/Base/Views.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace kiln::aten {

using views::ViewElements;
using views::ViewKind;
class FormulaBuilder;

struct ViewMap : views::View<guard::ExprAttr> {
  /// Strided: where element d0, d1, ... of the view is in the tensor.
  SmallVector<guard::ExprAttr> getIndex() const;
};

using ViewMaps = SmallVector<ViewMap, 1>;

/// One map a result, of an op whose record names a view. Failure, without a
/// diagnostic, if a size is not known or the arguments do not fit.
FailureOr<ViewMaps> getViewMaps(Operation *op);

/// What `op` shows, if it is a view that shows its whole operand as it is; null
/// for others, for a copy, and for what stops gradients or asks for strides.
Value getSameView(Operation *op);

/// The view of `tensor`, by ops of the core set that are simpler than any view.
/// Null where there are none: windows, diagonals, strides and other elements are
/// such ops.
Value readThrough(FormulaBuilder &b, const ViewMap &map, Value tensor);

/// What `tensor` holds once `source` was written to the view of it. Null, with a
/// clause that says why, if elements share memory.
Value writeThrough(FormulaBuilder &b, const ViewMap &map, Value tensor,
                   Value source, std::string &reason);

/// Zeros of `sizes` with `source` added where the view shows them, the adjoint of
/// looking: what shows an element twice adds to it twice. Not of strides, and null
/// where bytes are seen as another type.
Value addThrough(FormulaBuilder &b, const ViewMap &map,
                 ArrayRef<guard::ExprAttr> sizes, Value source);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_VIEWMAPS_H
