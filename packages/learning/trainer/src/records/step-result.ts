/** The request for a step to a learner, and its result. */
import type { UpdateMetrics, WrittenDump } from "@palimpsest/learner";
import type * as proto from "@palimpsest/wire/protocol";
import type { ScheduleState } from "../groups/group-schedule.js";
import type { StepGroups } from "../groups/step-groups.js";
import type { RejectedGroups } from "../groups/teaching-groups.js";
import type { TracedTask } from "./step-traces.js";

export interface StepRequest extends StepGroups {
  readonly shuffleRewards: boolean;
  /** The tasks of its groups, if traces are kept. */
  readonly tasks?: readonly TracedTask[];
  /** Categories of its tasks by task id, if they have any. */
  readonly categories?: Readonly<Record<string, string>>;
}

export interface StepResult {
  readonly step: number;
  readonly update: UpdateMetrics;
  /** Seconds spent waiting for the step's groups. */
  readonly waitSeconds: number;
  readonly updateSeconds: number;
  readonly checkpointSeconds: number;
  readonly publishSeconds: number;
  readonly publishedBytes: number;
  /** With several learners: seconds spent waiting for each other, and bytes of gradients that each has sent. */
  readonly exchange?: { readonly seconds: number; readonly sentBytes: number };
  readonly groupsTrained: number;
  readonly groupsDropped: number;
  /** Absent if steps also train groups that teach nothing. */
  readonly rejected?: RejectedGroups;
  /** For a step with a window: the groups that it took, and the state of the run's schedule after it. */
  readonly taken?: { readonly groupIds: readonly string[]; readonly schedule: ScheduleState };
  /** Why episodes of the step failed, at most five reasons. */
  readonly episodeFailures: readonly string[];
  /** Mean reward of each category of the step's tasks; absent if they have none. */
  readonly rewardByCategory?: Readonly<Record<string, number>>;
  readonly weightsHash: string;
}

/** The part of a step's result that is known once its batch is trained. */
export type TrainedResult = Omit<
  StepResult,
  "checkpointSeconds" | "publishSeconds" | "publishedBytes" | "weightsHash"
>;

export interface TrainedStep {
  readonly result: TrainedResult;
  readonly dump: WrittenDump | undefined;
  readonly updatedAt: number;
}

/** A step whose weights are stored and whose checkpoint is on disk. */
export interface SavedStep {
  readonly result: StepResult;
  readonly manifest: proto.WeightManifest;
  readonly updatedAt: number;
  readonly storedAt: number;
  readonly savedAt: number;
}

export interface LearnerState {
  /** Number of the last completed step, which names the weights after it. */
  readonly policyVersion: number;
  readonly backend: string;
  readonly mode: string;
  /** Precision of its matrix products. */
  readonly precision: string;
  readonly checkpoint: string;
  /** State of the run's schedule, if its steps have windows. */
  readonly schedule: ScheduleState | undefined;
  /** The result of the last completed step; absent before the first. */
  readonly last: StepResult | undefined;
}

export function reportOf({ result, updatedAt, storedAt, savedAt }: SavedStep): StepResult {
  return {
    ...result,
    checkpointSeconds: (savedAt - storedAt) / 1000,
    publishSeconds: (storedAt - updatedAt + performance.now() - savedAt) / 1000,
  };
}
