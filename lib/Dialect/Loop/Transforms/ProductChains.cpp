//===- ProductChains.cpp - Contractions and rows that belong together -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductChains.h"

#include "kiln/Analysis/IndexExpr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

ContractOp loop::getContraction(Operation *op) {
  auto kernel = dyn_cast_if_present<KernelOp>(op);
  if (!kernel || kernel.getNests().size() != 1)
    return {};
  auto product = dyn_cast<ContractOp>(kernel.getNests().front().getOperation());
  return product && !product.isGrouped() ? product : ContractOp();
}

bool ProductChain::contains(Operation *op) const {
  auto kernel = dyn_cast_if_present<KernelOp>(op);
  return kernel && (llvm::is_contained(rows, kernel) ||
                    producers.contains(kernel) || consumers.contains(kernel));
}

bool ProductChain::isInside(OpResult result) const {
  return !result.use_empty() &&
         llvm::all_of(result.getUsers(),
                      [&](Operation *user) { return contains(user); });
}

SmallVector<KernelOp> ProductChain::getParts() const {
  SmallVector<KernelOp> parts(rows);
  for (const auto &[kernel, map] : producers)
    parts.push_back(kernel);
  llvm::append_range(parts, consumers);
  llvm::sort(parts, [](KernelOp a, KernelOp b) {
    return a->isBeforeInBlock(b);
  });
  return parts;
}

namespace {
class ChainFinder {
public:
  ChainFinder(ProductChain &chain, const ChainLimits &limits,
              const analysis::SizeHints &hints)
      : chain(chain), limits(limits), hints(hints) {}

  StringRef run(KernelOp seed, bool extended);

private:
  bool areRows(KernelOp kernel) const;
  bool isLarge(ContractOp op) const;
  bool isNarrow(ArrayRef<ExprAttr> extents);
  bool hasPoints() const;
  void addProducers(KernelOp rows);
  void addConsumers(KernelOp rows);
  void addRows(KernelOp rows);
  void addRowsOf(Operation *user);
  bool readsRowsAsTheyAre(KernelOp kernel) const;
  void dropUnfitRows();
  void dropUnfit();
  bool fitsProducer(KernelOp producer) const;
  bool fitsConsumer(KernelOp consumer) const;
  unsigned getRank() const { return chain.getShared().size(); }

  ProductChain &chain;
  const ChainLimits &limits;
  const analysis::SizeHints &hints;
  StringRef why;
};
} // namespace

bool ChainFinder::areRows(KernelOp kernel) const {
  if (kernel.getShared().empty() || getContraction(kernel) ||
      !llvm::all_of(kernel.getNests(), [](NestOpInterface nest) {
        return !isa<ContractOp>(nest.getOperation()) &&
               (nest.isPointwise() || nest.isReduction());
      }))
    return false;
  auto known = getExprs(kernel.getShared()).back().getConstant();
  return !known || *known >= limits.minRows;
}

/// True if the product of one point of the outer dimensions is worth a block.
bool ChainFinder::isLarge(ContractOp op) const {
  Domain domain = op.getDomain();
  if (domain.parallel.size() < 2 || domain.reduction.empty())
    return false;
  SmallVector<ExprAttr> extents = {domain.parallel.back(),
                                   domain.parallel[domain.parallel.size() - 2]};
  llvm::append_range(extents, domain.reduction);
  bool isKnown = llvm::all_of(
      extents, [](ExprAttr extent) { return extent.getConstant().has_value(); });
  return !isKnown || hints.product(extents) >= limits.minProduct;
}

/// True if blocks of rows may each read an operand again that has these extents
/// beside the length of a row.
bool ChainFinder::isNarrow(ArrayRef<ExprAttr> extents) {
  int64_t inner = 1;
  for (ExprAttr extent : extents) {
    auto known = extent.getConstant();
    if (!known)
      return true;
    inner *= std::clamp<int64_t>(*known, 0, limits.maxInner + 1);
    if (inner > limits.maxInner) {
      why = "each block of rows would read a wide operand again";
      return false;
    }
  }
  return true;
}

/// True if there are enough outer points for all threads: one that sums over the rows
/// has all rows of a point.
bool ChainFinder::hasPoints() const {
  uint64_t points = 1;
  for (Attribute extent : chain.getShared().drop_back()) {
    auto known = cast<ExprAttr>(extent).getConstant();
    if (!known)
      return true;
    points *= std::clamp<int64_t>(*known, 0, limits.minPoints);
  }
  return points >= uint64_t(limits.minPoints);
}

/// True if an index over a nest's dimensions is its own of the shared ones.
static bool isOwnIndex(ExprAttr index, unsigned k, ExprAttr extent) {
  return (index.isDim() && index.getPosition() == k) ||
         (extent.isConstant(1) && index.isConstant(0));
}

/// True if a nest, whose leading extents are the shared ones, reads `tensor` at its own
/// shared point.
static bool readsOwnRows(NestOpInterface nest, Value tensor,
                         ArrayRef<Attribute> shared) {
  return llvm::all_of(
      analysis::getReads(nest), [&](const analysis::Access &access) {
        if (access.tensor != tensor)
          return true;
        if (access.indirect || access.map.size() < shared.size())
          return false;
        for (auto [k, extent] : llvm::enumerate(shared))
          if (!isOwnIndex(access.map[k], k, cast<ExprAttr>(extent)))
            return false;
        return true;
      });
}

/// True if a contraction reads `argument` as an operand, and nowhere else.
static bool isOperandOnly(ContractOp op, Value argument) {
  bool found = false;
  for (const analysis::Access &access : analysis::getReads(op)) {
    if (access.tensor != argument)
      continue;
    if (access.load)
      return false;
    found = true;
  }
  return found;
}

/// True if a contraction reads `argument` around its product alone, at its own points
/// of the shared domain.
static bool isEpilogueOnly(ContractOp op, Value argument,
                           ArrayRef<Attribute> shared) {
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  return op.getLhs() != argument && op.getRhs() != argument &&
         parallel.size() == shared.size() + 1 &&
         llvm::equal(ArrayRef(parallel).drop_back(), shared) &&
         readsOwnRows(op, argument, shared);
}

/// True if the sum of a contraction is the last shared dimension of `argument`.
static bool isOverRows(ContractOp op, Value argument, unsigned rank) {
  return llvm::any_of(op.getOperandReads(), [&](const OperandRead &read) {
    ExprAttr index = read.tensor == argument && read.map.size() >= rank
                         ? read.map[rank - 1]
                         : ExprAttr();
    return index && index.isDim() &&
           index.getPosition() >= op.getParallelExtents().size();
  });
}

static constexpr StringLiteral kOtherRows =
    "the rows of a product are not those of the kernel";

/// The leading indices at which the rows of argument `input` are read, over the
/// shared dimensions. Empty, and why, if they are not read row by row.
static SmallVector<ExprAttr> getRowMap(KernelOp rows, unsigned input,
                                       ContractOp producer,
                                       const analysis::SizeHints &hints,
                                       StringRef &why) {
  Value argument = rows.getBody().getArgument(input);
  SmallVector<ExprAttr> shared = getExprs(rows.getShared());
  SmallVector<ExprAttr> lead;
  MLIRContext *context = rows.getContext();
  bool fits = true;
  for (NestOpInterface nest : rows.getNests())
    for (const analysis::Access &access : analysis::getReads(nest)) {
      if (access.tensor != argument)
        continue;
      ArrayRef<ExprAttr> map = access.map;
      for (ExprAttr index : map.drop_back())
        fits &= guard::getNumDims(index) <= shared.size();
      for (unsigned d = 0; d < shared.size(); ++d)
        fits &= !guard::contains(map.back(), guard::getDim(context, d));
      fits &= !access.indirect && !access.masked &&
              (lead.empty() || map.drop_back() == ArrayRef(lead));
      lead.assign(map.begin(), map.end() - 1);
    }
  SmallVector<ExprAttr> extents = producer.getDomain().parallel;
  extents.pop_back();
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, shared);
  if (!fits || lead.empty() ||
      guard::getNumElements(context, extents) !=
          guard::getNumElements(context, shared) ||
      analysis::linearize(context, lead,
                          guard::getContiguousStrides(context, extents),
                          assumptions) !=
          analysis::linearize(context,
                              getIdentityMap(context, shared.size()),
                              guard::getContiguousStrides(context, shared),
                              assumptions)) {
    why = kOtherRows;
    return {};
  }
  return lead;
}

/// Adds contractions that make what `rows` reads. One that any rows read in another way
/// than the first ones is out for good.
void ChainFinder::addProducers(KernelOp rows) {
  for (auto [k, input] : llvm::enumerate(rows.getInputs())) {
    ContractOp op = getContraction(input.getDefiningOp());
    if (!op || input.getDefiningOp()->getBlock() != rows->getBlock() ||
        !isLarge(op))
      continue;
    if (!isNarrow(op.getDomain().reduction))
      continue;
    auto producer = cast<KernelOp>(input.getDefiningOp());
    SmallVector<ExprAttr> map;
    if (llvm::count(rows.getInputs(), input) == 1)
      map = getRowMap(rows, k, op, hints, why);
    auto [known, inserted] = chain.producers.insert({producer, map});
    if (!inserted && known->second != map) {
      known->second.clear();
      why = kOtherRows;
    }
  }
}

/// Extents of a contraction's result that `argument`, an operand, has no part in: each
/// block reads, or adds to, as many elements for each of its own.
static SmallVector<ExprAttr> getWalkedExtents(ContractOp op, Value argument) {
  SmallVector<ExprAttr> extents = op.getDomain().parallel;
  SmallVector<ExprAttr> walked;
  MLIRContext *context = op.getContext();
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    ExprAttr own = guard::getDim(context, dim);
    bool isRead = llvm::any_of(op.getOperandReads(), [&](const OperandRead &read) {
      return read.tensor == argument &&
             llvm::any_of(read.map, [&](ExprAttr index) {
               return guard::contains(index, own);
             });
    });
    if (!isRead)
      walked.push_back(extents[dim]);
  }
  return walked;
}

/// Adds contractions that sum up what `rows` leaves.
void ChainFinder::addConsumers(KernelOp rows) {
  for (OpResult result : rows->getResults())
    for (OpOperand &use : result.getUses()) {
      ContractOp op = getContraction(use.getOwner());
      if (!op || use.getOwner()->getBlock() != rows->getBlock() || !isLarge(op))
        continue;
      auto kernel = cast<KernelOp>(use.getOwner());
      Value argument = kernel.getBody().getArgument(use.getOperandNumber());
      if (chain.contains(kernel) || !isOperandOnly(op, argument))
        continue;
      if (!isNarrow(getWalkedExtents(op, argument)))
        continue;
      if (isOverRows(op, argument, getRank()) && !hasPoints()) {
        why = "a product sums over the rows of too few points";
        continue;
      }
      chain.consumers.insert(kernel);
    }
}

/// Adds `user` if it has the rows of the chain.
void ChainFinder::addRowsOf(Operation *user) {
  auto kernel = dyn_cast<KernelOp>(user);
  if (!kernel || chain.contains(kernel) || !areRows(kernel) ||
      kernel->getBlock() != chain.rows.front()->getBlock() ||
      kernel.getShared().getValue() != chain.getShared() ||
      !readsRowsAsTheyAre(kernel))
    return;
  chain.rows.push_back(kernel);
}

/// True if a kernel reads what rows of the chain leave at its own rows alone.
bool ChainFinder::readsRowsAsTheyAre(KernelOp kernel) const {
  for (auto [input, argument] :
       llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments()))
    if (llvm::is_contained(chain.rows, input.getDefiningOp<KernelOp>()))
      for (NestOpInterface nest : kernel.getNests())
        if (!readsOwnRows(nest, argument, chain.getShared()))
          return false;
  return true;
}

/// Removes rows that read what came into the chain after them otherwise than at their
/// own rows. The first one reads none of the others.
void ChainFinder::dropUnfitRows() {
  chain.rows = llvm::to_vector(llvm::make_filter_range(
      chain.rows, [&](KernelOp kernel) { return readsRowsAsTheyAre(kernel); }));
}

/// Adds rows that need those of `rows`: directly, or through what is done around a
/// product that makes rows.
void ChainFinder::addRows(KernelOp rows) {
  for (Operation *user : rows->getUsers()) {
    ContractOp op = getContraction(user);
    if (!op) {
      addRowsOf(user);
      continue;
    }
    auto kernel = cast<KernelOp>(user);
    bool isAround = llvm::all_of(
        llvm::zip_equal(kernel.getInputs(), kernel.getBody().getArguments()),
        [&](auto each) {
          auto [input, argument] = each;
          return !chain.contains(input.getDefiningOp()) ||
                 isEpilogueOnly(op, argument, chain.getShared());
        });
    if (isAround)
      for (Operation *reader : user->getUsers())
        addRowsOf(reader);
  }
}

bool ChainFinder::fitsProducer(KernelOp producer) const {
  ContractOp op = getContraction(producer);
  if (!llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return llvm::is_contained(chain.rows, dyn_cast<KernelOp>(user));
      }))
    return false;
  for (auto [input, argument] : llvm::zip_equal(
           producer.getInputs(), producer.getBody().getArguments())) {
    if (!chain.contains(input.getDefiningOp()))
      continue;
    if (!llvm::is_contained(chain.rows, input.getDefiningOp<KernelOp>()) ||
        !isEpilogueOnly(op, argument, chain.getShared()))
      return false;
    // Where it is read it must be at its own points, not those of a reshape.
    for (auto [k, index] : llvm::enumerate(chain.producers.lookup(producer)))
      if (!isOwnIndex(index, k, cast<ExprAttr>(chain.getShared()[k])))
        return false;
  }
  return true;
}

/// It reads one result of the rows, that nobody else reads, and no other product of the
/// chain; the chain does not read it.
bool ChainFinder::fitsConsumer(KernelOp consumer) const {
  for (Operation *user : consumer->getUsers())
    if (chain.contains(user))
      return false;
  unsigned results = 0;
  for (Value input : consumer.getInputs()) {
    if (!chain.contains(input.getDefiningOp()))
      continue;
    if (!llvm::is_contained(chain.rows, input.getDefiningOp<KernelOp>()) ||
        !chain.isInside(cast<OpResult>(input)))
      return false;
    ++results;
  }
  return results == 1;
}

/// Removes parts until all fit: what one needs may be gone with another.
void ChainFinder::dropUnfit() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto &each : llvm::to_vector(chain.producers))
      if (!fitsProducer(each.first)) {
        chain.producers.erase(each.first);
        why = "a product is read by other kernels";
        changed = true;
      }
    for (KernelOp consumer : llvm::to_vector(chain.consumers))
      if (!fitsConsumer(consumer)) {
        chain.consumers.remove(consumer);
        if (!chain.producers.empty())
          why = "a product does not read one result of the rows for itself";
        changed = true;
      }
  }
}

StringRef ChainFinder::run(KernelOp seed, bool extended) {
  if (!areRows(seed))
    return "";
  chain.rows.push_back(seed);
  for (size_t i = 0; i < chain.rows.size() && extended; ++i)
    addRows(chain.rows[i]);
  dropUnfitRows();
  for (KernelOp rows : chain.rows) {
    addProducers(rows);
    addConsumers(rows);
  }
  chain.producers.remove_if(
      [](const auto &each) { return each.second.empty(); });
  dropUnfit();
  return chain.producers.empty() || chain.consumers.empty() ? why : "";
}

StringRef loop::findChain(ProductChain &chain, KernelOp rows, bool extended,
                          const ChainLimits &limits,
                          const analysis::SizeHints &hints) {
  return ChainFinder(chain, limits, hints).run(rows, extended);
}

bool loop::findDependents(const ProductChain &chain,
                          SmallVector<Operation *> &dependents) {
  SmallVector<KernelOp> parts = chain.getParts();
  Operation *last = parts.back();
  llvm::SmallDenseSet<Operation *> found;
  for (Operation *op = parts.front(); op != last->getNextNode();
       op = op->getNextNode()) {
    bool needs = false; // something that stays behind
    bool reads = false; // a part
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        needs |= found.contains(maker);
        reads |= chain.contains(maker);
      }
    });
    if (chain.contains(op)) {
      if (needs)
        return false;
      continue;
    }
    if (!needs && !reads)
      continue;
    if (!isa<KernelOp>(op))
      return false;
    found.insert(op);
    dependents.push_back(op);
  }
  return true;
}
