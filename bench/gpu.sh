#!/bin/sh
# On a machine with an NVIDIA GPU and libtensorflow for it set up: what the GPU computes is held against tfjs's JavaScript kernels
# and Hugging Face's numbers, then updates and sampling are timed. Results go into a folder, as JSON.
# usage: bench/gpu.sh FOLDER [check|speed] [REFERENCES]
#   REFERENCES: folders of numbers for `palimpsest model check`, with commas between; none: only the conformance cases
set -u
cd "$(dirname "$0")/.."
out=$1
what=${2:-all}
references=${3:-}
mkdir -p "$out"
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-2}"
run() { timeout "${CASE_SECONDS:-280}" node --import tsx --conditions=@palimpsest/source "$@"; }
nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader | tee "$out/machine.txt"
if [ "$what" != speed ]; then
  # Side by side: nothing is timed here. TF32 has 10 bits of mantissa, so float32 is held to its own.
  export NVIDIA_TF32_OVERRIDE=0
  for modes in eager,graph xla; do
    run bench/gpu/conformance.ts --modes $modes --json "$out/conformance-$modes.json" >"$out/conformance-$modes.log" 2>&1 &
  done
  for reference in $(echo "$references" | tr , ' '); do
    name=$(basename "$reference")
    run bench/gpu/references.ts --mode xla --references "$reference" --json "$out/check-$name.json" >"$out/check-$name.log" 2>&1 &
  done
  wait
  unset NVIDIA_TF32_OVERRIDE
  tail -n 40 "$out"/*.log
fi
if [ "$what" != check ]; then
  for name in learner sampler; do
    CASE_SECONDS=900 run bench/gpu/speed.ts --cases "${CASES:-}$name" --json "$out/speed-$name.json"
  done
fi
