/**
 * Responsibility: asks every question of a set several times, and keeps what the episodes earned on average in a file.
 * Not responsible for: what an episode is and who scores it; what becomes of the rates (rated-tasks.ts).
 *
 * Invariants:
 * - RATING-1. A question counts when its line is on the disk. A rating that was stopped anywhere goes on with the questions that have no
 *   line; a line that was cut off is removed first, and nothing is asked twice.
 * - RATING-2. An episode that failed is no unsolved one: the rate is the mean of those that were scored. A question of which none was
 *   scored ends the rating with the reason.
 * - RATING-3. At most `concurrency` tasks are held, and one byte for each question.
 * - RATING-4. One rating at a time writes a file: a second one is refused, a process that has ended is not waited for.
 * - RATING-5. Nothing is cut off a file that does not begin as a file of rates does.
 */
import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { type FileHandle, open, stat, truncate } from "node:fs/promises";
import type { Task } from "@palimpsest/trajectories";
import { DatasetError } from "../error.js";
import { lineTexts } from "../source/line-texts.js";
import type { TaskSet } from "../tasks/task-set.js";
import {
  type PassRate,
  parsedLine,
  passRateSchema,
  ratingSettingsSchema,
  taskTextHash,
} from "./pass-rates.js";
import { withRatingLock } from "./rating-lock.js";

export interface RatingEpisode {
  /** Of the question in its set, from 0. */
  readonly position: number;
  /** Of the episode, from 0. */
  readonly sample: number;
  readonly signal: AbortSignal;
}

export interface RatingRequest {
  readonly tasks: TaskSet;
  /** Episodes of each question, ≥ 1; they are played at once. */
  readonly samples: number;
  /** Questions that are asked at once, ≥ 1. */
  readonly concurrency: number;
  /** Where the rates are kept. */
  readonly path: string;
  /** What makes rates comparable: model, agent, reward, sampling, data. A file of other settings is refused. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Plays an episode. @returns its reward */
  play(task: Task, episode: RatingEpisode): Promise<number>;
  readonly signal?: AbortSignal;
  /** Told at the beginning and after every question. */
  readonly onProgress?: (rating: Rating) => void;
}

export interface Rating {
  readonly questions: number;
  readonly rated: number;
  /** Of `rated`, those that were in the file already. */
  readonly resumed: number;
  /** Rate 0 or below. */
  readonly never: number;
  /** Rate 1 or above. */
  readonly always: number;
  /** Mean of the rates; 0 before the first. */
  readonly mean: number;
  /** Episodes. */
  readonly failed: number;
}

/** @throws {DatasetError} BAD_CONFIG where the file is of other settings, of something else, or written by another process; BAD_ROWS; why a question could not be rated; the signal's reason */
export async function rateQuestions(request: RatingRequest): Promise<Rating> {
  return await withRatingLock(request.path, () => rateUnderLock(request));
}

async function rateUnderLock(request: RatingRequest): Promise<Rating> {
  const { tasks, concurrency, path, settings, onProgress } = request;
  const stop = new AbortController();
  const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal;
  // Every episode under way listens for it; Node would take more than ten of them for a leak.
  setMaxListeners(0, signal);
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
  await readRated(request, done, count);
  tally.resumed = tally.rated;
  const standing = (): Rating => {
    const { sum, ...counts } = tally;
    return { ...counts, questions: tasks.count, mean: tally.rated === 0 ? 0 : sum / tally.rated };
  };
  const file = await openFile(path, settings);
  let writing: Promise<void> = Promise.resolve();
  let next = 0;
  const lane = async () => {
    while (next < tasks.count) {
      const position = next++;
      if (done[position] === 1) continue;
      const rate = await rateOf(request, position, signal);
      // One line after another, each whole.
      writing = writing.then(() => appendLine(file, rate));
      await writing;
      count(rate);
      onProgress?.(standing());
    }
  };
  const guarded = () =>
    lane().catch((reason: unknown) => {
      stop.abort(reason);
      throw reason;
    });
  onProgress?.(standing());
  try {
    const lanes = Array.from({ length: Math.max(1, Math.min(concurrency, tasks.count)) }, guarded);
    await Promise.allSettled(lanes);
    request.signal?.throwIfAborted();
    if (stop.signal.aborted) throw stop.signal.reason;
  } finally {
    await file.close();
  }
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
      `question "${task.id}" (position ${position}): each of its ${samples} episodes failed, the first because: ${reason}; fix that or leave the question out of the data, and give the command again`,
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

async function appendLine(file: FileHandle, rate: PassRate): Promise<void> {
  await file.appendFile(`${JSON.stringify(rate)}\n`);
  await file.datasync();
}

async function openFile(path: string, settings: RatingRequest["settings"]): Promise<FileHandle> {
  const file = await open(path, "a");
  if ((await file.stat()).size === 0)
    await file.appendFile(`${JSON.stringify({ log: "pass-rates", settings })}\n`);
  return file;
}

/** Counts what an earlier rating left in the file, and cuts off a line that it was writing when it ended. */
async function readRated(
  { path, settings, tasks, signal }: RatingRequest,
  done: Uint8Array,
  count: (rate: PassRate) => void,
): Promise<void> {
  if (!existsSync(path)) return;
  const { size } = await stat(path);
  let cutAt: number | undefined;
  for await (const { line, text, offset, sizeBytes } of lineTexts(path, signal)) {
    if (line === 1 && !beginsAsRates(text)) throw noRates(path);
    if (offset + sizeBytes === size) {
      cutAt = offset;
      break;
    }
    if (line === 1) {
      refuseOtherSettings(path, parsedLine(text), settings);
      continue;
    }
    const { data } = passRateSchema.safeParse(parsedLine(text));
    if (data === undefined || data.position >= tasks.count || done[data.position] === 1)
      throw new DatasetError(
        "BAD_ROWS",
        `out: line ${line} of "${path}" is no line of this rating; remove it, and its question is asked again`,
        { path, line },
      );
    count(data);
  }
  if (cutAt !== undefined) await truncate(path, cutAt);
}

function refuseOtherSettings(path: string, value: unknown, settings: RatingRequest["settings"]): void {
  const head = ratingSettingsSchema.safeParse(value);
  if (!head.success) throw noRates(path);
  const before = head.data.settings;
  const names = [...new Set([...Object.keys(before), ...Object.keys(settings)])];
  const other = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(settings[name]));
  if (other.length === 0) return;
  throw new DatasetError(
    "BAD_CONFIG",
    `out: "${path}" holds rates of another ${other.join(", another ")} (${other.map((name) => `${name} then ${shown(before[name])}, now ${shown(settings[name])}`).join("; ")}); name another file, or give what it was begun with`,
    { path, other },
  );
}

const beginning = '{"log":"pass-rates"';

/** The first line may be cut off anywhere. */
const beginsAsRates = (text: string) => text.startsWith(beginning) || beginning.startsWith(text);

const noRates = (path: string) =>
  new DatasetError("BAD_CONFIG", `out: "${path}" is no file of pass rates; name another file`, { path });

const longestShown = 100;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
