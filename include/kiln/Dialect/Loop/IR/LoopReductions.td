//===- LoopReductions.td - Kinds of reductions -------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record a kind, and no other place that knows it: verifiers, all lowerings
// and the interpreter of the tests read what `kiln-tblgen --gen-loop-reductions`
// makes of these (`kiln/Dialect/Loop/IR/Reductions.h`). To add a kind, add a record
// at the end with the next number, and a test of what uses it; that every kind
// keeps the promises below is tested for all of them, in
// test/unittests/Loop/ReductionsTest.cpp, and that all lowerings give its values in
// test/unittests/Conversion/LoopCases.cpp.
//
// A kind promises that its combination may be applied in any order and grouping (up
// to rounding, and to whether the mean of infinities is one of them or NaN), and that
// joining its neutral elements with any values that a body may yield gives these
// values. What cannot promise that is `generic`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPREDUCTIONS
#define KILN_DIALECT_LOOP_IR_LOOPREDUCTIONS

include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// A function on accumulators: the method of AccumulatorBuilder of this name, on
/// numbers of any type and on vectors of them.
class Loop_AccumulatorFunction<int operands> { int arity = operands; }

def add : Loop_AccumulatorFunction<2>;
/// The same; a product that feeds it may become a fused multiply-add.
def accumulate : Loop_AccumulatorFunction<2>;
def sub : Loop_AccumulatorFunction<2>;
def mul : Loop_AccumulatorFunction<2>;
def div : Loop_AccumulatorFunction<2>; ///< floats
/// NaN if one of them is.
def max : Loop_AccumulatorFunction<2>;
def min : Loop_AccumulatorFunction<2>;
def bitAnd : Loop_AccumulatorFunction<2>; ///< integers
def bitOr : Loop_AccumulatorFunction<2>;
def bitXor : Loop_AccumulatorFunction<2>;
/// Truth values: x > y, x < y, where NaN is beyond all; x == y, where NaN is NaN.
def greater : Loop_AccumulatorFunction<2>;
def less : Loop_AccumulatorFunction<2>;
def same : Loop_AccumulatorFunction<2>;
def equal : Loop_AccumulatorFunction<2>; ///< x == y; not for NaN
def before : Loop_AccumulatorFunction<2>; ///< x < y, signed integers
def select : Loop_AccumulatorFunction<3>; ///< truth ? x : y
def zeroOf : Loop_AccumulatorFunction<1>; ///< 0 of the type of x

/// The values of the locals, in order, and of the accumulators. A formula names the
/// accumulators of both sides `$left` and `$right`, or, where a kind has several,
/// `$left_<name>` and `$right_<name>`, and locals that stand before it.
def locals;
def accumulators;

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// What a value may be; `type` is the type of one element.
class Loop_AccumulatorType<string condition, string text> {
  string predicate = condition;
  string summary = text;
}
def Loop_Number : Loop_AccumulatorType<
  "::llvm::isa<::mlir::IntegerType, ::mlir::FloatType>(type)",
  "a number">;
def Loop_Integer : Loop_AccumulatorType<
  "::llvm::isa<::mlir::IntegerType>(type)", "an integer">;
def Loop_Float : Loop_AccumulatorType<
  "::llvm::isa<::mlir::FloatType>(type)", "a float">;
def Loop_I64 : Loop_AccumulatorType<"type.isInteger(64)", "i64">;

/// Neutral elements, by the names of the enumerators of Neutral.
class Loop_Neutral<string name> { string enumerator = name; }
def Loop_Zero : Loop_Neutral<"Zero">;
def Loop_One : Loop_Neutral<"One">;
def Loop_AllOnes : Loop_Neutral<"AllOnes">;   ///< of bits
def Loop_Lowest : Loop_Neutral<"Lowest">;     ///< -infinity, or the least integer
def Loop_Highest : Loop_Neutral<"Highest">;   ///< its opposite
def Loop_LastIndex : Loop_Neutral<"LastIndex">; ///< behind any that there is

/// One value that a kind carries. A name is needed where it carries several.
class Loop_Accumulator<Loop_Neutral element, Loop_AccumulatorType constraint,
                       string label = "value"> {
  Loop_Neutral neutral = element;
  Loop_AccumulatorType type = constraint;
  string name = label;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// A kind of reduction: its enumerator, number and keyword, what it carries, and
/// how two sets of accumulators become one.
class Loop_Reduction<string name, int number, string keyword,
                     list<Loop_Accumulator> values>
    : I32EnumAttrCase<name, number, keyword> {
  /// Markdown, for the description of `loop.reduce`; empty if the name says it.
  string meaning = "";
  list<Loop_Accumulator> carried = values;
  dag where = (locals);
  dag combine = (accumulators);
  /// On floats each step rounds, so that long ones are added up in blocks.
  bit rounds = 0;
}

class Loop_SimpleReduction<string name, int number, string keyword,
                           Loop_AccumulatorFunction function,
                           Loop_Neutral neutral,
                           Loop_AccumulatorType type = Loop_Number>
    : Loop_Reduction<name, number, keyword, [Loop_Accumulator<neutral, type>]> {
  let combine = (accumulators (function $left, $right));
}

def Loop_Sum
    : Loop_SimpleReduction<"Sum", 0, "sum", accumulate, Loop_Zero> {
  let rounds = 1;
}
def Loop_Prod : Loop_SimpleReduction<"Prod", 1, "prod", mul, Loop_One>;
def Loop_Min : Loop_SimpleReduction<"Min", 2, "min", min, Loop_Highest>;
def Loop_Max : Loop_SimpleReduction<"Max", 3, "max", max, Loop_Lowest>;
def Loop_Any
    : Loop_SimpleReduction<"Any", 4, "any", bitOr, Loop_Zero, Loop_Integer>;
def Loop_All
    : Loop_SimpleReduction<"All", 5, "all", bitAnd, Loop_AllOnes, Loop_Integer>;
def Loop_Xor
    : Loop_SimpleReduction<"Xor", 6, "xor", bitXor, Loop_Zero, Loop_Integer>;

class Loop_ArgReduction<string name, int number, string keyword,
                        Loop_AccumulatorFunction beats, Loop_Neutral neutral,
                        string comparative>
    : Loop_Reduction<name, number, keyword, [
        Loop_Accumulator<neutral, Loop_Number, "value">,
        Loop_Accumulator<Loop_LastIndex, Loop_I64, "index">]> {
  let meaning = "two, (value, index: i64). The first index wins among equal "
      "values, and a NaN counts as " # comparative # " than anything.";
  let where = (locals
    (beats $right_value, $left_value):$better,
    (same $right_value, $left_value):$equal,
    (before $right_index, $left_index):$earlier,
    (bitAnd $equal, $earlier):$tie,
    (bitOr $better, $tie):$take);
  let combine = (accumulators
    (select $take, $right_value, $left_value),
    (select $take, $right_index, $left_index));
}
def Loop_ArgMax
    : Loop_ArgReduction<"ArgMax", 7, "argmax", greater, Loop_Lowest, "larger">;
def Loop_ArgMin
    : Loop_ArgReduction<"ArgMin", 8, "argmin", less, Loop_Highest, "smaller">;

/// Chan et al., "Updating formulae and a pairwise algorithm for computing sample
/// variances" (1979). What is added to the squares is measured from the new mean, so
/// that an infinity makes them NaN wherever it stands: its distance from the mean that
/// it gave is none.
def Loop_Welford : Loop_Reduction<"Welford", 9, "welford", [
    Loop_Accumulator<Loop_Zero, Loop_Float, "mean">,
    Loop_Accumulator<Loop_Zero, Loop_Float, "squares">,
    Loop_Accumulator<Loop_Zero, Loop_Float, "weight">]> {
  let meaning = "three, (mean, sum of squared distances, weight); the body "
      "yields (x, 0, 1).";
  let where = (locals
    (zeroOf $left_mean):$zero,
    (add $left_weight, $right_weight):$weight,
    (equal $weight, $zero):$empty,
    (div $right_weight, $weight):$quotient,
    (select $empty, $zero, $quotient):$share,
    (sub $right_mean, $left_mean):$delta,
    (mul $delta, $share):$shift,
    (add $left_mean, $shift):$mean,
    (add $left_squares, $right_squares):$squares,
    (sub $right_mean, $mean):$rest,
    (mul $rest, $right_weight):$part,
    (mul $delta, $part):$scaled);
  let combine = (accumulators $mean, (add $squares, $scaled), $weight);
}

/// Combined by a region; carries any number of values.
def Loop_Generic : Loop_Reduction<"Generic", 10, "generic", []> {
  let meaning = "all, combined by the second region, whose arguments are N "
      "values on the left and N on the right and which yields N values. Only "
      "then are there init values, one per accumulator.";
}

/// What PyTorch's pooling gives. Integers have no NaN, and ArgMax.
def Loop_ArgMaxLastNaN : Loop_Reduction<"ArgMaxLastNaN", 11, "argmax_last_nan", [
    Loop_Accumulator<Loop_Lowest, Loop_Float, "value">,
    Loop_Accumulator<Loop_LastIndex, Loop_I64, "index">]> {
  let meaning = "`argmax` of floats, where of several NaNs the last wins.";
  let where = (locals
    (greater $right_value, $left_value):$better,
    (same $right_value, $left_value):$alike,
    (equal $right_value, $left_value):$numbers,
    (bitXor $alike, $numbers):$nans,
    (before $right_index, $left_index):$earlier,
    (before $left_index, $right_index):$later,
    (bitAnd $numbers, $earlier):$first,
    (bitAnd $nans, $later):$last,
    (bitOr $first, $last):$tie,
    (bitOr $better, $tie):$take);
  let combine = (accumulators
    (select $take, $right_value, $left_value),
    (select $take, $right_index, $left_index));
}

def Loop_ReductionKind : I32EnumAttr<"ReductionKind",
    "how the accumulators of a reduction combine", [
      Loop_Sum, Loop_Prod, Loop_Min, Loop_Max, Loop_Any, Loop_All, Loop_Xor,
      Loop_ArgMax, Loop_ArgMin, Loop_Welford, Loop_Generic,
      Loop_ArgMaxLastNaN
    ]> {
  let cppNamespace = "::kiln::loop";
  let genSpecializedAttr = 0;
  /// A line of Markdown for each kind that says what it means.
  string meanings = !foldl("", enumerants, text, kind,
      text # !if(!empty(!cast<Loop_Reduction>(kind).meaning), "",
                 "\n    - `" # kind.str # "`: "
                 # !cast<Loop_Reduction>(kind).meaning));
}

#endif // KILN_DIALECT_LOOP_IR_LOOPREDUCTIONS
