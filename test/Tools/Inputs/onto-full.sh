#!/bin/sh
# onto-full.sh CODE COMMAND...: a command whose standard output takes nothing must
# end with that code; prints what it says of it. lit itself would read the device
# back when the command fails.
code=$1
shift
"$@" 2>&1 >/dev/full
found=$?
[ "$found" = "$code" ] && exit 0
echo "exit code $found, expected $code" >&2
exit 1
