//===- BoundedOption.h - Options of passes that are numbers in a range ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of an option says its range. The range is checked where the text of a
// pipeline is read, and `--help` shows it; passes get a number that is in range.
//
//   Option<"maxNests", "max-nests", "::kiln::Bounded<int64_t, 1, 4096>", "64",
//          "The largest number of nests in one kernel.">
//
//   --max-nests=<1..4096>
//   for the --max-nests option: '0' is out of range, expected 1..4096
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_BOUNDEDOPTION_H
#define KILN_SUPPORT_BOUNDEDOPTION_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kiln {

/// Which numbers of a range are meant.
enum class Among { All, PowersOfTwo };

/// A number from `low` to `high`; whoever makes one from a number vouches for it.
template <typename T, int64_t low, int64_t high, Among among = Among::All>
class Bounded {
public:
  Bounded(T number = T(low)) : number(number) {
    assert(contains(number) && "an option out of its range");
  }
  operator T() const { return number; }

  static bool contains(T number) {
    // As a floating-point number, NaN is in no range.
    if (!(number >= T(low) && number <= T(high)))
      return false;
    return among == Among::All || llvm::isPowerOf2_64(uint64_t(number));
  }
  /// "1..4096", "8..64, a power of 2".
  static llvm::StringRef describe() {
    static const std::string text =
        std::to_string(low) + ".." + std::to_string(high) +
        (among == Among::PowersOfTwo ? ", a power of 2" : "");
    return text;
  }
  /// False if the text is no number of type `T`.
  static bool parse(llvm::StringRef text, T &number) {
    if constexpr (std::is_floating_point_v<T>)
      return !text.empty() && llvm::to_float(text, number);
    else
      return llvm::to_integer(text, number, 0);
  }

private:
  T number;
};

/// Widths of vector registers in bits, and how many there are.
using VectorBits = Bounded<int64_t, 128, 512, Among::PowersOfTwo>;
using VectorRegisters = Bounded<int64_t, 8, 64>;
/// Sizes of caches and tensors: up to a tebibyte, so that sums do not overflow.
using ByteCount = Bounded<int64_t, 0, int64_t(1) << 40>;
/// Memory for what is prepared of weights; -1: nothing is.
using PreparedBytes = Bounded<int64_t, -1, int64_t(1) << 50>;
/// Times in nanoseconds: up to a second.
using Nanoseconds = Bounded<int64_t, 1, 1000000000>;
/// Costs and counts that nothing but the size of programs bounds.
using Count = Bounded<int64_t, 0, 1000000000>;
using PositiveCount = Bounded<int64_t, 1, 1000000000>;
using Fraction = Bounded<double, 0, 1>;

} // namespace kiln

namespace llvm::cl {

template <typename T, int64_t low, int64_t high, kiln::Among among>
class parser<kiln::Bounded<T, low, high, among>>
    : public basic_parser<kiln::Bounded<T, low, high, among>> {
  using Number = kiln::Bounded<T, low, high, among>;

public:
  parser(Option &option) : basic_parser<Number>(option) {}

  bool parse(Option &option, StringRef name, StringRef text, Number &result) {
    T number;
    if (!Number::parse(text, number) || !Number::contains(number))
      return option.error("'" + text + "' is out of range, expected " +
                              Number::describe(),
                          name);
    result = number;
    return false;
  }
  StringRef getValueName() const override { return Number::describe(); }
  void printOptionDiff(const Option &option, Number value,
                       OptionValue<Number>, size_t) const {
    outs() << option.ArgStr << " = " << T(value) << '\n';
  }
  void anchor() override {}
};

} // namespace llvm::cl

#endif // KILN_SUPPORT_BOUNDEDOPTION_H
