//===- LoopCases.h - Kernels that every lowering must get right -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_LOOPCASES_H
#define KILN_TEST_UNITTESTS_CONVERSION_LOOPCASES_H

#include "LoopInterpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>

namespace kiln::loop {

/// A function `main` of kernels, and the sizes to try it with.
struct LoopCase {
  const char *name;
  const char *text;
  std::vector<SymbolValues> sizes = {{}};
  /// Integer inputs are at least 0 and less than this; 0: small, either sign.
  int64_t indexLimit = 0;
  /// Relative to the largest of the values compared and 1. Covers the order of
  /// summation and the error of approximated functions, in units of the
  /// result's own precision.
  double ulps = 64;
  /// Some of the floats are NaN or an infinity.
  bool special = false;
};

inline std::ostream &operator<<(std::ostream &os, const LoopCase &test) {
  return os << test.name;
}

llvm::ArrayRef<LoopCase> getLoopCases();
/// Those of them that are contractions over windows.
llvm::ArrayRef<LoopCase> getWindowCases();
/// Windows of images with their channels last, whose results have them first.
llvm::ArrayRef<LoopCase> getTileCases();
/// Contractions of members in groups.
llvm::ArrayRef<LoopCase> getGroupCases();
/// Contractions of bytes by bytes as they lie in memory.
llvm::ArrayRef<LoopCase> getProductsOfBytes();
/// Sorts that keep much; writes to places that are computed: in vectors, by columns, of
/// each kind.
llvm::ArrayRef<LoopCase> getRowCases();
/// And those that sort rows.
llvm::ArrayRef<LoopCase> getSortCases();
/// And those that read what is concatenated.
llvm::ArrayRef<LoopCase> getPieceCases();
/// Others that multiply bytes, of which a GPU has no products.
llvm::ArrayRef<LoopCase> getByteCases();
/// Those whose factors are bf16, two of a word.
llvm::ArrayRef<LoopCase> getPairCases();

/// A kernel of products with rows between them, and the limit of its columns.
struct LimitCase : LoopCase {
  std::optional<int64_t> beyond;
};
/// Masks that leave columns out, and those that must not.
llvm::ArrayRef<LimitCase> getLimitCases();

/// A reduction of every kind, on floats and integers where it takes them.
const char *getEveryKind();

// Texts of cases: BlockCases.cpp, RowCases.cpp, KindCases.cpp, ReductionCases.cpp,
// ProductCases.cpp.
extern const char kCausal[], kKeptRows[], kOverRows[], kSavedUnits[];
extern const char kOddRows[], kScans[], kGenericScan[], kKeptOfSorts[], kSelections[];
extern const char kNumbers[], kHeads[], kOwnRows[], kSharedPlaces[];
extern const char kProductOfRows[], kProductOfColumns[],
    kProductOfAVector[], kProductWithRounding[], kProductOfBytes[],
    kProductOfBytesAcross[], kLongerRows[],
    kLongerRowsOfF32[];
extern const char kReduceLast[], kReduceLeading[], kReduceMiddle[],
    kReduceWithin[], kReduceSeveral[], kArgMax[], kLayerNorm[], kSoftmax[],
    kGenericReduce[], kEmptyReduce[], kColumnParts[], kRowParts[],
    kRowPartsOfTwo[], kMaskedRows[], kKeptUnits[], kKeptColumns[], kSoftmaxInResult[],
    kReduceImages[];

/// A context that can load all dialects that lowerings produce.
std::unique_ptr<mlir::MLIRContext> makeLoopContext();

/// Turns the kernels of a module into launches; false if that fails.
using Lowering = std::function<bool(mlir::ModuleOp)>;

/// Runs the function `main` of a lowered module, which is the same each time. A failure
/// fails the test and gives nothing.
using Execution = std::function<std::vector<Array>(
    mlir::ModuleOp, llvm::ArrayRef<Array>, const SymbolValues &)>;
/// Compiles the nested module `kernels` for this machine and runs its launches.
Execution runOnHost();

/// What the interpreter gives for a case of these sizes, whose arguments `checkLowering`
/// makes the same each time. Many schedules are compared with it.
const std::vector<Array> &interpretOnce(const LoopCase &test,
                                        mlir::func::FuncOp function,
                                        llvm::ArrayRef<Array> arguments,
                                        const SymbolValues &symbols);

/// Checks the values of a lowered case against the interpreter's for each of
/// its sizes. `prepare` may change kernels before they are lowered, to set a
/// schedule.
void checkLowering(const LoopCase &test,
                   llvm::function_ref<void(KernelOp)> prepare,
                   const Lowering &lower, const Execution &run = runOnHost());

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_LOOPCASES_H
