//===- AtenFormulas.td - How ops are decomposed -----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the field `decomposition` of an op may be: an op that simpler ones say in
// a line has the line, any other the name of a C++ function. `kiln-tblgen
// --gen-aten-decompositions` writes the C++ and the table of all of them.
//
//   let decomposition = DecomposeWide<[(sum_all (mul $self, $tensor))]>;
//   let decomposition = DecomposeBy<"decomposeGelu">;
//
// There is a dag for each result. Its operators are methods of FormulaBuilder
// (`sum_all` is `sumAll`), or functions of Decompose/Formulas.h for those
// declared as `Formula`. `(call "overload", ...)` is any other op, with its
// arguments in schema order: a method of FormulaBuilder, so that an overload that
// there is not ends kiln-tblgen. Leaves are:
//
//   $self, $dim   operands and attributes of the op, by their name in C++
//   $result       its first result, for its sizes and type
//   2             a number
//   "1.5"         C++ text
//
// The operators of a composite's formula are methods of Composite, or functions of
// Decompose/CompositeFormulas.h, and its values
// are the results as they are. Others are converted to the results' element types. Operands of a
// `DecomposeWide` come in the type that elements of the first result are
// computed in, f32 for 16 bits, so that the result is rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENFORMULAS_TD
#define KILN_DIALECT_ATEN_IR_ATENFORMULAS_TD

include "kiln/Dialect/Aten/IR/AtenFunctions.td"

/// How an op is rewritten as simpler ones.
class Aten_Decomposition;

/// It is not: it is of the core set and has a kernel, or becomes a call.
def NotDecomposed : Aten_Decomposition;

/// By a function of lib/Dialect/Aten/Transforms/Decompose, declared by
/// kiln-tblgen: `Value name(FooOp op, FormulaBuilder &c)` for one result, otherwise
/// `SmallVector<Value> name(...)`. Arguments follow the builder; see
/// AtenFunctions.td.
class DecomposeBy<string name, list<string> args = [],
                  Aten_Parameter parameter = OwnOp>
    : Aten_Decomposition, Aten_Function<name, args, parameter>;

/// By the ops of the core set that show the same: a view, from its map, which is
/// then copied if the op's results are copies.
def DecomposeView : Aten_Decomposition;

/// By a formula for each result.
class Decompose<list<dag> formulas> : Aten_Decomposition {
  list<dag> values = formulas;
  bit isWide = 0;
}
class DecomposeWide<list<dag> formulas> : Decompose<formulas> {
  let isWide = 1;
}

/// A dag operator that is a function of Formulas.h.
class Formula;
/// A dag operator that is a method of FormulaBuilder.
class BuilderMethod;

/// An op by its overload, with arguments in schema order.
def call : BuilderMethod;
def conjugate : BuilderMethod;      // of a tensor or number; reals stay
def filled : BuilderMethod;         // a number in sizes and type of a tensor
def mm : BuilderMethod;
def permute : BuilderMethod;
def square : BuilderMethod;
def sum_all : BuilderMethod;
def transpose_last : BuilderMethod; // the last two dimensions exchanged
def unsqueeze : BuilderMethod;

// Methods of Composite, in the formulas of composites.
def floating : BuilderMethod; // of integers f32
def itself : BuilderMethod;   // the operand
def row : BuilderMethod;      // all elements in a row
def wrap : BuilderMethod;     // a number as a tensor, beside another one

// Functions of Decompose/CompositeFormulas.h, in those formulas too.
def cholesky_solve : Formula;
def determinant : Formula;
def factors_for : Formula;     // of an upsampling to sizes
def inner : Formula;
def invert : Formula;
def kronecker : Formula;
def matrix_norm : Formula;     // by an order
def named_norm : Formula;      // of matrices
def no_info : Formula;         // nothing was wrong with matrices
def quantile : Formula;
def share_of : Formula;        // a number as a tensor of another's type
def sizes_unless : Formula;    // sizes, if there is no factor
def tensor_dot : Formula;
def unit_like : Formula;       // the identity

// Views and copies of views.
def copy_of_view : Formula;    // a view, copied if it is the operand itself
def convert_like : Formula;    // in the element type of another, maybe copied
def uninitialized : Formula;   // of any contents, like another
def view_like : Formula;       // in the sizes of another
def fill_like : Formula;       // one number in the sizes of another

// Rearrangements.
def tile : Formula;
def repeat_each : Formula;       // every element along a dimension
def rotate : Formula;            // by quarter turns
def differences : Formula;       // of neighbours, n times
def take_along : Formula;        // elements at positions that wrap around
def join : Formula;              // cat of tensors of at least a rank
def cartesian : Formula;         // all combinations of elements
def embed_diagonal : Formula;    // matrices of given diagonals
def replace_diagonal : Formula;  // matrices with other diagonals
def zeros_of : Formula;          // of given sizes, typed as a tensor
def scatter_strided : Formula;   // to positions by strides
def fold_windows : Formula;      // sums of overlapping windows

// Pointwise.
def log_sigmoid : Formula;
def log_sigmoid_slope : Formula; // by the buffer, if there is one
def replace_specials : Formula;  // NaN and infinities, of floats
def channel_weight : Formula;    // a weight for each channel
def half : Formula;              // the first or second of a dimension
def pair : Formula;              // two halves, joined
def cross_product : Formula;

// Products.
def as_column : Formula;        // a vector, or a number, as a column
def batch_in_columns : Formula; // [b, n, m] as [n, b m]
def batch_in_rows : Formula;    // [b, n, m] as [b n, m]

// Reductions.
def trace : Formula;
def correction : Formula;        // as a number
def vector_norm : Formula;       // by an optional order
def log_sum_exp : Formula;
def extremum : Formula;          // over an optional dimension
def count_nonzero : Formula;
def without_nan : Formula;       // zeros for NaN
def cosine_similarity : Formula;
def pairwise_distance : Formula;
def limit_norms : Formula;

// Losses.
def reduced : Formula;        // 0 none, 1 mean, 2 sum
def shared : Formula;         // a gradient, divided by elements for a mean
def times_given : Formula;    // by an optional factor
def bce : Formula;            // cross entropy of probabilities
def bce_slope : Formula;
def bce_with_logits : Formula;
def huber : Formula;
def huber_slope : Formula;
def smooth_l1 : Formula;
def smooth_l1_slope : Formula;
def divergence : Formula;

#endif // KILN_DIALECT_ATEN_IR_ATENFORMULAS_TD
