//===- kernels.cpp - Functions and launches of a driver without a GPU -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is asked of functions, and what their launches do, one by one and in graphs.
//
//===----------------------------------------------------------------------===//

#include "driver.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace fake_cuda;

namespace {

struct Node {
  KernelNode launch;
  std::vector<std::vector<char>> values; ///< of the parameters
  std::set<size_t> before;               ///< what it waits for
  /// In place of a launch, what a library does.
  std::vector<std::function<int()>> calls;
};

struct Graph {
  std::vector<Node *> nodes;
};

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

/// Parameter `result` begins with the address that it is stored to, as do pointers and what
/// cuTensorMapEncodeTiled makes.
void saxpy(void **parameters, int result) {
  auto pointer = [&](int i) { return *static_cast<Address *>(parameters[i]); };
  auto *x = reinterpret_cast<const float *>(pointer(0));
  auto *y = reinterpret_cast<const float *>(pointer(1));
  auto *r = reinterpret_cast<float *>(pointer(result));
  size_t count = std::min({bytesFrom(pointer(0)), bytesFrom(pointer(1)),
                           bytesFrom(pointer(result))}) /
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

/// Parameters: those of `saxpy`, and a cell for each assertion. The setting says which of them
/// does not hold.
void checkedSaxpy(void **parameters) {
  int wrong = int(setting("wrong", -1));
  if (wrong < 0)
    return saxpy(parameters, 2);
  *reinterpret_cast<uint32_t *>(
      *static_cast<Address *>(parameters[4 + wrong])) = 1;
  fail(LaunchFailed);
}

/// Parameters: source, target, count, rank, sizes and steps of the dimensions.
/// A copy outside of memory is an illegal address.
void copy(const Function &function, void **parameters) {
  auto parameter = [&](int i) {
    return *static_cast<Address *>(parameters[i]);
  };
  auto dims = static_cast<const Address(*)[3]>(parameters[4]);
  size_t item = std::atoi(&function.name[function.name.rfind('_') + 1]);
  Address count = 1;
  for (Address i = 0; i < parameter(3); ++i)
    count *= dims[i][0];
  for (Address at = 0; at < count; ++at) {
    Address left = at, source = parameter(0), target = parameter(1);
    for (Address i = 0; i < parameter(3); ++i) {
      source += left % dims[i][0] * dims[i][1];
      target += left % dims[i][0] * dims[i][2];
      left /= dims[i][0];
    }
    if (bytesFrom(source) < item || bytesFrom(target) < item) {
      fail(IllegalAddress);
      return;
    }
    std::memcpy(reinterpret_cast<void *>(target),
                reinterpret_cast<const void *>(source), item);
  }
}

/// Asked once: it is for times.
bool isIdle() {
  static const bool is = setting("idle", 0) != 0;
  return is;
}

int run(const Function &function, unsigned blocks, unsigned threads,
        unsigned shared, void **parameters) {
  State &s = state();
  if (s.failure)
    return s.failure;
  if (contexts.empty())
    return InvalidContext;
  if (threads == setting("short", -1))
    return OutOfMemory;
  s.isBusy = true;
  ++s.asked;
  doCopies();
  note("launch " + function.name + " " + std::to_string(blocks) + " " +
       std::to_string(threads) + " " + std::to_string(shared));
  static long long launches = 0;
  s.clock += threads;
  s.isStuck |= threads == setting("slow", -1);
  if (threads == setting("crash", -1))
    std::abort();
  if (threads == setting("illegal", -1))
    fail(IllegalAddress);
  if (function.name == "fake_saxpy" || function.name == "fake_saxpy$64")
    saxpy(parameters, 2);
  else if (function.name == "fake_saxpy_by_map")
    saxpy(parameters, 4);
  else if (function.name == "fake_checked")
    checkedSaxpy(parameters);
  else if (function.name == "kiln_check")
    check(parameters);
  else if (function.name.compare(0, 10, "kiln_copy_") == 0)
    copy(function, parameters);
  else if (function.name == "fake_fault" || ++launches == setting("fault", 0))
    fail(int(setting("answer", IllegalAddress)));
  return Success;
}

/// Makes the last node stand behind `before`. False if they are not nodes before it.
bool bind(Graph &graph, void *const *before, size_t count) {
  auto &nodes = graph.nodes;
  for (size_t i = 0; i < count; ++i) {
    size_t at = std::find(nodes.begin(), nodes.end(), before[i]) - nodes.begin();
    if (at + 1 >= nodes.size())
      return false;
    nodes.back()->before.insert(at);
  }
  return true;
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

long long fake_cuda::threadsOf(const std::string &text, size_t entry) {
  size_t body = text.find('{', entry);
  for (const char *word : {".reqntid ", ".maxntid "})
    if (size_t at = text.find(word, entry); at < body)
      return std::atoll(text.c_str() + at + std::strlen(word));
  return 0;
}

extern "C" {

int cuModuleGetFunction(void **function, void *module, const char *name) {
  const std::string &text = static_cast<Code *>(module)->text;
  size_t entry = text.find(".entry " + std::string(name) + "(");
  if (entry == std::string::npos)
    return NotFound;
  // As long as the process, as few as kernels.
  bool waits = text.substr(entry, text.find("ret;", entry) - entry)
                   .find("griddepcontrol.wait;") != std::string::npos;
  *function = new Function{name, parametersOf(text, entry),
                           threadsOf(text, entry), waits};
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
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  // Threads of a block as the text promises them.
  bool spills = static_cast<Function *>(function)->threads ==
                setting("spill", -1);
  *value = attribute == 3 && spills ? 64 : 0;
  return Success;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int threads,
                                                size_t) {
  *blocks = 2048 / threads;
  return Success;
}
int cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned,
                   unsigned threads, unsigned, unsigned, unsigned shared, void *,
                   void **parameters, void **) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (isIdle())
    return state().failure;
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
  nodes.push_back(new Node());
  *node = nodes.back();
  setNode(*nodes.back(), *launch);
  return bind(*static_cast<Graph *>(graph), before, count) ? Success
                                                           : InvalidValue;
}
int cuStreamBeginCapture_v2(void *stream, int mode) {
  if (contexts.empty() || state().capturing || mode != 2)
    return InvalidValue;
  state().capturing = stream;
  return Success;
}
int cuStreamEndCapture(void *stream, void **graph) {
  State &s = state();
  if (s.capturing != stream)
    return InvalidValue;
  s.capturing = nullptr;
  auto *made = new Graph();
  made->nodes.push_back(new Node());
  made->nodes.back()->calls.swap(s.captured);
  *graph = made;
  return Success;
}
int cuGraphAddChildGraphNode(void **node, void *graph, void *const *before,
                             size_t count, void *child) {
  auto &nodes = static_cast<Graph *>(graph)->nodes;
  nodes.push_back(new Node());
  *node = nodes.back();
  nodes.back()->calls = static_cast<Graph *>(child)->nodes[0]->calls;
  return bind(*static_cast<Graph *>(graph), before, count) &&
                 setting("childgraphs", 2) > 0
             ? Success
             : InvalidValue;
}
/// The other graph must have as many nodes.
int cuGraphExecChildGraphNodeSetParams(void *, void *node, void *child) {
  auto &calls = static_cast<Graph *>(child)->nodes[0]->calls;
  if (calls.size() != static_cast<Node *>(node)->calls.size() ||
      setting("childgraphs", 2) < 2)
    return InvalidValue;
  note("update a product");
  static_cast<Node *>(node)->calls = calls;
  return Success;
}
int cuGraphAddDependencies_v2(void *graph, void *const *from, void *const *to,
                              const GraphEdge *edges, size_t count) {
  auto &nodes = static_cast<Graph *>(graph)->nodes;
  if (count != 1 || nodes.empty() || *to != nodes.back() ||
      !bind(*static_cast<Graph *>(graph), from, 1))
    return InvalidValue;
  auto *function = static_cast<Function *>(nodes.back()->launch.function);
  // What begins before the other one has ended must wait by itself.
  if (edges->fromPort < 1 || edges->fromPort > 2 || edges->toPort != 0 ||
      edges->type != 1 || !function->waits ||
      !static_cast<Node *>(*from)->calls.empty())
    return InvalidValue;
  note((edges->fromPort == 1 ? "overlap " : "early ") + function->name);
  return Success;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long) {
  *executable = graph;
  // "edges 3: 0 2"
  auto &nodes = static_cast<Graph *>(graph)->nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::string line = "edges " + std::to_string(i) + ":";
    for (size_t other : nodes[i]->before)
      line += " " + std::to_string(other);
    note(line);
  }
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
  if (isIdle())
    return state().failure;
  note("replay");
  for (Node *node : static_cast<Graph *>(executable)->nodes) {
    for (const auto &call : node->calls)
      if (int answer = call())
        return answer;
    if (!node->calls.empty())
      continue;
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
  std::memcpy(map, &address, sizeof(address));
  return Success;
}

} // extern "C"
