//===- Lowerings.h - Lowerings of whole categories --------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowerings that need nothing of the converter but what it offers to all. Each
// tells whether it knows the operator.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H

#include "Converter.h"

namespace kiln::loop {

/// Operators that draw random numbers (Random.cpp).
std::optional<LogicalResult> lowerRandom(Converter &converter,
                                         llvm::StringRef name);
/// Triangular systems, Cholesky and QR (Factorizations.cpp).
std::optional<LogicalResult> lowerFactorization(Converter &converter,
                                                llvm::StringRef name);
/// Places in sorted rows, and histograms (Search.cpp).
std::optional<LogicalResult> lowerSearch(Converter &converter,
                                         llvm::StringRef name);

/// The first position of a row of `extent` elements for which `isBehind` is
/// true, `extent` if there is none; as an index. The row is in order. A read at
/// `position` is masked by `mask` (Search.cpp).
Value searchRow(Converter &converter, BodyContext body, guard::ExprAttr extent,
                llvm::function_ref<Value(Value position, Value mask)> isBehind);
/// The symbol `size` has the value of `number`, an i64 tensor without
/// dimensions (Selection.cpp).
void defineSymbol(Converter &converter, guard::ExprAttr size, Value number);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_LOWERINGS_H
