//===- Batcher.cpp - Requests that run together ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batcher.h"

#include <algorithm>
#include <cstring>

using kiln::Error;
using kiln::Result;
using kiln::runtime::Tensor;

/// As many calls may be waiting; what comes then is refused.
static constexpr size_t kQueuedCalls = 16;

Batcher::Batcher(std::unique_ptr<kiln::session::Session> session,
                 size_t maxRows, std::chrono::microseconds patience)
    : session_(std::move(session)), maxRows_(maxRows), patience_(patience),
      worker_([this] { work(); }) {}

Batcher::~Batcher() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

Result<std::future<Result<Rows>>> Batcher::submit(Rows rows) {
  Request request{std::move(rows), {}};
  auto answer = request.answer.get_future();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (queuedRows_ > kQueuedCalls * maxRows_)
      return Error::unsupported("too many requests are waiting");
    queuedRows_ += request.rows.count();
    queue_.push_back(std::move(request));
  }
  changed_.notify_all();
  return answer;
}

std::vector<Batcher::Request> Batcher::takeBatch() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
  changed_.wait_for(lock, patience_,
                    [this] { return ending_ || queuedRows_ >= maxRows_; });
  std::vector<Request> batch;
  size_t count = 0;
  while (!queue_.empty() && count + queue_.front().rows.count() <= maxRows_) {
    count += queue_.front().rows.count();
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queuedRows_ -= count;
  return batch;
}

Result<Rows> Batcher::run(const std::vector<Request> &batch, size_t count) {
  size_t width = batch.front().rows.width;
  auto x = Tensor::empty(kiln::DType::F32, {int64_t(count), int64_t(width)});
  if (!x)
    return x.takeError();
  float *to = x->dataAs<float>();
  for (const Request &request : batch)
    to = std::copy(request.rows.values.begin(), request.rows.values.end(), to);
  auto outputs = session_->call({*x});
  if (!outputs)
    return outputs.takeError();
  auto *y = outputs->empty()
                ? nullptr
                : std::get_if<Tensor>(&outputs->front().value);
  if (!y || y->dtype() != kiln::DType::F32 || y->rank() != 2 ||
      y->size(0) != int64_t(count))
    return Error::unsupported("the model gives no rows of f32");
  auto dense = y->contiguous();
  if (!dense)
    return dense.takeError();
  const float *from = dense->dataAs<float>();
  return Rows{size_t(y->size(1)),
              std::vector<float>(from, from + dense->numel())};
}

void Batcher::work() {
  while (true) {
    std::vector<Request> batch = takeBatch();
    if (batch.empty())
      return; // ending, and nothing is queued
    size_t count = 0;
    for (const Request &request : batch)
      count += request.rows.count();
    Result<Rows> results = run(batch, count);
    ++calls_;
    rows_ += count;
    size_t at = 0;
    for (Request &request : batch) {
      if (!results) {
        request.answer.set_value(results.error());
        continue;
      }
      auto first = results->values.begin() + at;
      at += request.rows.count() * results->width;
      request.answer.set_value(
          Rows{results->width, {first, results->values.begin() + at}});
    }
  }
}
