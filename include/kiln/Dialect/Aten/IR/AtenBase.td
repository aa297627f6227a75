//===- AtenBase.td - Base classes of the aten ops ----------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record per overload is the single source of truth: its schema with the
// defaults, how result types are inferred, whether it is in the core set, which
// function or formula decomposes it, what its loop
// body or lowering is, what it costs. `kiln-tblgen` turns the
// records into the tables of OpInfo.h, the op classes and the reference. Operators
// of other libraries are records of class `Aten_OverloadOp` in a dialect that has
// the library's name.
//
// Name, operands, attributes and results of the op follow from the schema:
//
//   schema                        value in the IR       accessor's type
//   Tensor                        operand               Tensor
//   Tensor, in `takesNumbers`     operand, any number   Value
//   Scalar                        operand               Value
//   Tensor?, Scalar with default  operand or absent     Tensor, Value; null
//   Tensor[]                      operands              OperandRange
//   Tensor?[]                     operands, and a mask  OperandRange
//                                 `<name>_present`      ArrayRef<bool>
//   SymInt, SymInt[]              #guard.expr, #guard.shape
//   int, bool, float, str         attribute             uint64_t ...
//   int[], bool[], float[]        dense array           ArrayRef
//   ScalarType                    type attribute        Type
//   Layout, Device, MemoryFormat  text                  StringRef
//   Generator                     never there
//
// An optional attribute is absent for None. An attribute with a default is
// always there, so that passes need not know defaults; the text leaves it out.
// A result without a name is `result`, of several `result0`, `result1`. `info`
// is `info_`, since `getInfo` gives the overload's description.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENBASE_TD
#define KILN_DIALECT_ATEN_IR_ATENBASE_TD

include "kiln/Dialect/Aten/IR/AtenDialect.td"
include "kiln/Dialect/Aten/IR/AtenFormulas.td"
include "kiln/Dialect/Aten/IR/AtenInterfaces.td"
include "kiln/Dialect/Aten/IR/AtenLoopBody.td"

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// What an argument is one of: a word, or the number of a mode, its place in the
/// list. Inference compares, and says what it found and what there is.
class Aten_Words<list<string> choices> {
  list<string> words = choices;
}
def Aten_LossReduction : Aten_Words<["none", "mean", "sum"]>;
def Aten_Interpolation : Aten_Words<["bilinear", "nearest", "bicubic"]>;
def Aten_GridPadding : Aten_Words<["zeros", "border", "reflection"]>;
def Aten_BagMode : Aten_Words<["sum", "mean", "max"]>;
def Aten_Rounding : Aten_Words<["floor", "trunc"]>;
def Aten_GeluApproximation : Aten_Words<["none", "tanh"]>;
def Aten_ConvolutionPadding : Aten_Words<["same", "valid"]>;

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

/// How the element type of the results follows from those of the operands.
class Aten_Promotion<string kind, string text> {
  string name = kind;
  string description = text;
  /// Ops of this kind make, move or convert elements, also those of 8-bit floats.
  bit takesSmallFloats = 0;
}
def PromoteDefault : Aten_Promotion<"Default", "the promoted type; bf16 and f16 compute in f32">;
def PromoteNoOpmath : Aten_Promotion<"NoOpmath", "the promoted type; values are chosen or moved">;
def PromoteIntToFloat : Aten_Promotion<"IntToFloat", "promoted, integers and bool become f32">;
def PromoteAlwaysBool : Aten_Promotion<"AlwaysBool", "bool; computed in the promoted type">;
def PromoteAnyBool : Aten_Promotion<"AnyBool", "bool, but ui8 for ui8">;
def PromoteAlwaysI64 : Aten_Promotion<"AlwaysI64", "i64">;
def PromoteIntToI64 : Aten_Promotion<"IntToI64", "integers and bool give i64; dtype converts first">;
def PromoteComplexToFloat : Aten_Promotion<"ComplexToFloat", "complex gives its real type">;
def PromoteKeepFirst : Aten_Promotion<"KeepFirst", "the type of the first tensor">;
def PromoteView : Aten_Promotion<"View", "the type of the tensor, or dtype"> {
  let takesSmallFloats = 1;
}
def PromoteLike : Aten_Promotion<"Like", "dtype, or the type of the tensor"> {
  let takesSmallFloats = 1;
}
def PromoteSameDType : Aten_Promotion<"SameDType", "one type for all; others are an error">;
def PromoteNorm : Aten_Promotion<"Norm", "the type of the input; statistics of the weights' type">;
def PromoteFromScalar : Aten_Promotion<"FromScalar", "dtype, or i64, f32, bool, complex by the number"> {
  let takesSmallFloats = 1;
}
def PromoteFromScalarI64 : Aten_Promotion<"FromScalarI64", "dtype, or i64 for whole numbers, f32 for others">;
def PromoteDefaultFloat : Aten_Promotion<"DefaultFloat", "dtype, or f32"> {
  let takesSmallFloats = 1;
}
def PromoteDivMode : Aten_Promotion<"DivMode", "IntToFloat without a rounding mode, else the promoted type">;
def PromoteFloatToComplex : Aten_Promotion<"FloatToComplex", "floats give their complex type">;
def PromoteFloatOnly : Aten_Promotion<"FloatOnly", "floats and complex stay; integers need dtype">;
def PromoteFloatToReal : Aten_Promotion<"FloatToReal", "complex gives its real type; integers need dtype">;
def PromoteToNumber : Aten_Promotion<"ToNumber", "i1, i64, f64 or complex<f64> by category">;
def PromoteNone : Aten_Promotion<"None", "no results, or types that the rule sets">;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// What it means to run the op again in the backward, a name of
/// kiln/Interfaces/RecomputeClass.h. Of an op that draws random numbers: if it is
/// said which; of a view: if it copies.
class Aten_Recompute<string kind> {
  string name = kind;
}
/// Heavy for a pass over data that nothing fuses with, as sorting and pooling
/// are: not pointwise, not of the core set, not decomposed, and with operands.
/// Otherwise cheap. What adds up and is decomposed says so itself: with a
/// derivative of its own it is whole when a training step is cut in two.
def RecomputeByForm : Aten_Recompute<"">;
def RecomputeReduction : Aten_Recompute<"Reduction">;
def RecomputeHeavy : Aten_Recompute<"Heavy">;
def RecomputeOpaque : Aten_Recompute<"Opaque">;

/// How the arithmetic beyond one operation an element is counted; an enumerator
/// of FlopCount in OpInfo.h.
class Aten_Flops<string kind> {
  string name = kind;
}
def NoFlops : Aten_Flops<"None">;
def FlopsOfProduct : Aten_Flops<"Product">;
def FlopsOfAddedProduct : Aten_Flops<"AddedProduct">;
def FlopsOfConvolution : Aten_Flops<"Convolution">;
def FlopsOfAttention : Aten_Flops<"Attention">;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

/// What an op does besides giving its results; an enumerator of OpEffects in
/// OpInfo.h.
class Aten_Effects<string kind, string text> {
  string name = kind;
  string description = text;
}
def UnknownEffects : Aten_Effects<"Unknown", "any effect">;
def SymbolEffects
    : Aten_Effects<"Symbols", "an effect if it gives a symbol its value, else none">;
def NoEffects : Aten_Effects<"None", "no effects">;

/// An operator overload of the library `dialect.name`; kiln-tblgen writes the
/// class, see Overload.h.
class Aten_OverloadOp<Dialect dialect, string schemaText,
                      Aten_Effects effectsOf = UnknownEffects> {
  Dialect opDialect = dialect;
  string summary = "";
  string description = "";
  /// The overload's schema, as PyTorch prints it.
  string schema = schemaText;
  /// Arguments of Kiln's own, written as a schema's, behind those of the schema.
  string ownArguments = "";
  /// Attributes that are no arguments: they are not passed to a function.
  string ownAttributes = "";
  /// Tensors in whose place a number may stand, which promotes as one.
  list<string> takesNumbers = [];
  /// The words of an argument: (ins Aten_LossReduction:$reduction).
  dag modes = (ins);
  /// Function that infers the sizes: one of lib/Dialect/Aten/IR/ShapeRules.h,
  /// or a qualified name ("::mylib::inferSwish"). Rules of families take more than
  /// the op: "upsample(2)". See Inference.h.
  string shape = "broadcast";
  /// Of an op that shows elements of its operand: the function of
  /// kiln/Base/ViewRules.h or ViewElementRules.h that says which. See
  /// Aten_MappedOp.
  string view = "";
  /// Of a view whose elements are other numbers than the operand's: the operand's
  /// are again what this op gives for those written to the view.
  bit undoesItself = 0;
  /// lib/Eager has a function of its own, which sees more than sizes.
  bit hasOwnKernel = 0;
  Aten_Promotion promotion = PromoteDefault;
  /// Arguments that take part in promotion; empty: all tensors.
  list<string> promotes = [];
  /// How the op is rewritten as simpler ones; see AtenFormulas.td.
  Aten_Decomposition decomposition = NotDecomposed;
  /// Overloads of other operators that take and give the same.
  list<string> aliases = [];
  /// Overloads in place, or with `out`, that write what this one gives and are not
  /// named like it: "transpose_" for "transpose.int".
  list<string> writers = [];
  /// PyTorch composes it of others and has nothing else for it: no kernel, no
  /// derivative. Opened before anything else looks at the program.
  bit isComposite = 0;
  /// In the Kiln core set.
  bit isCore = 0;
  /// The results alias the first operand.
  bit isView = 0;
  /// The result shares memory although the schema does not say so; nothing is
  /// written through it.
  bit isSilentView = 0;
  /// The result may be a copy or the first operand: its strides, types and
  /// arguments decide. Set for views that have to copy now and then, and for
  /// other ops that give their operand back where there is nothing to do.
  bit mayCopy = 0;
  /// Draws random numbers, at least if its arguments say so.
  bit isRandom = 0;
  /// What happens to each element; unset: not pointwise.
  dag body = ?;
  /// How the op becomes loop nests if not by a body alone; see AtenLoopBody.td.
  Aten_Lowering lowering = NotLowered;
  /// Takes 8-bit floats, of which PyTorch has few operators. Those whose
  /// promotion kind says so need not.
  bit takesSmallFloats = 0;
  /// Numbers are rounded to the tensors' 16-bit type before they are used.
  bit roundsNumbers = 0;
  /// PyTorch ends with an error where an integer is divided by a 0 in `other`.
  bit refusesZeroDivisors = 0;
  Aten_Recompute recompute = RecomputeByForm;
  Aten_Flops flops = NoFlops;
  Aten_Effects effects = effectsOf;
}

/// An overload of ATen.
class Aten_Op<string schemaText, Aten_Effects effectsOf = UnknownEffects>
    : Aten_OverloadOp<Aten_Dialect, schemaText, effectsOf>;

/// Draws random numbers: the next ones of the generator, or, with `draws`, those
/// of draw number `draw` among the ones that `aten::_draws` has reserved. With
/// them the results depend on nothing but operands and attributes, and the op may
/// be run again.
class Aten_RandomOp<string schemaText> : Aten_Op<schemaText> {
  let ownArguments = "Tensor? draws=None, int? draw=None";
  let isRandom = 1;
}

/// Depends on nothing but its operands, and leaves nothing but its results.
class Aten_PureOp<string schemaText> : Aten_Op<schemaText, NoEffects>;

/// As a pure op, but data may decide about a size of the results: a symbol stands
/// for it and has its value from this op. Attributes and types anywhere may read
/// the symbol although nothing uses the results, so that the op has an effect if
/// it defines one, and none else; see kiln/Dialect/Guard/IR/SymbolEffects.h.
class Aten_CountingOp<string schemaText> : Aten_Op<schemaText, SymbolEffects>;

/// Shows elements of a tensor in another order or shape. `rule` is a function of
/// kiln/Base/ViewRules.h or ViewElementRules.h, from which the sizes, the loop
/// nests that read through it, the strides at run time, and what is written
/// through it follow. The result shares memory, unless `isView` is taken back.
class Aten_MappedOp<string schemaText, string rule>
    : Aten_PureOp<schemaText> {
  let view = rule;
  let shape = "viewed";
  let promotion = PromoteView;
  let lowering = LowerView;
  let decomposition = !if(isCore, NotDecomposed, DecomposeView);
  let isView = 1;
}

/// PyTorch composes it of others and has nothing else for it: no kernel, no
/// derivative. So is it here: the function, of lib/Dialect/Aten/Transforms/
/// Decompose, is all that is said of it, and the types of its results are those of
/// what the function builds, unless the record names a shape rule.
class Aten_CompositeOverloadOp<Dialect dialect, string schemaText,
                               string function,
                               Aten_Effects effectsOf = UnknownEffects>
    : Aten_OverloadOp<dialect, schemaText, effectsOf> {
  let shape = "composed";
  let promotion = PromoteNone;
  let decomposition = DecomposeBy<function>;
  let isComposite = 1;
}
/// Of pure ops. One that takes a line, or a function that it shares, says it as
/// `decomposition`.
class Aten_CompositeOp<string schemaText, string function = "">
    : Aten_CompositeOverloadOp<Aten_Dialect, schemaText, function, NoEffects>;
/// Of ops that draw random numbers or end the run with an error.
class Aten_ActingCompositeOp<string schemaText, string function = "">
    : Aten_CompositeOverloadOp<Aten_Dialect, schemaText, function>;
/// Where data decide about a size, as of Aten_CountingOp.
class Aten_CountingCompositeOp<string schemaText, string function = "">
    : Aten_CompositeOverloadOp<Aten_Dialect, schemaText, function,
                               SymbolEffects>;

/// One tensor, element by element.
class Aten_UnaryOp<string overload, Aten_Promotion kind, dag loopBody>
    : Aten_PureOp<"aten::" # overload # "(Tensor self) -> Tensor"> {
  let promotion = kind;
  let body = loopBody;
}

/// Two tensors that broadcast.
class Aten_BinaryOp<string overload, Aten_Promotion kind, dag loopBody>
    : Aten_PureOp<"aten::" # overload # "(Tensor self, Tensor other) -> Tensor"> {
  let promotion = kind;
  let body = loopBody;
}

/// A tensor and a number.
class Aten_BinaryNumberOp<string overload, Aten_Promotion kind, dag loopBody>
    : Aten_PureOp<"aten::" # overload # "(Tensor self, Scalar other) -> Tensor"> {
  let promotion = kind;
  let promotes = ["self", "other"];
  let body = loopBody;
}

#endif // KILN_DIALECT_ATEN_IR_ATENBASE_TD
