//===- ShareKernels.cpp - One function for kernels of other sizes ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a network are alike, and their sizes are not: a dense network
// gives each convolution 32 channels more than the one before, and hundreds of
// kernels differ in nothing but these numbers. Making machine code is most of a
// compilation, so such kernels become one, to which launches hand the numbers
// as they hand the values of symbols:
//
//   func @k0: ... arith.constant 96 : index ...      launch @k0 symbols []
//   func @k1: ... arith.constant 128 : index ...     launch @k1 symbols []
//   // becomes
//   func @k0: ... 32 * load(symbols[0]) ...          launch @k0 symbols [3]
//                                                    launch @k0 symbols [4]
//
// What code generation takes from a number is not given up: see `canVary` for
// uses that keep it a constant. A number arrives as a multiple of the greatest
// common divisor, so what was divisible by a vector's lanes still is, as LLVM
// sees; and numbers that are multiples of one, as the elements of a row and
// those of a plane, are made of that one, so LLVM sees this as well.
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <numeric>
#include <tuple>

namespace kiln {
#define GEN_PASS_DEF_LOOPSHAREKERNELSPASS
#include "kiln/Conversion/LoopToScf/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Which numbers may be handed in
//===----------------------------------------------------------------------===//

/// Larger powers of two are not told apart.
static constexpr int64_t kMaxPower = 1 << 20;

/// Larger numbers stay constants, so that products of two fit into 64 bits.
static constexpr int64_t kMaxNumber = int64_t(1) << 30;

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

namespace {
/// How many loops stand inside of each other in each loop of a function.
class LoopNests {
public:
  explicit LoopNests(mlir::func::FuncOp function) {
    // Inner loops come first.
    function.walk([&](scf::ForOp loop) {
      unsigned height = heights.try_emplace(loop, 1).first->second;
      if (auto parent = loop->getParentOfType<scf::ForOp>()) {
        unsigned &outer = heights[parent];
        outer = std::max(outer, height + 1);
      }
    });
  }

  /// The innermost loop that `op` is in, or null.
  Operation *getInnermost(Operation *op) const {
    Operation *loop = op->getParentOfType<scf::ForOp>();
    return loop && heights.lookup(loop) == 1 ? loop : nullptr;
  }
  /// True for what is done at most once for a nest of two loops.
  bool isOutside(Operation *op) const {
    Operation *loop = op->getParentOfType<scf::ForOp>();
    return !loop || isAround(loop);
  }
  /// True for a loop around a nest of two.
  bool isAround(Operation *loop) const { return heights.lookup(loop) > 2; }

private:
  llvm::SmallDenseMap<Operation *, unsigned> heights;
};

/// Which powers of two are known to divide what is computed in a function.
class KnownPowers {
public:
  int64_t get(Value value);

private:
  int64_t find(Value value);

  llvm::SmallDenseMap<Value, int64_t> known;
};

/// Follows a number through what is computed of it.
class NumberUses {
public:
  NumberUses(const LoopNests &loops, KnownPowers &powers, unsigned maxMultiples)
      : loops(loops), powers(powers), maxMultiples(maxMultiples) {}

  /// True if code is as fast where `number` is not known: it is a bound of
  /// loops, a size of masks, and factor or summand of few addresses.
  bool canVary(arith::ConstantOp number);
  /// The largest power of two by which what is computed of it is divided,
  /// leaving nothing as is known: then there is no code for what is left.
  int64_t getWhole() const { return whole; }

private:
  bool canVary(OpOperand &use);
  bool addMultiple(Operation *op, unsigned operand);
  void followIteration(scf::ForOp loop, unsigned position);
  void addDivision(Operation *op);

  const LoopNests &loops;
  KnownPowers &powers;
  unsigned maxMultiples;
  int64_t whole = 1;
  llvm::SmallSetVector<Value, 16> values; ///< that depend on the number
  /// What the number is multiplied by in each innermost loop. A product with a
  /// constant is part of an address; of others each takes a register.
  llvm::SmallDenseMap<Operation *, llvm::SmallDenseSet<const void *>> multiples;
};
} // namespace

int64_t KnownPowers::get(Value value) {
  auto [it, isNew] = known.try_emplace(value, 1);
  if (!isNew)
    return it->second;
  int64_t power = std::min(find(value), kMaxPower);
  return known[value] = power;
}

int64_t KnownPowers::find(Value value) {
  auto ofOperands = [&](ValueRange operands) {
    int64_t least = kMaxPower;
    for (Value operand : operands)
      least = std::min(least, get(operand));
    return least;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return 1;
    return ofOperands({loop.getLowerBound(), loop.getStep()});
  }
  Operation *op = value.getDefiningOp();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.isZero() ? kMaxPower
                           : int64_t(1) << std::min(number.countr_zero(),
                                                    llvm::Log2_64(kMaxPower));
  if (isa<arith::MulIOp>(op))
    return get(op->getOperand(0)) * get(op->getOperand(1));
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return ofOperands({choice.getTrueValue(), choice.getFalseValue()});
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::MinUIOp, arith::MaxUIOp, arith::IndexCastOp,
          arith::IndexCastUIOp, vector::BroadcastOp>(op))
    return ofOperands(op->getOperands());
  return 1;
}

void NumberUses::addDivision(Operation *op) {
  APInt divisor;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
      divisor.isPowerOf2() && divisor.sle(powers.get(op->getOperand(0))))
    whole = std::max(whole, divisor.getSExtValue());
}

bool NumberUses::canVary(arith::ConstantOp number) {
  values.insert(number.getResult());
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      if (!canVary(use))
        return false;
  return true;
}

/// Equal products are computed once, so a constant factor counts by its value.
bool NumberUses::addMultiple(Operation *op, unsigned operand) {
  Operation *loop = loops.getInnermost(op);
  if (!loop)
    return true;
  Value factor = op->getOperand(1 - operand);
  auto constant = factor.getDefiningOp<arith::ConstantOp>();
  auto &known = multiples[loop];
  known.insert(constant ? constant.getValue().getAsOpaquePointer()
                        : factor.getAsOpaquePointer());
  return known.size() <= maxMultiples;
}

void NumberUses::followIteration(scf::ForOp loop, unsigned position) {
  values.insert(loop.getRegionIterArg(position));
  values.insert(loop.getResult(position));
}

bool NumberUses::canVary(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned operand = use.getOperandNumber();
  // What is tested is a mask or a branch.
  if (mlir::getElementTypeOrSelf(use.get()).isInteger(1))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // A bound, or where a walk begins; steps are of vectors and tiles, and
    // outside of blocks of them.
    if (operand > 2)
      followIteration(loop, operand - loop.getNumControlOperands());
    return operand != 2 || loops.isAround(loop);
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      followIteration(loop, operand);
    else if (isa<scf::IfOp>(parent))
      values.insert(parent->getResult(operand));
    else
      return false;
    return true;
  }
  if (isa<vector::CreateMaskOp>(op))
    return true;
  // The address itself, not memory or what is stored.
  if (isa<LLVM::GEPOp>(op))
    return operand > 0;
  if (isa<LLVM::StoreOp>(op)) // an entry of a table of rows
    return true;
  if (op->getNumResults() != 1 ||
      !mlir::getElementTypeOrSelf(op->getResult(0)).isIntOrIndex())
    return false;
  if (isDivision(op)) {
    // By a constant a division is a multiplication.
    if (operand == 1 && !loops.isOutside(op))
      return false;
    if (operand == 0)
      addDivision(op);
  } else if (isa<arith::MulIOp>(op)) {
    // Lanes are shifted by constants; other products take three times as long.
    bool isVector = isa<VectorType>(op->getResult(0).getType());
    if (isVector ? loops.getInnermost(op) != nullptr
                 : !addMultiple(op, operand))
      return false;
  } else if (!isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
                  arith::MinUIOp, arith::MaxUIOp, arith::IndexCastOp,
                  arith::IndexCastUIOp, arith::TruncIOp, arith::CmpIOp,
                  arith::SelectOp, vector::BroadcastOp>(op)) {
    return false;
  }
  values.insert(op->getResult(0));
  return true;
}

//===----------------------------------------------------------------------===//
// Which kernels are alike
//===----------------------------------------------------------------------===//

namespace {
/// A function with the numbers that others of its kind may have otherwise.
struct Candidate {
  mlir::func::FuncOp function;
  SmallVector<LaunchOp> launches;
  SmallVector<arith::ConstantOp> numbers; ///< in the order of the function

  int64_t getNumber(size_t i) const {
    return cast<IntegerAttr>(arith::ConstantOp(numbers[i]).getValue()).getInt();
  }
};

/// Says everything about a function but its name and those numbers: of these
/// only that they are there, and by which power of two they can be divided, as
/// far as that is asked for.
class KernelKey {
public:
  KernelKey(Candidate &candidate, unsigned maxMultiples)
      : candidate(candidate), loops(candidate.function),
        maxMultiples(maxMultiples) {}

  std::string get();

private:
  void add(uintptr_t word) { key.push_back(word); }
  void add(const void *pointer) { add(reinterpret_cast<uintptr_t>(pointer)); }
  void add(Operation &op);
  void add(Region &region);
  uintptr_t getNumber(Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  }

  Candidate &candidate;
  LoopNests loops;
  KnownPowers powers;
  unsigned maxMultiples;
  SmallVector<uintptr_t, 0> key;
  llvm::DenseMap<Value, uintptr_t> numbers;
};
} // namespace

/// True for what sizes and addresses are computed with.
static bool isNumber(arith::ConstantOp constant) {
  return constant && (constant.getType().isIndex() ||
                      constant.getType().isSignlessInteger(64));
}

/// True for a number that only says how many there are of something: then 1 is
/// one like others.
static bool isCount(arith::ConstantOp constant) {
  return llvm::all_of(constant->getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned operand = use.getOperandNumber();
    return (isa<scf::ForOp>(op) && operand == 1) ||
           (isDivision(op) && operand == 1);
  });
}

std::string KernelKey::get() {
  // Where numbers that are handed in begin.
  add(uintptr_t(candidate.launches.front().getSymbols().size()));
  add(candidate.function.getFunctionType().getAsOpaquePointer());
  for (NamedAttribute attribute : candidate.function->getDiscardableAttrs()) {
    add(attribute.getName().getAsOpaquePointer());
    add(attribute.getValue().getAsOpaquePointer());
  }
  add(candidate.function.getBody());
  return std::string(reinterpret_cast<const char *>(key.data()),
                     key.size() * sizeof(key[0]));
}

void KernelKey::add(Region &region) {
  add(region.getBlocks().size());
  // Blocks may be mentioned before they come.
  for (Block &block : region) {
    add(block.getNumArguments());
    for (BlockArgument argument : block.getArguments()) {
      add(argument.getType().getAsOpaquePointer());
      add(getNumber(argument));
    }
  }
  for (Block &block : region) {
    add(block.getOperations().size());
    for (Operation &op : block)
      add(op);
  }
}

void KernelKey::add(Operation &op) {
  add(op.getName().getAsOpaquePointer());
  if (auto constant = dyn_cast<arith::ConstantOp>(op); isNumber(constant)) {
    // What is multiplied by 0 or 1 is not there, and -1 is a subtraction.
    int64_t value = cast<IntegerAttr>(constant.getValue()).getInt();
    NumberUses uses(loops, powers, maxMultiples);
    if (value < kMaxNumber && value > -kMaxNumber &&
        (value > 1 || value < -1 || (value == 1 && isCount(constant))) &&
        uses.canVary(constant)) {
      candidate.numbers.push_back(constant);
      add(constant.getType().getAsOpaquePointer());
      add(uintptr_t(value < 0));
      add(uintptr_t(std::min(value & -value, uses.getWhole())));
      add(getNumber(constant.getResult()));
      return;
    }
  }
  NamedAttrList attributes;
  op.getName().populateInherentAttrs(&op, attributes);
  for (NamedAttribute attribute : op.getDiscardableAttrs())
    attributes.push_back(attribute);
  add(uintptr_t(attributes.getAttrs().size()));
  for (NamedAttribute attribute : attributes) {
    add(attribute.getName().getAsOpaquePointer());
    add(attribute.getValue().getAsOpaquePointer());
  }
  add(uintptr_t(op.getNumOperands()));
  for (Value operand : op.getOperands())
    add(getNumber(operand));
  add(uintptr_t(op.getNumResults()));
  for (Value result : op.getResults()) {
    add(result.getType().getAsOpaquePointer());
    add(getNumber(result));
  }
  add(uintptr_t(op.getNumSuccessors()));
  for (Block *block : op.getSuccessors())
    add(uintptr_t(
        std::distance(block->getParent()->begin(), block->getIterator())));
  add(uintptr_t(op.getNumRegions()));
  for (Region &region : op.getRegions())
    add(region);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// The numbers that one constant is in each function of a kind, as a multiple
/// of what launches hand in, and a summand.
struct Column {
  size_t position = 0; ///< of what is handed in
  int64_t factor = 1, summand = 0;
};

/// Makes one function of the first of several.
class Sharing {
public:
  Sharing(MutableArrayRef<Candidate> alike, StringAttr home)
      : alike(alike), home(home), handed(alike.size()) {}
  void run();

private:
  bool fit(ArrayRef<int64_t> numbers, int64_t divisor, Column &column) const;
  Column hand(ArrayRef<int64_t> numbers);
  Value load(const Column &column, Type type, bool isNegative);

  MutableArrayRef<Candidate> alike;
  StringAttr home;
  /// What each of them is handed, one number behind another.
  SmallVector<SmallVector<int64_t>> handed;
  std::map<std::tuple<size_t, int64_t, int64_t, const void *>, Value> loaded;
};
} // namespace

/// True if `numbers` are multiples of what is handed in at a place, plus or
/// minus less than its factor, as what was rounded or the last of so many is.
/// That `divisor` divides them all must still be seen.
bool Sharing::fit(ArrayRef<int64_t> numbers, int64_t divisor,
                  Column &column) const {
  int64_t first = handed.front()[column.position], other = first;
  size_t i = 1;
  while (i < alike.size() && other == first)
    other = handed[i++][column.position];
  int64_t step = other - first, rise = numbers[i - 1] - numbers.front();
  if (step == 0 || rise % step != 0)
    return false;
  column.factor = rise / step;
  column.summand = numbers.front() - column.factor * first;
  if (std::abs(column.summand) >= std::abs(column.factor) ||
      std::gcd(column.factor, column.summand) % divisor != 0)
    return false;
  for (auto [number, numbersHanded] : llvm::zip_equal(numbers, handed))
    if (number !=
        column.factor * numbersHanded[column.position] + column.summand)
      return false;
  return true;
}

Column Sharing::hand(ArrayRef<int64_t> numbers) {
  int64_t divisor = 0;
  for (int64_t number : numbers)
    divisor = std::gcd(divisor, number);
  Column column;
  for (size_t count = handed.front().size(); column.position < count;
       ++column.position)
    if (fit(numbers, divisor, column))
      return column;
  for (auto [own, number] : llvm::zip_equal(handed, numbers))
    own.push_back(number / divisor);
  return {column.position, divisor, 0};
}

Value Sharing::load(const Column &column, Type type, bool isNegative) {
  mlir::func::FuncOp function = alike.front().function;
  auto [it, isNew] =
      loaded.try_emplace({column.position, column.factor, column.summand,
                          type.getAsOpaquePointer()});
  if (!isNew)
    return it->second;
  Block &entry = function.getBody().front();
  ImplicitLocOpBuilder b(function.getLoc(), &entry, entry.begin());
  Type i64 = b.getI64Type();
  size_t begin = alike.front().launches.front().getSymbols().size();
  Value address = LLVM::GEPOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), i64, entry.getArgument(1),
      ArrayRef<LLVM::GEPArg>{int32_t(begin + column.position)});
  Value number = LLVM::LoadOp::create(b, i64, address);
  auto flags = arith::IntegerOverflowFlags::nsw;
  if (!isNegative && column.factor > 0 && column.summand >= 0)
    flags = flags | arith::IntegerOverflowFlags::nuw;
  if (column.factor != 1)
    number = arith::MulIOp::create(
        b, number, arith::ConstantIntOp::create(b, column.factor, 64), flags);
  if (column.summand != 0)
    number = arith::AddIOp::create(
        b, number, arith::ConstantIntOp::create(b, column.summand, 64), flags);
  if (type != i64)
    number = arith::IndexCastOp::create(b, type, number);
  return it->second = number;
}

void Sharing::run() {
  Candidate &first = alike.front();
  for (size_t i = 0; i < first.numbers.size(); ++i) {
    SmallVector<int64_t> numbers;
    for (const Candidate &candidate : alike)
      numbers.push_back(candidate.getNumber(i));
    arith::ConstantOp constant = first.numbers[i];
    if (llvm::all_equal(numbers) || constant->use_empty())
      continue;
    constant.getResult().replaceAllUsesWith(
        load(hand(numbers), constant.getType(), numbers.front() < 0));
    constant.erase();
  }
  MLIRContext *context = first.function.getContext();
  auto kernel = SymbolRefAttr::get(
      home, {FlatSymbolRefAttr::get(first.function.getSymNameAttr())});
  for (auto [candidate, numbers] : llvm::zip_equal(alike, handed)) {
    for (LaunchOp launch : candidate.launches) {
      SmallVector<ExprAttr> symbols = getExprs(launch.getSymbols());
      for (int64_t number : numbers)
        symbols.push_back(guard::getConstant(context, number));
      launch.setSymbolsAttr(getExprArray(context, symbols));
      launch.setKernelAttr(kernel);
    }
    if (candidate.function != first.function)
      candidate.function.erase();
  }
}

/// True for the signature of KernelABI.h and nothing said of its arguments.
/// Kernels may be written by hand.
static bool isPlainKernel(mlir::func::FuncOp function) {
  MLIRContext *context = function.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  return !function.isExternal() && function.isPublic() &&
         !function.getArgAttrsAttr() && function.getNumResults() == 0 &&
         llvm::equal(function.getArgumentTypes(),
                     ArrayRef<Type>{pointer, pointer, i64, i64, pointer});
}

/// The functions that launches alone refer to, in their order.
static SmallVector<Candidate> getCandidates(ModuleOp module, ModuleOp home) {
  llvm::MapVector<Operation *, SmallVector<LaunchOp>> launches;
  SymbolTable symbols(home);
  module.walk([&](LaunchOp launch) {
    if (auto function = symbols.lookup<mlir::func::FuncOp>(
            launch.getKernel().getLeafReference()))
      launches[function].push_back(launch);
  });
  llvm::SmallDenseSet<StringAttr> called;
  if (auto uses = SymbolTable::getSymbolUses(&home.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      called.insert(use.getSymbolRef().getLeafReference());
  SmallVector<Candidate> candidates;
  for (auto function : home.getOps<mlir::func::FuncOp>()) {
    auto it = launches.find(function);
    if (it == launches.end() || !isPlainKernel(function) ||
        called.contains(function.getSymNameAttr()))
      continue;
    size_t count = it->second.front().getSymbols().size();
    if (llvm::all_of(it->second, [&](LaunchOp launch) {
          return launch.getSymbols().size() == count;
        }))
      candidates.push_back({function, it->second, {}});
  }
  return candidates;
}

namespace {
class ShareKernels : public kiln::impl::LoopShareKernelsPassBase<ShareKernels> {
  using LoopShareKernelsPassBase::LoopShareKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ModuleOp home = getKernelModule(module);
    if (!home)
      return;
    llvm::MapVector<StringAttr, SmallVector<Candidate>> kinds;
    for (Candidate &candidate : getCandidates(module, home)) {
      std::string key = KernelKey(candidate, maxMultiples).get();
      kinds[StringAttr::get(&getContext(), key)].push_back(
          std::move(candidate));
    }
    for (auto &[key, alike] : kinds)
      if (alike.size() > 1) {
        shared += alike.size() - 1;
        Sharing(alike, home.getSymNameAttr()).run();
      }
  }
};
} // namespace
