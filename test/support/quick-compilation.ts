/**
 * XLA compiles each function of the tests to run it a few times with tiny shapes: code that LLVM has not optimized, and
 * loops that are not fused by MLIR, are compiled in half of the time.
 */
export const quickCompilation = {
  XLA_FLAGS: "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false",
};
