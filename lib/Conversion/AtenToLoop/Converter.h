//===- Converter.h - Lowering one aten function to loop nests ---*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a function and makes loop nests of its operators. A tensor of the aten
// level is a `View`: a tensor of the loop level and the index at which an
// element of the view is found there. View operators only add an entry; a nest
// reads through it. What must exist in memory (a result of the function, an
// argument of an extern call) is copied if its view is not the whole tensor in
// order.
//
// A lowering returns success, or failure after `refuse` has set the reason; the
// operator then becomes a `loop.extern` that carries it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_CONVERTER_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_CONVERTER_H

#include "ScalarBuilder.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Interfaces/LoopBodyOpInterface.h"

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

/// An integer that compares as `value`, an element of a tensor of `element`,
/// is sorted: NaN above everything, zeros alike, all in reverse if `descending`.
Value makeSortKey(BodyContext body, Value value, Type element,
                  bool descending);

/// What a reduction over dimensions gives. `ArgMax` gives positions, `MaxDim`
/// values and positions.
enum class Reduced {
  Sum,
  Mean,
  Prod,
  Max,
  Min,
  Any,
  All,
  Var,
  Std,
  VarMean,
  ArgMax,
  ArgMin,
  MaxDim,
  MinDim,
};

class Converter {
public:
  Converter(mlir::func::FuncOp function, const analysis::SizeHints &hints,
            bool checkIndices)
      : function(function), builder(function.getContext()), hints(hints),
        checkIndices(checkIndices) {}

  LogicalResult run();

  //===--------------------------------------------------------------------===//
  // For lowerings
  //===--------------------------------------------------------------------===//

  OpBuilder &getBuilder() { return builder; }
  mlir::MLIRContext *getContext() { return builder.getContext(); }
  guard::ExprAttr expr(int64_t value) {
    return guard::getConstant(getContext(), value);
  }
  guard::ExprAttr dim(unsigned position) {
    return guard::getDim(getContext(), position);
  }
  const guard::Assumptions &getAssumptions() const {
    return hints.getAssumptions();
  }

  /// The argument named `name` of the operator at hand.
  const aten::ArgValue &getArg(llvm::StringRef name);
  Value getTensor(llvm::StringRef name) {
    aten::ArgValue arg = getArg(name);
    return arg.isValue() ? arg.getValue() : Value();
  }
  bool getBool(llvm::StringRef name);
  int64_t getInt(llvm::StringRef name);
  /// Integers of an `int[]`; empty if absent.
  llvm::SmallVector<int64_t> getInts(llvm::StringRef name);
  guard::ExprAttr getExpr(llvm::StringRef name);
  Exprs getShape(llvm::StringRef name);
  /// A constant number; nothing if absent or not constant.
  std::optional<double> getConstant(llvm::StringRef name);

  /// True for a symbol that values decide, if the operator at hand is the first
  /// to find it out; else the run has to agree with it.
  bool isFoundHere(guard::ExprAttr size) const;

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
  /// `tensor` as a loop tensor whose elements lie in order; copies if needed.
  Value materialize(Value tensor);
  /// A tensor of its own with the elements of `tensor`.
  Value copy(Value tensor);
  /// The elements of `view`, in order and of type `in`, as a tensor.
  Value materialize(const View &view, Type in);

  /// `tensor` read at `index` over a domain of these extents. A view that is
  /// not read along straight lines is copied first.
  View getStraight(Value tensor, llvm::ArrayRef<guard::ExprAttr> extents,
                   llvm::ArrayRef<guard::ExprAttr> index);

  Location getLoc() const { return op->getLoc(); }
  mlir::ArrayAttr getOrigins();
  LogicalResult refuse(const llvm::Twine &why);
  /// The result `i` of the operator at hand is `value`.
  void setResult(unsigned i, Value value);
  /// The result `i` has the elements of `value` in order, whatever its sizes;
  /// success if there is a value.
  LogicalResult setReshaped(unsigned i, Value value);
  Value getResult(unsigned i) { return op->getResult(i); }
  RankedTensorType getResultType(unsigned i = 0);

  /// Reads element `index` (over the indices of the body) of a view.
  Value read(BodyContext body, const View &view,
             llvm::ArrayRef<guard::ExprAttr> index, Value mask = {},
             Value other = {});
  /// Reads at computed index values.
  Value readAt(BodyContext body, const View &view, mlir::ValueRange index);
  /// The index of an operand that broadcasts to `dims` of a result.
  Exprs broadcast(const View &view, llvm::ArrayRef<guard::ExprAttr> dims);
  /// The value of an expression over the body's indices, as `index`.
  Value index(BodyContext body, guard::ExprAttr expr);
  /// A number operand in its own type (`i1`, `i64`, `f64`); null if it cannot
  /// be had in a kernel.
  Value readNumber(BodyContext body, Value number);

  /// True (an `i1`) where `expr` is not 0; null if it always is.
  Value condition(BodyContext body, guard::ExprAttr expr);
  /// The value of an integer expression in type `type`.
  Value number(BodyContext body, ScalarBuilder &scalars, guard::ExprAttr expr,
               Type type);

  /// Ends the run with `message` unless `compute` holds everywhere in a domain.
  void check(llvm::ArrayRef<guard::ExprAttr> extents, llvm::StringRef message,
             llvm::function_ref<Value(BodyContext)> compute);
  /// Emits the check that all `indices` lie in [low, size).
  void checkIndex(Value indices, guard::ExprAttr size, bool negative);
  /// A loaded integer as an index into `size` elements: wrapped if it may be
  /// negative, and clamped, so that no index leaves its tensor.
  Value toIndex(BodyContext body, Value value, Type type, guard::ExprAttr size,
                bool negative);

  using BodyFn = std::function<Value(BodyContext, ScalarBuilder &)>;
  /// A pointwise nest with elements of `type`; `compute` gives the element in
  /// the computation type `in`. Null if it refused.
  Value makePointwise(RankedTensorType type, Type in, BodyFn compute);
  /// A tensor of zeros of any type.
  Value makeZeros(RankedTensorType type);
  using ReduceFn = llvm::function_ref<llvm::SmallVector<Value>(
      BodyContext, ScalarBuilder &)>;
  /// A reduction; `compute` gives what is accumulated, in the types that it is
  /// accumulated in. `in` is the computation type of its `ScalarBuilder`.
  llvm::SmallVector<Value> makeReduce(mlir::TypeRange types,
                                      llvm::ArrayRef<guard::ExprAttr> parallel,
                                      llvm::ArrayRef<guard::ExprAttr> reduction,
                                      llvm::ArrayRef<ReductionKind> kinds,
                                      Type in, ReduceFn compute);
  /// The element type of a tensor.
  static Type getElement(Value tensor) {
    return llvm::cast<RankedTensorType>(tensor.getType()).getElementType();
  }
  unsigned getNumResults() const { return op->getNumResults(); }
  /// True if nobody reads result `i` of the operator at hand.
  bool isUnused(unsigned i) { return op->getResult(i).use_empty(); }
  /// Element types that bodies can compute with. PyTorch has few operators of
  /// 8-bit floats; the evaluator refuses the others.
  static bool isSupported(Type type, bool smallFloats);
  /// The type in which elements of `type` are computed with: f32 for 16 bits.
  static Type getComputeType(Type type);

  //===--------------------------------------------------------------------===//
  // What records name as their lowering; others are in Lowerings.h
  //===--------------------------------------------------------------------===//

  LogicalResult lowerView(); ///< by the map of a `ViewOpInterface`
  LogicalResult lowerReduction(Reduced kind);
  LogicalResult lowerBody(); ///< the loop body of the record
  LogicalResult lowerClamp();
  LogicalResult lowerHardtanh();
  LogicalResult lowerGelu();
  LogicalResult lowerGeluBackward();
  LogicalResult lowerDivMode();
  LogicalResult lowerMatrixProduct(); ///< mm and bmm
  LogicalResult lowerAddmm();
  LogicalResult lowerBaddbmm();
  LogicalResult refuseGroupedMm();
  LogicalResult refuseRecurrence(); ///< one that is not decomposed
  LogicalResult lowerConvolution();
  LogicalResult lowerConvolutionBackward();
  LogicalResult lowerEmbedding();
  LogicalResult lowerGather();
  LogicalResult lowerTake();
  LogicalResult lowerIndexSelect();
  LogicalResult lowerIndexTensor();
  LogicalResult lowerUnsafeIndex();
  LogicalResult lowerReinterpret();
  LogicalResult lowerCat();
  LogicalResult lowerPad();
  LogicalResult lowerSliceScatter();
  LogicalResult lowerSelectScatter();
  LogicalResult lowerFull();
  LogicalResult lowerScalarTensor();
  LogicalResult lowerZeros(); ///< what is not initialized is 0, too
  LogicalResult lowerOnes();
  LogicalResult lowerEye();
  LogicalResult lowerArange();
  LogicalResult lowerRepeat();
  LogicalResult lowerFlip();
  LogicalResult lowerRoll();

private:
  void markUpdates();
  LogicalResult convertOp(Operation *op);
  /// An op that is none of ours, or a call of a function, stays where it is: what
  /// it reads lies in memory, also what its regions read, and its results are
  /// inputs of nests.
  void keep(Operation *kept);
  /// Makes a nest of an op of another dialect that brings its body; false if there
  /// is none, and the op is kept.
  bool convertCustom(Operation *operation);
  LogicalResult lower();
  LogicalResult makeExtern(llvm::StringRef reason);
  /// The remark that the present op, called `name`, gets no kernel.
  void tellNoKernel(llvm::StringRef name, llvm::StringRef why);
  mlir::Attribute getExternArgument(const aten::ArgValue &arg,
                                    const aten::ArgInfo &info,
                                    llvm::SmallVectorImpl<Value> &operands);

  LogicalResult lowerLoopBody(LoopBodyOpInterface custom);

  bool isRowMajor(const View &view);
  LogicalResult lowerAsStrided();
  LogicalResult lowerPointwise(std::function<Value(ScalarBuilder &)> compute);
  LogicalResult lowerFactory(BodyFn compute, Type in = {});
  LogicalResult lowerWindowScatter(bool isSlice);
  LogicalResult lowerVariance(bool withMean, bool root);
  LogicalResult lowerArg(bool isMax, bool withValues);
  Value makeReduction(const View &self, llvm::ArrayRef<int64_t> dims,
                      RankedTensorType type, ReductionKind kind, Type acc,
                      std::function<Value(BodyContext, ScalarBuilder &, Value)>
                          element = {});
  LogicalResult lowerProduct(Value lhs, Value rhs, llvm::StringRef bias);

  void noteSizes(mlir::TypeRange types);

  mlir::func::FuncOp function;
  OpBuilder builder;
  const analysis::SizeHints &hints;
  bool checkIndices;

  Operation *op = nullptr;
  const aten::OpInfo *info = nullptr;
  llvm::SmallVector<aten::ArgValue> args;
  std::string reason;
  llvm::DenseSet<guard::ExprAttr> knownSymbols; ///< as whole sizes so far
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, Value> scalars;
  llvm::DenseMap<Value, Value> copies;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_CONVERTER_H
