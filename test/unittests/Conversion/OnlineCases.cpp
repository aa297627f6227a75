//===- OnlineCases.cpp - Two products in one walk -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes below, at and above tiles of rows and columns, and rows of factors that are no
// multiple of what a matrix unit takes.
//
//===----------------------------------------------------------------------===//

#include "OnlineCases.h"

using namespace kiln;
using namespace kiln::loop;

// A causal mask, two heads of queries for one of keys, values that lie in one tensor with
// the keys, and a result in another order.
static const char kCausalUnits[] = R"(
!q = tensor<2x?x24xbf16, #guard.shape<[2, s0, 24]>>
!k = tensor<1x?x64xbf16, #guard.shape<[1, s1, 64]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?xf32, #guard.shape<[2, s0]>>
!o = tensor<?x2x40xbf16, #guard.shape<[s0, 2, 40]>>
func.func @main(%x: !q, %y: !k) -> !o {
  %r = loop.kernel @k ins(%a = %x : !q, %b = %y : !k) shared [2, s0] -> !o {
    %low = arith.constant 0xFF800000 : f32
    %one = arith.constant 1.0 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [24]
        lhs %a[d0, d1, d3] : !q rhs %b[floordiv(d0, 2), d2, d3] : !k
        acc f32 : !s
    %t = loop.reduce parallel (%n, %i) in [2, s0] reduction (%j) in [s1] <max>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.index_cast %j : index to i64
      %l = arith.index_cast %i : index to i64
      %m = arith.cmpi sle, %p, %l : i64
      %g = arith.select %m, %f, %low : f32
      loop.yield %g : f32
    }
    %e = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.index_cast %j : index to i64
      %l = arith.index_cast %i : index to i64
      %m = arith.cmpi sle, %p, %l : i64
      %g = arith.select %m, %f, %low : f32
      %h = loop.load %t[%n, %i] : !z
      %d = arith.subf %g, %h : f32
      %w = math.exp %d : f32
      loop.yield %w : f32
    }
    %z = loop.reduce parallel (%n, %i) in [2, s0] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %e[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %u = loop.pointwise (%n, %i) in [2, s0] : !z {
      %f = loop.load %z[%n, %i] : !z
      %g = arith.divf %one, %f : f32
      loop.yield %g : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %g = loop.load %u[%n, %i] : !z
      %h = arith.mulf %f, %g : f32
      loop.yield %h : f32
    }
    %o = loop.contract parallel [s0, 2, 40] reduction [s1]
        lhs %w[d1, d0, d3] : !s rhs %b[floordiv(d1, 2), d3, d2 + 24] : !k
        acc f32 : !o rhs_prologue (%v) {
      %f = arith.extf %v : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %o : !o
  }
  return %r : !o
})";

// A bias that is minus infinity in some whole rows, weights of 0 there and rounded before
// they are multiplied, scores that are scaled and rounded in the first product's epilogue,
// an epilogue of the second that reads memory, and values of rows that leave the kernel.
static const char kBiasedUnits[] = R"(
!q = tensor<3x40x16xf16>
!k = tensor<3x72x16xf16>
!v = tensor<3x72x32xf16>
!b = tensor<40x72xf32>
!s = tensor<3x40x72xf16>
!e = tensor<3x40x72xf32>
!z = tensor<3x40x1xf32>
!o = tensor<3x40x32xf32>
func.func @main(%x: !q, %y: !k, %u: !v, %p: !b, %q: !o) -> (!o, !z, !z) {
  %r:3 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !v, %d = %p : !b,
                          %more = %q : !o)
      shared [3, 40] -> (!o, !z, !z) {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %scale = arith.constant 0.25 : f32
    %row = arith.constant 3 : index
    %s = loop.contract parallel [3, 40, 72] reduction [16]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
        epilogue (%acc, %n, %i, %j) {
      %f = arith.mulf %acc, %scale : f32
      %g = arith.truncf %f : f32 to f16
      loop.yield %g : f16
    }
    %t = loop.reduce parallel (%n, %i, %unit) in [3, 40, 1] reduction (%j) in [72]
        <max> : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      %g = arith.extf %f : f16 to f32
      %h = loop.load %d[%i, %j] : !b
      %l = arith.addf %g, %h : f32
      %m = arith.cmpi slt, %i, %row : index
      %x1 = arith.select %m, %low, %l : f32
      loop.yield %x1 : f32
    }
    %e = loop.pointwise (%n, %i, %j) in [3, 40, 72] : !e {
      %f = loop.load %s[%n, %i, %j] : !s
      %g = arith.extf %f : f16 to f32
      %h = loop.load %d[%i, %j] : !b
      %l = arith.addf %g, %h : f32
      %m = arith.cmpi slt, %i, %row : index
      %x1 = arith.select %m, %low, %l : f32
      %t1 = loop.load %t[%n, %i, 0] : !z
      %x2 = arith.subf %x1, %t1 : f32
      %x3 = math.exp %x2 : f32
      loop.yield %x3 : f32
    }
    %z = loop.reduce parallel (%n, %i, %unit) in [3, 40, 1] reduction (%j) in [72]
        <sum> : !z {
      %f = loop.load %e[%n, %i, %j] : !e
      loop.yield %f : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [3, 40, 72] : !s {
      %t1 = loop.load %t[%n, %i, 0] : !z
      %m = arith.cmpf oeq, %t1, %low : f32
      %f = loop.load %e[%n, %i, %j] : !e
      %g = loop.load %z[%n, %i, 0] : !z
      %h = arith.divf %f, %g : f32
      %l = arith.select %m, %none, %h : f32
      %x1 = arith.truncf %l : f32 to f16
      loop.yield %x1 : f16
    }
    %o = loop.contract parallel [3, 40, 32] reduction [72]
        lhs %w[d0, d1, d3] : !s rhs %c[d0, d3, d2] : !v acc f32 : !o
        epilogue (%acc, %n, %i, %j) {
      %f = loop.load %more[%n, %i, %j] : !o
      %g = arith.addf %acc, %f : f32
      loop.yield %g : f32
    }
    loop.return %o, %t, %z : !o, !z, !z
  }
  return %r#0, %r#1, %r#2 : !o, !z, !z
})";

// One row of each of four heads that share keys, some of which are not there yet.
static const char kOneRow[] = R"(
!q = tensor<2x4x1x32xbf16>
!k = tensor<2x2x?x32xbf16, #guard.shape<[2, 2, s0, 32]>>
!v = tensor<2x2x?x24xbf16, #guard.shape<[2, 2, s0, 24]>>
!i = tensor<1xi64>
!s = tensor<2x4x1x?xf32, #guard.shape<[2, 4, 1, s0]>>
!z = tensor<2x4x1x1xf32>
!o = tensor<2x1x4x24xbf16>
func.func @main(%x: !q, %y: !k, %u: !v, %p: !i) -> !o {
  %r = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !v, %last = %p : !i)
      shared [2, 4, 1] -> !o {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [2, 4, 1, s0] reduction [32]
        lhs %a[d0, d1, 0, d4] : !q rhs %b[d0, floordiv(d1, 2), d3, d4] : !k
        acc f32 : !s
    %t = loop.reduce parallel (%n, %h, %i, %unit) in [2, 4, 1, 1]
        reduction (%j) in [s0] <max> : !z {
      %f = loop.load %s[%n, %h, %i, %j] : !s
      %l = loop.load %last[%i] : !i
      %g = arith.index_cast %j : index to i64
      %m = arith.cmpi sle, %g, %l : i64
      %e1 = arith.select %m, %f, %low : f32
      loop.yield %e1 : f32
    }
    %e = loop.pointwise (%n, %h, %i, %j) in [2, 4, 1, s0] : !s {
      %f = loop.load %s[%n, %h, %i, %j] : !s
      %l = loop.load %last[%i] : !i
      %g = arith.index_cast %j : index to i64
      %m = arith.cmpi sle, %g, %l : i64
      %e1 = arith.select %m, %f, %low : f32
      %t1 = loop.load %t[%n, %h, %i, 0] : !z
      %d = arith.subf %e1, %t1 : f32
      %w = math.exp %d : f32
      loop.yield %w : f32
    }
    %z = loop.reduce parallel (%n, %h, %i, %unit) in [2, 4, 1, 1]
        reduction (%j) in [s0] <sum> : !z {
      %f = loop.load %e[%n, %h, %i, %j] : !s
      loop.yield %f : f32
    }
    %w = loop.pointwise (%n, %h, %i, %j) in [2, 4, 1, s0] : !s {
      %f = loop.load %e[%n, %h, %i, %j] : !s
      %g = loop.load %z[%n, %h, %i, 0] : !z
      %t1 = loop.load %t[%n, %h, %i, 0] : !z
      %m = arith.cmpf oeq, %t1, %low : f32
      %d = arith.divf %f, %g : f32
      %e1 = arith.select %m, %none, %d : f32
      loop.yield %e1 : f32
    }
    %o = loop.contract parallel [2, 1, 4, 24] reduction [s0]
        lhs %w[d0, d2, d1, d4] : !s rhs %c[d0, floordiv(d2, 2), d4, d3] : !v
        acc f32 : !o rhs_prologue (%v) {
      %f = arith.extf %v : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %o : !o
  }
  return %r : !o
})";

std::string loop::change(
    std::string text,
    llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> changes) {
  for (auto [from, to] : changes)
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from.str(), at + to.size()))
      text.replace(at, from.size(), to.str());
  return text;
}

/// `kCausalUnits` with scores of so many factors, and so many columns of the
/// result; more lie behind them in memory.
static std::string getPartOfUnits(const std::string &factors,
                                  const std::string &columns) {
  return change(
      kCausalUnits,
      {{"reduction [24]", "reduction [" + factors + "]"},
       {"?x2x40xbf16, #guard.shape<[s0, 2, 40]>",
        "?x2x" + columns + "xbf16, #guard.shape<[s0, 2, " + columns + "]>"},
       {"[s0, 2, 40] reduction", "[s0, 2, " + columns + "] reduction"}});
}

/// `kCausalUnits` with all scores multiplied by a number, on either side of a mask.
static std::string getScaledUnits() {
  return change(
      kCausalUnits,
      {{"%one = arith", "%tenth = arith.constant 0.1 : f32\n    %one = arith"},
       {"%g = arith.select %m, %f, %low",
        "%less = arith.mulf %tenth, %f : f32\n      %g = arith.select %m, %less, "
        "%low"}});
}

/// `kCausalUnits` with exponents of which some are above 2^127, and no two that differ are
/// near each other.
static std::string getHugeUnits() {
  return change(
      kCausalUnits,
      {{"%one = arith", "%big = arith.constant 7.9e36 : f32\n    %one = arith"},
       {"%g = arith.select %m, %f, %low",
        "%large = arith.mulf %f, %big : f32\n      %g = arith.select %m, %large, "
        "%low"}});
}

static const char kSeen[] = "%m = arith.cmpi sle, %g, %l : i64",
                  kSeenScore[] = "%e1 = arith.select %m, %f, %low : f32";

/// `kOneRow` where the last heads see no column.
static std::string getHiddenRow() {
  return change(kOneRow, {{kSeen, "%two = arith.constant 2 : index\n"
                                  "      %m = arith.cmpi slt, %h, %two : index"}});
}

/// `kOneRow` with scores that are multiplied by a number.
static std::string getScaledRow() {
  return change(kOneRow, {{kSeenScore, "%tenth = arith.constant 0.1 : f32\n"
                                       "      %less = arith.mulf %f, %tenth : f32\n"
                                       "      %e1 = arith.select %m, %less, %low "
                                       ": f32"}});
}

/// `kOneRow` with a NaN in a middle part of each first head's columns.
static std::string getRowWithNaN() {
  return change(kOneRow, {{kSeenScore,
                           "%nan = arith.constant 0x7FC00000 : f32\n"
                           "      %at = arith.constant 37 : index\n"
                           "      %first = arith.constant 0 : index\n"
                           "      %is_at = arith.cmpi eq, %j, %at : index\n"
                           "      %is_first = arith.cmpi eq, %h, %first : index\n"
                           "      %is_nan = arith.andi %is_at, %is_first : i1\n"
                           "      %e1 = arith.select %is_nan, %nan, %f : f32"}});
}

/// `kOneRow` with something to add to scores, which has no more columns than they.
static std::string getBiasedRow() {
  return change(kOneRow,
                {{"%p: !i)", "%p: !i, %q: !s)"},
                 {"%last = %p : !i)", "%last = %p : !i, %bias = %q : !s)"},
                 {kSeenScore, "%more = loop.load %bias[%n, %h, %i, %j] : !s\n"
                              "      %e1 = arith.addf %f, %more : f32"}});
}

/// `kOneRow` with the heads that share keys as rows of one point.
static std::string getGatheredRows() {
  return change(kOneRow,
                {{"2x4x1x?xf32, #guard.shape<[2, 4, 1, s0]>",
                  "2x2x2x?xf32, #guard.shape<[2, 2, 2, s0]>"},
                 {"!z = tensor<2x4x1x1xf32>", "!z = tensor<2x2x2x1xf32>"},
                 {"2x1x4x24", "2x2x2x24"},
                 {"[2, 4, 1", "[2, 2, 2"},
                 {"[d0, d1, 0, d4]", "[d0, d1 * 2 + d2, 0, d4]"},
                 {"[d0, floordiv(d1, 2), d3, d4]", "[d0, d1, d3, d4]"},
                 {"%last[%i]", "%last[0]"},
                 {"[2, 1, 4, 24]", "[2, 2, 2, 24]"},
                 {"%w[d0, d2, d1, d4]", "%w[d0, d1, d2, d4]"},
                 {"[d0, floordiv(d2, 2), d4, d3]", "[d0, d1, d4, d3]"}});
}

/// Gathered rows with a gate, which has the heads as one dimension.
static std::string getGatedRows() {
  return change(
      getGatheredRows(),
      {{"!i = tensor<1xi64>", "!i = tensor<1xi64>\n!g = tensor<2x4x1x24xbf16>"},
       {"%p: !i)", "%p: !i, %q: !g)"},
       {"%last = %p : !i)", "%last = %p : !i, %gate = %q : !g)"},
       {"loop.yield %f : f32\n    }\n    loop.return",
        "loop.yield %f : f32\n    } epilogue (%acc, %n, %h, %i, %j) {\n"
        "      %g = loop.load %gate[%n, %h * 2 + %i, 0, %j] : !g\n"
        "      %more = arith.extf %g : bf16 to f32\n"
        "      %m = arith.mulf %acc, %more : f32\n"
        "      %w1 = arith.truncf %m : f32 to bf16\n"
        "      loop.yield %w1 : bf16\n    }\n    loop.return"}});
}

llvm::ArrayRef<LoopCase> loop::getOnlineCases() {
  static const std::string huge = getHugeUnits(), hidden = getHiddenRow(),
                           nan = getRowWithNaN(), biased = getBiasedRow(),
                           gathered = getGatheredRows(), gated = getGatedRows(),
                           scaled = getScaledUnits(), few = getScaledRow(),
                           part = getPartOfUnits("21", "38");
  // Weights are rounded to eight or eleven bits.
  static const std::vector<LoopCase> cases = {
      {"CausalUnits",
       kCausalUnits,
       {{{"s0", 35}, {"s1", 35}},
        {{"s0", 7}, {"s1", 16}},
        {{"s0", 66}, {"s1", 40}}},
       0,
       /*ulps=*/2},
      {"HugeUnits", huge.c_str(), {{{"s0", 66}, {"s1", 66}}}, 0, /*ulps=*/2},
      {"OneRow",
       kOneRow,
       {{{"s0", 70}}, {{"s0", 5}}, {{"s0", 129}}, {{"s0", 0}}},
       0,
       /*ulps=*/2},
      {"HiddenRow", hidden.c_str(), {{{"s0", 70}}}, 0, /*ulps=*/2},
      {"RowWithNaN", nan.c_str(), {{{"s0", 70}}}, 0, /*ulps=*/2},
      {"BiasedRow",
       biased.c_str(),
       {{{"s0", 70}}, {{"s0", 17}}},
       0,
       /*ulps=*/2},
      {"GatheredRows",
       gathered.c_str(),
       {{{"s0", 70}}, {{"s0", 3}}},
       0,
       /*ulps=*/2},
      {"GatedRows", gated.c_str(), {{{"s0", 70}}}, 0, /*ulps=*/2},
      {"ScaledRow", few.c_str(), {{{"s0", 70}}, {{"s0", 0}}}, 0, /*ulps=*/2},
      {"ScaledUnits",
       scaled.c_str(),
       {{{"s0", 35}, {"s1", 35}}, {{"s0", 66}, {"s1", 40}}},
       0,
       /*ulps=*/2},
      {"PartOfUnits", part.c_str(), {{{"s0", 35}, {"s1", 50}}}, 0, /*ulps=*/2},
      {"BiasedUnits", kBiasedUnits, {{}}, 0, /*ulps=*/1 << 15}};
  return cases;
}

llvm::ArrayRef<LoopCase> loop::getOddCases() {
  static const std::string odd = getPartOfUnits("21", "37"),
                           tiny = getPartOfUnits("5", "3");
  static const std::vector<LoopCase> cases = {
      {"OddUnits", odd.c_str(), {{{"s0", 35}, {"s1", 50}}}, 0, /*ulps=*/2},
      {"TinyUnits", tiny.c_str(), {{{"s0", 66}, {"s1", 40}}}, 0, /*ulps=*/2}};
  return cases;
}

/// `units`, `kCausalUnits` or a part of them, with so many rows and columns.
static std::string getKnownUnits(const std::string &units, llvm::StringRef rows,
                                 llvm::StringRef columns) {
  std::string text = change(
      units, {{"2x?x24xbf16, #guard.shape<[2, s0, 24]>", "2xs0x24xbf16"},
              {"1x?x64xbf16, #guard.shape<[1, s1, 64]>", "1xs1x64xbf16"},
              {"2x?x?xf32, #guard.shape<[2, s0, s1]>", "2xs0xs1xf32"},
              {"2x?xf32, #guard.shape<[2, s0]>", "2xs0xf32"},
              {"?x2x40xbf16, #guard.shape<[s0, 2, 40]>", "s0x2x40xbf16"},
              {"?x2x37xbf16, #guard.shape<[s0, 2, 37]>", "s0x2x37xbf16"}});
  return change(std::move(text), {{"s0", rows}, {"s1", columns}});
}

llvm::ArrayRef<LoopCase> loop::getBroughtCases() {
  static const std::string square = getKnownUnits(kCausalUnits, "200", "200"),
                           wide = getKnownUnits(kCausalUnits, "70", "333"),
                           odd = getKnownUnits(getPartOfUnits("21", "37"),
                                               "200", "130");
  static const std::vector<LoopCase> cases = {
      {"Causal",
       kCausalUnits,
       {{{"s0", 129}, {"s1", 40}}, {{"s0", 70}, {"s1", 201}}},
       0,
       /*ulps=*/2},
      {"CausalSquare", square.c_str(), {{}}, 0, /*ulps=*/2},
      {"CausalWide", wide.c_str(), {{}}, 0, /*ulps=*/2},
      {"CausalOdd", odd.c_str(), {{}}, 0, /*ulps=*/2},
      {"Biased", kBiasedUnits, {{}}, 0, /*ulps=*/1 << 15}};
  return cases;
}

/// A case with one thing changed.
static std::string alter(const char *text, llvm::StringRef from,
                         llvm::StringRef to) {
  return change(text, {{from, to}});
}

std::vector<RefusedCase> loop::getOfflineCases() {
  return {
      {"exponentials behind the maximum", alter(kCausalUnits, "<max>", "<min>")},
      {"exponentials behind the maximum",
       alter(kCausalUnits, "math.exp %d", "math.sqrt %d")},
      {"exponentials behind the maximum",
       alter(kCausalUnits, "arith.mulf %f, %g", "arith.addf %f, %g")},
  };
}

std::vector<RefusedCase> loop::getRefusedCases() {
  return {
      {"factors are not all of bf16, or all of f16",
       alter(kCausalUnits, "24xbf16", "24xf32")},
      {"begin at multiples of 16 bytes",
       alter(kCausalUnits, "d2 + 24", "d2 + 23")},
      {"weights are read at another row or column",
       alter(kGradientUnits, "lhs %slope[d0, d1, d3]",
             "lhs %slope[d0, d1, s1 - 1 - d3]")},
      {"a nest is none of rows and columns",
       alter(kGradientUnits,
             "%h = loop.load %w[%n, %i, %j] : !s\n      %x1 = loop",
             "%h = loop.load %w[%n, %i, 0] : !s\n      %x1 = loop")},
      {"weights are changed on the way",
       alter(kGradientUnits, ": !g acc f32 : !v\n        rhs_prologue",
             ": !g acc f32 : !v\n        lhs_prologue (%x1) {\n      %f = "
             "arith.addf %x1, %x1 : f32\n      loop.yield %f : f32\n    } "
             "rhs_prologue")},
      {"scores or weights are read elsewhere",
       alter(alter(alter(kGradientUnits, "!l, !v, !z)", "!l, !v, !s)").c_str(),
                   "%value, %z : !q, !l, !v, !z", "%value, %e : !q, !l, !v, !s")
                 .c_str(),
             "%r#3 : !q, !l, !v, !z", "%r#3 : !q, !l, !v, !s")},
  };
}
