//===- Preparation.cpp - What depends on weights alone --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

#include "kiln/Base/CheckedMath.h"
#include "kiln/Package/ExprEvaluator.h"

#include <algorithm>
#include <set>

namespace kiln::package {

ValueId getRoot(const Program &program, ValueId id) {
  while (program.values[id].kind == Value::Kind::View)
    id = program.values[id].base;
  return id;
}

static bool isPrepared(const Program &program, ValueId id) {
  return id != kNone &&
         program.values[getRoot(program, id)].kind == Value::Kind::Prepared;
}

const std::vector<ValueId> *getBuffers(const Step &step) {
  if (auto *launch = std::get_if<LaunchStep>(&step))
    return &launch->buffers;
  auto *grid = std::get_if<GridStep>(&step);
  return grid ? &grid->buffers : nullptr;
}

/// The same, and which of them it writes.
static const std::vector<ValueId> *
buffersOf(const Step &step, const std::vector<uint32_t> *&writes) {
  if (auto *launch = std::get_if<LaunchStep>(&step))
    writes = &launch->writes;
  else if (auto *grid = std::get_if<GridStep>(&step))
    writes = &grid->writes;
  return getBuffers(step);
}

/// `foo_` overloads; see kiln/Runtime/Operator.h.
static bool writesItsArgument(const std::string &overload) {
  size_t name = overload.find('.');
  size_t end = name == std::string::npos ? name : overload.find('.', name + 1);
  return end != std::string::npos && overload[end - 1] == '_';
}

bool isPreparation(const Program &program, const Step &step) {
  const std::vector<uint32_t> *writes = nullptr;
  auto *buffers = buffersOf(step, writes);
  return buffers &&
         std::any_of(writes->begin(), writes->end(), [&](uint32_t at) {
           return isPrepared(program, (*buffers)[at]);
         });
}

std::vector<size_t> findPassing(const Program &program) {
  std::vector<size_t> last(program.values.size(), SIZE_MAX);
  std::vector<bool> isRead(program.values.size());
  // Launches alone use what is prepared.
  for (size_t i = program.steps.size(); i-- > 0;)
    if (const std::vector<ValueId> *buffers = getBuffers(program.steps[i]))
      for (ValueId buffer : *buffers) {
        ValueId id = getRoot(program, buffer);
        if (program.values[id].kind != Value::Kind::Prepared || isRead[id])
          continue;
        isRead[id] = true;
        if (isPreparation(program, program.steps[i]))
          last[id] = i;
      }
  return last;
}

std::vector<bool> findLasting(const Program &program) {
  std::vector<bool> lasting(program.values.size());
  for (const Step &step : program.steps)
    if (const std::vector<ValueId> *buffers = getBuffers(step);
        buffers && !isPreparation(program, step))
      for (ValueId buffer : *buffers)
        if (isPrepared(program, buffer))
          lasting[getRoot(program, buffer)] = true;
  return lasting;
}

Result<PreparedLayout> getPreparedLayout(const Program &program,
                                         const Value &value) {
  PreparedLayout layout;
  for (ExprId id : value.sizes)
    layout.sizes.push_back(constantSize(program.exprs[id]).value_or(-1));
  for (ExprId id : value.strides)
    layout.strides.push_back(constantSize(program.exprs[id]).value_or(-1));
  auto bytes = value.strides.empty() ? byteCount(value.dtype, layout.sizes)
                                     : storageExtent(value.dtype, layout.sizes,
                                                     layout.strides, 0);
  if (!bytes)
    return bytes.takeError();
  layout.bytes = *bytes;
  if (value.strides.empty()) {
    int64_t stride = 1;
    layout.strides.resize(layout.sizes.size());
    for (size_t dim = layout.sizes.size(); dim-- > 0;) {
      layout.strides[dim] = stride;
      stride *= std::max<int64_t>(layout.sizes[dim], 1);
    }
  }
  return layout;
}

bool isPreparationStored(const Program &program) {
  return std::any_of(
      program.values.begin(), program.values.end(), [](const Value &value) {
        return value.kind == Value::Kind::Prepared && value.slot != kNone;
      });
}

std::vector<bool> findPreparedSlots(const Program &program) {
  std::vector<bool> slots(program.slots.size());
  for (const Step &step : program.steps)
    if (isPreparation(program, step))
      for (ValueId buffer : *getBuffers(step))
        if (const Value &value = program.values[getRoot(program, buffer)];
            value.kind == Value::Kind::Slot)
          slots[value.slot] = true;
  return slots;
}

/// The values that an argument names as tensors, or those that it reads a
/// number of.
template <typename Ref>
static void collect(const Argument &given, std::vector<ValueId> &ids) {
  if (auto *named = std::get_if<Ref>(&given.value))
    ids.push_back(named->value);
  else if (auto *list = std::get_if<Argument::List>(&given.value))
    for (const Argument &element : *list)
      collect<Ref>(element, ids);
}

namespace {
/// What a step that is no launch names: values of its own, and arguments.
struct Operands {
  std::vector<ValueId> values;
  const std::vector<Argument> *arguments = nullptr; ///< null for none
};
} // namespace

/// The operands of a step, but for launches and what it lets go of.
static Operands operandsOf(const Step &step) {
  if (auto *call = std::get_if<ExternStep>(&step))
    return {call->results, &call->arguments};
  if (auto *control = std::get_if<ControlStep>(&step))
    return {control->results, &control->arguments};
  if (auto *copy = std::get_if<CopyStep>(&step))
    return {{copy->source, copy->target}};
  if (auto *definition = std::get_if<DefineSymbolStep>(&step))
    return {{definition->value}};
  return {};
}

/// The values that a step names, but for what it lets go of.
static std::vector<ValueId> usesOf(const Step &step) {
  if (const std::vector<ValueId> *buffers = getBuffers(step))
    return *buffers;
  auto [ids, arguments] = operandsOf(step);
  for (size_t i = 0; arguments && i < arguments->size(); ++i) {
    collect<Argument::TensorRef>((*arguments)[i], ids);
    collect<Argument::ScalarRef>((*arguments)[i], ids);
  }
  return std::move(ids);
}

std::vector<bool> findFreezable(const Program &program) {
  std::vector<bool> slots = findPreparedSlots(program);
  auto use = [&](ValueId id) {
    if (id == kNone)
      return;
    const Value &value = program.values[getRoot(program, id)];
    if (value.kind == Value::Kind::Slot)
      slots[value.slot] = false;
  };
  for (const Step &step : program.steps)
    if (!isPreparation(program, step))
      for (ValueId id : usesOf(step))
        use(id);
  for (const Output &output : program.outputs) {
    if (output.kind == Output::Kind::Tensor ||
        output.kind == Output::Kind::Scalar)
      use(output.value);
    if (output.aliasOfSlot != kNone)
      slots[output.aliasOfSlot] = false;
  }
  for (const Symbol &symbol : program.symbols)
    if (symbol.source != Symbol::Source::Step)
      slots[symbol.slot] = false;
  return slots;
}

namespace {

class PreparationVerifier {
public:
  explicit PreparationVerifier(const Program &program)
      : program_(program), isWritten_(program.values.size()),
        changes_(program.slots.size()) {
    for (const Output &output : program.outputs)
      if (output.aliasOfSlot != kNone &&
          (output.role == Output::Role::BufferMutation ||
           output.role == Output::Role::ParameterMutation ||
           output.role == Output::Role::InputMutation))
        changes_[output.aliasOfSlot] = true;
    if (std::any_of(program.values.begin(), program.values.end(),
                    [](const Value &value) {
                      return value.kind == Value::Kind::Prepared;
                    }))
      noteWrites();
  }

  Status run() {
    for (size_t i = 0; i < program_.values.size(); ++i)
      if (program_.values[i].kind == Value::Kind::Prepared)
        for (const auto *list :
             {&program_.values[i].sizes, &program_.values[i].strides})
          for (ExprId id : *list)
            if (!isNumber(id))
              return bad("value " + std::to_string(i) +
                         " is prepared and depends on symbols");
    for (size_t i = 0; i < program_.steps.size(); ++i)
      if (Status s = step(program_.steps[i]); !s)
        return s.error().withContext("step " + std::to_string(i));
    if (Status s = stored(); !s)
      return s;
    for (const Output &output : program_.outputs)
      if ((output.kind == Output::Kind::Tensor ||
           output.kind == Output::Kind::Scalar) &&
          isPrepared(program_, output.value))
        return bad("a prepared value is returned");
    return Status::success();
  }

private:
  static Error bad(const std::string &message) {
    return Error::malformed(message);
  }
  bool isNumber(ExprId id) const {
    return id == kNone || symbolsOf(program_.exprs[id]).empty();
  }
  bool areNumbers(const std::vector<ExprId> &ids) const {
    return std::all_of(ids.begin(), ids.end(),
                       [&](ExprId id) { return isNumber(id); });
  }

  /// Either all that calls read is stored or nothing, and what is frozen is
  /// read by what is then left out.
  Status stored() const {
    bool isStored = isPreparationStored(program_);
    std::vector<bool> lasting = findLasting(program_);
    for (size_t i = 0; isStored && i < program_.values.size(); ++i)
      if (const Value &value = program_.values[i];
          value.kind == Value::Kind::Prepared &&
          lasting[i] != (value.slot != kNone))
        return bad("value " + std::to_string(i) +
                   (lasting[i] ? " is prepared and not stored, as others are"
                               : " is stored and passes"));
    std::vector<bool> freezable;
    for (size_t i = 0; i < program_.slots.size(); ++i) {
      const Slot &slot = program_.slots[i];
      if (!slot.isFrozen)
        continue;
      if (freezable.empty())
        freezable = findFreezable(program_);
      if (!isStored || slot.payload != kNone || !freezable[i])
        return bad("slot '" + slot.name +
                   "' is frozen, expected a weight that preparation alone "
                   "reads, and what that makes of it");
    }
    return Status::success();
  }

  // What steps write is followed to the slots behind it.

  void write(ValueId id) {
    if (id == kNone)
      return;
    ValueId root = getRoot(program_, id);
    if (program_.values[root].kind == Value::Kind::Slot)
      changes_[program_.values[root].slot] = true;
    else
      for (uint32_t slot : slotsBehind_[root])
        changes_[slot] = true;
  }

  /// A result may be a view of what was passed, or is copied to where it goes.
  void noteCall(const std::vector<Argument> &arguments,
                const std::vector<ValueId> &results) {
    std::vector<ValueId> ids;
    for (const Argument &given : arguments)
      collect<Argument::TensorRef>(given, ids);
    std::set<uint32_t> slots;
    for (ValueId id : ids) {
      ValueId root = getRoot(program_, id);
      if (program_.values[root].kind == Value::Kind::Slot)
        slots.insert(program_.values[root].slot);
      else
        slots.insert(slotsBehind_[root].begin(), slotsBehind_[root].end());
    }
    for (ValueId id : results)
      if (id != kNone && program_.values[id].kind == Value::Kind::Dynamic)
        slotsBehind_[id].insert(slots.begin(), slots.end());
      else
        write(id);
  }

  void noteWrites() {
    slotsBehind_.resize(program_.values.size());
    for (const Step &step : program_.steps) {
      const std::vector<uint32_t> *writes = nullptr;
      if (auto *buffers = buffersOf(step, writes)) {
        for (uint32_t at : *writes)
          write((*buffers)[at]);
      } else if (auto *copy = std::get_if<CopyStep>(&step)) {
        write(copy->target);
      } else if (auto *call = std::get_if<ExternStep>(&step)) {
        std::vector<ValueId> ids;
        if (!call->arguments.empty() && writesItsArgument(call->overload))
          collect<Argument::TensorRef>(call->arguments[0], ids);
        for (ValueId id : ids)
          write(id);
        noteCall(call->arguments, call->results);
      } else if (auto *control = std::get_if<ControlStep>(&step)) {
        noteCall(control->arguments, control->results);
      }
    }
  }

  bool staysTheSame(ValueId id) const {
    const Value &value = program_.values[getRoot(program_, id)];
    if (value.kind != Value::Kind::Slot)
      return value.kind == Value::Kind::Constant ||
             value.kind == Value::Kind::Prepared;
    Slot::Kind kind = program_.slots[value.slot].kind;
    return (kind == Slot::Kind::Parameter || kind == Slot::Kind::Buffer ||
            kind == Slot::Kind::Constant) &&
           !changes_[value.slot];
  }

  /// Views of what is prepared, and of what it is made from, are the same in
  /// each call.
  bool isPlaced(ValueId id) const {
    for (; program_.values[id].kind == Value::Kind::View;
         id = program_.values[id].base) {
      const Value &value = program_.values[id];
      if (!areNumbers(value.sizes) || !areNumbers(value.strides) ||
          !isNumber(value.offset))
        return false;
    }
    return true;
  }

  bool dependsOnSymbols(const Step &step) const {
    if (auto *launch = std::get_if<LaunchStep>(&step))
      return !areNumbers(launch->arguments) || !isNumber(launch->workItems) ||
             !isNumber(launch->scratchBytes);
    auto &grid = std::get<GridStep>(step);
    if (!isNumber(grid.narrow))
      return true;
    for (const GridStep::Part &part : grid.parts) {
      if (!areNumbers(part.arguments) || !isNumber(part.blocks))
        return true;
      for (const GridStep::TensorMap &map : part.maps)
        if (!isNumber(map.offset) || !areNumbers(map.sizes) ||
            !areNumbers(map.strides))
          return true;
    }
    return std::visit([&](const auto &call) { return dependsOnSymbols(call); },
                      grid.library);
  }

  bool dependsOnSymbols(std::monostate) const { return false; }

  bool dependsOnSymbols(const GridStep::Convolution &convolution) const {
    for (const GridStep::Convolution::Image *image :
         {&convolution.source, &convolution.target})
      if (!areNumbers({image->offset, image->image, image->channel}) ||
          !areNumbers(image->places))
        return true;
    return !areNumbers(convolution.inputs) ||
           !areNumbers(convolution.outputs) || !areNumbers(convolution.taps) ||
           !areNumbers({convolution.images, convolution.groups,
                        convolution.channels, convolution.filters,
                        convolution.weightOffset});
  }

  bool dependsOnSymbols(const GridStep::Product &product) const {
    for (const GridStep::Product::Matrix *matrix :
         {&product.left, &product.right, &product.result})
      if (!areNumbers({matrix->offset, matrix->leading, matrix->apart}))
        return true;
    return !areNumbers(
        {product.matrices, product.rows, product.columns, product.sum});
  }

  Status step(const Step &step) {
    const std::vector<uint32_t> *writes = nullptr;
    auto *buffers = buffersOf(step, writes);
    if (!buffers)
      return others(step);
    if (!isPreparation(program_, step))
      return Status::success();
    if (dependsOnSymbols(step))
      return bad("a value is prepared by what depends on symbols");
    for (size_t at = 0; at < buffers->size(); ++at) {
      ValueId id = (*buffers)[at];
      bool isWritten =
          std::find(writes->begin(), writes->end(), at) != writes->end();
      if (!isPlaced(id) ||
          (isWritten ? !isPrepared(program_, id) : !staysTheSame(id)))
        return bad("buffer " + std::to_string(at) +
                   (isWritten ? " is written with what is prepared, and is not"
                              : " is read by what is prepared, expected a "
                                "weight that stays, a constant or a prepared "
                                "value"));
      ValueId root = getRoot(program_, id);
      if (isWritten && isWritten_[root])
        return bad("value " + std::to_string(root) + " is prepared twice");
      isWritten_[root] = isWritten_[root] || isWritten;
    }
    return Status::success();
  }

  Status argument(const Argument &given) const {
    if (auto *tensor = std::get_if<Argument::TensorRef>(&given.value)) {
      if (isPrepared(program_, tensor->value))
        return bad("a prepared value is passed to a call");
    } else if (auto *scalar = std::get_if<Argument::ScalarRef>(&given.value)) {
      if (isPrepared(program_, scalar->value))
        return bad("a prepared value is read as a number");
    } else if (auto *list = std::get_if<Argument::List>(&given.value)) {
      for (const Argument &element : *list)
        if (Status s = argument(element); !s)
          return s;
    }
    return Status::success();
  }

  /// Steps that are no launches have nothing to do with what is prepared.
  Status others(const Step &step) const {
    auto [ids, arguments] = operandsOf(step);
    if (auto *release = std::get_if<ReleaseStep>(&step))
      ids = release->values;
    for (size_t i = 0; arguments && i < arguments->size(); ++i)
      if (Status s = argument((*arguments)[i]); !s)
        return s;
    for (ValueId id : ids)
      if (isPrepared(program_, id))
        return bad("value " + std::to_string(id) +
                   " is prepared, expected launches alone to use it");
    return Status::success();
  }

  const Program &program_;
  std::vector<bool> isWritten_;
  std::vector<bool> changes_;
  /// Per value that a call gives, the slots that it may be a view of.
  std::vector<std::set<uint32_t>> slotsBehind_;
};

} // namespace

Status verifyPreparation(const Program &program) {
  return PreparationVerifier(program).run();
}

} // namespace kiln::package
