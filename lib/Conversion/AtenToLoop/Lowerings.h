//===- Lowerings.h - What records name as their lowering --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The field `lowering` of an op's record names the function that makes its loop
// nests (AtenLoopBody.td). kiln-tblgen declares those that are no members of
// Converter, and writes the table; one that is missing does not link.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H

#include "Converter.h"

namespace kiln::loop {

/// How a resampling weighs the elements around a position; `Wide` ones look at
/// more of them where the image gets smaller.
enum class Filter {
  Nearest,
  NearestExact,
  Linear,
  Cubic,
  LinearWide,
  CubicWide
};

#include "kiln/Conversion/AtenToLoop/Lowerings.h.inc"

/// How an op becomes loop nests.
struct Lowering {
  const aten::OpInfo &(*getInfo)();
  LogicalResult (*function)(Converter &converter);
  /// It looks at no elements, so that they may be of any type.
  bool takesAnyElements;
};
/// What the record of an overload names; null if it names nothing.
const Lowering *lookUpLowering(const aten::OpInfo &info);

/// The first position of a row of `extent` elements for which `isBehind` is
/// true, `extent` if there is none; as an index. The row is in order. A read at
/// `position` is masked by `mask` (Search.cpp).
Value searchRow(Converter &converter, BodyContext body, guard::ExprAttr extent,
                llvm::function_ref<Value(Value position, Value mask)> isBehind);
/// The symbol `size` has the value of `number`, an i64 tensor without
/// dimensions (Selection.cpp).
void defineSymbol(Converter &converter, guard::ExprAttr size, Value number);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H
