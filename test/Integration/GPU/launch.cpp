//===- launch.cpp - Run grids on a GPU and check them ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// launch FILE...: runs each recorded case through the driver of this machine, without any
// header or library of CUDA, and prints a table. A case is a text and then bytes:
//
//   kiln-grid 1
//   ptx BYTES                        one line for each text of PTX
//   buffer TYPE BYTES CHECKED ULPS   elements are f16, bf16, f32, f64, i8, i16, i32, i64
//   step MODULE FUNCTION BLOCKS THREADS ARGUMENT...   b2: buffer 2, n17: the integer 17,
//                                    s65536: bytes of shared memory of a block, m0: map 0
//   map BUFFER TYPE OFFSET SWIZZLE RANK SIZE... STRIDE... BOX...
//                                    a tensor map as `#loop.tensor_map` says it, for a buffer
//   time COUNT BYTES [FLOPS]         measure COUNT runs instead, each of which has to move so
//                                    many bytes and to do so many operations; contents are
//                                    made up, floats from 0.5 to 1 with either sign
//   end
//
// and behind it the texts of PTX, then the content of each buffer and, if it is checked,
// what it holds at the end (with `time`, none of both). Around each buffer stand guard
// bytes that must survive. Runs that are measured take turns with sets of buffers that are
// together larger than any cache.
//
// Exit codes: 0 all are right, 1 one is wrong, 2 there is no driver or GPU, 3 a file is no
// case.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Pointer = unsigned long long;
constexpr size_t kGuard = 256;
/// Bytes that no cache holds.
constexpr size_t kCache = size_t(1) << 29;

void *driver = nullptr;

template <typename Function> Function find(const char *name) {
  auto function = reinterpret_cast<Function>(dlsym(driver, name));
  if (!function)
    throw std::runtime_error(std::string(name) + " is not in the driver");
  return function;
}

void require(int result, const char *what) {
  if (result == 0)
    return;
  const char *name = "?";
  find<int (*)(int, const char **)>("cuGetErrorName")(result, &name);
  throw std::runtime_error(std::string(what) + ": " + name);
}

#define CALL(name, signature, ...)                                             \
  require(find<int(*) signature>(#name)(__VA_ARGS__), #name)

struct Buffer {
  std::string type;
  size_t bytes = 0;
  bool isChecked = false;
  double ulps = 0;
  std::string content, expected;
  std::vector<Pointer> memory; ///< of the guard bytes before it, in each set
};

/// A tensor as the copy engine sees it, the innermost dimension first.
struct Map {
  size_t buffer = 0;
  std::string type;
  uint64_t offset = 0; ///< in elements
  unsigned swizzle = 0;
  std::vector<uint64_t> sizes, strides; ///< strides in bytes, without the innermost
  std::vector<uint32_t> box;
};

struct Step {
  size_t module = 0;
  std::string function;
  unsigned blocks = 0, threads = 0, shared = 0;
  std::vector<std::string> arguments;
};

struct Case {
  std::vector<std::string> ptx;
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  std::vector<Map> maps;
  int runs = 0;
  double moved = 0; ///< bytes of a run
  double operations = 0;
};

Case readCase(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string line, word;
  Case found;
  std::vector<size_t> lengths;
  auto expect = [&](bool isThere) {
    if (!isThere)
      throw std::invalid_argument(path + " is no case: \"" + line + "\"");
  };
  expect(std::getline(file, line) && line == "kiln-grid 1");
  while (std::getline(file, line) && line != "end") {
    std::istringstream words(line);
    words >> word;
    if (word == "ptx") {
      lengths.emplace_back();
      words >> lengths.back();
    } else if (word == "buffer") {
      Buffer buffer;
      words >> buffer.type >> buffer.bytes >> buffer.isChecked >> buffer.ulps;
      expect(buffer.bytes <= size_t(8) << 30);
      found.buffers.push_back(buffer);
    } else if (word == "step") {
      Step step;
      words >> step.module >> step.function >> step.blocks >> step.threads;
      expect(!words.fail() && step.module < lengths.size());
      for (std::string argument; words >> argument;) {
        if (argument[0] == 's')
          step.shared = std::strtoul(argument.c_str() + 1, nullptr, 10);
        else
          step.arguments.push_back(argument);
      }
      words.clear();
      found.steps.push_back(step);
    } else if (word == "map") {
      Map map;
      size_t rank = 0;
      words >> map.buffer >> map.type >> map.offset >> map.swizzle >> rank;
      expect(!words.fail() && map.buffer < found.buffers.size() && rank >= 2 &&
             rank <= 5);
      map.sizes.resize(rank);
      map.strides.resize(rank - 1);
      map.box.resize(rank);
      for (uint64_t &size : map.sizes)
        words >> size;
      for (uint64_t &stride : map.strides)
        words >> stride;
      for (uint32_t &extent : map.box)
        words >> extent;
      found.maps.push_back(map);
    } else {
      expect(word == "time");
      words >> found.runs >> found.moved;
      if (!(words >> found.operations))
        words.clear();
    }
    expect(!words.fail());
  }
  auto take = [&](size_t bytes) {
    std::string text(bytes, '\0');
    expect(bool(file.read(text.data(), bytes)));
    return text;
  };
  for (size_t length : lengths) {
    expect(length <= size_t(1) << 26);
    found.ptx.push_back(take(length));
  }
  for (Buffer &buffer : found.buffers) {
    if (found.runs != 0)
      continue;
    buffer.content = take(buffer.bytes);
    if (buffer.isChecked)
      buffer.expected = take(buffer.bytes);
  }
  return found;
}

/// An element as a number, and the precision of its type; 0 for integers.
double toNumber(const std::string &type, const char *at, double &precision) {
  precision = 0;
  auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  if (type == "f64") {
    precision = std::ldexp(1.0, -53);
    return read(double());
  }
  if (type == "f32") {
    precision = std::ldexp(1.0, -24);
    return read(float());
  }
  if (type == "bf16") {
    precision = std::ldexp(1.0, -8);
    uint32_t bits = uint32_t(read(uint16_t())) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (type == "f16") {
    precision = std::ldexp(1.0, -11);
    uint16_t bits = read(uint16_t());
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                   : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                  : std::ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
  }
  return type == "i8"    ? read(int8_t())
         : type == "i16" ? read(int16_t())
         : type == "i32" ? read(int32_t())
                         : double(read(int64_t()));
}

/// What is wrong with a buffer, or nothing.
std::string compare(const Buffer &buffer, const std::string &found) {
  size_t width = buffer.type == "f64" || buffer.type == "i64"   ? 8
                 : buffer.type == "f32" || buffer.type == "i32" ? 4
                 : buffer.type == "i8"                          ? 1
                                                                : 2;
  for (size_t at = 0; at + width <= buffer.bytes; at += width) {
    if (std::memcmp(&found[at], &buffer.expected[at], width) == 0)
      continue;
    double precision;
    double x = toNumber(buffer.type, &found[at], precision);
    double y = toNumber(buffer.type, &buffer.expected[at], precision);
    bool isClose =
        precision != 0 &&
        (x == y || (std::isnan(x) && std::isnan(y)) ||
         std::fabs(x - y) <= precision * buffer.ulps * std::fmax(1, std::fabs(y)));
    if (isClose)
      continue;
    std::ostringstream text;
    text << "element " << at / width << ": found " << x << ", expected " << y;
    return text.str();
  }
  return "";
}

/// Contents of which a product does not cost less power than of others.
void makeUp(const std::string &type, char *at, size_t bytes) {
  uint64_t state = 0x9E3779B97F4A7C15;
  auto next = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return uint32_t(state >> 32);
  };
  auto fill = [&](auto element, auto make) {
    for (size_t k = 0; k + sizeof(element) <= bytes; k += sizeof(element)) {
      element = make(next());
      std::memcpy(at + k, &element, sizeof(element));
    }
  };
  if (type == "f32")
    fill(uint32_t(), [](uint32_t x) { return (x & 0x807FFFFF) | 0x3F000000; });
  else if (type == "bf16")
    fill(uint16_t(), [](uint32_t x) { return (x & 0x807F) | 0x3F00; });
  else if (type == "f16")
    fill(uint16_t(), [](uint32_t x) { return (x & 0x83FF) | 0x3800; });
  else
    fill(uint8_t(), [](uint32_t x) { return x % 61; });
}

class Launcher {
public:
  explicit Launcher(Case &test) : test(test) {
    for (std::string &text : test.ptx) {
      modules.emplace_back();
      CALL(cuModuleLoadData, (void **, const void *), &modules.back(),
           text.c_str());
    }
    size_t bytes = 1;
    for (Buffer &buffer : test.buffers)
      bytes += buffer.bytes;
    if (test.runs != 0)
      sets = 1 + kCache / bytes;
    for (Buffer &buffer : test.buffers)
      for (size_t set = 0; set < sets; ++set)
        place(buffer);
  }
  ~Launcher() {
    for (Buffer &buffer : test.buffers)
      for (Pointer memory : buffer.memory)
        find<int (*)(Pointer)>("cuMemFree_v2")(memory);
    for (void *module : modules)
      find<int (*)(void *)>("cuModuleUnload")(module);
  }

  void run(size_t set = 0) {
    for (const Step &step : test.steps)
      if (step.blocks != 0)
        launch(step, set);
  }
  std::string check();
  double measure();

private:
  void place(Buffer &buffer) {
    std::string bytes(buffer.bytes + 2 * kGuard, '\xA5');
    if (test.runs)
      makeUp(buffer.type, &bytes[kGuard], buffer.bytes);
    else
      std::memcpy(&bytes[kGuard], buffer.content.data(), buffer.bytes);
    Pointer memory;
    CALL(cuMemAlloc_v2, (Pointer *, size_t), &memory, bytes.size());
    buffer.memory.push_back(memory);
    CALL(cuMemcpyHtoD_v2, (Pointer, const void *, size_t), memory, bytes.data(),
         bytes.size());
  }
  void launch(const Step &step, size_t set);
  /// What the driver makes of a map for one set of buffers.
  struct alignas(64) Encoded {
    uint64_t words[16];
  };
  Encoded encode(const Map &map, size_t set);

  Case &test;
  size_t sets = 1; ///< of buffers
  std::vector<void *> modules;
};

Launcher::Encoded Launcher::encode(const Map &map, size_t set) {
  // Numbers of cuda.h: CUtensorMapDataType, CUtensorMapSwizzle, and a promotion in L2
  // to 256 bytes.
  bool isByte = map.type == "i8";
  int type = map.type == "f16"   ? 6
             : map.type == "f32" ? 11 /* rounded */
             : isByte            ? 0
                                 : 9;
  int width = map.type == "f32" ? 4 : isByte ? 1 : 2;
  int swizzle = map.swizzle == 32 ? 1 : map.swizzle == 64 ? 2 : map.swizzle / 128 * 3;
  std::vector<uint32_t> steps(map.sizes.size(), 1);
  Pointer memory = test.buffers.at(map.buffer).memory.at(set) + kGuard;
  Encoded encoded;
  CALL(cuTensorMapEncodeTiled,
       (void *, int, uint32_t, Pointer, const uint64_t *, const uint64_t *,
        const uint32_t *, const uint32_t *, int, int, int, int),
       &encoded, type, uint32_t(map.sizes.size()), memory + map.offset * width,
       map.sizes.data(), map.strides.data(), map.box.data(), steps.data(),
       /*interleave=*/0, swizzle, /*promotion=*/3, /*fill=*/0);
  return encoded;
}

void Launcher::launch(const Step &step, size_t set) {
  void *function;
  CALL(cuModuleGetFunction, (void **, void *, const char *), &function,
       modules[step.module], step.function.c_str());
  constexpr int kMostShared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  if (step.shared)
    CALL(cuFuncSetAttribute, (void *, int, int), function, kMostShared,
         step.shared);
  std::vector<Pointer> values;
  std::vector<Encoded> maps;
  maps.reserve(step.arguments.size());
  for (const std::string &argument : step.arguments) {
    Pointer value = std::strtoull(argument.c_str() + 1, nullptr, 10);
    if (argument[0] == 'b')
      value = test.buffers.at(value).memory.at(set) + kGuard;
    if (argument[0] == 'm')
      maps.push_back(encode(test.maps.at(value), set));
    else
      values.push_back(value);
  }
  std::vector<void *> pointers;
  for (Pointer &value : values)
    pointers.push_back(&value);
  for (Encoded &map : maps)
    pointers.push_back(&map);
  CALL(cuLaunchKernel,
       (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, void *, void **, void **),
       function, step.blocks, 1, 1, step.threads, 1, 1, step.shared, nullptr,
       pointers.data(), nullptr);
}

std::string Launcher::check() {
  CALL(cuCtxSynchronize, ());
  for (size_t k = 0; k < test.buffers.size(); ++k) {
    const Buffer &buffer = test.buffers[k];
    std::string found(buffer.bytes + 2 * kGuard, '\0');
    CALL(cuMemcpyDtoH_v2, (void *, Pointer, size_t), found.data(),
         buffer.memory.front(), found.size());
    std::string guard(kGuard, '\xA5');
    std::string why;
    if (found.substr(0, kGuard) != guard ||
        found.substr(kGuard + buffer.bytes) != guard)
      why = "written out of bounds";
    else if (buffer.isChecked)
      why = compare(buffer, found.substr(kGuard, buffer.bytes));
    if (!why.empty())
      return "buffer " + std::to_string(k) + ", " + why;
  }
  return "";
}

/// Microseconds of a run, the least of several rounds.
double Launcher::measure() {
  void *events[2];
  for (void *&event : events)
    CALL(cuEventCreate, (void **, unsigned), &event, 0);
  float best = INFINITY;
  for (size_t set = 0; set < sets; ++set)
    run(set);
  for (int round = 0; round < 5; ++round) {
    CALL(cuEventRecord, (void *, void *), events[0], nullptr);
    for (int k = 0; k < test.runs; ++k)
      run(k % sets);
    CALL(cuEventRecord, (void *, void *), events[1], nullptr);
    CALL(cuEventSynchronize, (void *), events[1]);
    float milliseconds;
    CALL(cuEventElapsedTime, (float *, void *, void *), &milliseconds,
         events[0], events[1]);
    best = std::fmin(best, milliseconds);
  }
  for (void *event : events)
    CALL(cuEventDestroy_v2, (void *), event);
  return 1000.0 * best / test.runs;
}

void start() {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    throw std::runtime_error(std::string("no driver: ") + dlerror());
  int device = 0, version = 0;
  void *context;
  char name[256] = "";
  CALL(cuInit, (unsigned), 0);
  CALL(cuDriverGetVersion, (int *), &version);
  CALL(cuDeviceGet, (int *, int), &device, 0);
  CALL(cuDeviceGetName, (char *, int, int), name, sizeof(name), device);
  CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, device);
  CALL(cuCtxSetCurrent, (void *), context);
  std::printf("%s, driver %d\n", name, version);
}

} // namespace

/// Reads the cases; those that are none are named and left out.
static std::vector<std::pair<std::string, Case>> readCases(int argc, char **argv) {
  std::vector<std::pair<std::string, Case>> cases;
  for (int k = 1; k < argc; ++k) {
    std::string path = argv[k];
    try {
      cases.emplace_back(path.substr(path.rfind('/') + 1), readCase(path));
    } catch (const std::invalid_argument &error) {
      std::printf("%s\n", error.what());
    }
  }
  return cases;
}

/// Runs or measures a case; what is wrong with it, or nothing.
static std::string runCase(const std::string &name, Case &test) {
  try {
    Launcher launcher(test);
    if (test.runs == 0) {
      launcher.run();
      return launcher.check();
    }
    double us = launcher.measure();
    std::printf("%-40s %10.1f us %8.0f GB/s", name.c_str(), us,
                test.moved / us / 1000);
    if (test.operations)
      std::printf(" %8.1f TFLOP/s", test.operations / us / 1e6);
    std::printf("\n");
    return "";
  } catch (const std::exception &error) {
    return error.what();
  }
}

int main(int argc, char **argv) {
  std::vector<std::pair<std::string, Case>> cases = readCases(argc, argv);
  if (int(cases.size()) != argc - 1)
    return 3;
  try {
    start();
  } catch (const std::exception &error) {
    std::printf("%s\n", error.what());
    return 2;
  }
  size_t right = 0;
  for (auto &[name, test] : cases) {
    std::string why = runCase(name, test);
    if (why.empty())
      ++right;
    else
      std::printf("%s: %s\n", name.c_str(), why.c_str());
  }
  std::printf("%zu of %zu cases are right\n", right, cases.size());
  return right == cases.size() ? 0 : 1;
}
