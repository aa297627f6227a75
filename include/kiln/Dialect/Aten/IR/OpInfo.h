//===- OpInfo.h - Static descriptions of ATen overloads ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of an overload without an instance of its op, generated from
// the TableGen records, and the functions that work on any aten op through it:
// an importer builds ops it has never heard of, an emitter of extern calls gets
// all arguments in schema order.
//
//   const OpInfo *info = lookUpOverload("aten.sum.dim_IntList");
//   Operation *op = buildAtenOp(builder, loc, *info,
//       {x, builder.getDenseI64ArrayAttr({-1}), builder.getBoolAttr(true)});
//   if (!op)
//     return failure(); // a diagnostic has been emitted
//   for (const ArgValue &arg : getSchemaArguments(op)) ...
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_OPINFO_H
#define KILN_DIALECT_ATEN_IR_OPINFO_H

#include "kiln/Interfaces/RecomputeClass.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Value.h"

#include <cassert>
#include <optional>

namespace kiln::aten {

class Inference;
struct ViewMap;

/// What an argument of a schema is.
enum class ArgKind : uint8_t {
  Tensor,
  TensorOrNumber,     ///< a tensor or a wrapped number
  TensorList,
  OptionalTensorList, ///< with a mask of which are present
  Number,             ///< PyTorch's Scalar
  Int,
  Bool,
  Float,
  String,
  DType,
  SymInt,
  IntList,
  BoolList,
  FloatList,
  SymIntList,
  Layout,
  Device,
  MemoryFormat,
  Generator, ///< never present
};

enum class ResultKind : uint8_t { Tensor, TensorList, Number };

/// How the element type of the results follows from the operands; each is
/// described at its record in AtenBase.td.
enum class Promotion : uint8_t {
  Default,
  NoOpmath,
  IntToFloat,
  AlwaysBool,
  AnyBool,
  AlwaysI64,
  IntToI64,
  ComplexToFloat,
  FloatToComplex,
  KeepFirst,
  View,
  Like,
  SameDType,
  Norm,
  FromScalar,
  FromScalarI64,
  DefaultFloat,
  DivMode,
  FloatOnly,
  FloatToReal,
  ToNumber,
  None,
};

/// How the arithmetic of an op beyond one operation an element is counted: two for
/// each product that is added, as PyTorch's FlopCounterMode does.
enum class FlopCount : uint8_t {
  None,
  Product,      ///< of the first two operands as matrices
  AddedProduct, ///< of the second and third, added to the first
  Convolution,  ///< of the first operand with the second, its weight
  Attention,
};

/// One argument of a schema.
struct ArgInfo {
  const char *name;
  ArgKind kind;
  /// None is allowed, or there is a default: an operand may be absent.
  bool isOptional = false;
  /// Takes part in type promotion.
  bool promotes = false;
  /// The default as the schema writes it ("1", "True", "[0, 0]", "None"); null
  /// if the argument must be given.
  const char *defaultText = nullptr;
  /// For `int[2]`: 2, the length to which a single number is repeated.
  unsigned listSize = 0;
  /// Of a mode: what its text may be, or what its numbers 0, 1, ... mean. Empty if
  /// it may be anything.
  ArrayRef<const char *> words = {};

  /// True for arguments that are operands of the op, not attributes.
  bool isOperand() const { return kind <= ArgKind::Number; }
  /// True for operands that may be none or many.
  bool isVariable() const {
    return isOperand() && (isOptional || kind == ArgKind::TensorList ||
                           kind == ArgKind::OptionalTensorList);
  }
};

/// One attribute of an op as it is stored: an argument that is no operand, the mask
/// of a list of optional tensors ("indices_present"), or what an op has besides
/// (the symbol that `aten.item` defines).
struct AttributeInfo {
  const char *name;
  /// Layouts, devices and memory formats are stored as text.
  ArgKind kind;
  /// May be null.
  bool isOptional = false;
};

/// What an op does besides giving its results.
enum class OpEffects : uint8_t {
  Unknown, ///< anything, as drawing a random number
  Symbols, ///< gives values to the symbols that its result types name first
  None,
};

/// Where the numbers of operands are stored that arguments have, of an op with
/// more than one argument of variable length.
constexpr StringRef kSegmentSizesName = "operandSegmentSizes";

/// One overload. Its address is the type id of its ops' name.
struct alignas(8) OpInfo {
  const char *name;   ///< "aten.add.Tensor"; "aten.mm"; "mylib.swish"
  const char *schema; ///< "aten::mm(Tensor self, Tensor mat2) -> Tensor"
  ArrayRef<ArgInfo> args;
  ArrayRef<ResultKind> results;
  ArrayRef<AttributeInfo> attributes;
  Promotion promotion;
  /// Infers the sizes; see Inference.h.
  LogicalResult (*shapeRule)(Inference &);
  /// Of an op that shows elements of its operand: which; null for others. See
  /// ViewMaps.h.
  LogicalResult (*viewMaps)(Inference &, SmallVector<ViewMap, 1> &);
  /// Of a view whose elements are other numbers: the op again gives the operand's.
  bool undoesItself;
  /// The op is rewritten as simpler ones, at least for some arguments; see
  /// kiln/Dialect/Aten/Transforms/Decompositions.h.
  bool isDecomposed;
  bool isComposite; ///< PyTorch has nothing for it but what it is composed of
  bool isCore;      ///< in the Kiln core set
  bool isView;      ///< the results alias the first operand
  bool isSilentView; ///< shares memory, which its schema does not say
  bool mayCopy;     ///< the result is the first operand or a copy of it
  bool isRandom;    ///< draws random numbers, or may
  bool isPointwise; ///< has a loop body
  bool takesSmallFloats;    ///< has kernels of 8-bit floats
  bool roundsNumbers;       ///< numbers are rounded to 16-bit elements first
  bool refusesZeroDivisors; ///< an integer 0 in `other` is an error
  /// What it means to run the op again: a random one if it draws given numbers, a
  /// view if it copies.
  RecomputeClass recompute;
  FlopCount flops;
  OpEffects effects;
  /// More than one operand is optional or a list.
  bool hasSegments;
  /// The last two of `args` are no arguments of the schema but `draws` and
  /// `draw`: which random numbers the op draws.
  bool takesDraws;

  /// "add.Tensor"
  StringRef getOverload() const { return StringRef(name).split('.').second; }
  /// Index of an argument; asserts that there is one.
  unsigned getArgIndex(StringRef argName) const;

  /// The properties of an op are `attributes` and then, if it has segments, their
  /// sizes. This is how many, the name of one, and where a name is.
  unsigned getNumAttributes() const { return attributes.size() + hasSegments; }
  StringRef getAttributeName(unsigned slot) const {
    return slot < attributes.size() ? StringRef(attributes[slot].name)
                                    : kSegmentSizesName;
  }
  std::optional<unsigned> findAttribute(StringRef attributeName) const;
};

/// The description of "aten.add.Tensor", "aten.mm" or "aten.mm.default"; null
/// if there is no such record.
const OpInfo *lookUpOverload(StringRef overload);
/// The same for overloads of any dialect that is loaded: "mylib.swish.default".
const OpInfo *lookUpOverload(StringRef overload, MLIRContext *context);
/// What was meant by "aten.add" or "aten.rellu": the overloads of the operator, or
/// those with the nearest name; none if nothing is near.
SmallVector<StringRef> suggestOverloads(StringRef name);
/// All overloads of ATen, sorted by name.
ArrayRef<const OpInfo *> getAllOverloads();
/// The description of an op, or of those with a name; null if it stands for no
/// overload.
const OpInfo *getOpInfo(Operation *op);
const OpInfo *getOpInfo(mlir::OperationName name);

/// An argument of any kind, or none.
class ArgValue {
public:
  ArgValue() = default;
  ArgValue(std::nullptr_t) {}
  ArgValue(Value value) : isGiven(!!value) {
    if (value)
      values.push_back(value);
  }
  /// For lists; a null element is an absent tensor.
  ArgValue(ArrayRef<Value> list)
      : values(list.begin(), list.end()), isGiven(true), isAList(true) {}
  ArgValue(ValueRange list)
      : values(list.begin(), list.end()), isGiven(true), isAList(true) {}
  ArgValue(Attribute attribute)
      : attribute(attribute), isGiven(!!attribute) {}
  // Ops and typed values and attributes convert in one step.
  template <typename T, typename = std::enable_if_t<
                            std::is_convertible_v<T, Value> &&
                            !std::is_same_v<T, Value>>>
  ArgValue(T value) : ArgValue(Value(value)) {}
  template <typename T,
            typename = std::enable_if_t<std::is_base_of_v<Attribute, T>>,
            typename = void>
  ArgValue(T value) : ArgValue(Attribute(value)) {}

  /// Absent: the schema's default, or None.
  bool isNone() const { return !isGiven; }
  bool isAttribute() const { return isGiven && attribute; }
  bool isList() const { return isAList; }
  bool isValue() const { return isGiven && !attribute && !isAList; }

  Value getValue() const {
    assert(isValue() && "not a single value");
    return values.front();
  }
  ArrayRef<Value> getValues() const { return values; }
  Attribute getAttribute() const { return attribute; }

private:
  SmallVector<Value, 1> values;
  Attribute attribute;
  bool isGiven = false;
  bool isAList = false;
};

/// Builds an op of the overload. `args` are in schema order; missing ones at
/// the end and those that are none take the default. Attributes may stand in
/// for numbers (a constant is built) and integers for `SymInt`s. Result types
/// are inferred unless given. Null on failure, after a diagnostic at `loc`.
Operation *buildAtenOp(OpBuilder &builder, Location loc, const OpInfo &info,
                       ArrayRef<ArgValue> args, TypeRange resultTypes = {});

/// All arguments in schema order, defaults of attributes included; an absent
/// operand is none.
SmallVector<ArgValue> getSchemaArguments(Operation *op);

/// True for an op that draws given numbers, not the generator's next ones.
bool drawsGivenNumbers(Operation *op);

/// A call of a registered operator.
struct OperatorCall {
  std::string overload; ///< "aten.mm.default"
  SmallVector<std::pair<ArgValue, const ArgInfo *>> arguments;
};
/// The call that does what `op` does, which stands for an overload.
OperatorCall getOperatorCall(Operation *op);

/// The default of an argument as the attribute that stands for it: for numbers
/// an i64, f64 or bool. Null for None or if there is no default.
Attribute getDefault(MLIRContext *context, const ArgInfo &arg);

/// The result types for arguments in schema order. Says why not at `loc`, or
/// fails silently without one.
LogicalResult inferResultTypes(MLIRContext *context,
                               std::optional<Location> loc,
                               const OpInfo &info, ArrayRef<ArgValue> args,
                               SmallVectorImpl<Type> &types);

/// True if an op may have a result of type `found` where `expected` is inferred:
/// symbolic sizes may be written otherwise, but not contradict.
bool areCompatible(Type expected, Type found);

//===----------------------------------------------------------------------===//
// Called by the model of all overloads, Overload.h
//===----------------------------------------------------------------------===//

/// Adds the operands and attributes that `args` stand for, in schema order; the
/// arguments must fit the schema.
void fillState(OpBuilder &builder, OperationState &state, const OpInfo &info,
               ArrayRef<ArgValue> args);
ParseResult parseAtenOp(OpAsmParser &parser, OperationState &state,
                        const OpInfo &info);
void printAtenOp(Operation *op, OpAsmPrinter &printer);
LogicalResult verifyAtenOp(Operation *op);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_OPINFO_H
