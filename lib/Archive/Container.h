//===- Container.h - Which kind of archive, and where things are ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same program comes in three layouts; which one is decided by member
// names. A `Container` has found the graph and the weight tables of one program
// and knows how to read them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ARCHIVE_CONTAINER_H
#define KILN_LIB_ARCHIVE_CONTAINER_H

#include "kiln/Archive/ExportedProgram.h"
#include "kiln/Archive/ZipFile.h"

namespace kiln::archive {

class Container {
public:
  /// Identifies the archive and picks a program. Unsupported names what else
  /// the file is, or the programs to choose from.
  static Result<Container> open(SharedBytes bytes, const std::string &file,
                                const LoadOptions &options);

  const std::string &file() const { return file_; }
  const std::string &model() const { return model_; }
  /// The program's JSON, and the name of its member.
  Result<SharedBytes> graphJson();
  const std::string &graphMember() const { return graphMember_; }
  /// True if the JSON may hold bare NaN and Infinity tokens.
  bool hasBareNonFinite() const { return hasBareNonFinite_; }
  /// Over the JSON, the weight tables and the directory of the archive.
  Result<Digest> digest();

  /// Reads both tables. `isUsed` tells the weights that the program takes; only
  /// these must be of a kind that can be read.
  Result<std::map<std::string, Weight>>
  weights(const std::map<std::string, std::string> &usedAs);

private:
  enum class Layout { Raw, PickledWeights, Legacy };

  Container(ZipFile zip, std::string file)
      : zip_(std::move(zip)), file_(std::move(file)) {}

  Status identify(const LoadOptions &options);
  Status identifyArchive(const LoadOptions &options);
  Status identifyLegacy();
  std::vector<std::string> modelNames() const;
  Status expectText(const std::string &member, std::string_view wanted,
                    bool required);
  Result<SharedBytes> read(const std::string &member);
  std::vector<std::string> tableMembers() const;
  Status readRawTable(const std::string &folder,
                      const std::map<std::string, std::string> &usedAs,
                      std::map<std::string, Weight> &weights);

  ZipFile zip_;
  std::string file_;
  std::string root_; ///< "train/" or empty
  std::string model_;
  std::string graphMember_;
  Layout layout_ = Layout::Raw;
  bool hasBareNonFinite_ = false;
  bool checkWeights_ = true;
};

} // namespace kiln::archive

#endif // KILN_LIB_ARCHIVE_CONTAINER_H
