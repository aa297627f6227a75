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
// records into the tables of OpInfo.h and checks that the ODS arguments say the
// same as the schema. Operators of other libraries are records of class
// `Aten_OverloadOp` in a dialect that has the library's name.
//
//
//   schema                        ODS                  value in the IR
//   Tensor                        Aten_Tensor          operand
//   Tensor (numbers allowed)      Aten_TensorOrNumber  operand
//   Scalar                        Aten_Number          operand
//   Tensor?, Scalar with default  Optional<...>        operand or absent
//   Tensor[]                      Variadic             operands
//   Tensor?[]                     Variadic             with <name>_present mask
//   SymInt, SymInt[]              Aten_SymInt[s]       #guard.expr, #guard.shape
//   int, bool, float, str         Aten_Int...          attribute
//   str, one of a few words       Aten_Word<[...]>     attribute
//   int, the number of a mode     Aten_Mode<[...]>     attribute
//   int[], bool[], float[]        Aten_Ints...         dense array
//   ScalarType                    Aten_DType           type attribute
//   Layout, Device, MemoryFormat  Aten_Layout...       text
//   Generator                     -                    never present
//
// An optional attribute is absent for None. An attribute with a default is
// always there, so that passes need not know defaults; the text leaves it out.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENBASE_TD
#define KILN_DIALECT_ATEN_IR_ATENBASE_TD

include "kiln/Dialect/Aten/IR/AtenDialect.td"
include "kiln/Dialect/Aten/IR/AtenFormulas.td"
include "kiln/Dialect/Aten/IR/AtenInterfaces.td"
include "kiln/Dialect/Aten/IR/AtenLoopBody.td"
include "kiln/Dialect/Guard/IR/GuardAttrs.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Aten_Tensor : RankedTensorOf<[AnyType], [], "a ranked tensor">;
/// A number as PyTorch passes it: `Scalar`.
def Aten_Number : AnyTypeOf<[I1, I64, F64, Complex<F64>],
                            "a number (i1, i64, f64 or complex<f64>)">;
/// A tensor, or a number in its place that promotes as a number.
def Aten_TensorOrNumber : AnyTypeOf<[Aten_Tensor, Aten_Number],
                                    "a tensor or a number">;

defvar Aten_Int = I64Attr;
defvar Aten_Bool = BoolAttr;
defvar Aten_Float = F64Attr;
defvar Aten_Str = StrAttr;
defvar Aten_Ints = DenseI64ArrayAttr;
defvar Aten_Bools = DenseBoolArrayAttr;
defvar Aten_Floats = DenseF64ArrayAttr;
defvar Aten_SymInt = Guard_ExprAttr;
defvar Aten_SymInts = Guard_ShapeAttr;
defvar Aten_DType = TypeAttr;
defvar Aten_Layout = StrAttr;       // "strided"
defvar Aten_Device = StrAttr;       // "cpu", "cuda:0"
defvar Aten_MemoryFormat = StrAttr; // "contiguous_format", "preserve_format"...

/// Text that is one of a few words. Inference compares, with better messages than a
/// predicate has.
class Aten_Word<list<string> choices>
    : StringBasedAttr<StrAttrPred, "string attribute"> {
  list<string> words = choices;
}
/// The number of a mode: its place among the names of all modes.
class Aten_Mode<list<string> choices> : TypedSignlessIntegerAttrBase<
    I64, "uint64_t", "64-bit signless integer attribute"> {
  list<string> words = choices;
}
def Aten_LossReduction : Aten_Mode<["none", "mean", "sum"]>;
def Aten_Interpolation : Aten_Mode<["bilinear", "nearest", "bicubic"]>;
def Aten_GridPadding : Aten_Mode<["zeros", "border", "reflection"]>;
def Aten_BagMode : Aten_Mode<["sum", "mean", "max"]>;
def Aten_Rounding : Aten_Word<["floor", "trunc"]>;
def Aten_GeluApproximation : Aten_Word<["none", "tanh"]>;
def Aten_ConvolutionPadding : Aten_Word<["same", "valid"]>;

/// What factory functions take last.
defvar Aten_FactoryArguments = (ins
  OptionalAttr<Aten_DType>:$dtype, OptionalAttr<Aten_Layout>:$layout,
  OptionalAttr<Aten_Device>:$device, OptionalAttr<Aten_Bool>:$pin_memory);
/// What factory functions on a model tensor take last.
defvar Aten_LikeArguments = !con(Aten_FactoryArguments, (ins
  OptionalAttr<Aten_MemoryFormat>:$memory_format));

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
/// Otherwise cheap.
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
/// OpInfo.h, and what ODS has for it, which the reference shows.
class Aten_Effects<string kind, list<Trait> odsTraits> {
  string name = kind;
  list<Trait> traits = odsTraits;
}
def UnknownEffects : Aten_Effects<"Unknown", []>;
def SymbolEffects
    : Aten_Effects<"Symbols", [AlwaysSpeculatable, MemoryEffectsOpInterface]>;
def NoEffects : Aten_Effects<"None", [Pure]>;

/// An operator overload of the library `dialect.name`. `arguments` and `results`
/// are as in ODS, but kiln-tblgen writes the class; see Overload.h.
class Aten_OverloadOp<Dialect dialect, string overload, string schemaText,
                      dag inputs, dag outputs,
                      Aten_Effects effectsOf = UnknownEffects>
    : Op<dialect, overload, !listconcat([AtenOpInterface], effectsOf.traits)> {
  /// The overload's schema, as PyTorch prints it.
  string schema = schemaText;
  /// Function that infers the sizes: one of lib/Dialect/Aten/IR/ShapeRules.h,
  /// or a qualified name ("::mylib::inferSwish"). See Inference.h.
  string shape = "broadcast";
  /// Of an op that shows elements of its operand: the function of
  /// kiln/Base/ViewRules.h that says which. See Aten_MappedOp.
  string view = "";
  /// Of a view whose elements are other numbers than the operand's: the overload
  /// that gives the operand's elements from those written to the view.
  string inverse = "";
  /// lib/Eager has a function of its own, which sees more than sizes.
  bit hasOwnKernel = 0;
  Aten_Promotion promotion = PromoteDefault;
  /// Arguments that take part in promotion; empty: all tensors.
  list<string> promotes = [];
  /// How the op is rewritten as simpler ones; see AtenFormulas.td.
  Aten_Decomposition decomposition = NotDecomposed;
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

  let arguments = inputs;
  let results = outputs;
}

/// An overload of ATen.
class Aten_Op<string overload, string schemaText, dag inputs, dag outputs,
              Aten_Effects effectsOf = UnknownEffects>
    : Aten_OverloadOp<Aten_Dialect, overload, schemaText, inputs, outputs,
                      effectsOf>;

/// Draws random numbers: the next ones of the generator, or, with `draws`, those
/// of draw number `draw` among the ones that `aten::_draws` has reserved. With
/// them the results depend on nothing but operands and attributes, and the op may
/// be run again. Both stand behind the arguments of the schema.
class Aten_RandomOp<string overload, string schemaText, dag inputs,
                    dag outputs>
    : Aten_Op<overload, schemaText,
              !con(inputs, (ins Optional<Aten_Tensor>:$draws,
                                OptionalAttr<Aten_Int>:$draw)),
              outputs> {
  let isRandom = 1;
}

/// Depends on nothing but its operands, and leaves nothing but its results.
class Aten_PureOp<string overload, string schemaText, dag inputs, dag outputs>
    : Aten_Op<overload, schemaText, inputs, outputs, NoEffects>;

/// As a pure op, but data may decide about a size of the results: a symbol stands
/// for it and has its value from this op. Attributes and types anywhere may read
/// the symbol although nothing uses the results, so that the op has an effect if
/// it defines one, and none else; see kiln/Dialect/Guard/IR/SymbolEffects.h.
class Aten_CountingOp<string overload, string schemaText, dag inputs,
                      dag outputs>
    : Aten_Op<overload, schemaText, inputs, outputs, SymbolEffects>;

/// Shows elements of a tensor in another order or shape. `rule` is a function of
/// kiln/Base/ViewRules.h, from which the sizes, the loop nests that read through
/// it, the strides at run time, and what is written through it follow. The
/// result shares memory, unless `isView` is taken back.
class Aten_MappedOp<string overload, string schemaText, string rule, dag inputs,
                    dag outputs = (outs Aten_Tensor:$result)>
    : Aten_PureOp<overload, schemaText, inputs, outputs> {
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
class Aten_CompositeOverloadOp<Dialect dialect, string overload,
                               string schemaText, dag inputs, dag outputs,
                               string function,
                               Aten_Effects effectsOf = UnknownEffects>
    : Aten_OverloadOp<dialect, overload, schemaText, inputs, outputs,
                      effectsOf> {
  let shape = "composed";
  let promotion = PromoteNone;
  let decomposition = DecomposeBy<function>;
  let isComposite = 1;
}
/// Of pure ops.
class Aten_CompositeOp<string overload, string schemaText, dag inputs,
                       dag outputs, string function>
    : Aten_CompositeOverloadOp<Aten_Dialect, overload, schemaText, inputs,
                               outputs, function, NoEffects>;
/// Of ops that draw random numbers or end the run with an error.
class Aten_ActingCompositeOp<string overload, string schemaText, dag inputs,
                             dag outputs, string function>
    : Aten_CompositeOverloadOp<Aten_Dialect, overload, schemaText, inputs,
                               outputs, function>;
/// Where data decide about a size, as of Aten_CountingOp.
class Aten_CountingCompositeOp<string overload, string schemaText, dag inputs,
                               dag outputs, string function>
    : Aten_CompositeOverloadOp<Aten_Dialect, overload, schemaText, inputs,
                               outputs, function, SymbolEffects>;

/// One tensor, element by element.
class Aten_UnaryOp<string overload, Aten_Promotion kind, dag loopBody>
    : Aten_PureOp<overload, "aten::" # overload # "(Tensor self) -> Tensor",
                  (ins Aten_Tensor:$self), (outs Aten_Tensor:$result)> {
  let promotion = kind;
  let body = loopBody;
}

/// Two tensors that broadcast.
class Aten_BinaryOp<string overload, Aten_Promotion kind, dag loopBody>
    : Aten_PureOp<overload,
                  "aten::" # overload # "(Tensor self, Tensor other) -> Tensor",
                  (ins Aten_Tensor:$self, Aten_Tensor:$other),
                  (outs Aten_Tensor:$result)> {
  let promotion = kind;
  let body = loopBody;
}

/// A tensor and a number.
class Aten_BinaryNumberOp<string overload, Aten_Promotion kind, dag loopBody>
    : Aten_PureOp<overload,
                  "aten::" # overload # "(Tensor self, Scalar other) -> Tensor",
                  (ins Aten_Tensor:$self, Aten_Number:$other),
                  (outs Aten_Tensor:$result)> {
  let promotion = kind;
  let promotes = ["self", "other"];
  let body = loopBody;
}

#endif // KILN_DIALECT_ATEN_IR_ATENBASE_TD
