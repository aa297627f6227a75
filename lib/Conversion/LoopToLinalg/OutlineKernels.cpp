//===- OutlineKernels.cpp - Kernels as functions on tensors ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"
#include "SymbolicValues.h"

#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace kiln {
#define GEN_PASS_DEF_LOOPOUTLINEKERNELSPASS
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// All that depends on symbols and is used in a kernel as a number: extents
/// whole, and the symbols within index expressions.
static void collectValues(KernelOp kernel, llvm::SetVector<ExprAttr> &values) {
  auto addWhole = [&](ArrayRef<ExprAttr> exprs) {
    for (ExprAttr expr : exprs)
      if (!expr.getConstant())
        values.insert(expr);
  };
  kernel.walk([&](Operation *op) {
    if (auto nest = dyn_cast<NestOpInterface>(op))
      addWhole(nest.getDomain().all());
    if (auto value = dyn_cast<guard::ValueOp>(op))
      addWhole(value.getExpr());
    AttrTypeWalker symbols;
    symbols.addWalk([&](ExprAttr expr) {
      guard::walk(expr, [&](ExprAttr leaf) {
        if (leaf.isSymbol())
          values.insert(leaf);
      });
    });
    for (NamedAttribute attribute : op->getAttrs())
      if (attribute.getName() != "schedule")
        symbols.walk(attribute.getValue());
    if (auto properties = op->getPropertiesAsAttribute())
      symbols.walk(properties);
  });
}

namespace {

/// Makes the function of one kernel.
class Outliner {
public:
  Outliner(KernelOp kernel, SmallVector<SmallVector<ExprAttr>> inputStrides,
           OpBuilder &builder, bool ofGrid)
      : kernel(kernel), strides(std::move(inputStrides)),
        b(kernel.getLoc(), builder), ofGrid(ofGrid) {}

  func::FuncOp outline(StringRef name);
  llvm::SetVector<ExprAttr> symbols; ///< arguments that are numbers

private:
  void collectSymbols(ArrayRef<Value> tensors);
  void createValues(KernelArguments &arguments);
  void enterWorkItem(func::FuncOp function);
  void emitBody(ArrayRef<Value> buffers);
  Value getValue(ExprAttr expr) {
    if (auto constant = expr.getConstant())
      return arith::ConstantIndexOp::create(b, *constant);
    return values.lookup(expr);
  }
  Value createBuffer(Value pointer, RankedTensorType type,
                     ArrayRef<ExprAttr> strides);

  KernelOp kernel;
  SmallVector<SmallVector<ExprAttr>> strides; ///< of inputs, then of results
  ImplicitLocOpBuilder b;
  const bool ofGrid;
  llvm::DenseMap<ExprAttr, Value> values;
};

} // namespace

Value Outliner::createBuffer(Value pointer, RankedTensorType type,
                             ArrayRef<ExprAttr> strides) {
  SmallVector<ExprAttr> dims = *guard::getDims(type);
  MLIRContext *context = b.getContext();
  MemRefLayoutAttrInterface layout;
  if (!llvm::equal(strides, guard::getContiguousStrides(context, dims))) {
    SmallVector<int64_t> numbers;
    for (ExprAttr stride : strides)
      numbers.push_back(stride.getConstant().value_or(ShapedType::kDynamic));
    layout = StridedLayoutAttr::get(context, 0, numbers);
  }
  auto memref = MemRefType::get(type.getShape(),
                                getBodyType(type.getElementType()), layout);
  SmallVector<Value> sizeValues, strideValues;
  for (ExprAttr dim : dims)
    sizeValues.push_back(getValue(dim));
  for (ExprAttr stride : strides)
    strideValues.push_back(getValue(stride));
  return createMemRef(b, memref, pointer, sizeValues, strideValues, dims);
}

/// What the function needs of the outside besides tensors.
void Outliner::collectSymbols(ArrayRef<Value> tensors) {
  collectValues(kernel, symbols);
  for (auto [k, tensor] : llvm::enumerate(tensors)) {
    SmallVector<ExprAttr> dims =
        *guard::getDims(cast<RankedTensorType>(tensor.getType()));
    if (k >= strides.size())
      strides.push_back(analysis::getStoredStrides(tensor));
    for (ArrayRef<ExprAttr> list : {ArrayRef(dims), ArrayRef(strides[k])})
      for (ExprAttr expr : list)
        if (!expr.getConstant())
          symbols.insert(expr);
  }
}

void Outliner::createValues(KernelArguments &arguments) {
  for (auto [slot, expr] : llvm::enumerate(symbols)) {
    Value symbol = arguments.getSymbol(b, slot);
    // A float comes as its bits.
    Operation *value =
        expr.isFloatTyped()
            ? arith::BitcastOp::create(b, getValueType(expr), symbol)
            : arith::IndexCastOp::create(b, getValueType(expr), symbol).getOperation();
    value->setAttr(kValueAttrName, expr);
    values[expr] = value->getResult(0);
  }
}

/// There is one; a call may have none.
void Outliner::enterWorkItem(func::FuncOp function) {
  Value hasWork =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                            function.getArgument(2), function.getArgument(3));
  auto branch = scf::IfOp::create(b, hasWork, /*withElseRegion=*/false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
}

/// The nests of the kernel, between tensors that are read and written where they are.
void Outliner::emitBody(ArrayRef<Value> buffers) {
  IRMapping mapping;
  auto castTo = [&](Type type, Value value) -> Value {
    return UnrealizedConversionCastOp::create(b, TypeRange{type}, value)
        .getResult(0);
  };
  auto plainType = [](Value buffer) {
    auto memref = cast<MemRefType>(buffer.getType());
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  };
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    Value buffer = buffers[argument.getArgNumber()];
    Value tensor = bufferization::ToTensorOp::create(
        b, plainType(buffer), buffer, /*restrict=*/true, /*writable=*/false);
    mapping.map(argument, castTo(argument.getType(), tensor));
  }
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  auto results = body.getTerminator()->getOperands();
  for (auto [k, result] : llvm::enumerate(results)) {
    Value buffer = buffers[body.getNumArguments() + k];
    Value value = castTo(plainType(buffer), mapping.lookup(result));
    bufferization::MaterializeInDestinationOp::create(
        b, /*result=*/Type(), value, buffer, /*restrict=*/true,
        /*writable=*/true);
  }
}

func::FuncOp Outliner::outline(StringRef name) {
  MLIRContext *context = b.getContext();
  Block &body = kernel.getBody().front();
  SmallVector<Value> tensors(body.getArguments());
  llvm::append_range(tensors, body.getTerminator()->getOperands());
  collectSymbols(tensors);
  auto function = func::FuncOp::create(
      b, name,
      KernelArguments::getType(context, ofGrid, tensors.size(),
                               symbols.size()));
  function->setAttr(kSymbolsAttrName,
                    getExprArray(context, symbols.getArrayRef()));
  b.setInsertionPointToStart(function.addEntryBlock());
  auto terminator = func::ReturnOp::create(b);
  b.setInsertionPoint(terminator);

  KernelArguments arguments(function);
  createValues(arguments);
  SmallVector<Value> buffers;
  for (auto [k, tensor] : llvm::enumerate(tensors))
    buffers.push_back(createBuffer(arguments.getPointer(b, k),
                                   cast<RankedTensorType>(tensor.getType()),
                                   strides[k]));
  if (!ofGrid)
    enterWorkItem(function);
  emitBody(buffers);
  return function;
}

static Operation *createLaunch(OpBuilder &builder, KernelOp kernel,
                               SymbolRefAttr function, ArrayAttr symbols) {
  return LaunchOp::create(
      builder, kernel.getLoc(), kernel.getResultTypes(), function,
      kernel.getInputs(), symbols,
      guard::getConstant(builder.getContext(), 1), builder.getI64IntegerAttr(1),
      /*scratch=*/ExprAttr(), kernel.getOriginsAttr(), /*schedule=*/nullptr,
      kernel.getTrafficAttr(), analysis::getOverwrites(kernel));
}

/// A launch of one thread.
static Operation *createGrid(OpBuilder &builder, KernelOp kernel,
                             StringAttr function, ArrayAttr symbols) {
  auto step = GridStepAttr::get(
      builder.getContext(), FlatSymbolRefAttr::get(function), symbols,
      /*blocks=*/guard::getConstant(builder.getContext(), 1), /*threads=*/1,
      /*shared=*/0, /*maps=*/ArrayAttr());
  return LaunchGridOp::create(
      builder, kernel.getLoc(), kernel.getResultTypes(), kernel.getInputs(),
      builder.getArrayAttr(step), /*narrow=*/ExprAttr(),
      /*workspace=*/ExprAttr(), kernel.getOriginsAttr(), /*schedule=*/nullptr,
      kernel.getTrafficAttr(), analysis::getOverwrites(kernel),
      /*library=*/Attribute(), /*checks=*/ArrayAttr());
}

namespace {
class LoopOutlineKernels
    : public kiln::impl::LoopOutlineKernelsPassBase<LoopOutlineKernels> {
  using LoopOutlineKernelsPassBase::LoopOutlineKernelsPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (failed(verifyNestsInKernels(module)))
      return signalPassFailure();
    if (kernels.empty())
      return;
    OpBuilder builder(&getContext());
    ModuleOp home = getOrCreateKernelModule(module);
    for (KernelOp kernel : kernels) {
      auto strides = analysis::getInputStrides(kernel);
      if (failed(strides))
        return signalPassFailure();
      std::string name = getFreeName(home, kernel.getName());
      builder.setInsertionPointToEnd(home.getBody());
      Outliner outliner(kernel, std::move(*strides), builder, grid);
      func::FuncOp function = outliner.outline(name);
      builder.setInsertionPoint(kernel);
      auto symbol = SymbolRefAttr::get(
          home.getSymNameAttr(),
          {SymbolRefAttr::get(function.getSymNameAttr())});
      ArrayAttr symbols =
          getExprArray(&getContext(), outliner.symbols.getArrayRef());
      Operation *launch =
          grid ? createGrid(builder, kernel, function.getSymNameAttr(), symbols)
               : createLaunch(builder, kernel, symbol, symbols);
      kernel.replaceAllUsesWith(launch->getResults());
      kernel.erase();
    }
  }
};
} // namespace
