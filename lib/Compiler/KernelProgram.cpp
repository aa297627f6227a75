//===- KernelProgram.cpp - One kernel as a program of its own -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelProgram.h"

#include "SilentPasses.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/PackedAhead.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
#include "kiln/Dialect/Loop/Transforms/Candidates.h"
#include "kiln/Import/PT2Importer.h"
#include "kiln/Pipelines/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

using namespace kiln;
using namespace kiln::compiler;
using mlir::func::FuncOp;
namespace arith = mlir::arith;

/// Copies what an argument of the kernel's function states of its strides, or
/// what reads a part of another tensor knows of it.
static void copyStrides(loop::KernelOp kernel, FuncOp main) {
  for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
    if (auto [whole, number] = loop::AssembleOp::find(input); whole)
      main.setArgAttr(i, loop::kStridesAttrName, whole.getPartStrides(number));
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(input);
    auto function = argument ? llvm::dyn_cast<FuncOp>(
                                   argument.getOwner()->getParentOp())
                             : FuncOp();
    if (!function)
      continue;
    if (mlir::Attribute strides = function.getArgAttr(
            argument.getArgNumber(), loop::kStridesAttrName))
      main.setArgAttr(i, loop::kStridesAttrName, strides);
  }
}

/// The largest weight whose panels are made ahead for each candidate: all of them have
/// their own, at the same time.
static constexpr int64_t kMaxPanelBytes = 64 << 20;

/// Says that weights whose panels are made ahead are weights in `main`, too. Without
/// such weights there are no marks either: all panels are made in each call.
static void markWeights(loop::KernelOp kernel, FuncOp main,
                        loop::KernelOp copy) {
  auto strides = analysis::getInputStrides(kernel);
  llvm::SmallDenseSet<unsigned> weights;
  if (succeeded(strides))
    for (const analysis::PackableProduct &product :
         analysis::getPackableProducts(kernel, *strides)) {
      auto type = llvm::cast<mlir::RankedTensorType>(
          kernel.getInputs()[product.input].getType());
      int64_t bytes = product.elements *
                      analysis::getElementBytes(type.getElementType());
      loop::ContractOp op = product.op;
      if (op->hasAttr(loop::kPackedAheadAttrName) && bytes <= kMaxPanelBytes)
        weights.insert(product.input);
    }
  if (weights.empty())
    copy.walk([](loop::ContractOp op) {
      op->removeAttr(loop::kPackedAheadAttrName);
    });
  mlir::Builder b(main.getContext());
  for (unsigned i : weights) {
    auto name = b.getStringAttr("w" + llvm::Twine(i));
    main.setArgAttr(i, aten::kInputAttrName,
                    aten::InputAttr::get(main.getContext(),
                                         aten::InputKind::Parameter, name, name,
                                         false, {}, {}, {}));
  }
}

mlir::OwningOpRef<ModuleOp>
compiler::makeKernelProgram(loop::KernelOp kernel,
                            loop::ScheduleAttr schedule) {
  Location nowhere = mlir::UnknownLoc::get(kernel.getContext());
  mlir::OwningOpRef<ModuleOp> program = ModuleOp::create(nowhere);
  auto home = kernel->getParentOfType<ModuleOp>();
  for (mlir::NamedAttribute attribute : home->getDiscardableAttrs())
    (*program)->setDiscardableAttr(attribute.getName(), attribute.getValue());
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(program->getBody());
  for (auto symbol : home.getOps<guard::SymbolOp>())
    b.clone(*symbol);
  auto type = b.getFunctionType(kernel.getInputs().getTypes(),
                                kernel.getResultTypes());
  auto main = FuncOp::create(b, nowhere, "main", type);
  copyStrides(kernel, main);
  b.setInsertionPointToStart(main.addEntryBlock());
  auto copy = llvm::cast<loop::KernelOp>(b.clone(*kernel));
  copy->setOperands(main.getArguments());
  copy.setName("kernel");
  // By itself, a part of another tensor is none.
  llvm::cast<loop::ReturnOp>(copy.getBody().front().getTerminator())
      .removeStridesAttr();
  copy.removeTrafficAttr();
  markWeights(kernel, main, copy);
  copy->removeAttr(loop::kMeasuredAttrName);
  copy->removeAttr(loop::kWantedAttrName);
  copy->walk([&](Operation *op) {
    op->setLoc(nowhere);
    op->removeAttr("origins");
  });
  if (schedule)
    copy.setScheduleAttr(schedule);
  else
    copy.removeScheduleAttr();
  mlir::func::ReturnOp::create(b, nowhere, copy.getResults());
  return program;
}

Digest compiler::digestKernel(loop::KernelOp kernel) {
  mlir::OwningOpRef<ModuleOp> program = makeKernelProgram(kernel, {});
  std::string text;
  llvm::raw_string_ostream os(text);
  // Every attribute whole, whatever flags say of printing.
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  program->print(os, flags);
  return sha256(ByteView(std::string_view(text)));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Operations behind each other that are looked at: a position is made of few.
static constexpr unsigned kMaxDepth = 12;

/// What integers of memory a position is made of.
enum class PositionKind {
  Free,     ///< of none
  Read,     ///< it is one; if that is negative, counted from the end
  Computed, ///< anything else
};

static PositionKind classify(Value position, unsigned depth = 0) {
  Operation *op = position.getDefiningOp();
  if (!op)
    return PositionKind::Free;
  if (depth == kMaxDepth)
    return PositionKind::Computed;
  if (auto load = llvm::dyn_cast<loop::LoadOp>(op)) {
    // What was computed before may have any value.
    auto input = llvm::dyn_cast<mlir::BlockArgument>(load.getTensor());
    return input && llvm::isa<loop::KernelOp>(input.getOwner()->getParentOp())
               ? PositionKind::Read
               : PositionKind::Computed;
  }
  if (llvm::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                arith::ExtUIOp>(op))
    return classify(op->getOperand(0), depth + 1);
  if (auto select = llvm::dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
        mlir::matchPattern(compare.getRhs(), mlir::m_Zero()) &&
        compare.getLhs() == select.getFalseValue())
      return classify(select.getFalseValue(), depth + 1);
  }
  for (Value operand : op->getOperands())
    if (classify(operand, depth + 1) != PositionKind::Free)
      return PositionKind::Computed;
  return PositionKind::Free;
}

/// The least size of a dimension that integers of memory are positions in.
static int64_t getIntegerBound(loop::KernelOp kernel,
                               const analysis::SizeHints &hints) {
  int64_t bound = std::numeric_limits<int64_t>::max();
  auto lower = [&](Value tensor, unsigned dimension, bool isExact) {
    auto dims =
        guard::getDims(llvm::cast<mlir::RankedTensorType>(tensor.getType()));
    bound = std::min(bound, isExact && dims
                                ? std::max<int64_t>(
                                      hints.evaluate((*dims)[dimension]), 1)
                                : 1);
  };
  kernel->walk([&](Operation *op) {
    if (auto load = llvm::dyn_cast<loop::LoadOp>(op)) {
      for (auto [k, index] : llvm::enumerate(load.getIndices())) {
        PositionKind kind = classify(index);
        if (kind == PositionKind::Free)
          continue;
        guard::ExprAttr name = guard::getDim(kernel.getContext(), k);
        for (auto [d, expr] : llvm::enumerate(loop::getExprs(load.getMap())))
          if (guard::contains(expr, name))
            lower(load.getTensor(), d,
                  kind == PositionKind::Read && expr == name);
      }
    } else if (auto yield = llvm::dyn_cast<loop::YieldAtOp>(op)) {
      for (auto [d, position] : llvm::enumerate(yield.getPosition()))
        if (PositionKind kind = classify(position); kind != PositionKind::Free)
          lower(yield->getParentOp()->getResult(0), d,
                kind == PositionKind::Read);
    }
  });
  return bound;
}

package::TrialInputs compiler::getTrialInputs(loop::KernelOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  analysis::SizeHints hints(module);
  package::TrialInputs inputs;
  for (auto symbol : module.getOps<guard::SymbolOp>())
    inputs.symbols.push_back(
        {symbol.getSymName().str(),
         hints.evaluate(guard::getSymbol(module.getContext(),
                                         symbol.getSymName()))});
  inputs.integersBelow = getIntegerBound(kernel, hints);
  return inputs;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

Status compiler::lowerKernelProgram(ModuleOp module) {
  SilentPasses passes(module.getContext());
  if (Status s = pt2::addGuardProgram(module.lookupSymbol<FuncOp>("main")); !s)
    return s;
  return passes.run(module, [&](mlir::PassManager &pm) {
    if (loop::getGPUTarget(module))
      buildGridPipeline(pm);
    else
      buildKernelPipeline(pm);
    // Panels of weights are made ahead here, too.
    ProgramPipelineOptions program;
    program.preparedBytes = int64_t(1) << 50;
    buildProgramPipeline(pm, program);
  });
}
