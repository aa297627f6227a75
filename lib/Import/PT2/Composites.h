//===- Composites.h - Overloads that are made of others ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch composes many overloads of others and has nothing else for them: no
// kernel, no derivative. A program that was exported for training names them
// all the same. They have records (Aten_CompositeOp) and are opened at import, so
// that views are seen; what the archive recorded of the results is compared as for
// any other node. An overload that is another one by name only is a line of
// `kAliases`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_COMPOSITES_H
#define KILN_LIB_IMPORT_PT2_COMPOSITES_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Support/LLVM.h"

namespace kiln::pt2 {

/// "aten.abs.default" for "aten.absolute.default", which is the same; an overload
/// that has no other name is returned as it is.
std::string canonicalOverload(StringRef overload);
/// The view "aten.permute" of the copy "aten.permute_copy.default", or null.
const aten::OpInfo *lookUpCopiedView(StringRef overload);

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_COMPOSITES_H
