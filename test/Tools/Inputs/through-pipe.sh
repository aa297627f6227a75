#!/bin/sh
# through-pipe.sh PIPE FILE COMMAND...: makes PIPE, runs COMMAND, which writes to
# it and must leave it a pipe; what came through is in FILE.
pipe=$1 file=$2
shift 2
mkfifo "$pipe" || exit 1
cat "$pipe" >"$file" &
reader=$!
"$@"
code=$?
if [ ! -p "$pipe" ]; then
  kill $reader
  echo "'$pipe' is a pipe no more" >&2
  exit 1
fi
[ $code = 0 ] || kill $reader
wait
exit $code
