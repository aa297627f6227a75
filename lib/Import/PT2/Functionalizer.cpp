//===- Functionalizer.cpp - Tensors that share memory ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"

#include "mlir/IR/IRMapping.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::FormulaBuilder;

unsigned Functionalizer::addMemory(Value contents, StringRef input) {
  Memory memory;
  memory.contents = contents;
  memory.input = input.str();
  memories.push_back(std::move(memory));
  return memories.size() - 1;
}

Functionalizer::Tensor Functionalizer::add(Value value, StringRef input) {
  tensors.push_back({addMemory(value, input), {}, value, 0});
  return tensors.size() - 1;
}

Functionalizer::Tensor Functionalizer::addView(Tensor of, Operation *op,
                                               unsigned result,
                                               unsigned operand,
                                               bool byStrides) {
  State state = tensors[of];
  state.path.push_back({op, result, operand, byStrides});
  state.value = op->getResult(result);
  state.version = memories[state.memory].version;
  tensors.push_back(std::move(state));
  return tensors.size() - 1;
}

Functionalizer::Tensor Functionalizer::addCopy(Tensor of, Value value) {
  Tensor result = add(value);
  unsigned copied = tensors[of].memory;
  memories.back().copied = copied;
  memories.back().copiedVersion = memories[copied].version;
  return result;
}

Functionalizer::Tensor
Functionalizer::addPerhapsView(Tensor of, Value value, StringRef why) {
  Tensor result = add(value);
  for (Tensor tensor : {result, of})
    memories[tensors[tensor].memory].unknownView = why.str();
  return result;
}

/// `op` on another operand: what a view operator gives now.
static Value replay(OpBuilder &b, Operation *op, unsigned operand, Value base,
                    unsigned result) {
  Operation *copy = b.clone(*op);
  copy->setOperand(operand, base);
  return copy->getResult(result);
}

void Functionalizer::noteStrides(const State &state, bool isWrite) {
  Memory &memory = memories[state.memory];
  if (llvm::any_of(state.path, [](const Step &step) { return step.byStrides; }))
    memory.dependsOnStrides |= isWrite || state.version != memory.version;
  // With other strides a copy of a copy looks at the first one's memory.
  for (const Memory *copy = &memory; copy->copied;
       copy = &memories[*copy->copied]) {
    Memory &copied = memories[*copy->copied];
    copied.dependsOnStrides |= isWrite || copied.version != copy->copiedVersion;
  }
}

bool Functionalizer::dependsOnStrides(StringRef input) const {
  return llvm::any_of(memories, [&](const Memory &memory) {
    return memory.input == input && memory.dependsOnStrides;
  });
}

Value Functionalizer::read(Tensor tensor) {
  State &state = tensors[tensor];
  const Memory &memory = memories[state.memory];
  noteStrides(state, /*isWrite=*/false);
  if (state.version == memory.version)
    return state.value;
  Value value = memory.contents;
  for (const Step &step : state.path)
    value = replay(b, step.op, step.operand, value, step.result);
  state.value = value;
  state.version = memory.version;
  return value;
}

void Functionalizer::change(Tensor tensor, Operation *op) {
  State &state = tensors[tensor];
  state.path.push_back({op, 0, 0, /*byStrides=*/false});
  state.value = op->getResult(0);
  state.version = memories[state.memory].version;
}

Status Functionalizer::move(Tensor tensor, Value contents) {
  for (auto [other, state] : llvm::enumerate(tensors))
    if (other != tensor && state.memory == tensors[tensor].memory)
      return Error::unsupported("other tensors look at its memory");
  tensors[tensor] = {addMemory(contents), {}, contents, 0};
  return Status::success();
}

std::vector<std::pair<std::string, Value>> Functionalizer::mutations() const {
  std::vector<std::pair<std::string, Value>> result;
  for (const Memory &memory : memories)
    if (memory.version != 0 && !memory.input.empty())
      result.emplace_back(memory.input, memory.contents);
  return result;
}

Status Functionalizer::write(Tensor tensor, Value contents, Location loc) {
  State &state = tensors[tensor];
  Memory &memory = memories[state.memory];
  if (!memory.unknownView.empty())
    return Error::unsupported("it is not known whether " + memory.unknownView +
                              " shares its memory; expected a program after "
                              "run_decompositions()");
  noteStrides(state, /*isWrite=*/true);
  // What each view on the way sees before the write.
  SmallVector<Value> seen = {memory.contents};
  for (const Step &step : ArrayRef(state.path).drop_back(!state.path.empty()))
    seen.push_back(
        replay(b, step.op, step.operand, seen.back(), step.result));
  Value value = contents;
  for (size_t k = state.path.size(); k-- > 0;) {
    std::string reason;
    value = writeThrough(state.path[k], seen[k], value, loc, reason);
    if (!value)
      return Error::unsupported(
          "it changes a tensor through '" +
          state.path[k].op->getName().getStringRef().str() + "', " +
          (reason.empty() ? "which cannot be written through" : reason));
  }
  memory.contents = value;
  ++memory.version;
  state.value = contents;
  state.version = memory.version;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The inverse of a view
//===----------------------------------------------------------------------===//

Value Functionalizer::writeThrough(const Step &step, Value base, Value source,
                                   Location loc, std::string &reason) {
  const aten::OpInfo *info = aten::getOpInfo(step.op);
  if (!info)
    return {};
  if (info->undoesItself)
    return replay(b, step.op, step.operand, source, step.result);
  FormulaBuilder builder(b, loc);
  auto view = llvm::dyn_cast<aten::ViewOpInterface>(step.op);
  if (!view) {
    // What gives its operand back.
    if (FormulaBuilder::elementTypeOf(base) !=
        FormulaBuilder::elementTypeOf(source))
      return {};
    return builder.view(source, FormulaBuilder::dimsOf(base));
  }
  auto maps = view.getViewMaps();
  if (failed(maps))
    return {};
  return aten::writeThrough(builder, (*maps)[step.result], base, source,
                            reason);
}
