import { stat } from "node:fs/promises";
import {
  createEmbedder,
  embedderConfigSchema,
  MemoryStore,
  memoryTools,
  readSnapshotFile,
  type ToolDefinition,
  type ToolResult,
  writeSnapshotFile,
} from "@palimpsest/memory";
import { withFolderLock } from "@palimpsest/model/folder-lock";
import { PalimpsestError } from "@palimpsest/wire";

/*
 * Responsibility: a memory store in a file, which several processes may use at a time.
 *
 * MEMORY-FILE-1. What a call has answered is on disk: a changing tool's reply comes after its file has been written and synced.
 * MEMORY-FILE-2. No call works on records that another process has replaced: a changed file is read again, and changes are made one
 *   after another over all processes of the machine.
 * MEMORY-FILE-3. A call whose file cannot be written has changed nothing.
 */

/** Those that change no record. */
const reading: ReadonlySet<string> = new Set(["search_memory", "sample_memory"]);

/** Above it each change would take seconds: the whole file is written anew. */
const mostBytes = 64 * 2 ** 20;

export class MemoryFile {
  readonly path: string;
  readonly #tools = memoryTools();
  readonly #embedder = createEmbedder(embedderConfigSchema.parse({ kind: "hashed" }));
  #store: MemoryStore | undefined;
  /** What the file was when it was read; empty: it was not there. */
  #seen: string | undefined;
  /** Calls of this process, one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  get definitions(): readonly ToolDefinition[] {
    return this.#tools.definitions;
  }

  static changes(tool: string): boolean {
    return !reading.has(tool);
  }

  /** @throws {MemoryError} DAMAGED; {PalimpsestError} LIMIT_EXCEEDED, INVALID_ARGUMENT; the signal's reason */
  async run(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const before = this.#last;
    const run = (async () => {
      await before.catch(() => undefined);
      signal.throwIfAborted();
      if (!MemoryFile.changes(tool)) return await this.#call(tool, args, signal);
      return await withFolderLock(this.path, signal, () => this.#change(tool, args, signal));
    })();
    this.#last = run.catch(() => undefined);
    return await run;
  }

  async #call(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const store = await this.#read();
    return await this.#tools.run(tool, args, { store, random: Math.random, signal });
  }

  async #change(tool: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const result = await this.#call(tool, args, signal);
    if (result.outcome !== "done") return result;
    const store = this.#store as MemoryStore;
    try {
      await writeSnapshotFile(this.path, store.records());
      this.#seen = await seen(this.path);
    } catch (cause) {
      // The next call reads what is there.
      this.#seen = undefined;
      this.#store = undefined;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${this.path}: cannot be written, so nothing was changed: ${why}; give a file in a folder that you may write to`,
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

/** A file is replaced by another one with each writing. @throws {PalimpsestError} LIMIT_EXCEEDED, INVALID_ARGUMENT */
async function seen(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${path}: ${cause.message}; give a file that you may read`,
      {
        cause,
      },
    );
  });
  if (found === undefined) return "";
  if (found.size > mostBytes)
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${path}: has ${found.size} bytes, and a memory file may have ${mostBytes}; delete memories with another program, or begin a new file`,
    );
  return `${found.ino} ${found.size} ${found.mtimeNs}`;
}
