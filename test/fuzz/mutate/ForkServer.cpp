//===- ForkServer.cpp - Jobs in processes that may die --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkServer.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace kiln;
using namespace kiln::fuzz;

/// Milliseconds for which a process has run, all threads together.
static int64_t ranFor(clockid_t clock) {
  struct timespec time {};
  ::clock_gettime(clock, &time);
  return int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

static int64_t now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// In the process of a job
//===----------------------------------------------------------------------===//

/// Where a signal's trace goes.
static Slot *traced = nullptr;

static void append(char *text, size_t size, const char *more) {
  size_t used = std::strlen(text);
  std::snprintf(text + used, size - used, "%s", more);
}

/// Names the innermost functions; a process that dies may do as it likes here.
static void noteSignal(int signal) {
  void *frames[48];
  int count = backtrace(frames, 48);
  append(traced->trace, sizeof(traced->trace), strsignal(signal));
  unsigned named = 0;
  // Two frames are this function and the system's.
  for (int i = 2; i < count && named < 10; ++i) {
    Dl_info info{};
    if (!dladdr(frames[i], &info) || !info.dli_sname) {
      if (!info.dli_fname)
        append(traced->trace, sizeof(traced->trace), " < ?");
      continue;
    }
    char *plain =
        abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, nullptr);
    std::string name = plain ? plain : info.dli_sname;
    name = name.substr(0, std::min(name.find('('), size_t(110)));
    append(traced->trace, sizeof(traced->trace), (" < " + name).c_str());
    ++named;
  }
  ::_exit(100 + signal);
}

static void prepareProcess(Slot &slot) {
  traced = &slot;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit noCore = {0, 0}, memory = {8ull << 30, 8ull << 30};
  ::setrlimit(RLIMIT_CORE, &noCore);
  ::setrlimit(RLIMIT_AS, &memory);
  static char stack[256 << 10];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof(stack);
  ::sigaltstack(&other, nullptr);
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP}) {
    struct sigaction action {};
    action.sa_handler = noteSignal;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    ::sigaction(signal, &action, nullptr);
  }
}

void JobContext::run(size_t route, const std::function<int()> &body) {
  if (route < first_)
    return;
  slot_.route = static_cast<uint32_t>(route);
  slot_.ranSince = ranFor(CLOCK_PROCESS_CPUTIME_ID);
  slot_.since = now();
  if (::ftruncate(STDERR_FILENO, 0) != 0)
    ::_exit(99);
  ::lseek(STDERR_FILENO, 0, SEEK_SET);
  int code = body();
  std::fflush(nullptr);
  ++slot_.runs;
  ++slot_.exits[std::clamp(code, 0, 5)];
  if (code < 5 || slot_.alienRoute >= 0)
    return;
  std::ifstream file(errorFile());
  std::string message{std::istreambuf_iterator<char>(file), {}};
  std::snprintf(slot_.message, sizeof(slot_.message), "exit %d: %s", code,
                message.c_str());
  slot_.alienRoute = static_cast<int32_t>(route);
}

//===----------------------------------------------------------------------===//
// In the server
//===----------------------------------------------------------------------===//

namespace {
struct Worker {
  pid_t pid = -1;
  Slot *slot = nullptr;
  std::string folder;
};

class Server {
public:
  Server(const ServerOptions &options,
         const std::function<void(size_t, JobContext &)> &job,
         const std::function<void(const Finding &)> &report);
  ~Server();

  Totals run(size_t first, size_t count);

private:
  void start(Worker &worker, size_t job, size_t firstRoute);
  /// In the process of a worker: its job, and further ones while none has run.
  void work(Slot &slot, JobContext &context);
  bool isTooLong(const Worker &worker) const;
  /// True if the worker is free again.
  bool look(Worker &worker);
  /// Ends a route that failed; true if the job is over with it.
  bool end(Worker &worker, Finding::Kind kind, const std::string &cause);
  void count(Worker &worker);

  const ServerOptions &options_;
  const std::function<void(size_t, JobContext &)> &job_;
  const std::function<void(const Finding &)> &report_;
  std::vector<Worker> workers_;
  std::string root_;
  Totals totals_;
  std::atomic<size_t> *next_; ///< job that nobody has, shared with all
  size_t last_ = 0;           ///< no job from here on
};
} // namespace

/// In memory that is shared with the processes of jobs.
template <typename T> static T *makeShared() {
  void *memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    std::abort();
  return new (memory) T();
}

Server::Server(const ServerOptions &options,
               const std::function<void(size_t, JobContext &)> &job,
               const std::function<void(const Finding &)> &report)
    : options_(options), job_(job), report_(report), workers_(options.workers),
      next_(makeShared<std::atomic<size_t>>()) {
  char pattern[] = "/tmp/kiln-mutate-XXXXXX";
  root_ = ::mkdtemp(pattern) ? pattern : "/tmp";
  for (size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].slot = makeShared<Slot>();
    workers_[i].folder = root_ + "/" + std::to_string(i);
  }
}

static void removeFolder(const std::string &folder) {
  std::string command = "rm -rf '" + folder + "'";
  if (std::system(command.c_str()) != 0)
    std::fprintf(stderr, "cannot remove '%s'\n", folder.c_str());
}

Server::~Server() {
  for (Worker &worker : workers_)
    ::munmap(worker.slot, sizeof(Slot));
  ::munmap(next_, sizeof(*next_));
  removeFolder(root_);
}

void Server::work(Slot &slot, JobContext &context) {
  do {
    slot.ranSince = ranFor(CLOCK_PROCESS_CPUTIME_ID);
    slot.since = now();
    slot.refused = slot.prepared = false;
    job_(slot.job, context);
  } while (slot.refused && (slot.job = (*next_)++) < last_);
}

void Server::start(Worker &worker, size_t job, size_t firstRoute) {
  Slot &slot = *worker.slot;
  slot.job = job;
  slot.since = now();
  slot.ranSince = 0;
  slot.route = static_cast<uint32_t>(firstRoute);
  slot.prepared = false;
  slot.refusals = slot.runs = 0;
  slot.alienRoute = -1;
  slot.message[0] = slot.trace[0] = 0;
  for (auto &exits : slot.exits)
    exits = 0;
  ::mkdir(worker.folder.c_str(), 0700);
  std::fflush(nullptr);
  worker.pid = ::fork();
  if (worker.pid != 0)
    return;
  // A group of its own: what it starts in turn ends with it.
  ::setpgid(0, 0);
  prepareProcess(slot);
  JobContext context(slot, firstRoute, worker.folder);
  int null = ::open("/dev/null", O_RDWR);
  int errors = ::open(context.errorFile().c_str(),
                      O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  work(slot, context);
  ::_exit(0);
}

void Server::count(Worker &worker) {
  Slot &slot = *worker.slot;
  totals_.runs += slot.runs;
  totals_.refused += slot.refusals;
  for (size_t i = 0; i < 6; ++i)
    totals_.exits[i] += slot.exits[i];
  if (slot.alienRoute >= 0)
    report_({Finding::ExitCode, slot.job, size_t(slot.alienRoute), 5,
             slot.message});
}

bool Server::end(Worker &worker, Finding::Kind kind, const std::string &cause) {
  count(worker);
  ++totals_.runs;
  bool isOver = !worker.slot->prepared;
  size_t route = worker.slot->route;
  size_t job = worker.slot->job;
  report_({kind, job, isOver ? kPreparation : route, 0, cause});
  if (isOver)
    worker.pid = -1;
  else
    start(worker, job, route + 1);
  return isOver;
}

bool Server::isTooLong(const Worker &worker) const {
  constexpr int64_t waiting = 30;
  const int64_t passed = now() - worker.slot->since;
  clockid_t clock;
  if (passed <= options_.milliseconds ||
      ::clock_getcpuclockid(worker.pid, &clock) != 0)
    return false;
  return ranFor(clock) - worker.slot->ranSince > options_.milliseconds ||
         passed > waiting * options_.milliseconds;
}

bool Server::look(Worker &worker) {
  int state = 0;
  pid_t ended = ::waitpid(worker.pid, &state, WNOHANG);
  if (ended == 0) {
    if (isTooLong(worker)) {
      ::kill(-worker.pid, SIGKILL);
      ::waitpid(worker.pid, &state, 0);
      return end(worker, Finding::Hang,
                 "no end after " + std::to_string(options_.milliseconds) +
                     " ms");
    }
    return false;
  }
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) {
    count(worker);
    worker.pid = -1;
    return true;
  }
  if (WIFEXITED(state) && worker.slot->trace[0])
    return end(worker, Finding::Signal, worker.slot->trace);
  if (WIFSIGNALED(state))
    return end(worker, Finding::Signal, strsignal(WTERMSIG(state)));
  return end(worker, Finding::Signal,
             "the process ended with " + std::to_string(WEXITSTATUS(state)));
}

Totals Server::run(size_t first, size_t count) {
  int64_t begin = now();
  *next_ = first;
  last_ = first + count;
  auto mayStart = [&] {
    return *next_ < last_ &&
           (options_.deadline == 0 || now() - begin < options_.deadline);
  };
  bool busy = true;
  while (busy) {
    busy = false;
    for (Worker &worker : workers_) {
      if (worker.pid > 0 && !look(worker)) {
        busy = true;
        continue;
      }
      if (!mayStart())
        continue;
      if (size_t job = (*next_)++; job < last_) {
        start(worker, job, 0);
        busy = true;
      }
    }
    ::usleep(500);
  }
  totals_.jobs = std::min<size_t>(*next_, last_) - first;
  return totals_;
}

Totals fuzz::serve(size_t first, size_t count, const ServerOptions &options,
                   const std::function<void(size_t, JobContext &)> &job,
                   const std::function<void(const Finding &)> &report) {
  return Server(options, job, report).run(first, count);
}
