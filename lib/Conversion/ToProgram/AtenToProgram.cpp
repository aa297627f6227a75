//===- AtenToProgram.cpp - The pass convert-aten-to-program ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "kiln/Analysis/PassedSymbols.h"
#include "kiln/Conversion/ToProgram/Passes.h"
#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace kiln;

namespace kiln {
#define GEN_PASS_DEF_CONVERTATENTOPROGRAMPASS
#include "kiln/Conversion/ToProgram/Passes.h.inc"
} // namespace kiln

namespace {

class AtenConverter : public FunctionConverter {
public:
  using FunctionConverter::FunctionConverter;

private:
  std::optional<LogicalResult> convertOp(Operation &op) final;
  std::optional<unsigned> getOperandIndex(Attribute value) final {
    auto operand = dyn_cast<aten::OperandAttr>(value);
    return operand ? std::optional(operand.getIndex()) : std::nullopt;
  }
  LogicalResult convertBodies(Operation &op);
  LogicalResult convertOperator(aten::OperatorOp op);
  LogicalResult convertOverload(Operation &op);
  LogicalResult addArgument(const aten::ArgValue &value,
                            const aten::ArgInfo &info, CallArguments &arguments,
                            Operation *op);
  void makeContiguous(Operation &op, CallArguments &arguments);
};

class ConvertAtenToProgram
    : public kiln::impl::ConvertAtenToProgramPassBase<ConvertAtenToProgram> {
  using ConvertAtenToProgramPassBase::ConvertAtenToProgramPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic())
        functions.push_back(function);
    auto convert = [&](func::FuncOp function) {
      return AtenConverter(Source(function), ignoreStrides).run();
    };
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Capture, Stage::Joint})) ||
        failed(convertFunctions(getOperation(), functions, convert)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult AtenConverter::addArgument(const aten::ArgValue &value,
                                         const aten::ArgInfo &info,
                                         CallArguments &arguments,
                                         Operation *op) {
  FailureOr<Attribute> argument;
  if (value.isNone() || value.isAttribute()) {
    argument = toArgument(value.isNone()
                              ? aten::getDefault(op->getContext(), info)
                              : value.getAttribute(),
                          {}, arguments, op);
  } else if (value.isValue()) {
    argument = toArgument(value.getValue(), arguments, op);
  } else {
    SmallVector<Attribute> list;
    for (Value element : value.getValues()) {
      argument = element ? toArgument(element, arguments, op)
                         : Attribute(builder.getUnitAttr());
      if (failed(argument))
        return failure();
      list.push_back(*argument);
    }
    argument = Attribute(builder.getArrayAttr(list));
  }
  if (succeeded(argument))
    arguments.list.push_back(*argument);
  return argument;
}

LogicalResult AtenConverter::convertOperator(aten::OperatorOp op) {
  FailureOr<CallArguments> arguments =
      toArguments(op.getArgs(), op.getInputs(), op);
  if (failed(arguments))
    return failure();
  return addCall(*op, op.getName(), std::move(*arguments), "");
}

/// Puts the elements of the first argument in row-major order: itself, if they
/// are already.
void AtenConverter::makeContiguous(Operation &op,
                                   CallArguments &arguments) {
  Value tensor = lookUp(op.getOperand(0));
  auto call = program::CallOp::create(
      builder, op.getLoc(), TypeRange(tensor.getType()),
      builder.getStringAttr("aten.contiguous.default"), ValueRange(tensor),
      builder.getArrayAttr(
          program::OperandAttr::get(builder.getContext(), 0)),
      StringAttr());
  auto operand = cast<program::OperandAttr>(arguments.list[0]);
  arguments.operands[operand.getIndex()] = call.getResult(0);
}

/// True for a view that may see several elements of its operand as one, which have
/// to lie side by side.
static bool joinsElements(Operation &op) {
  auto view = dyn_cast<aten::ViewOpInterface>(op);
  auto maps = view ? view.getViewMaps() : FailureOr<aten::ViewMaps>();
  return succeeded(maps) && llvm::any_of(*maps, [](const aten::ViewMap &map) {
           return map.elements == aten::ViewElements::Pairs ||
                  map.elements == aten::ViewElements::Bytes;
         });
}

LogicalResult AtenConverter::convertOverload(Operation &op) {
  aten::OperatorCall call = aten::getOperatorCall(&op);
  CallArguments arguments;
  for (auto [value, info] : call.arguments)
    if (failed(addArgument(value, *info, arguments, &op)))
      return failure();
  // The strides of an intermediate are an operator's own choice here and may
  // differ from those PyTorch saw, so a view of it must be allowed to copy.
  bool ofIntermediate = op.getNumOperands() && op.getOperand(0).getDefiningOp();
  if (ofIntermediate && isa<aten::ViewOp>(op))
    call.overload = "aten.reshape.default";
  if (ofIntermediate && joinsElements(op))
    makeContiguous(op, arguments);
  if (failed(addCall(op, call.overload, std::move(arguments), "")))
    return failure();
  if (auto item = dyn_cast<aten::ItemOp>(op); item && item.getSymbol())
    defineNumber(item.getSymbolAttr(), item.getResult());
  return success();
}

/// Each body of an operator that runs graphs becomes a program of its own.
LogicalResult AtenConverter::convertBodies(Operation &op) {
  auto kind = program::InvokeKind::Scan;
  size_t carried = 0, scanned = 0;
  SmallVector<StringRef, 2> parts = {"body"};
  if (isa<aten::CondOp>(op)) {
    kind = program::InvokeKind::Branch;
    parts = {"then", "else"};
  } else if (auto loop = dyn_cast<aten::WhileLoopOp>(op)) {
    kind = program::InvokeKind::While;
    carried = loop.getCarried().size();
    parts = {"cond", "body"};
  } else if (auto loop = dyn_cast<aten::ScanOp>(op)) {
    carried = loop.getCarried().size();
    scanned = loop.getScanned().size();
  } else {
    scanned = cast<aten::MapOp>(op).getScanned().size();
  }
  SmallVector<StringAttr> passed =
      analysis::getPassedSymbols(&op, source.function);
  CallArguments arguments;
  for (Value operand : op.getOperands())
    if (failed(FunctionConverter::addArgument(operand, arguments, &op)))
      return failure();
  for (StringAttr symbol : passed)
    arguments.list.push_back(guard::getSymbol(getContext(), symbol.getValue()));
  auto module = source.function->getParentOfType<ModuleOp>();
  StringRef name = op.getName().stripDialect();
  SmallVector<Attribute> callees;
  for (auto [part, region] : llvm::zip_equal(parts, op.getRegions())) {
    Source body(source.function);
    std::string base =
        (source.function.getName() + "_" + name + "_" + part).str();
    body.body = &region;
    body.passed = passed;
    body.name = base;
    for (unsigned k = 0; module.lookupSymbol(body.name); ++k)
      body.name = base + "_" + std::to_string(k);
    FailureOr<program::FuncOp> callee =
        AtenConverter(std::move(body), ignoreStrides).run();
    if (failed(callee))
      return failure();
    callees.push_back(FlatSymbolRefAttr::get(callee->getSymNameAttr()));
  }
  auto types = getTypes(op.getResultTypes(), op.getLoc());
  if (failed(types))
    return failure();
  auto invoke = program::InvokeOp::create(
      builder, op.getLoc(), *types, kind, builder.getArrayAttr(callees),
      arguments.operands, builder.getArrayAttr(arguments.list), carried,
      scanned);
  mapResults(op, invoke.getResults());
  return success();
}

std::optional<LogicalResult> AtenConverter::convertOp(Operation &op) {
  if (isa<aten::CondOp, aten::WhileLoopOp, aten::ScanOp, aten::MapOp>(op))
    return convertBodies(op);
  if (auto call = dyn_cast<aten::OperatorOp>(op))
    return convertOperator(call);
  if (aten::getOpInfo(&op))
    return convertOverload(op);
  return std::nullopt;
}
