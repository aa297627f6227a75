//===- ExportedProgram.cpp - A `.pt2` file read into memory --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order of work: container, JSON, schema version, graph, signature, calling
// convention, symbols, weights. Each step trusts what the ones before checked.
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/ExportedProgram.h"

#include "Container.h"
#include "GraphReader.h"
#include "SymbolCheck.h"
#include "kiln/Base/FileSystem.h"

using namespace kiln;
using namespace kiln::archive;

namespace {

class ProgramReader {
public:
  explicit ProgramReader(Container container)
      : container_(std::move(container)) {}

  Result<ExportedProgram> read();

private:
  Status readJson(JsonView root);
  void readInputSpecs(JsonView specs);
  void readOutputSpecs(JsonView specs);
  Status checkSignature();
  void readCallingConvention(JsonView graphModule);
  void namePaths();
  void readRanges(JsonView ranges);
  void readGuards(JsonView guards);
  Status readWeights();
  Error error(const std::string &message) const {
    return Error::malformed("'" + program_.file + "': " + message);
  }

  Container container_;
  GraphReader reader_;
  ExportedProgram program_;
};

} // namespace

Result<ExportedProgram> ProgramReader::read() {
  program_.file = container_.file();
  program_.model = container_.model();
  auto digest = container_.digest();
  if (!digest)
    return digest.takeError();
  program_.digest = *digest;
  auto json = container_.graphJson();
  if (!json)
    return json.takeError();
  JsonLimits limits;
  limits.quoteNonFinite = container_.hasBareNonFinite();
  auto document = parseJson(
      json->text(),
      "'" + program_.file + "': '" + container_.graphMember() + "'", limits);
  if (!document)
    return document.takeError();
  if (auto status = readJson(document->root()); !status)
    return status.takeError();
  if (auto status = document->status(); !status)
    return status.takeError();
  std::string place = "'" + program_.file + "': graph";
  if (auto status = verifyGraph(program_.graph, place); !status)
    return status.takeError();
  if (auto status = checkSignature(); !status)
    return status.takeError();
  namePaths();
  if (auto status = checkSymbols(program_); !status)
    return status.takeError().withContext("'" + program_.file + "'");
  if (auto status = readWeights(); !status)
    return status.takeError();
  return std::move(program_);
}

Status ProgramReader::readJson(JsonView root) {
  JsonView version = root.field("schema_version");
  int64_t major = version.field("major").asInt();
  program_.schemaMinor = version.field("minor").asInt();
  if (root.ok() && major != 8)
    return Error::unsupported("'" + program_.file + "': schema version is " +
                              std::to_string(major) + ", expected 8");
  JsonView torch = root.optional("torch_version");
  if (!torch.isNull())
    program_.torchVersion = torch.asString();
  JsonView verifiers = root.optional("verifiers");
  if (!verifiers.isNull())
    for (const std::string &verifier : verifiers.asStrings())
      program_.isTrainingIR |= verifier == "TRAINING";
  JsonView opsets = root.optional("opset_version");
  if (opsets.isObject()) {
    JsonView aten = opsets.optional("aten");
    if (aten.isInt() && aten.asInt() != 10)
      program_.warnings.push_back("operator set of aten is " +
                                  std::to_string(aten.asInt()) +
                                  ", written for 10");
  }
  JsonView graphModule = root.field("graph_module");
  program_.graph = reader_.graph(graphModule.field("graph"));
  JsonView signature = graphModule.field("signature");
  readInputSpecs(signature.field("input_specs"));
  readOutputSpecs(signature.field("output_specs"));
  readCallingConvention(graphModule);
  readRanges(root.field("range_constraints"));
  readGuards(root.optional("guards_code"));
  return {};
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

static ConstantValue constantValue(JsonView view) {
  auto [tag, v] = view.asUnion();
  if (tag == "as_int")
    return v.asInt();
  if (tag == "as_float")
    return v.asDouble();
  if (tag == "as_bool")
    return v.asBool();
  if (tag == "as_string")
    return v.asString();
  if (tag != "as_none")
    view.fail("unknown tag '" + std::string(tag) + "' of a constant");
  return std::monostate();
}

void ProgramReader::readInputSpecs(JsonView specs) {
  using Kind = InputSpec::Kind;
  if (!specs.isArray()) {
    specs.fail("expected an array of input specifications");
    return;
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    auto [tag, spec] = specs[i].asUnion();
    InputSpec input;
    if (tag == "parameter" || tag == "buffer" || tag == "tensor_constant") {
      input.kind = tag == "parameter" ? Kind::Parameter
                   : tag == "buffer"  ? Kind::Buffer
                                      : Kind::TensorConstant;
      input.name = spec.field("arg").field("name").asString();
      input.target = spec.field(std::string(tag) + "_name").asString();
      if (input.kind == Kind::Buffer)
        input.persistent = spec.field("persistent").asBool();
    } else if (tag == "token") {
      input.kind = Kind::Token;
      input.name = spec.field("arg").field("name").asString();
    } else if (tag == "user_input") {
      Argument arg = reader_.argument(spec.field("arg"));
      if (auto *tensor = arg.as<TensorArg>())
        input.name = tensor->name;
      else if (auto *i = arg.as<SymIntArg>())
        input.name = i->name;
      else if (auto *f = arg.as<SymFloatArg>())
        input.name = f->name;
      else if (auto *b = arg.as<SymBoolArg>())
        input.name = b->name;
      else if (spec.ok())
        spec.fail("user input of the kind '" + std::string(arg.tag()) +
                      "' is not supported",
                  ErrorKind::Unsupported);
      input.isTensor = arg.as<TensorArg>() != nullptr;
    } else if (tag == "constant_input") {
      input.kind = Kind::ConstantInput;
      input.isTensor = false;
      input.name = spec.field("name").asString();
      input.constant = constantValue(spec.field("value"));
    } else if (tag == "custom_obj") {
      spec.fail("script object '" +
                    spec.field("custom_obj_name").asString() +
                    "' as an input is not supported",
                ErrorKind::Unsupported);
    } else {
      specs[i].fail("unknown input kind '" + std::string(tag) + "'",
                    ErrorKind::Unsupported);
    }
    program_.inputs.push_back(std::move(input));
  }
}

void ProgramReader::readOutputSpecs(JsonView specs) {
  using Kind = OutputSpec::Kind;
  struct Form {
    std::string_view tag;
    Kind kind;
    std::string_view target;
  };
  static constexpr Form forms[] = {
      {"loss_output", Kind::Loss, ""},
      {"buffer_mutation", Kind::BufferMutation, "buffer_name"},
      {"parameter_mutation", Kind::ParameterMutation, "parameter_name"},
      {"user_input_mutation", Kind::UserInputMutation, "user_input_name"},
      {"gradient_to_parameter", Kind::GradientToParameter, "parameter_name"},
      {"gradient_to_user_input", Kind::GradientToUserInput, "user_input_name"},
      {"token", Kind::Token, ""},
  };
  if (!specs.isArray()) {
    specs.fail("expected an array of output specifications");
    return;
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    auto [tag, spec] = specs[i].asUnion();
    OutputSpec output;
    const Form *form = nullptr;
    for (const Form &candidate : forms)
      if (candidate.tag == tag)
        form = &candidate;
    if (form) {
      output.kind = form->kind;
      output.arg.value = TensorArg{spec.field("arg").field("name").asString()};
      if (!form->target.empty())
        output.target = spec.field(form->target).asString();
    } else if (tag == "user_output") {
      output.arg = reader_.argument(spec.field("arg"));
    } else {
      specs[i].fail("unknown output kind '" + std::string(tag) + "'",
                    ErrorKind::Unsupported);
    }
    program_.outputs.push_back(std::move(output));
  }
}

/// The only name of an argument, or nothing.
static std::optional<std::string> nameOf(const Argument &arg) {
  std::optional<std::string> found;
  arg.forEachName([&](const std::string &name) { found = name; });
  return found;
}

/// Whether a constant graph input is the constant of its specification.
static bool isConstant(const Argument &arg, const ConstantValue &value) {
  if (std::holds_alternative<std::monostate>(value))
    return arg.isNone();
  if (auto *b = std::get_if<bool>(&value))
    return arg.as<bool>() && *arg.as<bool>() == *b;
  if (auto *i = std::get_if<int64_t>(&value))
    return arg.as<int64_t>() && *arg.as<int64_t>() == *i;
  if (auto *f = std::get_if<double>(&value)) {
    auto *other = arg.as<double>();
    return other && (*other == *f || (*other != *other && *f != *f));
  }
  return arg.as<std::string>() &&
         *arg.as<std::string>() == std::get<std::string>(value);
}

Status ProgramReader::checkSignature() {
  const Graph &graph = program_.graph;
  if (graph.inputs.size() != program_.inputs.size() ||
      graph.outputs.size() != program_.outputs.size())
    return error("signature has " + std::to_string(program_.inputs.size()) +
                 " inputs and " + std::to_string(program_.outputs.size()) +
                 " outputs, but the graph has " +
                 std::to_string(graph.inputs.size()) + " and " +
                 std::to_string(graph.outputs.size()));
  std::map<std::string, bool> seen;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const InputSpec &input = program_.inputs[i];
    if (input.kind == InputSpec::Kind::ConstantInput) {
      if (!isConstant(graph.inputs[i], input.constant))
        return error("constant input " + std::to_string(i) + " '" +
                     input.name + "' differs from the graph's");
      continue;
    }
    auto name = nameOf(graph.inputs[i]);
    if (!name || *name != input.name)
      return error("signature names graph input " + std::to_string(i) + " '" +
                   input.name + "', but the graph has '" +
                   name.value_or(std::string(graph.inputs[i].tag())) + "'");
    bool isTensor = graph.tensors.count(input.name);
    if (input.isTensor != isTensor)
      return error("signature and graph disagree whether input '" +
                   input.name + "' is a tensor");
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Argument &wanted = program_.outputs[i].arg, &found = graph.outputs[i];
    if (nameOf(wanted) != nameOf(found) ||
        (!nameOf(wanted) && wanted.tag() != found.tag()))
      return error("signature names graph output " + std::to_string(i) + " '" +
                   nameOf(wanted).value_or(std::string(wanted.tag())) +
                   "', but the graph has '" +
                   nameOf(found).value_or(std::string(found.tag())) + "'");
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Calling convention
//===----------------------------------------------------------------------===//

void ProgramReader::readCallingConvention(JsonView graphModule) {
  NamedTupleFields fields;
  JsonView tuples = graphModule.optional("treespec_namedtuple_fields");
  for (size_t i = 0; tuples.isObject() && i < tuples.size(); ++i)
    fields[tuples.key(i)] = tuples.member(i).field("field_names").asStrings();
  JsonView calls = graphModule.optional("module_call_graph");
  if (!calls.isArray() || calls.size() == 0)
    return;
  for (size_t i = 0; i < calls.size(); ++i) {
    JsonView fqn = calls[i].optional("fqn");
    JsonView signature = calls[i].optional("signature");
    if (!fqn.isString() || !fqn.asString().empty() || !signature.isObject())
      continue;
    // The convention only names things; without it the program runs flat.
    auto parse = [&](std::string_view key, PyTree &tree) {
      JsonView text = signature.optional(key);
      if (!text.isString())
        return;
      auto parsed = parsePyTree(text.asString(), fields);
      if (parsed)
        tree = std::move(*parsed);
      else
        program_.warnings.push_back(std::string(key) + " is ignored: " +
                                    parsed.error().message);
    };
    parse("in_spec", program_.inSpec);
    parse("out_spec", program_.outSpec);
    JsonView names = signature.optional("forward_arg_names");
    if (names.isArray())
      program_.argumentNames = names.asStrings();
    return;
  }
}

/// "[0][1].a" to "L['y'].a", as guards name an input.
static std::string guardSource(const std::string &path,
                               const std::vector<std::string> &names) {
  if (path.compare(0, 3, "[1]") == 0)
    return "L" + path.substr(3);
  if (path.compare(0, 4, "[0][") != 0)
    return {};
  size_t end = path.find(']', 4);
  if (end == std::string::npos || end - 4 > 6)
    return {};
  size_t index = 0;
  for (size_t i = 4; i < end; ++i)
    index = index * 10 + static_cast<size_t>(path[i] - '0');
  if (index >= names.size())
    return {};
  return "L['" + names[index] + "']" + path.substr(end + 1);
}

void ProgramReader::namePaths() {
  std::vector<InputSpec *> inputs;
  for (InputSpec &input : program_.inputs)
    if (input.isCallerInput())
      inputs.push_back(&input);
  std::vector<std::string> paths = program_.inSpec.leafPaths();
  if (program_.inSpec.isLeaf() || paths.size() != inputs.size()) {
    if (!program_.inSpec.isLeaf())
      program_.warnings.push_back(
          "in_spec is ignored: it has " + std::to_string(paths.size()) +
          " leaves, the program " + std::to_string(inputs.size()) + " inputs");
    paths.clear();
    for (size_t i = 0; i < inputs.size(); ++i)
      paths.push_back("[0][" + std::to_string(i) + "]");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i]->path = paths[i];
    inputs[i]->source = guardSource(paths[i], program_.argumentNames);
    if (inputs[i]->source.empty())
      inputs[i]->source = "L['" + inputs[i]->name + "']";
  }

  std::vector<OutputSpec *> outputs;
  bool isJoint = false;
  for (OutputSpec &output : program_.outputs) {
    if (output.isCallerOutput())
      outputs.push_back(&output);
    isJoint |= output.kind == OutputSpec::Kind::Loss;
  }
  paths = program_.outSpec.leafPaths();
  bool hasSpec = !program_.outSpec.isLeaf() || outputs.size() == 1;
  if (!hasSpec || isJoint || paths.size() != outputs.size()) {
    if (!isJoint && paths.size() != outputs.size())
      program_.warnings.push_back(
          "out_spec is ignored: it has " + std::to_string(paths.size()) +
          " leaves, the program " + std::to_string(outputs.size()) +
          " outputs");
    paths.clear();
    for (size_t i = 0; i < outputs.size(); ++i)
      paths.push_back(outputs.size() == 1 ? ""
                                          : "[" + std::to_string(i) + "]");
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i]->path = paths[i];
}

//===----------------------------------------------------------------------===//
// Symbols and guards
//===----------------------------------------------------------------------===//

/// Keys that are expressions follow from the entry of their symbol.
static bool isSymbolName(std::string_view key) {
  if (key.empty() || (key[0] >= '0' && key[0] <= '9'))
    return false;
  for (char c : key)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
          (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

void ProgramReader::readRanges(JsonView ranges) {
  if (!ranges.isObject()) {
    ranges.fail("expected an object of ranges");
    return;
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    JsonView entry = ranges.member(i);
    JsonView min = entry.optional("min_val"), max = entry.optional("max_val");
    SymRange range;
    if (!min.isNull())
      range.min = min.asInt();
    if (!max.isNull())
      range.max = max.asInt();
    if (range.min && range.max && *range.min > *range.max)
      entry.fail("range of '" + ranges.key(i) + "' is empty");
    if (isSymbolName(ranges.key(i)))
      program_.ranges.emplace(ranges.key(i), range);
    else if (auto expr = parseInfix(ranges.key(i)))
      program_.derivedRanges.emplace_back(*expr, range);
  }
}

void ProgramReader::readGuards(JsonView guards) {
  if (guards.isNull())
    return;
  for (std::string &text : guards.asStrings()) {
    GuardCode guard;
    auto expr = parseGuardCode(text);
    if (expr)
      guard.expr = *expr;
    else
      program_.warnings.push_back(expr.error().message);
    guard.text = std::move(text);
    program_.guards.push_back(std::move(guard));
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static std::string_view kindWord(InputSpec::Kind kind) {
  switch (kind) {
  case InputSpec::Kind::Parameter:
    return "parameter";
  case InputSpec::Kind::Buffer:
    return "buffer";
  case InputSpec::Kind::TensorConstant:
    return "constant";
  default:
    return "";
  }
}

Status ProgramReader::readWeights() {
  std::map<std::string, std::string> usedAs;
  for (const InputSpec &input : program_.inputs)
    if (auto word = kindWord(input.kind); !word.empty())
      usedAs.emplace(input.target, word);
  auto weights = container_.weights(usedAs);
  if (!weights)
    return weights.takeError();
  program_.weights = std::move(*weights);
  for (const InputSpec &input : program_.inputs) {
    if (kindWord(input.kind).empty())
      continue;
    std::string shown =
        std::string(kindWord(input.kind)) + " '" + input.target + "'";
    const Weight *weight = program_.weightOf(input);
    if (!weight)
      return error(shown + " has no entry in the weight tables");
    const TensorMeta &meta = *program_.graph.tensor(input.name);
    if (weight->dtype != meta.dtype)
      return error(shown + " is " + std::string(dtypeName(weight->dtype)) +
                   " in the weight table, but " +
                   std::string(dtypeName(meta.dtype)) + " in the graph");
    bool fits = weight->sizes.size() == meta.sizes.size();
    for (size_t i = 0; fits && i < meta.sizes.size(); ++i)
      fits = !meta.sizes[i].isStatic() ||
             meta.sizes[i].value == weight->sizes[i];
    if (!fits)
      return error(shown + " has other sizes in the weight table than in the "
                           "graph");
  }
  return {};
}

const Weight *ExportedProgram::weightOf(const InputSpec &input) const {
  if (kindWord(input.kind).empty())
    return nullptr;
  auto it = weights.find(input.target);
  return it == weights.end() ? nullptr : &it->second;
}

Result<ExportedProgram>
archive::loadExportedProgram(SharedBytes bytes, const std::string &file,
                             const LoadOptions &options) {
  auto container = Container::open(std::move(bytes), file, options);
  if (!container)
    return container.takeError();
  return ProgramReader(std::move(*container)).read();
}

Result<ExportedProgram>
archive::loadExportedProgram(const std::string &path,
                             const LoadOptions &options) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return loadExportedProgram(std::move(*bytes), path, options);
}
