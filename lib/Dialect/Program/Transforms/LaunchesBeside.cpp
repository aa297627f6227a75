//===- LaunchesBeside.cpp - What could run at the same time ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchesBeside.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

/// An assertion that a device looks at by itself: nothing waits for it.
static bool isCheck(Operation &op) {
  auto call = dyn_cast<CallOp>(op);
  return call && call.getOverload().starts_with("aten._assert_async.");
}

namespace {
/// Who has seen a memory until now.
struct Seen {
  SmallVector<unsigned> writers, readers;
};
} // namespace

LaunchesBeside::LaunchesBeside(FuncOp function) {
  Block &body = function.getBody().front();
  llvm::DenseMap<Value, Seen> seen;
  size_t count = llvm::range_size(body);
  llvm::BitVector all(count), awaited(count);
  for (Operation &op : body) {
    if (isa<SlotOp, AllocOp, ViewOp, GetOp, SymbolOp, ReleaseOp>(op))
      continue;
    unsigned number = before.size();
    numbers[&op] = number;
    auto launch = dyn_cast<LaunchOp>(op);
    // The host waits for the device, and the device for it.
    if (!launch && !isCheck(op))
      awaited = all;
    before.push_back(awaited);
    for (auto [k, value] : llvm::enumerate(op.getOperands())) {
      Seen &others = seen[getRoot(value)];
      bool isWritten = launch && k < launch.getBuffers().size() &&
                       launch.getWrites()[k];
      auto wait = [&](ArrayRef<unsigned> list) {
        for (unsigned other : list)
          if (other != number) {
            before[number].set(other);
            before[number] |= before[other];
          }
      };
      wait(others.writers);
      if (isWritten)
        wait(others.readers);
      (isWritten ? others.writers : others.readers).push_back(number);
    }
    all.set(number);
  }
}

SmallVector<unsigned> LaunchesBeside::getUsers(AllocOp buffer) const {
  SmallVector<unsigned> users;
  SmallVector<Value> values = {buffer.getResult()};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers())
      if (auto view = dyn_cast<ViewOp>(user))
        values.push_back(view.getResult());
      else if (auto found = numbers.find(user); found != numbers.end())
        users.push_back(found->second);
  llvm::sort(users);
  return users;
}

bool LaunchesBeside::mayPass(ArrayRef<unsigned> users, unsigned later) const {
  return llvm::any_of(users, [&](unsigned user) {
    return user != later && !before[later].test(user);
  });
}
