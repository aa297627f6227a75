//===- Converter.h - The walk over an aten function -------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits the ops of a function in order. An op that implements
// LoopLoweringOpInterface or LoopBodyOpInterface becomes loop nests; another of
// ATen, or one that refused, becomes a `loop.extern` that carries the reason;
// another of a foreign dialect stays. What must exist in memory (a result of
// the function, an argument of an extern call) is copied if its view is not the
// whole tensor in order.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_CONVERTER_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_CONVERTER_H

#include "kiln/Lowering/LoopBuilder.h"
#include "kiln/Dialect/Aten/IR/OpInfo.h"

namespace kiln::loop {

class Converter {
public:
  Converter(mlir::func::FuncOp function, const analysis::SizeHints &hints,
            bool checkIndices, bool shortSpecials)
      : function(function),
        loops(function, hints, checkIndices, shortSpecials) {}

  LogicalResult run();

private:
  void markUpdates();
  void markWeights();
  void freeOrders();
  void orderTangent(unsigned index);
  void readInputs();
  /// An operator of ATen or of a library; what has no nests becomes a call.
  LogicalResult convertOperator(Operation *op, const aten::OpInfo *info);
  /// Makes nests of an op of another dialect; false if there are none, and the
  /// op is kept.
  bool convertForeign(Operation *op);
  LogicalResult lower(Operation *op, const aten::OpInfo *info);
  /// An op that is none of ours, or a call of a function, stays where it is: what
  /// it reads lies in memory, also what its regions read, and its results are
  /// inputs of nests.
  void keep(Operation *op);
  void convertTerminator(Operation *terminator);
  LogicalResult eraseAll(ArrayRef<Operation *> ops);

  /// Turns to `op`; nests are named after what it was captured as.
  void start(Operation *op, bool isCopied = false);
  /// The remark that the present op, called `name`, gets no kernel.
  void tellNoKernel(Location loc, llvm::StringRef name, llvm::StringRef why);

  // ExternCalls.cpp
  LogicalResult makeExtern(Operation *op, const aten::OpInfo *info,
                           llvm::StringRef reason);
  std::optional<std::string>
  readOperatorOp(Operation *op, llvm::SmallVectorImpl<Value> &operands,
                 llvm::SmallVectorImpl<mlir::Attribute> &arguments);
  mlir::Attribute getExternOperand(Value value,
                                   llvm::SmallVectorImpl<Value> &operands);
  mlir::Attribute getExternArgument(const aten::ArgValue &arg,
                                    const aten::ArgInfo &info,
                                    llvm::SmallVectorImpl<Value> &operands);

  mlir::func::FuncOp function;
  LoopBuilder loops;
  llvm::DenseMap<Value, Value> scalars; ///< numbers that calls give
};

/// Makes a nest of an op that brings its body.
LogicalResult lowerLoopBody(LoopBuilder &loops, Operation *op);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_CONVERTER_H
