#!/usr/bin/env bash
# Fails when the build read a file of a package that tools/install-packages.sh
# does not bring: on a machine with that list alone the build would stop there.
#
# Read are the headers of Ninja's dependency log, the libraries and programs of
# its commands, what the compiler links by itself, and the CMake packages that
# configuring looked at. The list brings its packages, what those need (Depends
# and Pre-Depends, as apt installs them without recommendations) and what every
# Debian has (Essential). Other packages may be installed as long as the build
# does not touch them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$root/build without=""
skipped=77

usage() {
  cat <<EOF
usage: CheckPackages.sh [--build=FOLDER] [--without=PACKAGE]

Exits with 0 if all that the build in FOLDER (default build/) read belongs to
packages of the list, with 1 and the names of the others if not, with $skipped where
there is no dpkg. --without takes a package off the list.
EOF
}

for argument in "$@"; do
  case "$argument" in
  -h | --help)
    usage
    exit 0
    ;;
  --build=*) build=${argument#--build=} ;;
  --without=*) without=${argument#--without=} ;;
  *)
    usage >&2
    exit 2
    ;;
  esac
done

fail() {
  echo "packages: error: $*" >&2
  exit 1
}

if ! command -v dpkg-query >/dev/null; then
  echo "packages: unsupported: no dpkg-query, this is not a Debian system"
  exit $skipped
fi
build=$(cd "$build" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# --- What the list brings ----------------------------------------------------

"$root/tools/install-packages.sh" --list >list
if [ -n "$without" ]; then
  grep -qx "$without" list || fail "'$without' is not on the list"
  sed -i "/^$without\$/d" list
fi
dpkg-query -W -f='${db:Status-Status}\t${Package}\t${binary:Package}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n' >installed
awk -F '\t' '
  # The names of a dependency field, without versions and architectures.
  function plain(text) { gsub(/\([^)]*\)|:[a-z0-9]+|[ \t]/, "", text); return text }
  function push(name) { if (!(name in seen)) { seen[name]; queue[++last] = name } }
  FILENAME == "list" { push($1); next }
  $1 != "installed" { next }
  {
    names[$2] = names[$2] "\n" $3
    needs[$2] = needs[$2] "," plain($6)
    if ($4 == "yes") push($2)
    count = split(plain($5), parts, ",")
    for (i = 1; i <= count; ++i)
      if (parts[i] != "") providers[parts[i]] = providers[parts[i]] "," $2
  }
  END {
    for (at = 1; at <= last; ++at) {
      if (queue[at] in names) printf "%s", names[queue[at]]
      count = split(needs[queue[at]], groups, ",")
      for (i = 1; i <= count; ++i) {
        # Of alternatives, apt keeps the first that is there.
        choices = split(groups[i], choice, "|")
        for (c = 1; c <= choices; ++c) {
          if (choice[c] in names) { push(choice[c]); break }
          if (!(choice[c] in providers)) continue
          found = split(providers[choice[c]], provider, ",")
          for (f = 2; f <= found; ++f) push(provider[f])
          break
        }
      }
    }
  }' list installed | sed '/^$/d' >closure
if [ -n "$without" ] && grep -qE "^$without(:|\$)" closure; then
  echo "packages: '$without' stays, another package of the list needs it"
  exit $skipped
fi
# /lib is /usr/lib; packages name it in both ways.
xargs dpkg-query -L <closure 2>/dev/null | sed -E 's,^/(bin|lib|lib64|sbin)/,/usr&,' |
  sort -u >brought

# --- What the build read -----------------------------------------------------

[ -s "$build/.ninja_deps" ] || fail "nothing was built in '$build'"
cached() { sed -nE "s/^$1:[A-Z]+=(.*)/\1/p" "$build/CMakeCache.txt"; }
ninja=$(cached CMAKE_MAKE_PROGRAM)
"$ninja" -C "$build" -t deps >deps
"$ninja" -C "$build" -t commands all >commands
{
  awk '/^    \// { print $1 }' deps
  # Words of commands that are paths: libraries, programs, sources.
  tr " '\"=," '\n\n\n\n\n' <commands | sed -nE 's,^(-[IL]|-isystem)?(/.*),\2,p'
  # What configuring read; the modules of CMake itself come with it.
  sed -nE '/^build build\.ninja/,/^$/p' "$build/build.ninja" | tr ' ' '\n' |
    { grep '^/' || true; } | { grep -v "^$(cached CMAKE_ROOT)/" || true; }
  cached 'K[ILNiln]+_[A-Za-z_]+'
  echo "$ninja"
  "$(cached CMAKE_CXX_COMPILER)" -print-prog-name=ld.lld
  # What a program is linked with without asking.
  sanitize=$(cached KILN_SANITIZE)
  echo 'int main() { return 0; }' >empty.cpp
  # shellcheck disable=SC2046
  "$(cached CMAKE_CXX_COMPILER)" -fuse-ld=lld ${sanitize:+-fsanitize="$sanitize"} \
    empty.cpp -o empty -Wl,--trace $(grep '^: && ' commands | # those that link
      grep -oE ' -l[a-zA-Z0-9_]+' | sort -u) |
    sed -E 's/\([^)]*\)$//' | { grep '^/' || true; }
} | sort -u | { grep -vE "^($root|$build|$scratch|/dev|/proc|/tmp)/" || true; } >words
while IFS= read -r word; do
  [ ! -f "$word" ] || printf '%s\n' "$word"
done <words >read
grep -q '/mlir/IR/' read || fail "the dependency log of '$build' names no header" \
  "of MLIR, expected a tree that was built"

# --- The difference ----------------------------------------------------------

# Folders may be links. A file that is a link (libz.so, which only the package
# for development has) counts itself, not what it leads to.
sed 's,/[^/]*$,,' read | sort -u >folders
xargs readlink -f <folders | paste folders - >real
awk -F '\t' '
  function usual(path) { return path ~ /^\/(bin|lib|lib64|sbin)\// ? "/usr" path : path }
  FILENAME == "brought" { brought[$1]; next }
  FILENAME == "real" { real[$1] = $2; next }
  {
    match($1, /\/[^\/]*$/)
    path = real[substr($1, 1, RSTART - 1)] substr($1, RSTART)
    if (!(usual($1) in brought) && !(usual(path) in brought)) print $1 "\t" path
  }' brought real read >foreign

# The package of a file. One that a package made when it was installed, such as
# a link of the alternatives, is of the package that it leads to.
owner() {
  local path=$1
  { dpkg-query -S "$path" "${path#/usr}" "$2" "${2#/usr}" 2>/dev/null || true; } |
    sed -E 's/(:[a-z0-9]+)?: .*//;q'
}
status=0
declare -A example=()
while IFS=$'\t' read -r path real; do
  owner=$(owner "$path" "$real")
  if [ -z "$owner" ] && [ -L "$path" ]; then
    target=$(readlink -f "$path")
    owner=$(owner "$target" "$target")
    if grep -qxE "$owner(:[a-z0-9]+)?" closure; then
      continue
    fi
  fi
  if [ -z "$owner" ] && [ -x "$path" ] && [[ $path != *.so* ]]; then
    echo "packages: note: '$path' is of no package; the list brings another"
  else
    example[${owner:-no package}]=$path
  fi
done <foreign
for owner in "${!example[@]}"; do
  echo "packages: error: the build reads '${example[$owner]}' of '$owner'," \
    "which tools/install-packages.sh does not bring" >&2
  status=1
done
[ $status = 0 ] && echo "packages: $(wc -l <read) files read, all of the" \
  "$(wc -l <closure) packages that the list brings"
exit $status
