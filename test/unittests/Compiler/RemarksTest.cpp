//===- RemarksTest.cpp - The passes behind the reasons --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/InitAll.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace kiln;

// Who filters remarks by a pass's argument gets those of the pass.
TEST(Remarks, CategoriesAreArgumentsOfPasses) {
  registerAllPasses();
  const mlir::remark::RemarkOpts all[] = {
#define KILN_REASON(id, pass, name) remarks::k##id,
#include "kiln/ABI/Reasons.def"
  };
  for (const mlir::remark::RemarkOpts &remark : all) {
    // The one translation among them.
    if (remark.categoryName == "program-export")
      continue;
    EXPECT_TRUE(mlir::PassInfo::lookup(remark.categoryName))
        << remark.categoryName.str();
  }
}
