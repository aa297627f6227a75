//===- load-test.cpp - Many clients at once -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   load-test PORT CLIENTS REQUESTS
//
// First sends requests that are wrong, each of which must be refused with a reason.
// Then each client sends its own row again and again: every answer must be the one
// that the row got alone, whatever it was batched with. Prints throughput and
// latency.
//
//===----------------------------------------------------------------------===//

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

using nlohmann::json;
using Clock = std::chrono::steady_clock;

static constexpr size_t kWidth = 16;

/// The row that client `c` sends.
static std::string makeRequest(int c) {
  std::vector<float> row(kWidth);
  for (size_t i = 0; i < kWidth; ++i)
    row[i] = std::sin(float(c) + 0.5f * float(i) * float(c + 1));
  return json{{"rows", {row}}}.dump();
}

/// The answer to a row; empty after an error, which is printed.
static std::vector<float> ask(httplib::Client &client,
                              const std::string &body) {
  auto answer = client.Post("/infer", body, "application/json");
  if (!answer || answer->status != 200) {
    std::fprintf(stderr, "load-test: error: %s\n",
                 answer ? answer->body.c_str() : "no answer");
    return {};
  }
  json rows = json::parse(answer->body, nullptr, false);
  return rows.is_discarded() ? std::vector<float>()
                             : rows["rows"][0].get<std::vector<float>>();
}

static bool isRefused(httplib::Client &client, const std::string &body,
                      const char *type, int status, const char *why) {
  auto answer = client.Post("/infer", body, type);
  bool refused = answer && answer->status == status &&
                 answer->body.find(why) != std::string::npos;
  if (!refused)
    std::fprintf(stderr, "load-test: error: expected %d with '%s', found %d %s\n",
                 status, why, answer ? answer->status : 0,
                 answer ? answer->body.c_str() : "no answer");
  return refused;
}

static bool checkRefusals(httplib::Client &client) {
  const char *kJson = "application/json", *kNpy = "application/x-npy";
  // One is no JSON at its end; the other is, with 16 numbers in a row but for one
  // that is an array of arrays.
  std::string unclosed(100000, '['), deep = "{\"rows\":[[";
  deep += std::string(400000, '[') + std::string(400000, ']');
  for (size_t i = 1; i < kWidth; ++i)
    deep += ",1";
  deep += "]]}";
  return isRefused(client, "", kJson, 400, "no JSON") &&
         isRefused(client, "{\"rows\": 3}", kJson, 400, "expected an object") &&
         isRefused(client, unclosed, kJson, 400, "nested deeper") &&
         isRefused(client, deep, kJson, 400, "nested deeper") &&
         isRefused(client, "{\"rows\": []}", kJson, 400, "found 0 rows") &&
         isRefused(client, "{\"rows\": [[1, 2]]}", kJson, 400,
                   "row 0 has 2 numbers, expected 16") &&
         isRefused(client, "{\"rows\": [[1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,\"x\"]]}",
                   kJson, 400, "row 0 has \\\"x\\\"") &&
         isRefused(client, "\x93NUMPY\x01", kNpy, 400, "") &&
         isRefused(client, std::string((1 << 20) + 1, ' '), kJson, 413, "");
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fputs("usage: load-test PORT CLIENTS REQUESTS\n", stderr);
    return 2;
  }
  int port = std::atoi(argv[1]), clients = std::atoi(argv[2]),
      requests = std::atoi(argv[3]);
  if (clients < 1 || requests < 1)
    return 2;
  httplib::Client first("127.0.0.1", port);
  if (!checkRefusals(first))
    return 1;

  std::vector<std::vector<float>> alone;
  for (int c = 0; c < clients; ++c)
    if (alone.push_back(ask(first, makeRequest(c))); alone.back().empty())
      return 1;

  std::atomic<bool> right{true};
  std::vector<std::vector<double>> seconds(clients);
  std::vector<std::thread> threads;
  Clock::time_point start = Clock::now();
  for (int c = 0; c < clients; ++c)
    threads.emplace_back([&, c] {
      httplib::Client client("127.0.0.1", port);
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      std::string body = makeRequest(c);
      for (int i = 0; i < requests && right; ++i) {
        Clock::time_point sent = Clock::now();
        std::vector<float> row = ask(client, body);
        seconds[c].push_back(
            std::chrono::duration<double>(Clock::now() - sent).count());
        bool same = row.size() == alone[c].size();
        for (size_t k = 0; same && k < row.size(); ++k)
          same = std::fabs(row[k] - alone[c][k]) < 1e-6f;
        if (!same)
          right = false;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  double total = std::chrono::duration<double>(Clock::now() - start).count();
  if (!right) {
    std::fputs("load-test: error: a row has another answer among others than "
               "alone\n", stderr);
    return 1;
  }

  std::vector<double> all;
  for (const auto &mine : seconds)
    all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  auto stats = first.Get("/stats");
  std::printf("%zu requests of %d clients: %.0f a second; latency %.2f ms "
              "(median), %.2f ms (99 of 100); %s\n",
              all.size(), clients, double(all.size()) / total,
              1e3 * all[all.size() / 2], 1e3 * all[all.size() * 99 / 100],
              stats ? stats->body.c_str() : "");
  return 0;
}
