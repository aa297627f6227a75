//===- FunctionRecord.cpp - Functions that records name -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

#include <set>

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::StringRef;

using Members = std::vector<const AtenRecord *>;

const Record *kiln::tblgen::getFunction(const AtenRecord &record,
                                        const Record *field) {
  if (!field || !field->isSubClassOf("Aten_Function"))
    return nullptr;
  if (field->getValueAsString("function").empty())
    llvm::PrintFatalError(record.def->getLoc(),
                          "expected the name of a function");
  return field;
}

std::string kiln::tblgen::getClass(const AtenRecord &record) {
  return record.cppSpace + "::" + record.className;
}

/// The type of an argument of the function: that of an enumerator, or of a
/// number.
static std::string getType(const AtenRecord &record, StringRef argument) {
  auto [type, enumerator] = argument.rsplit("::");
  if (!enumerator.empty())
    return type.str();
  if (argument == "true" || argument == "false")
    return "bool";
  if (unsigned number; !argument.getAsInteger(10, number))
    return "unsigned";
  llvm::PrintFatalError(
      record.def->getLoc(),
      "expected an enumerator, a number, true or false as the "
      "argument of a function, but found '" +
          argument + "'");
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static const SchemaArg *findArg(const AtenRecord &record, StringRef name) {
  auto arg = llvm::find_if(
      record.args, [&](const SchemaArg &each) { return each.name == name; });
  return arg == record.args.end() ? nullptr : &*arg;
}

/// The C++ type that holds argument `name` of all members.
static std::string getFieldType(const Record &family, StringRef name,
                                const Members &members) {
  if (name.consume_back("?"))
    return "std::optional<" + getFieldType(family, name, members) + ">";
  std::set<StringRef> kinds;
  for (const AtenRecord *record : members)
    if (const SchemaArg *arg = findArg(*record, name))
      kinds.insert(arg->kind);
  auto isOf = [&](std::initializer_list<StringRef> allowed) {
    return !kinds.empty() && llvm::all_of(kinds, [&](StringRef kind) {
      return llvm::is_contained(allowed, kind);
    });
  };
  if (isOf({"Tensor", "TensorOrNumber", "Number"}))
    return "Value";
  if (isOf({"Tensor", "TensorList", "OptionalTensorList"}))
    return "SmallVector<Value>";
  if (isOf({"Int"}))
    return "std::optional<int64_t>";
  if (isOf({"Int", "IntList"}))
    return "SmallVector<int64_t>";
  if (isOf({"Bool"}))
    return "std::optional<bool>";
  if (isOf({"Float"}))
    return "std::optional<double>";
  if (isOf({"FloatList"}))
    return "SmallVector<double>";
  if (isOf({"BoolList"}))
    return "SmallVector<bool>";
  if (isOf({"String"}))
    return "StringRef";
  if (isOf({"DType"}))
    return "Type";
  if (isOf({"SymInt"}))
    return "guard::ExprAttr";
  if (isOf({"SymIntList"}))
    return "SmallVector<guard::ExprAttr>";
  llvm::PrintFatalError(family.getLoc(),
                        "argument '" + name +
                            (kinds.empty()
                                 ? "' is none of any member"
                                 : "' is of kinds that no type holds"));
}

static std::string getField(StringRef name) {
  name.consume_back("?");
  // A member `std` would hide the namespace.
  return name == "std" ? "std_" : llvm::convertToCamelFromSnakeCase(name);
}

/// How a member's constructor fills a field; it stays empty if it lacks it.
static void printFill(raw_ostream &os, const AtenRecord &record,
                      StringRef name) {
  name.consume_back("?");
  const SchemaArg *arg = findArg(record, name);
  if (!arg)
    return;
  std::string get = "op.get" + llvm::convertToCamelFromSnakeCase(
                                   arg->declared, /*capitalizeFirst=*/true);
  os << "  ";
  if (arg->kind == "OptionalTensorList")
    os << "aten::fill(" << getField(name) << ", " << get << "(), " << get
       << "Present());\n";
  else if (arg->isOperand())
    os << "aten::fill(" << getField(name) << ", " << get << "());\n";
  else
    os << "aten::fill(" << getField(name) << ", " << get << "Attr());\n";
}

using Families = std::vector<std::pair<const Record *, Members>>;

/// Each family with its members.
static Families getFamilies(const std::vector<AtenRecord> &records,
                            GetFunctionFn get) {
  Families families;
  for (const AtenRecord &record : records) {
    const Record *function = get(record);
    if (!function)
      continue;
    const Record *family = function->getValueAsDef("takes");
    if (!family->isSubClassOf("OpFamily"))
      continue;
    auto known = llvm::find_if(
        families, [&](const auto &each) { return each.first == family; });
    if (known == families.end())
      known = families.insert(known, {family, {}});
    known->second.push_back(&record);
  }
  return families;
}

static void printFamily(raw_ostream &os, const Record &family,
                        const Members &members) {
  StringRef type = family.getValueAsString("type");
  os << "/// " << family.getValueAsString("summary") << "\nstruct " << type
     << " {\n";
  for (const AtenRecord *record : members)
    os << "  " << type << "(" << getClass(*record) << " op);\n";
  for (StringRef name : family.getValueAsListOfStrings("arguments"))
    os << "  " << getFieldType(family, name, members) << " " << getField(name)
       << ";\n";
  os << "  Operation *op;\n};\n\n";
}

static void printConstructors(raw_ostream &os, const Record &family,
                              const Members &members) {
  StringRef type = family.getValueAsString("type");
  for (const AtenRecord *record : members) {
    os << type << "::" << type << "(" << getClass(*record)
       << " op) : op(op) {\n";
    for (StringRef name : family.getValueAsListOfStrings("arguments"))
      printFill(os, *record, name);
    os << "}\n";
  }
}

void kiln::tblgen::printFamilies(raw_ostream &os,
                                 const std::vector<AtenRecord> &records,
                                 GetFunctionFn get) {
  for (const auto &[family, members] : getFamilies(records, get))
    printFamily(os, *family, members);
}

void kiln::tblgen::printFamilyConstructors(
    raw_ostream &os, const std::vector<AtenRecord> &records,
    GetFunctionFn get) {
  for (const auto &[family, members] : getFamilies(records, get))
    printConstructors(os, *family, members);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::string kiln::tblgen::getParameterType(const AtenRecord &record,
                                           const Record &function) {
  const Record *takes = function.getValueAsDef("takes");
  if (takes->isSubClassOf("OpFamily"))
    return "const " + takes->getValueAsString("type").str() + " &";
  return takes->getName() == "AnyOp" ? "Operation *" : getClass(record);
}

std::string kiln::tblgen::getArgumentTypes(const AtenRecord &record,
                                           const Record &function) {
  std::string types;
  for (StringRef argument : function.getValueAsListOfStrings("arguments"))
    types += ", " + getType(record, argument);
  return types;
}

std::string kiln::tblgen::getArguments(const Record &function) {
  std::string text;
  for (StringRef argument : function.getValueAsListOfStrings("arguments"))
    text += ", " + argument.str();
  return text;
}

std::string kiln::tblgen::getOpArgument(const AtenRecord &record,
                                        const Record &function) {
  if (function.getValueAsDef("takes")->getName() == "AnyOp")
    return "op";
  return getClass(record) + "(op)";
}
