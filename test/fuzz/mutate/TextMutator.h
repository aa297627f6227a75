//===- TextMutator.h - Changed IR text --------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IR text with a few small changes: of the kind that a slip of the hand, a bug
// of another producer or an attacker makes. Most changes keep a text that
// parses, since what the parser refuses tests nothing behind it: a size or an
// element type is then replaced wherever it stands.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZ_TEXTMUTATOR_H
#define KILN_TEST_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace kiln::fuzz {

using Random = std::mt19937_64;

/// A number below `end`, which is not 0. Distributions of the standard library
/// differ between libraries; a seed must give the same mutant everywhere.
inline size_t below(Random &random, size_t end) { return random() % end; }

/// `text` with one to three changes; words and lines may come from `donor`.
std::string mutateText(const std::string &text, const std::string &donor,
                       Random &random);

} // namespace kiln::fuzz

#endif // KILN_TEST_FUZZ_TEXTMUTATOR_H
