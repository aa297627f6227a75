//===- Swish.cpp - What Kiln's compiler knows of mylib --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MLIR dialect plugin: the ops of SwishOp.td with their shape rules. `swish`
// brings a derivative and a loop body, `squares` the reduction that it is made of.
// Nothing of Kiln is changed; what it does with the ops it asks by interface.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/IR/Inference.h"
#include "kiln/Dialect/Aten/IR/Overload.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Interfaces/LoopBodyOpInterface.h"
#include "kiln/Interfaces/LoopLoweringOpInterface.h"
#include "kiln/Lowering/LoopBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "SwishDialect.h.inc"
#include "SwishOp.h.inc"

using namespace kiln;
using mlir::FloatType;
namespace arith = mlir::arith;
namespace math = mlir::math;

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

namespace mylib {
static LogicalResult inferSwish(aten::Inference &infer) {
  auto dims = infer.getDims("x");
  if (failed(dims))
    return failure();
  Type element = infer.getElementType("x");
  if (!isa<FloatType>(element))
    return infer.fail("expects a tensor of floating-point numbers");
  infer.addResult(*dims, element);
  return success();
}

static LogicalResult inferSquares(aten::Inference &infer) {
  auto dims = infer.getDims("x");
  if (failed(dims))
    return failure();
  Type element = infer.getElementType("x");
  if (!isa<FloatType>(element) || dims->empty())
    return infer.fail("expects rows of floating-point numbers");
  infer.addResult(ArrayRef(*dims).drop_back(), element);
  return success();
}
} // namespace mylib

//===----------------------------------------------------------------------===//
// Derivative
//===----------------------------------------------------------------------===//

namespace {
/// grad * (s + beta * x * s * (1 - s)), s = sigmoid(beta * x)
struct SwishDerivative
    : DifferentiableOpInterface::ExternalModel<SwishDerivative,
                                               mylib::SwishOp> {
  LogicalResult buildVjp(Operation *op, OpBuilder &builder,
                         ValueRange resultGrads,
                         function_ref<bool(unsigned)> isWanted,
                         MutableArrayRef<Value> operandGrads) const {
    if (!isWanted(0))
      return success();
    auto swish = llvm::cast<mylib::SwishOp>(op);
    aten::FormulaBuilder b(builder, swish.getLoc());
    Value z = b.mul(swish.getX(), b.number(swish.getBeta().convertToDouble()));
    Value s = b.sigmoid(z);
    Value slope = b.add(s, b.mul(b.mul(z, s), b.sub(b.number(1.0), s)));
    operandGrads[0] = b.mul(resultGrads[0], slope);
    return success(operandGrads[0] != nullptr);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Loop body
//===----------------------------------------------------------------------===//

namespace {
/// x / (1 + exp(-beta * x))
struct SwishBody
    : LoopBodyOpInterface::ExternalModel<SwishBody, mylib::SwishOp> {
  Value buildLoopBody(Operation *op, OpBuilder &b, Location loc,
                      ValueRange elements) const {
    Value x = elements[0];
    Type type = x.getType();
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
    };
    double beta = llvm::cast<mylib::SwishOp>(op).getBeta().convertToDouble();
    Value z = arith::MulFOp::create(b, loc, x, constant(-beta));
    Value divisor = arith::AddFOp::create(b, loc, constant(1.0),
                                          math::ExpOp::create(b, loc, z));
    return arith::DivFOp::create(b, loc, x, divisor);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// A reduction of one's own
//===----------------------------------------------------------------------===//

namespace {
/// The sum of x * x over the last dimension; 16-bit floats are summed in f32.
struct SquaresLowering
    : LoopLoweringOpInterface::ExternalModel<SquaresLowering,
                                             mylib::SquaresOp> {
  LogicalResult lowerToLoops(Operation *op, loop::LoopBuilder &loops) const {
    Value x = llvm::cast<mylib::SquaresOp>(op).getX();
    Type from = loop::LoopBuilder::getElement(x);
    Type acc = loop::LoopBuilder::getComputeType(from);
    return loops.setMade(
        0, loops.reduceDims(
               loops.getView(x), {-1}, loops.getResultType(),
               loop::ReductionKind::Sum, acc,
               [&](loop::BodyContext, loop::ScalarBuilder &scalars,
                   Value element) {
                 Value wide = scalars.convert(element, from, acc);
                 return scalars.mul(wide, wide);
               }));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The dialect, and the plugin
//===----------------------------------------------------------------------===//

using namespace kiln::aten;
#include "SwishOp.cpp.inc"

#include "SwishDialect.cpp.inc"

void mylib::MylibDialect::initialize() {
  registerOverloads(*this, kOverloads);
  SwishOp::attachInterface<SwishDerivative, SwishBody>(*getContext());
  SquaresOp::attachInterface<SquaresLowering>(*getContext());
  // Where passes cannot reach one, it is named instead of left in silence.
  addInterfaces<aten::OverloadStages>();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "mylib", "1",
          [](mlir::DialectRegistry *registry) {
            registry->insert<mylib::MylibDialect>();
          }};
}
