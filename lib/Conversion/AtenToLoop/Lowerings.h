//===- Lowerings.h - What records name as their lowering --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The field `lowering` of an op's record names the function that makes its loop
// nests (AtenLoopBody.td):
//
//   LogicalResult lowerFoo(LoopBuilder &loops, aten::FooOp op);
//
// kiln-tblgen declares them, and the structs that families of overloads share,
// and writes the table; one that is missing does not link. An external model
// for LoopLoweringOpInterface looks the function up, so that the dialect does
// not depend on loops.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H

#include "kiln/Lowering/LoopBuilder.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"

namespace kiln::loop {

/// What a reduction over dimensions gives. `ArgMax` gives positions, `MaxDim`
/// values and positions.
enum class Reduced {
  Sum,
  Prod,
  Max,
  Min,
  Any,
  ArgMax,
  ArgMin,
  MaxDim,
  MinDim,
};

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

/// What stands beyond the edge of an image.
enum class Edge { Reflect, Replicate, Circular };

#include "kiln/Conversion/AtenToLoop/Lowerings.h.inc"

/// How an op becomes loop nests.
struct Lowering {
  const aten::OpInfo &(*getInfo)();
  LogicalResult (*function)(LoopBuilder &loops, Operation *op);
  /// It looks at no elements, so that they may be of any type.
  bool takesAnyElements;
};
/// What the record of an overload names; null if it names nothing.
const Lowering *lookUpLowering(const aten::OpInfo &info);

/// The bytes of `tensor` as elements of the result: they are cut into smaller ones,
/// the low bytes first, or put together to larger ones (Factory.cpp).
LogicalResult lowerReinterpret(LoopBuilder &loops, Value tensor);
/// The position of an extremum among the elements of `dims`, and before it, if
/// `withValues`, the extremum (Reduction.cpp).
LogicalResult lowerArg(LoopBuilder &loops, Value tensor,
                       llvm::ArrayRef<int64_t> dims, bool isMax,
                       bool withValues);
/// Whether the record has a loop body.
bool hasLoopBody(const aten::OpInfo &info);
/// The loop body of the record (Pointwise.cpp).
LogicalResult lowerBody(LoopBuilder &loops, Operation *op);

/// The sizes of an argument; none if it is absent.
inline Exprs toExprs(guard::ShapeAttr shape) {
  return shape ? Exprs(shape.getDims()) : Exprs();
}
/// A number among the arguments as `double`.
inline double toDouble(const llvm::APFloat &value) {
  return value.convertToDouble();
}
/// `dim` of a tensor of `rank` dimensions, counted from the front.
inline int64_t wrapDim(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}
/// An `index` as an i64, and back.
inline Value toI64(BodyContext body, Value index) {
  return mlir::arith::IndexCastOp::create(body.builder, body.loc,
                                          body.builder.getI64Type(), index);
}
inline Value fromI64(BodyContext body, Value value) {
  return mlir::arith::IndexCastOp::create(body.builder, body.loc,
                                          body.builder.getIndexType(), value);
}

/// The first position of a row of `extent` elements for which `isBehind` is
/// true, `extent` if there is none; as an index. The row is in order. A read at
/// `position` is masked by `mask` (Search.cpp).
Value searchRow(LoopBuilder &loops, BodyContext body, guard::ExprAttr extent,
                llvm::function_ref<Value(Value position, Value mask)> isBehind);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H
