//===- Check.h - Items, outcomes and workers of kiln-check ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_CHECK_CHECK_H
#define KILN_TOOLS_KILN_CHECK_CHECK_H

#include "common/Calls.h"

#include "kiln/Archive/IoFile.h"
#include "kiln/Archive/OpCases.h"
#include "kiln/Session/Session.h"

#include <functional>
#include <string>
#include <vector>

namespace kiln::check {

struct Config {
  CompileOptions compile; ///< of every program
  bool gradients = false;
  bool dynamic = false; ///< every size of an input becomes a symbol
  bool twice = false;   ///< later calls must give the same bits
  unsigned threads = 1;
  std::string device = "cpu"; ///< of every program
  unsigned jobs = 1;
  unsigned maxFailures = 0; ///< 0: no limit
  unsigned secondsPerCase = 300;
};

/// A pack, or one program of an archive.
struct Item {
  std::string name; ///< what the line shows
  std::string pack; ///< path of the pack's JSON; empty for an archive
  std::string folder; ///< of an archive and its io file
  std::string file;   ///< the archive
  std::string model;  ///< of an archive with several programs
  archive::Expectation expectation;
};

struct Outcome {
  enum Kind : char {
    Passed = 'P',
    Failed = 'F',
    Unsupported = 'U',
    NotApplicable = 'N',
    /// A call that must be refused was: counts as passed if the pack has
    /// something that works, else as unsupported.
    Refused = 'R',
    /// The pack or the file of recorded values cannot be read: counts as
    /// failed, and the tool ends as with every input that it cannot read.
    Unreadable = 'X',
  };
  Kind kind = Passed;
  std::string text = {}; ///< what is wrong, with the case's name
  double compileSeconds = 0;
  double runSeconds = 0;
  unsigned launches = 0; ///< of kernels
  /// Operators that the program left to a function, with the reason; on a GPU all
  /// that it called.
  std::vector<std::string> fallbacks = {};
  /// What compiling spent where, in milliseconds by stage.
  std::map<std::string, double> stages = {};
  /// Why sizes could not become symbols, one reason a size.
  std::vector<std::string> fixedSizes = {};
  bool hasSymbols = false;    ///< some size did
  bool ranOtherSizes = false; ///< and the program was right for others
};

/// Runs one case of a pack.
Outcome runOpCase(const archive::OpCase &opCase, const Config &config);
/// Runs all sets of one archive.
Outcome runArchive(const Item &item, const Config &config);

/// With `dynamic`: calls the program of a case with larger sizes, until its
/// guards let some in, and says how backend eager differs; empty if it does not.
std::string compareAtOtherSizes(const archive::OpCase &opCase,
                                const Config &config,
                                session::Session &session, bool &wasRun);

/// Whether a value has the bits that it had in another call; empty if it has.
std::string compareBits(const runtime::OpValue &first,
                        const runtime::OpValue &second);
/// The same of results, with the number of the first that differs.
std::string compareBits(const std::vector<tools::CallOutput> &first,
                        const std::vector<tools::CallOutput> &second);

/// Says so if the stored gradients of a case are not those of its function, which
/// is smooth at its inputs; else empty.
std::string describeNoise(const archive::OpCase &opCase, const Config &config);

/// The tensor of a case with the whole storage around it.
Result<runtime::Tensor> makeInput(const archive::CaseTensor &input);
/// False for a result that the case's `output_mask` leaves out: PyTorch computes
/// some that were not asked for.
bool isAskedFor(const archive::OpCase &opCase, size_t result);

/// Session options that compile in this process with `config`.
session::SessionOptions sessionOptions(const Config &config, bool training);
/// Adds what a session spent, and what it left to functions.
void addStats(const session::Session &session, const Config &config,
              Outcome &outcome);
/// The outcome of an error where none was expected.
Outcome outcomeOf(const Error &error);

/// Runs all items in worker processes and calls `report(item, outcome)` for
/// each case as it ends, and `done(item)` after the last case of an item. A
/// worker that dies or hangs gives one failure and is replaced, and so is one whose
/// device has failed. `report` returning false ends the run.
Status runItems(const std::vector<Item> &items, const Config &config,
                const std::function<bool(size_t, const Outcome &)> &report,
                const std::function<void(size_t)> &done);

/// The device of `config`, which is open as long as someone has it; null for the
/// processor, and for one that cannot be opened, of which each case tells.
std::shared_ptr<runtime::Device> findDevice(const Config &config);

/// Whether the device of `config` still does what this process asks it for. After
/// the failure of a kernel it does not: every later call fails as well.
bool isDeviceWorking(const Config &config);

/// `*` and `?` as in a shell.
bool matchesGlob(const std::string &pattern, const std::string &text);

} // namespace kiln::check

#endif // KILN_TOOLS_KILN_CHECK_CHECK_H
