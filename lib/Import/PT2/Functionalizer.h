//===- Functionalizer.h - Tensors that share memory -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A captured training program changes tensors in place, and views see it; the
// aten dialect has values. So each tensor is what it looks at (a memory, with
// its contents as a value) and how (the view operators on the way). Writing
// through a view computes the new contents of the memory, from the innermost
// view outwards; reading a view of changed memory applies its view operators
// again to what the memory holds now.
//
//   y = x.clone()          memory 0 = clone(x)              y: 0, []
//   v = y.t()              t(y)                             v: 0, [t]
//   r = v[1]               select(v, 0, 1)                  r: 0, [t, select]
//   r.mul_(3)              r' = mul(r, 3)
//                          v' = select_scatter(t(y), r', 0, 1)
//                          memory 0 = t(v')
//   y + 1                  add(memory 0, 1)
//   v + 1                  add(t(memory 0), 1)
//
// What is written and never read is dead code, and equal views are one: both
// are left to the passes.
//
// Some operators look at their operand's memory or copy it, as its strides demand.
// Whether one did matters once either of the two is written and the other is seen
// afterwards; the program then holds for the strides of the capture alone.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_FUNCTIONALIZER_H
#define KILN_LIB_IMPORT_PT2_FUNCTIONALIZER_H

#include "kiln/Base/Result.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::pt2 {

class Functionalizer {
public:
  /// A tensor of the program; several names may stand for one.
  using Tensor = unsigned;

  explicit Functionalizer(OpBuilder &builder) : b(builder) {}

  /// A tensor with memory of its own. `input` names the graph input that it
  /// is, if it is one.
  Tensor add(Value value, StringRef input = {});

  /// Result `result` of the view operator `op`, which looks at its operand
  /// `operand`, the value of `of`; with other strides it might not (`byStrides`).
  Tensor addView(Tensor of, Operation *op, unsigned result = 0,
                 unsigned operand = 0, bool byStrides = false);

  /// A tensor with memory of its own, which with other strides of `of` might look at
  /// that of `of`.
  Tensor addCopy(Tensor of, Value value);

  /// A tensor of which it is not known whether it shares memory with `of`.
  Tensor addPerhapsView(Tensor of, Value value, StringRef why);

  /// What the tensor holds now; may build view operators.
  Value read(Tensor tensor);

  /// The tensor is now `op` of what it was, as after `x.t_()`.
  void change(Tensor tensor, Operation *op);

  /// The tensor, which nothing else looks at, is now `contents`, in memory that
  /// is no input's: as after an `x.resize_()` that has to allocate.
  Status move(Tensor tensor, Value contents);

  /// New contents, of the tensor's type.
  Status write(Tensor tensor, Value contents, Location loc);

  /// The graph input whose memory the tensor looks at, or empty.
  StringRef inputOf(Tensor tensor) const {
    return memories[tensors[tensor].memory].input;
  }

  /// Graph inputs that were written, with what they hold now.
  std::vector<std::pair<std::string, Value>> mutations() const;

  /// True if what the program does depends on the strides of this graph input.
  bool dependsOnStrides(StringRef input) const;

private:
  struct Memory {
    Value contents;
    std::string input;
    unsigned version = 0;
    std::string unknownView; ///< why a tensor may or may not look at it
    /// The memory that it is a copy of by its strides, and what was copied.
    std::optional<unsigned> copied;
    unsigned copiedVersion = 0;
    bool dependsOnStrides = false;
  };
  struct Step {
    Operation *op;
    unsigned result;
    unsigned operand;
    bool byStrides;
  };
  struct State {
    unsigned memory;
    SmallVector<Step, 2> path;
    Value value;
    unsigned version;
  };

  unsigned addMemory(Value contents, StringRef input = {});

  /// What `base` holds if `source` is written to what `step` looks at; null
  /// with `reason` if that cannot be said.
  Value writeThrough(const Step &step, Value base, Value source, Location loc,
                     std::string &reason);
  /// A write to one of a tensor and what it was made of by strides is seen in the
  /// other, or would be.
  void noteStrides(const State &state, bool isWrite);

  OpBuilder &b;
  std::vector<Memory> memories;
  std::vector<State> tensors;
};

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_FUNCTIONALIZER_H
