//===- Pointwise.cpp - Operators that work element by element -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies come from the operators' records (RecordBody.h); here are the types
// they compute in, and the few that depend on attributes.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"
#include "Lowerings.h"
#include "RecordBody.h"

#include "kiln/Interfaces/LoopBodyOpInterface.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// The check that no element of `divisor` is 0 as an integer of type `in`.
/// False if it is a number that is.
static bool checkDivisor(LoopBuilder &loops, Value divisor, Type in) {
  if (!isa<RankedTensorType>(divisor.getType())) {
    auto constant = LoopBuilder::getConstant(divisor);
    return !constant || *constant != 0;
  }
  View view = loops.getView(divisor);
  Type from = LoopBuilder::getElement(divisor);
  loops.check(view.dims, "ZeroDivisionError", [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, in);
    Value value = scalars.convert(
        loops.readAt(body, view, body.indices.take_front(view.dims.size())),
        from, in);
    return scalars.ne(value, scalars.constant(in, int64_t(0)));
  });
  return true;
}

/// The type that the operands are promoted to; null if they have none.
static Type getPromotedType(LoopBuilder &loops, Operation *op,
                            const aten::OpInfo &info) {
  if (info.promotion != aten::Promotion::AlwaysBool)
    return loops.getResultType().getElementType();
  // The type that the operands have in common is that of their product; bool
  // has one, too.
  SmallVector<aten::ArgValue> args = aten::getSchemaArguments(op);
  if (args.size() != 2)
    return LoopBuilder::getElement(args[0].getValue());
  SmallVector<Type> types;
  if (failed(aten::inferResultTypes(loops.getContext(), std::nullopt,
                                    aten::MulTensorOp::getInfo(), args, types)))
    return {};
  return cast<RankedTensorType>(types[0]).getElementType();
}

static LogicalResult
lowerPointwise(LoopBuilder &loops, Operation *op,
               llvm::function_ref<Value(RecordBody &)> compute) {
  const aten::OpInfo &info = *aten::getOpInfo(op);
  Type promoted = getPromotedType(loops, op, info);
  if (!promoted)
    return loops.refuse("the operands have no type in common");
  // Copies convert directly, everything else in the computation type.
  bool copies = info.promotion == aten::Promotion::View;
  Type in = copies ? promoted : LoopBuilder::getComputeType(promoted);
  if (loops.checksIndices() && isa<IntegerType>(in) && !in.isInteger(1) &&
      info.refusesZeroDivisors && !checkDivisor(loops, op->getOperand(1), in))
    return loops.refuse("a division by zero is an error");
  return loops.setMade(
      0, loops.makePointwise(
             loops.getResultType(), in,
             [&](BodyContext context, ScalarBuilder &scalars) -> Value {
               RecordBody body(loops, op, info, context, in, promoted);
               Value value = compute(body);
               if (!body.getReason().empty())
                 return scalars.refuse(body.getReason());
               if (body.isUnknown())
                 return scalars.refuse("a float that only the run knows");
               return value;
             }));
}

bool loop::hasLoopBody(const aten::OpInfo &info) {
  return lookUpScalarBody(info) != nullptr;
}

LogicalResult loop::lowerBody(LoopBuilder &loops, Operation *op) {
  return lowerPointwise(loops, op, lookUpScalarBody(*aten::getOpInfo(op)));
}

// What PyTorch refuses stays a call, so that it is refused with its message.

LogicalResult loop::lowerClamp(LoopBuilder &loops, aten::ClampOp op) {
  if (!op.getMin() && !op.getMax())
    return loops.refuse("a clamp without a limit");
  return lowerBody(loops, op);
}

LogicalResult loop::lowerHardtanh(LoopBuilder &loops, aten::HardtanhOp op) {
  if (loops.getResultType().getElementType().isUnsignedInteger() &&
      LoopBuilder::getConstant(op.getMinVal()).value_or(-1) < 0)
    return loops.refuse("a negative limit of unsigned numbers");
  return lowerBody(loops, op);
}

LogicalResult loop::lowerDivMode(LoopBuilder &loops, const DivisionArgs &args) {
  return lowerPointwise(loops, args.op, [&](RecordBody &b) {
    Value x = b.arg("self"), y = b.arg("other");
    return args.roundingMode == "floor"   ? b.floorDiv(x, y)
           : args.roundingMode == "trunc" ? b.truncDiv(x, y)
                                          : b.div(x, y);
  });
}

/// Why the operands of `op` are not read at the place of its result's element;
/// empty if they are.
static StringRef whyNotPointwise(Operation *op) {
  auto result = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResultTypes()[0])
                    : RankedTensorType();
  if (!result)
    return "a loop body needs one result, a tensor";
  auto dims = *guard::getDims(result);
  for (Type type : op->getOperandTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    auto sizes = *guard::getDims(tensor);
    if (sizes.size() > dims.size())
      return "an operand has more dimensions than the result";
    for (auto [size, whole] :
         llvm::zip(llvm::reverse(sizes), llvm::reverse(dims)))
      if (!size.isConstant(1) && size != whole)
        return "an operand does not broadcast to the result";
  }
  return "";
}

LogicalResult loop::lowerLoopBody(LoopBuilder &loops, Operation *op) {
  if (StringRef why = whyNotPointwise(op); !why.empty())
    return loops.refuse(why);
  RankedTensorType type = loops.getResultType();
  Type in = LoopBuilder::getComputeType(type.getElementType());
  auto dims = *guard::getDims(type);
  return loops.setMade(
      0, loops.makePointwise(
             type, in, [&](BodyContext body, ScalarBuilder &scalars) -> Value {
               SmallVector<Value> elements;
               for (Value operand : op->getOperands()) {
                 if (!isa<RankedTensorType>(operand.getType())) {
                   elements.push_back(loops.readNumber(body, operand));
                   if (!elements.back())
                     return scalars.refuse("a number that only the run knows");
                   continue;
                 }
                 View view = loops.getView(operand);
                 Type own = LoopBuilder::getElement(operand);
                 elements.push_back(scalars.convert(
                     loops.read(body, view, loops.broadcast(view, dims)), own,
                     LoopBuilder::getComputeType(own)));
               }
               Value element = cast<LoopBodyOpInterface>(op).buildLoopBody(
                   body.builder, body.loc, elements);
               if (!element || element.getType() != getBodyType(in))
                 return scalars.refuse(
                     "its loop body gives no element of the type that the "
                     "result is computed in");
               return element;
             }));
}
