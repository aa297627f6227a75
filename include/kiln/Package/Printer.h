//===- Printer.h - Programs and packages as text -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text for people and for tests; there is no parser for it. Example:
//
//   program 'main' {
//     symbol s0 = size(x, 0) in [2, 64]
//     slot 0 user_input x : f32[s0, 4]
//     value 0 = slot 0 : f32[s0, 4]
//     value 1 = new : f32[s0, 4]
//     step 0: launch 'add' (0, 1) writes (1) sym (4*s0) work 4*s0 grain 1024
//     output 0 user_output 'y' = value 1
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_PRINTER_H
#define KILN_PACKAGE_PRINTER_H

#include "kiln/Package/Package.h"

#include <string_view>

namespace kiln::package {

/// Text of a program; kernels are named by number, or by name when the image
/// that holds them is given.
std::string printProgram(const Program &program,
                         const KernelImage *image = nullptr);

/// How a kind of guard reads, with its fields in braces: "{slot}.dim() ==
/// {value}". What it names the verifier checks.
std::string_view guardText(kiln_guard_kind kind);

/// One line for a guard: "x.size[0] == 8", "x.dim() == 2", "s77 >= 2".
std::string printGuard(const Guard &guard, const Program &program);

/// Facts, guards, programs and reasons; the image and constants by size.
std::string printPackage(const Package &package);

/// "user_input", "parameter", ...
const char *controlKindName(ControlStep::Kind kind);
const char *slotKindName(Slot::Kind kind);
/// "user_output", "input_mutation", ...
const char *outputRoleName(Output::Role role);

} // namespace kiln::package

#endif // KILN_PACKAGE_PRINTER_H
