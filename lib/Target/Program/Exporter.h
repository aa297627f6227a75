//===- Exporter.h - State of one export -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_PROGRAM_EXPORTER_H
#define KILN_LIB_TARGET_PROGRAM_EXPORTER_H

#include "ExprTable.h"

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Target/ProgramExport.h"

#include <optional>

namespace kiln::target {

/// The element type at run time, or an error that shows the type.
Result<DType> runtimeType(Type type);
/// "model.py:12" of an op, or empty.
std::string describe(Location loc);
/// A constant input or output; nothing for expressions.
std::optional<package::Constant> toConstant(Attribute value);

/// Turns one function into a program: signature (Signature.cpp), arguments of
/// calls (CallArguments.cpp), steps and their lives (ProgramExport.cpp).
class Exporter {
public:
  Exporter(mlir::func::FuncOp function, const KernelIndex &kernels,
           const BodyIndex &bodies)
      : function(function), kernels(kernels), bodies(bodies) {}

  Result<package::Program> run(StringRef name);

private:
  Status addSymbols();
  Status addSlots();
  Status addOp(Operation &op);
  Status addExtern(Operation &op, StringRef overload,
                   std::vector<package::Argument> arguments, StringRef reason);
  package::ValueId addContiguous(Value tensor);
  void defineNumber(StringAttr symbol, Value number);
  Status defineSizes(Operation &op);
  Status addLaunch(loop::LaunchOp op);
  Status addInvoke(loop::InvokeOp op);
  Status addOutputs(mlir::func::ReturnOp op);
  void addReleases();

  Status checkGiven(package::ExprId expr);
  /// The id of an expression that a step evaluates where it stands.
  Result<package::ExprId> evaluated(guard::ExprAttr expr);

  Result<package::Argument> toArgument(Value value);
  Result<package::Argument> toArgument(Attribute value, ValueRange operands);
  Result<package::Argument> toArgument(const aten::ArgValue &value,
                              const aten::ArgInfo &info);
  Result<package::ValueId> addResult(Value result, package::Value value);
  Result<std::vector<package::ExprId>> sizesOf(Value tensor);

  mlir::func::FuncOp function;
  const KernelIndex &kernels;
  const BodyIndex &bodies;
  package::Program program;
  std::optional<ExprTable> exprs;
  llvm::DenseMap<Value, package::ValueId> values;
  /// Numbers that are known without a step: constants and expressions.
  llvm::DenseMap<Value, package::Argument> numbers;
  /// Symbols that a step defines so far.
  llvm::SmallDenseSet<uint32_t> defined;
};

} // namespace kiln::target

#endif // KILN_LIB_TARGET_PROGRAM_EXPORTER_H
