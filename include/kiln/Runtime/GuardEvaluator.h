//===- GuardEvaluator.h - Does a compiled variant fit its inputs? --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package's guards as a flat table, checked before each call. The explicit
// guards come first, in order, so that the first failure is the reason the
// compiler meant; then what every program needs anyway: each input has the
// kind, dtype, rank and sizes of its slot, and each symbol lies in its range.
// Checking allocates nothing while guards hold.
//
// Example failures:
//
//   tensor 'x' size mismatch at index 0. expected 8, actual 16
//   tensor 'x' dtype mismatch. expected Float, actual Double
//   guard 's0 >= 2' does not hold with s0 = 1
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_GUARDEVALUATOR_H
#define KILN_RUNTIME_GUARDEVALUATOR_H

#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Package.h"
#include "kiln/Runtime/Operator.h"

namespace kiln::runtime {

class GuardTable {
public:
  /// Compiles the guards of `package`, which must be verified and outlive the
  /// table.
  explicit GuardTable(const package::Package &package);

  /// True if all guards hold for `inputs`, one per slot of the first program.
  /// Else `failure` is the sentence of the first that does not.
  bool check(const std::vector<OpValue> &inputs, std::string &failure) const;

  size_t size() const { return checks_.size(); }
  /// Sets those elements, one per slot, whose memory has to be their own. Besides where
  /// these are, guards see dtypes, sizes, strides and numbers alone.
  void findOwn(std::vector<bool> &slots) const;

private:
  struct Check {
    kiln_guard_kind kind;
    uint32_t slot;
    uint32_t dim;
    int64_t value;
    const package::Expr *expr;
    const package::Guard *guard; ///< null: implied by a slot
  };
  struct Call;

  void addSlotChecks(uint32_t index);
  bool holds(const Check &check, Call &call, std::string &failure) const;
  /// Defined for each kind; one that is missing does not link.
  template <kiln_guard_kind kind>
  bool holds(const Check &check, Call &call, std::string &failure) const;
  const Tensor *findTensor(const Check &check, Call &call, bool &otherwise,
                           std::string &failure) const;
  const Tensor *findDim(const Check &check, Call &call, bool &otherwise,
                        std::string &failure) const;
  bool evaluate(const package::Expr &expr, Call &call, package::Cell &result,
                package::ExprFailure &why, std::string &failure) const;
  bool equalsExpr(const Check &check, Call &call, const char *what,
                  int64_t found, std::string &failure) const;
  std::string sentence(const Check &check, const Call &call,
                       package::ExprFailure why) const;

  const package::Program &program_;
  std::vector<Check> checks_;
  /// Slots of tensors, and those of them that the caller passes.
  std::vector<uint32_t> tensors_, passed_;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_GUARDEVALUATOR_H
