/**
 * Responsibility: the file of pass rates, and what it states about a question.
 * Not responsible for: measuring rates (rate-questions.ts), or selecting questions by them (rated-tasks.ts).
 *
 * The first line states the settings of the rating, and each further line the rate of one question. A file that has
 * been read takes about 60 bytes of memory per question, whatever the length of the documents.
 */

import { createHash } from "node:crypto";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { lineTexts } from "../source/line-texts.js";
import { parsedLine, settingsIn } from "../source/settings-log.js";
import { idKey, keyOfHash } from "../tasks/id-key.js";
import { sha256 } from "../written/sha256.js";

export const passRateSchema = z.strictObject({
  /** Position of the question in the data that was rated, from 0. */
  position: z.int().min(0),
  id: z.string(),
  /** The task's `taskTextHash`. */
  textSha256: sha256,
  /** Number of episodes that were scored. */
  samples: z.int().min(1),
  /** Number of episodes that failed; they are not part of the rate. */
  failed: z.int().min(0).default(0),
  /** Mean reward of the scored episodes; with rewards of 0 and 1, the share of solved episodes. */
  passRate: z.number(),
});
export type PassRate = Readonly<z.infer<typeof passRateSchema>>;

/**
 * Returns the SHA-256 of everything that is asked and judged: question, answers, document, and the records and probes
 * of a store.
 */
export function taskTextHash({ question, answers, document, records, probes }: Task): string {
  const hash = createHash("sha256").update(`${JSON.stringify([question, answers, records, probes])}\n`);
  return hash.update(document).digest("hex");
}

const ratedFilesSchema = z.object({ data: z.object({ files: z.array(z.object({ sha256: z.string() })) }) });

/** What a file of rates states about a question: its rate, or why there is none. */
export type RateOfTask = number | "absent" | "other text";

/** A file of pass rates, by question. */
export class PassRates {
  readonly path: string;
  /**
   * Hashes of the files whose questions were rated, as the settings of the rating name them; empty if they name none.
   */
  dataSha256: readonly string[] = [];
  /** Indices into the arrays below, by the key of the question's id. */
  readonly #indexes = new Map<number, number>();
  readonly #texts: number[] = [];
  readonly #rates: number[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Reads a file of rates.
   * @throws {DatasetError} UNREADABLE_FILE; BAD_ROWS with the number of the line; the signal's reason
   */
  static async read(path: string, signal?: AbortSignal): Promise<PassRates> {
    const rates = new PassRates(path);
    for await (const { line, text } of lineTexts(path, signal)) {
      const settings = line === 1 ? settingsIn("pass-rates", text) : undefined;
      if (settings === undefined) rates.#add(parsedLine(text), line);
      else rates.dataSha256 = filesOf(settings);
    }
    return rates;
  }

  /**
   * Reads the settings of a rating (`RatingRequest.settings`); undefined if the file does not state them.
   * @throws as `read`
   */
  static async settingsOf(
    path: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    for await (const { text } of lineTexts(path, signal)) return settingsIn("pass-rates", text);
    return undefined;
  }

  get count(): number {
    return this.#rates.length;
  }

  /** Returns the rate of the question whose id has this key. The question's text is not compared. */
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
        `is not a pass rate (${what})`,
        "repeat the `palimpsest data rate` that wrote it, which removes a line that was cut off",
      );
    }
    const { id, textSha256, passRate } = parsed.data;
    const key = idKey(id);
    if (this.#indexes.has(key))
      throw refuse(`rates the question "${id}" a second time`, "remove one of its two lines");
    this.#indexes.set(key, this.#rates.length);
    this.#texts.push(keyOfHash(textSha256));
    this.#rates.push(passRate);
  }
}

function filesOf(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const { data } = ratedFilesSchema.safeParse(settings);
  return data?.data.files.map(({ sha256 }) => sha256) ?? [];
}
