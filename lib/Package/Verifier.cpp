//===- Verifier.cpp - What every program and package must satisfy --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/Verifier.h"
#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Printer.h"

#include <algorithm>

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
    return Status::success();
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

  ValueId root(ValueId id) const {
    while (program_.values[id].kind == Value::Kind::View)
      id = program_.values[id].base;
    return id;
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
    if (!defined_[root(id)])
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
    defined_[root(id)] = true;
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
    ValueId base = root(id);
    if (program_.values[base].kind == Value::Kind::Dynamic && !defined_[base])
      return bad("value " + std::to_string(id) +
                 " is used before it is defined");
    if ((program_.values[base].kind == Value::Kind::Slot) && !defined_[base])
      return bad("value " + std::to_string(id) + " is used after its release");
    if (Status s = layout(id); !s)
      return s;
    return define(id);
  }

  Status launchStep(const LaunchStep &launch) {
    for (size_t i = 0; i < launch.buffers.size(); ++i)
      if (Status s = written(launch.buffers[i]); !s)
        return s.error().withContext("launch, buffer " + std::to_string(i));
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

Status verifyConstant(const ConstantTensor &constant) {
  auto bytes = byteCount(constant.dtype, constant.sizes);
  if (!bytes)
    return bytes.takeError();
  if (static_cast<uint64_t>(*bytes) != constant.bytes.size())
    return Error::malformed("expected " + std::to_string(*bytes) +
                            " bytes, found " +
                            std::to_string(constant.bytes.size()));
  return Status::success();
}

/// A body is a function of its slots: it changes none of them, and nothing but
/// its caller gives them a value.
Status verifyBody(const Program &body) {
  for (const Slot &slot : body.slots)
    if (slot.kind != Slot::Kind::UserInput || slot.payload != kNone)
      return Error::malformed("slot '" + slot.name +
                              "' is not given by the caller of the body");
  for (const Output &output : body.outputs)
    if (output.role != Output::Role::UserOutput)
      return Error::malformed("a body only has results, but found a " +
                              std::string(outputRoleName(output.role)));
  return Status::success();
}

/// The bodies of a control step exist behind `first` and fit its arguments and
/// results.
Status verifyControl(const Package &package, const ControlStep &control,
                     size_t first) {
  using Kind = ControlStep::Kind;
  size_t arguments = control.arguments.size();
  size_t count = control.kind == Kind::Scan ? 1 : 2;
  if (control.bodies.size() != count)
    return Error::malformed("expected " + std::to_string(count) +
                            " bodies, found " +
                            std::to_string(control.bodies.size()));
  bool isBranch = control.kind == Kind::Branch;
  if (isBranch && arguments == 0)
    return Error::malformed("expected a predicate, found no argument");
  size_t moved = size_t(control.carried) + control.scanned;
  if (moved > arguments || control.carried > control.results.size() ||
      (isBranch && moved != 0) ||
      (control.kind == Kind::While &&
       (control.scanned != 0 || control.carried != control.results.size())) ||
      (control.kind == Kind::Scan && control.scanned == 0))
    return Error::malformed(
        "cannot carry " + std::to_string(control.carried) +
        " and take slices of " + std::to_string(control.scanned) + " of " +
        std::to_string(arguments) + " arguments for " +
        std::to_string(control.results.size()) + " results");
  for (size_t i = 0; i < count; ++i) {
    uint32_t index = control.bodies[i];
    if (index < first || index >= package.bodies.size())
      return Error::malformed("body " + std::to_string(index) +
                              " cannot be run, expected one from " +
                              std::to_string(first) + " and below " +
                              std::to_string(package.bodies.size()));
    const Program &body = package.bodies[index];
    size_t taken = arguments - (isBranch ? 1 : 0);
    size_t given = control.kind == Kind::While && i == 0
                       ? 1
                       : control.results.size();
    if (body.slots.size() != taken || body.outputs.size() != given)
      return Error::malformed(
          "expected body " + std::to_string(index) + " to have " +
          std::to_string(taken) + " inputs and " + std::to_string(given) +
          " outputs, found " + std::to_string(body.slots.size()) + " and " +
          std::to_string(body.outputs.size()));
  }
  return Status::success();
}

/// How deep the bodies behind each body nest, itself included. Control steps
/// are verified.
Status verifyDepth(const Package &package) {
  std::vector<uint32_t> depth(package.bodies.size(), 1);
  for (size_t i = package.bodies.size(); i-- > 0;) {
    for (const Step &step : package.bodies[i].steps)
      if (auto *control = std::get_if<ControlStep>(&step))
        for (uint32_t body : control->bodies)
          depth[i] = std::max(depth[i], depth[body] + 1);
    if (depth[i] > KILN_PACKAGE_MAX_BODY_DEPTH)
      return Error::malformed("bodies nest deeper than " +
                              std::to_string(KILN_PACKAGE_MAX_BODY_DEPTH));
  }
  return Status::success();
}

/// `firstBody`: the bodies that a control step may run begin here.
Status verifyReferences(const Package &package, const Program &program,
                        size_t firstBody) {
  for (const Value &value : program.values)
    if (value.kind == Value::Kind::Constant &&
        value.slot >= package.constants.size())
      return Error::malformed("constant " + std::to_string(value.slot) +
                              " does not exist, expected one below " +
                              std::to_string(package.constants.size()));
  for (const Slot &slot : program.slots)
    if (slot.payload != kNone &&
        (!slot.isTensor || slot.payload >= package.constants.size()))
      return Error::malformed("slot '" + slot.name + "' names constant " +
                              std::to_string(slot.payload) +
                              ", expected a tensor and one below " +
                              std::to_string(package.constants.size()));
  for (const Step &step : program.steps)
    if (auto *launch = std::get_if<LaunchStep>(&step))
      if (launch->kernel >= package.image.kernels.size())
        return Error::malformed("kernel " + std::to_string(launch->kernel) +
                                " does not exist, expected one below " +
                                std::to_string(package.image.kernels.size()));
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (auto *control = std::get_if<ControlStep>(&program.steps[i]))
      if (Status s = verifyControl(package, *control, firstBody); !s)
        return s.error().withContext("step " + std::to_string(i) + ", " +
                                     controlKindName(control->kind));
  return Status::success();
}

Status verifyGuard(const Guard &guard, const Program &program) {
  std::string_view text = guardText(guard.kind);
  auto has = [&](std::string_view field) {
    return text.find(field) != std::string_view::npos;
  };
  auto missing = [](const char *what, uint64_t index, size_t count) {
    return Error::malformed(std::string(what) + " " + std::to_string(index) +
                            " does not exist, expected one below " +
                            std::to_string(count));
  };
  if (has("{expr}")) {
    if (guard.expr >= program.exprs.size())
      return missing("expression", guard.expr, program.exprs.size());
    for (uint32_t symbol : symbolsOf(program.exprs[guard.expr]))
      if (program.symbols[symbol].source == Symbol::Source::Step)
        return Error::malformed("symbol '" + program.symbols[symbol].name +
                                "' has no value when guards are checked");
  }
  if (!has("{slot}"))
    return Status::success();
  if (guard.slot >= program.slots.size())
    return missing("slot", guard.slot, program.slots.size());
  size_t rank = program.slots[guard.slot].sizes.size();
  if (has("{dim}") && guard.dim >= rank)
    return missing("dimension", guard.dim, rank);
  return Status::success();
}

/// The n-th saved output feeds the n-th saved slot.
Status verifyTraining(const Program &forward, const Program &backward) {
  std::vector<const Output *> saved;
  for (const Output &output : forward.outputs)
    if (output.role == Output::Role::Saved)
      saved.push_back(&output);
  size_t next = 0;
  for (const Slot &slot : backward.slots) {
    if (slot.kind == Slot::Kind::Tangent && slot.ofOutput != kNone &&
        slot.ofOutput >= forward.outputs.size())
      return Error::malformed("tangent '" + slot.name +
                              "' is of an output that does not exist");
    if (slot.kind != Slot::Kind::Saved)
      continue;
    if (next >= saved.size())
      return Error::malformed("the forward program saves " +
                              std::to_string(saved.size()) +
                              " values, the backward program expects more");
    bool isTensor = saved[next]->kind == Output::Kind::Tensor;
    if (isTensor != slot.isTensor)
      return Error::malformed("saved value '" + slot.name +
                              "' is a tensor in one program and a number in "
                              "the other");
    ++next;
  }
  if (next != saved.size())
    return Error::malformed("the forward program saves " +
                            std::to_string(saved.size()) +
                            " values, the backward program expects " +
                            std::to_string(next));
  return Status::success();
}

} // namespace

Status verifyProgram(const Program &program) {
  if (Status s = ProgramVerifier(program).run(); !s)
    return s.error().withContext("program '" + program.name + "'");
  return Status::success();
}

Status verifyPackage(const Package &package) {
  if (package.programs.empty() || package.programs.size() > 2)
    return Error::malformed("package: expected one or two programs, found " +
                            std::to_string(package.programs.size()));
  for (size_t i = 0; i < package.constants.size(); ++i)
    if (Status s = verifyConstant(package.constants[i]); !s)
      return s.error().withContext("constant " + std::to_string(i));
  for (const Kernel &kernel : package.image.kernels)
    if (kernel.entry >= package.image.bytes.size())
      return Error::malformed(
          "kernel '" + kernel.name + "': expected an entry below " +
          std::to_string(package.image.bytes.size()) + ", found " +
          std::to_string(kernel.entry));
  for (const Program &program : package.programs) {
    if (Status s = verifyProgram(program); !s)
      return s;
    if (Status s = verifyReferences(package, program, 0); !s)
      return s.error().withContext("program '" + program.name + "'");
  }
  for (size_t i = 0; i < package.bodies.size(); ++i) {
    const Program &body = package.bodies[i];
    if (Status s = verifyProgram(body); !s)
      return s;
    Status status = verifyBody(body);
    if (status)
      status = verifyReferences(package, body, i + 1);
    if (!status)
      return status.error().withContext("program '" + body.name + "'");
  }
  if (Status s = verifyDepth(package); !s)
    return s;
  for (size_t i = 0; i < package.guards.size(); ++i)
    if (Status s = verifyGuard(package.guards[i], package.programs[0]); !s)
      return s.error().withContext("guard " + std::to_string(i));
  if (package.programs.size() == 2)
    return verifyTraining(package.programs[0], package.programs[1]);
  return Status::success();
}

} // namespace kiln::package
