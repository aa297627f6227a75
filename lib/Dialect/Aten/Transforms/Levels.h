//===- Levels.h - What is quantized, and products of it ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors that are levels on a grid, (level - zero) * scale, and sums of
// products of their levels:
//
//   sum (a - za) (b - zb) = sum a b - zb sum a - za (sum b - K zb)
//
// The result is exact modulo 2^32 whatever its terms are, and it fits into i32
// by itself if zeros are levels; so each of them may wrap. A zero that is a
// tensor is a level and the rest, za + ra, that as a rule is 0 and is taken off
// behind, in floats:
//
//   sum (a - za - ra) (b - zb - rb) =
//     sum (a - za) (b - zb) - ra (sum b - K zb) - rb (sum a - K za - K ra)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_LEVELS_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_LEVELS_H

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace kiln::aten {

/// Terms of a sum at most: of as many products of 255 and 255 it is an i32.
inline constexpr int64_t kMostTerms = 33025;

/// A tensor (level - zero) * scale, but for what is done to its dimensions.
struct Levels {
  Value bytes;
  Value zero, scale;                ///< numbers or tensors; null for 0 and 1
  SmallVector<Operation *, 4> path; ///< views from the last to the first

  bool isSigned() const {
    return FormulaBuilder::elementTypeOf(bytes).isSignlessInteger(8);
  }
  /// A zero that is known and a level, or none.
  std::optional<int64_t> getKnownZero() const;
  /// True if neither parameter changes along these dimensions, and the zero is
  /// a tensor if it is not known.
  bool areFree(ArrayRef<int64_t> dims) const;
  /// `value`, the bytes or a parameter, as the levels are shown: a number, a
  /// tensor without dimensions, or one that was permuted with them.
  Value show(FormulaBuilder &c, Value value) const;
};

/// True of a tensor whose sizes have names or are numbers.
bool isSized(Value tensor);

/// What `x` is the levels of.
std::optional<Levels> findLevels(Value x);

/// What a sum of products is made of. `shifts` are added to the levels of the
/// factors, of which one is unsigned then and the other signed.
struct LevelSum {
  LevelSum(FormulaBuilder &c, const Levels &left, const Levels &right);

  int64_t terms = 0;
  int64_t shifts[2] = {0, 0};
  std::optional<int64_t> zeros[2]; ///< if they are known, shifts added
  /// Else the nearest levels, i32 with shifts added, and the rest of zeros,
  /// f32. They broadcast to the result.
  Value levels[2], rests[2];
  Value scales[2]; ///< broadcast to the result
};

/// The sum as f32. `products`, and the sums of the factors that some zeros ask
/// for, are of i32 and broadcast to the result.
Value finishSum(FormulaBuilder &c, const LevelSum &sum, Value products,
                llvm::function_ref<Value()> sumLeft,
                llvm::function_ref<Value()> sumRight);

/// The convolution in place of `op` if both of its factors are levels; else
/// null, and why where they are.
Value convolveLevels(FormulaBuilder &c, ConvolutionOp op, StringRef &why);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_LEVELS_H
