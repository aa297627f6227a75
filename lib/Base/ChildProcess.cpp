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
#include <memory>
#include <mutex>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 does not say itself that it is C.
extern "C" {
#include <sys/pidfd.h>
}

using namespace kiln;

using Clock = std::chrono::steady_clock;

// A message: u8 tag, u64 length, bytes. Tags of callers are below 100; with the
// highest bit set a reply is wanted.
static constexpr uint8_t kWantsReply = 128;
static constexpr uint8_t kResult = 127, kError = 126, kLog = 125;
/// More than any machine has: the header is no header. What is less is kept as it
/// comes, so a wrong length costs no memory.
static constexpr uint64_t kMaxMessage = uint64_t(1) << 40;
static constexpr uint64_t kPart = uint64_t(64) << 20;
/// The first descriptor that is no standard stream.
static constexpr int kFirstOther = 3;

//===----------------------------------------------------------------------===//
// Bytes over a socket
//===----------------------------------------------------------------------===//

namespace {
enum class Received { All, Gone, Late, Broken };

/// The end of a connection, and who is at the other: a descriptor of the process, or
/// -1 if nothing tells when it ends.
struct Peer {
  int fd;
  int process = -1;
};
} // namespace

/// Waits until the peer is ready to be read or, with POLLOUT, written to, or it has
/// ended, or the time is over: false.
static bool waitFor(const Peer &peer, Clock::time_point end,
                    short event = POLLIN) {
  for (;;) {
    auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    struct pollfd files[] = {{peer.fd, event, 0}, {peer.process, POLLIN, 0}};
    int ready = ::poll(
        files, 2,
        int(std::clamp<int64_t>(rest.count() + 1, 0, 24 * 3600 * 1000)));
    if (ready > 0)
      return true;
    if (ready < 0 ? errno != EINTR : Clock::now() >= end)
      return false;
  }
}

static bool hasEnded(const Peer &peer) {
  struct pollfd file = {peer.process, POLLIN, 0};
  return ::poll(&file, 1, 0) > 0;
}

/// False if the other side is gone, or took nothing until `end`.
static bool sendAll(const Peer &peer, ByteView bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(peer.fd, bytes.data(), bytes.size(),
                          MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && errno == EAGAIN) {
      if (!waitFor(peer, end, POLLOUT) || hasEnded(peer))
        return false;
      continue;
    }
    if (sent <= 0)
      return false;
    bytes = bytes.slice(uint64_t(sent), bytes.size());
  }
  return true;
}

static Received receiveAll(const Peer &peer, uint8_t *data, size_t size,
                           Clock::time_point end) {
  while (size != 0) {
    if (!waitFor(peer, end))
      return Received::Late;
    // Where the process has ended, what it sent before is here.
    ssize_t got = ::recv(peer.fd, data, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && !hasEnded(peer))))
      continue;
    if (got <= 0)
      return Received::Gone;
    data += got;
    size -= size_t(got);
  }
  return Received::All;
}

static bool sendMessage(const Peer &peer, uint8_t tag, ByteView message,
                        Clock::time_point end) {
  std::vector<uint8_t> head;
  ByteWriter writer(head);
  writer.u8(tag);
  writer.u64(message.size());
  return sendAll(peer, head, end) && sendAll(peer, message, end);
}

static Received receiveMessage(const Peer &peer, uint8_t &tag,
                               std::vector<uint8_t> &message,
                               Clock::time_point end) {
  uint8_t head[9];
  Received received = receiveAll(peer, head, sizeof(head), end);
  if (received != Received::All)
    return received;
  ByteReader reader(ByteView(head, sizeof(head)));
  tag = reader.u8();
  uint64_t size = reader.u64();
  if (size > kMaxMessage)
    return Received::Broken;
  message.clear();
  while (message.size() < size && received == Received::All) {
    size_t have = message.size();
    size_t part = size_t(std::min(size - have, kPart));
    message.resize(have + part);
    received = receiveAll(peer, message.data() + have, part, end);
  }
  return received;
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
    if (!sendMessage({fd_}, tag, message, Clock::time_point::max()))
      ::_exit(0); // nobody waits for the result
  }

  std::vector<uint8_t> ask(uint8_t tag, ByteView message) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<uint8_t> reply;
    if (!sendMessage({fd_}, tag | kWantsReply, message,
                     Clock::time_point::max()) ||
        receiveMessage({fd_}, tag, reply, Clock::time_point::max()) !=
            Received::All)
      ::_exit(0);
    return reply;
  }

private:
  std::mutex mutex_;
  int fd_;
};
} // namespace

/// Closes all descriptors from `first` on.
static void closeFrom(unsigned first) {
  if (::close_range(first, ~0u, 0) == 0)
    return;
  // A system without that call: each that may be open.
  struct rlimit most = {};
  ::getrlimit(RLIMIT_NOFILE, &most);
  for (rlim_t fd = first; fd < std::min<rlim_t>(most.rlim_cur, 1 << 20); ++fd)
    ::close(int(fd));
}

/// Lets the copy end by itself, quietly, and hold nothing of its parent.
static int separate(int fd, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) // it ended before that
    ::_exit(0);
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
  (void)::fcntl(kept, F_SETFD, 0); // it may have had that number, and be a program's
  closeFrom(kFirstOther + 1);
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

/// Log lines are the parent's as long as `channel` is there.
static void sendLog(Channel &channel) {
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
}

/// Runs `body` and tells the parent what came of it.
static void answerParent(Channel &channel, const ChildBody &body) {
  auto result = runGuarded(body, channel);
  if (result)
    return channel.tell(kResult, *result);
  std::vector<uint8_t> message;
  ByteWriter writer(message);
  writer.u8(uint8_t(result.error().kind));
  writer.text(result.error().message);
  channel.tell(kError, message);
}

static void dropOutput() {
  int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0)
    return;
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
}

[[noreturn]] static void runHere(int fd, pid_t parent,
                                 const ChildOptions &options,
                                 const ChildBody &body) noexcept {
  Channel channel(separate(fd, parent));
  if (options.isQuiet)
    dropOutput();
  sendLog(channel);
  answerParent(channel, body);
  ::_exit(0);
}

/// What a shell says of a program that it cannot start.
static constexpr int kNoProgram = 127;

[[noreturn]] static void runProgram(int fd, pid_t parent,
                                    const ChildOptions &options,
                                    const char *path) noexcept {
  (void)separate(fd, parent);
  if (options.isQuiet)
    dropOutput();
  ::execl(path, path, nullptr);
  ::_exit(kNoProgram);
}

void kiln::serveParent(const ChildBody &body) {
  // The connection has the number that `separate` gave it.
  int type = 0;
  socklen_t size = sizeof(type);
  if (::getsockopt(kFirstOther, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
    ::_exit(2);
  // It is no program's that this one may start.
  (void)::fcntl(kFirstOther, F_SETFD, FD_CLOEXEC);
  Channel channel(kFirstOther);
  sendLog(channel);
  for (;;)
    answerParent(channel, body);
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

namespace {
/// A copy that runs. It is ended, and waited for, at the latest when this ends. It is
/// named by a descriptor, since a host that waits for all children may have freed its
/// number for another process.
class Copy {
public:
  explicit Copy(pid_t pid) : pid_(pid), file_(::pidfd_open(pid, 0)) {
    reason_ = file_.valid() ? 0 : errno;
    isGone_ = reason_ == ESRCH;
  }
  ~Copy() { (void)finish(Clock::now()); }

  /// Readable once it has ended; -1 on a system without such descriptors.
  int file() const { return file_.valid() ? file_.get() : -1; }

  /// Why there is no descriptor although the system knows them, or 0.
  int whyUnseen() const {
    return reason_ == EMFILE || reason_ == ENFILE || reason_ == ENOMEM ? reason_
                                                                       : 0;
  }

  /// Waits until it has ended; ends it at `end`.
  ChildEnd finish(Clock::time_point end) {
    ChildEnd how;
    if (isGone_)
      return how;
    bool isLate =
        file_.valid() ? !waitFor({file_.get()}, end) : Clock::now() >= end;
    if (isLate)
      kill();
    isGone_ = true;
    siginfo_t info = {};
    int got;
    while ((got = file_.valid()
                      ? ::waitid(P_PIDFD, id_t(file_.get()), &info, WEXITED)
                      : ::waitid(P_PID, id_t(pid_), &info, WEXITED)) < 0 &&
           errno == EINTR)
      ;
    if (isLate) {
      how.kind = ChildEnd::Late;
    } else if (got == 0) {
      how.kind =
          info.si_code == CLD_EXITED ? ChildEnd::Exited : ChildEnd::Signalled;
      how.code = info.si_status;
    }
    return how;
  }

private:
  void kill() {
    if (file_.valid())
      (void)::pidfd_send_signal(file_.get(), SIGKILL, nullptr, 0);
    else // a system without such descriptors
      (void)::kill(pid_, SIGKILL);
  }

  pid_t pid_;
  Descriptor file_;
  int reason_; ///< why there is none
  bool isGone_;
};
} // namespace

static Clock::duration durationOf(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e8)));
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

static ChildEnd answered(Result<std::vector<uint8_t>> answer) {
  ChildEnd how;
  how.kind = ChildEnd::Answered;
  how.answer = std::move(answer);
  return how;
}

namespace {
/// A copy and the connection with it.
struct Connected {
  std::unique_ptr<Descriptor> end;
  std::unique_ptr<Copy> copy; ///< null if there can be none
};
} // namespace

/// A copy that runs `begin`, which is told its end of the connection and who its
/// parent is, and does not return; `errno` says why there is none.
template <typename Begin> static Connected connect(const Begin &begin) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return {};
  auto parentEnd = std::make_unique<Descriptor>(afterStreams(ends[0]));
  Descriptor childEnd(afterStreams(ends[1]));
  if (!parentEnd->valid() || !childEnd.valid())
    return {};
  const pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0)
    return {};
  if (child == 0)
    begin(childEnd.get(), parent);
  auto copy = std::make_unique<Copy>(child);
  childEnd.close();
  if (int reason = copy->whyUnseen(); reason != 0) {
    copy = nullptr;
    errno = reason;
    return {};
  }
  return {std::move(parentEnd), std::move(copy)};
}

static ChildEnd noProcess(const ChildOptions &options) {
  ChildEnd how = answered(Error::io("cannot make a process for " +
                                    options.what + ": " +
                                    systemMessage(errno)));
  how.kind = ChildEnd::NotMade;
  return how;
}

/// Until the copy has answered, and ended if that `isLast`. `hasBegun` is set with
/// its first message; before, `beginSeconds` count unless they are 0.
static ChildEnd listen(const Connected &child, const ChildOptions &options,
                       const ChildHandler &handler, double beginSeconds,
                       bool isLast, bool &hasBegun) {
  const Peer peer = {child.end->get(), child.copy->file()};
  const auto last = Clock::now() + durationOf(options.seconds);
  for (;;) {
    auto end = last;
    if (options.silence)
      end = std::min(end, Clock::now() + durationOf(options.silence()));
    if (!hasBegun && beginSeconds > 0)
      end = std::min(end, Clock::now() + durationOf(beginSeconds));
    uint8_t tag = 0;
    std::vector<uint8_t> message;
    Received received =
        receiveMessage(peer, tag, message, end);
    if (received == Received::Broken)
      return answered(Error::internal(options.what +
                                      " wrote into its own connection"));
    if (received != Received::All)
      return child.copy->finish(end);
    hasBegun = true;
    if (tag == kLog) {
      writeLog(message);
    } else if (tag == kResult || tag == kError) {
      if (isLast)
        (void)child.copy->finish(end);
      return answered(tag == kError ? Result<std::vector<uint8_t>>(
                                          errorOf(message))
                                    : std::move(message));
    } else {
      std::vector<uint8_t> reply =
          handler(tag & ~kWantsReply, ByteView(message));
      if (tag & kWantsReply)
        (void)sendMessage(peer, tag, reply, last);
    }
  }
}

/// One copy that answers once.
static ChildEnd watchCopy(const ChildOptions &options, const ChildBody &body,
                          const ChildHandler &handler, double beginSeconds,
                          bool &hasBegun) {
  Connected child = connect([&](int fd, pid_t parent) {
    runHere(fd, parent, options, body);
  });
  return child.copy ? listen(child, options, handler, beginSeconds,
                             /*isLast=*/true, hasBegun)
                    : noProcess(options);
}

ChildEnd kiln::watchChild(const ChildOptions &options, const ChildBody &body,
                          const ChildHandler &handler) {
  bool hasBegun = false;
  ChildEnd how =
      watchCopy(options, body, handler, options.beginSeconds, hasBegun);
  bool isStuck = how.kind == ChildEnd::Late && !hasBegun &&
                 options.beginSeconds > 0 &&
                 options.beginSeconds < options.seconds;
  return isStuck
             ? watchCopy(options, body, handler, /*beginSeconds=*/0, hasBegun)
             : how;
}

struct ChildProgram::Running {
  Connected child;
  bool hasEnded() const {
    return ::hasEnded({child.end->get(), child.copy->file()});
  }
};

ChildProgram::ChildProgram(std::string path) : path_(std::move(path)) {}
ChildProgram::~ChildProgram() = default;

ChildEnd ChildProgram::watch(const ChildOptions &options,
                             const ChildHandler &handler) {
  bool hasBegun = false;
  if (running_ && running_->hasEnded())
    running_ = nullptr;
  if (!running_) {
    Connected child = connect([&](int fd, pid_t parent) {
      runProgram(fd, parent, options, path_.c_str());
    });
    if (!child.copy)
      return noProcess(options);
    running_ = std::make_unique<Running>(Running{std::move(child)});
  }
  ChildEnd how = listen(running_->child, options, handler, /*beginSeconds=*/0,
                        /*isLast=*/false, hasBegun);
  // Who knows what is left in a process whose work has failed?
  if (how.kind != ChildEnd::Answered || !how.answer)
    running_ = nullptr;
  return how;
}

/// How a copy ended that gave no answer.
static Error errorOf(const ChildEnd &how, const ChildOptions &options) {
  if (how.kind == ChildEnd::Late)
    return Error::unsupported(options.what + " took longer than " +
                              std::to_string(int64_t(options.seconds)) + " s");
  if (how.kind == ChildEnd::Signalled) {
    const char *name = ::sigabbrev_np(how.code);
    std::string text = options.what + " was ended by signal " +
                       (name ? "SIG" + std::string(name)
                             : std::to_string(how.code));
    // Who kills it but the system, when there is no memory?
    return how.code == SIGKILL ? Error::unsupported(text)
                               : Error::internal(text);
  }
  if (how.kind == ChildEnd::Lost)
    return Error::internal(options.what +
                           " ended its process; how is not known, as this "
                           "program waits for every child process");
  std::string text = options.what + " ended its process with " +
                     std::to_string(how.code) +
                     "; what it wrote to the standard error says why";
  return how.code == int(ErrorKind::Unsupported) ? Error::unsupported(text)
                                                 : Error::internal(text);
}

Result<std::vector<uint8_t>> kiln::resultOf(ChildEnd how,
                                            const ChildOptions &options) {
  if (how.kind == ChildEnd::Answered || how.kind == ChildEnd::NotMade)
    return std::move(how.answer);
  return errorOf(how, options);
}

Result<std::vector<uint8_t>> kiln::runInChild(const ChildOptions &options,
                                              const ChildBody &body,
                                              const ChildHandler &handler) {
  return resultOf(watchChild(options, body, handler), options);
}
