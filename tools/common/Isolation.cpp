//===- Isolation.cpp - A tool's work in a process that may die ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Isolation.h"

#include "kiln/Base/Result.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace kiln;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Larger sources are named in a reproducer and not copied.
static constexpr uintmax_t kMaxSourceBytes = uintmax_t(64) << 20;

/// Where the child says what it does; -1 outside of a child.
static int notes = -1;

namespace {
/// What a child said last.
struct Progress {
  std::string stage; ///< empty: no compilation is under way
  double seconds = 0;
  std::optional<Clock::time_point> since; ///< of the compilation
};

class Isolated {
public:
  Isolated(const char *tool, int argc, char **argv)
      : tool_(tool), arguments_(argv + 1, argv + argc) {}

  int run(int argc, char **argv, int (*work)(int, char **));

private:
  /// Reads notes until the child is gone. False if it had to be ended.
  bool watch();
  void read(const std::string &text);
  int judge(int state);
  /// The folder of a reproducer, or a reason why there is none.
  std::string writeReproducer(const std::string &what) const;
  const std::string *source() const;

  const char *tool_;
  std::vector<std::string> arguments_;
  pid_t child_ = -1;
  int file_ = -1;
  std::string buffer_;
  Progress progress_;
};
} // namespace

void tools::noteStage(const std::string &stage, double seconds) {
  if (notes < 0)
    return;
  std::string note = std::to_string(seconds) + " " + stage + "\n";
  // A note is shorter than what a pipe takes at once. If the parent is gone,
  // so is this process.
  (void)!::write(notes, note.data(), note.size());
}

void Isolated::read(const std::string &text) {
  buffer_ += text;
  for (size_t end; (end = buffer_.find('\n')) != std::string::npos;
       buffer_.erase(0, end + 1)) {
    size_t space = buffer_.find(' ');
    std::string stage = buffer_.substr(space + 1, end - space - 1);
    if (stage == "package") {
      progress_ = {};
      continue;
    }
    progress_.stage = stage;
    progress_.seconds = std::strtod(buffer_.c_str(), nullptr);
    if (!progress_.since)
      progress_.since = Clock::now();
  }
}

bool Isolated::watch() {
  for (;;) {
    int timeout = -1;
    if (progress_.since) {
      // The compiler's own limit is first, where it can say more.
      constexpr double grace = 0.5;
      std::chrono::duration<double> spent = Clock::now() - *progress_.since;
      double rest = progress_.seconds + grace - spent.count();
      if (rest <= 0)
        return false;
      timeout = static_cast<int>(std::min(rest, 3600.0) * 1000) + 1;
    }
    struct pollfd file = {file_, POLLIN, 0};
    if (::poll(&file, 1, timeout) <= 0)
      continue;
    char bytes[512];
    ssize_t size = ::read(file_, bytes, sizeof(bytes));
    if (size > 0)
      read(std::string(bytes, static_cast<size_t>(size)));
    else if (size == 0 || errno != EINTR)
      return true;
  }
}

static bool endsWith(const std::string &text, const char *suffix) {
  size_t length = std::strlen(suffix);
  return text.size() > length &&
         text.compare(text.size() - length, length, suffix) == 0;
}

const std::string *Isolated::source() const {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (i > 0 && arguments_[i - 1] == "-o")
      continue;
    for (const char *suffix : {".mlir", ".mlirbc", ".pt2", ".kiln"})
      if (arguments_[i][0] != '-' && endsWith(arguments_[i], suffix))
        return &arguments_[i];
  }
  return nullptr;
}

std::string Isolated::writeReproducer(const std::string &what) const {
  std::error_code error;
  fs::path root = fs::temp_directory_path(error);
  std::string folder =
      (error ? fs::path("/tmp") : root) / "kiln_reproducer_XXXXXX";
  if (!::mkdtemp(folder.data()))
    return std::string("no reproducer: ") + std::strerror(errno);
  std::ofstream command(folder + "/command");
  command << "# " << what << "\n" << tool_;
  for (const std::string &argument : arguments_) {
    // For a shell, whatever the argument holds.
    command << " '";
    for (char c : argument)
      c == '\'' ? command << "'\\''" : command << c;
    command << "'";
  }
  command << "\n";
  const std::string *path = source();
  if (path && fs::file_size(*path, error) <= kMaxSourceBytes && !error)
    fs::copy_file(*path, folder + "/" + fs::path(*path).filename().string(),
                  error);
  if (!command.flush() || error)
    return "an incomplete reproducer is in '" + folder + "'";
  return "a reproducer is in '" + folder + "'";
}

int Isolated::judge(int state) {
  std::string place = progress_.stage.empty()
                          ? ""
                          : " in stage '" + progress_.stage + "'";
  if (WIFEXITED(state)) {
    int code = WEXITSTATUS(state);
    if (code == static_cast<int>(ErrorKind::Internal))
      std::fprintf(stderr, "%s: note: %s\n", tool_,
                   writeReproducer("internal error" + place).c_str());
    return code;
  }
  int signal = WTERMSIG(state);
  switch (signal) {
  case SIGINT:
  case SIGTERM:
  case SIGHUP:
  case SIGPIPE:
    // Somebody wanted an end; it is the whole tool's.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return 128 + signal;
  case SIGKILL:
    std::fprintf(stderr, "%s: error: killed%s by the system, which may lack "
                         "memory\n", tool_, place.c_str());
    return static_cast<int>(ErrorKind::Unsupported);
  default:
    break;
  }
  std::string what = std::string("internal error") + place + ": " +
                     ::strsignal(signal);
  std::fprintf(stderr, "%s: error: %s; %s\n", tool_, what.c_str(),
               writeReproducer(what).c_str());
  return static_cast<int>(ErrorKind::Internal);
}

/// A pipe that leaves descriptors 0 to 2 alone, also where the caller closed
/// them: the child is to find them closed.
static bool makePipe(int (&ends)[2]) {
  int first[2];
  if (::pipe2(first, O_CLOEXEC) != 0)
    return false;
  for (int i = 0; i < 2; ++i)
    ends[i] = ::fcntl(first[i], F_DUPFD_CLOEXEC, 3);
  ::close(first[0]);
  ::close(first[1]);
  return ends[0] >= 0 && ends[1] >= 0;
}

int Isolated::run(int argc, char **argv, int (*work)(int, char **)) {
  int ends[2];
  if (!makePipe(ends))
    return work(argc, argv);
  pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0)
    return work(argc, argv);
  if (child_ == 0) {
    // What ends the tool ends its work.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(1);
    struct rlimit noCore = {0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    ::close(ends[0]);
    notes = ends[1];
    std::exit(work(argc, argv));
  }
  ::close(ends[1]);
  file_ = ends[0];
  bool ended = watch();
  if (!ended)
    ::kill(child_, SIGKILL);
  int state = 0;
  while (::waitpid(child_, &state, 0) < 0 && errno == EINTR)
    ;
  ::close(file_);
  if (ended)
    return judge(state);
  std::fprintf(stderr,
               "%s: error: stage '%s': the compilation took longer than %g s\n",
               tool_, progress_.stage.c_str(), progress_.seconds);
  return static_cast<int>(ErrorKind::Unsupported);
}

int tools::runIsolated(const char *tool, int argc, char **argv,
                       int (*work)(int argc, char **argv)) {
  const char *isolate = std::getenv("KILN_ISOLATE");
  if (isolate && std::string(isolate) == "0")
    return work(argc, argv);
  return Isolated(tool, argc, argv).run(argc, argv, work);
}
