//===- DifferentiableOpInterface.h - Ops with a gradient ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of DifferentiableOpInterface.td, and the dialect interface by
// which the joint passes do arithmetic on gradients and label function
// arguments without knowing the dialect that they work on.
//
// Example: an op of one's own.
//
//   LogicalResult SwishOp::buildVjp(OpBuilder &b, ValueRange grads,
//                                   function_ref<bool(unsigned)> isWanted,
//                                   MutableArrayRef<Value> operandGrads) {
//     operandGrads[0] = SwishGradOp::create(b, getLoc(), grads[0], getX());
//     return success();
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
#define KILN_INTERFACES_DIFFERENTIABLEOPINTERFACE_H

#include "kiln/Interfaces/OptimizerConfig.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpDefinition.h"

#include <string>

#include "kiln/Interfaces/DifferentiableOpInterface.h.inc"

namespace kiln {

/// One parameter of an optimizer's step.
struct ParameterUpdate {
  Value parameter, gradient;
  /// What the optimizer keeps, in the order of `getStateNames`.
  SmallVector<Value> state;
  /// To be set: the new contents of the parameter and of its state.
  Value newParameter;
  SmallVector<Value> newState;
};

/// What the joint passes need from the dialect of the graph. One loaded dialect
/// implements it; without one, `joint-differentiate` accumulates with
/// `arith.addf` and labels nothing.
class GradientDialectInterface
    : public mlir::DialectInterface::Base<GradientDialectInterface> {
public:
  explicit GradientDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The sum of two gradients of equal type.
  virtual Value buildAdd(OpBuilder &builder, Location loc, Value a,
                         Value b) const = 0;
  /// The gradient in the type in which a sum of many is kept; itself if that is
  /// its own.
  virtual Value buildWiden(OpBuilder &builder, Location loc,
                           Value gradient) const = 0;
  /// A sum that was kept wide, in the type of the gradients again.
  virtual Value buildNarrow(OpBuilder &builder, Location loc, Value sum,
                            Type type) const = 0;

  /// True if the attributes of an argument ask for its gradient.
  virtual bool wantsGradient(DictionaryAttr argAttrs, Type type) const = 0;
  /// True if the argument is fed by the caller rather than by the model.
  virtual bool isUserInput(DictionaryAttr argAttrs) const = 0;
  /// The name of the argument, for options and messages; may be empty.
  virtual std::string getName(DictionaryAttr argAttrs) const = 0;
  /// True if the gradient of this result comes from the caller (an output of
  /// the model, not the new contents of a buffer).
  virtual bool takesTangent(DictionaryAttr resultAttrs, Type type) const = 0;

  /// Attributes of the result that is the gradient of an argument.
  virtual DictionaryAttr describeGradient(DictionaryAttr argAttrs) const = 0;
  /// Attributes of the argument that is the tangent of result `index`.
  virtual DictionaryAttr describeTangent(DictionaryAttr resultAttrs,
                                         unsigned index) const = 0;
  /// Attributes of the forward's result for saved value `index`.
  virtual DictionaryAttr describeSavedResult(unsigned index) const = 0;
  /// Attributes of the backward's argument for saved value `index`. If it is a
  /// number, `size` is the symbol that it is the value of.
  virtual DictionaryAttr describeSavedArgument(unsigned index,
                                               Attribute size = {}) const = 0;

  /// Attributes of an argument that belongs to an optimizer: its state `name`
  /// of the parameter with the attributes `paramAttrs`, or, where these are
  /// null, the number `name` of the step.
  virtual DictionaryAttr describeState(StringRef name,
                                       DictionaryAttr paramAttrs) const {
    return {};
  }
  /// Attributes of the result that holds the new contents of an argument.
  virtual DictionaryAttr describeUpdate(DictionaryAttr argAttrs) const {
    return {};
  }
  /// Builds an optimizer's updates. `rate` and `step` (counted from 1) are f64
  /// tensors without dimensions. Fails without a diagnostic where the dialect
  /// has no optimizers.
  virtual LogicalResult
  buildUpdates(OpBuilder &builder, Location loc, const OptimizerConfig &config,
               Value rate, Value step,
               MutableArrayRef<ParameterUpdate> updates) const {
    return failure();
  }
};

/// What a value gets from its users. A sum of two is rounded to their type, as
/// any op's result. A longer one of 16-bit gradients is kept wide and rounded
/// when it is read: a weight that a recurrence reads at each step would
/// otherwise lose a bit of every addition.
class GradientSum {
public:
  /// Without a dialect, adds with `arith.addf`.
  void add(OpBuilder &builder, Location loc,
           const GradientDialectInterface *dialect, Value gradient);
  /// The sum; null if nothing was added. What is added later is not in it.
  Value get(OpBuilder &builder, Location loc,
            const GradientDialectInterface *dialect) const;

private:
  Value sum;         ///< of up to two gradients, or of any number if not wide
  Value first, last; ///< the two
  Value wide;        ///< of more than two
};

/// The implementation by the dialects loaded in `context`; null if none.
const GradientDialectInterface *
getGradientDialectInterface(MLIRContext *context);

} // namespace kiln

#endif // KILN_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
