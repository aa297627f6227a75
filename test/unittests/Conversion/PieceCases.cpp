//===- PieceCases.cpp - Kernels that read what is concatenated ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;

// Rows put together of three, the last of any length, with comparisons that cut
// nothing off; then sums of two neighbours that know pieces too.
static const char kPieces[] = R"(
!a = tensor<?x5xf32, #guard.shape<[s0, 5]>>
!b = tensor<?x32xf32, #guard.shape<[s0, 32]>>
!c = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!r = tensor<?x?xf32, #guard.shape<[s0, s1 + 37]>>
func.func @main(%x: !a, %y: !b, %z: !c) -> (!r, !r) {
  %r:2 = loop.kernel @k ins(%a = %x : !a, %b = %y : !b, %c = %z : !c)
      shared [s0, s1 + 37] -> (!r, !r) {
    %zero = arith.constant 0.0 : f32
    %minus = arith.constant -3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c36 = arith.constant 36 : index
    %c37 = arith.constant 37 : index
    %far = arith.constant 100000 : index
    %p = loop.pointwise (%i, %j) in [s0, s1 + 37] : !r {
      %0 = arith.cmpi slt, %j, %c5 : index
      %1 = loop.load %a[%i, %j] mask %0, %zero : !a
      %2 = arith.cmpi sge, %j, %c5 : index
      %3 = arith.cmpi sle, %j, %c36 : index
      %4 = arith.andi %2, %3 : i1
      %5 = loop.load %b[%i, %j - 5] mask %4, %zero : !b
      %6 = arith.select %4, %5, %1 : f32
      %7 = arith.cmpi sgt, %j, %c36 : index
      %8 = loop.load %c[%i, %j - 37] mask %7, %zero : !c
      %9 = arith.select %7, %8, %6 : f32
      %10 = arith.cmpi slt, %j, %far : index
      %11 = arith.cmpi sgt, %j, %minus : index
      %12 = arith.andi %10, %11 : i1
      %13 = arith.select %12, %9, %zero : f32
      loop.yield %13 : f32
    }
    %q = loop.reduce parallel (%i, %j) in [s0, s1 + 37] reduction (%k) in [2] <sum> : !r {
      %0 = arith.cmpi slt, %j, %c4 : index
      %1 = arith.cmpi slt, %k, %c4 : index
      %2 = arith.andi %1, %0 : i1
      %3 = loop.load %a[%i, %j + %k] mask %2, %zero : !a
      %4 = arith.cmpi sge, %j, %c37 : index
      %5 = loop.load %c[%i, %j - 37] mask %4, %3 : !c
      loop.yield %5 : f32
    }
    loop.return %p, %q : !r, !r
  }
  return %r#0, %r#1 : !r, !r
})";

// The sum of two rows, each of a tensor of 8 columns and five of 16 behind each
// other, that lie beside each other among the inputs, those of the second row from
// the last to the first. With `differ` one is multiplied before it is joined, and
// the last but one read at every column as well.
static std::string makeJoined(bool differ) {
  constexpr int kCount = 5, kFirst = 8, kWidth = 16;
  auto number = [](int k) { return std::to_string(k); };
  std::string extent = number(kFirst + kCount * kWidth), arguments, inputs, body;
  for (int k = 0; k < kCount; ++k) {
    for (std::string side : {"p" + number(k), "q" + number(kCount - 1 - k)}) {
      arguments += ", %x" + side + ": !b";
      inputs += ", %" + side + " = %x" + side + " : !b";
    }
    std::string cut = number(kFirst + k * kWidth),
                end = number(kFirst + (k + 1) * kWidth);
    body += "%from" + number(k) + " = arith.constant " + cut + " : index\n" +
            "%to" + number(k) + " = arith.constant " + end + " : index\n" +
            "%ge" + number(k) + " = arith.cmpi sge, %j, %from" + number(k) +
            " : index\n%lt" + number(k) + " = arith.cmpi slt, %j, %to" +
            number(k) + " : index\n%in" + number(k) + " = arith.andi %ge" +
            number(k) + ", %lt" + number(k) + " : i1\n";
    for (std::string side : {"p", "q"}) {
      std::string own = side + number(k), before = side + number(k - 1);
      body += "%l" + own + " = loop.load %" + own + "[%i, %j - " + cut +
              "] mask %in" + number(k) + ", %zero : !b\n";
      std::string value = "%l" + own;
      if (differ && own == "p2") {
        body += "%twice = arith.addf %lp2, %lp2 : f32\n";
        value = "%twice";
      }
      body += "%v" + own + " = arith.select %in" + number(k) + ", " + value +
              ", " + (k == 0 ? "%l" : "%v" + before) + " : f32\n";
    }
  }
  std::string last = number(kCount - 1);
  body += "%t = arith.addf %vp" + last + ", %vq" + last + " : f32\n";
  body += "%e = loop.load " +
          std::string(differ ? "%q3[%i, 3] : !b" : "%w[%j] : !w") +
          "\n%s = arith.mulf %t, %e : f32\nloop.yield %s : f32\n";
  return "!a = tensor<?x8xf32, #guard.shape<[s0, 8]>>\n"
         "!b = tensor<?x16xf32, #guard.shape<[s0, 16]>>\n"
         "!w = tensor<" + extent + "xf32>\n"
         "!r = tensor<?x" + extent + "xf32, #guard.shape<[s0, " + extent +
         "]>>\nfunc.func @main(%x: !a, %y: !w" + arguments + ") -> !r {\n"
         "%r = loop.kernel @k ins(%a = %x : !a, %w = %y : !w" + inputs +
         ") shared [s0, " + extent + "] -> !r {\n"
         "%zero = arith.constant 0.0 : f32\n%c8 = arith.constant 8 : index\n"
         "%p = loop.pointwise (%i, %j) in [s0, " + extent + "] : !r {\n"
         "%first = arith.cmpi slt, %j, %c8 : index\n"
         "%l = loop.load %a[%i, %j] mask %first, %zero : !a\n" + body +
         "}\nloop.return %p : !r\n}\nreturn %r : !r\n}\n";
}

// Planes behind each other, three of one tensor and four of each of four
// others, whose elements lie across; halves of rows are added to another
// number. With `batch` there is one more dimension around planes.
static std::string makeStacked(bool batch) {
  constexpr int kCount = 4, kFirst = 3, kWidth = 4;
  auto number = [](int k) { return std::to_string(k); };
  std::string rows = number(kFirst + kCount * kWidth), arguments, inputs, body;
  for (int k = 0; k < kCount; ++k) {
    std::string n = number(k), cut = number(kFirst + k * kWidth);
    arguments += ", %x" + n + ": !b";
    inputs += ", %b" + n + " = %x" + n + " : !b";
    body += "%from" + n + " = arith.constant " + cut + " : index\n%to" + n +
            " = arith.constant " + number(kFirst + (k + 1) * kWidth) +
            " : index\n%ge" + n + " = arith.cmpi sge, %j, %from" + n +
            " : index\n%lt" + n + " = arith.cmpi slt, %j, %to" + n +
            " : index\n%in" + n + " = arith.andi %ge" + n + ", %lt" + n +
            " : i1\n%l" + n + " = loop.load %b" + n +
            (batch ? "[%i, %k, %j - " : "[%k, %j - ") + cut + "] mask %in" + n +
            ", %zero : !b\n%v" + n + " = arith.select %in" + n + ", %l" + n +
            ", %" + (k == 0 ? "l" : "v" + number(k - 1)) + " : f32\n";
  }
  std::string i = batch ? "%i, " : "", any = batch ? "?x" : "",
              s = batch ? "s0, " : "", all = "[" + s + rows + ", s1]";
  return "!a = tensor<" + any + "3x?xf32, #guard.shape<[" + s +
         "3, s1]>>\n!b = tensor<" + any + "?x4xf32, #guard.shape<[" + s +
         "s1, 4]>>\n!r = tensor<" + any + rows + "x?xf32, #guard.shape<" + all +
         ">>\nfunc.func @main(%x: !a" + arguments +
         ") -> !r {\n%r = loop.kernel @k ins(%a = %x : !a" + inputs +
         ") shared " + all +
         " -> !r {\n%zero = arith.constant 0.0 : f32\n"
         "%c3 = arith.constant 3 : index\n%c20 = arith.constant 20 : index\n"
         "%h = arith.constant 0.5 : f32\n%p = loop.pointwise (" +
         i + "%j, %k) in " + all +
         " : !r {\n%first = arith.cmpi slt, %j, %c3 : "
         "index\n%l = loop.load %a[" +
         i + "%j, %k] mask %first, %zero : !a\n" + body +
         "%left = arith.cmpi slt, %k, %c20 : index\n"
         "%plus = arith.select %left, %h, %zero : f32\n%s = arith.addf %v" +
         number(kCount - 1) +
         ", %plus : f32\nloop.yield %s : f32\n}\n"
         "loop.return %p : !r\n}\nreturn %r : !r\n}\n";
}

static const char *getStacked(bool batch) {
  static const std::string batches = makeStacked(true),
                           one = makeStacked(false);
  return (batch ? batches : one).c_str();
}

static const char *getJoined(bool differ) {
  static const std::string alike = makeJoined(false), other = makeJoined(true);
  return (differ ? other : alike).c_str();
}

// Rows whose edges are mirrored, repeated, or taken from the other end, in two dimensions;
// a row that is short of a vector between them; a turn in the middle of a row.
static const char kEdges[] = R"(
!a = tensor<?x9x50xf32, #guard.shape<[s0, 9, 50]>>
!r = tensor<?x13x57xf32, #guard.shape<[s0, 13, 57]>>
!b = tensor<?x9xbf16, #guard.shape<[s0, 9]>>
!s = tensor<?x15xbf16, #guard.shape<[s0, 15]>>
!t = tensor<?x100xf32, #guard.shape<[s0, 100]>>
func.func @main(%x: !a, %y: !b) -> (!r, !r, !r, !s, !t) {
  %m = loop.kernel @mirrored ins(%a = %x : !a) shared [s0, 13, 57] -> !r {
    %p = loop.pointwise (%n, %i, %j) in [s0, 13, 57] : !r {
      %e = loop.load %a[%n, min(max(%i - 2, 2 - %i), 16 - max(%i - 2, 2 - %i)), min(max(%j - 3, 3 - %j), 98 - max(%j - 3, 3 - %j))] : !a
      loop.yield %e : f32
    }
    loop.return %p : !r
  }
  %o = loop.kernel @repeated ins(%a = %x : !a, %b = %m : !r) shared [s0, 13, 57] -> !r {
    %p = loop.pointwise (%n, %i, %j) in [s0, 13, 57] : !r {
      %e = loop.load %a[%n, min(max(%i - 2, 0), 8), min(max(%j - 4, 0), 49)] : !a
      %f = loop.load %b[%n, %i, %j] : !r
      %g = arith.addf %e, %f : f32
      loop.yield %g : f32
    }
    loop.return %p : !r
  }
  %q = loop.kernel @around ins(%a = %x : !a) shared [s0, 13, 57] -> !r {
    %p = loop.pointwise (%n, %i, %j) in [s0, 13, 57] : !r {
      %e = loop.load %a[%n, min(%i, 8), select(lt(%j, 3), %j + 47, select(ge(%j, 53), %j - 53, %j - 3))] : !a
      loop.yield %e : f32
    }
    loop.return %p : !r
  }
  %u = loop.kernel @short ins(%a = %y : !b) shared [s0, 15] -> !s {
    %p = loop.pointwise (%n, %i) in [s0, 15] : !s {
      %e = loop.load %a[%n, min(max(%i - 3, 3 - %i), 16 - max(%i - 3, 3 - %i))] : !b
      loop.yield %e : bf16
    }
    loop.return %p : !s
  }
  %v = loop.kernel @turned ins(%a = %x : !a) shared [s0, 100] -> !t {
    %p = loop.pointwise (%n, %i) in [s0, 100] : !t {
      %e = loop.load %a[%n, 0, min(%i, 99 - %i)] : !a
      loop.yield %e : f32
    }
    loop.return %p : !t
  }
  return %m, %o, %q, %u, %v : !r, !r, !r, !s, !t
})";

llvm::ArrayRef<LoopCase> loop::getPieceCases() {
  static const std::vector<SymbolValues> one = {
      {{"s0", 1}}, {{"s0", 7}}, {{"s0", 40}}, {{"s0", 64}}};
  static const LoopCase cases[] = {
      {"Pieces",
       kPieces,
       {{{"s0", 3}, {"s1", 27}},
        {{"s0", 1}, {"s1", 1}},
        {{"s0", 2}, {"s1", 0}},
        {{"s0", 2}, {"s1", 5000}},
        {{"s0", 0}, {"s1", 4}}}},
      {"Edges", kEdges, {{{"s0", 1}}, {{"s0", 3}}, {{"s0", 0}}}},
      {"Joined", getJoined(false), one},
      {"JoinedOtherwise", getJoined(true), one},
      {"Stacked",
       getStacked(false),
       {{{"s1", 37}}, {{"s1", 1}}, {{"s1", 16}}, {{"s1", 0}}}},
      {"StackedBatches",
       getStacked(true),
       {{{"s0", 3}, {"s1", 37}},
        {{"s0", 1}, {"s1", 5}},
        {{"s0", 2}, {"s1", 32}},
        {{"s0", 0}, {"s1", 4}}}},
  };
  return cases;
}
