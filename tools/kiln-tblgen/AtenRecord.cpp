//===- AtenRecord.cpp - Reading the records of aten ops -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Error.h"

#include <algorithm>

using namespace kiln::tblgen;
using llvm::PrintFatalError;
using llvm::Record;
using llvm::StringRef;

bool SchemaArg::isOperand() const {
  return kind == "Tensor" || kind == "TensorOrNumber" || kind == "TensorList" ||
         kind == "OptionalTensorList" || kind == "Number";
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

/// Splits at commas outside of brackets.
static std::vector<StringRef> splitList(StringRef text) {
  std::vector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.substr(begin).trim().empty())
    parts.push_back(text.substr(begin).trim());
  return parts;
}

/// Removes alias annotations: "Tensor(a -> *)" is "Tensor".
static std::string dropAliases(StringRef type) {
  std::string result;
  bool inside = false;
  for (char c : type) {
    if (c == '(')
      inside = true;
    if (!inside)
      result += c;
    if (c == ')')
      inside = false;
  }
  return result;
}

static std::string getKind(StringRef type) {
  return llvm::StringSwitch<std::string>(type)
      .Case("Tensor", "Tensor")
      .Case("Tensor[]", "TensorList")
      .Case("Tensor?[]", "OptionalTensorList")
      .Case("Scalar", "Number")
      .Case("int", "Int")
      .Case("bool", "Bool")
      .Case("float", "Float")
      .Case("str", "String")
      .Case("ScalarType", "DType")
      .Case("SymInt", "SymInt")
      .Case("int[]", "IntList")
      .Case("bool[]", "BoolList")
      .Case("float[]", "FloatList")
      .Case("SymInt[]", "SymIntList")
      .Case("Layout", "Layout")
      .Case("Device", "Device")
      .Case("MemoryFormat", "MemoryFormat")
      .Case("Generator", "Generator")
      .Default("");
}

static SchemaArg parseArg(const Record *def, StringRef text) {
  SchemaArg arg;
  auto [declaration, defaultText] = text.split('=');
  arg.hasDefault = declaration.size() != text.size();
  arg.defaultText = defaultText.str();
  auto [typeText, name] = declaration.rsplit(' ');
  arg.name = name.str();
  std::string type = dropAliases(typeText);
  StringRef rest = type;
  bool isNullable = rest != "Tensor?[]" && rest.consume_back("?");
  // int[2] is int[] with a length.
  std::string base = rest.str();
  size_t open = rest.find('[');
  if (open != StringRef::npos) {
    rest.slice(open + 1, rest.find(']')).getAsInteger(10, arg.listSize);
    base = (rest.take_front(open) + "[]").str();
  }
  arg.kind = getKind(base);
  if (arg.kind.empty() || arg.name.empty())
    PrintFatalError(def, "schema has an argument '" + text +
                             "' of unknown type '" + base + "'");
  arg.isOptional = isNullable || (arg.isOperand() && arg.hasDefault);
  return arg;
}

/// What stands in the parentheses.
static std::vector<SchemaArg> parseArguments(const Record *def,
                                             StringRef text) {
  std::vector<SchemaArg> args;
  for (StringRef part : splitList(text))
    if (part != "*")
      args.push_back(parseArg(def, part));
  return args;
}

static void parseSchema(AtenRecord &record) {
  StringRef text = record.schema;
  size_t open = text.find('('), arrow = text.rfind(") -> ");
  std::string space = record.library + "::";
  if (!text.starts_with(space) || open == StringRef::npos ||
      arrow == StringRef::npos)
    PrintFatalError(record.def,
                    "schema expects '" + space + "name(...) -> ...'");
  StringRef name = text.slice(space.size(), open);
  if (name != record.overload)
    PrintFatalError(record.def, "schema is of '" + name + "', but the op is '" +
                                    record.overload + "'");
  record.args = parseArguments(record.def, text.slice(open + 1, arrow));
  if (record.takesDraws) {
    record.args.push_back(parseArg(record.def, "Tensor? draws=None"));
    record.args.push_back(parseArg(record.def, "int? draw=None"));
  }
  StringRef results = text.substr(arrow + 5).trim();
  if (results.starts_with("(") && results.ends_with(")"))
    results = results.drop_front().drop_back();
  for (StringRef part : splitList(results)) {
    std::string type = dropAliases(part);
    StringRef base = StringRef(type).split(' ').first;
    std::string kind = llvm::StringSwitch<std::string>(base)
                           .Case("Tensor", "Tensor")
                           .Case("Tensor[]", "TensorList")
                           .Case("Scalar", "Number")
                           .Default("");
    if (kind.empty())
      PrintFatalError(record.def, "schema has a result of unknown type '" +
                                      base + "'");
    record.results.push_back(kind);
  }
}

//===----------------------------------------------------------------------===//
// Agreement with the ODS arguments
//===----------------------------------------------------------------------===//

/// What an ODS argument says it is: an enumerator of ArgKind, with a '?' if it
/// may be absent. Empty for what the schemas do not have.
static std::string describe(const Record *constraint) {
  if (constraint->isSubClassOf("Optional"))
    return describe(constraint->getValueAsDef("baseType")) + "?";
  if (constraint->isSubClassOf("OptionalAttr"))
    return describe(constraint->getValueAsDef("baseAttr")) + "?";
  if (constraint->isSubClassOf("Variadic"))
    return "TensorList";
  if (constraint->isSubClassOf("Aten_Word"))
    return "String";
  if (constraint->isSubClassOf("Aten_Mode"))
    return "Int";
  return llvm::StringSwitch<std::string>(constraint->getName())
      .Case("Aten_Tensor", "Tensor")
      .Case("Aten_TensorOrNumber", "TensorOrNumber")
      .Case("Aten_Number", "Number")
      .Case("I64Attr", "Int")
      .Case("BoolAttr", "Bool")
      .Case("F64Attr", "Float")
      .Case("StrAttr", "String")
      .Case("TypeAttr", "DType")
      .Case("DenseI64ArrayAttr", "IntList")
      .Case("DenseBoolArrayAttr", "BoolList")
      .Case("DenseF64ArrayAttr", "FloatList")
      .Case("Guard_ExprAttr", "SymInt")
      .Case("Guard_ShapeAttr", "SymIntList")
      .Default("");
}

/// The words of a mode; none if it may be anything.
static std::vector<std::string> getWords(const Record *constraint) {
  if (constraint->isSubClassOf("OptionalAttr"))
    return getWords(constraint->getValueAsDef("baseAttr"));
  std::vector<std::string> words;
  if (constraint->isSubClassOf("Aten_Word") ||
      constraint->isSubClassOf("Aten_Mode"))
    for (StringRef word : constraint->getValueAsListOfStrings("words"))
      words.push_back(word.str());
  return words;
}

/// Layout, Device and MemoryFormat are text in the IR.
static StringRef getStoredKind(StringRef kind) {
  if (kind == "Layout" || kind == "Device" || kind == "MemoryFormat")
    return "String";
  return kind;
}

/// What an op of the record stores besides operands, in the order of declaration.
static void readAttributes(AtenRecord &record) {
  const llvm::DagInit *dag = record.def->getValueAsDag("arguments");
  for (auto [value, name] : llvm::zip(dag->getArgs(), dag->getArgNames())) {
    auto *constraint = llvm::dyn_cast<llvm::DefInit>(value);
    std::string kind = constraint ? describe(constraint->getDef()) : "";
    if (kind.empty())
      PrintFatalError(record.def, "argument '" + name->getAsUnquotedString() +
                                      "' is of a kind that no schema has");
    StoredAttribute stored;
    stored.name = name->getAsUnquotedString();
    stored.isOptional = kind.back() == '?';
    stored.kind = StringRef(kind).trim('?').str();
    SchemaArg operand;
    operand.kind = stored.kind;
    if (!operand.isOperand())
      record.attributes.push_back(stored);
  }
}

static void checkArguments(AtenRecord &record) {
  const llvm::DagInit *dag = record.def->getValueAsDag("arguments");
  unsigned next = 0;
  auto take = [&](SchemaArg &arg) -> std::string {
    if (next == dag->getNumArgs())
      PrintFatalError(record.def,
                      "argument '" + arg.name + "' of the schema is missing");
    StringRef name = dag->getArgNameStr(next);
    // `info_` for an accessor that is not OpT::getInfo.
    if (name != arg.name && name != arg.name + "_")
      PrintFatalError(record.def, "schema expects argument '" + arg.name +
                                      "', but found '" + name + "'");
    arg.declared = name.str();
    auto *constraint = llvm::dyn_cast<llvm::DefInit>(dag->getArg(next++));
    if (!constraint)
      return "";
    arg.words = getWords(constraint->getDef());
    return describe(constraint->getDef());
  };
  unsigned variable = 0;
  for (SchemaArg &arg : record.args) {
    if (arg.kind == "Generator")
      continue;
    std::string found = take(arg);
    if (arg.kind == "Tensor" && StringRef(found).starts_with("TensorOrNumber"))
      arg.kind = "TensorOrNumber";
    std::string expected = getStoredKind(arg.kind).str();
    if (arg.kind == "OptionalTensorList")
      expected = "TensorList";
    if (arg.isOptional)
      expected += "?";
    if (found != expected)
      PrintFatalError(record.def, "argument '" + arg.name + "' is of kind '" +
                                      expected +
                                      "' in the schema, but is declared as '" +
                                      found + "'");
    if (arg.isOperand() && (arg.isOptional || expected == "TensorList"))
      ++variable;
    if (arg.kind != "OptionalTensorList")
      continue;
    SchemaArg mask;
    mask.name = arg.name + "_present";
    if (take(mask) != "BoolList")
      PrintFatalError(record.def, "'" + mask.name + "' expects Aten_Bools");
  }
  record.hasSegments = variable > 1;
}

static void readResultNames(AtenRecord &record) {
  const llvm::DagInit *dag = record.def->getValueAsDag("results");
  if (dag->getNumArgs() != record.results.size())
    PrintFatalError(record.def, "schema has " +
                                    llvm::Twine(record.results.size()) +
                                    " results, but " +
                                    llvm::Twine(dag->getNumArgs()) +
                                    " are declared");
  for (const llvm::StringInit *name : dag->getArgNames())
    record.resultNames.push_back(name->getAsUnquotedString());
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static void setPromotion(AtenRecord &record) {
  std::vector<StringRef> names =
      record.def->getValueAsListOfStrings("promotes");
  for (StringRef name : names)
    if (llvm::none_of(record.args,
                      [&](const SchemaArg &arg) { return arg.name == name; }))
      PrintFatalError(record.def,
                      "'" + name + "' of 'promotes' is no argument");
  for (SchemaArg &arg : record.args) {
    bool isTensor = StringRef(arg.kind).starts_with("Tensor");
    arg.promotes =
        names.empty() ? isTensor : llvm::is_contained(names, arg.name);
  }
  if (record.takesDraws)
    (record.args.end() - 2)->promotes = false;
}

/// What it means to run the op again in the backward.
static std::string getRecompute(const AtenRecord &record) {
  StringRef named =
      record.def->getValueAsDef("recompute")->getValueAsString("name");
  if (!named.empty())
    return named.str();
  bool isPass = !record.hasBody && !record.isCore && !record.decomposition &&
                !record.isRandom && !record.isView;
  return isPass && llvm::any_of(record.args, [](const SchemaArg &arg) {
           return arg.isOperand();
         })
             ? "Heavy"
             : "Cheap";
}

static void readFacts(AtenRecord &record) {
  const Record *def = record.def;
  record.isComposite = def->getValueAsBit("isComposite");
  record.isCore = def->getValueAsBit("isCore");
  record.isView = def->getValueAsBit("isView");
  record.mayCopy = def->getValueAsBit("mayCopy");
  record.isRandom = def->getValueAsBit("isRandom");
  record.takesDraws = def->isSubClassOf("Aten_RandomOp");
  record.hasBody = llvm::isa<llvm::DagInit>(def->getValueInit("body"));
  record.takesSmallFloats =
      def->getValueAsBit("takesSmallFloats") ||
      def->getValueAsDef("promotion")->getValueAsBit("takesSmallFloats");
  record.roundsNumbers = def->getValueAsBit("roundsNumbers");
  record.refusesZeroDivisors = def->getValueAsBit("refusesZeroDivisors");
  record.flops = def->getValueAsDef("flops")->getValueAsString("name").str();
  record.effects = def->getValueAsDef("effects")->getValueAsString("name").str();
}

static AtenRecord readRecord(const Record *def) {
  AtenRecord record;
  record.def = def;
  record.className = def->getName().split('_').second.str();
  record.overload = def->getValueAsString("opName").str();
  const Record *dialect = def->getValueAsDef("opDialect");
  record.library = dialect->getValueAsString("name").str();
  StringRef cppSpace = dialect->getValueAsString("cppNamespace");
  cppSpace.consume_front("::");
  record.cppSpace = cppSpace.str();
  record.name = record.library + "." + record.overload;
  record.schema = def->getValueAsString("schema").str();
  record.summary = def->getValueAsString("summary").str();
  record.shape = def->getValueAsString("shape").str();
  record.view = def->getValueAsString("view").str();
  if (StringRef inverse = def->getValueAsString("inverse"); !inverse.empty())
    record.inverse = (record.library + "." + inverse).str();
  record.hasOwnKernel = def->getValueAsBit("hasOwnKernel");
  record.promotion =
      def->getValueAsDef("promotion")->getValueAsString("name").str();
  const Record *decomposition = def->getValueAsDef("decomposition");
  if (decomposition->getName() != "NotDecomposed")
    record.decomposition = decomposition;
  readFacts(record);
  parseSchema(record);
  checkArguments(record);
  readAttributes(record);
  readResultNames(record);
  record.recompute = getRecompute(record);
  setPromotion(record);
  return record;
}

std::vector<EagerOverload>
kiln::tblgen::getEagerOverloads(const llvm::RecordKeeper &records) {
  std::vector<EagerOverload> result;
  for (const Record *def :
       records.getAllDerivedDefinitions("Aten_EagerOverload")) {
    StringRef schema = def->getValueAsString("schema");
    auto [head, rest] = schema.split('(');
    auto [space, name] = head.split("::");
    size_t arrow = rest.rfind(") -> ");
    if (name.empty() || arrow == StringRef::npos)
      PrintFatalError(def, "schema expects 'aten::name(...) -> ...'");
    result.push_back({(space + "." + name +
                       (name.contains('.') ? "" : ".default"))
                          .str(),
                      parseArguments(def, rest.take_front(arrow))});
  }
  return result;
}

std::vector<AtenRecord>
kiln::tblgen::getAtenRecords(const llvm::RecordKeeper &records) {
  std::vector<AtenRecord> result;
  for (const Record *def : records.getAllDerivedDefinitions("Aten_OverloadOp"))
    result.push_back(readRecord(def));
  llvm::sort(result, [](const AtenRecord &a, const AtenRecord &b) {
    return a.name < b.name;
  });
  return result;
}
