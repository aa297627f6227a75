//===- PTXImage.cpp - The image of a package for a GPU --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/GPU/PTXImage.h"

#include "kiln/Base/Digest.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <atomic>
#include <chrono>
#include <mutex>

using namespace kiln;
using namespace kiln::target;
using mlir::Operation;
using mlir::SymbolTable;

namespace {
/// A kernel in a module of its own.
struct Unit {
  std::string name;
  /// Around it: what asks for the layout of data looks there, too.
  mlir::OwningOpRef<mlir::ModuleOp> program;
  mlir::gpu::GPUModuleOp module;
  Digest key;
  std::optional<package::KernelImage> image;
  bool isFound = false;
  std::optional<Error> error;
  uint64_t micros = 0; ///< that compiling took
};
} // namespace

/// What `kernel` refers to in its module, directly or not.
static llvm::SetVector<Operation *> getNeeded(Operation *kernel,
                                              const SymbolTable &symbols) {
  llvm::SetVector<Operation *> needed;
  auto addUses = [&](Operation *op) {
    if (auto uses = SymbolTable::getSymbolUses(op))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          needed.insert(symbol);
  };
  addUses(kernel);
  for (size_t i = 0; i < needed.size(); ++i)
    addUses(needed[i]);
  needed.remove(kernel);
  return needed;
}

/// The key of a kernel is of what it computes, not of where it was written.
static void removeLocations(Operation *root) {
  auto nowhere = mlir::UnknownLoc::get(root->getContext());
  root->walk([&](Operation *op) {
    op->setLoc(nowhere);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments())
          argument.setLoc(nowhere);
  });
}

static void addUnits(mlir::gpu::GPUModuleOp home, llvm::StringRef suffix,
                     std::vector<Unit> &units) {
  SymbolTable symbols(home);
  for (auto kernel : home.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    Unit unit;
    unit.name = (kernel.getName() + suffix).str();
    unit.program = mlir::ModuleOp::create(home.getLoc());
    mlir::OpBuilder builder(unit.program->getBodyRegion());
    unit.module = mlir::gpu::GPUModuleOp::create(builder, home.getLoc(),
                                                 home.getName());
    for (mlir::NamedAttribute attribute : home->getDiscardableAttrs())
      unit.module->setDiscardableAttr(attribute.getName(),
                                      attribute.getValue());
    builder.setInsertionPointToStart(unit.module.getBody());
    for (Operation *op : getNeeded(kernel, symbols))
      builder.clone(*op);
    SymbolTable::setSymbolName(builder.clone(*kernel), unit.name);
    removeLocations(unit.module);
    units.push_back(std::move(unit));
  }
}

static Result<Digest> getKey(Unit &unit, const NVVMTarget &target) {
  // Bytes rather than text: no flag of a printer leaves anything out.
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  mlir::BytecodeWriterConfig config("kiln-kernel");
  if (mlir::failed(mlir::writeBytecodeToFile(unit.module, stream, config)))
    return Error::internal("cannot write the code of a kernel");
  Hasher hasher;
  hasher.addPart("target", ByteView(std::string_view(target.fingerprint())));
  hasher.addPart("code", ByteView(std::string_view(bytes)));
  return hasher.finish();
}

static package::KernelImage makeEmptyImage(const NVVMTarget &target) {
  package::KernelImage image;
  image.target = target.chip;
  image.kind = KILN_IMAGE_PTX;
  image.requiredFeatures = target.capability;
  if (llvm::StringRef(target.chip).ends_with("a"))
    image.requiredFeatures |= KILN_GPU_EXACT;
  return image;
}

/// Asks the store for all kernels at once; takes what this target can have made.
static Status findUnits(std::vector<Unit> &units, const NVVMTarget &target,
                        package::KernelStore &store) {
  std::vector<Digest> keys;
  for (Unit &unit : units) {
    auto key = getKey(unit, target);
    if (!key)
      return key.takeError();
    keys.push_back(unit.key = *key);
  }
  package::KernelImage expected = makeEmptyImage(target);
  std::vector<std::optional<package::KernelImage>> found = store.find(keys);
  for (size_t i = 0; i < units.size() && i < found.size(); ++i)
    if (found[i] && found[i]->kind == expected.kind &&
        found[i]->target == expected.target &&
        found[i]->requiredFeatures == expected.requiredFeatures &&
        found[i]->kernels.size() == 1 && found[i]->kernels[0].entry == 0 &&
        !found[i]->bytes.empty() && found[i]->bytes.back() == 0) {
      units[i].image = std::move(found[i]);
      units[i].isFound = true;
    }
  return Status::success();
}

static Status compileUnit(Unit &unit, PTXCompiler &compiler, std::mutex &mlir) {
  auto start = std::chrono::steady_clock::now();
  auto text = compiler.compile(unit.module, &mlir);
  if (!text)
    return text.error().withContext("kernel '" + unit.name + "'");
  unit.image = makeEmptyImage(compiler.getTarget());
  unit.image->bytes.assign(text->begin(), text->end());
  unit.image->bytes.push_back(0);
  unit.image->kernels.push_back({unit.name, 0});
  unit.micros = std::chrono::duration_cast<std::chrono::microseconds>(
                    std::chrono::steady_clock::now() - start)
                    .count();
  return Status::success();
}

/// Compiles what has no image, the longest first: the last one decides when all
/// threads are done.
static void compileUnits(std::vector<Unit> &units, PTXCompiler &compiler,
                         unsigned workers, const WorkerRunner &run) {
  std::vector<std::pair<size_t, Unit *>> order;
  for (Unit &unit : units) {
    size_t count = 0;
    if (!unit.image)
      unit.module->walk([&](Operation *) { ++count; });
    if (!unit.image)
      order.emplace_back(count, &unit);
  }
  llvm::sort(order, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::mutex mlir;
  std::atomic<size_t> next{0};
  auto work = [&](unsigned worker) {
    std::unique_ptr<PTXCompiler> own;
    // Another thread that cannot get a compiler leaves the work to the others.
    if (worker != 0)
      if (auto made = PTXCompiler::create(compiler.getTarget()))
        own = std::move(*made);
    PTXCompiler *mine = worker == 0 ? &compiler : own.get();
    for (size_t i; mine && (i = next++) < order.size();)
      if (Status s = compileUnit(*order[i].second, *mine, mlir); !s)
        order[i].second->error = s.takeError();
  };
  if (workers > 1 && order.size() > 1)
    run(work);
  work(0); // what is left
}

/// Puts the code of a program together.
static Result<package::KernelImage>
joinUnits(llvm::MutableArrayRef<Unit> units, const NVVMTarget &target,
          package::KernelStore *store, PTXImageReport &report) {
  package::KernelImage image = makeEmptyImage(target);
  for (Unit &unit : units) {
    if (unit.error)
      return std::move(*unit.error);
    ++(unit.isFound ? report.found : report.compiled);
    if (store && !unit.isFound)
      store->keep(unit.key, *unit.image, unit.micros);
    image.kernels.push_back({unit.name, image.bytes.size()});
    image.bytes.insert(image.bytes.end(), unit.image->bytes.begin(),
                       unit.image->bytes.end());
  }
  return std::move(image);
}

std::vector<Result<package::KernelImage>>
target::compileToImages(llvm::ArrayRef<mlir::ModuleOp> programs,
                        PTXCompiler &compiler, package::KernelStore *store,
                        PTXImageReport &report, unsigned workers,
                        const WorkerRunner &run) {
  std::vector<Unit> units;
  std::vector<size_t> ends; ///< of the units of each program
  for (mlir::ModuleOp program : programs) {
    for (auto [home, suffix] :
         {std::pair("kernels", ""), std::pair("kernels_64", "$64")})
      if (auto module = program.lookupSymbol<mlir::gpu::GPUModuleOp>(home))
        addUnits(module, suffix, units);
    ends.push_back(units.size());
  }
  std::vector<Result<package::KernelImage>> images;
  if (store)
    if (Status s = findUnits(units, compiler.getTarget(), *store); !s) {
      images.assign(programs.size(), Result<package::KernelImage>(s.error()));
      return images;
    }
  compileUnits(units, compiler, workers, run);
  size_t begin = 0;
  for (size_t end : ends) {
    images.push_back(joinUnits(
        llvm::MutableArrayRef(units).slice(begin, end - begin),
        compiler.getTarget(), store, report));
    begin = end;
  }
  return images;
}

Result<package::KernelImage>
target::compileToImage(mlir::ModuleOp program, PTXCompiler &compiler,
                       package::KernelStore *store, PTXImageReport &report,
                       unsigned workers, const WorkerRunner &run) {
  return std::move(
      compileToImages(program, compiler, store, report, workers, run).front());
}
