//===- BackEnd.h - LLVM's code generator for a processor --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the targets have in common:
//
//   LLVMInitializeNVPTXTarget(); ...                 // once in the process
//   auto machine = makeTargetMachine("NVPTX", "nvptx64-nvidia-cuda", "sm_90a",
//                                    "+ptx84", std::nullopt, std::nullopt);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_BACKEND_H
#define KILN_TARGET_BACKEND_H

#include "kiln/Base/Result.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <memory>
#include <optional>

namespace kiln::target {

/// Unsupported where this LLVM was built without `backEnd`, or knows no such `cpu`.
inline Result<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const std::string &backEnd, llvm::StringRef tripleText,
                  const std::string &cpu, const std::string &features,
                  std::optional<llvm::Reloc::Model> relocation,
                  std::optional<llvm::CodeModel::Model> codeModel) {
  llvm::Triple triple(tripleText);
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return Error::unsupported("this build of LLVM has no " + backEnd +
                              " back end: " + message);
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = false;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, cpu, features, options, relocation, codeModel,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return Error::unsupported("LLVM cannot generate code for \"" + cpu + "\"");
  return std::move(machine);
}

} // namespace kiln::target

#endif // KILN_TARGET_BACKEND_H
