//===- Registry.h - The eager operators by overload name ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KilnEager holds one C++ function per ATen overload on runtime tensors. It is
// the oracle that passes and kernels are compared with, and the fallback that a
// compiled program calls for what it does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_EAGER_REGISTRY_H
#define KILN_EAGER_REGISTRY_H

#include "kiln/Runtime/Operator.h"

namespace kiln::eager {

/// Adds every eager operator under its full name ("aten.add.Tensor"). Usage
/// error if one of the names is taken already.
///
/// Results follow PyTorch on the CPU in dtype, sizes and values. Fresh results
/// are row-major unless the call asks for another memory format; views share
/// their operand's storage.
///
/// Example:
///
///   runtime::OperatorRegistry registry;
///   if (auto status = eager::registerAll(registry); !status)
///     return status.takeError();
///   auto sum = registry.find("aten.add.Tensor")({x, y, int64_t(1)});
Status registerAll(runtime::OperatorRegistry &registry);

/// Random operators that this thread calls from now on, and kernels that it
/// runs, draw the numbers that belong to `seed` and `stream`. Without it they are
/// the same in each run of a process, and others in each thread.
void seedGenerator(uint64_t seed, uint64_t stream);

} // namespace kiln::eager

#endif // KILN_EAGER_REGISTRY_H
