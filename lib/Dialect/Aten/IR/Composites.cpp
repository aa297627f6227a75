//===- Composites.cpp - Overloads that are made of others -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Composites.h"

#include "ShapeRules.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Block.h"

#include "llvm/ADT/DenseMap.h"

using namespace kiln;
using namespace kiln::aten;

OpenedComposite aten::openComposite(Operation *op, OpBuilder &builder,
                                    IsReadFn isRead) {
  // The dialects of other libraries have their composites opened with ATen's.
  auto *dialect = op->getContext()->getLoadedDialect<AtenDialect>();
  auto *composites =
      dialect ? dialect->getRegisteredInterface<CompositeDialectInterface>()
              : nullptr;
  if (!composites)
    return {{}, {}, "what it is composed of is not registered"};
  return composites->open(op, builder, isRead);
}

OpenedComposite aten::openComposite(Operation *op, OpBuilder &builder) {
  return openComposite(
      op, builder, [](mlir::OpResult result) { return !result.use_empty(); });
}

/// `value` for a block that is nobody's: a constant again, or an argument.
static Value standIn(Value value, OpBuilder &builder,
                     llvm::DenseMap<Value, Value> &known) {
  if (!value)
    return value;
  Value &found = known[value];
  if (found)
    return found;
  Operation *def = value.getDefiningOp();
  if (def && (def->hasTrait<mlir::OpTrait::ConstantLike>() ||
              llvm::isa<guard::ValueOp>(def)))
    found = builder.clone(*def)->getResult(0);
  else
    found = builder.getInsertionBlock()->addArgument(value.getType(),
                                                     value.getLoc());
  return found;
}

/// Opens the op in a block of its own and looks at what comes out.
LogicalResult rules::composed(Inference &infer) {
  infer.fixSizes();
  mlir::Block scratch;
  OpBuilder builder(infer.context);
  builder.setInsertionPointToEnd(&scratch);
  llvm::DenseMap<Value, Value> known;
  SmallVector<ArgValue> args;
  for (const ArgInfo &info : infer.info.args) {
    const ArgValue &arg = infer.get(info.name);
    if (arg.isList())
      args.push_back(ArrayRef<Value>(
          llvm::map_to_vector(arg.getValues(), [&](Value value) {
            return standIn(value, builder, known);
          })));
    else
      args.push_back(arg.isValue() ? standIn(arg.getValue(), builder, known)
                                   : arg);
  }
  OperationState state(mlir::UnknownLoc::get(infer.context), infer.info.name);
  fillState(builder, state, infer.info, args);
  // What its results are is what is asked; of a list not even how many.
  for (ResultKind kind : infer.info.results)
    if (kind != ResultKind::TensorList)
      state.addTypes(builder.getNoneType());
  Operation *op = builder.create(state);
  OpenedComposite opened = openComposite(op, builder);
  if (!opened)
    return infer.fail(opened.complaint.empty() ? opened.refusal
                                               : opened.complaint);
  for (Value value : opened.values) {
    auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
    std::optional<Dims> dims = type ? guard::getDims(type) : std::nullopt;
    if (!dims)
      return infer.fail("is composed of what is no tensor");
    infer.addResult(*dims, type.getElementType());
  }
  return success();
}
