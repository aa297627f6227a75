//===- OverloadModel.cpp - One model for the names of all overloads -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR asks an operation's name how its ops are parsed, stored, verified. For ODS
// classes each answer is an instantiation; here it is read from the OpInfo, whose
// address is the type id of the name.
//
// The properties of an op are an array of attributes: those of OpInfo::attributes
// in their order, and the operand segment sizes behind them if there are some.
//
//===----------------------------------------------------------------------===//

#include "OverloadVerifier.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/Overload.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

#include <numeric>

using namespace kiln;
using namespace kiln::aten;
using mlir::OpaqueProperties;
using mlir::OperationName;

const OpInfo *aten::getOpInfo(OperationName name) {
  if (!name.hasInterface<AtenOpInterface>())
    return nullptr;
  return static_cast<const OpInfo *>(name.getTypeID().getAsOpaquePointer());
}

const OpInfo *aten::getOpInfo(Operation *op) { return getOpInfo(op->getName()); }

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

namespace {
struct InfoModel : AtenOpInterface::FallbackModel<InfoModel> {
  const OpInfo &getInfo(Operation *op) const { return *getOpInfo(op); }
};

/// One dictionary, which is as ODS stores what it has no better form for.
struct Bytecode : mlir::BytecodeOpInterface::FallbackModel<Bytecode> {
  static LogicalResult readProperties(mlir::DialectBytecodeReader &reader,
                                      OperationState &state) {
    DictionaryAttr dictionary;
    if (failed(reader.readOptionalAttribute(dictionary)))
      return failure();
    const OpInfo &info = *getOpInfo(state.name);
    if (dictionary &&
        failed(verifyProperties(info, dictionary,
                                [&] { return reader.emitError(); })))
      return failure();
    state.propertiesAttr = dictionary;
    return success();
  }
  void writeProperties(Operation *op,
                       mlir::DialectBytecodeWriter &writer) const {
    writer.writeOptionalAttribute(op->getPropertiesAsAttribute());
  }
};

struct ViewModel : ViewOpInterface::FallbackModel<ViewModel> {
  FailureOr<ViewMaps> getViewMaps(Operation *op) const {
    return aten::getViewMaps(op);
  }
};

struct NoEffects : mlir::MemoryEffectOpInterface::FallbackModel<NoEffects> {
  void getEffects(Operation *,
                  SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &) const {
  }
};

struct SymbolDefinitions
    : mlir::MemoryEffectOpInterface::FallbackModel<SymbolDefinitions> {
  void
  getEffects(Operation *op,
             SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects) const {
    guard::addSymbolEffects(op, effects);
  }
};

struct AlwaysSpeculatable
    : mlir::ConditionallySpeculatable::FallbackModel<AlwaysSpeculatable> {
  mlir::Speculation::Speculatability getSpeculatability(Operation *) const {
    return mlir::Speculation::Speculatable;
  }
};
} // namespace

static mlir::detail::InterfaceMap getInterfaces(const OpInfo &info) {
  mlir::detail::InterfaceMap map;
  map.insertModels<InfoModel, Bytecode>();
  if (info.viewMaps)
    map.insertModels<ViewModel>();
  switch (info.effects) {
  case OpEffects::Unknown:
    return map;
  case OpEffects::Symbols:
    map.insertModels<SymbolDefinitions>();
    break;
  case OpEffects::None:
    map.insertModels<NoEffects>();
    break;
  }
  map.insertModels<AlwaysSpeculatable>();
  return map;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

namespace {
class OverloadModel : public OperationName::Impl {
public:
  OverloadModel(const OpInfo &info, mlir::Dialect &dialect)
      : Impl(info.name, &dialect, mlir::TypeID::getFromOpaquePointer(&info),
             getInterfaces(info)),
        info(info) {}

  //===--------------------------------------------------------------------===//
  // The op
  //===--------------------------------------------------------------------===//

  LogicalResult foldHook(Operation *, ArrayRef<Attribute>,
                         SmallVectorImpl<mlir::OpFoldResult> &) final {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) final {}

  bool hasTrait(mlir::TypeID id) final {
    return id == mlir::TypeID::get<mlir::OpTrait::ZeroRegions>() ||
           id == mlir::TypeID::get<mlir::OpTrait::ZeroSuccessors>() ||
           id == mlir::TypeID::get<mlir::OpTrait::OpInvariants>() ||
           (info.hasSegments &&
            id == mlir::TypeID::get<mlir::OpTrait::AttrSizedOperandSegments>());
  }

  OperationName::ParseAssemblyFn getParseAssemblyFn() final {
    return [&info = info](OpAsmParser &parser, OperationState &state) {
      return parseAtenOp(parser, state, info);
    };
  }
  void printAssembly(Operation *op, OpAsmPrinter &printer,
                     StringRef defaultDialect) final {
    printer << (op->getName().getDialectNamespace() == defaultDialect
                    ? op->getName().stripDialect()
                    : op->getName().getStringRef());
    printAtenOp(op, printer);
  }

  LogicalResult verifyInvariants(Operation *op) final {
    return success(succeeded(verifyDeclaration(op, info)) &&
                   succeeded(verifyAtenOp(op)));
  }
  LogicalResult verifyRegionInvariants(Operation *) final { return success(); }

  //===--------------------------------------------------------------------===//
  // Its attributes
  //===--------------------------------------------------------------------===//

  void populateDefaultAttrs(const OperationName &, NamedAttrList &) final {}

  std::optional<Attribute> getInherentAttr(Operation *op,
                                           StringRef name) final {
    std::optional<unsigned> slot = info.findAttribute(name);
    if (!slot)
      return std::nullopt;
    return slotsOf(op)[*slot];
  }
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) final {
    if (std::optional<unsigned> slot = info.findAttribute(name))
      slotsOf(op)[*slot] = value;
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &attrs) final {
    for (auto [i, slot] : llvm::enumerate(slotsOf(op)))
      if (slot)
        attrs.append(info.getAttributeName(i), slot);
  }
  LogicalResult
  verifyInherentAttrs(OperationName, NamedAttrList &attrs,
                      function_ref<InFlightDiagnostic()> emitError) final {
    for (NamedAttribute attr : attrs)
      if (std::optional<unsigned> slot = info.findAttribute(attr.getName()))
        if (failed(verifyAttribute(info, *slot, attr.getValue(), emitError)))
          return failure();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Where they are stored
  //===--------------------------------------------------------------------===//

  int getOpPropertyByteSize() final {
    return int(info.getNumAttributes() * sizeof(Attribute));
  }
  void initProperties(OperationName, OpaqueProperties storage,
                      OpaqueProperties init) final {
    if (init)
      return copyProperties(storage, init);
    std::uninitialized_fill_n(storage.as<Attribute *>(),
                              info.getNumAttributes(), Attribute());
  }
  void deleteProperties(OpaqueProperties) final {}
  void populateDefaultProperties(OperationName, OpaqueProperties) final {}
  void copyProperties(OpaqueProperties to, OpaqueProperties from) final {
    llvm::copy(slotsOf(from), to.as<Attribute *>());
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) final {
    return slotsOf(a) == slotsOf(b);
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) final {
    return llvm::hash_combine_range(slotsOf(properties));
  }

  LogicalResult
  setPropertiesFromAttr(OperationName, OpaqueProperties properties,
                        Attribute attribute,
                        function_ref<InFlightDiagnostic()> emitError) final {
    auto dictionary = llvm::dyn_cast<DictionaryAttr>(attribute);
    if (!dictionary) {
      emitError() << "expects a dictionary of properties, but found "
                  << attribute;
      return failure();
    }
    if (failed(verifyProperties(info, dictionary, emitError)))
      return failure();
    for (NamedAttribute attr : dictionary)
      slotsOf(properties)[*info.findAttribute(attr.getName())] =
          attr.getValue();
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) final {
    NamedAttrList attrs;
    populateInherentAttrs(op, attrs);
    return attrs.empty() ? DictionaryAttr()
                         : attrs.getDictionary(op->getContext());
  }

private:
  MutableArrayRef<Attribute> slotsOf(OpaqueProperties properties) const {
    return {properties.as<Attribute *>(), info.getNumAttributes()};
  }
  MutableArrayRef<Attribute> slotsOf(Operation *op) const {
    return slotsOf(op->getPropertiesStorage());
  }

  const OpInfo &info;
};
} // namespace

void aten::registerOverloads(mlir::Dialect &dialect,
                             ArrayRef<const OpInfo *> overloads) {
  for (const OpInfo *info : overloads) {
    if (StringRef(info->name).split('.').first != dialect.getNamespace())
      continue;
    SmallVector<StringRef> names;
    for (unsigned i = 0; i < info->getNumAttributes(); ++i)
      names.push_back(info->getAttributeName(i));
    mlir::RegisteredOperationName::insert(
        std::make_unique<OverloadModel>(*info, dialect), names);
  }
}

//===----------------------------------------------------------------------===//
// OverloadOp
//===----------------------------------------------------------------------===//

std::pair<unsigned, unsigned>
OverloadOp::getODSOperandIndexAndLength(unsigned index) {
  Operation *op = getOperation();
  const OpInfo &info = *getOpInfo(op);
  if (info.hasSegments) {
    ArrayRef<int32_t> sizes = llvm::cast<mlir::DenseI32ArrayAttr>(
                                  *op->getInherentAttr(kSegmentSizesName))
                                  .asArrayRef();
    return {std::accumulate(sizes.begin(), sizes.begin() + index, 0u),
            unsigned(sizes[index])};
  }
  // One argument at most is of variable length.
  unsigned position = 0, before = 0;
  bool isVariable = false, isBehindVariable = false;
  for (const ArgInfo &arg : info.args) {
    if (!arg.isOperand())
      continue;
    if (position < index) {
      before += !arg.isVariable();
      isBehindVariable |= arg.isVariable();
    }
    isVariable |= position == index && arg.isVariable();
    ++position;
  }
  unsigned variable = op->getNumOperands() - countFixedOperands(info);
  return {before + (isBehindVariable ? variable : 0), isVariable ? variable : 1};
}
