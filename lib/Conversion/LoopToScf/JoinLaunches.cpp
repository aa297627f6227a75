//===- JoinLaunches.cpp - One launch for kernels that stand side by side --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins after the memory plan, so what may run at the same time is decided by
// places: a launch joins a group if nothing it writes is read or written by
// another of the group, and nothing it reads is written there.
//
// Parts differ in what a work item is, so the joined kernel counts chunks: a
// chunk is the range of items of one part that is worth handing to a thread.
//
//   part      items   grain   chunks   from
//   k0         1024     256        4      0
//   k1(first)   100    4096        1      4
//   k1(second) 9000    4096        3      5
//
//===----------------------------------------------------------------------===//

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln {
#define GEN_PASS_DEF_JOINLAUNCHESPASS
#include "kiln/Conversion/LoopToScf/Passes.h.inc"
} // namespace kiln

namespace {

/// Memory that a launch touches: an argument of the function, bytes of the
/// arena, or a value's own storage.
struct Place {
  Value owner;                  ///< null: the arena
  ExprAttr offset;              ///< of the arena
  int64_t begin = 0, end = 0;   ///< constant bytes of the arena
  bool meets(const Place &other) const {
    if (owner || other.owner)
      return owner == other.owner;
    // Symbolic places are told apart by nothing here.
    if (!offset.isConstant() || !other.offset.isConstant())
      return true;
    return begin < other.end && other.begin < end;
  }
};

struct Part {
  mutable LaunchOp launch; // its getters are not const
  SmallVector<Place> reads, writes;
};

class JoinLaunches
    : public kiln::impl::JoinLaunchesPassBase<JoinLaunches> {
public:
  using JoinLaunchesPassBase::JoinLaunchesPassBase;
  void runOnOperation() override;

private:
  void joinFunction(func::FuncOp function);
  void join(ArrayRef<Part> group);
  std::string emit(ArrayRef<Part> group, SmallVectorImpl<ExprAttr> &symbols,
                   ExprAttr &work);
  ModuleOp kernels;
};

} // namespace

static Place getPlace(Value tensor, func::FuncOp function) {
  auto result = dyn_cast<OpResult>(tensor);
  auto launch = result ? dyn_cast<LaunchOp>(result.getOwner()) : LaunchOp();
  ArrayAttr placements = launch ? launch.getPlacementsAttr() : ArrayAttr();
  if (!placements)
    return {tensor, {}, 0, 0};
  Attribute placement = placements[result.getResultNumber()];
  if (auto argument = dyn_cast<ArgumentAttr>(placement))
    return {function.getArgument(argument.getIndex()), {}, 0, 0};
  auto arena = dyn_cast<ArenaAttr>(placement);
  if (!arena)
    return {tensor, {}, 0, 0};
  Place place{Value(), arena.getOffset(), 0, 0};
  ExprAttr bytes =
      analysis::getByteSize(cast<RankedTensorType>(tensor.getType()));
  if (bytes.isConstant() && place.offset.isConstant()) {
    place.begin = *place.offset.getConstant();
    place.end = place.begin + *bytes.getConstant();
  } else {
    place.offset = bytes; // not constant: meets everything
  }
  return place;
}

/// Nothing for launches that stay alone: matrix products fill the machine by
/// themselves, scatters are walked in order, and joined ones are joined.
static std::optional<Part> getPart(Operation &op, func::FuncOp function) {
  auto launch = dyn_cast<LaunchOp>(op);
  if (!launch || !launch.getPlacementsAttr() || !launch.getSchedulesAttr() ||
      launch.getParts())
    return std::nullopt;
  if (isa<PackedScheduleAttr, SkinnyRowsScheduleAttr, SkinnyColumnsScheduleAttr,
          ScatterScheduleAttr>(launch.getSchedulesAttr()[0]))
    return std::nullopt;
  Part part;
  part.launch = launch;
  for (Value input : launch.getInputs())
    part.reads.push_back(getPlace(input, function));
  for (Value result : launch.getResults())
    part.writes.push_back(getPlace(result, function));
  return part;
}

static bool meet(ArrayRef<Place> a, ArrayRef<Place> b) {
  return llvm::any_of(a, [&](const Place &x) {
    return llvm::any_of(b, [&](const Place &y) { return x.meets(y); });
  });
}

static bool areIndependent(const Part &a, const Part &b) {
  for (Value input : b.launch.getInputs())
    if (input.getDefiningOp() == a.launch.getOperation())
      return false;
  return !meet(a.writes, b.writes) && !meet(a.writes, b.reads) &&
         !meet(a.reads, b.writes);
}

void JoinLaunches::joinFunction(func::FuncOp function) {
  SmallVector<SmallVector<Part>> groups(1);
  size_t pointers = 0;
  for (Operation &op : function.getBody().front()) {
    std::optional<Part> part = getPart(op, function);
    if (!part) {
      // Numbers are not in the way.
      bool touches = op.getNumRegions() != 0 || !isMemoryEffectFree(&op) ||
                     llvm::any_of(op.getOperandTypes(), [](Type type) {
                       return isa<TensorType>(type);
                     });
      if (touches && !groups.back().empty())
        groups.emplace_back();
      continue;
    }
    size_t count = part->reads.size() + part->writes.size();
    bool fits = groups.back().size() < size_t(maxParts) &&
                pointers + count <= size_t(maxPointers) &&
                llvm::all_of(groups.back(), [&](const Part &other) {
                  return areIndependent(other, *part);
                });
    if (!fits)
      groups.emplace_back();
    if (groups.back().empty())
      pointers = 0;
    pointers += count;
    groups.back().push_back(std::move(*part));
  }
  for (ArrayRef<Part> group : groups)
    if (group.size() > 1)
      join(group);
}

/// The function of a group: which chunks fall into a part, and a call for them.
std::string JoinLaunches::emit(ArrayRef<Part> group,
                               SmallVectorImpl<ExprAttr> &symbols,
                               ExprAttr &work) {
  MLIRContext *context = &getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  std::string name;
  for (unsigned k = 0; name.empty() || kernels.lookupSymbol(name); ++k)
    name = "joined_" + std::to_string(group.size()) + "_" + std::to_string(k);

  SmallVector<Location> locations;
  for (const Part &part : group)
    locations.push_back(part.launch.getLoc());
  ImplicitLocOpBuilder b(FusedLoc::get(context, locations), context);
  b.setInsertionPointToEnd(kernels.getBody());
  auto function = func::FuncOp::create(
      b, name,
      b.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto shift = [&](Value base, size_t count) -> Value {
    if (count == 0)
      return base;
    return LLVM::GEPOp::create(b, pointer, i64, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(count)});
  };
  // Pointers are eight bytes as integers are.
  auto number = [&](ExprAttr expr) -> Value {
    if (auto constant = expr.getConstant())
      return arith::ConstantIntOp::create(b, *constant, 64);
    auto *known = llvm::find(symbols, expr);
    size_t at = known - symbols.begin();
    if (known == symbols.end())
      symbols.push_back(expr);
    return LLVM::LoadOp::create(b, i64, shift(entry->getArgument(1), at));
  };

  // Symbols of the parts first, each part's own side by side.
  SmallVector<size_t> firstSymbol;
  for (const Part &part : group) {
    firstSymbol.push_back(symbols.size());
    llvm::append_range(symbols, getExprs(part.launch.getSymbols()));
  }
  work = guard::getConstant(context, 0);
  size_t firstPointer = 0;
  for (auto [k, part] : llvm::enumerate(group)) {
    LaunchOp launch = part.launch;
    int64_t grain = launch.getGrain();
    Value from = number(work);
    work = work + guard::ceilDiv(launch.getWork(), grain);
    Value to = number(work), items = number(launch.getWork());
    Value low = arith::MaxSIOp::create(b, entry->getArgument(2), from);
    Value high = arith::MinSIOp::create(b, entry->getArgument(3), to);
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, low, high);
    auto inside = scf::IfOp::create(b, some, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(inside.thenBlock());
    Value size = arith::ConstantIntOp::create(b, grain, 64);
    Value begin = arith::MulIOp::create(
        b, arith::SubIOp::create(b, low, from), size);
    Value end = arith::MulIOp::create(
        b, arith::SubIOp::create(b, high, from), size);
    end = arith::MinSIOp::create(b, end, items);
    func::CallOp::create(
        b, launch.getKernel().getLeafReference().getValue(), TypeRange(),
        ValueRange{shift(entry->getArgument(0), firstPointer),
                   shift(entry->getArgument(1), firstSymbol[k]), begin, end,
                   entry->getArgument(4)});
    firstPointer += part.reads.size() + part.writes.size();
  }
  func::ReturnOp::create(b);
  return name;
}

void JoinLaunches::join(ArrayRef<Part> group) {
  MLIRContext *context = &getContext();
  SmallVector<ExprAttr> symbols;
  ExprAttr work;
  std::string name = emit(group, symbols, work);

  // A kernel's pointers are its inputs and then its results; those of a joined
  // one are such lists side by side, so inputs and results take turns.
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  SmallVector<Attribute> placements, schedules;
  SmallVector<StringRef> origins;
  SmallVector<int64_t> counts;
  int64_t read = 0, written = 0, unfused = 0;
  ExprAttr scratch;
  for (const Part &part : group) {
    LaunchOp launch = part.launch;
    llvm::append_range(inputs, launch.getInputs());
    llvm::append_range(types, launch.getResultTypes());
    llvm::append_range(placements, launch.getPlacementsAttr());
    llvm::append_range(schedules, launch.getSchedulesAttr());
    counts.push_back(launch.getInputs().size());
    counts.push_back(launch.getNumResults());
    if (ArrayAttr named = launch.getOriginsAttr())
      for (Attribute origin : named)
        if (auto text = cast<StringAttr>(origin).getValue();
            !llvm::is_contained(origins, text))
          origins.push_back(text);
    if (TrafficAttr traffic = launch.getTrafficAttr()) {
      read += traffic.getRead();
      written += traffic.getWritten();
      unfused += traffic.getUnfused();
    }
    // One part after the other uses a thread's scratch.
    if (ExprAttr bytes = launch.getScratchAttr())
      scratch = scratch ? guard::max(scratch, bytes) : bytes;
  }
  // As many chunks to a thread as take about as long as waking it is worth.
  int64_t chunks = 0;
  for (const Part &part : group)
    if (auto items = part.launch.getWork().getConstant())
      chunks += (*items + part.launch.getGrain() - 1) / part.launch.getGrain();
  double times = double(read + written) / 4 /
                 getTarget(getOperation()).getGrainNs();
  int64_t grain = std::max<int64_t>(1, chunks / std::max(times, 1.0));

  LaunchOp last = group.back().launch;
  OpBuilder builder(last);
  auto kernel = SymbolRefAttr::get(
      kernels.getSymNameAttr(), {FlatSymbolRefAttr::get(context, name)});
  auto joined = LaunchOp::create(
      builder, last.getLoc(), types, kernel, inputs,
      getExprArray(context, symbols), work, builder.getI64IntegerAttr(grain),
      scratch, origins.empty() ? ArrayAttr() : builder.getStrArrayAttr(origins),
      builder.getArrayAttr(schedules),
      TrafficAttr::get(context, read, written, unfused),
      builder.getArrayAttr(placements), builder.getDenseI64ArrayAttr(counts));
  size_t next = 0;
  for (const Part &part : group) {
    LaunchOp launch = part.launch;
    for (Value result : launch.getResults())
      result.replaceAllUsesWith(joined.getResult(next++));
    launch.erase();
  }
  if (auto told = remark::passed(
          joined.getLoc(),
          remarks::kJoined.function(remarks::getFunctionName(joined))))
    told << remark::metric("kernel", name)
         << remark::metric("parts", group.size());
}

void JoinLaunches::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Kernel, Stage::Kernel})))
    return signalPassFailure();
  kernels = getKernelModule(getOperation());
  if (!kernels)
    return;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (llvm::hasSingleElement(function.getBody()))
      joinFunction(function);
  // What only joined kernels call is no kernel of its own any more.
  llvm::StringSet<> launched;
  getOperation().walk([&](LaunchOp launch) {
    launched.insert(launch.getKernel().getLeafReference().getValue());
  });
  for (auto function : kernels.getOps<func::FuncOp>())
    if (!launched.contains(function.getSymName()))
      function.setPrivate();
}
