import type { HostArray } from "@palimpsest/jit";
import type { Objective } from "./compiled.js";
import type { MicroBatch } from "./dealt-row.js";
import type { MicroBatchArrays, PackableRow } from "./micro-batches.js";
import type { Together } from "./together.js";

/** What the device is told to see by itself before it applies a step. */
export interface AtOnce {
  /** Norm of the gradients before clipping; infinite: none. */
  readonly normLimit: number;
  /** Mean difference from the sampler over fresh tokens, nats; infinite: none. */
  readonly differenceLimit: number;
  /** Whether the present weights sampled the row, untruncated. */
  readonly isFresh: (rowIndex: number) => boolean;
}

export interface StepRequest<Row extends PackableRow> {
  readonly objective: Objective;
  readonly rows: readonly Row[];
  /** One per row, from `aggregationWeights`. */
  readonly weights: Float64Array;
  /** β of this step; absent: the configuration's. */
  readonly klCoefficient?: number;
  readonly learningRate: number;
  /** Optimizer steps done before this one. */
  readonly step: number;
  readonly signal?: AbortSignal | undefined;
  /** Where several learners take the step. */
  readonly together?: Together | undefined;
  /** Sees each micro-batch's outputs. */
  readonly onMicroBatch?: (batch: MicroBatch, arrays: MicroBatchArrays, outputs: Outputs) => void;
  /** Last look before the weights change; may throw. "skip" leaves them as they are. */
  readonly beforeApply?: (gradientNorm: number) => "apply" | "skip";
  /** What of `beforeApply` the device can see by itself, so that one launch may do the whole step. Absent: not all of it. */
  readonly atOnce?: AtOnce;
}

export type Outputs = Readonly<Record<string, HostArray>>;

export interface StepResult {
  readonly loss: number;
  /** Before clipping. */
  readonly gradientNorm: number;
  /** False where `beforeApply` said "skip". */
  readonly applied: boolean;
  readonly microBatches: number;
  /** Token places computed, padding included. */
  readonly computedTokens: number;
}
