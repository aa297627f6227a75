//===- Specializer.h - Which symbols are numbers in a variant --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of the caller's tensors give the symbols of a program values; options
// and ranges say which of these become numbers, so that a variant is compiled
// for them alone. A size of the file whose range does not begin above 2 may be 0
// or 1: tracing takes these for special, so each of them is a number in a variant
// of its own.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_SPECIALIZER_H
#define KILN_LIB_SESSION_SPECIALIZER_H

#include "kiln/Session/Session.h"
#include "kiln/Session/SizeProfile.h"

#include <map>
#include <set>

namespace kiln::session {

class Specializer {
public:
  /// `source` and `options` must live as long. `inputs` are those of the source.
  Specializer(const archive::Source &source, const CompileOptions &options,
              const std::vector<UserInput> &inputs)
      : source_(source), options_(options), inputs_(inputs) {}

  /// What the variant for these slots is compiled for. Guard error if a number
  /// is outside of its range, Usage or Unsupported for marks without meaning.
  /// With `isStatic` all symbols are numbers but those that vary in `profile`.
  Result<Specialization> specialize(const std::vector<runtime::OpValue> &slots,
                                    bool isStatic,
                                    const SizeProfile &profile) const;
  /// The values that these inputs give the program's symbols; none where they
  /// contradict each other.
  SizeProfile sizes(const std::vector<runtime::OpValue> &slots) const;

  /// True if a program was compiled for these numbers.
  bool isFor(const package::Program &program,
             const Specialization &specialization) const;

private:
  using SymbolValues = std::map<std::string, int64_t>;
  /// Nothing for a size of which nothing is known.
  using SizeOf =
      std::function<std::optional<int64_t>(size_t slot, size_t dim)>;

  const archive::ExportedProgram *program() const {
    return source_.program.get();
  }
  Result<std::set<std::string>> staticSymbols() const;
  Result<SymbolValues> solve(const SizeOf &sizeOf) const;
  Result<SymbolValues>
  solve(const std::vector<runtime::OpValue> &slots) const;
  Result<SymbolValues> numbers(const std::vector<runtime::OpValue> &slots,
                               bool isStatic, const SizeProfile &profile) const;
  bool mayBeSmall(const std::string &symbol) const;
  bool allowsSmall(const SymbolValues &values) const;
  Status checkRange(const std::string &symbol, int64_t value) const;

  const archive::Source &source_;
  const CompileOptions &options_;
  const std::vector<UserInput> &inputs_;
};

} // namespace kiln::session

#endif // KILN_LIB_SESSION_SPECIALIZER_H
