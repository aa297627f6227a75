//===- VjpState.h - What a derivative rule works with ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handed to every rule: the gradients of the results, a FormulaBuilder at the
// place where the gradients of the operands are built, and the helpers that the
// dags of the records may use besides the FormulaBuilder's methods. Helpers of
// a family stand with its rules, in <family>Rules.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_DERIVATIVES_VJPSTATE_H
#define KILN_LIB_DIALECT_ATEN_DERIVATIVES_VJPSTATE_H

#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"

namespace kiln::aten {

using OptionalDims = std::optional<ArrayRef<int64_t>>;

class VjpState {
public:
  VjpState(OpBuilder &builder, Operation *op, ValueRange resultGrads,
           function_ref<bool(unsigned)> wanted,
           MutableArrayRef<Value> operandGrads)
      : builder(builder, op->getLoc()), op(op), resultGrads(resultGrads),
        wanted(wanted), operandGrads(operandGrads) {}

  FormulaBuilder builder;

  /// The gradient of a result; null is zero.
  Value grad(unsigned result) const { return resultGrads[result]; }
  /// True if the gradient of an operand, by its place in the schema, will be used.
  template <typename OpT> bool isWanted(OpT rule, unsigned odsIndex) const {
    auto [first, length] = rule.getODSOperandIndexAndLength(odsIndex);
    return length == 1 && isOperandWanted(first);
  }
  bool isOperandWanted(unsigned operand) const {
    return wanted(operand) &&
           FormulaBuilder::isTensor(op->getOperand(operand)) &&
           llvm::isa<mlir::FloatType, mlir::ComplexType>(
               FormulaBuilder::elementTypeOf(op->getOperand(operand)));
  }
  /// Takes `value` as the gradient of an operand, summed to its shape and
  /// converted to its type. A null value means that building it failed.
  template <typename OpT> void set(OpT rule, unsigned odsIndex, Value value) {
    setOperand(rule.getODSOperandIndexAndLength(odsIndex).first, value);
  }
  void setOperand(unsigned operand, Value value);
  /// Reports why there is no gradient.
  LogicalResult refuse(const Twine &why) { return op->emitOpError(why); }
  bool hasFailed() const { return failedToBuild; }

  //===--- Helpers of dags ---------------------------------------------------//

  // Of any rule.
  Value identity(Value v) { return v; }
  Value scale(Value v, Value number);
  Value numberOr(Value number, Operand otherwise);
  Value keepWhere(Value v, Value condition);
  Value dropWhere(Value v, Value condition);
  /// `v`, of the shape of a reduction's result, at the shape of its operand.
  Value unreduce(Value v, Value self, OptionalDims dims = std::nullopt,
                 bool keepdim = false);
  /// The same, with reduced dimensions of size one.
  Value keepDims(Value v, Value self, OptionalDims dims, bool keepdim);
  Value like(Value v, Value model);
  Value castLike(Value v, Value model);
  Value meanOf(Value v, Value self, Value result);
  Value adjoint(Value v) { return builder.conjugate(builder.transposeLast(v)); }
  /// A fresh tensor whose strides follow from its sizes.
  Value rowMajor(Value v);
  Sizes sizesOf(Value v) { return builder.dimsOf(v); }
  Value secondResult(Value v);

  // Pointwise.
  Value numberOver(Value number, Value v);
  Value lerpRest(Value grad, Value weight);
  Value divRounded(Value a, Value b, StringRef mode);
  Value sincGrad(Value grad, Value self);
  Value isFinite(Value v);
  Value notNan(Value v) { return builder.logicalNot(builder.isnan(v)); }
  Value copysignGrad(Value grad, Value self, Value result);
  Value halfAtTie(Value grad, Value a, Value b);
  Value inverseOrZero(Value v);
  Value acoshSlope(Value self);
  Value angleGrad(Value grad, Value self);
  Value sgnGrad(Value grad, Value self, Value result);
  Value overwritten(Value grad, Value self, Value source);
  Value celuGrad(Value grad, Value self, Value alpha);

  // Reductions and scans.
  Value share(Value grad, Value self, Value result,
              OptionalDims dims = std::nullopt, bool keepdim = false);
  Value shareAll(Value grad, Value self, Value result);
  Value atIndex(Value grad, Value self, Value indices, int64_t dim,
                bool keepdim);
  Value addAtIndex(Value grad, Value self, Value indices, int64_t dim);
  Value reverseCumsum(Value grad, int64_t dim);
  Value logsumexpGrad(Value grad, Value self, Value result, OptionalDims dims,
                      bool keepdim);
  Value traceGrad(Value grad, Value self);
  Value varGrad(Value grad, Value self, OptionalDims dims, bool keepdim,
                Value correction);
  Value varGradUnbiased(Value grad, Value self, OptionalDims dims, bool keepdim,
                        bool unbiased);
  Value stdGrad(Value grad, Value result);

  // Views and parts.
  Value channelShuffleBack(Value grad, ExprAttr groups);
  Value expandBatch(Value matrix, Value batch);

  // Indexing.
  Value indexAddBack(Value grad, Value self, int64_t dim, Value index);
  /// Where one element is gathered of each row along `dim`, as the likelihood of a class, the
  /// gradient is chosen by its place: no scatter into zeros, which stand in memory.
  Value gatherBack(Value grad, Value self, int64_t dim, Value index);
  Value selectRows(Value grad, int64_t dim, Value index, Value source);
  Value fillRows(Value grad, int64_t dim, Value index);

  // Images.
  Value insertRow(Value v);
  Value atPositions(Value grad, Value self, Value positions);
  Sizes imageSizes(Value v);
  Sizes spatialSizes(Value v);
  FloatArg factor(std::optional<ArrayRef<double>> factors, unsigned dim);

  // Losses; a reduction is 0 for none, 1 for the mean, 2 for the sum.
  Value shareLoss(Value grad, Value self, Value target, int64_t reduction);
  Value bceTargetGrad(Value grad, Value self, Value target, Value weight,
                      int64_t reduction);
  Value softMarginGrad(Value grad, Value self, Value target);

  Operation *getOp() const { return op; }

private:
  Value reduceTo(Value grad, Value operand);
  Value varGradWith(Value grad, Value self, OptionalDims dims, bool keepdim,
                    double correction);

  Operation *op;
  ValueRange resultGrads;
  function_ref<bool(unsigned)> wanted;
  MutableArrayRef<Value> operandGrads;
  bool failedToBuild = false;
};

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_DERIVATIVES_VJPSTATE_H
