import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  createEmbedder,
  embedderConfigSchema,
  MemoryStore,
  memoryTools,
  readSnapshotFile,
  snapshotTarget,
  type ToolDefinition,
  type ToolResult,
  writeSnapshotFile,
} from "@palimpsest/memory";
import { makeFolder, withFolderLock } from "@palimpsest/std/files";
import { reasonText, systemFailure } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";

/**
 * Responsibility: a memory store in a file that several processes may use at a time.
 *
 * Invariants:
 * - MEMORY-FILE-1. A reply to a changing tool is sent after the file has been written and synced, so that its change
 *   is on disk.
 * - MEMORY-FILE-2. No call works on records that another process has replaced: a changed file is read again, and
 *   changes are made one after another across all processes of the machine.
 * - MEMORY-FILE-3. A call whose file cannot be written changes nothing.
 * - MEMORY-FILE-4. A call that only reads waits for no other process.
 */

/** Tools that change no record. */
const reading: ReadonlySet<string> = new Set(["search_memory", "sample_memory"]);

/** Maximum bytes of the file. Changes of a larger one would take seconds, because the whole file is rewritten. */
const mostBytes = 64 * 2 ** 20;

/** Clients give up a call after 60 s. A lock that nobody renews is taken over after 10 s. */
const lockWaitMs = 20_000;
/** A model reads whole answers, so one search must not fill its context. */
const mostAnswerBytes = 64 * 1024;

export class MemoryFile {
  readonly path: string;
  readonly #tools = memoryTools();
  readonly #embedder = createEmbedder(embedderConfigSchema.parse({ kind: "hashed" }));
  #store: MemoryStore | undefined;
  /** The file's identity when it was read; empty if it did not exist. */
  #seen: string | undefined;
  /** The last change that was queued. The changes of this process run one after another. */
  #lastChange: Promise<unknown> = Promise.resolve();
  /** The last use of the store, which one call uses at a time. Nothing that waits for another process is among them. */
  #lastUse: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  get definitions(): readonly ToolDefinition[] {
    return this.#tools.definitions;
  }

  static changes(tool: string): boolean {
    return !reading.has(tool);
  }

  /**
   * Reads the file, so that one that can be none is refused before the first call.
   * @throws {MemoryError} DAMAGED; {PalimpsestError} LIMIT_EXCEEDED, INVALID_ARGUMENT
   */
  async check(): Promise<void> {
    await this.#read();
  }

  /**
   * @throws {MemoryError} DAMAGED; {PalimpsestError} LIMIT_EXCEEDED, INVALID_ARGUMENT, UNAVAILABLE; the signal's reason
   */
  async run(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    if (!MemoryFile.changes(tool)) return await this.#alone(signal, () => this.#call(tool, args, signal));
    const before = this.#lastChange;
    const run = (async () => {
      await before.catch(() => undefined);
      signal.throwIfAborted();
      await seen(this.path);
      const target = await snapshotTarget(this.path).catch((cause: unknown) => refuse(this.path, cause));
      this.#makeFolder(dirname(target));
      const work = () => this.#alone(signal, () => this.#change(tool, args, signal));
      const lock = { signal, waitMs: lockWaitMs, locked };
      return await withFolderLock(target, lock, work).catch((cause: unknown) => refuse(this.path, cause));
    })();
    this.#lastChange = run.catch(() => undefined);
    return await run;
  }

  /** Runs work on the store while no other work is. */
  async #alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#lastUse;
    const run = (async () => {
      await before;
      signal.throwIfAborted();
      return await work();
    })();
    this.#lastUse = run.catch(() => undefined);
    return await run;
  }

  async #call(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const store = await this.#read();
    return await this.#tools.run(tool, args, {
      store,
      random: Math.random,
      signal,
      mostBytes: mostAnswerBytes,
    });
  }

  /** Makes the folder of the first memory, which only its owner may read. */
  #makeFolder(folder: string): void {
    try {
      makeFolder(folder, 0o700);
    } catch (cause) {
      refuse(this.path, cause);
    }
  }

  async #change(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const result = await this.#call(tool, args, signal);
    if (result.outcome !== "done") return result;
    const store = this.#store as MemoryStore;
    try {
      await writeSnapshotFile(this.path, store.records());
      this.#seen = await seen(this.path);
    } catch (cause) {
      // The state is dropped, so that the next call reads the file as it is.
      this.#seen = undefined;
      this.#store = undefined;
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `--memory ${this.path}: cannot be written, so nothing was changed: ${reasonText(cause)}; give a file in a folder that you may write to`,
        { cause },
      );
    }
    return result;
  }

  async #read(): Promise<MemoryStore> {
    const now = await seen(this.path);
    if (this.#store !== undefined && now === this.#seen) return this.#store;
    const records = now === "" ? [] : await readSnapshotFile(this.path);
    this.#store = await MemoryStore.of(records, this.#embedder);
    this.#seen = now;
    return this.#store;
  }
}

/**
 * Returns the identity of the file, which changes with each write, because a write replaces the file by another one.
 * @throws {PalimpsestError} LIMIT_EXCEEDED, INVALID_ARGUMENT
 */
async function seen(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    return refuse(path, cause);
  });
  if (found === undefined) return "";
  if (!found.isFile())
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `--memory ${path}: is ${found.isDirectory() ? "a folder" : "no file"}; give a file, such as ${join(path, "memory.jsonl")}`,
    );
  if (found.size > mostBytes)
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `--memory ${path}: has ${found.size} bytes, and a memory file may have at most ${mostBytes}; delete memories with another program, or start a new file`,
    );
  return `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** @throws for an error of the file system, one that names the flag and the fix; any other as it is */
function refuse(path: string, cause: unknown): never {
  const failure = systemFailure(cause);
  if (failure === undefined) throw cause;
  const { what, where = path } = failure;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--memory ${path}: cannot be used, since ${where}: ${what}; give a file in a folder that you may write to`,
    { cause },
  );
}

const locked = (holder: string, lock: string) =>
  new PalimpsestError(
    "UNAVAILABLE",
    `${lock}: is held by ${holder}; wait until that process is done, or remove this file if it has ended`,
  );
