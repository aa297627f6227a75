//===- Passes.h - Passes of the joint dialect -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, options and registration of the passes in Passes.td, and the
// names of the attributes that they leave behind.
//
//   pm.addPass(joint::createJointDifferentiatePass());
//   pm.addPass(joint::createJointPartitionPass());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_TRANSFORMS_PASSES_H
#define KILN_DIALECT_JOINT_TRANSFORMS_PASSES_H

#include "kiln/Support/BoundedOption.h"
#include "kiln/Support/LLVM.h"

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace kiln::joint {

class GraphOp;
struct PartitionProblem;

/// On the forward function: bytes of the saved storages, as an i64.
constexpr StringRef kSavedBytesAttrName = "joint.saved_bytes";
/// On an argument, where no dialect says it otherwise: wants a gradient.
constexpr StringRef kRequiresGradAttrName = "joint.requires_grad";

/// The partition problem of a graph. Value and op numbers count arguments and
/// ops in order; sizes of symbolic tensors come from the hints of the module's
/// symbols (64 where there is none).
PartitionProblem buildPartitionProblem(GraphOp graph);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Dialect/Joint/Transforms/Passes.h.inc"

} // namespace kiln::joint

#endif // KILN_DIALECT_JOINT_TRANSFORMS_PASSES_H
