/**
 * Responsibility: the head's Redis: keeps rows in memory, on "disk" a second later, and fails as Redis does.
 * Not responsible for: what rows mean.
 *
 * Invariants:
 * - STORE-1. Writes of one head apply in the order in which they were made.
 * - STORE-2. A write that is acknowledged is in memory; it is on disk at most a second later (appendfsync everysec).
 */
import type { Store, StoreTable, StoreWrite } from "../../../packages/head/src/store.js";
import type { SimProcess } from "./process.js";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";

type Rows = Map<string, Uint8Array>;
type Snapshot = ReadonlyMap<string, Rows>;

export type WriteObserver = (write: StoreWrite, before: Uint8Array | undefined) => void;

export class SimRedis {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  #tables = new Map<string, Rows>();
  readonly #facts = new Map<string, string>();
  /** Copies of the last seconds, the oldest first; made only when something changed. */
  #disk: { readonly atMs: number; readonly tables: Snapshot }[] = [];
  #changed = true;
  #away = false;
  readonly observers = new Set<WriteObserver>();
  /** Times that rows were lost: some invariants hold only between two losses. */
  losses = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  get away(): boolean {
    return this.#away;
  }

  rows(table: StoreTable): ReadonlyMap<string, Uint8Array> {
    return this.#tables.get(table) ?? new Map();
  }

  /** Refuses everything until comeBack(). */
  goAway(): void {
    this.#away = true;
  }

  comeBack(): void {
    this.#away = false;
  }

  /** It was killed and started again: what was not on disk is gone. A lagging replica has an older copy. */
  loseLast(lagMs: number): void {
    const limitMs = this.#scheduler.nowMs - lagMs;
    const kept = this.#disk.filter(({ atMs }) => atMs <= limitMs).at(-1) ?? this.#disk[0];
    this.#tables = copyOf(kept?.tables ?? new Map());
    this.losses++;
  }

  flushAll(): void {
    this.#tables = new Map();
    this.#disk = [];
    this.#facts.clear();
    this.losses++;
  }

  /** Copies the tables as an fsync does; to be called once a second of activity. */
  sync(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#disk.push({ atMs: this.#scheduler.nowMs, tables: copyOf(this.#tables) });
    if (this.#disk.length > 8) this.#disk.shift();
  }

  connect(process: SimProcess): Store {
    const random = this.#random;
    const reach = <Result>(act: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        const sentMs = random.between(0.1, 1);
        this.#scheduler.after(sentMs, undefined, () => {
          if (process.ended) {
            // Redis may have got it before the head died.
            if (!this.#away && random.chance(0.5)) act();
            return;
          }
          if (this.#away) {
            this.#scheduler.after(random.between(1, 50), process, () => reject(new Error("redis is away")));
            return;
          }
          const result = act();
          this.#scheduler.after(random.between(0.1, 1), process, () => resolve(result));
        });
      });
    return {
      readTable: (table) => reach(() => new Map(this.#tables.get(table) ?? [])),
      write: (writes) => reach(() => this.#write(writes)),
      fact: (name, initial) =>
        reach(() => {
          const value = this.#facts.get(name) ?? initial;
          this.#facts.set(name, value);
          return value;
        }),
    };
  }

  #write(writes: readonly StoreWrite[]): void {
    for (const write of writes) {
      const { table, key, bytes } = write;
      const rows = this.#tables.get(table) ?? new Map<string, Uint8Array>();
      this.#tables.set(table, rows);
      const before = rows.get(key);
      if (bytes === undefined) rows.delete(key);
      else rows.set(key, Uint8Array.from(bytes));
      for (const observer of this.observers) observer(write, before);
    }
    this.#changed = true;
    this.#scheduler.after(this.#random.between(500, 1_000), undefined, () => this.sync());
  }
}

function copyOf(tables: Snapshot): Map<string, Rows> {
  return new Map([...tables].map(([name, rows]) => [name, new Map(rows)]));
}
