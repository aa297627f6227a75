//===- IoFile.h - Recorded inputs, results and expectations --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `io.json` lists values in raw files beside it (little-endian, row-major):
//
//   {"inputs": [VALUE...], "outputs": [VALUE...], "state_after": [VALUE...],
//    "inputs_after": [VALUE...], "random": bool, "alt"?: SET, "alts"?: [SET],
//    "gradients"?: {"tangents", "grads_params", "grads_inputs": [VALUE...]},
//    "name"?, "group"?: string, "training"?: bool, "tolerance"?: number}
//   VALUE = {"path", "kind": "tensor", "dtype", "shape", "file"}
//         | {"path", "kind": "int"|"float"|"bool"|"str", "value"}
//         | {"path", "kind": "none"}           and "name"?, "role"? in each
//
// `expect.json` says what a correct reader does with each archive of a folder.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_IOFILE_H
#define KILN_ARCHIVE_IOFILE_H

#include "kiln/Archive/ExportedProgram.h"

namespace kiln::archive {

/// A recorded value: a tensor, or a constant.
struct IoValue {
  std::string path; ///< pytree path, or a weight's name
  std::string name; ///< value name in the graph; joint files only
  std::string role; ///< tag of the signature; joint files only
  bool isTensor = false;
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  SharedBytes bytes; ///< row-major, mapped from its file
  ConstantValue constant;
  bool isNoise = false; ///< of rounding alone, which no other run reproduces
};

/// One call: what goes in and what comes out.
struct IoSet {
  std::vector<IoValue> inputs;
  std::vector<IoValue> outputs;
  std::vector<IoValue> stateAfter;  ///< buffers that changed, by name
  std::vector<IoValue> inputsAfter; ///< inputs that changed, by path
};

/// Gradients of the sum over outputs of output times tangent.
struct IoGradients {
  std::vector<IoValue> tangents;   ///< one per differentiable output, by path
  std::vector<IoValue> parameters; ///< by weight name
  std::vector<IoValue> inputs;     ///< by path
};

struct IoFile {
  std::string path;
  IoSet main;
  std::vector<IoSet> alts; ///< further input sets; `alt` is the first
  std::optional<IoGradients> gradients;
  bool isRandom = false; ///< outputs that no other run reproduces
  std::string name;
  std::string group;
  bool isTraining = false;
  std::optional<double> tolerance; ///< of max|a - b| / max|b|
  /// Copies of the inputs that timed calls on a device take turns with, so that none
  /// finds them in its caches.
  unsigned rotate = 1;
};

/// Reads an `io.json` and maps its files. Io if one is missing, Malformed if a
/// file's size is not that of its tensor.
Result<IoFile> loadIoFile(const std::string &path);

/// An input set that the program's own guards exclude.
struct RefusedSet {
  std::string set;
  int exitCode = 4;
  std::string reason;
};

/// One entry of `expect.json`.
struct Expectation {
  std::string archive; ///< file name, or the model's name within `models`
  bool passes = true;
  int exitCode = 0;    ///< of a refusal
  std::string reason;  ///< words that the refusal's message contains
  std::vector<std::string> sets; ///< "main", "alt"
  std::vector<RefusedSet> refusedSets;
  std::string io = "io.json";
  std::optional<std::vector<IoValue>> outputsOverride;
  bool comparesValues = true;  ///< false: number, dtype and shape only
  bool hasGradients = false;   ///< compare the gradients of set main
  std::optional<double> rtol;
  std::optional<double> atol;
  std::vector<Expectation> models; ///< of an archive with several programs
};

/// Reads an `expect.json`.
Result<std::vector<Expectation>> loadExpectations(const std::string &path);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_IOFILE_H
