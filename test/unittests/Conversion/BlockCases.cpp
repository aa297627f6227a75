//===- BlockCases.cpp - Products with rows between them -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes below, at and above blocks, tiles and vectors.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

#include <list>

using namespace kiln;
using namespace kiln::loop;

// Attention with a causal mask: columns behind the last row of a block are left
// out. The last product has the shared dimensions in another order.
const char loop::kCausal[] = R"(
!q = tensor<2x?x?xf32, #guard.shape<[2, s0, s2]>>
!k = tensor<2x?x?xf32, #guard.shape<[2, s1, s2]>>
!v = tensor<2x?x?xf32, #guard.shape<[2, s1, s3]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?xf32, #guard.shape<[2, s0]>>
!o = tensor<?x2x?xf32, #guard.shape<[s0, 2, s3]>>
func.func @main(%x: !q, %y: !k, %u: !v) -> !o {
  %r = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !v)
      shared [2, s0] -> !o {
    %low = arith.constant 0xFF800000 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [s2]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
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
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %g = loop.load %z[%n, %i] : !z
      %h = arith.divf %f, %g : f32
      loop.yield %h : f32
    }
    %o = loop.contract parallel [s0, 2, s3] reduction [s1]
        lhs %w[d1, d0, d3] : !s rhs %c[d1, d3, d2] : !v acc f32 : !o
    loop.return %o : !o
  }
  return %r : !o
})";

// A mask from memory, a value per row that is kept from the rows before one product
// to those behind it, and leaves the kernel; heads of the second operand are shared.
const char loop::kKeptRows[] = R"(
!q = tensor<4x?x8xf32, #guard.shape<[4, s0, 8]>>
!k = tensor<2x?x8xf32, #guard.shape<[2, s1, 8]>>
!f = tensor<?x?xi1, #guard.shape<[s0, s1]>>
!s = tensor<4x?x?xf32, #guard.shape<[4, s0, s1]>>
!z = tensor<4x?xf32, #guard.shape<[4, s0]>>
!o = tensor<4x?x8xbf16, #guard.shape<[4, s0, 8]>>
!p = tensor<4x?x8xf32, #guard.shape<[4, s0, 8]>>
func.func @main(%x: !q, %y: !k, %u: !f) -> (!z, !o, !p) {
  %r:3 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !f)
      shared [4, s0] -> (!z, !o, !p) {
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [4, s0, s1] reduction [8]
        lhs %a[d0, d1, d3] : !q rhs %b[floordiv(d0, 2), d2, d3] : !k
        acc f32 : !s epilogue (%acc, %n, %i, %j) {
      %f = loop.load %c[%i, %j] : !f
      %g = arith.select %f, %acc, %none : f32
      loop.yield %g : f32
    }
    %z = loop.reduce parallel (%n, %i) in [4, s0] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %t = loop.reduce parallel (%n, %i) in [4, s0] reduction (%j) in [s1] <max>
        : !z {
      %f = loop.load %s[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %w = loop.pointwise (%n, %i, %j) in [4, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %g = loop.load %t[%n, %i] : !z
      %h = arith.subf %f, %g : f32
      loop.yield %h : f32
    }
    %o = loop.contract parallel [4, s0, 8] reduction [s1]
        lhs %w[d0, d1, d3] : !s rhs %b[floordiv(d0, 2), d3, d2] : !k acc f32 : !o
    %v = loop.pointwise (%n, %i, %j) in [4, s0, s1] : !s {
      %f = loop.load %w[%n, %i, %j] : !s
      %g = loop.load %t[%n, %i] : !z
      %h = arith.addf %f, %g : f32
      loop.yield %h : f32
    }
    %p = loop.contract parallel [4, s0, 8] reduction [s1]
        lhs %v[d0, d1, d3] : !s rhs %b[floordiv(d0, 2), d3, d2] : !k acc f32 : !p
    loop.return %z, %o, %p : !z, !o, !p
  }
  return %r#0, %r#1, %r#2 : !z, !o, !p
})";

// The backward of attention under a causal mask: slopes of weights are made around a
// product, and two products sum over the rows. One of them keeps the rows of its result
// where the other has columns.
const char loop::kOverRows[] = R"(
!q = tensor<2x?x?xf32, #guard.shape<[2, s0, s2]>>
!k = tensor<2x?x?xf32, #guard.shape<[2, s1, s2]>>
!g = tensor<2x?x?xf32, #guard.shape<[2, s0, s3]>>
!v = tensor<2x?x?xf32, #guard.shape<[2, s1, s3]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?xf32, #guard.shape<[2, s0]>>
!l = tensor<2x?x?xbf16, #guard.shape<[2, s2, s1]>>
func.func @main(%x: !q, %y: !k, %u: !g, %t: !v) -> (!q, !l, !v) {
  %r:3 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !g, %d = %t : !v)
      shared [2, s0] -> (!q, !l, !v) {
    %none = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %small = arith.constant 0.0078125 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [s2]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %p = arith.index_cast %j : index to i64
      %l = arith.index_cast %i : index to i64
      %m = arith.cmpi sle, %p, %l : i64
      %h = arith.mulf %f, %small : f32
      %g = arith.select %m, %h, %none : f32
      loop.yield %g : f32
    }
    %e = loop.contract parallel [2, s0, s1] reduction [s3]
        lhs %c[d0, d1, d3] : !g rhs %d[d0, d2, d3] : !v acc f32 : !s
        epilogue (%acc, %n, %i, %j) {
      %f = loop.load %w[%n, %i, %j] : !s
      %g = arith.mulf %acc, %f : f32
      loop.yield %g : f32
    }
    %z = loop.reduce parallel (%n, %i) in [2, s0] reduction (%j) in [s1] <sum>
        : !z {
      %f = loop.load %e[%n, %i, %j] : !s
      loop.yield %f : f32
    }
    %o = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %e[%n, %i, %j] : !s
      %g = loop.load %w[%n, %i, %j] : !s
      %h = loop.load %z[%n, %i] : !z
      %p = arith.mulf %g, %h : f32
      %q = arith.subf %f, %p : f32
      %l = arith.index_cast %j : index to i64
      %row = arith.index_cast %i : index to i64
      %m = arith.cmpi sle, %l, %row : i64
      %k = arith.select %m, %q, %none : f32
      loop.yield %k : f32
    }
    %query = loop.contract parallel [2, s0, s2] reduction [s1]
        lhs %o[d0, d1, d3] : !s rhs %b[d0, d3, d2] : !k acc f32 : !q
    %key = loop.contract parallel [2, s2, s1] reduction [s0]
        lhs %a[d0, d3, d1] : !q rhs %o[d0, d3, d2] : !s acc f32 : !l
    %value = loop.contract parallel [2, s1, s3] reduction [s0]
        lhs %w[d0, d3, d1] : !s rhs %c[d0, d3, d2] : !g acc f32 : !v
        epilogue (%acc, %n, %i, %j) {
      %f = loop.load %d[%n, %i, %j] : !v
      %g = arith.mulf %f, %half : f32
      %h = arith.addf %acc, %g : f32
      loop.yield %h : f32
    }
    loop.return %query, %key, %value : !q, !l, !v
  }
  return %r#0, %r#1, %r#2 : !q, !l, !v
})";

// The backward of causal attention that finds the logarithms of sums, and sums of slopes
// times weights, in memory: no value of a row is computed, and there is one walk each way.
// Both are compared with here, so that weights of 16 bits are exact.
const char loop::kSavedUnits[] = R"(
!q = tensor<2x?x24xbf16, #guard.shape<[2, s0, 24]>>
!k = tensor<2x?x64xbf16, #guard.shape<[2, s1, 64]>>
!g = tensor<?x2x40xbf16, #guard.shape<[s0, 2, 40]>>
!s = tensor<2x?x?xf32, #guard.shape<[2, s0, s1]>>
!z = tensor<2x?x1xf32, #guard.shape<[2, s0, 1]>>
!l = tensor<2x?xf32, #guard.shape<[2, s0]>>
!y = tensor<2x?x24xbf16, #guard.shape<[2, s1, 24]>>
!v = tensor<2x?x40xbf16, #guard.shape<[2, s1, 40]>>
func.func @main(%x: !q, %y: !k, %u: !g, %logs: !l, %slopes: !z) -> (!q, !y, !v) {
  %r:3 = loop.kernel @k ins(%a = %x : !q, %b = %y : !k, %c = %u : !g, %d = %logs : !l,
          %h = %slopes : !z)
      shared [2, s0] -> (!q, !y, !v) {
    %none = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %less = arith.constant -0.25 : f32
    %s = loop.contract parallel [2, s0, s1] reduction [24]
        lhs %a[d0, d1, d3] : !q rhs %b[d0, d2, d3] : !k acc f32 : !s
    %p = loop.contract parallel [2, s0, s1] reduction [40]
        lhs %c[d1, d0, d3] : !g rhs %b[d0, d2, d3 + 24] : !k acc f32 : !s
    %w = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %s[%n, %i, %j] : !s
      %x1 = arith.mulf %f, %half : f32
      %l = loop.load %d[%n, %i] : !l
      %x2 = arith.cmpf ole, %x1, %l : f32
      %x3 = arith.select %x2, %one, %half : f32
      %m = arith.cmpi sle, %j, %i : index
      %x4 = arith.select %m, %x3, %none : f32
      loop.yield %x4 : f32
    }
    %slope = loop.pointwise (%n, %i, %j) in [2, s0, s1] : !s {
      %f = loop.load %p[%n, %i, %j] : !s
      %l = loop.load %h[%n, %i, 0] : !z
      %x1 = arith.cmpf ole, %f, %l : f32
      %x2 = loop.load %w[%n, %i, %j] : !s
      %x3 = arith.select %x1, %x2, %less : f32
      %m = arith.cmpi sle, %j, %i : index
      %x4 = arith.select %m, %x3, %none : f32
      loop.yield %x4 : f32
    }
    %query = loop.contract parallel [2, s0, 24] reduction [s1]
        lhs %slope[d0, d1, d3] : !s rhs %b[d0, d3, d2] : !k acc f32 : !q
        rhs_prologue (%x1) {
      %f = arith.extf %x1 : bf16 to f32
      loop.yield %f : f32
    } epilogue (%acc, %n, %i, %j) {
      %x1 = arith.mulf %acc, %half : f32
      %x2 = arith.truncf %x1 : f32 to bf16
      loop.yield %x2 : bf16
    }
    %key = loop.contract parallel [2, s1, 24] reduction [s0]
        lhs %slope[d0, d3, d1] : !s rhs %a[d0, d3, d2] : !q acc f32 : !y
        rhs_prologue (%x1) {
      %f = arith.extf %x1 : bf16 to f32
      loop.yield %f : f32
    }
    %value = loop.contract parallel [2, s1, 40] reduction [s0]
        lhs %w[d0, d3, d1] : !s rhs %c[d3, d0, d2] : !g acc f32 : !v
        rhs_prologue (%x1) {
      %f = arith.extf %x1 : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %query, %key, %value : !q, !y, !v
  }
  return %r#0, %r#1, %r#2 : !q, !y, !v
})";

/// Two products with rows between them: `body` makes %y of the score %x in row %i and
/// column %j, and of %low, %none and the whole row of scores %s.
static std::string getRows(StringRef body, StringRef masks[2]) {
  std::string text = R"(
!q = tensor<?x8xf32, #guard.shape<[s0, 8]>>
!k = tensor<?x8xf32, #guard.shape<[s1, 8]>>
!s = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!z = tensor<?xf32, #guard.shape<[s0]>>
func.func @main(%query: !q, %key: !k, %value: !k, %other: !s) -> !q {
  %r = loop.kernel @k ins(%a = %query : !q, %b = %key : !k, %c = %value : !k,
          %e = %other : !s)
      shared [s0] -> !q {
    %low = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %s = loop.contract parallel [s0, s1] reduction [8]
        lhs %a[d0, d2] : !q rhs %b[d1, d2] : !k acc f32 : !s
)";
  text += body;
  text += "    %o = loop.contract parallel [s0, 8] reduction [s1]\n"
          "        lhs %w[d0, d2] : !s ";
  text += masks[0];
  text += " rhs %c[d2, d1] : !k ";
  text += masks[1];
  text += " acc f32 : !q\n    loop.return %o : !q\n  }\n  return %r : !q\n}\n";
  return text;
}

/// Weights of a row: `body` makes %y.
static std::string getWeights(StringRef body) {
  return ("    %w = loop.pointwise (%i, %j) in [s0, s1] : !s {\n"
          "      %x = loop.load %s[%i, %j] : !s\n" +
          body + "\n      loop.yield %y : f32\n    }\n")
      .str();
}

/// The exponentials of %y minus the maximum of its row.
static std::string getExponentials(StringRef body) {
  return ("    %m = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <max>\n"
          "        : !z {\n      %x = loop.load %s[%i, %j] : !s\n" +
          body +
          "\n      loop.yield %y : f32\n    }\n"
          "    %w = loop.pointwise (%i, %j) in [s0, s1] : !s {\n"
          "      %x = loop.load %s[%i, %j] : !s\n" +
          body +
          "\n      %n = loop.load %m[%i] : !z\n      %d = arith.subf %y, %n : f32\n"
          "      %h = math.exp %d : f32\n      loop.yield %h : f32\n    }\n")
      .str();
}

ArrayRef<LimitCase> loop::getLimitCases() {
  static std::list<std::string> texts;
  static std::vector<LimitCase> cases;
  if (!cases.empty())
    return cases;
  auto add = [](const char *name, std::string rows, std::optional<int64_t> beyond,
                std::vector<SymbolValues> sizes = {{{"s0", 13}, {"s1", 37}},
                                                   {{"s0", 40}, {"s1", 16}}},
                StringRef lhsMask = "", StringRef rhsMask = "") {
    StringRef masks[2] = {lhsMask, rhsMask};
    texts.push_back(getRows(rows, masks));
    cases.push_back({{name, texts.back().c_str(), std::move(sizes)}, beyond});
  };
  const std::string causal = "%f = arith.cmpi sle, %j, %i : index\n";
  const std::string keep = causal + "%y = arith.select %f, %x, %none : f32";
  const std::string added = causal +
                            "%g = arith.select %f, %none, %low : f32\n"
                            "%y = arith.addf %x, %g : f32";
  add("Select", getWeights(keep), 1);
  add("SelectLowest",
      getExponentials(causal + "%y = arith.select %f, %x, %low : f32"), 1);
  add("Added", getExponentials(added), 1);
  add("Ahead",
      getWeights("%l = loop.index (%i + 3)\n%f = arith.cmpi slt, %j, %l : index\n"
                 "%y = arith.select %f, %x, %none : f32"),
      3);
  // Scores behind the limit are read.
  add("Reversed",
      getWeights(causal + "%v = loop.load %s[%i, s1 - 1 - %j] : !s\n"
                          "%y = arith.select %f, %v, %none : f32"),
      std::nullopt);
  add("LastColumn",
      getWeights(causal + "%v = loop.load %s[%i, s1 - 1] : !s\n"
                          "%g = arith.addf %x, %v : f32\n"
                          "%y = arith.select %f, %g, %none : f32"),
      std::nullopt);
  add("LastColumnOfRow",
      "    %m = loop.pointwise (%i) in [s0] : !z {\n"
      "      %x = loop.load %s[%i, s1 - 1] : !s\n"
      "      loop.yield %x : f32\n    }\n" +
          getWeights(causal + "%v = loop.load %m[%i] : !z\n"
                              "%g = arith.addf %x, %v : f32\n"
                              "%y = arith.select %f, %g, %none : f32"),
      std::nullopt);
  // Numbers that wrap.
  add("Narrow",
      getWeights("%p = arith.index_cast %j : index to i8\n"
                 "%l = arith.index_cast %i : index to i8\n"
                 "%f = arith.cmpi sle, %p, %l : i8\n"
                 "%y = arith.select %f, %x, %none : f32"),
      std::nullopt, {{{"s0", 140}, {"s1", 150}}});
  add("Far",
      getWeights("%l = loop.index (%i + 9223372036854775000)\n"
                 "%f = arith.cmpi sle, %j, %l : index\n"
                 "%y = arith.select %f, %x, %none : f32"),
      std::nullopt);
  // Values of other columns than those of the row, which may be infinite.
  add("OtherFactor",
      getWeights(causal +
                 "%g = arith.select %f, %x, %none : f32\n"
                 "%v = loop.load %e[%i, %j] : !s\n%y = arith.mulf %g, %v : f32"),
      std::nullopt);
  add("OtherDivisor",
      getWeights(causal + "%g = arith.select %f, %x, %none : f32\n"
                          "%y = arith.divf %g, %x : f32"),
      std::nullopt);
  add("OtherShift",
      getExponentials(causal + "%g = arith.select %f, %x, %low : f32\n"
                               "%v = loop.load %e[%i, %j] : !s\n"
                               "%y = arith.subf %g, %v : f32"),
      std::nullopt);
  // Sums over the rows have no part behind the limit.
  cases.push_back({{"OverRows", kOverRows,
                    {{{"s0", 13}, {"s1", 37}, {"s2", 9}, {"s3", 21}},
                     {{"s0", 40}, {"s1", 16}, {"s2", 16}, {"s3", 5}},
                     {{"s0", 5}, {"s1", 1}, {"s2", 1}, {"s3", 33}},
                     {{"s0", 0}, {"s1", 4}, {"s2", 3}, {"s3", 2}}},
                    0,
                    1024},
                   1});
  // There is a limit, and a sum that cannot end there.
  add("MaskedSum", getWeights(keep), 1,
      {{{"s0", 13}, {"s1", 37}}, {{"s0", 40}, {"s1", 16}}}, "mask 1",
      "mask lt(d2, 9)");
  return cases;
}
