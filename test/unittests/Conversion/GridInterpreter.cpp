//===- GridInterpreter.cpp - What a grid of threads does ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridInterpreter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringSwitch.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

static constexpr int64_t kWarp = 32;

/// Bytes of an element in memory.
static unsigned storedBytes(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

static uint64_t sizeOf(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return array.getNumElements() * sizeOf(array.getElementType());
  auto vector = dyn_cast<VectorType>(type);
  return storedBytes(type) * (vector ? vector.getNumElements() : 1);
}

namespace {

/// The values of a function by number, so that a thread has an array of them.
struct Numbering {
  explicit Numbering(LLVM::LLVMFuncOp function) {
    function.walk([&](Block *block) {
      for (Value argument : block->getArguments())
        numbers.try_emplace(argument, numbers.size());
      for (Operation &op : *block)
        for (Value result : op.getResults())
          numbers.try_emplace(result, numbers.size());
    });
  }
  llvm::DenseMap<Value, unsigned> numbers;
};

/// A copy that is under way.
struct Copy {
  uint64_t to;
  std::vector<uint8_t> bytes;
};

/// One thread: its values, and the op that it comes to next.
struct Thread {
  std::vector<Bits> values;
  Operation *next = nullptr; ///< null when it has ended
  Access access;
  /// Groups of copies, the last of which is not complete.
  std::vector<std::vector<Copy>> copies = std::vector<std::vector<Copy>>(1);
};

class Grid {
public:
  Grid(LLVM::LLVMFuncOp function, int64_t count, GridMemory &memory,
       int64_t dynamicBytes)
      : function(function), numbering(function), count(count), memory(memory),
        dynamicBytes(dynamicBytes) {
    for (auto global : function->getParentOp()->getRegion(0).getOps<LLVM::GlobalOp>())
      globals.push_back(global);
  }

  void runBlock(int32_t block, ArrayRef<uint64_t> arguments);

private:
  /// Runs a thread up to an op that waits for others; false after a failure.
  bool advance(Thread &thread);
  bool execute(Thread &thread, Operation &op);
  bool accessMemory(Thread &thread, Operation &op);
  bool accessMasked(Thread &thread, Operation &op);
  bool addVector(Thread &thread, LLVM::InlineAsmOp op);
  bool copyAsync(Thread &thread, Operation &op);
  void branch(Thread &thread, Operation &op);
  /// Lets threads that wait go on; false if they wait for different things.
  bool meet();
  bool shuffle(ArrayRef<Thread *> warp, NVVM::ShflOp op);
  bool countAtBarrier(NVVM::BarrierOp op);
  bool doTogether(ArrayRef<Thread *> warp, Operation &op);

  Bits &get(Thread &thread, Value value) {
    return thread.values[numbering.numbers.lookup(value)];
  }
  void loadLanes(Thread &thread, uint64_t address, Type type, Bits &to);
  void storeLanes(Thread &thread, uint64_t address, Type type, const Bits &from);

  LLVM::LLVMFuncOp function;
  Numbering numbering;
  int64_t count;
  GridMemory &memory;
  int64_t dynamicBytes;
  SmallVector<LLVM::GlobalOp> globals;
  llvm::DenseMap<StringAttr, uint64_t> shared; ///< addresses in this block
  std::vector<Thread> threads;
  int32_t epoch = 0;
};

} // namespace

/// What the threads of a warp do together.
static bool isTogether(Operation &op) {
  return isa<NVVM::ShflOp, NVVM::LdMatrixOp, NVVM::MmaOp>(op);
}

static bool waits(Operation &op) {
  return isa<NVVM::Barrier0Op, NVVM::BarrierOp>(op) || isTogether(op);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Grid::loadLanes(Thread &thread, uint64_t address, Type type, Bits &to) {
  unsigned width = storedBytes(type);
  uint64_t lanes = sizeOf(type) / width;
  to.assign(lanes, 0);
  for (uint64_t k = 0; k < lanes; ++k) {
    memory.load(address + k * width, &to[k], width, thread.access);
    // All lanes of a vector are one access.
    thread.access.alignment = 1;
  }
}

void Grid::storeLanes(Thread &thread, uint64_t address, Type type,
                      const Bits &from) {
  unsigned width = storedBytes(type);
  for (uint64_t k = 0; k < from.size(); ++k) {
    memory.store(address + k * width, &from[k], width, thread.access);
    thread.access.alignment = 1;
  }
}

/// Loads, stores and atomic sums; false for other ops.
bool Grid::accessMemory(Thread &thread, Operation &op) {
  Access &access = thread.access;
  access.isAtomic = access.isConstant = false;
  access.epoch = epoch;
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    access.alignment = load.getAlignment().value_or(storedBytes(load.getType()));
    access.isConstant = load.getInvariant();
    loadLanes(thread, get(thread, load.getAddr())[0], load.getType(),
              get(thread, load.getResult()));
    return true;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    Type type = store.getValue().getType();
    access.alignment = store.getAlignment().value_or(storedBytes(type));
    storeLanes(thread, get(thread, store.getAddr())[0], type,
               get(thread, store.getValue()));
    return true;
  }
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return addVector(thread, assembly);
  auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op);
  if (!atomic)
    return accessMasked(thread, op);
  access.isAtomic = true;
  Type type = atomic.getVal().getType();
  access.alignment = storedBytes(type);
  uint64_t address = get(thread, atomic.getPtr())[0];
  Bits before, after;
  loadLanes(thread, address, type, before);
  // The sum of the two, as the op for it gives it.
  OpBuilder builder(op.getContext());
  Operation *sum =
      isa<FloatType>(type)
          ? LLVM::FAddOp::create(builder, op.getLoc(), atomic.getVal(),
                                 atomic.getVal())
          : LLVM::AddOp::create(builder, op.getLoc(), atomic.getVal(),
                                atomic.getVal())
                .getOperation();
  bool isKnown = evaluateOp(*sum, {&before, &get(thread, atomic.getVal())}, after);
  sum->erase();
  storeLanes(thread, address, type, after);
  get(thread, atomic.getRes()) = before;
  return isKnown;
}

/// An atomic sum of several floats, of f32 or two of 16 bits in a word:
/// "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};".
bool Grid::addVector(Thread &thread, LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString().take_until([](char c) { return c == ' '; });
  auto [name, kind] = text.rsplit('.');
  if (!name.consume_front("red.relaxed.gpu.global.add"))
    return false;
  OpBuilder builder(op.getContext());
  Type element = llvm::StringSwitch<Type>(kind)
                     .Case("f32", builder.getF32Type())
                     .Case("f16x2", builder.getF16Type())
                     .Case("bf16x2", builder.getBF16Type())
                     .Default(Type());
  unsigned words = op.getOperands().size() - 1;
  std::string count = words > 1 ? ".v" + std::to_string(words) : "";
  if (!element || name != (element.isF32() ? "" : ".noftz") + count)
    return false;
  unsigned width = storedBytes(element);
  Access &access = thread.access;
  access.isAtomic = true;
  access.alignment = words * 4;
  uint64_t address = get(thread, op.getOperands()[0])[0];
  auto number = LLVM::UndefOp::create(builder, op.getLoc(), element);
  auto sum = LLVM::FAddOp::create(builder, op.getLoc(), number, number);
  bool isKnown = true;
  for (Value word : op.getOperands().drop_front())
    for (unsigned shift = 0; shift < 32; shift += width * 8) {
      Bits before, after;
      Bits added = {(get(thread, word)[0] >> shift) & ((uint64_t(1) << width * 8) - 1)};
      loadLanes(thread, address, element, before);
      isKnown &= evaluateOp(*sum.getOperation(), {&before, &added}, after);
      storeLanes(thread, address, element, after);
      address += width;
    }
  sum->erase();
  number->erase();
  return isKnown;
}

bool Grid::accessMasked(Thread &thread, Operation &op) {
  Access &access = thread.access;
  auto visit = [&](Value mask, uint32_t alignment, auto body) {
    for (auto [k, bit] : llvm::enumerate(Bits(get(thread, mask)))) {
      access.alignment = bit ? alignment : 1;
      if (bit)
        body(k);
    }
    return true;
  };
  if (auto gather = dyn_cast<LLVM::masked_gather>(op)) {
    Bits result = gather.getPassThru().empty()
                      ? Bits(get(thread, gather.getMask()).size())
                      : get(thread, gather.getPassThru()[0]);
    visit(gather.getMask(), gather.getAlignment(), [&](size_t k) {
      Bits lane;
      loadLanes(thread, get(thread, gather.getPtrs())[k],
                getElementTypeOrSelf(gather.getRes().getType()), lane);
      result[k] = lane[0];
    });
    get(thread, gather.getRes()) = result;
    return true;
  }
  if (auto scatter = dyn_cast<LLVM::masked_scatter>(op))
    return visit(scatter.getMask(), scatter.getAlignment(), [&](size_t k) {
      storeLanes(thread, get(thread, scatter.getPtrs())[k],
                 getElementTypeOrSelf(scatter.getValue().getType()),
                 {get(thread, scatter.getValue())[k]});
    });
  if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op)) {
    Bits result = get(thread, load.getPassThru());
    Type element = getElementTypeOrSelf(load.getRes().getType());
    visit(load.getMask(), storedBytes(element), [&](size_t k) {
      Bits lane;
      loadLanes(thread, get(thread, load.getData())[0] + k * storedBytes(element),
                element, lane);
      result[k] = lane[0];
    });
    get(thread, load.getRes()) = result;
    return true;
  }
  return false;
}

/// Copies into shared memory, in groups that are waited for.
bool Grid::copyAsync(Thread &thread, Operation &op) {
  Access &access = thread.access;
  access.isAtomic = access.isConstant = false;
  access.epoch = epoch;
  if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
    thread.copies.emplace_back();
    return true;
  }
  if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
    size_t complete = thread.copies.size() - 1;
    size_t done = complete > wait.getN() ? complete - wait.getN() : 0;
    for (size_t k = 0; k < done; ++k)
      for (const Copy &copy : thread.copies[k]) {
        access.alignment = copy.bytes.size();
        memory.store(copy.to, copy.bytes.data(), copy.bytes.size(), access);
      }
    thread.copies.erase(thread.copies.begin(), thread.copies.begin() + done);
    return true;
  }
  auto copy = dyn_cast<NVVM::CpAsyncOp>(op);
  if (!copy)
    return false;
  unsigned size = copy.getSize(), count = size;
  if (copy.getCpSize())
    count = get(thread, copy.getCpSize())[0];
  if (count > size) {
    ADD_FAILURE() << "a copy of " << count << " bytes of " << size;
    return true;
  }
  Copy made{get(thread, copy.getDst())[0], std::vector<uint8_t>(size, 0xFF)};
  access.alignment = size;
  memory.store(made.to, made.bytes.data(), size, access);
  std::fill(made.bytes.begin(), made.bytes.end(), 0);
  if (count)
    memory.load(get(thread, copy.getSrc())[0], made.bytes.data(), count, access);
  thread.copies.back().push_back(std::move(made));
  return true;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void Grid::branch(Thread &thread, Operation &op) {
  Block *to = op.getSuccessor(0);
  OperandRange operands = op.getOperands();
  if (auto conditional = dyn_cast<LLVM::CondBrOp>(op)) {
    bool taken = get(thread, conditional.getCondition())[0];
    to = taken ? conditional.getTrueDest() : conditional.getFalseDest();
    operands = taken ? conditional.getTrueDestOperands()
                     : conditional.getFalseDestOperands();
  }
  SmallVector<Bits> passed;
  for (Value operand : operands)
    passed.push_back(get(thread, operand));
  for (auto [argument, bits] : llvm::zip_equal(to->getArguments(), passed))
    get(thread, argument) = bits;
  thread.next = &to->front();
}

/// One op that is no branch and waits for nobody.
bool Grid::execute(Thread &thread, Operation &op) {
  auto define = [&](uint64_t value) {
    get(thread, op.getResult(0)).assign(1, value);
    return true;
  };
  if (isa<NVVM::ThreadIdXOp>(op))
    return define(thread.access.thread);
  if (isa<NVVM::BlockIdXOp>(op))
    return define(thread.access.block);
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return define(shared.lookup(address.getGlobalNameAttr().getAttr()));
  if (auto address = dyn_cast<LLVM::GEPOp>(op)) {
    if (address.getIndices().size() != 1)
      return false;
    Bits base = get(thread, address.getBase()), index;
    Type type;
    for (auto entry : address.getIndices()) {
      if (auto constant = dyn_cast<IntegerAttr>(entry)) {
        index.assign(1, constant.getInt());
      } else {
        index = get(thread, cast<Value>(entry));
        type = getElementTypeOrSelf(cast<Value>(entry).getType());
      }
    }
    Bits &result = get(thread, address.getResult());
    result.assign(std::max(base.size(), index.size()), 0);
    for (auto [k, lane] : llvm::enumerate(result)) {
      uint64_t offset = index[index.size() == 1 ? 0 : k];
      if (type && type.isInteger(32))
        offset = int64_t(int32_t(offset));
      lane = base[base.size() == 1 ? 0 : k] +
             offset * sizeOf(address.getElemType());
    }
    return true;
  }
  if (accessMemory(thread, op) || copyAsync(thread, op))
    return true;
  if (op.getNumResults() != 1)
    return false;
  SmallVector<const Bits *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&get(thread, operand));
  Bits result;
  if (!evaluateOp(op, operands, result))
    return false;
  get(thread, op.getResult(0)) = std::move(result);
  return true;
}

bool Grid::advance(Thread &thread) {
  while (thread.next && !waits(*thread.next)) {
    Operation &op = *thread.next;
    if (isa<LLVM::ReturnOp>(op)) {
      thread.next = nullptr;
    } else if (isa<LLVM::BrOp, LLVM::CondBrOp>(op)) {
      branch(thread, op);
    } else {
      if (!execute(thread, op)) {
        ADD_FAILURE() << op.getName().getStringRef().str()
                      << " is not interpreted";
        return false;
      }
      thread.next = op.getNextNode();
    }
  }
  return true;
}

/// What each thread of a warp says becomes what its partner gets.
bool Grid::shuffle(ArrayRef<Thread *> warp, NVVM::ShflOp op) {
  SmallVector<uint64_t> said;
  for (Thread *thread : warp)
    said.push_back(get(*thread, op.getVal())[0]);
  for (auto [k, thread] : llvm::enumerate(warp)) {
    uint64_t offset = get(*thread, op.getOffset())[0];
    bool isKnown = llvm::is_contained(
        {NVVM::ShflKind::bfly, NVVM::ShflKind::idx}, op.getKind());
    uint64_t partner =
        op.getKind() == NVVM::ShflKind::idx ? offset : k ^ offset;
    if (!isKnown || partner >= said.size()) {
      ADD_FAILURE() << "a shuffle from thread " << partner << " of a warp";
      return false;
    }
    get(*thread, op.getRes()).assign(1, said[partner]);
    thread->next = op->getNextNode();
  }
  return true;
}

bool Grid::doTogether(ArrayRef<Thread *> warp, Operation &op) {
  if (auto exchange = dyn_cast<NVVM::ShflOp>(op))
    return shuffle(warp, exchange);
  SmallVector<Bits> results(warp.size());
  bool isKnown = evaluateTogether(
      op,
      [&](unsigned thread, Value value) -> const Bits & {
        return get(*warp[thread], value);
      },
      [&](unsigned thread, uint64_t address, unsigned alignment) {
        Access &access = warp[thread]->access;
        access.isAtomic = access.isConstant = false;
        access.epoch = epoch;
        access.alignment = alignment;
        uint64_t bits = 0;
        memory.load(address, &bits, 2, access);
        return bits;
      },
      results);
  if (!isKnown)
    ADD_FAILURE() << op.getName().getStringRef().str() << " is not interpreted";
  for (auto [thread, result] : llvm::zip(warp, results)) {
    get(*thread, op.getResult(0)) = result;
    thread->next = op.getNextNode();
  }
  return isKnown;
}

bool Grid::meet() {
  for (size_t first = 0; first < threads.size(); first += kWarp) {
    SmallVector<Thread *> warp;
    for (size_t k = first; k < std::min<size_t>(first + kWarp, threads.size()); ++k)
      warp.push_back(&threads[k]);
    bool meets = llvm::any_of(warp, [](Thread *thread) {
      return thread->next && isTogether(*thread->next);
    });
    if (!meets)
      continue;
    for (Thread *thread : warp)
      if (thread->next != warp[0]->next) {
        ADD_FAILURE() << "threads of a warp meet at different shuffles";
        return false;
      }
    return doTogether(warp, *warp[0]->next);
  }
  // All wait at a barrier, or have ended.
  Operation *barrier = threads[0].next;
  for (Thread &thread : threads)
    if (thread.next != barrier) {
      ADD_FAILURE() << "threads of a block meet at different barriers";
      return false;
    }
  if (auto counts = dyn_cast_or_null<NVVM::BarrierOp>(barrier);
      counts && !countAtBarrier(counts))
    return false;
  for (Thread &thread : threads)
    thread.next = barrier->getNextNode();
  ++epoch;
  return true;
}

/// What all threads of a block get from a barrier: how many of them say so.
bool Grid::countAtBarrier(NVVM::BarrierOp op) {
  if (op.getBarrierId() || op.getNumberOfThreads() ||
      op.getReductionOp() != NVVM::BarrierReduction::POPC) {
    ADD_FAILURE() << "a barrier of some kind is not interpreted";
    return false;
  }
  uint64_t all = 0;
  for (Thread &thread : threads)
    all += get(thread, op.getReductionPredicate())[0] != 0;
  for (Thread &thread : threads)
    get(thread, op.getResult(0)).assign(1, all);
  return true;
}

void Grid::runBlock(int32_t block, ArrayRef<uint64_t> arguments) {
  uint64_t first = 0;
  for (LLVM::GlobalOp global : globals) {
    bool isDynamic = global.getLinkage() == LLVM::Linkage::External;
    uint64_t address = memory.allocate(
        global.getSymName().str(),
        isDynamic ? dynamicBytes : sizeOf(global.getGlobalType()));
    shared[global.getSymNameAttr()] = address;
    first = first ? first : address;
  }
  epoch = 0;
  threads.assign(count, {});
  for (auto [k, thread] : llvm::enumerate(threads)) {
    thread.values.resize(numbering.numbers.size());
    thread.access.thread = k;
    thread.access.block = block;
    Block &entry = function.getBody().front();
    for (auto [argument, value] :
         llvm::zip_equal(entry.getArguments(), arguments))
      get(thread, argument).assign(1, value);
    thread.next = &entry.front();
  }
  auto isRunning = [](Thread &thread) { return thread.next != nullptr; };
  bool isGood = true;
  while (isGood && llvm::any_of(threads, isRunning)) {
    for (Thread &thread : threads)
      isGood = isGood && advance(thread);
    if (isGood && llvm::any_of(threads, isRunning))
      isGood = meet();
  }
  if (first)
    memory.release(first);
}

void loop::runGrid(LLVM::LLVMFuncOp function, int64_t blocks, int64_t threads,
                   ArrayRef<uint64_t> arguments, GridMemory &memory,
                   int64_t shared) {
  ASSERT_EQ(function.getNumArguments(), arguments.size());
  memory.beginLaunch();
  Grid grid(function, threads, memory, shared);
  for (int64_t block = 0; block < blocks; ++block)
    grid.runBlock(block, arguments);
}
