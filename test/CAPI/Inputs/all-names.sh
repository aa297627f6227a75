#!/bin/sh
# all-names.sh PACKAGE FOLDER: headers of one package by many names, and all.cpp, which
# includes them behind the headers of C and uses each. By path, since a folder with a
# "time.h" must not be searched for headers.
set -eu
mkdir -p "$2"
cat >"$2/all.cpp" <<END
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
END
models=""
for name in log exp y0 time signal index read stat string FILE stdin errno assert \
  class int union NULL c kiln models std Model Inputs main linux INT64_MAX a-b a.b 2; do
  kiln-compile "$1" --emit=header -o "$2/$name.h"
  echo "#include \"$name.h\"" >>"$2/all.cpp"
  space=$(sed -n 's/^namespace \(.*\) {$/\1/p' "$2/$name.h")
  models="$models  wrong += sizeof($space::Outputs) == sizeof($space::Inputs);
"
done
printf 'int main() {\n  int wrong = 0;\n%s  return wrong;\n}\n' "$models" >>"$2/all.cpp"
