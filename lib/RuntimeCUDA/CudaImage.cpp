//===- CudaImage.cpp - Texts of PTX as functions of a GPU ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "kiln/Base/Digest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>

namespace kiln::cuda {

namespace {
/// What the linker of the driver is asked for.
enum : int { kInputPTX = 1, kOptionErrorLog = 5, kOptionErrorLogBytes = 6 };

/// "sm_90a", "sm_90".
std::string architecture(uint32_t features) {
  return "sm_" + std::to_string(features & KILN_GPU_ARCHITECTURE) +
         (features & KILN_GPU_EXACT ? "a" : "");
}

/// The version that a text of PTX states, "8.0".
std::string versionOf(const char *ptx) {
  const char *at = std::strstr(ptx, ".version ");
  if (!at)
    return "unknown";
  at += std::strlen(".version ");
  return std::string(at, std::strcspn(at, " \r\n\t"));
}

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// What the driver says of a text that it does not take.
Error refuseText(const Context &context, const std::string &name,
                 const char *ptx, int answer, const std::string &log) {
  const Driver &driver = *context.driver;
  if (answer == kUnsupportedPTXVersion)
    return Error::unsupported(
        "the driver, of CUDA " + versionText(driver.version) +
        ", is too old for kernel '" + name + "', which is PTX of version " +
        versionOf(ptx) +
        "; expected a later driver or code for an earlier GPU");
  return Error::unsupported("the driver does not take kernel '" + name +
                            "': " + driver.nameOf(answer) +
                            (log.empty() ? "" : ": " + log));
}

/// Where the driver writes what is wrong with a text, as two of its options.
struct ErrorLog {
  char text[2048] = "";
  int options[2] = {kOptionErrorLog, kOptionErrorLogBytes};
  void *values[2] = {text, reinterpret_cast<void *>(sizeof(text) - 1)};
};

/// True for a kernel of warpgroups. The linker assembles a text as one unit of
/// several, which may neither change how many registers a warpgroup has nor
/// leave products under way: it would be right, and take up to half as long
/// again.
bool isSpoiledByLinker(const char *ptx) {
  return std::strstr(ptx, "wgmma.") || std::strstr(ptx, "setmaxnreg.");
}

/// True for a kernel that waits by itself for what is before it.
bool waits(const char *ptx) {
  return std::strstr(ptx, "griddepcontrol.wait;");
}

/// A kernel on its way to a module.
struct Task {
  const char *ptx;
  Digest key;
  Result<std::string> code = std::string();
  Result<Handle> library = Handle(nullptr); ///< of what is loaded as a text
  uint64_t micros = 0;
  bool isFound = false, isText = false;
};

/// Machine code of a text.
Result<std::string> assembleText(const Context &context,
                                 const std::string &name, const char *ptx) {
  const Driver &driver = *context.driver;
  ErrorLog log;
  Handle link = nullptr;
  int answer = driver.cuLinkCreate_v2(2, log.options, log.values, &link);
  void *code = nullptr;
  size_t bytes = 0;
  if (answer == kSuccess) {
    answer = driver.cuLinkAddData_v2(link, kInputPTX, const_cast<char *>(ptx),
                                     std::strlen(ptx) + 1, name.c_str(), 0,
                                     nullptr, nullptr);
    if (answer == kSuccess)
      answer = driver.cuLinkComplete(link, &code, &bytes);
  }
  std::string machine;
  if (answer == kSuccess)
    machine.assign(static_cast<const char *>(code), bytes);
  if (link)
    driver.cuLinkDestroy(link);
  if (answer == kSuccess)
    return machine;
  return refuseText(context, name, ptx, answer, log.text);
}

/// Modules are assembled one at a time whatever thread asks, libraries are not.
Result<Handle> loadText(const Context &context, const std::string &name,
                        const char *ptx) {
  const Driver &driver = *context.driver;
  ErrorLog log;
  Handle library = nullptr, module = nullptr;
  int answer = driver.cuLibraryLoadData(&library, ptx, log.options, log.values,
                                        2, nullptr, nullptr, 0);
  if (answer == kSuccess)
    answer = driver.cuLibraryGetModule(&module, library);
  if (answer == kSuccess)
    return library;
  if (library)
    driver.cuLibraryUnload(library);
  return refuseText(context, name, ptx, answer, log.text);
}

/// The same on any thread.
void assemble(const Context &context, const std::string &name, Task &task) {
  try {
    if (task.isText)
      task.library = loadText(context, name, task.ptx);
    else
      task.code = assembleText(context, name, task.ptx);
  } catch (const std::bad_alloc &) {
    task.code =
        Error::io("out of memory while kernel '" + name + "' was assembled");
  }
}
} // namespace

Status CudaImage::add(const std::string &name, const void *code) {
  const Driver &driver = *context_.driver;
  Handle module = nullptr;
  int answer = driver.cuModuleLoadData(&module, code);
  if (Status s = context_.check(answer, "loading a kernel"); !s)
    return s.error().withContext("kernel '" + name + "'");
  modules_.push_back(module);
  return addFunction(name, module);
}

Status CudaImage::addFunction(const std::string &name, Handle module) {
  Kernel kernel{name, nullptr, 0};
  int answer = context_.driver->cuModuleGetFunction(&kernel.function, module,
                                                    name.c_str());
  if (answer == kNotFound)
    return Error::malformed("the PTX of kernel '" + name +
                            "' has no entry of that name");
  if (Status s = context_.check(answer, "loading a kernel"); !s)
    return s.error().withContext("kernel '" + name + "'");
  kernels_.push_back(std::move(kernel));
  return Status::success();
}

namespace {
/// What machine code depends on.
Digest getKey(const Context &context, const char *ptx) {
  Hasher hasher;
  hasher.addPart("ptx", ByteView(std::string_view(ptx)));
  hasher.addNumber(context.capability);
  hasher.addNumber(static_cast<uint64_t>(context.driver->version));
  return hasher.finish();
}

/// The driver finds the end of machine code by itself, in the tables that an
/// ELF file names at its beginning: one that was cut off would be read beyond
/// its end.
bool isWhole(const std::vector<uint8_t> &code) {
  struct Header { // of a 64-bit ELF file
    uint8_t magic[4], rest[28];
    uint64_t programs, sections;
    uint8_t flags[4];
    uint16_t bytes, programBytes, programCount, sectionBytes, sectionCount;
  } header;
  if (code.size() < sizeof(header))
    return false;
  std::memcpy(&header, code.data(), sizeof(header));
  auto isInside = [&](uint64_t begin, uint64_t bytes) {
    return begin <= code.size() && bytes <= code.size() - begin;
  };
  return std::memcmp(header.magic, "\177ELF", 4) == 0 &&
         isInside(header.programs,
                  uint64_t(header.programBytes) * header.programCount) &&
         isInside(header.sections,
                  uint64_t(header.sectionBytes) * header.sectionCount);
}

void findCode(const Context &context, std::vector<Task> &tasks,
              package::KernelStore &store) {
  std::vector<Digest> keys;
  for (Task &task : tasks)
    keys.push_back(task.key = getKey(context, task.ptx));
  auto found = store.find(keys);
  for (size_t i = 0; i < tasks.size() && i < found.size(); ++i) {
    if (tasks[i].isText || !found[i] || found[i]->kind != KILN_IMAGE_CUBIN ||
        found[i]->requiredFeatures != (context.capability | KILN_GPU_EXACT) ||
        !isWhole(found[i]->bytes))
      continue;
    tasks[i].code = std::string(found[i]->bytes.begin(), found[i]->bytes.end());
    tasks[i].isFound = true;
  }
}

void keepCode(const Context &context, const Task &task,
              package::KernelStore &store) {
  package::KernelImage image;
  image.target = architecture(context.capability);
  image.kind = KILN_IMAGE_CUBIN;
  image.requiredFeatures = context.capability | KILN_GPU_EXACT;
  image.bytes.assign(task.code->begin(), task.code->end());
  image.kernels.push_back({"", 0});
  store.keep(task.key, image, task.micros);
}

/// What was not found, the longest texts first: threads end at about the same
/// time.
std::vector<size_t> getOrder(const std::vector<Task> &tasks) {
  std::vector<std::pair<size_t, size_t>> byLength;
  for (size_t i = 0; i < tasks.size(); ++i)
    if (!tasks[i].isFound)
      byLength.emplace_back(std::strlen(tasks[i].ptx), i);
  std::sort(byLength.begin(), byLength.end(), [](auto &a, auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<size_t> order;
  for (auto [length, i] : byLength)
    order.push_back(i);
  return order;
}

/// Assembles what was not found, on several threads.
void assembleAll(const Context &context, const package::KernelImage &image,
                 std::vector<Task> &tasks) {
  const std::vector<size_t> order = getOrder(tasks);
  std::atomic<size_t> next{0};
  auto work = [&] {
    ContextScope current(context);
    for (size_t at; (at = next++) < order.size();) {
      const size_t i = order[at];
      auto start = std::chrono::steady_clock::now();
      assemble(context, image.kernels[i].name, tasks[i]);
      tasks[i].micros = static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(
              std::chrono::steady_clock::now() - start)
              .count());
    }
  };
  // Each of them takes some 20 MB while the driver assembles.
  constexpr size_t kMostThreads = 8;
  size_t threads = std::min<size_t>(
      {order.size(), std::max(std::thread::hardware_concurrency(), 1u),
       kMostThreads});
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < threads; ++i)
      others.emplace_back(work);
  } catch (const std::system_error &) {
    // Those that there are do the work.
  }
  work();
  for (std::thread &other : others)
    other.join();
}
} // namespace

Result<std::shared_ptr<CudaImage>>
CudaImage::load(const Context &context, const package::KernelImage &image,
                package::KernelStore *store,
                std::shared_ptr<runtime::Device> device) {
  uint32_t needed = image.requiredFeatures & KILN_GPU_ARCHITECTURE;
  bool isExact = image.requiredFeatures & KILN_GPU_EXACT;
  if (image.requiredFeatures &
      ~uint32_t(KILN_GPU_ARCHITECTURE | KILN_GPU_EXACT))
    return Error::unsupported("the kernels for " +
                              architecture(image.requiredFeatures) +
                              " need features that this release does not know");
  if (context.capability < needed || (isExact && context.capability != needed))
    return Error::unsupported(
        "the kernels are for " + architecture(image.requiredFeatures) +
        (isExact ? " alone" : " and later GPUs") + ", " + context.name +
        " is " + architecture(context.capability) +
        "; compile with --target=" + architecture(context.capability));
  std::vector<Task> tasks;
  for (const package::Kernel &kernel : image.kernels) {
    tasks.emplace_back();
    tasks.back().ptx =
        reinterpret_cast<const char *>(&image.bytes[kernel.entry]);
    tasks.back().isText = isSpoiledByLinker(tasks.back().ptx);
  }
  if (store)
    findCode(context, tasks, *store);
  assembleAll(context, image, tasks);
  std::shared_ptr<CudaImage> loaded(new CudaImage(context, std::move(device)));
  ContextScope current(context);
  for (const Task &task : tasks)
    if (task.library && *task.library)
      loaded->libraries_.push_back(*task.library);
  for (size_t i = 0; i < tasks.size(); ++i) {
    Task &task = tasks[i];
    const std::string &name = image.kernels[i].name;
    // What comes from outside and is not taken was not there.
    if (task.isFound && loaded->add(name, task.code->data()))
      continue;
    ++loaded->assembled_;
    if (task.isFound) {
      task.isFound = false;
      assemble(context, name, task);
    }
    if (!task.code)
      return task.code.takeError();
    if (!task.library)
      return task.library.takeError();
    if (task.isText) {
      Handle module = nullptr;
      context.driver->cuLibraryGetModule(&module, *task.library);
      if (Status s = loaded->addFunction(name, module); !s)
        return s.takeError();
      continue;
    }
    if (Status s = loaded->add(name, task.code->data()); !s)
      return s.takeError();
    if (store)
      keepCode(context, task, *store);
  }
  for (size_t i = 0; i < tasks.size(); ++i)
    loaded->kernels_[i].waits = waits(tasks[i].ptx);
  return loaded;
}

std::optional<std::vector<size_t>>
CudaImage::parameterBytes(uint32_t kernel) const {
  const Driver &driver = *context_.driver;
  if (!driver.cuFuncGetParamInfo)
    return std::nullopt;
  ContextScope current(context_);
  std::vector<size_t> sizes;
  size_t offset = 0, bytes = 0;
  while (driver.cuFuncGetParamInfo(kernels_[kernel].function, sizes.size(),
                                   &offset, &bytes) == kSuccess)
    sizes.push_back(bytes);
  return sizes;
}

size_t CudaImage::localBytes() const {
  ContextScope current(context_);
  size_t most = 0;
  for (const Kernel &kernel : kernels_) {
    int bytes = 0;
    if (context_.driver->cuFuncGetAttribute(&bytes, kLocalBytes,
                                            kernel.function) == kSuccess)
      most = std::max(most, size_t(std::max(bytes, 0)));
  }
  return most;
}

Status CudaImage::allowShared(uint32_t index, uint32_t bytes) const {
  Kernel &kernel = kernels_[index];
  if (bytes <= kernel.sharedBytes)
    return Status::success();
  int answer = context_.driver->cuFuncSetAttribute(
      kernel.function, kMaxDynamicShared, int(bytes));
  if (answer == kInvalidValue)
    return Error::unsupported(
        "kernel '" + kernel.name + "' needs " + std::to_string(bytes) +
        " bytes of shared memory, which " + context_.name + " does not have");
  if (Status s = context_.check(answer, "asking for shared memory"); !s)
    return s.error().withContext("kernel '" + kernel.name + "'");
  kernel.sharedBytes = bytes;
  return Status::success();
}

CudaImage::~CudaImage() {
  // Launches that were asked for may still come.
  if (!modules_.empty() || !libraries_.empty())
    (void)device_->synchronize();
  ContextScope current(context_);
  for (Handle module : modules_)
    context_.driver->cuModuleUnload(module);
  for (Handle library : libraries_)
    context_.driver->cuLibraryUnload(library);
}

} // namespace kiln::cuda
