//===- LoweringGen.cpp - The functions that make loop nests ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the field `lowering` of the aten ops (AtenLoopBody.td).
//
//   let lowering = LowerBy<"lowerCholesky">;
//   let lowering = LowerMaxPool<2>; // LowerBy<"lowerMaxPool", ["2"]>, takes
//   Pooling
//
// --gen-aten-lowering-decls declares the functions and the families that they
// take:
//
//   LogicalResult lowerCholesky(LoopBuilder &, aten::LinalgCholeskyExOp);
//   struct PoolingArgs {
//     PoolingArgs(aten::MaxPool2dOp op);
//     ...
//     Value self;
//     SmallVector<int64_t> kernelSize;
//   };
//   LogicalResult lowerMaxPool(LoopBuilder &, const PoolingArgs &, unsigned);
//
// --gen-aten-lowerings writes the constructors and the table `kLowerings`, with
//
//   {&aten::MaxPool2dOp::getInfo,
//    [](LoopBuilder &loops, Operation *op) -> LogicalResult {
//      return lowerMaxPool(loops, aten::MaxPool2dOp(op), 2);
//    }, false},
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <set>

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::StringRef;

/// What a record names; null if the op is not lowered by a function.
static const Record *getLowering(const AtenRecord &record) {
  const Record *lowering = record.def->getValueAsDef("lowering");
  if (!lowering->isSubClassOf("LowerBy"))
    return nullptr;
  if (lowering->getValueAsString("function").empty())
    llvm::PrintFatalError(record.def->getLoc(),
                          "expected the name of a function");
  return lowering;
}

static std::string getClass(const AtenRecord &record) {
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
      "argument of a lowering, but found '" +
          argument + "'");
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

using Members = std::vector<const AtenRecord *>;

static const SchemaArg *findArg(const AtenRecord &record, StringRef name) {
  auto arg = llvm::find_if(
      record.args, [&](const SchemaArg &each) { return each.name == name; });
  return arg == record.args.end() ? nullptr : &*arg;
}

/// The C++ type that holds argument `name` of all members.
static StringRef getFieldType(const Record &family, StringRef name,
                              const Members &members) {
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
  if (isOf({"OptionalTensorList"}))
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
  if (isOf({"SymInt"}))
    return "guard::ExprAttr";
  if (isOf({"SymIntList"}))
    return "Exprs";
  llvm::PrintFatalError(family.getLoc(),
                        "argument '" + name +
                            (kinds.empty()
                                 ? "' is none of any member"
                                 : "' is of kinds that no type holds"));
}

static std::string getField(StringRef name) {
  // A member `std` would hide the namespace.
  return name == "std" ? "std_" : llvm::convertToCamelFromSnakeCase(name);
}

/// How a member's constructor fills a field; it stays empty if it lacks it.
static void printFill(raw_ostream &os, const AtenRecord &record,
                      StringRef name) {
  const SchemaArg *arg = findArg(record, name);
  if (!arg)
    return;
  std::string get = "op.get" + llvm::convertToCamelFromSnakeCase(
                                   arg->declared, /*capitalizeFirst=*/true);
  os << "  ";
  if (arg->kind == "OptionalTensorList")
    os << "fill(" << getField(name) << ", " << get << "(), " << get
       << "Present());\n";
  else if (arg->isOperand())
    os << getField(name) << " = " << get << "();\n";
  else
    os << "fill(" << getField(name) << ", " << get << "Attr());\n";
}

/// Each family with its members.
static std::vector<std::pair<const Record *, Members>>
getFamilies(const std::vector<AtenRecord> &records) {
  std::vector<std::pair<const Record *, Members>> families;
  for (const AtenRecord &record : records) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    const Record *family = lowering->getValueAsDef("takes");
    if (!family->isSubClassOf("LoweringFamily"))
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

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The parameter that the op is given as.
static std::string getParameter(const AtenRecord &record,
                                const Record &lowering) {
  const Record *takes = lowering.getValueAsDef("takes");
  if (takes->isSubClassOf("LoweringFamily"))
    return "const " + takes->getValueAsString("type").str() + " &";
  return takes->getName() == "AnyOp" ? "Operation *" : getClass(record);
}

static bool emitDeclarations(const llvm::RecordKeeper &keeper,
                             raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-lowering-decls.\n\n";
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  for (const auto &[family, members] : getFamilies(records))
    printFamily(os, *family, members);
  std::set<std::string> seen;
  for (const AtenRecord &record : records) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    std::string types = getParameter(record, *lowering);
    for (StringRef argument : lowering->getValueAsListOfStrings("arguments"))
      types += ", " + getType(record, argument);
    StringRef function = lowering->getValueAsString("function");
    if (seen.insert(function.str() + types).second)
      os << "LogicalResult " << function << "(LoopBuilder &, " << types
         << ");\n";
  }
  return false;
}

static bool emitTable(const llvm::RecordKeeper &keeper, raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-lowerings.\n\n";
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  os << "namespace kiln::loop {\n";
  for (const auto &[family, members] : getFamilies(records))
    printConstructors(os, *family, members);
  os << "} // namespace kiln::loop\n\n"
        "static const Lowering kLowerings[] = {\n";
  for (const AtenRecord &record : records) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    os << "    {&" << getClass(record)
       << "::getInfo,\n     [](LoopBuilder &loops, Operation *op) -> "
          "LogicalResult {\n       return "
       << lowering->getValueAsString("function") << "(loops, ";
    if (lowering->getValueAsDef("takes")->getName() == "AnyOp")
      os << "op";
    else
      os << getClass(record) << "(op)";
    for (StringRef argument : lowering->getValueAsListOfStrings("arguments"))
      os << ", " << argument;
    os << ");\n     },\n     "
       << (lowering->getValueAsBit("takesAnyElements") ? "true" : "false")
       << "},\n";
  }
  os << "};\n";
  return false;
}

static mlir::GenRegistration
    declarations("gen-aten-lowering-decls",
                 "Declare the functions that make loop nests of ATen ops",
                 emitDeclarations);
static mlir::GenRegistration
    table("gen-aten-lowerings",
          "Write the table of functions that make loop nests of ATen ops",
          emitTable);
