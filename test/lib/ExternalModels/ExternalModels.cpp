//===- ExternalModels.cpp - Kiln's interfaces on upstream ops -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MLIR dialect plugin that knows nothing but interfaces: `math.exp`,
// `arith.mulf` and `arith.addf` on tensors get a loop body, `math.exp` and
// `arith.addf` a derivative. LogSumExp.cpp has an op that makes its own nests. No
// op here is an overload of any library.
//
//===----------------------------------------------------------------------===//

#include "LogSumExp.h"

#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Interfaces/LoopBodyOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace kiln;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {

/// The element is what the op itself makes of elements.
template <typename OpT>
struct ElementwiseBody
    : LoopBodyOpInterface::ExternalModel<ElementwiseBody<OpT>, OpT> {
  Value buildLoopBody(Operation *op, OpBuilder &builder, Location loc,
                      ValueRange elements) const {
    return builder
        .create(loc, op->getName().getIdentifier(), elements,
                elements.take_front().getTypes())
        ->getResult(0);
  }
};

/// The derivative of the exponential is the exponential.
struct ExpDerivative
    : DifferentiableOpInterface::ExternalModel<ExpDerivative, math::ExpOp> {
  LogicalResult buildVjp(Operation *op, OpBuilder &builder,
                         ValueRange resultGrads,
                         function_ref<bool(unsigned)> isWanted,
                         MutableArrayRef<Value> operandGrads) const {
    operandGrads[0] = arith::MulFOp::create(
        builder, op->getLoc(), resultGrads[0], op->getResult(0));
    return success();
  }
};

struct AddDerivative
    : DifferentiableOpInterface::ExternalModel<AddDerivative, arith::AddFOp> {
  LogicalResult buildVjp(Operation *, OpBuilder &, ValueRange resultGrads,
                         function_ref<bool(unsigned)>,
                         MutableArrayRef<Value> operandGrads) const {
    operandGrads[0] = operandGrads[1] = resultGrads[0];
    return success();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "KilnTestExternalModels", "1",
          [](mlir::DialectRegistry *registry) {
            registerLogSumExp(*registry);
            registry->addExtension(
                +[](MLIRContext *context, math::MathDialect *) {
                  math::ExpOp::attachInterface<ElementwiseBody<math::ExpOp>,
                                               ExpDerivative>(*context);
                });
            registry->addExtension(
                +[](MLIRContext *context, arith::ArithDialect *) {
                  arith::MulFOp::attachInterface<
                      ElementwiseBody<arith::MulFOp>>(*context);
                  arith::AddFOp::attachInterface<
                      ElementwiseBody<arith::AddFOp>, AddDerivative>(*context);
                });
          }};
}
