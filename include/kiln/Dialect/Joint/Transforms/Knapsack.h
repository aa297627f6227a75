//===- Knapsack.h - The least cost within a number of bytes -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 0-1 knapsack whose items have any number of states: of each item one state
// is taken, and the sum of bytes must stay within a capacity while the sum of
// costs is least. "Save it or compute it again" is an item of two states; a
// region of a graph, in which parts can be saved, has more.
//
// It is solved by growing the frontier, the sums that no other sum beats in
// both bytes and cost, item by item (Nemhauser and Ullmann, "Discrete dynamic
// programming and capital allocation", 1969). Numbers of any size are exact,
// and no table of the capacity's size is needed. A frontier of more points than
// `limit` is thinned: of those that lie within the same 1/limit of the range of
// bytes, the one of fewest bytes stays. A sum is exact even then.
//
// The frontier does not depend on the capacity. So the bytes taken never grow
// when the capacity falls, thinned or not.
//
// Example: 100 bytes for free or 0 for a cost of 7; and 60 or 0 for 2.
//
//   Knapsack sack({{{100, 0}, {0, 7}}, {{60, 0}, {0, 2}}});
//   sack.choose(120);   // {0, 1}: keep the first, give up the second
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_JOINT_TRANSFORMS_KNAPSACK_H
#define KILN_DIALECT_JOINT_TRANSFORMS_KNAPSACK_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln::joint {

/// A state of an item, or a sum of such states.
struct Tradeoff {
  int64_t bytes = 0;
  int64_t cost = 0;
};

/// Leaves the states that no other one beats, by rising bytes and falling cost;
/// of equals the first. Returns their numbers in `states`.
std::vector<int> findFrontier(const std::vector<Tradeoff> &states);

class Knapsack {
public:
  static constexpr size_t kLimit = 8192;

  /// Each item has at least one state.
  explicit Knapsack(const std::vector<std::vector<Tradeoff>> &items,
                    size_t limit = kLimit);

  /// The number of the state taken of each item: of least cost within
  /// `capacity` bytes, among these of fewest bytes. If nothing fits, what has
  /// the fewest bytes.
  std::vector<int> choose(int64_t capacity) const;

private:
  struct Point {
    Tradeoff sum;
    int before; ///< the point of the previous layer
    int state;  ///< of the item of this layer
  };
  using Layer = std::vector<Point>;

  static Layer addItem(const Layer &before, const std::vector<Tradeoff> &item);
  static void thin(Layer &layer, size_t limit);

  /// What remains of a layer once the next one is there.
  struct Step {
    int before;
    int state;
  };
  std::vector<std::vector<Step>> steps; ///< per item, per point
  std::vector<Tradeoff> sums;           ///< the last layer's
};

} // namespace kiln::joint

#endif // KILN_DIALECT_JOINT_TRANSFORMS_KNAPSACK_H
