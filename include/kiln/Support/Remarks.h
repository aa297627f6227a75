//===- Remarks.h - The remarks of Kiln's passes -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and categories of the remarks, one constant each; what a remark holds
// stands in kiln/ABI/Reasons.def. Remarks are the only way in which a pass gives
// reasons. One is asked for before anything of it is made, so that it costs
// nothing where nobody listens:
//
//   if (auto told = remark::missed(op->getLoc(), remarks::kStored.function(f)))
//     told << remark::metric("nest", name) << remark::reason("{0}", why());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_REMARKS_H
#define KILN_SUPPORT_REMARKS_H

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::remarks {

/// The name of the function around `op`, for remarks about it; empty without.
inline llvm::StringRef getFunctionName(mlir::Operation *op) {
  auto function = op->getParentOfType<mlir::FunctionOpInterface>();
  return function ? function.getName() : llvm::StringRef();
}

#define KILN_REASON(id, pass, text)                                            \
  inline constexpr mlir::remark::RemarkOpts k##id =                            \
      mlir::remark::RemarkOpts::name(text).category(pass);
#include "kiln/ABI/Reasons.def"

} // namespace kiln::remarks

#endif // KILN_SUPPORT_REMARKS_H
