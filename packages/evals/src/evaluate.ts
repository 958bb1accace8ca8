/**
 * Runs an agent over tasks of several document lengths and scores it. Does not train, plot or write files.
 *
 * E1. A task that fails counts as wrong and stays in the denominator.
 * E2. An abort stops everything and is thrown; it is never counted as a failure.
 * E3. At most `concurrency` episodes are in flight.
 * E4. An episode's seed depends on the evaluation's seed and the task's place, not on timing.
 */
import { type Agent, callSeed } from "@palimpsest/agents";
import type { StreamedTask } from "@palimpsest/datasets";
import type { TrajectoryReward } from "@palimpsest/rewards";
import type { Task } from "@palimpsest/trajectories";
import { EvaluationError } from "./error.js";
import { type Interval, wilsonInterval } from "./intervals.js";
import { watchMemory } from "./memory-sampler.js";

export interface LengthTasks {
  /** Nominal document length that the row is listed under. */
  readonly lengthTokens: number;
  readonly tasks: readonly (Task | StreamedTask)[];
}

/** One task's outcome. */
export interface TaskOutcome {
  readonly taskId: string;
  readonly correct: boolean;
  readonly reward: number;
  readonly answer: string;
  readonly answers: readonly string[];
  /** Why the episode or its scoring failed; absent where it did not. */
  readonly failure?: string;
}

/** Everything measured at one length. Sums are over episodes that did not fail. */
export interface LengthResult {
  readonly lengthTokens: number;
  readonly n: number;
  readonly correct: number;
  readonly failures: number;
  /** Share of right answers over all n. */
  readonly exactMatch: number;
  /** Wilson, 95 %. */
  readonly exactMatchInterval: Interval;
  /** Over all n, failures as 0. */
  readonly meanReward: number;
  readonly documentTokens: number;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  readonly conversations: number;
  /** Conversations cut by their token limit. */
  readonly truncated: number;
  readonly droppedDocumentTokens: number;
  /** Wall clock of the whole length. */
  readonly seconds: number;
  /** Wall clock over document tokens. */
  readonly microsecondsPerDocumentToken: number;
  readonly sampledTokensPerDocumentToken: number;
  /** Resident set of this process, highest while this length ran. */
  readonly peakRssBytes: number;
  /** Peak minus the resident set when this length began. */
  readonly rssGrowthBytes: number;
  readonly outcomes: readonly TaskOutcome[];
}

export interface Evaluation {
  readonly agent: string;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly seed: number;
  readonly lengths: readonly LengthResult[];
}

export interface EvaluationProgress {
  readonly lengthTokens: number;
  readonly done: number;
  readonly total: number;
  readonly correct: number;
}

export interface EvaluateOptions {
  /** Already bound to its sampler and tokenizer. */
  readonly agent: Agent;
  readonly tasksByLength: readonly LengthTasks[];
  readonly reward: TrajectoryReward;
  /** Episodes in flight, ≥ 1. Default 16. */
  readonly concurrency?: number;
  /** Default 0 (greedy). */
  readonly temperature?: number;
  readonly seed?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  /** Clock in milliseconds and memory reading, for tests. */
  readonly now?: () => number;
  readonly rssBytes?: () => number;
}

/** @throws {EvaluationError} BAD_CONFIG; the signal's reason */
export async function evaluateByLength(options: EvaluateOptions): Promise<Evaluation> {
  const { agent, tasksByLength, temperature = 0, seed = 0 } = options;
  const empty = tasksByLength.find(({ tasks }) => tasks.length === 0);
  if (tasksByLength.length === 0 || empty) {
    const where = empty ? ` at ${empty.lengthTokens} tokens` : "";
    throw new EvaluationError("BAD_CONFIG", `tasksByLength: no task${where}; give at least one a length`);
  }
  const lengths: LengthResult[] = [];
  for (const length of tasksByLength) lengths.push(await evaluateLength(options, length, temperature, seed));
  return { agent: agent.name, temperature, seed, lengths };
}

async function evaluateLength(
  options: EvaluateOptions,
  { lengthTokens, tasks }: LengthTasks,
  temperature: number,
  seed: number,
): Promise<LengthResult> {
  const { agent, reward, concurrency = 16, signal, onProgress, now = () => performance.now() } = options;
  const outcomes: TaskOutcome[] = [];
  const sums = {
    documentTokens: 0,
    promptTokens: 0,
    sampledTokens: 0,
    conversations: 0,
    truncated: 0,
    droppedDocumentTokens: 0,
  };
  const memory = watchMemory(options.rssBytes ? { rssBytes: options.rssBytes } : {});
  const startedMs = now();
  let next = 0;
  let done = 0;
  let correct = 0;

  const evaluateTask = async (place: number): Promise<TaskOutcome> => {
    const task = tasks[place] as Task | StreamedTask;
    const base = { taskId: task.id, answers: task.answers };
    try {
      const streamed = "pieces" in task;
      const records = streamed ? undefined : task.records;
      const result = await agent.run(
        {
          question: task.question,
          document: streamed ? task.pieces() : task.document,
          ...(records ? { records } : {}),
        },
        { temperature, seed: callSeed(seed, place), record: "none", ...(signal ? { signal } : {}) },
      );
      const score = await reward(
        streamed ? { ...task, document: "" } : task,
        { ...result, memorySteps: result.steps },
        signal ? { signal } : {},
      );
      for (const key of ["promptTokens", "sampledTokens", "conversations", "truncated"] as const) {
        sums[key] += result.counts[key];
      }
      sums.documentTokens += result.documentTokens;
      sums.droppedDocumentTokens += result.droppedDocumentTokens;
      const right = (score.components["exactMatch"] ?? score.reward) >= 1;
      return { ...base, correct: right, reward: score.reward, answer: result.answer };
    } catch (error) {
      signal?.throwIfAborted();
      const failure = error instanceof Error ? error.message : String(error);
      return { ...base, correct: false, reward: 0, answer: "", failure };
    }
  };
  const lane = async () => {
    while (next < tasks.length) {
      const place = next++;
      const outcome = await evaluateTask(place);
      outcomes[place] = outcome;
      done += 1;
      if (outcome.correct) correct += 1;
      memory.read();
      onProgress?.({ lengthTokens, done, total: tasks.length, correct });
    }
  };
  try {
    signal?.throwIfAborted();
    await allLanes(Array.from({ length: Math.max(1, Math.min(concurrency, tasks.length)) }, lane));
  } finally {
    memory.close();
  }

  const seconds = (now() - startedMs) / 1000;
  const perDocumentToken = (value: number) => (sums.documentTokens === 0 ? 0 : value / sums.documentTokens);
  return {
    lengthTokens,
    n: tasks.length,
    correct,
    failures: outcomes.filter((outcome) => outcome.failure !== undefined).length,
    exactMatch: correct / tasks.length,
    exactMatchInterval: wilsonInterval(correct, tasks.length),
    meanReward: outcomes.reduce((sum, outcome) => sum + outcome.reward, 0) / tasks.length,
    ...sums,
    seconds,
    microsecondsPerDocumentToken: perDocumentToken(seconds * 1e6),
    sampledTokensPerDocumentToken: perDocumentToken(sums.sampledTokens),
    peakRssBytes: memory.peakBytes,
    rssGrowthBytes: memory.peakBytes - memory.startBytes,
    outcomes,
  };
}

/** Waits for every lane to end, so that nothing runs on after a failure, then throws the first failure. */
async function allLanes(lanes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === "rejected");
  if (failed) throw failed.reason;
}
