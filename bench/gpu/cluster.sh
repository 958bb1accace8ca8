#!/bin/sh
# A recipe through head, worker and actors on this machine's GPUs, as a person would run it; what a step took is said at the end.
# usage: bench/gpu/cluster.sh RECIPE GPUS STEPS FOLDER [OPTION OF train]...
#   GPUS: what the worker offers; STEPS: replaces the recipe's; FOLDER: for logs, run folder and data of the head
set -eu
cd "$(dirname "$0")/../.."
recipe=$1 gpus=$2 steps=$3 folder=$4
shift 4
mkdir -p "$folder"
# A function in the background would be a shell, which a signal ends without the program in it.
palimpsest="node packages/apps/cli/bin/palimpsest.js"
$palimpsest head start --data-dir "$folder/head" --port 0 >"$folder/head.log" 2>&1 &
head=$!
worker= watch=
trap 'kill $watch $worker $head 2>/dev/null || true; wait' EXIT
until grep -q 'listens on' "$folder/head.log"; do kill -0 $head; sleep 0.1; done
$palimpsest worker join --data-dir "$folder/head" --node-dir "$folder/node" --gpus "$gpus" >"$folder/worker.log" 2>&1 &
worker=$!
node bench/gpu/cluster-steps.mjs "$folder/run/metrics.jsonl" >"$folder/steps.json" &
watch=$!
$palimpsest train "$recipe" --data-dir "$folder/head" --run-dir "$folder/run" --steps "$steps" "$@" >"$folder/train.log" 2>&1 || {
  kill $watch
  tail -n 30 "$folder/train.log" "$folder/worker.log"
  exit 1
}
kill -INT $watch
wait $watch || true
cat "$folder/steps.json"
