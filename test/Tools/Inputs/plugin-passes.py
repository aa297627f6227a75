"""plugin-passes.py TESTS PLUGIN: stock mlir-opt with the plugin does what kiln-opt does.

Every pass and pipeline that the plugin brings is run, with all of its options written
out, as the first lit test below TESTS does that changes its input; both tools must
print the same. One for which there is none is an error.
"""
import pathlib
import re
import shlex
import subprocess
import sys

# What looks and changes nothing.
LOOKING = {"kiln-verify-stage"}
# What lit tests run on IR that another command made.
MORE = [
    ("Target/GPU/Inputs/softmax.mlir", "--kiln-gpu"),
    ("Tools/Inputs/row-sums.mlir", "--kiln-core --kiln-loop --kiln-cpu --kiln-program"),
    ("Conversion/LoopToLinalg/kernels.mlir",
     "--pass-pipeline=builtin.module(loop-outline-kernels,builtin.module("
     "convert-loop-to-linalg,one-shot-bufferize,convert-linalg-to-loops),kiln-place-scratch)"),
]


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
            arguments = shlex.split(line)
            if "|" in arguments:
                arguments = arguments[:arguments.index("|")]
            # Errors are expected there, or other files take part.
            if "%s" in arguments and not re.search(r"verify-diagnostics|remark|[<>]|%[^s]",
                                                   " ".join(arguments)):
                arguments.remove("%s")
                yield path, arguments
    for path, arguments in MORE:
        yield tests / path, shlex.split(arguments)


def is_pass(argument):
    return argument.startswith("--pass-pipeline") or \
        re.sub(r"^--?|=.*", "", argument) in is_pass.known


def textual(arguments):
    """--a --b=c=d as the text of a pipeline on a module."""
    parts = [re.sub(r"^--?([^=]*)=(.*)$", r"\1{\2}", a).lstrip("-")
             for a in arguments if is_pass(a)]
    return f"builtin.module({','.join(parts)})"


def check(name, path, arguments, stock):
    """None if it is right, else what is wrong."""
    ours = output("kiln-opt", path, *arguments, "--dump-pass-pipeline")
    pipeline = re.search(r"^Pass Manager with .*\n((?:.+\n)+)", ours.stderr, re.M)
    if ours.returncode or not pipeline:
        return f"kiln-opt {path} {arguments}: {ours.stderr}"
    pipeline = re.sub(r"\n *", "", pipeline[1].strip())
    if name not in pipeline:  # the name of a pipeline, of which its passes are shown
        pipeline = textual(arguments)
    others = [a for a in arguments if not is_pass(a)]
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
    is_pass.known = passes_of("kiln-opt")
    runs, wrong = list(runs_of(tests)), []
    for name in sorted(names):
        word = re.compile(rf"(?<![a-z0-9-]){name}(?![a-z0-9-])")
        problem = f"'{name}' is run by no lit test on its own file"
        for path, arguments in runs:
            if any(is_pass(a) and word.search(a.replace("--", " ")) for a in arguments):
                problem = check(name, path, arguments, stock)
                if problem is None:
                    break
        if problem is not None:
            wrong.append(f"'{name}': {problem}")
    for text in wrong:
        print("error: " + text)
    print(f"{len(names) - len(wrong)} of {len(names)} passes and pipelines")
    sys.exit(bool(wrong) or not names)


main()
