/**
 * Responsibility: carries the rows of the tables to the store, behind the tables' view in memory.
 * Not responsible for: what rows mean, or reading them back.
 *
 * Invariants:
 * - JOURNAL-1. The store never goes back: of one row, an older value is never written after a newer one.
 * - JOURNAL-2. The promise of `put` resolves only when that value, or a newer one of the same row, is in the store.
 * - JOURNAL-3. A store that is away delays writes and loses none; it holds one value a row, however long it stays away.
 * - JOURNAL-4. A batch holds at most maxBatchRows rows and, unless one row alone is larger, maxBatchBytes bytes.
 * - JOURNAL-5. A row that the store rejects while it takes others is set aside: it delays no other row and no close.
 * - JOURNAL-6. Once another head leads no write is tried again, and that is said once.
 */

import type { Logger, Metrics } from "@palimpsest/telemetry";
import { type Clock, delay } from "@palimpsest/wire";
import { DeposedError, type Store, type StoreTable, type StoreWrite } from "./store.js";

const retryDelayMs = 200;
/** How long a row that was set aside waits before it is tried again, at first and at most. */
const asideDelayMs = { first: 1_000, longest: 60_000 };
const maxBatchRows = 500;
const maxBatchBytes = 1024 * 1024;

interface Row extends StoreWrite {
  readonly waiters: (() => void)[];
  /** Rejected in a batch of its own: it goes alone until it is written. */
  readonly suspect: boolean;
  /** Times that this value was set aside. */
  readonly rejections: number;
}

type Entry = readonly [id: string, row: Row];

export interface JournalDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class Journal {
  readonly #deps: JournalDeps;
  /** Rows to write, in the order in which they are tried. */
  #dirty = new Map<string, Row>();
  /** Rows that were set aside (JOURNAL-5), until their next try. */
  readonly #aside = new Map<string, { readonly row: Row; readonly cancel: () => void }>();
  /** Falls when a batch is rejected, so that the row to blame is soon alone; rises again with each success. */
  #rowLimit = maxBatchRows;
  #lastWriteSucceeded = false;
  #writing: Promise<void> | undefined;
  #deposed = false;
  #closed = false;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /** Without bytes the row is removed. Never rejects: a caller that cannot wait sets its own deadline. */
  put(table: StoreTable, key: string, bytes: Uint8Array | undefined): Promise<void> {
    return new Promise((resolve) => {
      const id = `${table}/${key}`;
      const waiters = this.#dirty.get(id)?.waiters ?? this.#takeFromAside(id)?.waiters ?? [];
      waiters.push(resolve);
      this.#dirty.set(id, { table, key, bytes, waiters, suspect: false, rejections: 0 });
      this.#writing ??= this.#drain();
    });
  }

  /** Rows that are not in the store yet. */
  get pendingRows(): number {
    return this.#dirty.size + this.#aside.size;
  }

  /** Waits until everything put so far is in the store, or set aside, at most timeoutMs. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#writing === undefined) return;
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(timeoutMs, resolve);
    });
    await Promise.race([this.#writing, timeout]);
    cancel?.();
  }

  /** Gives rows that were set aside a last try. */
  async close(timeoutMs: number): Promise<void> {
    for (const id of [...this.#aside.keys()]) this.#tryAgain(id);
    await this.flush(timeoutMs);
    this.#closed = true;
    for (const { cancel } of this.#aside.values()) cancel();
    const lost = [...this.#aside.keys(), ...this.#dirty.keys()];
    if (lost.length === 0 || this.#deposed) return;
    this.#deps.logger.error(
      { rows: lost.length, examples: lost.slice(0, 5) },
      "state not written at the end",
    );
  }

  async #drain(): Promise<void> {
    // One turn later, so that the changes of one event become one transaction.
    await Promise.resolve();
    const { store, logger, metrics, clock } = this.#deps;
    while (this.#dirty.size > 0 && !this.#closed && !this.#deposed) {
      const batch = this.#nextBatch();
      for (const [id] of batch) this.#dirty.delete(id);
      const endTimer = metrics.histogram("palimpsest_head_state_write_seconds").startTimer();
      try {
        await store.write(batch.map(([, row]) => row));
        endTimer();
        for (const [, row] of batch) for (const resolve of row.waiters) resolve();
        this.#rowLimit = Math.min(maxBatchRows, this.#rowLimit * 2);
        this.#lastWriteSucceeded = true;
      } catch (reason) {
        if (reason instanceof DeposedError) {
          this.#deposed = true;
          this.#takeBack(batch);
          logger.warn(
            { rows: this.pendingRows },
            "another head leads: what changed last here is not written",
          );
          break;
        }
        logger.error({ err: reason, rows: batch.length }, "state not written, trying again");
        this.#rowLimit = Math.max(1, Math.floor(batch.length / 2));
        // A row that was set aside says nothing against the store: the others go on at once.
        if (this.#takeBack(batch) === "aside") continue;
        this.#lastWriteSucceeded = false;
        await delay(retryDelayMs, undefined, clock);
      }
    }
    this.#writing = undefined;
  }

  /** The oldest rows within the bounds (JOURNAL-4); one that was rejected before goes alone. */
  #nextBatch(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#dirty) {
      const [, row] = entry;
      bytes += row.bytes?.byteLength ?? 0;
      const full = batch.length >= this.#rowLimit || bytes > maxBatchBytes || row.suspect;
      if (full && batch.length > 0) break;
      batch.push(entry);
      if (row.suspect) break;
    }
    return batch;
  }

  /**
   * Several rows keep their place in front; a single one goes to the end, behind those it may have held up. When it
   * is rejected there again, right after the store took another row, it is the row that the store does not want.
   */
  #takeBack(batch: readonly Entry[]): "aside" | "kept" {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      const [id, row] = only;
      const newer = this.#dirty.get(id);
      if (newer !== undefined) this.#dirty.set(id, { ...newer, waiters: [...row.waiters, ...newer.waiters] });
      else if (row.suspect && this.#lastWriteSucceeded) {
        this.#setAside(id, row);
        return "aside";
      } else this.#dirty.set(id, { ...row, suspect: true });
      return "kept";
    }
    const newer = this.#dirty;
    this.#dirty = new Map(batch);
    for (const [id, row] of newer) {
      const older = this.#dirty.get(id);
      this.#dirty.set(id, older ? { ...row, waiters: [...older.waiters, ...row.waiters] } : row);
    }
    return "kept";
  }

  #setAside(id: string, row: Row): void {
    const delayMs = Math.min(asideDelayMs.longest, asideDelayMs.first * 2 ** row.rejections);
    const cancel = this.#deps.clock.after(delayMs, () => this.#tryAgain(id));
    this.#aside.set(id, { row: { ...row, rejections: row.rejections + 1 }, cancel });
    this.#deps.logger.error(
      { row: id, bytes: row.bytes?.byteLength ?? 0, retryInMs: delayMs },
      "the store rejects this row: it is set aside, the others go on",
    );
  }

  #tryAgain(id: string): void {
    const row = this.#takeFromAside(id);
    if (row === undefined || this.#closed) return;
    this.#dirty.set(id, row);
    this.#writing ??= this.#drain();
  }

  #takeFromAside(id: string): Row | undefined {
    const entry = this.#aside.get(id);
    entry?.cancel();
    this.#aside.delete(id);
    return entry?.row;
  }
}
