//===- PT2Importer.h - torch.export archives as aten modules --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns an exported program into a module at the `capture` stage: one function
// `@main` of aten ops, `guard.symbol` for each symbol, and `@main_guards` with
// what must hold of the inputs.
//
//   auto program = archive::loadExportedProgram("model.pt2");
//   auto module = pt2::importExportedProgram(&context, *program, {});
//
// Arithmetic on sizes (`_operator.add`, `aten.sym_size.int`) becomes
// expressions in the attributes and types of the ops that use it. In-place
// overloads become their functional record and an explicit mutation, where
// nothing else sees the tensor that changes. Operators without a record
// import as `aten.operator`. Operators of other libraries are found in a loaded
// dialect of the library's name, or must be named by the caller.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_IMPORT_PT2IMPORTER_H
#define KILN_IMPORT_PT2IMPORTER_H

#include "kiln/Archive/ExportedProgram.h"
#include "kiln/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <set>

namespace kiln::guard {
class ExprAttr;
} // namespace kiln::guard

namespace kiln::pt2 {

struct ImportOptions {
  /// Symbols that become constants: their sizes are static in the result.
  std::map<std::string, int64_t> specialization;
  /// Of other symbols, the least values to import for if the program's own lower
  /// bounds are below.
  std::map<std::string, int64_t> lowerBounds;
  /// Operators besides ATen's that can be called: "mylib.swish.default". Those
  /// with a record in a loaded dialect need not be named.
  std::set<std::string> operators;
  /// User inputs, by pytree path, that want a gradient although the program
  /// does not say so.
  std::vector<std::string> gradientInputs;
};

/// Imports and verifies. Malformed errors name the node and what contradicts
/// what; Unsupported ones the operator, node and source line.
Result<mlir::OwningOpRef<ModuleOp>>
importExportedProgram(MLIRContext *context,
                      const archive::ExportedProgram &program,
                      const ImportOptions &options);

/// A relation between symbols that the program assumes, with its source text.
struct Relation {
  Attribute expr; ///< a guard::ExprAttr
  std::string text;
};

/// Tells of a user input, by name, whether the program holds for its strides alone.
using DependsOnStrides = llvm::function_ref<bool(StringRef)>;

/// Adds `guard.program @<name>_guards` with the checks that the types of the
/// function's user inputs demand, that what it writes to has memory of its own,
/// and the given relations. `behind` runs after it with the same inputs, as a
/// backward does, and writes too. Strides are checked where `dependsOnStrides` says so:
/// types do not show it. Unsupported for sizes without names, of which a guard
/// could say nothing.
Status addGuardProgram(mlir::func::FuncOp function,
                       ArrayRef<Relation> relations = {},
                       mlir::func::FuncOp behind = {},
                       DependsOnStrides dependsOnStrides = {});

/// Loads the dialects that imported modules use.
void loadImportDialects(MLIRContext *context);

} // namespace kiln::pt2

#endif // KILN_IMPORT_PT2IMPORTER_H
