//===- Pointwise.cpp - Operators that work element by element -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies come from the operators' records (ScalarBodies.inc); here are the
// types they compute in, and the few that depend on attributes.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "kiln/Dialect/Aten/IR/AtenOps.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// 0.5 * x * (1 + erf(x / sqrt(2))), or its approximation by tanh.
static Value buildGelu(ScalarBuilder &b, bool byTanh) {
  Type type = b.getType();
  Value x = b.arg("self");
  Value half = b.constant(type, 0.5), one = b.constant(type, 1.0);
  if (!byTanh) {
    Value inner = b.erf(b.mul(x, b.constant(type, M_SQRT1_2)));
    return b.mul(b.mul(x, half), b.add(one, inner));
  }
  Value cube = b.mul(b.mul(x, x), x);
  Value inner = b.mul(b.constant(type, M_SQRT2 * M_2_SQRTPI * 0.5),
                      b.add(x, b.mul(b.constant(type, 0.044715), cube)));
  return b.mul(b.mul(half, x), b.add(one, b.tanh(inner)));
}

static Value buildGeluBackward(ScalarBuilder &b, bool byTanh) {
  Type type = b.getType();
  Value x = b.arg("self"), gradient = b.arg("grad_output");
  Value half = b.constant(type, 0.5), one = b.constant(type, 1.0);
  if (!byTanh) {
    Value cdf = b.mul(
        half, b.add(one, b.erf(b.mul(x, b.constant(type, M_SQRT1_2)))));
    Value pdf = b.mul(b.exp(b.mul(b.mul(x, x), b.constant(type, -0.5))),
                      b.constant(type, M_2_SQRTPI * M_SQRT1_2 * 0.5));
    return b.mul(gradient, b.add(cdf, b.mul(x, pdf)));
  }
  Value beta = b.constant(type, M_SQRT2 * M_2_SQRTPI * 0.5);
  Value kappa = b.constant(type, 0.044715);
  Value square = b.mul(x, x);
  Value inner = b.mul(beta, b.add(x, b.mul(kappa, b.mul(square, x))));
  Value tanh = b.tanh(inner);
  Value left = b.mul(half, b.add(one, tanh));
  Value slope = b.mul(
      beta, b.add(one, b.mul(b.constant(type, 3 * 0.044715), square)));
  Value right = b.mul(b.mul(b.mul(half, x), b.sub(one, b.mul(tanh, tanh))),
                      slope);
  return b.mul(gradient, b.add(left, right));
}

ScalarBody loop::lookUpScalarBody(const aten::OpInfo &info) {
  static const auto *bodies = [] {
    ArrayRef<const aten::OpInfo *> all = aten::getAllOverloads();
    return new llvm::DenseMap<const aten::OpInfo *, ScalarBody>{
#define KILN_LOOP_BODY(index, body)                                            \
  {all[index], [](ScalarBuilder &b) -> Value { return body; }},
#include "kiln/Conversion/AtenToLoop/ScalarBodies.inc"
#undef KILN_LOOP_BODY
    };
  }();
  return bodies->lookup(&info);
}

/// The check that no element of `divisor` is 0 as an integer of type `in`.
/// False if it is a number that is.
static bool checkDivisor(Converter &converter, Value divisor, Type in) {
  if (!isa<RankedTensorType>(divisor.getType())) {
    auto constant = converter.getConstant("other");
    return !constant || *constant != 0;
  }
  View view = converter.getView(divisor);
  Type from = cast<RankedTensorType>(divisor.getType()).getElementType();
  converter.check(view.dims, "ZeroDivisionError", [&](BodyContext body) {
    ScalarBuilder scalars(body.builder, body.loc, in);
    Value value = scalars.convert(
        converter.readAt(body, view, body.indices.take_front(view.dims.size())),
        from, in);
    return scalars.ne(value, scalars.constant(in, int64_t(0)));
  });
  return true;
}

LogicalResult Converter::lowerBody() {
  return lowerPointwise(lookUpScalarBody(*info));
}

// What PyTorch refuses stays a call, so that it is refused with its message.

LogicalResult Converter::lowerClamp() {
  if (getArg("min").isNone() && getArg("max").isNone())
    return refuse("a clamp without a limit");
  return lowerBody();
}

LogicalResult Converter::lowerHardtanh() {
  if (getResultType().getElementType().isUnsignedInteger() &&
      getConstant("min_val").value_or(-1) < 0)
    return refuse("a negative limit of unsigned numbers");
  return lowerBody();
}

/// A word among the arguments.
static StringRef getWord(Converter &converter, StringRef argument) {
  auto word = dyn_cast_if_present<StringAttr>(
      converter.getArg(argument).getAttribute());
  return word ? word.getValue() : StringRef();
}

LogicalResult Converter::lowerGelu() {
  StringRef approximation = getWord(*this, "approximate");
  if (approximation != "none" && approximation != "tanh")
    return refuse("an unknown approximation");
  return lowerPointwise([=](ScalarBuilder &b) {
    return buildGelu(b, /*byTanh=*/approximation == "tanh");
  });
}

LogicalResult Converter::lowerGeluBackward() {
  StringRef approximation = getWord(*this, "approximate");
  if (approximation != "none" && approximation != "tanh")
    return refuse("an unknown approximation");
  return lowerPointwise([=](ScalarBuilder &b) {
    return buildGeluBackward(b, /*byTanh=*/approximation == "tanh");
  });
}

LogicalResult Converter::lowerDivMode() {
  StringRef mode = getWord(*this, "rounding_mode");
  return lowerPointwise([=](ScalarBuilder &b) {
    Value x = b.arg("self"), y = b.arg("other");
    return mode == "floor"   ? b.floorDiv(x, y)
           : mode == "trunc" ? b.truncDiv(x, y)
                             : b.div(x, y);
  });
}

LogicalResult
Converter::lowerPointwise(std::function<Value(ScalarBuilder &)> compute) {
  RankedTensorType type = getResultType();
  Type stored = type.getElementType();
  if (info->promotion == aten::Promotion::AlwaysBool) {
    // The type that the operands have in common is that of their product;
    // bool has one, too.
    SmallVector<aten::ArgValue> operands(args.begin(), args.end());
    SmallVector<Type> types;
    bool two = operands.size() == 2;
    if (!two) {
      stored = cast<RankedTensorType>(operands[0].getValue().getType())
                   .getElementType();
    } else {
      if (failed(aten::inferResultTypes(getContext(), std::nullopt,
                                        aten::MulTensorOp::getInfo(), operands,
                                        types)))
        return refuse("the operands have no type in common");
      stored = cast<RankedTensorType>(types[0]).getElementType();
    }
  }
  // Copies convert directly, everything else in the computation type.
  bool copies = info->promotion == aten::Promotion::View;
  Type in = copies ? stored : getComputeType(stored);
  auto dims = guard::getDims(type);
  if (checkIndices && isa<IntegerType>(in) && !in.isInteger(1) &&
      info->refusesZeroDivisors && getArg("other").isValue() &&
      !checkDivisor(*this, getArg("other").getValue(), in))
    return refuse("a division by zero is an error");
  Value result = makePointwise(
      type, in, [&](BodyContext context, ScalarBuilder &scalars) -> Value {
        llvm::StringMap<std::pair<Value, Type>> known;
        bool unknown = false;
        scalars.stored = stored;
        scalars.argument =
            [&](StringRef argument) -> std::pair<Value, Type> {
          auto [entry, isNew] = known.try_emplace(argument);
          if (!isNew)
            return entry->second;
          aten::ArgValue arg = getArg(argument);
          if (arg.isNone()) {
            // The schema's default, if it is a number.
            for (const aten::ArgInfo &candidate : info->args)
              if (argument == candidate.name)
                if (auto value = dyn_cast_if_present<TypedAttr>(
                        aten::getDefault(getContext(), candidate)))
                  entry->second = {arith::ConstantOp::create(
                                       context.builder, context.loc, value),
                                   value.getType()};
            return entry->second;
          }
          if (arg.isAttribute()) {
            if (auto value = dyn_cast<TypedAttr>(arg.getAttribute()))
              entry->second = {arith::ConstantOp::create(
                                   context.builder, context.loc, value),
                               value.getType()};
            return entry->second;
          }
          Value value = arg.getValue();
          if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
            View view = getView(value);
            entry->second = {read(context, view, broadcast(view, *dims)),
                             tensor.getElementType()};
            return entry->second;
          }
          Value number = readNumber(context, value);
          Type own = value.getType();
          if (!number) {
            // Some number: the body is made before it is refused.
            unknown = true;
            own = context.builder.getF64Type();
            number = scalars.constant(own, 0.0);
          }
          // Through the tensors' type, where eager rounds it so.
          if (stored != in && info->roundsNumbers) {
            number = scalars.convert(number, own, stored);
            own = stored;
          }
          entry->second = {number, own};
          return entry->second;
        };
        Value value = compute(scalars);
        if (unknown)
          return scalars.refuse("a float that only the run knows");
        return value;
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}

/// Why the operands of `op` are not read at the place of its result's element, or
/// cannot be; empty if they can.
static std::string whyNotPointwise(Operation *op) {
  auto result = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResultTypes()[0])
                    : RankedTensorType();
  auto dims = result ? guard::getDims(result) : std::nullopt;
  if (!dims)
    return "a loop body needs one result, a tensor whose sizes are known";
  if (!Converter::isSupported(result, /*smallFloats=*/false))
    return "elements of this type have no kernels";
  for (Type type : op->getOperandTypes()) {
    if (!isa<ShapedType>(type))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto sizes = tensor ? guard::getDims(tensor) : std::nullopt;
    if (!sizes)
      return "an operand has sizes that are not known";
    if (!Converter::isSupported(tensor, /*smallFloats=*/false))
      return "elements of this type have no kernels";
    if (sizes->size() > dims->size())
      return "an operand has more dimensions than the result";
    for (auto [size, whole] :
         llvm::zip(llvm::reverse(*sizes), llvm::reverse(*dims)))
      if (!size.isConstant(1) && size != whole)
        return "an operand does not broadcast to the result";
  }
  return {};
}

/// An op that brings its body, of any dialect.
LogicalResult Converter::lowerLoopBody(LoopBodyOpInterface custom) {
  if (std::string why = whyNotPointwise(op); !why.empty())
    return refuse(why);
  RankedTensorType type = getResultType();
  Type in = getComputeType(type.getElementType());
  auto dims = guard::getDims(type);
  Value result = makePointwise(
      type, in, [&](BodyContext context, ScalarBuilder &scalars) -> Value {
        SmallVector<Value> elements;
        for (Value operand : op->getOperands()) {
          if (!isa<RankedTensorType>(operand.getType())) {
            elements.push_back(readNumber(context, operand));
            if (!elements.back())
              return scalars.refuse("a number that only the run knows");
            continue;
          }
          View view = getView(operand);
          elements.push_back(
              scalars.convert(read(context, view, broadcast(view, *dims)),
                              getElement(operand),
                              getComputeType(getElement(operand))));
        }
        Value element =
            custom.buildLoopBody(context.builder, context.loc, elements);
        if (!element || element.getType() != getBodyType(in))
          return scalars.refuse("its loop body gives no element of the type "
                                "that the result is computed in");
        return element;
      });
  if (!result)
    return failure();
  setResult(0, result);
  return success();
}
