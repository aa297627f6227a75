//===- SymbolTest.cpp - Symbols of a program and their ranges -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTestSupport.h"

using namespace kiln;
using namespace kiln::test;

/// y = x * 10 with x of s0 elements, of which the file says `range`.
static ProgramMaker timesTenWithin(archive::SymRange range) {
  ProgramMaker p;
  p.input({"x", Sizes{size("s0")}});
  p.call("aten.mul.Tensor", {{"self", t("x")}, {"other", i(10)}},
         {"y", Sizes{size("s0")}});
  p.output("y");
  p.ranges["s0"] = range;
  return p;
}

TEST(Symbols, EitherEndOfARangeMayBeOpenOrNegative) {
  for (archive::SymRange range :
       {archive::SymRange{std::nullopt, 64}, archive::SymRange{2, std::nullopt},
        archive::SymRange{std::nullopt, std::nullopt},
        archive::SymRange{-5, 64}, archive::SymRange{0, INT64_MAX},
        archive::SymRange{INT64_MIN, INT64_MAX}})
    expectResults(timesTenWithin(range), {iota({3})}, {{"y", {0, 10, 20}}});
}

TEST(Symbols, ABoundHoldsWhateverTheOtherEndIs) {
  for (archive::SymRange range :
       {archive::SymRange{std::nullopt, 2}, archive::SymRange{-5, 2}}) {
    expectResults(timesTenWithin(range), {iota({2})}, {{"y", {0, 10}}});
    expectError(timesTenWithin(range), {iota({3})}, ErrorKind::Guard,
                {"to be 0 to 2", "actual 3"});
  }
}
