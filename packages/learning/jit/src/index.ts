// For users: make functions callable.

export { type Backend, type BackendOptions, loadBackend } from "./backend/backend.js";
export { hidesGpus, machineGpus } from "./backend/unused-gpu.js";
export { entry } from "./base/entry.js";
export { JitError, type JitErrorCode } from "./base/error.js";
export { gpuMemory, gpuUsedMemory } from "./base/gpu-device.js";
export { type HalfPart, type HalfPiece, partsOfPieces, roundToHalf, widenHalf } from "./base/half.js";
export { bytesText, type MemoryShortage } from "./base/memory-shortage.js";
export { type DType, type HostArray, type StateSpec, sizeOf, type TensorSpec } from "./base/spec.js";
export type { FunctionStats } from "./base/stats.js";
export { tf } from "./base/tf.js";
export type { ComputedPrecision, JitMode, JitModule, JitPrecision } from "./modules/jit-module.js";
export { type JitOptions, jit } from "./modules/module.js";
export { type ProbedPrecision, type ProductShape, probePrecision } from "./modules/precision-probe.js";
export { openScalarLog, type ScalarLog } from "./modules/scalar-log.js";
// For other packages: operations inside bodies, in every mode.
export { type AdamOptions, type AdamResult, adam } from "./ops/adam.js";
export { asType, type FloatType, floatTypeOf } from "./ops/as-type.js";
export { attention, fitsFusedAttention, usesFusedAttention } from "./ops/attention.js";
export type {
  AttentionOptions,
  AttentionPast,
  AttentionPrefix,
  TableRows,
} from "./ops/attention-options.js";
export { type CallableBody, callable } from "./ops/callable.js";
export { type Computed, customGrad, type TensorsOf } from "./ops/custom-grad.js";
export { fuse } from "./ops/fuse.js";
export { innerGrads } from "./ops/inner-grads.js";
export { pickLogprob } from "./ops/pick-logprob.js";
export { randomUniform } from "./ops/random.js";
export { rotatePairs } from "./ops/rotate-pairs.js";
export { scan } from "./ops/scan.js";
export type { Keep, ScanBody, Scanned, ScanOptions } from "./ops/scan-options.js";
export { scatterRows } from "./ops/scatter-rows.js";
export { packedSegments, type Segments } from "./ops/segments.js";
export { wideProducts } from "./ops/wide-products.js";
export type { HostArrays, JitBody, JitFunction, JitShards, JitStage, Tensors } from "./trace/jit-function.js";
