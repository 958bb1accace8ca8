/**
 * XLA compiles each function of the tests to run it a few times with tiny shapes: code that LLVM has not optimized, and
 * loops that are not fused by MLIR, are compiled in half of the time. One part of a program instead of several, and products
 * without the library that builds a pipeline for each shape, save another tenth. Processes that tests start inherit it.
 */
export const quickCompilation = {
  XLA_FLAGS: [
    "--xla_backend_optimization_level=0",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
    "--xla_cpu_experimental_ynn_fusion_type=",
    "--xla_cpu_use_xnnpack=false",
  ].join(" "),
};

/**
 * Tiny shapes have nothing to share among threads, and TensorFlow's look for work in a loop before they sleep: a file of many
 * short calls takes a third less processor time without them.
 */
export const oneThread = {
  TF_NUM_INTEROP_THREADS: "1",
  TF_NUM_INTRAOP_THREADS: "1",
  OMP_NUM_THREADS: "1",
};
