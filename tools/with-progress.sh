#!/usr/bin/env bash
# Runs a command that takes minutes and says how far it is.
set -uo pipefail

usage() {
  cat <<EOF
usage: tools/with-progress.sh WHAT COMMAND...

Runs COMMAND and tells what is waited for: WHAT, the time so far, and for Ninja
how many steps are done and about how long the rest takes. For other commands,
the last line that they wrote. A terminal shows one line that is rewritten;
elsewhere there is a line every \$KILN_PROGRESS_SECONDS (default 15) seconds.
What the command writes is kept back, and shown if it fails. Exits with its code.
EOF
}

case "${1:-}" in
-h | --help)
  usage
  exit 0
  ;;
esac
if [ $# -lt 2 ]; then
  usage >&2
  exit 2
fi
what=$1
shift

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A mark that no other output has.
export NINJA_STATUS="@ninja %f %t "

interval=${KILN_PROGRESS_SECONDS:-15} terminal=no
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
  terminal=yes interval=1
fi

duration() {
  if [ "$1" -lt 60 ]; then
    printf '%d s' "$1"
  else
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
  fi
}

# Reads the command's output; knows how far it is in done, total and latest.
follow() {
  local line rest part="" status now shown=$SECONDS
  local done=0 total=0 latest="" width=${COLUMNS:-80}
  [ $terminal = no ] || width=$(tput cols 2>/dev/null || echo 80)
  report() {
    local text
    text="$what: $(duration $SECONDS)"
    if [ "$total" -gt 0 ]; then
      text+=", $done of $total steps"
      # The first steps say little about the others.
      if [ $SECONDS -ge 10 ] && [ $((done * 50)) -ge "$total" ]; then
        text+=", about $(duration $((SECONDS * (total - done) / done))) left"
      fi
    fi
    [ -z "$latest" ] || text+=" ($latest)"
    [ ${#text} -lt "$width" ] || text="${text:0:width-4}..."
    if [ $terminal = yes ]; then
      printf '\r\033[K%s' "$text"
    else
      printf '%s\n' "$text"
    fi
  }
  while true; do
    IFS= read -r -t 1 line
    status=$?
    # Time out: a line that is not complete stays for the next round.
    if [ $status -gt 128 ]; then
      part+=$line
    else
      line=$part$line part=""
      if [[ $line =~ ^@ninja\ ([0-9]+)\ ([0-9]+)\ (.*)$ ]]; then
        done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        rest=${BASH_REMATCH[3]##*/}
        latest=${rest##* }
      elif [ -n "$line" ]; then
        printf '%s\n' "$line" >>"$log"
        [ "$total" -gt 0 ] || latest=$line
      fi
      [ $status = 0 ] || break
    fi
    now=$SECONDS
    if [ $((now - shown)) -ge "$interval" ]; then
      report
      shown=$now
    fi
  done
  [ $terminal = no ] || printf '\r\033[K'
  if [ "$latest" = "ninja: no work to do." ]; then
    printf '%s: up to date\n' "$what"
  elif [ "$total" -gt 0 ]; then
    printf '%s: %s, %d of %d steps\n' "$what" "$(duration $SECONDS)" "$done" \
      "$total"
  else
    printf '%s: %s\n' "$what" "$(duration $SECONDS)"
  fi
}

SECONDS=0
"$@" 2>&1 </dev/null | follow
status=${PIPESTATUS[0]}
[ "$status" = 0 ] || cat "$log" >&2
exit "$status"
