import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Tokenizer } from "@palimpsest/agents";
import { lostTrace, type Trace, type TraceDetail, traceEpisode, writeTraces } from "@palimpsest/evals";
import type { TrainedTokens } from "@palimpsest/learner";
import type { DroppedGroup, EpisodeFailure, Group, Task } from "@palimpsest/trajectories";

const stepFile = /^step-(\d{8,})\.jsonl$/;
const evaluationFile = /^evaluation-(\d{8,})\.jsonl$/;

/** The fields of a task that a trace stores; its document is left out. */
export type TracedTask = Pick<Task, "id" | "question" | "answers" | "metadata">;

export interface StepTraces {
  readonly runId: string;
  /** Counts from 1. */
  readonly step: number;
  readonly groups: readonly Group[];
  /** Complete groups that were not trained because all of their episodes have the same reward. */
  readonly rejected?: readonly Group[];
  /** Groups that were not trained for other reasons. */
  readonly dropped?: readonly DroppedGroup[];
  /** Failed episodes, which are left out of their groups. */
  readonly failures?: readonly EpisodeFailure[];
  /** The update's figures per token. */
  readonly trained?: TrainedTokens | undefined;
  /** Tasks of the groups; a missing task is named only by its id. */
  readonly tasks: readonly TracedTask[];
  readonly tokenizer: Tokenizer;
  /** Default: `replies`, the text that the model wrote. */
  readonly detail?: TraceDetail | undefined;
}

/** Writes the trajectories of one step as a trace file, and keeps the run's first step and the last `keepLast` steps. */
export async function writeStepTraces(
  folder: string,
  told: StepTraces,
  options: { readonly keepLast: number },
): Promise<string> {
  const { step, groups, rejected = [] } = told;
  const traces = [
    ...groups.flatMap((group) => groupTraces(group, told)),
    ...rejected.flatMap((group) => groupTraces(group, told, "its group was not trained: ZERO_VARIANCE")),
    ...failureTraces(told),
  ];
  const path = join(folder, `step-${String(step).padStart(8, "0")}.jsonl`);
  await writeTraces(path, traces);
  await keepFirstAndLast(folder, stepFile, options.keepLast);
  return path;
}

/** Writes the traces of an evaluation, and keeps those of the run's first evaluation and of the last `keepLast`. */
export async function writeEvaluationTraces(
  folder: string,
  version: number,
  traces: readonly Trace[],
  options: { readonly keepLast: number },
): Promise<void> {
  await writeTraces(join(folder, `evaluation-${String(version).padStart(8, "0")}.jsonl`), traces);
  await keepFirstAndLast(folder, evaluationFile, options.keepLast);
}

/** What a run did first is kept, because what it does last shows what it learned only beside it. */
async function keepFirstAndLast(folder: string, pattern: RegExp, keepLast: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name)).sort();
  const gone = names.slice(1, Math.max(names.length - keepLast, 1));
  await Promise.all(gone.map((name) => rm(join(folder, name), { force: true })));
}

/** @param discarded why training left the group out */
function groupTraces(
  { groupId, taskId, members }: Group,
  { runId, step, tasks, tokenizer, detail = "replies", trained }: StepTraces,
  discarded?: string,
): Trace[] {
  const task = tasks.find(({ id }) => id === taskId) ?? { id: taskId, question: "", answers: [] };
  return members.map(({ trajectory, score }) =>
    traceEpisode({ ...task, document: "" }, trajectory, {
      origin: "train",
      trajectoryId: trajectory.trajectoryId,
      agent: trajectory.agent,
      run: runId,
      trainingStep: step,
      groupId,
      episodeIndex: trajectory.episodeIndex,
      ...(discarded === undefined ? {} : { discarded }),
      tokenizer,
      detail,
      score,
      trainedOf: (place) => trained?.of(trajectory.trajectoryId, place),
    }),
  );
}

/** Traces of failed episodes and of dropped groups, whose text is no longer available. */
function failureTraces(told: StepTraces): Trace[] {
  const { runId, step, groups, rejected = [], dropped = [], failures = [], tasks } = told;
  const taskOf = new Map(
    [...groups, ...rejected, ...dropped].map(({ groupId, taskId }) => [groupId, taskId]),
  );
  const agent = [...groups, ...rejected][0]?.members[0]?.trajectory.agent ?? "";
  const lost = (trajectoryId: string, groupId: string, failure: string) => {
    const id = taskOf.get(groupId) ?? "";
    const task = tasks.find((one) => one.id === id) ?? { id, question: "", answers: [] };
    return lostTrace({ trajectoryId, agent, run: runId, trainingStep: step, groupId, failure, task });
  };
  return [
    ...failures.map(({ trajectoryId, groupId, stage, message }) =>
      lost(trajectoryId, groupId, `${stage}: ${message}`),
    ),
    ...dropped.map(({ groupId, reason }) => lost(groupId, groupId, `the group was dropped: ${reason}`)),
  ];
}
