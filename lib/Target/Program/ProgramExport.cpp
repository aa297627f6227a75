//===- ProgramExport.cpp - Functions as package data ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/ProgramExport.h"

#include "Exporter.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::Argument;
using package::ValueId;

/// "model.py:12" of an op, or empty.
std::string target::describe(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto file = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()))
               .str();
    return mlir::WalkResult::interrupt();
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// True for a result that nothing reads, neither its elements nor its sizes:
/// the operator may leave it out, as convolution_backward by its mask.
static bool mayBeLeftOut(Operation &op, Value result,
                         const package::Program &program) {
  if (!result.use_empty())
    return false;
  if (llvm::isa<aten::OperatorOp>(op))
    return true;
  auto type = llvm::dyn_cast<RankedTensorType>(result.getType());
  auto dims = type ? guard::getDims(type) : std::nullopt;
  if (!dims || op.getNumResults() < 2)
    return false;
  for (ExprAttr size : *dims)
    for (const package::Symbol &symbol : program.symbols)
      if (size.isSymbol() && symbol.name == size.getSymbol().getValue() &&
          symbol.source == package::Symbol::Source::Step)
        return false;
  return true;
}

Status Exporter::addExtern(Operation &op, StringRef overload,
                           std::vector<Argument> arguments,
                           StringRef reason) {
  package::ExternStep step;
  // Registered names carry namespace and overload: `aten.mm.default` for
  // "aten::mm".
  step.overload = overload.str();
  if (size_t colons = step.overload.find("::"); colons != std::string::npos)
    step.overload.replace(colons, 2, ".");
  if (llvm::StringRef(step.overload).count('.') == 1)
    step.overload += ".default";
  step.arguments = std::move(arguments);
  step.reason = reason.str();
  step.location = describe(op.getLoc());
  for (Value result : op.getResults()) {
    if (mayBeLeftOut(op, result, program)) {
      step.results.push_back(package::kNone);
      continue;
    }
    auto id = addResult(result, package::Value());
    if (!id)
      return id.takeError();
    step.results.push_back(*id);
  }
  program.steps.emplace_back(std::move(step));
  return defineSizes(op);
}

/// The elements of a tensor in row-major order: itself, if they are already.
ValueId Exporter::addContiguous(Value tensor) {
  ValueId source = values.lookup(tensor);
  package::Value result;
  result.dtype = program.values[source].dtype;
  result.sizes = program.values[source].sizes;
  ValueId id = program.values.size();
  program.values.push_back(std::move(result));
  package::ExternStep step;
  step.overload = "aten.contiguous.default";
  step.arguments.emplace_back();
  step.arguments.back().value = Argument::TensorRef{source};
  step.results = {id};
  program.steps.emplace_back(std::move(step));
  return id;
}

/// Gives a symbol the number that a step has read.
void Exporter::defineNumber(StringAttr name, Value number) {
  for (auto [k, symbol] : llvm::enumerate(program.symbols))
    if (symbol.name == name.getValue() && defined.insert(k).second)
      program.steps.emplace_back(package::DefineSymbolStep{
          uint32_t(k), values.lookup(number), package::kNone});
}

/// A size that is a bare symbol nothing defined yet is what the call found out.
Status Exporter::defineSizes(Operation &op) {
  for (Value result : op.getResults()) {
    auto type = llvm::dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    for (auto [dim, size] : llvm::enumerate(*guard::getDims(type))) {
      if (!size.isSymbol())
        continue;
      for (auto [k, symbol] : llvm::enumerate(program.symbols))
        if (symbol.name == size.getSymbol().getValue() &&
            symbol.source == package::Symbol::Source::Step &&
            defined.insert(k).second)
          program.steps.emplace_back(package::DefineSymbolStep{
              uint32_t(k), values.lookup(result), uint32_t(dim)});
    }
  }
  return Status::success();
}

/// How a kernel is launched, for who asks about schedules.
static void tellLaunch(loop::LaunchOp op, StringRef function) {
  auto told = mlir::remark::analysis(op.getLoc(),
                                     remarks::kLaunched.function(function));
  if (!told)
    return;
  told << mlir::remark::metric("kernel",
                               op.getKernel().getLeafReference().getValue());
  if (auto schedules = op.getSchedules()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(*schedules, os, " and ");
    told << mlir::remark::metric("schedule", text);
  }
  told << mlir::remark::metric("work", op.getWork().str())
       << mlir::remark::metric("grain", op.getGrain());
  if (auto origins = op.getOrigins()) {
    auto names = llvm::map_range(
        origins->getAsRange<StringAttr>(),
        [](StringAttr name) { return name.getValue(); });
    told << mlir::remark::metric("origins", llvm::join(names, ", "));
  }
}

Status Exporter::addLaunch(loop::LaunchOp op) {
  package::LaunchStep step;
  StringRef kernel = op.getKernel().getLeafReference().getValue();
  auto index = kernels.find(kernel);
  if (index == kernels.end())
    return Error::unsupported("kernel '" + kernel.str() +
                              "' is launched and has no code; expected a "
                              "backend that generates code");
  step.kernel = index->second;
  tellLaunch(op, function.getName());
  std::vector<ValueId> results;
  mlir::ArrayAttr placements = op.getPlacementsAttr();
  for (auto [k, result] : llvm::enumerate(op.getResults())) {
    if (auto argument = llvm::dyn_cast_if_present<loop::ArgumentAttr>(
            placements ? placements[k] : Attribute())) {
      ValueId id = values.lookup(function.getArgument(argument.getIndex()));
      values[result] = id;
      results.push_back(id);
      continue;
    }
    package::Value value;
    value.kind = package::Value::Kind::New;
    if (placements)
      if (auto arena = llvm::dyn_cast<loop::ArenaAttr>(placements[k])) {
        value.kind = package::Value::Kind::Arena;
        auto offset = evaluated(arena.getOffset());
        if (!offset)
          return offset.takeError();
        value.offset = *offset;
      }
    auto id = addResult(result, std::move(value));
    if (!id)
      return id.takeError();
    for (package::ExprId size : program.values[*id].sizes)
      if (Status s = checkGiven(size); !s)
        return s;
    results.push_back(*id);
  }
  // The inputs and then the results, part by part.
  int64_t whole[] = {int64_t(op.getInputs().size()), int64_t(results.size())};
  ArrayRef<int64_t> parts = op.getParts().value_or(ArrayRef<int64_t>(whole));
  size_t nextInput = 0, nextResult = 0;
  for (auto [k, count] : llvm::enumerate(parts))
    for (int64_t i = 0; i < count; ++i)
      step.buffers.push_back(k % 2 == 0
                                 ? values.lookup(op.getInputs()[nextInput++])
                                 : results[nextResult++]);
  for (ExprAttr expr : loop::getExprs(op.getSymbols())) {
    auto argument = evaluated(expr);
    if (!argument)
      return argument.takeError();
    step.arguments.push_back(*argument);
  }
  auto work = evaluated(op.getWork());
  if (!work)
    return work.takeError();
  step.workItems = *work;
  step.grain = op.getGrain();
  if (ExprAttr scratch = op.getScratchAttr()) {
    auto bytes = evaluated(scratch);
    if (!bytes)
      return bytes.takeError();
    step.scratchBytes = *bytes;
  }
  program.steps.emplace_back(std::move(step));
  return Status::success();
}

Status Exporter::addInvoke(loop::InvokeOp op) {
  package::ControlStep step;
  // The enumerations list the same kinds in the same order.
  step.kind = static_cast<package::ControlStep::Kind>(op.getKind());
  for (auto callee :
       op.getCallees().getAsRange<mlir::FlatSymbolRefAttr>()) {
    auto index = bodies.find(callee.getValue());
    if (index == bodies.end())
      return Error::internal("'" + callee.getValue().str() +
                             "' is no body of the package");
    step.bodies.push_back(index->second);
  }
  for (Value input : op.getInputs()) {
    auto argument = toArgument(input);
    if (!argument)
      return argument.takeError();
    step.arguments.push_back(std::move(*argument));
  }
  step.carried = op.getCarried();
  step.scanned = op.getScanned();
  step.location = describe(op.getLoc());
  for (Value result : op.getResults()) {
    auto id = addResult(result, package::Value());
    if (!id)
      return id.takeError();
    step.results.push_back(*id);
  }
  program.steps.emplace_back(std::move(step));
  return defineSizes(*op);
}

Status Exporter::addOp(Operation &op) {
  if (auto launch = llvm::dyn_cast<loop::LaunchOp>(op))
    return addLaunch(launch);
  if (auto invoke = llvm::dyn_cast<loop::InvokeOp>(op))
    return addInvoke(invoke);
  if (auto call = llvm::dyn_cast<loop::ExternOp>(op)) {
    std::vector<Argument> arguments;
    for (Attribute attribute : call.getArguments()) {
      auto argument = toArgument(attribute, call.getInputs());
      if (!argument)
        return argument.takeError();
      arguments.push_back(*argument);
    }
    if (Status s = addExtern(op, call.getOverload(), std::move(arguments),
                             call.getReason().value_or(""));
        !s)
      return s;
    if (auto symbol = op.getAttrOfType<StringAttr>("symbol"))
      defineNumber(symbol, op.getResult(0));
    return Status::success();
  }
  if (auto call = llvm::dyn_cast<aten::OperatorOp>(op)) {
    std::vector<Argument> arguments;
    for (Attribute attribute : call.getArgs()) {
      auto argument = toArgument(attribute, call.getInputs());
      if (!argument)
        return argument.takeError();
      arguments.push_back(*argument);
    }
    return addExtern(op, call.getName(), std::move(arguments), "");
  }
  if (aten::getOpInfo(&op)) {
    aten::OperatorCall call = aten::getOperatorCall(&op);
    std::vector<Argument> arguments;
    for (auto [value, arg] : call.arguments) {
      auto argument = toArgument(value, *arg);
      if (!argument)
        return argument.takeError();
      arguments.push_back(*argument);
    }
    // The strides of an intermediate are an operator's own choice here and may
    // differ from those PyTorch saw, so a view of it must be allowed to copy.
    if (op.getNumOperands() && op.getOperand(0).getDefiningOp()) {
      if (llvm::isa<aten::ViewOp>(op))
        call.overload = "aten.reshape.default";
      if (llvm::isa<aten::ViewAsComplexOp, aten::ViewDtypeOp>(op))
        arguments[0].value =
            Argument::TensorRef{addContiguous(op.getOperand(0))};
    }
    if (Status s = addExtern(op, call.overload, std::move(arguments), ""); !s)
      return s;
    auto item = llvm::dyn_cast<aten::ItemOp>(op);
    if (item && item.getSymbol())
      defineNumber(item.getSymbolAttr(), item.getResult());
    return Status::success();
  }
  if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op)) {
    auto argument = toArgument(constant.getValue(), {});
    if (!argument)
      return argument.takeError();
    numbers[constant.getResult()] = *argument;
    return Status::success();
  }
  if (auto constant = llvm::dyn_cast<mlir::complex::ConstantOp>(op)) {
    auto part = [&](unsigned k) {
      return llvm::cast<mlir::FloatAttr>(constant.getValue()[k])
          .getValueAsDouble();
    };
    numbers[constant.getResult()].value =
        std::complex<double>(part(0), part(1));
    return Status::success();
  }
  if (auto value = llvm::dyn_cast<guard::ValueOp>(op)) {
    auto id = exprs->get(value.getExpr());
    if (!id)
      return id.takeError();
    numbers[value.getResult()].value = Argument::ExprRef{*id};
    return Status::success();
  }
  if (auto check = llvm::dyn_cast<guard::AssertOp>(op)) {
    auto id = evaluated(check.getCondition());
    if (!id)
      return id.takeError();
    program.steps.emplace_back(
        package::AssertStep{*id, check.getMessage().str()});
    return Status::success();
  }
  std::string place = describe(op.getLoc());
  return Error::unsupported("op '" + op.getName().getStringRef().str() + "'" +
                            (place.empty() ? "" : " at " + place) +
                            " cannot be run: expected an operator or a launch");
}

/// Lets go of storages that are no result after their last use.
void Exporter::addReleases() {
  std::vector<package::Step> steps;
  std::vector<size_t> lastUse(program.values.size(), SIZE_MAX);
  std::function<void(const Argument &, size_t)> mark =
      [&](const Argument &argument, size_t step) {
        if (auto *tensor = std::get_if<Argument::TensorRef>(&argument.value))
          lastUse[tensor->value] = step;
        if (auto *number = std::get_if<Argument::ScalarRef>(&argument.value))
          lastUse[number->value] = step;
        if (auto *list = std::get_if<Argument::List>(&argument.value))
          for (const Argument &element : *list)
            mark(element, step);
      };
  auto use = [&](const std::vector<ValueId> &results, size_t step) {
    for (ValueId result : results)
      if (result != package::kNone)
        lastUse[result] = step;
  };
  for (auto [k, step] : llvm::enumerate(program.steps)) {
    if (auto *call = std::get_if<package::ExternStep>(&step)) {
      for (const Argument &argument : call->arguments)
        mark(argument, k);
      use(call->results, k);
    } else if (auto *control = std::get_if<package::ControlStep>(&step)) {
      for (const Argument &argument : control->arguments)
        mark(argument, k);
      use(control->results, k);
    } else if (auto *launch = std::get_if<package::LaunchStep>(&step)) {
      for (ValueId buffer : launch->buffers)
        lastUse[buffer] = k;
    } else if (auto *define = std::get_if<package::DefineSymbolStep>(&step)) {
      lastUse[define->value] = k;
    } else if (auto *copy = std::get_if<package::CopyStep>(&step)) {
      lastUse[copy->source] = k;
      lastUse[copy->target] = k;
    }
  }
  std::vector<bool> kept(program.values.size(), false);
  for (const package::Output &output : program.outputs)
    if (output.value != package::kNone)
      kept[output.value] = true;
  // A view needs what it looks at; bases have smaller ids.
  for (size_t id = program.values.size(); id-- > 0;) {
    ValueId base = program.values[id].base;
    if (program.values[id].kind != package::Value::Kind::View ||
        base == package::kNone)
      continue;
    kept[base] = kept[base] || kept[id];
    if (lastUse[id] != SIZE_MAX &&
        (lastUse[base] == SIZE_MAX || lastUse[base] < lastUse[id]))
      lastUse[base] = lastUse[id];
  }
  std::vector<std::vector<ValueId>> dying(program.steps.size());
  for (auto [id, value] : llvm::enumerate(program.values))
    if ((value.kind == package::Value::Kind::Dynamic ||
         value.kind == package::Value::Kind::New) &&
        !kept[id] && lastUse[id] != SIZE_MAX)
      dying[lastUse[id]].push_back(id);
  for (auto [k, step] : llvm::enumerate(program.steps)) {
    steps.push_back(std::move(step));
    if (!dying[k].empty())
      steps.emplace_back(package::ReleaseStep{std::move(dying[k])});
  }
  program.steps = std::move(steps);
}

Result<package::Program> Exporter::run(StringRef name) {
  program.name = name.str();
  if (!function.getBody().hasOneBlock())
    return Error::unsupported("function '" + function.getName().str() +
                              "' has control flow between blocks");
  if (Status s = addSymbols(); !s)
    return s.takeError();
  exprs.emplace(program);
  if (Status s = addSlots(); !s)
    return s.takeError();
  for (Operation &op : function.getBody().front().without_terminator())
    if (Status s = addOp(op); !s)
      return s.takeError();
  if (Status s = addOutputs(llvm::cast<mlir::func::ReturnOp>(
          function.getBody().front().getTerminator()));
      !s)
    return s.takeError();
  addReleases();
  if (auto bytes = function->getAttrOfType<ExprAttr>("loop.arena_bytes")) {
    auto id = exprs->get(bytes);
    if (!id)
      return id.takeError();
    program.arenaBytes = *id;
  }
  return std::move(program);
}

Result<package::Program> target::exportProgram(mlir::func::FuncOp function,
                                               StringRef name,
                                               const KernelIndex &kernels,
                                               const BodyIndex &bodies) {
  return Exporter(function, kernels, bodies).run(name);
}

Status target::connectTangents(const package::Program &forward,
                               package::Program &backward) {
  for (package::Slot &slot : backward.slots) {
    if (slot.kind != package::Slot::Kind::Tangent)
      continue;
    for (auto [k, output] : llvm::enumerate(forward.outputs))
      if ((output.role == package::Output::Role::UserOutput ||
           output.role == package::Output::Role::Loss) &&
          output.path == slot.path &&
          output.kind == package::Output::Kind::Tensor)
        slot.ofOutput = k;
    if (slot.ofOutput == package::kNone)
      return Error::internal("tangent '" + slot.name +
                             "' belongs to no output of the forward program");
  }
  return Status::success();
}
