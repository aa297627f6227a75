//===- GraphImporter.cpp - Nodes of a graph as ops ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "InPlace.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

Result<RankedTensorType>
GraphImporter::typeOf(const archive::TensorMeta &meta) const {
  auto dims = shapes.convert(meta.sizes);
  if (!dims)
    return dims.takeError();
  return guard::makeTensorType(
      guard::getElementType(b.getContext(), meta.dtype), *dims);
}

Result<RankedTensorType> GraphImporter::typeOf(const std::string &name) const {
  const archive::TensorMeta *meta = graph.tensor(name);
  if (auto it = newContents.find(name); !meta && it != newContents.end())
    meta = &it->second;
  if (!meta)
    return Error::malformed("value '" + name + "' has no tensor metadata");
  return typeOf(*meta);
}

Result<ExprAttr> GraphImporter::getExpr(const std::string &name) const {
  auto it = bindings.find(name);
  if (it == bindings.end())
    return Error::malformed("value '" + name + "' is not defined");
  if (!it->second.expr)
    return Error::malformed("value '" + name + "' is a tensor, expected a "
                            "symbolic number");
  return it->second.expr;
}

Result<Value> GraphImporter::getValue(const std::string &name) {
  auto it = bindings.find(name);
  if (it == bindings.end())
    return Error::malformed("value '" + name + "' is not defined");
  Binding &binding = it->second;
  if (!binding.value) {
    Type type = b.getI64Type();
    if (graph.symFloats.count(name))
      type = b.getF64Type();
    else if (graph.symBools.count(name))
      type = b.getI1Type();
    return guard::ValueOp::create(b, b.getUnknownLoc(), type, binding.expr)
        .getResult();
  }
  return binding.value;
}

Location GraphImporter::locationOf(const archive::Node &node) const {
  MLIRContext *context = b.getContext();
  Location name = mlir::NameLoc::get(b.getStringAttr(node.name));
  std::string place = node.location();
  size_t colon = place.rfind(':');
  unsigned line;
  if (colon == std::string::npos ||
      StringRef(place).drop_front(colon + 1).getAsInteger(10, line))
    return name;
  return mlir::NameLoc::get(
      b.getStringAttr(node.name),
      mlir::FileLineColLoc::get(context, place.substr(0, colon), line, 0));
}

void GraphImporter::aliases(const std::string &name, const std::string &of) {
  auto it = roots.find(of);
  roots[name] = it == roots.end() ? of : it->second;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// What `sym_size` and its like give, if the metadata of the tensor says it.
std::optional<ExprAttr>
GraphImporter::propertyOf(const archive::Node &node) const {
  const archive::Argument *self = node.find("self");
  const auto *tensor = self ? self->as<archive::TensorArg>() : nullptr;
  const archive::TensorMeta *meta =
      tensor ? graph.tensor(tensor->name) : nullptr;
  if (!meta)
    return std::nullopt;
  auto convert = [&](const archive::SymInt &value) -> std::optional<ExprAttr> {
    auto expr = shapes.convert(value);
    return expr ? std::optional<ExprAttr>(*expr) : std::nullopt;
  };
  auto element = [&](const std::vector<archive::SymInt> &list)
      -> std::optional<ExprAttr> {
    const archive::Argument *dim = node.find("dim");
    const auto *index = dim ? dim->as<int64_t>() : nullptr;
    int64_t rank = static_cast<int64_t>(list.size());
    if (!index || *index < -rank || *index >= rank)
      return std::nullopt;
    return convert(list[*index < 0 ? *index + rank : *index]);
  };
  StringRef overload = node.overload();
  if (overload == "aten.sym_size.int")
    return element(meta->sizes);
  if (overload == "aten.sym_stride.int" && meta->stridesKnown)
    return element(meta->strides);
  if (overload == "aten.sym_storage_offset.default")
    return convert(meta->storageOffset);
  if (overload != "aten.sym_numel.default")
    return std::nullopt;
  ExprAttr product = guard::getConstant(b.getContext(), 1);
  for (const archive::SymInt &size : meta->sizes) {
    auto expr = convert(size);
    if (!expr)
      return std::nullopt;
    product = guard::mul(product, *expr);
  }
  return product;
}

/// A node that only computes sizes: the metadata of its results says what they
/// are, so the node itself leaves no trace.
Status GraphImporter::importSymbolic(const archive::Node &node) {
  // Properties of a tensor are in its metadata.
  if (StringRef(node.target).starts_with("torch.ops.aten.sym_") &&
      node.outputs.size() == 1)
    if (auto *integer = node.outputs[0].as<archive::SymIntArg>();
        integer && integer->isName())
      if (auto expr = propertyOf(node)) {
        bind(integer->name, {{}, *expr});
        return Status::success();
      }
  for (const archive::Argument &output : node.outputs) {
    Result<ExprAttr> expr = Error::malformed(
        "result '" + std::string(output.tag()) + "' is no symbolic number");
    std::string name;
    if (auto *integer = output.as<archive::SymIntArg>()) {
      name = integer->name;
      auto it = graph.symInts.find(name);
      if (it != graph.symInts.end())
        expr = shapes.convert(it->second);
    } else if (auto *number = output.as<archive::SymFloatArg>()) {
      name = number->name;
      auto it = graph.symFloats.find(name);
      if (it != graph.symFloats.end())
        expr = shapes.convert(it->second);
    } else if (auto *flag = output.as<archive::SymBoolArg>()) {
      name = flag->name;
      auto it = graph.symBools.find(name);
      if (it != graph.symBools.end())
        expr = shapes.convert(it->second);
    }
    if (!expr)
      return expr.takeError();
    bind(name, {{}, *expr});
  }
  return Status::success();
}

/// True for operators on sizes alone.
static bool isSymbolic(StringRef target) {
  return target.starts_with("_operator.") || target.starts_with("math.") ||
         target.starts_with("torch.sym_") || target.starts_with("torch._sym_") ||
         target.starts_with("torch.ops.aten.sym_size") ||
         target.starts_with("torch.ops.aten.sym_stride") ||
         target.starts_with("torch.ops.aten.sym_numel") ||
         target.starts_with("torch.ops.aten.sym_storage_offset");
}

/// Inputs are seen by the caller whether the graph looks at them again or not.
bool GraphImporter::isGraphInput(const std::string &name) const {
  bool found = false;
  for (const archive::Argument &input : graph.inputs)
    input.forEachName([&](const std::string &other) { found |= other == name; });
  return found;
}

std::string GraphImporter::selfOf(const std::string &name) const {
  auto it = selves.find(name);
  return it == selves.end() ? name : it->second;
}

/// An in-place operator is its functional form plus a renaming, if from here on
/// nobody looks at the tensor by another name.
Status GraphImporter::checkInPlace(const archive::Node &node, size_t index,
                                   const std::string &name) {
  const std::string &root = roots[name];
  std::string self = selfOf(name);
  std::string own = node.outputs.empty() || !node.outputs[0].as<archive::TensorArg>()
                        ? ""
                        : node.outputs[0].as<archive::TensorArg>()->name;
  std::string seen;
  auto look = [&](const std::string &other) {
    auto it = roots.find(other);
    if (other != own && it != roots.end() && it->second == root &&
        selfOf(other) != self)
      seen = other;
  };
  for (size_t k = index + 1; k < graph.nodes.size(); ++k)
    for (const archive::NamedArgument &input : graph.nodes[k].inputs)
      input.arg.forEachName(look);
  for (const archive::Argument &output : graph.outputs)
    output.forEachName(look);
  if (self != root && isGraphInput(root))
    seen = root;
  if (!seen.empty())
    return Error::unsupported("it changes '" + name + "', which shares memory "
                              "with '" + seen + "'; expected a program after "
                              "run_decompositions()");
  return Status::success();
}

/// In training, batch norms write their running statistics although most
/// schemas do not say so. Their functional form returns them.
Status GraphImporter::importBatchNorm(const archive::Node &node,
                                      size_t index) {
  archive::Node functional = node;
  functional.target = "torch.ops.aten._native_batch_norm_legit_functional"
                      ".default";
  functional.inputs.clear();
  std::vector<std::string> changedNames;
  for (const archive::NamedArgument &input : node.inputs) {
    if (input.name == "cudnn_enabled")
      continue;
    functional.inputs.push_back(input);
    if (input.name != "running_mean" && input.name != "running_var")
      continue;
    auto *tensor = input.arg.as<archive::TensorArg>();
    changedNames.push_back(tensor->name);
    if (Status s = checkInPlace(node, index, tensor->name); !s)
      return s;
  }
  functional.outputs.resize(3, archive::Argument{archive::NoneArg{}});
  for (const std::string &name : changedNames) {
    // A name of its own for the new contents.
    archive::TensorMeta meta = *graph.tensor(name);
    newContents.insert_or_assign(name + "'", meta);
    functional.outputs.push_back(
        archive::Argument{archive::TensorArg{name + "'"}});
  }
  if (Status s = importOperator(functional, index); !s)
    return s;
  for (const std::string &name : changedNames) {
    changing = name;
    if (Status s = setContents(bindings[name + "'"].value, false); !s)
      return s;
  }
  changing.clear();
  return Status::success();
}

/// True for a batch norm that updates running statistics.
static bool updatesStatistics(const archive::Node &node) {
  StringRef overload = node.overload();
  if (overload != "aten.batch_norm.default" &&
      overload != "aten.native_batch_norm.default" &&
      overload != "aten._native_batch_norm_legit.default")
    return false;
  const archive::Argument *training = node.find("training");
  const archive::Argument *mean = node.find("running_mean");
  const archive::Argument *variance = node.find("running_var");
  auto *flag = training ? training->as<bool>() : nullptr;
  return flag && *flag && mean && mean->as<archive::TensorArg>() && variance &&
         variance->as<archive::TensorArg>();
}

Status GraphImporter::importOperator(const archive::Node &original,
                                     size_t index) {
  archive::Node call;
  const archive::Node *functionalCall = &original;
  std::string overload(original.overload());
  // What `item` becomes in decomposed programs; one record serves both.
  if (overload == "aten._local_scalar_dense.default")
    overload = "aten.item.default";
  const aten::OpInfo *info = aten::lookUpOverload(overload);
  std::optional<EagerSchema> schema;
  if (!info)
    schema = lookUpEagerSchema(overload);
  changing.clear();
  bool changesFirst = false;
  if (!info && !schema) {
    std::string functional = functionalName(overload);
    if (!functional.empty()) {
      info = aten::lookUpOverload(functional);
      if (!info)
        schema = lookUpEagerSchema(functional);
    }
    if (info || schema) {
      overload = functional;
      const archive::Argument *out = original.find("out");
      const archive::TensorArg *target = nullptr;
      if (out)
        target = out->as<archive::TensorArg>();
      else if (!original.inputs.empty())
        target = original.inputs[0].arg.as<archive::TensorArg>();
      if (!target)
        return Error::malformed("an in-place operator changes no tensor");
      changing = target->name;
      if (Status s = checkInPlace(original, index, changing); !s)
        return s;
      changesFirst = !out;
      call = toFunctional(original);
      functionalCall = &call;
    } else if (StringRef(overload).starts_with("aten.")) {
      return Error::unsupported("the operator '" + overload +
                                "' is neither compiled nor an eager operator");
    }
  }
  const archive::Node &node = *functionalCall;
  if (!info)
    return importUnknown(node, overload, schema ? &*schema : nullptr);

  SmallVector<aten::ArgValue> args(info->args.size());
  std::vector<bool> used(node.inputs.size(), false);
  for (auto [k, arg] : llvm::enumerate(info->args)) {
    bool found = false;
    for (auto [i, input] : llvm::enumerate(node.inputs)) {
      // What changes in place comes first, whatever the functional form calls
      // it.
      bool isChanged = changesFirst && i == 0 && k == 0;
      if (input.name != arg.name && !isChanged)
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
                              "' is not in the schema " + info->schema);

  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      b.getContext(), [&](mlir::Diagnostic &diagnostic) {
        complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  Operation *op = aten::buildAtenOp(b, locationOf(node), *info, args);
  if (!op && StringRef(complaint).contains("depends on data")) {
    auto types = recordedTypes(node);
    if (!types)
      return types.takeError();
    op = aten::buildAtenOp(b, locationOf(node), *info, args, *types);
  }
  if (op && !changing.empty())
    op = keepElementType(op);
  if (!op)
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  return bindOperator(node, op, info->isView,
                      info->isView || info->getOverload() == "detach");
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

/// An in-place operator gives what it changes its own element type again.
Operation *GraphImporter::keepElementType(Operation *op) {
  Value self = bindings[changing].value;
  auto want = llvm::dyn_cast_if_present<RankedTensorType>(
      self ? self.getType() : Type());
  auto have = llvm::dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!want || !have || want.getElementType() == have.getElementType())
    return op;
  const aten::OpInfo *convert = aten::lookUpOverload("aten._to_copy.default");
  if (!convert)
    return op;
  return aten::buildAtenOp(
      b, op->getLoc(), *convert,
      {aten::ArgValue(op->getResult(0)),
       aten::ArgValue(mlir::TypeAttr::get(want.getElementType()))});
}

/// Binds the results and keeps account of what shares memory and what changed.
Status GraphImporter::bindOperator(const archive::Node &node, Operation *op,
                                   bool isView, bool keepsContents) {
  if (Status s = bindResults(node, op); !s)
    return s;
  if (changing.empty()) {
    if (isView)
      for (const archive::Argument &output : node.outputs)
        output.forEachName([&](const std::string &name) {
          if (auto *self = node.inputs[0].arg.as<archive::TensorArg>())
            aliases(name, self->name);
        });
    return Status::success();
  }
  std::string self = selfOf(changing);
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &name) {
      aliases(name, self);
      selves[name] = self;
    });
  return setContents(op->getResult(0), keepsContents);
}

/// Every name of the changed tensor now means `value`.
Status GraphImporter::setContents(Value value, bool keepsContents) {
  std::string self = selfOf(changing);
  for (auto &[name, same] : selves)
    if (same == self)
      bindings[name].value = value;
  bindings[self].value = value;
  // Neither detaching nor another view changes what the tensor holds.
  if (keepsContents)
    return Status::success();
  if (const archive::TensorMeta *meta = graph.tensor(self);
      meta && isGraphInput(self))
    for (auto [size, stride] : llvm::zip(meta->sizes, meta->strides))
      if (stride.isStatic() && stride.value == 0 &&
          !(size.isStatic() && size.value <= 1))
        return Error::unsupported("it changes the input '" + self +
                                  "', several elements of which share memory");
  auto first = typeOf(self);
  auto now = llvm::dyn_cast<RankedTensorType>(value.getType());
  if (isGraphInput(self) && first && now &&
      failed(mlir::verifyCompatibleShape(*first, now)))
    return Error::unsupported("it changes the input '" + self +
                              "' after its shape was changed in place");
  llvm::erase_if(changed, [&](auto &entry) { return entry.first == self; });
  changed.emplace_back(self, value);
  return Status::success();
}

/// Compares what was inferred with what the archive recorded, and binds names.
Status GraphImporter::bindResults(const archive::Node &node, Operation *op) {
  unsigned next = 0;
  // Of a gradient that was not asked for PyTorch records a size now and then
  // that is not the operand's.
  const archive::Argument *mask = node.find("output_mask");
  const auto *asked = mask ? mask->as<std::vector<bool>>() : nullptr;
  auto bindTensor = [&](const std::string &name) -> Status {
    if (next >= op->getNumResults())
      return Error::malformed("result '" + name + "' is one more than the "
                              "operator has");
    bool isAsked = !asked || next >= asked->size() || (*asked)[next];
    Value value = op->getResult(next++);
    auto recorded = typeOf(name);
    if (!recorded)
      return recorded.takeError();
    auto inferred = llvm::dyn_cast<RankedTensorType>(value.getType());
    if (!inferred || inferred.getElementType() != recorded->getElementType() ||
        (isAsked &&
         failed(mlir::verifyCompatibleShape(inferred, *recorded)))) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "result '" << name << "' is recorded as " << *recorded
         << ", but its arguments give " << value.getType();
      return Error::malformed(text);
    }
    bind(name, {value, {}});
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
                     const SchemaArgument &argument) {
  auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
  if (!integer || llvm::isa<mlir::BoolAttr>(value))
    return value;
  if (unsigned size = argument.listSize())
    return b.getDenseI64ArrayAttr(
        SmallVector<int64_t>(size, integer.getInt()));
  if (argument.type.starts_with("float"))
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
    for (const SchemaArgument &declared : schema->arguments) {
      Attribute found;
      for (auto [i, input] : llvm::enumerate(node.inputs)) {
        bool isChanged = !changing.empty() && i == 0 &&
                         &declared == schema->arguments.begin();
        if (input.name != declared.name && !isChanged)
          continue;
        used[i] = true;
        auto argument = convertUnknown(input.arg, operands);
        if (!argument)
          return argument.takeError();
        found = fit(b, *argument, declared);
      }
      if (!found && declared.defaultText)
        found = defaultOf(b, declared);
      if (!found && declared.isOptional())
        found = b.getUnitAttr();
      if (!found)
        return Error::malformed("argument '" + declared.name.str() +
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
  bool isView = schema && schema->isView;
  return bindOperator(node, op, isView, /*keepsContents=*/isView);
}

/// " of 'probe.scale_add.default'", if the node wraps an operator.
static std::string operatorOf(const archive::Node &node) {
  for (const archive::NamedArgument &input : node.inputs)
    if (auto *wrapped = input.arg.as<archive::OperatorArg>())
      return " of '" + wrapped->target + "'";
  return "";
}

Status GraphImporter::importNode(const archive::Node &node, size_t index) {
  StringRef target = node.target;
  if (isSymbolic(target))
    return importSymbolic(node);
  if (target.starts_with("torch.ops.higher_order."))
    return Error::unsupported("higher-order operator" + operatorOf(node) +
                              "; expected a graph of plain operators");
  if (!target.starts_with("torch.ops."))
    return Error::unsupported("target is neither an operator nor arithmetic "
                              "on sizes");
  if (node.overload() == "aten._assert_tensor_metadata.default")
    return checkMetadata(node);
  if (node.overload() == "aten._assert_scalar.default")
    return importAssertion(node);
  if (updatesStatistics(node))
    return importBatchNorm(node, index);
  if (node.overload() == "aten._native_batch_norm_legit.default") {
    // Not in training: it reads its running statistics only.
    archive::Node call = node;
    call.target = "torch.ops.aten._native_batch_norm_legit_no_training"
                  ".default";
    llvm::erase_if(call.inputs, [](const archive::NamedArgument &input) {
      return input.name == "training";
    });
    return importOperator(call, index);
  }
  return importOperator(node, index);
}

/// Compares what the node states with the metadata of its operand.
Status GraphImporter::checkMetadata(const archive::Node &node) const {
  const archive::Argument *a = node.find("a");
  const auto *tensor = a ? a->as<archive::TensorArg>() : nullptr;
  const archive::TensorMeta *meta =
      tensor ? graph.tensor(tensor->name) : nullptr;
  if (!meta)
    return Error::malformed("argument 'a' is no tensor");
  const archive::Argument *dtype = node.find("dtype");
  if (auto *stated = dtype ? dtype->as<DType>() : nullptr;
      stated && *stated != meta->dtype)
    return Error::malformed("tensor dtype mismatch: expected " +
                            std::string(dtypeName(*stated)) + ", found " +
                            std::string(dtypeName(meta->dtype)));
  auto compare = [&](StringRef name,
                     const std::vector<archive::SymInt> &found) -> Status {
    const archive::Argument *argument = node.find(std::string(name));
    auto *stated = argument ? argument->as<std::vector<int64_t>>() : nullptr;
    if (!stated)
      return Status::success();
    bool differs = stated->size() != found.size();
    for (size_t i = 0; !differs && i < found.size(); ++i)
      differs = found[i].isStatic() && found[i].value != (*stated)[i];
    if (!differs)
      return Status::success();
    return Error::malformed(("tensor " + name + " mismatch of '" +
                             tensor->name + "'")
                                .str());
  };
  if (Status s = compare("size", meta->sizes); !s)
    return s;
  return compare("stride", meta->strides);
}

static std::optional<bool> constantTruth(const archive::Argument &argument) {
  if (auto *flag = argument.as<bool>())
    return *flag;
  if (auto *integer = argument.as<int64_t>())
    return *integer != 0;
  if (auto *number = argument.as<double>())
    return *number != 0;
  if (auto *flag = argument.as<archive::SymBoolArg>())
    return flag->value;
  if (auto *integer = argument.as<archive::SymIntArg>())
    return integer->value != 0;
  return std::nullopt;
}

/// `_assert_scalar(condition, message)`: the condition is about sizes.
Status GraphImporter::importAssertion(const archive::Node &node) {
  const archive::Argument *condition = node.find("self");
  const archive::Argument *message = node.find("assert_msg");
  std::string text = "an assertion of the program does not hold";
  if (message)
    if (auto *given = message->as<std::string>())
      text = *given;
  ExprAttr expr;
  auto named = [&](const std::string &name) -> Status {
    auto found = getExpr(name);
    if (!found)
      return found.takeError();
    expr = *found;
    return Status::success();
  };
  if (!condition)
    return Error::malformed("argument 'self' is missing");
  Status status = Status::success();
  if (auto *flag = condition->as<archive::SymBoolArg>(); flag && flag->isName())
    status = named(flag->name);
  else if (auto *number = condition->as<archive::SymIntArg>();
           number && number->isName())
    status = named(number->name);
  else if (auto truth = constantTruth(*condition))
    return *truth ? Status::success() : Status(Error::malformed(text));
  else
    return Error::unsupported("an assertion about '" +
                              std::string(condition->tag()) +
                              "', expected one about sizes");
  if (!status)
    return status;
  guard::AssertOp::create(b, locationOf(node), expr, b.getStringAttr(text));
  return Status::success();
}

/// Operators of user libraries have no implementation here; all are named at
/// once.
Status GraphImporter::checkLibraries() const {
  std::vector<std::string> foreign;
  auto look = [&](StringRef target) {
    if (!target.consume_front("torch.ops."))
      return;
    StringRef space = target.split('.').first;
    if (space != "aten" && space != "higher_order" && space != "prims" &&
        !llvm::is_contained(foreign, target))
      foreign.push_back(target.str());
  };
  for (const archive::Node &node : graph.nodes) {
    look(node.target);
    for (const archive::NamedArgument &input : node.inputs)
      if (auto *wrapped = input.arg.as<archive::OperatorArg>())
        look(wrapped->target);
  }
  if (foreign.empty())
    return Status::success();
  return Error::unsupported("the program calls operators of other libraries: " +
                            llvm::join(foreign, ", "));
}

Status GraphImporter::importNodes() {
  if (Status s = checkLibraries(); !s)
    return s;
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    Status status = importNode(node, index);
    if (status)
      continue;
    std::string context = "node '" + node.name + "' (" +
                          std::string(node.overload());
    std::string place = node.location();
    context += place.empty() ? ")" : " at " + place + ")";
    return status.error().withContext(context);
  }
  return Status::success();
}
