# Configuration of the lit tests. They run Kiln's tools on text and compare what
# is printed with FileCheck; test/README.md says when to write one.

import ctypes
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "Kiln"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unittests", "lib", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.kiln_binary_dir, "test")

bin_dir = os.path.join(config.kiln_binary_dir, "bin")
lib_dir = os.path.join(config.kiln_binary_dir, "lib")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
for line in config.kiln_environment.splitlines():
    name, _, value = line.partition("=")
    config.environment[name] = value

fake_cuda = os.path.join(config.kiln_binary_dir, "test", "fake-cuda")
# Longest first: lit replaces in order. The tools themselves are found in PATH.
config.substitutions += [
    ("%kiln-shared-fixtures", config.kiln_fixtures),
    ("%kiln-fixtures", os.path.join(config.test_source_root, "Inputs")),
    ("%kiln-libs", lib_dir),
    ("%kiln-unittests", os.path.join(config.kiln_binary_dir, "unittests")),
    ("%kiln-plugin", os.path.join(lib_dir, "KilnPlugin.so")),
    ("%kiln-source", config.kiln_source_dir),
    ("%llvm-includes", os.path.join(config.llvm_tools_dir, "..", "include")),
    # A driver without a GPU for what comes behind, with a cuBLASLt and a cuDNN, certainly without
    # them, or as the machine has them.
    (
        "%fake-libraries",
        "env LD_LIBRARY_PATH={0}{1}{0}/libraries".format(fake_cuda, os.pathsep),
    ),
    (
        "%fake-no-libraries",
        "env LD_LIBRARY_PATH={0}{1}{0}/no-libraries".format(fake_cuda, os.pathsep),
    ),
    (
        "%fake-cuda",
        "env LD_LIBRARY_PATH=%s" % fake_cuda,
    ),
    ("%python", sys.executable),
    # A program must be built like the libraries that it loads.
    (
        "%cxx",
        config.kiln_cxx
        + (" -fsanitize=" + config.kiln_sanitize if config.kiln_sanitize else ""),
    ),
    (
        "%tblgen-includes",
        "-I %s/include -I %s/../include"
        % (config.kiln_source_dir, config.llvm_tools_dir),
    ),
]

# The exported programs with values of PyTorch; set KILN_FIXTURES for CMake.
if config.kiln_fixtures and os.path.isdir(config.kiln_fixtures):
    config.available_features.add("fixtures")
# A CUDA device, not merely its driver library.
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("cuda")
    # Its libraries, where the linker finds them.
    for name, feature in (
        ("libcublasLt.so.12", "cublas"),
        ("libcublasLt.so.13", "cublas"),
        ("libcudnn.so.9", "cudnn"),
    ):
        try:
            ctypes.CDLL(name)
            config.available_features.add(feature)
        except OSError:
            pass
# Instruction sets, for tests of generated machine code.
try:
    with open("/proc/cpuinfo") as cpuinfo:
        flags = set(cpuinfo.read().split())
except OSError:
    flags = set()
for feature in ("avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16"):
    if feature in flags:
        config.available_features.add(feature)
# strace, where tracing is permitted.
if shutil.which("strace") and not subprocess.call(
    ["strace", "-o", os.devnull, "true"], stderr=subprocess.DEVNULL
):
    config.available_features.add("strace")
# A test that needs a tool which was not built fails and says so.
for tool in ("FileCheck", "not", "split-file", "count"):
    if not shutil.which(tool, path=config.environment["PATH"]):
        lit_config.fatal("'%s' is missing; install llvm-22-tools" % tool)
