//===- FormulaGen.cpp - A method for each overload ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --gen-aten-formula-decls declares the methods of FormulaBuilder, one for each
// overload, with parameters, defaults and kinds of its schema:
//
//   // aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
//   Value addTensor(Operand self, Operand other, Operand alpha = {});
//
// --gen-aten-formula-defs defines them. The number is that of the record in
// `getAllOverloads()`, which is in the same order:
//
//   Value FormulaBuilder::addTensor(Operand self, Operand other, Operand alpha)
//   {
//     return buildOne(7, {get(self), get(other), get(alpha)});
//   }
//
// Overloads that PyTorch composes of others have none: nothing is made of them.
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::StringRef;

/// The C++ type of a parameter.
static StringRef getFormulaType(const SchemaArg &arg) {
  return llvm::StringSwitch<StringRef>(arg.kind)
      .Case("Tensor", "Value")
      .Cases({"TensorOrNumber", "Number"}, "Operand")
      .Cases({"TensorList", "OptionalTensorList"}, "TensorsArg")
      .Case("Int", "IntArg")
      .Case("Bool", "BoolArg")
      .Case("Float", "FloatArg")
      .Case("DType", "TypeArg")
      .Case("SymInt", "SizeArg")
      .Case("IntList", "IntsArg")
      .Case("BoolList", "BoolsArg")
      .Case("FloatList", "FloatsArg")
      .Case("SymIntList", "SizesArg")
      .Default("TextArg"); // also layouts, devices, memory formats
}

/// The arguments that a formula can give: no generator, and none that follows
/// from how the op is recorded.
static std::vector<const SchemaArg *> getParameters(const AtenRecord &record) {
  std::vector<const SchemaArg *> parameters;
  for (const SchemaArg &arg : record.args)
    if (arg.kind != "Generator")
      parameters.push_back(&arg);
  return parameters;
}

static StringRef getResultType(const AtenRecord &record) {
  bool isOne = record.results.size() == 1 && record.results[0] != "TensorList";
  return isOne ? "Value" : "OpResults";
}

static void printParameters(raw_ostream &os, const AtenRecord &record,
                            bool withDefaults) {
  std::vector<const SchemaArg *> parameters = getParameters(record);
  // In C++ what follows a default has one.
  size_t firstDefault = parameters.size();
  while (firstDefault > 0 && parameters[firstDefault - 1]->hasDefault)
    --firstDefault;
  for (auto [i, arg] : llvm::enumerate(parameters))
    os << (i ? ", " : "") << getFormulaType(*arg) << " " << arg->name
       << (withDefaults && i >= firstDefault ? " = {}" : "");
}

std::string kiln::tblgen::getMethodName(const AtenRecord &record) {
  StringRef name = record.className;
  name.consume_back("Op");
  return llvm::toLower(name[0]) + name.drop_front().str();
}

std::string kiln::tblgen::emitCall(const llvm::RecordKeeper &records,
                                   const llvm::Record &user, StringRef builder,
                                   const llvm::DagInit &dag,
                                   llvm::ArrayRef<std::string> arguments) {
  const auto *overload = dag.getNumArgs() == 0
                             ? nullptr
                             : llvm::dyn_cast<llvm::StringInit>(dag.getArg(0));
  if (!overload)
    llvm::PrintFatalError(user.getLoc(), "expected an overload first in '" +
                                             dag.getAsString() + "'");
  static const std::vector<AtenRecord> all = getAtenRecords(records);
  for (const AtenRecord &record : all)
    if (record.overload == overload->getValue() && !record.isComposite)
      return (builder + "." + getMethodName(record) + "(" +
              llvm::join(arguments, ", ") + ")" +
              (getResultType(record) == "Value" ? "" : ".front()"))
          .str();
  llvm::PrintFatalError(user.getLoc(),
                        "there is no overload '" + overload->getValue() + "'");
}

static bool emitFormulaDeclarations(const llvm::RecordKeeper &records,
                             raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-formula-decls.\n\n";
  for (const AtenRecord &record : getAtenRecords(records)) {
    if (record.isComposite)
      continue;
    os << "// " << record.schema << "\n"
       << getResultType(record) << " " << getMethodName(record) << "(";
    printParameters(os, record, /*withDefaults=*/true);
    os << ");\n";
  }
  return false;
}

static bool emitDefinitions(const llvm::RecordKeeper &records,
                            raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-formula-defs.\n\n";
  for (auto [i, record] : llvm::enumerate(getAtenRecords(records))) {
    if (record.isComposite)
      continue;
    StringRef result = getResultType(record);
    os << result << " FormulaBuilder::" << getMethodName(record) << "(";
    printParameters(os, record, /*withDefaults=*/false);
    os << ") {\n  return " << (result == "Value" ? "buildOne(" : "build(") << i
       << ", {";
    llvm::interleaveComma(record.args, os, [&](const SchemaArg &arg) {
      if (arg.kind == "Generator")
        os << "{}";
      else
        os << "get(" << arg.name << ")";
    });
    os << "});\n}\n\n";
  }
  return false;
}

static mlir::GenRegistration
    formulaDeclarations("gen-aten-formula-decls",
                 "Declare a method for each ATen overload", emitFormulaDeclarations);
static mlir::GenRegistration
    definitions("gen-aten-formula-defs",
                "Define the methods for ATen overloads", emitDefinitions);
