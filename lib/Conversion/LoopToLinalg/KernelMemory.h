//===- KernelMemory.h - What a kernel's function is given -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOLINALG_KERNELMEMORY_H
#define KILN_LIB_CONVERSION_LOOPTOLINALG_KERNELMEMORY_H

#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::loop {

/// On a kernel's function: the expressions of its integer arguments, in order.
inline constexpr llvm::StringLiteral kSymbolsAttrName = "loop.symbols";

/// On the operation that makes a memref: its sizes as expressions.
inline constexpr llvm::StringLiteral kSizesAttrName = "loop.sizes";

/// A memref of type `type` at `pointer`. `sizes` and `strides` give all
/// dimensions as `index` values. `sizeExprs` are the sizes as expressions.
/// It is a cast of a descriptor, which vanishes
/// when memrefs are lowered.
Value createMemRef(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType type,
                   Value pointer, ArrayRef<Value> sizes,
                   ArrayRef<Value> strides,
                   ArrayRef<guard::ExprAttr> sizeExprs);

/// The arguments of a kernel's function, in one of the forms of
/// `kiln/ABI/KernelABI.h`: on a processor arrays of pointers and integers, on a
/// GPU all of them by value. Pointers are given as generic ones.
class KernelArguments {
public:
  explicit KernelArguments(mlir::func::FuncOp function);

  /// The type of a function for so many tensors and integers.
  static mlir::FunctionType getType(MLIRContext *context, bool ofGrid,
                                    unsigned pointers, unsigned symbols);

  /// False for a function that is no kernel.
  bool isKernel() { return ofGrid || function.getNumArguments() == 5; }
  bool isOfGrid() const { return ofGrid; }
  /// The expressions of the integers.
  SmallVector<guard::ExprAttr> getSymbolExprs();

  Value getPointer(mlir::ImplicitLocOpBuilder &b, unsigned slot);
  Value getScratch(mlir::ImplicitLocOpBuilder &b);
  /// An integer of 64 bits.
  Value getSymbol(mlir::ImplicitLocOpBuilder &b, unsigned slot);
  /// The number of the integer that an argument is; none for others.
  std::optional<unsigned> getSlot(mlir::BlockArgument argument);

private:
  unsigned countPointers();

  mlir::func::FuncOp function;
  bool ofGrid;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOLINALG_KERNELMEMORY_H
