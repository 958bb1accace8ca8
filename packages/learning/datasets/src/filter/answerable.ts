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

import { inLanes } from "@palimpsest/std";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { entriesOf, openSettingsLog } from "../source/settings-log.js";

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
  const { tasks, samples, concurrency, logPath: path, settings, signal: given, onProgress } = request;
  const log = await openSettingsLog({ path, field: "log", log: "answers", settings, signal: given });
  const answers: LoggedAnswer[] = [];
  for await (const { value } of entriesOf(path, given)) {
    const entry = entrySchema.safeParse(value);
    if (entry.success) answers.push(entry.data);
  }
  const resumed = answers.length;
  const asked = new Map<string, number>();
  for (const { id } of answers) asked.set(id, (asked.get(id) ?? 0) + 1);
  const answered = new Set(answers.filter(({ right }) => right).map(({ id }) => id));
  let done = 0;
  await inLanes(tasks, { lanes: concurrency, signal: given }, async (task, signal) => {
    for (let sample = asked.get(task.id) ?? 0; sample < samples && !answered.has(task.id); sample++) {
      signal.throwIfAborted();
      const answer = await request.ask(task, sample, signal);
      const entry = { id: task.id, sample, answer, right: request.isRight(answer, task.answers) };
      await log.append(entry);
      answers.push(entry);
      if (entry.right) answered.add(task.id);
    }
    done += 1;
    onProgress?.({ done, total: tasks.length, answered: answered.size });
  });
  return { answered, answers, resumed };
}
