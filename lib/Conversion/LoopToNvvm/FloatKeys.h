//===- FloatKeys.h - Keys that order floats ---------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of several floats, the one with the least key is found among the floats: an
// instruction compares two pairs of 16 bits, where each key takes several.
//
//   auto floats = FloatKey::match(key);      // what `makeSortKey` has made
//   Value one = floats->getNone(b, bf16);
//   for (Value x : elements)
//     one = floats->join(b, one, x);         // max or min
//   Value least = floats->getKey(b, one);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTONVVM_FLOATKEYS_H
#define KILN_LIB_CONVERSION_LOOPTONVVM_FLOATKEYS_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace kiln::loop {

/// The least capability of a GPU with instructions that join floats: two of 16
/// bits at once, and NaN is what they give, or what they leave out.
inline constexpr int64_t kGPUJoinsFloats = 80;

struct FloatKey {
  Value value;                         ///< of the body, f16, bf16 or f32
  bool descending;                     ///< the greatest float has the least key
  SmallVector<Operation *> operations; ///< that make the key of it, in order

  /// What `key`, a value of a body, is made of, if it is as `makeSortKey` makes
  /// it: NaN is above everything, zeros are alike.
  static std::optional<FloatKey> match(Value key);

  /// Of a type as `value` has, or vectors of it: joined with others gives
  /// these, and has the key that none is above.
  Value getNone(ImplicitLocOpBuilder &b, Type type) const;
  /// One of the two whose key is the lesser, lane by lane.
  Value join(ImplicitLocOpBuilder &b, Value x, Value y) const;
  /// The key of a float.
  Value getKey(ImplicitLocOpBuilder &b, Value x) const;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTONVVM_FLOATKEYS_H
