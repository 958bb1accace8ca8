import { readFile } from "node:fs/promises";
import type { EpisodeState } from "@palimpsest/agents";
import { type Trace, traceSchema } from "@palimpsest/evals";
import { sha256Of } from "@palimpsest/std";
import { replaceFile, WholeFile } from "@palimpsest/std/files";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const ids = z.array(z.number());
const episodeSchema = z.strictObject({
  agent: z.string(),
  documentPosition: z.number(),
  documentTokensRead: z.number(),
  memoryTokenIds: ids,
  heads: z.array(z.strictObject({ tokenIds: ids, step: z.number().optional() })).optional(),
  recalledTokenIds: ids.optional(),
  history: z.array(z.strictObject({ step: z.number(), text: z.string(), tokenIds: ids })).optional(),
  counters: z.record(z.string(), z.number()).optional(),
  counts: z.strictObject({
    conversations: z.number(),
    promptTokens: z.number(),
    sampledTokens: z.number(),
    truncated: z.number(),
    emptyUpdates: z.number(),
  }),
  policyVersionMin: z.number(),
  policyVersionMax: z.number(),
});

const stateSchema = z.strictObject({
  version: z.literal(1),
  /** Values that must not have changed when a run resumes, by the name of the option that sets them. */
  of: z.record(z.string(), z.string()),
  episode: episodeSchema,
  conversations: traceSchema.shape.conversations,
  memorySteps: traceSchema.shape.memorySteps,
  secondsBefore: z.number(),
});

/** The state of a run: the position in the document, the memory, and the statistics so far. */
export interface AskState {
  readonly of: Readonly<Record<string, string>>;
  readonly episode: EpisodeState;
  readonly conversations: Trace["conversations"];
  readonly memorySteps: Trace["memorySteps"];
  /** Seconds spent so far, over all runs. */
  readonly secondsBefore: number;
}

/** Returns a short hash of a value, for `of`. */
export const hashOf = (value: unknown) =>
  sha256Of(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 16);

/**
 * Reads the state in a file; undefined if there is no file.
 * @throws {PalimpsestError} INVALID_ARGUMENT if the file has other content, or belongs to another question
 */
export async function readAskState(
  path: string,
  of: Readonly<Record<string, string>>,
): Promise<AskState | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--resume ${path}: cannot be read (${reasonText(cause)}); name another file`,
      {
        cause,
      },
    );
  }
  const parsed = stateSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--resume ${path}: contains no saved position of \`palimpsest ask\`; name another file, or delete this one`,
    );
  }
  const { version: _, ...state } = parsed.data;
  const other = Object.keys({ ...of, ...state.of }).filter((name) => of[name] !== state.of[name]);
  if (other.length === 0) return state as AskState;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--resume ${path}: was saved with another ${other.join(", another ")}; repeat the values of the first run, or name another file to start over`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Writes states to a file atomically, one at a time. When several states arrive during a write, only the last of them
 * is written.
 * Invariants:
 * - ASKSTATE-1. After `flush` the file contains the last state that was put.
 * - ASKSTATE-2. A failed write makes `flush` and every later `put` throw, so that no long run continues without saving
 *   its position.
 */
export class AskStateWriter {
  readonly #path: string;
  readonly #leastMs: number;
  #next: AskState | undefined;
  #writing: Promise<void> | undefined;
  #failure: PalimpsestError | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;

  private constructor(path: string, leastMs: number) {
    this.#path = path;
    this.#leastMs = leastMs;
  }

  /**
   * @param leastMs minimum time between two writes, so that a fast model does not wait for the disk
   * @throws {PalimpsestError} INVALID_ARGUMENT if the file cannot be written
   */
  static async open(path: string, leastMs = 1000): Promise<AskStateWriter> {
    try {
      await (await WholeFile.create(path)).discard();
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
    return new AskStateWriter(path, leastMs);
  }

  /** @throws {PalimpsestError} INVALID_ARGUMENT if an earlier state could not be written */
  put(state: AskState): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#next = state;
    if (performance.now() - this.#writtenAtMs >= this.#leastMs) this.#writing ??= this.#write();
  }

  /** @throws {PalimpsestError} INVALID_ARGUMENT */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#write();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stops writing, because the run has its answer. */
  async close(): Promise<void> {
    this.#next = undefined;
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#next !== undefined && this.#failure === undefined) {
      const state = this.#next;
      this.#next = undefined;
      try {
        await replaceFile(this.#path, JSON.stringify({ version: 1, ...state }));
      } catch (cause) {
        this.#failure = cannotWrite(this.#path, cause);
      }
      this.#writtenAtMs = performance.now();
    }
    this.#writing = undefined;
  }
}

function cannotWrite(path: string, cause: unknown): PalimpsestError {
  const message = `--resume ${path}: cannot be written (${reasonText(cause)}); name another file`;
  return new PalimpsestError("INVALID_ARGUMENT", message, { cause });
}
