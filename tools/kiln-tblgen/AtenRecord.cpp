//===- AtenRecord.cpp - Reading the records of aten ops -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtenRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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

/// "info_" for an accessor that is not the overload's `getInfo`.
static std::string getDeclared(StringRef name) {
  return (name == "info" ? "info_" : name).str();
}

/// Of results without names those are `result`, or `result0` and so on.
static void parseResults(AtenRecord &record, StringRef text) {
  if (text.starts_with("(") && text.ends_with(")"))
    text = text.drop_front().drop_back();
  std::vector<StringRef> parts = splitList(text);
  for (auto [i, part] : llvm::enumerate(parts)) {
    std::string declaration = dropAliases(part);
    auto [type, name] = StringRef(declaration).split(' ');
    std::string kind = llvm::StringSwitch<std::string>(type)
                           .Case("Tensor", "Tensor")
                           .Case("Tensor[]", "TensorList")
                           .Case("Scalar", "Number")
                           .Default("");
    if (kind.empty())
      PrintFatalError(record.def, "schema has a result of unknown type '" +
                                      type + "'");
    record.results.push_back(kind);
    record.resultNames.push_back(
        !name.empty()       ? getDeclared(name)
        : parts.size() == 1 ? "result"
                            : "result" + std::to_string(i));
  }
}

static void parseSchema(AtenRecord &record) {
  StringRef text = record.schema;
  size_t open = text.find('('), arrow = text.rfind(") -> ");
  std::string space = record.library + "::";
  if (!text.starts_with(space) || open == StringRef::npos ||
      arrow == StringRef::npos)
    PrintFatalError(record.def,
                    "schema expects '" + space + "name(...) -> ...'");
  record.overload = text.slice(space.size(), open).str();
  record.name = record.library + "." + record.overload;
  record.args = parseArguments(record.def, text.slice(open + 1, arrow));
  for (SchemaArg &arg : parseArguments(
           record.def, record.def->getValueAsString("ownArguments")))
    record.args.push_back(std::move(arg));
  parseResults(record, text.substr(arrow + 5).trim());
}

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

static SchemaArg &findArgument(AtenRecord &record, StringRef name,
                               StringRef field) {
  for (SchemaArg &arg : record.args)
    if (arg.name == name)
      return arg;
  PrintFatalError(record.def,
                  "'" + name + "' of '" + field + "' is no argument");
}

/// What the record says of arguments that the schema does not.
static void readArguments(AtenRecord &record) {
  for (SchemaArg &arg : record.args)
    arg.declared = getDeclared(arg.name);
  for (StringRef name : record.def->getValueAsListOfStrings("takesNumbers")) {
    SchemaArg &arg = findArgument(record, name, "takesNumbers");
    if (arg.kind != "Tensor")
      PrintFatalError(record.def,
                      "'" + name + "' of 'takesNumbers' is no tensor");
    arg.kind = "TensorOrNumber";
  }
  const llvm::DagInit *modes = record.def->getValueAsDag("modes");
  for (auto [value, name] :
       llvm::zip(modes->getArgs(), modes->getArgNames())) {
    StringRef text = name ? name->getValue() : "";
    SchemaArg &arg = findArgument(record, text, "modes");
    const auto *words = llvm::dyn_cast<llvm::DefInit>(value);
    if (!words || !words->getDef()->isSubClassOf("Aten_Words") ||
        (arg.kind != "Int" && arg.kind != "String"))
      PrintFatalError(record.def, "'modes' expects Aten_Words for an int or a "
                                  "str, but '" + text + "' is otherwise");
    for (StringRef word : words->getDef()->getValueAsListOfStrings("words"))
      arg.words.push_back(word.str());
  }
}

/// Layout, Device and MemoryFormat are text in the IR.
static StringRef getStoredKind(StringRef kind) {
  if (kind == "Layout" || kind == "Device" || kind == "MemoryFormat")
    return "String";
  return kind;
}

/// What an op of the record stores besides operands: arguments in order, which of
/// a list of optional tensors are there, and the record's own.
static void readAttributes(AtenRecord &record) {
  unsigned variable = 0;
  for (const SchemaArg &arg : record.args) {
    bool isList = arg.kind == "TensorList" || arg.kind == "OptionalTensorList";
    variable += arg.isOperand() && (arg.isOptional || isList);
    if (arg.kind == "OptionalTensorList")
      record.attributes.push_back(
          {arg.name + "_present", "BoolList", /*isOptional=*/false});
    if (!arg.isOperand() && arg.kind != "Generator")
      record.attributes.push_back(
          {arg.declared, getStoredKind(arg.kind).str(), arg.isOptional});
  }
  for (const SchemaArg &own : parseArguments(
           record.def, record.def->getValueAsString("ownAttributes")))
    record.attributes.push_back(
        {own.name, getStoredKind(own.kind).str(), own.isOptional});
  record.hasSegments = variable > 1;
}

int AtenRecord::findOperand(StringRef name) const {
  int index = 0;
  for (const SchemaArg &arg : args) {
    if (!arg.isOperand())
      continue;
    if (arg.declared == name)
      return index;
    ++index;
  }
  return -1;
}

bool AtenRecord::hasAttribute(StringRef name) const {
  return llvm::any_of(attributes, [&](const StoredAttribute &stored) {
    return stored.name == name;
  });
}

std::string kiln::tblgen::getAccessor(StringRef name) {
  return "get" +
         llvm::convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

NamedFunction kiln::tblgen::parseFunction(const Record *def, StringRef text) {
  auto [name, rest] = text.split('(');
  bool isCall = name.size() != text.size();
  if (name.empty() || (isCall && !rest.consume_back(")")))
    PrintFatalError(def, "expected the name of a function, or a call, but "
                         "found '" + text + "'");
  return {name.str(), rest.empty() ? "" : ", " + rest.str()};
}

static void setPromotion(AtenRecord &record) {
  std::vector<StringRef> names =
      record.def->getValueAsListOfStrings("promotes");
  for (StringRef name : names)
    findArgument(record, name, "promotes");
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
  record.isSilentView = def->getValueAsBit("isSilentView");
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

AtenRecord kiln::tblgen::readAtenRecord(const Record *def) {
  AtenRecord record;
  record.def = def;
  record.className = def->getName().split('_').second.str();
  const Record *dialect = def->getValueAsDef("opDialect");
  record.library = dialect->getValueAsString("name").str();
  StringRef cppSpace = dialect->getValueAsString("cppNamespace");
  cppSpace.consume_front("::");
  record.cppSpace = cppSpace.str();
  record.schema = def->getValueAsString("schema").str();
  record.summary = def->getValueAsString("summary").str();
  record.shape = def->getValueAsString("shape").str();
  record.view = def->getValueAsString("view").str();
  record.undoesItself = def->getValueAsBit("undoesItself");
  record.hasOwnKernel = def->getValueAsBit("hasOwnKernel");
  record.promotion =
      def->getValueAsDef("promotion")->getValueAsString("name").str();
  const Record *decomposition = def->getValueAsDef("decomposition");
  if (decomposition->getName() != "NotDecomposed")
    record.decomposition = decomposition;
  readFacts(record);
  parseSchema(record);
  readArguments(record);
  readAttributes(record);
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
    result.push_back(readAtenRecord(def));
  llvm::sort(result, [](const AtenRecord &a, const AtenRecord &b) {
    return a.name < b.name;
  });
  return result;
}
