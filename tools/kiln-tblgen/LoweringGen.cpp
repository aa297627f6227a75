//===- LoweringGen.cpp - The functions that make loop nests ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the field `lowering` of the aten ops (AtenLoopBody.td).
//
//   let lowering = LowerBy<"lowerCholesky">;
//   let lowering = LowerMaxPool<2>; // LowerBy<"lowerMaxPool", ["2"]>, takes
//   Pooling
//
// --gen-aten-lowering-decls declares the functions and the families that they
// take:
//
//   LogicalResult lowerCholesky(LoopBuilder &, aten::LinalgCholeskyExOp);
//   struct PoolingArgs {
//     PoolingArgs(aten::MaxPool2dOp op);
//     ...
//     Value self;
//     SmallVector<int64_t> kernelSize;
//   };
//   LogicalResult lowerMaxPool(LoopBuilder &, const PoolingArgs &, unsigned);
//
// --gen-aten-lowerings writes the constructors and the table `kLowerings`, with
//
//   {&aten::MaxPool2dOp::getInfo,
//    [](LoopBuilder &loops, Operation *op) -> LogicalResult {
//      return lowerMaxPool(loops, aten::MaxPool2dOp(op), 2);
//    }, false},
//
//===----------------------------------------------------------------------===//

#include "FunctionRecord.h"

#include "mlir/TableGen/GenInfo.h"

#include <set>

using namespace kiln::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::StringRef;

/// What a record names; null if the op is not lowered by a function.
static const Record *getLowering(const AtenRecord &record) {
  return getFunction(record, record.def->getValueAsDef("lowering"));
}

static bool emitLoweringDeclarations(const llvm::RecordKeeper &keeper,
                             raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-lowering-decls.\n\n";
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  printFamilies(os, records, getLowering);
  std::set<std::string> seen;
  for (const AtenRecord &record : records) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    std::string types = getParameterType(record, *lowering) +
                        getArgumentTypes(record, *lowering);
    StringRef function = lowering->getValueAsString("function");
    if (seen.insert(function.str() + types).second)
      os << "LogicalResult " << function << "(LoopBuilder &, " << types
         << ");\n";
  }
  return false;
}

static bool emitTable(const llvm::RecordKeeper &keeper, raw_ostream &os) {
  os << "// Written by kiln-tblgen --gen-aten-lowerings.\n\n";
  std::vector<AtenRecord> records = getAtenRecords(keeper);
  os << "namespace kiln::loop {\n";
  printFamilyConstructors(os, records, getLowering);
  os << "} // namespace kiln::loop\n\n"
        "static const Lowering kLowerings[] = {\n";
  for (const AtenRecord &record : records) {
    const Record *lowering = getLowering(record);
    if (!lowering)
      continue;
    os << "    {&" << getClass(record)
       << "::getInfo,\n     [](LoopBuilder &loops, Operation *op) -> "
          "LogicalResult {\n       return "
       << lowering->getValueAsString("function") << "(loops, "
       << getOpArgument(record, *lowering) << getArguments(*lowering)
       << ");\n     },\n     "
       << (lowering->getValueAsBit("takesAnyElements") ? "true" : "false")
       << "},\n";
  }
  os << "};\n";
  return false;
}

static mlir::GenRegistration
    loweringDeclarations("gen-aten-lowering-decls",
                 "Declare the functions that make loop nests of ATen ops",
                 emitLoweringDeclarations);
static mlir::GenRegistration
    table("gen-aten-lowerings",
          "Write the table of functions that make loop nests of ATen ops",
          emitTable);
