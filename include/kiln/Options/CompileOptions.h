//===- CompileOptions.h - What a compilation depends on -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of kiln/ABI/Options.def as a struct, as text, and as a table of
// rows that tools make flags and help of:
//
//   CompileOptions options;
//   options.backend = Backend::AotEager;
//   options.training = true;
//   auto record = options.record();        // "backend=aot_eager\ntraining=1\n"
//   auto again = CompileOptions::parse(*record);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_OPTIONS_COMPILEOPTIONS_H
#define KILN_OPTIONS_COMPILEOPTIONS_H

#include "kiln/Base/Result.h"
#include "kiln/Options/OptionKinds.h"
#include "kiln/Options/Specialization.h"

namespace kiln {

// The enumerations: `enum class Backend { Inductor, AotEager, Eager }`, ...
#define KILN_OPTION(field, Kind, fallback, effect, tools, environment, help)
#define KILN_CHOICE(field, Type, effect, tools, environment, help, ...)        \
  enum class Type { __VA_ARGS__ };                                             \
  constexpr const char *enumeratorsOf(Type) { return #__VA_ARGS__; }
#include "kiln/ABI/Options.def"

/// The word of an enumerator: "aot_eager".
template <typename E> const std::string &wordOf(E value) {
  return option::Choice<E>::print(value);
}

struct CompileOptions {
#define KILN_OPTION(field, Kind, fallback, effect, tools, environment, help)   \
  option::Kind::Value field = fallback;
#define KILN_CHOICE(field, Type, effect, tools, environment, help, ...)        \
  Type field = Type();
#include "kiln/ABI/Options.def"

  /// What this variant makes of the symbols of its source: the only part that no
  /// option says, and no part of the record.
  Specialization specialization;

  /// The options record of kiln/ABI/CompilerABI.h: lines `key=value`, sorted,
  /// without those that have their default. Usage error for a text that cannot
  /// be written in it.
  Result<std::string> record() const;
  /// Of these the lines that change code: what the key of a package holds.
  Result<std::string> keyRecord() const;
  /// Of those the lines that act before code is generated: what the key of a training
  /// step's graphs holds.
  Result<std::string> graphRecord() const;
  /// Element types of attention, as "bf16,f16", whose backward is faster with the sums of
  /// the forward's rows.
  std::string savedSums() const;

  /// Reads both texts. Usage errors name the line and what would work.
  static Result<CompileOptions> parse(const std::string &record,
                                      const std::string &specialization = "");

  /// True if schedules of kernels are to be measured: then what comes of a
  /// compilation depends on the machine's threads, too.
  bool isTuned() const {
    return backend == Backend::Inductor &&
           (maxAutotune || maxAutotuneGemm || maxAutotunePointwise);
  }

  /// Usage error if options contradict each other. `parse` has called it.
  Status verify() const;
};

/// Tools that have a flag for an option.
enum class OptionTool : unsigned { Compile = 1, Run = 2, Check = 4 };

/// A line of Options.def.
struct OptionRow {
  std::string name;        ///< "input_gradients"
  std::string flag;        ///< "input-gradients"
  std::string shape;       ///< "A,B", "direct|linalg"; empty for a switch
  std::string expected;    ///< "0 or 1"
  std::string fallback;    ///< the default as text
  std::string environment; ///< a variable, or empty
  std::string help;
  bool changesCode = false;  ///< a package may depend on it
  bool changesGraph = false; ///< so may graphs, before code is generated
  unsigned tools = 0; ///< of OptionTool
  bool isSwitch = false;
  bool isFolder = false;

  /// False if the text is no value of it. Lists grow.
  bool (*set)(CompileOptions &options, const std::string &text) = nullptr;
  std::string (*get)(const CompileOptions &options) = nullptr;
  bool (*isEqual)(const CompileOptions &a, const CompileOptions &b) = nullptr;

  bool isFlagOf(OptionTool tool) const {
    return (tools & static_cast<unsigned>(tool)) != 0;
  }
};

/// All options, in the order of their keys.
const std::vector<OptionRow> &optionTable();
/// The row of a key, or null.
const OptionRow *findOption(const std::string &name);

/// The lines of `--help` for the flags of a tool, 80 columns wide.
std::string optionHelp(OptionTool tool);
/// All options as a page of Markdown.
std::string optionPage();

} // namespace kiln

#endif // KILN_OPTIONS_COMPILEOPTIONS_H
