"""check-passes.py SOURCE: every pass and pipeline that kiln-opt has and mlir-opt
lacks is in the reference that `ninja docs` writes, with IR before and after, and
is run by a lit test. Pipelines are composed of passes and need no section.
"""
import pathlib
import re
import subprocess
import sys

PIPELINES = {"kiln-core", "kiln-joint", "kiln-loop", "kiln-cpu", "kiln-gpu", "kiln-native",
             "kiln-program", "kiln-fuse", "kiln-lower-through-linalg"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def passes_of(tool):
    """What `tool --help` lists as passes: their options stand further right."""
    return set(re.findall(r"^ {6}--([a-z0-9-]+)", output(tool, "--help"), re.M))


def sections_of(source):
    found = {}
    for td in sorted((source / "include").rglob("Passes.td")):
        page = output("mlir-tblgen", "-gen-pass-doc", "-I", source / "include",
                      "-I", *sys.argv[2:], td)
        parts = re.split(r"^### `-([a-z0-9-]+)`$", page, flags=re.M)
        found.update(zip(parts[1::2], parts[2::2]))
    return found


def commands_of(tests):
    return "\n".join(
        line for path in tests.rglob("*") if path.suffix in (".mlir", ".test")
        for line in path.read_text(errors="replace").split("\n")
        if "RUN:" in line)


def main():
    source = pathlib.Path(sys.argv[1])
    names = passes_of("kiln-opt") - passes_of("mlir-opt")
    sections, runs = sections_of(source), commands_of(source / "test")
    wrong = []
    for name in sorted(names):
        if not re.search(rf"(?:^|--|[^a-z0-9-]){name}(?![a-z0-9-])", runs):
            wrong.append(f"'{name}' is run by no lit test")
        if name in PIPELINES:
            continue
        section = sections.get(name, "")
        blocks = section.count("```mlir")
        if not section:
            wrong.append(f"'{name}' has no section in the reference")
        elif blocks < 2 and not (blocks and re.search(r"becomes|leaves|error:",
                                                      section)):
            wrong.append(f"the section of '{name}' has no IR before and after")
    wrong += [f"'{name}' is in the reference and not in kiln-opt"
              for name in sorted(set(sections) - names)]
    for text in wrong:
        print("error: " + text)
    print(f"{len(names)} passes and pipelines, {len(sections)} sections")
    sys.exit(bool(wrong) or len(names) < len(PIPELINES))


main()
