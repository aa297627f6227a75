//===- Weights.h - Where the weights of a package are ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package has its weights inside, or they lie beside it in a safetensors file,
// or another file replaces them when it is opened (`Session::loadWeights`):
//
//   session::embedWeights(*source->program, /*all=*/true, package);
//   session::freezeWeights(package, &pool); // or as kernels read them
//
//   session::embedWeights(*source->program, /*all=*/false, package);
//   session::writeWeights(*source->program, "model.safetensors");
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_WEIGHTS_H
#define KILN_SESSION_WEIGHTS_H

#include "kiln/Archive/ExportedProgram.h"
#include "kiln/Package/Package.h"

namespace kiln::runtime {
class ThreadPool;
} // namespace kiln::runtime

namespace kiln::session {

/// Puts the weights of an archive into a package: each slot of one then has its
/// contents. With `all` false only constants, which nobody can replace: no
/// parameters and no buffers. Unsupported for a weight that the archive lacks.
Status embedWeights(const archive::ExportedProgram &program, bool all,
                    package::Package &package);

/// Computes what depends on the weights of a package alone, puts it into the package and
/// leaves those weights out that nothing else reads: they are not to be replaced any more
/// but all together. A package of which nothing depends on weights alone stays as it is.
/// Usage error for a package with a backward program, Unsupported for kernels that do not
/// run here. `pool` may be null.
Status freezeWeights(package::Package &package, runtime::ThreadPool *pool);

/// Writes the parameters and buffers of an archive as a safetensors file. Names
/// that share memory are there with their contents each.
Status writeWeights(const archive::ExportedProgram &program,
                    const std::string &path);

} // namespace kiln::session

#endif // KILN_SESSION_WEIGHTS_H
