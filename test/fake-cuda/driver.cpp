//===- driver.cpp - A driver without a GPU --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers what lib/RuntimeCUDA/Driver.h asks of libcuda.so.1, with memory of the host
// as that of the device, so that the runtime and each of its errors is tested where
// there is no GPU. New memory holds bytes of 0xff, which are NaN.
//
// Kernels are not run: a launch is written down, as a line "launch NAME BLOCKS THREADS
// SHARED", in the file KILN_FAKE_CUDA_LOG, beside "alloc BYTES", "free BYTES", "pin BYTES",
// "unpin BYTES", "upload BYTES", "download BYTES", "fill BYTES", "link NAME", "wait",
// "graph NODES", "replay" and "update NAME". A launch of a graph does what its nodes do.
// Functions fail on a thread without a context; memory or code that goes while launches were
// not waited for breaks the device. Copies from page-locked memory read it as late as they
// may: when something behind them is waited for or looks at memory of the device.
// Some entries mean something by their names:
//
//   kiln_check   fails the launch and writes to its cell, unless the value is true
//   kiln_copy_*  copies items between strided places
//   fake_saxpy   f32 buffers x, y, r: r = 2 x + y, as far as the memory of r goes; also
//                with $64, as kernels with wide indices are named
//   fake_fault   the device fails
//
// KILN_FAKE_CUDA says what there is: devices=N (1), capability=N (90), memory=BYTES
// (2^30), pinned=BYTES: page-locked memory (2^30), driver=N (13000), childgraphs=N: graphs
// in graphs are not taken (0), cannot be changed (1), or can be (2, the default), ptx=N: the latest
// version of PTX that is known (90), init=N: what cuInit answers (0), fault=N: launch
// number N of the process fails (none), answer=N: what the driver says of that and of
// fake_fault (700, an illegal address); of kernels with N threads in a block, slow=N: none
// ends for a minute, crash=N: they end the process, illegal=N: they are an illegal address,
// short=N: there is no memory for them, spill=N: a thread has 64 bytes of local memory,
// assembler=N: their text ends the process; idle=1: launches, alone and of graphs, do nothing and are
// not written down, so that what a call takes is the host's.
// By the clock of events a launch takes as many microseconds as a block has threads, and
// from one event to the next there is one more.
//
//===----------------------------------------------------------------------===//

#include "driver.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <unistd.h>

using namespace fake_cuda;

State &fake_cuda::state() {
  static State state;
  return state;
}

thread_local std::vector<void *> fake_cuda::contexts;

long long fake_cuda::setting(const std::string &name, long long otherwise) {
  const char *text = std::getenv("KILN_FAKE_CUDA");
  std::string all = text ? std::string(",") + text : "";
  size_t at = all.find("," + name + "=");
  return at == std::string::npos
             ? otherwise
             : std::atoll(all.c_str() + at + name.size() + 2);
}

void fake_cuda::note(const std::string &line) {
  const char *path = std::getenv("KILN_FAKE_CUDA_LOG");
  if (!path)
    return;
  if (FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

size_t fake_cuda::bytesFrom(Address address) {
  State &s = state();
  auto block = s.memory.upper_bound(address);
  if (block == s.memory.begin())
    return 0;
  --block;
  size_t offset = address - block->first;
  return offset < block->second ? block->second - offset : 0;
}

void fake_cuda::doCopies(uint64_t end) {
  State &s = state();
  for (; !s.copies.empty() && s.copies.front().at <= end; s.copies.pop_front())
    if (s.failure == Success)
      std::memcpy(reinterpret_cast<void *>(s.copies.front().to),
                  reinterpret_cast<void *>(s.copies.front().from),
                  s.copies.front().bytes);
}

int fake_cuda::fail(int answer) { return state().failure = answer; }

namespace {

/// Machine code here is a header of an ELF file, then the text.
constexpr size_t kHeaderBytes = 64;

size_t totalMemory() { return size_t(setting("memory", 1ll << 30)); }

bool isValid(Address address, size_t bytes) {
  return bytesFrom(address) >= bytes;
}

/// Whether the driver knows memory of the host as page-locked: its own, and what begins
/// with this.
bool isPageLocked(Address address) {
  State &s = state();
  auto block = s.pageLocked.upper_bound(address);
  return (block != s.pageLocked.begin() &&
          address - std::prev(block)->first < std::prev(block)->second) ||
         std::strncmp(reinterpret_cast<char *>(address), "page-locked", 11) == 0;
}

/// Waits for what is in the stream up to a place.
int finish(uint64_t end) {
  State &s = state();
  std::vector<HostCall> hosts;
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    doCopies(end);
    while (!s.hosts.empty() && s.hosts.front().at <= end) {
      hosts.push_back(std::move(s.hosts.front()));
      s.hosts.pop_front();
    }
    s.isBusy &= end < s.asked;
  }
  if (s.isStuck)
    std::this_thread::sleep_for(std::chrono::seconds(60));
  for (HostCall &host : hosts)
    host.thread.join();
  return s.failure;
}

} // namespace

extern "C" {

/// For tests that go on behind a failure, as in a process of its own.
void kiln_fake_cuda_reset() { state().failure = Success; }

int cuInit(unsigned) {
  state().process = ::getpid();
  return setting("devices", 1) > 0 ? int(setting("init", Success)) : NoDevice;
}
int cuDriverGetVersion(int *version) {
  *version = int(setting("driver", 13000));
  return Success;
}
int cuGetErrorName(int answer, const char **name) {
  static const std::map<int, const char *> names = {
      {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {DeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {InvalidPTX, "CUDA_ERROR_INVALID_PTX"},
      {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {ContextDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
      {Assert, "CUDA_ERROR_ASSERT"},
      {DriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {Unknown, "CUDA_ERROR_UNKNOWN"}};
  auto found = names.find(answer);
  *name = found == names.end() ? "CUDA_ERROR_INVALID_VALUE" : found->second;
  return Success;
}
int cuGetErrorString(int, const char **text) {
  *text = "said by a driver without a GPU";
  return Success;
}
int cuDeviceGetCount(int *count) {
  *count = int(setting("devices", 1));
  return Success;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return Success;
}
int cuDeviceGetName(char *name, int bytes, int) {
  std::snprintf(name, size_t(bytes), "GPU without a GPU");
  return Success;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  if (attribute == 38 || attribute == 16) {
    // Bytes of the cache, multiprocessors.
    *value = attribute == 38 ? 1 << 20 : int(setting("multiprocessors", 4));
    return Success;
  }
  int capability = int(setting("capability", 90));
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return Success;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &state();
  return Success;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  note("release");
  return Success;
}
int cuCtxGetCurrent(void **context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return Success;
}
int cuCtxPushCurrent_v2(void *context) {
  contexts.push_back(context);
  return Success;
}
int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return InvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return Success;
}
int cuStreamCreate(void **stream, unsigned) {
  *stream = new char();
  return Success;
}
int cuStreamDestroy_v2(void *stream) {
  delete static_cast<char *>(stream);
  return Success;
}
int cuStreamSynchronize(void *) {
  if (contexts.empty())
    return InvalidContext;
  note("wait");
  return finish(UINT64_MAX);
}
int cuLaunchHostFunc(void *, void (*function)(void *), void *data) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.hosts.push_back({++s.asked, std::thread(function, data)});
  return s.failure;
}
int cuPointerGetAttributes(unsigned count, int *, void **values, Address address) {
  // Of memory that is not the driver's all it says is 0.
  std::lock_guard<std::mutex> lock(state().mutex);
  unsigned type = bytesFrom(address) != 0 ? 2 : isPageLocked(address) ? 1 : 0;
  for (unsigned k = 0; k < count; ++k)
    *static_cast<unsigned *>(values[k]) = type;
  return Success;
}
int cuEventCreate(void **event, unsigned) {
  *event = new Event();
  return Success;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<Event *>(event);
  return Success;
}
int cuEventRecord(void *event, void *) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  *static_cast<Event *>(event) = {s.clock, s.asked};
  return s.failure;
}
int cuEventSynchronize(void *event) {
  return finish(static_cast<Event *>(event)->at);
}
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = static_cast<float>(
      1e-3 + 1e-3 * (static_cast<Event *>(end)->clock -
                     static_cast<Event *>(begin)->clock));
  return state().failure;
}

int cuMemGetInfo_v2(size_t *free, size_t *total) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *total = totalMemory();
  *free = *total - state().used;
  return Success;
}
int cuMemAlloc_v2(Address *address, size_t bytes) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (s.process != ::getpid())
    return NotInitialized;
  if (contexts.empty())
    return InvalidContext;
  if (s.failure)
    return s.failure;
  if (bytes > totalMemory() - s.used)
    return OutOfMemory;
  void *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!memory)
    return OutOfMemory;
  std::memset(memory, 0xff, bytes);
  *address = reinterpret_cast<Address>(memory);
  s.memory[*address] = bytes;
  s.used += bytes;
  note("alloc " + std::to_string(bytes));
  return Success;
}
int cuMemFree_v2(Address address) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto block = s.memory.find(address);
  if (block == s.memory.end())
    return InvalidValue;
  if (s.isBusy)
    fail(IllegalAddress);
  s.used -= block->second;
  note("free " + std::to_string(block->second));
  s.memory.erase(block);
  std::free(reinterpret_cast<void *>(address));
  return Success;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (contexts.empty())
    return InvalidContext;
  if (bytes > size_t(setting("pinned", 1ll << 30)) - s.locked)
    return OutOfMemory;
  *memory = std::malloc(bytes);
  if (!*memory)
    return OutOfMemory;
  s.pageLocked[reinterpret_cast<Address>(*memory)] = bytes;
  s.locked += bytes;
  note("pin " + std::to_string(bytes));
  return Success;
}
int cuMemHostGetDevicePointer_v2(Address *address, void *memory, unsigned) {
  *address = reinterpret_cast<Address>(memory);
  return Success;
}
int cuMemFreeHost(void *memory) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto block = s.pageLocked.find(reinterpret_cast<Address>(memory));
  if (block == s.pageLocked.end())
    return InvalidValue;
  if (!s.copies.empty())
    fail(IllegalAddress);
  s.locked -= block->second;
  note("unpin " + std::to_string(block->second));
  s.pageLocked.erase(block);
  std::free(memory);
  return Success;
}
int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (s.failure)
    return s.failure;
  if (!isValid(to, bytes))
    return InvalidValue;
  s.copies.push_back({++s.asked, to, reinterpret_cast<Address>(from), bytes});
  if (isPageLocked(s.copies.back().from))
    s.isBusy = true;
  else
    doCopies();
  note("upload " + std::to_string(bytes));
  return Success;
}
int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  if (!isValid(from, bytes))
    return InvalidValue;
  doCopies();
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  note("download " + std::to_string(bytes));
  return Success;
}
int cuMemsetD8Async(Address to, unsigned char byte, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  if (!isValid(to, bytes))
    return InvalidValue;
  doCopies();
  std::memset(reinterpret_cast<void *>(to), byte, bytes);
  note("fill " + std::to_string(bytes));
  return Success;
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  if (!isValid(to, bytes) || !isValid(from, bytes))
    return InvalidValue;
  doCopies();
  std::memmove(reinterpret_cast<void *>(to),
               reinterpret_cast<const void *>(from), bytes);
  note("copy " + std::to_string(bytes));
  return Success;
}

int cuLinkCreate_v2(unsigned, int *, void **, void **link) {
  *link = new Code();
  return Success;
}
int cuLinkAddData_v2(void *link, int kind, void *data, size_t, const char *name,
                     unsigned, int *, void **) {
  std::string text = static_cast<const char *>(data);
  size_t version = text.find(".version ");
  if (kind != 1 || version == std::string::npos)
    return InvalidPTX;
  double number = std::atof(text.c_str() + version + 9);
  if (number * 10 > double(setting("ptx", 90)) + 0.5)
    return UnsupportedPTX;
  if (threadsOf(text, text.find(".entry ")) == setting("assembler", -1))
    std::abort();
  note(std::string("link ") + name);
  static_cast<Code *>(link)->text = std::move(text);
  return Success;
}
int cuLinkComplete(void *link, void **code, size_t *bytes) {
  std::string &text = static_cast<Code *>(link)->text;
  std::string header(kHeaderBytes, '\0');
  header.replace(0, 4, "\177ELF");
  text = header + text;
  *code = text.data();
  *bytes = text.size() + 1;
  return Success;
}
int cuLinkDestroy(void *link) {
  delete static_cast<Code *>(link);
  return Success;
}
int cuModuleLoadData(void **module, const void *code) {
  auto *text = static_cast<const char *>(code);
  const bool isText = std::strncmp(text, ".version", 8) == 0;
  if (!isText && std::memcmp(text, "\177ELF", 4) != 0)
    return InvalidImage;
  text += isText ? 0 : kHeaderBytes;
  if (!std::strstr(text, ".version"))
    return InvalidImage;
  if (state().process != ::getpid())
    return NotInitialized;
  *module = new Code{text};
  return state().failure;
}
/// Takes texts, as the linker does.
int cuLibraryLoadData(void **library, const void *text, int *, void **, unsigned,
                      int *, void **, unsigned) {
  Code code;
  if (state().process != ::getpid())
    return NotInitialized;
  int answer = cuLinkAddData_v2(&code, 1, const_cast<void *>(text), 0,
                                "a library", 0, nullptr, nullptr);
  if (answer != Success)
    return answer;
  *library = new Code{code.text};
  return state().failure;
}
int cuLibraryGetModule(void **module, void *library) {
  *module = library;
  return Success;
}
int cuModuleUnload(void *module) {
  if (state().isBusy)
    fail(IllegalAddress);
  delete static_cast<Code *>(module);
  return Success;
}
int cuLibraryUnload(void *library) { return cuModuleUnload(library); }
} // extern "C"
