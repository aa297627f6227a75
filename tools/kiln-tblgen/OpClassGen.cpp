//===- OpClassGen.cpp - The classes of overloads --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend --gen-aten-op-decls. Writes a class for each record of class
// Aten_OverloadOp, with the accessors that ODS would give it, over the base
// classes of kiln/Dialect/Aten/IR/Overload.h.
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::StringRef;

static void printOperand(raw_ostream &os, const SchemaArg &arg,
                         unsigned index) {
  std::string name = getAccessor(arg.declared);
  bool isList =
      arg.kind == "TensorList" || arg.kind == "OptionalTensorList";
  StringRef type = isList                 ? "::mlir::OperandRange"
                   : arg.kind == "Tensor" ? "Tensor"
                                          : "::mlir::Value";
  os << "  " << type << " " << name << "() { return ";
  if (isList)
    os << "getODSOperands(" << index << ")";
  else
    os << "getODSOperand<" << type << ">(" << index << ")";
  os << "; }\n";
}

namespace {
/// An attribute in C++.
struct CppAttribute {
  const char *kind;    ///< enumerator of ArgKind
  const char *storage; ///< its class
  const char *value;   ///< what it holds
  const char *convert; ///< from the attribute
};
} // namespace

static const CppAttribute kCppAttributes[] = {
    {"Int", "::mlir::IntegerAttr", "uint64_t", ".getValue().getZExtValue()"},
    {"Bool", "::mlir::BoolAttr", "bool", ".getValue()"},
    {"Float", "::mlir::FloatAttr", "::llvm::APFloat", ".getValue()"},
    {"String", "::mlir::StringAttr", "::llvm::StringRef", ".getValue()"},
    {"DType", "::mlir::TypeAttr", "::mlir::Type", ".getValue()"},
    {"IntList", "::mlir::DenseI64ArrayAttr", "::llvm::ArrayRef<int64_t>",
     ".asArrayRef()"},
    {"BoolList", "::mlir::DenseBoolArrayAttr", "::llvm::ArrayRef<bool>",
     ".asArrayRef()"},
    {"FloatList", "::mlir::DenseF64ArrayAttr", "::llvm::ArrayRef<double>",
     ".asArrayRef()"},
    {"SymInt", "::kiln::guard::ExprAttr", "::kiln::guard::ExprAttr", ""},
    {"SymIntList", "::kiln::guard::ShapeAttr", "::kiln::guard::ShapeAttr", ""},
};

static void printAttribute(raw_ostream &os, const StoredAttribute &stored,
                           unsigned slot) {
  const CppAttribute *cpp = llvm::find_if(
      kCppAttributes,
      [&](const CppAttribute &each) { return each.kind == stored.kind; });
  std::string name = getAccessor(stored.name);
  os << "  " << cpp->storage << " " << name
     << "Attr() { return getAttributeAt<" << cpp->storage << ">(" << slot
     << "); }\n";
  os << "  void s" << StringRef(name).drop_front() << "Attr(" << cpp->storage
     << " attribute) { setAttributeAt(" << slot << ", attribute); }\n";
  if (!stored.isOptional) {
    os << "  " << cpp->value << " " << name << "() { return " << name
       << "Attr()" << cpp->convert << "; }\n";
    return;
  }
  os << "  std::optional<" << cpp->value << "> " << name
     << "() {\n    if (auto attribute = " << name
     << "Attr())\n      return attribute" << cpp->convert
     << ";\n    return std::nullopt;\n  }\n";
}

static void printResultGetters(raw_ostream &os, const AtenRecord &record) {
  for (auto [i, kind] : llvm::enumerate(record.results)) {
    std::string name = getAccessor(record.resultNames[i]);
    if (kind == "TensorList")
      os << "  ::mlir::ResultRange " << name
         << "() { return getOperation()->getResults().drop_front(" << i
         << "); }\n";
    else if (kind == "Tensor")
      os << "  Tensor " << name << "() { return getTensorResult(" << i
         << "); }\n";
    else
      os << "  ::mlir::Value " << name
         << "() { return getOperation()->getResult(" << i << "); }\n";
  }
}

/// As ODS: an op with one result is its value.
static StringRef getBase(const AtenRecord &record) {
  if (record.results.size() != 1 || record.results.front() == "TensorList")
    return "Overload";
  return record.results.front() == "Tensor" ? "TensorOverload"
                                            : "ValueOverload";
}

static void printClass(raw_ostream &os, const AtenRecord &record) {
  StringRef name = record.className, base = getBase(record);
  os << "/// " << record.schema << "\nstruct " << name
     << " : ::kiln::aten::" << base << "<" << name << "> {\n  using " << base
     << "::" << base << ";\n  static const ::kiln::aten::OpInfo info;\n";
  unsigned operands = 0;
  for (const SchemaArg &arg : record.args)
    if (arg.isOperand())
      printOperand(os, arg, operands++);
  for (auto [i, stored] : llvm::enumerate(record.attributes))
    printAttribute(os, stored, i);
  printResultGetters(os, record);
  os << "};\n\n";
}

static bool generateClasses(const llvm::RecordKeeper &records, raw_ostream &os) {
  std::vector<AtenRecord> ops = getAtenRecords(records);
  os << "// Generated by kiln-tblgen --gen-aten-op-decls.\n\n";
  StringRef space;
  auto close = [&] {
    if (!space.empty())
      os << "} // namespace " << space << "\n\n";
  };
  for (const AtenRecord &record : ops) {
    if (record.cppSpace != space) {
      close();
      space = record.cppSpace;
      os << "namespace " << space << " {\n\n";
    }
    printClass(os, record);
  }
  close();
  return false;
}

static mlir::GenRegistration
    classesRegistration("gen-aten-op-decls", "Generate the classes of overloads",
                 generateClasses);
