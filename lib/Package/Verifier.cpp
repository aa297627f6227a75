//===- Verifier.cpp - What every program must satisfy ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/Verifier.h"
#include "LibraryVerifier.h"
#include "Preparation.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Printer.h"

namespace kiln::package {

namespace {

/// Walks one program in the order in which the runtime will. Every check is a
/// member that returns a Status without the place; callers add it.
class ProgramVerifier {
public:
  explicit ProgramVerifier(const Program &program) : program_(program) {}

  Status run() {
    if (Status s = declarations(); !s)
      return s;
    defined_.assign(program_.values.size(), false);
    for (size_t i = 0; i < program_.values.size(); ++i)
      defined_[i] = program_.values[i].kind == Value::Kind::Slot ||
                    program_.values[i].kind == Value::Kind::Constant;
    if (Status s = optionalExpr(program_.arenaBytes, true); !s)
      return s.error().withContext("arena size");
    for (size_t i = 0; i < program_.steps.size(); ++i)
      if (Status s = step(program_.steps[i]); !s)
        return s.error().withContext("step " + std::to_string(i));
    for (size_t i = 0; i < program_.outputs.size(); ++i)
      if (Status s = output(program_.outputs[i]); !s)
        return s.error().withContext("output " + std::to_string(i));
    return verifyPreparation(program_);
  }

private:
  static Error bad(const std::string &message) {
    return Error::malformed(message);
  }
  static Error range(const char *what, uint32_t found, size_t count) {
    if (count == 0)
      return bad(std::string(what) + " " + std::to_string(found) +
                 " does not exist, expected none to be named");
    return bad(std::string(what) + " " + std::to_string(found) +
               " does not exist, expected one below " + std::to_string(count));
  }

  Status declarations() {
    for (size_t i = 0; i < program_.exprs.size(); ++i) {
      if (Status s = checkExpr(program_.exprs[i], program_.symbols.size()); !s)
        return s.error().withContext("expression " + std::to_string(i));
      exprSymbols_.push_back(symbolsOf(program_.exprs[i]));
    }
    for (const Symbol &symbol : program_.symbols)
      symbolDefined_.push_back(symbol.source != Symbol::Source::Step);
    for (size_t i = 0; i < program_.slots.size(); ++i)
      if (Status s = slot(program_.slots[i]); !s)
        return s.error().withContext("slot " + std::to_string(i));
    for (size_t i = 0; i < program_.symbols.size(); ++i)
      if (Status s = symbol(program_.symbols[i]); !s)
        return s.error().withContext("symbol " + std::to_string(i));
    for (size_t i = 0; i < program_.values.size(); ++i)
      if (Status s = value(i); !s)
        return s.error().withContext("value " + std::to_string(i));
    return Status::success();
  }

  Status slot(const Slot &slot) {
    if (slot.sizes.size() > kMaxRank)
      return bad("expected a rank up to " + std::to_string(kMaxRank) +
                 ", found " + std::to_string(slot.sizes.size()));
    if (!slot.strides.empty() && slot.strides.size() != slot.sizes.size())
      return bad("expected " + std::to_string(slot.sizes.size()) +
                 " strides or none, found " +
                 std::to_string(slot.strides.size()));
    if (!slot.isTensor && !slot.sizes.empty())
      return bad("expected no sizes, since it is not a tensor");
    for (ExprId id : slot.sizes)
      if (Status s = expr(id, true); !s)
        return s;
    for (ExprId id : slot.strides)
      if (Status s = expr(id, true); !s)
        return s;
    return Status::success();
  }

  Status symbol(const Symbol &symbol) {
    if (symbol.source == Symbol::Source::Step)
      return Status::success();
    if (symbol.slot >= program_.slots.size())
      return range("slot", symbol.slot, program_.slots.size());
    const Slot &slot = program_.slots[symbol.slot];
    bool ofTensor = symbol.source != Symbol::Source::InputScalar;
    if (slot.isTensor != ofTensor)
      return bad(ofTensor ? "expected a tensor in its slot, found a number"
                          : "expected a number in its slot, found a tensor");
    if (ofTensor && symbol.dim >= slot.sizes.size())
      return range("dimension", symbol.dim, slot.sizes.size());
    if (symbol.scale == 0)
      return bad("expected a scale other than 0");
    if (symbol.isFloat && (ofTensor || symbol.scale != 1 || symbol.offset != 0))
      return bad("a float symbol is read from a number as it is");
    return Status::success();
  }

  Status value(size_t id) {
    const Value &value = program_.values[id];
    if (value.sizes.size() > kMaxRank)
      return bad("expected a rank up to " + std::to_string(kMaxRank) +
                 ", found " + std::to_string(value.sizes.size()));
    if (!value.strides.empty() && value.strides.size() != value.sizes.size())
      return bad("expected " + std::to_string(value.sizes.size()) +
                 " strides or none, found " +
                 std::to_string(value.strides.size()));
    for (const auto *list : {&value.sizes, &value.strides})
      for (ExprId expr : *list)
        if (expr >= program_.exprs.size())
          return range("expression", expr, program_.exprs.size());
    if (value.offset != kNone && value.offset >= program_.exprs.size())
      return range("expression", value.offset, program_.exprs.size());
    switch (value.kind) {
    case Value::Kind::Slot:
      if (value.slot >= program_.slots.size())
        return range("slot", value.slot, program_.slots.size());
      return Status::success();
    case Value::Kind::Arena:
      if (value.offset == kNone || program_.arenaBytes == kNone)
        return bad("a value in the arena needs an offset and an arena size");
      return Status::success();
    case Value::Kind::View:
      if (value.base >= id)
        return bad("expected the base of a view to have a smaller id, found " +
                   std::to_string(value.base));
      return Status::success();
    default:
      return Status::success();
    }
  }

  /// An expression that is evaluated now. `early`: before the first step.
  Status expr(ExprId id, bool early = false) const {
    if (id >= program_.exprs.size())
      return range("expression", id, program_.exprs.size());
    for (uint32_t symbol : exprSymbols_[id])
      if (early ? program_.symbols[symbol].source == Symbol::Source::Step
                : !symbolDefined_[symbol])
        return bad("expression " + std::to_string(id) + " uses symbol " +
                   std::to_string(symbol) +
                   " before a step gives it a value");
    return Status::success();
  }

  Status optionalExpr(ExprId id, bool early = false) const {
    return id == kNone ? Status::success() : expr(id, early);
  }

  /// The sizes of a value that is made now can be computed.
  Status layout(ValueId id) const {
    for (;;) {
      const Value &value = program_.values[id];
      for (const auto *list : {&value.sizes, &value.strides})
        for (ExprId e : *list)
          if (Status s = expr(e); !s)
            return s;
      if (Status s = optionalExpr(value.offset); !s)
        return s;
      if (value.kind != Value::Kind::View)
        return Status::success();
      id = value.base;
    }
  }

  Status inRange(ValueId id) const {
    if (id >= program_.values.size())
      return range("value", id, program_.values.size());
    return Status::success();
  }

  Status use(ValueId id) const {
    if (Status s = inRange(id); !s)
      return s;
    if (!defined_[getRoot(program_, id)])
      return bad("value " + std::to_string(id) +
                 " is used before it is defined");
    // A value that an extern call returned has the sizes it came with, which
    // may be what a later step reads a symbol from.
    if (program_.values[id].kind == Value::Kind::Dynamic ||
        program_.values[id].kind == Value::Kind::Slot)
      return Status::success();
    return layout(id);
  }

  Status define(ValueId id) {
    if (Status s = inRange(id); !s)
      return s;
    defined_[getRoot(program_, id)] = true;
    return Status::success();
  }

  Status step(const Step &step) {
    if (auto *launch = std::get_if<LaunchStep>(&step))
      return launchStep(*launch);
    if (auto *call = std::get_if<ExternStep>(&step))
      return externStep(*call);
    if (auto *copy = std::get_if<CopyStep>(&step)) {
      if (Status s = use(copy->source); !s)
        return s.error().withContext("copy source");
      if (Status s = written(copy->target); !s)
        return s.error().withContext("copy target");
      if (Status s = variable(copy->target); !s)
        return s.error().withContext("copy target");
      return Status::success();
    }
    if (auto *definition = std::get_if<DefineSymbolStep>(&step)) {
      if (definition->symbol >= program_.symbols.size())
        return range("symbol", definition->symbol, program_.symbols.size());
      if (program_.symbols[definition->symbol].source != Symbol::Source::Step)
        return bad("symbol " + std::to_string(definition->symbol) +
                   " is read from an input and cannot be given a value");
      if (Status s = use(definition->value); !s)
        return s;
      symbolDefined_[definition->symbol] = true;
      return Status::success();
    }
    if (auto *check = std::get_if<AssertStep>(&step))
      return expr(check->condition);
    if (auto *control = std::get_if<ControlStep>(&step))
      return controlStep(*control);
    if (auto *grid = std::get_if<GridStep>(&step))
      return gridStep(*grid);
    for (ValueId id : std::get<ReleaseStep>(step).values) {
      if (Status s = inRange(id); !s)
        return s;
      if (program_.values[id].kind != Value::Kind::View)
        defined_[id] = false;
    }
    return Status::success();
  }

  /// A buffer that a step writes: storage of this call, or already defined.
  Status written(ValueId id) {
    if (Status s = inRange(id); !s)
      return s;
    ValueId base = getRoot(program_, id);
    if (program_.values[base].kind == Value::Kind::Dynamic && !defined_[base])
      return bad("value " + std::to_string(id) +
                 " is used before it is defined");
    if ((program_.values[base].kind == Value::Kind::Slot) && !defined_[base])
      return bad("value " + std::to_string(id) + " is used after its release");
    if (Status s = layout(id); !s)
      return s;
    return define(id);
  }

  /// All calls share the constants, so a step writes none. `id` is in range.
  Status variable(ValueId id) const {
    if (program_.values[getRoot(program_, id)].kind == Value::Kind::Constant)
      return bad("value " + std::to_string(id) +
                 " is a constant and cannot be written");
    return Status::success();
  }

  /// Positions of written buffers ascend; pairs are of a written and a read one.
  template <typename L> static Status access(const L &launch) {
    std::vector<bool> isWritten(launch.buffers.size());
    for (size_t i = 0; i < launch.writes.size(); ++i) {
      uint32_t at = launch.writes[i];
      if (at >= isWritten.size())
        return range("written buffer", at, isWritten.size());
      if (i > 0 && at <= launch.writes[i - 1])
        return bad("expected positions of written buffers to ascend, found " +
                   std::to_string(at) + " behind " +
                   std::to_string(launch.writes[i - 1]));
      isWritten[at] = true;
    }
    const std::vector<uint32_t> &pairs = launch.overwrites;
    if (pairs.size() % 2 != 0)
      return bad("expected pairs of what overwrites what, found " +
                 std::to_string(pairs.size()) + " positions");
    for (size_t i = 0; i < pairs.size(); i += 2)
      for (size_t k : {i, i + 1}) {
        if (pairs[k] >= isWritten.size())
          return range("overwritten buffer", pairs[k], isWritten.size());
        if (isWritten[pairs[k]] != (k == i))
          return bad("buffer " + std::to_string(pairs[k]) + " is " +
                     (k == i ? "read and overwrites" : "written and overwritten") +
                     ", expected a written one that overwrites a read one");
      }
    return Status::success();
  }

  template <typename L> Status launchBuffers(const L &launch) {
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      if (Status s = written(launch.buffers[i]); !s)
        return s.error().withContext("launch, buffer " + std::to_string(i));
    if (Status s = access(launch); !s)
      return s.error().withContext("launch");
    for (uint32_t at : launch.writes)
      if (Status s = variable(launch.buffers[at]); !s)
        return s.error().withContext("launch, buffer " + std::to_string(at));
    return Status::success();
  }

  Status launchStep(const LaunchStep &launch) {
    if (Status s = launchBuffers(launch); !s)
      return s;
    for (size_t i = 0; i < launch.arguments.size(); ++i)
      if (Status s = expr(launch.arguments[i]); !s)
        return s.error().withContext("launch, argument " + std::to_string(i));
    if (Status s = expr(launch.workItems); !s)
      return s.error().withContext("launch, work items");
    if (launch.grain < 1)
      return bad("launch: expected a grain of at least 1, found " +
                 std::to_string(launch.grain));
    if (Status s = optionalExpr(launch.scratchBytes); !s)
      return s.error().withContext("launch, scratch bytes");
    return Status::success();
  }

  Status gridStep(const GridStep &grid) {
    if (Status s = launchBuffers(grid); !s)
      return s;
    if (grid.parts.empty())
      return bad("grid: expected a function to launch, found none");
    if (grid.hasWorkspace &&
        (grid.writes.empty() || grid.writes.back() + 1 != grid.buffers.size()))
      return bad("grid: expected the workspace as the last buffer, which is "
                 "written");
    if (Status s = optionalExpr(grid.narrow); !s)
      return s.error().withContext("grid, narrow");
    for (const GridStep::Part &part : grid.parts) {
      Status s = gridPart(part, grid);
      if (!s)
        return s.error().withContext("grid");
    }
    constexpr size_t kMostChecks = 1024;
    bool hasLibrary = !std::holds_alternative<std::monostate>(grid.library);
    if (grid.checks.size() > (hasLibrary ? 0 : kMostChecks))
      return bad("grid: expected at most " +
                 std::to_string(hasLibrary ? 0 : kMostChecks) +
                 " checks, found " + std::to_string(grid.checks.size()));
    if (Status s = verifyLibrary(grid, program_,
                                 [this](ExprId id) { return expr(id); });
        !s)
      return s.error().withContext("grid");
    return Status::success();
  }

  Status gridPart(const GridStep::Part &part, const GridStep &grid) const {
    if ((part.wide == kNone) != (grid.narrow == kNone))
      return bad("expected a kernel for either case of 'narrow', found one");
    for (ExprId argument : part.arguments)
      if (Status s = expr(argument); !s)
        return s;
    if (Status s = expr(part.blocks); !s)
      return s;
    if (part.threads < 1 || part.threads > 1024)
      return bad("expected 1 to 1024 threads of a block, found " +
                 std::to_string(part.threads));
    constexpr uint32_t kMostShared = 1u << 20;
    if (part.sharedBytes > kMostShared)
      return bad("expected at most 2^20 bytes of shared memory, found " +
                 std::to_string(part.sharedBytes));
    for (const GridStep::TensorMap &map : part.maps)
      if (Status s = tensorMap(map, grid.buffers.size()); !s)
        return s;
    return Status::success();
  }

  Status tensorMap(const GridStep::TensorMap &map, size_t buffers) const {
    if (map.buffer >= buffers)
      return range("buffer of a tensor map", map.buffer, buffers);
    size_t rank = map.sizes.size();
    if (rank < 1 || rank > 5 || map.strides.size() + 1 != rank ||
        map.box.size() != rank)
      return bad("tensor map: expected 1 to 5 sizes, a stride less and as many "
                 "extents of a box, found " +
                 std::to_string(rank) + ", " +
                 std::to_string(map.strides.size()) + " and " +
                 std::to_string(map.box.size()));
    for (const auto *list : {&map.sizes, &map.strides})
      for (ExprId id : *list)
        if (Status s = expr(id); !s)
          return s;
    for (uint32_t extent : map.box)
      if (extent < 1 || extent > 256)
        return bad("tensor map: expected 1 to 256 elements of a box, found " +
                   std::to_string(extent));
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
        map.swizzle != 128)
      return bad("tensor map: expected to swizzle 0, 32, 64 or 128 bytes, "
                 "found " + std::to_string(map.swizzle));
    return expr(map.offset);
  }

  Status argument(const Argument &argument, int depth) const {
    if (depth > kMaxArgumentDepth)
      return bad("arguments nest too deep");
    if (auto *tensor = std::get_if<Argument::TensorRef>(&argument.value))
      return use(tensor->value);
    if (auto *scalar = std::get_if<Argument::ScalarRef>(&argument.value))
      return use(scalar->value);
    if (auto *number = std::get_if<Argument::ExprRef>(&argument.value))
      return expr(number->expr);
    if (auto *list = std::get_if<Argument::List>(&argument.value))
      for (const Argument &element : *list)
        if (Status s = this->argument(element, depth + 1); !s)
          return s;
    return Status::success();
  }

  Status externStep(const ExternStep &call) {
    if (call.overload.empty())
      return bad("call: expected the name of an operator, found none");
    for (size_t i = 0; i < call.arguments.size(); ++i)
      if (Status s = argument(call.arguments[i], 0); !s)
        return s.error().withContext(call.overload + ", argument " +
                                     std::to_string(i));
    if (Status s = results(call.results); !s)
      return s.error().withContext(call.overload);
    return Status::success();
  }

  /// What a call returns: values of this call.
  Status results(const std::vector<ValueId> &ids) {
    for (ValueId id : ids) {
      if (id == kNone)
        continue;
      if (Status s = define(id); !s)
        return s.error().withContext("results");
      Value::Kind kind = program_.values[id].kind;
      if (kind == Value::Kind::Slot || kind == Value::Kind::Constant)
        return bad("a result cannot be an input or a constant");
    }
    return Status::success();
  }

  Status controlStep(const ControlStep &control) {
    std::string place = controlKindName(control.kind);
    for (size_t i = 0; i < control.arguments.size(); ++i)
      if (Status s = argument(control.arguments[i], 0); !s)
        return s.error().withContext(place + ", argument " +
                                     std::to_string(i));
    // The stacked results of a scan over nothing have their declared sizes.
    if (Status s = results(control.results); !s)
      return s.error().withContext(place);
    return Status::success();
  }

  Status output(const Output &output) const {
    if (output.aliasOfSlot != kNone &&
        output.aliasOfSlot >= program_.slots.size())
      return range("slot", output.aliasOfSlot, program_.slots.size());
    bool mutation = output.role == Output::Role::BufferMutation ||
                    output.role == Output::Role::ParameterMutation ||
                    output.role == Output::Role::InputMutation;
    if (mutation && (output.aliasOfSlot == kNone ||
                     !program_.slots[output.aliasOfSlot].isTensor))
      return bad("a mutation needs the slot of the tensor it changes");
    if (mutation && output.kind != Output::Kind::Tensor)
      return bad("a mutation needs a tensor");
    switch (output.kind) {
    case Output::Kind::Tensor:
    case Output::Kind::Scalar:
      return use(output.value);
    case Output::Kind::Expr:
      return expr(output.expr);
    case Output::Kind::Constant:
      return Status::success();
    }
    return Status::success();
  }

  static constexpr int kMaxArgumentDepth = 16;

  const Program &program_;
  std::vector<std::vector<uint32_t>> exprSymbols_;
  std::vector<bool> symbolDefined_;
  std::vector<bool> defined_;
};

} // namespace

Status verifyProgram(const Program &program) {
  if (Status s = ProgramVerifier(program).run(); !s)
    return s.error().withContext("program '" + program.name + "'");
  return Status::success();
}

} // namespace kiln::package
