import type { HostArray } from "@palimpsest/jit";
import type { MicroBatch } from "../rows/dealt-row.js";
import type { MicroBatchArrays, PackableRow } from "../rows/micro-batches.js";
import type { FreshDifference } from "../state/fresh-checks.js";
import type { Together } from "../together/together.js";
import type { Objective } from "./compiled.js";

/** The checks that the device makes itself before it applies a step. */
export interface AtOnce {
  /** Maximum norm of the gradients before clipping; infinite: none. */
  readonly normLimit: number;
  /** Maximum mean difference from the sampler over fresh tokens, nats; infinite: none. */
  readonly differenceLimit: number;
  /** The updates whose tokens are judged together with this step's; absent: none. */
  readonly earlier?: readonly FreshDifference[];
  /** Whether the current weights sampled the row, without truncation. */
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
  /** Number of optimizer steps done before this one. */
  readonly step: number;
  readonly signal?: AbortSignal | undefined;
  /** Set if several learners take the step together. */
  readonly together?: Together | undefined;
  /** Called with each micro-batch's outputs. */
  readonly onMicroBatch?: (batch: MicroBatch, arrays: MicroBatchArrays, outputs: Outputs) => void;
  /** Last check before the weights change; may throw. "skip" leaves them unchanged. */
  readonly beforeApply?: (gradientNorm: number) => "apply" | "skip";
  /** The checks of `beforeApply` as the device can make them, so that one launch may do the whole step. Absent: it cannot make all. */
  readonly atOnce?: AtOnce;
}

export type Outputs = Readonly<Record<string, HostArray>>;

export interface StepResult {
  readonly loss: number;
  /** Norm of the gradients before clipping. */
  readonly gradientNorm: number;
  /** False if `beforeApply` returned "skip". */
  readonly applied: boolean;
  readonly microBatches: number;
  /** Number of token positions computed, including padding. */
  readonly computedTokens: number;
}
