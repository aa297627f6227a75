//===- KernelProgram.cpp - One kernel as a program of its own -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelProgram.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/Transforms/Candidates.h"
#include "kiln/Import/PT2Importer.h"
#include "kiln/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace kiln;
using namespace kiln::compiler;
using mlir::func::FuncOp;

/// Copies what an argument of the kernel's function states of its strides.
static void copyStrides(loop::KernelOp kernel, FuncOp main) {
  for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
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
  copy.removeTrafficAttr();
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

package::SymbolValues compiler::getSymbolValues(ModuleOp module) {
  analysis::SizeHints hints(module);
  package::SymbolValues values;
  for (auto symbol : module.getOps<guard::SymbolOp>())
    values.push_back(
        {symbol.getSymName().str(),
         hints.evaluate(guard::getSymbol(module.getContext(),
                                         symbol.getSymName()))});
  return values;
}

Status compiler::lowerKernelProgram(ModuleOp module) {
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            complaint.empty())
          complaint = diagnostic.str();
        return success();
      });
  if (Status s = pt2::addGuardProgram(module.lookupSymbol<FuncOp>("main")); !s)
    return s;
  mlir::PassManager pm(module.getContext(), "builtin.module",
                       mlir::OpPassManager::Nesting::Explicit);
  pm.enableVerifier(false);
  buildKernelPipeline(pm);
  buildProgramPipeline(pm);
  if (failed(pm.run(module)))
    return Error::unsupported(complaint.empty() ? "cannot be lowered"
                                                : complaint);
  return Status::success();
}
