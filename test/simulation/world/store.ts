/**
 * Responsibility: the cluster's Redis: keeps what heads share in memory, on "disk" a second later, and fails as Redis
 *   does.
 * Not responsible for: what rows mean; the answers, which are those of the product's own store in memory, compared with
 * Redis's by a separate test (packages/runtime/head/src/store/shared-store.test.ts).
 *
 * Invariants:
 * - SIMREDIS-1. A write that is acknowledged is in memory; it is on disk at most a second later (appendfsync everysec).
 */
import type {
  LeaseAnswer,
  SharedStore,
  WriteAnswer,
  WriteGuard,
} from "../../../packages/runtime/head/src/store/shared-store.js";
import type { StoreTable, StoreWrite } from "../../../packages/runtime/head/src/store/store.js";
import { MemorySharedStore } from "../../../packages/runtime/head/src/testing/memory-shared-store.js";
import type { SimProcess } from "./process.js";
import type { Random } from "./random.js";
import { RedisLink, type RedisServer } from "./redis-link.js";
import type { Scheduler } from "./scheduler.js";

export interface RedisObserver {
  /** Called when writes have arrived and are not carried out yet. */
  writing?(writes: readonly StoreWrite[]): void;
  /** Called when a row was written. */
  row?(write: StoreWrite, before: Uint8Array | undefined): void;
  /** Called when a write of a process was accepted. */
  accepted?(process: SimProcess, guard: WriteGuard, writes: readonly StoreWrite[]): void;
  /** Called when a process got the lease, or renewed it. */
  held?(process: SimProcess, epoch: number): void;
  /** Called when rows were lost. */
  lost?(): void;
}

/** Other state that lives in Redis and is lost with it. */
export interface Persistent {
  snapshot(): () => void;
  flush(): void;
}

/** The content of the disk at a moment. */
interface Copy {
  readonly atMs: number;
  readonly restore: () => void;
}

const keptSnapshots = 8;

export class SimRedis implements RedisServer {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly contents: MemorySharedStore;
  readonly observers = new Set<RedisObserver>();
  readonly others = new Set<Persistent>();
  readonly #partitioned: (machine: string) => boolean;
  /** Copies of the last seconds, the oldest first; they are made only when something changed. */
  #disk: Copy[] = [];
  #syncing = false;
  #held: (() => void)[] = [];
  readonly #onBack = new Set<{ readonly process: SimProcess; readonly listener: () => void }>();
  away = false;
  /** How often rows were lost, since some invariants hold only between two losses. */
  losses = 0;
  lostAtMs = Number.NEGATIVE_INFINITY;

  constructor(scheduler: Scheduler, random: Random, partitioned: (machine: string) => boolean) {
    this.scheduler = scheduler;
    this.random = random;
    this.#partitioned = partitioned;
    this.contents = new MemorySharedStore({ monotonicMs: () => scheduler.nowMs });
  }

  rows(table: StoreTable): ReadonlyMap<string, Uint8Array> {
    return this.contents.rows(table);
  }

  /** Refuses everything until comeBack() is called. */
  goAway(): void {
    this.away = true;
  }

  comeBack(): void {
    if (!this.away) return;
    this.away = false;
    this.#back();
  }

  /** Restarts it after a kill: what was not on disk is gone. A lagging replica has an older copy. */
  loseLast(lagMs: number): void {
    const limitMs = this.scheduler.nowMs - lagMs;
    const kept = this.#disk.filter(({ atMs }) => atMs <= limitMs).at(-1) ?? this.#disk[0];
    if (kept) this.#restart(kept);
    else {
      this.#flush();
      this.#lost();
    }
    this.#back();
  }

  /**
   * Its current state is on disk, and it dies after this time, before anything else is: at most a second, see
   * SIMREDIS-1.
   */
  loseWhatFollows(forMs: number): void {
    const kept = this.#copy();
    this.scheduler.after(forMs, undefined, () => {
      if (this.away) return;
      this.#restart(kept);
      this.#back();
    });
  }

  flushAll(): void {
    this.#flush();
    this.#disk = [];
    this.#lost();
  }

  /** Registers a callback for the moment when the process's connection is back. */
  onBack(process: SimProcess, listener: () => void): void {
    this.#onBack.add({ process, listener });
  }

  partitionedFrom(machine: string): boolean {
    return this.#partitioned(machine);
  }

  whenHealed(go: () => void): void {
    this.#held.push(go);
  }

  healed(): void {
    for (const go of this.#held.splice(0)) go();
  }

  latencyMs(): number {
    const usual = this.random.between(0.1, 1);
    return this.random.chance(0.01) ? usual * this.random.between(1, 1_000) : usual;
  }

  /** Marks a change, which is on disk within a second. */
  changed(): void {
    if (this.#syncing) return;
    this.#syncing = true;
    this.scheduler.after(this.random.between(500, 1_000), undefined, () => {
      this.#syncing = false;
      this.#disk.push(this.#copy());
      if (this.#disk.length > keptSnapshots) this.#disk.shift();
    });
  }

  /** Returns the store as the process reaches it. */
  connect(process: SimProcess): SharedStore {
    const { contents } = this;
    const link = new RedisLink(this, process);
    const lease = async (ask: () => Promise<LeaseAnswer>) => {
      const answer = await ask();
      if (answer.kind === "held")
        for (const observer of this.observers) observer.held?.(process, answer.epoch);
      this.changed();
      return answer;
    };
    return {
      lease: () => link.send(() => contents.lease()),
      takeLease: (...given) => link.send(() => lease(() => contents.takeLease(...given))),
      renewLease: (...given) => link.send(() => lease(() => contents.renewLease(...given))),
      releaseLease: (headId) => link.send(() => contents.releaseLease(headId)),
      announce: (...given) => link.send(() => contents.announce(...given)),
      readTable: (table) => link.send(() => contents.readTable(table)),
      tableKeys: (table) => link.send(() => contents.tableKeys(table)),
      write: (guard, writes) => link.send(() => this.#write(process, guard, writes)),
      fact: (...given) => link.send(() => contents.fact(...given)),
    };
  }

  async #write(process: SimProcess, guard: WriteGuard, writes: readonly StoreWrite[]): Promise<WriteAnswer> {
    const before = writes.map(({ table, key }) => this.contents.rows(table).get(key));
    for (const observer of this.observers) observer.writing?.(writes);
    const answer = await this.contents.write(guard, writes);
    if (answer.kind !== "written") return answer;
    this.changed();
    for (const observer of this.observers) observer.accepted?.(process, guard, writes);
    for (const observer of this.observers) {
      writes.forEach((write, index) => {
        observer.row?.(write, before[index]);
      });
    }
    return answer;
  }

  #copy(): Copy {
    const restores = [this.contents.snapshot(), ...[...this.others].map((other) => other.snapshot())];
    const restore = () => {
      for (const each of restores) each();
    };
    return { atMs: this.scheduler.nowMs, restore };
  }

  /** Restarts with what was on disk; later copies are dropped. */
  #restart(kept: Copy): void {
    kept.restore();
    this.#disk = [...this.#disk.filter(({ atMs }) => atMs < kept.atMs), kept];
    this.#lost();
  }

  #flush(): void {
    this.contents.flush();
    for (const other of this.others) other.flush();
  }

  #lost(): void {
    this.losses++;
    this.lostAtMs = this.scheduler.nowMs;
    for (const observer of this.observers) observer.lost?.();
  }

  /** Lets its clients reconnect soon. */
  #back(): void {
    for (const entry of this.#onBack) {
      if (entry.process.ended) this.#onBack.delete(entry);
      else this.scheduler.after(this.random.between(50, 600), entry.process, entry.listener);
    }
  }
}
