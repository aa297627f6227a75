//===- Stages.cpp - Which ops stand at which stage ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace kiln;

using Stages = mlir::DialectInterfaceCollection<StageDialectInterface>;

static constexpr StringRef kStageNames[] = {
    "capture", "core", "joint", "loop", "kernel", "native", "package"};

/// The pipeline that leads to each stage.
static constexpr StringRef kPipelines[] = {
    "", "kiln-core", "kiln-joint", "kiln-loop", "kiln-cpu", "", "kiln-program"};

StringRef kiln::stageName(Stage stage) {
  return kStageNames[static_cast<unsigned>(stage)];
}

ArrayRef<StringRef> kiln::stageNames() { return kStageNames; }

std::optional<Stage> kiln::parseStage(StringRef name) {
  for (auto [index, known] : llvm::enumerate(kStageNames))
    if (known == name)
      return static_cast<Stage>(index);
  return std::nullopt;
}

static std::string describe(StageRange stages) {
  std::string text = "stage";
  if (stages.first != stages.last)
    text += "s '" + stageName(stages.first).str() + "' to";
  return text + " '" + stageName(stages.last).str() + "'";
}

/// The pipeline that leads out of `stage`. What is cut in two is in core form
/// again, so joint graphs end within the pipeline that makes them.
static StringRef getWayOut(StageRange stages) {
  if (stages.first == Stage::Joint)
    return "kiln-joint";
  if (stages.last == Stage::Kernel) // of which functions alone become native
    return kPipelines[static_cast<unsigned>(Stage::Package)];
  return kPipelines[static_cast<unsigned>(
      stages.last < Stage::Joint ? Stage::Joint
                                 : static_cast<Stage>(int(stages.last) + 1))];
}

/// The region whose ops no pass rewrites, if `op` stands in one: passes work on
/// the top of functions and on regions of Kiln's own ops.
static Operation *getClosedParent(Operation *op, const Stages &stages) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (!stages.getInterfaceFor(parent) &&
        !llvm::isa<mlir::func::FuncOp, ModuleOp>(parent))
      return parent;
  return nullptr;
}

static void explainPlace(InFlightDiagnostic &diagnostic, Operation *op,
                         const Stages &stages) {
  if (Operation *closed = getClosedParent(op, stages))
    diagnostic.attachNote(closed->getLoc())
        << "it stands inside of '" << closed->getName()
        << "': passes rewrite what stands at the top of a 'func.func'";
}

static InFlightDiagnostic complainEarly(Operation *op, StageRange found,
                                        const Twine &expectation) {
  InFlightDiagnostic diagnostic = op->emitOpError("belongs to ");
  diagnostic << describe(found) << ", but " << expectation;
  if (StringRef pipeline = getWayOut(found); !pipeline.empty())
    diagnostic << "; run '" << pipeline << "' first";
  return diagnostic;
}

Stage kiln::findStage(Operation *root) {
  Stages stages(root->getContext());
  Stage latest = Stage::Capture;
  root->walk([&](Operation *op) {
    if (auto *dialect = stages.getInterfaceFor(op))
      latest = std::max(latest, dialect->getStages(op).first);
  });
  return latest;
}

/// Visits the ops below `root`, outer ones first; what stands inside of one that
/// `isRight` has reported is not visited. Fails if it has reported any.
static LogicalResult verifyOps(Operation *root,
                               function_ref<bool(Operation *)> isRight) {
  bool areRight = true;
  root->walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root || isRight(op))
      return mlir::WalkResult::advance();
    areRight = false;
    return mlir::WalkResult::skip();
  });
  return llvm::success(areRight);
}

LogicalResult kiln::verifyPassInput(Operation *root, StringRef pass,
                                    StageRange expected) {
  Stages stages(root->getContext());
  bool hasWork = false;
  Operation *late = nullptr;
  LogicalResult verified = verifyOps(root, [&](Operation *op) {
    auto *dialect = stages.getInterfaceFor(op);
    if (!dialect)
      return true;
    StageRange found = dialect->getStages(op);
    if (found.last < expected.first) {
      InFlightDiagnostic diagnostic = complainEarly(
          op, found, "'" + pass + "' takes IR of " + describe(expected));
      explainPlace(diagnostic, op, stages);
      return false;
    }
    if (found.first > expected.last)
      late = late ? late : op;
    else if (found.first >= expected.first)
      hasWork = true; // more than what may stand at any stage
    return true;
  });
  if (succeeded(verified) && late && !hasWork)
    mlir::emitWarning(late->getLoc())
        << "'" << late->getName() << "' op belongs to "
        << describe(stages.getInterfaceFor(late)->getStages(late)) << ", but '"
        << pass << "' takes IR of " << describe(expected)
        << "; there is nothing left for it to do";
  return verified;
}

LogicalResult kiln::verifyPassOutput(Operation *root, StringRef pass,
                                     Stage stage) {
  Stages stages(root->getContext());
  return verifyOps(root, [&](Operation *op) {
    auto *dialect = stages.getInterfaceFor(op);
    if (!dialect || dialect->getStages(op).last >= stage)
      return true;
    InFlightDiagnostic diagnostic =
        op->emitOpError("is out of reach of '") << pass << "'";
    explainPlace(diagnostic, op, stages);
    return false;
  });
}

/// What is left when machine code is made of it.
static bool isNative(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "llvm" || dialect == "builtin";
}

/// Kernels call their parts and nothing else: nobody links them.
static bool callsOutside(Operation *op) {
  auto call = llvm::dyn_cast<mlir::CallOpInterface>(op);
  if (!call)
    return false;
  auto callee = llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(
      call.resolveCallable());
  return !callee || callee.isExternal();
}

LogicalResult kiln::verifyStage(Operation *root, Stage stage,
                                bool keepsDerivatives) {
  Stages stages(root->getContext());
  std::string expectation =
      "the IR is to be of stage '" + stageName(stage).str() + "'";
  return verifyOps(root, [&](Operation *op) {
    auto *dialect = stages.getInterfaceFor(op);
    if (!dialect) {
      if (stage != Stage::Native)
        return true;
      if (!isNative(op))
        op->emitOpError("is left at stage 'native', expected an op of 'llvm'");
      else if (callsOutside(op))
        op->emitOpError("is left at stage 'native': expected a callee that the "
                        "module defines");
      else
        return true;
      return false;
    }
    StageRange found = dialect->getStages(op);
    if (found.last < stage) {
      InFlightDiagnostic diagnostic = complainEarly(op, found, expectation);
      explainPlace(diagnostic, op, stages);
      return false;
    }
    if (found.first > stage) {
      op->emitOpError("belongs to ")
          << describe(found) << ", but " << expectation << "; it comes from '"
          << kPipelines[static_cast<unsigned>(found.first)] << "'";
      return false;
    }
    std::string unmet = dialect->getUnmet(op, stage, keepsDerivatives);
    if (unmet.empty())
      return true;
    InFlightDiagnostic diagnostic = op->emitOpError("is not in the form of ");
    diagnostic << "stage '" << stageName(stage) << "': expected " << unmet;
    explainPlace(diagnostic, op, stages);
    return false;
  });
}
