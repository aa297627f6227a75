#!/bin/sh
# exits-with.sh CODE COMMAND...: succeeds if the command ends with that code.
code=$1
shift
"$@"
found=$?
[ "$found" = "$code" ] && exit 0
echo "exit code $found, expected $code" >&2
exit 1
