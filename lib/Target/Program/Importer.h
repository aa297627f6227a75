//===- Importer.h - State of one import -*- C++ -*- --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_PROGRAM_IMPORTER_H
#define KILN_LIB_TARGET_PROGRAM_IMPORTER_H

#include "kiln/Dialect/Program/IR/Program.h"
#include "kiln/Package/Package.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::target {

/// What programs and guards name by number, as the module has it.
struct ModuleNames {
  SmallVector<mlir::SymbolRefAttr> kernels;
  SmallVector<mlir::FlatSymbolRefAttr> bodies, constants;
};

/// Writes one program as IR, the inverse of Exporter: a step, slot, symbol or value
/// is an op (ProgramImport.cpp, ImportedValues.cpp). `data` is verified.
class Importer {
public:
  Importer(const package::Program &data, const ModuleNames &names,
           mlir::OpBuilder &builder)
      : data(data), names(names), builder(builder),
        context(builder.getContext()) {}

  Status run();
  /// The expressions of the program, by id.
  ArrayRef<guard::ExprAttr> getExprs() const { return exprs; }

private:
  Status readExprs();
  Status findNumbers();
  void noteNumbers(const std::vector<package::Argument> &arguments);

  Status addSlot(uint32_t index);
  void addSymbol(const package::Symbol &symbol);
  Attribute getSlotValue(uint32_t index);

  /// Makes the buffers up to `id` that are not there, as the exporter numbers them.
  Status declareUpTo(package::ValueId id);
  Status declare(package::ValueId id);
  Result<Value> getValue(package::ValueId id);
  Result<SmallVector<Value>> getValues(ArrayRef<package::ValueId> ids);
  Result<Type> getType(package::ValueId id);
  Result<Type> getBufferType(DType dtype, ArrayRef<package::ExprId> sizes,
                             ArrayRef<package::ExprId> strides);
  Result<SmallVector<Type>> getResultTypes(ArrayRef<package::ValueId> ids);
  Status setResults(Operation *op, ArrayRef<package::ValueId> ids);
  SmallVector<guard::ExprAttr> getExprs(ArrayRef<package::ExprId> ids);
  guard::ExprAttr getOptional(package::ExprId id) {
    return id == package::kNone ? guard::ExprAttr() : exprs[id];
  }

  Status addStep(const package::Step &step);
  Status addLaunch(const package::LaunchStep &step);
  Status addGrid(const package::GridStep &step);
  Attribute getMap(const package::GridStep::TensorMap &map);
  program::MatrixAttr
  getMatrix(const package::GridStep::Product::Matrix &matrix);
  program::ProductAttr getProduct(const package::GridStep::Product &product);
  program::ImageAttr
  getImage(const package::GridStep::Convolution::Image &image);
  program::ConvolutionAttr
  getConvolution(const package::GridStep::Convolution &convolution);
  /// Null if no library may do what a step does.
  Attribute getLibrary(const package::GridStep &step);
  mlir::ArrayAttr getList(const std::vector<package::ExprId> &ids);
  Status addCall(const package::ExternStep &step);
  Status addInvoke(const package::ControlStep &step);
  Status addDefine(const package::DefineSymbolStep &step);
  Status addCopy(const package::CopyStep &step);
  Status addRelease(const package::ReleaseStep &step);
  Result<Attribute> toAttribute(const package::Argument &argument,
                                SmallVectorImpl<Value> &operands);
  Result<mlir::ArrayAttr> toAttributes(ArrayRef<package::Argument> arguments,
                                       SmallVectorImpl<Value> &operands);
  /// What a step that calls something is given and gives.
  struct Call {
    SmallVector<Value> operands;
    mlir::ArrayAttr arguments;
    SmallVector<Type> types;
  };
  Result<Call> getCall(ArrayRef<package::Argument> arguments,
                       ArrayRef<package::ValueId> results);
  Status addOutputs();
  /// "model.py:12", as the exporter reads it.
  Location getLocation(StringRef text);

  const package::Program &data;
  const ModuleNames &names;
  mlir::OpBuilder &builder;
  MLIRContext *context;
  SmallVector<guard::ExprAttr> symbols, exprs;
  SmallVector<Value> slots;
  llvm::DenseMap<package::ValueId, Value> values;
  llvm::DenseSet<package::ValueId> numbers;
  package::ValueId next = 0; ///< the first that may not have been declared
};

} // namespace kiln::target

#endif // KILN_LIB_TARGET_PROGRAM_IMPORTER_H
