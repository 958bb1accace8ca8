/**
 * Responsibility: asks every question of a set several times, and stores the mean reward of the episodes in a file.
 * Not responsible for: what an episode is and how it is scored, or what the rates are used for (rated-tasks.ts).
 *
 * Invariants:
 * - RATING-1. A question counts as rated when its line is on the disk. A rating that was stopped at any point continues
 *   with the questions that have no line. A line that was cut off is removed first, and no question with a line is
 *   asked again.
 * - RATING-2. A failed episode does not count as unsolved: the rate is the mean over the episodes that were scored. A
 *   question of which no episode was scored ends the rating with the reason.
 * - RATING-3. At most `concurrency` tasks are in memory, and one byte per question.
 * - RATING-4. Only one rating at a time writes a file. A second one is refused, unless the process of the first is
 *   known to have ended.
 */

import { inLanes } from "@palimpsest/std";
import { withFolderLock } from "@palimpsest/std/files";
import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import { entriesOf, openSettingsLog } from "../source/settings-log.js";
import type { TaskSet } from "../tasks/task-set.js";
import { type PassRate, passRateSchema, taskTextHash } from "./pass-rates.js";

interface RatingEpisode {
  /** Position of the question in its set, from 0. */
  readonly position: number;
  /** Index of the episode among those of its question, from 0. */
  readonly sample: number;
  readonly signal: AbortSignal;
}

export interface RatingRequest {
  readonly tasks: TaskSet;
  /** Number of episodes per question, ≥ 1; they run concurrently. */
  readonly samples: number;
  /** Number of questions that are asked concurrently, ≥ 1. */
  readonly concurrency: number;
  /** Path of the file of rates. */
  readonly path: string;
  /** What makes rates comparable: model, agent, reward, sampling, data. A file with other settings is refused. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * Runs an episode.
   * @returns its reward
   */
  play(task: Task, episode: RatingEpisode): Promise<number>;
  readonly signal?: AbortSignal;
  /** Called at the beginning and after every question. */
  readonly onProgress?: (rating: Rating) => void;
}

/** What a rating has counted: questions that are never, always or sometimes solved. */
export interface Rating {
  readonly questions: number;
  readonly rated: number;
  /** How many of the `rated` questions were in the file already. */
  readonly resumed: number;
  /** Number of questions with a rate of 0 or below. */
  readonly never: number;
  /** Number of questions with a rate of 1 or above. */
  readonly always: number;
  /** Mean of the rates; 0 before the first one. */
  readonly mean: number;
  /** Number of episodes that failed. */
  readonly failed: number;
}

/**
 * Rates the questions of a set, and continues an earlier rating of the same file.
 * @throws {DatasetError} BAD_CONFIG if the file has other settings, is no file of rates or is being written by another
 *   process; BAD_ROWS, also with the reason why a question could not be rated; the signal's reason
 */
export async function rateQuestions(request: RatingRequest): Promise<Rating> {
  const { path, signal } = request;
  const locked = (holder: string, lock: string) =>
    new DatasetError(
      "BAD_CONFIG",
      `out: "${path}" is being written by ${holder}; wait until that ends, give another file, or, if you know that it has ended, remove ${lock}`,
      { path },
    );
  return await withFolderLock(path, { signal, waitMs: 0, locked }, () => rateUnderLock(request));
}

async function rateUnderLock(request: RatingRequest): Promise<Rating> {
  const { tasks, concurrency, path, settings, signal: given, onProgress } = request;
  const done = new Uint8Array(tasks.count);
  const tally = { rated: 0, resumed: 0, never: 0, always: 0, sum: 0, failed: 0 };
  const count = ({ position, passRate, failed }: PassRate) => {
    done[position] = 1;
    tally.rated += 1;
    tally.never += passRate <= 0 ? 1 : 0;
    tally.always += passRate >= 1 ? 1 : 0;
    tally.sum += passRate;
    tally.failed += failed;
  };
  const log = await openSettingsLog({ path, field: "out", log: "pass-rates", settings, signal: given });
  await readRated(request, done, count);
  tally.resumed = tally.rated;
  const standing = (): Rating => {
    const { sum, ...counts } = tally;
    return { ...counts, questions: tasks.count, mean: tally.rated === 0 ? 0 : sum / tally.rated };
  };
  onProgress?.(standing());
  await inLanes(done.keys(), { lanes: concurrency, signal: given }, async (position, signal) => {
    if (done[position] === 1) return;
    const rate = await rateOf(request, position, signal);
    await log.append(rate);
    count(rate);
    onProgress?.(standing());
  });
  return standing();
}

async function rateOf(
  { tasks, samples, play }: RatingRequest,
  position: number,
  signal: AbortSignal,
): Promise<PassRate> {
  signal.throwIfAborted();
  const task = await tasks.open(position, signal);
  const episodes = await Promise.allSettled(
    Array.from({ length: samples }, (_, sample) => play(task, { position, sample, signal })),
  );
  signal.throwIfAborted();
  const rewards = episodes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  if (rewards.length === 0) {
    const [first] = episodes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    const reason = first instanceof Error ? first.message : String(first);
    throw new DatasetError(
      "BAD_ROWS",
      `question "${task.id}" (position ${position}): each of its ${samples} episodes failed, the first because: ${reason}; fix that or leave the question out of the data, then repeat the command`,
      { position },
      first,
    );
  }
  return {
    position,
    id: task.id,
    textSha256: taskTextHash(task),
    samples: rewards.length,
    failed: samples - rewards.length,
    passRate: rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length,
  };
}

/** Counts the questions that an earlier rating left in the file. */
async function readRated(
  { path, tasks, signal }: RatingRequest,
  done: Uint8Array,
  count: (rate: PassRate) => void,
): Promise<void> {
  for await (const { line, value } of entriesOf(path, signal)) {
    const { data } = passRateSchema.safeParse(value);
    if (data === undefined || data.position >= tasks.count || done[data.position] === 1)
      throw new DatasetError(
        "BAD_ROWS",
        `out: line ${line} of "${path}" does not belong to this rating; remove the line, and its question will be asked again`,
        { path, line },
      );
    count(data);
  }
}
