//===- FunctionConverter.h - One function becomes a program -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both conversions share: the signature, numbers that need no step, calls
// of operators, symbols that steps define. Ops of a dialect are for who inherits.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_TOPROGRAM_FUNCTIONCONVERTER_H
#define KILN_LIB_CONVERSION_TOPROGRAM_FUNCTIONCONVERTER_H

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Program/IR/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {

/// The arguments of a call as they are collected: attributes in schema order and
/// the operands that they name, each once.
struct CallArguments {
  SmallVector<Attribute> list;
  SmallVector<Value> operands;

  Attribute getOperand(Value value);
};

/// What becomes a program: a function, or a body of an operator in it, which is
/// also given the numbers of some symbols.
struct Source {
  mlir::func::FuncOp function;
  mlir::Region *body;
  std::string name;
  SmallVector<StringAttr> passed;

  explicit Source(mlir::func::FuncOp function)
      : function(function), body(&function.getBody()),
        name(function.getName()) {}
  bool isFunction() { return body == &function.getBody(); }
  aten::InputAttr getInput(unsigned k);
  /// The strides that kernels of a function count on, else those that were recorded of
  /// its argument; null if it lies in order.
  guard::ShapeAttr getStrides(unsigned k);
  aten::OutputAttr getOutput(unsigned k);
};

class FunctionConverter {
public:
  /// `ignoreStrides`: views are reshapes, as core form says nothing of strides.
  FunctionConverter(Source source, bool ignoreStrides)
      : source(std::move(source)), builder(this->source.function),
        ignoreStrides(ignoreStrides) {}
  virtual ~FunctionConverter() = default;

  /// Puts a `program.func` before the function; errors are reported.
  FailureOr<program::FuncOp> run();

protected:
  /// Converts an op; `std::nullopt` for one that it does not know.
  virtual std::optional<LogicalResult> convertOp(Operation &op) = 0;
  /// The operand that an attribute of a call stands for, if it does.
  virtual std::optional<unsigned> getOperandIndex(Attribute value) = 0;

  /// The type of a value in a program; reports one that cannot be there.
  FailureOr<Type> getType(Type type, Location loc);
  FailureOr<SmallVector<Type>> getTypes(TypeRange types, Location loc);
  /// The value of a program that a value has become, or null.
  Value lookUp(Value value) const { return values.lookup(value); }

  LogicalResult addArgument(Value value, CallArguments &arguments,
                            Operation *op);
  /// Attributes of ops, some of which name `operands`.
  FailureOr<Attribute> toArgument(Attribute value, mlir::ValueRange operands,
                                  CallArguments &arguments, Operation *op);
  /// All arguments of a call that lists them as attributes over its operands.
  FailureOr<CallArguments> toArguments(mlir::ArrayAttr values,
                                       mlir::ValueRange operands,
                                       Operation *op);
  FailureOr<Attribute> toArgument(Value value, CallArguments &arguments,
                                  Operation *op);
  LogicalResult addCall(Operation &op, StringRef overload,
                        CallArguments arguments, StringRef reason);
  /// The type of a result of a call, `none` if it may be left out.
  FailureOr<Type> getResultType(Operation &op, Value result);
  void mapResults(Operation &op, mlir::ValueRange results);
  void defineNumber(StringAttr symbol, Value number);
  /// A size that is a bare symbol which nothing defined yet is what a call found
  /// out.
  void defineSizes(Operation &op);

  Source source;
  program::FuncOp program;
  mlir::OpBuilder builder;
  bool ignoreStrides;
  llvm::DenseMap<Value, Value> values;

  MLIRContext *getContext() const { return builder.getContext(); }

private:
  LogicalResult addSlots();
  LogicalResult addSymbols();
  LogicalResult addSlot(mlir::BlockArgument argument);
  LogicalResult addOutputs(Operation *terminator);
  LogicalResult convertShared(Operation &op);
  bool mayBeLeftOut(Operation &op, Value result);

  /// Numbers that are known without a step, as arguments.
  llvm::DenseMap<Value, Attribute> numbers;
  /// Symbols that steps define, and those that have their value by now.
  llvm::DenseSet<StringAttr> stepSymbols, defined;
};

/// Converts functions of `module`, and connects the halves of a training step.
LogicalResult convertFunctions(
    ModuleOp module, ArrayRef<mlir::func::FuncOp> functions,
    llvm::function_ref<FailureOr<program::FuncOp>(mlir::func::FuncOp)> convert);

} // namespace kiln

#endif // KILN_LIB_CONVERSION_TOPROGRAM_FUNCTIONCONVERTER_H
