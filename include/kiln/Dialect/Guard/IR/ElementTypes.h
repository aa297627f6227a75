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
//   getDType(builder.getF32Type());           // DType::F32
//   getElementType(context, DType::U8);       // ui8
//   getDType(builder.getIntegerType(65));     // nothing
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

/// Tensors that an op reads or makes can exist at run time: their elements have
/// a DType, and a machine could hold them. For verifiers, so that passes may
/// count on it.
LogicalResult verifyTensors(Operation *op);
/// The same for a type that stands in an attribute.
LogicalResult verifyElementType(Operation *op, Type element);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_ELEMENTTYPES_H
