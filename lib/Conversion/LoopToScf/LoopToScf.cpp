//===- LoopToScf.cpp - Outline kernels and launch them --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "kiln/Conversion/LoopToScf/Passes.h"
#include "kiln/Dialect/Loop/IR/KernelModule.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/StringMap.h"

namespace kiln {
#define GEN_PASS_DEF_CONVERTLOOPTOSCFPASS
#include "kiln/Conversion/LoopToScf/Passes.h.inc"
} // namespace kiln

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Text that is equal for kernels whose code is equal.
static std::string
fingerprint(KernelOp kernel, const analysis::KernelStrides &inputStrides) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const SmallVector<ExprAttr> &strides : inputStrides) {
    for (ExprAttr stride : strides)
      stride.printExpression(os << ' ');
    os << ';';
  }
  OpBuilder builder(kernel.getContext());
  KernelOp copy = cast<KernelOp>(kernel->clone());
  copy.walk([](Operation *op) { op->removeAttr("origins"); });
  copy->removeAttr("origins");
  copy.setName("");
  copy->removeAttr("traffic");
  copy->removeAttr("placements");
  // Operands are printed by number, which differs from place to place.
  copy.getBody().front().print(os);
  os << copy.getShared();
  if (auto schedule = copy.getSchedule())
    os << *schedule;
  copy.erase();
  return text;
}

/// Chooses how an expanded contraction is walked: lanes along the last parallel
/// dimension if both operands and the result are contiguous or constant there,
/// along the reduction if both operands are contiguous there and a vector fits.
static ScheduleAttr
scheduleExpanded(KernelOp kernel, ContractOp op,
                 const analysis::KernelStrides &inputStrides,
                 TargetAttr target) {
  MLIRContext *context = op.getContext();
  unsigned parallel = op.getParallelExtents().size();
  unsigned rank = parallel + op.getReductionExtents().size();
  auto stepAlong = [&](Value tensor, ArrayAttr map, unsigned dim)
      -> std::optional<ExprAttr> {
    auto argument = cast<BlockArgument>(tensor);
    ExprAttr address = guard::getConstant(context, 0);
    for (auto [index, stride] : llvm::zip_equal(
             getExprs(map), inputStrides[argument.getArgNumber()]))
      address = address + index * stride;
    return guard::getCoefficient(address, guard::getDim(context, dim));
  };
  auto isContiguous = [&](unsigned dim, bool allowUniform) {
    for (auto [tensor, map] :
         {std::pair(op.getLhs(), op.getLhsIndices()),
          std::pair(op.getRhs(), op.getRhsIndices())}) {
      auto step = stepAlong(tensor, map, dim);
      if (!step || !(step->isConstant(1) ||
                     (allowUniform && step->isConstant(0))))
        return false;
    }
    return true;
  };
  ScheduleKind kind = ScheduleKind::Column;
  unsigned bits = op.getAccType().getIntOrFloatBitWidth();
  int64_t lanes = target.getVectorBits() / bits;
  SmallVector<ExprAttr> reduction = getExprs(op.getReductionExtents());
  bool isLong = rank > parallel && (!reduction.back().getConstant() ||
                                    *reduction.back().getConstant() >= lanes);
  if (isLong && isContiguous(rank - 1, /*allowUniform=*/false) &&
      !(parallel > 0 && isContiguous(parallel - 1, /*allowUniform=*/true)))
    kind = ScheduleKind::Row;
  return ScheduleAttr::get(context, kind, lanes,
                           /*unroll=*/kind == ScheduleKind::Row ? 2 : 1, {},
                           /*grain=*/1, /*split=*/1, /*nontemporal=*/false);
}

/// Multiply-adds below which plain loops are as fast as packing, and compile in
/// a fraction of the time.
static constexpr int64_t kMinProduct = 64 * 64 * 64;

static bool isSmall(const ContractionShape &shape) {
  ExprAttr product =
      shape.rows.extent * shape.columns.extent * shape.sum.extent;
  auto size = product.getConstant();
  return size && *size < kMinProduct;
}

namespace {
class ConvertLoopToScf
    : public kiln::impl::ConvertLoopToScfPassBase<ConvertLoopToScf> {
  using ConvertLoopToScfPassBase::ConvertLoopToScfPassBase;

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (failed(verifyNestsInKernels(module)))
      return signalPassFailure();
    if (kernels.empty())
      return;
    ModuleOp home = getOrCreateKernelModule(module);
    llvm::StringMap<EmittedKernel> emitted;
    for (KernelOp kernel : kernels)
      if (failed(convert(kernel, home, emitted)))
        return signalPassFailure();
  }

  LogicalResult convert(KernelOp kernel, ModuleOp home,
                        llvm::StringMap<EmittedKernel> &emitted) {
    auto inputStrides = analysis::getInputStrides(kernel);
    if (failed(inputStrides))
      return failure();
    std::string print = fingerprint(kernel, *inputStrides);
    auto it = emitted.find(print);
    if (it == emitted.end()) {
      KernelOp copy = cast<KernelOp>(kernel->clone());
      auto code = emit(copy, home, *inputStrides);
      copy.erase();
      if (failed(code))
        return failure();
      it = emitted.try_emplace(print, *code).first;
    }

    EmittedKernel &code = it->second;
    OpBuilder builder(kernel);
    auto name = SymbolRefAttr::get(
        home.getSymNameAttr(),
        {SymbolRefAttr::get(code.function.getSymNameAttr())});
    auto launch = LaunchOp::create(
        builder, kernel.getLoc(), kernel.getResultTypes(), name,
        kernel.getInputs(), getExprArray(&getContext(), code.symbols),
        code.work, builder.getI64IntegerAttr(code.grain), code.scratch,
        kernel.getOriginsAttr(), kernel.getScheduleAttr(),
        kernel.getTrafficAttr(), kernel.getPlacementsAttr(),
        /*parts=*/nullptr);
    kernel.replaceAllUsesWith(launch.getResults());
    kernel.erase();
    return success();
  }

  FailureOr<EmittedKernel>
  emit(KernelOp kernel, ModuleOp home,
       const analysis::KernelStrides &inputStrides) {
    TargetAttr target = getTarget(getOperation());
    auto contract = llvm::find_if(kernel.getBody().front(), [](Operation &op) {
      return isa<ContractOp>(op);
    });
    if (contract != kernel.getBody().front().end()) {
      auto op = cast<ContractOp>(*contract);
      auto stridesOf = [&](Value operand) {
        return ArrayRef(
            inputStrides[cast<BlockArgument>(operand).getArgNumber()]);
      };
      auto shape = analysis::analyzeContraction(op, stridesOf(op.getLhs()),
                                                stridesOf(op.getRhs()));
      if (!shape || isSmall(*shape)) {
        kernel.setScheduleAttr(
            scheduleExpanded(kernel, op, inputStrides, target));
        kernel.setSharedAttr(op.getParallelExtents());
        expandContraction(op);
      }
    }
    std::string name = getFreeName(home, kernel.getName());
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(home.getBody());
    return KernelEmitter(kernel, target, inputStrides).emit(builder, name);
  }
};
} // namespace
