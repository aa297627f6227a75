//===- SessionTest.cpp - Opening, calling, caching ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "kiln/Cache/LocalStore.h"
#include "kiln/Session/ProgramKey.h"

#include "kiln/Base/Log.h"

using namespace kiln;
using namespace kiln::test;
using namespace kiln::session;

namespace {

TEST(Session, RunsEachBackendWithPyTorchsNumbers) {
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  for (Backend backend :
       {Backend::Eager, Backend::AotEager, Backend::Inductor}) {
    auto session = Session::open(inputs("attention_static/train.pt2"),
                                 options("", backend));
    ASSERT_TRUE(bool(session)) << session.error().message;
    EXPECT_EQ(callAndCompare(**session, io->main), "") << wordOf(backend);
    EXPECT_EQ((*session)->stats().graphsCompiled, 1u);
  }
}

TEST(Session, TakesTheSecondProcessesProgramFromTheCache) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
  ASSERT_TRUE(bool(io));
  for (unsigned run = 0; run < 2; ++run) {
    auto session = Session::open(inputs("attention_dynamic_batch/train.pt2"),
                                 options(scratch / "cache", Backend::Inductor));
    ASSERT_TRUE(bool(session)) << session.error().message;
    EXPECT_EQ(callAndCompare(**session, io->main), "");
    // Symbols stay symbols: the other size fits the same variant.
    EXPECT_EQ(callAndCompare(**session, io->alts.front()), "");
    EXPECT_EQ((*session)->stats().graphsCompiled, run == 0 ? 1u : 0u);
    EXPECT_EQ((*session)->stats().cacheHits, run == 0 ? 0u : 1u);
    EXPECT_EQ((*session)->stats().compilerLoaded, run == 0);
  }
}

using Bytes = std::vector<uint8_t>;

/// Lets the only entry of a cache hold something else, signed as if its owner had
/// compiled it.
static void falsifyEntry(const SessionOptions &options,
                         const std::string &model,
                         const std::function<void(package::Package &)> &change,
                         size_t cutBytes = 0) {
  auto keys = cache::KeyRing::open(options.cache.keys);
  auto source = archive::Source::open(model);
  ASSERT_TRUE(keys && source);
  cache::CacheKey environment = environmentKey(currentEnvironment());
  auto key = programKey(**source, options, environment);
  auto store = cache::LocalStore::open(options.cache.root, *keys);
  ASSERT_TRUE(key && store);
  cache::Lookup found = (*store)->get(*key, environment.digest);
  ASSERT_EQ(found.variants.size(), 1u);
  const std::vector<uint8_t> &payload = found.variants[0].payload;
  auto package = package::decodePackage(payload.data(), payload.size());
  ASSERT_TRUE(bool(package));
  change(*package);
  Bytes changed = package::encodePackage(*package);
  changed.resize(changed.size() - cutBytes);
  (*store)->removeVariant(*key, payload);
  cache::EntryInfo info;
  info.kind = key->kind;
  ASSERT_TRUE(
      bool((*store)->put(*key, environment.digest, info, changed)));
}

TEST(Session, AHitThatDoesNotLoadIsCompiledInTheSameCall) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  const std::string model = inputs("attention_static/train.pt2");
  SessionOptions wanted = options(scratch / "cache", Backend::Inductor);
  unsigned warnings = 0;
  log::setSink([&](std::string_view, log::Level level, std::string_view) {
    warnings += level == log::Level::Warning;
  });
  auto run = [&] {
    warnings = 0;
    auto session = Session::open(model, wanted);
    EXPECT_EQ(callAndCompare(**session, io->main), "");
    return (*session)->stats().graphsCompiled;
  };
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(warnings, 0u);
  // A kernel behind the end of the code, and half of a package.
  falsifyEntry(wanted, model, [](package::Package &package) {
    package.image.kernels.front().entry = package.image.bytes.size() + 4096;
  });
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(warnings, 1u);
  falsifyEntry(wanted, model, [](package::Package &) {}, /*cutBytes=*/1000);
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(warnings, 1u);
  // What did not load is gone, what was compiled is there.
  EXPECT_EQ(run(), 0u);
  EXPECT_EQ(warnings, 0u);
  log::setSink(nullptr);
}

/// Whether a training step is right, and what its session counted.
static SessionStats train(const SessionOptions &wanted,
                          const archive::IoSet &set) {
  auto session =
      Session::open(inputs("attention_static/train.pt2"), wanted);
  EXPECT_TRUE(bool(session)) << session.error().message;
  EXPECT_EQ(callAndCompare(**session, set), "");
  return (*session)->stats();
}

// What is differentiated and cut for one processor is so for all.
TEST(Session, AnotherTargetTakesTheGraphsOfATrainingStep) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  SessionOptions wanted = options(scratch / "cache", Backend::Inductor);
  wanted.training = true;
  SessionStats first = train(wanted, io->main);
  EXPECT_EQ(first.jointHits, 0u);
  EXPECT_EQ(first.jointMisses, 1u);
  for (const char *target : {"x86-64-v3", "x86-64-v3"}) {
    wanted.target = target;
    SessionStats stats = train(wanted, io->main);
    EXPECT_EQ(stats.jointHits, stats.graphsCompiled);
    EXPECT_EQ(stats.jointMisses, 0u);
    // Once more it is a program of the cache, which asks for no graphs.
    EXPECT_EQ(stats.cacheHits, 1u - stats.graphsCompiled);
  }
  // A compilation from the program makes the same of it.
  wanted.cache.local.verifyEvery = 1;
  SessionStats verified = train(wanted, io->main);
  EXPECT_EQ(verified.graphsCompiled, 1u);
  EXPECT_EQ(verified.jointHits + verified.jointMisses, 0u);
  EXPECT_TRUE(verified.missReasons.empty());
  // What acts before the cut wants graphs of its own.
  wanted.cache.local.verifyEvery = 0;
  wanted.memoryBudget = 0.5;
  EXPECT_EQ(train(wanted, io->main).jointMisses, 1u);
  // Where training steps are not kept, neither are these.
  wanted.cache.aotAutograd = false;
  SessionStats off = train(wanted, io->main);
  EXPECT_EQ(off.jointHits + off.jointMisses, 0u);
}

TEST(Session, GraphsThatAreNotReadAreMadeAgain) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_static/io.json"));
  ASSERT_TRUE(bool(io));
  SessionOptions wanted = options(scratch / "cache", Backend::Inductor);
  wanted.training = true;
  train(wanted, io->main);
  auto keys = cache::KeyRing::open(wanted.cache.keys);
  auto source = archive::Source::open(inputs("attention_static/train.pt2"));
  auto compiler = ownCompilerKey();
  ASSERT_TRUE(keys && source && compiler);
  auto key = jointKey(**source, wanted, *compiler);
  auto store = cache::LocalStore::open(wanted.cache.root, *keys);
  ASSERT_TRUE(key && store);
  cache::Lookup found = (*store)->get(*key, compiler->digest);
  ASSERT_EQ(found.variants.size(), 1u);
  // Signed by its owner, and still no graphs.
  (*store)->removeVariant(*key, found.variants[0].payload);
  cache::EntryInfo info;
  info.kind = key->kind;
  ASSERT_TRUE(bool((*store)->put(*key, compiler->digest, info,
                                 std::string_view("no graphs"))));
  wanted.target = "x86-64-v3";
  SessionStats refused = train(wanted, io->main);
  EXPECT_EQ(refused.jointHits, 0u);
  EXPECT_EQ(refused.jointMisses, 1u);
  found = (*store)->get(*key, compiler->digest);
  ASSERT_EQ(found.variants.size(), 1u);
  EXPECT_GT(found.variants[0].payload.size(), 1000u);
}

TEST(Session, ComparesHitsWithNewCompilationsIfThatIsWanted) {
  ScratchFolder scratch;
  auto io = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
  ASSERT_TRUE(bool(io));
  const std::string model = inputs("attention_dynamic_batch/train.pt2");
  SessionOptions wanted = options(scratch / "cache", Backend::Inductor);
  auto reasons = [&] {
    auto session = Session::open(model, wanted);
    EXPECT_EQ(callAndCompare(**session, io->main), "");
    EXPECT_EQ((*session)->stats().graphsCompiled, 1u);
    return (*session)->stats().missReasons;
  };
  EXPECT_TRUE(reasons().empty());
  wanted.cache.local.verifyEvery = 1;
  // The same program again, to the last byte.
  EXPECT_TRUE(reasons().empty());
  falsifyEntry(wanted, model, [](package::Package &package) {
    package.facts.bytesRead += 1;
  });
  auto found = reasons();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("not what the compiler makes now"),
            std::string::npos);
  // What was compiled then has taken its place.
  EXPECT_TRUE(reasons().empty());
}

TEST(Session, ReadsItsSourceOnce) {
  auto io = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
  ASSERT_TRUE(bool(io));
  ScratchFolder scratch;
  std::string archive = scratch / "m.pt2";
  std::filesystem::copy_file(inputs("attention_dynamic_batch/train.pt2"),
                             archive);
  session::SessionOptions wanted = options("", Backend::Inductor);
  wanted.dynamic = Dynamic::False;
  auto session = Session::open(archive, wanted);
  ASSERT_TRUE(bool(session)) << session.error().message;
  // What is there now is nobody's business: digest, weights and what is compiled
  // for each size come from what was opened.
  std::filesystem::remove(archive);
  EXPECT_EQ(callAndCompare(**session, io->main), "");
  EXPECT_EQ(callAndCompare(**session, io->alts.front()), "");
  EXPECT_EQ((*session)->stats().graphsCompiled, 2u);
}

TEST(Session, CompilesAVariantForEachSizeWhenAsked) {
  auto io = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
  ASSERT_TRUE(bool(io));
  session::SessionOptions wanted = options();
  wanted.dynamic = Dynamic::False;
  std::string logged;
  ASSERT_TRUE(bool(log::configure("recompiles")));
  log::setSink([&](std::string_view, log::Level, std::string_view text) {
    logged += text;
  });
  auto session =
      Session::open(inputs("attention_dynamic_batch/train.pt2"), wanted);
  ASSERT_TRUE(bool(session)) << session.error().message;
  EXPECT_EQ(callAndCompare(**session, io->main), "");
  EXPECT_EQ(logged, "");
  EXPECT_EQ(callAndCompare(**session, io->alts.front()), "");
  EXPECT_EQ(logged,
            "Recompiling function main triggered by the following guard "
            "failure(s):\n  - 0/0: tensor 'x' size mismatch at index 0. "
            "expected 3, actual 5");
  log::setSink(nullptr);
  ASSERT_TRUE(bool(log::configure("")));
  EXPECT_EQ((*session)->stats().graphsCompiled, 2u);
}

TEST(Session, GivesSizesBelowTheRangeVariantsOfTheirOwn) {
  auto many = archive::loadIoFile(inputs("small_sizes/io.json"));
  auto one = archive::loadIoFile(inputs("small_sizes/io_one.json"));
  auto none = archive::loadIoFile(inputs("small_sizes/io_none.json"));
  ASSERT_TRUE(many && one && none);
  ScratchFolder scratch;
  for (unsigned run = 0; run < 2; ++run) {
    auto session = Session::open(inputs("small_sizes/train.pt2"),
                                 options(scratch / "cache", Backend::Inductor));
    ASSERT_TRUE(bool(session)) << session.error().message;
    for (const auto *io : {&*one, &*many, &*none, &*one, &*many})
      EXPECT_EQ(callAndCompare(**session, io->main), "");
    EXPECT_EQ((*session)->function().variantCount(), 3u);
    EXPECT_EQ((*session)->stats().graphsCompiled, run == 0 ? 3u : 0u);
  }
}

TEST(Session, CompilesNothingAgainForInputsThatNoVariantTakes) {
  auto io = archive::loadIoFile(inputs("attention_dynamic_batch/io.json"));
  ASSERT_TRUE(bool(io));
  for (auto dynamic : {Dynamic::Auto, Dynamic::False, Dynamic::True}) {
    session::SessionOptions wanted = options();
    wanted.dynamic = dynamic;
    auto session =
        Session::open(inputs("attention_dynamic_batch/train.pt2"), wanted);
    ASSERT_TRUE(bool(session)) << session.error().message;
    EXPECT_EQ(callAndCompare(**session, io->main), "");
    auto wrong = runtime::Tensor::empty(DType::F32, {3, 4, 63});
    auto outputs = (*session)->call({*wrong});
    ASSERT_FALSE(bool(outputs));
    EXPECT_EQ(outputs.error().kind, ErrorKind::Guard);
    EXPECT_NE(outputs.error().message.find(
                  "size mismatch at index 2. expected 64, actual 63"),
              std::string::npos)
        << outputs.error().message;
    EXPECT_EQ((*session)->stats().graphsCompiled, 1u);
  }
}

TEST(Session, CountsInputs) {
  auto session = Session::open(inputs("attention_static/train.pt2"), options());
  ASSERT_TRUE(bool(session)) << session.error().message;
  auto outputs = (*session)->call({});
  ASSERT_FALSE(bool(outputs));
  EXPECT_EQ(outputs.error().kind, ErrorKind::Usage);
  EXPECT_EQ(outputs.error().message, "the model takes 1 inputs, found 0");
}

TEST(Session, RefusesAMissingFile) {
  auto session = Session::open("/nowhere/model.pt2", options());
  ASSERT_FALSE(bool(session));
  EXPECT_EQ(session.error().kind, ErrorKind::Io);
}

} // namespace
