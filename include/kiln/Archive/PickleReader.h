//===- PickleReader.h - The tensors of a `torch.save` file ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pickle is a program; this reader runs the few instructions that tensors and
// plain containers need and refuses all others. A global name is an inert
// token: only the tensor constructors of PyTorch are understood when called,
// and nothing is ever looked up or executed.
//
// A `torch.save` file is a zip with `<root>/data.pkl` (the pickle) and
// `<root>/data/<key>` (one storage each).
//
// Example:
//
//   auto weights = readTorchSave(bytes, "weights.pt");
//   for (const auto &[name, weight] : *weights) ...
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_PICKLEREADER_H
#define KILN_ARCHIVE_PICKLEREADER_H

#include "kiln/Archive/Weight.h"
#include "kiln/Base/Result.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::archive {

/// A tensor as the pickle describes it; the bytes are elsewhere.
struct PickledTensor {
  DType dtype = DType::F32;
  std::string key;        ///< storage record, decimal digits
  int64_t storageBytes = 0;
  int64_t storageOffset = 0; ///< in elements
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  bool requiresGrad = false;
  bool isParameter = false;
};

/// An object of a pickle. Containers refer to other objects by index into
/// `Pickle::objects`, so shared and cyclic objects are harmless.
struct PickledObject {
  using Index = uint32_t;
  struct Tuple {
    std::vector<Index> items;
  };
  struct List {
    std::vector<Index> items;
  };
  struct Dict {
    std::vector<std::pair<Index, Index>> items;
  };
  struct Global {
    std::string module;
    std::string name;
  };
  struct Storage {
    std::optional<DType> dtype; ///< nothing: untyped
    std::string key;
    int64_t bytes = 0;
  };
  std::variant<std::monostate, bool, int64_t, double, std::string, Tuple, List,
               Dict, Global, Storage, PickledTensor>
      value;
};

struct Pickle {
  std::deque<PickledObject> objects;
  PickledObject::Index root = 0;
};

/// Runs a pickle. Malformed for damaged ones, Unsupported for instructions,
/// classes or tensors outside of the subset.
Result<Pickle> parsePickle(ByteView bytes);

/// The named tensors of a `torch.save` file that holds one flat dictionary.
/// Views share the owner of `bytes`; a storage that does not start at a
/// multiple of 64 bytes in memory is copied once. `file` begins messages, and
/// with the storage's number makes the storage keys. Zero bytes mean no
/// tensors.
Result<std::map<std::string, Weight>> readTorchSave(SharedBytes bytes,
                                                    const std::string &file);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_PICKLEREADER_H
