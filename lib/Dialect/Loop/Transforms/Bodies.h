//===- Bodies.h - Moving code between the bodies of nests -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Used by the passes that inline: cloning one body where another loads its
// result, and bringing index expressions to their simplest form afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_BODIES_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_BODIES_H

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace kiln::loop {

/// The innermost nest around `op`, which may be `op`; null if there is none.
NestOpInterface getNest(Operation *op);

/// The value of `expr` over `operands`: an operand itself, or a `loop.index`.
Value createIndex(OpBuilder &builder, Location location, guard::ExprAttr expr,
                  ValueRange operands);

/// Clones the operations of `body` but its terminator to the insertion point,
/// its arguments replaced by `arguments`. With a mask, loads are masked by it
/// too. Returns what the terminator yields.
SmallVector<Value> cloneBody(OpBuilder &builder, Block &body,
                             ValueRange arguments, Value mask = {});

/// `value` as an element of a tensor of `type`: rounded or wrapped if that is narrower.
Value roundToElement(OpBuilder &builder, Location location, Value value,
                     RankedTensorType type);

/// Replaces `load`, which reads the result of `producer`, by its body.
void inlineLoad(LoadOp load, PointwiseOp producer);

/// Merges loads' index computations into their maps, simplifies these with the
/// bounds of the indices, rounds once where that gives the same, and removes dead and
/// repeated operations of bodies.
void simplifyBodies(mlir::func::FuncOp function,
                    const analysis::SizeHints &hints);

/// Who gives symbols their values as the program runs. Sizes are attributes, so
/// no operand says that a nest over `u0` elements must follow what counts them.
class SymbolDefiners {
public:
  /// Symbols of the arguments of `block` have their values from the start.
  explicit SymbolDefiners(mlir::Block &block);

  /// Visits the operations of the block in order: calls `use` with the definer
  /// of each symbol that `op` mentions. True if `op` defines one.
  bool visit(Operation &op, llvm::function_ref<void(Operation *)> use);
  /// True if a symbol of `expr` has its value only from an operation visited.
  bool isLate(guard::ExprAttr expr) const;

private:
  llvm::DenseMap<mlir::StringAttr, Operation *> definers;
};

/// The only load of a body that maps one element to one; null otherwise, and why.
LoadOp getOnlyLoad(PointwiseOp producer, const char *&why);

/// What a reduction or scan is made of, one for each of its `kinds`.
SmallVector<ReductionKind> getKinds(AccumulationOpInterface op);

/// The types of accumulators as elements of tensors. Whether extrema compare as unsigned
/// numbers is what these say.
SmallVector<Type> getAccumulatorElements(AccumulationOpInterface op);

/// The product of extents, saturated; nothing if one is not known.
std::optional<int64_t> countPoints(ArrayRef<guard::ExprAttr> extents);

/// Text of a nest for logs: "Reduction([1024], sum, origins=[sum_1])".
std::string describe(NestOpInterface nest);

/// Tells who listens, by a remark named `what`, why a contraction stays as it is.
void tellMissed(ContractOp op, const mlir::remark::RemarkOpts &what,
                StringRef why);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_BODIES_H
