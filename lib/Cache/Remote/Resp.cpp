//===- Resp.cpp - Redis commands and replies ------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resp.h"

#include <algorithm>
#include <hiredis/hiredis.h>
#include <new>

using namespace kiln;
using namespace kiln::cache;

std::string Reply::errorCode() const {
  std::string code;
  for (char c : text.substr(0, 24)) {
    if (c < 'A' || c > 'Z')
      break;
    code += c;
  }
  // Those that Redis has; what a server makes up is not kept.
  static const char *const known[] = {
      "ASK",      "BUSY",     "CLUSTERDOWN", "CROSSSLOT", "LOADING", "MISCONF",
      "MOVED",    "NOAUTH",   "NOPERM",      "NOREPLICAS", "OOM",
      "READONLY", "TRYAGAIN", "WRONGPASS",   "WRONGTYPE"};
  bool isKnown = std::any_of(std::begin(known), std::end(known),
                             [&](const char *one) { return code == one; });
  return isKnown ? code : "ERR";
}

std::string cache::formatCommand(const std::vector<std::string_view> &words) {
  std::vector<const char *> pointers;
  std::vector<size_t> lengths;
  for (std::string_view word : words) {
    pointers.push_back(word.data());
    lengths.push_back(word.size());
  }
  char *formatted = nullptr;
  int size = redisFormatCommandArgv(&formatted, int(words.size()),
                                    pointers.data(), lengths.data());
  if (size < 0 || !formatted)
    throw std::bad_alloc();
  std::string command(formatted, size_t(size));
  redisFreeCommand(formatted);
  return command;
}

//===----------------------------------------------------------------------===//
// What hiredis calls; a null result makes the reader stop with an error
//===----------------------------------------------------------------------===//

/// The place of the value that is being read: in its array, or a new root.
static Reply *place(const redisReadTask *task) {
  if (task->parent)
    return &static_cast<Reply *>(task->parent->obj)
                ->elements[size_t(task->idx)];
  return new (std::nothrow) Reply();
}

/// The place of a value, which `fill` fills. Null, with no root left behind, if
/// there is no memory: no exception may pass through the frames of hiredis.
template <typename Fill>
static Reply *make(const redisReadTask *task, Fill fill) {
  Reply *reply = place(task);
  if (!reply)
    return nullptr;
  try {
    fill(*reply);
    return reply;
  } catch (const std::exception &) {
    if (!task->parent)
      delete reply;
    return nullptr;
  }
}

static void *createString(const redisReadTask *task, char *text, size_t size) {
  return make(task, [&](Reply &reply) {
    reply.kind = task->type == REDIS_REPLY_ERROR    ? Reply::Kind::Error
                 : task->type == REDIS_REPLY_STATUS ? Reply::Kind::Status
                                                    : Reply::Kind::String;
    reply.text.assign(text, size);
  });
}

static void *createArray(const redisReadTask *task, int count) {
  size_t &elements = *static_cast<size_t *>(task->privdata);
  if (count < 0 || size_t(count) > kMaxReplyElements - elements)
    return nullptr;
  elements += size_t(count);
  return make(task, [&](Reply &reply) {
    reply.kind = Reply::Kind::Array;
    reply.elements.resize(size_t(count));
  });
}

static void *createInteger(const redisReadTask *task, long long value) {
  return make(task, [&](Reply &reply) {
    reply.kind = Reply::Kind::Integer;
    reply.integer = value;
  });
}

static void *createNil(const redisReadTask *task) { return place(task); }

/// Called for roots alone; what is in them goes with them.
static void freeObject(void *reply) { delete static_cast<Reply *>(reply); }

static redisReplyObjectFunctions functions = {
    createString, createArray, createInteger, createNil, freeObject};

//===----------------------------------------------------------------------===//
// RespReader
//===----------------------------------------------------------------------===//

RespReader::RespReader() : reader_(redisReaderCreateWithFunctions(&functions)) {
  if (!reader_)
    throw std::bad_alloc();
  reader_->privdata = &elements_;
}

RespReader::~RespReader() { redisReaderFree(reader_); }

bool RespReader::feed(ByteView bytes) {
  if (!error_.empty())
    return false;
  // A reply and the beginning of the next may come together, so what is over
  // the limit is seen by `next`, and here what is far over it.
  pending_ += bytes.size();
  if (redisReaderFeed(reader_, reinterpret_cast<const char *>(bytes.data()),
                      bytes.size()) != REDIS_OK) {
    error_ = "the reply does not fit into memory";
    return false;
  }
  return true;
}

/// What is still to be parsed: from the beginning of an incomplete value.
std::string_view RespReader::rest() const {
  return {reader_->buf + reader_->pos, reader_->len - reader_->pos};
}

/// Whether it is a string; hiredis has then taken the '$' before its length.
static bool isString(const redisReader &reader) {
  return reader.ridx >= 0 &&
         reader.rstack[reader.ridx].type == REDIS_REPLY_STRING;
}

/// The length that an incomplete string claims to have.
size_t RespReader::announced() const {
  size_t length = 0;
  if (!isString(*reader_))
    return 0;
  for (char c : rest().substr(0, 24)) {
    if (c < '0' || c > '9')
      break;
    if (length > SIZE_MAX / 16)
      return SIZE_MAX;
    length = length * 10 + size_t(c - '0');
  }
  return length;
}

/// hiredis looks for the end of a line from its beginning each time; a long one
/// would cost its square.
bool RespReader::isLongLine() const {
  constexpr size_t kMaxLine = 4096;
  std::string_view text = rest();
  return text.size() > kMaxLine &&
         (!isString(*reader_) ||
          text.substr(0, kMaxLine).find('\r') == std::string_view::npos);
}

std::optional<Reply> RespReader::next() {
  if (!error_.empty())
    return std::nullopt;
  void *root = nullptr;
  if (redisReaderGetReply(reader_, &root) != REDIS_OK) {
    error_ =
        reader_->err == REDIS_ERR_OOM
            ? "the reply has more elements than are accepted, or no memory "
              "is left for it"
            : "what the server sends is not the Redis protocol";
    return std::nullopt;
  }
  if (!root) {
    if (pending_ > limit_ || announced() > limit_)
      error_ = "the reply has more than " + std::to_string(limit_) + " bytes";
    else if (isLongLine())
      error_ = "the reply has a line without end";
    return std::nullopt;
  }
  elements_ = 0;
  pending_ = reader_->len - reader_->pos;
  std::unique_ptr<Reply> reply(static_cast<Reply *>(root));
  return std::move(*reply);
}
