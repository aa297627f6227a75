//===- Sweeps.cpp - Matrices that are changed step by step ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

View loop::sweep(LoopBuilder &loops, Value init, ArrayRef<ExprAttr> extents,
                 int64_t independent,
                 llvm::function_ref<Change(Step &)> compute) {
  return loops.getView(
      loops.makeSweep(init, extents, independent,
                      [&](BodyContext body, const View &state) -> Written {
                        Step step{loops, body,
                                  ScalarBuilder(body.builder, body.loc,
                                                body.builder.getF64Type()),
                                  state};
                        Change change = compute(step);
                        SmallVector<Value> position;
                        for (ExprAttr expr : change.position)
                          position.push_back(loops.index(body, expr));
                        return {position, change.value, change.condition};
                      }));
}

Value loop::makeState(LoopBuilder &loops, ArrayRef<ExprAttr> dims,
                      llvm::function_ref<Value(Step &)> compute) {
  Type f64 = loops.getBuilder().getF64Type();
  return loops.makePointwise(guard::makeTensorType(f64, dims), f64,
                             [&](BodyContext body, ScalarBuilder &scalars) {
                               Step step{loops, body, scalars, View()};
                               return compute(step);
                             });
}

LogicalResult loop::setMatrices(LoopBuilder &loops, unsigned i,
                                ArrayRef<ExprAttr> dims,
                                llvm::function_ref<Value(Step &)> compute) {
  Type element = loops.getResultType(i).getElementType();
  return loops.setReshaped(
      i, loops.makePointwise(guard::makeTensorType(element, dims),
                             loops.getBuilder().getF64Type(),
                             [&](BodyContext body, ScalarBuilder &scalars) {
                               Step step{loops, body, scalars, View()};
                               return compute(step);
                             }));
}

View loop::asMatrices(LoopBuilder &loops, const View &view,
                      ArrayRef<ExprAttr> batch) {
  Exprs dims(batch);
  llvm::append_range(dims, ArrayRef(view.dims).take_back(2));
  return loops.reshape(loops.expand(view, dims),
                       {guard::product(loops.getContext(), batch),
                        dims[batch.size()], dims[batch.size() + 1]});
}

Exprs loop::getBatch(const View &view) {
  return Exprs(ArrayRef(view.dims).drop_back(2));
}

bool loop::isEmpty(const View &view) {
  return llvm::any_of(view.dims,
                      [](ExprAttr size) { return size.isConstant(0); });
}

bool loop::hasKernel(const View &view) {
  Type element = LoopBuilder::getElement(view.base);
  return element.isF32() || element.isF64() || isEmpty(view);
}

LogicalResult loop::setFactorOfNothing(LoopBuilder &loops, unsigned i,
                                       bool isIdentity) {
  Exprs dims = *guard::getDims(loops.getResultType(i));
  size_t rank = dims.size();
  return setMatrices(loops, i, dims, [&](Step &step) {
    return isIdentity
               ? step.scalars.where(step.is(guard::eq(loops.dim(rank - 2),
                                                      loops.dim(rank - 1))),
                                    step.constant(1), step.constant(0))
               : step.constant(0);
  });
}
