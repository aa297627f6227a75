//===- Reductions.h - What the kinds of reductions mean ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the records of LoopReductions.td say, and their formulas as operations. Every
// lowering asks here, so that they agree on ties, NaN and empty reductions:
//
//   TypedAttr zero = getNeutral(b, ReductionKind::Sum, 0, b.getF32Type(), false);
//   combineKind(b, ReductionKind::Sum, /*isUnsigned=*/false, {x}, {y}, sums);
//   // arith.addf x, y fastmath<contract>
//
// What a whole nest carries is asked of its AccumulationOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_REDUCTIONS_H
#define KILN_DIALECT_LOOP_IR_REDUCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::loop {

enum class ReductionKind : uint32_t;
enum class ScatterKind : uint32_t;

/// Values that change nothing when they are joined with others.
enum class Neutral { Zero, One, AllOnes, Lowest, Highest, LastIndex };

/// One value that a kind carries.
struct AccumulatorRecord {
  llvm::StringRef name;
  Neutral neutral;
  bool (*accepts)(mlir::Type type);
  llvm::StringRef expected; ///< "an integer"
};

/// A kind as data.
struct ReductionRecord {
  /// Empty for `generic`, which carries any number of values.
  llvm::SmallVector<AccumulatorRecord, 3> carried;
  /// On floats each step rounds: long reductions are added up in blocks.
  bool rounds;
};
const ReductionRecord &getRecord(ReductionKind kind);

/// The neutral element of accumulator `position` of a kind, of the scalar type
/// `type`; of min and max of no values the one that every other value replaces.
/// Not for `generic`, whose values are operands.
mlir::TypedAttr getNeutral(mlir::Builder &b, ReductionKind kind,
                           unsigned position, mlir::Type type, bool isUnsigned);

/// Appends to `result` what the accumulators of a kind, all of `left` and `right`,
/// become when they are joined. Values are scalars or vectors of one length. Not
/// for `generic`.
void combineKind(mlir::ImplicitLocOpBuilder &b, ReductionKind kind,
                 bool isUnsigned, mlir::ValueRange left, mlir::ValueRange right,
                 llvm::SmallVectorImpl<mlir::Value> &result);

/// `value`, of the type of the body, joined with the element `old` of a scatter
/// whose result has elements of `type`. The result has the type of `value`.
mlir::Value combineScattered(mlir::ImplicitLocOpBuilder &b, ScatterKind kind,
                             mlir::Value old, mlir::Value value,
                             mlir::Type type);

/// True if the elements of a tensor compare as unsigned numbers; bools do.
bool hasUnsignedElements(mlir::Value tensor);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_REDUCTIONS_H
