//===- DecompositionGen.cpp - Decompositions of ATen ops as C++ -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the field `decomposition` of the aten ops (AtenFormulas.td).
//
// --gen-aten-decomposition-decls declares the functions that records name:
//
//   Value decomposeGelu(GeluOp op, FormulaBuilder &c);
//   Value decomposeFill(Operation *op, FormulaBuilder &c, unsigned);
//
// --gen-aten-decompositions writes a function for each record that has formulas
// instead, and a table of all functions. A record such as
//
//   let decomposition = Decompose<[(sum_all (mul $self, $tensor))]>;
//
// becomes
//
//   static SmallVector<Value> decomposeDotOp(DotOp op, FormulaBuilder &c) {
//     auto self = op.getSelf();
//     auto tensor = op.getTensor();
//     return finish(op, c, {c.sumAll(c.mul(self, tensor))});
//   }
//
// An op that is decomposed as a view has `decomposeView` in the table. All that
// so that what a record names and nobody wrote does not link, and what nobody
// declared does not compile.
//
//===----------------------------------------------------------------------===//

#include "FunctionRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <map>

using llvm::DagInit;
using llvm::Init;
using llvm::Record;
using llvm::raw_ostream;
using llvm::StringRef;
using namespace kiln::tblgen;

namespace {

class FormulaEmitter {
public:
  explicit FormulaEmitter(const AtenRecord &aten)
      : record(*aten.def), formulas(*aten.decomposition), op(aten),
        isWide(formulas.getValueAsBit("isWide")) {}

  void emit(raw_ostream &os);

private:
  std::string emitInit(const Init *init, StringRef name, bool isArgument);
  std::string emitDag(const DagInit *dag);
  std::string emitArgument(StringRef name, bool isArgument);

  const Record &record;
  const Record &formulas;
  const AtenRecord &op;
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
  std::string getter = "op." + getAccessor(name) + "()";
  for (const SchemaArg &arg : op.args) {
    if (!arg.isOperand() || arg.declared != name)
      continue;
    bool isList = arg.kind == "TensorList" || arg.kind == "OptionalTensorList";
    return bind(isWide && !isList ? "widen(op, c, " + getter + ")" : getter);
  }
  if (op.hasAttribute(name))
    return isArgument ? getter : bind("plain(" + getter + ")");
  llvm::PrintFatalError(record.getLoc(), "'$" + name +
                                             "' is not an argument of '" +
                                             op.name + "'");
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
  if (function->getName() == "call") {
    std::vector<std::string> arguments;
    for (unsigned i = 1; i < dag->getNumArgs(); ++i)
      arguments.push_back(
          emitInit(dag->getArg(i), dag->getArgNameStr(i), true));
    return emitCall(record.getRecords(), record, "c", *dag, arguments);
  }
  bool isFormula = function->isSubClassOf("Formula");
  std::string text = isFormula ? callee + "(c, " : "c." + callee + "(";
  for (unsigned i = 0; i < dag->getNumArgs(); ++i)
    text += (i > 0 ? ", " : "") +
            emitInit(dag->getArg(i), dag->getArgNameStr(i), false);
  return text + ")";
}

void FormulaEmitter::emit(raw_ostream &os) {
  std::string text;
  const llvm::ListInit *values = formulas.getValueAsListInit("values");
  for (const Init *value : *values) {
    const auto *dag = llvm::dyn_cast<DagInit>(value);
    if (!dag)
      llvm::PrintFatalError(record.getLoc(), "expected a dag for each result");
    text += (text.empty() ? "" : ", ") + emitDag(dag);
  }
  if (values->size() != op.results.size())
    llvm::PrintFatalError(record.getLoc(),
                          "expected " + llvm::Twine(op.results.size()) +
                              " values for '" + op.name + "'");
  StringRef builder = op.isComposite ? "Composite" : "FormulaBuilder";
  os << "static SmallVector<Value> decompose" << op.className << "("
     << op.className << " op, [[maybe_unused]] " << builder << " &c) {\n";
  for (const auto &[variable, value] : variables)
    os << "  auto " << variable << " = " << value << ";\n";
  if (op.isComposite)
    os << "  return {" << text << "};\n}\n\n";
  else
    os << "  return finish(op, c, {" << text << "});\n}\n\n";
}

static bool isView(const AtenRecord &record) {
  return record.decomposition->getName() == "DecomposeView";
}

/// What the decomposition of a record names; null if it has formulas.
static const Record *getDecomposition(const AtenRecord &record) {
  return record.isComposite ? nullptr
                            : getFunction(record, record.decomposition);
}
/// The same of composites.
static const Record *getComposition(const AtenRecord &record) {
  return record.isComposite ? getFunction(record, record.decomposition)
                            : nullptr;
}

/// Declares the functions and the structs of families that they take.
static void declareAll(raw_ostream &os, const llvm::RecordKeeper &keeper,
                       GetFunctionFn get, StringRef builder) {
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  printFamilies(os, records, get);
  // Those that serve overloads of one result and of several return a list.
  std::map<std::string, bool> returnsOne;
  for (const AtenRecord &record : records) {
    const Record *function = get(record);
    if (!function)
      continue;
    bool isOne = record.results.size() == 1 && record.results[0] == "Tensor";
    std::string text =
        (function->getValueAsString("function") + "(" +
         getParameterType(record, *function) + " op, " + builder + " &c" +
         getArgumentTypes(record, *function) + ");\n")
            .str();
    returnsOne.try_emplace(text, true).first->second &= isOne;
  }
  for (const auto &[text, isOne] : returnsOne)
    os << (isOne ? "Value " : "SmallVector<Value> ") << text;
}

static bool emitDecompositionDeclarations(const llvm::RecordKeeper &records,
                             raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-decomposition-decls.\n\n";
  declareAll(os, records, getDecomposition, "FormulaBuilder");
  return false;
}

static bool emitCompositeDeclarations(const llvm::RecordKeeper &records,
                                      raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-composite-decls.\n\n";
  declareAll(os, records, getComposition, "Composite");
  return false;
}

/// One line of a table: an op, and a function that takes it. The formulas of a
/// record are written to one first.
static std::string getEntry(const AtenRecord &record, StringRef builder,
                            raw_ostream &os) {
  StringRef toList = record.isComposite ? "toValues" : "toList";
  std::string call =
      "decompose" + record.className + "(" + getClass(record) + "(op), c)";
  if (const Record *function = getFunction(record, record.decomposition))
    call = function->getValueAsString("function").str() + "(" +
           getOpArgument(record, *function) + ", c" + getArguments(*function) +
           ")";
  else
    FormulaEmitter(record).emit(os);
  return ("    {&" + record.className + "::getInfo, [](Operation *op, " +
          builder + " &c) {\n       return " + toList + "(" + call + ");\n     }},\n")
      .str();
}

static bool emitComposites(const llvm::RecordKeeper &keeper, raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-composites.\n\n";
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  printFamilyConstructors(os, records, getComposition);
  std::string table;
  for (const AtenRecord &record : records)
    if (record.isComposite)
      table += getEntry(record, "Composite", os);
  os << "static const CompositeEntry kComposites[] = {\n" << table << "};\n";
  return false;
}

static bool emitDecompositions(const llvm::RecordKeeper &keeper,
                               raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-decompositions.\n\n";
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  printFamilyConstructors(os, records, getDecomposition);
  std::string table;
  for (const AtenRecord &record : records) {
    if (!record.decomposition || record.isComposite)
      continue;
    if (isView(record))
      table += "    {&" + record.className + "::getInfo, decomposeView},\n";
    else
      table += getEntry(record, "FormulaBuilder", os);
  }
  os << "static const DecompositionEntry kDecompositions[] = {\n"
     << table << "};\n";
  return false;
}

static mlir::GenRegistration
    decompositionDeclarations("gen-aten-decomposition-decls",
                 "Declare the functions that decompose ATen ops",
                 emitDecompositionDeclarations);
static mlir::GenRegistration
    compositeDeclarations("gen-aten-composite-decls",
                          "Declare the functions that open composites",
                          emitCompositeDeclarations);
static mlir::GenRegistration
    compositesRegistration("gen-aten-composites",
               "Write the table of functions that open composites",
               emitComposites);
static mlir::GenRegistration
    decompositionsRegistration("gen-aten-decompositions",
                 "Write the decompositions of ATen ops", emitDecompositions);
