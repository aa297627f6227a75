//===- WalkCases.cpp - Products and rows in several walks -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineCases.h"

using namespace kiln;
using namespace kiln::loop;

// The backward of causal attention. The gradient of keys lies as the transpose of theirs,
// that of values is added to what was there, and totals of rows leave the kernel.
const char loop::kGradientUnits[] = R"(
!q = tensor<2x?x24xbf16, #guard.shape<[2, s0, 24]>>
!k = tensor<2x?x64xbf16, #guard.shape<[2, s1, 64]>>
!g = tensor<?x2x40xbf16, #guard.shape<[s0, 2, 40]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?x1xf32, #guard.shape<[2, s0, 1]>>
!l = tensor<2x24x?xbf16, #guard.shape<[2, 24, s1]>>
!v = tensor<2x?x40xbf16, #guard.shape<[2, s1, 40]>>
func.func @main(%x: !q, %y: !k, %u: !g, %more: !v) -> (!q, !l, !v, !z) {
  %r:4 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !g, %d = %more : !v)
      shared [2, s0] -> (!q, !l, !v, !z) {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [24]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
    %t = loop.reduce parallel (%n, %i, %unit) in [2, s0, 1] reduction (%j) in [s1] <max>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      %h = arith.mulf %f, %half : f32
      %m = arith.cmpi sle, %j, %i : index
      %x1 = arith.select %m, %h, %low : f32
      loop.yield %x1 : f32
    }
    %e = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %h = arith.mulf %f, %half : f32
      %m = arith.cmpi sle, %j, %i : index
      %x1 = arith.select %m, %h, %low : f32
      %t1 = loop.load %t[%n, %i, 0] : !z
      %x2 = arith.subf %x1, %t1 : f32
      %x3 = math.exp %x2 : f32
      loop.yield %x3 : f32
    }
    %z = loop.reduce parallel (%n, %i, %unit) in [2, s0, 1] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %e[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %inverse = loop.pointwise (%n, %i, %unit) in [2, s0, 1] : !z {
      %f = loop.load %z[%n, %i, %unit] : !z
      %h = arith.divf %one, %f : f32
      loop.yield %h : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %h = loop.load %inverse[%n, %i, 0] : !z
      %x1 = arith.mulf %f, %h : f32
      loop.yield %x1 : f32
    }
    %value = loop.contract parallel [2, s1, 40] reduction [s0]
        lhs %w[d0, d3, d1] : !s rhs %c[d3, d0, d2] : !g acc f32 : !v
        rhs_prologue (%x1) {
      %f = arith.extf %x1 : bf16 to f32
      loop.yield %f : f32
    } epilogue (%acc, %n, %j, %k) {
      %f = loop.load %d[%n, %j, %k] : !v
      %h = arith.extf %f : bf16 to f32
      %x1 = arith.addf %acc, %h : f32
      %x2 = arith.truncf %x1 : f32 to bf16
      loop.yield %x2 : bf16
    }
    %p = loop.contract parallel [2, s0, s1] reduction [40]
        lhs %c[d1, d0, d3] : !g rhs %b[d0, d2, d3 + 24] : !k acc f32 : !s
        epilogue (%acc, %n, %i, %j) {
      %f = loop.load %w[%n, %i, %j] : !s
      %h = arith.mulf %acc, %f : f32
      loop.yield %h : f32
    }
    %o = loop.reduce parallel (%n, %i, %unit) in [2, s0, 1] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %p[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %slope = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %p[%n, %i, %j] : !s
      %h = loop.load %w[%n, %i, %j] : !s
      %x1 = loop.load %o[%n, %i, 0] : !z
      %x2 = arith.mulf %h, %x1 : f32
      %x3 = arith.subf %f, %x2 : f32
      %m = arith.cmpi sle, %j, %i : index
      %x4 = arith.select %m, %x3, %none : f32
      %x5 = arith.mulf %x4, %half : f32
      loop.yield %x5 : f32
    }
    %key = loop.contract parallel [2, 24, s1] reduction [s0]
        lhs %a[d0, d3, d1] : !q rhs %slope[d0, d3, d2] : !s acc f32 : !l
        lhs_prologue (%x1) {
      %f = arith.extf %x1 : bf16 to f32
      loop.yield %f : f32
    }
    %query = loop.contract parallel [2, s0, 24] reduction [s1]
        lhs %slope[d0, d1, d3] : !s rhs %b[d0, d3, d2] : !k acc f32 : !q
        rhs_prologue (%x1) {
      %f = arith.extf %x1 : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %query, %key, %value, %z : !q, !l, !v, !z
  }
  return %r#0, %r#1, %r#2, %r#3 : !q, !l, !v, !z
})";

/// `kOverRows` of f16, with factors of 16 and 32 elements.
static std::string getSlopeUnits() {
  static constexpr llvm::StringRef kFrom[] = {
      "!q = tensor<2x?x?xf32, #guard.shape<[2, s0, s2]>>",
      "!k = tensor<2x?x?xf32, #guard.shape<[2, s1, s2]>>",
      "!g = tensor<2x?x?xf32, #guard.shape<[2, s0, s3]>>",
      "!v = tensor<2x?x?xf32, #guard.shape<[2, s1, s3]>>",
      "!l = tensor<2x?x?xbf16, #guard.shape<[2, s2, s1]>>"};
  return change(
      kOverRows,
      {{kFrom[0], "!q = tensor<2x?x16xf16, #guard.shape<[2, s0, 16]>>"},
       {kFrom[1], "!k = tensor<2x?x16xf16, #guard.shape<[2, s1, 16]>>"},
       {kFrom[2], "!g = tensor<2x?x32xf16, #guard.shape<[2, s0, 32]>>"},
       {kFrom[3], "!v = tensor<2x?x32xf16, #guard.shape<[2, s1, 32]>>"},
       {kFrom[4], "!l = tensor<2x16x?xf16, #guard.shape<[2, 16, s1]>>"},
       {"reduction [s2]", "reduction [16]"},
       {"reduction [s3]", "reduction [32]"},
       {"[2, s0, s2]", "[2, s0, 16]"},
       {"[2, s2, s1]", "[2, 16, s1]"},
       {"[2, s1, s3]", "[2, s1, 32]"},
       {"%f = loop.load %d[%n, %i, %j] : !v\n      %g = arith.mulf %f, %half",
        "%f0 = loop.load %d[%n, %i, %j] : !v\n      %f = arith.extf %f0 : f16 to "
        "f32\n      %g = arith.mulf %f, %half"},
       {"%h = arith.addf %acc, %g : f32\n      loop.yield %h : f32",
        "%h0 = arith.addf %acc, %g : f32\n      %h = arith.truncf %h0 : f32 to "
        "f16\n      loop.yield %h : f16"}});
}

/// `units`, the backward of an attention with the gradient `keys` of type `!q`
/// or that of a transpose, with 21 factors of one score, and 37 of the other,
/// of those that it has.
static std::string getPartOfGradients(const char *units, llvm::StringRef keys) {
  static constexpr llvm::StringRef kQueries =
      "!q = tensor<2x?x24xbf16, #guard.shape<[2, s0, 24]>>";
  const std::string results = "!" + keys.str() + ", !v";
  return change(
      units, {{kQueries,
               kQueries.str() +
                   "\n!query = tensor<2x?x21xbf16, #guard.shape<[2, s0, 21]>>"},
              {"2x?x24xbf16, #guard.shape<[2, s1, 24]>",
               "2x?x21xbf16, #guard.shape<[2, s1, 21]>"},
              {"2x24x?xbf16, #guard.shape<[2, 24, s1]>",
               "2x21x?xbf16, #guard.shape<[2, 21, s1]>"},
              {"2x?x40xbf16, #guard.shape<[2, s1, 40]>",
               "2x?x37xbf16, #guard.shape<[2, s1, 37]>"},
              {"reduction [24]", "reduction [21]"},
              {"reduction [40]", "reduction [37]"},
              {"[2, s0, 24] reduction", "[2, s0, 21] reduction"},
              {"[2, s1, 24] reduction", "[2, s1, 21] reduction"},
              {"[2, 24, s1] reduction", "[2, 21, s1] reduction"},
              {"[2, s1, 40] reduction", "[2, s1, 37] reduction"},
              {"acc f32 : !q", "acc f32 : !query"},
              {"(!q, " + results, "(!query, " + results},
              {": !q, " + results, ": !query, " + results}});
}

/// `text`, the backward of an attention, with so many rows and columns.
static std::string getKnownGradients(const std::string &units,
                                     llvm::StringRef rows,
                                     llvm::StringRef columns) {
  std::string text = change(
      units, {{"2x?x24xbf16, #guard.shape<[2, s0, 24]>", "2xs0x24xbf16"},
              {"2x?x64xbf16, #guard.shape<[2, s1, 64]>", "2xs1x64xbf16"},
              {"?x2x40xbf16, #guard.shape<[s0, 2, 40]>", "s0x2x40xbf16"},
              {"2x?x?xf32, #guard.shape<[2, s0, s1]>", "2xs0xs1xf32"},
              {"2x?x1xf32, #guard.shape<[2, s0, 1]>", "2xs0x1xf32"},
              {"2x?xf32, #guard.shape<[2, s0]>", "2xs0xf32"},
              {"2x?x24xbf16, #guard.shape<[2, s1, 24]>", "2xs1x24xbf16"},
              {"2x24x?xbf16, #guard.shape<[2, 24, s1]>", "2x24xs1xbf16"},
              {"2x?x40xbf16, #guard.shape<[2, s1, 40]>", "2xs1x40xbf16"},
              {"2x?x21xbf16, #guard.shape<[2, s0, 21]>", "2xs0x21xbf16"},
              {"2x?x21xbf16, #guard.shape<[2, s1, 21]>", "2xs1x21xbf16"},
              {"2x21x?xbf16, #guard.shape<[2, 21, s1]>", "2x21xs1xbf16"},
              {"2x?x37xbf16, #guard.shape<[2, s1, 37]>", "2xs1x37xbf16"}});
  return change(std::move(text), {{"s0", rows}, {"s1", columns}});
}

llvm::ArrayRef<LoopCase> loop::getWalkCases() {
  static const std::string slopes = getSlopeUnits();
  // Even numbers, so that neighbours are computed together.
  static const std::string pairs =
      getKnownGradients(kGradientUnits, "66", "40");
  static const std::string saved = getKnownGradients(kSavedUnits, "40", "66");
  static const std::string part = getPartOfGradients(kGradientUnits, "l"),
                           savedPart = getPartOfGradients(kSavedUnits, "y");
  static const std::vector<SymbolValues> sizes = {{{"s0", 35}, {"s1", 35}},
                                                  {{"s0", 7}, {"s1", 16}},
                                                  {{"s0", 66}, {"s1", 40}},
                                                  {{"s0", 20}, {"s1", 70}}};
  // Weights are rounded to eight or eleven bits, and what they add up to is often less
  // than they are; so are results.
  static const std::vector<LoopCase> cases = {
      {"GradientUnits", kGradientUnits, sizes, 0, /*ulps=*/16},
      {"SavedUnits", kSavedUnits, sizes, 0, /*ulps=*/1},
      {"SlopeUnits",
       slopes.c_str(),
       {{{"s0", 64}, {"s1", 48}}, {{"s0", 33}, {"s1", 65}}},
       0,
       /*ulps=*/16},
      {"GradientPairs", pairs.c_str(), {{}}, 0, /*ulps=*/16},
      {"SavedPairs", saved.c_str(), {{}}, 0, /*ulps=*/1},
      {"PartOfGradients", part.c_str(), {sizes[0], sizes[3]}, 0, /*ulps=*/16},
      {"PartOfSaved", savedPart.c_str(), {sizes[1], sizes[2]}, 0, /*ulps=*/1}};
  return cases;
}

llvm::ArrayRef<LoopCase> loop::getBroughtWalkCases() {
  // All of 200, then rows and columns of which some tile is not whole, and more of either.
  static const std::string square =
                               getKnownGradients(kGradientUnits, "200", "200"),
                           wide =
                               getKnownGradients(kGradientUnits, "70", "333"),
                           saved = getKnownGradients(kSavedUnits, "333", "70"),
                           // Whose values of rows the copy engine brings.
                               even = getKnownGradients(kSavedUnits, "332",
                                                        "70"),
                           deep = change(saved, {{"24", "72"}, {"64", "112"}}),
                           full =
                               change(saved, {{"sle, %j, %i", "sle, %n, %j"}}),
                           odd = getKnownGradients(
                               getPartOfGradients(kSavedUnits, "y"), "333",
                               "70");
  static const std::vector<LoopCase> cases = {
      {"GradientSquare", square.c_str(), {{}}, 0, /*ulps=*/16},
      {"GradientWide", wide.c_str(), {{}}, 0, /*ulps=*/16},
      {"SavedLong", saved.c_str(), {{}}, 0, /*ulps=*/1},
      {"SavedEven", even.c_str(), {{}}, 0, /*ulps=*/1},
      {"SavedDeep", deep.c_str(), {{}}, 0, /*ulps=*/1},
      {"SavedFull", full.c_str(), {{}}, 0, /*ulps=*/1},
      {"SavedOdd", odd.c_str(), {{}}, 0, /*ulps=*/1}};
  return cases;
}

llvm::ArrayRef<LoopCase> loop::getAddedWalkCases() {
  // Those whose rows have no values but those in memory.
  return getBroughtWalkCases().drop_front(2);
}
