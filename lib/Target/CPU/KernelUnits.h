//===- KernelUnits.h - One kernel with all that it needs --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit of code generation: a module whose only public function is a kernel,
// with what the kernel refers to. Nothing in it says where in a program the kernel
// stands, so that equal kernels have equal units.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_KERNELUNITS_H
#define KILN_LIB_TARGET_CPU_KERNELUNITS_H

#include "kiln/Base/Digest.h"
#include "kiln/Target/CPU/CPUTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::target {

struct KernelUnit {
  std::string name; ///< of the kernel in its program
  /// The kernel under a name that all units share, and private symbols. It has no
  /// locations.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  uint64_t operations = 0; ///< what compiling it costs, roughly
};

/// Takes a module of kernels apart. Functions with a body that are public become
/// units, in their order; symbols that several refer to are copied, and what no
/// kernel refers to is dropped. Operations that are no symbols go with each kernel.
std::vector<KernelUnit> takeKernelUnits(mlir::ModuleOp module);

/// What the code of a unit depends on besides the compiler: its IR and the target.
/// Nothing for IR that has no form in bytes.
std::optional<Digest> getKernelKey(const KernelUnit &unit,
                                   const CPUTarget &target);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_CPU_KERNELUNITS_H
