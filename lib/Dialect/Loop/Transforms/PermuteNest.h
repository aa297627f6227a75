//===- PermuteNest.h - Dimensions of a nest in another order ----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_PERMUTENEST_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_PERMUTENEST_H

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::loop {

/// Dimensions of a tensor that become its last ones: its channels, or the groups of channels
/// and those of a group behind them.
struct LastDims {
  unsigned first = 0, count = 1;

  bool operator==(const LastDims &other) const {
    return first == other.first && count == other.count;
  }
};

/// The order in which these are the last dimensions and the others stay as they are.
SmallVector<unsigned> getOrder(unsigned rank, LastDims last);
inline SmallVector<unsigned> getOrder(unsigned rank, unsigned last) {
  return getOrder(rank, LastDims{last});
}

/// Entry k is entry order[k] of `list`.
SmallVector<guard::ExprAttr> permute(ArrayRef<guard::ExprAttr> list,
                                     ArrayRef<unsigned> order);
RankedTensorType permute(RankedTensorType type, ArrayRef<unsigned> order);

/// Gives a function the types that its arguments and what it returns have.
void updateType(mlir::func::FuncOp function);

/// A copy of `tensor` of sizes `extents`: the element at an index of the copy
/// is that at `map`.
PointwiseOp createCopy(OpBuilder &builder, Location location, Value tensor,
                       ArrayRef<guard::ExprAttr> extents,
                       ArrayRef<guard::ExprAttr> map, mlir::ArrayAttr origins);

/// True if every nest that reads `tensor` in regular steps still does with what
/// replaces it, of type `now`: where that has what is read is said by `move`,
/// or nothing for a read that does not count.
bool staysStraight(
    Value tensor, RankedTensorType now,
    llvm::function_ref<std::optional<SmallVector<guard::ExprAttr>>(
        const analysis::Access &read, ArrayRef<guard::ExprAttr> extents)>
        move,
    const analysis::SizeHints &hints);

/// Tensors that one function of a module gives and another takes (`loop.carried`).
class CarriedTensors {
public:
  explicit CarriedTensors(ModuleOp module);

  /// The argument that takes the result of a function which an operand of its return is;
  /// null if that is not carried, by a name that is not unique, or if one end cannot change:
  /// it has strides or an order that a caller sees, or they have different types.
  mlir::BlockArgument getReader(OpOperand &returned) const;
  /// True for an argument whose dimensions have changed their order.
  bool isPermuted(mlir::BlockArgument argument) const {
    return permuted.contains(argument);
  }
  void setPermuted(mlir::BlockArgument argument) { permuted.insert(argument); }

private:
  struct Ends {
    unsigned results = 0, arguments = 0;
    mlir::BlockArgument argument;
    Type type; ///< of a result
    bool isFixed = false;
  };
  llvm::StringMap<Ends> ends;
  llvm::DenseSet<Value> permuted;
};

/// Makes dimensions `last` the innermost ones of the results of a pointwise nest, a reduction
/// or a contraction, in its domain and for all who read them: loads, contractions, the
/// function that it is carried to, and a caller, who sees the old order (`loop.order`). Values
/// do not change.
void permuteResults(Operation *nest, LastDims last, CarriedTensors &carried);

/// Makes reduced dimension `last` of a contraction the innermost one.
void permuteReduction(ContractOp op, unsigned last);
/// The same of a reduction, whose values may be joined in any order.
void permuteReduction(ReduceOp op, unsigned last);

/// Walks reduced dimension `number` of a contraction from its end to its begin.
void reverseReduction(ContractOp op, unsigned number);

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_PERMUTENEST_H
