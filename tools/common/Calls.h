//===- Calls.h - Call a session and compare what it gives -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_CALLS_H
#define KILN_TOOLS_COMMON_CALLS_H

#include "kiln/Archive/IoFile.h"
#include "kiln/Runtime/Compare.h"
#include "kiln/Session/Session.h"

namespace kiln::tools {

/// One output of a program with its value.
struct CallOutput {
  package::Output::Role role = package::Output::Role::UserOutput;
  std::string path;   ///< user outputs
  std::string target; ///< what is mutated or differentiated
  runtime::OpValue value;
};

struct CallResult {
  std::vector<CallOutput> outputs; ///< of the (forward) program, in order
  std::vector<CallOutput> gradients;
};

/// Tangents in the order of the forward program's outputs, found by path; none
/// at all for null or empty `tangents`. Compiles if needed.
Result<std::vector<runtime::OpValue>>
makeTangents(session::Session &session,
             const std::vector<runtime::OpValue> &inputs,
             const std::vector<archive::IoValue> *tangents);

/// Runs one call. With training, `tangents` are found by the path of an output;
/// null or empty gives 1 for a scalar loss.
Result<CallResult>
runCall(session::Session &session, const std::vector<runtime::OpValue> &inputs,
        bool training, const std::vector<archive::IoValue> *tangents);

/// Moves a tensor to the device of the session, if it has one.
Status placeOnDevice(const session::Session &session, runtime::OpValue &value);

/// One compared value: a line for people, an element of `outputs` of --stats.
struct Checked {
  std::string name; ///< "out_0", "state:bn.mean", "input:[0][0]", "grad:w"
  std::string type; ///< "f32[2, 3]"
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  runtime::Comparison result;
};

struct CheckOptions {
  std::optional<double> rtol;
  std::optional<double> atol;
  bool values = true; ///< false: number, dtype and sizes only
};

/// Compares the outputs of a call with a recorded set, and the state and the
/// inputs that the program changed.
std::vector<Checked> checkCall(const session::Session &session,
                               const std::vector<runtime::OpValue> &inputs,
                               const CallResult &result,
                               const archive::IoSet &expected,
                               const CheckOptions &options);

/// Compares gradients by the name of their parameter and the path of their
/// input.
std::vector<Checked> checkGradients(const session::Session &session,
                                    const CallResult &result,
                                    const archive::IoGradients &expected,
                                    const CheckOptions &options);

/// The first that disagrees, as "out_0: ..."; empty if all agree.
std::string firstFailure(const std::vector<Checked> &checks);

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_CALLS_H
