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
// SHARED", in the file KILN_FAKE_CUDA_LOG, beside "alloc BYTES", "free BYTES", "upload
// BYTES", "download BYTES", "link NAME", "wait", "graph NODES", "replay" and "update
// NAME". A launch of a graph does what its nodes do. Functions fail on a thread without a
// context; memory or code that goes while launches were not waited for breaks the device.
// Some entries mean something by their names:
//
//   kiln_check   fails the launch and writes to its cell, unless the value is true
//   fake_saxpy   f32 buffers x, y, r: r = 2 x + y, as far as the memory of r goes
//   fake_fault   the device fails with an illegal address
//   fake_lost    the device is lost
//
// KILN_FAKE_CUDA says what there is: devices=N (1), capability=N (90), memory=BYTES
// (2^30), driver=N (13000), ptx=N: the latest version of PTX that is known (90),
// fault=N: launch number N of the process is an illegal address (none).
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
#include <thread>
#include <vector>

namespace {

using Address = unsigned long long;

enum Answer {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NoDevice = 100,
  InvalidImage = 200,
  InvalidPTX = 218,
  UnsupportedPTX = 222,
  InvalidContext = 201,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchFailed = 719,
  Unknown = 999,
};

struct Code {
  std::string text;
};

struct Function {
  std::string name;
  std::vector<size_t> parameterBytes;
};

/// As the runtime's own declaration.
struct KernelNode {
  void *function;
  unsigned blocks[3], threads[3], sharedBytes;
  void **parameters, **extra;
  void *kernel, *context;
};

struct Node {
  KernelNode launch;
  std::vector<std::vector<char>> values; ///< of the parameters
};

struct Graph {
  std::vector<Node *> nodes;
};

/// Machine code here is a header of an ELF file, then the text.
constexpr size_t kHeaderBytes = 64;

struct State {
  std::mutex mutex;
  std::map<Address, size_t> memory;
  size_t used = 0;
  int failure = Success; ///< what every call answers from now on
  bool isBusy = false;   ///< something was launched and not waited for
  std::vector<std::thread> hosts; ///< functions of the host in the stream
};

State &state() {
  static State state;
  return state;
}

/// Of the calling thread.
thread_local std::vector<void *> contexts;

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

/// The end of the stream.
int finish() {
  State &s = state();
  std::vector<std::thread> hosts;
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    hosts.swap(s.hosts);
    s.isBusy = false;
  }
  for (std::thread &host : hosts)
    host.join();
  return s.failure;
}

/// Sizes of the parameters that a text declares for an entry.
std::vector<size_t> parametersOf(const std::string &text, size_t entry) {
  std::vector<size_t> sizes;
  size_t end = text.find(')', entry);
  for (size_t at = text.find(".param", entry); at < end;) {
    size_t next = std::min(text.find(".param", at + 6), end);
    std::string one = text.substr(at, next - at);
    size_t array = one.find('[');
    bool isWide = one.find(".u64") < one.size() || one.find(".b64") < one.size();
    sizes.push_back(array < one.size() ? std::atoi(one.c_str() + array + 1)
                    : isWide           ? 8
                                       : 4);
    at = next;
  }
  return sizes;
}

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

/// Parameters: value, cell, mask, bytes.
void check(void **parameters) {
  auto parameter = [&](int i) { return *static_cast<Address *>(parameters[i]); };
  unsigned long long value = 0;
  std::memcpy(&value, reinterpret_cast<void *>(parameter(0)), parameter(3));
  if (value & parameter(2))
    return;
  *reinterpret_cast<uint32_t *>(parameter(1)) = 1;
  fail(LaunchFailed);
}

int run(const Function &function, unsigned blocks, unsigned threads,
        unsigned shared, void **parameters) {
  State &s = state();
  if (s.failure)
    return s.failure;
  if (contexts.empty())
    return InvalidContext;
  s.isBusy = true;
  note("launch " + function.name + " " + std::to_string(blocks) + " " +
       std::to_string(threads) + " " + std::to_string(shared));
  static long long launches = 0;
  if (function.name == "fake_saxpy")
    saxpy(parameters);
  else if (function.name == "kiln_check")
    check(parameters);
  else if (function.name == "fake_fault" || ++launches == setting("fault", 0))
    fail(IllegalAddress);
  else if (function.name == "fake_lost")
    fail(Unknown);
  return Success;
}

/// The values of parameters are read at once, as the driver does.
void setNode(Node &node, const KernelNode &launch) {
  node.launch = launch;
  node.values.clear();
  const auto &sizes = static_cast<Function *>(launch.function)->parameterBytes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto *value = static_cast<const char *>(launch.parameters[i]);
    node.values.emplace_back(value, value + sizes[i]);
  }
}

} // namespace

extern "C" {

/// For tests that go on behind a failure, as in a process of its own.
void kiln_fake_cuda_reset() { state().failure = Success; }

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
  *stream = &state();
  return Success;
}
int cuStreamDestroy_v2(void *) { return Success; }
int cuStreamSynchronize(void *) {
  if (contexts.empty())
    return InvalidContext;
  note("wait");
  return finish();
}
int cuLaunchHostFunc(void *, void (*function)(void *), void *data) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().hosts.emplace_back(function, data);
  return state().failure;
}
int cuPointerGetAttribute(void *value, int, Address address) {
  // Memory of the host that begins with this is taken for page-locked.
  std::lock_guard<std::mutex> lock(state().mutex);
  if (bytesFrom(address) == 0 &&
      std::memcmp(reinterpret_cast<void *>(address), "page-locked", 11) != 0)
    return InvalidValue;
  *static_cast<unsigned *>(value) = bytesFrom(address) == 0 ? 1 : 2;
  return Success;
}
int cuEventCreate(void **event, unsigned) {
  *event = &state();
  return Success;
}
int cuEventDestroy_v2(void *) { return Success; }
int cuEventRecord(void *, void *) { return state().failure; }
int cuEventSynchronize(void *) { return finish(); }
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
  *memory = std::malloc(bytes);
  return *memory ? Success : OutOfMemory;
}
int cuMemHostGetDevicePointer_v2(Address *address, void *memory, unsigned) {
  *address = reinterpret_cast<Address>(memory);
  return Success;
}
int cuMemFreeHost(void *memory) {
  std::free(memory);
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
  if (std::memcmp(text, "\177ELF", 4) != 0)
    return InvalidImage;
  text += kHeaderBytes;
  if (!std::strstr(text, ".version"))
    return InvalidImage;
  *module = new Code{text};
  return state().failure;
}
/// Takes texts, as the linker does.
int cuLibraryLoadData(void **library, const void *text, int *, void **, unsigned,
                      int *, void **, unsigned) {
  Code code;
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
int cuModuleGetFunction(void **function, void *module, const char *name) {
  const std::string &text = static_cast<Code *>(module)->text;
  size_t entry = text.find(".entry " + std::string(name) + "(");
  if (entry == std::string::npos)
    return NotFound;
  // As long as the process, as few as kernels.
  *function = new Function{name, parametersOf(text, entry)};
  return Success;
}
int cuFuncGetParamInfo(void *function, size_t index, size_t *, size_t *bytes) {
  const auto &sizes = static_cast<Function *>(function)->parameterBytes;
  if (index >= sizes.size())
    return InvalidValue;
  *bytes = sizes[index];
  return Success;
}
int cuFuncSetAttribute(void *, int, int) { return Success; }
int cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned,
                   unsigned threads, unsigned, unsigned, unsigned shared, void *,
                   void **parameters, void **) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return run(*static_cast<Function *>(function), blocks, threads, shared,
             parameters);
}

int cuGraphCreate(void **graph, unsigned) {
  *graph = new Graph();
  return Success;
}
int cuGraphDestroy(void *graph) {
  for (Node *node : static_cast<Graph *>(graph)->nodes)
    delete node;
  delete static_cast<Graph *>(graph);
  return Success;
}
int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *before,
                            size_t count, const KernelNode *launch) {
  auto &nodes = static_cast<Graph *>(graph)->nodes;
  // Chains are all that is wanted, and what keeps the order of launches.
  if (count != (nodes.empty() ? 0u : 1u) || (count && *before != nodes.back()))
    return InvalidValue;
  nodes.push_back(new Node());
  *node = nodes.back();
  setNode(*nodes.back(), *launch);
  return Success;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long) {
  *executable = graph;
  note("graph " + std::to_string(static_cast<Graph *>(graph)->nodes.size()));
  return Success;
}
int cuGraphExecKernelNodeSetParams_v2(void *, void *node,
                                      const KernelNode *launch) {
  note("update " + static_cast<Function *>(launch->function)->name);
  setNode(*static_cast<Node *>(node), *launch);
  return Success;
}
int cuGraphExecDestroy(void *) { return Success; }
int cuGraphLaunch(void *executable, void *) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (contexts.empty())
    return InvalidContext;
  note("replay");
  for (Node *node : static_cast<Graph *>(executable)->nodes) {
    std::vector<void *> parameters;
    for (std::vector<char> &value : node->values)
      parameters.push_back(value.data());
    const KernelNode &launch = node->launch;
    if (int answer = run(*static_cast<Function *>(launch.function),
                         launch.blocks[0], launch.threads[0],
                         launch.sharedBytes, parameters.data()))
      return answer;
  }
  return Success;
}
int cuTensorMapEncodeTiled(void *map, int, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *,
                           const uint32_t *, const uint32_t *, int, int, int,
                           int) {
  if (contexts.empty())
    return InvalidContext;
  if (!address || std::count(sizes, sizes + rank, 0) != 0)
    return InvalidValue;
  std::memset(map, 0, 128);
  return Success;
}

} // extern "C"
