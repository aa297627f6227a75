//===- GraphImporter.cpp - Nodes of a graph as ops ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "Checkpoints.h"
#include "Composites.h"

#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

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

bool GraphImporter::hasMetadata(const std::string &name) const {
  return graph.tensor(name) || newContents.count(name);
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

Result<Functionalizer::Tensor>
GraphImporter::getTensor(const std::string &name) const {
  auto it = bindings.find(name);
  if (it == bindings.end())
    return Error::malformed("value '" + name + "' is not defined");
  if (!it->second.tensor)
    return Error::malformed("value '" + name + "' is no tensor");
  return *it->second.tensor;
}

Result<Value> GraphImporter::getValue(const std::string &name) {
  auto it = bindings.find(name);
  if (it == bindings.end())
    return Error::malformed("value '" + name + "' is not defined");
  const Binding &binding = it->second;
  if (binding.tensor)
    return states.read(*binding.tensor);
  if (binding.value)
    return binding.value;
  if (!binding.expr)
    return Error::malformed("value '" + name + "' is an effect token, which "
                            "only orders effects");
  Type type = b.getI64Type();
  if (graph.symFloats.count(name))
    type = b.getF64Type();
  else if (graph.symBools.count(name))
    type = b.getI1Type();
  return guard::ValueOp::create(b, b.getUnknownLoc(), type, binding.expr)
      .getResult();
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

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Status GraphImporter::importNode(const archive::Node &node) {
  StringRef target = node.target;
  if (isSymbolicTarget(target))
    return importSymbolic(node);
  if (target.starts_with("torch.ops.higher_order."))
    return importHigherOrder(node);
  if (!target.starts_with("torch.ops."))
    return Error::unsupported("target is neither an operator nor arithmetic "
                              "on sizes");
  if (auto checked = importCheck(node))
    return *checked;
  // It changes sizes, which no value does: there is no functional form.
  if (node.overload() == "aten.resize_.default")
    return importResize(node);
  if (auto imported = importHiddenChanges(node))
    return std::move(*imported);
  if (StringRef(node.overload()) == kNormThatUpdates) {
    // Not in training: it reads its running statistics only.
    archive::Node call = node;
    call.target =
        targetOf(aten::NativeBatchNormLegitNoTrainingOp::getInfo());
    llvm::erase_if(call.inputs, [](const archive::NamedArgument &input) {
      return input.name == "training";
    });
    return importOperator(call);
  }
  return importOperator(node);
}

/// Operators of user libraries that neither a dialect describes nor the caller
/// knows how to call; all are named at once.
Status GraphImporter::checkLibraries() const {
  std::vector<std::string> foreign;
  auto look = [&](StringRef target) {
    if (!target.consume_front("torch.ops."))
      return;
    StringRef space = target.split('.').first;
    if (space != "aten" && space != "higher_order" && space != "prims" &&
        !operators.count(target.str()) &&
        !aten::lookUpOverload(target, b.getContext()) &&
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
  Checkpoints checkpoints;
  for (const archive::Node &node : graph.nodes) {
    Block *block = b.getInsertionBlock();
    Operation *before = block->empty() ? nullptr : &block->back();
    Status status = importNode(node);
    if (status) {
      auto first = before ? std::next(before->getIterator()) : block->begin();
      // A node of sizes leaves nothing, and is in no region and between none.
      if (first == block->end())
        continue;
      Checkpoints::Tag tag = checkpoints.look(node);
      for (Operation &op : llvm::make_range(first, block->end()))
        if (aten::getOpInfo(&op))
          setTag(&op, tag);
      continue;
    }
    std::string context = "node '" + node.name + "' (" +
                          std::string(node.overload());
    std::string place = node.location();
    context += place.empty() ? ")" : " at " + place + ")";
    return status.error().withContext(context);
  }
  return Status::success();
}
