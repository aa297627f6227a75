//===- CompilerEntry.cpp - The table of functions of libKilnCompiler.so ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/ABI/CompilerABI.h"
#include "kiln/Archive/Source.h"
#include "kiln/Compiler/CompilerSession.h"

#include <cstring>

using namespace kiln;
using namespace kiln::compiler;

namespace {
/// What a result points into.
struct Held {
  std::string message;
  std::string timing;
  std::vector<uint8_t> package;
};
} // namespace

static std::string textOf(const char *text) { return text ? text : ""; }

/// The caller's threads as the code generator asks for them.
static target::Workers getWorkers(const kiln_compile_request &request) {
  target::Workers workers;
  if (request.workers < 2 || !request.run_workers)
    return workers;
  using Work = std::function<void(unsigned)>;
  workers.count = request.workers;
  workers.run = [&request](const Work &work) {
    request.run_workers(
        request.threads,
        [](void *context, unsigned i) {
          (*static_cast<const Work *>(context))(i);
        },
        const_cast<void *>(static_cast<const void *>(&work)));
  };
  return workers;
}

static Result<std::vector<uint8_t>>
compile(const kiln_compile_request &request, kiln_compile_result &result,
        std::string &timing) {
  auto options = CompileOptions::parse(textOf(request.options),
                                       textOf(request.specialization));
  if (!options)
    return options.takeError();
  if (!request.source)
    return Error::usage("no source, expected one that was opened");
  CompileHooks hooks;
  if (request.progress)
    hooks.progress = [&](StringRef stage) {
      request.progress(request.user, stage.str().c_str());
    };
  hooks.kernels = reinterpret_cast<package::KernelStore *>(request.kernels);
  hooks.joint = reinterpret_cast<package::JointStore *>(request.joint);
  hooks.tuner = reinterpret_cast<package::KernelTuner *>(request.tuner);
  hooks.workers = getWorkers(request);
  CompilerSession session;
  auto package = session.compile(
      *reinterpret_cast<const archive::Source *>(request.source), *options,
      hooks);
  timing = session.timingJson();
  result.kernels_compiled = session.kernelsCompiled();
  result.kernels_found = session.kernelsFound();
  if (!package)
    return package.takeError();
  return package::encodePackage(*package);
}

static int compileEntry(const kiln_compile_request *request,
                        kiln_compile_result *result) {
  auto held = std::make_unique<Held>();
  result->error_kind = 0;
  result->kernels_compiled = result->kernels_found = 0;
  if (request->struct_size != sizeof(kiln_compile_request) ||
      result->struct_size != sizeof(kiln_compile_result)) {
    held->message = "the caller was built for another compiler interface";
    result->error_kind = static_cast<int>(ErrorKind::Internal);
  } else if (auto package = compile(*request, *result, held->timing)) {
    held->package = std::move(*package);
  } else {
    held->message = package.error().message;
    result->error_kind = static_cast<int>(package.error().kind);
  }
  result->message = held->message.c_str();
  result->timing = held->timing.c_str();
  result->package = held->package.data();
  result->package_size = held->package.size();
  result->handle = held.release();
  return result->error_kind;
}

static void releaseEntry(kiln_compile_result *result) {
  delete static_cast<Held *>(result->handle);
  result->handle = nullptr;
}

const kiln_compiler_api *kiln_compiler_get(uint32_t version) {
  static const kiln_compiler_api api = {KILN_COMPILER_ABI_VERSION,
                                        compileEntry, releaseEntry};
  return version == KILN_COMPILER_ABI_VERSION ? &api : nullptr;
}
