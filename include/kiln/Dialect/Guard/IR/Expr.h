//===- Expr.h - Expressions over symbols and loop indices -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ExprAttr` and `ShapeAttr`, the functions that build them, and what one can
// ask of them. Every builder returns the canonical form, so two expressions
// that are the same polynomial are the same attribute:
//
//   ExprAttr s = getSymbol(context, "s77");
//   assert((s + 1) * 4 == 4 * s + 4);
//   assert(floorDiv(s * 8 + 3, getConstant(context, 4)) == s * 2);
//
// Canonical form of an integer expression:
//
//   sum      := term (+ term)* (+ constant)?   at least two, sorted
//   term     := monomial | monomial * constant (not 0, not 1)
//   monomial := atom (* atom)*                 sorted, repetition is a power
//   atom     := symbol | index | any other function
//
// Arithmetic on constants is checked: what does not fit 64 bits stays as a call
// (`add(9223372036854775807, 1)`) which takes no further part in the algebra,
// and whose evaluation is an error. Float expressions are only folded, never
// reordered.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_EXPR_H
#define KILN_DIALECT_GUARD_IR_EXPR_H

#include "kiln/Base/Result.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kiln::guard {

// What is known of values: ExprRange.h.
struct Interval;
struct Assumptions;

/// What an expression is made of: leaves, and the functions of
/// kiln/ABI/ExprFunctions.def, in the order in which atoms sort within a sum.
enum class ExprKind : uint8_t {
  Constant, ///< payload: the integer
  Float,    ///< payload: the bits of the double
  Dim,      ///< payload: the position of a loop index
  Symbol,   ///< symbol: its name
#define KILN_EXPR_FUNCTION(kind, OPCODE, code, name, arity, result, text, binds) \
  kind,
#include "kiln/ABI/ExprFunctions.def"
};

/// The name by which a function is written, "floordiv".
StringRef getFunctionName(ExprKind kind);
/// The inverse; nothing for a name that is no function.
std::optional<ExprKind> lookUpFunction(StringRef name);
/// How many operands a function takes; 0 if it takes any number from one on.
unsigned getArity(ExprKind kind);
/// True for comparisons and logic, which give 0 or 1.
bool isTruthFunction(ExprKind kind);

} // namespace kiln::guard

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Guard/IR/GuardAttrs.h.inc"

namespace kiln::guard {

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

ExprAttr getConstant(MLIRContext *context, int64_t value);
ExprAttr getFloat(MLIRContext *context, double value);
ExprAttr getSymbol(MLIRContext *context, StringRef name);
ExprAttr getDim(MLIRContext *context, unsigned position);

/// True for the names of float symbols: `zf` or `zuf` and digits.
bool isFloatSymbolName(StringRef name);

ExprAttr add(ExprAttr a, ExprAttr b);
ExprAttr sub(ExprAttr a, ExprAttr b);
ExprAttr mul(ExprAttr a, ExprAttr b);
ExprAttr neg(ExprAttr a);
ExprAttr add(ExprAttr a, int64_t b);
ExprAttr mul(ExprAttr a, int64_t b);
ExprAttr sum(MLIRContext *context, ArrayRef<ExprAttr> operands);
ExprAttr product(MLIRContext *context, ArrayRef<ExprAttr> operands);
ExprAttr min(ExprAttr a, ExprAttr b);
ExprAttr max(ExprAttr a, ExprAttr b);
ExprAttr pow(ExprAttr a, ExprAttr b);
ExprAttr floorDiv(ExprAttr a, ExprAttr b);
ExprAttr floorDiv(ExprAttr a, int64_t b);
/// Written with `floordiv`: ceildiv(a, b) = -floordiv(-a, b).
ExprAttr ceilDiv(ExprAttr a, ExprAttr b);
ExprAttr ceilDiv(ExprAttr a, int64_t b);
ExprAttr cleanDiv(ExprAttr a, ExprAttr b);
ExprAttr mod(ExprAttr a, ExprAttr b);
ExprAttr mod(ExprAttr a, int64_t b);
/// (a floordiv divisor) mod modulus.
ExprAttr modularIndexing(ExprAttr a, ExprAttr divisor, ExprAttr modulus);
ExprAttr eq(ExprAttr a, ExprAttr b);
ExprAttr ne(ExprAttr a, ExprAttr b);
ExprAttr lt(ExprAttr a, ExprAttr b);
ExprAttr le(ExprAttr a, ExprAttr b);
ExprAttr gt(ExprAttr a, ExprAttr b);
ExprAttr ge(ExprAttr a, ExprAttr b);
ExprAttr logicalAnd(ExprAttr a, ExprAttr b);
ExprAttr logicalOr(ExprAttr a, ExprAttr b);
ExprAttr logicalNot(ExprAttr a);
ExprAttr select(ExprAttr condition, ExprAttr a, ExprAttr b);
/// An integer as a float; a float is returned as it is.
ExprAttr toFloat(ExprAttr a);
/// Any function of the enum by its kind, with the right number of operands.
ExprAttr build(ExprKind kind, ArrayRef<ExprAttr> operands);

inline ExprAttr operator+(ExprAttr a, ExprAttr b) { return add(a, b); }
inline ExprAttr operator+(ExprAttr a, int64_t b) { return add(a, b); }
inline ExprAttr operator-(ExprAttr a, ExprAttr b) { return sub(a, b); }
inline ExprAttr operator-(ExprAttr a) { return neg(a); }
inline ExprAttr operator*(ExprAttr a, ExprAttr b) { return mul(a, b); }
inline ExprAttr operator*(ExprAttr a, int64_t b) { return mul(a, b); }
inline ExprAttr operator*(int64_t a, ExprAttr b) { return mul(b, a); }

/// Negative if `a` sorts before `b`, 0 if they are the same. Depends on the
/// text of the expressions alone, never on addresses.
int compare(ExprAttr a, ExprAttr b);

//===----------------------------------------------------------------------===//
// Taking apart
//===----------------------------------------------------------------------===//

/// A summand: `coefficient * monomial`, the monomial null for the constant.
struct Term {
  ExprAttr monomial;
  int64_t coefficient;
};

/// The summands in order, the constant last; 0 has none.
SmallVector<Term> getTerms(ExprAttr expr);
/// The inverse, for terms in any order.
ExprAttr fromTerms(MLIRContext *context, ArrayRef<Term> terms);
/// The factor of `atom` if `expr` is `atom * factor + rest` with neither part
/// holding `atom`; the factor may be symbolic (`d0 * s1`). Nothing if `atom`
/// occurs in another way, in a `mod` say; 0 if it does not occur.
std::optional<ExprAttr> getCoefficient(ExprAttr expr, ExprAttr atom);
/// The atoms of a monomial (`s0 * s0 * d1`); one for an atom.
ArrayRef<ExprAttr> getFactors(const ExprAttr &monomial);
/// q with a = q * b for all values, nothing if there is none (that is found).
std::optional<ExprAttr> exactDivide(ExprAttr a, ExprAttr b);

/// Calls `visit` on `expr` and everything in it, outermost first.
void walk(ExprAttr expr, function_ref<void(ExprAttr)> visit);
/// True if `leaf` occurs in `expr`.
bool contains(ExprAttr expr, ExprAttr leaf);
/// Appends the names of the symbols of `expr` that are not there yet.
void collectSymbols(ExprAttr expr, SmallVectorImpl<StringAttr> &symbols);
/// True if `expr` has loop indices.
bool hasDims(ExprAttr expr);
/// One more than the highest loop index of `expr`; 0 if it has none.
unsigned getNumDims(ExprAttr expr);

/// Replaces leaves (and canonicalizes what changes). `replace` returns the new
/// expression, or null to keep the leaf.
ExprAttr substitute(ExprAttr expr, function_ref<ExprAttr(ExprAttr)> replace);
/// Replaces the loop indices d0, d1... by `dims`; those beyond are kept.
ExprAttr substituteDims(ExprAttr expr, ArrayRef<ExprAttr> dims);
/// Replaces the loop indices that run over one element by that, which is 0: no address is
/// a multiple of anything while a term of it may be any number. An extent that is not known
/// is null.
ExprAttr dropUnitDims(ExprAttr expr, ArrayRef<ExprAttr> extents);

//===----------------------------------------------------------------------===//
// Evaluating
//===----------------------------------------------------------------------===//

/// A number: an integer or a float.
struct Number {
  bool isFloat = false;
  int64_t integer = 0;
  double real = 0;

  static Number of(int64_t value) { return {false, value, 0}; }
  static Number of(double value) { return {true, 0, value}; }
  double asDouble() const { return isFloat ? real : double(integer); }
};

/// One function applied to numbers; nothing on overflow, division by zero, or
/// operands of the wrong kind. The runtime's evaluator is asked.
std::optional<Number> apply(ExprKind kind, ArrayRef<Number> operands);

/// The value of `expr`, given those of its symbols and indices. Nothing if a
/// leaf has none or the arithmetic fails.
std::optional<Number>
evaluate(ExprAttr expr, function_ref<std::optional<Number>(ExprAttr)> leaf);

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The tensor type with these sizes. Constants become static dimensions; only
/// if a size is symbolic the type gets a `#guard.shape` encoding.
RankedTensorType makeTensorType(Type elementType, ArrayRef<ExprAttr> dims);
/// The sizes of a tensor; nothing if a dynamic one has no expression.
std::optional<SmallVector<ExprAttr>> getDims(RankedTensorType type);

/// Unsupported if an argument of a function has dynamic sizes that no
/// `#guard.shape` names.
Status checkNamedSizes(StringRef function, TypeRange arguments);
/// Product of the sizes.
ExprAttr getNumElements(MLIRContext *context, ArrayRef<ExprAttr> dims);
/// Strides of a dense row-major tensor, in elements.
SmallVector<ExprAttr> getContiguousStrides(MLIRContext *context,
                                           ArrayRef<ExprAttr> dims);
/// Numbers as expressions.
SmallVector<ExprAttr> getConstants(MLIRContext *context,
                                   ArrayRef<int64_t> values);

} // namespace kiln::guard

#endif // KILN_DIALECT_GUARD_IR_EXPR_H
