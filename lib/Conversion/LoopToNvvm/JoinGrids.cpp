//===- JoinGrids.cpp - One launch for several grids ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An optimizer's step is a kernel for each parameter, of which most are too
// small for a GPU: a launch waits until the last blocks of the one before have
// ended. Launches that follow each other and need nothing of each other become
// one, whose blocks are those of all of them:
//
//   @a on 2 blocks, @b on 5, @a on 3   becomes   @joined on 10
//
//   block < 5: code of @a             those of one function are neighbours
//     block < 2: pointers of the first, from block 0 on
//     else:      pointers of the third, from block 2 on
//   else: code of @b, from block 5 on
//
// Which pointers a block has is decided by comparisons that all of its threads
// agree on, so that those of a block may wait for each other. What they share in
// memory all blocks have room for, so it is little.
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/LoopToNvvm/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace kiln {
#define GEN_PASS_DEF_JOINGRIDSPASS
#include "kiln/Conversion/LoopToNvvm/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Arguments of 8 bytes that a function has at most: 4 KB are what every driver
/// takes.
static constexpr size_t kMostArguments = 500;
/// Bytes that a launch moves from which on it gains nothing: its last blocks
/// are then few among all.
static constexpr int64_t kLargeTraffic = int64_t(1) << 28;

/// Bytes of shared memory that functions of a launch declare: with more a
/// multiprocessor might have fewer blocks.
static constexpr int64_t kMostSharedBytes = 8 << 10;

static constexpr llvm::StringLiteral kHomes[] = {"kernels", "kernels_64"};

namespace {

/// Where operands of a member of a group stand among those of the launch for
/// all.
struct Member {
  LaunchGridOp launch;
  SmallVector<unsigned> arguments; ///< of its function, in the joint one
  ExprAttr begin;                  ///< its first block

  GridStepAttr getStep() { return cast<GridStepAttr>(launch.getSteps()[0]); }
};

/// Launches that become one.
struct Group {
  SmallVector<LaunchGridOp> launches;
  llvm::SetVector<Value> inputs;
  llvm::SmallDenseSet<Value> overwritten;
  llvm::SmallDenseSet<Attribute> functions;
  size_t results = 0, symbols = 0, checks = 0;
  int64_t shared = 0; ///< bytes that the functions declare

  bool takes(LaunchGridOp launch, int64_t bytes) const;
  void add(LaunchGridOp launch, int64_t bytes);
};

class JoinGrids : public kiln::impl::JoinGridsPassBase<JoinGrids> {
  using JoinGridsPassBase::JoinGridsPassBase;

  void runOnOperation() override;
  LLVM::LLVMFuncOp getFunction(StringRef home, LaunchGridOp launch);
  std::optional<int64_t> getDeclared(LaunchGridOp launch);
  void join(Group &group);
  void emitFunction(StringRef home, StringRef name,
                    MutableArrayRef<Member> members, size_t pointers,
                    ArrayRef<ExprAttr> symbols, size_t checks);
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static ArrayRef<Attribute> getChecks(LaunchGridOp launch) {
  ArrayAttr checks = launch.getChecksAttr();
  return checks ? checks.getValue() : ArrayRef<Attribute>();
}

static GridStepAttr getStep(LaunchGridOp launch) {
  return cast<GridStepAttr>(launch.getSteps()[0]);
}

/// Inputs that a result of the launch may be written over.
static SmallVector<Value> getOverwritten(LaunchGridOp launch) {
  SmallVector<Value> values;
  ArrayRef<int64_t> pairs =
      launch.getOverwrites().value_or(ArrayRef<int64_t>());
  for (size_t k = 1; k < pairs.size(); k += 2)
    values.push_back(launch.getInputs()[pairs[k]]);
  return values;
}

bool Group::takes(LaunchGridOp launch, int64_t bytes) const {
  if (launches.empty())
    return true;
  if (!functions.contains(getStep(launch).getKernel().getAttr()) &&
      shared + bytes > kMostSharedBytes)
    return false;
  LaunchGridOp first = launches.front();
  size_t arguments = inputs.size() + results + symbols + checks +
                     launch.getInputs().size() + launch.getNumResults() +
                     getStep(launch).getSymbols().size() +
                     getChecks(launch).size() + 2;
  if (getStep(launch).getThreads() != getStep(first).getThreads() ||
      bool(launch.getNarrowAttr()) != bool(first.getNarrowAttr()) ||
      arguments > kMostArguments)
    return false;
  // What one of them writes no other one reads: blocks run in any order.
  for (Value input : launch.getInputs())
    if (overwritten.contains(input) ||
        llvm::is_contained(launches, input.getDefiningOp<LaunchGridOp>()))
      return false;
  return llvm::none_of(getOverwritten(launch),
                       [&](Value value) { return inputs.contains(value); });
}

void Group::add(LaunchGridOp launch, int64_t bytes) {
  launches.push_back(launch);
  if (functions.insert(getStep(launch).getKernel().getAttr()).second)
    shared += bytes;
  inputs.insert(launch.getInputs().begin(), launch.getInputs().end());
  for (Value value : getOverwritten(launch))
    overwritten.insert(value);
  results += launch.getNumResults();
  // Its own, and where its blocks begin.
  symbols += getStep(launch).getSymbols().size() + 1;
  checks += getChecks(launch).size();
}

LLVM::LLVMFuncOp JoinGrids::getFunction(StringRef home, LaunchGridOp launch) {
  auto module = getOperation().lookupSymbol<gpu::GPUModuleOp>(home);
  return module
             ? dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(
                   module, getStep(launch).getKernel().getAttr()))
             : LLVM::LLVMFuncOp();
}

/// Bytes of the shared memory that `function` refers to; nothing if it refers to other memory.
static std::optional<int64_t> countShared(LLVM::LLVMFuncOp function) {
  llvm::SmallDenseSet<Operation *> globals;
  int64_t bytes = 0;
  bool isOther = false;
  DataLayout layout = DataLayout::closest(function);
  SymbolTableCollection tables;
  function.walk([&](LLVM::AddressOfOp op) {
    LLVM::GlobalOp global = op.getGlobal(tables);
    if (!global || global.getAddrSpace() != NVVM::NVVMMemorySpace::Shared)
      isOther = true;
    else if (globals.insert(global).second)
      bytes += int64_t(layout.getTypeSize(global.getGlobalType()));
  });
  return isOther ? std::nullopt : std::optional(bytes);
}

/// What the function of a launch declares of shared memory; nothing where there are several, or
/// it needs more than arguments, or a library has it.
std::optional<int64_t> JoinGrids::getDeclared(LaunchGridOp launch) {
  if (launch.getSteps().size() != 1 || launch.getWorkspaceAttr() ||
      getStep(launch).getShared() != 0 || getStep(launch).getMaps() ||
      launch.getLibraryAttr())
    return std::nullopt;
  if (TrafficAttr traffic = launch.getTrafficAttr();
      traffic && traffic.getRead() + traffic.getWritten() > kLargeTraffic)
    return std::nullopt;
  unsigned found = 0;
  int64_t most = 0;
  for (StringRef home : kHomes) {
    LLVM::LLVMFuncOp function = getFunction(home, launch);
    if (!function)
      continue;
    ++found;
    auto bytes = countShared(function);
    // What needs its registers counted has them as it is.
    if (!function.getBody().hasOneBlock() || !bytes ||
        *bytes > kMostSharedBytes ||
        function->hasAttr(NVVM::NVVMDialect::getMinctasmAttrName()))
      return std::nullopt;
    most = std::max(most, *bytes);
  }
  if (found != (launch.getNarrowAttr() ? 2 : 1))
    return std::nullopt;
  return most;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Which of the parts of [0, count) that begin at `begins`, the first at the
/// least number, a `block` is in: `body` gives the values for one, all as many.
static SmallVector<Value>
emitChoice(ImplicitLocOpBuilder &b, Value block, ArrayRef<Value> begins,
           TypeRange types,
           llvm::function_ref<SmallVector<Value>(unsigned)> body,
           unsigned first = 0) {
  if (begins.size() == 1)
    return body(first);
  size_t half = begins.size() / 2;
  Value isBefore =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, block, begins[half]);
  auto branch = scf::IfOp::create(b, types, isBefore, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *into, ArrayRef<Value> part, unsigned from) {
    b.setInsertionPointToStart(into);
    SmallVector<Value> values = emitChoice(b, block, part, types, body, from);
    if (!types.empty())
      scf::YieldOp::create(b, values);
  };
  fill(branch.thenBlock(), begins.take_front(half), first);
  fill(branch.elseBlock(), begins.drop_front(half), first + half);
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// The code of `from` for block number `block` of its own grid.
static void emitBody(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp from,
                     ArrayRef<Value> arguments, Value block) {
  IRMapping mapping;
  Block &body = from.getBody().front();
  mapping.map(body.getArguments(), arguments);
  // Blocks are asked for first of all, not within loops.
  for (Operation &op : body.without_terminator()) {
    if (isa<NVVM::BlockIdXOp>(op))
      mapping.map(op.getResult(0), block);
    else
      b.clone(op, mapping);
  }
}

/// `members` that share a function stand together.
void JoinGrids::emitFunction(StringRef home, StringRef name,
                             MutableArrayRef<Member> members, size_t pointers,
                             ArrayRef<ExprAttr> symbols, size_t checks) {
  LLVM::LLVMFuncOp model = getFunction(home, members.front().launch);
  ImplicitLocOpBuilder b(members.front().launch.getLoc(), &getContext());
  b.setInsertionPoint(model);
  SmallVector<Type> types(pointers,
                          LLVM::LLVMPointerType::get(&getContext(), 1));
  types.append(symbols.size() + checks, b.getI64Type());
  auto function = LLVM::LLVMFuncOp::create(
      b, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                  types));
  for (StringRef attribute : {NVVM::NVVMDialect::getKernelFuncAttrName(),
                              NVVM::NVVMDialect::getReqntidAttrName()})
    function->setAttr(attribute, model->getAttr(attribute));
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  b.setInsertionPoint(LLVM::ReturnOp::create(b, ValueRange()));

  Type word = b.getI32Type();
  Value block = NVVM::BlockIdXOp::create(b, word);
  SmallVector<Value> begins;
  for (Member &member : members) {
    if (auto constant = member.begin.getConstant()) {
      begins.push_back(arith::ConstantIntOp::create(b, word, *constant));
      continue;
    }
    unsigned symbol = llvm::find(symbols, member.begin) - symbols.begin();
    begins.push_back(arith::TruncIOp::create(
        b, word, entry->getArgument(pointers + symbol)));
  }
  // Neighbours with one function.
  SmallVector<unsigned> firsts;
  for (unsigned k = 0; k < members.size(); ++k)
    if (k == 0 || members[k].getStep().getKernel() !=
                      members[k - 1].getStep().getKernel())
      firsts.push_back(k);
  SmallVector<Value> firstBegins = llvm::map_to_vector(
      firsts, [&](unsigned first) { return begins[first]; });
  emitChoice(b, block, firstBegins, TypeRange(), [&](unsigned number) {
    unsigned first = firsts[number];
    unsigned end =
        number + 1 < firsts.size() ? firsts[number + 1] : members.size();
    auto getArguments = [&](unsigned k) {
      SmallVector<Value> values;
      for (unsigned argument : members[k].arguments)
        values.push_back(entry->getArgument(argument));
      values.push_back(begins[k]);
      return values;
    };
    SmallVector<Value> all = getArguments(first);
    SmallVector<Type> chosen(ValueRange(all).getTypes());
    SmallVector<Value> values =
        emitChoice(b, block, ArrayRef(begins).slice(first, end - first), chosen,
                   [&](unsigned k) { return getArguments(first + k); });
    Value own = arith::SubIOp::create(b, block, values.pop_back_val());
    emitBody(b, getFunction(home, members[first].launch), values, own);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

static TrafficAttr addTraffic(ArrayRef<LaunchGridOp> launches) {
  int64_t read = 0, written = 0, unfused = 0;
  for (LaunchGridOp launch : launches) {
    TrafficAttr traffic = launch.getTrafficAttr();
    if (!traffic)
      return {};
    read += traffic.getRead();
    written += traffic.getWritten();
    unfused += traffic.getUnfused();
  }
  return TrafficAttr::get(launches.front()->getContext(), read, written,
                          unfused);
}

/// The messages of all members, whose cells are arguments from number `first` on; null if
/// there are none.
static ArrayAttr placeChecks(MutableArrayRef<Member> members, size_t first,
                             MLIRContext *context) {
  llvm::SetVector<Attribute> checks;
  for (Member &member : members)
    for (Attribute check : getChecks(member.launch)) {
      checks.insert(check);
      member.arguments.push_back(first +
                                 (llvm::find(checks, check) - checks.begin()));
    }
  return checks.empty() ? ArrayAttr()
                        : ArrayAttr::get(context, checks.getArrayRef());
}

void JoinGrids::join(Group &group) {
  MLIRContext *context = &getContext();
  // By functions, in the order of their first launches.
  llvm::MapVector<Attribute, SmallVector<LaunchGridOp>> byFunction;
  for (LaunchGridOp launch : group.launches)
    byFunction[getStep(launch).getKernel()].push_back(launch);
  SmallVector<Member> members;
  for (auto &[function, launches] : byFunction)
    for (LaunchGridOp launch : launches)
      members.push_back({launch, {}, {}});

  // Those of now: what a group before gave is of another launch since.
  llvm::SetVector<Value> read;
  for (LaunchGridOp launch : group.launches)
    read.insert(launch.getInputs().begin(), launch.getInputs().end());
  SmallVector<Value> inputs = llvm::to_vector(read.getArrayRef());
  size_t workspace = inputs.size() + group.results, pointers = workspace + 1;
  SmallVector<Type> types;
  SmallVector<int64_t> overwrites;
  SmallVector<Attribute> origins;
  llvm::SmallDenseSet<Attribute> seen;
  llvm::SetVector<ExprAttr> symbols;
  ExprAttr blocks = guard::getConstant(context, 0);
  ExprAttr narrow = group.launches.front().getNarrowAttr();
  for (Member &member : members) {
    LaunchGridOp launch = member.launch;
    SmallVector<unsigned> places;
    for (Value input : launch.getInputs())
      places.push_back(llvm::find(inputs, input) - inputs.begin());
    unsigned results = types.size();
    ArrayRef<int64_t> pairs =
        launch.getOverwrites().value_or(ArrayRef<int64_t>());
    for (size_t k = 0; k + 1 < pairs.size(); k += 2) {
      overwrites.push_back(results + pairs[k]);
      overwrites.push_back(places[pairs[k + 1]]);
    }
    member.arguments = places;
    for (Type type : launch.getResultTypes()) {
      member.arguments.push_back(inputs.size() + types.size());
      types.push_back(type);
    }
    member.arguments.push_back(workspace);
    for (ExprAttr symbol : getExprs(member.getStep().getSymbols())) {
      symbols.insert(symbol);
      member.arguments.push_back(
          pointers + (llvm::find(symbols, symbol) - symbols.begin()));
    }
    member.begin = blocks;
    if (!blocks.getConstant())
      symbols.insert(blocks);
    blocks = blocks + member.getStep().getBlocks();
    if (narrow)
      narrow = guard::logicalAnd(narrow, launch.getNarrowAttr());
    if (ArrayAttr own = launch.getOriginsAttr())
      for (Attribute origin : own)
        if (seen.insert(origin).second)
          origins.push_back(origin);
  }

  ArrayAttr checks = placeChecks(members, pointers + symbols.size(), context);
  LaunchGridOp last = group.launches.back();
  std::string name = members.front().getStep().getKernel().getValue().str();
  name += "_joined";
  // The same name in both modules.
  for (StringRef home : kHomes)
    if (auto module = getOperation().lookupSymbol<gpu::GPUModuleOp>(home))
      name = getFreeName(module, name);
  for (StringRef home : kHomes)
    if (getFunction(home, last))
      emitFunction(home, name, members, pointers, symbols.getArrayRef(),
                   checks ? checks.size() : 0);

  OpBuilder builder(last);
  auto step = GridStepAttr::get(context, FlatSymbolRefAttr::get(context, name),
                                getExprArray(context, symbols.getArrayRef()),
                                blocks, getStep(last).getThreads(),
                                /*shared=*/0, /*maps=*/ArrayAttr());
  auto launch = LaunchGridOp::create(
      builder, last.getLoc(), types, inputs, builder.getArrayAttr(step), narrow,
      ExprAttr(), origins.empty() ? ArrayAttr() : builder.getArrayAttr(origins),
      group.launches.front().getScheduleAttr(), addTraffic(group.launches),
      overwrites.empty() ? DenseI64ArrayAttr()
                         : builder.getDenseI64ArrayAttr(overwrites),
      /*library=*/Attribute(), checks);
  if (auto told = remark::passed(
          last.getLoc(),
          remarks::kGridsJoined.function(remarks::getFunctionName(last))))
    told << remark::metric("launches", int64_t(group.launches.size()))
         << remark::metric("functions", int64_t(byFunction.size()))
         << remark::metric("kernel", name);
  unsigned result = 0;
  for (Member &member : members) {
    for (Value value : member.launch.getResults())
      value.replaceAllUsesWith(launch.getResult(result++));
    member.launch.erase();
  }
}

void JoinGrids::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Kernel, Stage::Kernel})))
    return signalPassFailure();
  SmallVector<Group> groups;
  getOperation().walk([&](func::FuncOp function) {
    for (Block &block : function.getBody()) {
      groups.emplace_back();
      for (Operation &op : block) {
        auto launch = dyn_cast<LaunchGridOp>(op);
        auto bytes = launch ? getDeclared(launch) : std::nullopt;
        if (!bytes || !groups.back().takes(launch, *bytes))
          groups.emplace_back();
        if (bytes)
          groups.back().add(launch, *bytes);
      }
    }
  });
  bool changed = false;
  for (Group &group : groups)
    if (group.launches.size() > 1) {
      join(group);
      changed = true;
    }
  if (!changed)
    return markAllAnalysesPreserved();

  // Functions that nobody launches any more.
  llvm::SmallDenseSet<Attribute> launched;
  getOperation().walk([&](LaunchGridOp launch) {
    for (auto step : launch.getSteps().getAsRange<GridStepAttr>())
      launched.insert(step.getKernel().getAttr());
  });
  for (StringRef home : kHomes)
    if (auto module = getOperation().lookupSymbol<gpu::GPUModuleOp>(home))
      for (auto function : llvm::make_early_inc_range(
               module.getBody()->getOps<LLVM::LLVMFuncOp>()))
        if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
            !launched.contains(function.getSymNameAttr()))
          function.erase();
}
