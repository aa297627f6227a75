//===- DerivativeGen.cpp - Derivative rules of ATen ops as C++ ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-aten-derivatives. Reads the `VJP`, `VJPFunction`,
// `NoDerivative` and `StopGradient` records of AtenDerivatives.td and writes
// one C++ function for each rule, and a table of them. A rule such as
//
//   def : VJP<Aten_MulTensorOp, [Grad<"self",  (mul $grad, $other)>,
//                                Grad<"other", (mul $grad, $self)>]>;
//
// becomes
//
//   static LogicalResult vjpMulTensorOp(Operation *op, VjpState &state) {
//     auto rule = llvm::cast<MulTensorOp>(op);
//     FormulaBuilder &b = state.builder;
//     auto grad = state.grad(0);
//     auto self = rule.getSelf();
//     auto other = rule.getOther();
//     if (state.isWanted(rule, 0))
//       state.set(rule, 0, b.mul(grad, other));
//     if (state.isWanted(rule, 1))
//       state.set(rule, 1, b.mul(grad, self));
//     return success();
//   }
//
// `(call "overload", ...)` builds that op.
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <map>
#include <set>

using llvm::DagInit;
using llvm::DefInit;
using llvm::Init;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::raw_ostream;
using llvm::StringRef;
using namespace kiln::tblgen;

namespace {

/// The C++ of one rule: its expressions, and the variables that they need.
class RuleEmitter {
public:
  RuleEmitter(const Record &rule, const AtenRecord &op) : rule(rule), op(op) {}

  void emit(raw_ostream &os);
  uint64_t savedOperands = 0; ///< operands that the expressions read, by bit
  uint64_t savedResults = 0;

private:
  std::string emitInit(const Init *init, StringRef name);
  std::string emitDag(const DagInit *dag);
  std::string emitCall(const DagInit *dag);
  std::string emitVariable(StringRef name);

  const Record &rule;
  const AtenRecord &op;
  std::map<std::string, std::string> variables;
};

} // namespace

/// `floor_div` as `floorDiv`.
static std::string toMethodName(StringRef name) {
  std::string text = llvm::convertToCamelFromSnakeCase(name);
  return text;
}

std::string RuleEmitter::emitVariable(StringRef name) {
  auto bind = [&](std::string value) {
    std::string variable = name.str();
    variables.insert({variable, std::move(value)});
    return variable;
  };
  // $grad, $grad_1, $result, $result_1 come before arguments of that name.
  for (StringRef kind : {"grad", "result"}) {
    StringRef rest = name;
    if (!rest.consume_front(kind))
      continue;
    unsigned index = 0;
    if (!rest.empty() &&
        (!rest.consume_front("_") || rest.getAsInteger(10, index)))
      continue;
    if (index >= op.results.size())
      llvm::PrintFatalError(rule.getLoc(), "'$" + name + "' names result " +
                                               llvm::Twine(index) + " of '" +
                                               op.name +
                                               "', which has " +
                                               llvm::Twine(op.results.size()));
    if (kind == "grad")
      return bind("state.grad(" + std::to_string(index) + ")");
    savedResults |= uint64_t(1) << index;
    return bind("rule->getResult(" + std::to_string(index) + ")");
  }
  int operand = op.findOperand(name);
  if (operand >= 0)
    savedOperands |= uint64_t(1) << operand;
  if (operand < 0 && !op.hasAttribute(name))
    llvm::PrintFatalError(rule.getLoc(),
                          "'$" + name + "' is not an argument of '" +
                              op.name + "'");
  return bind("rule." + getAccessor(name) + "()");
}

std::string RuleEmitter::emitInit(const Init *init, StringRef name) {
  if (const auto *dag = llvm::dyn_cast<DagInit>(init))
    return emitDag(dag);
  if (const auto *number = llvm::dyn_cast<llvm::IntInit>(init))
    return std::to_string(number->getValue());
  if (const auto *code = llvm::dyn_cast<llvm::StringInit>(init))
    return code->getValue().str();
  if (llvm::isa<llvm::UnsetInit>(init) && !name.empty())
    return emitVariable(name);
  llvm::PrintFatalError(rule.getLoc(), "expected a dag, a number, C++ text or "
                                       "'$name', but found '" +
                                           init->getAsString() + "'");
}

std::string RuleEmitter::emitDag(const DagInit *dag) {
  const auto *def = llvm::dyn_cast<DefInit>(dag->getOperator());
  if (!def)
    llvm::PrintFatalError(rule.getLoc(), "expected a function as the dag's "
                                         "operator, but found '" +
                                             dag->getAsString() + "'");
  const Record *function = def->getDef();
  if (function->getName() == "call")
    return emitCall(dag);
  std::string callee = "b." + toMethodName(function->getName());
  if (function->isSubClassOf("GradientHelper"))
    callee = "state." + toMethodName(function->getName());
  std::string text = callee + "(";
  for (unsigned i = 0; i < dag->getNumArgs(); ++i) {
    if (i)
      text += ", ";
    text += emitInit(dag->getArg(i), dag->getArgNameStr(i));
  }
  return text + ")";
}

/// An op by its overload, with arguments in schema order.
std::string RuleEmitter::emitCall(const DagInit *dag) {
  std::vector<std::string> arguments;
  for (unsigned i = 1; i < dag->getNumArgs(); ++i)
    arguments.push_back(emitInit(dag->getArg(i), dag->getArgNameStr(i)));
  return ::kiln::tblgen::emitCall(rule.getRecords(), rule, "b", *dag, arguments);
}

void RuleEmitter::emit(raw_ostream &os) {
  std::string body;
  for (const Record *grad : rule.getValueAsListOfDefs("grads")) {
    StringRef name = grad->getValueAsString("operand");
    int operand = op.findOperand(name);
    if (operand < 0)
      llvm::PrintFatalError(rule.getLoc(), "'" + name +
                                               "' is not an operand of '" +
                                               op.name + "'");
    std::string index = std::to_string(operand);
    body += "  if (state.isWanted(rule, " + index + "))\n    state.set(rule, " +
            index + ", " + emitDag(grad->getValueAsDag("value")) + ");\n";
  }
  os << "static LogicalResult vjp" << op.className
     << "(Operation *op, VjpState &state) {\n  auto rule = llvm::cast<"
     << op.className << ">(op);\n"
     << "  [[maybe_unused]] auto &b = state.builder;\n";
  for (const auto &[variable, value] : variables)
    os << "  auto " << variable << " = " << value << ";\n";
  // Of several results, only those that a rule speaks of have a gradient.
  if (op.results.size() > 1 && variables.count("grad"))
    os << "  if (!grad)\n    return success();\n";
  os << body << "  return success();\n}\n\n";
}

/// One line of the table.
static void emitEntry(raw_ostream &os, const AtenRecord &op, StringRef function,
                      StringRef reason, uint64_t operands, uint64_t results,
                      bool takesComplex = false) {
  os << "    {&" << op.className << "::getInfo, " << function << ", \"";
  os.write_escaped(reason);
  os << "\", " << operands << "u, " << results << "u, "
     << (takesComplex ? "true" : "false") << "},\n";
}

static bool emitDerivatives(const RecordKeeper &records, raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-derivatives.\n\n";
  std::string table;
  llvm::raw_string_ostream entries(table);
  std::set<std::string> seen;
  auto check = [&](const Record &rule, const AtenRecord &op) {
    if (!seen.insert(op.name).second)
      llvm::PrintFatalError(rule.getLoc(), "a second rule for '" +
                                               op.name + "'");
  };
  for (const Record *rule : records.getAllDerivedDefinitions("VJP")) {
    AtenRecord op = readAtenRecord(rule->getValueAsDef("op"));
    check(*rule, op);
    RuleEmitter emitter(*rule, op);
    emitter.emit(os);
    emitEntry(entries, op, "vjp" + op.className, "",
              emitter.savedOperands, emitter.savedResults,
              rule->getValueAsBit("isComplex"));
  }
  for (const Record *rule : records.getAllDerivedDefinitions("VJPFunction")) {
    StringRef function = rule->getValueAsString("function");
    for (const Record *def : rule->getValueAsListOfDefs("ops")) {
      AtenRecord op = readAtenRecord(def);
      check(*rule, op);
      const std::string &name = op.className;
      os << "static LogicalResult vjp" << name
         << "(Operation *op, VjpState &state) {\n  return " << function
         << "(llvm::cast<" << name << ">(op), state);\n}\n\n";
      emitEntry(entries, op, "vjp" + name, "", ~uint32_t(0),
                ~uint32_t(0), rule->getValueAsBit("isComplex"));
    }
  }
  for (const Record *rule : records.getAllDerivedDefinitions("NoDerivative"))
    for (const Record *def : rule->getValueAsListOfDefs("ops")) {
      AtenRecord op = readAtenRecord(def);
      check(*rule, op);
      os << "static LogicalResult vjp" << op.className
         << "(Operation *, VjpState &state) {\n  return state.refuse(\"";
      os.write_escaped(rule->getValueAsString("reason")) << "\");\n}\n\n";
      emitEntry(entries, op, "vjp" + op.className,
                rule->getValueAsString("reason"), 0, 0);
    }
  for (const Record *rule : records.getAllDerivedDefinitions("StopGradient"))
    for (const Record *def : rule->getValueAsListOfDefs("ops")) {
      AtenRecord op = readAtenRecord(def);
      check(*rule, op);
      emitEntry(entries, op, "nullptr", rule->getValueAsString("reason"), 0, 0);
    }
  os << "static const VjpEntry kVjpEntries[] = {\n" << table << "};\n";
  return false;
}

static mlir::GenRegistration
    derivativesRegistration("gen-aten-derivatives", "Write the derivatives of ATen ops",
                 [](const RecordKeeper &records, raw_ostream &os) {
                   return emitDerivatives(records, os);
                 });
