//===- RepeatRows.cpp - Norms of one row where it is multiplied -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_REPEATROWSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

/// A matrix times a row that another kernel makes.
struct Match {
  KernelOp product, row;
  unsigned operand = 0; ///< of the product: the row
};

class RepeatRows : public loop::impl::RepeatRowsPassBase<RepeatRows> {
public:
  using RepeatRowsPassBase::RepeatRowsPassBase;
  void runOnOperation() override;

private:
  std::optional<Match> match(KernelOp product,
                             const analysis::SizeHints &hints) const;
};

} // namespace

static std::optional<int64_t> countElements(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements();
}

/// True if `kernel` makes one row of `size` elements, by sums over it and pointwise nests, from
/// no more than that.
static bool makesRow(KernelOp kernel, int64_t size) {
  auto isOne = [](ExprAttr extent) { return extent.isConstant(1); };
  if (kernel.getNumResults() != 1 || analysis::mayTrap(kernel) ||
      !llvm::all_of(getExprs(kernel.getShared()), isOne) ||
      !canShareRows(kernel))
    return false;
  for (NestOpInterface nest : kernel.getNests()) {
    auto reduce = dyn_cast<ReduceOp>(nest.getOperation());
    if ((!reduce && !nest.isPointwise()) ||
        (reduce && !reduce.getInits().empty()))
      return false;
  }
  return llvm::all_of(kernel.getInputs(), [&](Value input) {
    auto count = countElements(input);
    return count && *count <= size;
  });
}

std::optional<Match>
RepeatRows::match(KernelOp product, const analysis::SizeHints &hints) const {
  SmallVector<NestOpInterface> nests = product.getNests();
  auto op = nests.size() == 1 ? dyn_cast<ContractOp>(nests[0].getOperation())
                              : ContractOp();
  // What has enough points is a dot product for each.
  if (!op || op.isGrouped() || !op.getMasks().empty() ||
      !op.getLhsPrologue().empty() || !op.getRhsPrologue().empty() ||
      hints.product(getExprs(op.getParallelExtents())) < int64_t(minColumns))
    return std::nullopt;
  auto size = guard::product(op.getContext(), getExprs(op.getReductionExtents()))
                  .getConstant();
  if (!size || *size > int64_t(maxRow))
    return std::nullopt;
  for (Value side : {op.getLhs(), op.getRhs()}) {
    auto argument = dyn_cast<BlockArgument>(side);
    if (!argument || countElements(side) != size || op.getLhs() == op.getRhs())
      continue;
    unsigned number = argument.getArgNumber();
    auto row = product.getInputs()[number].getDefiningOp<KernelOp>();
    // Whoever else reads it needs its kernel anyway.
    if (row && row->getBlock() == product->getBlock() &&
        llvm::all_of(row->getUsers(),
                     [&](Operation *user) { return user == product; }) &&
        llvm::count(product.getInputs(), product.getInputs()[number]) == 1 &&
        makesRow(row, *size))
      return Match{product, row, number};
  }
  return std::nullopt;
}

/// Replaces `load` by one of `tensor`, which has its row once for each point: those are the first
/// `points` dimensions of the nest around.
static void readAtPoint(LoadOp load, Value tensor, unsigned points) {
  Operation *nest = load->getParentOfType<NestOpInterface>();
  SmallVector<Value> indices(
      nest->getRegion(0).front().getArguments().take_front(points));
  llvm::append_range(indices, load.getIndices());
  MLIRContext *context = load.getContext();
  SmallVector<ExprAttr> map = getIdentityMap(context, points), behind;
  for (unsigned k = 0; k < load.getIndices().size(); ++k)
    behind.push_back(guard::getDim(context, points + k));
  for (ExprAttr expr : getExprs(load.getMap()))
    map.push_back(guard::substituteDims(expr, behind));
  OpBuilder builder(load);
  auto made = LoadOp::create(builder, load.getLoc(), tensor, indices, map,
                             load.getMask(), load.getOther());
  load.replaceAllUsesWith(made.getResult());
  load.erase();
}

/// Clones the nests of the row into the product's kernel, once for each of `points`, and returns
/// what they make of it.
static Value cloneRow(const Match &match, OpBuilder &builder,
                      ArrayRef<ExprAttr> points) {
  KernelOp product = match.product, row = match.row;
  Block &home = product.getBody().front(), &source = row.getBody().front();
  IRMapping mapping;
  for (auto [input, argument] :
       llvm::zip_equal(row.getInputs(), source.getArguments())) {
    product.getInputsMutable().append(input);
    mapping.map(argument, home.addArgument(input.getType(), input.getLoc()));
  }
  for (Operation &op : source.without_terminator()) {
    auto nest = dyn_cast<NestOpInterface>(op);
    if (!nest) { // a constant
      builder.clone(op, mapping);
      continue;
    }
    Domain domain = nest.getDomain();
    SmallVector<ExprAttr> parallel(points);
    llvm::append_range(parallel, domain.parallel);
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(guard::makeTensorType(
          cast<RankedTensorType>(type).getElementType(), parallel));
    Operation *made;
    if (auto reduce = dyn_cast<ReduceOp>(op))
      made = ReduceOp::create(builder, op.getLoc(), types, parallel,
                              domain.reduction, getKinds(reduce),
                              reduce.getOriginsAttr());
    else
      made = PointwiseOp::create(builder, op.getLoc(),
                                 cast<RankedTensorType>(types[0]), parallel,
                                 cast<PointwiseOp>(op).getOriginsAttr());
    Block &body = made->getRegion(0).front();
    OpBuilder inner = OpBuilder::atBlockBegin(&body);
    SmallVector<Value> own(body.getArguments().drop_front(points.size()));
    SmallVector<Value> yielded =
        cloneBody(inner, op.getRegion(0).front(), own);
    YieldOp::create(inner, op.getLoc(), yielded);
    made->walk([&](LoadOp load) {
      Value brought = mapping.lookupOrDefault(load.getTensor());
      if (isa<BlockArgument>(brought)) {
        load.getTensorMutable().assign(brought);
        return;
      }
      readAtPoint(load, brought, points.size());
    });
    made->walk([&](Operation *inside) {
      for (OpOperand &operand : inside->getOpOperands())
        if (Value known = mapping.lookupOrNull(operand.get()))
          operand.set(known);
    });
    mapping.map(op.getResults(), made->getResults());
  }
  return mapping.lookup(source.getTerminator()->getOperand(0));
}

/// Has each point of the product make the row for itself.
static void repeat(const Match &match) {
  KernelOp product = match.product, row = match.row;
  Block &home = product.getBody().front();
  auto op = *home.getOps<ContractOp>().begin();
  SmallVector<ExprAttr> points = getExprs(op.getParallelExtents());
  SmallVector<StringRef> origins = getOrigins(product);
  mergeOrigins(origins, getOrigins(row));
  int64_t unfused = 0, read = 0, written = 0;
  for (KernelOp kernel : {product, row})
    if (TrafficAttr traffic = kernel.getTrafficAttr()) {
      unfused += traffic.getUnfused();
      read += traffic.getRead();
      written += traffic.getWritten();
    }
  if (TrafficAttr made = row.getTrafficAttr()) // is neither stored nor read
    read -= made.getWritten(), written -= made.getWritten();
  expandContraction(op);
  OpBuilder builder(product.getContext());
  builder.setInsertionPointToStart(&home);
  Value made = cloneRow(match, builder, points);
  Value argument = home.getArgument(match.operand);
  for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
    auto load = cast<LoadOp>(use.getOwner());
    readAtPoint(load, made, points.size());
  }
  home.eraseArgument(match.operand);
  product.getInputsMutable().erase(match.operand);
  product.setSharedAttr(getExprArray(product.getContext(), points));
  product.setOriginsAttr(getOriginsAttr(product.getContext(), origins));
  product.setTrafficAttr(
      TrafficAttr::get(product.getContext(), read, written, unfused));
  row.erase();
}

void RepeatRows::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(getOperation()))
    return markAllAnalysesPreserved();
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  bool isChanged = false;
  for (Block &block : getOperation().getBody())
    for (KernelOp product :
         llvm::to_vector(block.getOps<KernelOp>())) {
      auto found = match(product, hints);
      if (!found)
        continue;
      if (auto told = remark::passed(
              product.getLoc(), remarks::kRowRepeated.function(
                                    remarks::getFunctionName(product))))
        told << remark::metric("kernel", product.getName())
             << remark::metric("row", found->row.getName());
      repeat(*found);
      isChanged = true;
    }
  if (isChanged)
    simplifyBodies(getOperation(), hints);
}
