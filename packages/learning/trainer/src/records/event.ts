import type { UpdateMetrics } from "@palimpsest/learner";
import type { RejectedGroups } from "../groups/teaching-groups.js";
import type { EvaluationReport } from "./training-evaluations.js";

const phases = ["starting", "evaluating before", "training", "evaluating after", "done"] as const;
/** What a run is doing, in the order of a run. */
export type Phase = (typeof phases)[number];

/** Lengths of one of the run's queues, in jobs by state. */
export interface QueueDepth {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly waitingChildren: number;
  readonly delayed: number;
  readonly failed: number;
}

/** The report of one training step. */
export interface StepReport {
  readonly step: number;
  readonly steps: number;
  readonly policyVersion: number;
  /** Hash of the weights after the step. */
  readonly weightsHash: string;
  /** Mean reward of the step's episodes. */
  readonly rewardMean: number;
  /** Mean of each reward component. */
  readonly components: Readonly<Record<string, number>>;
  /**
   * Figures of agents with a store, under the names of MemUpdate's log: `memory_reward/mean`, `num_turns/mean`,
   * `tool_call_counts/…`.
   */
  readonly store?: Readonly<Record<string, number>>;
  /** Mean reward of each category of the step's tasks, if they have `metadata.category`. */
  readonly rewardByCategory?: Readonly<Record<string, number>>;
  readonly update: UpdateMetrics;
  /** Seconds from dispatch until the last group was complete, including a concurrent evaluation. */
  readonly rolloutSeconds: number;
  /** Seconds that the learner waited for groups, which asynchronous steps reduce. */
  readonly learnerWaitSeconds: number;
  /** Seconds of the update, without the checkpoint and the publication of the weights. */
  readonly updateSeconds: number;
  readonly checkpointSeconds: number;
  readonly publishSeconds: number;
  /**
   * With `learnerActors` above 1: seconds of the exchange, including waiting for the other learners, and bytes of
   * gradients that each learner has sent.
   */
  readonly exchange?: { readonly seconds: number; readonly sentBytes: number };
  /** Size of the new weights, or of the adapters if only these are published. */
  readonly publishedBytes: number;
  /** Sampled tokens per second of rollout, including those of a concurrent evaluation, all rollout actors together. */
  readonly samplerTokensPerSecond: number;
  readonly learnerTokensPerSecond: number;
  readonly groupsDispatched: number;
  readonly groupsTrained: number;
  readonly groupsFailed: number;
  /** Number of the failed groups that this driver has replaced because they became too stale. */
  readonly groupsStale: number;
  /**
   * With `train.zeroVarianceRefills`: the groups that the step took but did not train. `rewardMean` covers only those
   * that it trained.
   */
  readonly rejected?: RejectedGroups;
  /** Why episodes of the step failed, at most five reasons; absent if none did. */
  readonly episodeFailures?: readonly string[];
}

/** The events that a run reports. */
export type TrainEvent =
  | { readonly kind: "phase"; readonly phase: Phase; readonly total: number }
  | { readonly kind: "progress"; readonly phase: Phase; readonly done: number; readonly total: number }
  | { readonly kind: "step"; readonly report: StepReport }
  | { readonly kind: "evaluation"; readonly report: EvaluationReport }
  | { readonly kind: "queues"; readonly queues: readonly QueueDepth[] }
  | {
      readonly kind: "download";
      readonly file: string;
      /** Bytes received so far of all files together. */
      readonly doneBytes: number;
      readonly totalBytes: number;
    }
  | { readonly kind: "notice"; readonly text: string };

/** Is called with each event of a run, in order; it must not throw. */
export type TrainListener = (event: TrainEvent) => void;
