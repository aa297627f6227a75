//===- Sweeps.h - Matrices that are changed step by step --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep is one scatter over a matrix that it reads as it has written it so
// far (its state): what LAPACK's unblocked routines do with nested loops, a
// step of which changes one element. Matrices of a batch are independent, and
// so are the right-hand sides of a system. All compute in f64 and round once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_SWEEPS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_SWEEPS_H

#include "Lowerings.h"

namespace kiln::loop {

/// One point of a sweep, where its body is built.
struct Step {
  LoopBuilder &loops;
  BodyContext body;
  ScalarBuilder scalars;
  View state;

  /// The element of the state at an index over the domain.
  Value at(ArrayRef<guard::ExprAttr> index) {
    return loops.read(body, state, index);
  }
  /// The element of another tensor, in f64.
  Value read(const View &view, ArrayRef<guard::ExprAttr> index) {
    return scalars.convert(loops.read(body, view, index),
                           LoopBuilder::getElement(view.base),
                           scalars.getType());
  }
  /// Where an expression over the domain is not 0.
  Value is(guard::ExprAttr condition) {
    Value value = loops.condition(body, condition);
    return value ? value
                 : mlir::arith::ConstantIntOp::create(body.builder, body.loc, 1,
                                                      1);
  }
  Value constant(double value) {
    return scalars.constant(scalars.getType(), value);
  }
};

/// What a step writes and where.
struct Change {
  Value value;
  Exprs position;
  Value condition;
};

/// Starts from `init`, which holds f64, and visits a domain in order.
View sweep(LoopBuilder &loops, Value init, ArrayRef<guard::ExprAttr> extents,
           int64_t independent, llvm::function_ref<Change(Step &)> compute);
/// A tensor of f64 to start from.
Value makeState(LoopBuilder &loops, ArrayRef<guard::ExprAttr> dims,
                llvm::function_ref<Value(Step &)> compute);
/// Result `i` of the operator at hand, of sizes `dims` but for the batch, which
/// is one dimension here, from its elements in f64.
LogicalResult setMatrices(LoopBuilder &loops, unsigned i,
                          ArrayRef<guard::ExprAttr> dims,
                          llvm::function_ref<Value(Step &)> compute);
/// `view` as a batch of matrices, after its own batch has grown to `batch`.
View asMatrices(LoopBuilder &loops, const View &view,
                ArrayRef<guard::ExprAttr> batch);
/// The sizes in front of those of the matrices.
Exprs getBatch(const View &view);
/// True if a size is 0.
bool isEmpty(const View &view);
/// What eager refuses unless it is empty.
bool hasKernel(const View &view);
/// The factor of matrices without elements: an identity (there may be rows of
/// it), or zeros.
LogicalResult setFactorOfNothing(LoopBuilder &loops, unsigned i,
                                 bool isIdentity);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_SWEEPS_H
