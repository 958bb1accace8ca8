/** What a learner is asked for a step with, and what it says of it. */
import type { UpdateMetrics, WrittenDump } from "@palimpsest/learner";
import type * as proto from "@palimpsest/wire/protocol";
import type { ScheduleState } from "./async/group-schedule.js";
import type { StepGroups } from "./step-groups.js";
import type { TracedTask } from "./step-traces.js";
import type { RejectedGroups } from "./teaching-groups.js";

export interface StepRequest extends StepGroups {
  readonly shuffleRewards: boolean;
  /** What its groups are about, where traces are kept. */
  readonly tasks?: readonly TracedTask[];
  /** Categories of its tasks by their ids, where they have some. */
  readonly categories?: Readonly<Record<string, string>>;
}

export interface StepResult {
  readonly step: number;
  readonly update: UpdateMetrics;
  /** Waiting for the step's groups. */
  readonly waitSeconds: number;
  readonly updateSeconds: number;
  readonly checkpointSeconds: number;
  readonly publishSeconds: number;
  readonly publishedBytes: number;
  /** Of several learners that train together: waiting for each other, and bytes of gradients that each has sent. */
  readonly exchange?: { readonly seconds: number; readonly sentBytes: number };
  readonly groupsTrained: number;
  readonly groupsDropped: number;
  /** Absent where steps train groups that teach nothing, too. */
  readonly rejected?: RejectedGroups;
  /** Of a step with a window: the groups that it took, and where the run's schedule stands after it. */
  readonly taken?: { readonly groupIds: readonly string[]; readonly schedule: ScheduleState };
  readonly episodeFailures: readonly string[];
  /** Mean reward of each category of the step's tasks; absent where they have none. */
  readonly rewardByCategory?: Readonly<Record<string, number>>;
  readonly weightsHash: string;
}

/** What is known of a step once its batch is trained. */
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
  /** After the last step that is done. */
  readonly policyVersion: number;
  readonly backend: string;
  readonly mode: string;
  /** What its products are computed in. */
  readonly precision: string;
  readonly checkpoint: string;
  /** Where the run's schedule stands, where its steps have windows. */
  readonly schedule: ScheduleState | undefined;
  /** What the last step that is done was answered with; absent before the first. */
  readonly last: StepResult | undefined;
}

export function reportOf({ result, updatedAt, storedAt, savedAt }: SavedStep): StepResult {
  return {
    ...result,
    checkpointSeconds: (savedAt - storedAt) / 1000,
    publishSeconds: (storedAt - updatedAt + performance.now() - savedAt) / 1000,
  };
}
