//===- FunctionEmitter.h - The function of a kernel -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a `loop.kernel` into a function with the signature of KernelABI.h. What a
// work item is, and which lanes there are, is said by the schedule; there is an
// emitter for each kind of them (ScheduleEmitters.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_LOOPTOSCF_FUNCTIONEMITTER_H
#define KILN_LIB_CONVERSION_LOOPTOSCF_FUNCTIONEMITTER_H

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::loop {

/// What a launch of the emitted function needs.
struct EmittedKernel {
  mlir::func::FuncOp function;
  /// Integer arguments; d<k> is the number of slot k.
  SmallVector<guard::ExprAttr> symbols;
  guard::ExprAttr work;                 ///< number of work items
  guard::ExprAttr scratch;              ///< bytes per thread; null: none
};

class FunctionEmitter : public KernelEmitter {
public:
  using KernelEmitter::KernelEmitter;

  /// Emits the function at the builder's insertion point.
  FailureOr<EmittedKernel> emit(OpBuilder &builder, StringRef name);

protected:
  /// How many pointers the function takes: the inputs and the results of the kernel.
  virtual unsigned getPointerCount();
  /// Says what they point to.
  virtual LogicalResult bindPointers(ArrayRef<Value> pointers) {
    return bindTensors(pointers);
  }
  /// Emits the work items from `begin` to `end`, and sets `work`.
  virtual LogicalResult emitItems() = 0;

  Value emitArgument(unsigned number) override;
  Value allocateScratch(guard::ExprAttr bytes) override;
  /// Results of these numbers are stored past the caches where that can be.
  void setStreamed(ArrayRef<int64_t> numbers);

  Value begin, end, symbolArray, scratchPointer;
  guard::ExprAttr scratchBytes, work;

private:
  void numberPointers(ArrayRef<Value> pointers);
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_LOOPTOSCF_FUNCTIONEMITTER_H
