//===- server.cpp - A model behind HTTP -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batcher.h"
#include "Rows.h"

#include "kiln/Cache/CacheConfig.h"

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>

using namespace kiln;
using nlohmann::json;

static const char kHelp[] = R"(inference-server: answers rows with a model's rows

usage: inference-server MODEL.kiln [PORT]

Listens on 127.0.0.1, at PORT or a free one, which is printed.

  POST /infer   {"rows": [[...], ...]}, or an .npy array of f32 as
                application/x-npy; the answer has the same form
  GET /stats    calls of the model, and rows in them

What is wrong with a request is said as {"error": "..."} with status 400; 413 is a
body of more than 1 MiB, 503 a server that has too much to do.
)";

static constexpr size_t kMaxRows = 64;
static constexpr size_t kMaxBody = 1 << 20;
static constexpr std::chrono::microseconds kPatience(500);

static httplib::Server *running = nullptr;

static int fail(const Error &error) {
  std::fprintf(stderr, "inference-server: error: %s\n", error.message.c_str());
  return error.exitCode();
}

static void refuse(httplib::Response &response, int status,
                   const std::string &why) {
  response.status = status;
  // Bytes of the request may be quoted that are no text.
  response.set_content(
      json{{"error", why}}.dump(-1, ' ', false, json::error_handler_t::replace),
      "application/json");
}

/// The width of the rows that the model takes.
static Result<size_t> getWidth(const session::Session &session) {
  const auto &inputs = session.inputs();
  if (inputs.size() != 1 || !inputs[0].isTensor ||
      inputs[0].dtype != DType::F32 || inputs[0].sizes.size() != 2 ||
      !inputs[0].sizes[1].isStatic() || inputs[0].sizes[1].value < 1)
    return Error::unsupported("expected a model of one input, rows of f32");
  return size_t(inputs[0].sizes[1].value);
}

static void infer(Batcher &batcher, size_t width,
                  const httplib::Request &request,
                  httplib::Response &response) {
  bool npy = request.get_header_value("Content-Type") == "application/x-npy";
  auto rows = npy ? readNpy(request.body, width, kMaxRows)
                  : readJson(request.body, width, kMaxRows);
  if (!rows)
    return refuse(response, 400, rows.error().message);
  auto answer = batcher.submit(std::move(*rows));
  if (!answer)
    return refuse(response, 503, answer.error().message);
  Result<Rows> results = answer->get();
  if (!results)
    return refuse(response, 500, results.error().message);
  if (!npy)
    return response.set_content(writeJson(*results), "application/json");
  auto bytes = writeNpy(*results);
  if (!bytes)
    return refuse(response, 500, bytes.error().message);
  response.set_content(*bytes, "application/x-npy");
}

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--help")
    return std::fputs(kHelp, stdout) < 0;
  char *end = nullptr;
  long port = argc == 3 ? std::strtol(argv[2], &end, 10) : 0;
  if (argc < 2 || argc > 3 || port < 0 || port > 65535 || (end && *end))
    return fail(Error::usage("expected MODEL.kiln and a port; see --help"));

  auto session = session::Session::open(argv[1], session::SessionOptions());
  if (!session)
    return fail(session.error());
  auto width = getWidth(**session);
  if (!width)
    return fail(width.error());
  Batcher batcher(std::move(*session), kMaxRows, kPatience);

  httplib::Server server;
  server.set_payload_max_length(kMaxBody);
  server.set_read_timeout(5);
  server.set_tcp_nodelay(true); // an answer waits for nothing
  server.new_task_queue = [] { return new httplib::ThreadPool(16); };
  server.Post("/infer", [&](const httplib::Request &request,
                            httplib::Response &response) {
    infer(batcher, *width, request, response);
  });
  server.Get("/stats", [&](const httplib::Request &,
                           httplib::Response &response) {
    response.set_content(
        json{{"calls", batcher.calls()}, {"rows", batcher.rows()}}.dump(),
        "application/json");
  });
  if (port ? !server.bind_to_port("127.0.0.1", int(port))
           : (port = server.bind_to_any_port("127.0.0.1")) < 0)
    return fail(Error::io("cannot listen on port " + std::to_string(port)));
  running = &server;
  std::signal(SIGTERM, [](int) { running->stop(); });
  std::printf("listening on 127.0.0.1:%ld\n", port);
  std::fflush(stdout);
  return server.listen_after_bind() ? 0 : 1;
}
