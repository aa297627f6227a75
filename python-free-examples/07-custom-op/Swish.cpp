//===- Swish.cpp - What Kiln's compiler knows of mylib::swish -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MLIR dialect plugin: the op of SwishOp.td with its shape rule, derivative
// and loop body. Nothing of Kiln is changed; what it does with the op it asks by
// interface.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenBuilder.h"
#include "kiln/Dialect/Aten/IR/Inference.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Interfaces/LoopBodyOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "SwishDialect.h.inc"

#define GET_OP_CLASSES
#include "SwishOp.h.inc"

using namespace kiln;
using mlir::FloatType;
namespace arith = mlir::arith;
namespace math = mlir::math;

//===----------------------------------------------------------------------===//
// Shape rule
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
} // namespace mylib

//===----------------------------------------------------------------------===//
// Derivative
//===----------------------------------------------------------------------===//

/// grad * (s + beta * x * s * (1 - s)), s = sigmoid(beta * x)
LogicalResult mylib::SwishOp::buildVjp(OpBuilder &builder,
                                       ValueRange resultGrads,
                                       function_ref<bool(unsigned)> isWanted,
                                       MutableArrayRef<Value> operandGrads) {
  if (!isWanted(0))
    return success();
  aten::AtenBuilder b(builder, getLoc());
  Value z = b.mul(getX(), b.number(getBeta().convertToDouble()));
  Value s = b.sigmoid(z);
  Value slope = b.add(s, b.mul(b.mul(z, s), b.sub(b.number(1.0), s)));
  operandGrads[0] = b.mul(resultGrads[0], slope);
  return success(operandGrads[0] != nullptr);
}

//===----------------------------------------------------------------------===//
// Loop body
//===----------------------------------------------------------------------===//

/// x / (1 + exp(-beta * x))
Value mylib::SwishOp::buildLoopBody(OpBuilder &b, Location loc,
                                    ValueRange elements) {
  Value x = elements[0];
  Type type = x.getType();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  Value z = arith::MulFOp::create(b, loc, x,
                                  constant(-getBeta().convertToDouble()));
  Value divisor = arith::AddFOp::create(b, loc, constant(1.0),
                                        math::ExpOp::create(b, loc, z));
  return arith::DivFOp::create(b, loc, x, divisor);
}

//===----------------------------------------------------------------------===//
// The dialect, and the plugin
//===----------------------------------------------------------------------===//

using namespace kiln::aten;
#include "SwishInfo.cpp.inc"

#define GET_OP_CLASSES
#include "SwishOp.cpp.inc"

#include "SwishDialect.cpp.inc"

void mylib::MylibDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "SwishOp.cpp.inc"
      >();
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
