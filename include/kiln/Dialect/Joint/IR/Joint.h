//===- Joint.h - The joint dialect ----------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header to include for `joint.graph`, its terminator and the identity
// ops that steer gradients and recomputation.
//
//   for (auto graph : module.getOps<joint::GraphOp>())
//     graph.walk([](Operation *op) { getRecomputeClass(op); });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_IR_JOINT_H
#define KILN_DIALECT_JOINT_IR_JOINT_H

#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Interfaces/RecomputableOpInterface.h"
#include "kiln/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Joint/IR/JointDialect.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Joint/IR/JointOps.h.inc"

#endif // KILN_DIALECT_JOINT_IR_JOINT_H
