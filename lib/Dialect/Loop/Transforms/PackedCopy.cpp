//===- PackedCopy.cpp - Elements of a tensor, laid out anew ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

KernelOp
loop::makePackedCopy(KernelOp reader, const Twine &name, const PackedCopy &copy,
                     Location location, ArrayAttr origins,
                     llvm::function_ref<Value(OpBuilder &, Value)> change) {
  MLIRContext *context = reader.getContext();
  OpBuilder builder(reader);
  RankedTensorType type = copy.getType();
  OperationState state(location, KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.name = StringAttr::get(context, name);
  properties.shared = getExprArray(context, copy.extents);
  properties.origins = reader.getOriginsAttr();
  state.addOperands(copy.tensor);
  state.addTypes(type);
  state.addRegion();
  auto made = cast<KernelOp>(builder.create(state));
  Block *body =
      builder.createBlock(&made.getBody(), {}, copy.tensor.getType(), location);
  auto nest =
      PointwiseOp::create(builder, location, type, copy.extents, origins);
  ReturnOp::create(builder, location, nest.getResult());
  Block &point = nest.getBody().front();
  builder.setInsertionPointToStart(&point);
  Type element = getBodyType(
      cast<RankedTensorType>(copy.tensor.getType()).getElementType());
  Value mask, zero;
  if (copy.last != copy.extents.back()) {
    mask =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt,
                              point.getArguments().back(),
                              arith::ConstantIndexOp::create(
                                  builder, location, *copy.last.getConstant()));
    zero = arith::ConstantOp::create(
        builder, location, cast<TypedAttr>(builder.getZeroAttr(element)));
  }
  Value value = LoadOp::create(builder, location, body->getArgument(0),
                               point.getArguments(), copy.map, mask, zero);
  if (change)
    value = change(builder, value);
  YieldOp::create(builder, location, value);
  return made;
}

void loop::readOperandFrom(KernelOp kernel, ContractOp op, bool isLeft,
                           Value made, ArrayRef<ExprAttr> map) {
  Value inside =
      kernel.getBody().front().addArgument(made.getType(), op.getLoc());
  kernel.getInputsMutable().append(made);
  ArrayAttr indices = getExprArray(op.getContext(), map);
  if (isLeft) {
    op.getLhsMutable().assign(inside);
    op.setLhsIndicesAttr(indices);
  } else {
    op.getRhsMutable().assign(inside);
    op.setRhsIndicesAttr(indices);
  }
}

void loop::dropUnreadInputs(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (unsigned k = body.getNumArguments(); k-- > 0;)
    if (body.getArgument(k).use_empty()) {
      body.eraseArgument(k);
      kernel.getInputsMutable().erase(k);
    }
}
