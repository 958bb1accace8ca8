/** Responsibility: the file of pass rates, and what it says of one question.
 *  Not responsible for: measuring rates (rate-questions.ts); what becomes of the questions (rated-tasks.ts).
 *
 *  The first line says what was asked of whom, each further one is of a question. While a file is read it takes about 60 bytes of memory
 *  for each question, whatever the length of its documents. */

import { createHash } from "node:crypto";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { lineTexts } from "../source/line-texts.js";
import { idKey, keyOfHash } from "../tasks/id-key.js";
import { sha256 } from "../written/sha256.js";

export const ratingSettingsSchema = z.strictObject({
  log: z.literal("pass-rates"),
  settings: z.record(z.string(), z.unknown()),
});

export const passRateSchema = z.strictObject({
  /** Position of the question in the data that was rated, from 0. */
  position: z.int().min(0),
  /** Id of the task. */
  id: z.string(),
  /** `taskTextHash` of the task. */
  textSha256: sha256,
  /** Episodes that were scored. */
  samples: z.int().min(1),
  /** Episodes that failed: they are no part of the rate. */
  failed: z.int().min(0).default(0),
  /** Mean reward of the scored episodes; a reward of 0 or 1 makes it the share of solved ones. */
  passRate: z.number(),
});
export type PassRate = Readonly<z.infer<typeof passRateSchema>>;

/** SHA-256 of all that is asked and judged: question, answers, document, and the records and probes of a store. */
export function taskTextHash({ question, answers, document, records, probes }: Task): string {
  const hash = createHash("sha256").update(`${JSON.stringify([question, answers, records, probes])}\n`);
  return hash.update(document).digest("hex");
}

const ratedFilesSchema = z.object({ data: z.object({ files: z.array(z.object({ sha256: z.string() })) }) });

/** What a file of rates says of a question: its rate, or why there is none. */
export type RateOfTask = number | "absent" | "other text";

export class PassRates {
  readonly path: string;
  /** Hashes of the files whose questions were rated, as the rating named them; none where it did not. */
  dataSha256: readonly string[] = [];
  /** Indexes by the key of the id. */
  readonly #indexes = new Map<number, number>();
  readonly #texts: number[] = [];
  readonly #rates: number[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  /** @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS naming the line; the signal's reason */
  static async read(path: string, signal?: AbortSignal): Promise<PassRates> {
    const rates = new PassRates(path);
    for await (const { line, text } of lineTexts(path, signal)) {
      const value = parsedLine(text);
      const head = line === 1 ? ratingSettingsSchema.safeParse(value).data : undefined;
      if (head === undefined) rates.#add(value, line);
      else rates.dataSha256 = filesOf(head.settings);
    }
    return rates;
  }

  /** What was asked of whom, see `RatingRequest.settings`; undefined where the file does not say. @throws as `read` */
  static async settingsOf(
    path: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    for await (const { text } of lineTexts(path, signal))
      return ratingSettingsSchema.safeParse(parsedLine(text)).data?.settings;
    return undefined;
  }

  get count(): number {
    return this.#rates.length;
  }

  /** What the file says of the question with an id of this key, whatever its text. */
  ofKey(key: number): Exclude<RateOfTask, "other text"> {
    return this.#rates[this.#indexes.get(key) ?? -1] ?? "absent";
  }

  of(task: Task): RateOfTask {
    const index = this.#indexes.get(idKey(task.id));
    if (index === undefined) return "absent";
    if (this.#texts[index] !== keyOfHash(taskTextHash(task))) return "other text";
    return this.#rates[index] ?? "absent";
  }

  #add(value: unknown, line: number): void {
    const refuse = (what: string, fix: string) =>
      new DatasetError("BAD_ROWS", `path: line ${line} of "${this.path}" ${what}; ${fix}`, {
        path: this.path,
        line,
      });
    const parsed = passRateSchema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const what =
        value === undefined ? "is not JSON" : `${issue?.path.join(".") || "row"}: ${issue?.message}`;
      throw refuse(
        `is no pass rate (${what})`,
        "go on with `palimpsest data rate`, which fixes a line that was cut off",
      );
    }
    const { id, textSha256, passRate } = parsed.data;
    const key = idKey(id);
    if (this.#indexes.has(key))
      throw refuse(`has the question "${id}" a second time`, "leave one of its lines out");
    this.#indexes.set(key, this.#rates.length);
    this.#texts.push(keyOfHash(textSha256));
    this.#rates.push(passRate);
  }
}

/** Undefined where the text is not JSON. */
export function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function filesOf(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const { data } = ratedFilesSchema.safeParse(settings);
  return data?.data.files.map(({ sha256 }) => sha256) ?? [];
}
