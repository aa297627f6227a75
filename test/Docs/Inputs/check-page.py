"""check-page.py [--update] PAGE: the IR that a page shows is what the tools print.

A comment in front of a fenced block says what made it:

    <!-- kiln-opt --kiln-core -->
    <!-- kiln-opt --kiln-cpu; from "func.func @main" to "^  }" -->

The command reads what the one before printed, as a whole; the first reads the
block in front of it. `from` and `to`, regular expressions, cut what is shown: from
the first line that the one finds to the next that the other does. --update writes
the blocks anew.
"""
import difflib
import re
import shlex
import subprocess
import sys

MARK = re.compile(r"^<!-- (?P<command>kiln-[^;]*?)"
                  r"(; from \"(?P<begin>.*)\" to \"(?P<end>.*)\")? -->$")
TOOLS = ("kiln-opt", "kiln-translate")


def block_at(lines, at):
    """The lines inside of the first fenced block from `at` on."""
    begin = next(i for i in range(at, len(lines)) if lines[i].startswith("```"))
    end = next(i for i in range(begin + 1, len(lines)) if lines[i] == "```")
    return begin + 1, end


def cut(text, begin, end):
    lines = text.rstrip("\n").split("\n")
    if begin is None:
        return lines
    first = next((i for i, l in enumerate(lines) if re.search(begin, l)), None)
    if first is None:
        sys.exit(f"error: no line of the output has '{begin}':\n{text}")
    last = next((i for i in range(first, len(lines)) if re.search(end, lines[i])),
                None)
    if last is None:
        sys.exit(f"error: no line behind '{begin}' has '{end}':\n{text}")
    return lines[first:last + 1]


def main():
    update = sys.argv[1] == "--update"
    path = sys.argv[-1]
    with open(path) as file:
        lines = file.read().split("\n")
    text, shown, wrong, count, at = None, None, 0, 0, 0
    while at < len(lines):
        mark = MARK.match(lines[at])
        if not mark:
            if lines[at].startswith("```") and text is None:
                begin, end = block_at(lines, at)
                shown, at = lines[begin:end], end
            at += 1
            continue
        command = shlex.split(mark["command"])
        if command[0] not in TOOLS:
            sys.exit(f"error: {path}:{at + 1}: '{command[0]}' is not run here")
        run = subprocess.run(command, input=text or "\n".join(shown) + "\n",
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"error: {path}:{at + 1}: {mark['command']}: {run.stderr}")
        text = run.stdout
        wanted = cut(text, mark["begin"], mark["end"])
        begin, end = block_at(lines, at)
        if lines[begin:end] != wanted and not update:
            wrong += 1
            sys.stderr.write("\n".join(difflib.unified_diff(
                lines[begin:end], wanted, f"{path}:{begin + 1}",
                mark["command"], lineterm="")) + "\n")
        lines[begin:end] = wanted
        at = begin + len(wanted) + 1
        count += 1
    if count == 0:
        sys.exit(f"error: {path} has no block that a tool made")
    if update:
        with open(path, "w") as file:
            file.write("\n".join(lines))
    if wrong:
        sys.exit(f"error: {wrong} of {count} blocks of {path} are not what the "
                 "tools print; write them anew with --update")


main()
