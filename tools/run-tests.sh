#!/usr/bin/env bash
# Installs what is missing, configures, builds and runs every test.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=default

usage() {
  cat <<EOF
usage: tools/run-tests.sh [--preset=NAME] [ctest arguments...]

Installs missing packages (tools/install-packages.sh), configures and builds
into build/, and runs every test: unit.* (GoogleTest), lit.* (FileCheck) and
layering.* (the rules of the architecture). Closes with ctest's summary; exits
with 0 only if everything was built and every test passed.

  --preset=NAME   default, debug or asan; the last two build into build-NAME/
  ctest arguments, for example: -R unit.Kiln   or   -E lit.Integration
EOF
}

ctest_arguments=()
for argument in "$@"; do
  case "$argument" in
  -h | --help)
    usage
    exit 0
    ;;
  --preset=default | --preset=debug | --preset=asan)
    preset=${argument#--preset=}
    ;;
  --preset=*)
    echo "run-tests: error: unknown preset '${argument#--preset=}'," \
      "expected default, debug or asan" >&2
    exit 2
    ;;
  *) ctest_arguments+=("$argument") ;;
  esac
done

cd "$root"
build=build
[ "$preset" = default ] || build=build-$preset
started=$SECONDS
tools/build.sh --preset="$preset"
echo "testing (built in $((SECONDS - started)) s)"
# Two at a time like the build: some tests use two threads of their own.
ctest --test-dir "$build" --output-on-failure --no-tests=error \
  ${ctest_arguments[@]+"${ctest_arguments[@]}"}
