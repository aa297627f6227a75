//===- PlaceScratch.cpp - Temporary buffers in a kernel's scratch ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"

#include "kiln/Conversion/LoopToLinalg/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/IR/Loop.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace kiln {
#define GEN_PASS_DEF_KILNPLACESCRATCHPASS
#include "kiln/Conversion/LoopToLinalg/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Every buffer starts at a multiple of this.
static constexpr int64_t kAlignment = 64;

/// A size as an expression; null if it is not known by name.
static ExprAttr getExpr(Value size) {
  Operation *definition = size.getDefiningOp();
  if (!definition)
    return {};
  if (auto expr = definition->getAttrOfType<ExprAttr>(kValueAttrName))
    return expr;
  // The size of another buffer.
  auto dim = dyn_cast<memref::DimOp>(definition);
  auto position = dim ? dim.getConstantIndex() : std::nullopt;
  Operation *source = position ? dim.getSource().getDefiningOp() : nullptr;
  guard::ShapeAttr sizes;
  if (source)
    sizes = source->getAttrOfType<guard::ShapeAttr>(kSizesAttrName);
  return sizes && size_t(*position) < sizes.size() ? sizes[*position]
                                                   : ExprAttr();
}

/// The sizes of a buffer as expressions; nothing if one is not known by name.
static std::optional<SmallVector<ExprAttr>> getSizes(memref::AllocOp alloc) {
  SmallVector<ExprAttr> sizes;
  auto dynamic = alloc.getDynamicSizes().begin();
  for (int64_t size : alloc.getType().getShape()) {
    sizes.push_back(ShapedType::isDynamic(size)
                        ? getExpr(*dynamic++)
                        : guard::getConstant(alloc.getContext(), size));
    if (!sizes.back())
      return std::nullopt;
  }
  return sizes;
}

/// An integer argument of a kernel, read anew; null if it has none for `expr`.
static Value getArgument(ImplicitLocOpBuilder &b, KernelArguments &arguments,
                         ExprAttr expr) {
  SmallVector<ExprAttr> symbols = arguments.getSymbolExprs();
  auto found = llvm::find(symbols, expr);
  if (found == symbols.end())
    return {};
  return arith::IndexCastOp::create(
      b, b.getIndexType(), arguments.getSymbol(b, found - symbols.begin()));
}

/// Replaces the allocations of `function` by places in its scratch, and gives
/// the bytes they need; 0 if there is none.
static FailureOr<ExprAttr> placeAllocations(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  KernelArguments arguments(function);
  function.walk([](memref::DeallocOp op) { op.erase(); });
  SmallVector<memref::AllocOp> allocations;
  function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  ExprAttr offset = guard::getConstant(context, 0);
  if (allocations.empty())
    return offset;

  // Offsets are computed where all sizes are known and nothing has run yet.
  Block &entry = function.getBody().front();
  Operation *anchor = &entry.front();
  llvm::DenseMap<ExprAttr, Value> known;
  for (Operation &op : entry) {
    auto expr = op.getAttrOfType<ExprAttr>(kValueAttrName);
    if (!expr)
      continue;
    known[expr] = op.getResult(0);
    anchor = op.getNextNode();
  }
  ImplicitLocOpBuilder top(function.getLoc(), anchor);
  auto getSize = [&](ExprAttr size) -> Value {
    if (auto constant = size.getConstant())
      return arith::ConstantIndexOp::create(top, *constant);
    Value &value = known[size];
    if (!value)
      value = getArgument(top, arguments, size);
    return value;
  };
  Value offsetValue = arith::ConstantIndexOp::create(top, 0);

  for (memref::AllocOp alloc : allocations) {
    auto type = alloc.getType();
    auto sizes = getSizes(alloc);
    if (!sizes)
      return alloc.emitOpError("has a size that is computed in the kernel, "
                               "expected sizes over symbols");
    if (alloc->getParentOfType<LoopLikeOpInterface>())
      return alloc.emitOpError(
          "is in a loop, expected temporary buffers outside of loops");
    if (!type.getLayout().isIdentity())
      return alloc.emitOpError("has a layout of its own, expected row-major");

    ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
    SmallVector<Value> sizeValues, strides(sizes->size());
    for (ExprAttr size : *sizes) {
      sizeValues.push_back(getSize(size));
      if (!sizeValues.back())
        return alloc.emitOpError() << "has the size '" << size.str()
                                   << "', expected an argument of its kernel";
    }
    // The number of elements, as the stride of a dimension before the first.
    Value stride = arith::ConstantIndexOp::create(top, 1);
    for (unsigned k = sizes->size(); k-- > 0;) {
      strides[k] = stride;
      stride = arith::MulIOp::create(top, stride, sizeValues[k]);
    }
    int64_t width = (type.getElementTypeBitWidth() + 7) / 8;
    auto pointer = LLVM::LLVMPointerType::get(context);
    Value bytes = arith::IndexCastOp::create(b, b.getI64Type(), offsetValue);
    Value place =
        LLVM::GEPOp::create(b, pointer, b.getI8Type(), arguments.getScratch(b),
                            ArrayRef<LLVM::GEPArg>{bytes});
    alloc.replaceAllUsesWith(
        createMemRef(b, type, place, sizeValues, strides, *sizes));
    alloc.erase();

    offset = offset + guard::ceilDiv(
                          guard::getNumElements(context, *sizes) * width,
                          kAlignment) *
                          kAlignment;
    Value blocks = arith::CeilDivSIOp::create(
        top,
        arith::MulIOp::create(top, stride,
                              arith::ConstantIndexOp::create(top, width)),
        arith::ConstantIndexOp::create(top, kAlignment));
    Value length = arith::MulIOp::create(
        top, blocks, arith::ConstantIndexOp::create(top, kAlignment));
    offsetValue = arith::AddIOp::create(top, offsetValue, length);
  }
  return offset;
}

/// Copies by loops, or a parallel one.
static void expandCopy(memref::CopyOp copy, bool isParallel) {
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  int64_t rank = cast<MemRefType>(copy.getSource().getType()).getRank();
  SmallVector<Value> sizes, indices;
  for (int64_t k = 0; k < rank; ++k)
    sizes.push_back(memref::DimOp::create(b, copy.getSource(), k));
  if (isParallel && rank != 0) {
    auto loop = scf::ParallelOp::create(b, SmallVector<Value>(rank, zero),
                                        sizes, SmallVector<Value>(rank, one));
    b.setInsertionPoint(loop.getBody()->getTerminator());
    llvm::append_range(indices, loop.getInductionVars());
  } else {
    for (Value size : sizes) {
      auto loop = scf::ForOp::create(b, zero, size, one);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      indices.push_back(loop.getInductionVar());
    }
  }
  Value value = memref::LoadOp::create(b, copy.getSource(), indices);
  memref::StoreOp::create(b, value, copy.getTarget(), indices);
  copy.erase();
}

namespace {
class KilnPlaceScratch
    : public kiln::impl::KilnPlaceScratchPassBase<KilnPlaceScratch> {
  using KilnPlaceScratchPassBase::KilnPlaceScratchPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Kernel, Stage::Kernel})))
      return signalPassFailure();
    auto home = getKernelModule(getOperation());
    if (!home)
      return;
    llvm::StringMap<ExprAttr> scratch;
    for (auto function : home.getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      KernelArguments arguments(function);
      if (!arguments.isKernel())
        continue;
      auto bytes = placeAllocations(function);
      if (failed(bytes))
        return signalPassFailure();
      function.walk([&](memref::CopyOp copy) {
        expandCopy(copy, arguments.isOfGrid());
      });
      if (!bytes->isConstant(0))
        scratch[function.getSymName()] = *bytes;
    }
    getOperation().walk([&](LaunchOp launch) {
      if (launch.getKernel().getRootReference() == home.getSymNameAttr())
        if (ExprAttr bytes =
                scratch.lookup(launch.getKernel().getLeafReference()))
          launch.setScratchAttr(bytes);
    });
    getOperation().walk([&](LaunchGridOp launch) {
      auto step = cast<GridStepAttr>(launch.getSteps()[0]);
      if (ExprAttr bytes = scratch.lookup(step.getKernel().getValue()))
        launch.setWorkspaceAttr(bytes);
    });
  }
};
} // namespace
