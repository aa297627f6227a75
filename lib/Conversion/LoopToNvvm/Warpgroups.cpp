//===- Warpgroups.cpp - Instructions of warpgroups and a copy engine ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warpgroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Nanoseconds after which a thread that waits looks again.
static constexpr int64_t kRetryTicks = 10000000;

int64_t loop::countRegistersLeft(int64_t blocks, int64_t multiplying,
                                 int64_t asking) {
  // A block has what it began with, as many for each thread: of all of a multiprocessor, eight
  // at a time.
  constexpr int64_t all = 65536, together = 8;
  int64_t groups = multiplying + 1;
  int64_t own =
      all / blocks / (groups * kGroupThreads) / together * together;
  return (own * groups - asking) / multiplying / together * together;
}

Value Warpgroups::word(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value Warpgroups::add(Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}

Value Warpgroups::mul(Value x, int64_t y) {
  return arith::MulIOp::create(b, x, word(y));
}

Value Warpgroups::getShared(Value bytes) {
  return LLVM::GEPOp::create(b, sharedBase.getType(), b.getI8Type(), sharedBase,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

//===----------------------------------------------------------------------===//
// Barriers and copies
//===----------------------------------------------------------------------===//

void Warpgroups::initBarrier(Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(b, barrier, word(arrivals), Value());
}

void Warpgroups::wait(Value barrier, Value phase) {
  NVVM::MBarrierTryWaitParityOp::create(b, barrier, phase, word(kRetryTicks));
}

void Warpgroups::arrive(Value barrier) {
  NVVM::MBarrierArriveOp::create(b, b.getI64Type(), barrier, Value());
}

void Warpgroups::expect(Value barrier, Value bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(b, Type(), barrier, bytes,
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

Value Warpgroups::flip(Value phase) {
  return arith::XOrIOp::create(b, phase, word(1));
}

StageTurn Warpgroups::advance(const StageTurn &turn, int64_t stages) {
  Value next = add(turn.stage, word(1));
  Value isEnd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, word(stages));
  return {arith::SelectOp::create(b, isEnd, word(0), next),
          arith::SelectOp::create(b, isEnd, flip(turn.phase), turn.phase)};
}

/// The same as memory of the cluster, which the copy engine writes.
Value Warpgroups::getCluster(Value place) {
  auto cluster = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/7);
  return LLVM::AddrSpaceCastOp::create(b, cluster, getShared(place));
}

void Warpgroups::bring(Value from, Value place, Value barrier, Value bytes) {
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      b, getCluster(place), from, barrier, bytes, /*multicastMask=*/Value(),
      /*l2CacheHint=*/Value());
}

void Warpgroups::ask(Value map, ValueRange coordinates, Value place,
                     Value barrier, Value blocks) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, getCluster(place), map, coordinates, barrier, ValueRange(), blocks,
      Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), Value());
}

void Warpgroups::fenceWrites() {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void Warpgroups::store(Value map, ValueRange coordinates, Value place) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, map, getShared(place), coordinates, /*l2CacheHint=*/Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void Warpgroups::addFloats(Value to, Value place, int64_t bytes) {
  Value target = LLVM::PtrToIntOp::create(b, b.getI64Type(), to);
  Value source = LLVM::PtrToIntOp::create(b, b.getI32Type(), getShared(place));
  LLVM::InlineAsmOp::create(
      b, TypeRange(), ValueRange{target, source, word(bytes)},
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "
      "[$0], [$1], $2;",
      "l,r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void Warpgroups::awaitStores(int64_t pending, bool isWritten) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      b, pending, isWritten ? UnitAttr() : b.getUnitAttr());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The window of a cluster is no part of the address.
Value Warpgroups::getDescriptor(Value place, int64_t leading) {
  Value base = LLVM::PtrToIntOp::create(b, b.getI32Type(), sharedBase);
  Value address = arith::AndIOp::create(b, add(base, place), word(0x3FFFF));
  Value wide = arith::ExtUIOp::create(
      b, b.getI64Type(), arith::ShRUIOp::create(b, address, word(4)));
  int64_t layout =
      (int64_t(1) << 62) | (kSwizzledRows / 16) << 32 | (leading / 16) << 16;
  return arith::OrIOp::create(b, wide,
                              arith::ConstantIntOp::create(b, layout, 64));
}

Value Warpgroups::advance(Value descriptor, int64_t bytes) {
  return arith::AddIOp::create(b, descriptor,
                               arith::ConstantIntOp::create(b, bytes / 16, 64));
}

Value Warpgroups::multiply(Value sums, Value left, Value right, int64_t columns,
                           Type element, bool isFirst, bool isRightDown) {
  NVVM::WGMMATypes type =
      element.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16;
  return NVVM::WgmmaMmaAsyncOp::create(
      b, sums.getType(), sums, left, right,
      NVVM::MMAShapeAttr::get(b.getContext(), kGroupRows, columns,
                              kChunkStep / 2),
      type, type, NVVM::WGMMATypes::f32,
      isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
      NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one, NVVM::MMALayout::row,
      isRightDown ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      NVVM::MMAIntOverflowAttr());
}

static SmallVector<Value> emitAssembly(ImplicitLocOpBuilder &b, StringRef text,
                                       StringRef constraints,
                                       ArrayRef<Value> operands,
                                       ArrayRef<Type> results) {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  Value all =
      LLVM::InlineAsmOp::create(
          b, TypeRange{type}, operands, text, constraints,
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          ArrayAttr())
          .getResult(0);
  SmallVector<Value> values;
  for (int64_t k = 0, e = results.size(); k < e; ++k)
    values.push_back(
        LLVM::ExtractValueOp::create(b, all, ArrayRef<int64_t>{k}));
  return values;
}

/// There is no operation for a left operand in registers.
SmallVector<Value> Warpgroups::multiplyKept(ValueRange sums, ValueRange left,
                                            Value right, Type element) {
  size_t count = sums.size();
  std::string type = element.isF16() ? "f16" : "bf16", text, constraints;
  auto list = [&](size_t first, size_t size) {
    std::string names;
    for (size_t k = first; k < first + size; ++k)
      names += (k == first ? "$" : ", $") + std::to_string(k);
    return "{" + names + "}";
  };
  text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * count) +
         "k16.f32." + type + "." + type + " " + list(0, count) + ", " +
         list(2 * count, left.size()) + ", $" +
         std::to_string(2 * count + left.size()) + ", 1, 1, 1, 1;";
  for (size_t k = 0; k < count; ++k)
    constraints += "=f,";
  for (size_t k = 0; k < count; ++k)
    constraints += std::to_string(k) + ",";
  for (size_t k = 0; k < left.size(); ++k)
    constraints += "r,";
  constraints += "l";
  SmallVector<Value> operands(sums);
  llvm::append_range(operands, left);
  operands.push_back(right);
  return emitAssembly(b, text, constraints, operands,
                      SmallVector<Type>(count, b.getF32Type()));
}

void Warpgroups::fence() { NVVM::WgmmaFenceAlignedOp::create(b); }

void Warpgroups::commit() { NVVM::WgmmaGroupSyncAlignedOp::create(b); }

SmallVector<Value> Warpgroups::complete(ValueRange values, int64_t pending) {
  std::string constraints;
  for (Type type : values.getTypes())
    constraints += isa<FloatType>(type) ? "=f," : "=r,";
  for (size_t k = 0; k < values.size(); ++k)
    constraints += (k ? "," : "") + std::to_string(k);
  return emitAssembly(
      b, "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";",
      constraints, llvm::to_vector(values), llvm::to_vector(values.getTypes()));
}
