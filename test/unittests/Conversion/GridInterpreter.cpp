//===- GridInterpreter.cpp - What a grid of threads does ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridInterpreter.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace kiln;
using namespace kiln::loop;
using namespace kiln::loop::grid;
using namespace mlir;

namespace {

/// A copy that is under way.
struct PendingCopy {
  uint64_t to;
  unsigned size;
  uint8_t bytes[16];
};

/// What a copy engine brings, in shared memory already.
struct Arrival {
  uint64_t to;
  std::vector<uint8_t> bytes;
};

/// A barrier in shared memory: phases that are complete, and what completes this one.
struct CountingBarrier {
  uint64_t arrivals = 0, missing = 0, phases = 0;
  int64_t bytes = 0;
  std::vector<Arrival> arrived; ///< which nobody has waited for
};

/// One thread: its registers, and the instruction that it comes to next.
struct GridThread {
  uint64_t *registers = nullptr;
  const Instruction *next = nullptr; ///< null when it has ended
  int32_t number = 0, warpEpoch = 0;
  /// Groups of copies, the last of which is not complete.
  std::vector<std::vector<PendingCopy>> copies;
};

class Grid {
public:
  Grid(const Program &program, int64_t count, GridMemory &memory,
       ArrayRef<uint64_t> arguments);

  bool runBlock(int32_t block);
  bool isStopped() const { return stopped; }

private:
  /// Runs threads up to instructions that wait for others; false after a failure.
  bool advance(MutableArrayRef<GridThread> all);
  bool advance(GridThread &thread);
  const Instruction *branch(const Instruction &of, uint64_t *registers);
  // Accesses to memory.
  Access describe(const GridThread &thread, const Instruction &of);
  void load(GridThread &thread, const Instruction &of);
  void store(GridThread &thread, const Instruction &of);
  void gather(GridThread &thread, const Instruction &of);
  void scatter(GridThread &thread, const Instruction &of);
  void addAtomically(GridThread &thread, const Instruction &of);
  void copy(GridThread &thread, const Instruction &of);
  void waitForCopies(GridThread &thread, const Instruction &of);
  CountingBarrier *findBarrier(GridThread &thread, const Instruction &of,
                               unsigned operand);
  void initBarrier(GridThread &thread, const Instruction &of);
  void expect(GridThread &thread, const Instruction &of);
  void bring(GridThread &thread, const Instruction &of);
  bool isComplete(const GridThread &thread, const Instruction &of);
  void await(GridThread &thread, const Instruction &of);
  // What threads do that wait for each other; false if they do not meet.
  bool meetInWarp(MutableArrayRef<GridThread> warp);
  bool meetInBlock();
  bool exchange(const Instruction &of, Warp warp);

  const Program &program;
  GridMemory &memory;
  std::vector<uint64_t> registers; ///< of all threads
  std::vector<GridThread> threads;
  std::vector<uint64_t> moved; ///< while a branch moves it
  std::map<uint64_t, CountingBarrier> barriers; ///< of a block, by address
  int32_t block = 0, epoch = 0;
  bool stopped = false;
};

} // namespace

Grid::Grid(const Program &program, int64_t count, GridMemory &memory,
           ArrayRef<uint64_t> arguments)
    : program(program), memory(memory) {
  // No value is read before it is computed, so blocks need no registers of their own.
  size_t size = program.registers.size();
  registers.resize(count * size);
  threads.resize(count);
  for (auto [k, thread] : llvm::enumerate(threads)) {
    thread.number = k;
    thread.registers = registers.data() + k * size;
    llvm::copy(program.registers, thread.registers);
    thread.registers[kThreadRegister] = k;
    llvm::copy(arguments, thread.registers + kArguments);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static uint64_t readElement(const uint8_t *from, unsigned bytes) {
  uint64_t bits = 0;
  switch (bytes) {
  case 1:
    return *from;
  case 2:
    std::memcpy(&bits, from, 2);
    return bits;
  case 4:
    std::memcpy(&bits, from, 4);
    return bits;
  }
  std::memcpy(&bits, from, bytes);
  return bits;
}

static void writeElement(uint8_t *to, uint64_t bits, unsigned bytes) {
  switch (bytes) {
  case 1:
    *to = bits;
    return;
  case 2:
    std::memcpy(to, &bits, 2);
    return;
  case 4:
    std::memcpy(to, &bits, 4);
    return;
  }
  std::memcpy(to, &bits, bytes);
}

Access Grid::describe(const GridThread &thread, const Instruction &of) {
  Access access;
  access.thread = thread.number;
  access.block = block;
  access.epoch = epoch;
  access.warpEpoch = thread.warpEpoch;
  access.alignment = of.alignment;
  access.isAtomic = of.kind == Kind::Atomic;
  access.isConstant = of.isConstant;
  return access;
}

void Grid::load(GridThread &thread, const Instruction &of) {
  const uint8_t *from = memory.load(of.get(thread.registers, 0),
                                    of.bytes * of.lanes, describe(thread, of));
  for (uint32_t k = 0; k < of.lanes; ++k)
    thread.registers[of.result + k] =
        from ? readElement(from + k * of.bytes, of.bytes) : 0;
}

void Grid::store(GridThread &thread, const Instruction &of) {
  uint8_t *to = memory.store(of.get(thread.registers, 1), of.bytes * of.lanes,
                             describe(thread, of));
  for (uint32_t k = 0; to && k < of.lanes; ++k)
    writeElement(to + k * of.bytes, of.get(thread.registers, 0, k), of.bytes);
}

void Grid::gather(GridThread &thread, const Instruction &of) {
  Access access = describe(thread, of);
  for (uint32_t k = 0; k < of.lanes; ++k) {
    uint64_t &lane = thread.registers[of.result + k];
    lane = of.get(thread.registers, 2, k);
    if (!of.get(thread.registers, 1, k))
      continue;
    uint64_t address = of.get(thread.registers, 0, k) + k * of.number;
    const uint8_t *from = memory.load(address, of.bytes, access);
    lane = from ? readElement(from, of.bytes) : 0;
  }
}

void Grid::scatter(GridThread &thread, const Instruction &of) {
  Access access = describe(thread, of);
  for (uint32_t k = 0; k < of.lanes; ++k)
    if (of.get(thread.registers, 2, k))
      if (uint8_t *to =
              memory.store(of.get(thread.registers, 1, k), of.bytes, access))
        writeElement(to, of.get(thread.registers, 0, k), of.bytes);
}

void Grid::addAtomically(GridThread &thread, const Instruction &of) {
  Access access = describe(thread, of);
  uint64_t address = of.get(thread.registers, 2) + of.number;
  unsigned size = of.bytes * of.lanes;
  const uint8_t *from = memory.load(address, size, access);
  access.alignment = 1; // which has been looked at
  uint8_t *to = memory.store(address, size, access);
  for (uint32_t k = 0; k < of.lanes; ++k)
    thread.registers[of.operands[0].first + k] =
        from ? readElement(from + k * of.bytes, of.bytes) : 0;
  of.evaluate(of, thread.registers);
  for (uint32_t k = 0; to && k < of.lanes; ++k)
    writeElement(to + k * of.bytes, thread.registers[of.result + k], of.bytes);
}

void Grid::copy(GridThread &thread, const Instruction &of) {
  uint64_t count = of.get(thread.registers, 2);
  PendingCopy made = {of.get(thread.registers, 0), unsigned(of.number), {}};
  if (count > made.size) {
    ADD_FAILURE() << "a copy of " << count << " bytes of " << made.size;
    return;
  }
  Access access = describe(thread, of);
  if (uint8_t *to = memory.store(made.to, made.size, access))
    std::memset(to, 0xFF, made.size);
  if (count != 0)
    if (const uint8_t *from =
            memory.load(of.get(thread.registers, 1), count, access))
      std::memcpy(made.bytes, from, count);
  thread.copies.back().push_back(made);
}

void Grid::waitForCopies(GridThread &thread, const Instruction &of) {
  size_t complete = thread.copies.size() - 1, underWay = of.number;
  size_t done = complete > underWay ? complete - underWay : 0;
  Access access = describe(thread, of);
  for (size_t k = 0; k < done; ++k)
    for (const PendingCopy &copy : thread.copies[k]) {
      access.alignment = copy.size;
      if (uint8_t *to = memory.store(copy.to, copy.size, access))
        std::memcpy(to, copy.bytes, copy.size);
    }
  thread.copies.erase(thread.copies.begin(), thread.copies.begin() + done);
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

static constexpr unsigned kBarrierBytes = 8, kEngineBytes = 16;

/// A barrier that a thread uses, which other threads use at the same time.
CountingBarrier *Grid::findBarrier(GridThread &thread, const Instruction &of,
                                   unsigned operand) {
  uint64_t address = of.get(thread.registers, operand);
  Access access = describe(thread, of);
  access.alignment = kBarrierBytes;
  access.isAtomic = true;
  auto found = barriers.find(address);
  if (memory.load(address, kBarrierBytes, access) && found != barriers.end())
    return &found->second;
  ADD_FAILURE() << "thread " << thread.number << " uses no barrier";
  return nullptr;
}

void Grid::initBarrier(GridThread &thread, const Instruction &of) {
  uint64_t address = of.get(thread.registers, 0);
  Access access = describe(thread, of);
  access.alignment = kBarrierBytes;
  if (!memory.store(address, kBarrierBytes, access))
    return;
  CountingBarrier &barrier = barriers[address] = {};
  barrier.arrivals = barrier.missing = of.get(thread.registers, 1);
}

/// Begins the next phase where this one has all that completes it.
static void complete(CountingBarrier &barrier) {
  if (barrier.missing != 0 || barrier.bytes != 0)
    return;
  barrier.missing = barrier.arrivals;
  ++barrier.phases;
}

void Grid::expect(GridThread &thread, const Instruction &of) {
  CountingBarrier *barrier = findBarrier(thread, of, 0);
  if (!barrier)
    return;
  if (barrier->missing == 0)
    ADD_FAILURE() << "more threads arrive at a barrier than it has";
  else
    --barrier->missing;
  barrier->bytes += of.get(thread.registers, 1);
  complete(*barrier);
}

/// A copy has arrived at once, but is NaN until a thread has waited for it. It may not
/// be asked for while other threads may still read what was there.
void Grid::bring(GridThread &thread, const Instruction &of) {
  uint64_t to = of.get(thread.registers, 0), from = of.get(thread.registers, 1);
  unsigned size = of.get(thread.registers, 3);
  CountingBarrier *barrier = findBarrier(thread, of, 2);
  if (size == 0 || size % kEngineBytes != 0)
    ADD_FAILURE() << "a copy engine is asked for " << size << " bytes";
  Access access = describe(thread, of);
  access.alignment = kEngineBytes;
  const uint8_t *read = memory.load(from, size, access);
  uint8_t *written = memory.store(to, size, access);
  if (!barrier || !read || !written)
    return;
  std::memset(written, 0xFF, size);
  barrier->arrived.push_back({to, std::vector<uint8_t>(read, read + size)});
  barrier->bytes -= size;
  complete(*barrier);
}

bool Grid::isComplete(const GridThread &thread, const Instruction &of) {
  auto found = barriers.find(of.get(thread.registers, 0));
  return found == barriers.end() ||
         (found->second.phases & 1) != of.get(thread.registers, 1);
}

/// What is known to have arrived may be read by all threads that have waited.
void Grid::await(GridThread &thread, const Instruction &of) {
  CountingBarrier *barrier = findBarrier(thread, of, 0);
  if (!barrier)
    return;
  for (const Arrival &each : barrier->arrived) {
    std::memcpy(memory.data(each.to), each.bytes.data(), each.bytes.size());
    memory.settle(each.to, each.bytes.size());
  }
  barrier->arrived.clear();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

const Instruction *Grid::branch(const Instruction &of, uint64_t *registers) {
  bool isTaken = of.get(registers, 0) != 0;
  const Edge &edge = program.edges[of.number + (isTaken ? 0 : 1)];
  moved.clear();
  for (auto [to, from] : edge.moves)
    moved.push_back(registers[from]);
  for (size_t k = 0; k < moved.size(); ++k)
    registers[edge.moves[k].first] = moved[k];
  return &program.instructions[edge.to];
}

bool Grid::advance(GridThread &thread) {
  const Instruction *at = thread.next;
  while (at) {
    while (at->kind == Kind::Evaluate) { // most of them
      at->evaluate(*at, thread.registers);
      ++at;
    }
    switch (at->kind) {
    case Kind::Load:
      load(thread, *at);
      break;
    case Kind::Store:
      store(thread, *at);
      break;
    case Kind::Gather:
      gather(thread, *at);
      break;
    case Kind::Scatter:
      scatter(thread, *at);
      break;
    case Kind::Atomic:
      addAtomically(thread, *at);
      break;
    case Kind::Copy:
      copy(thread, *at);
      break;
    case Kind::CommitCopies:
      thread.copies.emplace_back();
      break;
    case Kind::WaitForCopies:
      waitForCopies(thread, *at);
      break;
    case Kind::InitBarrier:
      initBarrier(thread, *at);
      break;
    case Kind::Expect:
      expect(thread, *at);
      break;
    case Kind::Bring:
      bring(thread, *at);
      break;
    case Kind::Await:
      if (!isComplete(thread, *at)) {
        ADD_FAILURE() << "thread " << thread.number
                      << " waits for a phase that is not complete";
        return false;
      }
      await(thread, *at);
      break;
    case Kind::Branch:
      at = branch(*at, thread.registers);
      continue;
    case Kind::Return:
      at = nullptr;
      continue;
    case Kind::Stop:
      stopped = true;
      return false;
    case Kind::Unknown:
      ADD_FAILURE() << at->op->getName().getStringRef().str()
                    << " is not interpreted";
      return false;
    default: // It waits.
      thread.next = at;
      return true;
    }
    ++at;
  }
  thread.next = nullptr;
  return true;
}

bool Grid::advance(MutableArrayRef<GridThread> all) {
  return llvm::all_of(all, [&](GridThread &thread) { return advance(thread); });
}

/// What each thread of a warp says becomes what its partner gets.
bool Grid::exchange(const Instruction &of, Warp warp) {
  uint64_t said[kWarpSize];
  for (auto [k, registers] : llvm::enumerate(warp))
    said[k] = of.get(registers, 0);
  for (auto [k, registers] : llvm::enumerate(warp)) {
    uint64_t offset = of.get(registers, 1);
    uint64_t partner = of.number ? k ^ offset : offset;
    if (partner >= warp.size()) {
      ADD_FAILURE() << "a shuffle from thread " << partner << " of a warp";
      return false;
    }
    registers[of.result] = said[partner];
  }
  return true;
}

/// Each thread of a warp gets a bit for each that says something else.
static void compare(const Instruction &of, Warp warp) {
  uint64_t mask = (uint64_t(1) << of.number) - 1;
  for (uint64_t *own : warp) {
    uint64_t others = 0;
    for (auto [k, registers] : llvm::enumerate(warp))
      if ((of.get(own, 0) ^ of.get(registers, 0)) & mask)
        others |= uint64_t(1) << k;
    own[of.result] = others;
  }
}

bool Grid::meetInWarp(MutableArrayRef<GridThread> warp) {
  auto meets = [](const GridThread &thread) {
    return thread.next && waitsForWarp(*thread.next);
  };
  while (llvm::any_of(warp, meets)) {
    const Instruction &of = *warp[0].next;
    SmallVector<uint64_t *, kWarpSize> registers;
    for (GridThread &thread : warp) {
      if (thread.next != &of) {
        ADD_FAILURE() << "threads of a warp meet at different shuffles";
        return false;
      }
      registers.push_back(thread.registers);
    }
    if (of.kind == Kind::Exchange) {
      if (!exchange(of, registers))
        return false;
    } else if (of.kind == Kind::Others) {
      compare(of, registers);
    } else if (of.kind == Kind::WarpBarrier) {
      for (GridThread &thread : warp)
        ++thread.warpEpoch;
    } else if (warp.size() != kWarpSize) {
      ADD_FAILURE() << "matrices need all threads of a warp";
      return false;
    } else if (of.kind == Kind::LoadMatrices) {
      loadMatrices(of, registers, [&](unsigned thread, uint64_t address) {
        Access access = describe(warp[thread], of);
        access.alignment = 16;
        return memory.load(address, 16, access);
      });
    } else {
      multiplyMatrices(of, registers);
    }
    for (GridThread &thread : warp)
      thread.next = &of + 1;
    if (!advance(warp))
      return false;
  }
  return true;
}

/// All wait at a barrier, or have ended.
bool Grid::meetInBlock() {
  const Instruction *barrier = threads[0].next;
  uint64_t count = 0;
  for (GridThread &thread : threads) {
    if (thread.next != barrier) {
      ADD_FAILURE() << "threads of a block meet at different barriers";
      return false;
    }
    if (barrier && barrier->kind == Kind::Count)
      count += barrier->get(thread.registers, 0) != 0;
  }
  if (!barrier)
    return true;
  for (GridThread &thread : threads) {
    if (barrier->kind == Kind::Count)
      thread.registers[barrier->result] = count;
    thread.next = barrier + 1;
  }
  ++epoch;
  return true;
}

bool Grid::runBlock(int32_t number) {
  block = number;
  epoch = 0;
  barriers.clear();
  for (GridThread &thread : threads) {
    thread.registers[kBlockRegister] = block;
    thread.next = program.instructions.data();
    thread.copies.assign(1, {});
  }
  while (threads[0].next) {
    if (!advance(threads))
      return false;
    for (size_t first = 0; first < threads.size(); first += kWarpSize) {
      size_t size = std::min(kWarpSize, threads.size() - first);
      if (!meetInWarp(MutableArrayRef(threads).slice(first, size)))
        return false;
    }
    if (!meetInBlock())
      return false;
  }
  return true;
}

bool loop::runGrid(LLVM::LLVMFuncOp function, int64_t blocks, int64_t threads,
                   ArrayRef<uint64_t> arguments, GridMemory &memory,
                   int64_t shared) {
  EXPECT_EQ(function.getNumArguments(), arguments.size());
  if (function.getNumArguments() != arguments.size())
    return false;
  memory.beginLaunch();
  std::vector<uint64_t> globals;
  llvm::DenseMap<StringAttr, uint64_t> addresses;
  for (auto global :
       function->getParentOp()->getRegion(0).getOps<LLVM::GlobalOp>()) {
    bool isDynamic = global.getLinkage() == LLVM::Linkage::External;
    globals.push_back(memory.allocate(
        global.getSymName().str(),
        isDynamic ? shared : getStoredSize(global.getGlobalType())));
    addresses[global.getSymNameAttr()] = globals.back();
  }
  Program program(function, addresses);
  Grid grid(program, threads, memory, arguments);
  for (int64_t block = 0; block < blocks && !grid.isStopped(); ++block) {
    for (uint64_t address : globals)
      memory.renew(address);
    grid.runBlock(block);
  }
  if (!globals.empty())
    memory.release(globals.front());
  return !grid.isStopped();
}
