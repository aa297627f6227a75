"""plugin-passes.py TESTS PLUGIN: stock mlir-opt with the plugin does what kiln-opt does.

Every pass and pipeline that the plugin brings is run with all of its options on the
input of a lit test, the first one below TESTS that runs it, and both tools must print
the same. One that no such test runs is an error, and so is one that changes nothing
and is none that merely looks.
"""
import pathlib
import re
import subprocess
import sys

# What looks and changes nothing.
LOOKING = {"kiln-verify-stage"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True)


def passes_of(*command):
    """What --help lists as passes: their options stand further right."""
    return set(re.findall(r"^ {6}--([a-z0-9-]+)", output(*command, "--help").stdout, re.M))


def runs_of(tests):
    """(file, arguments) of each line that runs kiln-opt alone on its own file."""
    for path in sorted(tests.rglob("*.mlir")):
        text = re.sub(r"\\\n// RUN:", "", path.read_text(errors="replace"))
        for line in re.findall(r"^// RUN: kiln-opt (.*)$", text, re.M):
            arguments = line.split("|")[0].split()
            # Errors are expected there, or other tools and files take part.
            if "%s" in arguments and not re.search(r"verify-diagnostics|[<>%'\"]",
                                                   line.split("|")[0].replace("%s", "")):
                arguments.remove("%s")
                yield path, arguments


def check(name, path, arguments, stock):
    """None if it is right, else what is wrong."""
    ours = output("kiln-opt", path, *arguments, "--dump-pass-pipeline")
    pipelines = re.findall(r"^Pass Manager with .*\n((?:.+\n)+)", ours.stderr, re.M)
    if ours.returncode or not pipelines:
        return f"kiln-opt {path} {arguments}: {ours.stderr}"
    pipeline = re.sub(r"\n *", "", pipelines[0].strip())
    others = [a for a in arguments
              if not re.sub(r"^--?|=.*", "", a) in passes_of.known]
    theirs = output(*stock, path, *others, f"--pass-pipeline={pipeline}")
    if theirs.returncode or theirs.stdout != ours.stdout:
        return f"mlir-opt {path} --pass-pipeline='{pipeline}' differs: {theirs.stderr}"
    before = output(*stock, path, *others)
    if name not in LOOKING and before.stdout == ours.stdout:
        return f"{path} is left as it is by {arguments}"
    return None


def main():
    tests, plugin = pathlib.Path(sys.argv[1]), sys.argv[2]
    stock = ["mlir-opt", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
    names = passes_of(*stock) - passes_of("mlir-opt")
    passes_of.known = passes_of("kiln-opt")
    runs, wrong = list(runs_of(tests)), []
    for name in sorted(names):
        of_name = [(path, arguments) for path, arguments in runs
                   if any(re.fullmatch(rf"--?{name}(=.*)?", a) for a in arguments)]
        if not of_name:
            wrong.append(f"'{name}' is run by no lit test on its own file")
            continue
        problems = []
        for path, arguments in of_name:
            problems.append(check(name, path, arguments, stock))
            if problems[-1] is None:
                break
        if problems[-1] is not None:
            wrong.append(f"'{name}': {problems[0]}")
    for text in wrong:
        print("error: " + text)
    print(f"{len(names) - len(wrong)} of {len(names)} passes and pipelines")
    sys.exit(bool(wrong) or not names)


main()
