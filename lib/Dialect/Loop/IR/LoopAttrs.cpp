//===- LoopAttrs.cpp - Attributes of the loop dialect ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopAsm.h"

#include "kiln/Support/BoundedOption.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

#include "kiln/Dialect/Loop/IR/LoopEnums.cpp.inc"

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
             /*grain_points=*/16384, /*grain_ns=*/20000);
}

LogicalResult
TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t vectorBits, int64_t registers, bool, int64_t l1,
                   int64_t l2, int64_t l3, int64_t grainPoints,
                   int64_t grainNs) {
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
      failed(checkCache("l3", l3)) ||
      failed(check("grain_points", grainPoints, // C3
                   PositiveCount::contains(grainPoints),
                   PositiveCount::describe())))
    return failure();
  return check("grain_ns", grainNs, Nanoseconds::contains(grainNs),
               Nanoseconds::describe());
}

TargetAttr loop::getTarget(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  return target ? target : TargetAttr::getDefault(module.getContext());
}

LogicalResult LoopDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kTargetAttrName)
    return success();
  if (!isa<ModuleOp>(op) || !isa<TargetAttr>(attribute.getValue()))
    return op->emitOpError()
           << "has '" << kTargetAttrName
           << "', expected it on a module, as a '#loop.target'";
  return success();
}

//===----------------------------------------------------------------------===//
// #loop.schedule
//===----------------------------------------------------------------------===//

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  std::optional<ScheduleKind> kind = symbolizeScheduleKind(word);
  if (!kind) {
    parser.emitError(loc) << "unknown schedule '" << word
                          << "', expected pointwise, row, column, transpose, "
                             "contraction or scatter";
    return {};
  }
  int64_t vector = 1, unroll = 1, grain = 1, split = 1;
  bool nontemporal = false;
  SmallVector<int64_t> tiles;
  while (succeeded(parser.parseOptionalComma())) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    if (word == "nontemporal") {
      nontemporal = true;
      continue;
    }
    if (parser.parseEqual())
      return {};
    ParseResult parsed = success();
    if (word == "vector")
      parsed = parser.parseInteger(vector);
    else if (word == "unroll")
      parsed = parser.parseInteger(unroll);
    else if (word == "grain")
      parsed = parser.parseInteger(grain);
    else if (word == "split")
      parsed = parser.parseInteger(split);
    else if (word == "tiles")
      parsed = parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(tiles.emplace_back()); });
    else
      parsed = parser.emitError(loc)
               << "unknown field '" << word
               << "' of a schedule, expected vector, unroll, tiles, grain, "
                  "split or nontemporal";
    if (failed(parsed))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(loc, parser.getContext(), *kind,
                                         vector, unroll, tiles, grain, split,
                                         nontemporal);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyScheduleKind(getKind())
          << ", vector = " << getVector();
  if (getUnroll() != 1)
    printer << ", unroll = " << getUnroll();
  if (!getTiles().empty()) {
    printer << ", tiles = [";
    llvm::interleaveComma(getTiles(), printer);
    printer << "]";
  }
  if (getGrain() != 1)
    printer << ", grain = " << getGrain();
  if (getSplit() != 1)
    printer << ", split = " << getSplit();
  if (getNontemporal())
    printer << ", nontemporal";
  printer << ">";
}

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     ScheduleKind kind, int64_t vector, int64_t unroll,
                     ArrayRef<int64_t> tiles, int64_t grain, int64_t split,
                     bool nontemporal) {
  if (vector < 1 || vector > 128 || !llvm::isPowerOf2_64(vector)) // C1
    return emitError() << "vector width must be a power of two from 1 to 128, "
                          "but found "
                       << vector;
  if (unroll < 1 || unroll > 16) // C2
    return emitError() << "unroll must be between 1 and 16, but found "
                       << unroll;
  if (grain < 1 || split < 1) // C2
    return emitError() << "grain and split must be at least 1, but found "
                       << grain << " and " << split;
  for (int64_t tile : tiles) // C3
    if (tile < 1)
      return emitError() << "a tile must be at least 1, but found " << tile;
  if (kind == ScheduleKind::Scatter && (vector != 1 || split != 1)) // C4
    return emitError() << "a scatter is not vectorized or split, but found "
                          "vector "
                       << vector << " and split " << split;
  return success();
}

//===----------------------------------------------------------------------===//
// #loop.arena
//===----------------------------------------------------------------------===//

Attribute ArenaAttr::parse(AsmParser &parser, Type) {
  guard::ExprAttr offset;
  if (parser.parseLess() || parseIndexExpression(parser, offset) ||
      parser.parseGreater())
    return {};
  return ArenaAttr::get(parser.getContext(), offset);
}

void ArenaAttr::print(AsmPrinter &printer) const {
  printer << "<" << getOffset().str() << ">";
}
