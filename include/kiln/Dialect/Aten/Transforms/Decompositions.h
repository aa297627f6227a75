//===- Decompositions.h - What ATen ops are made of -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decomposition rewrites one op as simpler ones, with PyTorch's values. It is
// what the op's record says (AtenFormulas.td): formulas, or a C++ function over
// a FormulaBuilder. The pass `aten-decompose` and the derivatives of composite
// ops use it.
//
// Three targets say which ops are rewritten:
//
//   import    composites: what PyTorch has nothing for but others
//   core      what is not in the Kiln core set
//   loop      whatever has a decomposition: also softmax, norms, losses,
//             attention, mean, variance ... of the core set, which
//             convert-aten-to-loop has no loop nest for
//
//   if (isDecomposedFor(op, DecomposeTarget::Core))
//     if (Decomposition decompose = lookUpDecomposition(op))
//       results = decompose(op, formulas);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_TRANSFORMS_DECOMPOSITIONS_H
#define KILN_DIALECT_ATEN_TRANSFORMS_DECOMPOSITIONS_H

#include "kiln/Support/LLVM.h"

#include "mlir/IR/DialectRegistry.h"

#include <optional>

namespace kiln::aten {

class FormulaBuilder;

enum class DecomposeTarget : uint8_t { Import, Core, Loop };

/// Builds what `op` stands for; the values replace its results. Empty if the op
/// has no decomposition (for these arguments) or one failed to build, which has
/// then left a diagnostic.
using Decomposition = SmallVector<Value> (*)(Operation *op, FormulaBuilder &c);

/// The decomposition of an op, or null.
Decomposition lookUpDecomposition(Operation *op);

/// True if `op` is rewritten on the way to `target`.
bool isDecomposedFor(Operation *op, DecomposeTarget target);

/// The target of a pass option: "import", "core", "loop".
std::optional<DecomposeTarget> parseDecomposeTarget(StringRef text);

/// Lets composites be opened and their types be inferred; see
/// kiln/Dialect/Aten/IR/Composites.h.
void registerComposites(mlir::DialectRegistry &registry);

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_TRANSFORMS_DECOMPOSITIONS_H
