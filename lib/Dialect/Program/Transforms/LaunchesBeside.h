//===- LaunchesBeside.h - What could run at the same time -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU runs launches beside each other that need nothing of each other. If a buffer gets
// the place of an earlier one, the launch that writes it waits for all that read that:
//
//   a: writes t    b: reads t, returns u    c: writes v    d: reads v, returns w
//   in the place of t, v would keep c and d from running beside a and b
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_TRANSFORMS_LAUNCHESBESIDE_H
#define KILN_DIALECT_PROGRAM_TRANSFORMS_LAUNCHESBESIDE_H

#include "kiln/Dialect/Program/IR/Program.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln::program {

/// Which launches of a program of a GPU wait for which, whatever the places of its buffers.
class LaunchesBeside {
public:
  explicit LaunchesBeside(FuncOp function);

  /// The numbers of the steps that see a buffer or a view of it, the one that writes it first.
  llvm::SmallVector<unsigned> getUsers(AllocOp buffer) const;

  /// True if `later` may run before all of `users` are done.
  bool mayPass(llvm::ArrayRef<unsigned> users, unsigned later) const;

private:
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<llvm::BitVector> before; ///< by number, all that it waits for
};

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_TRANSFORMS_LAUNCHESBESIDE_H
