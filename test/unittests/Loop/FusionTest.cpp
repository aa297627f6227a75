//===- FusionTest.cpp - Which nests become one kernel ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/Transforms/Fusion.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace kiln;
using namespace kiln::loop;

namespace {

struct FusionTest : public ::testing::Test {
  FusionTest() { context.loadDialect<guard::GuardDialect>(); }

  /// A node over `extents` that writes tensor `writes` and reads `reads`, each
  /// of `bytes` bytes with alignment `alignment`.
  void addNode(FusionNode::Kind kind, ArrayRef<int64_t> extents,
               int64_t reduced, unsigned writes,
               ArrayRef<std::pair<unsigned, unsigned>> reads) {
    FusionNode node;
    node.kind = kind;
    node.points = reduced;
    for (int64_t extent : extents) {
      node.parallel.push_back(guard::getConstant(&context, extent));
      node.parallelHints.push_back(extent);
      node.points *= extent;
    }
    for (auto [tensor, alignment] : reads)
      node.reads.push_back({tensor, problem.tensors[tensor].bytes, alignment});
    node.writes.push_back(writes);
    problem.nodes.push_back(node);
  }
  unsigned addTensor(int64_t bytes, bool escapes = false) {
    problem.tensors.push_back({bytes, escapes});
    return problem.tensors.size() - 1;
  }

  mlir::MLIRContext context;
  FusionProblem problem;
};

} // namespace

using Kind = FusionNode::Kind;

TEST_F(FusionTest, RowReductionFusesWithItsReader) {
  unsigned x = addTensor(4096), sum = addTensor(128),
           out = addTensor(4096, true);
  addNode(Kind::Reduction, {32}, 32, sum, {{x, 2}});
  addNode(Kind::Pointwise, {32, 32}, 1, out, {{x, 2}, {sum, 1}});
  FusionResult result = runFusion(problem, {});
  ASSERT_EQ(result.groups.size(), 1u);
  EXPECT_EQ(result.groups[0].shared, 1u);
  using Nodes = std::vector<unsigned>;
  ASSERT_EQ(result.rounds.size(), 1u);
  const FusionRound &round = result.rounds[0];
  EXPECT_EQ(round.candidates, (std::vector<Nodes>{{0}, {1}}));
  ASSERT_EQ(round.fusions.size(), 1u);
  EXPECT_EQ(round.fusions[0], std::make_pair(Nodes{0}, Nodes{1}));
  EXPECT_EQ(round.groupsBefore, 2u);
  EXPECT_EQ(round.groupsAfter, 1u);
}

TEST_F(FusionTest, EachWayOfFusionHasASwitch) {
  unsigned x = addTensor(4096), y = addTensor(4096), z = addTensor(4096, true),
           out = addTensor(4096, true);
  addNode(Kind::Pointwise, {32, 32}, 1, y, {{x, 2}});
  addNode(Kind::Pointwise, {32, 32}, 1, z, {{x, 2}});
  addNode(Kind::Pointwise, {32, 32}, 1, out, {{y, 2}});
  EXPECT_EQ(runFusion(problem, {}).groups.size(), 1u);
  FusionOptions options;
  options.vertical = false;
  FusionResult result = runFusion(problem, options);
  EXPECT_EQ(result.groups.size(), 2u);
  ASSERT_EQ(result.refusals.size(), 1u);
  EXPECT_EQ(result.refusals[0].obstacle.str(), "'vertical' is off");
  options = {};
  options.horizontal = false;
  result = runFusion(problem, options);
  EXPECT_EQ(result.groups.size(), 2u);
  ASSERT_EQ(result.refusals.size(), 1u);
  EXPECT_EQ(result.refusals[0].obstacle.str(), "'horizontal' is off");
}

TEST_F(FusionTest, ReadAtAnotherIndexIsRefused) {
  unsigned x = addTensor(4096), y = addTensor(4096),
           out = addTensor(4096, true);
  addNode(Kind::Pointwise, {32, 32}, 1, y, {{x, 2}});
  addNode(Kind::Pointwise, {32, 32}, 1, out, {{y, 0}}); // transposed
  FusionResult result = runFusion(problem, {});
  EXPECT_EQ(result.groups.size(), 2u);
  ASSERT_EQ(result.refusals.size(), 1u);
  EXPECT_EQ(result.refusals[0].obstacle.str(),
            "a value is read at an index other than the one it is computed at");
}

TEST_F(FusionTest, ACycleThroughAnotherKernelIsRefused) {
  unsigned x = addTensor(4096), a = addTensor(4096), b = addTensor(4096),
           out = addTensor(4096, true);
  addNode(Kind::Pointwise, {32, 32}, 1, a, {{x, 2}});
  addNode(Kind::Opaque, {}, 1, b, {{a, 0}});
  addNode(Kind::Pointwise, {32, 32}, 1, out, {{a, 2}, {b, 2}});
  FusionResult result = runFusion(problem, {});
  ASSERT_EQ(result.groups.size(), 3u);
  EXPECT_EQ(result.refusals[0].obstacle.str(), "another kernel lies between them");
}

TEST_F(FusionTest, ScattersAndContractionsStayAlone) {
  unsigned x = addTensor(4096), a = addTensor(4096), b = addTensor(4096, true);
  addNode(Kind::Contraction, {32, 32}, 32, a, {{x, 1}});
  addNode(Kind::Scatter, {32, 32}, 1, b, {{a, 2}});
  FusionResult result = runFusion(problem, {});
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.groups[0].shared, 2u);
  EXPECT_EQ(result.groups[1].shared, 0u); // walked in order
}

TEST_F(FusionTest, TooFewRowsOfALargeKernelAreRefused) {
  unsigned x = addTensor(1 << 22), sum = addTensor(8),
           out = addTensor(1 << 22, true);
  addNode(Kind::Reduction, {2}, 1 << 19, sum, {{x, 2}});
  addNode(Kind::Pointwise, {2, 1 << 19}, 1, out, {{x, 2}, {sum, 1}});
  FusionResult result = runFusion(problem, {});
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.refusals[0].obstacle.str(),
            "only 2 rows would be left to run in parallel");
}

TEST_F(FusionTest, FewRowsStayTogetherWhereThreadsShareThem) {
  unsigned x = addTensor(1 << 14), sum = addTensor(8),
           out = addTensor(1 << 14, true);
  addNode(Kind::Reduction, {2}, 1 << 12, sum, {{x, 2}});
  addNode(Kind::Pointwise, {2, 1 << 12}, 1, out, {{x, 2}, {sum, 1}});
  FusionOptions options;
  options.smallKernelPoints = 1 << 10;
  options.sharedRow = 1 << 12;
  // Elements that lie apart are for one thread.
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
  for (FusionNode &node : problem.nodes)
    node.rowElements = 1 << 12;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
  options.sharedRow = 1 << 11;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
}

TEST_F(FusionTest, FewThreadsDoNotWalkRowsThatTheyCannotShare) {
  // A gate for each channel, and an image that reads it.
  unsigned x = addTensor(4 << 10), gate = addTensor(4 << 6), out = addTensor(4 << 10, true);
  for (auto [tensor, elements] : {std::pair(x, 1 << 10), {gate, 1 << 6}, {out, 1 << 10}})
    problem.tensors[tensor].elements = elements;
  addNode(Kind::Pointwise, {2, 32}, 1, gate, {{x, 2}});
  addNode(Kind::Pointwise, {2, 16, 32}, 1, out, {{x, 3}, {gate, 1}});
  FusionOptions options;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
  options.mostSerialPoints = 64;
  options.minAcrossItems = 1 << 10;
  FusionResult result = runFusion(problem, options);
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.refusals[0].obstacle.str(),
            "only 2 rows would be left to run in parallel");
  // Enough of them may, and those that read their own place share the row.
  options.minAcrossItems = 2;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
  options.minAcrossItems = 1 << 10;
  problem.nodes.back().reads.back().isOwnPlace = true;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
}

TEST_F(FusionTest, ReductionsThatThreadsShareGiveOneValue) {
  // Sums of 16 rows for each of two points: a block would have 16 of each.
  unsigned x = addTensor(4 << 10), sum = addTensor(4 << 5), out = addTensor(4 << 10, true);
  problem.tensors[x].elements = problem.tensors[out].elements = 1 << 10;
  problem.tensors[sum].elements = 1 << 5;
  addNode(Kind::Reduction, {2, 16}, 32, sum, {{x, 2}});
  addNode(Kind::Pointwise, {2, 512}, 1, out, {{x, 2}, {sum, 1}});
  FusionOptions options;
  options.mostSerialPoints = 64;
  options.minAcrossItems = 1 << 10;
  problem.nodes.back().reads.back().isOwnPlace = true;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
  problem.tensors[sum].elements = 2;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
}

TEST_F(FusionTest, ComputedPlacesOfARowThatThreadsShareAreWithOthers) {
  unsigned x = addTensor(1 << 20), row = addTensor(1 << 20),
           out = addTensor(1 << 20, true);
  addNode(Kind::Pointwise, {64, 1 << 12}, 1, row, {{x, 2}});
  addNode(Kind::Pointwise, {64, 1 << 12}, 1, out, {{row, 1}});
  problem.nodes.back().reads.front().isComputed = true;
  EXPECT_EQ(runFusion(problem, {}).groups.size(), 1u);
  FusionOptions options;
  options.sharedRow = 1 << 12;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
  problem.nodes.back().reads.front().isComputed = false;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
}

TEST_F(FusionTest, IndependentNestsFuseOverACommonInput) {
  unsigned x = addTensor(4096), a = addTensor(4096, true),
           b = addTensor(4096, true);
  addNode(Kind::Pointwise, {1024}, 1, a, {{x, 1}});
  addNode(Kind::Pointwise, {1024}, 1, b, {{x, 1}});
  EXPECT_EQ(runFusion(problem, {}).groups.size(), 1u);
  FusionOptions options;
  options.minHorizontalBytes = 1 << 20;
  FusionResult result = runFusion(problem, options);
  EXPECT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.refusals[0].obstacle.str(), "it would save less than 1048576 bytes");
}

TEST_F(FusionTest, RowsAndColumnsOfASquareHaveNothingInCommon) {
  unsigned x = addTensor(1 << 20), rows = addTensor(2048, true),
           columns = addTensor(2048, true);
  addNode(Kind::Reduction, {512}, 512, rows, {{x, 1}});
  addNode(Kind::Reduction, {512}, 512, columns, {{x, 0}});
  problem.nodes[0].reads[0].dims = {0};
  problem.nodes[1].reads[0].dims = {-1, 0};
  FusionResult result = runFusion(problem, {});
  EXPECT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.refusals[0].obstacle.kind, FusionObstacle::Kind::LittleSaved);
  // Both by rows.
  problem.nodes[1].reads[0] = problem.nodes[0].reads[0];
  EXPECT_EQ(runFusion(problem, {}).groups.size(), 1u);
}

namespace {
/// The largest element of each column of images [8, 64, 128] and what is left of elements
/// without it, for blocks that keep so much of columns.
struct FusionColumnsTest : public FusionTest {
  FusionColumnsTest() {
    unsigned x = addTensor(8 * 64 * 128 * 4), largest = addTensor(8 * 128 * 4),
             out = addTensor(8 * 64 * 128 * 4, true);
    for (FusionTensor &tensor : problem.tensors)
      tensor.elements = tensor.bytes / 4;
    addNode(Kind::Reduction, {8, 1, 128}, 64, largest, {{x, 1}});
    addNode(Kind::Pointwise, {8, 64, 128}, 1, out, {{x, 3}, {largest, 1}});
    FusionNode &max = problem.nodes[0], &sub = problem.nodes[1];
    max.reduction = {guard::getConstant(&context, 64)};
    max.hasColumns = true;
    max.reads[0].dims = {0, 3, 2};
    sub.reads[0].dims = {0, 1, 2};
    sub.reads[1].dims = {0, -1, 2};
    options.minWorkItems = 132;
    options.smallKernelPoints = 1 << 14;
    options.columnWords = 1 << 15;
    options.columnBytes = 32;
  }
  FusionOptions options;
};
} // namespace

TEST_F(FusionColumnsTest, ColumnsAreSharedWhereverTheirElementsStand) {
  FusionResult result = runFusion(problem, options);
  ASSERT_EQ(result.groups.size(), 1u);
  EXPECT_EQ(result.groups[0].shared, 1u);
  // Where nobody shares them, 8 images are too few.
  options.columnWords = 0;
  result = runFusion(problem, options);
  EXPECT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.refusals[0].obstacle.kind, FusionObstacle::Kind::FewRows);
}

TEST_F(FusionColumnsTest, ValuesAreThoseOfTheOwnColumn) {
  problem.nodes[1].reads[1].dims = {0, -1, 1};
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
  problem.nodes[1].reads[1].dims = {0, -1, -1};
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
}

TEST_F(FusionColumnsTest, RegistersHoldThem) {
  // 64 elements of 8 columns of f32 are a sector.
  options.columnWords = 64 * 8;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
  options.columnWords = 64 * 8 - 1;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
  // There are 128 of them: of twice as many, half of what a block keeps.
  options.columnTiles = 256;
  options.columnWords = 2 * 64 * 8;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 1u);
  --options.columnWords;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
}

TEST_F(FusionColumnsTest, OthersThanThoseAcrossMemoryAreRows) {
  problem.nodes[0].hasColumns = false;
  EXPECT_EQ(runFusion(problem, options).groups.size(), 2u);
}

TEST(KeptElements, AreCountedAsFarAsTheyAreWantedTogether) {
  // An input and what is made of it are not kept both; two that overlap are.
  EXPECT_EQ(countKeptBytes({{4, 0, 1}, {4, 1, 4}}), 4);
  EXPECT_EQ(countKeptBytes({{4, 0, 2}, {2, 1, 4}}), 6);
  EXPECT_EQ(countKeptBytes({{4, 2, 2}}), 0);
}
