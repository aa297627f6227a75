//===- BestConfig.h - The winner among schedules as text --------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Inductor calls a `.best_config`: one flat JSON object, keys sorted, no spaces.
//
//   {"chunk":4096,"configs_hash":"9f...","default_ns":5200,
//    "found_by_coordesc":false,"grain":4,"kind":"across","lanes":16,
//    "num_stages":1,"num_warps":1,"sum_block":0,"time_ns":4800,
//    "time_taken_ms":0,"triton_cache_hash":null}
//
// The numbers of the schedule stand by their names (ScheduleText.h). A text counts
// only for the candidates that it was found among, of which `configs_hash` is the
// digest. `found_by_coordesc` says that coordinate descent has ended there. What was
// decided of a whole program is an object of another kind.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_COMPILER_BESTCONFIG_H
#define KILN_LIB_COMPILER_BESTCONFIG_H

#include "kiln/Base/Result.h"

#include <string>
#include <vector>

namespace kiln::compiler {

struct BestConfig {
  std::string schedule;
  double nanoseconds = 0, defaultNanoseconds = 0;
  bool byDescent = false;
};

/// What was decided of a program: which of the schedules that won in its kernels it
/// keeps, `"kept":"101"`. Times are 0 if they could not be compared.
struct BestProgram {
  std::vector<bool> kept;
  double nanoseconds = 0, defaultNanoseconds = 0;
};

std::string encodeBestProgram(const BestProgram &best,
                              const std::vector<std::string> &choices);

/// Reads any text. It is an error unless it was found for these choices.
Result<BestProgram> decodeBestProgram(const std::string &text,
                                      const std::vector<std::string> &choices);

/// The digest of a list of candidates.
std::string hashConfigs(const std::vector<std::string> &candidates);

std::string encodeBestConfig(const BestConfig &config,
                             const std::vector<std::string> &candidates);

/// Reads any text. It is an error, which the caller takes for a miss, unless it was
/// found among these candidates and names one of them by all its numbers. If
/// coordinate descent is wanted the numbers may be others than a candidate's; the
/// caller sees by `byDescent` whether it has ended.
Result<BestConfig> decodeBestConfig(const std::string &text,
                                    const std::vector<std::string> &candidates,
                                    bool descends);

} // namespace kiln::compiler

#endif // KILN_LIB_COMPILER_BESTCONFIG_H
