//===- Carried.h - What one function hands to another -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a forward saves for its backward has no order that a caller sees.
//
//   if (function.getArgAttrOfType<StringAttr>(i, kCarriedAttrName))
//     ... // another function of the module gives it, under the same name
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_CARRIED_H
#define KILN_DIALECT_LOOP_IR_CARRIED_H

#include "llvm/ADT/StringRef.h"

namespace kiln::loop {

/// The attribute of a result of one function of a module and of an argument of another (a
/// name) that says that the caller hands the one over as the other and looks at neither:
/// both may change their order of dimensions together.
inline constexpr llvm::StringLiteral kCarriedAttrName = "loop.carried";

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_CARRIED_H
