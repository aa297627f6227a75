//===- PackageExport.cpp - A module of programs as a package -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/ProgramExport.h"

#include "kiln/ABI/PackageABI.h"
#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Package/Verifier.h"

#include "mlir/IR/SymbolTable.h"

using namespace kiln;
using namespace kiln::target;

namespace {

class PackageExporter {
public:
  PackageExporter(ModuleOp module, package::KernelImage image) : module(module) {
    package.image = std::move(image);
  }

  Result<package::Package> run();

private:
  Status addImage();
  Status addConstants();
  Status addPrograms();
  Status add(program::FuncOp function, std::vector<package::Program> &list);
  Result<unsigned> findBodies(program::FuncOp function, unsigned depth);
  Result<unsigned> addBody(program::FuncOp body, unsigned depth);
  Status addGuards(program::FuncOp function);
  void addTraffic(program::FuncOp function);
  void addFacts();

  ModuleOp module;
  package::Package package;
  PackageIndex index;
  /// Programs that others run, each behind those it runs itself.
  SmallVector<program::FuncOp> bodies;
  /// How deep the programs nest from a body on, itself included; 0 while those
  /// that it runs are being found.
  llvm::DenseMap<Operation *, unsigned> depths;
};

} // namespace

static Error elided(StringRef what) {
  return Error::malformed("the text has left out the bytes of " + what.str());
}

Status PackageExporter::addImage() {
  for (auto image : module.getOps<program::ImageOp>()) {
    if (!package.image.kernels.empty())
      return Error::malformed("the module has the image '" +
                              image.getSymName().str() +
                              "' beside kernels of its own");
    auto bytes = program::getBytes(image.getCode());
    if (!bytes)
      return elided("the code");
    package.image.target = image.getTarget().str();
    package.image.kind = image.getPtx() ? KILN_IMAGE_PTX : KILN_IMAGE_NATIVE;
    package.image.requiredFeatures = image.getFeatures();
    package.image.bytes.assign(bytes->begin(), bytes->end());
    for (auto kernel : image.getBody().getOps<program::KernelOp>())
      package.image.kernels.push_back(
          {kernel.getSymName().str(), kernel.getEntry()});
  }
  for (auto [k, kernel] : llvm::enumerate(package.image.kernels))
    index.kernels[kernel.name] = k;
  return Status::success();
}

Status PackageExporter::addConstants() {
  package::ConstantAdder constants(package);
  for (auto op : module.getOps<program::ConstantOp>()) {
    auto bytes = program::getBytes(op.getValue());
    if (!bytes)
      return elided("constant '" + op.getSymName().str() + "'");
    auto type = llvm::cast<RankedTensorType>(op.getValue().getType());
    index.constants[op.getSymName()] = constants.add(
        {*guard::getDType(type.getElementType()), type.getShape().vec(),
         SharedBytes::own(std::vector<uint8_t>(bytes->begin(), bytes->end()))});
  }
  return Status::success();
}

/// Adds the programs that `function` runs, directly or not; `depth` programs run
/// it. Returns how deep they nest. The last first, since the list is reversed.
Result<unsigned> PackageExporter::findBodies(program::FuncOp function,
                                             unsigned depth) {
  unsigned deepest = 0;
  auto invokes =
      llvm::to_vector(function.getBody().getOps<program::InvokeOp>());
  for (program::InvokeOp invoke : llvm::reverse(invokes))
    for (Attribute callee : llvm::reverse(invoke.getCallees())) {
      auto found = addBody(
          mlir::SymbolTable::lookupNearestSymbolFrom<program::FuncOp>(
              invoke, llvm::cast<mlir::FlatSymbolRefAttr>(callee)),
          depth + 1);
      if (!found)
        return found.takeError();
      deepest = std::max(deepest, *found);
    }
  return deepest;
}

Result<unsigned> PackageExporter::addBody(program::FuncOp body,
                                          unsigned depth) {
  auto [entry, isNew] = depths.try_emplace(body, 0);
  if (!isNew && entry->second == 0)
    return Error::unsupported("'@" + body.getSymName().str() +
                              "' runs itself, expected programs that end");
  if (!isNew)
    return entry->second;
  Error tooDeep = Error::unsupported(
      "programs run each other deeper than " +
      std::to_string(KILN_PACKAGE_MAX_BODY_DEPTH));
  if (depth > KILN_PACKAGE_MAX_BODY_DEPTH)
    return tooDeep;
  auto below = findBodies(body, depth);
  if (!below)
    return below.takeError();
  if (*below >= KILN_PACKAGE_MAX_BODY_DEPTH)
    return tooDeep;
  bodies.push_back(body);
  return depths[body] = *below + 1;
}

void PackageExporter::addTraffic(program::FuncOp function) {
  package::Facts &facts = package.facts;
  function.walk([&](program::LaunchOp launch) {
    if (auto traffic = launch.getTraffic()) {
      facts.bytesRead += traffic->getRead();
      facts.bytesWritten += traffic->getWritten();
      facts.bytesUnfused += traffic->getUnfused();
    }
  });
  if (auto saved =
          function->getAttrOfType<mlir::IntegerAttr>("joint.saved_bytes"))
    facts.savedForBackwardBytes = saved.getInt();
}

Status PackageExporter::add(program::FuncOp function,
                            std::vector<package::Program> &list) {
  auto program = exportProgram(function, index);
  if (!program)
    return program.takeError();
  list.push_back(std::move(*program));
  addTraffic(function);
  return Status::success();
}

Status PackageExporter::addPrograms() {
  SmallVector<StringRef> names = {"main"};
  if (!module.lookupSymbol<program::FuncOp>("main"))
    names = {"forward", "backward"};
  SmallVector<program::FuncOp> functions;
  for (StringRef name : names) {
    functions.push_back(module.lookupSymbol<program::FuncOp>(name));
    if (!functions.back())
      return Error::unsupported("the module has no program @main, and neither "
                                "@forward and @backward");
  }
  for (program::FuncOp function : llvm::reverse(functions))
    if (auto found = findBodies(function, 0); !found)
      return found.takeError();
  // A body stands behind all that run it.
  std::reverse(bodies.begin(), bodies.end());
  for (auto [k, body] : llvm::enumerate(bodies))
    index.bodies[body.getSymName()] = k;
  for (program::FuncOp function : functions)
    if (Status s = add(function, package.programs); !s)
      return s;
  for (program::FuncOp body : bodies)
    if (Status s = add(body, package.bodies); !s)
      return s;
  return addGuards(functions.front());
}

Status PackageExporter::addGuards(program::FuncOp function) {
  for (auto guards : module.getOps<guard::ProgramOp>()) {
    if (guards.getFunction() != function.getSymName())
      continue;
    auto table = exportGuards(guards, package.programs[0]);
    if (!table)
      return table.takeError();
    package.guards = std::move(*table);
    return Status::success();
  }
  return Error::malformed("'" + function.getSymName().str() +
                          "' has no 'guard.program', which says what it was "
                          "compiled for");
}

/// What the module says of itself, if it was a package.
void PackageExporter::addFacts() {
  for (auto op : module.getOps<program::FactsOp>()) {
    package::Facts &facts = package.facts;
    facts.backend = op.getBackend().str();
    facts.bytesRead = op.getBytesRead();
    facts.bytesWritten = op.getBytesWritten();
    facts.bytesUnfused = op.getBytesUnfused();
    facts.savedForBackwardBytes = op.getSavedForBackwardBytes();
    facts.plannedPeakBytes = op.getPlannedPeakBytes();
    facts.optimizer = op.getOptimizer().value_or("").str();
  }
  for (auto op : module.getOps<program::ReasonOp>()) {
    package::Reason reason;
    // The enumerations list the same kinds in the same order.
    reason.kind = static_cast<package::Reason::Kind>(op.getKind());
    reason.pass = op.getPass().str();
    reason.name = op.getName().str();
    reason.function = op.getFunction().str();
    auto texts = llvm::to_vector(op.getArguments().getAsRange<StringAttr>());
    for (size_t i = 0; i + 1 < texts.size(); i += 2)
      reason.arguments.push_back({texts[i].str(), texts[i + 1].str()});
    package.reasons.push_back(std::move(reason));
  }
}

Result<package::Package> PackageExporter::run() {
  if (Status s = addImage(); !s)
    return s.takeError();
  if (Status s = addConstants(); !s)
    return s.takeError();
  if (Status s = addPrograms(); !s)
    return s.takeError();
  addFacts();
  if (Status s = package::verifyPackage(package); !s)
    return Error::internal("the package does not verify: " + s.error().message);
  return std::move(package);
}

Result<package::Package> target::exportPackage(ModuleOp module,
                                               package::KernelImage image) {
  return PackageExporter(module, std::move(image)).run();
}
