#!/bin/sh
# What two GPUs of one machine have to show, with nobody beside it and in at most 260 s, since machines are lent for minutes:
# replicas beside one GPU, weights from a learner to samplers that sample meanwhile, and what a fixed order of sums costs and leaves.
# A part that fails or takes longer than its seconds is cut off, and the next one begins. Each prints JSON into a log of its own as
# it goes, and the lines come to standard output when it ends.
# usage: bench/gpu/two.sh FOLDER [small]
#   FOLDER: for the logs; small: models that a CPU can compute, to try the script
set -u
cd "$(dirname "$0")/../.."
folder=$1 small=${2:-}
times=1
[ -z "$small" ] || times=6
end=$(($(date +%s) + 260 * times))
mkdir -p "$folder"
bench() { # NAME SECONDS FILE [FLAG]...
  name=$1 most=$(($2 * times)) file=$3
  shift 3
  left=$((end - 3 - $(date +%s)))
  [ "$most" -le "$left" ] || most=$left
  [ "$most" -gt 0 ] || { echo "$name: no time is left"; return; }
  from=$(date +%s)
  timeout -k 2 "$most" node --import tsx --conditions=@palimpsest/source "bench/gpu/$file" "$@" >>"$folder/$name.log" 2>&1
  ended=$?
  echo "$name: $* ended with $ended after $(($(date +%s) - from)) of $most s"
  grep '^{' "$folder/$name.log"
}
if [ -n "$small" ]; then
  replicas='tiny' first=tiny second=tiny orders=--small lasts=1
else
  replicas='0.5B (8x2048 xla bfloat16 default|2x8x2048)' first=4b second=7b orders='--seconds 4' lasts=3
  # A virtual machine may get its memory page by page as it is first used, which would be measured as the cost of weights.
  fill='const held = []; for (let gib = 0; gib < 48; gib++) held.push(Buffer.alloc(2 ** 30, 1))'
  node -e "$fill" & node -e "$fill" &
fi
# Updates have TensorFlow's own allocator, as users have; weights that fill a GPU want the one that the environment names.
(unset TF_GPU_ALLOCATOR && bench replicas 76 speed.ts --cases "$replicas" --seconds "$lasts")
bench "weights-$first" 62 weights.ts --shape "$first" --gpus 2 --rounds 2
bench "weights-$second" 70 weights.ts --shape "$second" --gpus 2 --rounds 1
# One GPU has the prices, the other the log-probs.
(unset TF_GPU_ALLOCATOR && export CUDA_VISIBLE_DEVICES=0 && bench order 75 deterministic.ts $orders --only '^(any|fixed) order$' --limit 45) &
(export CUDA_VISIBLE_DEVICES=1 && bench logprobs 75 deterministic.ts $orders --only '^log-probs of a sampler' --limit 72) &
wait
