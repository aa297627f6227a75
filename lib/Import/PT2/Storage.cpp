//===- Storage.cpp - Writes that depend on how memory is laid out ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Diagnostics.h"

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Resized tensors
//===----------------------------------------------------------------------===//

/// `x.resize_(size)` keeps the elements in the order in which they lie in
/// memory. Where they suffice it is a view of the first of them; where they do
/// not, the tensor gets memory of its own, in which the others are zeros.
Status GraphImporter::importResize(const archive::Node &node) {
  const archive::Argument *self = node.find("self"), *size = node.find("size"),
                          *format = node.find("memory_format");
  const auto *name = self ? self->as<archive::TensorArg>() : nullptr;
  if (!name || !size)
    return Error::malformed("expected a tensor and its new sizes");
  const auto *wanted = format ? format->as<archive::MemoryFormat>() : nullptr;
  if (wanted && *wanted != archive::MemoryFormat::Contiguous)
    return Error::unsupported("a tensor is resized to the memory format '" +
                              std::string(memoryFormatName(*wanted)) +
                              "', expected contiguous_format");
  auto list = convertAttribute(*size, {"size", aten::ArgKind::SymIntList,
                                       false, false, nullptr, 0});
  if (!list)
    return list.takeError();
  SmallVector<ExprAttr> sizes(llvm::cast<guard::ShapeAttr>(*list).getDims());
  for (ExprAttr dim : sizes)
    if (auto known = dim.getConstant(); known && *known < 0)
      return Error::malformed("a tensor is resized to a negative size, " +
                              std::to_string(*known));
  auto tensor = getTensor(name->name);
  if (!tensor)
    return tensor.takeError();
  Value value = states.read(*tensor);
  aten::FormulaBuilder builder(b, locationOf(node));
  if (aten::FormulaBuilder::dimsOf(value) != sizes) {
    const archive::TensorMeta *meta = graph.tensor(name->name);
    auto strides = meta && meta->stridesKnown
                       ? shapes.convert(meta->strides)
                       : Result<SmallVector<ExprAttr>>(Error::malformed(""));
    if (!strides ||
        !isContiguous(aten::FormulaBuilder::dimsOf(value), *strides))
      return Error::unsupported("it resizes '" + name->name +
                                "', whose elements are not known to lie in "
                                "memory in order");
    ExprAttr have = aten::FormulaBuilder::numelOf(value);
    ExprAttr want = guard::getNumElements(b.getContext(), sizes);
    auto missing = (want - have).getConstant();
    if (!missing)
      return Error::unsupported("it is not known whether a resized tensor "
                                "grows");
    auto look = [&](Value view) {
      if (*missing <= 0 && view != value)
        states.change(*tensor, view.getDefiningOp());
      value = view;
    };
    look(builder.view(value, {have}));
    if (*missing > 0)
      value = builder.constantPad(value, {builder.expr(0), want - have}, 0);
    else
      look(builder.sliceTensor(value, 0, builder.expr(0), want));
    look(builder.view(value, sizes));
    if (*missing > 0)
      if (Status s = states.move(*tensor, value); !s)
        return s;
  }
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &result) {
      bindings[result] = bindings[name->name];
    });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Running statistics and observed ranges
//===----------------------------------------------------------------------===//

/// Writes updated running statistics. Where all channels share one element (the
/// tensor is expanded), PyTorch updates it once a channel, in order: of the
/// `count` steps r = (1 - m) r + m x[k] remains
///
///   (1 - m)^count r  +  sum of (1 - m)^(count - 1 - k) m x[k]
Status GraphImporter::setStatistics(const archive::Node &node,
                                    const std::string &name, Value updated) {
  auto tensor = getTensor(name);
  if (!tensor)
    return tensor.takeError();
  if (!overlaps(*tensor))
    return setContents(name, updated);
  const archive::Argument *argument = node.find("momentum");
  const double *momentum = argument ? argument->as<double>() : nullptr;
  if (!momentum)
    return Error::malformed("a batch norm in training has no momentum");
  Value before = states.read(*tensor);
  aten::FormulaBuilder builder(b, before.getLoc());
  Type element = aten::FormulaBuilder::elementTypeOf(before);
  Type wide = element.isF64() ? element : Type(b.getF32Type());
  auto dims = aten::FormulaBuilder::dimsOf(before);
  ExprAttr count = dims[0];
  Value old = builder.cast(before, wide);
  Value added = builder.sub(builder.cast(updated, wide),
                            builder.mul(old, 1 - *momentum));
  // How many updates follow that of each channel.
  Value following = builder.arangeStartStep(
      count - builder.expr(1), builder.expr(-1), builder.expr(-1), wide);
  Value kept = builder.powScalar(builder.number(1 - *momentum), following);
  Value first = builder.selectInt(builder.mul(old, kept), 0, builder.expr(0));
  Value sum = builder.add(builder.sumAll(builder.mul(added, kept)),
                          builder.mul(first, 1 - *momentum));
  Value result = builder.expand(builder.cast(sum, element), dims);
  if (!result)
    return Error::unsupported("running statistics '" + name +
                              "' share one element");
  return states.write(*tensor, result, before.getLoc());
}

/// Imports `node` by the overload `target`, which returns what it changes after
/// its `numResults` results, and writes that to the arguments `changed`.
Status GraphImporter::importChanging(const archive::Node &node,
                                     StringRef target, unsigned numResults,
                                     ArrayRef<StringRef> changed) {
  archive::Node functional = node;
  functional.target = target.str();
  functional.inputs.clear();
  std::vector<std::string> changedNames;
  for (const archive::NamedArgument &input : node.inputs) {
    if (input.name == "cudnn_enabled")
      continue;
    functional.inputs.push_back(input);
    if (!llvm::is_contained(changed, input.name))
      continue;
    const auto *tensor = input.arg.as<archive::TensorArg>();
    if (!tensor)
      return Error::malformed("'" + input.name + "' is no tensor");
    changedNames.push_back(tensor->name);
  }
  functional.outputs.resize(numResults, archive::Argument{archive::NoneArg{}});
  for (const std::string &name : changedNames) {
    // A name of its own for the new contents.
    const archive::TensorMeta *meta = graph.tensor(name);
    if (!meta)
      return Error::malformed("'" + name + "' is no tensor");
    newContents.insert_or_assign(name + "'", *meta);
    functional.outputs.push_back(
        archive::Argument{archive::TensorArg{name + "'"}});
  }
  if (Status s = importOperator(functional); !s)
    return s;
  for (const std::string &name : changedNames) {
    auto value = getValue(name + "'");
    if (!value)
      return value.takeError();
    if (Status s = setStatistics(node, name, *value); !s)
      return s;
  }
  return Status::success();
}

std::string pt2::targetOf(const aten::OpInfo &info) {
  StringRef variant = info.getOverload().contains('.') ? "" : ".default";
  return ("torch.ops." + StringRef(info.name) + variant).str();
}

static bool isInstanceNorm(const archive::Node &node) {
  return aten::lookUpOverload(node.overload()) ==
         &aten::InstanceNormOp::getInfo();
}

/// In training, batch norms write their running statistics although most
/// schemas do not say so. Their functional form returns them.
Status GraphImporter::importBatchNorm(const archive::Node &node) {
  return importChanging(
      node, targetOf(aten::NativeBatchNormLegitFunctionalOp::getInfo()), 3,
      {"running_mean", "running_var"});
}

/// The instances of all images are the channels of one, whose running
/// statistics, averaged over the images, are those of the channels.
Status GraphImporter::importInstanceNorm(const archive::Node &node) {
  const aten::OpInfo &info = aten::InstanceNormOp::getInfo();
  SmallVector<aten::ArgValue> args;
  if (Status s = convertArguments(node, info.schema, info.args, args); !s)
    return s;
  aten::FormulaBuilder builder(b, locationOf(node));
  Value x = args[0].getValue();
  SmallVector<ExprAttr> sizes = aten::FormulaBuilder::dimsOf(x), joined = sizes;
  if (sizes.size() < 2)
    return Error::malformed("an instance norm needs 2 dimensions or more");
  ExprAttr images = sizes[0], channels = sizes[1];
  joined[0] = builder.expr(1);
  joined[1] = images * channels;
  SmallVector<aten::ArgValue> call{builder.reshape(x, joined)};
  for (aten::ArgValue parameter : ArrayRef(args).slice(1, 4))
    call.push_back(parameter.isNone()
                       ? parameter
                       : builder.repeat(parameter.getValue(), {images}));
  call.append({b.getBoolAttr(true), args[6], args[7]});
  std::string complaint;
  SmallVector<Value> results;
  {
    mlir::ScopedDiagnosticHandler handler(
        b.getContext(), [&](mlir::Diagnostic &diagnostic) {
          complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
          return mlir::success();
        });
    if (auto op = aten::create<aten::NativeBatchNormLegitFunctionalOp>(
            b, locationOf(node), call))
      llvm::append_range(results, op->getResults());
  }
  if (results.empty())
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  for (auto [name, result] : {std::pair("running_mean", results[3]),
                              std::pair("running_var", results[4])}) {
    const auto *tensor = node.find(name)->as<archive::TensorArg>();
    Value mean =
        builder.meanOver(builder.view(result, {images, channels}), {0});
    auto held = mean ? fitContents(mean, /*isFixed=*/false, tensor->name)
                     : Result<Value>(Error::malformed("arguments do not fit"));
    if (!held)
      return held.takeError();
    if (Status s = setContents(tensor->name, *held); !s)
      return s;
  }
  return bindValues(node, builder.reshape(results[0], sizes));
}

std::optional<Status>
GraphImporter::importHiddenChanges(const archive::Node &node) {
  StringRef overload = node.overload();
  if (updatesStatistics(node))
    return isInstanceNorm(node) ? importInstanceNorm(node)
                                : importBatchNorm(node);
  // They write to their arguments, so that only the functional form is an op.
  if (overload != "aten.fused_moving_avg_obs_fake_quant.default" &&
      overload != "aten._fused_moving_avg_obs_fq_helper.default")
    return std::nullopt;
  return importChanging(
      node, targetOf(aten::FusedMovingAvgObsFqHelperFunctionalOp::getInfo()), 2,
      {"running_min", "running_max", "scale", "zero_point"});
}

bool pt2::updatesStatistics(const archive::Node &node) {
  const aten::OpInfo *info = aten::lookUpOverload(node.overload());
  if (info != &aten::BatchNormOp::getInfo() &&
      info != &aten::NativeBatchNormOp::getInfo() && !isInstanceNorm(node) &&
      StringRef(node.overload()) != kNormThatUpdates)
    return false;
  const archive::Argument *training =
      node.find(isInstanceNorm(node) ? "use_input_stats" : "training");
  const archive::Argument *mean = node.find("running_mean");
  const archive::Argument *variance = node.find("running_var");
  auto *flag = training ? training->as<bool>() : nullptr;
  return flag && *flag && mean && mean->as<archive::TensorArg>() && variance &&
         variance->as<archive::TensorArg>();
}
