//===- CompositeRecords.cpp - The table of composites ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositeFormulas.h"
#include "FormulaArguments.h"

#include "kiln/Dialect/Aten/IR/FamilyFields.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <thread>

namespace kiln::aten {

using namespace formula;

/// The values that a function of one result returns, or of many.
static Values toValues(Value value) { return {value}; }
static Values toValues(Values values) { return values; }

namespace {
struct CompositeEntry {
  const OpInfo &(*getInfo)();
  Values (*open)(Operation *op, Composite &c);
};
} // namespace

#include "kiln/Dialect/Aten/Transforms/AtenComposites.cpp.inc"

static auto *lookUp(Operation *op) {
  static const auto *table = [] {
    auto *map = new llvm::DenseMap<const OpInfo *, const CompositeEntry *>();
    for (const CompositeEntry &entry : kComposites)
      map->try_emplace(&entry.getInfo(), &entry);
    return map;
  }();
  return table->lookup(getOpInfo(op));
}

namespace {

class Composites : public CompositeDialectInterface {
public:
  using CompositeDialectInterface::CompositeDialectInterface;

  OpenedComposite open(Operation *op, OpBuilder &builder,
                       IsReadFn isRead) const override {
    OpenedComposite opened;
    std::string said;
    {
      // What parts complain of is the composite's complaint. Other functions
      // may be worked on at the same time.
      mlir::ScopedDiagnosticHandler handler(
          op->getContext(),
          [&, self = std::this_thread::get_id()](mlir::Diagnostic &diagnostic) {
            if (self != std::this_thread::get_id())
              return failure();
            said += (said.empty() ? "" : "; ") + diagnostic.str();
            return success();
          });
      Composite composite(builder, op->getLoc(), opened, isRead);
      opened.values = lookUp(op)->open(op, composite);
    }
    ArrayRef<ResultKind> results = getOpInfo(op)->results;
    bool isList =
        !results.empty() && results.front() == ResultKind::TensorList;
    // A function of several overloads gives what the longest one has.
    if (!isList && opened.values.size() > results.size())
      opened.values.truncate(results.size());
    bool isMissing = opened.values.empty() && !results.empty() && !isList;
    isMissing |= llvm::is_contained(opened.values, Value());
    if (opened && (isMissing || !said.empty()))
      opened.complaint = said.empty() ? "arguments do not fit" : said;
    return opened;
  }
};

} // namespace

void registerComposites(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, AtenDialect *dialect) {
    dialect->addInterfaces<Composites>();
  });
}

} // namespace kiln::aten
