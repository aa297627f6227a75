#!/usr/bin/env bash
# Installs what is missing, configures and builds: the first half of run-demo.sh
# and run-tests.sh.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=default

usage() {
  cat <<EOF
usage: tools/build.sh [--preset=NAME] [TARGET...]

Installs missing packages (tools/install-packages.sh), configures, and builds the
targets, or all, into build/; says what it waits for and how far it is.

  --preset=NAME   default, debug or asan; the last two build into build-NAME/
EOF
}

targets=()
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
    echo "build: error: unknown preset '${argument#--preset=}'," \
      "expected default, debug or asan" >&2
    exit 2
    ;;
  -*)
    echo "build: error: unknown argument '$argument', expected -h," \
      "--preset=NAME or names of targets" >&2
    exit 2
    ;;
  *) targets+=("$argument") ;;
  esac
done

cd "$root"
build=build
[ "$preset" = default ] || build=build-$preset
tools/install-packages.sh
tools/with-progress.sh "configuring ($preset)" cmake --preset "$preset"
tools/with-progress.sh "building into $build/" \
  cmake --build "$build" ${targets[@]+--target "${targets[@]}"} -- -j2
