//===- JointGraphs.h - Training steps that were cut before ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step that was differentiated and cut, as it is kept between
// compilations. Little-endian:
//
//   u32 version 1 | u64 n, n bytes of reasons (kiln/Package/Package.h)
//   u64 m, m bytes of MLIR's bytecode: @forward, @backward, guards
//
// The reasons are those of the passes that made it, which will not run again.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_JOINTGRAPHS_H
#define KILN_LIB_COMPILER_JOINTGRAPHS_H

#include "kiln/Base/Bytes.h"
#include "kiln/Base/Result.h"
#include "kiln/Options/CompileOptions.h"
#include "kiln/Package/Reason.h"
#include "kiln/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::compiler {

struct CompileHooks;
struct CompileLimits;

/// Larger ones are made again each time.
constexpr uint64_t kMaxJointBytes = uint64_t(256) << 20;

struct JointGraphs {
  mlir::OwningOpRef<ModuleOp> module;
  std::vector<package::Reason> reasons;
};

/// Empty if the module cannot be written or is too large.
std::vector<uint8_t> encodeJoint(ModuleOp module,
                                 const std::vector<package::Reason> &reasons);

/// Reads bytes that a cache has authenticated into `context`, within limits
/// (ModuleReader.h). Malformed for what is not of stage `core`, or has no step.
Result<JointGraphs> decodeJoint(MLIRContext *context, ByteView bytes,
                                const CompileLimits &limits);

/// Whether a compilation looks in `hooks.joint` and adds to it. Who wants to see how
/// graphs come about gets a compilation that makes them.
bool usesJoint(const CompileOptions &options, const CompileHooks &hooks);

/// The step that an earlier compilation has cut. Nothing if there is none that can be
/// read.
std::optional<JointGraphs> findJoint(MLIRContext *context,
                                     const CompileOptions &options,
                                     const CompileHooks &hooks);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_JOINTGRAPHS_H
