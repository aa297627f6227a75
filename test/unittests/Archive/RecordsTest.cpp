//===- RecordsTest.cpp - Recorded values, case packs and .npy files ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveTestSupport.h"
#include "kiln/Archive/IoFile.h"
#include "kiln/Archive/NpyFile.h"
#include "kiln/Archive/OpCases.h"

#include <cmath>

using namespace kiln;
using namespace kiln::archive;

TEST(NpyFile, RoundTripsEveryType) {
  for (int code = 1; code <= 20; ++code) {
    DType dtype = static_cast<DType>(code);
    std::vector<uint8_t> data(6 * itemSize(dtype), 1);
    auto bytes = encodeNpy(dtype, {2, 3}, data);
    ASSERT_TRUE(bytes);
    EXPECT_EQ((bytes->size() - data.size()) % 64, 0u);
    auto array = parseNpy(SharedBytes::own(*bytes), "a.npy");
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(itemSize(array->dtype), itemSize(dtype));
    EXPECT_EQ(array->sizes, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(array->bytes.text(), ByteView(data).text());
  }
  auto scalar = encodeNpy(DType::F32, {}, std::vector<uint8_t>(4));
  EXPECT_TRUE(parseNpy(SharedBytes::own(*scalar), "a.npy")->sizes.empty());
  EXPECT_FALSE(encodeNpy(DType::F32, {2}, std::vector<uint8_t>(4)));
}

static std::string npy(const std::string &header, const std::string &data) {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes + header + data;
}

static Result<NpyArray> parseText(const std::string &bytes) {
  return parseNpy(SharedBytes::own(bytes), "a.npy");
}

TEST(NpyFile, TurnsColumnMajorArrays) {
  auto array = parseText(
      npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}\n",
          "adbecf"));
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->bytes.text(), "abcdef");
}

TEST(NpyFile, RefusesOtherFiles) {
  expectError(parseText("hello, this is text"), ErrorKind::Malformed,
              {"not a .npy"});
  for (const char *type : {"'>f4'", "'|O'", "[('a', '<f4')]", "'<U3'"})
    expectError(parseText(npy(std::string("{'descr': ") + type +
                                  ", 'fortran_order': False, 'shape': (1,)}",
                              "xxxx")),
                ErrorKind::Unsupported, {});
  expectError(
      parseText(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                    "xxxx")),
      ErrorKind::Malformed, {"4 bytes", "8"});
  expectError(
      parseText(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(9223372036854775807, 2)}",
                    "")),
      ErrorKind::Malformed, {});
  auto good = encodeNpy(DType::I16, {2}, std::vector<uint8_t>(4));
  for (size_t size = 0; size < good->size(); ++size)
    EXPECT_FALSE(parseNpy(
        SharedBytes::own(std::vector<uint8_t>(
            good->begin(), good->begin() + static_cast<ptrdiff_t>(size))),
        "a.npy"));
}

TEST(IoFile, ReadsEveryKindOfValue) {
  TemporaryFolder folder;
  folder.write("x.bin", std::string(8, '\1'));
  folder.write("io.json", R"({"random": true, "tolerance": 1e-3, "rotate": 3, "inputs": [
    {"path": "[0][0]", "kind": "tensor", "dtype": "f32", "shape": [2],
     "file": "x.bin"},
    {"path": "[0][1]", "kind": "int", "value": 3},
    {"path": "[0][2]", "kind": "float", "value": Infinity},
    {"path": "[0][3]", "kind": "str", "value": "a"},
    {"path": "[0][4]", "kind": "none"},
    {"path": "[0][5]", "kind": "bool", "value": false}],
    "outputs": [], "alt": {"inputs": [], "outputs": []},
    "gradients": {"tangents": [], "grads_params": [], "grads_inputs": [
      {"path": "[0][0]", "kind": "tensor", "dtype": "f32", "shape": [2],
       "file": "x.bin"}]}})");
  auto io = loadIoFile(folder.file("io.json"));
  ASSERT_TRUE(io) << io.error().message;
  ASSERT_EQ(io->main.inputs.size(), 6u);
  EXPECT_EQ(io->main.inputs[0].bytes.size(), 8u);
  EXPECT_EQ(std::get<int64_t>(io->main.inputs[1].constant), 3);
  EXPECT_TRUE(std::isinf(std::get<double>(io->main.inputs[2].constant)));
  EXPECT_EQ(std::get<std::string>(io->main.inputs[3].constant), "a");
  EXPECT_EQ(io->main.inputs[4].constant.index(), 0u);
  EXPECT_EQ(std::get<bool>(io->main.inputs[5].constant), false);
  EXPECT_EQ(io->alts.size(), 1u);
  EXPECT_TRUE(io->isRandom);
  EXPECT_EQ(io->tolerance, 1e-3);
  EXPECT_EQ(io->rotate, 3u);
  EXPECT_EQ(io->gradients->inputs.size(), 1u);
}

TEST(IoFile, FilesMustFit) {
  TemporaryFolder folder;
  folder.write("x.bin", std::string(7, '\1'));
  auto write = [&](const std::string &file) {
    folder.write("io.json", R"({"outputs": [], "inputs": [{"path": "",
      "kind": "tensor", "dtype": "f32", "shape": [2], "file": ")" +
                                file + "\"}]}");
    return loadIoFile(folder.file("io.json"));
  };
  expectError(write("x.bin"), ErrorKind::Malformed,
              {"inputs[0].file", "7 bytes", "8"});
  expectError(write("../x.bin"), ErrorKind::Malformed, {"beside"});
  expectError(write("y.bin"), ErrorKind::Io, {"y.bin"});
}

TEST(IoFile, ReadsExpectations) {
  TemporaryFolder folder;
  folder.write("expect.json", R"({
    "a.pt2": {"result": "pass", "sets": ["main"], "gradients": true,
      "refused_sets": {"alt": {"exit": 4, "reason": "guard"}}},
    "b.pt2": {"result": "refused", "exit": 4, "reason": "alpha beta",
      "models": {"alpha": {"result": "pass", "gradients": "none"}}}})");
  auto all = loadExpectations(folder.file("expect.json"));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_TRUE((*all)[0].hasGradients);
  EXPECT_EQ((*all)[0].refusedSets[0].set, "alt");
  EXPECT_FALSE((*all)[1].passes);
  EXPECT_EQ((*all)[1].exitCode, 4);
  EXPECT_FALSE((*all)[1].models[0].hasGradients);
}

static std::string pack(const std::string &bytes) {
  return R"({"overload": "aten.neg.default", "schema": "s", "cases": [
    {"id": "neg/0", "node": {"target": "torch.ops.aten.neg.default",
      "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x0"}},
                  "kind": 1}],
      "outputs": [{"as_tensor": {"name": "neg"}}], "metadata": {},
      "name": "neg"},
     "tensors": {"x0": {"dtype": 7, "sizes": [2], "strides": [2],
       "storage_offset": 1, "storage_elems": 4, "offset": 0, "nbytes": )" +
         bytes + R"(}},
     "expected": [{"dtype": 7, "sizes": [2], "strides": [1], "offset": 16,
       "nbytes": 8}], "rtol": 0, "atol": 0, "tags": ["strided"],
     "grad": {"rtol": 0.5, "atol": 0, "tangents": [{"dtype": 7, "sizes": [2],
        "offset": 0, "nbytes": 8}], "input_grads": {"x0": {"dtype": 7,
        "sizes": [2], "offset": 0, "nbytes": 8}}}},
    {"id": "neg/1", "node": {"target": "torch.ops.aten.neg.default",
      "inputs": [], "outputs": [{"as_tensor": {"name": "neg"}}],
      "metadata": {}}, "tensors": {}, "error": "dtype", "message": "no",
     "tags": []}]})";
}

TEST(OpCases, ReadsCasesAndMakesPrograms) {
  TemporaryFolder folder;
  folder.write("aten.neg.default.json", pack("16"));
  folder.write("aten.neg.default.bin", std::string(24, '\1'));
  auto cases = loadOpPack(folder.file("aten.neg.default.json"));
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_EQ(cases->cases.size(), 2u);
  const OpCase &first = cases->cases[0];
  EXPECT_EQ(first.tensors[0].storage.size(), 16u);
  EXPECT_EQ(first.expected[0].bytes.size(), 8u);
  EXPECT_EQ(first.gradients->inputs[0].result.rtol, 0.5);
  ExportedProgram program = first.makeProgram();
  EXPECT_TRUE(verifyGraph(program.graph, "case"));
  ASSERT_EQ(program.inputs.size(), 1u);
  const TensorMeta *x = program.graph.tensor("x0");
  EXPECT_TRUE(x->requiresGrad);
  EXPECT_EQ(x->strides[0].value, 2);
  EXPECT_EQ(program.outputs[0].path, "");
  EXPECT_EQ(cases->cases[1].error, "dtype");
}

TEST(OpCases, RegionsMustFit) {
  TemporaryFolder folder;
  folder.write("p.json", pack("16"));
  folder.write("p.bin", std::string(20, '\1'));
  expectError(loadOpPack(folder.file("p.json")), ErrorKind::Malformed,
              {"cases[0].expected[0]"});
  folder.write("p.bin", std::string(24, '\1'));
  folder.write("p.json", pack("12"));
  expectError(loadOpPack(folder.file("p.json")), ErrorKind::Malformed,
              {"cases[0].tensors.x0", "12 bytes"});
}
