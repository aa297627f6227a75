//===- Exporter.h - State of one export -------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_PROGRAM_EXPORTER_H
#define KILN_LIB_TARGET_PROGRAM_EXPORTER_H

#include "ExprTable.h"

#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Target/ProgramExport.h"

#include <optional>

namespace kiln::target {

/// Writes one `program.func` as data: an op is a step, a slot, a symbol or a
/// value of `kiln/Package/Program.h` (ProgramExport.cpp, Declarations.cpp).
class Exporter {
public:
  Exporter(program::FuncOp function, const PackageIndex &index)
      : function(function), kernels(index.kernels), bodies(index.bodies),
        constants(index.constants) {}

  Result<package::Program> run();

private:
  void addSymbols();
  Status addSlot(program::SlotOp op);
  Status addAlloc(program::AllocOp op);
  Status addView(program::ViewOp op);
  Status addValues(Operation &op);
  Status addStep(Operation &op);
  Status addLaunch(program::LaunchOp op);
  Status addGrid(program::LaunchOp op, program::GridAttr grid);
  Status addGridPart(program::GridStepAttr given, package::GridStep &step);
  Status addMap(program::TensorMapAttr given, package::GridStep::Part &part);
  Status setMatrix(program::MatrixAttr given,
                   package::GridStep::Product::Matrix &matrix);
  Status addProduct(program::ProductAttr given, package::GridStep &step);
  Status setImage(program::ImageAttr given,
                  package::GridStep::Convolution::Image &image);
  Status addConvolution(program::ConvolutionAttr given,
                        package::GridStep &step);
  /// Sets `id` to the number of an expression.
  Status setId(guard::ExprAttr expr, package::ExprId &id);
  template <typename Step> void addAccess(program::LaunchOp op, Step &step);
  Result<uint32_t> getKernel(mlir::SymbolRefAttr name);
  Status getIds(mlir::ArrayAttr list, std::vector<package::ExprId> &ids);
  Status addCall(program::CallOp op);
  Status addInvoke(program::InvokeOp op);
  Status addOutputs(program::ReturnOp op);

  /// A value with the layout of a buffer; its place is set already.
  Status addValue(Value value, package::Value place);
  Result<package::Argument> toArgument(Attribute value,
                                       mlir::ValueRange operands);
  Status toArguments(mlir::ArrayAttr list, mlir::ValueRange operands,
                     std::vector<package::Argument> &arguments);
  std::vector<package::ValueId> idsOf(mlir::ValueRange list);
  std::vector<package::ValueId> idsOf(mlir::ResultRange list);

  program::FuncOp function;
  const llvm::StringMap<uint32_t> &kernels, &bodies, &constants;
  package::Program program;
  std::optional<ExprTable> exprs;
  llvm::DenseMap<Value, package::ValueId> values;
  llvm::DenseMap<Value, uint32_t> slots;
};

} // namespace kiln::target

#endif // KILN_LIB_TARGET_PROGRAM_EXPORTER_H
