//===- Checkpoints.cpp - What a model wants computed again ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkpoints.h"

#include "kiln/Interfaces/RecomputableOpInterface.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace kiln::pt2 {

/// The trace of Python lines up to the one that calls checkpoint.
static StringRef getCallSite(StringRef trace) {
  size_t call = trace.find("checkpoint(");
  return call == StringRef::npos ? StringRef() : trace.take_front(call);
}

/// "layers.2" for a node of a child of the third of `layers`; the outermost such
/// path. The text is `key,path,type;key,path,type`.
static StringRef getNumberedModule(StringRef modulePath) {
  while (!modulePath.empty()) {
    auto [module, rest] = modulePath.split(';');
    StringRef path = module.split(',').second.split(',').first;
    StringRef last = path.rsplit('.').second;
    if (!last.empty() && llvm::all_of(last, llvm::isDigit))
      return path;
    modulePath = rest;
  }
  return StringRef();
}

/// A CheckpointPolicy by name.
static Checkpoints::Wish getWish(std::optional<StringRef> policy) {
  if (policy == "MUST_RECOMPUTE" || policy == "PREFER_RECOMPUTE")
    return Checkpoints::Wish::Recompute;
  if (policy == "MUST_SAVE" || policy == "PREFER_SAVE")
    return Checkpoints::Wish::Save;
  return Checkpoints::Wish::None;
}

Checkpoints::Tag Checkpoints::look(const archive::Node &node) {
  Tag tag;
  // What is no JSON, or says something else, is another's note.
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(node.custom);
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  const llvm::json::Object *notes = parsed ? parsed->getAsObject() : nullptr;
  std::string here;
  if (notes) {
    tag.wish = getWish(notes->getString("recompute"));
    if (tag.wish == Wish::None &&
        notes->getString("_torchdynamo_disable_method") == "checkpoint")
      tag.wish = Wish::Recompute;
    if (auto number = notes->getInteger("ac_graph_id"))
      here = std::to_string(*number);
    else
      here = (getCallSite(node.stackTrace) + "\n" +
              getNumberedModule(node.modulePath))
                 .str();
  }
  if (tag.wish != Wish::Recompute) {
    isInside = false;
    return tag;
  }
  if (!isInside || here != place)
    ++region;
  isInside = true;
  place = here;
  tag.region = region;
  return tag;
}

void setTag(Operation *op, const Checkpoints::Tag &tag) {
  mlir::Builder builder(op->getContext());
  if (tag.wish == Checkpoints::Wish::Save)
    op->setAttr(kSaveAttrName, builder.getUnitAttr());
  if (tag.wish == Checkpoints::Wish::Recompute)
    op->setAttr(kRecomputeAttrName, builder.getI64IntegerAttr(tag.region));
}

} // namespace kiln::pt2
