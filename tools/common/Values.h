//===- Values.h - Recorded values as values of the runtime ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_VALUES_H
#define KILN_TOOLS_COMMON_VALUES_H

#include "kiln/Archive/IoFile.h"
#include "kiln/Runtime/Operator.h"

namespace kiln::tools {

/// A row-major tensor of its own memory with these contents.
Result<runtime::Tensor> copyOf(DType dtype, const std::vector<int64_t> &sizes,
                               ByteView bytes);

/// A number, text or none.
runtime::OpValue valueOf(const archive::ConstantValue &constant);

/// A private copy of a recorded value, which a call may change.
Result<runtime::OpValue> valueOf(const archive::IoValue &recorded);

/// A private copy of a value: tensors keep strides and what lies between.
Result<runtime::OpValue> copyOf(const runtime::OpValue &value);

/// "f32[2, 3]", "5", "none".
std::string describe(const runtime::OpValue &value);

/// Writes a tensor or a number as `.npy`; other values as text beside.
Status writeNpy(const std::string &path, const runtime::OpValue &value);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_VALUES_H
