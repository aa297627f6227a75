//===- ElementTypes.h - Element types of IR and runtime -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The correspondence between MLIR's element types and kiln::DType, in one
// place. Signed integers are signless in the IR (`i8`), unsigned ones carry
// their sign (`ui8`), bool is `i1`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_ELEMENTTYPES_H
#define KILN_DIALECT_GUARD_IR_ELEMENTTYPES_H

#include "kiln/Base/DType.h"
#include "kiln/Support/LLVM.h"

#include <optional>

namespace kiln::guard {

/// The runtime's name of an element type; nothing for types it does not have.
std::optional<DType> getDType(Type type);
/// The inverse; every DType has a type.
Type getElementType(MLIRContext *context, DType dtype);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_ELEMENTTYPES_H
