//===- CppHeader.cpp - A typed C++ header for one package -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/CppHeader.h"

#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/NumberKinds.h"

#include <cctype>
#include <set>

using namespace kiln;
using namespace kiln::package;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

/// The words of C++ up to C++20, and then the names that a header says itself or
/// that are macros or the program.
static const std::set<std::string> kReserved = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
    "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",

    "Inputs", "KilnValue", "Model", "Outputs", "errno", "int16_t", "int32_t",
    "int64_t", "int8_t", "kiln", "linux", "main", "std", "uint16_t", "uint32_t",
    "uint64_t", "uint8_t", "unix"};

/// Words, and what the headers of C have as macros: names of capitals alone.
static bool isReserved(const std::string &name) {
  bool isMacro = name.size() > 2;
  for (char c : name)
    isMacro &= c == '_' || std::isdigit(static_cast<unsigned char>(c)) ||
               std::isupper(static_cast<unsigned char>(c));
  return isMacro || kReserved.count(name);
}

static std::string toIdentifier(const std::string &name) {
  std::string text;
  for (char c : name) {
    bool fits = std::isalnum(static_cast<unsigned char>(c)) &&
                static_cast<unsigned char>(c) < 128;
    // Two underscores are the implementation's.
    if (fits || (c == '_' && (text.empty() || text.back() != '_')))
      text += c;
    else if (text.empty() || text.back() != '_')
      text += '_';
  }
  if (text.empty() || text[0] == '_' ||
      std::isdigit(static_cast<unsigned char>(text[0])))
    text = "v" + (text.empty() || text[0] == '_' ? text : "_" + text);
  return isReserved(text) ? text + "_" : text;
}

static std::string toUnused(const std::string &name,
                            std::set<std::string> &taken) {
  std::string base = toIdentifier(name), unused = base;
  for (unsigned k = 2; !taken.insert(unused).second; ++k)
    unused = base + std::to_string(k);
  return unused;
}

/// As text of a C++ string literal.
static std::string quote(const std::string &text) {
  static const char digits[] = "01234567";
  std::string quoted = "\"";
  for (unsigned char c : text)
    if (c == '"' || c == '\\' || c < 32 || c > 126 || c == '?')
      quoted += {'\\', digits[c >> 6], digits[(c >> 3) & 7], digits[c & 7]};
    else
      quoted += static_cast<char>(c);
  return quoted + "\"";
}

/// As text behind `//`: nothing that ends the line.
static std::string comment(const std::string &text) {
  std::string line;
  for (unsigned char c : text)
    line += c < 32 || c > 126 || c == '\\' ? '?' : static_cast<char>(c);
  return line;
}

static std::string upper(std::string_view text) {
  std::string result;
  for (char c : text)
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

/// "KILN_DTYPE_F32".
static std::string dtypeConstant(DType dtype) {
  return "KILN_DTYPE_" + upper(dtypeName(dtype));
}

static std::string elementType(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "bool";
  case DType::U8:
    return "uint8_t";
  case DType::I8:
    return "int8_t";
  case DType::I16:
    return "int16_t";
  case DType::I32:
    return "int32_t";
  case DType::I64:
    return "int64_t";
  case DType::U16:
    return "uint16_t";
  case DType::U32:
    return "uint32_t";
  case DType::U64:
    return "uint64_t";
  case DType::F32:
    return "float";
  case DType::F64:
    return "double";
  case DType::C64:
    return "std::complex<float>";
  case DType::C128:
    return "std::complex<double>";
  default:
    return "kiln::c::Bits<" + dtypeConstant(dtype) + ", uint" +
           std::to_string(8 * itemSize(dtype)) + "_t>";
  }
}

/// "2, kiln::c::kDynamic" or, for a list of numbers, "2, -1".
static std::string sizesText(const Program &program,
                             const std::vector<ExprId> &sizes,
                             const char *dynamic) {
  std::string text;
  for (ExprId id : sizes) {
    auto size = constantSize(program.exprs[id]);
    text += (text.empty() ? "" : ", ") +
            (size ? std::to_string(*size) : dynamic);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

namespace {
/// The texts that a header is put together from.
struct Parts {
  std::string inputs, outputs;                 ///< members of the structs
  std::string expectedInputs, expectedOutputs; ///< for the comparison
  std::string passed, taken;                   ///< lines of `run`
  unsigned inputCount = 0, outputCount = 0;
};
} // namespace

static std::string expectedLine(const std::string &name, const char *kind,
                                const std::string &dtype,
                                const std::string &sizes) {
  return "            {" + quote(name) + ", KILN_VALUE_" + kind + ", " + dtype +
         ", {" + sizes + "}},\n";
}

/// Of an enumerator of KilnValueKind.
static const char *kindName(NumberKind kind) {
  static const char *const names[] = {"NONE", "BOOL", "INT", "FLOAT",
                                      "COMPLEX"};
  return names[static_cast<size_t>(kind)];
}

static std::string shapeArguments(const std::string &element,
                                  const std::string &sizes) {
  return "<" + element + (sizes.empty() ? "" : ", " + sizes) + ">";
}

static void addInput(const Program &program, uint32_t index, Parts &parts,
                     std::set<std::string> &taken) {
  const Slot &slot = program.slots[index];
  std::string place = "    values[" + std::to_string(parts.inputCount++) + "] = ";
  if (!slot.isTensor && !slot.isSymbolic) {
    // No choice: the library fills it in.
    parts.expectedInputs += expectedLine(
        slot.name, kindName(kindOf(program, index)), "KILN_DTYPE_NONE", "");
    parts.passed += place + "none();\n";
    return;
  }
  std::string name = toUnused(slot.name, taken);
  std::string note = "; ///< " + comment(slot.path) + "\n";
  if (slot.isTensor) {
    std::string sizes =
        sizesText(program, slot.sizes, "kiln::c::kDynamic");
    parts.inputs += "  kiln::c::View" +
                    shapeArguments("const " + elementType(slot.dtype), sizes) +
                    " " + name + note;
    parts.expectedInputs +=
        expectedLine(slot.name, "TENSOR", dtypeConstant(slot.dtype),
                     sizesText(program, slot.sizes, "-1"));
    parts.passed += "    kiln::c::TensorHandle handle_" + name + " = inputs." +
                    name + ".borrow();\n" + place + "kilnTensorValue(handle_" +
                    name + ".get());\n";
    return;
  }
  NumberKind kind = kindOf(program, index);
  bool isReal = kind == NumberKind::Float;
  parts.inputs += std::string(isReal ? "  double " : "  int64_t ") + name + note;
  parts.expectedInputs += expectedLine(slot.name, kindName(kind),
                                       "KILN_DTYPE_NONE", "");
  parts.passed += place + (isReal ? "real" : "kilnIntValue") + "(inputs." + name +
                  ");\n";
}

static void addOutput(const Program &program, const Output &output,
                      Parts &parts, std::set<std::string> &taken) {
  std::string value = "results[" + std::to_string(parts.outputCount++) + "]";
  std::string name = toUnused(output.name, taken);
  std::string note = "; ///< " + comment(output.path) + "\n";
  std::string separator = parts.taken.empty() ? "" : ",\n        ";
  if (output.kind != Output::Kind::Tensor) {
    parts.outputs += "  KilnValue " + name + note;
    parts.expectedOutputs +=
        expectedLine(output.name, kindName(kindOf(program, output)),
                     "KILN_DTYPE_NONE", "");
    parts.taken += separator + value;
    return;
  }
  const Value &tensor = program.values[output.value];
  std::string type =
      "kiln::c::Tensor" +
      shapeArguments(elementType(tensor.dtype),
                     sizesText(program, tensor.sizes, "kiln::c::kDynamic"));
  parts.outputs += "  " + type + " " + name + note;
  parts.expectedOutputs +=
      expectedLine(output.name, "TENSOR", dtypeConstant(tensor.dtype),
                   sizesText(program, tensor.sizes, "-1"));
  parts.taken += separator + "take<" + type + ">(" + value + ")";
}

std::string package::printCppHeader(const Package &package,
                                    const std::string &name) {
  const Program &program = package.programs.front();
  std::set<std::string> inputs, outputs;
  Parts parts;
  for (uint32_t i = 0; i < program.slots.size(); ++i)
    if (program.slots[i].kind == Slot::Kind::UserInput)
      addInput(program, i, parts, inputs);
  for (const Output &output : program.outputs)
    if (output.role == Output::Role::UserOutput ||
        output.role == Output::Role::Loss)
      addOutput(program, output, parts, outputs);
  std::string base = toIdentifier(name), space = "kiln::models::" + base;
  std::string guard = "KILN_MODEL_" + upper(base) + "_H";
  auto array = [](unsigned count) {
    return "[" + std::to_string(std::max(count, 1u)) + "]";
  };
  return "// Made by kiln-compile --emit=header; kiln-c/Model.hpp says how it is "
         "used.\n#ifndef " + guard + "\n#define " + guard +
         "\n\n#include <kiln-c/Model.hpp>\n\nnamespace " + space +
         " {\n\n/// What a call takes.\nstruct Inputs {\n" + parts.inputs +
         "};\n\n/// What a call gives.\nstruct Outputs {\n" + parts.outputs +
         "};\n\nclass Model : public kiln::c::Package {\npublic:\n"
         "  /// Opens a package of this model; throws kiln::c::Error.\n"
         "  explicit Model(const std::string &path,\n"
         "                 const KilnModelOptions *options = nullptr)\n"
         "      : Package(path, options,\n          {\n" +
         parts.expectedInputs + "          },\n          {\n" +
         parts.expectedOutputs + "          }) {}\n\n"
         "  /// Runs the program; throws kiln::c::Error.\n"
         "  Outputs run(const Inputs &inputs) {\n    KilnValue values" +
         array(parts.inputCount) + ", results" + array(parts.outputCount) +
         ";\n    (void)inputs;\n" + parts.passed + "    call(values, " +
         std::to_string(parts.inputCount) + ", results, " +
         std::to_string(parts.outputCount) + ");\n    Results rest{results, " +
         std::to_string(parts.outputCount) + "};\n    return Outputs{" +
         parts.taken + "};\n  }\n};\n\n} // namespace " + space + "\n\n#endif // " +
         guard + "\n";
}
