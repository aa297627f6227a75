//===- ChildProcessTest.cpp -----------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/ChildProcess.h"
#include "kiln/Base/Log.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kiln;

using Bytes = std::vector<uint8_t>;

static Bytes nothing(uint8_t, ByteView) { return {}; }

/// This program, started by one of its own tests: answers with its number and what it
/// has asked for.
static const bool kServes = [] {
  if (::getenv("KILN_TEST_SERVES"))
    serveParent([](ChildChannel &parent) -> Result<Bytes> {
      Bytes told = parent.ask(1, ByteView());
      if (told.empty())
        return Error::unsupported("nothing to do");
      if (told[0] == 0)
        ::_exit(3);
      if (told[0] == 1)
        ::pause();
      pid_t self = ::getpid();
      const auto *bytes = reinterpret_cast<const uint8_t *>(&self);
      told.insert(told.end(), bytes, bytes + sizeof(self));
      return told;
    });
  return false;
}();

/// The error of work that ends like this.
static Error errorOf(const ChildBody &body, double seconds = 60) {
  ChildOptions options;
  options.seconds = seconds;
  auto made = runInChild(options, body, nothing);
  EXPECT_FALSE(bool(made));
  return made ? Error::internal("no error") : made.error();
}

TEST(ChildProcess, GivesWhatTheWorkGives) {
  const Bytes large(3 << 20, 7);
  auto made = runInChild(
      {}, [&](ChildChannel &) -> Result<Bytes> { return large; }, nothing);
  ASSERT_TRUE(bool(made));
  EXPECT_EQ(*made, large);
  Error error = errorOf([](ChildChannel &) -> Result<Bytes> {
    return Error::unsupported("no such thing");
  });
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(error.message, "no such thing");
}

TEST(ChildProcess, TellsAndAsks) {
  std::string told;
  auto made = runInChild(
      {},
      [](ChildChannel &parent) -> Result<Bytes> {
        std::thread other([&] { parent.tell(1, std::string_view("one")); });
        other.join();
        return parent.ask(2, std::string_view("two"));
      },
      [&](uint8_t tag, ByteView message) {
        told += std::to_string(tag) + std::string(message.text());
        return Bytes(message.begin(), message.end());
      });
  ASSERT_TRUE(bool(made));
  EXPECT_EQ(told, "1one2two");
  EXPECT_EQ(ByteView(*made).text(), "two");
}

TEST(ChildProcess, ItsLogIsOurs) {
  std::string logged;
  ASSERT_TRUE(bool(log::configure("cache")));
  log::setSink([&](std::string_view category, log::Level level,
                   std::string_view text) {
    logged += std::string(category) + std::to_string(int(level)) +
              std::string(text);
  });
  auto made = runInChild(
      {},
      [](ChildChannel &) -> Result<Bytes> {
        log::write("cache", log::Level::Info, "said there");
        return Bytes();
      },
      nothing);
  log::setSink(nullptr);
  ASSERT_TRUE(bool(log::configure("")));
  EXPECT_TRUE(bool(made));
  EXPECT_EQ(logged, "cache1said there");
}

TEST(ChildProcess, EveryEndIsAnError) {
  Error error = errorOf([](ChildChannel &) -> Result<Bytes> {
    ::raise(SIGSEGV);
    return Bytes();
  });
  EXPECT_EQ(error.kind, ErrorKind::Internal);
  EXPECT_EQ(error.message, "work was ended by signal SIGSEGV");
  error = errorOf([](ChildChannel &) -> Result<Bytes> {
    ::raise(SIGKILL);
    return Bytes();
  });
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  error = errorOf([](ChildChannel &) -> Result<Bytes> { ::_exit(3); });
  EXPECT_EQ(error.message.find("work ended its process with 3"), 0u);
  error = errorOf([](ChildChannel &) -> Result<Bytes> {
    throw std::runtime_error("thrown there");
  });
  EXPECT_EQ(error.message, "thrown there");
  error = errorOf(
      [](ChildChannel &) -> Result<Bytes> {
        for (;;)
          ::pause();
      },
      0.05);
  EXPECT_EQ(error.kind, ErrorKind::Unsupported);
  EXPECT_EQ(error.message.find("work took longer than"), 0u);
}

TEST(ChildProcess, HandlersAndMasksOfThisProcessAreNotItsOwn) {
  static volatile sig_atomic_t handled = 0;
  auto old = ::signal(SIGSEGV, [](int) {
    handled = 1;
    ::_exit(0);
  });
  Error error = errorOf([](ChildChannel &) -> Result<Bytes> {
    ::raise(SIGSEGV);
    return Bytes();
  });
  ::signal(SIGSEGV, old);
  EXPECT_EQ(error.message, "work was ended by signal SIGSEGV");
  EXPECT_EQ(handled, 0);
}

TEST(ChildProcess, WhereChildrenAreNotWaitedForItWorks) {
  auto old = ::signal(SIGCHLD, SIG_IGN);
  auto made = runInChild(
      {}, [](ChildChannel &) -> Result<Bytes> { return Bytes{1}; }, nothing);
  EXPECT_TRUE(bool(made));
  EXPECT_EQ(errorOf([](ChildChannel &) -> Result<Bytes> { ::_exit(3); }).kind,
            ErrorKind::Internal);
  ::signal(SIGCHLD, old);
}

TEST(ChildProcess, WhatThisProcessIgnoresItIgnores) {
  auto old = ::signal(SIGHUP, SIG_IGN);
  auto made = runInChild(
      {},
      [](ChildChannel &) -> Result<Bytes> {
        ::raise(SIGHUP);
        return Bytes{1};
      },
      nothing);
  ::signal(SIGHUP, old);
  EXPECT_TRUE(bool(made)) << made.error().message;
}

TEST(ChildProcess, AClosedPipeIsNotItsEnd) {
  auto old = ::signal(SIGPIPE, SIG_DFL);
  auto made = runInChild(
      {},
      [](ChildChannel &) -> Result<Bytes> {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        ::close(ends[0]);
        bool isRefused = ::write(ends[1], "x", 1) < 0;
        return Bytes{uint8_t(isRefused)};
      },
      nothing);
  ::signal(SIGPIPE, old);
  ASSERT_TRUE(bool(made)) << made.error().message;
  EXPECT_EQ(*made, Bytes{1});
}

// In a copy of its own, whose streams may be closed.
TEST(ChildProcess, WithoutStandardStreamsItWorks) {
  auto made = runInChild(
      {},
      [](ChildChannel &) -> Result<Bytes> {
        for (int stream : {0, 1, 2})
          ::close(stream);
        return runInChild(
            {},
            [](ChildChannel &) -> Result<Bytes> {
              for (int stream : {0, 1, 2})
                (void)!::write(stream, "no message of this protocol", 27);
              return Bytes{1};
            },
            nothing);
      },
      nothing);
  ASSERT_TRUE(bool(made)) << made.error().message;
  EXPECT_EQ(*made, Bytes{1});
}

TEST(ChildProcess, WhatTheHandlerThrowsEndsIt) {
  EXPECT_THROW((void)runInChild(
                   {},
                   [](ChildChannel &parent) -> Result<Bytes> {
                     parent.tell(1, ByteView());
                     for (;;)
                       ::pause();
                   },
                   [](uint8_t, ByteView) -> Bytes {
                     throw std::runtime_error("thrown here");
                   }),
               std::runtime_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

// The connection is descriptor 3 of a copy. With the limit of a minute this test
// takes one if the copy is waited for.
TEST(ChildProcess, WhoWritesIntoTheConnectionIsEnded) {
  Error error = errorOf([](ChildChannel &) -> Result<Bytes> {
    EXPECT_EQ(::send(3, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, 0), 9);
    for (;;)
      ::pause();
  });
  EXPECT_EQ(error.message, "work wrote into its own connection");
}

TEST(ChildProcess, WhoClosesTheConnectionIsEndedInTime) {
  Error error = errorOf(
      [](ChildChannel &) -> Result<Bytes> {
        ::close(3);
        for (;;)
          ::pause();
      },
      0.05);
  EXPECT_EQ(error.message.find("work took longer than"), 0u);
}

TEST(ChildProcess, SilenceIsToldFromWork) {
  ChildOptions options;
  double limit = 60;
  options.silence = [&] { return limit; };
  ChildEnd how = watchChild(
      options,
      [](ChildChannel &parent) -> Result<Bytes> {
        parent.tell(1, ByteView());
        for (;;)
          ::pause();
      },
      [&](uint8_t, ByteView) {
        limit = 0.05;
        return Bytes();
      });
  EXPECT_EQ(how.kind, ChildEnd::Late);
}

// Another copy of the host may hold the connection, which then does not end with the
// copy. With a limit of ten minutes this test takes them if nobody looks at the copy.
TEST(ChildProcess, ItsEndIsSeenWhoeverHoldsTheConnection) {
  ChildOptions options;
  pid_t holder = 0;
  ChildEnd how = watchChild(
      options,
      [](ChildChannel &parent) -> Result<Bytes> {
        pid_t other = ::fork();
        if (other == 0) {
          for (int stream : {0, 1, 2})
            ::close(stream);
          for (;;)
            ::pause();
        }
        parent.tell(1, ByteView(reinterpret_cast<const uint8_t *>(&other),
                                sizeof(other)));
        ::raise(SIGSEGV);
        return Bytes();
      },
      [&](uint8_t, ByteView message) {
        EXPECT_EQ(message.size(), sizeof(holder));
        std::memcpy(&holder, message.data(), sizeof(holder));
        return Bytes();
      });
  EXPECT_EQ(how.kind, ChildEnd::Signalled);
  EXPECT_EQ(how.code, SIGSEGV);
  ASSERT_GT(holder, 0);
  ::kill(holder, SIGKILL);
}

// A reply that does not fit the connection, to a copy that ended and whose end another
// holds. With a limit of ten minutes this test takes them if nobody looks at the copy.
TEST(ChildProcess, NobodyWaitsToWriteToOneThatEnded) {
  pid_t pids[2] = {0, 0};
  ChildEnd how = watchChild(
      {},
      [](ChildChannel &parent) -> Result<Bytes> {
        pid_t both[2] = {::getpid(), ::fork()};
        if (both[1] == 0) {
          for (int stream : {0, 1, 2})
            ::close(stream);
          for (;;)
            ::pause();
        }
        (void)parent.ask(1, ByteView(reinterpret_cast<const uint8_t *>(both),
                                     sizeof(both)));
        return Bytes();
      },
      [&](uint8_t, ByteView message) {
        EXPECT_EQ(message.size(), sizeof(pids));
        std::memcpy(pids, message.data(), sizeof(pids));
        ::kill(pids[0], SIGKILL);
        return Bytes(size_t(64) << 20);
      });
  ASSERT_GT(pids[1], 0);
  ::kill(pids[1], SIGKILL);
  EXPECT_EQ(how.kind, ChildEnd::Signalled);
  EXPECT_EQ(how.code, SIGKILL);
}

/// How many copies of this process were made, as each of them sees it.
static int copiesMade = 0;

static void countCopies() {
  static const int registered =
      ::pthread_atfork([] { ++copiesMade; }, nullptr, nullptr);
  ASSERT_EQ(registered, 0);
  copiesMade = 0;
}

TEST(ChildProcess, OneThatDoesNotBeginIsMadeAgain) {
  countCopies();
  ChildOptions options;
  options.beginSeconds = 0.1;
  auto made = runInChild(
      options,
      [](ChildChannel &) -> Result<Bytes> {
        while (copiesMade == 1)
          ::pause();
        return Bytes{1};
      },
      nothing);
  ASSERT_TRUE(bool(made)) << made.error().message;
  EXPECT_EQ(copiesMade, 2);
}

TEST(ChildProcess, OneThatHasBegunIsNotMadeAgain) {
  countCopies();
  ChildOptions options;
  options.beginSeconds = 60;
  double limit = 600;
  options.silence = [&] { return limit; };
  ChildEnd how = watchChild(
      options,
      [](ChildChannel &parent) -> Result<Bytes> {
        parent.tell(1, ByteView());
        for (;;)
          ::pause();
      },
      [&](uint8_t, ByteView) {
        limit = 0.05;
        return Bytes();
      });
  EXPECT_EQ(how.kind, ChildEnd::Late);
  EXPECT_EQ(copiesMade, 1);
}

TEST(ChildProcess, WhereThereCanBeNoneItIsSaid) {
  // Of files: a connection needs two.
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none = {0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  ChildOptions options;
  ChildEnd how = watchChild(
      options, [](ChildChannel &) -> Result<Bytes> { return Bytes(); }, nothing);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(how.kind, ChildEnd::NotMade);
  auto made = resultOf(std::move(how), options);
  ASSERT_FALSE(bool(made));
  EXPECT_EQ(made.error().kind, ErrorKind::Io);
  EXPECT_EQ(made.error().message.find("cannot make a process for work: "), 0u)
      << made.error().message;
}

// A connection fits, what tells of the end of the copy does not.
TEST(ChildProcess, OneWhoseEndCannotBeSeenIsNotKept) {
  int files[3];
  for (int &file : files)
    file = ::dup(STDIN_FILENO);
  for (int file : files) {
    ASSERT_GE(file, 0);
    ::close(file);
  }
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit two = {rlim_t(files[2]), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &two), 0);
  ChildEnd how = watchChild(
      {}, [](ChildChannel &) -> Result<Bytes> { return Bytes(); }, nothing);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(how.kind, ChildEnd::NotMade);
  EXPECT_LT(::waitpid(-1, nullptr, WNOHANG), 0) << "it is still there";
}

TEST(ChildProcess, WhoseStateAnotherTakesIsNotCalledAnExit) {
  auto old = ::signal(SIGCHLD, SIG_IGN);
  ChildEnd how = watchChild(
      {}, [](ChildChannel &) -> Result<Bytes> { ::_exit(3); }, nothing);
  ::signal(SIGCHLD, old);
  EXPECT_EQ(how.kind, ChildEnd::Lost);
}

// Needs 4 GiB of memory: with --gtest_also_run_disabled_tests.
TEST(ChildProcess, DISABLED_AnAnswerMayBeLargerThan2GiB) {
  const size_t size = (size_t(2) << 30) + 5;
  auto made = runInChild(
      {}, [&](ChildChannel &) -> Result<Bytes> { return Bytes(size, 7); },
      nothing);
  ASSERT_TRUE(bool(made)) << made.error().message;
  EXPECT_EQ(made->size(), size);
  EXPECT_EQ(made->back(), 7);
}

TEST(ChildProgram, AnswersAgainUntilItFails) {
  ::setenv("KILN_TEST_SERVES", "1", 1);
  ChildProgram program("/proc/self/exe");
  ChildOptions options;
  options.seconds = 60;
  auto ask = [&](Bytes what) {
    return program.watch(options, [&](uint8_t, ByteView) { return what; });
  };
  ChildEnd first = ask({7});
  ASSERT_EQ(first.kind, ChildEnd::Answered);
  ASSERT_TRUE(bool(first.answer));
  ASSERT_EQ(first.answer->size(), 1 + sizeof(pid_t));
  EXPECT_EQ((*first.answer)[0], 7);
  auto getProcess = [](const ChildEnd &how) {
    pid_t process = 0;
    if (how.kind == ChildEnd::Answered && how.answer &&
        how.answer->size() == 1 + sizeof(process))
      std::memcpy(&process, how.answer->data() + 1, sizeof(process));
    return process;
  };
  EXPECT_EQ(getProcess(ask({8})), getProcess(first));
  // Each failure has an end of its own, and another process comes after it.
  ChildEnd failed = ask({});
  ASSERT_EQ(failed.kind, ChildEnd::Answered);
  EXPECT_EQ(failed.answer.error().message, "nothing to do");
  pid_t second = getProcess(ask({9}));
  EXPECT_NE(second, 0);
  EXPECT_NE(second, getProcess(first));
  ChildEnd ended = ask({0});
  EXPECT_EQ(ended.kind, ChildEnd::Exited);
  EXPECT_EQ(ended.code, 3);
  options.silence = [] { return 0.2; };
  EXPECT_EQ(ask({1}).kind, ChildEnd::Late);
  options.silence = nullptr;
  pid_t third = getProcess(ask({9}));
  ASSERT_NE(third, 0);
  // One that was ended meanwhile is started again without a word.
  ::kill(third, SIGKILL);
  siginfo_t info = {};
  ::waitid(P_PID, id_t(third), &info, WEXITED | WNOWAIT);
  EXPECT_NE(getProcess(ask({9})), 0);
  ::unsetenv("KILN_TEST_SERVES");
}

TEST(ChildProgram, IsNotThere) {
  ChildProgram program("/nowhere/at/all");
  ChildEnd how = program.watch({}, nothing);
  EXPECT_EQ(how.kind, ChildEnd::Exited);
  EXPECT_EQ(how.code, 127);
}
