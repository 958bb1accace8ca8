/**
 * Responsibility: stores the predictions of an evaluation, one line each, in a file that only grows, so that finished
 * items survive the end of the process.
 * Not responsible for: deciding which items are run again.
 */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { LineFile, makeFolder } from "@palimpsest/std/files";
import { checkKind, reasonText } from "@palimpsest/std/input";
import { z } from "zod";
import { EvaluationError } from "../error.js";
import { predictionSchema } from "./system.js";

/** One finished item of one system. */
const keptSchema = z.strictObject({
  /** Fingerprint of system, item and seed. */
  key: z.string(),
  system: z.string(),
  item: z.string(),
  prediction: predictionSchema,
  /** The scorer that gave `scores`. */
  scorer: z.string(),
  scores: z.record(z.string(), z.number()),
  /** Seconds from question to answer. */
  seconds: z.number(),
  /** The item's part of the wall-clock time: its time in progress, divided by the number of items in progress. */
  busySeconds: z.number(),
  attempts: z.number(),
});
/** A prediction as the cache of an evaluation has it. */
export type KeptPrediction = Readonly<z.infer<typeof keptSchema>>;

/** The file of an evaluation's predictions, from which an interrupted one goes on. */
export class PredictionCache {
  readonly path: string;
  /** Number of unreadable lines in the middle of the file. Their items are run again. */
  readonly badLines: number;
  readonly #kept: Map<string, KeptPrediction>;
  readonly #file: LineFile;

  private constructor(file: LineFile, kept: Map<string, KeptPrediction>, badLines: number) {
    this.path = file.path;
    this.#file = file;
    this.#kept = kept;
    this.badLines = badLines;
  }

  /**
   * Opens the file, creating it and its folder if needed, and reads what it contains.
   * @throws {EvaluationError} BAD_FOLDER
   */
  static async open(path: string): Promise<PredictionCache> {
    const refuse = (problem: string) => new EvaluationError("BAD_FOLDER", problem);
    checkKind(path, "path of PredictionCache.open()", "a path", refuse);
    try {
      makeFolder(dirname(path));
      const file = await LineFile.open(path);
      const { kept, badLines } = readLines(await readFile(path, "utf8"));
      return new PredictionCache(file, kept, badLines);
    } catch (error) {
      throw new EvaluationError(
        "BAD_FOLDER",
        `out: cannot write predictions to "${path}" (${reasonText(error)}); give a folder that this process may write`,
      );
    }
  }

  get(key: string): KeptPrediction | undefined {
    return this.#kept.get(key);
  }

  /** Resolves when the line is on the disk. */
  async append(line: KeptPrediction): Promise<void> {
    await this.#file.append(keptSchema.parse(line));
    this.#kept.set(line.key, line);
  }
}

function readLines(text: string): { kept: Map<string, KeptPrediction>; badLines: number } {
  const kept = new Map<string, KeptPrediction>();
  let badLines = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const parsed = parseLine(line);
    if (parsed === undefined) badLines += 1;
    else kept.set(parsed.key, parsed);
  }
  return { kept, badLines };
}

function parseLine(line: string): KeptPrediction | undefined {
  try {
    return keptSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
