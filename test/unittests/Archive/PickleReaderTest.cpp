//===- PickleReaderTest.cpp - Reading torch.save files ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveTestSupport.h"
#include "kiln/Archive/PickleReader.h"

using namespace kiln;
using namespace kiln::archive;

/// BINUNICODE of a short text.
static std::string str(const std::string &text) {
  return "X" + std::string(1, static_cast<char>(text.size())) +
         std::string(3, '\0') + text;
}
static std::string integer(int value) {
  return "K" + std::string(1, static_cast<char>(value));
}
static std::string global(const std::string &module, const std::string &name) {
  return "c" + module + "\n" + name + "\n";
}
/// A storage of `count` floats.
static std::string storage(const std::string &key, int count) {
  return "(" + str("storage") + global("torch", "FloatStorage") + str(key) +
         str("cpu") + integer(count) + "tQ";
}
/// A float tensor of sizes (2, 3), row-major.
static std::string tensor(const std::string &key, int offset) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + storage(key, 8) +
         integer(offset) + integer(2) + integer(3) + "\x86" + integer(3) +
         integer(1) + "\x86" + "\x89" + global("collections", "OrderedDict") +
         ")R" + "tR";
}
static std::string protocol2(const std::string &body) {
  return "\x80\x02" + body + ".";
}

static Result<Pickle> parsePickle(const std::string &bytes) {
  return parsePickle(ByteView(std::string_view(bytes)));
}

static std::string savedFile() {
  std::string pickle =
      protocol2("}(" + str("w") + tensor("0", 0) + str("tied") +
                tensor("0", 2) + str("p") +
                global("torch._utils", "_rebuild_parameter") +
                tensor("1", 0) + "\x88" + global("collections", "OrderedDict") +
                ")R" + "\x87R" + "u");
  return ZipBuilder()
      .add("archive/data.pkl", pickle)
      .add("archive/byteorder", "little")
      .add("archive/data/0", std::string(32, '\1'))
      .add("archive/data/1", std::string(32, '\2'))
      .build();
}

TEST(PickleReader, ReadsNumbersAndText) {
  auto pickle = parsePickle(protocol2(integer(7)));
  ASSERT_TRUE(pickle);
  EXPECT_EQ(std::get<int64_t>(pickle->objects[pickle->root].value), 7);
  auto negative = parsePickle(protocol2("\x8a\x01\xff"));
  ASSERT_TRUE(negative);
  EXPECT_EQ(std::get<int64_t>(negative->objects[negative->root].value), -1);
  auto real = parsePickle(protocol2(std::string("G\x3f\xe0\0\0\0\0\0\0", 9)));
  ASSERT_TRUE(real);
  EXPECT_EQ(std::get<double>(real->objects[real->root].value), 0.5);
}

TEST(PickleReader, ReadsTensorsAndTheirAliases) {
  auto weights = readTorchSave(SharedBytes::own(savedFile()), "w.pt");
  ASSERT_TRUE(weights) << weights.error().message;
  ASSERT_EQ(weights->size(), 3u);
  const Weight &w = weights->at("w"), &tied = weights->at("tied");
  EXPECT_EQ(w.dtype, DType::F32);
  EXPECT_EQ(w.sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(w.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(w.storageKey, tied.storageKey);
  EXPECT_EQ(w.storage.data(), tied.storage.data());
  EXPECT_EQ(tied.storageOffset, 2);
  EXPECT_FALSE(w.isParameter);
  EXPECT_TRUE(weights->at("p").isParameter);
  EXPECT_TRUE(weights->at("p").requiresGrad);
  EXPECT_EQ(weights->at("p").storage.data()[0], 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(w.storage.data()) % 64, 0u);
}

TEST(PickleReader, NoBytesAreNoTensors) {
  auto weights = readTorchSave(SharedBytes(), "w.pt");
  ASSERT_TRUE(weights);
  EXPECT_TRUE(weights->empty());
}

TEST(PickleReader, RunsNothing) {
  expectError(parsePickle(protocol2(global("os", "system") + str("x") + "\x85R")),
              ErrorKind::Unsupported, {"os system"});
  // BUILD, NEWOBJ, INST, OBJ, PERSID, DUP, POP, NEWOBJ_EX, EXT1, PICKLE INT.
  for (char opcode : {'b', '\x81', 'i', 'o', 'P', '2', '0', '\x92', '\x82',
                      'I'})
    expectError(parsePickle(protocol2(std::string("N") + opcode)),
                ErrorKind::Unsupported, {"opcode", "not allowed"});
}

TEST(PickleReader, RefusesDamage) {
  expectError(parsePickle(protocol2("h\1")), ErrorKind::Malformed, {"memo 1"});
  expectError(parsePickle(protocol2("")), ErrorKind::Malformed, {"0 objects"});
  expectError(parsePickle(protocol2("NN")), ErrorKind::Malformed, {"2 objects"});
  expectError(parsePickle(protocol2("N") + "N"), ErrorKind::Malformed, {"after"});
  expectError(parsePickle("\x80\x02N"), ErrorKind::Malformed, {"stop"});
  expectError(parsePickle(protocol2("t")), ErrorKind::Malformed, {"mark"});
  expectError(parsePickle(protocol2("\x87")), ErrorKind::Malformed, {});
  // A mark fences what lies below it.
  expectError(parsePickle(protocol2("N(\x85")), ErrorKind::Malformed, {});
  expectError(parsePickle("\x80\x09N."), ErrorKind::Unsupported, {"protocol 9"});
}

TEST(PickleReader, ListsMayContainThemselves) {
  auto pickle = parsePickle(protocol2("]q\1h\1a"));
  ASSERT_TRUE(pickle);
  const auto &list =
      std::get<PickledObject::List>(pickle->objects[pickle->root].value);
  EXPECT_EQ(list.items[0], pickle->root);
}

TEST(PickleReader, TensorsStayInTheirStorage) {
  expectError(parsePickle(protocol2(tensor("0", 3))), ErrorKind::Malformed,
              {"36 bytes", "32"});
  std::string bytes = ZipBuilder()
                          .add("archive/data.pkl",
                               protocol2("}" + str("w") + tensor("0", 0) + "s"))
                          .add("archive/data/0", std::string(31, 'x'))
                          .build();
  expectError(readTorchSave(SharedBytes::own(bytes), "w.pt"),
              ErrorKind::Malformed, {"w.pt", "31"});
}

TEST(PickleReader, DamagedFilesGiveErrorsOrTensors) {
  std::string bytes = savedFile();
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(
        readTorchSave(SharedBytes::own(bytes.substr(0, size)), "w.pt"));
  std::string pickle = protocol2("}" + str("w") + tensor("0", 0) + "s");
  for (size_t i = 0; i < pickle.size() * 8; ++i) {
    std::string flipped = pickle;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    auto result = parsePickle(flipped);
    if (!result)
      EXPECT_FALSE(result.error().message.empty());
  }
  for (size_t size = 0; size < pickle.size(); ++size)
    EXPECT_FALSE(parsePickle(pickle.substr(0, size)));
}
