//===- ExportedProgramTest.cpp - Reading exported programs ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArchive.h"

#include "ArchiveTestSupport.h"
#include "kiln/Archive/ExportedProgram.h"

#include <cstring>

using namespace kiln;
using namespace kiln::archive;

static std::string meta(const std::string &size) {
  return R"({"dtype": 7, "sizes": [)" + size +
         R"(], "requires_grad": false, "device": {"type": "cpu",
         "index": null}, "strides": [{"as_int": 1}],
         "storage_offset": {"as_int": 0}, "layout": 7})";
}

/// y = x + w, with a dynamic size if `size` is an expression. `w` is a
/// parameter of two elements.
static std::string program(const std::string &size = R"({"as_int": 2})",
                           const std::string &node = "w",
                           const std::string &extra = "") {
  return R"({"graph_module": {"graph": {
    "inputs": [{"as_tensor": {"name": "w"}}, {"as_tensor": {"name": "x"}}],
    "outputs": [{"as_tensor": {"name": "y"}}],
    "nodes": [{"target": "torch.ops.aten.add.Tensor", "name": "y",
      "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}},
                  "kind": 1},
                 {"name": "other", "arg": {"as_tensor": {"name": ")" +
         node + R"("}}, "kind": 1}],
      "outputs": [{"as_tensor": {"name": "y"}}], "metadata": {
        "stack_trace": "File \"/home/a/model.py\", line 12, in forward\n"}}],
    "tensor_values": {"w": )" +
         meta(R"({"as_int": 2})") + R"(, "x": )" + meta(size) +
         R"(, "y": )" + meta(size) + R"(},
    "sym_int_values": {}, "sym_bool_values": {}},
   "signature": {
    "input_specs": [
     {"parameter": {"arg": {"name": "w"}, "parameter_name": "m.w"}},
     {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
    "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]},
   "module_call_graph": []},
  "opset_version": {"aten": 10}, "range_constraints": {)" +
         extra + R"(}, "schema_version": {"major": 8, "minor": 17},
  "verifiers": ["ATEN"]})";
}

static const std::string weightTable =
    R"({"config": {"m.w": {"path_name": "weight_0", "is_param": true,
    "use_pickle": false, "tensor_meta": {"dtype": 7, "sizes": [{"as_int": 2}],
    "requires_grad": true, "device": {"type": "cpu", "index": null},
    "strides": [{"as_int": 1}], "storage_offset": {"as_int": 1},
    "layout": 7}}}})";

static std::string archiveOf(const std::string &json,
                             const std::string &table = weightTable,
                             const std::string &record =
                                 std::string(12, '\1')) {
  return ZipBuilder()
      .add("r/archive_format", "pt2")
      .add("r/archive_version", "0")
      .add("r/byteorder", "little")
      .add("r/models/model.json", json)
      .add("r/data/weights/model_weights_config.json", table)
      .add("r/data/weights/weight_0", record)
      .build();
}

static Result<ExportedProgram> load(std::string bytes,
                                    const LoadOptions &options = {}) {
  return loadExportedProgram(SharedBytes::own(std::move(bytes)), "t.pt2",
                             options);
}

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ExportedProgram, ReadsARealFile) {
  auto program = loadExportedProgram(getSampleArchive());
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->model, "model");
  EXPECT_TRUE(program->isTrainingIR);
  ASSERT_EQ(program->graph.nodes.size(), 2u);
  EXPECT_EQ(program->graph.nodes[1].overload(), "aten.matmul.default");
  EXPECT_EQ(program->graph.nodes[1].location(), "model.py:65");
  ASSERT_EQ(program->inputs.size(), 2u);
  EXPECT_EQ(program->inputs[1].path, "[0][1]");
  EXPECT_EQ(program->inputs[1].source, "L['b']");
  EXPECT_EQ(program->outputs[0].path, "");
  const TensorMeta *b = program->graph.tensor("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->sizes[1].value, 5);
}

TEST(ExportedProgram, WeightsAreViews) {
  auto program = load(archiveOf(::program()));
  ASSERT_TRUE(program) << program.error().message;
  const Weight *weight = program->weightOf(program->inputs[0]);
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->storageOffset, 1);
  EXPECT_EQ(weight->storage.size(), 12u);
  EXPECT_TRUE(weight->isParameter && weight->requiresGrad);
  EXPECT_EQ(program->weightOf(program->inputs[1]), nullptr);
  EXPECT_EQ(program->graph.nodes[0].location(), "model.py:12");
}

TEST(ExportedProgram, WeightsMayBeMissingAltogether) {
  auto program = load(archiveOf(::program(), weightTable, ""));
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_FALSE(program->weights.at("m.w").isSupplied);
}

TEST(ExportedProgram, WeightsStayInTheirRecord) {
  expectError(load(archiveOf(::program(), weightTable, std::string(11, 'x'))),
              ErrorKind::Malformed, {"t.pt2", "m.w", "storage", "12", "11"});
  expectError(load(archiveOf(::program(),
                             replaced(weightTable, "weight_0", "../x"))),
              ErrorKind::Malformed, {"../x"});
  expectError(
      load(archiveOf(::program(),
                     replaced(weightTable, R"("use_pickle": false)",
                              R"("use_pickle": true)"))),
      ErrorKind::Unsupported, {"m.w", "subclass"});
  expectError(load(archiveOf(::program(), R"({"config": {}})")),
              ErrorKind::Malformed, {"parameter 'm.w'", "no entry"});
  expectError(load(archiveOf(::program(),
                             replaced(weightTable, R"("dtype": 7)",
                                      R"("dtype": 6)"))),
              ErrorKind::Malformed, {"f16", "f32"});
}

TEST(ExportedProgram, NamesAreDefinedOnceAndBeforeUse) {
  expectError(load(archiveOf(::program(R"({"as_int": 2})", "z"))),
              ErrorKind::Malformed, {"aten.add.Tensor", "'z'", "not defined"});
  expectError(load(archiveOf(::program(R"({"as_int": 2})", "y"))),
              ErrorKind::Malformed, {"'y'", "not defined before"});
  // The graph's result has the name of an input.
  std::string twice =
      replaced(::program(), R"({"name": "y"}}], "metadata")",
               R"({"name": "x"}}], "metadata")");
  expectError(load(archiveOf(twice)), ErrorKind::Malformed,
              {"'x'", "second time"});
}

TEST(ExportedProgram, SignatureAgreesWithTheGraph) {
  expectError(load(archiveOf(replaced(
                  ::program(), R"({"arg": {"name": "w"}, "parameter_name")",
                  R"({"arg": {"name": "x"}, "parameter_name")"))),
              ErrorKind::Malformed, {"graph input 0", "'x'", "'w'"});
  expectError(load(archiveOf(replaced(::program(), R"("user_output")",
                                      R"("new_output")"))),
              ErrorKind::Unsupported, {"new_output"});
}

TEST(ExportedProgram, HintsMustBeReproduced) {
  auto size = [](const std::string &expr, int hint) {
    return R"({"as_expr": {"expr_str": ")" + expr +
           R"(", "hint": {"as_int": )" + std::to_string(hint) + "}}}";
  };
  std::string s = "Symbol('s0', positive=True, integer=True)";
  auto good = load(archiveOf(
      ::program(size(s, 4), "w", R"("s0": {"min_val": 2, "max_val": 9})")));
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(std::get<int64_t>(good->hints.at("s0")), 4);
  EXPECT_EQ(good->ranges.at("s0").max, 9);
  expectError(load(archiveOf(::program(
                  size(s, 4), "w", R"("s0": {"min_val": 5, "max_val": 9})"))),
              ErrorKind::Malformed, {"'s0'", "4", "range"});
  std::string json = ::program(size(s, 4));
  // The result claims to be twice as large as it is.
  size_t last = json.rfind("\"expr_str\"");
  json.replace(json.find("\"as_int\": 4", last), 11, "\"as_int\": 8");
  expectError(load(archiveOf(json)), ErrorKind::Malformed, {"'s0'", "8"});
  expectError(load(archiveOf(::program(size("Evil(Integer(1))", 1)))),
              ErrorKind::Unsupported, {"Evil", "sizes[0]"});
}

TEST(ExportedProgram, RangesMayBeOpenAndOfExpressions) {
  auto open = load(archiveOf(::program(
      R"x({"as_expr": {"expr_str": "Symbol('s0', integer=True)",
                       "hint": {"as_int": 4}}})x",
      "w",
      R"("s0": {"min_val": null, "max_val": 64},
         "2*s0 + 1": {"min_val": 5, "max_val": null})")));
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_FALSE(open->ranges.at("s0").min);
  EXPECT_EQ(open->ranges.at("s0").max, 64);
  ASSERT_EQ(open->derivedRanges.size(), 1u);
  EXPECT_EQ(open->derivedRanges[0].second.min, 5);
  EXPECT_FALSE(open->derivedRanges[0].second.max);
}

TEST(ExportedProgram, SchemaAndLayoutsAreChecked) {
  expectError(load(archiveOf(replaced(::program(), R"("major": 8)",
                                      R"("major": 9)"))),
              ErrorKind::Unsupported, {"schema version", "9"});
  expectError(load(archiveOf(replaced(::program(), R"("layout": 7)",
                                      R"("layout": 1)"))),
              ErrorKind::Unsupported, {"layout 1"});
  expectError(load(archiveOf(replaced(::program(), R"("dtype": 7)",
                                      R"("dtype": 99)"))),
              ErrorKind::Malformed, {"dtype code 99"});
  expectError(
      load(archiveOf(replaced(::program(), R"({"as_tensor": {"name": "y"}}],
    "nodes")",
                              R"({"as_thing": 1}],
    "nodes")"))),
      ErrorKind::Unsupported, {"as_thing", "outputs[0]"});
}

TEST(ExportedProgram, OtherFilesAreToldApart) {
  auto build = [](std::initializer_list<std::string> names) {
    ZipBuilder zip;
    for (const std::string &name : names)
      zip.add(name, name == "r/archive_format" ? "pt2" : "x");
    return zip.build();
  };
  expectError(load(build({"r/data.pkl", "r/constants.pkl"})),
              ErrorKind::Unsupported, {"TorchScript"});
  expectError(load(build({"r/data.pkl", "r/version"})), ErrorKind::Unsupported,
              {"checkpoint"});
  expectError(
      load(build({"r/archive_format", "r/data/aotinductor/model/a.so"})),
      ErrorKind::Unsupported, {"compiled package"});
  expectError(load(build({"a", "b"})), ErrorKind::Malformed,
              {"archive_format"});
  expectError(load(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a"
                               "\xa8\x50\x19....",
                               18)),
              ErrorKind::Unsupported, {"checkpoint"});
  EXPECT_EQ(loadExportedProgram("/nonexistent/file.pt2").error().kind,
            ErrorKind::Io);
}

TEST(ExportedProgram, SeveralProgramsWantAChoice) {
  std::string bytes =
      ZipBuilder()
          .add("r/archive_format", "pt2")
          .add("r/models/beta.json", ::program())
          .add("r/models/alpha.json", ::program())
          .add("r/data/weights/alpha_weights_config.json", weightTable)
          .add("r/data/weights/weight_0", std::string(12, '\1'))
          .build();
  expectError(load(bytes), ErrorKind::Unsupported, {"'alpha', 'beta'"});
  LoadOptions options;
  options.model = "alpha";
  EXPECT_TRUE(load(bytes, options));
  options.model = "gamma";
  expectError(load(bytes, options), ErrorKind::Usage, {"gamma", "alpha"});
}

TEST(ExportedProgram, OldArchivesMayHoldBareInfinities) {
  std::string json =
      replaced(::program(), R"({"as_tensor": {"name": "w"}}, "kind")",
               R"({"as_float": -Infinity}, "kind")");
  auto build = [&](const std::string &version) {
    ZipBuilder zip;
    zip.add("version", version)
        .add("serialized_exported_program.json", json)
        .add("serialized_constants.pt", "")
        .add("serialized_state_dict.pt", "");
    return zip.build();
  };
  // The weight is missing, which is found after the JSON was read.
  expectError(load(build("8.2")), ErrorKind::Malformed, {"m.w"});
  expectError(load(build("8.7")), ErrorKind::Malformed, {"parse error"});
  expectError(load(build("9.1")), ErrorKind::Unsupported, {"version", "9"});
}

TEST(ExportedProgram, DigestFollowsContents) {
  auto first = load(archiveOf(::program()));
  auto again = load(archiveOf(::program()));
  auto other =
      load(archiveOf(::program(), weightTable, std::string(12, '\2')));
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->digest, again->digest);
  EXPECT_NE(first->digest, other->digest);
}

TEST(ExportedProgram, EveryCutOfARealFileIsAnError) {
  auto bytes = readFile(getSampleArchive());
  ASSERT_TRUE(bytes);
  std::string all(bytes->begin(), bytes->end());
  for (size_t size = 0; size < all.size(); size += size < 256 ? 1 : 37)
    EXPECT_FALSE(load(all.substr(0, size))) << size;
}

TEST(ExportedProgram, FlippedBitsOfARealFileAreNoticedOrHarmless) {
  auto bytes = readFile(getSampleArchive());
  ASSERT_TRUE(bytes);
  std::string all(bytes->begin(), bytes->end());
  size_t loaded = 0;
  for (size_t bit = 0; bit < all.size() * 8; bit += 5) {
    std::string flipped = all;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    auto program = load(flipped);
    if (!program) {
      EXPECT_FALSE(program.error().message.empty());
      continue;
    }
    // Padding, times and unused members may differ; the graph may not.
    ++loaded;
    EXPECT_EQ(program->graph.nodes.size(), 2u);
    EXPECT_EQ(program->graph.nodes[0].target, "torch.ops.aten.sin.default");
  }
  EXPECT_GT(loaded, 0u);
}

/// Damage behind a CRC that fits: what a hostile writer would send.
TEST(ExportedProgram, ChangedJsonGivesAnErrorOrAConsistentProgram) {
  std::string json = ::program();
  uint64_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    std::string changed = json;
    for (int edit = 0; edit < 3; ++edit) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at = (state >> 33) % changed.size();
      static const char alphabet[] = "0123456789{}[]\",:aswxyztrue-.";
      if ((state >> 20) % 3 == 0)
        changed.erase(at, 1 + (state >> 50) % 8);
      else
        changed[at] = alphabet[(state >> 25) % (sizeof(alphabet) - 1)];
    }
    auto program = load(archiveOf(changed));
    if (program)
      EXPECT_TRUE(verifyGraph(program->graph, "graph"));
    else
      EXPECT_FALSE(program.error().message.empty());
  }
}

TEST(PyTree, NamesLeavesAsPyTorchDoes) {
  auto tree = parsePyTree(
      R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [
        {"type": "builtins.dict", "context": "[\"a\", 3, \"it's\"]",
         "children_spec": [
          {"type": null, "context": null, "children_spec": []},
          {"type": null, "context": null, "children_spec": []},
          {"type": null, "context": null, "children_spec": []}]},
        {"type": "collections.namedtuple", "context": "m.Pair",
         "children_spec": [
          {"type": null, "context": null, "children_spec": []}]},
        {"type": "m.Data", "context": "[[\"u\"], []]", "children_spec": [
          {"type": null, "context": null, "children_spec": []}]},
        {"type": "m.Unknown", "context": "junk", "children_spec": [
          {"type": null, "context": null, "children_spec": []}]}]}])",
      {{"m.Pair", {"first"}}});
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(tree->leafCount(), 6u);
  EXPECT_EQ(tree->leafPaths(),
            (std::vector<std::string>{"[0]['a']", "[0][3]", "[0][\"it's\"]",
                                      "[1].first", "[2].u", "[3][0]"}));
  EXPECT_FALSE(parsePyTree("[2, {}]"));
  EXPECT_FALSE(parsePyTree("{}"));
}
