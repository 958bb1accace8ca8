/**
 * Responsibility: this head's lease on the cluster's state: acquiring it, renewing it, releasing it, and guarding
 * every write with its epoch.
 * Not responsible for: the meaning of rows (the tables), or what a head does after losing its lease (head.ts).
 *
 * Invariants:
 * - LEASE-1. Of all heads of a cluster only the one with the highest epoch can write.
 * - LEASE-2. Epochs only grow: in a store that was emptied they continue above every epoch that this head has seen.
 * - LEASE-3. This head considers its lease expired before the store does, because it counts from before the renewal
 *   was sent.
 * - LEASE-4. A store that has lost writes receives all rows again from memory before it accepts any other write.
 * - LEASE-5. A store without an epoch is claimed only after it had no leader for the length of one lease, during which
 *   a living leader would have renewed its own.
 * - LEASE-6. A rewrite counts only if the store has lost nothing while it ran; otherwise it starts again.
 * - LEASE-7. A standby keeps the cluster's id and epoch on disk, so that it leads the same cluster above that epoch
 *   even if the store was emptied and no other head is left.
 */
import { every } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { announcedLeases, type LeadershipOptions, type Taken, waitForLease } from "./lease-wait.js";
import { RowFormat } from "./row-versions.js";
import type { LeaseAnswer, LeaseClaim } from "./shared-store.js";
import {
  DeposedError,
  type RowsOf,
  type Store,
  type StoreTable,
  type StoreWrite,
  storeTables,
} from "./store.js";

/** The number of renewals within the duration of one lease. */
const renewalsPerLease = 3;

/** The rows that a head holds in memory. */
export interface Memory {
  /** Every row of a table in its present state. */
  readonly rowsOf: RowsOf;
  /** Causes a write soon. All writes are made in one place, and so is a rewrite. */
  readonly causeWrite: () => void;
}

export class Leadership {
  /** Resolves with the reason when this head no longer leads. */
  readonly lost: Promise<string>;
  readonly store: Store;
  /** The cluster id that the store had before; empty if it had none. */
  readonly clusterId: string;
  readonly #options: LeadershipOptions;
  readonly #rows: RowFormat;
  readonly #facts = new Map<string, string>();
  #claim: LeaseClaim;
  #epoch: number;
  #sequence: number;
  #unanswered = 0;
  #behind = false;
  /** The number of times that the store was found to have lost writes. */
  #losses = 0;
  #memory: Memory | undefined;
  #validUntilMs = 0;
  #addresses: readonly string[] = [];
  /** Renewals run one after the other. */
  #renewals: Promise<void> = Promise.resolve();
  #inFlight = 0;
  #failing = false;
  #ended = false;
  #stopRenewing: () => void = () => undefined;
  #lose!: (reason: string) => void;

  private constructor(options: LeadershipOptions, taken: Taken) {
    const { headId, address, leaseMs } = options;
    this.#options = options;
    this.#rows = options.rows ?? new RowFormat();
    this.#claim = { headId, address, leaseMs };
    this.#epoch = taken.epoch;
    this.#sequence = taken.sequence;
    this.clusterId = taken.clusterId;
    this.#validUntilMs = this.#validFrom(taken.askedAtMs);
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.store = this.#guardedStore();
    this.#stopRenewing = every(options.clock, leaseMs / renewalsPerLease, () => this.#tick());
  }

  /** Resolves when this head leads. @throws {PalimpsestError} CANCELLED by the signal; whatever `onStandby` throws */
  static async take(options: LeadershipOptions): Promise<Leadership> {
    return new Leadership(options, await waitForLease(options));
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The addresses of the cluster's heads, this one first. */
  get addresses(): readonly string[] {
    const own = this.#claim.address;
    return [own, ...this.#addresses.filter((address) => address !== own)].filter((address) => address !== "");
  }

  /** Returns whether no other head can have taken the lease yet (LEASE-3). */
  isCurrent(): boolean {
    if (this.#ended) return false;
    return this.#options.exclusive || this.#options.clock.monotonicMs() < this.#validUntilMs;
  }

  /** Publishes the address under which this head serves from now on. */
  async announce(address: string): Promise<void> {
    this.#claim = { ...this.#claim, address };
    await this.#renewal();
  }

  /** Gives access to the rows in memory. LEASE-4 holds from then on, so this must be called before the first write. */
  remember(memory: Memory): void {
    this.#memory = memory;
  }

  /**
   * Handles a peer that has seen a later epoch: either another head leads, or the store has forgotten that epoch
   * (LEASE-2).
   */
  async rise(epoch: number): Promise<void> {
    if (epoch <= this.#epoch || this.#ended) return;
    this.#options.logger.warn({ epoch: this.#epoch, seen: epoch }, "a peer has seen a later epoch");
    await this.#renewal(epoch).catch(() => undefined);
  }

  /** Asks the store at once, for example after a reconnect. */
  check(): void {
    this.#tick();
  }

  /** Releases the lease, so that a standby takes over at once. */
  async release(): Promise<void> {
    if (this.#ended) return;
    this.#end("it gave up its lease");
    await this.#options.shared.releaseLease(this.#claim.headId);
  }

  #guardedStore(): Store {
    const { shared } = this.#options;
    return {
      readTable: async (table) => this.#rows.read(table, await shared.readTable(table)),
      fact: async (name, initial) => {
        const value = await shared.fact(name, initial);
        this.#facts.set(name, value);
        return value;
      },
      write: (writes) => this.#write(writes),
    };
  }

  async #write(writes: readonly StoreWrite[]): Promise<void> {
    if (!this.#behind) {
      const answer = await this.#guarded(writes, this.#unanswered);
      if (answer === "written") return;
      // The renewal finds out which head leads, and begins a new epoch if the store has lost them all.
      this.#fallBehind();
      await this.#renewal();
    }
    // The rows in memory are as new as these writes, or newer.
    await this.#rewrite();
  }

  /** @param unanswered -1 to write whatever sequence number the store has */
  async #guarded(writes: readonly StoreWrite[], unanswered: number): Promise<"written" | "behind"> {
    if (this.#ended) throw new DeposedError("this head no longer leads");
    this.#unanswered += 1;
    const guard = { epoch: this.#epoch, sequence: this.#sequence, unanswered };
    const rows = writes.map((write) => this.#rows.written(write));
    const answer = await this.#options.shared.write(guard, rows);
    if (answer.kind === "deposed") {
      await this.#renewal();
      if (this.#ended) throw new DeposedError("another head leads");
      // This head began a new epoch while the write was in flight.
      return "behind";
    }
    if (answer.kind === "behind") return "behind";
    this.#unanswered = 0;
    this.#sequence = answer.sequence;
    return "written";
  }

  async #rewrite(): Promise<void> {
    const { shared, logger } = this.#options;
    const memory = this.#memory;
    if (memory === undefined)
      throw new PalimpsestError("INTERNAL", "the store lost writes while it was read");
    const losses = this.#losses;
    let count = 0;
    let unanswered = -1;
    // LEASE-6: if the store loses anything in the meantime, all earlier writes are in doubt.
    const again = () =>
      new PalimpsestError("UNAVAILABLE", "the store lost writes again: all rows will be rewritten");
    const write = async (batch: readonly StoreWrite[]) => {
      if ((await this.#guarded(batch, unanswered)) === "behind") {
        this.#fallBehind();
        await this.#renewal();
      }
      if (this.#losses !== losses) throw again();
      // The first answer brought the store's sequence number, so that any later loss is detected.
      unanswered = 0;
      count += batch.length;
    };
    for (const [name, value] of this.#facts) await shared.fact(name, value);
    for (const table of storeTables) {
      for (const batch of batches(table, memory.rowsOf(table))) await write(batch);
      const stored = await shared.tableKeys(table);
      const wanted = new Set<string>();
      for (const [key] of memory.rowsOf(table)) wanted.add(key);
      const strangers = stored.filter((key) => !wanted.has(key)).map((key) => [key, undefined] as const);
      for (const batch of batches(table, strangers)) await write(batch);
    }
    // One more write is made, so that the store's sequence number is known even if there are no rows.
    await write([]);
    this.#behind = false;
    logger.warn(
      { rows: count, epoch: this.#epoch },
      "the store had lost writes: all rows were written again",
    );
  }

  #fallBehind(): void {
    this.#behind = true;
    this.#losses += 1;
  }

  #tick(): void {
    if (this.#ended) return;
    this.#stepDownIfLate();
    if (this.#inFlight > 0) return;
    this.#renewal().catch((reason: unknown) => {
      this.#options.logger.warn({ err: reason }, "the head's lease was not renewed");
    });
  }

  /**
   * Ends this head's leadership if its lease is over. Without the store it cannot know whether another head has taken
   * over, which is possible only if there are other heads.
   */
  #stepDownIfLate(): void {
    const others = this.addresses.filter((address) => address !== this.#claim.address);
    // A process that was suspended asks the store first: the answer says who leads, and that may still be this head.
    const outOfReach = this.#failing || this.#inFlight > 0;
    if (this.isCurrent() || others.length === 0 || !outOfReach) return;
    this.#end(
      `its lease ran out while the store was unreachable, and ${others.join(", ")} may have taken over`,
    );
  }

  /** Renews the lease. A refusal ends this head's leadership instead of throwing. @throws what the store throws */
  #renewal(epochFloor = 0): Promise<void> {
    this.#inFlight += 1;
    const renewal = this.#renewals.then(() => this.#renew(epochFloor));
    this.#renewals = renewal.then(
      () => {
        this.#inFlight -= 1;
        this.#failing = false;
      },
      () => {
        this.#inFlight -= 1;
        this.#failing = true;
      },
    );
    return renewal;
  }

  async #renew(epochFloor: number): Promise<void> {
    const { shared, clock, logger, leaseMs } = this.#options;
    if (this.#ended) return;
    const askedAtMs = clock.monotonicMs();
    const answer = await shared.renewLease(this.#claim, this.#epoch, epochFloor);
    if (this.#ended) return;
    if (answer.kind === "refused") {
      this.#end(deposedBy(answer));
      return;
    }
    const lostEpoch = answer.epoch > this.#epoch;
    if (lostEpoch) logger.warn({ epoch: answer.epoch, before: this.#epoch }, "the head begins a new epoch");
    this.#epoch = answer.epoch;
    this.#validUntilMs = this.#validFrom(askedAtMs);
    if (lostEpoch || answer.sequence < this.#sequence) {
      this.#fallBehind();
      this.#memory?.causeWrite();
    }
    this.#addresses = await shared.announce(this.#claim.address, announcedLeases * leaseMs);
  }

  /**
   * Returns until when the lease counts as valid: a tenth earlier than the store's expiry, to allow for clocks that run
   * at different speeds.
   */
  #validFrom(askedAtMs: number): number {
    return askedAtMs + this.#options.leaseMs * 0.9;
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopRenewing();
    this.#lose(reason);
  }
}

function deposedBy(answer: LeaseAnswer & { readonly kind: "refused" }): string {
  const who = answer.leader ? `head ${answer.leader.headId} at ${answer.leader.address}` : "another head";
  return `${who} leads with epoch ${answer.epoch}`;
}

/** Splits many rows into writes of a bounded size. */

/** The maximum number of rows per write of a rewrite, and the bytes after which a write is cut earlier. */
const rewriteBatch = { rows: 500, bytes: 1024 * 1024 };

/** Yields writes of the rows of one table. Rows without bytes are removed. */
function* batches(
  table: StoreTable,
  rows: Iterable<readonly [key: string, bytes: Uint8Array | undefined]>,
): Generator<StoreWrite[]> {
  let batch: StoreWrite[] = [];
  let sizeBytes = 0;
  for (const [key, bytes] of rows) {
    batch.push({ table, key, bytes });
    sizeBytes += bytes?.byteLength ?? 0;
    if (batch.length < rewriteBatch.rows && sizeBytes < rewriteBatch.bytes) continue;
    yield batch;
    batch = [];
    sizeBytes = 0;
  }
  if (batch.length > 0) yield batch;
}
