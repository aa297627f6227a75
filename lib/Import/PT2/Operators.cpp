//===- Operators.cpp - Operators by their schema --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"
#include "GraphImporter.h"

#include "kiln/Import/InPlace.h"

#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Diagnostics.h"

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

/// The tensor that an in-place operator or one with `out` changes.
static Result<std::string> changedBy(const archive::Node &node) {
  const archive::Argument *out = node.find("out");
  if (!out && !node.inputs.empty())
    out = &node.inputs[0].arg;
  if (const auto *target = out ? out->as<archive::TensorArg>() : nullptr)
    return target->name;
  return Error::malformed("an in-place operator changes no tensor");
}

/// Fits the arguments of a form in place, or with `out`, to the names that the
/// functional form gives them.
void GraphImporter::fitArguments(const archive::Node &node,
                                 ArrayRef<StringRef> names,
                                 archive::Node &call) const {
  const archive::Argument *out = node.find("out");
  // What changes in place comes first if the functional form calls it otherwise.
  if (!out && !llvm::is_contained(names, call.inputs[0].name))
    call.inputs[0].name = names.front().str();
  // What only makes a tensor makes it of the type of the one it writes to.
  const auto *target = out ? out->as<archive::TensorArg>() : nullptr;
  const archive::TensorMeta *meta =
      target ? graph.tensor(target->name) : nullptr;
  if (meta && llvm::is_contained(names, "dtype") &&
      llvm::is_contained(names, "layout") && !call.find("dtype"))
    call.inputs.push_back({"dtype", archive::Argument{meta->dtype}});
}

Status GraphImporter::importOperator(const archive::Node &node) {
  std::string overload = canonicalOverload(node.overload());
  changing.clear();
  if (const aten::OpInfo *info =
          aten::lookUpOverload(overload, b.getContext()))
    return info->isComposite ? importComposite(node, *info)
                             : importRecord(node, *info);
  if (const aten::OpInfo *view = lookUpCopiedView(overload))
    return importCopiedView(node, *view);
  if (const EagerSchema *schema = lookUpEagerSchema(overload))
    return importUnknown(node, overload, schema);
  std::string functional = canonicalOverload(functionalName(overload));
  const aten::OpInfo *info = aten::lookUpOverload(functional);
  const EagerSchema *schema = info ? nullptr : lookUpEagerSchema(functional);
  if (info || schema) {
    auto changed = changedBy(node);
    if (!changed)
      return changed.takeError();
    changing = *changed;
    archive::Node call = toFunctional(node);
    SmallVector<StringRef> names;
    for (const aten::ArgInfo &argument : info ? info->args : schema->args)
      names.push_back(argument.name);
    fitArguments(node, names, call);
    if (!info)
      return importUnknown(call, functional, schema);
    return info->isComposite ? importComposite(call, *info)
                             : importRecord(call, *info);
  }
  if (StringRef(overload).starts_with("aten."))
    return Error::unsupported("the operator '" + overload +
                              "' is neither compiled nor an eager operator");
  return importUnknown(node, overload, nullptr);
}

/// In training programs autocast is a region, and the casts that it makes show
/// in the recorded element types only: floating operands have the type of the
/// result.
Operation *GraphImporter::buildAutocast(const archive::Node &node,
                                        const aten::OpInfo &info,
                                        MutableArrayRef<aten::ArgValue> args,
                                        Operation *op) {
  const auto *output = node.outputs.empty()
                           ? nullptr
                           : node.outputs[0].as<archive::TensorArg>();
  auto recorded = output ? typeOf(output->name)
                         : Result<RankedTensorType>(Error::malformed(""));
  auto isFloat = [](Type type) {
    return llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  };
  if (!recorded || !isFloat(*recorded) ||
      (op && mlir::getElementTypeOrSelf(op->getResult(0).getType()) ==
                 recorded->getElementType()))
    return op;
  aten::FormulaBuilder builder(b, locationOf(node));
  auto cast = [&](Value value) {
    return value && llvm::isa<RankedTensorType>(value.getType()) &&
                   isFloat(value.getType())
               ? builder.cast(value, recorded->getElementType())
               : value;
  };
  for (aten::ArgValue &arg : args)
    if (arg.isValue())
      arg = cast(arg.getValue());
    else if (arg.isList())
      arg = aten::ArgValue(
          ArrayRef<Value>(llvm::map_to_vector(arg.getValues(), cast)));
  if (op)
    op->erase();
  return aten::buildAtenOp(b, locationOf(node), info, args);
}

/// The arguments of a node in the order of a schema.
Status
GraphImporter::convertArguments(const archive::Node &node, StringRef schema,
                                ArrayRef<aten::ArgInfo> infos,
                                SmallVectorImpl<aten::ArgValue> &args) {
  args.resize(infos.size());
  std::vector<bool> used(node.inputs.size(), false);
  for (auto [k, arg] : llvm::enumerate(infos)) {
    bool found = false;
    for (auto [i, input] : llvm::enumerate(node.inputs)) {
      if (input.name != arg.name)
        continue;
      found = used[i] = true;
      auto value = convert(input.arg, arg);
      if (!value)
        return value.takeError();
      args[k] = *value;
    }
    if (!found && !arg.defaultText && !arg.isOptional)
      return Error::malformed(std::string("argument '") + arg.name +
                              "' is missing and has no default");
  }
  for (auto [i, input] : llvm::enumerate(node.inputs))
    if (!used[i])
      return Error::malformed("argument '" + input.name +
                              "' is not in the schema " + schema.str());
  return Status::success();
}

Status GraphImporter::importRecord(const archive::Node &node,
                                   const aten::OpInfo &info) {
  SmallVector<aten::ArgValue> args;
  if (Status s = convertArguments(node, info.schema, info.args, args); !s)
    return s;
  std::string complaint;
  Operation *op = nullptr;
  {
    mlir::ScopedDiagnosticHandler handler(
        b.getContext(), [&](mlir::Diagnostic &diagnostic) {
          complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
          return success();
        });
    op = aten::buildAtenOp(b, locationOf(node), info, args);
    if (!op && StringRef(complaint).contains("depends on data")) {
      auto types = recordedTypes(node);
      if (!types)
        return types.takeError();
      op = aten::buildAtenOp(b, locationOf(node), info, args, *types);
    }
    if (isAutocast)
      op = buildAutocast(node, info, args, op);
  }
  if (!op)
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  if (Status s = checkStrides(node, op); !s)
    return s;
  // `aliases` looks whether what may copy has copied.
  return bindResults(node, op, info.isView || info.mayCopy);
}

/// Where data decides about a size, the recorded type has a symbol for it.
Result<SmallVector<Type>>
GraphImporter::recordedTypes(const archive::Node &node) const {
  SmallVector<Type> types;
  Status status = Status::success();
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &name) {
      auto recorded = typeOf(name);
      if (recorded)
        types.push_back(*recorded);
      else
        status = recorded.takeError();
    });
  if (!status)
    return status.takeError();
  return types;
}

/// True if two types have the same sizes but for some of size 1.
static bool differInOnes(RankedTensorType a, RankedTensorType b) {
  auto others = [](RankedTensorType type) {
    SmallVector<int64_t> sizes(type.getShape());
    llvm::erase(sizes, 1);
    return sizes;
  };
  return others(a) == others(b);
}

/// Compares the type of a result with what the archive recorded of it: the
/// element type alone if nobody `asked` for the result, or if sizes are 0 or 1
/// that the exporter took for more, where operators broadcast and squeeze other
/// dimensions than it saw.
Status GraphImporter::checkRecorded(const std::string &name, Value value,
                                    bool mayDifferInOnes, bool asked) const {
  auto recorded = typeOf(name);
  if (!recorded)
    return recorded.takeError();
  asked &= !shapes.hasSmallSizes();
  auto inferred = llvm::dyn_cast<RankedTensorType>(value.getType());
  if (inferred && inferred.getElementType() == recorded->getElementType() &&
      (!asked || succeeded(mlir::verifyCompatibleShape(inferred, *recorded)) ||
       (mayDifferInOnes && differInOnes(inferred, *recorded))))
    return Status::success();
  std::string text;
  llvm::raw_string_ostream(text)
      << "result '" << name << "' is recorded as " << *recorded
      << ", but its arguments give " << value.getType();
  return Error::malformed(text);
}

/// The result of an in-place operator is the changed tensor by another name.
Status GraphImporter::bindChanged(const archive::Node &node) {
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &name) {
      bindings[name] = bindings[changing];
    });
  return Status::success();
}

/// Compares what was inferred with what the archive recorded, if it did: files
/// do, programs made in memory may leave it to inference. Binds names.
Status GraphImporter::bindResults(const archive::Node &node, Operation *op,
                                  bool isView) {
  if (!changing.empty()) {
    if (Status s = mutate(changing, op, isView); !s)
      return s;
    return bindChanged(node);
  }
  unsigned next = 0;
  // Of a gradient that was not asked for PyTorch records a size now and then
  // that is not the operand's.
  const archive::Argument *mask = node.find("output_mask");
  const auto *asked = mask ? mask->as<std::vector<bool>>() : nullptr;
  // PyTorch's meta function of some recurrent layers records a dimension of
  // size 1 that their final states do not have.
  bool isRecurrence = llvm::isa<aten::LstmInputOp, aten::GruInputOp,
                                aten::RnnTanhInputOp, aten::RnnReluInputOp>(op);
  auto bindTensor = [&](const std::string &name) -> Status {
    if (next >= op->getNumResults())
      return Error::malformed("result '" + name + "' is one more than the "
                              "operator has");
    bool isAsked = !asked || next >= asked->size() || (*asked)[next];
    unsigned index = next++;
    Value value = op->getResult(index);
    if (hasMetadata(name))
      if (Status s = checkRecorded(name, value, isRecurrence, isAsked); !s)
        return s;
    if (isView)
      return bindView(node, op, index, name);
    bind(name, {{}, {}, states.add(value)});
    return Status::success();
  };
  for (const archive::Argument &output : node.outputs) {
    if (auto *tensor = output.as<archive::TensorArg>()) {
      if (Status s = bindTensor(tensor->name); !s)
        return s;
    } else if (auto *tensors = output.as<archive::TensorsArg>()) {
      for (const std::string &name : tensors->names)
        if (Status s = bindTensor(name); !s)
          return s;
    } else if (output.isNone()) {
      ++next;
    } else {
      // A number read from a tensor: a value here and a symbol in sizes.
      if (next >= op->getNumResults())
        return Error::malformed("a number is one more result than the operator "
                                "has");
      if (Status s = importSymbolic(node); !s)
        return s;
      output.forEachName([&](const std::string &name) {
        Binding &binding = bindings[name];
        binding.value = op->getResult(next);
        auto item = llvm::dyn_cast<aten::ItemOp>(op);
        if (item && binding.expr.isSymbol())
          item.setSymbolAttr(binding.expr.getSymbol());
      });
      ++next;
    }
  }
  return Status::success();
}

/// Fits a converted argument to its declaration: one integer stands for a list
/// of equal ones, an integer for a float.
static Attribute fit(Builder &b, Attribute value,
                     const aten::ArgInfo &argument) {
  auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
  if (!integer || llvm::isa<mlir::BoolAttr>(value))
    return value;
  if (unsigned size = argument.listSize)
    return b.getDenseI64ArrayAttr(
        SmallVector<int64_t>(size, integer.getInt()));
  if (argument.kind == aten::ArgKind::Float)
    return b.getF64FloatAttr(static_cast<double>(integer.getInt()));
  return value;
}

/// An operator without a record runs as an eager operator.
Status GraphImporter::importUnknown(const archive::Node &node,
                                    StringRef overload,
                                    const EagerSchema *schema) {
  SmallVector<Value> operands;
  SmallVector<Attribute> arguments;
  std::vector<bool> used(node.inputs.size(), schema == nullptr);
  if (!schema) {
    for (const archive::NamedArgument &input : node.inputs) {
      auto argument = convertUnknown(input.arg, operands);
      if (!argument)
        return argument.takeError();
      arguments.push_back(*argument);
    }
  } else {
    for (const aten::ArgInfo &declared : schema->args) {
      Attribute found;
      for (auto [i, input] : llvm::enumerate(node.inputs)) {
        if (input.name != declared.name)
          continue;
        used[i] = true;
        auto argument = convertUnknown(input.arg, operands);
        if (!argument)
          return argument.takeError();
        found = fit(b, *argument, declared);
      }
      if (!found && declared.defaultText)
        found = aten::getDefault(b.getContext(), declared);
      if (!found && (declared.defaultText || declared.isOptional))
        found = b.getUnitAttr();
      if (!found)
        return Error::malformed("argument '" + std::string(declared.name) +
                                "' is missing and has no default");
      arguments.push_back(found);
    }
  }
  for (auto [i, input] : llvm::enumerate(node.inputs))
    if (!used[i])
      return Error::malformed("argument '" + input.name +
                              "' is not in the operator's schema");
  SmallVector<Type> types;
  Status status = Status::success();
  for (const archive::Argument &output : node.outputs) {
    if (output.as<archive::TensorArg>() || output.as<archive::TensorsArg>()) {
      output.forEachName([&](const std::string &name) {
        auto type = typeOf(name);
        if (type)
          types.push_back(*type);
        else
          status = type.takeError();
      });
    } else if (auto *number = output.as<archive::SymFloatArg>()) {
      (void)number;
      types.push_back(b.getF64Type());
    } else if (output.as<archive::SymBoolArg>()) {
      types.push_back(b.getI1Type());
    } else if (output.as<archive::SymIntArg>()) {
      types.push_back(b.getI64Type());
    } else if (output.isNone()) {
      // A result that the operator leaves out; nothing reads it.
      types.push_back(RankedTensorType::get({0}, b.getF32Type()));
    } else {
      return Error::unsupported("result '" + std::string(output.tag()) +
                                "' of an operator without a record");
    }
  }
  if (!status)
    return status;
  auto [space, rest] = overload.split('.');
  rest.consume_back(".default");
  auto op = aten::OperatorOp::create(b, locationOf(node), types,
                                     (space + "::" + rest).str(), operands,
                                     b.getArrayAttr(arguments));
  return bindResults(node, op, /*isView=*/false);
}
