//===- Views.h - Where the elements of a view lie ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view is a tensor that shows elements of another one. Which ones is data, for
// sizes that are numbers (`N` is int64_t: a tensor at run time) and for those that
// are expressions (`N` is guard::ExprAttr: a tensor type) alike:
//
//   x.transpose(0, 1)[2:5]     of a tensor x of sizes [4, 8]
//     sizes  3, 4              of the view
//     start  0, 2              where its first element is in x
//     steps  0 -> 1 by 1       along dimension 0 of the view, dimension 1 of x
//            1 -> 0 by 1
//
// Sizes are the shape rule, start and steps the strides and the index of an
// element, and both ways of writing. A view may see numbers of another type in the
// same bytes; sizes, start and steps are then of a tensor of these: see
// kiln/Dialect/Aten/IR/ViewMaps.h and lib/Eager/View.cpp. The functions that make
// them are in ViewRules.h and ViewElementRules.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_VIEWS_H
#define KILN_BASE_VIEWS_H

#include <cstdint>
#include <vector>

namespace kiln::views {

/// As what the elements of the tensor are seen before anything else.
enum class ViewElements : uint8_t {
  Same,
  Parts, ///< complex numbers as two reals each, along one dimension more
  Pairs, ///< pairs of reals, the last dimension, as complex numbers
  Bytes, ///< numbers of another type in the same bytes: the last dimension has
         ///< more or less of them
};

enum class ViewKind : uint8_t {
  Strided, ///< by `start` and `steps`
  InOrder, ///< the same elements in the same order, in other sizes
  Storage, ///< by strides in the memory of the tensor: `steps` to dimension 0
};

/// Along dimension `from` of the view, the index of dimension `to` of the tensor
/// grows by `by`.
template <typename N> struct ViewStep {
  unsigned from, to;
  N by;
};

template <typename N> struct View {
  ViewElements elements = ViewElements::Same;
  ViewKind kind = ViewKind::Strided;
  /// Which tensor, for views of a list.
  unsigned tensor = 0;
  std::vector<N> sizes;
  /// Strided: the index of the first element, a number for each dimension of the
  /// tensor. Storage: one number, or none where the tensor itself starts.
  std::vector<N> start;
  /// A dimension of the view that has none repeats what is there.
  std::vector<ViewStep<N>> steps;
};

} // namespace kiln::views

#endif // KILN_BASE_VIEWS_H
