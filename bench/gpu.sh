#!/bin/sh
# On a machine with an NVIDIA GPU and libtensorflow for it set up: conformance, then updates of a 0.5B-parameter decoder.
# Layers are loops, so the compilation is seconds; memory is taken as it is needed. About 6 minutes on one H100.
# usage: bench/gpu.sh [FOLDER]    FOLDER: where node_modules has tsx, if not here
set -u
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-2}" TF_FORCE_GPU_ALLOW_GROWTH=true
export XLA_FLAGS="${XLA_FLAGS:-} --xla_gpu_enable_triton_gemm=false"
run() { echo "== $*"; node --import tsx --conditions=@palimpsest/source "$@"; }
NVIDIA_TF32_OVERRIDE=0 run bench/gpu.ts
run bench/jit.ts --modes graph,xla --size tiny --batch 64 --length 64 --json
run bench/jit.ts --modes graph,xla --size small --batch 16 --length 256 --json
run bench/jit.ts --modes xla --size 0.5B --batch 4 --length 512 --precision float32 --seconds 10 --json
run bench/jit.ts --modes xla --size 0.5B --batch 4 --length 2048 --precision bfloat16 --seconds 20 --json
nvidia-smi --query-gpu=memory.used,memory.total --format=csv || true
