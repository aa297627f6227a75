//===- EpilogueRows.cpp - Epilogues that make rows together ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueRows.h"
#include "ProductChains.h"

#include "kiln/Analysis/AccessRelations.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

static bool hasEpilogue(ContractOp op) {
  return op && !op.getEpilogue().empty() && op.getParallelExtents().size() >= 2;
}

/// True if a contraction reads `argument` in its epilogue alone, each element
/// where it makes its own.
static bool readsInPlace(ContractOp op, Value argument) {
  if (op.getLhs() == argument || op.getRhs() == argument)
    return false;
  unsigned rank = op.getParallelExtents().size();
  return llvm::all_of(
      analysis::getReads(op), [&](const analysis::Access &access) {
        return access.tensor != argument ||
               (!access.indirect && !access.masked && access.load &&
                access.map == getIdentityMap(op.getContext(), rank));
      });
}

/// True if whatever a member reads of the others it reads in place. One that
/// was found as what a second one reads in place may be read otherwise by a
/// third.
static bool readEachOtherInPlace(ArrayRef<KernelOp> members) {
  return llvm::all_of(members, [&](KernelOp reader) {
    ContractOp op = getContraction(reader);
    return llvm::all_of(
        llvm::zip_equal(reader.getInputs(), reader.getBody().getArguments()),
        [&](auto each) {
          auto [input, argument] = each;
          return !llvm::is_contained(
                     members, input.template getDefiningOp<KernelOp>()) ||
                 readsInPlace(op, argument);
        });
  });
}

/// The kernels whose epilogues may belong together: `last`, and those that it
/// needs.
static SmallVector<KernelOp> findMembers(KernelOp last) {
  SmallVector<KernelOp> members = {last};
  for (size_t n = 0; n < members.size(); ++n) {
    KernelOp reader = members[n];
    ContractOp op = getContraction(reader);
    for (auto [input, argument] :
         llvm::zip_equal(reader.getInputs(), reader.getBody().getArguments())) {
      auto maker = input.getDefiningOp<KernelOp>();
      ContractOp made = getContraction(maker);
      if (!hasEpilogue(made) || maker->getBlock() != last->getBlock() ||
          made.getParallelExtents() != op.getParallelExtents() ||
          !readsInPlace(op, argument) || llvm::is_contained(members, maker))
        continue;
      members.push_back(maker);
    }
  }
  llvm::sort(members,
             [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  return members;
}

/// Contractions of other kernels that have a result as an operand.
static unsigned countProducts(Value result) {
  return llvm::count_if(result.getUses(), [](OpOperand &use) {
    ContractOp op = getContraction(use.getOwner());
    if (!op)
      return false;
    Value argument = cast<KernelOp>(use.getOwner())
                         .getBody()
                         .getArgument(use.getOperandNumber());
    return op.getLhs() == argument || op.getRhs() == argument;
  });
}

/// True if others than the members read the result of one of them.
static bool isReadOutside(KernelOp member, ArrayRef<KernelOp> members) {
  return llvm::any_of(member->getUsers(), [&](Operation *user) {
    return !llvm::is_contained(members, dyn_cast<KernelOp>(user));
  });
}

/// True if all who read the members' results stand behind the last one.
static bool areReadBehind(ArrayRef<KernelOp> members) {
  Operation *last = members.back();
  return llvm::all_of(members, [&](KernelOp each) {
    return llvm::all_of(each->getUsers(), [&](Operation *user) {
      return llvm::is_contained(members, dyn_cast<KernelOp>(user)) ||
             (user->getBlock() == last->getBlock() &&
              last->isBeforeInBlock(user));
    });
  });
}

/// An empty kernel with the arguments that stand for `inputs` in `mapping`.
static KernelOp createKernel(OpBuilder &builder, KernelOp like, StringRef name,
                             ArrayAttr shared, ArrayRef<Value> inputs,
                             ArrayRef<Type> types, IRMapping &mapping) {
  OperationState state(like.getLoc(), KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.name = builder.getStringAttr(name);
  properties.shared = shared;
  properties.origins = like.getOriginsAttr();
  state.addOperands(inputs);
  state.addTypes(types);
  state.addRegion();
  auto kernel = cast<KernelOp>(builder.create(state));
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&kernel.getBody(), {}, ValueRange(inputs).getTypes(),
                          SmallVector<Location>(inputs.size(), like.getLoc()));
  mapping.map(inputs, body->getArguments());
  return kernel;
}

/// The product of a kernel without its epilogue.
static KernelOp createProduct(OpBuilder &builder, KernelOp kernel) {
  ContractOp op = getContraction(kernel);
  auto stored = cast<RankedTensorType>(op.getResult().getType());
  auto type = RankedTensorType::get(stored.getShape(), op.getAccType(),
                                    stored.getEncoding());
  llvm::SetVector<Value> inputs;
  IRMapping mapping, local;
  for (Value argument : {op.getLhs(), op.getRhs()})
    inputs.insert(
        kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()]);
  KernelOp made = createKernel(
      builder, kernel, (kernel.getName() + "_product").str(),
      kernel.getSharedAttr(), inputs.getArrayRef(), Type(type), mapping);
  for (Value argument : {op.getLhs(), op.getRhs()})
    local.map(
        argument,
        mapping.lookup(
            kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()]));
  OpBuilder inner = OpBuilder::atBlockEnd(&made.getBody().front());
  IRMapping without = local;
  auto product = ContractOp::create(
      inner, op.getLoc(), type, local.lookup(op.getLhs()),
      local.lookup(op.getRhs()), op.getDomain().parallel,
      op.getDomain().reduction, getExprs(op.getLhsIndices()),
      getExprs(op.getRhsIndices()), op.getAccType(), op.getOriginsAttr());
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  product.setMasksAttr(op.getMasksAttr());
  op.getLhsPrologue().cloneInto(&product.getLhsPrologue(), without);
  op.getRhsPrologue().cloneInto(&product.getRhsPrologue(), without);
  ReturnOp::create(inner, op.getLoc(), product.getResult());
  return made;
}

/// The epilogue of a kernel as a nest; `mapping` has what it reads.
static Value cloneEpilogue(OpBuilder &builder, KernelOp kernel, Value product,
                           const IRMapping &mapping) {
  ContractOp op = getContraction(kernel);
  Block &epilogue = op.getEpilogue().front();
  auto nest = PointwiseOp::create(
      builder, op.getLoc(), cast<RankedTensorType>(op.getResult().getType()),
      op.getDomain().parallel, op.getOriginsAttr());
  Block &body = nest.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  IRMapping local;
  for (auto [argument, input] :
       llvm::zip_equal(kernel.getBody().getArguments(), kernel.getInputs()))
    if (Value known = mapping.lookupOrNull(input))
      local.map(argument, known);
  unsigned rank = body.getNumArguments();
  local.map(epilogue.getArgument(0),
            LoadOp::create(inner, op.getLoc(), product, body.getArguments(),
                           getIdentityMap(op.getContext(), rank))
                .getResult());
  local.map(epilogue.getArguments().drop_front(), body.getArguments());
  for (Operation &each : epilogue)
    inner.clone(each, local);
  return nest.getResult();
}

/// The rows that epilogues make of the products `made`, with the results of the
/// members that are `left`.
static KernelOp createRows(OpBuilder &builder, ArrayRef<KernelOp> members,
                           ArrayRef<KernelOp> made, ArrayRef<KernelOp> left) {
  llvm::SetVector<Value> inputs;
  SmallVector<Type> types;
  for (KernelOp each : left)
    types.push_back(each.getResult(0).getType());
  for (auto [member, product] : llvm::zip_equal(members, made)) {
    KernelOp kernel = member;
    ContractOp op = getContraction(kernel);
    inputs.insert(KernelOp(product).getResult(0));
    op.getEpilogue().walk([&](LoadOp load) {
      auto argument = dyn_cast<BlockArgument>(load.getTensor());
      if (!argument || argument.getOwner() != &kernel.getBody().front())
        return;
      Value input = kernel.getInputs()[argument.getArgNumber()];
      if (!llvm::is_contained(members, input.getDefiningOp<KernelOp>()))
        inputs.insert(input);
    });
  }
  KernelOp last = members.back();
  SmallVector<Attribute> shared(
      getContraction(last).getParallelExtents().getValue());
  shared.pop_back();
  IRMapping mapping;
  KernelOp rows = createKernel(builder, last, (last.getName() + "_rows").str(),
                               builder.getArrayAttr(shared),
                               inputs.getArrayRef(), types, mapping);
  OpBuilder inner = OpBuilder::atBlockEnd(&rows.getBody().front());
  for (auto [member, product] : llvm::zip_equal(members, made)) {
    KernelOp kernel = member;
    Value made = mapping.lookup(KernelOp(product).getResult(0));
    mapping.map(kernel.getResult(0),
                cloneEpilogue(inner, kernel, made, mapping));
  }
  SmallVector<Value> results;
  for (KernelOp each : left)
    results.push_back(mapping.lookup(each.getResult(0)));
  ReturnOp::create(inner, last.getLoc(), results);
  return rows;
}

std::optional<EpilogueRows> loop::openEpilogues(KernelOp last) {
  if (!hasEpilogue(getContraction(last)))
    return std::nullopt;
  EpilogueRows opened;
  opened.old = findMembers(last);
  if (opened.old.size() < 2 || !readEachOtherInPlace(opened.old) ||
      !areReadBehind(opened.old) ||
      llvm::none_of(opened.old, [](KernelOp each) {
        return countProducts(each.getResult(0)) >= 2;
      }))
    return std::nullopt;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  for (KernelOp each : opened.old)
    opened.made.push_back(createProduct(builder, each));
  llvm::copy_if(opened.old, std::back_inserter(opened.left),
                [&](KernelOp each) { return isReadOutside(each, opened.old); });
  opened.rows = createRows(builder, opened.old, opened.made, opened.left);
  for (auto [each, made] :
       llvm::zip_equal(opened.left, opened.rows.getResults()))
    KernelOp(each).getResult(0).replaceUsesWithIf(made, [&](OpOperand &use) {
      return !llvm::is_contained(opened.old,
                                 dyn_cast<KernelOp>(use.getOwner()));
    });
  return opened;
}

void EpilogueRows::undo() {
  for (auto [each, made] : llvm::zip_equal(left, rows.getResults()))
    made.replaceAllUsesWith(KernelOp(each).getResult(0));
  rows.erase();
  for (KernelOp each : made)
    each.erase();
}

void EpilogueRows::finish() {
  for (KernelOp each : llvm::reverse(old))
    each.erase();
}
