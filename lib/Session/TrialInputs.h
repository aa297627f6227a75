//===- TrialInputs.h - What candidates are called with ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   InputMaker maker(program, symbols, /*integersBelow=*/1);
//   Result<Inputs> first = maker.make(), second = maker.make();   // other numbers
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_TRIALINPUTS_H
#define KILN_LIB_SESSION_TRIALINPUTS_H

#include "kiln/Package/KernelTuner.h"
#include "kiln/Package/Package.h"
#include "kiln/Runtime/Operator.h"

namespace kiln::session {

/// Inputs of one call: what all slots of a program take.
using Inputs = std::vector<runtime::OpValue>;

/// Makes inputs of a program.
class InputMaker {
public:
  /// `program` lives as long; integers are from 0 on and smaller than the bound.
  InputMaker(const package::Program &program,
             const package::SymbolValues &symbols, int64_t integersBelow);

  Result<Inputs> make();
  /// Of the inputs that were made last.
  size_t bytes() const { return total; }

private:
  Result<std::vector<int64_t>>
  evaluate(const std::vector<package::ExprId> &exprs) const;
  Result<runtime::Tensor> makeTensor(const package::Slot &slot);

  const package::Program &program;
  const uint32_t integersBelow;
  std::vector<package::Cell> cells;
  size_t total = 0;
  uint64_t state = 1;
};

} // namespace kiln::session

#endif // KILN_LIB_SESSION_TRIALINPUTS_H
