//===- ModelLine.h - Where an operation stands in the model -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors name the line of the model that an operation is from:
//
//   error: aten._assert_async.msg: index out of range in self (at model.py:12)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_MODELLINE_H
#define KILN_SUPPORT_MODELLINE_H

#include "mlir/IR/Location.h"

#include <string>

namespace kiln {

/// "model.py:12", the first line of a file in a location; empty where there is none.
inline std::string getModelLine(mlir::Location location) {
  std::string text;
  location->walk([&](mlir::Location inner) {
    auto file = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()))
               .str();
    return mlir::WalkResult::interrupt();
  });
  return text;
}

} // namespace kiln

#endif // KILN_SUPPORT_MODELLINE_H
