# usage: all-refused.sh FOLDER
# Compiles each .mlir file there in 4 GiB of addresses and says how it was refused.
# Fails if one was not.
failed=0
for file in "$1"/*.mlir; do
  (ulimit -v 4194304 && kiln-compile "$file" -o "$1/out.kiln") >"$1/out" 2>&1
  code=$?
  [ $code = 3 ] || failed=1
  echo "$(basename "$file" .mlir): $code $(tail -1 "$1/out" | sed "s#$1/##g")"
done
exit $failed
