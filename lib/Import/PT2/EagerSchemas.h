//===- EagerSchemas.h - Operators that only KilnEager knows ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An overload without a record in the aten dialect is imported as
// `aten.operator` with the arguments of its schema, so that it runs as an eager
// operator.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_EAGERSCHEMAS_H
#define KILN_LIB_IMPORT_PT2_EAGERSCHEMAS_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Support/LLVM.h"

namespace kiln::pt2 {

struct EagerSchema {
  StringRef overload; ///< "aten._assert_async.msg"
  ArrayRef<aten::ArgInfo> args;
};

/// The schema of "aten._assert_async.msg", or null.
const EagerSchema *lookUpEagerSchema(StringRef overload);

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_EAGERSCHEMAS_H
