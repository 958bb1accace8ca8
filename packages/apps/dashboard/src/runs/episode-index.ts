/**
 * Responsibility: keeps an index of the lines of a run's trace files up to date while they grow and old ones are
 * removed.
 * Not responsible for: reading files (scan-thread.ts), or whole episodes (run-data.ts).
 *
 * Invariants:
 * - EPISODES-1. A row's index never changes within a generation. Removing or rewriting a file begins another
 *   generation, as does creating the index again in another process or for a run that was not viewed for long.
 * - EPISODES-2. At most `maxRows` rows of a run are kept; the rest is reported as left out.
 * - EPISODES-3. A file is read by one request at a time, and none of its bytes twice: what is written during a read is
 *   left to the next request.
 */
import { randomInt } from "node:crypto";
import type { EpisodeRow, Episodes } from "../api/runs.js";
import { type TraceFileFact, traceFilesOf } from "./run-folders.js";
import type { ScannedLine } from "./scan-file.js";
import type { Scanner } from "./scanner.js";

const maxProblems = 20;
/** Milliseconds between two checks of the folder while somebody views it. */
const lookMs = 1_000;

export interface EpisodePlace {
  readonly path: string;
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

interface KnownFile extends TraceFileFact {
  readBytes: number;
  isBeingRead: boolean;
}

export class EpisodeIndex {
  readonly #folder: string;
  readonly #scanner: Scanner;
  readonly #maxRows: number;
  #rows: EpisodeRow[] = [];
  #places: EpisodePlace[] = [];
  #files = new Map<string, KnownFile>();
  #problems: string[] = [];
  #generation = randomInt(2 ** 40);
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(folder: string, scanner: Scanner, { maxRows = 200_000 } = {}) {
    this.#folder = folder;
    this.#scanner = scanner;
    this.#maxRows = maxRows;
  }

  /** Returns rows from an index on, as far as they were read. */
  async page(from: number, limit: number): Promise<Episodes> {
    await this.#look();
    const files = [...this.#files.values()];
    return {
      rows: this.#rows.slice(from, from + limit),
      total: this.#rows.length,
      readBytes: files.reduce((sum, { readBytes }) => sum + readBytes, 0),
      allBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      reading: files.some(({ isBeingRead }) => isBeingRead),
      generation: this.#generation,
      problems: this.#problems,
    };
  }

  /** Returns where an episode is stored; undefined when it does not exist. */
  async place(
    at: number,
  ): Promise<{ readonly place: EpisodePlace; readonly generation: number } | undefined> {
    await this.#look();
    const place = this.#places[at];
    return place && { place, generation: this.#generation };
  }

  /** Resolves when everything that existed at the time of the call has been read. */
  async complete(): Promise<void> {
    await this.#look(true);
    await this.#scanner.idle();
    // This covers what was written while a file was being read.
    await this.#look(true);
    await this.#scanner.idle();
  }

  async #look(now = false): Promise<void> {
    if (!now && performance.now() - this.#lookedAt < lookMs) return await this.#looking;
    this.#lookedAt = performance.now();
    this.#looking = this.#refresh();
    await this.#looking;
  }

  async #refresh(): Promise<void> {
    const files = await traceFilesOf(this.#folder);
    const present = new Map(files.map((file) => [file.path, file]));
    // Traces of old steps are removed while a run continues. The rest keeps its order and gets other indices.
    const gone = [...this.#files.values()].filter((known) => {
      const now = present.get(known.path);
      return now === undefined || now.inode !== known.inode || now.sizeBytes < known.readBytes;
    });
    if (gone.length > 0) this.#forget(new Set(gone.map(({ path }) => path)));
    for (const file of files) {
      const known = this.#files.get(file.path);
      if (known?.isBeingRead) continue;
      if (known !== undefined && known.sizeBytes === file.sizeBytes && known.mtimeMs === file.mtimeMs)
        continue;
      const fromBytes = known?.readBytes ?? 0;
      const entry: KnownFile = { ...file, readBytes: fromBytes, isBeingRead: true };
      this.#files.set(file.path, entry);
      this.#scanner.scan(file.path, fromBytes, (lines, done, problem) => {
        entry.isBeingRead = !done;
        if (this.#files.get(file.path) !== entry) return;
        for (const line of lines) this.#take(file.path, line, entry);
        if (problem !== "") this.#problem(`${file.path}: ${problem}`);
      });
    }
  }

  #take(path: string, { offsetBytes, sizeBytes, row, problem }: ScannedLine, entry: KnownFile): void {
    entry.readBytes = offsetBytes + sizeBytes + 1;
    if (problem !== "") this.#problem(`${path}, byte ${offsetBytes}: ${problem}`);
    if (row === undefined) return;
    if (this.#rows.length >= this.#maxRows) {
      this.#problem(`only the first ${this.#maxRows} episodes are shown`);
      return;
    }
    this.#rows.push({ at: this.#rows.length, ...row });
    this.#places.push({ path, offsetBytes, sizeBytes });
  }

  #forget(paths: ReadonlySet<string>): void {
    for (const path of paths) this.#files.delete(path);
    const kept = this.#places.flatMap(({ path }, at) => (paths.has(path) ? [] : [at]));
    this.#rows = kept.flatMap((at, next) => {
      const row = this.#rows[at];
      return row ? [{ ...row, at: next }] : [];
    });
    this.#places = kept.flatMap((at) => this.#places[at] ?? []);
    this.#generation += 1;
  }

  #problem(text: string): void {
    if (this.#problems.length < maxProblems && !this.#problems.includes(text))
      this.#problems = [...this.#problems, text];
  }
}
