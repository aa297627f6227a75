//===- Composites.cpp - Overloads that are made of others -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "GraphImporter.h"

#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/Composites.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

using namespace kiln;
using namespace kiln::pt2;

std::string pt2::canonicalOverload(StringRef overload) {
  static const llvm::StringMap<StringRef> aliases = {
#include "kiln/Import/PT2/Aliases.inc"
  };
  auto found = aliases.find(overload);
  return found == aliases.end() ? overload.str() : found->second.str();
}

const aten::OpInfo *pt2::lookUpCopiedView(StringRef overload) {
  auto [head, variant] = overload.rsplit('.');
  if (!head.consume_back("_copy"))
    return nullptr;
  const aten::OpInfo *info =
      aten::lookUpOverload((head + "." + variant).str());
  return info && info->isView ? info : nullptr;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

/// Binds what a composite stands for: it is opened at once, because who shares
/// memory with whom is seen in views.
Status GraphImporter::importComposite(const archive::Node &node,
                                      const aten::OpInfo &info) {
  SmallVector<aten::ArgValue> args;
  if (Status s = convertArguments(node, info.schema, info.args, args); !s)
    return s;
  // What the archive says of the results, by result; of one that is left out
  // nothing.
  SmallVector<Type> types;
  SmallVector<std::string> names;
  Status status = Status::success();
  auto add = [&](const std::string &name) {
    auto recorded = typeOf(name);
    if (!recorded)
      status = recorded.takeError();
    types.push_back(recorded ? Type(*recorded) : b.getNoneType());
    names.push_back(name);
  };
  for (const archive::Argument &output : node.outputs) {
    if (output.isNone()) {
      types.push_back(b.getNoneType());
      names.push_back("");
    } else {
      output.forEachName(add);
    }
  }
  if (!status)
    return status;
  if (!llvm::is_contained(info.results, aten::ResultKind::TensorList)) {
    types.resize(info.results.size(), b.getNoneType());
    names.resize(info.results.size());
  }
  Block *block = b.getInsertionBlock();
  Operation *before = block->empty() ? nullptr : &block->back();
  std::string complaint;
  Operation *op = nullptr;
  {
    mlir::ScopedDiagnosticHandler handler(
        b.getContext(), [&](mlir::Diagnostic &diagnostic) {
          complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
          return success();
        });
    op = aten::buildAtenOp(b, locationOf(node), info, args, types);
  }
  if (!op)
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  aten::OpenedComposite opened =
      aten::openComposite(op, b, [&](mlir::OpResult result) {
        const std::string &name = names[result.getResultNumber()];
        return !name.empty() && isRead(name);
      });
  // The op, and constants that it alone was given.
  auto first = before ? std::next(before->getIterator()) : block->begin();
  SmallVector<Operation *> made;
  for (Operation &each : llvm::make_range(first, op->getIterator()))
    made.push_back(&each);
  op->erase();
  for (Operation *each : llvm::reverse(made))
    if (each->use_empty())
      each->erase();
  if (!opened.complaint.empty())
    return Error::malformed(opened.complaint);
  if (!opened.refusal.empty())
    return Error::unsupported(opened.refusal);
  return bindValues(node, opened.values);
}

bool GraphImporter::isRead(const std::string &name) const {
  bool found = false;
  auto look = [&](const std::string &read) { found |= read == name; };
  for (const archive::Node &node : graph.nodes)
    for (const archive::NamedArgument &input : node.inputs)
      input.arg.forEachName(look);
  for (const archive::Argument &output : graph.outputs)
    output.forEachName(look);
  return found;
}

/// What `permute_copy` gives is a copy of what `permute` gives.
Status GraphImporter::importCopiedView(const archive::Node &node,
                                       const aten::OpInfo &view) {
  SmallVector<aten::ArgValue> args;
  if (Status s = convertArguments(node, view.schema, view.args, args); !s)
    return s;
  aten::FormulaBuilder builder(b, locationOf(node));
  std::string complaint;
  SmallVector<Value> values;
  {
    mlir::ScopedDiagnosticHandler handler(
        b.getContext(), [&](mlir::Diagnostic &diagnostic) {
          complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
          return success();
        });
    if (Operation *op = aten::buildAtenOp(b, locationOf(node), view, args))
      for (Value value : op->getResults())
        values.push_back(builder.clone(value));
  }
  if (values.empty())
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  return bindValues(node, values);
}

/// Binds composed values to the results of a node. One that is reached from an
/// operand through views looks at its memory.
Status GraphImporter::bindValues(const archive::Node &node,
                                 ArrayRef<Value> values) {
  if (!changing.empty()) {
    auto value = fitContents(values.front(), /*isFixed=*/false, changing);
    if (!value)
      return value.takeError();
    if (Status s = setContents(changing, *value); !s)
      return s;
    return bindChanged(node);
  }
  llvm::DenseMap<Value, Functionalizer::Tensor> operands;
  for (const archive::NamedArgument &input : node.inputs)
    input.arg.forEachName([&](const std::string &name) {
      auto it = bindings.find(name);
      if (it != bindings.end() && it->second.tensor)
        operands.try_emplace(states.read(*it->second.tensor),
                             *it->second.tensor);
    });
  size_t next = 0;
  Status status = Status::success();
  auto bindOne = [&](const std::string &name) {
    if (!status)
      return;
    if (next == values.size()) {
      status = Error::malformed("result '" + name + "' is one more than the "
                                "operator has");
      return;
    }
    Value value = values[next++];
    status = checkRecorded(name, value, /*mayDifferInOnes=*/false);
    if (!status)
      return;
    SmallVector<mlir::OpResult> path;
    while (!operands.contains(value)) {
      auto result = llvm::dyn_cast<mlir::OpResult>(value);
      const aten::OpInfo *info =
          result ? aten::getOpInfo(result.getOwner()) : nullptr;
      if (!info || !info->isView || result.getOwner()->getNumOperands() != 1)
        break;
      path.push_back(result);
      value = result.getOwner()->getOperand(0);
    }
    auto of = operands.find(value);
    if (of == operands.end()) {
      bind(name, {{}, {}, states.add(values[next - 1])});
      return;
    }
    Functionalizer::Tensor tensor = of->second;
    bool isCertain = llvm::none_of(path, [](mlir::OpResult result) {
      return llvm::isa<aten::ReshapeOp>(result.getOwner());
    });
    if (!isCertain) {
      tensor = states.addPerhapsView(tensor, values[next - 1],
                                     "the result '" + name + "'");
    } else {
      for (mlir::OpResult result : llvm::reverse(path))
        tensor = states.addView(tensor, result.getOwner(),
                                result.getResultNumber());
    }
    bind(name, {{}, {}, tensor});
  };
  for (const archive::Argument &output : node.outputs) {
    if (output.isNone())
      ++next;
    else
      output.forEachName(bindOne);
  }
  return status;
}
