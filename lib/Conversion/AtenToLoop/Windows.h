//===- Windows.h - Windows over one dimension -------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Poolings, convolutions and columns sum over windows. A window is a reduction
// dimension: its candidates are counted by an index, and expressions say where a
// candidate lies and whether it counts. Gradients use the same form: an input
// element sums over the windows that cover it, so that every element is computed
// by itself and none is written twice.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_WINDOWS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_WINDOWS_H

#include "kiln/Lowering/LoopBuilder.h"

namespace kiln::loop {

/// One dimension of a window, over an index of its place and one of its own.
struct Window {
  guard::ExprAttr extent; ///< the number of candidates
  guard::ExprAttr at;     ///< where a candidate lies
  guard::ExprAttr tap;    ///< its position within the kernel
  guard::ExprAttr valid;  ///< 1 where it counts
};

/// How windows lie in one dimension.
struct WindowShape {
  guard::ExprAttr kernel, stride, padding, dilation;
  guard::ExprAttr input, output; ///< sizes
};

/// True for a constant size few enough to look at each index while a graph is
/// compiled.
bool isCountable(guard::ExprAttr size);

/// The input positions of the window at output position `place`.
Window slide(const WindowShape &shape, guard::ExprAttr place,
             guard::ExprAttr index);
/// The output positions whose windows cover input position `place`, in order.
Window cover(const WindowShape &shape, guard::ExprAttr place,
             guard::ExprAttr index);
/// The positions that output `place` of an adaptive pooling spans; with the
/// sizes exchanged, the outputs that span an input.
Window adapt(guard::ExprAttr input, guard::ExprAttr output,
             guard::ExprAttr place, guard::ExprAttr index);
/// How many positions that are.
guard::ExprAttr countAdaptive(guard::ExprAttr input, guard::ExprAttr output,
                              guard::ExprAttr place);

/// Lists of one number or one a dimension, as operators give them; an empty
/// `stride` is the kernel's.
struct WindowLists {
  llvm::ArrayRef<int64_t> kernel, stride, padding, dilation;
};
/// The shapes of the windows of the last dimensions.
llvm::SmallVector<WindowShape>
getWindowShapes(LoopBuilder &loops, const WindowLists &lists,
                llvm::ArrayRef<guard::ExprAttr> input,
                llvm::ArrayRef<guard::ExprAttr> output);

/// A nest whose reduction dimensions are windows over the last parallel ones.
struct WindowNest {
  Exprs parallel, reduction;
  Exprs at;              ///< the position: leading dimensions, then windows
  Exprs taps;            ///< positions within the kernel
  guard::ExprAttr valid; ///< all candidates count

  /// `makeWindow(k, place, index)` gives the window of spatial dimension k.
  WindowNest(
      LoopBuilder &loops, llvm::ArrayRef<guard::ExprAttr> parallel,
      unsigned spatial,
      llvm::function_ref<Window(unsigned, guard::ExprAttr, guard::ExprAttr)>
          makeWindow);
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_WINDOWS_H
