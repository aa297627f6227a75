//===- ExportedProgram.h - A `.pt2` file read into memory ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what `torch.export.save` writes: the PT2 archive with raw weights (2.9
// and later), with pickled weights (2.8), and the legacy zip (2.7 and earlier).
// Weights are views of the mapped file; nothing is copied. A program that was
// read is consistent: names, signature, symbols, hints and weights agree.
//
// Errors: Io when the file cannot be read, Malformed when its bytes contradict
// the format or each other, Unsupported when it is well formed and something
// that Kiln does not run (TorchScript, checkpoint, compiled package, several
// programs without a choice, tensor subclasses, sparse layouts).
//
// Example:
//
//   auto program = archive::loadExportedProgram("train.pt2");
//   if (!program)
//     return program.takeError();
//   for (const archive::InputSpec &input : program->inputs)
//     if (const archive::Weight *weight = program->weightOf(input))
//       bind(input.name, weight->storage, weight->sizes, weight->strides);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_EXPORTEDPROGRAM_H
#define KILN_ARCHIVE_EXPORTEDPROGRAM_H

#include "kiln/Archive/Graph.h"
#include "kiln/Archive/PyTree.h"
#include "kiln/Archive/Weight.h"
#include "kiln/Base/Digest.h"

#include <map>

namespace kiln::archive {

/// A constant that the program was specialised to.
using ConstantValue =
    std::variant<std::monostate, bool, int64_t, double, std::string>;

/// One entry of `graph.inputs`, at the same position.
struct InputSpec {
  enum class Kind {
    Parameter,
    Buffer,
    TensorConstant,
    CustomObj,
    Token,
    UserInput,     ///< a tensor, or a symbolic number
    ConstantInput, ///< passed by the caller, must equal `constant`
  };
  Kind kind = Kind::UserInput;
  std::string name;   ///< value name; of a constant input its argument name
  std::string target; ///< weight name of parameters, buffers and constants
  bool persistent = true; ///< buffers
  bool isTensor = true;   ///< user inputs: false for a symbolic number
  ConstantValue constant;
  /// Inputs of the caller: place in the nested arguments as PyTorch prints it,
  /// "[0][0]" or "[1]['k']".
  std::string path;
  /// Inputs of the caller: as guards name it, "L['x']".
  std::string source;

  bool isCallerInput() const {
    return kind == Kind::UserInput || kind == Kind::ConstantInput;
  }
};

/// One entry of `graph.outputs`, at the same position.
struct OutputSpec {
  enum class Kind {
    UserOutput,
    Loss,
    BufferMutation,
    ParameterMutation,
    UserInputMutation,
    GradientToParameter,
    GradientToUserInput,
    Token,
  };
  Kind kind = Kind::UserOutput;
  Argument arg;       ///< a tensor, a symbolic number or a constant
  std::string target; ///< weight name, or value name of the user input
  std::string path;   ///< user outputs: "", "[0]", "['a'][1]"

  bool isCallerOutput() const {
    return kind == Kind::UserOutput || kind == Kind::Loss;
  }
};

struct SymRange {
  std::optional<int64_t> min; ///< inclusive; nothing: no bound
  std::optional<int64_t> max;
};

/// One entry of `guards_code`.
struct GuardCode {
  std::string text;
  SymExprPtr expr; ///< null if it is outside of what `parseGuardCode` reads
};

struct ExportedProgram {
  std::string file;  ///< for messages
  std::string model; ///< "model"; the name inside an archive
  std::string torchVersion;
  int64_t schemaMinor = 0;
  bool isTrainingIR = false; ///< in-place operators may occur

  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::map<std::string, SymRange> ranges; ///< of plain symbols
  /// Of input sizes that are other expressions; those that cannot be read are
  /// left out, since they follow from the symbols'.
  std::vector<std::pair<SymExprPtr, SymRange>> derivedRanges;
  std::vector<GuardCode> guards;
  PyTree inSpec;  ///< a tuple of (positional tuple, keyword dict)
  PyTree outSpec;
  std::vector<std::string> argumentNames; ///< of forward(), may be empty
  /// Hints of plain symbols, found in the metadata of values.
  std::map<std::string, SymValue> hints;

  std::map<std::string, Weight> weights; ///< by weight name
  Digest digest; ///< of graph, weight tables and the archive's directory
  std::vector<std::string> warnings; ///< what was skipped, for people

  /// The weight behind a parameter, buffer or constant input; null for others.
  const Weight *weightOf(const InputSpec &input) const;
};

struct LoadOptions {
  std::string model;        ///< which program; empty: the only one
  bool checkWeights = true; ///< compare the CRC of weight records
};

/// Reads one program of a file.
Result<ExportedProgram> loadExportedProgram(const std::string &path,
                                            const LoadOptions &options = {});

/// The same from bytes in memory; `file` names them in messages.
Result<ExportedProgram> loadExportedProgram(SharedBytes bytes,
                                            const std::string &file,
                                            const LoadOptions &options = {});

/// Checks names and tables of a graph; for programs made by hand. `place`
/// begins the messages.
Status verifyGraph(const Graph &graph, const std::string &place);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_EXPORTEDPROGRAM_H
