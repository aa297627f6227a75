//===- CppHeader.h - A typed C++ header for one package -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a package with x : f32[2, 4] in and y : f32[2] out, `printCppHeader(package,
// "scores")` is a header with
//
//   namespace kiln::models::scores {
//   struct Inputs { kiln::c::View<const float, 2, 4> x; };
//   struct Outputs { kiln::c::Tensor<float, 2> y; };
//   class Model : public kiln::c::Package { ... Outputs run(const Inputs &); };
//   }
//
// over kiln-c/Model.hpp. Sizes that vary are kiln::c::kDynamic.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_CPPHEADER_H
#define KILN_PACKAGE_CPPHEADER_H

#include "kiln/Package/Package.h"

namespace kiln::package {

/// The text of a header. `name` becomes the namespace within kiln::models, since
/// outside a file "log.h" would have the name of a function of C; characters that an
/// identifier cannot have become '_', and a '_' follows words of C++, names that a
/// header needs itself, and capitals alone (more than two), which may be macros.
std::string printCppHeader(const Package &package, const std::string &name);

} // namespace kiln::package

#endif // KILN_PACKAGE_CPPHEADER_H
