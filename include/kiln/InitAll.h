//===- InitAll.h - Dialects and passes of Kiln ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tool that reads any IR of Kiln registers. Upstream's dialects and
// passes come by mlir/InitAllDialects.h, InitAllExtensions.h, InitAllPasses.h.
//
//   mlir::DialectRegistry registry;
//   kiln::registerAllDialects(registry);
//   kiln::registerAllExtensions(registry);
//   kiln::registerAllPasses();
//
// As upstream, the three are apart: a tool that only reads and prints IR wants the
// dialects; whoever runs passes wants the extensions, too.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INITALL_H
#define KILN_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace kiln {

/// The dialects of Kiln. Calling it twice is harmless.
void registerAllDialects(mlir::DialectRegistry &registry);

/// What is attached to dialects from outside when they are loaded: derivatives and
/// composites of `aten`, without which nothing there has a gradient, and upstream's
/// models (and their dialects) for the way through `linalg`. It may come before or
/// after the dialects. Calling it twice is harmless.
void registerAllExtensions(mlir::DialectRegistry &registry);

/// The passes and pipelines of Kiln. Calling it twice is harmless.
void registerAllPasses();

} // namespace kiln

#endif // KILN_INITALL_H
