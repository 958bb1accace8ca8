import type { Clock } from "@palimpsest/std";
import type {
  Leader,
  LeaseAnswer,
  LeaseClaim,
  LeaseView,
  SharedStore,
  WriteAnswer,
  WriteGuard,
} from "../store/shared-store.js";
import type { StoreTable, StoreWrite } from "../store/store.js";

type Rows = ReadonlyMap<string, Uint8Array>;

interface Contents {
  /** The tables. Rows that a snapshot shares are copied before they change. */
  readonly tables: Map<StoreTable, Rows>;
  readonly facts: Map<string, string>;
  readonly heads: Map<string, number>;
  leader: (Leader & { readonly untilMs: number }) | undefined;
  epoch: number;
  sequence: number;
}

/**
 * A shared store in this process that simulates failures: it is away, emptied, or back with an older state.
 * `shared-store.test.ts` checks that it gives the same answers as the one on Redis.
 */
export class MemorySharedStore implements SharedStore {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #contents = empty();
  readonly #inSnapshot = new WeakSet<Rows>();
  /** While this is set, every call fails with it. */
  failure: Error | undefined;
  /** The keys of rows in the order in which they were written; removals have a minus. */
  readonly written: string[] = [];

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Loses everything. */
  flush(): void {
    this.#contents = empty();
  }

  /** Returns a function that restores the present state, which is what a replica has at this moment. */
  snapshot(): () => void {
    for (const rows of this.#contents.tables.values()) this.#inSnapshot.add(rows);
    const copy = copyOf(this.#contents);
    return () => {
      this.#contents = copyOf(copy);
    };
  }

  get epoch(): number {
    return this.#contents.epoch;
  }

  rows(table: StoreTable): Rows {
    return this.#contents.tables.get(table) ?? new Map();
  }

  keysOf(table: StoreTable): string[] {
    return [...this.rows(table).keys()].sort();
  }

  async lease(): Promise<LeaseView> {
    this.#check();
    const { epoch, facts } = this.#contents;
    return { leader: this.#leader(), epoch, clusterId: facts.get("clusterId") ?? "" };
  }

  async takeLease(claim: LeaseClaim, epochFloor: number, predecessorId: string): Promise<LeaseAnswer> {
    this.#check();
    const leader = this.#leader();
    if (leader !== undefined && leader.headId !== predecessorId && leader.headId !== claim.headId) {
      return { kind: "refused", epoch: this.#contents.epoch, leader };
    }
    return this.#held(claim, Math.max(this.#contents.epoch, epochFloor) + 1);
  }

  async renewLease(claim: LeaseClaim, epoch: number, epochFloor: number): Promise<LeaseAnswer> {
    this.#check();
    const stored = this.#contents.epoch;
    const leader = this.#leader();
    if (stored > epoch && leader?.headId !== claim.headId) return { kind: "refused", epoch: stored, leader };
    const mine = Math.max(epoch, stored);
    return this.#held(claim, stored < mine || epochFloor > mine ? Math.max(mine, epochFloor) + 1 : mine);
  }

  async releaseLease(headId: string): Promise<void> {
    this.#check();
    if (this.#contents.leader?.headId === headId) this.#contents.leader = undefined;
  }

  async announce(address: string, ttlMs: number): Promise<readonly string[]> {
    this.#check();
    const { heads } = this.#contents;
    const now = this.#clock.monotonicMs();
    if (address !== "") heads.set(address, now + ttlMs);
    return [...heads].filter(([, untilMs]) => untilMs > now).map(([known]) => known);
  }

  async readTable(table: StoreTable): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#check();
    return new Map(this.rows(table));
  }

  async tableKeys(table: StoreTable): Promise<readonly string[]> {
    this.#check();
    return this.keysOf(table);
  }

  async write(guard: WriteGuard, writes: readonly StoreWrite[]): Promise<WriteAnswer> {
    this.#check();
    const { epoch, sequence } = this.#contents;
    if (epoch > guard.epoch) return { kind: "deposed" };
    const late = sequence < guard.sequence || sequence > guard.sequence + guard.unanswered;
    if (epoch < guard.epoch || (guard.unanswered >= 0 && late)) return { kind: "behind" };
    for (const { table, key, bytes } of writes) {
      const rows = this.#rowsToChange(table);
      if (bytes === undefined) rows.delete(key);
      else rows.set(key, Uint8Array.from(bytes));
      this.written.push(bytes === undefined ? `-${key}` : key);
    }
    this.#contents.sequence += 1;
    return { kind: "written", sequence: this.#contents.sequence };
  }

  async fact(name: string, initial: string): Promise<string> {
    this.#check();
    const value = this.#contents.facts.get(name) ?? initial;
    this.#contents.facts.set(name, value);
    return value;
  }

  #rowsToChange(table: StoreTable): Map<string, Uint8Array> {
    const rows = this.rows(table);
    if (rows instanceof Map && this.#contents.tables.has(table) && !this.#inSnapshot.has(rows)) return rows;
    const own = new Map(rows);
    this.#contents.tables.set(table, own);
    return own;
  }

  #leader(): Leader | undefined {
    const { leader } = this.#contents;
    if (leader === undefined || leader.untilMs <= this.#clock.monotonicMs()) return undefined;
    const { headId, address, epoch } = leader;
    return { headId, address, epoch };
  }

  #held({ headId, address, leaseMs }: LeaseClaim, epoch: number): LeaseAnswer {
    this.#contents.epoch = epoch;
    this.#contents.leader = { headId, address, epoch, untilMs: this.#clock.monotonicMs() + leaseMs };
    return { kind: "held", epoch, sequence: this.#contents.sequence };
  }

  #check(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}

function empty(): Contents {
  return { tables: new Map(), facts: new Map(), heads: new Map(), leader: undefined, epoch: 0, sequence: 0 };
}

function copyOf(contents: Contents): Contents {
  const { tables, facts, heads } = contents;
  return { ...contents, tables: new Map(tables), facts: new Map(facts), heads: new Map(heads) };
}
