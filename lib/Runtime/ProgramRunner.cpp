//===- ProgramRunner.cpp - Prepare programs and bind symbols -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Runtime/ProgramRunner.h"
#include "DeviceCopy.h"
#include "Frame.h"
#include "InputText.h"
#include "kiln/Base/CheckedMath.h"

#include <algorithm>
#include <exception>
#include <new>

namespace kiln::runtime {

using package::Cell;
using package::kNone;
using package::Program;
using package::Slot;
using package::Symbol;
using package::Value;

void RunStats::addExtern(const std::string &op, const std::string &reason) {
  ++externCalls;
  for (ExternCalls &known : externs)
    if (known.op == op && known.reason == reason) {
      ++known.count;
      return;
    }
  externs.push_back({op, 1, reason});
}

void RunStats::addLibrary(const LibraryLaunch &launch) {
  ++(std::holds_alternative<ProductLaunch>(launch) ? libraryProducts
                                                   : libraryConvolutions);
}

void RunStats::addSkip(std::vector<Skips> &skips, const std::string &reason) {
  for (Skips &known : skips)
    if (known.reason == reason) {
      ++known.count;
      return;
    }
  skips.push_back({reason, 1});
}

namespace {

/// The number passed for a symbolic slot, or an undefined cell.
Cell scalarCell(const OpValue &input, bool isFloat) {
  if (auto *i = std::get_if<int64_t>(&input.value))
    return isFloat ? Cell::ofFloat(static_cast<double>(*i))
                   : Cell::ofInteger(*i);
  if (auto *b = std::get_if<bool>(&input.value))
    return isFloat ? Cell::ofFloat(*b) : Cell::ofInteger(*b);
  if (auto *f = std::get_if<double>(&input.value); f && isFloat)
    return Cell::ofFloat(*f);
  return {};
}

std::string sourceText(const Symbol &symbol, const Slot &slot) {
  if (symbol.source == Symbol::Source::InputSize)
    return "size of '" + slot.name + "' at index " +
           std::to_string(symbol.dim);
  if (symbol.source == Symbol::Source::InputStride)
    return "stride of '" + slot.name + "' at index " +
           std::to_string(symbol.dim);
  return "number '" + slot.name + "'";
}

std::string rangeText(const Symbol &symbol) {
  if (symbol.max == std::numeric_limits<int64_t>::max())
    return "at least " + std::to_string(symbol.min);
  return std::to_string(symbol.min) + " to " + std::to_string(symbol.max);
}

bool bindSymbol(const Symbol &symbol, const Slot &slot, const OpValue &input,
                Cell &cell, std::string &failure) {
  if (symbol.source == Symbol::Source::InputScalar) {
    cell = scalarCell(input, symbol.isFloat);
    if (!cell.defined()) {
      failure = "expected '" + slot.name + "' to be " +
                (symbol.isFloat ? "a number" : "an integer") + ", but found " +
                describeInput(input);
      return false;
    }
    if (symbol.isFloat)
      return true;
  } else {
    auto *tensor = std::get_if<Tensor>(&input.value);
    if (!tensor || !tensor->defined()) {
      failure = kindFailure(slot, input);
      return false;
    }
    if (symbol.dim >= tensor->sizes().size()) {
      failure = rankFailure(slot, static_cast<int64_t>(slot.sizes.size()),
                            tensor->rank());
      return false;
    }
    cell = Cell::ofInteger(symbol.source == Symbol::Source::InputSize
                               ? tensor->size(symbol.dim)
                               : tensor->stride(symbol.dim));
  }
  int64_t found = cell.integer;
  int64_t shifted = 0;
  if (__builtin_sub_overflow(found, symbol.offset, &shifted) ||
      (symbol.scale == -1 && shifted == INT64_MIN)) {
    failure = sourceText(symbol, slot) + " overflows symbol '" + symbol.name +
              "'";
    return false;
  }
  if (symbol.scale != 1 && shifted % symbol.scale != 0) {
    failure = sourceText(symbol, slot) + " mismatch. expected " +
              (symbol.offset == 0 ? "" : std::to_string(symbol.offset) +
                                             " plus ") +
              "a multiple of " + std::to_string(symbol.scale) + ", actual " +
              std::to_string(found);
    return false;
  }
  cell.integer = shifted / symbol.scale;
  if (cell.integer < symbol.min || cell.integer > symbol.max) {
    failure = sourceText(symbol, slot) + " is out of range. expected '" +
              symbol.name + "' to be " + rangeText(symbol) + ", actual " +
              std::to_string(cell.integer);
    return false;
  }
  return true;
}

/// A stored tensor, which is row-major, with the strides that `value` declares: steps
/// were compiled for these, and no call has to change them. Strides that are no
/// numbers are left to each call.
Result<Tensor> layOut(const Tensor &stored, const Program &program,
                      const Value &value) {
  std::vector<int64_t> strides;
  for (package::ExprId id : value.strides)
    if (auto stride = package::constantSize(program.exprs[id]))
      strides.push_back(*stride);
  if (strides.size() != stored.sizes().size() ||
      strides == stored.strides() || stored.numel() == 0)
    return stored;
  auto extent = storageExtent(stored.dtype(), stored.sizes(), strides, 0);
  if (!extent)
    return extent.takeError();
  auto storage = allocateOn(stored.storage()->device(),
                            static_cast<size_t>(*extent), "constants");
  if (!storage)
    return storage.takeError();
  auto laid = Tensor::view(*storage, stored.dtype(), stored.sizes(), strides, 0);
  if (!laid)
    return laid.takeError();
  if (Status s = copyElements(stored, *laid); !s)
    return s.takeError();
  if (stored.isOnDevice())
    return laid;
  auto readOnly = Storage::borrow((*storage)->data(), (*storage)->bytes(),
                                  *storage, /*readOnly=*/true);
  return Tensor::view(std::move(readOnly), stored.dtype(), stored.sizes(),
                      std::move(strides), 0);
}

/// What the package stores for the slots, undefined for those without.
Result<std::vector<Tensor>> getStored(const Program &program,
                                      const std::vector<Tensor> &constants) {
  std::vector<Tensor> stored(program.slots.size());
  for (const Value &value : program.values) {
    if (value.kind != Value::Kind::Slot ||
        program.slots[value.slot].payload == kNone ||
        stored[value.slot].defined())
      continue;
    const Slot &slot = program.slots[value.slot];
    auto laid = layOut(constants[slot.payload], program, value);
    if (!laid)
      return laid.error().withContext("weight '" + slot.path + "'");
    stored[value.slot] = std::move(*laid);
  }
  return stored;
}

} // namespace

bool bindSymbols(const Program &program, const std::vector<OpValue> &inputs,
                 Cell *cells, std::string &failure) {
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const Symbol &symbol = program.symbols[i];
    if (symbol.source == Symbol::Source::Step) {
      cells[i] = Cell();
      continue;
    }
    if (!bindSymbol(symbol, program.slots[symbol.slot], inputs[symbol.slot],
                    cells[i], failure))
      return false;
  }
  return true;
}

/// A driver reads as many parameters as the code of a kernel declares, so what a step
/// passes is compared with that where the driver tells.
static Status checkParameters(const Program &program, const DeviceImage &image) {
  constexpr size_t kNumber = 8;
  for (const package::Step &step : program.steps) {
    auto *grid = std::get_if<package::GridStep>(&step);
    for (size_t i = 0; grid && i < grid->parts.size(); ++i) {
      const package::GridStep::Part &part = grid->parts[i];
      std::vector<size_t> passed(grid->buffers.size() + !grid->hasWorkspace +
                                     part.arguments.size() +
                                     grid->checks.size(),
                                 kNumber);
      passed.insert(passed.end(), part.maps.size(), sizeof(TensorMapBytes));
      for (uint32_t kernel : {part.kernel, part.wide}) {
        auto declared = kernel == kNone ? std::nullopt
                                        : image.parameterBytes(kernel);
        bool fits = !declared || declared->size() <= passed.size();
        for (size_t at = 0; declared && fits && at < declared->size(); ++at)
          fits = (*declared)[at] <= passed[at];
        if (!fits)
          return Error::malformed(
              "kernel " + std::to_string(kernel) + " declares " +
              std::to_string(declared->size()) +
              " parameters, which are not the " +
              std::to_string(passed.size()) + " that program '" +
              program.name + "' passes");
      }
    }
  }
  return Status::success();
}

namespace {
/// The bits that make a value true: a zero of floats may have a sign.
int64_t maskOf(DType dtype) {
  if (dtype == DType::F8E4M3FNUZ || dtype == DType::F8E5M2FNUZ ||
      dtype == DType::F8E8M0FNU) // what would be -0 is NaN, or there is no 0
    return -1;
  uint64_t sign = uint64_t(1) << (8 * itemSize(dtype) - 1);
  if (isComplex(dtype))
    sign |= sign >> (4 * itemSize(dtype));
  return static_cast<int64_t>(
      isComplex(dtype) || isFloat(dtype) ? ~sign : ~uint64_t(0));
}
} // namespace

/// Makes the launch that looks at the assertion of `call`.
Status ProgramRunner::addCheck(size_t index, const package::ExternStep &call) {
  Plan &plan = *plan_;
  auto check = std::make_unique<Plan::Check>();
  using package::Argument;
  package::ValueId flag =
      std::get<Argument::TensorRef>(call.arguments[0].value).value;
  check->step.buffers = {flag};
  check->step.hasWorkspace = true; // there is no parameter for one
  check->step.parts.resize(1);
  check->step.parts[0].kernel = plan.code.check;
  auto *message = call.arguments.size() > 1
                      ? std::get_if<std::string>(&call.arguments[1].value)
                      : nullptr;
  auto cell = plan.code.device->checkCell(
      describeCall(call, Error::usage(message ? *message : "assertion failed")));
  if (!cell)
    return cell.takeError();
  DType dtype = program_.values[flag].dtype;
  check->arguments[0] = static_cast<int64_t>(*cell);
  check->arguments[1] = maskOf(dtype);
  check->arguments[2] = static_cast<int64_t>(itemSize(dtype));
  plan.mostBuffers = std::max<size_t>(plan.mostBuffers, 1);
  plan.mostArguments =
      std::max(plan.mostArguments, std::size(check->arguments));
  plan.checks.resize(program_.steps.size());
  plan.checks[index] = std::move(check);
  return Status::success();
}

/// Notes what `grid` is launched with, and where its assertions are told.
Status ProgramRunner::addGrid(const package::GridStep &grid) {
  plan_->mostBuffers = std::max(plan_->mostBuffers, grid.buffers.size() + 1);
  for (const package::GridStep::Part &part : grid.parts)
    plan_->mostArguments =
        std::max(plan_->mostArguments,
                 part.arguments.size() + grid.checks.size());
  if (!plan_->code.device || grid.checks.empty())
    return Status::success();
  std::vector<int64_t> &cells = plan_->cells[&grid];
  for (const std::string &message : grid.checks) {
    auto cell = plan_->code.device->checkCell(Error::usage(message));
    if (!cell)
      return cell.takeError();
    cells.push_back(static_cast<int64_t>(*cell));
  }
  return Status::success();
}

/// Notes which steps are preparation, what they read, and what no step behind
/// them does.
void ProgramRunner::Plan::findPreparation(const Program &program) {
  for (const package::Step &step : program.steps)
    isPreparation.push_back(package::isPreparation(program, step));
  if (std::find(isPreparation.begin(), isPreparation.end(), true) ==
      isPreparation.end()) {
    isPreparation.clear();
    return;
  }
  std::vector<bool> reads = package::findPreparedSlots(program);
  for (uint32_t slot = 0; slot < reads.size(); ++slot)
    if (reads[slot])
      preparedFrom.push_back(slot);
  passing.resize(program.steps.size());
  std::vector<size_t> last = package::findPassing(program);
  for (package::ValueId id = 0; id < last.size(); ++id)
    if (last[id] != SIZE_MAX)
      passing[last[id]].push_back(id);
}

/// Constants are where they will be read; nothing of them is copied.
Status ProgramRunner::Plan::takeStoredPreparation(const Program &program) {
  if (!package::isPreparationStored(program))
    return Status::success();
  auto prepared = std::make_shared<Prepared>();
  prepared->tensors.resize(program.values.size());
  for (package::ValueId id = 0; id < program.values.size(); ++id) {
    const Value &value = program.values[id];
    if (value.kind != Value::Kind::Prepared || value.slot == kNone)
      continue;
    auto layout = package::getPreparedLayout(program, value);
    if (!layout)
      return layout.takeError();
    auto tensor =
        Tensor::view(constants[value.slot].storage(), value.dtype,
                     std::move(layout->sizes), std::move(layout->strides), 0);
    if (!tensor)
      return tensor.error().withContext("value " + std::to_string(id));
    prepared->tensors[id] = std::move(*tensor);
  }
  storedPreparation = std::move(prepared);
  return Status::success();
}

/// Notes where values lie, and which expressions and values depend on steps.
void ProgramRunner::Plan::findValues(const Program &program) {
  size_t exprCount = program.exprs.size();
  std::vector<bool> lateExpr(exprCount);
  conditionExpr.resize(exprCount);
  exprsOfSymbol.resize(program.symbols.size());
  for (uint32_t symbol = 0; symbol < program.symbols.size(); ++symbol)
    if (program.symbols[symbol].source == Symbol::Source::Step)
      stepSymbols.push_back(symbol);
  for (size_t i = 0; i < exprCount; ++i) {
    conditionExpr[i] = package::isCondition(program.exprs[i]);
    for (uint32_t symbol : package::symbolsOf(program.exprs[i])) {
      if (program.symbols[symbol].source != Symbol::Source::Step)
        continue;
      lateExpr[i] = true;
      exprsOfSymbol[symbol].push_back(static_cast<uint32_t>(i));
    }
  }

  size_t valueCount = program.values.size();
  root.resize(valueCount);
  lateValue.resize(valueCount);
  arenaRooted.resize(valueCount);
  viewsOf.resize(valueCount);
  valuesOf.resize(program.slots.size());
  for (uint32_t i = 0; i < valueCount; ++i) {
    const Value &value = program.values[i];
    bool isView = value.kind == Value::Kind::View;
    root[i] = isView ? root[value.base] : i;
    if (isView)
      viewsOf[root[i]].push_back(i);
    bool late = isView && lateValue[value.base];
    late |= value.offset != kNone && lateExpr[value.offset];
    for (const auto *list : {&value.sizes, &value.strides})
      for (package::ExprId id : *list)
        late |= lateExpr[id];
    lateValue[i] = late;
    const Value &from = program.values[root[i]];
    arenaRooted[i] = from.kind == Value::Kind::Arena;
    if (from.kind == Value::Kind::Slot)
      valuesOf[from.slot].push_back(i);
    if (from.kind == Value::Kind::Prepared)
      prepared.push_back(i);
  }
}

/// Notes what outputs write to, and which of them may be what was passed.
void ProgramRunner::Plan::findUpdates(const Program &program) {
  for (const package::Output &output : program.outputs) {
    bool isMutation = output.role == package::Output::Role::BufferMutation ||
                      output.role == package::Output::Role::ParameterMutation ||
                      output.role == package::Output::Role::InputMutation;
    mutates |= isMutation;
    const Value *value =
        output.kind == package::Output::Kind::Tensor && output.value != kNone
            ? &program.values[output.value]
            : nullptr;
    isUpdate.push_back(isMutation && value &&
                       value->kind == Value::Kind::Slot &&
                       value->slot == output.aliasOfSlot);
    if (isUpdate.back())
      updated.push_back(output.value);
    if (!value || isMutation || output.aliasOfSlot != kNone)
      continue;
    Value::Kind from = program.values[root[output.value]].kind;
    mayReturnInputs |= from != Value::Kind::Arena && from != Value::Kind::New;
  }
}

ProgramRunner::ProgramRunner(const Program &program)
    : program_(program), plan_(std::make_unique<Plan>()) {}

ProgramRunner::~ProgramRunner() = default;

static Error tellMissing(const Program &program,
                         const std::vector<std::string> &missing) {
  std::string list;
  for (const std::string &name : missing)
    list += (list.empty() ? "" : ", ") + name;
  return Error::unsupported("program '" + program.name + "' calls " +
                            (missing.size() == 1 ? "an operator" : "operators") +
                            " that this process does not have: " + list +
                            "; register an implementation");
}

Result<std::unique_ptr<ProgramRunner>>
ProgramRunner::create(const Program &program, ProgramCode code,
                      const std::vector<Tensor> &constants,
                      const OperatorRegistry &registry, const List &bodies) {
  std::unique_ptr<ProgramRunner> runner(new ProgramRunner(program));
  Plan &plan = *runner->plan_;
  plan.code = std::move(code);
  plan.constants = constants;
  plan.bodies = &bodies;
  if (plan.code.device)
    plan.segments = package::planGraphs(program).segments;
  auto stored = getStored(program, constants);
  if (!stored)
    return stored.takeError();
  plan.stored = std::move(*stored);

  std::vector<std::string> missing;
  plan.functions.resize(program.steps.size());
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (auto *grid = std::get_if<package::GridStep>(&program.steps[i]))
      if (Status s = runner->addGrid(*grid); !s)
        return s.takeError();
    auto *call = std::get_if<package::ExternStep>(&program.steps[i]);
    if (!call)
      continue;
    if (plan.code.device && package::isDeviceCheck(program, *call)) {
      if (Status s = runner->addCheck(i, *call); !s)
        return s.takeError();
      continue;
    }
    plan.functions[i] = registry.find(call->overload);
    if (plan.functions[i])
      continue;
    std::string name = "'" + call->overload + "'";
    if (!call->location.empty())
      name += " (at " + call->location + ")";
    if (std::find(missing.begin(), missing.end(), name) == missing.end())
      missing.push_back(name);
  }
  if (plan.code.device)
    if (Status s = checkParameters(program, *plan.code.grids); !s)
      return s.takeError();
  if (!missing.empty())
    return tellMissing(program, missing);

  plan.findValues(program);
  plan.findPreparation(program);
  if (Status s = plan.takeStoredPreparation(program); !s)
    return s.takeError();
  plan.findChains(program);
  plan.findUpdates(program);
  return runner;
}

std::unique_ptr<ProgramRunner::Frame> ProgramRunner::takeFrame() {
  std::lock_guard<std::mutex> lock(framesMutex_);
  if (frames_.empty())
    return std::make_unique<Frame>(*this);
  std::unique_ptr<Frame> frame = std::move(frames_.back());
  frames_.pop_back();
  return frame;
}

/// Calls `use` with a frame that no other call has; what is thrown is an error.
template <typename T, typename F> Result<T> ProgramRunner::withFrame(F use) {
  try {
    std::unique_ptr<Frame> frame = takeFrame();
    Result<T> result = use(*frame);
    std::lock_guard<std::mutex> lock(framesMutex_);
    frames_.push_back(std::move(frame));
    return result;
  } catch (const std::bad_alloc &) {
    return Error::io("out of memory while running program '" + program_.name +
                     "'");
  } catch (const std::exception &exception) {
    return Error::internal("program '" + program_.name +
                           "': an operator threw: " + exception.what());
  }
}

Result<std::vector<Tensor>>
ProgramRunner::prepare(const std::vector<bool> &wanted,
                       const RunOptions &options) {
  return withFrame<std::vector<Tensor>>(
      [&](Frame &frame) { return frame.prepareAlone(wanted, options); });
}

Result<std::vector<OpValue>>
ProgramRunner::run(const std::vector<OpValue> &inputs,
                   const RunOptions &options) {
  if (inputs.size() != program_.slots.size())
    return Error::usage("program '" + program_.name + "' expects " +
                        std::to_string(program_.slots.size()) +
                        " inputs, found " + std::to_string(inputs.size()));
  return withFrame<std::vector<OpValue>>(
      [&](Frame &frame) { return frame.run(inputs, options); });
}

} // namespace kiln::runtime
