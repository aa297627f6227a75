//===- Verifier.h - What every program and package must satisfy ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding calls these, so that the runtime never meets an index out of range;
// the compiler calls them on what it built, so that a mistake is found where it
// was made. Errors are Malformed and name the place:
//
//   program 'main': step 3 (launch): buffer 1: value 7 is used before it is
//   defined
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_VERIFIER_H
#define KILN_PACKAGE_VERIFIER_H

#include "kiln/Package/Package.h"

namespace kiln::package {

/// Checks that
///  - every index is in range and every expression is well formed;
///  - a view has a base with a smaller id, so views form no cycle;
///  - a step, an output or the arena uses only values and symbols that earlier
///    steps defined and did not release. A launch defines all its buffers;
///  - no launch and no copy writes a constant;
///  - sizes of slots and of the arena depend on input symbols only;
///  - what is prepared depends on weights that no output changes, on constants and on
///    what is prepared, and launches alone use it.
Status verifyProgram(const Program &program);

/// Checks each program, and that kernels, constants, guards and saved values
/// fit together: kernel entries lie in the image, the bytes of a constant are
/// those of its sizes, what a program declares of a constant agrees with it, and
/// a backward program takes what the forward saves.
Status verifyPackage(const Package &package);

/// Checks that packages are variants of one program: each is for a target of its
/// own, and a caller passes and gets the same of all of them. There is at least
/// one and at most KILN_PACKAGE_MAX_VARIANTS. Each was verified by itself.
Status verifyVariants(const std::vector<Package> &variants);

} // namespace kiln::package

#endif // KILN_PACKAGE_VERIFIER_H
