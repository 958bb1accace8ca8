/**
 * Carries the rows of the tables to the store, behind the tables' view in memory.
 *
 * Not its job: what rows mean, or reading them back.
 *
 * Invariants:
 * - W1. The store never goes back: of one row, an older value is never written after a newer one.
 * - W2. The promise of `put` resolves only when that value, or a newer one of the same row, is in the store.
 * - W3. A store that is away delays writes and loses none; it holds one value a row, however long it stays away.
 */

import type { Logger, Metrics } from "@palimpsest/telemetry";
import type { Clock } from "@palimpsest/wire";
import type { Store, StoreTable, StoreWrite } from "./store.js";

const retryDelayMs = 200;
/** Rows in one transaction. */
const maxBatch = 500;

interface Row extends StoreWrite {
  readonly waiters: (() => void)[];
}

export interface JournalDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class Journal {
  readonly #deps: JournalDeps;
  #dirty = new Map<string, Row>();
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /** Without bytes the row is removed. Never rejects: a caller that cannot wait sets its own deadline. */
  put(table: StoreTable, key: string, bytes: Uint8Array | undefined): Promise<void> {
    return new Promise((resolve) => {
      const id = `${table}/${key}`;
      const waiters = this.#dirty.get(id)?.waiters ?? [];
      waiters.push(resolve);
      this.#dirty.set(id, { table, key, bytes, waiters });
      this.#writing ??= this.#drain();
    });
  }

  /** Rows that are not in the store yet. */
  get pendingRows(): number {
    return this.#dirty.size;
  }

  /** Waits until everything put so far is in the store, at most timeoutMs. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#writing === undefined) return;
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(timeoutMs, resolve);
    });
    await Promise.race([this.#writing, timeout]);
    cancel?.();
  }

  async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs);
    this.#closed = true;
  }

  async #drain(): Promise<void> {
    // One turn later, so that the changes of one event become one transaction.
    await Promise.resolve();
    const { store, logger, metrics, clock } = this.#deps;
    while (this.#dirty.size > 0 && !this.#closed) {
      const batch = [...this.#dirty].slice(0, maxBatch);
      for (const [id] of batch) this.#dirty.delete(id);
      const endTimer = metrics.histogram("palimpsest_head_state_write_seconds").startTimer();
      try {
        await store.write(batch.map(([, row]) => row));
        endTimer();
        for (const [, row] of batch) for (const resolve of row.waiters) resolve();
      } catch (reason) {
        logger.error({ err: reason, rows: batch.length }, "state not written, trying again");
        this.#takeBack(batch);
        await new Promise<void>((resolve) => clock.after(retryDelayMs, resolve));
      }
    }
    this.#writing = undefined;
  }

  #takeBack(batch: readonly (readonly [string, Row])[]): void {
    const newer = this.#dirty;
    this.#dirty = new Map(batch);
    for (const [id, row] of newer) {
      const older = this.#dirty.get(id);
      this.#dirty.set(id, older ? { ...row, waiters: [...older.waiters, ...row.waiters] } : row);
    }
  }
}
