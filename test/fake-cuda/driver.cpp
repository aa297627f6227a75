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
// SHARED", in the file KILN_FAKE_CUDA_LOG, beside "alloc BYTES", "upload BYTES",
// "download BYTES" and "link NAME". Three entries mean something by their names:
//
//   fake_saxpy   f32 buffers x, y, r: r = 2 x + y, as far as the memory of r goes
//   fake_fault   the device fails with an illegal address
//   fake_lost    the device is lost
//
// KILN_FAKE_CUDA says what there is: devices=N (1), capability=N (90), memory=BYTES
// (2^30), driver=N (13000), ptx=N: the latest version of PTX that is known (90).
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

using Address = unsigned long long;

enum Answer {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NoDevice = 100,
  InvalidPTX = 218,
  UnsupportedPTX = 222,
  InvalidContext = 201,
  NotFound = 500,
  IllegalAddress = 700,
  Unknown = 999,
};

struct Code {
  std::string text;
};

struct Function {
  std::string name;
};

struct State {
  std::mutex mutex;
  std::map<Address, size_t> memory;
  size_t used = 0;
  int failure = Success; ///< what every call answers from now on
};

State &state() {
  static State state;
  return state;
}

/// Of the calling thread.
thread_local void *currentContext = nullptr;

/// A number of KILN_FAKE_CUDA.
long long setting(const std::string &name, long long otherwise) {
  const char *text = std::getenv("KILN_FAKE_CUDA");
  std::string all = text ? std::string(",") + text : "";
  size_t at = all.find("," + name + "=");
  return at == std::string::npos
             ? otherwise
             : std::atoll(all.c_str() + at + name.size() + 2);
}

void note(const std::string &line) {
  const char *path = std::getenv("KILN_FAKE_CUDA_LOG");
  if (!path)
    return;
  if (FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

size_t totalMemory() { return size_t(setting("memory", 1ll << 30)); }

/// The bytes from an address to the end of its block; 0 outside of all.
size_t bytesFrom(Address address) {
  State &s = state();
  auto block = s.memory.upper_bound(address);
  if (block == s.memory.begin())
    return 0;
  --block;
  size_t offset = address - block->first;
  return offset < block->second ? block->second - offset : 0;
}

bool isValid(Address address, size_t bytes) {
  return bytesFrom(address) >= bytes;
}

int fail(int answer) { return state().failure = answer; }

void saxpy(void **parameters) {
  auto pointer = [&](int i) { return *static_cast<Address *>(parameters[i]); };
  auto *x = reinterpret_cast<const float *>(pointer(0));
  auto *y = reinterpret_cast<const float *>(pointer(1));
  auto *r = reinterpret_cast<float *>(pointer(2));
  size_t count = std::min({bytesFrom(pointer(0)), bytesFrom(pointer(1)),
                           bytesFrom(pointer(2))}) /
                 sizeof(float);
  for (size_t i = 0; i < count; ++i)
    r[i] = 2 * x[i] + y[i];
}

} // namespace

extern "C" {

int cuInit(unsigned) { return setting("devices", 1) > 0 ? Success : NoDevice; }
int cuDriverGetVersion(int *version) {
  *version = int(setting("driver", 13000));
  return Success;
}
int cuGetErrorName(int answer, const char **name) {
  *name = answer == OutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : answer == InvalidPTX     ? "CUDA_ERROR_INVALID_PTX"
          : answer == IllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : answer == Unknown        ? "CUDA_ERROR_UNKNOWN"
                                     : "CUDA_ERROR_INVALID_VALUE";
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
int cuDeviceGetAttribute(int *value, int attribute, int) {
  int capability = int(setting("capability", 90));
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return Success;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &state();
  return Success;
}
int cuCtxSetCurrent(void *context) {
  currentContext = context;
  return Success;
}
int cuStreamCreate(void **stream, unsigned) {
  *stream = &state();
  return Success;
}
int cuStreamDestroy_v2(void *) { return Success; }
int cuStreamSynchronize(void *) { return state().failure; }
int cuEventCreate(void **event, unsigned) {
  *event = &state();
  return Success;
}
int cuEventDestroy_v2(void *) { return Success; }
int cuEventRecord(void *, void *) { return state().failure; }
int cuEventSynchronize(void *) { return state().failure; }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 1;
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
  s.used -= block->second;
  note("free " + std::to_string(block->second));
  s.memory.erase(block);
  std::free(reinterpret_cast<void *>(address));
  return Success;
}
int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  if (!isValid(to, bytes))
    return InvalidValue;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  note("upload " + std::to_string(bytes));
  return Success;
}
int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  if (!isValid(from, bytes))
    return InvalidValue;
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  note("download " + std::to_string(bytes));
  return Success;
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  if (!isValid(to, bytes) || !isValid(from, bytes))
    return InvalidValue;
  std::memmove(reinterpret_cast<void *>(to),
               reinterpret_cast<const void *>(from), bytes);
  return Success;
}
int cuMemsetD8Async(Address to, unsigned char value, size_t bytes, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!isValid(to, bytes))
    return InvalidValue;
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return state().failure;
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
  note(std::string("link ") + name);
  static_cast<Code *>(link)->text = std::move(text);
  return Success;
}
int cuLinkComplete(void *link, void **code, size_t *bytes) {
  std::string &text = static_cast<Code *>(link)->text;
  *code = text.data();
  *bytes = text.size() + 1;
  return Success;
}
int cuLinkDestroy(void *link) {
  delete static_cast<Code *>(link);
  return Success;
}
int cuModuleLoadData(void **module, const void *code) {
  *module = new Code{static_cast<const char *>(code)};
  return state().failure;
}
int cuModuleUnload(void *module) {
  delete static_cast<Code *>(module);
  return Success;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  const std::string &text = static_cast<Code *>(module)->text;
  if (text.find(".entry " + std::string(name) + "(") == std::string::npos)
    return NotFound;
  *function = new Function{name}; // as long as the process, as few as kernels
  return Success;
}
int cuFuncSetAttribute(void *, int, int) { return Success; }
int cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned,
                   unsigned threads, unsigned, unsigned, unsigned shared, void *,
                   void **parameters, void **) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().failure)
    return state().failure;
  const std::string &name = static_cast<Function *>(function)->name;
  note("launch " + name + " " + std::to_string(blocks) + " " +
       std::to_string(threads) + " " + std::to_string(shared));
  if (name == "fake_saxpy")
    saxpy(parameters);
  else if (name == "fake_fault")
    fail(IllegalAddress);
  else if (name == "fake_lost")
    fail(Unknown);
  return Success;
}
int cuTensorMapEncodeTiled(void *map, int, uint32_t, void *, const uint64_t *,
                           const uint64_t *, const uint32_t *, const uint32_t *,
                           int, int, int, int) {
  if (!currentContext)
    return InvalidContext;
  std::memset(map, 0, 128);
  return Success;
}

} // extern "C"
