//===- Rows.h - What requests and answers hold -----------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ROWS_H
#define ROWS_H

#include "kiln/Base/Result.h"

#include <cstddef>
#include <string>
#include <vector>

/// Rows of f32, one after the other.
struct Rows {
  size_t width = 0;
  std::vector<float> values;
  size_t count() const { return width ? values.size() / width : 0; }
};

/// Reads {"rows": [[1.0, ...], ...]}, or NumPy's format. Any bytes may come: an
/// error says what was found and what is expected.
kiln::Result<Rows> readJson(const std::string &text, size_t width,
                            size_t maxRows);
kiln::Result<Rows> readNpy(const std::string &bytes, size_t width,
                           size_t maxRows);

/// The same forms.
std::string writeJson(const Rows &rows);
kiln::Result<std::string> writeNpy(const Rows &rows);

#endif // ROWS_H
