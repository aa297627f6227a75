//===- driver.h - What parts of the driver without a GPU share -*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FAKECUDA_DRIVER_H
#define KILN_TEST_FAKECUDA_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace fake_cuda {

using Address = unsigned long long;

enum Answer {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidImage = 200,
  InvalidPTX = 218,
  UnsupportedPTX = 222,
  InvalidContext = 201,
  NotFound = 500,
  IllegalAddress = 700,
  ContextDestroyed = 709,
  Assert = 710,
  LaunchFailed = 719,
  DriverMismatch = 803,
  Unknown = 999,
};

struct Code {
  std::string text;
};

struct Function {
  std::string name;
  std::vector<size_t> parameterBytes;
  long long threads = 0; ///< of a block, if the text says it
  bool waits = false;    ///< by itself, for what is before it
};

/// As the runtime's own declaration.
struct GraphEdge {
  unsigned char fromPort, toPort, type, reserved[5];
};

/// As the runtime's own declaration.
struct KernelNode {
  void *function;
  unsigned blocks[3], threads[3], sharedBytes;
  void **parameters, **extra;
  void *kernel, *context;
};

/// A copy from page-locked memory, which is read when the copy's turn comes.
struct LateCopy {
  uint64_t at; ///< in the stream
  Address to;
  Address from;
  size_t bytes;
};

/// A function of the host in the stream.
struct HostCall {
  uint64_t at;
  std::thread thread;
};

struct Event {
  double clock = 0;
  uint64_t at = 0; ///< in the stream; 0: not recorded
};

struct State {
  std::mutex mutex;
  std::map<Address, size_t> memory, pageLocked;
  size_t used = 0, locked = 0;
  uint64_t asked = 0; ///< copies, launches and functions in the stream so far
  int failure = Success; ///< what every call answers from now on
  bool isBusy = false;   ///< something was launched and not waited for
  double clock = 0;      ///< microseconds of all launches
  bool isStuck = false;  ///< one of them does not end
  pid_t process = 0;     ///< that has started the driver; its copies cannot use it
  std::deque<LateCopy> copies;
  std::deque<HostCall> hosts;
  void *capturing =
      nullptr; ///< a stream whose work is written down and not done
  std::vector<std::function<int()>> captured;
};

State &state();

/// Of the calling thread.
extern thread_local std::vector<void *> contexts;

/// A number of KILN_FAKE_CUDA.
long long setting(const std::string &name, long long otherwise);

/// Of a block, as the text promises from an entry on; 0 if it does not.
long long threadsOf(const std::string &text, size_t entry);

/// Adds a line to KILN_FAKE_CUDA_LOG.
void note(const std::string &line);

/// The bytes from an address to the end of its block; 0 outside of all.
size_t bytesFrom(Address address);

/// Does the late copies up to a place of the stream, of all by default: before memory of
/// the device is read or written by something behind them.
void doCopies(uint64_t end = UINT64_MAX);

/// What every call answers from now on.
int fail(int answer);

} // namespace fake_cuda

#endif // KILN_TEST_FAKECUDA_DRIVER_H
