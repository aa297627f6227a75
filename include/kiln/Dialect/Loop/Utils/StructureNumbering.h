//===- StructureNumbering.h - Which operations are equal --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one notion of equality in the loop dialect. Operations have the same number if
// they compute the same of the same values:
//
//   StructureNumbering numbers;
//   numbers.getNumber(first) == numbers.getNumber(second)
//
//   %a = loop.pointwise (%i) in [4] : tensor<4xf32> {       // one number, because
//     %x = loop.load %t[%i] : tensor<4xf32>                 // addition commutes
//     %y = arith.addf %x, %c : f32                          // and the name of an
//     loop.yield %y : f32                                   // origin says nothing
//   }
//   %b = loop.pointwise (%i) in [4] origins ["add"] : tensor<4xf32> {
//     %x = loop.load %t[%i] : tensor<4xf32>
//     %y = arith.addf %c, %x : f32
//     loop.yield %y : f32
//   }
//
// - Attributes count, save those that only name: origins, and of a kernel its name
//   and its traffic. So do types; locations do not.
// - Constants and other operations without effects are equal wherever they stand.
// - Arguments of a region correspond by position. What a region uses from outside
//   must be equal. A `loop.kernel` uses nothing from outside: its inputs correspond
//   by position, so kernels are equal if their code is. So do its `loop.number`s,
//   which are no part of it; between nests their values count.
//
// Each operation is looked at once: numbering is linear in the size of the IR. A
// numbering is for IR that does not change under it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_UTILS_STRUCTURENUMBERING_H
#define KILN_DIALECT_LOOP_UTILS_STRUCTURENUMBERING_H

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace kiln::loop {

class StructureNumbering {
public:
  /// The number of what an operation computes.
  unsigned getNumber(mlir::Operation *op);
  /// The number of a value: by what computes it, or its own if that has effects or
  /// is not an operation.
  unsigned getNumber(mlir::Value value);
  /// Makes `value`, which nothing was asked about yet, equal to what has this number.
  void setNumber(mlir::Value value, unsigned number) {
    values[value] = number;
  }
  /// A number that nothing has yet.
  unsigned createNumber() { return next++; }

private:
  using Key = llvm::SmallVector<uintptr_t, 32>;
  unsigned intern(const Key &key);
  void addRegion(Key &key, mlir::Region &region);

  llvm::DenseMap<mlir::Value, unsigned> values;
  llvm::DenseMap<mlir::Operation *, unsigned> operations;
  llvm::StringMap<unsigned> numbers; ///< by the bytes of keys
  unsigned next = 0, depth = 0;
  /// Numbers of the kernel that is looked at; nothing outside of kernels.
  std::optional<unsigned> handed;
};

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_UTILS_STRUCTURENUMBERING_H
