//===- PyTree.h - Nested arguments and results of a Python call ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program takes and returns flat lists; the calling convention of the
// original module is kept as a tree of tuples, lists, dictionaries and classes.
// Kiln uses it to name inputs and outputs as PyTorch prints them.
//
//   f(x, d={'k': y})   has the input paths "[0][0]" and "[1]['d']['k']"
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_PYTREE_H
#define KILN_ARCHIVE_PYTREE_H

#include "kiln/Base/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::archive {

struct PyTree {
  /// "builtins.tuple", "builtins.dict", a class name; empty for a leaf.
  std::string type;
  /// One step per child: "[0]", "['k']", ".field".
  std::vector<std::string> steps;
  std::vector<PyTree> children;

  bool isLeaf() const { return type.empty(); }
  size_t leafCount() const;
  /// Paths of the leaves, in order; a lone leaf has the empty path.
  std::vector<std::string> leafPaths() const;
};

/// Field names of named tuples by class name.
using NamedTupleFields = std::map<std::string, std::vector<std::string>>;

/// Parses the text of `in_spec` or `out_spec`: `[1, spec]`. Classes that are
/// not known are kept with numbered steps. Malformed for other text.
Result<PyTree> parsePyTree(std::string_view text,
                           const NamedTupleFields &fields = {});

} // namespace kiln::archive

#endif // KILN_ARCHIVE_PYTREE_H
