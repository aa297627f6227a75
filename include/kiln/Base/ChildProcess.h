//===- ChildProcess.h - Work that may end its process -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a function in a copy of this process, so that whatever ends the copy (a
// crash, a fatal error of a library, a limit) is an error here. What the copy
// changes in memory is lost; it has the caller's thread alone and may make others.
// While it runs it can tell the parent things and ask for them:
//
//   auto bytes = runInChild(
//       {}, [](ChildChannel &parent) -> Result<std::vector<uint8_t>> {
//         parent.tell(1, ByteView("half done"));
//         return compute();
//       },
//       [](uint8_t tag, ByteView message) {   // in this process
//         return std::vector<uint8_t>();      // the reply, if one was asked for
//       });
//
// What is written to the log in the copy is written to the log here. The copy keeps
// no descriptor of this process but the standard streams, ignores the signals that
// this ignores, and ends with it. A host that handles SIGCHLD sees one of each copy,
// and may wait for it. Other copies that the host makes at that moment may keep the
// connection open; that this one ended is seen all the same.
//
// A lock that another thread holds at that moment stays locked in the copy. Those of
// malloc, the standard streams and the log are freed; of others the body should use none
// that threads of the host may hold, and says with `beginSeconds` what to do if it does.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_CHILDPROCESS_H
#define KILN_BASE_CHILDPROCESS_H

#include "kiln/Base/Bytes.h"

#include <functional>
#include <memory>
#include <optional>

namespace kiln {

/// The copy's side of the connection. May be used by several of its threads.
class ChildChannel {
public:
  virtual ~ChildChannel() = default;
  /// `tag` is below 100.
  virtual void tell(uint8_t tag, ByteView message) = 0;
  /// Waits for the reply; ends the copy if the parent is gone.
  virtual std::vector<uint8_t> ask(uint8_t tag, ByteView message) = 0;
};

struct ChildOptions {
  double seconds = 600;      ///< it is ended after this time
  std::string what = "work"; ///< "the compilation", for errors
  /// If there is one: after so many seconds without a message it is ended, too.
  std::function<double()> silence;
  /// If above 0: a copy that says nothing for so long at first is ended, and another
  /// one made, once. It may wait for a lock that nobody there holds any more.
  double beginSeconds = 0;
  bool isQuiet = false; ///< what it writes to the standard streams is dropped
};

using ChildBody =
    std::function<Result<std::vector<uint8_t>>(ChildChannel &parent)>;
using ChildHandler =
    std::function<std::vector<uint8_t>(uint8_t tag, ByteView message)>;

/// How a copy came to its end.
struct ChildEnd {
  enum Kind {
    Answered,  ///< `body` returned
    NotMade,   ///< there can be no copy now: `answer` says why (Io)
    Late,      ///< was ended after its time
    Signalled, ///< `code` is the signal
    Exited,    ///< without an answer; `code` is what exit was called with
    Lost       ///< without an answer; the host waits for all its children
  };
  Kind kind = Lost;
  int code = 0;
  Result<std::vector<uint8_t>> answer = std::vector<uint8_t>();
};

/// Runs `body`, and `handler` here. What the handler throws ends the copy and goes on
/// to the caller.
ChildEnd watchChild(const ChildOptions &options, const ChildBody &body,
                    const ChildHandler &handler);

/// A program that answers one question after another, for what no copy can use, such as
/// the driver of a GPU that the process has started. It calls `serveParent`.
class ChildProgram {
public:
  explicit ChildProgram(std::string path);
  ~ChildProgram(); ///< ends it
  ChildProgram(const ChildProgram &) = delete;
  ChildProgram &operator=(const ChildProgram &) = delete;

  const std::string &getPath() const { return path_; }

  /// As `watchChild`, until its next answer. One that has ended, or has answered with
  /// an error, is ended, and started again for the next question. All calls are of the
  /// thread that has made this, with whose end it ends.
  ChildEnd watch(const ChildOptions &options, const ChildHandler &handler);

private:
  struct Running;
  std::string path_;
  std::unique_ptr<Running> running_;
};

/// In that program: runs `body` again and again for the process that started it, as a
/// copy would, and ends with it. Ends with 2 where nobody has started it so.
[[noreturn]] void serveParent(const ChildBody &body);

/// The same in one value: what `body` returns. Internal if the copy ended without an
/// answer, Unsupported after the time limit or for want of memory, Io if there can be
/// no copy.
Result<std::vector<uint8_t>> resultOf(ChildEnd how, const ChildOptions &options);

/// Both in one.
Result<std::vector<uint8_t>> runInChild(const ChildOptions &options,
                                        const ChildBody &body,
                                        const ChildHandler &handler);

} // namespace kiln

#endif // KILN_BASE_CHILDPROCESS_H
