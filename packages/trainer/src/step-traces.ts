import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Tokenizer } from "@palimpsest/agents";
import { type TraceDetail, traceEpisode, writeTraces } from "@palimpsest/evals";
import type { Group, Task } from "@palimpsest/trajectories";

const file = /^step-(\d{8,})\.jsonl$/;

/** What a trace says of a task: its document is not kept. */
export type TracedTask = Pick<Task, "id" | "question" | "answers" | "metadata">;

export interface StepTraces {
  readonly runId: string;
  /** Counts from 1. */
  readonly step: number;
  readonly groups: readonly Group[];
  /** Those of the groups; one that is missing is named by its id alone. */
  readonly tasks: readonly TracedTask[];
  readonly tokenizer: Tokenizer;
  /** Default: what the model wrote. */
  readonly detail?: TraceDetail | undefined;
}

/** Writes the trajectories of one step as a trace file, and keeps the last `keepLast` of the folder. */
export async function writeStepTraces(
  folder: string,
  { runId, step, groups, tasks, tokenizer, detail = "replies" }: StepTraces,
  options: { readonly keepLast: number },
): Promise<string> {
  const taskOf = new Map(tasks.map((task) => [task.id, task]));
  const traces = groups.flatMap(({ groupId, taskId, members }) =>
    members.map(({ trajectory, score }) =>
      traceEpisode(
        { ...(taskOf.get(taskId) ?? { id: taskId, question: "", answers: [] }), document: "" },
        trajectory,
        {
          origin: "train",
          trajectoryId: trajectory.trajectoryId,
          agent: trajectory.agent,
          run: runId,
          trainingStep: step,
          groupId,
          episodeIndex: trajectory.episodeIndex,
          tokenizer,
          detail,
          score,
        },
      ),
    ),
  );
  const path = join(folder, `step-${String(step).padStart(8, "0")}.jsonl`);
  await writeTraces(path, traces);
  const names = (await readdir(folder)).filter((name) => file.test(name)).sort();
  const gone = names.slice(0, Math.max(names.length - options.keepLast, 0));
  await Promise.all(gone.map((name) => rm(join(folder, name), { force: true })));
  return path;
}
