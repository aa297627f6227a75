//===- kiln-chaos.cpp - Faults on purpose ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chaos.h"

#include "common/Output.h"

#include <cstring>

using namespace kiln;
using namespace kiln::chaos;

static std::vector<Command> allCommands() {
  std::vector<Command> all;
  for (auto *group : {&damageCommands, &processCommands, &systemCommands,
                      &placeCommands, &roomCommands, &diffCommands,
                      &callCommands})
    for (const Command &command : group())
      all.push_back(command);
  return all;
}

static std::string help() {
  std::string text =
      "kiln-chaos: does to the cache what happens to caches, and looks for "
      "wrong answers\n\nusage: kiln-chaos COMMAND [flags]\n\n";
  for (const Command &command : allCommands())
    text += "  " + std::string(command.name) + " " + command.flags +
            "\n      " + command.summary + "\n";
  return text + "\nexit codes: 0 nothing was wrong, 1 something was, 2 wrong "
                "command line\n";
}

static Result<int> run(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "--help") == 0) {
    tools::print(help());
    return 0;
  }
  for (const Command &command : allCommands())
    if (argc > 1 && std::strcmp(argv[1], command.name) == 0)
      return command.run(argc - 1, argv + 1);
  return Error::usage("expected one of the commands of --help");
}

int main(int argc, char **argv) {
  return tools::runTool("kiln-chaos", [&] {
    auto code = run(argc, argv);
    return code ? *code : tools::reportError("kiln-chaos", code.error());
  });
}
