#!/bin/sh
# Trains a recipe's seeds and its control at once on one GPU, asks the questions of docs/results/ of each, and of the untrained model
# while they train. Machines are lent for minutes: what stands is copied to KEEP every ten seconds, and an earlier FOLDER goes on.
# usage: bench/gpu/seeds.sh RECIPE MODEL QUESTIONS POOL STEPS FOLDER KEEP [NAME]...
#   FOLDER: outside of the checkout, for runs and logs; KEEP: for memagent-N-asked.json and memagent-N/metrics.jsonl, as seed-pages.ts
#   --runs reads them (rememr1-…, memupdate-… for a recipe of that agent); NAME: a seed, control-SEED, or 0, the untrained model
#   (1 2 3 control-1 0); POOL: paragraphs, or - for MemUpdate, whose MODEL, and 0, is what its seeds begin from. ReMemR1 is asked where the evidence comes in reverse order, as is with
#   ORDER=reverse in the environment MemAgent.
#   With several GPUs start it once for each, with CUDA_VISIBLE_DEVICES and names of its own
set -eu
cd "$(dirname "$0")/../.."
recipe=$1 model=$2 questions=$3 pool=$4 steps=$5 folder=$6 keep=$7
shift 7
names=${*:-1 2 3 control-1 0}
agent=memagent
case $recipe in
*rememr1*) agent=rememr1 ORDER=reverse ;;
*memupdate*) agent=memupdate ;;
esac
mkdir -p "$folder" "$keep"
# The recipe's own evaluation would be of the same questions. The copy lies beside the recipe, whose paths begin there.
copy=$(dirname "$recipe")/seeds-$$.yaml
sed '/^evaluation:/,/^[a-z]/{/^evaluation:/d;/^ /d}' "$recipe" >"$copy"
asked= keeper=
trap 'kill $asked $keeper 2>/dev/null || true; rm -f "$copy"' EXIT
trap 'exit 130' INT TERM
keep() {
  for at in $names; do
    cp "$folder/$agent-$at-asked.json" "$keep/" 2>/dev/null || true
    mkdir -p "$keep/$agent-$at" && cp "$folder/$at/run/metrics.jsonl" "$keep/$agent-$at/" 2>/dev/null || rmdir "$keep/$agent-$at" 2>/dev/null || true
  done
}
ask() {
  name=$1 cells=$2
  shift 2
  if [ $agent = memupdate ]; then
    set -- store-edits.ts --count 100000 --rows 192 "$@"
  else
    set -- by-length.ts --pool "$pool" --cells "$cells" --rows 192 --limit-seconds 100000 ${ORDER:+--order "$ORDER"} "$@"
  fi
  script=$1
  shift
  node node_modules/tsx/dist/cli.mjs --conditions=@palimpsest/source "bench/gpu/$script" --recipe "$copy" --model "$model" \
    --questions "$questions" --json "$folder/$agent-$name-asked.json" "$@" >"$folder/ask-$name.log" 2>&1
}
one() {
  name=$1 cells=$2
  shift 2
  # A run that was stopped is asked as far as it came.
  bench/gpu/cluster.sh "$copy" 1 "$steps" "$folder/$name" "$@" >"$folder/$name.log" 2>&1 || true
  ask "$name" "$cells" --adapters "$folder/$name/run"
}
# The longest texts in cells of 24 questions, which are read side by side: a cell is kept when all of it is answered.
long=" trained:3000:24:0 trained:3000:24:24 trained:800:64 trained:100:64 trained:400:64 trained:1600:24"
short="trained:50:200 trained:200:64"
bm25=" bm25-trained:50:200 bm25-trained:200:64" plain=" bm25:50:200 bm25:200:64 truncated:50:200 truncated:200:64"
[ -z "${ORDER:-}" ] || short=trained:50:1000 long= bm25=" bm25-trained:50:1000" plain=" bm25:50:1000"
untrained=$(echo "$short" | sed 's/trained/base/g')
for name in $names; do
  case $name in
  0)
    {
      ask 0 "$untrained$plain$(echo "$long" | sed 's/trained/base/g')"
      [ $agent = memupdate ] || [ -n "${ORDER:-}" ] || ask 0 "full:50:200 full:200:64" --context-tokens 32768 --rows 16
    } &
    ;;
  control-*) one "$name" "$short" --seed "${name#control-}" --shuffle-rewards & ;;
  *) one "$name" "$short$bm25$long" --seed "$name" & ;;
  esac
  asked="$asked $!"
done
while sleep 10; do keep; done &
keeper=$!
failed=0
for one in $asked; do wait "$one" || failed=1; done
keep
exit $failed
