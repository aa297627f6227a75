//===- DamageTest.cpp - Damaged archives, entries and packages ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever happens to a file, a session gives the right numbers or one error.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "kiln/ABI/CompilerABI.h"

#include <dlfcn.h>

using namespace kiln;
using namespace kiln::test;
using session::Session;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes read(const std::string &path) {
  auto bytes = readFile(path);
  return bytes ? *bytes : Bytes();
}

void write(const std::string &path, const Bytes &bytes) {
  ASSERT_TRUE(bool(writeFile(path, ByteView(bytes))));
}

/// Calls `use` with versions of `bytes` of which one bit differs or the end is
/// missing.
template <typename F> void forEachDamage(const Bytes &bytes, F use) {
  constexpr size_t places = 120;
  for (size_t k = 0; k < places; ++k) {
    // The beginning densely, where headers are, the rest evenly.
    size_t at = k < places / 2 ? k * 7 % bytes.size()
                               : bytes.size() * k / places;
    Bytes flipped = bytes;
    flipped[at] ^= static_cast<uint8_t>(1u << (k % 8));
    use(flipped, "bit of byte " + std::to_string(at));
    if (k % 4 == 0) {
      Bytes cut(bytes.begin(),
                bytes.begin() + static_cast<ptrdiff_t>(bytes.size() * k / places));
      use(cut, "cut to " + std::to_string(cut.size()));
    }
  }
}

/// Opens and calls; the result is the right one or an error with a sentence.
void expectRightOrRefused(const std::string &path, const archive::IoSet &set,
                          session::SessionOptions wanted,
                          const std::string &what, unsigned &refused) {
  auto session = Session::open(path, std::move(wanted));
  std::string text = session ? callAndCompare(**session, set)
                             : "error: " + session.error().message;
  EXPECT_EQ(text.compare(0, 6, "wrong:") == 0, false) << what << ": " << text;
  EXPECT_NE(text, "error: ") << what;
  refused += !text.empty();
}

TEST(Damage, ArchivesGiveTheRightNumbersOrAnError) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  Bytes archive = read(inputs("attention_static/train.pt2"));
  ASSERT_FALSE(archive.empty());
  unsigned refused = 0;
  forEachDamage(archive, [&](const Bytes &bytes, const std::string &what) {
    write(scratch / "m.pt2", bytes);
    expectRightOrRefused(scratch / "m.pt2", io->main, options(), what,
                         refused);
  });
  EXPECT_GT(refused, 20u);
}

std::vector<std::string> entriesOf(const std::string &cache) {
  std::vector<std::string> entries;
  for (const auto &file : std::filesystem::recursive_directory_iterator(cache))
    if (file.is_regular_file() && file.file_size() > 100)
      entries.push_back(file.path().string());
  return entries;
}

TEST(Damage, CacheEntriesAreCompiledAgain) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  std::string model = inputs("attention_static/train.pt2");
  std::string cache = scratch / "cache";
  auto first = Session::open(model, options(cache));
  ASSERT_TRUE(bool(first)) << first.error().message;
  ASSERT_EQ(callAndCompare(**first, io->main), "");
  ASSERT_EQ(entriesOf(cache).size(), 1u);
  std::string name = entriesOf(cache).front();
  Bytes entry = read(name);
  unsigned again = 0;
  forEachDamage(entry, [&](const Bytes &bytes, const std::string &what) {
    // The entry of the last round has another name: it holds another time.
    for (const std::string &old : entriesOf(cache))
      std::filesystem::remove(old);
    write(name, bytes);
    auto session = Session::open(model, options(cache));
    ASSERT_TRUE(bool(session)) << what;
    EXPECT_EQ(callAndCompare(**session, io->main), "") << what;
    again += (*session)->stats().graphsCompiled;
  });
  EXPECT_GT(again, 100u);
}

/// What the compiler library makes of a program.
Bytes compiledPackage(const std::string &model) {
  void *library = ::dlopen("libKilnCompiler.so", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Bytes();
  auto get = reinterpret_cast<kiln_compiler_get_t>(
      ::dlsym(library, KILN_COMPILER_ENTRY));
  const kiln_compiler_api *api = get(KILN_COMPILER_ABI_VERSION);
  kiln_compile_request request = {};
  request.struct_size = sizeof(request);
  kiln_compile_result result = {};
  result.struct_size = sizeof(result);
  EXPECT_EQ(api->compile(&request, &result),
            static_cast<int>(ErrorKind::Usage));
  api->release(&result);
  auto source = archive::Source::open(model);
  EXPECT_TRUE(source);
  request.source = reinterpret_cast<const kiln_source *>(source->get());
  EXPECT_EQ(api->compile(&request, &result), 0) << result.message;
  Bytes bytes(result.package, result.package + result.package_size);
  api->release(&result);
  return bytes;
}

std::vector<runtime::OpValue> onesFor(const Session &session) {
  std::vector<runtime::OpValue> values;
  for (const session::UserInput &input : session.inputs()) {
    std::vector<int64_t> sizes;
    for (const archive::SymInt &size : input.sizes)
      sizes.push_back(size.value);
    auto tensor = runtime::Tensor::empty(DType::F32, sizes);
    for (int64_t i = 0; i < tensor->numel(); ++i)
      tensor->dataAs<float>()[i] = 0.25f * static_cast<float>(i % 7);
    values.emplace_back(*tensor);
  }
  return values;
}

TEST(Damage, PackagesGiveTheRightNumbersOrAnError) {
  ScratchFolder scratch;
  Bytes package = compiledPackage(inputs("sin_matmul/train.pt2"));
  ASSERT_FALSE(package.empty());
  write(scratch / "whole.kiln", package);
  auto whole = Session::open(scratch / "whole.kiln", options());
  ASSERT_TRUE(bool(whole)) << whole.error().message;
  auto want = (*whole)->call(onesFor(**whole));
  ASSERT_TRUE(bool(want)) << want.error().message;
  unsigned refused = 0, ran = 0;
  auto run = [&](const std::string &what) {
    auto damaged = Session::open(scratch / "m.kiln", options());
    if (!damaged) {
      EXPECT_FALSE(damaged.error().message.empty()) << what;
      ++refused;
      return;
    }
    auto got = (*damaged)->call(onesFor(**whole));
    if (!got) {
      ++refused;
      return;
    }
    ++ran;
    auto compared = runtime::compareValues(got->front(), want->front(), {0, 0});
    EXPECT_TRUE(compared.ok) << what << ": " << compared.message;
  };
  write(scratch / "m.kiln", package);
  run("whole");
  EXPECT_EQ(ran, 1u);
  forEachDamage(package, [&](const Bytes &bytes, const std::string &what) {
    write(scratch / "m.kiln", bytes);
    run(what);
  });
  EXPECT_GT(refused, 100u);
}

} // namespace
