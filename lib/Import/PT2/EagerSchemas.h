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

#include "kiln/Support/LLVM.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace kiln::pt2 {

/// A parameter as its schema declares it; views into the table.
struct SchemaArgument {
  StringRef type; ///< "SymInt[2]", "Tensor?"
  StringRef name;
  std::optional<StringRef> defaultText;

  bool isOptional() const { return type.ends_with("?"); }
  /// 2 for "int[2]", else 0.
  unsigned listSize() const;
};

struct EagerSchema {
  SmallVector<SchemaArgument> arguments;
  bool isView = false; ///< results may share memory with the first argument
};

/// "aten.imag.default" of "aten::imag(Tensor(a) self) -> Tensor(a)".
std::string overloadOf(StringRef schema);
EagerSchema parseSchema(StringRef schema);

/// The schema of "aten.imag.default", or nothing.
std::optional<EagerSchema> lookUpEagerSchema(StringRef overload);

/// A default as an argument of `aten.operator`.
Attribute defaultOf(Builder &builder, const SchemaArgument &argument);

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_EAGERSCHEMAS_H
