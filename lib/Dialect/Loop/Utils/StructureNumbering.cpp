//===- StructureNumbering.cpp - Which operations are equal ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key is a list of words that says everything about an operation, in which values
// and inner operations stand by their numbers; equal keys have one number.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Utils/StructureNumbering.h"

#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
enum Tag : uintptr_t { Argument, Result, Handed, Inner };
} // namespace

static uintptr_t asWord(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

/// True for attributes that say what an operation is called or expected to cost, or what its
/// failure is told as.
static bool isName(Operation *op, StringRef attribute) {
  if (isa<KernelOp>(op))
    return attribute == "origins" || attribute == "name" ||
           attribute == "traffic";
  if (isa<AssertOp>(op))
    return attribute == "message";
  return isa<NestOpInterface>(op) && attribute == "origins";
}

unsigned StructureNumbering::intern(const Key &key) {
  StringRef bytes(reinterpret_cast<const char *>(key.data()),
                  key.size() * sizeof(key[0]));
  auto [it, isNew] = numbers.try_emplace(bytes, next);
  next += isNew;
  return it->second;
}

void StructureNumbering::addRegion(Key &key, Region &region) {
  ++depth;
  key.push_back(region.getBlocks().size());
  for (Block &block : region) {
    key.push_back(block.getNumArguments());
    for (BlockArgument argument : block.getArguments()) {
      uintptr_t type = asWord(argument.getType().getAsOpaquePointer());
      key.push_back(type);
      // It may have been set.
      if (!values.contains(argument))
        values[argument] =
            intern({Tag::Argument, depth, argument.getArgNumber(), type});
    }
    key.push_back(block.getOperations().size());
    for (Operation &op : block)
      key.push_back(getNumber(&op));
  }
  --depth;
}

unsigned StructureNumbering::getNumber(Operation *op) {
  auto known = operations.find(op);
  if (known != operations.end())
    return known->second;
  // Where control goes is no part of a key; nests and kernels have no branches.
  if (op->getNumSuccessors() != 0)
    return operations[op] = createNumber();
  if (handed && isa<NumberOp>(op))
    return operations[op] = intern({Tag::Handed, (*handed)++});
  Key key = {Tag::Inner, asWord(op->getName().getAsOpaquePointer()),
             op->getNumResults()};
  for (Type type : op->getResultTypes())
    key.push_back(asWord(type.getAsOpaquePointer()));
  // Not as a dictionary, which would be looked up in the context.
  NamedAttrList attributes;
  op->getName().populateInherentAttrs(op, attributes);
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    attributes.push_back(attribute);
  size_t count = key.size();
  key.push_back(0);
  for (NamedAttribute attribute : attributes) {
    if (isName(op, attribute.getName()))
      continue;
    ++key[count];
    key.append({asWord(attribute.getName().getAsOpaquePointer()),
                asWord(attribute.getValue().getAsOpaquePointer())});
  }
  // The operands of an isolated operation are bound to arguments of its region.
  if (!op->hasTrait<OpTrait::IsIsolatedFromAbove>()) {
    key.push_back(op->getNumOperands());
    size_t first = key.size();
    for (Value operand : op->getOperands())
      key.push_back(getNumber(operand));
    if (op->hasTrait<OpTrait::IsCommutative>())
      llvm::sort(key.begin() + first, key.end());
  }
  key.push_back(op->getNumRegions());
  std::optional<unsigned> outside = handed;
  if (isa<KernelOp>(op))
    handed = 0;
  for (Region &region : op->getRegions())
    addRegion(key, region);
  if (isa<KernelOp>(op))
    handed = outside;
  unsigned number = intern(key);
  operations[op] = number;
  return number;
}

unsigned StructureNumbering::getNumber(Value value) {
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  auto result = dyn_cast<OpResult>(value);
  Operation *op = result ? result.getOwner() : nullptr;
  unsigned number = 0;
  if (!op || !isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    number = createNumber();
  else
    number = intern(
        {Tag::Result, getNumber(op), uintptr_t(result.getResultNumber())});
  values[value] = number;
  return number;
}
