//===- Release.cpp - Let go of storage after its last use -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Program/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMRELEASEPASS
#include "kiln/Dialect/Program/Transforms/Passes.h.inc"
} // namespace kiln::program

namespace {
class Release : public program::impl::ProgramReleasePassBase<Release> {
  void runOnOperation() override;
};
} // namespace

/// The last step that uses `value` or a view of it; the return if the caller
/// receives it or it is released already.
static Operation *getLastUse(Value value, Operation *last) {
  for (Operation *user : value.getUsers()) {
    if (isa<ReturnOp, ReleaseOp>(user))
      return value.getParentBlock()->getTerminator();
    Operation *use = user;
    if (auto view = dyn_cast<ViewOp>(user))
      use = getLastUse(view.getResult(), last);
    if (last->isBeforeInBlock(use))
      last = use;
  }
  return last;
}

void Release::runOnOperation() {
  Block &block = getOperation().getBody().front();
  llvm::MapVector<Operation *, SmallVector<Value>> dying;
  for (Operation &op : block) {
    auto alloc = dyn_cast<AllocOp>(op);
    if (alloc ? !alloc.getIsNew() : !isa<CallOp, InvokeOp>(op))
      continue;
    for (Value result : op.getResults()) {
      if (isa<NoneType>(result.getType()))
        continue;
      Operation *last = getLastUse(result, &op);
      // A buffer that nothing writes is no storage yet.
      if (last != block.getTerminator() && !(alloc && last == &op))
        dying[last].push_back(result);
    }
  }
  OpBuilder builder(&getContext());
  for (auto &[last, values] : dying) {
    builder.setInsertionPointAfter(last);
    ReleaseOp::create(builder, last->getLoc(), values);
  }
}
