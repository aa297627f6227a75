//===- InputText.h - Sentences about inputs that do not fit --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts of guard failures, in PyTorch's words, shared by the guard table
// and the program runner so that both say the same.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_INPUTTEXT_H
#define KILN_LIB_RUNTIME_INPUTTEXT_H

#include "kiln/Package/Program.h"
#include "kiln/Runtime/Operator.h"

namespace kiln::runtime {

/// "Float", "BFloat16", "Long": how PyTorch's guards spell dtypes.
const char *scalarTypeName(DType dtype);

/// "f32[2, 3]", "an integer", "nothing".
std::string describeInput(const OpValue &input);

/// A constant or a number as a reader would type it.
std::string constantText(const package::Constant &constant);

std::string kindFailure(const package::Slot &slot, const OpValue &found);
std::string dtypeFailure(const package::Slot &slot, DType expected,
                         DType found);
std::string rankFailure(const package::Slot &slot, int64_t expected,
                        int64_t found);
/// `what` is "size" or "stride".
std::string dimFailure(const package::Slot &slot, const char *what,
                       uint64_t dim, int64_t expected, int64_t found);

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_INPUTTEXT_H
