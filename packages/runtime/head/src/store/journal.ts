/**
 * Responsibility: writing the rows of the tables to the store, asynchronously behind the tables in memory.
 * Not responsible for: the meaning of rows, or reading them back.
 *
 * Invariants:
 * - JOURNAL-1. The store never goes back: an older value of a row is never written after a newer one.
 * - JOURNAL-2. The promise of `put` resolves only when that value, or a newer one of the same row, is in the store.
 * - JOURNAL-3. An unreachable store delays writes and loses none. One value is kept per row, however long the outage
 *   lasts.
 * - JOURNAL-4. A batch holds at most maxBatchRows rows and, unless one row alone is larger, maxBatchBytes bytes.
 * - JOURNAL-5. A row that the store rejects while it accepts others is set aside: it delays no other row, and no
 *   close.
 * - JOURNAL-6. Once another head leads, writes are no longer retried, and this is logged once.
 */

import { backoffMs, type Clock, delay } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { DeposedError, type Store, type StoreTable, type StoreWrite } from "./store.js";

const retryDelayMs = 200;
/** The delays before a row that was set aside is retried. */
const asideDelay = { firstMs: 1_000, longestMs: 60_000 };
const maxBatchRows = 500;
const maxBatchBytes = 1024 * 1024;

interface Row extends StoreWrite {
  readonly waiters: (() => void)[];
  /** Whether the row was rejected in a batch of its own, so that it is written alone until it succeeds. */
  readonly suspect: boolean;
  /** The number of times that this value was set aside. */
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
  /** Rows to write, in the order in which they are attempted. */
  #dirty = new Map<string, Row>();
  /** Rows that were set aside (JOURNAL-5), until their next attempt. */
  readonly #aside = new Map<string, { readonly row: Row; readonly cancel: () => void }>();
  /**
   * The maximum number of rows in a batch. It decreases when a batch is rejected, so that the faulty row is soon alone,
   * and increases again with each success.
   */
  #rowLimit = maxBatchRows;
  #lastWriteSucceeded = false;
  #writing: Promise<void> | undefined;
  #deposed = false;
  #closed = false;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /**
   * Writes a row, or removes it when bytes is undefined. Never rejects: a caller that cannot wait sets its own
   * deadline.
   */
  put(table: StoreTable, key: string, bytes: Uint8Array | undefined): Promise<void> {
    return new Promise((resolve) => {
      const id = `${table}/${key}`;
      const waiters = this.#dirty.get(id)?.waiters ?? this.#takeFromAside(id)?.waiters ?? [];
      waiters.push(resolve);
      this.#dirty.set(id, { table, key, bytes, waiters, suspect: false, rejections: 0 });
      this.#writing ??= this.#drain();
    });
  }

  /** The number of rows that are not in the store yet. */
  get pendingRows(): number {
    return this.#dirty.size + this.#aside.size;
  }

  /** Waits until everything that was put so far is in the store or set aside, for at most timeoutMs. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#writing === undefined) return;
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(timeoutMs, resolve);
    });
    await Promise.race([this.#writing, timeout]);
    cancel?.();
  }

  /** Gives rows that were set aside one last attempt. */
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
    // The journal waits one turn, so that the changes of one event become one transaction.
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
            "another head leads: the last changes of this head are not written",
          );
          break;
        }
        logger.error({ err: reason, rows: batch.length }, "state not written, will retry");
        this.#rowLimit = Math.max(1, Math.floor(batch.length / 2));
        // A rejected row does not mean that the store is down: the other rows are written at once.
        if (this.#takeBack(batch) === "aside") continue;
        this.#lastWriteSucceeded = false;
        await delay(retryDelayMs, undefined, clock);
      }
    }
    this.#writing = undefined;
  }

  /** Returns the oldest rows within the limits (JOURNAL-4); a row that was rejected before goes alone. */
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
   * Takes a rejected batch back. Several rows keep their position at the front. A single row moves to the end, behind
   * those that it may have blocked. If it is rejected there again, right after the store accepted another row, it is
   * the row that the store rejects.
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
    const delayMs = backoffMs(asideDelay, row.rejections + 1);
    const cancel = this.#deps.clock.after(delayMs, () => this.#tryAgain(id));
    this.#aside.set(id, { row: { ...row, rejections: row.rejections + 1 }, cancel });
    this.#deps.logger.error(
      { row: id, bytes: row.bytes?.byteLength ?? 0, retryInMs: delayMs },
      "the store rejects this row: it is set aside, and the others are written",
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
