//===- SortedRow.h - The elements of a row that are put in order ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EMISSION_SORTEDROW_H
#define KILN_LIB_EMISSION_SORTEDROW_H

#include "kiln/Emission/KernelEmitter.h"

namespace kiln::loop {

/// How the keys and the position of an element lie in memory.
struct SortedShape {
  /// For keys of such types, in a row of so many elements if that is known.
  SortedShape(MLIRContext *context, ArrayRef<Type> keys,
              std::optional<int64_t> extent, bool countsDigits);

  /// Of the counters that a sort by digits needs.
  int64_t getCounterBytes() const;

  SmallVector<Type> keys;
  /// What there is an array of: the keys and then the position; or one word, whose upper half
  /// is the key and whose lower one the position.
  SmallVector<Type> types;
  bool isPacked = false;
  /// Rows are sorted by digits, not by merging.
  bool countsDigits = false;
};

/// The keys and positions of one row, or of some of it: two halves of each array.
class SortedRow {
public:
  /// `pointers` are to an array for each of the types, `counters` to those of digits.
  SortedRow(ImplicitLocOpBuilder &b, const SortedShape &shape,
            ArrayRef<Value> pointers, Value counters)
      : b(b), shape(shape), pointers(pointers), counters(counters) {}

  /// The keys of an element, and its position.
  SmallVector<Value> load(Value at);
  void store(Value at, ArrayRef<Value> values);

  /// Puts the first `count` elements of the half that begins at 0 in order; the
  /// other one begins at `half`. Gives where the half begins that they are in
  /// then.
  Value sort(Value count, Value half) {
    return shape.countsDigits ? sortByDigits(count, half)
                              : sortByMerging(count, half);
  }

private:
  /// Digits of an array that elements are sorted by, the least first.
  struct Digits {
    unsigned array, firstBit, count;
    int64_t counters; ///< number of the first counter
  };
  SmallVector<Digits> getDigits() const;

  Value sortByMerging(Value count, Value half);
  void merge(Value low, Value middle, Value high, Value from, Value to);

  Value sortByDigits(Value count, Value half);
  void countDigits(ArrayRef<Digits> all, Value count);
  Value sortByDigit(const Digits &digits, Value number, Value count, Value from,
                    Value half);
  void addUp(Value first);
  void distribute(const Digits &digits, Value shift, Value flip, Value first,
                  Value count, Value from, Value to);
  Value getDigit(Value word, Value shift, Value flip);
  Value getWord(Value element);

  SmallVector<Value> loadArrays(Value at);
  void storeArrays(Value at, ArrayRef<Value> values);
  Value getCounterPlace(Value number);
  Value loadCounter(Value number);
  void storeCounter(Value number, Value value);
  /// Runs `body` for each index of [begin, end).
  void repeat(Value begin, Value end, llvm::function_ref<void(Value)> body);

  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value word(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI64Type(), value);
  }
  Value address(Value pointer, Type type, Value at);

  ImplicitLocOpBuilder &b;
  const SortedShape &shape;
  ArrayRef<Value> pointers;
  Value counters;
};

} // namespace kiln::loop

#endif // KILN_LIB_EMISSION_SORTEDROW_H
