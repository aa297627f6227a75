//===- CppHeader.cpp - A typed C++ header for one package -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Package/CppHeader.h"

#include "kiln/Package/ExprEvaluator.h"

#include <cctype>
#include <set>

using namespace kiln;
using namespace kiln::package;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

static const std::set<std::string> kReserved = {
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case",
    "catch", "char", "class", "const", "constexpr", "continue", "decltype",
    "default", "delete", "do", "double", "else", "enum", "explicit", "export",
    "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "kiln", "long", "mutable", "namespace", "new", "noexcept", "not", "nullptr",
    "operator", "or", "private", "protected", "public", "register", "return",
    "short", "signed", "sizeof", "static", "std", "struct", "switch", "template",
    "this", "throw", "true", "try", "typedef", "typename", "union", "unsigned",
    "using", "virtual", "void", "volatile", "while", "xor"};

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
  return kReserved.count(text) ? text + "_" : text;
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
    Cell value;
    const Expr &size = program.exprs[id];
    bool isKnown = symbolsOf(size).empty() &&
                   evaluate(size, nullptr, value) == ExprFailure::None &&
                   value.isInteger();
    text += (text.empty() ? "" : ", ") +
            (isKnown ? std::to_string(value.integer) : dynamic);
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

static bool isFloatSymbol(const Program &program, uint32_t slot) {
  for (const Symbol &symbol : program.symbols)
    if (symbol.source == Symbol::Source::InputScalar && symbol.slot == slot)
      return symbol.isFloat;
  return false;
}

static const char *constantKind(const Constant &constant) {
  if (std::holds_alternative<bool>(constant))
    return "BOOL";
  if (std::holds_alternative<int64_t>(constant))
    return "INT";
  return std::holds_alternative<double>(constant) ? "FLOAT" : "NONE";
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
        slot.name, constantKind(slot.constant), "KILN_DTYPE_NONE", "");
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
  bool isReal = isFloatSymbol(program, index);
  parts.inputs += std::string(isReal ? "  double " : "  int64_t ") + name + note;
  parts.expectedInputs += expectedLine(slot.name, isReal ? "FLOAT" : "INT",
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
    const char *kind = output.kind == Output::Kind::Constant
                           ? constantKind(output.constant)
                           : "INT";
    parts.expectedOutputs +=
        expectedLine(output.name, kind, "KILN_DTYPE_NONE", "");
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
  std::string space = toIdentifier(name);
  std::string guard = "KILN_MODEL_" + upper(space) + "_H";
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
