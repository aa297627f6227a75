//===- LoopBuilder.h - What a lowering to loop nests is made of -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `convert-aten-to-loop` gives a LoopBuilder to each op that implements
// LoopLoweringOpInterface, of whatever dialect: it makes the nests and says
// what the results are. Nothing here knows an operator.
//
// A tensor is a `View`: a tensor of the loop level and the index at which an
// element of the view is found there. An op that only rearranges sets the view
// of its result and makes no nest. Sizes and indices are expressions (ExprAttr)
// over the dimensions d0, d1, ... of the domain at hand: those of the result
// first, then those that are reduced. A body is given its indices as values.
//
// Example: the sum of squares over the last dimension.
//
//   LogicalResult SumOfSquaresOp::lowerToLoops(LoopBuilder &loops) {
//     View x = loops.getView(getX());
//     Type from = LoopBuilder::getElement(getX());
//     Type acc = LoopBuilder::getComputeType(from); // f32 for bf16 and f16
//     Value sums = loops.reduceDims(
//         x, {-1}, loops.getResultType(), ReductionKind::Sum, acc,
//         [&](BodyContext, ScalarBuilder &scalars, Value element) {
//           Value wide = scalars.convert(element, from, acc);
//           return scalars.mul(wide, wide);
//         });
//     return loops.setMade(0, sums);
//   }
//
// A lowering returns success when each result is set. Otherwise it returns
// `loops.refuse("why")`: the op stays, or becomes a call if its library has a
// function for it, and the reason is told in a remark. A nest that was made by
// then is dropped as dead code.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LOWERING_LOOPBUILDER_H
#define KILN_LOWERING_LOOPBUILDER_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Lowering/ScalarBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::loop {

using Exprs = llvm::SmallVector<guard::ExprAttr>;

/// A tensor seen through index expressions.
struct View {
  Value base;
  Exprs map;  ///< index into `base`, over the view's dimensions
  Exprs dims; ///< the view's sizes
};

/// Where a body is built: its builder and indices d0, d1, ... as values.
struct BodyContext {
  OpBuilder &builder;
  Location loc;
  mlir::ValueRange indices;
};

/// What one point of a scatter's domain writes.
struct Written {
  llvm::SmallVector<Value> position; ///< an index for each dimension
  Value value;
  Value condition; ///< an `i1`; null: it always writes
};

/// How a contraction reads an operand: from a tensor, at an index over the
/// parallel dimensions and then the reduced ones.
struct Factor {
  Value tensor;
  Exprs index;
  /// Reads 0 where this is 0; null: never.
  guard::ExprAttr mask = {};
};

/// The domain of a reduction over dimensions of a tensor.
struct ReducedDomain {
  Exprs parallel, reduction;
  Exprs index; ///< into the tensor, over the domain
};

class LoopBuilder {
public:
  /// For the ops of `function`, which is of one block.
  LoopBuilder(mlir::func::FuncOp function, const analysis::SizeHints &hints,
              bool checkIndices, bool shortSpecials = false)
      : function(function), builder(function.getContext()), hints(hints),
        checkIndices(checkIndices), shortSpecials(shortSpecials) {}

  //===--------------------------------------------------------------------===//
  // The op at hand
  //===--------------------------------------------------------------------===//

  OpBuilder &getBuilder() { return builder; }
  mlir::MLIRContext *getContext() { return builder.getContext(); }
  Location getLoc() const { return op->getLoc(); }
  /// What nests say they were made for.
  mlir::ArrayAttr getOrigins() const { return origins; }

  unsigned getNumResults() const { return op->getNumResults(); }
  Value getResult(unsigned i) { return op->getResult(i); }
  RankedTensorType getResultType(unsigned i = 0);
  /// True if nobody reads result `i`.
  bool isUnused(unsigned i) { return op->getResult(i).use_empty(); }

  /// The result `i` is `value`, a tensor of its sizes.
  void setResult(unsigned i, Value value);
  /// The result `i` is `value`; failure if it is null.
  LogicalResult setMade(unsigned i, Value value);
  /// The result `i` has the elements of `value` in order, whatever its sizes;
  /// failure if there is no value.
  LogicalResult setReshaped(unsigned i, Value value);
  /// Gives up; the first reason counts. A lowering that fails without one
  /// leaves the op to its library, which is nothing to remark on.
  LogicalResult refuse(const llvm::Twine &why);

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  guard::ExprAttr expr(int64_t value) {
    return guard::getConstant(getContext(), value);
  }
  guard::ExprAttr dim(unsigned position) {
    return guard::getDim(getContext(), position);
  }
  const guard::Assumptions &getAssumptions() const {
    return hints.getAssumptions();
  }
  /// True for a symbol that values decide, if the op at hand is the first to
  /// find it out; else the run has to agree with it.
  bool isFoundHere(guard::ExprAttr size) const;
  /// The symbol `size` has the value of `number`, an i64 tensor without
  /// dimensions.
  void defineSymbol(guard::ExprAttr size, Value number);

  //===--------------------------------------------------------------------===//
  // Views
  //===--------------------------------------------------------------------===//

  View getView(Value tensor);
  void setView(Value tensor, View view) { views[tensor] = std::move(view); }
  /// `view` with other sizes and the same elements in order.
  View reshape(const View &view, llvm::ArrayRef<guard::ExprAttr> dims);
  /// `view` as one row.
  View asRow(const View &view) {
    return reshape(view, guard::product(getContext(), view.dims));
  }
  /// `tensor`; one without dimensions is a row of one element.
  View getAtLeastRow(Value tensor);
  /// `view` broadcast to `dims`.
  View expand(const View &view, llvm::ArrayRef<guard::ExprAttr> dims);
  /// `tensor` read at `index` over a domain of these extents. A view that is
  /// not read along straight lines is copied first.
  View getStraight(Value tensor, llvm::ArrayRef<guard::ExprAttr> extents,
                   llvm::ArrayRef<guard::ExprAttr> index);
  /// `tensor` as a loop tensor whose elements lie in order; copies if needed.
  Value materialize(Value tensor);
  /// A tensor of its own with the elements of `tensor`.
  Value copy(Value tensor);
  /// The elements of `view`, in order and of type `in`, as a tensor.
  Value materialize(const View &view, Type in);

  //===--------------------------------------------------------------------===//
  // In a body
  //===--------------------------------------------------------------------===//

  /// Reads element `index` (over the indices of the body) of a view; `other`
  /// where `mask`, an `i1`, is false. Without a mask it reads everywhere.
  Value read(BodyContext body, const View &view,
             llvm::ArrayRef<guard::ExprAttr> index, Value mask = {},
             Value other = {});
  /// Reads at computed index values.
  Value readAt(BodyContext body, const View &view, mlir::ValueRange index,
               Value mask = {}, Value other = {});
  /// The index of an operand that broadcasts to `dims` of a result.
  Exprs broadcast(const View &view, llvm::ArrayRef<guard::ExprAttr> dims);
  /// The value of an expression over the body's indices, as `index`.
  Value index(BodyContext body, guard::ExprAttr expr);
  /// True (an `i1`) where `expr` is not 0; null if it always is.
  Value condition(BodyContext body, guard::ExprAttr expr);
  /// The value of an integer expression in type `type`.
  Value number(BodyContext body, ScalarBuilder &scalars, guard::ExprAttr expr,
               Type type);
  /// A number operand in its own type (`i1`, `i64`, `f64`); null if it cannot
  /// be had in a kernel.
  Value readNumber(BodyContext body, Value number);
  /// A number that is constant; nothing if null or not constant.
  static std::optional<double> getConstant(Value number);
  /// A loaded integer as an index into `size` elements: wrapped if it may be
  /// negative, and clamped, so that no index leaves its tensor.
  Value toIndex(BodyContext body, Value value, Type type, guard::ExprAttr size,
                bool negative);

  //===--------------------------------------------------------------------===//
  // Checks
  //===--------------------------------------------------------------------===//

  /// Ends the run with `message` unless `compute`, an `i1`, holds everywhere in a
  /// domain; of no extents, once. Checks run in the order of the program.
  ///
  ///   loops.check({n}, "expected positive numbers", [&](BodyContext body) {
  ///     return scalars(body).gt(elementAt(body), zero(body)); });
  void check(llvm::ArrayRef<guard::ExprAttr> extents, llvm::StringRef message,
             llvm::function_ref<Value(BodyContext)> compute);
  /// Emits the check that all `indices` lie in [low, size).
  void checkIndex(Value indices, guard::ExprAttr size, bool negative);
  /// False if computed indices and divisors are taken as they are.
  bool checksIndices() const { return checkIndices; }
  /// True if special functions of f32 take the terms of f32 alone.
  bool hasShortSpecials() const { return shortSpecials; }

  //===--------------------------------------------------------------------===//
  // Nests
  //===--------------------------------------------------------------------===//

  using BodyFn = std::function<Value(BodyContext, ScalarBuilder &)>;
  /// A pointwise nest with elements of `type`; `compute` gives the element in
  /// the computation type `in`. Null if it refused.
  Value makePointwise(RankedTensorType type, Type in, BodyFn compute);
  /// A tensor of zeros of any type.
  Value makeZeros(RankedTensorType type);

  using ReduceFn = llvm::function_ref<llvm::SmallVector<Value>(
      BodyContext, ScalarBuilder &)>;
  /// A reduction; `compute` gives what is accumulated, in the types that it is
  /// accumulated in. `in` is the computation type of its `ScalarBuilder`. If it
  /// refused, a null for each result.
  llvm::SmallVector<Value> makeReduce(mlir::TypeRange types,
                                      llvm::ArrayRef<guard::ExprAttr> parallel,
                                      llvm::ArrayRef<guard::ExprAttr> reduction,
                                      llvm::ArrayRef<ReductionKind> kinds,
                                      Type in, ReduceFn compute);

  /// How the dimensions `dims` of `self` (all if there are none) are reduced to
  /// a result of sizes `result`, with or without the reduced dimensions. Refuses
  /// dimensions out of range (negative ones count from the end) and a result of
  /// another rank.
  std::optional<ReducedDomain>
  getReducedDomain(const View &self, llvm::ArrayRef<int64_t> dims,
                   llvm::ArrayRef<guard::ExprAttr> result);
  /// A reduction of `self` over `dims` to `type`, of what `element` gives for
  /// each element, or the element itself, in type `acc`. Null if it refused:
  /// what getReducedDomain refuses, and sizes that are not known.
  using ElementFn =
      llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)>;
  Value reduceDims(const View &self, llvm::ArrayRef<int64_t> dims,
                   RankedTensorType type, ReductionKind kind, Type acc,
                   ElementFn element = nullptr);

  /// Sums of products of `lhs` and `rhs`, accumulated in `acc`. An operand that
  /// is not read along straight lines is copied first. Null if sizes are not known.
  ContractOp makeContract(RankedTensorType type, const Factor &lhs,
                          const Factor &rhs,
                          llvm::ArrayRef<guard::ExprAttr> reduction, Type acc);
  /// Gives `nest` an epilogue: `compute` takes a finished sum, in the
  /// accumulation type, to what is rounded and stored. If it refused, `nest` is
  /// no more.
  LogicalResult addEpilogue(
      ContractOp nest,
      llvm::function_ref<Value(BodyContext, ScalarBuilder &, Value)> compute);

  /// Writes into `init`, over a domain of these extents; `point` gives a place of
  /// `init`, in range, and a value of the body type of its elements, joined there by
  /// `kind`. With ScatterKind::Set no two points write one element, or the last
  /// counts.
  ///
  ///   Value counts = loops.makeScatter(zeros, {n}, ScatterKind::Add,
  ///       [&](BodyContext body) -> Written { return {{placeOf(body)}, one(body)}; });
  Value makeScatter(Value init, llvm::ArrayRef<guard::ExprAttr> extents,
                    ScatterKind kind,
                    llvm::function_ref<Written(BodyContext)> point);
  /// Sets elements one point after the other, each of which sees what was written
  /// so far as `state`. The first `independent` dimensions of the domain write and
  /// read different elements: they may run side by side.
  Value
  makeSweep(Value init, llvm::ArrayRef<guard::ExprAttr> extents,
            int64_t independent,
            llvm::function_ref<Written(BodyContext, const View &state)> point);

  /// Running values along a row of `extent` elements, for each point of a
  /// domain; the row is dimension `dimension` of the results, the last index of
  /// the body. `kinds` are one for each value that is carried; `inits`, neutral
  /// elements, are for ReductionKind::Generic, which wants a combiner then. Null
  /// if `compute` gave no values.
  ///
  ///   ScanOp scan = loops.makeScan(type, zero, {}, n, 0, ReductionKind::Generic,
  ///       [&](BodyContext body) { return SmallVector<Value>{elementAt(body)}; });
  ///   if (!scan || failed(loops.addCombiner(
  ///                    scan, [](OpBuilder &b, ValueRange l, ValueRange r) {...})))
  ///     return failure();
  ScanOp
  makeScan(mlir::TypeRange types, mlir::ValueRange inits,
           llvm::ArrayRef<guard::ExprAttr> parallel, guard::ExprAttr extent,
           int64_t dimension, llvm::ArrayRef<ReductionKind> kinds,
           llvm::function_ref<llvm::SmallVector<Value>(BodyContext)> compute);
  /// How a generic scan joins accumulators, `left`, with what comes next, `right`,
  /// in any grouping (it is to be associative). If it refused, `scan` is no more.
  using CombineFn = llvm::function_ref<llvm::SmallVector<Value>(
      OpBuilder &, mlir::ValueRange left, mlir::ValueRange right)>;
  LogicalResult addCombiner(ScanOp scan, CombineFn combine);
  using KeysFn = llvm::function_ref<llvm::SmallVector<Value>(BodyContext)>;
  /// The positions (i64) of the elements of each row in the order of their
  /// keys, signed integers (`makeSortKey`), of which the first counts most;
  /// what is equal keeps its order. `dims` are the sizes of the result,
  /// `parallel` with `extent` put in as `dimension`, the last index of the
  /// body; or less than `extent`, for as many of the first positions. Null if
  /// there are no keys.
  ///
  ///   Value order = loops.makeSort({m, n}, {m}, n, 1, [&](BodyContext body) {
  ///     return SmallVector<Value>{makeSortKey(body, x(body), f32, false)}; });
  Value makeSort(llvm::ArrayRef<guard::ExprAttr> dims,
                 llvm::ArrayRef<guard::ExprAttr> parallel,
                 guard::ExprAttr extent, int64_t dimension, KeysFn keys);

  //===--------------------------------------------------------------------===//
  // Types
  //===--------------------------------------------------------------------===//

  /// The element type of a tensor.
  static Type getElement(Value tensor) {
    return llvm::cast<RankedTensorType>(tensor.getType()).getElementType();
  }
  /// Element types that bodies can compute with; 8-bit floats if they are
  /// wanted.
  static bool isSupported(Type type, bool smallFloats);
  /// The type in which elements of `type` are computed with: f32 for 16 bits.
  static Type getComputeType(Type type);

  //===--------------------------------------------------------------------===//
  // For the walk over the function
  //===--------------------------------------------------------------------===//

  /// Turns to `op`, before which nests are made from now on.
  void start(Operation *op, mlir::ArrayAttr origins);
  /// Why the op at hand was refused; empty if it was not.
  llvm::StringRef getReason() const { return reason; }
  /// `number` is the one element of `tensor`: kernels read it there.
  void setNumber(Value number, Value tensor) { numbers[number] = tensor; }
  /// From here on these sizes, or this symbol, are known.
  void noteSizes(mlir::TypeRange types);
  void noteSymbol(guard::ExprAttr symbol) { knownSymbols.insert(symbol); }

private:
  /// Ends a body with `values`; refuses if one is null, or with `why`.
  LogicalResult endBody(OpBuilder &inner, mlir::ValueRange values,
                        llvm::StringRef why = "");

  mlir::func::FuncOp function;
  OpBuilder builder;
  const analysis::SizeHints &hints;
  bool checkIndices, shortSpecials;

  Operation *op = nullptr;
  mlir::ArrayAttr origins;
  std::string reason;
  llvm::DenseSet<guard::ExprAttr> knownSymbols; ///< as whole sizes so far
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, Value> numbers;
  llvm::DenseMap<Value, Value> copies;
};

/// An integer that compares as `value`, an element of a tensor of `element`,
/// is sorted: NaN above everything, zeros alike, all in reverse if
/// `descending`. That of a float is known by its form (FloatKeys.h).
Value makeSortKey(BodyContext body, Value value, Type element, bool descending);

} // namespace kiln::loop

#endif // KILN_LOWERING_LOOPBUILDER_H
