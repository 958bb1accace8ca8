/**
 * Responsibility: finds the questions that a model answers without the document, by asking each several times.
 * Not responsible for: what is asked of which model, when an answer counts as right, or what the result is used for.
 *
 * Invariants:
 * - ANSWERABLE-1. Every answer is in the log before it counts. A run that was stopped at any point continues from the
 *   log and does not ask for an answer that is in it.
 * - ANSWERABLE-2. A question is not asked again once one of its answers was right.
 * - ANSWERABLE-3. At most `concurrency` questions are asked at once.
 * - ANSWERABLE-4. A request that fails does not count as a wrong answer: it ends the run with its error.
 */

import { existsSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { joinSignals } from "@palimpsest/std";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { lineTexts } from "../source/line-texts.js";

const headSchema = z.strictObject({ log: z.literal("answers"), settings: z.record(z.string(), z.unknown()) });
const entrySchema = z.strictObject({
  id: z.string(),
  sample: z.int().min(0),
  answer: z.string(),
  right: z.boolean(),
});

/** One answer of a model that saw no document. */
type LoggedAnswer = z.infer<typeof entrySchema>;

export interface AnswerableRequest {
  readonly tasks: readonly Pick<Task, "id" | "question" | "answers">[];
  /** Maximum number of answers per question, ≥ 1; they are requested one after another until one is right. */
  readonly samples: number;
  readonly concurrency: number;
  /** Path of the log of answers. */
  readonly logPath: string;
  /** What makes answers comparable: model, prompt, sampling. A log with other settings is refused. */
  readonly settings: Readonly<Record<string, unknown>>;
  ask(task: Pick<Task, "id" | "question">, sample: number, signal: AbortSignal): Promise<string>;
  isRight(answer: string, answers: readonly string[]): boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: {
    readonly done: number;
    readonly total: number;
    readonly answered: number;
  }) => void;
}

export interface Answerable {
  /** Ids of the questions that have a right answer. */
  readonly answered: ReadonlySet<string>;
  readonly answers: readonly LoggedAnswer[];
  /** How many answers were in the log already. */
  readonly resumed: number;
}

/**
 * Asks the questions and logs the answers.
 * @throws {DatasetError} BAD_CONFIG if the log has other settings; what `ask` throws; the signal's reason
 */
export async function findAnswerable(request: AnswerableRequest): Promise<Answerable> {
  const { tasks, samples, concurrency, logPath, onProgress } = request;
  const answers = await readLog(logPath, request.settings, request.signal);
  const resumed = answers.length;
  const given = new Map<string, LoggedAnswer[]>();
  for (const answer of answers) given.set(answer.id, [...(given.get(answer.id) ?? []), answer]);
  const answered = new Set(answers.filter(({ right }) => right).map(({ id }) => id));
  const stop = joinSignals(request.signal);
  const { signal } = stop;
  const log = await openLog(logPath, request.settings);
  let next = 0;
  let done = 0;
  const lane = async () => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
      for (
        let sample = given.get(task.id)?.length ?? 0;
        sample < samples && !answered.has(task.id);
        sample++
      ) {
        signal.throwIfAborted();
        const answer = await request.ask(task, sample, signal);
        const entry = { id: task.id, sample, answer, right: request.isRight(answer, task.answers) };
        await log.appendFile(`${JSON.stringify(entry)}\n`);
        answers.push(entry);
        if (entry.right) answered.add(task.id);
      }
      done += 1;
      onProgress?.({ done, total: tasks.length, answered: answered.size });
    }
  };
  const guarded = () =>
    lane().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    });
  try {
    const lanes = Array.from({ length: Math.max(1, Math.min(concurrency, tasks.length)) }, guarded);
    await Promise.allSettled(lanes);
    request.signal?.throwIfAborted();
    if (stop.signal.aborted) throw stop.signal.reason;
  } finally {
    await log.close();
  }
  return { answered, answers, resumed };
}

async function openLog(path: string, settings: AnswerableRequest["settings"]): Promise<FileHandle> {
  const log = await open(path, "a+");
  const { size } = await log.stat();
  if (size === 0) await log.appendFile(`${JSON.stringify({ log: "answers", settings })}\n`);
  else {
    // A crash may have cut the last line off, so the next entry must begin on a new line.
    const { buffer } = await log.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== 0x0a) await log.appendFile("\n");
  }
  return log;
}

async function readLog(
  path: string,
  settings: AnswerableRequest["settings"],
  signal: AbortSignal | undefined,
): Promise<LoggedAnswer[]> {
  if (!existsSync(path)) return [];
  const answers: LoggedAnswer[] = [];
  let lines = 0;
  let headCut = false;
  for await (const { line, text } of lineTexts(path, signal)) {
    const value = parsed(text);
    lines += 1;
    if (line === 1 && value === undefined) {
      headCut = true;
      continue;
    }
    if (line === 1 || headCut) {
      const head = headSchema.safeParse(value);
      if (head.success && sameJson(head.data.settings, settings)) continue;
      throw new DatasetError(
        "BAD_CONFIG",
        `log: "${path}" contains answers to other questions or under other settings; remove the file, or use the settings in its first line`,
        { path, settings: head.data?.settings },
      );
    }
    const entry = entrySchema.safeParse(value);
    // A line that a crash cut off is ignored, so its answer is requested again.
    if (entry.success) answers.push(entry.data);
  }
  // A crash occurred while the first line was written. There is no answer yet, so the log is started anew.
  if (headCut && lines === 1) await rm(path);
  return answers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
