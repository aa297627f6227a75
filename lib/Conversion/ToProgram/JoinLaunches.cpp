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

#include "kiln/Conversion/ToProgram/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Dialect/Program/IR/Program.h"
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
using namespace kiln::program;
using guard::ExprAttr;

namespace kiln {
#define GEN_PASS_DEF_PROGRAMJOINLAUNCHESPASS
#include "kiln/Conversion/ToProgram/Passes.h.inc"
} // namespace kiln

namespace {

/// Memory that a launch touches: storage of a slot, a call or its own, or bytes
/// of the arena.
struct Place {
  Value buffer;
  Value owner;             ///< null: the arena
  bool isConstant = false; ///< its bytes in the arena are known
  int64_t begin = 0, end = 0;
  bool meets(const Place &other) const {
    // Also a buffer without a byte is written before it is read.
    if (buffer == other.buffer)
      return true;
    if (owner || other.owner)
      return owner == other.owner;
    // Symbolic places are told apart by nothing here.
    if (!isConstant || !other.isConstant)
      return true;
    return begin < other.end && other.begin < end;
  }
};

struct Part {
  mutable LaunchOp launch; // its getters are not const
  SmallVector<Place> reads, writes;
};

class JoinLaunches
    : public kiln::impl::ProgramJoinLaunchesPassBase<JoinLaunches> {
public:
  using ProgramJoinLaunchesPassBase::ProgramJoinLaunchesPassBase;
  void runOnOperation() override;

private:
  void joinFunction(program::FuncOp function);
  void join(ArrayRef<Part> group);
  mlir::func::FuncOp emit(ArrayRef<Part> group,
                          SmallVectorImpl<ExprAttr> &symbols, ExprAttr &work);
  StringRef share(mlir::func::FuncOp function, ArrayRef<Part> group);

  ModuleOp kernels;
  /// The functions that were made, by the kernels that they call.
  llvm::DenseMap<ArrayAttr, SmallVector<mlir::func::FuncOp>> joined;
};

} // namespace

static Place getPlace(Value buffer) {
  Place place{buffer, buffer};
  while (auto view = place.owner.getDefiningOp<ViewOp>())
    place.owner = view.getBase();
  auto alloc = place.owner.getDefiningOp<AllocOp>();
  if (!alloc || !alloc.getPlaceAttr())
    return place;
  place.owner = Value();
  auto begin = alloc.getPlaceAttr().getConstant();
  auto bytes = alloc.getType().getByteSize()->getConstant();
  if (begin && bytes) {
    place.isConstant = true;
    place.begin = *begin;
    place.end = *begin + *bytes;
  }
  return place;
}

static Part getPart(LaunchOp launch) {
  Part part;
  part.launch = launch;
  for (auto [buffer, isWritten] :
       llvm::zip_equal(launch.getBuffers(), launch.getWrites()))
    (isWritten ? part.writes : part.reads).push_back(getPlace(buffer));
  return part;
}

static bool meet(ArrayRef<Place> a, ArrayRef<Place> b) {
  return llvm::any_of(a, [&](const Place &x) {
    return llvm::any_of(b, [&](const Place &y) { return x.meets(y); });
  });
}

static bool areIndependent(const Part &a, const Part &b) {
  return !meet(a.writes, b.writes) && !meet(a.writes, b.reads) &&
         !meet(a.reads, b.writes);
}

void JoinLaunches::joinFunction(program::FuncOp function) {
  SmallVector<SmallVector<Part>> groups(1);
  size_t pointers = 0;
  for (Operation &op : function.getBody().front()) {
    auto launch = dyn_cast<LaunchOp>(op);
    // Code in the llvm dialect is past being called by what is added here.
    // What is prepared runs in few calls, and would take the others with it.
    if (!launch || launch.getAlone() || launch.isPreparation() ||
        !kernels.lookupSymbol<mlir::func::FuncOp>(
            launch.getKernel().getLeafReference())) {
      // Memory that is only named is not in the way.
      if (!isa<AllocOp, ViewOp>(op) && !groups.back().empty())
        groups.emplace_back();
      continue;
    }
    Part part = getPart(launch);
    size_t count = launch.getBuffers().size();
    bool fits = groups.back().size() < size_t(maxParts) &&
                pointers + count <= size_t(maxPointers) &&
                llvm::all_of(groups.back(), [&](const Part &other) {
                  return areIndependent(other, part);
                });
    if (!fits)
      groups.emplace_back();
    if (groups.back().empty())
      pointers = 0;
    pointers += count;
    groups.back().push_back(std::move(part));
  }
  for (ArrayRef<Part> group : groups)
    if (group.size() > 1)
      join(group);
}

/// The function of a group: which chunks fall into a part, and a call for them.
mlir::func::FuncOp JoinLaunches::emit(ArrayRef<Part> group,
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
  auto function = mlir::func::FuncOp::create(
      b, name, b.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto shift = [&](Value base, size_t count) -> Value {
    if (count == 0)
      return base;
    return LLVM::GEPOp::create(b, pointer, i64, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(count)});
  };
  // Handed in, so that equal groups of other sizes share a function.
  auto number = [&](ExprAttr expr) -> Value {
    symbols.push_back(expr);
    return LLVM::LoadOp::create(
        b, i64, shift(entry->getArgument(1), symbols.size() - 1));
  };

  // Symbols of the parts first, each part's own side by side.
  SmallVector<size_t> firstSymbol;
  for (const Part &part : group) {
    firstSymbol.push_back(symbols.size());
    llvm::append_range(symbols, loop::getExprs(part.launch.getSymbols()));
  }
  work = guard::getConstant(context, 0);
  size_t firstPointer = 0;
  Value from = arith::ConstantIntOp::create(b, 0, 64);
  for (auto [k, part] : llvm::enumerate(group)) {
    LaunchOp launch = part.launch;
    int64_t grain = launch.getGrain();
    work = work + guard::ceilDiv(launch.getWork(), grain);
    Value to = number(work), items = number(launch.getWork());
    Value size = number(guard::getConstant(context, grain));
    Value low = arith::MaxSIOp::create(b, entry->getArgument(2), from);
    Value high = arith::MinSIOp::create(b, entry->getArgument(3), to);
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, low, high);
    auto inside = scf::IfOp::create(b, some, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(inside.thenBlock());
    Value begin =
        arith::MulIOp::create(b, arith::SubIOp::create(b, low, from), size);
    Value end =
        arith::MulIOp::create(b, arith::SubIOp::create(b, high, from), size);
    end = arith::MinSIOp::create(b, end, items);
    mlir::func::CallOp::create(
        b, launch.getKernel().getLeafReference().getValue(), TypeRange(),
        ValueRange{shift(entry->getArgument(0), firstPointer),
                   shift(entry->getArgument(1), firstSymbol[k]), begin, end,
                   entry->getArgument(4)});
    firstPointer += part.reads.size() + part.writes.size();
    from = to;
  }
  mlir::func::ReturnOp::create(b);
  return function;
}

/// Equal layers have equal groups: the name of an equal function that is there
/// already, instead of which `function` goes, or of `function`.
StringRef JoinLaunches::share(mlir::func::FuncOp function,
                              ArrayRef<Part> group) {
  SmallVector<Attribute> callees;
  for (const Part &part : group)
    callees.push_back(part.launch.getKernel());
  auto &known = joined[ArrayAttr::get(&getContext(), callees)];
  for (mlir::func::FuncOp other : known) {
    if (!OperationEquivalence::isRegionEquivalentTo(
            &function.getBody(), &other.getBody(),
            OperationEquivalence::IgnoreLocations))
      continue;
    function.erase();
    return other.getSymName();
  }
  known.push_back(function);
  return function.getSymName();
}

void JoinLaunches::join(ArrayRef<Part> group) {
  MLIRContext *context = &getContext();
  SmallVector<ExprAttr> symbols;
  ExprAttr work;
  StringRef name = share(emit(group, symbols, work), group);

  SmallVector<Value> buffers;
  SmallVector<bool> writes;
  SmallVector<int64_t> overwrites;
  SmallVector<Attribute> schedules;
  SmallVector<StringRef> origins;
  int64_t read = 0, written = 0, unfused = 0;
  ExprAttr scratch;
  for (const Part &part : group) {
    LaunchOp launch = part.launch;
    if (auto pairs = launch.getOverwrites())
      for (int64_t position : *pairs)
        overwrites.push_back(position + int64_t(buffers.size()));
    llvm::append_range(buffers, launch.getBuffers());
    llvm::append_range(writes, launch.getWrites());
    if (ArrayAttr list = launch.getSchedulesAttr())
      llvm::append_range(schedules, list);
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
  double times =
      double(read + written) / 4 / loop::getTarget(getOperation()).getGrainNs();
  int64_t grain = std::max<int64_t>(1, chunks / std::max(times, 1.0));

  LaunchOp last = group.back().launch;
  OpBuilder builder(last);
  auto kernel = SymbolRefAttr::get(kernels.getSymNameAttr(),
                                   {FlatSymbolRefAttr::get(context, name)});
  auto joined = LaunchOp::create(
      builder, last.getLoc(), kernel, buffers,
      builder.getDenseBoolArrayAttr(writes),
      loop::getExprArray(context, symbols), work,
      builder.getI64IntegerAttr(grain), scratch,
      overwrites.empty() ? DenseI64ArrayAttr()
                         : builder.getDenseI64ArrayAttr(overwrites),
      builder.getUnitAttr(), TrafficAttr::get(context, read, written, unfused),
      origins.empty() ? ArrayAttr() : builder.getStrArrayAttr(origins),
      schedules.empty() ? ArrayAttr() : builder.getArrayAttr(schedules),
      GridAttr());
  for (const Part &part : group)
    part.launch.erase();
  auto function = joined->getParentOfType<program::FuncOp>();
  if (auto told = remark::passed(
          joined.getLoc(), remarks::kJoined.function(function.getSymName())))
    told << remark::metric("kernel", name)
         << remark::metric("parts", group.size());
}

void JoinLaunches::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Package, Stage::Package})))
    return signalPassFailure();
  kernels = loop::getKernelModule(getOperation());
  joined.clear();
  if (!kernels)
    return;
  for (auto function : getOperation().getOps<program::FuncOp>())
    joinFunction(function);
  // What only joined kernels call is no kernel of its own any more.
  llvm::StringSet<> launched;
  getOperation().walk([&](LaunchOp launch) {
    launched.insert(launch.getKernel().getLeafReference().getValue());
  });
  for (auto function : kernels.getOps<mlir::func::FuncOp>())
    if (!launched.contains(function.getSymName()))
      function.setPrivate();
}
