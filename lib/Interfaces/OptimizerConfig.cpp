//===- OptimizerConfig.cpp - Which optimizer a training step ends with ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Interfaces/OptimizerConfig.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

namespace kiln {

namespace {

using Kind = OptimizerConfig::Kind;

/// One setting: where it goes, for whom it is, what it may be.
struct Setting {
  StringRef name;
  bool forSGD, forAdam;
  double low, high; ///< high itself is excluded
  double *number = nullptr;
  bool *flag = nullptr;
};

} // namespace

std::optional<OptimizerConfig> OptimizerConfig::parse(StringRef text,
                                                      std::string &problem) {
  OptimizerConfig config;
  auto [name, rest] = text.split(',');
  if (name == "sgd")
    config.kind = Kind::SGD;
  else if (name == "adam")
    config.kind = Kind::Adam;
  else if (name == "adamw")
    config.kind = Kind::AdamW;
  else {
    problem = "optimizer '" + name.str() + "', expected sgd, adam or adamw";
    return std::nullopt;
  }
  bool isSGD = config.kind == Kind::SGD;
  if (config.kind == Kind::AdamW)
    config.weightDecay = 0.01;

  double clip = 0, infinity = HUGE_VAL;
  Setting settings[] = {
      {"weight_decay", true, true, 0, infinity, &config.weightDecay},
      {"clip_norm", true, true, 0, infinity, &clip},
      {"maximize", true, true, 0, 0, nullptr, &config.maximize},
      {"momentum", true, false, 0, infinity, &config.momentum},
      {"dampening", true, false, -infinity, infinity, &config.dampening},
      {"nesterov", true, false, 0, 0, nullptr, &config.nesterov},
      {"beta1", false, true, 0, 1, &config.beta1},
      {"beta2", false, true, 0, 1, &config.beta2},
      {"eps", false, true, 0, infinity, &config.eps},
      {"amsgrad", false, true, 0, 0, nullptr, &config.amsgrad},
  };
  std::set<StringRef> seen;
  SmallVector<StringRef> entries;
  rest.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    StringRef key = entry.split('=').first;
    StringRef value = entry.split('=').second;
    auto *setting = llvm::find_if(settings, [&](const Setting &s) {
      return s.name == key && (isSGD ? s.forSGD : s.forAdam);
    });
    if (setting == std::end(settings)) {
      problem = "'" + key.str() + "' is no setting of " + name.str() +
                ", expected one of";
      for (const Setting &s : settings)
        if (isSGD ? s.forSGD : s.forAdam)
          problem += " " + s.name.str();
      return std::nullopt;
    }
    if (!seen.insert(key).second) {
      problem = "'" + key.str() + "' is given twice";
      return std::nullopt;
    }
    if (setting->flag) {
      if (entry.contains('=') && value != "0" && value != "1") {
        problem = "'" + entry.str() + "', expected 0 or 1";
        return std::nullopt;
      }
      *setting->flag = value != "0";
      continue;
    }
    double number;
    if (!llvm::to_float(value, number) || !std::isfinite(number) ||
        number < setting->low || number >= setting->high) {
      problem = "'" + entry.str() + "', expected a number" +
                (setting->high == 1   ? " from 0 to below 1"
                 : setting->low == 0 ? " of at least 0"
                                     : "");
      return std::nullopt;
    }
    *setting->number = number;
  }
  if (seen.count("clip_norm"))
    config.clipNorm = clip;
  if (config.nesterov && (config.momentum == 0 || config.dampening != 0)) {
    problem = "'nesterov' needs a momentum and no dampening";
    return std::nullopt;
  }
  return config;
}

SmallVector<StringRef> OptimizerConfig::getStateNames() const {
  if (kind == Kind::SGD)
    return momentum != 0 ? SmallVector<StringRef>{"momentum_buffer"}
                         : SmallVector<StringRef>{};
  if (amsgrad)
    return {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
  return {"exp_avg", "exp_avg_sq"};
}

} // namespace kiln
