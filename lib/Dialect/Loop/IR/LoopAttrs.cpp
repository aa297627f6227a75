//===- LoopAttrs.cpp - Attributes of the loop dialect ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopAsm.h"

#include "kiln/Dialect/Loop/IR/Precision.h"
#include "kiln/Support/BoundedOption.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

/// The lanes of the nests of a kernel: `[16, 1]`.
static ParseResult parseLanes(AsmParser &parser,
                              SmallVectorImpl<int64_t> &lanes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&] { return parser.parseInteger(lanes.emplace_back()); });
}

static void printLanes(AsmPrinter &printer, ArrayRef<int64_t> lanes) {
  printer << "[";
  llvm::interleaveComma(lanes, printer);
  printer << "]";
}

#include "kiln/Dialect/Loop/IR/LoopEnums.cpp.inc"

#include "kiln/Dialect/Loop/IR/LoopScheduleInterface.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Loop/IR/LoopAttrs.cpp.inc"

void LoopDialect::registerLoopAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Loop/IR/LoopAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #loop.target
//===----------------------------------------------------------------------===//

TargetAttr TargetAttr::getDefault(MLIRContext *context) {
  return get(context, /*vector_bits=*/256, /*registers=*/16, /*masks=*/false,
             /*l1=*/32 << 10, /*l2=*/512 << 10, /*l3=*/16 << 20,
             /*grain_points=*/16384, /*grain_ns=*/20000, DotUnit::Fma,
             /*threads=*/2, /*stream=*/0, DotUnit::Fma);
}

LogicalResult
TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t vectorBits, int64_t registers, bool masks, int64_t l1,
                   int64_t l2, int64_t l3, int64_t grainPoints,
                   int64_t grainNs, DotUnit bf16, int64_t threads,
                   int64_t stream, DotUnit bytes) {
  auto check = [&](StringRef field, int64_t value, bool isInside,
                   StringRef range) -> LogicalResult {
    if (isInside)
      return success();
    return emitError() << field << " of a target is in " << range
                       << ", but found " << value;
  };
  auto checkCache = [&](StringRef field, int64_t bytes) {
    return check(field, bytes, ByteCount::contains(bytes),
                 ByteCount::describe());
  };
  if (failed(check("vector_bits", vectorBits, VectorBits::contains(vectorBits),
                   VectorBits::describe())) || // C1
      failed(check("registers", registers, VectorRegisters::contains(registers),
                   VectorRegisters::describe())) ||
      failed(checkCache("l1", l1)) || failed(checkCache("l2", l2)) || // C2
      failed(checkCache("l3", l3)) || failed(checkCache("stream", stream)) ||
      failed(check("grain_points", grainPoints, // C3
                   PositiveCount::contains(grainPoints),
                   PositiveCount::describe())))
    return failure();
  if (failed(check("grain_ns", grainNs, Nanoseconds::contains(grainNs),
                   Nanoseconds::describe())) ||
      failed(check("threads", threads, PositiveCount::contains(threads), // C5
                   PositiveCount::describe())))
    return failure();
  bool isWide = vectorBits == 512 && masks;
  if (bytes != DotUnit::Fma && (bytes != DotUnit::Quads || !isWide)) // C6
    return emitError() << "a target has bytes = fma, or quads with masked "
                          "vectors of 512 bits, but found "
                       << stringifyEnum(bytes);
  if (bf16 == DotUnit::Quads)
    return emitError() << "a target has bf16 = fma, pairs or tiles, but found "
                          "quads";
  if (bf16 == DotUnit::Fma || vectorBits == 512) // C4
    return success();
  return emitError() << "vector_bits of a target with bf16 = "
                     << stringifyEnum(bf16) << " is 512, but found "
                     << vectorBits;
}

static Attribute findTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  return module ? module->getAttr(kTargetAttrName) : Attribute();
}

TargetAttr loop::getTarget(Operation *op) {
  auto target = dyn_cast_or_null<TargetAttr>(findTarget(op));
  return target ? target : TargetAttr::getDefault(op->getContext());
}

GPUTargetAttr loop::getGPUTarget(Operation *op) {
  return dyn_cast_or_null<GPUTargetAttr>(findTarget(op));
}

bool loop::permitsTf32(ContractOp op, GPUTargetAttr target) {
  if (!target)
    return false;
  auto own = op->getAttrOfType<BoolAttr>(kTf32AttrName);
  return own ? own.getValue() : target.getTf32();
}

bool loop::permitsTf32(ContractOp op) {
  return permitsTf32(op, getGPUTarget(op));
}

void loop::setConvolutionPrecision(ContractOp op) {
  GPUTargetAttr target = getGPUTarget(op);
  auto getElement = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  };
  if (target && getElement(op.getLhs()).isF32() &&
      getElement(op.getRhs()).isF32() &&
      target.getConvTf32() != target.getTf32())
    op->setDiscardableAttr(
        kTf32AttrName, BoolAttr::get(op.getContext(), target.getConvTf32()));
}

bool loop::isRounded(ContractOp op, unsigned number) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>(kRoundedAttrName);
  return numbers && llvm::is_contained(numbers.asArrayRef(), int64_t(number));
}

void loop::setRounded(ContractOp op, unsigned number) {
  if (isRounded(op, number))
    return;
  SmallVector<int64_t> numbers;
  if (auto before = op->getAttrOfType<DenseI64ArrayAttr>(kRoundedAttrName))
    llvm::append_range(numbers, before.asArrayRef());
  numbers.push_back(number);
  llvm::sort(numbers);
  op->setDiscardableAttr(kRoundedAttrName,
                         DenseI64ArrayAttr::get(op.getContext(), numbers));
}

LogicalResult LoopDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned number, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (attribute.getName() != kOrderAttrName || !function)
    return success();
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[number]);
  auto order = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (type && order) {
    auto sorted = llvm::to_vector(order.asArrayRef());
    llvm::sort(sorted);
    if (llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank())))
      return success();
  }
  return op->emitOpError() << "has '" << kOrderAttrName << "' on result "
                           << number << ", expected an 'array<i64: ...>' with "
                           << "each dimension of a tensor once";
}

LogicalResult LoopDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kTf32AttrName) {
    if (isa<ContractOp>(op) && isa<BoolAttr>(attribute.getValue()))
      return success();
    return op->emitOpError() << "has '" << kTf32AttrName
                             << "', expected it on a contraction, as true or false";
  }
  if (attribute.getName() != kTargetAttrName)
    return success();
  if (!isa<ModuleOp>(op) ||
      !isa<TargetAttr, GPUTargetAttr>(attribute.getValue()))
    return op->emitOpError()
           << "has '" << kTargetAttrName
           << "', expected it on a module, as a '#loop.target' or '#loop.gpu'";
  return success();
}
