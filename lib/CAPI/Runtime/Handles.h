//===- Handles.h - What the handles of kiln-c/Runtime.h are ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CAPI_RUNTIME_HANDLES_H
#define KILN_LIB_CAPI_RUNTIME_HANDLES_H

#include "kiln-c/Runtime.h"

#include "kiln/Session/Session.h"

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>

struct KilnStatus {
  KilnCode code;
  std::string text;
};

struct KilnTensor {
  kiln::runtime::Tensor tensor;
};

namespace kiln::capi {

/// What a model tells of itself: made once, then only read. Deques never move
/// what is in them.
struct Signature {
  std::deque<KilnValueInfo> lists[KILN_STATE + 1];
  std::deque<KilnSymbol> symbols;
  std::deque<std::string> texts;
  std::deque<std::vector<KilnDimension>> dimensions;
  /// Places of the user's outputs among those of the program.
  std::vector<size_t> outputs;
  /// The values of inputs that are no choice, by input.
  std::vector<runtime::OpValue> constants;
};

/// Of a package that was loaded.
Signature describe(const package::Package &package);

} // namespace kiln::capi

struct KilnModel {
  std::unique_ptr<kiln::session::Session> session;
  kiln::capi::Signature signature;
  std::string target;
  std::vector<std::string> variants;
  bool isExclusive = false; ///< calls write to weights
  std::string missing;      ///< a weight without values
  /// Steps taken. Read without the lock, which cannot be taken twice: a release
  /// function of the caller may run under it and ask.
  std::atomic<uint64_t> steps{0};
  /// Shared by calls, exclusive for what changes the model.
  mutable std::shared_mutex mutex;
};

namespace kiln::capi {

/// The status of an error; never fails.
KilnStatus *statusOf(const Error &error) noexcept;
/// Of a failed allocation. A constant, which destroying leaves alone.
KilnStatus *noMemory() noexcept;

/// Runs the body of an entry point, a function that returns Status. Nothing that
/// it throws passes the line to C.
template <typename F> KilnStatus *guarded(F body) noexcept {
  try {
    Status status = body();
    return status ? nullptr : statusOf(status.error());
  } catch (const std::bad_alloc &) {
    return noMemory();
  } catch (const std::length_error &) {
    return noMemory();
  } catch (const std::exception &exception) {
    try {
      return statusOf(Error::internal(exception.what()));
    } catch (...) {
      return noMemory();
    }
  } catch (...) {
    return noMemory();
  }
}

/// Usage error that names an argument which must not be null.
inline Error isNull(const char *argument) {
  return Error::usage("'" + std::string(argument) + "' is null");
}

/// The values of a call's inputs, constants filled in.
Result<std::vector<runtime::OpValue>> readInputs(const KilnModel &model,
                                                 const KilnValue *inputs,
                                                 size_t count);
Result<runtime::OpValue> readValue(const KilnValue &value);
/// Hands a value out; the caller owns what is in it. What is read only, as a weight
/// that a model returns, is copied.
Result<KilnValue> handOut(runtime::OpValue value);
/// Notes a weight that has no values; after each change of weights.
void findMissing(KilnModel &model);

/// Results that are none when a call begins, and again if it fails on the way.
class Results {
public:
  Results(KilnValue *values, size_t count) : values_(values), count_(count) {
    for (size_t i = 0; values && i < count; ++i)
      values[i] = KilnValue();
  }
  ~Results() {
    if (values_)
      kilnValuesDestroy(values_, count_);
  }
  Results(const Results &) = delete;
  Results &operator=(const Results &) = delete;
  /// They are the caller's now.
  void keep() { values_ = nullptr; }

private:
  KilnValue *values_;
  size_t count_;
};

/// What a call holds meanwhile: with others, or alone if it writes to weights.
class CallLock {
public:
  explicit CallLock(const KilnModel &model)
      : shared_(model.mutex, std::defer_lock),
        alone_(model.mutex, std::defer_lock) {
    if (model.isExclusive)
      alone_.lock();
    else
      shared_.lock();
  }

private:
  std::shared_lock<std::shared_mutex> shared_;
  std::unique_lock<std::shared_mutex> alone_;
};

} // namespace kiln::capi

#endif // KILN_LIB_CAPI_RUNTIME_HANDLES_H
