//===- Status.cpp - Errors and versions of the C interface ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace kiln;

static KilnStatus kNoMemory{KILN_NO_MEMORY, "out of memory"};

KilnStatus *capi::noMemory() noexcept { return &kNoMemory; }

KilnStatus *capi::statusOf(const Error &error) noexcept {
  // Numbers of kinds are those of codes; a check that fails is no call of ours.
  try {
    return new KilnStatus{static_cast<KilnCode>(error.kind), error.message};
  } catch (...) {
    return noMemory();
  }
}

static_assert(KILN_USAGE == static_cast<int>(ErrorKind::Usage) &&
                  KILN_MALFORMED == static_cast<int>(ErrorKind::Malformed) &&
                  KILN_UNSUPPORTED == static_cast<int>(ErrorKind::Unsupported) &&
                  KILN_INTERNAL == static_cast<int>(ErrorKind::Internal) &&
                  KILN_IO == static_cast<int>(ErrorKind::Io) &&
                  KILN_GUARD == static_cast<int>(ErrorKind::Guard),
              "codes are kinds of errors");

uint32_t kilnVersion(void) {
  return KILN_C_VERSION_MAJOR * 1000 + KILN_C_VERSION_MINOR;
}

const char *kilnVersionText(void) { return "kiln " KILN_VERSION; }

KilnCode kilnStatusCode(const KilnStatus *status) {
  return status ? status->code : KILN_OK;
}

const char *kilnStatusText(const KilnStatus *status) {
  return status ? status->text.c_str() : "";
}

void kilnStatusDestroy(KilnStatus *status) {
  if (status != &kNoMemory)
    delete status;
}
