//===- ReasonRecorder.cpp - Remarks become records ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReasonRecorder.h"

#include "mlir/IR/Remarks.h"

using namespace kiln;
using mlir::remark::detail::MLIRRemarkStreamerBase;
using mlir::remark::detail::Remark;
using package::Reason;

static Reason::Kind getKind(const Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return Reason::Kind::Passed;
  case llvm::remarks::Type::Missed:
    return Reason::Kind::Missed;
  case llvm::remarks::Type::Failure:
    return Reason::Kind::Failed;
  default:
    return Reason::Kind::Analysis;
  }
}

namespace {

class ReasonRecorder : public MLIRRemarkStreamerBase {
public:
  explicit ReasonRecorder(std::vector<Reason> &reasons) : reasons(reasons) {}

  void streamOptimizationRemark(const Remark &remark) override {
    Reason reason;
    reason.kind = getKind(remark);
    reason.pass = remark.getCombinedCategoryName().str();
    reason.name = remark.getRemarkName().str();
    reason.function = remark.getFunction().str();
    for (const Remark::Arg &argument : remark.getArgs())
      reason.arguments.push_back({argument.key, argument.val});
    reasons.push_back(std::move(reason));
  }

private:
  std::vector<Reason> &reasons;
};

} // namespace

void compiler::recordReasons(mlir::MLIRContext &context,
                             std::vector<Reason> &reasons) {
  // `all` adds to the filters that are set, and turns on none.
  mlir::remark::RemarkCategories everything;
  everything.passed = everything.missed = everything.analysis =
      everything.failed = ".*";
  // Fails only for a streamer that cannot open its file.
  (void)mlir::remark::enableOptimizationRemarks(
      context, std::make_unique<ReasonRecorder>(reasons),
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), everything);
}
