//===- Overload.h - Ops that stand for operator overloads -------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op classes of overloads, and how a dialect gets them. All that MLIR asks of
// such an op (how it is parsed, printed, verified, hashed, what effects it has)
// follows from its OpInfo, so one model of an operation name serves all of them,
// and the class of an op is no more than accessors with names:
//
//   if (auto sum = llvm::dyn_cast<SumDimIntListOp>(op))
//     if (sum.getKeepdim())
//       return sum.getSelf();
//
// kiln-tblgen writes the classes from the records (--gen-aten-op-decls): `get` of
// each operand and result, `get`, `get...Attr` and `set...Attr` of each attribute,
// in C++ types as ODS has them. An absent operand or attribute is null or nullopt.
//
// Why not `mlir::Op`: it instantiates some forty functions for each class, which
// took half of the time in which Kiln is built; see lib/Dialect/Aten/Rationale.md.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_OVERLOAD_H
#define KILN_DIALECT_ATEN_IR_OVERLOAD_H

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln::aten {

/// Registers ops of those overloads in `dialect` whose names begin with its name.
/// To be called when the dialect is initialized.
void registerOverloads(mlir::Dialect &dialect,
                       ArrayRef<const OpInfo *> overloads);

/// What the classes of all overloads share.
class OverloadOp : public mlir::OpState {
public:
  OverloadOp(std::nullptr_t = nullptr) : OpState(nullptr) {}
  explicit OverloadOp(Operation *op) : OpState(op) {}

  static bool classof(Operation *op) { return getOpInfo(op) != nullptr; }

  unsigned getNumOperands() { return getOperation()->getNumOperands(); }
  mlir::OperandRange getOperands() { return getOperation()->getOperands(); }
  Value getOperand(unsigned i = 0) { return getOperation()->getOperand(i); }
  mlir::ResultRange getResults() { return getOperation()->getResults(); }

  /// Where the operands of an argument begin and how many there are; `index` counts
  /// the arguments that are operands.
  std::pair<unsigned, unsigned> getODSOperandIndexAndLength(unsigned index);
  mlir::OperandRange getODSOperands(unsigned index) {
    auto [begin, length] = getODSOperandIndexAndLength(index);
    return getOperands().slice(begin, length);
  }

protected:
  using Tensor = mlir::TypedValue<RankedTensorType>;

  template <typename T>
  T getODSOperand(unsigned index) {
    mlir::OperandRange range = getODSOperands(index);
    return range.empty() ? T() : llvm::cast<T>(Value(range.front()));
  }

  /// An attribute by its place in OpInfo::attributes.
  template <typename T>
  T getAttributeAt(unsigned slot) {
    return llvm::cast_if_present<T>(
        getOperation()->getPropertiesStorage().as<Attribute *>()[slot]);
  }
  void setAttributeAt(unsigned slot, Attribute attribute) {
    getOperation()->getPropertiesStorage().as<Attribute *>()[slot] = attribute;
  }

  Tensor getTensorResult(unsigned i) {
    return llvm::cast<Tensor>(Value(getOperation()->getResult(i)));
  }
};

/// The part of a generated class that depends on nothing but its name.
template <typename ConcreteOp>
class Overload : public OverloadOp {
public:
  using OverloadOp::OverloadOp;

  static const OpInfo &getInfo() { return ConcreteOp::info; }
  static StringRef getOperationName() { return ConcreteOp::info.name; }

  static bool classof(Operation *op) {
    return op->getName().getTypeID() ==
           mlir::TypeID::getFromOpaquePointer(&ConcreteOp::info);
  }

  /// Arguments in schema order, as for `buildAtenOp`, but nothing is inferred.
  static ConcreteOp create(OpBuilder &builder, Location loc, TypeRange types,
                           ArrayRef<ArgValue> args) {
    OperationState state(loc, getOperationName());
    fillState(builder, state, getInfo(), args);
    state.addTypes(types);
    return ConcreteOp(builder.create(state));
  }

  /// Makes the op implement interfaces, by external models. Its dialect must be
  /// loaded.
  template <typename... Models>
  static void attachInterface(MLIRContext &context) {
    auto name = mlir::RegisteredOperationName::lookup(getOperationName(),
                                                      &context);
    assert(name && "the op's dialect is not loaded");
    name->template attachInterface<Models...>();
  }
};

/// An overload with one result, which is no tensor: it is its value.
template <typename ConcreteOp>
class ValueOverload : public Overload<ConcreteOp> {
public:
  using Overload<ConcreteOp>::Overload;
  operator Value() { return this->getOperation()->getResult(0); }
  Type getType() { return this->getOperation()->getResult(0).getType(); }
};

/// An overload with one result, a tensor.
template <typename ConcreteOp>
class TensorOverload : public Overload<ConcreteOp> {
public:
  using Overload<ConcreteOp>::Overload;
  operator OverloadOp::Tensor() { return this->getTensorResult(0); }
  RankedTensorType getType() { return this->getTensorResult(0).getType(); }
};

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_OVERLOAD_H
