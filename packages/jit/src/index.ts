// For users: make functions callable.

// For other packages: operations inside bodies, in every mode.
export { type AdamOptions, type AdamResult, adam } from "./adam.js";
export { type Backend, type BackendOptions, loadBackend } from "./backend.js";
export { JitError, type JitErrorCode } from "./error.js";
export { fuse } from "./fuse.js";
export { innerGrads } from "./inner-grads.js";
export {
  type HostArrays,
  type JitBody,
  type JitFunction,
  type JitMode,
  type JitModule,
  type JitOptions,
  type JitPrecision,
  jit,
  type Tensors,
} from "./module.js";
export { pickLogprob } from "./pick-logprob.js";
export { randomUniform } from "./random.js";
export { openScalarLog, type ScalarLog } from "./scalar-log.js";
export { type ScanBody, type ScanOptions, scan } from "./scan.js";
export { scatterRows } from "./scatter-rows.js";
export type { DType, HostArray, StateSpec, TensorSpec } from "./spec.js";
export type { FunctionStats } from "./stats.js";
export { turnPairs } from "./turn-pairs.js";
