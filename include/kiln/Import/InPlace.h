//===- InPlace.h - Functional forms of operators ----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The aten dialect has no operators that change their arguments. An operator in
// place, or one that writes to `out`, is imported as its functional form, and
// the result becomes the new contents of the tensor that it changes:
//
//   functionalName("aten.add_.Tensor")   // "aten.add.Tensor"
//   functionalName("aten.atan2.out")     // "aten.atan2.default"
//   functionalName("aten.__iand__.Tensor") // "aten.__and__.Tensor"
//
//===----------------------------------------------------------------------===//

#ifndef KILN_IMPORT_INPLACE_H
#define KILN_IMPORT_INPLACE_H

#include "kiln/Archive/Graph.h"
#include "kiln/Support/LLVM.h"

#include <string>

namespace kiln::pt2 {

/// The functional form of an overload; empty if it is not in place. The form
/// need not exist.
std::string functionalName(StringRef overload);

/// The call of the functional form: without what only the form in place takes,
/// with what only that form may leave out.
archive::Node toFunctional(const archive::Node &node);

} // namespace kiln::pt2

#endif // KILN_IMPORT_INPLACE_H
