//===- Stages.h - Which ops stand at which stage ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of a compilation, and how a dialect says at which of them its ops
// may stand. Passes and pipelines ask nothing else, so they know no dialect:
//
//   verifyPassInput   at the start of a pass: an op that earlier passes should
//                     have rewritten would be skipped, which is an error
//   verifyStage       at the end of a pipeline: what the stage promises
//
// An op whose dialect says nothing may stand anywhere, except where machine code
// is about to be made: passes leave it where it is.
//
// Example: a dialect whose ops are gone when there are loops.
//
//   struct MyStages : StageDialectInterface {
//     using StageDialectInterface::StageDialectInterface;
//     StageRange getStages(Operation *) const override {
//       return {Stage::Capture, Stage::Joint};
//     }
//   };
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_STAGES_H
#define KILN_INTERFACES_STAGES_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/DialectInterface.h"

#include <optional>
#include <string>

namespace kiln {

/// The stages of a compilation, in order.
enum class Stage { Capture, Core, Joint, Loop, Kernel, Native, Package };

/// "capture", "core", ...
StringRef stageName(Stage stage);
/// The inverse.
std::optional<Stage> parseStage(StringRef name);
/// All names, for help texts.
ArrayRef<StringRef> stageNames();

/// The first and the last of some stages in a row.
struct StageRange {
  Stage first, last;
};

class StageDialectInterface
    : public mlir::DialectInterface::Base<StageDialectInterface> {
public:
  explicit StageDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The stages at which `op` may stand, while passes work on them too.
  virtual StageRange getStages(Operation *op) const = 0;

  /// What `op` lacks at the end of `stage`, as a clause behind "expected"; empty
  /// if nothing. With `keepsDerivatives`, ops that bring a derivative of their
  /// own may still be whole.
  virtual std::string getUnmet(Operation *op, Stage stage,
                               bool keepsDerivatives) const {
    return {};
  }
};

/// The last stage that an op below `root` belongs to from its beginning: where
/// the IR stands.
Stage findStage(Operation *root);

/// Reports each op below `root` that a pass for IR of `stages` would skip because
/// it is of an earlier stage. Warns if all ops are of later stages, and the pass
/// has nothing to do.
LogicalResult verifyPassInput(Operation *root, StringRef pass,
                              StageRange stages);

/// Reports each op below `root` that a pass which makes IR of `stage` has not
/// reached.
LogicalResult verifyPassOutput(Operation *root, StringRef pass, Stage stage);

/// Reports each op below `root` that does not belong to `stage`, or is not in the
/// form that its end promises.
LogicalResult verifyStage(Operation *root, Stage stage,
                          bool keepsDerivatives = false);

} // namespace kiln

#endif // KILN_INTERFACES_STAGES_H
