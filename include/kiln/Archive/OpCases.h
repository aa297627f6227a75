//===- OpCases.h - Operator case packs -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pack is `<overload>.json` with `<overload>.bin` beside it: one-node
// programs with inputs, results, gradients and errors as PyTorch computed them.
// A case becomes an in-memory program, so that it runs through the same
// importer and compiler as a model.
//
//   auto pack = loadOpPack("ops/aten.add.Tensor.json");
//   for (const OpCase &one : pack->cases)
//     run(one.makeProgram(), one.tensors);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_OPCASES_H
#define KILN_ARCHIVE_OPCASES_H

#include "kiln/Archive/ExportedProgram.h"

namespace kiln::archive {

/// A tensor of a case: a strided view of a whole storage. Elements outside of
/// the view hold other values.
struct CaseTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t storageOffset = 0; ///< in elements
  SharedBytes storage;

  /// The first byte outside of the view that is not as it was; nothing if a
  /// call has kept to the view, or has replaced the storage by a smaller one.
  std::optional<size_t> findChangeOutside(ByteView after) const;
  /// The same tensor with other sizes, none of them smaller: its elements
  /// repeat (of a list of integers the last one, so that it stays sorted), and
  /// strides keep their order and their gaps.
  CaseTensor withSizes(const std::vector<int64_t> &others) const;
};

/// An expected result.
struct CaseResult {
  enum class Kind {
    None,   ///< the operator returns no tensor here
    Tensor, ///< dtype, sizes and row-major `bytes`
    Meta,   ///< only dtype and sizes are specified
    Number, ///< `number`
  };
  Kind kind = Kind::None;
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides; ///< eager's; empty if not recorded
  int64_t storageOffset = 0;    ///< eager's, with `aliasOf`
  std::string aliasOf;          ///< shares storage with that input, or empty
  SharedBytes bytes;
  SymValue number;
  double rtol = 0;
  double atol = 0;
};

struct NamedResult {
  std::string name;
  CaseResult result;
};

struct CaseGradients {
  /// One cotangent per result; kind None where not differentiable.
  std::vector<CaseResult> tangents;
  /// Gradients by input name; kind None where the result does not depend on it.
  std::vector<NamedResult> inputs;
};

/// What is known of a random result.
struct CaseStatistics {
  size_t output = 0;
  std::optional<double> min;
  std::optional<double> max;
  bool isInteger = false;
  bool isPermutation = false;
  std::vector<double> values; ///< the only ones allowed; empty: any
  std::optional<double> mean;
  double meanTolerance = 0;
};

struct OpCase {
  std::string id;
  Node node;
  std::vector<CaseTensor> tensors;
  std::vector<CaseResult> expected; ///< flat: lists count element by element
  std::vector<NamedResult> mutated; ///< inputs that the call changes
  /// At least that of the type in which `out`, if there is one, is computed.
  double rtol = 0;
  double atol = 0;
  std::vector<std::string> tags;
  std::optional<CaseGradients> gradients;
  std::string error; ///< "shape", "dtype", "index", "value"; empty: succeeds
  std::string message;
  bool isRandom = false;
  std::optional<CaseStatistics> statistics;

  /// A program of this one node. Tensors are user inputs, in the order of
  /// `tensors`; every value of `node.outputs` is a user output. Inputs that
  /// have a gradient ask for one. A result that the case does not describe, as
  /// of a call that fails, has no metadata: its type is what is inferred.
  ExportedProgram makeProgram() const;
};

struct OpPack {
  std::string overload; ///< "aten.add.Tensor"
  std::string schema;
  std::vector<OpCase> cases;
};

/// Reads a pack by the path of its `.json`.
Result<OpPack> loadOpPack(const std::string &path);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_OPCASES_H
