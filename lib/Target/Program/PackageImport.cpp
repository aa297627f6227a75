//===- PackageImport.cpp - A package as a module of programs -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "Importer.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Target/ProgramImport.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringSet.h"

#include <map>

using namespace kiln;
using namespace kiln::target;

namespace {

/// The resources of constants by type and contents: variants share them.
using Resources =
    std::map<std::pair<const void *, std::string_view>, mlir::ElementsAttr>;

class PackageImporter {
public:
  PackageImporter(MLIRContext *context, const package::Package &package,
                  Resources &constants)
      : builder(context), package(package), shared(constants) {}

  Result<mlir::OwningOpRef<ModuleOp>> run();

private:
  Status takeNames();
  std::string getUnusedName(const std::string &name);
  Status addSymbols();
  void addImage();
  void addConstants();
  Status addPrograms();
  Status addGuards(ArrayRef<guard::ExprAttr> exprs);
  Status addGuard(const package::Guard &check,
                  ArrayRef<guard::ExprAttr> exprs);
  void addFacts();
  mlir::ElementsAttr makeResource(const std::string &name,
                                  RankedTensorType type, ByteView bytes);

  mlir::OpBuilder builder;
  const package::Package &package;
  mlir::OwningOpRef<ModuleOp> module;
  ModuleNames names;
  llvm::StringSet<> taken;
  Resources &shared;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Programs keep their names, which the runtime knows; the rest makes way.
Status PackageImporter::takeNames() {
  const bool isTraining = package.programs.size() == 2;
  const char *expected[] = {isTraining ? "forward" : "main", "backward"};
  for (auto [k, program] : llvm::enumerate(package.programs))
    if (program.name != expected[k])
      return Error::unsupported("program " + std::to_string(k) +
                                " is named '" + program.name +
                                "', expected '" + expected[k] + "'");
  for (const auto *list : {&package.programs, &package.bodies})
    for (const package::Program &program : *list)
      if (program.name.empty() || !taken.insert(program.name).second)
        return Error::unsupported("the name '" + program.name +
                                  "' of a program is empty or used twice");
  for (const package::Program &body : package.bodies)
    names.bodies.push_back(
        mlir::FlatSymbolRefAttr::get(builder.getContext(), body.name));
  return Status::success();
}

/// What expressions name is declared for the module, once for all programs.
Status PackageImporter::addSymbols() {
  llvm::StringSet<> declared;
  for (const auto *list : {&package.programs, &package.bodies})
    for (const package::Program &program : *list)
      for (const package::Symbol &symbol : program.symbols) {
        if (!declared.insert(symbol.name).second)
          continue;
        if (symbol.name.empty() || !taken.insert(symbol.name).second)
          return Error::unsupported("the name '" + symbol.name +
                                    "' of a symbol is empty or that of a program");
        auto bound = [&](int64_t value) {
          return symbol.isFloat ? mlir::IntegerAttr()
                                : builder.getI64IntegerAttr(value);
        };
        guard::SymbolOp::create(
            builder, builder.getUnknownLoc(), symbol.name,
            /*unbacked=*/symbol.source == package::Symbol::Source::Step,
            symbol.isFloat, bound(symbol.min), bound(symbol.max),
            /*hint=*/mlir::IntegerAttr());
      }
  return Status::success();
}

std::string PackageImporter::getUnusedName(const std::string &name) {
  std::string unused = name;
  for (unsigned k = 0; !taken.insert(unused).second; ++k)
    unused = name + "_" + std::to_string(k);
  return unused;
}

//===----------------------------------------------------------------------===//
// Code and constants
//===----------------------------------------------------------------------===//

mlir::ElementsAttr PackageImporter::makeResource(const std::string &name,
                                                 RankedTensorType type,
                                                 ByteView bytes) {
  ArrayRef<char> data(reinterpret_cast<const char *>(bytes.data()),
                      bytes.size());
  return mlir::DenseResourceElementsAttr::get(
      type, name,
      mlir::HeapAsmResourceBlob::allocateAndCopyWithAlign(
          data, /*align=*/64, /*dataIsMutable=*/false));
}

void PackageImporter::addImage() {
  const package::KernelImage &image = package.image;
  if (image.target.empty() && image.kernels.empty() && image.bytes.empty())
    return;
  std::string name = getUnusedName("kernels");
  auto type =
      RankedTensorType::get({int64_t(image.bytes.size())}, builder.getI8Type());
  auto op = program::ImageOp::create(
      builder, builder.getUnknownLoc(), name, image.target,
      image.kind == KILN_IMAGE_PTX, image.requiredFeatures,
      makeResource(name, type, image.bytes));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  for (const package::Kernel &kernel : image.kernels) {
    program::KernelOp::create(builder, builder.getUnknownLoc(), kernel.name,
                              kernel.entry);
    names.kernels.push_back(mlir::SymbolRefAttr::get(
        op.getSymNameAttr(), mlir::FlatSymbolRefAttr::get(
                                 builder.getContext(), kernel.name)));
  }
}

void PackageImporter::addConstants() {
  for (const package::ConstantTensor &constant : package.constants) {
    std::string name = getUnusedName("c" + std::to_string(names.constants.size()));
    auto type = RankedTensorType::get(
        constant.sizes,
        guard::getElementType(builder.getContext(), constant.dtype));
    mlir::ElementsAttr &value =
        shared[{type.getAsOpaquePointer(), constant.bytes.text()}];
    if (!value)
      value = makeResource(name, type, constant.bytes.view());
    auto op = program::ConstantOp::create(builder, builder.getUnknownLoc(),
                                          name, value);
    names.constants.push_back(mlir::FlatSymbolRefAttr::get(op));
  }
}

//===----------------------------------------------------------------------===//
// Programs and guards
//===----------------------------------------------------------------------===//

Status PackageImporter::addPrograms() {
  std::vector<guard::ExprAttr> exprs;
  auto add = [&](const package::Program &program, bool isBody) -> Status {
    auto function = program::FuncOp::create(builder, builder.getUnknownLoc(),
                                            program.name);
    if (isBody)
      function.setSymVisibility("private");
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&function.getBody().front());
    Importer importer(program, names, builder);
    if (Status s = importer.run(); !s)
      return s.error().withContext("program '" + program.name + "'");
    if (program.arenaBytes != package::kNone)
      function.setArenaAttr(importer.getExprs()[program.arenaBytes]);
    if (exprs.empty())
      exprs = importer.getExprs();
    return Status::success();
  };
  if (Status s = add(package.programs.front(), /*isBody=*/false); !s)
    return s;
  if (Status s = addGuards(exprs); !s)
    return s;
  for (const package::Program &program : ArrayRef(package.programs).drop_front())
    if (Status s = add(program, /*isBody=*/false); !s)
      return s;
  for (const package::Program &body : package.bodies)
    if (Status s = add(body, /*isBody=*/true); !s)
      return s;
  return Status::success();
}

Status PackageImporter::addGuards(ArrayRef<guard::ExprAttr> exprs) {
  const std::string &function = package.programs.front().name;
  auto op = guard::ProgramOp::create(builder, builder.getUnknownLoc(),
                                     getUnusedName(function + "_guards"),
                                     function);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  for (auto [k, check] : llvm::enumerate(package.guards))
    if (Status s = addGuard(check, exprs); !s)
      return s.error().withContext("guard " + std::to_string(k));
  return Status::success();
}

/// The check of this kind, by whichever op it has.
static std::optional<mlir::RegisteredOperationName>
findCheck(MLIRContext *context, kiln_guard_kind kind) {
  for (mlir::RegisteredOperationName name :
       context->getRegisteredOperationsByDialect(
           guard::GuardDialect::getDialectNamespace()))
    if (auto *check = name.getInterface<guard::CheckOpInterface>();
        check && check->getGuardKind() == kind)
      return name;
  return std::nullopt;
}

/// Attributes are fields of the same names, whatever the kind.
Status PackageImporter::addGuard(const package::Guard &check,
                                 ArrayRef<guard::ExprAttr> exprs) {
  auto name = findCheck(builder.getContext(), check.kind);
  if (!name)
    return Error::malformed("no check is of kind " +
                            std::to_string(unsigned(check.kind)));
  const auto &slots = package.programs.front().slots;
  mlir::OperationState state(builder.getUnknownLoc(), *name);
  for (StringAttr field : name->getAttributeNames()) {
    Attribute value;
    if (field == "slot")
      value = builder.getI64IntegerAttr(check.slot);
    else if (field == "name")
      value = builder.getStringAttr(
          check.slot < slots.size() ? slots[check.slot].name : "");
    else if (field == "dim")
      value = builder.getI64IntegerAttr(check.dim);
    else if (field == "value")
      value = builder.getI64IntegerAttr(check.value);
    else if (field == "source")
      value = builder.getStringAttr(check.text);
    else if (field == "constant")
      value = toAttribute(builder.getContext(), check.constant);
    else if (field == "expr" && check.expr < exprs.size())
      value = exprs[check.expr];
    else if (field == "type" && check.value >= 0 &&
             check.value <= int64_t(DType::F8E5M2FNUZ))
      value = mlir::TypeAttr::get(guard::getElementType(
          builder.getContext(), DType(check.value)));
    if (!value)
      return Error::malformed("its record gives '" + field.str() +
                              "' no value that there is");
    state.addAttribute(field, value);
  }
  builder.create(state);
  return Status::success();
}

void PackageImporter::addFacts() {
  const package::Facts &facts = package.facts;
  Location loc = builder.getUnknownLoc();
  program::FactsOp::create(builder, loc, facts.backend, facts.bytesRead,
                           facts.bytesWritten, facts.bytesUnfused,
                           facts.savedForBackwardBytes,
                           facts.plannedPeakBytes,
                           facts.optimizer.empty()
                               ? StringAttr()
                               : builder.getStringAttr(facts.optimizer));
  for (const package::Reason &reason : package.reasons) {
    SmallVector<StringRef> texts;
    for (const package::Reason::Argument &argument : reason.arguments)
      texts.append({argument.key, argument.value});
    // The enumerations list the same kinds in the same order.
    program::ReasonOp::create(builder, loc,
                              static_cast<program::ReasonKind>(reason.kind),
                              reason.pass, reason.name, reason.function,
                              builder.getStrArrayAttr(texts));
  }
}

Result<mlir::OwningOpRef<ModuleOp>> PackageImporter::run() {
  module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  if (Status s = takeNames(); !s)
    return s.takeError();
  if (Status s = addSymbols(); !s)
    return s.takeError();
  addImage();
  addConstants();
  if (Status s = addPrograms(); !s)
    return s.takeError();
  addFacts();
  // What the verifier of the dialect asks is more than a package must be.
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      builder.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          llvm::raw_string_ostream(complaint)
              << (complaint.empty() ? "" : "; ") << diagnostic;
        return success();
      });
  if (failed(mlir::verify(*module)))
    return Error::malformed(complaint);
  return std::move(module);
}

Result<mlir::OwningOpRef<ModuleOp>>
target::importVariants(MLIRContext *context,
                       const std::vector<package::Package> &variants) {
  context->loadDialect<guard::GuardDialect, program::ProgramDialect,
                       mlir::complex::ComplexDialect>();
  Resources constants;
  mlir::OwningOpRef<ModuleOp> all(
      ModuleOp::create(mlir::UnknownLoc::get(context)));
  for (const package::Package &package : variants) {
    auto module = PackageImporter(context, package, constants).run();
    if (!module || variants.size() == 1)
      return module;
    (*module)->setSymName(package.image.target);
    all->push_back(module->release());
  }
  return all;
}

SmallVector<ModuleOp> target::getVariants(ModuleOp module) {
  SmallVector<ModuleOp> variants;
  for (mlir::Operation &op : *module.getBody()) {
    auto variant = llvm::dyn_cast<ModuleOp>(op);
    if (!variant || variant.getOps<program::FuncOp>().empty())
      return {};
    variants.push_back(variant);
  }
  return variants;
}
