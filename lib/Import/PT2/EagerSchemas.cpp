//===- EagerSchemas.cpp - Operators that only KilnEager knows -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EagerSchemas.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::ArgInfo;
using aten::ArgKind;

#include "kiln/Import/PT2/EagerOverloads.inc"

const EagerSchema *pt2::lookUpEagerSchema(StringRef overload) {
  for (const EagerSchema &schema : kEagerOverloads)
    if (schema.overload == overload)
      return &schema;
  return nullptr;
}
