//===- KernelUnits.cpp - One kernel with all that it needs ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelUnits.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace kiln;
using namespace kiln::target;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::StringAttr;
using mlir::SymbolOpInterface;
using mlir::SymbolTable;

/// What every kernel is called in its unit.
static constexpr llvm::StringLiteral kUnitName = "kernel";

static bool isKernel(Operation &op) {
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  return function && !function.isExternal() &&
         llvm::cast<SymbolOpInterface>(op).isPublic();
}

namespace {
class UnitBuilder {
public:
  explicit UnitBuilder(ModuleOp module) : home(module), symbols(module) {}

  std::vector<KernelUnit> run();

private:
  llvm::SetVector<Operation *> getNeeded(Operation *kernel);
  KernelUnit makeUnit(Operation *kernel);

  ModuleOp home;
  SymbolTable symbols;
  llvm::SmallVector<Operation *> nameless; ///< that go with each kernel
};
} // namespace

/// What an operation refers to, and what that refers to. Without recursion: functions
/// that call each other may be a long chain.
llvm::SetVector<Operation *> UnitBuilder::getNeeded(Operation *kernel) {
  llvm::SetVector<Operation *> needed;
  auto addUses = [&](Operation *op) {
    auto uses = SymbolTable::getSymbolUses(op);
    if (!uses) {
      // An operation that is not known may refer to anything.
      for (Operation &symbol : *home.getBody())
        if (llvm::isa<SymbolOpInterface>(symbol))
          needed.insert(&symbol);
      return;
    }
    for (const SymbolTable::SymbolUse &use : *uses)
      if (Operation *symbol =
              symbols.lookup(use.getSymbolRef().getRootReference()))
        needed.insert(symbol);
  };
  addUses(kernel);
  for (size_t i = 0; i < needed.size(); ++i)
    addUses(needed[i]);
  return needed;
}

/// The key of a kernel is of what it computes, not of where it was written.
static uint64_t removeLocations(ModuleOp module) {
  uint64_t count = 0;
  auto nowhere = mlir::UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) {
    ++count;
    op->setLoc(nowhere);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments())
          argument.setLoc(nowhere);
  });
  return count;
}

KernelUnit UnitBuilder::makeUnit(Operation *kernel) {
  llvm::SetVector<Operation *> needed = getNeeded(kernel);
  KernelUnit unit;
  unit.name = SymbolTable::getSymbolName(kernel).str();
  unit.module = ModuleOp::create(kernel->getLoc());
  for (mlir::NamedAttribute attribute : home->getDiscardableAttrs())
    (*unit.module)->setDiscardableAttr(attribute.getName(),
                                       attribute.getValue());
  mlir::Block *body = unit.module->getBody();
  for (Operation *op : nameless)
    body->push_back(op->clone());
  // A kernel that others refer to stays for them.
  Operation *own = kernel->clone();
  body->push_back(own);
  for (Operation *op : needed) {
    if (op == kernel)
      continue;
    Operation *copy = op->clone();
    body->push_back(copy);
    if (auto symbol = llvm::cast<SymbolOpInterface>(copy);
        symbol.isPublic() && !symbol.isDeclaration())
      symbol.setPrivate();
  }
  std::string name = kUnitName.str();
  while (llvm::any_of(needed, [&](Operation *op) {
    return op != kernel && SymbolTable::getSymbolName(op) == name;
  }))
    name += '_';
  if (needed.contains(kernel))
    (void)SymbolTable::replaceAllSymbolUses(
        own, StringAttr::get(own->getContext(), name), *unit.module);
  SymbolTable::setSymbolName(own, name);
  unit.operations = removeLocations(*unit.module);
  return unit;
}

std::vector<KernelUnit> UnitBuilder::run() {
  for (Operation &op : *home.getBody())
    if (!llvm::isa<SymbolOpInterface>(op))
      nameless.push_back(&op);
  std::vector<KernelUnit> units;
  for (Operation &op : *home.getBody())
    if (isKernel(op))
      units.push_back(makeUnit(&op));
  return units;
}

std::vector<KernelUnit> target::takeKernelUnits(ModuleOp module) {
  return UnitBuilder(module).run();
}

std::optional<Digest> target::getKernelKey(const KernelUnit &unit,
                                           const CPUTarget &target) {
  // Bytes rather than text: no flag of a printer leaves anything out.
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  mlir::BytecodeWriterConfig config("kiln-kernel");
  if (mlir::failed(
          mlir::writeBytecodeToFile(unit.module.get(), stream, config)))
    return std::nullopt;
  Hasher hasher;
  auto add = [&](std::string_view label, std::string_view part) {
    hasher.addPart(label, ByteView(part));
  };
  add("cpu", target.cpu);
  add("tune", target.tuneCPU);
  add("features", target.features);
  hasher.addNumber(target.vectorBits);
  add("code", bytes);
  return hasher.finish();
}
