//===- DecompositionGen.cpp - Decompositions of ATen ops as C++ -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-aten-decompositions. Reads the `Decompose` records of
// AtenDecompositions.td and writes one C++ function for each, and a function
// that adds all of them to a table. A record such as
//
//   def : Decompose<Aten_DotOp, (sum_all (mul $self, $tensor))>;
//
// becomes
//
//   static SmallVector<Value> decomposeDotOp(DotOp op, Composer &c) {
//     auto self = op.getSelf();
//     auto tensor = op.getTensor();
//     return finish(op, c, {c.sumAll(c.mul(self, tensor))});
//   }
//
//===----------------------------------------------------------------------===//

#include "mlir/TableGen/GenInfo.h"
#include "mlir/TableGen/Operator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <map>
#include <set>

using llvm::DagInit;
using llvm::Init;
using llvm::Record;
using llvm::raw_ostream;
using llvm::StringRef;
using mlir::tblgen::Operator;

namespace {

class FormulaEmitter {
public:
  FormulaEmitter(const Record &record, const Operator &op)
      : record(record), op(op), isWide(record.getValueAsBit("isWide")) {}

  void emit(raw_ostream &os);

private:
  std::string emitInit(const Init *init, StringRef name, bool isArgument);
  std::string emitDag(const DagInit *dag);
  std::string emitArgument(StringRef name, bool isArgument);

  const Record &record;
  const Operator &op;
  bool isWide;
  std::map<std::string, std::string> variables;
};

} // namespace

/// `$name`, as a C++ value or as it stands in a call of another overload.
std::string FormulaEmitter::emitArgument(StringRef name, bool isArgument) {
  auto bind = [&](std::string value) {
    variables.insert({name.str(), std::move(value)});
    return name.str();
  };
  if (name == "result")
    return bind("op->getResult(0)");
  for (const auto &operand : op.getOperands()) {
    if (operand.name != name)
      continue;
    std::string getter = "op." + op.getGetterName(name) + "()";
    bool isTensor = !operand.isVariadic() || operand.isOptional();
    return bind(isWide && isTensor ? "widen(op, c, " + getter + ")" : getter);
  }
  for (const auto &attribute : op.getAttributes()) {
    if (attribute.name != name)
      continue;
    std::string getter = "op." + op.getGetterName(name);
    if (isArgument)
      return getter + "Attr()";
    return bind("plain(" + getter + "())");
  }
  llvm::PrintFatalError(record.getLoc(), "'$" + name +
                                             "' is not an argument of '" +
                                             op.getOperationName() + "'");
}

std::string FormulaEmitter::emitInit(const Init *init, StringRef name,
                                     bool isArgument) {
  if (const auto *dag = llvm::dyn_cast<DagInit>(init))
    return emitDag(dag);
  if (const auto *number = llvm::dyn_cast<llvm::IntInit>(init))
    return std::to_string(number->getValue());
  if (const auto *code = llvm::dyn_cast<llvm::StringInit>(init))
    return code->getValue().str();
  if (llvm::isa<llvm::UnsetInit>(init) && !name.empty())
    return emitArgument(name, isArgument);
  llvm::PrintFatalError(record.getLoc(), "expected a dag, a number, C++ text "
                                         "or '$name', but found '" +
                                             init->getAsString() + "'");
}

std::string FormulaEmitter::emitDag(const DagInit *dag) {
  const auto *def = llvm::dyn_cast<llvm::DefInit>(dag->getOperator());
  if (!def)
    llvm::PrintFatalError(record.getLoc(), "expected a function as the dag's "
                                           "operator, but found '" +
                                               dag->getAsString() + "'");
  const Record *function = def->getDef();
  std::string callee =
      llvm::convertToCamelFromSnakeCase(function->getName());
  // (call "overload", arguments in schema order...)
  bool isCall = function->getName() == "call";
  std::string text;
  if (isCall)
    text = "c.emit(";
  else if (function->isSubClassOf("Formula"))
    text = callee + "(c, ";
  else
    text = "c." + callee + "(";
  for (unsigned i = 0; i < dag->getNumArgs(); ++i) {
    if (isCall && i == 0) {
      const auto *overload = llvm::dyn_cast<llvm::StringInit>(dag->getArg(0));
      if (!overload)
        llvm::PrintFatalError(record.getLoc(),
                              "'call' expects the text of an overload");
      text += '"' + overload->getValue().str() + "\", {";
      continue;
    }
    if (i > (isCall ? 1 : 0))
      text += ", ";
    text += emitInit(dag->getArg(i), dag->getArgNameStr(i), isCall);
  }
  return text + (isCall ? "})" : ")");
}

void FormulaEmitter::emit(raw_ostream &os) {
  std::string values;
  for (const Init *value : *record.getValueAsListInit("values")) {
    const auto *dag = llvm::dyn_cast<DagInit>(value);
    if (!dag)
      llvm::PrintFatalError(record.getLoc(), "expected a dag for each result");
    values += (values.empty() ? "" : ", ") + emitDag(dag);
  }
  if (record.getValueAsListInit("values")->size() !=
      static_cast<size_t>(op.getNumResults()))
    llvm::PrintFatalError(record.getLoc(),
                          "expected " + llvm::Twine(op.getNumResults()) +
                              " values for '" + op.getOperationName() + "'");
  os << "static SmallVector<Value> decompose" << op.getCppClassName() << "("
     << op.getCppClassName() << " op, [[maybe_unused]] Composer &c) {\n";
  for (const auto &[variable, value] : variables)
    os << "  auto " << variable << " = " << value << ";\n";
  os << "  return finish(op, c, {" << values << "});\n}\n\n";
}

static bool emitDecompositions(const llvm::RecordKeeper &records,
                               raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-decompositions.\n\n";
  std::string table;
  std::set<std::string> seen;
  for (const Record *record : records.getAllDerivedDefinitions("Decompose")) {
    Operator op(record->getValueAsDef("op"));
    if (!seen.insert(op.getOperationName()).second)
      llvm::PrintFatalError(record->getLoc(), "a second decomposition of '" +
                                                  op.getOperationName() + "'");
    FormulaEmitter(*record, op).emit(os);
    StringRef name = op.getCppClassName();
    table += ("  table.addMany<" + name + ", decompose" + name + ">();\n").str();
  }
  os << "static void addRecords(DecompositionTable &table) {\n"
     << table << "}\n";
  return false;
}

static mlir::GenRegistration
    registration("gen-aten-decompositions",
                 "Write the decompositions of ATen ops", emitDecompositions);
