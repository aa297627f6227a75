//===- KindCases.cpp - Every kind of reduction there is -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text is made of the records, so that a kind that is added is tried on all lowerings.
//
//===----------------------------------------------------------------------===//

#include "LoopCases.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// A reduction of kind `kind` along the rows of `%a` or `%c`, of elements `element`.
static std::string getNest(ReductionKind kind, StringRef element,
                           StringRef results, StringRef resultTypes) {
  bool isFloat = element == "f32";
  std::string values, types;
  for (const AccumulatorRecord &value : getRecord(kind).carried) {
    bool isIndex = value.name == "index";
    values += values.empty() ? "" : ", ";
    types += types.empty() ? "" : ", ";
    values += isIndex                   ? "%p"
              : value.name == "weight"  ? "%one"
              : value.name == "squares" ? "%zero"
                                        : "%e";
    types += isIndex ? StringRef("i64") : element;
  }
  return (results + " = loop.reduce parallel (%i) in [s0] reduction (%j) in [s1] <" +
          stringifyReductionKind(kind) + "> : " + resultTypes + " {\n" +
          "%e = loop.load " + (isFloat ? "%a" : "%c") + "[%i, %j] : " +
          (isFloat ? "!a" : "!c") + "\n%p = arith.index_cast %j : index to i64\n" +
          "%one = arith.constant " + (isFloat ? "1.0" : "1") + " : " + element +
          "\n%zero = arith.constant " + (isFloat ? "0.0" : "0") + " : " + element +
          "\nloop.yield " + values + " : " + types + "\n}\n")
      .str();
}

static std::string makeText() {
  MLIRContext context;
  Builder b(&context);
  std::string nests, types, values, outer;
  unsigned count = 0;
  for (unsigned k = 0; k <= getMaxEnumValForReductionKind(); ++k)
    for (Type element : {Type(b.getF32Type()), Type(b.getI64Type())}) {
      auto kind = static_cast<ReductionKind>(k);
      const ReductionRecord &record = getRecord(kind);
      if (record.carried.empty() || !record.carried[0].accepts(element))
        continue;
      std::string results, resultTypes;
      for (const AccumulatorRecord &value : record.carried) {
        bool isFloat = element.isF32() && value.name != "index";
        std::string number = std::to_string(count++);
        StringRef comma = results.empty() ? "" : ", ";
        results += (comma + "%n" + number).str();
        resultTypes += (comma + (isFloat ? "!f" : "!l")).str();
        outer += (outer.empty() ? "%r#" : ", %r#") + number;
      }
      StringRef comma = types.empty() ? "" : ", ";
      values += (comma + results).str();
      types += (comma + resultTypes).str();
      nests += getNest(kind, element.isF32() ? "f32" : "i64", results,
                       resultTypes);
    }
  return "!a = tensor<?x?xf32, #guard.shape<[s0, s1]>>\n"
         "!c = tensor<?x?xi64, #guard.shape<[s0, s1]>>\n"
         "!f = tensor<?xf32, #guard.shape<[s0]>>\n"
         "!l = tensor<?xi64, #guard.shape<[s0]>>\n"
         "func.func @main(%x: !a, %y: !c) -> (" +
         types + ") {\n%r:" + std::to_string(count) +
         " = loop.kernel @k ins(%a = %x : !a, %c = %y : !c) shared [s0] -> (" +
         types + ") {\n" + nests + "loop.return " + values + " : " + types +
         "\n}\nreturn " + outer + " : " + types + "\n}";
}

// Two kernels that differ in their numbers.
const char loop::kNumbers[] = R"(
!t = tensor<?x8xi64, #guard.shape<[s0, 8]>>
func.func @main(%x: !t) -> (!t, !t) {
  %r = loop.kernel @k ins(%a = %x : !t) shared [s0, 8] -> !t {
    %p = loop.pointwise (%i, %j) in [s0, 8] : !t {
      %e = loop.load %a[%i, %j] : !t
      %m = loop.number 7
      %n = loop.number -3
      %s = arith.addi %e, %m : i64
      %u = arith.muli %s, %n : i64
      loop.yield %u : i64
    }
    loop.return %p : !t
  }
  %s = loop.kernel @l ins(%a = %r : !t) shared [s0, 8] -> !t {
    %p = loop.pointwise (%i, %j) in [s0, 8] : !t {
      %e = loop.load %a[%i, %j] : !t
      %m = loop.number 2
      %n = loop.number 5000000000
      %s = arith.addi %e, %m : i64
      %u = arith.muli %s, %n : i64
      loop.yield %u : i64
    }
    loop.return %p : !t
  }
  return %r, %s : !t, !t
})";

// Places within the row of their own index, which so are written apart; rows that are more
// than there are points are not.
const char loop::kOwnRows[] = R"(
!r = tensor<?x11xf32, #guard.shape<[s0, 11]>>
!o = tensor<?x11xf32, #guard.shape<[s0 + 2, 11]>>
!i = tensor<?x?xi64, #guard.shape<[s0, s1]>>
func.func @main(%x: !r, %y: !i, %z: !o) -> (!r, !o) {
  %p = loop.kernel @own ins(%a = %x : !r, %b = %y : !i) shared [s0, s1] -> !r {
    %s = loop.scatter (%n, %d) in [s0, s1] into %a <add> : !r {
      %t = loop.load %b[%n, %d] : !i
      %at = arith.index_cast %t : i64 to index
      %e = arith.sitofp %t : i64 to f32
      loop.yield_at %e at [%n, %at] : f32
    }
    loop.return %s : !r
  }
  %q = loop.kernel @more ins(%a = %z : !o, %b = %y : !i) shared [s0, s1] -> !o {
    %s = loop.scatter (%n, %d) in [s0, s1] into %a <set> : !o {
      %t = loop.load %b[%n, %d] : !i
      %at = arith.index_cast %t : i64 to index
      %e = arith.sitofp %t : i64 to f32
      loop.yield_at %e at [%n, %at] : f32
    }
    loop.return %s : !o
  }
  return %p, %q : !r, !o
})";

// Elements at places that all channels have in common, some of them outside of the image;
// a value that another nest has of each point; a sum of channels as an index; triangles, of
// which one row is left behind those that are walked together.
const char loop::kSharedPlaces[] = R"(
!x = tensor<?x9x11xf32, #guard.shape<[s0, 9, 11]>>
!n = tensor<3x9x11xf32>
!i = tensor<?xi64, #guard.shape<[s1]>>
!r = tensor<?x?xf32, #guard.shape<[s0, s1]>>
!o = tensor<3x?xf32, #guard.shape<[3, s1]>>
!t = tensor<5x5xf32>
!v = tensor<5xf32>
!u = tensor<11x11xf32>
!w = tensor<11xf32>
func.func @main(%x: !x, %y: !i, %z: !n, %tri5: !v, %tri11: !w) -> (!r, !o, !t, !u) {
  %p = loop.kernel @places ins(%a = %x : !x, %b = %y : !i) shared [s0, s1] -> !r {
    %own = loop.pointwise (%i, %j) in [s0, s1] : !r {
      %t = loop.load %b[%j] : !i
      %e = arith.sitofp %t : i64 to f32
      %n = arith.index_cast %i : index to i64
      %f = arith.sitofp %n : i64 to f32
      %s = arith.addf %e, %f : f32
      loop.yield %s : f32
    }
    %s = loop.pointwise (%i, %j) in [s0, s1] : !r {
      %c6 = arith.constant 6 : index
      %zero = arith.constant 0.0 : f32
      %t = loop.load %b[%j] : !i
      %at = arith.index_cast %t : i64 to index
      %inside = arith.cmpi sle, %at, %c6 : index
      %f = arith.sitofp %t : i64 to f32
      %w = math.sqrt %f : f32
      %e = loop.load %a[%i, %at, mod(%at + %j, 11)] mask %inside, %zero : !x
      %o = loop.load %own[%i, %j] : !r
      %m = arith.mulf %w, %e : f32
      %u = arith.addf %m, %o : f32
      loop.yield %u : f32
    }
    loop.return %s : !r
  }
  %q = loop.kernel @three ins(%a = %z : !n, %b = %y : !i) shared [3, s1] -> !o {
    %s = loop.pointwise (%i, %j) in [3, s1] : !o {
      %t = loop.load %b[%j] : !i
      %f = arith.sitofp %t : i64 to f32
      %w = math.exp %f : f32
      %v = math.sqrt %w : f32
      %at = arith.index_cast %t : i64 to index
      %e = loop.load %a[%i, min(%at, 8), mod(%at + %i, 11)] : !n
      %m = arith.mulf %v, %e : f32
      loop.yield %m : f32
    }
    loop.return %s : !o
  }
  %few = loop.kernel @few ins(%a = %tri5 : !v) shared [5, 5] -> !t {
    %s = loop.pointwise (%i, %j) in [5, 5] : !t {
      %zero = arith.constant 0.0 : f32
      %read = loop.load %a[%j] : !v
      %f = math.exp %read : f32
      %g = math.exp %f : f32
      %m = arith.index_cast %i : index to i64
      %n = arith.index_cast %j : index to i64
      %inside = arith.cmpi sle, %m, %n : i64
      %h = arith.select %inside, %g, %zero : f32
      loop.yield %h : f32
    }
    loop.return %s : !t
  }
  %more = loop.kernel @more ins(%a = %tri11 : !w) shared [11, 11] -> !u {
    %s = loop.pointwise (%i, %j) in [11, 11] : !u {
      %zero = arith.constant 0.0 : f32
      %read = loop.load %a[%j] : !w
      %f = math.exp %read : f32
      %g = math.exp %f : f32
      %m = arith.index_cast %i : index to i64
      %n = arith.index_cast %j : index to i64
      %inside = arith.cmpi sle, %m, %n : i64
      %h = arith.select %inside, %g, %zero : f32
      loop.yield %h : f32
    }
    loop.return %s : !u
  }
  return %p, %q, %few, %more : !r, !o, !t, !u
})";

const char *loop::getEveryKind() {
  static const std::string text = makeText();
  return text.c_str();
}
