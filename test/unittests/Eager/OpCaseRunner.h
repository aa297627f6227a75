//===- OpCaseRunner.h - Runs operator cases on the eager operators --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_EAGER_OPCASERUNNER_H
#define KILN_TEST_UNITTESTS_EAGER_OPCASERUNNER_H

#include "kiln/Archive/OpCases.h"
#include "kiln/Runtime/Operator.h"

#include <string>
#include <vector>

namespace kiln::test {

/// The parameters of a schema in order, with the default of each.
struct Parameter {
  std::string name;
  runtime::OpValue defaultValue;
};
/// Reads a schema: "aten::add.Tensor(Tensor self, Tensor other) -> Tensor".
std::vector<Parameter> parseSchema(const std::string &schema);

/// Calls `function` as the case says and compares results, changed inputs and
/// the storage around them. Empty if all is well, else what is wrong.
std::string runCase(runtime::OpFunction function,
                    const std::vector<Parameter> &parameters,
                    const archive::OpCase &opCase);

} // namespace kiln::test

#endif // KILN_TEST_UNITTESTS_EAGER_OPCASERUNNER_H
