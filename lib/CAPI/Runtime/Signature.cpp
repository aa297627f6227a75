//===- Signature.cpp - What a package says of its inputs and outputs ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/NumberKinds.h"

using namespace kiln;
using namespace kiln::capi;
using package::NumberKind;
using package::Output;
using package::Program;
using package::Slot;

namespace {
class Describer {
public:
  explicit Describer(Signature &signature) : signature(signature) {}

  void addForward(const Program &program);
  void addGradients(const Program &program);

private:
  const char *keep(const std::string &text) {
    return signature.texts.emplace_back(text).c_str();
  }
  void setSizes(KilnValueInfo &info, const Program &program,
                const std::vector<package::ExprId> &sizes);
  void addSlot(const Program &program, uint32_t index);
  void addOutput(KilnList list, const Program &program, const Output &output,
                 const std::string &name);

  Signature &signature;
};
} // namespace

void Describer::setSizes(KilnValueInfo &info, const Program &program,
                         const std::vector<package::ExprId> &sizes) {
  std::vector<KilnDimension> &list = signature.dimensions.emplace_back();
  for (package::ExprId id : sizes) {
    const package::Expr &size = program.exprs[id];
    list.push_back({package::constantSize(size).value_or(-1),
                    keep(package::printExpr(size, program.symbols))});
  }
  info.rank = list.size();
  info.dimensions = list.data();
}

static KilnValueKind toValueKind(NumberKind kind) {
  switch (kind) {
  case NumberKind::None:
    return KILN_VALUE_NONE;
  case NumberKind::Bool:
    return KILN_VALUE_BOOL;
  case NumberKind::Int:
    return KILN_VALUE_INT;
  case NumberKind::Float:
    return KILN_VALUE_FLOAT;
  case NumberKind::Complex:
    return KILN_VALUE_COMPLEX;
  }
  return KILN_VALUE_NONE;
}

static runtime::OpValue valueOf(const package::Constant &constant) {
  if (auto *flag = std::get_if<bool>(&constant))
    return *flag;
  if (auto *integer = std::get_if<int64_t>(&constant))
    return *integer;
  if (auto *real = std::get_if<double>(&constant))
    return *real;
  if (auto *text = std::get_if<std::string>(&constant))
    return *text;
  return {};
}

void Describer::addSlot(const Program &program, uint32_t index) {
  const Slot &slot = program.slots[index];
  KilnList list = KILN_INPUTS;
  switch (slot.kind) {
  case Slot::Kind::UserInput:
    break;
  case Slot::Kind::Parameter:
  case Slot::Kind::Buffer:
    list = KILN_WEIGHTS;
    break;
  case Slot::Kind::OptimizerState:
    list = KILN_STATE;
    break;
  default:
    return;
  }
  KilnValueInfo info = {};
  bool isInput = list == KILN_INPUTS;
  info.name = keep(isInput ? slot.name : slot.path);
  info.path = keep(isInput ? slot.path : "");
  if (slot.isTensor) {
    info.kind = KILN_VALUE_TENSOR;
    info.dtype = static_cast<KilnDType>(slot.dtype);
    setSizes(info, program, slot.sizes);
  } else {
    info.kind = toValueKind(kindOf(program, index));
    info.isConstant = !slot.isSymbolic;
  }
  if (isInput)
    signature.constants.push_back(info.isConstant ? valueOf(slot.constant)
                                                  : runtime::OpValue());
  signature.lists[list].push_back(info);
}

void Describer::addOutput(KilnList list, const Program &program,
                          const Output &output, const std::string &name) {
  KilnValueInfo info = {};
  info.name = keep(name);
  info.path = keep(output.path);
  if (output.kind == Output::Kind::Tensor) {
    const package::Value &tensor = program.values[output.value];
    info.kind = KILN_VALUE_TENSOR;
    info.dtype = static_cast<KilnDType>(tensor.dtype);
    setSizes(info, program, tensor.sizes);
  } else {
    info.kind = toValueKind(kindOf(program, output));
    info.isConstant = output.kind == Output::Kind::Constant;
  }
  signature.lists[list].push_back(info);
}

void Describer::addForward(const Program &program) {
  for (uint32_t i = 0; i < program.slots.size(); ++i)
    addSlot(program, i);
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Output &output = program.outputs[i];
    if (output.role != Output::Role::UserOutput &&
        output.role != Output::Role::Loss)
      continue;
    signature.outputs.push_back(i);
    addOutput(KILN_OUTPUTS, program, output, output.name);
  }
  for (const package::Symbol &symbol : program.symbols)
    if (symbol.source != package::Symbol::Source::Step && !symbol.isFloat)
      signature.symbols.push_back(
          {keep(symbol.name), symbol.min, symbol.max});
}

void Describer::addGradients(const Program &program) {
  for (const Output &output : program.outputs)
    if (output.role == Output::Role::ParameterGradient ||
        output.role == Output::Role::InputGradient)
      addOutput(KILN_GRADIENTS, program, output, output.target);
}

Signature capi::describe(const package::Package &package) {
  Signature signature;
  Describer describer(signature);
  describer.addForward(package.programs.front());
  if (package.programs.size() == 2)
    describer.addGradients(package.programs.back());
  return signature;
}

size_t kilnModelCount(const KilnModel *model, KilnList list) {
  if (!model || static_cast<unsigned>(list) > KILN_STATE)
    return 0;
  return model->signature.lists[list].size();
}

const KilnValueInfo *kilnModelInfo(const KilnModel *model, KilnList list,
                                   size_t index) {
  return index < kilnModelCount(model, list)
             ? &model->signature.lists[list][index]
             : nullptr;
}

const KilnSymbol *kilnModelSymbol(const KilnModel *model, size_t index) {
  return model && index < model->signature.symbols.size()
             ? &model->signature.symbols[index]
             : nullptr;
}

const char *kilnModelTarget(const KilnModel *model) {
  return model ? model->target.c_str() : "";
}

const char *kilnModelVariant(const KilnModel *model, size_t index) {
  return model && index < model->variants.size()
             ? model->variants[index].c_str()
             : nullptr;
}

int kilnModelIsTraining(const KilnModel *model) {
  return model && model->session->options().training;
}
