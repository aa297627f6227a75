//===- ArtifactFuzzer.cpp - Artifact files of the cache -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheTargets.h"
#include "Fuzzer.h"

using namespace kiln;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The first byte says what the rest is: a file, changes of a good one, a manifest
  // before good entries, changes of a good manifest, or a length and a manifest of
  // it before anything.
  if (size < 4)
    return 0;
  std::string_view rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  auto checkSealed = [](std::string_view manifest, std::string_view blobs) {
    fuzz::checkArtifact(fuzz::sealArtifact(manifest, blobs),
                        /*isSealed=*/true);
  };
  switch (data[0] % 5) {
  case 0:
    fuzz::checkArtifact(rest, /*isSealed=*/false);
    break;
  case 1:
    fuzz::checkArtifact(fuzz::change(fuzz::goodArtifact(), rest),
                        /*isSealed=*/false);
    break;
  case 2:
    checkSealed(rest, fuzz::goodBlobs());
    break;
  case 3:
    checkSealed(fuzz::change(std::string(fuzz::goodManifest()), rest),
                fuzz::goodBlobs());
    break;
  case 4:
    rest.remove_prefix(2);
    size_t manifest = (data[1] + 256u * data[2]) % (rest.size() + 1);
    checkSealed(rest.substr(0, manifest), rest.substr(manifest));
    break;
  }
  return 0;
}
