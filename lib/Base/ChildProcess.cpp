//===- ChildProcess.cpp - Work that may end its process -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/ChildProcess.h"

#include "Descriptor.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Base/Log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;

using Clock = std::chrono::steady_clock;

// A message: u8 tag, u64 length, bytes. Tags of callers are below 100; with the
// highest bit set a reply is wanted.
static constexpr uint8_t kWantsReply = 128;
static constexpr uint8_t kResult = 127, kError = 126, kLog = 125;
static constexpr uint64_t kMaxMessage = uint64_t(2) << 30;
/// The first descriptor that is no standard stream.
static constexpr int kFirstOther = 3;

//===----------------------------------------------------------------------===//
// Bytes over a socket
//===----------------------------------------------------------------------===//

/// False if the other side is gone.
static bool sendAll(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    bytes = bytes.slice(uint64_t(sent), bytes.size());
  }
  return true;
}

/// False if the other side is gone or the time is over.
static bool receiveAll(int fd, uint8_t *data, size_t size,
                       Clock::time_point end) {
  while (size != 0) {
    auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    struct pollfd file = {fd, POLLIN, 0};
    int ready = ::poll(
        &file, 1,
        int(std::clamp<int64_t>(rest.count() + 1, 0, 24 * 3600 * 1000)));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    ssize_t got = ::recv(fd, data, size, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    data += got;
    size -= size_t(got);
  }
  return true;
}

static bool sendMessage(int fd, uint8_t tag, ByteView message) {
  std::vector<uint8_t> head;
  ByteWriter writer(head);
  writer.u8(tag);
  writer.u64(message.size());
  return sendAll(fd, head) && sendAll(fd, message);
}

static bool receiveMessage(int fd, uint8_t &tag, std::vector<uint8_t> &message,
                           Clock::time_point end) {
  uint8_t head[9];
  if (!receiveAll(fd, head, sizeof(head), end))
    return false;
  ByteReader reader(ByteView(head, sizeof(head)));
  tag = reader.u8();
  uint64_t size = reader.u64();
  if (size > kMaxMessage)
    return false;
  message.resize(size);
  return receiveAll(fd, message.data(), message.size(), end);
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

namespace {
class Channel final : public ChildChannel {
public:
  explicit Channel(int fd) : fd_(fd) {}

  void tell(uint8_t tag, ByteView message) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!sendMessage(fd_, tag, message))
      ::_exit(0); // nobody waits for the result
  }

  std::vector<uint8_t> ask(uint8_t tag, ByteView message) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<uint8_t> reply;
    if (!sendMessage(fd_, tag | kWantsReply, message) ||
        !receiveMessage(fd_, tag, reply, Clock::time_point::max()))
      ::_exit(0);
    return reply;
  }

private:
  std::mutex mutex_;
  int fd_;
};
} // namespace

/// Lets the copy end by itself, quietly, and hold nothing of its parent.
static int separate(int fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  // As for a new program: handlers are the parent's, what it ignores stays ignored.
  // But who waits for children here needs them, and a closed pipe is an error.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now;
    if (::sigaction(signal, nullptr, &now) == 0 &&
        (now.sa_handler != SIG_IGN || signal == SIGCHLD))
      ::signal(signal, SIG_DFL);
  }
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Nothing opened here may become a standard stream by chance.
  for (int stream = 0; stream < kFirstOther; ++stream)
    if (::fcntl(stream, F_GETFD) < 0)
      (void)::open("/dev/null", O_RDWR);
  int kept = ::dup2(fd, kFirstOther);
  (void)::close_range(kFirstOther + 1, ~0u, 0);
  return kept;
}

/// What `body` throws must not return into the caller's frames of the copy.
static Result<std::vector<uint8_t>> runGuarded(const ChildBody &body,
                                               ChildChannel &channel) {
  try {
    return body(channel);
  } catch (const std::bad_alloc &) {
    return Error::unsupported("there is not enough memory");
  } catch (const std::exception &error) {
    return Error::internal(error.what());
  }
}

[[noreturn]] static void runHere(int fd, const ChildBody &body) noexcept {
  Channel channel(separate(fd));
  log::setSink([&](std::string_view category, log::Level level,
                   std::string_view text) {
    std::vector<uint8_t> message;
    ByteWriter writer(message);
    writer.u8(uint8_t(level));
    writer.u8(uint8_t(category.size()));
    writer.text(category);
    writer.text(text);
    channel.tell(kLog, message);
  });
  auto result = runGuarded(body, channel);
  if (result) {
    channel.tell(kResult, *result);
  } else {
    std::vector<uint8_t> message;
    ByteWriter writer(message);
    writer.u8(uint8_t(result.error().kind));
    writer.text(result.error().message);
    channel.tell(kError, message);
  }
  ::_exit(0);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

static void writeLog(ByteView message) {
  ByteReader reader(message);
  uint8_t level = reader.u8();
  std::string_view category = reader.text(reader.u8());
  if (reader.ok() && level <= uint8_t(log::Level::Error))
    log::write(category, log::Level(level),
               reader.text(reader.remaining()));
}

static Error errorOf(ByteView message) {
  ByteReader reader(message);
  auto kind = ErrorKind(reader.u8());
  return {kind, std::string(reader.text(reader.remaining()))};
}

/// Waits for the copy, and says how it ended if that was not by itself.
static Error ended(pid_t child, const ChildOptions &options, bool isLate) {
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (isLate)
    return Error::unsupported(options.what + " took longer than " +
                              std::to_string(int64_t(options.seconds)) + " s");
  if (WIFSIGNALED(state)) {
    const char *name = ::sigabbrev_np(WTERMSIG(state));
    std::string text = options.what + " was ended by signal " +
                       (name ? "SIG" + std::string(name)
                             : std::to_string(WTERMSIG(state)));
    // Who kills it but the system, when there is no memory?
    return WTERMSIG(state) == SIGKILL ? Error::unsupported(text)
                                      : Error::internal(text);
  }
  std::string text = options.what + " ended its process with " +
                     std::to_string(WEXITSTATUS(state)) +
                     "; what it wrote to the standard error says why";
  return WEXITSTATUS(state) == int(ErrorKind::Unsupported)
             ? Error::unsupported(text)
             : Error::internal(text);
}

/// The same file under a number that no standard stream has: where those are closed,
/// a new file takes their place.
static int afterStreams(int fd) {
  if (fd >= kFirstOther)
    return fd;
  int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstOther);
  int reason = errno;
  ::close(fd);
  errno = reason;
  return moved;
}

Result<std::vector<uint8_t>> kiln::runInChild(const ChildOptions &options,
                                              const ChildBody &body,
                                              const ChildHandler &handler) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error::io("cannot make a process for " + options.what + ": " +
                     systemMessage(errno));
  Descriptor parentEnd(afterStreams(ends[0])), childEnd(afterStreams(ends[1]));
  if (!parentEnd.valid() || !childEnd.valid())
    return Error::io("cannot make a process for " + options.what + ": " +
                     systemMessage(errno));
  pid_t child = ::fork();
  if (child < 0)
    return Error::io("cannot make a process for " + options.what + ": " +
                     systemMessage(errno));
  if (child == 0)
    runHere(childEnd.get(), body);
  childEnd.close();
  auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(
                                    std::min(options.seconds, 1e8)));
  uint8_t tag = 0;
  std::vector<uint8_t> message;
  while (receiveMessage(parentEnd.get(), tag, message, end)) {
    if (tag == kLog) {
      writeLog(message);
    } else if (tag == kResult || tag == kError) {
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR)
        ;
      if (tag == kError)
        return errorOf(message);
      return message;
    } else {
      std::vector<uint8_t> reply =
          handler(tag & ~kWantsReply, ByteView(message));
      if (tag & kWantsReply)
        (void)sendMessage(parentEnd.get(), tag, reply);
    }
  }
  bool isLate = Clock::now() >= end;
  // It may be waiting for a reply, or have broken the protocol.
  if (isLate)
    ::kill(child, SIGKILL);
  parentEnd.close();
  return ended(child, options, isLate);
}
