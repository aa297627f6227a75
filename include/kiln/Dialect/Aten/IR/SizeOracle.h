//===- SizeOracle.h - Inference that may ask about sizes --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape rules meet questions that symbolic sizes leave open: may s0 + 1 and s1
// be the same, is s2 - 3 perhaps 1? A program that was exported has its guards,
// so `inferResultTypes` of OpInfo.h takes it to be right. A program whose sizes
// become symbols has none: then an oracle answers, and keeps what it said.
//
//   struct Generous : SizeOracle {
//     bool decide(guard::ExprAttr condition, bool otherwise) override {
//       assumed.push_back({condition, otherwise});
//       return otherwise;
//     }
//     ...
//   };
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_SIZEORACLE_H
#define KILN_DIALECT_ATEN_IR_SIZEORACLE_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

namespace kiln::aten {

/// Answers what inference asks about symbolic sizes and their expressions leave
/// open. An answer is an assumption of the program from then on, so whoever
/// implements this keeps it as a guard.
class SizeOracle {
public:
  virtual ~SizeOracle();
  /// Whether a condition holds; `otherwise` is what to assume of symbols that
  /// nothing is known of.
  virtual bool decide(guard::ExprAttr condition, bool otherwise) = 0;
  /// The number that a size is; nothing if that is not known. `reason` says why
  /// it has to be one, as what follows "'aten.unbind.int', ".
  virtual std::optional<int64_t> fix(guard::ExprAttr size,
                                     StringRef reason) = 0;
  /// A symbol for a size that values decide, the `index`-th of the op.
  virtual guard::ExprAttr nameDataSize(unsigned index,
                                       guard::Interval range) = 0;
};

/// `inferResultTypes` with an oracle.
LogicalResult inferResultTypes(MLIRContext *context,
                               std::optional<Location> loc,
                               const OpInfo &info, ArrayRef<ArgValue> args,
                               SmallVectorImpl<Type> &types,
                               SizeOracle &oracle);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_SIZEORACLE_H
