//===- Printer.cpp - Programs and packages as text -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/Printer.h"
#include "kiln/Package/ExprEvaluator.h"

#include <algorithm>
#include <cstdio>

namespace kiln::package {

namespace {

std::string number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  return buffer;
}

std::string constantText(const Constant &constant) {
  if (auto *b = std::get_if<bool>(&constant))
    return *b ? "true" : "false";
  if (auto *i = std::get_if<int64_t>(&constant))
    return std::to_string(*i);
  if (auto *f = std::get_if<double>(&constant))
    return number(*f);
  if (auto *s = std::get_if<std::string>(&constant))
    return "\"" + *s + "\"";
  return "none";
}

/// Prints one program. Indices may be out of range in a program that was never
/// verified; they print as numbers.
class ProgramPrinter {
public:
  ProgramPrinter(const Program &program, const KernelImage *image)
      : program_(program), image_(image) {}

  std::string print() {
    line("program '" + program_.name + "' {");
    for (const Symbol &symbol : program_.symbols)
      line("  symbol " + symbolText(symbol));
    for (size_t i = 0; i < program_.slots.size(); ++i)
      line("  slot " + std::to_string(i) + " " + slotText(program_.slots[i]));
    if (program_.arenaBytes != kNone)
      line("  arena " + expr(program_.arenaBytes));
    for (size_t i = 0; i < program_.values.size(); ++i)
      line("  value " + std::to_string(i) + " = " +
           valueText(program_.values[i]));
    for (size_t i = 0; i < program_.steps.size(); ++i)
      line("  step " + std::to_string(i) + ": " + stepText(program_.steps[i]));
    for (size_t i = 0; i < program_.outputs.size(); ++i)
      line("  output " + std::to_string(i) + " " +
           outputText(program_.outputs[i]));
    line("}");
    return std::move(out_);
  }

private:
  void line(const std::string &text) { out_ += text + "\n"; }

  std::string expr(ExprId id) const {
    if (id == kNone)
      return "none";
    if (id >= program_.exprs.size())
      return "<expression " + std::to_string(id) + ">";
    return printExpr(program_.exprs[id], program_.symbols);
  }

  std::string exprs(const std::vector<ExprId> &ids) const {
    std::string text;
    for (size_t i = 0; i < ids.size(); ++i)
      text += (i ? ", " : "") + expr(ids[i]);
    return text;
  }

  static std::string values(const std::vector<ValueId> &ids) {
    std::string text = "(";
    for (size_t i = 0; i < ids.size(); ++i)
      text += (i ? ", " : "") +
              (ids[i] == kNone ? std::string("_") : std::to_string(ids[i]));
    return text + ")";
  }

  std::string slotName(uint32_t slot) const {
    return slot < program_.slots.size() ? program_.slots[slot].name
                                        : "slot " + std::to_string(slot);
  }

  std::string type(DType dtype, const std::vector<ExprId> &sizes,
                   const std::vector<ExprId> &strides) const {
    std::string text = std::string(dtypeName(dtype)) + "[" + exprs(sizes) + "]";
    if (!strides.empty())
      text += " strides [" + exprs(strides) + "]";
    return text;
  }

  std::string symbolText(const Symbol &symbol) const {
    std::string text = symbol.name + " = ";
    switch (symbol.source) {
    case Symbol::Source::InputSize:
      text += "size(" + slotName(symbol.slot) + ", " +
              std::to_string(symbol.dim) + ")";
      break;
    case Symbol::Source::InputStride:
      text += "stride(" + slotName(symbol.slot) + ", " +
              std::to_string(symbol.dim) + ")";
      break;
    case Symbol::Source::InputScalar:
      text += slotName(symbol.slot);
      break;
    case Symbol::Source::Step:
      text += "step";
      break;
    }
    if (symbol.offset != 0)
      text = symbol.name + " = (" + text.substr(symbol.name.size() + 3) +
             " - " + std::to_string(symbol.offset) + ")";
    if (symbol.scale != 1)
      text += " / " + std::to_string(symbol.scale);
    if (symbol.isFloat)
      return text + " : float";
    text += " in [" + std::to_string(symbol.min) + ", ";
    bool open = symbol.max == std::numeric_limits<int64_t>::max();
    return text + (open ? "inf)" : std::to_string(symbol.max) + "]");
  }

  std::string slotText(const Slot &slot) const {
    std::string text = std::string(slotKindName(slot.kind)) + " " + slot.name;
    if (!slot.isTensor)
      return text + (slot.isSymbolic ? " : number"
                                     : " = " + constantText(slot.constant));
    text += " : " + type(slot.dtype, slot.sizes, slot.strides);
    if (slot.payload != kNone)
      text += " constant " + std::to_string(slot.payload);
    if (slot.isFrozen)
      text += " frozen";
    if (slot.requiresGrad)
      text += " requires_grad";
    return text;
  }

  std::string valueText(const Value &value) const {
    std::string text;
    switch (value.kind) {
    case Value::Kind::Slot:
      text = "slot " + std::to_string(value.slot);
      break;
    case Value::Kind::Arena:
      text = "arena + " + expr(value.offset);
      break;
    case Value::Kind::New:
      text = "new";
      break;
    case Value::Kind::View:
      text = "view of " + std::to_string(value.base);
      if (value.offset != kNone)
        text += " + " + expr(value.offset);
      break;
    case Value::Kind::Dynamic:
      text = "dynamic";
      break;
    case Value::Kind::Constant:
      text = "constant " + std::to_string(value.slot);
      break;
    case Value::Kind::Prepared:
      text = "prepared";
      if (value.slot != kNone)
        text += " constant " + std::to_string(value.slot);
      break;
    }
    return text + " : " + type(value.dtype, value.sizes, value.strides);
  }

  std::string argumentText(const Argument &argument) const {
    const auto &v = argument.value;
    if (auto *tensor = std::get_if<Argument::TensorRef>(&v))
      return "%" + std::to_string(tensor->value);
    if (auto *number = std::get_if<Argument::ExprRef>(&v))
      return expr(number->expr);
    if (auto *scalar = std::get_if<Argument::ScalarRef>(&v))
      return "item(%" + std::to_string(scalar->value) + ")";
    if (auto *b = std::get_if<bool>(&v))
      return *b ? "true" : "false";
    if (auto *i = std::get_if<int64_t>(&v))
      return std::to_string(*i);
    if (auto *f = std::get_if<double>(&v))
      return number(*f);
    if (auto *s = std::get_if<std::string>(&v))
      return "\"" + *s + "\"";
    if (auto *dtype = std::get_if<Argument::DTypeRef>(&v))
      return std::string(dtypeName(dtype->dtype));
    if (auto *complex = std::get_if<std::complex<double>>(&v))
      return "(" + number(complex->real()) + ", " + number(complex->imag()) +
             ")";
    if (auto *list = std::get_if<Argument::List>(&v)) {
      std::string text = "[";
      for (size_t i = 0; i < list->size(); ++i)
        text += (i ? ", " : "") + argumentText((*list)[i]);
      return text + "]";
    }
    return "none";
  }

  std::string controlText(const ControlStep &control) const {
    std::string text = controlKindName(control.kind);
    text += " bodies [";
    for (size_t i = 0; i < control.bodies.size(); ++i)
      text += (i ? ", " : "") + std::to_string(control.bodies[i]);
    text += "](";
    for (size_t i = 0; i < control.arguments.size(); ++i)
      text += (i ? ", " : "") + argumentText(control.arguments[i]);
    text += ")";
    if (control.carried)
      text += " carried " + std::to_string(control.carried);
    if (control.scanned)
      text += " scanned " + std::to_string(control.scanned);
    return text + " -> " + values(control.results);
  }

  std::string kernelText(uint32_t kernel) const {
    bool named = image_ && kernel < image_->kernels.size();
    return named ? "'" + image_->kernels[kernel].name + "'"
                 : std::to_string(kernel);
  }

  std::string gridText(const GridStep &grid) const {
    std::string text =
        "grid " + values(grid.buffers) + " writes " + values(grid.writes);
    if (grid.hasWorkspace)
      text += " workspace";
    if (grid.narrow != kNone)
      text += " narrow " + expr(grid.narrow);
    for (const GridStep::Part &part : grid.parts) {
      text += " run " + kernelText(part.kernel) + " sym (" +
              exprs(part.arguments) + ") blocks " + expr(part.blocks) +
              " threads " + std::to_string(part.threads);
      if (part.sharedBytes)
        text += " shared " + std::to_string(part.sharedBytes);
      if (!part.maps.empty())
        text += " maps " + std::to_string(part.maps.size());
    }
    for (const std::string &check : grid.checks)
      text += " check \"" + check + "\"";
    if (auto *product = std::get_if<GridStep::Product>(&grid.library))
      text += productText(*product);
    else if (auto *c = std::get_if<GridStep::Convolution>(&grid.library))
      text += convolutionText(*c);
    return text;
  }

  std::string productText(const GridStep::Product &product) const {
    auto matrix = [&](const GridStep::Product::Matrix &m) {
      return std::to_string(m.buffer) + (m.isTransposed ? "^T" : "") + " (" +
             exprs({m.offset, m.leading, m.apart}) + ")";
    };
    std::string text = " or library product of " + matrix(product.left) +
                       " * " + matrix(product.right);
    if (product.bias != kNone)
      text += " + " + std::to_string(product.bias);
    text +=
        " to " + matrix(product.result) + " (" +
        exprs({product.matrices, product.rows, product.columns, product.sum}) +
        ") " + std::string(dtypeName(product.factors)) + " to " +
        std::string(dtypeName(product.results));
    return product.permitsTF32 ? text + " tf32" : text;
  }

  std::string convolutionText(const GridStep::Convolution &c) const {
    auto numbers = [](const std::vector<uint32_t> &list) {
      std::string text;
      for (uint32_t number : list)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
      return text;
    };
    auto image = [&](const GridStep::Convolution::Image &i) {
      return std::to_string(i.buffer) + " (" +
             exprs({i.offset, i.image, i.channel}) + ", " + exprs(i.places) +
             ")";
    };
    std::string text = " or library convolution";
    text += c.isGradient ? ", gradient of weight " : " by weight ";
    text += std::to_string(c.weight) + " (" + expr(c.weightOffset) +
            (c.isChannelsLast ? ", channels last" : "") + ") of " +
            image(c.source) + " to " + image(c.target) + " (" +
            exprs({c.images, c.groups, c.channels, c.filters}) + ") inputs [" +
            exprs(c.inputs) + "] outputs [" + exprs(c.outputs) + "] taps [" +
            exprs(c.taps) + "] strides [" + numbers(c.strides) +
            "] dilations [" + numbers(c.dilations) + "] padding [" +
            numbers(c.padding) + "] " + std::string(dtypeName(c.elements));
    return c.permitsTF32 ? text + " tf32" : text;
  }

  std::string stepText(const Step &step) const {
    if (auto *grid = std::get_if<GridStep>(&step))
      return gridText(*grid);
    if (auto *launch = std::get_if<LaunchStep>(&step)) {
      std::string text = "launch " + kernelText(launch->kernel);
      text += " " + values(launch->buffers) + " writes " +
              values(launch->writes) + " sym (" +
              exprs(launch->arguments) + ") work " + expr(launch->workItems) +
              " grain " + std::to_string(launch->grain);
      if (launch->scratchBytes != kNone)
        text += " scratch " + expr(launch->scratchBytes);
      return text;
    }
    if (auto *call = std::get_if<ExternStep>(&step)) {
      std::string text = "call " + call->overload + "(";
      for (size_t i = 0; i < call->arguments.size(); ++i)
        text += (i ? ", " : "") + argumentText(call->arguments[i]);
      text += ") -> " + values(call->results);
      if (!call->reason.empty())
        text += " fallback \"" + call->reason + "\"";
      return text;
    }
    if (auto *copy = std::get_if<CopyStep>(&step))
      return "copy " + std::to_string(copy->source) + " to " +
             std::to_string(copy->target);
    if (auto *definition = std::get_if<DefineSymbolStep>(&step)) {
      std::string symbol = definition->symbol < program_.symbols.size()
                               ? program_.symbols[definition->symbol].name
                               : std::to_string(definition->symbol);
      std::string value = "%" + std::to_string(definition->value);
      if (definition->dim == kNone)
        return "define " + symbol + " = item(" + value + ")";
      return "define " + symbol + " = size(" + value + ", " +
             std::to_string(definition->dim) + ")";
    }
    if (auto *check = std::get_if<AssertStep>(&step))
      return "assert " + expr(check->condition) + ", \"" + check->message +
             "\"";
    if (auto *control = std::get_if<ControlStep>(&step))
      return controlText(*control);
    return "release " + values(std::get<ReleaseStep>(step).values);
  }

  std::string outputText(const Output &output) const {
    std::string text = outputRoleName(output.role);
    if (!output.name.empty())
      text += " '" + output.name + "'";
    if (!output.target.empty())
      text += " of '" + output.target + "'";
    switch (output.kind) {
    case Output::Kind::Tensor:
      text += " = value " + std::to_string(output.value);
      break;
    case Output::Kind::Scalar:
      text += " = item(" + std::to_string(output.value) + ")";
      break;
    case Output::Kind::Expr:
      text += " = " + expr(output.expr);
      break;
    case Output::Kind::Constant:
      text += " = " + constantText(output.constant);
      break;
    }
    if (output.aliasOfSlot != kNone)
      text += " alias of slot " + std::to_string(output.aliasOfSlot);
    return text;
  }

  const Program &program_;
  const KernelImage *image_;
  std::string out_;
};

} // namespace

const char *controlKindName(ControlStep::Kind kind) {
  switch (kind) {
  case ControlStep::Kind::Branch:
    return "branch";
  case ControlStep::Kind::While:
    return "while";
  case ControlStep::Kind::Scan:
    return "scan";
  }
  return "unknown";
}

const char *slotKindName(Slot::Kind kind) {
  switch (kind) {
  case Slot::Kind::UserInput:
    return "user_input";
  case Slot::Kind::Parameter:
    return "parameter";
  case Slot::Kind::Buffer:
    return "buffer";
  case Slot::Kind::Constant:
    return "constant";
  case Slot::Kind::Seed:
    return "seed";
  case Slot::Kind::Tangent:
    return "tangent";
  case Slot::Kind::OptimizerState:
    return "optimizer_state";
  case Slot::Kind::Saved:
    return "saved";
  case Slot::Kind::Token:
    return "token";
  }
  return "unknown";
}

const char *outputRoleName(Output::Role role) {
  switch (role) {
  case Output::Role::UserOutput:
    return "user_output";
  case Output::Role::Loss:
    return "loss";
  case Output::Role::BufferMutation:
    return "buffer_mutation";
  case Output::Role::ParameterMutation:
    return "parameter_mutation";
  case Output::Role::InputMutation:
    return "input_mutation";
  case Output::Role::ParameterGradient:
    return "parameter_gradient";
  case Output::Role::InputGradient:
    return "input_gradient";
  case Output::Role::Saved:
    return "saved";
  case Output::Role::Token:
    return "token";
  }
  return "unknown";
}

std::string printProgram(const Program &program, const KernelImage *image) {
  return ProgramPrinter(program, image).print();
}

std::string_view guardText(kiln_guard_kind kind) {
  switch (kind) {
#define KILN_GUARD(KIND, code, text)                                           \
  case KILN_GUARD_##KIND:                                                      \
    return text;
#include "kiln/ABI/GuardKinds.def"
  }
  return "";
}

/// A constant as Python writes it: guards are read beside PyTorch's.
static std::string pythonText(const Constant &constant) {
  if (const auto *flag = std::get_if<bool>(&constant))
    return *flag ? "True" : "False";
  if (const auto *integer = std::get_if<int64_t>(&constant))
    return std::to_string(*integer);
  if (const auto *real = std::get_if<double>(&constant))
    return std::to_string(*real);
  if (const auto *text = std::get_if<std::string>(&constant))
    return "'" + *text + "'";
  return "None";
}

/// What stands for {field} in the text of a guard.
static std::string guardField(std::string_view field, const Guard &guard,
                              const Program &program) {
  if (field == "slot")
    return guard.slot < program.slots.size()
               ? program.slots[guard.slot].name
               : "slot " + std::to_string(guard.slot);
  if (field == "dim")
    return std::to_string(guard.dim);
  if (field == "dtype")
    return std::string(dtypeName(static_cast<DType>(guard.value)));
  if (field == "constant")
    return pythonText(guard.constant);
  if (field == "expr")
    return guard.expr < program.exprs.size()
               ? printExpr(program.exprs[guard.expr], program.symbols)
               : "<expression " + std::to_string(guard.expr) + ">";
  return std::to_string(guard.value);
}

std::string printGuard(const Guard &guard, const Program &program) {
  std::string_view text = guardText(guard.kind);
  std::string printed;
  for (size_t begin = 0; begin < text.size();) {
    size_t open = std::min(text.find('{', begin), text.size());
    printed += text.substr(begin, open - begin);
    if (open == text.size())
      break;
    size_t close = text.find('}', open);
    printed += guardField(text.substr(open + 1, close - open - 1), guard,
                          program);
    begin = close + 1;
  }
  return printed;
}

std::string printPackage(const Package &package) {
  std::string text = "package backend '" + package.facts.backend +
                     "' target '" + package.image.target + "' code " +
                     std::to_string(package.image.bytes.size()) + " bytes, " +
                     std::to_string(package.image.kernels.size()) +
                     " kernels, " + std::to_string(package.constants.size()) +
                     " constants\n";
  if (!package.programs.empty())
    for (const Guard &guard : package.guards)
      text += "guard " + printGuard(guard, package.programs[0]) + "\n";
  for (const auto *list : {&package.programs, &package.bodies})
    for (const Program &program : *list)
      text += printProgram(program, &package.image);
  for (const Reason &reason : package.reasons) {
    text += "reason " + reason.pass + ":" + reason.name;
    if (!reason.function.empty())
      text += " @" + reason.function;
    for (const Reason::Argument &argument : reason.arguments)
      text += " " + argument.key + "='" + argument.value + "'";
    text += "\n";
  }
  return text;
}

} // namespace kiln::package
