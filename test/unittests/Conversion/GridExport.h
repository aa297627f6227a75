//===- GridExport.h - Recorded grids for a machine with a GPU -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_CONVERSION_GRIDEXPORT_H
#define KILN_TEST_UNITTESTS_CONVERSION_GRIDEXPORT_H

#include "GridRunner.h"

namespace kiln::loop {

/// The PTX of a `gpu.module` for a chip. What differs in nothing is compiled once. A failure
/// fails the test and gives nothing.
const std::string &compilePTX(mlir::Operation *kernels, llvm::StringRef chip);

/// Writes what was recorded, with the PTX of the functions, as `folder`/`name`.N.grid,
/// of which test/Integration/GPU/launch.cpp says the format. `ulps` is how far a result may be
/// from what is expected.
void exportGrids(const std::string &folder, const std::string &name,
                 mlir::ModuleOp module, const GridRecord &record, double ulps);

} // namespace kiln::loop

#endif // KILN_TEST_UNITTESTS_CONVERSION_GRIDEXPORT_H
