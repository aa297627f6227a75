//===- CommandLine.h - Flags of the tools ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--name`, `--name=value` and, for flags that need a value, `--name value`;
// the rest are positional. A tool that must start in a millisecond links no
// LLVM, so this does not use llvm::cl.
//
//   CommandLine line;
//   line.flag("check", options.check);
//   line.value("threads", [&](const std::string &text) { ... });
//   if (Status s = line.parse(argc, argv); !s)
//     return reportError("kiln-run", s.error()); // Output.h
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_COMMON_COMMANDLINE_H
#define KILN_TOOLS_COMMON_COMMANDLINE_H

#include "kiln/Base/Result.h"
#include "kiln/Options/OptionKinds.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kiln::tools {

class CommandLine {
public:
  using Handler = std::function<Status(const std::string &value)>;

  /// A switch: `--name`.
  void flag(const std::string &name, bool &target);
  void flag(const std::string &name, std::function<Status()> handler);
  /// A flag with a value; may be given several times.
  void value(const std::string &name, Handler handler);
  void value(const std::string &name, std::string &target);
  /// A flag whose value may be missing: `--name` or `--name=value`; the handler
  /// gets an empty text then.
  void optionalValue(const std::string &name, Handler handler);
  /// A flag whose value is one of `words`.
  void choice(const std::string &name, std::vector<std::string> words,
              std::string &target);
  /// All flags whose names begin with `prefix`; the handler gets each as it was
  /// given, with its value behind `=` if it has one.
  void family(const std::string &prefix, Handler handler);
  /// A flag that exists in PyTorch and is refused with a reason.
  void refused(const std::string &name, const std::string &reason);

  /// Usage error for unknown flags and missing values; it names flags that
  /// are near.
  Status parse(int argc, char **argv);
  const std::vector<std::string> &positional() const { return positional_; }
  /// `-h` or `--help` was given; parsing stopped there.
  bool wantsHelp() const { return wantsHelp_; }
  /// `--version` was given; parsing stopped there.
  bool wantsVersion() const { return wantsVersion_; }

private:
  struct Flag {
    enum class Value { None, Optional, Required } takes = Value::None;
    Handler handler;
  };
  std::string nearest(const std::string &name) const;

  std::map<std::string, Flag> flags_;
  std::vector<std::pair<std::string, Handler>> families_;
  std::vector<std::string> positional_;
  bool wantsHelp_ = false, wantsVersion_ = false;
};

/// Whole texts as numbers; Usage errors name the flag.
Result<int64_t> parseInteger(const std::string &flag, const std::string &text,
                             int64_t low, int64_t high);
Result<double> parseNumber(const std::string &flag, const std::string &text,
                           double low, double high);
/// As lists of options are split.
using option::splitList;

} // namespace kiln::tools

#endif // KILN_TOOLS_COMMON_COMMANDLINE_H
