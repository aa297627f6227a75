# usage: damaged-weights.sh PYTHON FOLDER INPUTS: each kind of damage with the
# exit code and the error of kiln-run.
for kind in empty length json deep twice behind backwards shape huge negative \
    dtype overlap gap rest; do
  "$1" "$3/safetensors.py" damage $kind "$2/damaged.safetensors"
  text=$(kiln-run "$2/m.kiln" --inputs="$2/x.npy" \
    --weights="$2/damaged.safetensors" 2>&1)
  echo "$kind: $? $text"
done
