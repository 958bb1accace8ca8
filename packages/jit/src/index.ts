// For users: make functions callable.

// For other packages: operations inside bodies, in every mode.
export { type AdamOptions, type AdamResult, adam } from "./adam.js";
export { asType, type FloatType, floatTypeOf } from "./as-type.js";
export { attention, usesFusedAttention } from "./attention.js";
export type { AttentionOptions, AttentionPast, AttentionPrefix } from "./attention-options.js";
export { type Backend, type BackendOptions, loadBackend } from "./backend.js";
export { type CallableBody, callable } from "./callable.js";
export { type Computed, customGrad, type TensorsOf } from "./custom-grad.js";
export { entry } from "./entry.js";
export { JitError, type JitErrorCode } from "./error.js";
export { fuse } from "./fuse.js";
export { gpuMemory, gpuUsedMemory } from "./gpu-device.js";
export { innerGrads } from "./inner-grads.js";
export type { HostArrays, JitBody, JitFunction, JitStage, Tensors } from "./jit-function.js";
export type { ComputedPrecision, JitMode, JitModule, JitPrecision } from "./jit-module.js";
export { bytesText, type MemoryShortage } from "./memory-shortage.js";
export { type JitOptions, jit } from "./module.js";
export { pickLogprob } from "./pick-logprob.js";
export { type ProbedPrecision, type ProductShape, probePrecision } from "./precision-probe.js";
export { randomUniform } from "./random.js";
export { rotatePairs } from "./rotate-pairs.js";
export { openScalarLog, type ScalarLog } from "./scalar-log.js";
export { scan } from "./scan.js";
export type { Keep, ScanBody, Scanned, ScanOptions } from "./scan-options.js";
export { scatterRows } from "./scatter-rows.js";
export { packedSegments, type Segments } from "./segments.js";
export { type DType, type HostArray, type StateSpec, sizeOf, type TensorSpec } from "./spec.js";
export type { FunctionStats } from "./stats.js";
export { tf } from "./tf.js";
export { hidesGpus, machineGpus } from "./unused-gpu.js";
export { wideProducts } from "./wide-products.js";
